"""Connect Four on boards of any size, where k discs in a row win."""

from __future__ import annotations

from functools import cache, reduce
from itertools import pairwise
from operator import or_
from random import Random
from typing import Any, ClassVar, Self

from gamelib.board_layout import MARKS, Spot
from gamelib.games.board_text import check_size, parse_rows
from gamelib.games.k_in_a_row import LineGame, LineRules, directions, lookup_table

_allocate = object.__new__


class Rules(LineRules):
    """The sizes and tables that all positions of one board share; the tables fill when used.

    A set of cells is an int.  Each column has one bit more than it has cells.  This bit, the guard,
    is always 0, so that no line runs over the edge.  The bits of a board of 3 rows and 4 columns:

    3 7 11 15   guards
    2 6 10 14
    1 5  9 13
    0 4  8 12
    """

    def __init__(self, rows: int, cols: int, k: int) -> None:
        stride, width = rows + 1, cols * (rows + 1)
        super().__init__(rows, cols, k, 2, stride=stride, width=width)
        column = (1 << rows) - 1
        # Adding the lowest bit of a column to its stones gives the bit of the next stone.
        self.drop = {c: (1 << c * stride, column << c * stride) for c in range(cols)}
        self.bits = [[self.bit(row, col) for col in range(cols)] for row in range(rows)]
        self.board = sum(column for _, column in self.drop.values())
        self.top = sum(1 << c * stride + rows - 1 for c in range(cols))
        self.columns_of = lookup_table(self._columns_of, width, max_entries=1_000_000 // cols)
        self.mirrored = lookup_table(self._mirrored, width)
        # A stone can only complete a line of the stones near it.  There are few such patterns, so
        # a table of them is nearly always faster than looking for lines on the whole board.
        reach = [i * step for step in directions(stride) for i in range(k)]
        cells = (bit for row in self.bits for bit in row)
        self.near = {
            bit: self.board & reduce(or_, (bit << by | bit >> by for by in reach)) for bit in cells
        }

    def bit(self, row: int, col: int) -> int:
        """Return the bit of a cell; row 0 is on top."""
        return 1 << col * self.stride + self.rows - 1 - row

    def _columns_of(self, top_stones: int) -> tuple[int, ...]:
        """Return the columns whose top cell is empty."""
        return tuple(c for c in range(self.cols) if not top_stones & self.bit(0, c))

    def _mirrored(self, stones: int) -> int:
        """Return the stones with left and right exchanged."""
        last = self.cols - 1
        return sum(
            (stones & column) >> c * self.stride << (last - c) * self.stride
            for c, (_, column) in self.drop.items()
        )


_rules = cache(Rules)


class ConnectFour(LineGame):
    """A position of Connect Four.  An action is a column, numbered from 0, left to right.

    >>> from gamelib import ConnectFour
    >>> print(ConnectFour(rows=3, cols=4, k=3).play(1, 1, 2))
    . . . .
    . O . .
    . X X .
    """

    # _mine holds the stones of the player to move, _occupied those of both.
    __slots__ = ("_mine", "_occupied", "_rules", "current_player", "winner")
    examples: ClassVar = {"Connect Four": {}, "Connect Four 4 x 5": {"rows": 4, "cols": 5}}
    _rules: Rules
    _mine: int
    _occupied: int

    def __init__(self, rows: int = 6, cols: int = 7, k: int = 4) -> None:
        rows, cols = check_size("rows", rows, 1, 50), check_size("cols", cols, 1, 50)
        self._rules = _rules(rows, cols, check_size("k", k, 1, 50))
        self._mine = self._occupied = self.current_player = 0
        self.winner = None

    def legal_actions(self) -> tuple[int, ...]:
        """Return the columns that are not full, left to right; none when the game is over."""
        if self.winner is not None:
            return ()
        rules = self._rules
        return rules.columns_of[self._occupied & rules.top]

    def successor(self, action: int) -> Self:
        """Return the position after the player to move has dropped a disc into column `action`."""
        rules, taken = self._rules, self._occupied
        try:
            lowest, column = rules.drop[action]
            bit = taken + lowest & column
        except (KeyError, TypeError):
            bit = 0
        if not bit or self.winner is not None or action.__class__ is not int:
            columns = range(self.cols)
            return self._retry_with_python_action(
                action, f"a column, an int from 0 to {columns[-1]}", columns
            )
        mine, player = self._mine, self.current_player
        child = _allocate(self.__class__)
        child._rules = rules
        child._mine = taken ^ mine
        child._occupied = taken | bit
        child.current_player = 1 - player
        child.winner = player if rules.wins[(mine | bit) & rules.near[bit]] else None
        return child

    def is_terminal(self) -> bool:
        """Return whether a player has k in a row or the board is full."""
        return self.winner is not None or self._occupied == self._rules.board

    def playout(self, rng: Random) -> tuple[int, ...]:
        """Return the payoffs of a random game, drawn like `random_playout`, but without states."""
        rules, draw = self._rules, rng.random
        drop, near, wins = rules.drop, rules.near, rules.wins
        mine, taken, player = self._mine, self._occupied, self.current_player
        columns = self.legal_actions()
        while columns:
            lowest, column = drop[columns[int(draw() * len(columns))]]
            bit = taken + lowest & column
            if wins[(mine | bit) & near[bit]]:
                return rules.payoffs[player]
            mine, taken, player = taken ^ mine, taken | bit, 1 - player
            if bit & rules.top:  # a column is full
                columns = rules.columns_of[taken & rules.top]
        return rules.payoffs[self.winner]

    def spots(self) -> list[Spot]:
        """Return the cells, row by row; each plays its column and has the name of the column."""
        won, columns, below = self.winning_line(), range(self.cols), self.rows
        cells = [(row, col) for row in range(self.rows) for col in columns]
        numbers = [Spot(c, below, "", shape="label", text=str(c), height=0.3) for c in columns]
        return [self._disc(*cell, number in won) for number, cell in enumerate(cells)] + numbers

    def _disc(self, row: int, col: int, won: bool) -> Spot:
        owner = self.cell(row, col)
        lowest, column = self._rules.drop[col]
        lands = self.winner is None and self._occupied + lowest & column == self._rules.bit(
            row, col
        )
        content = "empty" if owner is None else MARKS[owner]
        title = f"column {col}, row {row + 1} from the top, {content}"
        title = f"column {col}: drop a disc" if lands else title
        return Spot(col, row, f"column {col}", col, owner, "disc", title=title, won=won)

    def symmetry_key(self) -> int:
        """Return a number that is equal for mirror images, and with the players exchanged."""
        mirrored, shift = self._rules.mirrored, self._rules.cols * self._rules.stride
        mine, taken = self._mine, self._occupied
        return min(mine << shift | taken, mirrored[mine] << shift | mirrored[taken])

    def stones(self, player: int) -> int:
        """Return a player's cells as the bits of an int; `bit` returns the bit of a cell."""
        return self._mine if player == self.current_player else self._occupied ^ self._mine

    def mine_and_taken(self) -> tuple[int, int]:
        """Return the stones of the player to move, and those of both players."""
        return self._mine, self._occupied

    def __eq__(self, other: Any) -> bool:
        return (
            type(other) is type(self)
            and self._occupied == other._occupied
            and self._mine == other._mine
            and self.current_player == other.current_player
            and self._rules is other._rules
        )

    def __hash__(self) -> int:
        return hash((self._mine, self._occupied))

    @classmethod
    def parse(cls, text: str, *, k: int = 4, current_player: int | None = None) -> Self:
        """Return the position that `text` shows, top row first, like "... / .O. / XX.".

        Rows end with "/" or a line end; "." is empty.  The player to move follows from the number
        of stones, unless `current_player` is given; then any numbers are allowed.
        ValueError for anything that is not such a board, and for a stone with nothing below it.
        """
        rows = parse_rows(text, 2)
        state = cls(len(rows), len(rows[0]), k)
        for row, (above, below) in enumerate(pairwise(rows)):
            for col, (upper, lower) in enumerate(zip(above, below, strict=True)):
                if upper >= 0 > lower:
                    cells = f"row {row}, column {col} is taken and the cell below it is empty"
                    raise ValueError(f"a stone cannot hang in the air: {cells}")
        return state._place_stones(rows, current_player)

    def _set_board(self, stones: list[int], mover: int, winner: int | None) -> None:
        self.current_player, self.winner = mover, winner
        self._mine, self._occupied = stones[mover], stones[0] | stones[1]
