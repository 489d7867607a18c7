"""Sixty positions of Connect Four with known exact values, on which agents are measured.

They come from games of two agents that search two plies.  Nobody can win immediately, and at most
half of the columns are optimal.  The values are those of the program BitBully; a test compares them
with the solver of `gamefast`.
"""

from dataclasses import dataclass
from functools import cache

from arena.play.match import seat
from course.exercises.lesson_data import load_tables
from course.lessons.capstone.budget_match import move_with_count
from gamelib.agents import Agent
from gamelib.games import ConnectFour


@dataclass(frozen=True)
class ExactPosition:
    """A position, its value for the player to move, and the columns that keep this value."""

    state: ConnectFour
    value: int
    optimal: tuple[int, ...]


@cache
def exact_positions() -> tuple[ExactPosition, ...]:
    """Return the positions: twenty each after 12, 16 and 20 discs."""
    rows = map(str.split, load_tables("capstone", "exact_positions")["rows"])
    return tuple(
        ExactPosition(ConnectFour().play(*_columns(played)), int(value), _columns(best))
        for played, value, best in rows
    )


def _columns(digits: str) -> tuple[int, ...]:
    return tuple(int(digit) - 1 for digit in digits)


def count_optimal(agent: Agent) -> int:
    """Return the number of the sixty positions in which the agent plays an optimal column.

    The random numbers of the agent are the same in each call.
    """
    with seat(agent, 0) as player:
        return sum(
            move_with_count(player, position.state)[0] in position.optimal
            for position in exact_positions()
        )


def expected_by_chance() -> float:
    """Return the expected number of optimal columns of an agent that plays at random."""
    return sum(len(p.optimal) / len(p.state.legal_actions()) for p in exact_positions())
