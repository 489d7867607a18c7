"""Games that k stones in a row win, on boards stored as the bits of an int.

The cell in row r and column c is the bit r * stride + c.  The stride is at least one more than the
number of columns, so the bit between two rows stays 0 and no line runs over the edge.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import Any, Self, TypeVar, cast

from gamelib.board_layout import MARKS
from gamelib.games.board_text import check_size, player_to_move, rules_property, text_rows
from gamelib.state import GameState

Value = TypeVar("Value")


def line_starts(stones: int, k: int, direction: int) -> int:
    """Return the cells at which a line of `k` stones starts, a stone every `direction` bits."""
    starts, length = stones, 1  # the starts of lines of this length
    while 2 * length <= k:
        starts &= starts >> length * direction
        length *= 2
    return starts & starts >> (k - length) * direction


def directions(stride: int) -> tuple[int, int, int, int]:
    """Return the steps across, down and along the two diagonals."""
    return (1, stride, stride + 1, stride - 1)


def has_line(stones: int, k: int, stride: int) -> bool:
    """Return whether `stones` has `k` in a row: across, down or diagonal."""
    return any(line_starts(stones, k, direction) for direction in directions(stride))


def find_line(stones: int, k: int, stride: int) -> tuple[int, ...]:
    """Return the bit numbers of one line of `k` stones; empty if there is none."""
    for direction in directions(stride):
        if starts := line_starts(stones, k, direction):
            first = (starts & -starts).bit_length() - 1
            return tuple(first + i * direction for i in range(k))
    return ()


def lookup_table(
    compute: Callable[[int], Value], bits: int, *, max_entries: int = 100_000
) -> Sequence[Value]:
    """Return a table of `compute(stones)`, complete if it is small, else filled when used."""
    if bits <= 12:
        return [compute(stones) for stones in range(1 << bits)]
    return cast(Sequence[Value], _BoundedCache(compute, max_entries))


class _BoundedCache(dict[int, Value]):
    """A table that fills itself with `compute(key)`, and is emptied when it is full."""

    def __init__(self, compute: Callable[[int], Value], max_entries: int) -> None:
        self._compute, self._max_entries = compute, max_entries

    def __missing__(self, key: int) -> Value:
        if len(self) >= self._max_entries:
            self.clear()
        value = self[key] = self._compute(key)
        return value


class LineRules:
    """The data that all positions of one board share: sizes, payoffs, and which stones win."""

    bits: list[list[int]]  # of the cells, row by row

    def __init__(
        self, rows: int, cols: int, k: int, num_players: int, *, stride: int, width: int
    ) -> None:
        self.rows, self.cols, self.k, self.num_players = rows, cols, k, num_players
        self.stride, self.width = stride, width  # bits of a row or column, and of the board
        self.max_utility = int(k <= max(rows, cols))
        self.wins = lookup_table(lambda stones: has_line(stones, k, stride), width)
        players = range(num_players)
        self.next_player = tuple((player + 1) % num_players for player in players)
        self.payoffs: dict[int | None, tuple[int, ...]] = {
            winner: tuple(1 if player == winner else -1 for player in players) for winner in players
        }
        self.payoffs[None] = (0,) * num_players


class LineGame(GameState[int]):
    """A game of stones on a board, in which k in a row win."""

    __slots__ = ()
    marks = MARKS
    current_player: int
    winner: int | None
    _rules: LineRules
    rules: LineRules = property(  # type: ignore[assignment]
        attrgetter("_rules"), doc="What all positions of one configuration share: one object."
    )
    rows: int = rules_property("rows", "The number of rows.")
    cols: int = rules_property("cols", "The number of columns.")
    k: int = rules_property("k", "The number of cells in a row that wins.")
    num_players: int = rules_property("num_players", "The number of players.")
    max_utility: float = rules_property(
        "max_utility", "1, or 0 if `k` is too long for anybody to win."
    )

    def utilities(self) -> tuple[int, ...]:
        """Return +1 for the winner and -1 for the others; 0 for all in a draw."""
        if not self.is_terminal():
            raise ValueError(f"the game is not over, so nobody has a payoff yet:\n{self}")
        return self._rules.payoffs[self.winner]

    @abstractmethod
    def stones(self, player: int) -> int:
        """Return a player's cells as the bits of an int; `bit` returns the bit of a cell."""

    @abstractmethod
    def mine_and_taken(self) -> tuple[int, int]:
        """Return the stones of the player to move, and those of all players."""

    def bit(self, row: int, col: int) -> int:
        """Return the bit of a cell in `stones`; row 0 is on top."""
        return self._rules.bits[row][col]

    def cell(self, row: int, col: int) -> int | None:
        """Return the player whose stone is in a cell, or None; row 0 is on top."""
        rules = self._rules
        if not (0 <= row < rules.rows and 0 <= col < rules.cols):
            rows, cols = f"rows 0 to {rules.rows - 1}", f"columns 0 to {rules.cols - 1}"
            must = f"a cell must be in {rows} and {cols}"
            raise ValueError(f"{must}; got row {row!r}, column {col!r}")
        bit = rules.bits[row][col]
        for player in range(rules.num_players):
            if self.stones(player) & bit:
                return player
        return None

    def winning_line(self) -> tuple[int, ...]:
        """Return the cells of one winning line, numbered row by row; empty if nobody has won."""
        if self.winner is None:
            return ()
        line = find_line(self.stones(self.winner), self.k, self._rules.stride)
        cells = range(self.rows * self.cols)
        return tuple(n for n in cells if self.bit(*divmod(n, self.cols)).bit_length() - 1 in line)

    def _place_stones(self, rows: list[list[int]], mover: int | None) -> Self:
        """Set up this new board and return it; `rows` has a player, or -1, for each cell.

        Without `mover`, the player to move follows from the numbers of stones.
        """
        stones = [0] * self.num_players
        for owners, bits in zip(rows, self._rules.bits, strict=True):
            for owner, bit in zip(owners, bits, strict=True):
                if owner >= 0:
                    stones[owner] |= bit
        if mover is None:
            mover = player_to_move([bits.bit_count() for bits in stones])
        mover = check_size("current_player", mover, 0, self.num_players - 1)
        players = range(self.num_players)
        winners = [player for player in players if self._rules.wins[stones[player]]]
        if len(winners) > 1:
            raise ValueError(f"only one player can have {self.k} in a row; got {winners}")
        self._set_board(stones, mover, winners[0] if winners else None)
        return self

    @abstractmethod
    def _set_board(self, stones: list[int], mover: int, winner: int | None) -> None:
        """Store the stones of each player, the player to move and the winner."""

    def __str__(self) -> str:
        return "\n".join(" ".join(row) for row in text_rows(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({'/'.join(text_rows(self))}, {self.status()})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)
