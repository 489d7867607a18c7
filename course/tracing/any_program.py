"""Record any recursive program with any board: each call of its recursion is a node.

The program need not use the games of this library.  A call is a node if its function is called
again before it returns; calls of helpers are left out.  The board is a value that looks like one
and changes from call to call, and an edge is the part of it that changed.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from inspect import CO_GENERATOR
from types import FrameType
from typing import Any, NamedTuple

from course.tracing.boards import (
    Cells,
    changed,
    flat,
    found_in,
    frozen,
    in_brief,
    is_cell,
    shape_of,
)
from course.tracing.perspective import number_in
from course.tracing.recorder import (
    CALL,
    Call,
    LogEntry,
    Reader,
    RecordedNode,
    Recorder,
    Tracer,
    describe_error,
)
from course.tracing.shown import Shown
from gamelib.games import GameTree, Nim, TicTacToe
from gamelib.state import Action, GameState

# after this number of calls that lead to no other, a function is no longer recorded
SEEN_AS_HELPER = 30
BLANKS = (None, "", " ", ".", "-", "_", 0)
Like = Callable[..., GameState]


class _Raw:
    """A call of a function of the program, with the boards at that time.

    parent  the call of the recursion that led to it
    cells   its board
    edge    the cells in which its board differs from its parent's
    """

    __slots__ = ("above", "action", "boards", "call", "cells", "edge", "like", "node", "parent")

    def __init__(self, call: Call, above: _Raw | None, boards: dict[str, Cells], like: Any) -> None:
        self.call, self.above, self.boards, self.like = call, above, boards, like
        self.node: Shown | None = None
        self.action: Action = None
        self.parent: _Raw | None = None
        self.cells: Cells | None = None
        self.edge: tuple[tuple[int, Any, Any], ...] = ()


class CallRecorder(Recorder):
    """Records all calls of the functions in the file of the program."""

    def __init__(self, name: str, max_nodes: int, max_seconds: float, like: Like | None) -> None:
        super().__init__(name, max_nodes, max_seconds, {})
        self.like = like
        self.unlike = ""  # why `like` has made no position of a call
        self.file, self.raw = "", []  # type: str, list[_Raw]
        self._open: list[_Raw] = []
        # Keyed by the id of a code, because its hash takes long.
        self.again: set[int] = set()  # recursive functions
        self._names: dict[int, dict[str, set[Any]]] = {}
        self._kept: dict[int, set[str]] = {}  # function -> names of the boards that change
        self._alone: Counter[int] = Counter()  # function -> its calls that led to no other

    def watch(self, program: Callable[..., Any], *arguments: Any, **options: Any) -> None:
        """Run a program, and record every call of a function in its file."""
        code = getattr(getattr(program, "__func__", program), "__code__", None)
        self.file = code.co_filename if code else ""
        self.run(program, *arguments, **options)

    def _reader_of(self, frame: FrameType) -> Reader | None:
        """Return how a function is traced; functions of other files are not."""
        code = frame.f_code
        hidden = code.co_name.startswith("<") and code.co_name != "<lambda>"
        dunder = code.co_name.startswith("__") and code.co_name != "__call__"
        own = code.co_filename == self.file and not code.co_flags & CO_GENERATOR
        return self._enter if own and not (hidden or dunder) else None

    def _enter(self, frame: FrameType) -> Tracer:
        """Record a call, or only count its lines if it is one of a frequent helper."""
        key, again = id(frame.f_code), self.again
        if key not in again and again and self._alone[key] > SEEN_AS_HELPER:
            return self._counted(frame, "call", None)
        above = self._open[-1] if self._open else None
        if key not in again or (above and id(above.call.code) not in again):
            inside = [id(one.call.code) for one in self._open]
            if key in inside:
                last = len(inside) - 1 - inside[::-1].index(key)
                again.update(inside[last:])
        self._nodes += key in again
        if self._nodes > self.max_nodes:
            self._end(f"made {self.max_nodes:,} calls of its recursion")
        self._counted(frame, "call", None)
        call = Call(frame, above.call if above else None, True, len(self.raw))
        raw = _Raw(call, above, self._boards(frame, key), self._liked(frame))
        self.raw.append(raw)
        self._open.append(raw)
        self.log.append(LogEntry(call, call.line, CALL, ()))
        return self._tracer_of(call)

    def _returned(self, call: Call, frame: FrameType, arg: Any) -> None:
        super()._returned(call, frame, arg)
        while self._open and self._open.pop().call is not call:
            pass
        if self.raw[-1].call is call:
            self._alone[id(call.code)] += 1

    def _boards(self, frame: FrameType, key: int) -> dict[str, Cells]:
        """Return copies of the boards; for a frequent function, only of those that change."""
        kept = self._kept.get(key)
        found = found_in(frame, kept)
        if kept is None:
            seen = self._names.setdefault(key, {})
            for name, cells in found.items():
                seen.setdefault(name, set()).add(cells)
            calls = seen.setdefault("", set())
            calls.add(len(self.raw))
            if len(calls) > SEEN_AS_HELPER:
                changing = {name for name, boards in seen.items() if len(boards) > 1} - {""}
                self._kept[key] = changing or {*seen} - {""}
        return found

    def _liked(self, frame: FrameType) -> GameState | None:
        """Return the position that the learner's `like` makes from the arguments, or None."""
        if self.like is None:
            return None
        code = frame.f_code
        names = code.co_varnames[: code.co_argcount]
        try:
            found = self.like(*(frame.f_locals[name] for name in names))
        except Exception as error:
            self.unlike = self.unlike or f"it raised {describe_error(error)}"
            return None
        if not isinstance(found, GameState):
            self.unlike = self.unlike or f"it returned {type(found).__name__}"
            return None
        return found


