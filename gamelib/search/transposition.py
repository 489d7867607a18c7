"""The transposition table: what a search remembers of positions it has met before.

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

    def is_deep_enough(self, remaining: float) -> bool:
        """Return whether a search that looks `remaining` plies ahead would find the same."""
        # A line that ends with the game ends the same way however far one may look.
        return self.remaining == remaining or (self.solved and self.remaining <= remaining)


class Table:
    """A memory of at most `MOST` positions; those stored longest ago are forgotten first.

    symmetric  positions with equal `symmetry_key()`, such as mirror images, share an entry.  Only
               for games that have it, and for heuristics that give such positions equal values
    """

    MOST = 500_000

    def __init__(self, *, symmetric: bool = False) -> None:
        self.symmetric = symmetric
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        self._young: dict[Hashable, Entry] = {}
        self._old: dict[Hashable, Entry] = {}
        self._question: tuple[Any, ...] = ()

    def start_search(self, root: GameState, evaluate: Evaluate | None, quick_wins: bool) -> None:
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
        if len(self._young) >= self.MOST // 2:
            self._young, self._old = {}, self._young
        self._young[self._key(entry.state)] = entry

    def _key(self, state: Any) -> Hashable:
        return (state.current_player, state.symmetry_key() or state) if self.symmetric else state

    def __len__(self) -> int:
        return len(self._young) + len(self._old)

    def __repr__(self) -> str:
        return f"Table({len(self):,} of {self.MOST:,} entries)"


def as_table(table: Table | bool | None) -> Table | None:
    """Return the table a search was given, a new one for True, None for no table."""
    if not isinstance(table, Table | bool | None):
        raise TypeError(f"table must be True, False, None or a Table; got {table!r}")
    return (Table() if table else None) if isinstance(table, bool) else table


def causes_cutoff(
    known: float, kind: Kind, alpha: float, beta: float, strict: bool = False
) -> bool:
    """Return whether a known value, or bound, makes a search with this window unnecessary."""
    if kind == "lower":
        return known > beta or (known == beta and not strict)
    if kind == "upper":
        return known < alpha or (known == alpha and not strict)
    return True


def adjust_for_ply(value: float, plies: int) -> float:
    """Return a `quick_wins` value as it is seen `plies` plies later; earlier if negative."""
    return value + plies if value > 1 else value - plies if value < -1 else value
