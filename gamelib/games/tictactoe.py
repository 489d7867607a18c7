"""Tic-tac-toe on boards of any size, for 2 to 6 players; k in a row win."""

from __future__ import annotations

from functools import cache, lru_cache
from random import Random
from typing import Any, ClassVar, Self

from gamelib.board_layout import MARKS
from gamelib.games.board_text import check_size, parse_rows
from gamelib.games.k_in_a_row import LineGame, LineRules, lookup_table

_new = object.__new__


class Rules(LineRules):
    """The sizes and tables that all positions of one configuration share.  See `k_in_a_row`."""

    def __init__(self, rows: int, cols: int, k: int, num_players: int) -> None:
        super().__init__(rows, cols, k, num_players, stride=cols + 1, width=rows * (cols + 1))
        bits = [1 << row * self.stride + col for row in range(rows) for col in range(cols)]
        self.bit = dict(enumerate(bits))  # the bit of each cell
        self.bits = [bits[row * cols :][:cols] for row in range(rows)]
        self.board = sum(bits)
        self.mask = (1 << self.width) - 1
        self.top = self.width * (num_players - 2)  # where the last player's stones begin
        self.cells_of = lookup_table(self._cells_of, self.width, max_entries=1_000_000 // len(bits))
        self.images = lru_cache(maxsize=100_000)(self._images)

    def _cells_of(self, stones: int) -> tuple[int, ...]:
        return tuple(cell for cell, bit in self.bit.items() if stones & bit)

    def _images(self, stones: int) -> tuple[int, ...]:
        """Return the rotated and mirrored stones: 8 images on a square board, otherwise 4."""
        places = [divmod(cell, self.cols) for cell in self._cells_of(stones)]
        last_row, last_col = self.rows - 1, self.cols - 1
        images = [
            places,
            [(last_row - row, col) for row, col in places],
            [(row, last_col - col) for row, col in places],
            [(last_row - row, last_col - col) for row, col in places],
        ]
        if self.rows == self.cols:
            images += [[(col, row) for row, col in image] for image in images]
        return tuple(sum(self.bit[row * self.cols + col] for row, col in image) for image in images)


_rules = cache(Rules)


class TicTacToe(LineGame):
    """A position of tic-tac-toe on any board.

    An action is a cell, numbered row by row from 0:

        0 1 2
        3 4 5
        6 7 8

    >>> from gamelib import TicTacToe
    >>> state = TicTacToe.parse("O.X / XX. / OO.")
    >>> state.legal_actions()
    (1, 5, 8)
    >>> print(state.play(1))
    O X X
    X X .
    O O .
    """

    # _mine holds the stones of the player to move.  _others holds the stones of the other players,
    # in the order of their turns, the next player in the lowest bits.  _empty holds the cells that
    # can be taken.  A position is a few ints, so creating one is cheap.
    __slots__ = ("_empty", "_mine", "_others", "_rules", "current_player", "winner")
    examples: ClassVar = {
        "Tic-tac-toe 3 x 3": {},
        "Tic-tac-toe 4 x 4": {"rows": 4, "cols": 4, "k": 4},
        "Tic-tac-toe 3 x 3, three players": {"num_players": 3},
    }
    _rules: Rules
    _mine: int
    _others: int
    _empty: int

    def __init__(self, rows: int = 3, cols: int = 3, k: int = 3, num_players: int = 2) -> None:
        rows, cols = check_size("rows", rows, 1, 50), check_size("cols", cols, 1, 50)
        num_players = check_size("num_players", num_players, 2, len(MARKS))
        self._rules = _rules(rows, cols, check_size("k", k, 1, 50), num_players)
        self._mine = self._others = self.current_player = 0
        self._empty = self._rules.board
        self.winner = None

    def legal_actions(self) -> tuple[int, ...]:
        """Return the empty cells, lowest first; none when the game is over."""
        return self._rules.cells_of[self._empty]

    def successor(self, action: int) -> Self:
        """Return the position after the player to move has taken the cell `action`."""
        rules, others = self._rules, self._others
        try:
            bit = rules.bit[action] & self._empty
        except (KeyError, TypeError):
            bit = 0
        if not bit or action.__class__ is not int:
            cells = range(len(rules.bit))
            return self._retry_with_python_action(
                action, f"a cell, an int from 0 to {cells[-1]}", cells
            )
        mine = self._mine + bit
        child = _new(self.__class__)
        child._rules = rules
        if rules.num_players == 2:  # like the general case below, but faster
            child._mine = others
            child._others = mine
        else:
            child._mine = others & rules.mask
            child._others = others >> rules.width | mine << rules.top
        child.current_player = rules.next_player[self.current_player]
        if rules.wins[mine]:
            child.winner = self.current_player
            child._empty = 0
        else:
            child.winner = None
            child._empty = self._empty - bit
        return child

    def is_terminal(self) -> bool:
        """Return whether a player has k in a row or the board is full."""
        return not self._empty

    def playout(self, rng: Random) -> tuple[int, ...]:
        """Return the payoffs of a random game, drawn like `random_playout`, but without states."""
        rules, draw = self._rules, rng.random
        mine, others, player = self._mine, self._others, self.current_player
        cells = list(self.legal_actions())
        while cells:
            mine |= rules.bit[cells.pop(int(draw() * len(cells)))]
            if rules.wins[mine]:
                return rules.payoffs[player]
            mine, others = others & rules.mask, others >> rules.width | mine << rules.top
            player = rules.next_player[player]
        return rules.payoffs[self.winner]

    def symmetry_key(self) -> tuple[int, ...]:
        """Return a key that is equal for mirrored and rotated boards, and with players renamed."""
        rules = self._rules
        others = [self._others >> i * rules.width for i in range(rules.num_players - 1)]
        in_turn = (self._mine, *(stones & rules.mask for stones in others))
        return min(zip(*map(rules.images, in_turn), strict=True))

    def stones(self, player: int) -> int:
        """Return a player's cells as the bits of an int; `bit` returns the bit of a cell."""
        if player == self.current_player:
            return self._mine
        turns_to_wait = (player - self.current_player) % self._rules.num_players
        return self._others >> (turns_to_wait - 1) * self._rules.width & self._rules.mask

    def cell(self, row: int, col: int) -> int | None:
        """Return the player whose mark is in a cell, or None; row 0 is on top."""
        rules = self._rules
        if rules.num_players > 2 or not (0 <= row < rules.rows and 0 <= col < rules.cols):
            return super().cell(row, col)
        bit = rules.bits[row][col]  # like the general case, but faster
        if self._mine & bit:
            return self.current_player
        return 1 - self.current_player if self._others & bit else None

    def mine_and_taken(self) -> tuple[int, int]:
        """Return the stones of the player to move, and those of all players."""
        rules, taken, others = self._rules, self._mine, self._others
        while others:
            taken |= others & rules.mask
            others >>= rules.width
        return self._mine, taken

    def __eq__(self, other: Any) -> bool:
        return (
            type(other) is type(self)
            and self._mine == other._mine
            and self._others == other._others
            and self.current_player == other.current_player
            and self._rules is other._rules
        )

    def __hash__(self) -> int:
        return hash((self._mine, self._others, self.current_player))

    @classmethod
    def parse(
        cls, text: str, *, k: int = 3, num_players: int = 2, current_player: int | None = None
    ) -> Self:
        """Return the position that `text` shows, like "XX. / .O. / ...".

        Rows end with "/" or a line end; "." is empty.  The player to move follows from the number
        of stones, unless `current_player` is given; then any numbers are allowed.
        ValueError for anything that is not such a board.
        """
        rows = parse_rows(text, num_players)
        return cls(len(rows), len(rows[0]), k, num_players)._place_stones(rows, current_player)

    def _set_board(self, stones: list[int], mover: int, winner: int | None) -> None:
        self.current_player, self.winner = mover, winner
        self._mine, *others = stones[mover:] + stones[:mover]
        self._others = sum(bits << i * self._rules.width for i, bits in enumerate(others))
        self._empty = 0 if winner is not None else self._rules.board - sum(stones)
