"""The transposition table: what a search remembers of positions it has met before.

Source: Marsland, "A review of game-tree pruning", ICCA Journal 9(1), 1986.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any, Literal, NamedTuple

from gamelib.search.events import Events, TableHit
from gamelib.state import Action, GameState

Kind = Literal["exact", "upper", "lower"]


class Entry(NamedTuple):
    """What is known of a position.

    value      as seen from the position: with `quick_wins`, the plies of a win count from there
    kind       whether the value is exact, at most (upper) or at least (lower) this
    remaining  how many plies were looked ahead; inf without a depth limit
    solved     every line looked at ended with the end of the game, none with an estimate
    line       the best line, nested: (action, (action, ...))
    """

    value: float
    kind: Kind
    remaining: float
    solved: bool
    line: tuple[Any, ...]

    def holds(self, remaining: float) -> bool:
        """Return whether a search that looks `remaining` plies ahead would find the same.

        A line that ends with the game ends the same way however far one may look.
        """
        return self.remaining == remaining or (self.solved and self.remaining <= remaining)


class Table:
    """A memory of at most `most` positions; the ones stored longest ago are forgotten first."""

    def __init__(self, most: int = 500_000) -> None:
        if type(most) is not int or most < 2:
            raise ValueError(f"most must be an int, 2 or more; got {most!r}")
        self.most = most
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._young: dict[GameState, Entry] = {}
        self._old: dict[GameState, Entry] = {}
        self._question: Any = None
        self.hits = self.guesses = 0

    def begin(self, *question: Any) -> None:
        """Start a search; what was found for another player or heuristic is forgotten."""
        if question != self._question:
            self.clear()
            self._question = question
        self.hits = 0  # recalled entries that made a search below unnecessary
        self.guesses = 0  # values, computed or recalled, that rest on estimates

    def get(self, state: GameState) -> Entry | None:
        """Return what is known of `state`, or None."""
        return self._young.get(state) or self._old.get(state)

    def put(self, state: GameState, entry: Entry) -> None:
        """Remember `entry` for `state`, in place of an older one."""
        if len(self._young) >= self.most // 2:
            self._young, self._old = {}, self._young
        self._young[state] = entry

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
    depth: int | None,
    quick_wins: bool,
    strict: bool,
    events: Events | None,
) -> Callable[..., Any]:
    """Return the recursive function of a search with a look into the table before each call."""
    limit = inf if depth is None else depth

    def recalled(state: GameState, action: Action, ply: int, alpha: float, beta: float) -> Any:
        if ply == depth:
            table.guesses += not state.is_terminal()
            return value(state, action, ply, alpha, beta)
        entry = table.get(state) if ply else None  # the root's own actions must be looked at
        if entry and entry.holds(limit - ply):
            known = seen_from_root(entry.value, ply) if quick_wins else entry.value
            if settles(known, entry.kind, alpha, beta, strict):
                table.hits += 1
                table.guesses += not entry.solved
                if events:
                    events(TableHit(known, entry.kind))
                return known, entry.line
        guesses = table.guesses
        found, line = value(state, action, ply, alpha, beta)
        if line:
            kind = kind_of(found, alpha, beta, strict)
            stored = seen_from_node(found, ply) if quick_wins else found
            table.put(state, Entry(stored, kind, limit - ply, table.guesses == guesses, line))
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
