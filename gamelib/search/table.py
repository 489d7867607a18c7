"""The transposition table: what a search remembers of positions it has met before.

Source: Marsland, "A review of game-tree pruning", ICCA Journal 9(1), 1986.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from math import inf
from typing import Any, Literal, NamedTuple

from gamelib.search.events import Enter, Events, Return, TableHit
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
    line: tuple[Any, ...]
    state: GameState

    def holds(self, remaining: float) -> bool:
        """Return whether a search that looks `remaining` plies ahead would find the same.

        A line that ends with the game ends the same way however far one may look.
        """
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
        self.hits = self.guesses = 0

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
        self.hits = 0  # entries that made a search unnecessary
        self.guesses = 0  # values, found or recalled, that rest on estimates

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
        return (state.current_player, state.symmetry_key()) if self.symmetric else state

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __repr__(self) -> str:
        return f"Table({len(self):,} of {self.most:,} entries)"


def as_table(table: Table | bool | None) -> Table | None:
    """Return the table a search was given, a new one for True, None for no table."""
    if table is True:
        return Table()
    if table is None or table is False:
        return None
    if not isinstance(table, Table):
        raise TypeError(f"table must be True, False, None or a Table; got {table!r}")
    return table


def remembered(
    value: Callable[..., Any],
    table: Table,
    *,
    depth: int | None,
    evaluate: Evaluate | None,
    quick_wins: bool,
    strict: bool,
    events: Events | None,
) -> Callable[..., Any]:
    """Return the recursive function of a search with a look into the table before each call."""
    limit = inf if depth is None else depth

    def recalled(state: GameState, action: Action, ply: int, alpha: float, beta: float) -> Any:
        if ply == depth and evaluate is None:  # to recall the estimate 0 would cost more than it
            table.guesses += not state.is_terminal()
            return value(state, action, ply, alpha, beta)
        entry = table.get(state) if ply else None  # the root's own actions must be looked at
        if entry and entry.holds(limit - ply):
            known = seen_from_root(entry.value, ply) if quick_wins else entry.value
            if settles(known, entry.kind, alpha, beta, strict):
                table.hits += 1
                table.guesses += not entry.solved
                if events:
                    events(Enter(state, action, (alpha, beta)))
                    events(TableHit(known, entry.kind))
                    events(Return(known))
                return known, entry.line
        guesses = table.guesses
        found, line = value(state, action, ply, alpha, beta)
        if line or not state.is_terminal():
            at_limit = not line
            table.guesses += at_limit
            kind = "exact" if at_limit else kind_of(found, alpha, beta, strict)
            stored = seen_from_node(found, ply) if quick_wins else found
            solved = table.guesses == guesses
            table.put(Entry(stored, kind, limit - ply, solved, line, state))
        return found, line

    return recalled


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


def seen_from_node(value: float, ply: int) -> float:
    """Return a `quick_wins` value with its plies counted from the node, not from the root."""
    return value + ply if value > 1 else value - ply if value < -1 else value


def seen_from_root(value: float, ply: int) -> float:
    """Return a `quick_wins` value with its plies counted from the root, `ply` plies earlier."""
    return value - ply if value > 1 else value + ply if value < -1 else value
