"""Sixty positions of Connect Four whose exact values are known: what agents are measured against.

They come from games of two agents that look two moves ahead.  Nobody can win at once, and at most
half of the columns are optimal.  The values are those of the program BitBully; a test of this
package compares them with the solver of `gamefast`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from arena.play.match import seat
from course.lessons.capstone.on_budget import BUDGET, counted_move
from gamelib.agents import Agent
from gamelib.games import ConnectFour

# Columns played so far, value for the player to move, optimal columns; the leftmost is column 1.
_TABLE = """
557641233633 1 7
463262761625 1 4
616356616423 1 3
533455364663 1 2
666542723155 0 356
544524445362 1 62
165654255663 1 3
544263132162 1 364
271624542273 1 4
146677545643 1 56
536713454722 1 4
653135714554 1 43
227756245246 1 456
363474632243 1 4
143252512271 0 5
562553125666 1 35
661547236611 1 4
571313633126 1 5
557355371775 1 364
143544246752 1 6
7563324655712427 1 42
5234452121721231 1 34
7267625452213466 1 5
6457565543712632 1 3
7653331251554254 1 4
6424264645527662 1 345
1656125772312221 1 5
4177467371246616 1 471
4432561765371541 1 35
5422231241542271 0 45
3232747225525775 1 365
4415237737612564 1 4
7552124176547765 1 46
5631374213115255 1 6
6633662164211122 1 3
7316776457456155 1 642
1747531773461117 1 435
5772411142441226 1 567
1521217634673522 1 3
5277367376217751 1 563
51321736425564754556 1 3
77142357324124442332 1 316
72527154316637553357 1 263
45652556533377446346 1 4
73315425537536211666 1 7
47675374425475666745 1 52
25737167373274432612 1 4
65146613277232113133 1 5
43147375314734767164 1 63
53617426115373327755 1 1
53761153261217675511 0 7
45375117612234217323 1 25
77113524262264667331 1 314
24544763252265355662 1 4
23756743654551341366 0 35
43176312343242263311 1 2
63731417215241211732 1 3
13441523233347422611 1 45
12214676157134145247 1 6
11776617647623662272 0 4
"""


@dataclass(frozen=True)
class ExactFour:
    """A position, its value for the player to move, and the columns that keep this value."""

    state: ConnectFour
    value: int
    optimal: tuple[int, ...]


@cache
def exact_fours() -> tuple[ExactFour, ...]:
    """Return the positions: twenty each after 12, 16 and 20 stones."""
    rows = [line.split() for line in _TABLE.split("\n") if line]
    return tuple(
        ExactFour(ConnectFour().play(*_columns(played)), int(value), _columns(best))
        for played, value, best in rows
    )


def _columns(digits: str) -> tuple[int, ...]:
    return tuple(int(digit) - 1 for digit in digits)


def count_optimal(agent: Agent, *, budget: int | None = BUDGET) -> int:
    """Return in how many of the sixty positions the agent plays an optimal column.

    Its chance, if it has any, is the same in each call.
    """
    with seat(agent, 0) as player:
        return sum(
            counted_move(player, position.state, budget=budget)[0] in position.optimal
            for position in exact_fours()
        )


def expected_by_chance() -> float:
    """Return how many of the sixty an agent finds on average that plays any open column."""
    return sum(len(p.optimal) / len(p.state.legal_actions()) for p in exact_fours())