LEAVES = "the tree of its calls"


class Inferred(NamedTuple):
    """What was inferred about a program; it is shown as such."""

    board: str
    names: tuple[str, ...]
    game: str
    wanted: str = ""  # the game that was named

    def __str__(self) -> str:
        parts = []
        if self.board:
            parts.append(f"the board is {self.board}")
        if self.names and self.names[0] != "player 0":
            parts.append(f"{' and '.join(self.names)} move")
        if self.game == LEAVES:
            parts.append("values are checked against what the program returns at its leaves")
        elif self.game:
            parts.append(f"the game is {self.game}, so values can be checked")
        elif self.wanted:
            shows = f"the board does not show a position of {self.wanted}"
            parts.append(f"{shows}, so values are not checked")
        else:
            parts.append("the rules of the game are not known, so values are the program's own")
        return f"Inferred: {'; '.join(parts)}"


class CallTree:
    """The recursion in a recording, as calls at positions, for `EventBuilder`."""

    def __init__(self, recorder: CallRecorder, game: Any = None) -> None:
        self.recorder, self.game = recorder, game
        raw = recorder.raw
        self.first = raw[0] if raw else None
        self.kept = [one for one in raw if one is self.first or id(one.call.code) in recorder.again]
        for one in self.kept:
            one.parent = self._kept_above(one)
        self.board = self._board()
        for one in self.kept:
            one.cells = self._cells_of(one)
        # calls whose board does not follow from the caller's by a move
        self.broken: list[_Raw] = []
        self._positions: dict[tuple[Any, ...], GameState | None] = {}
        self._successors: dict[tuple[int, Action], tuple[GameState, GameState]] = {}
        self._make_positions()
        self._make_calls()

    def _kept_above(self, one: _Raw) -> _Raw | None:
        above = one.above
        while above and not (above is self.first or id(above.call.code) in self.recorder.again):
            above = above.above
        return above

    # --- the board ---

    def _board(self) -> str:
        """Return the name of the value that changes most often from call to call, or ""."""
        votes: Counter[str] = Counter()
        for one in self.kept:
            above = one.parent
            for name, cells in one.boards.items():
                before = above.boards.get(name) if above else None
                votes[name] += 1 if before is None else 3 * (before != cells)
                votes[name] += bool(shape_of(cells))
        return max(votes, key=votes.__getitem__) if votes else ""

    def _cells_of(self, one: _Raw) -> Cells | None:
        """Return the board of a call, under its own name or under that of another function."""
        if self.board in one.boards or not one.boards:
            return one.boards.get(self.board)
        tail = self.board.rpartition(".")[2]
        same = (cells for name, cells in one.boards.items() if name.rpartition(".")[2] == tail)
        return next(same, next(iter(one.boards.values())))

    # --- positions ---

    def _make_positions(self) -> None:
        placed: Counter[Any] = Counter()
        for one in self.kept:
            before = one.parent.cells if one.parent else None
            if one.cells and before:
                one.edge = changed(before, one.cells)
            if len(one.edge) == 1 and shape_of(one.cells or ()):
                placed[_key(one.edge[0][2])] += 1
        self.marks = sorted(self._marks(placed), key=_first_to_move)
        names = [str(mark) for mark in self.marks] if len(self.marks) == 2 else []
        owners = {mark: player for player, mark in enumerate(self.marks)} if names else {}
        movers = self._movers(owners)
        for one in self.kept:
            one.node = Shown(one.cells, _label(one), names, movers[id(one)])
            one.node.owners, one.node.is_tree = owners, bool(self.recorder.again)
        for one in self.kept:
            if one.parent:
                assert one.node
                assert one.parent.node
                one.action = self._action(one, one.parent, one.parent.node)
                one.parent.node.below.setdefault(one.action, one.node)
        self.names = tuple(names)
        self.known = self._recognised() if self.recorder.again else ""

    def _marks(self, placed: Counter[Any]) -> list[Any]:
        """Return the marks of the two players, from the moves or from the first board."""
        marks = [mark for mark, _ in placed.most_common(2)]
        first = self.first.cells if self.first else None
        if len(marks) == 1 and first:
            blank = {_key(one.edge[0][1]) for one in self.kept if len(one.edge) == 1}
            others = {_key(mark) for mark in flat(first)} - blank - {*marks}
            marks += others if len(others) == 1 else []
        return marks

    def _movers(self, owners: dict[Any, int]) -> dict[int, int]:
        """Return the player to move at every call, by the next mark placed or by turns."""
        movers: dict[int, int] = {}
        for one in self.kept:
            if one.parent and len(one.edge) == 1 and _key(one.edge[0][2]) in owners:
                movers.setdefault(id(one.parent), owners[_key(one.edge[0][2])])
        for one in self.kept:
            turn = 0 if one.parent is None else 1 - movers.get(id(one.parent), 1)
            movers.setdefault(id(one), turn)
        return movers

    def _action(self, one: _Raw, above: _Raw, at: Shown) -> Action:
        """Return the action that leads to a call: a cell, (heap, number taken), or a number."""
        cells, before, edge = one.cells, above.cells, one.edge
        action: Action = None
        tail = self.board.rpartition(".")[2]
        here = cells if cells is not None else one.call.arguments.get(tail)
        if before and here is not None and not edge and not shape_of(before):
            same = [n for n, part in enumerate(before) if part == here]
            action = next((n for n in same if n not in at.below), None)
        elif len(edge) == 1:
            cell, old, new = edge[0]
            if self._is_named("ConnectFour"):
                return int(cell % (shape_of(cells or ()) or (1, 1))[1])
            numbers = all(isinstance(n, int) and not isinstance(n, bool) for n in (old, new))
            is_heap = numbers and new < old and not shape_of(cells or ())
            action = (cell, old - new) if is_heap else cell
        elif edge:
            action = tuple(cell for cell, *_ in edge)
        if action is None:
            action = _moved(one.call, above.call)
        if action is None or (action in at.below and not edge):
            action = len(at.below)
        return action

    # --- recognising the game ---

    def _recognised(self) -> str:
        """Set the positions of all calls whose boards show a known game; return its name, or ""."""
        for make in self._readers():
            self.broken, self._positions, self._successors = [], {}, {}
            for one in self.kept:
                assert one.node
                one.node.real = self._follows(one, make(one))
            known = [one for one in self.kept if one.node and one.node.real]
            if self.first in known:
                for one in known:
                    assert one.node
                    assert one.node.real
                    one.node.current_player = one.node.real.current_player
                first = self.first.node if self.first else None
                return type(first.real).__name__ if first else ""
        self.broken = []
        for one in self.kept:
            if one.node:
                one.node.real = None
        if self._is_a_tree():
            for one in self.kept:
                assert one.node
                one.node.leaf = number_in(one.call.returned)
            return LEAVES
        return ""

    def _follows(self, one: _Raw, real: GameState | None) -> GameState | None:
        """Return the position of a call if it follows from its parent's by the rules, or None."""
        above = one.parent
        if above is None:
            return real
        before = above.node.real if above.node else None
        if before is None or one.node is above.node:
            return before
        legal = real is not None and one.action in before.legal_actions()
        if legal and self._after(before, one.action) == real:
            return real
        self.broken.append(one)
        return None

    def _is_a_tree(self) -> bool:
        """Return whether the recursion itself is the tree, because no board ever changes."""
        boards = {one.cells for one in self.kept}
        same = self.first is not None and id(self.first.call.code) in self.recorder.again
        return same and len(boards) == 1 and len(self.kept) > 1

    def _is_named(self, name: str) -> bool:
        game = self.game if isinstance(self.game, type) else type(self.game)
        return game.__name__ == name

    def _readers(self) -> Sequence[Callable[[_Raw], GameState | None]]:
        if self.recorder.like is not None:
            return [lambda one: one.like]
        game = getattr(self.game, "__name__", type(self.game).__name__)
        every = {
            "TicTacToe": self._as_tictactoe,
            "ConnectFour": self._as_connect_four,
            "Nim": self._as_nim,
            "GameTree": self._as_tree,
        }
        if self.game is not None:
            return [every[game]] if game in every else []
        return [self._as_tictactoe, self._as_nim, self._as_tree]

    def _text(self, one: _Raw) -> str | None:
        """Return a board as text in the notation of the library's games."""
        cells = one.cells
        shape = shape_of(cells) if cells else None
        if shape is None or len(self.marks) != 2:
            return None
        signs = dict(zip(self.marks, "XO", strict=True))
        texts = [signs.get(_key(mark), ".") for mark in flat(cells or ())]
        width = shape[1]
        rows = ["".join(texts[at : at + width]) for at in range(0, len(texts), width)]
        return " / ".join(rows)

    def _as_tictactoe(self, one: _Raw) -> GameState | None:
        text = self._text(one)
        if text is None or (self.game is None and len(text) != len("... / ... / ...")):
            return None
        mover = one.node.current_player if one.node else None
        return self._parsed(TicTacToe, text, current_player=mover)

    def _as_connect_four(self, one: _Raw) -> GameState | None:
        from gamelib.games import ConnectFour

        text = self._text(one)
        k = getattr(self.game, "k", 4) if not isinstance(self.game, type) else 4
        mover = one.node.current_player if one.node else None
        return self._parsed(ConnectFour, text, k=k, current_player=mover) if text else None

    def _as_nim(self, one: _Raw) -> GameState | None:
        cells = one.cells
        if not cells or any(type(heap) is not int or heap < 0 for heap in cells):
            return None
        if not all(isinstance(each.action, tuple) for each in self.kept if each.above):
            return None
        mover = one.node.current_player if one.node else 0
        misere = bool(getattr(self.game, "misere", False))
        text = " ".join(map(str, cells))
        return self._parsed(Nim, text, current_player=mover, misere=misere)

    def _parsed(self, game: Any, text: str, **options: Any) -> GameState | None:
        """Return a position of a game; the same object for the same position."""
        key = (text, *options.values())
        if key not in self._positions:
            self._positions[key] = _parsed(game, text, **options)
        return self._positions[key]

    def _after(self, before: GameState, action: Action) -> GameState:
        """Return the position after an action that the rules allow."""
        key = id(before), action
        if key not in self._successors:
            self._successors[key] = before, before.successor(action)
        return self._successors[key][1]

    def _as_tree(self, one: _Raw) -> GameState | None:
        """Return a node of a tree that is written as nested lists, or None."""
        above = one.parent
        if above is None:
            whole = one.cells
            flags = [v for v in one.call.arguments.values() if isinstance(v, bool)]
            turns = (1, 0) if flags and not flags[0] else (0, 1)
            below = {each.cells for each in self.kept if each.parent is one}
            if whole is None or not below & {*whole}:
                return None
            return GameTree(_lists(whole), turns)
        parent = above.node.real if above.node else None
        if parent is None or one.action not in parent.legal_actions():
            return None
        return parent.successor(one.action)

    # --- output for EventBuilder ---

    def _make_calls(self) -> None:
        """Turn the calls of the recursion into calls at nodes, and drop the others from the log."""
        kept = {id(one.call) for one in self.kept}
        for one in self.kept:
            above = one.parent
            assert one.node
            parent = above.call.node if above else None
            call, maker = one.call, above.call if above else None
            call.caller = maker
            same = above is not None and self._is_same(one, above)
            if same and parent is not None:
                call.entry, call.node = False, parent
                one.node = above.node if above else one.node
                continue
            call.node = RecordedNode(one.node, one.action, parent, call)
        recorder = self.recorder
        recorder.log = [entry for entry in recorder.log if id(entry.call) in kept]
        recorder.calls = [one.call for one in self.kept]
        for number, call in enumerate(recorder.calls):
            call.number = number

    def _is_same(self, one: _Raw, above: _Raw) -> bool:
        """Return whether a call only passes on the position of its caller."""
        mine, before = one.cells, above.cells
        hands_on = above is self.first and mine is not None and mine == before
        return hands_on and not self._is_a_tree()


