"""The transposition table, in which a search stores the values of the positions it has searched.

Source: Marsland, "A review of game-tree pruning", ICCA Journal 9(1), 1986.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from gamelib.search.checks import Evaluate
from gamelib.search.depth_first import NestedLine
from gamelib.search.result import Kind
from gamelib.state import GameState


class Entry(NamedTuple):
    """The entry of a position in a table.

    value      as seen from the position: with `quick_wins`, the plies of a win count from there
    kind       whether the value is exact, an upper bound or a lower bound
    remaining  the number of plies that were searched; inf without a depth limit
    solved     whether every searched line reached the end of the game, and none an estimate
    line       the best line, nested: (action, (action, ...)); empty if it was found for another
               position with the same symmetry key
    state      the position for which it was found
    """

    value: float
    kind: Kind
    remaining: float
    solved: bool
    line: NestedLine
    state: GameState

    def is_deep_enough(self, remaining: float) -> bool:
        """Return whether a search of `remaining` plies would find the same value."""
        # A line that reaches the end of the game is the same at any greater depth.
        return self.remaining == remaining or (self.solved and self.remaining <= remaining)


class Table:
    """A memory of at most `MAX_ENTRIES` positions, which drops the oldest entries first.

    symmetric  positions with equal `symmetry_key()`, such as mirror images, share an entry.  This
               is only for games that have this method, and for heuristics that give such positions
               equal estimates
    """

    MAX_ENTRIES = 500_000

    def __init__(self, *, symmetric: bool = False) -> None:
        self.symmetric = symmetric
        self.clear()

    def clear(self) -> None:
        """Remove all entries."""
        self._young: dict[Hashable, Entry] = {}
        self._old: dict[Hashable, Entry] = {}
        self._context: tuple[Any, ...] = ()

    def start_search(self, root: GameState, evaluate: Evaluate | None, quick_wins: bool) -> None:
        """Prepare the table for a search; entries for another player or heuristic are removed."""
        if self.symmetric and root.symmetry_key() is None:
            raise ValueError(f"a symmetric table needs a symmetry_key(); {root!r} has none")
        # A symmetry key does not contain the rules, such as the size of the board.
        game = root if self.symmetric else None
        context = (root.current_player, evaluate, quick_wins, game)
        if context != self._context:
            self.clear()
            self._context = context

    def get(self, state: GameState) -> Entry | None:
        """Return the entry of `state`, or None."""
        key = self._key(state)
        entry = self._young.get(key) or self._old.get(key)
        if self.symmetric and entry and entry.state != state:
            return entry._replace(line=())
        return entry

    def put(self, entry: Entry) -> None:
        """Store `entry`, and replace an older one of its position."""
        if len(self._young) >= self.MAX_ENTRIES // 2:
            self._young, self._old = {}, self._young
        self._young[self._key(entry.state)] = entry

    def _key(self, state: Any) -> Hashable:
        return (state.current_player, state.symmetry_key() or state) if self.symmetric else state

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __repr__(self) -> str:
        return f"Table({len(self):,} of {self.MAX_ENTRIES:,} entries)"


def as_table(table: Table | bool | None) -> Table | None:
    """Return the given table, a new one for True, or None for no table."""
    if not isinstance(table, Table | bool | None):
        raise TypeError(f"table must be True, False, None or a Table; got {table!r}")
    return (Table() if table else None) if isinstance(table, bool) else table


def causes_cutoff(
    value: float, kind: Kind, alpha: float, beta: float, strict: bool = False
) -> bool:
    """Return whether a stored value, or bound, makes a search with this window unnecessary."""
    if kind == "lower":
        return value > beta or (value == beta and not strict)
    if kind == "upper":
        return value < alpha or (value == alpha and not strict)
    return True


def adjust_for_ply(value: float, plies: int) -> float:
    """Return a `quick_wins` value as seen `plies` plies later, or earlier if negative."""
    return value + plies if value > 1 else value - plies if value < -1 else value
