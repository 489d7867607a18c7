"""The transposition table: what a search remembers of positions it has met before.

Source: Marsland, "A review of game-tree pruning", ICCA Journal 9(1), 1986.
"""

from __future__ import annotations

from collections.abc import Hashable
from math import inf
from typing import Any, Literal, NamedTuple

from gamelib.search.depth_first import DepthFirst, Found, NestedLine, Window
from gamelib.search.events import Enter, Return, TableHit
from gamelib.search.limits import Evaluate
from gamelib.state import Action, GameState

Kind = Literal["exact", "upper", "lower"]


class Entry(NamedTuple):
    """What is known of a position.

    value      as seen from the position: with `quick_wins`, the plies of a win count from there
    kind       whether the value is exact, at most (upper) or at least (lower) this
    remaining  how many plies were looked ahead; inf without a depth limit
    solved     every line looked at ended with the end of the game, none with an estimate
    line       the best line, nested: (action, (action, ...)); empty if found for another position
               of the same symmetry
    state      the position it was found for
    """

    value: float
    kind: Kind
    remaining: float
    solved: bool
    line: NestedLine
    state: GameState

    def holds(self, remaining: float) -> bool:
        """Return whether a search that looks `remaining` plies ahead would find the same."""
        # A line that ends with the game ends the same way however far one may look.
        return self.remaining == remaining or (self.solved and self.remaining <= remaining)


class Table:
    """A memory of at most `most` positions; those stored longest ago are forgotten first.

    symmetric  positions with equal `symmetry_key()`, such as mirror images, share an entry.  Only
               for games that have it, and for heuristics that give such positions equal values
    """

    def __init__(self, most: int = 500_000, *, symmetric: bool = False) -> None:
        if type(most) is not int or most < 2:
            raise ValueError(f"most must be an int, 2 or more; got {most!r}")
        self.most, self.symmetric = most, symmetric
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._young: dict[Hashable, Entry] = {}
        self._old: dict[Hashable, Entry] = {}
        self._question: tuple[Any, ...] = ()

    def begin(self, root: GameState, evaluate: Evaluate | None, quick_wins: bool) -> None:
        """Start a search; what was found for another player or heuristic is forgotten."""
        if self.symmetric and root.symmetry_key() is None:
            raise ValueError(f"a symmetric table needs a symmetry_key(); {root!r} has none")
        # A symmetry key says nothing of the rules, such as the size of the board.
        game = root if self.symmetric else None
        question = (root.current_player, evaluate, quick_wins, game)
        if question != self._question:
            self.clear()
            self._question = question

    def get(self, state: GameState) -> Entry | None:
        """Return what is known of `state`, or None."""
        key = self._key(state)
        entry = self._young.get(key) or self._old.get(key)
        if self.symmetric and entry and entry.state != state:
            return entry._replace(line=())
        return entry

    def put(self, entry: Entry) -> None:
        """Remember `entry`, in place of an older one for its position."""
        if len(self._young) >= self.most // 2:
            self._young, self._old = {}, self._young
        self._young[self._key(entry.state)] = entry

    def _key(self, state: Any) -> Hashable:
        return (state.current_player, state.symmetry_key() or state) if self.symmetric else state

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __repr__(self) -> str:
        return f"Table({len(self):,} of {self.most:,} entries)"


def as_table(table: Table | bool | None) -> Table | None:
    """Return the table a search was given, a new one for True, None for no table."""
    if not isinstance(table, Table | bool | None):
        raise TypeError(f"table must be True, False, None or a Table; got {table!r}")
    return (Table() if table else None) if isinstance(table, bool) else table


class RecallingSearch(DepthFirst):
    """A depth-first search that looks into a table before a node, and stores what it has found."""

    table: Table
    strict: bool

    def recall_from(self, table: Table) -> None:
        """Use a table from now on."""
        table.begin(self.root, self.evaluate, self.quick_wins)
        self.table, self.heard = table, True
        # Of each node on the way: state, ply, window, and the guesses before it.
        self.path: list[tuple[GameState, int, Window, int]] = []

    def leaf(
        self, state: GameState, action: Action, ply: int, viewer: int | None, window: Window = ()
    ) -> Found:
        """Return the value of a leaf; an estimate may be in the table."""
        # To recall the estimate 0 would cost more than it.
        kept = self.evaluate is not None and not state.is_terminal()
        if kept and (known := self._recall(state, action, ply, viewer, window)):
            return known
        value, line = super().leaf(state, action, ply, viewer, window)
        if kept:
            self._store(state, ply, value, line, "exact", solved=False)
        return value, line

    def enter(
        self, state: GameState, action: Action, ply: int, viewer: int | None, window: Window = ()
    ) -> Found | None:
        """Return what the table knows of a node, if it is enough; None else."""
        # The root's own actions must be looked at.
        if ply and (known := self._recall(state, action, ply, viewer, window)):
            self.ask()
            return known
        self.path.append((state, ply, window, self.evaluations + self.recalled))
        return super().enter(state, action, ply, viewer, window)

    def leave(self, best: float, line: NestedLine) -> Found:
        """Return the value and the line of a node, and store them."""
        state, ply, (alpha, beta), guesses = self.path.pop()
        kind = kind_of(best, alpha, beta, self.strict)
        solved = guesses == self.evaluations + self.recalled
        self._store(state, ply, best, line, kind, solved)
        return super().leave(best, line)

    def _remaining(self, ply: int) -> float:
        return inf if self.depth is None else self.depth - ply

    def _recall(
        self, state: GameState, action: Action, ply: int, viewer: int | None, window: Window
    ) -> Found | None:
        entry = self.table.get(state)
        if entry is None or not entry.holds(self._remaining(ply)):
            return None
        known = nearer(entry.value, -ply) if self.quick_wins else entry.value
        if not settles(known, entry.kind, window[0], window[1], self.strict):
            return None
        self.hits += 1
        self.recalled += not entry.solved
        if self.events:
            self.events(Enter(state, action, window, viewer))
            self.events(TableHit(known, self.kind(entry.kind, known, not entry.solved)))
            self.events(Return(known))
        return known, entry.line

    def _store(
        self, state: GameState, ply: int, value: float, line: NestedLine, kind: Kind, solved: bool
    ) -> None:
        if self.quick_wins:
            value = nearer(value, ply)
        self.table.put(Entry(value, kind, self._remaining(ply), solved, line, state))


def settles(known: float, kind: Kind, alpha: float, beta: float, strict: bool) -> bool:
    """Return whether a known value, or bound, makes a search with this window unnecessary."""
    if kind == "lower":
        return known > beta if strict else known >= beta
    if kind == "upper":
        return known < alpha if strict else known <= alpha
    return True


def kind_of(value: float, alpha: float, beta: float, strict: bool) -> Kind:
    """Return what a fail-soft value says that a search with this window has returned."""
    if value < alpha or (value == alpha and not strict):
        return "upper"
    if value > beta or (value == beta and not strict):
        return "lower"
    return "exact"


def nearer(value: float, plies: int) -> float:
    """Return a `quick_wins` value as it is seen `plies` plies later; earlier if negative."""
    return value + plies if value > 1 else value - plies if value < -1 else value