def _key(mark: Any) -> Any:
    return mark.item() if hasattr(mark, "item") else mark


def _first_to_move(mark: Any) -> tuple[bool, str]:
    return str(mark).upper() not in ("X", "1", "1.0"), str(mark)


def _parsed(game: Any, text: str, **options: Any) -> GameState | None:
    try:
        found: GameState = game.parse(text, **options)
    except Exception:
        return None
    return found


def _lists(value: Any) -> Any:
    return list(map(_lists, value)) if isinstance(value, tuple) else value


def _label(one: _Raw) -> str:
    """Return a position in a few letters."""
    if one.cells is not None:
        return " ".join("." if mark in BLANKS[:6] else str(mark) for mark in flat(one.cells))[:60]
    arguments = ", ".join(f"{name}={in_brief(value)}" for name, value in one.call.arguments.items())
    return f"{one.call.code.co_name}({arguments})"[:60]


def _moved(call: Call, above: Call) -> Action:
    """Return the argument that distinguishes a call from its siblings, such as an index."""
    for name, value in call.arguments.items():
        before = above.arguments.get(name)
        counts = any(word in name for word in ("depth", "ply", "level", "alpha", "beta"))
        if type(value) is int and type(before) is int and value != before and not counts:
            return value
    return None


def copied(arguments: Sequence[Any]) -> list[Any]:
    """Return copies of arguments, so that a program cannot change the originals."""
    found = []
    for argument in arguments:
        try:
            found.append(copy.deepcopy(argument))
        except Exception:
            found.append(argument)
    return found


def looks_like_a_board(value: Any) -> bool:
    """Return whether an argument may be a board or a tree, or an object that contains one."""
    return frozen(value) is not None or (not is_cell(value) and hasattr(value, "__dict__"))
