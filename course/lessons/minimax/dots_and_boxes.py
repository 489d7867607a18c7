"""Dots and boxes: players draw lines, and a player who closes a box owns it and draws again."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Self

from gamelib.board_layout import MARKS, Spot
from gamelib.state import GameState, IllegalActionError

THIN = 0.2  # the breadth of a line, in boxes


@dataclass(frozen=True)
class DotsAndBoxes(GameState):
    """A position of dots and boxes.  An action is a line, numbered from 0, row by row.

     -0- -1-
    2   3   4
     -5- -6-
    7   8   9
     -10-11-
    """

    height: int = 2  # in boxes
    width: int = 2
    drawn: frozenset[int] = frozenset()
    owners: tuple[tuple[int, int], ...] = ()  # of the closed boxes: (box, player)
    current_player: int = 0

    num_players = 2
    marks = MARKS
    examples: ClassVar = {"Dots and boxes": {}, "Dots and boxes 1 x 2": {"height": 1}}

    def _lines_of(self, box: int) -> set[int]:
        row, col = divmod(box, self.width)
        top = row * (2 * self.width + 1) + col
        return {top, top + self.width, top + self.width + 1, top + 2 * self.width + 1}

    def legal_actions(self) -> list[int]:
        """Return the lines that are not drawn."""
        count = self.height * (2 * self.width + 1) + self.width
        return [line for line in range(count) if line not in self.drawn]

    def successor(self, action: int) -> Self:
        """Return the position after a line; the same player goes on if it closes a box."""
        if type(action) is not int or action not in self.legal_actions():
            raise IllegalActionError(f"draw one of {self.legal_actions()}; got {action!r}")
        drawn, owned = self.drawn | {action}, dict(self.owners)
        closed = [
            (box, self.current_player)
            for box in range(self.height * self.width)
            if box not in owned and self._lines_of(box) <= drawn
        ]
        player = self.current_player if closed else 1 - self.current_player
        owners = (*self.owners, *closed)
        return replace(self, drawn=drawn, owners=tuple(sorted(owners)), current_player=player)

    def is_terminal(self) -> bool:
        """Return whether all lines are drawn."""
        return not self.legal_actions()

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player with more boxes, -1 for the other; 0 for both in a draw."""
        if not self.is_terminal():
            raise ValueError("the game is not over")
        boxes = [sum(owner == player for _, owner in self.owners) for player in (0, 1)]
        score = (boxes[0] > boxes[1]) - (boxes[0] < boxes[1])
        return score, -score

    def spots(self) -> list[Spot]:
        """Return the boxes, and the lines around them."""
        owned, spots, long = dict(self.owners), [], 1 - THIN
        for box in range(self.height * self.width):
            row, col = divmod(box, self.width)
            place = col + THIN, row + THIN
            spots.append(Spot(*place, f"box {box}", owner=owned.get(box), width=long, height=long))
        for line in range(self.height * (2 * self.width + 1) + self.width):
            row, col = divmod(line, 2 * self.width + 1)
            across = col < self.width
            x, y = (col + THIN, row) if across else (col - self.width, row + THIN)
            width, height = (long, THIN) if across else (THIN, long)
            line_spot = Spot(x, y, f"line {line}", line, shape="line", width=width, height=height)
            spots.append(replace(line_spot, taken=line in self.drawn))
        return spots

    def to_json(self) -> dict[str, Any]:
        """Return the position as plain data."""
        return {"game": "DotsAndBoxes", **asdict(self), "drawn": sorted(self.drawn)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the position that `to_json` wrote."""
        fields = {name: value for name, value in data.items() if name != "game"}
        owners = tuple((box, player) for box, player in data["owners"])
        return cls(**{**fields, "drawn": frozenset(data["drawn"]), "owners": owners})
