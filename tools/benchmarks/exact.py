"""Random positions of Connect Four, their scores, and the time that a search takes for each.

A program forgets all it knows before each position; that is not measured.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import reduce
from time import process_time
from typing import TypeVar

from gamelib import ConnectFour, SearchResult

LATE = list(map(int, "4002665423222236655050136335043561"))  # columns of a game that is nearly over
T = TypeVar("T")
Answer = TypeVar("Answer")


def positions(count: int, low: int, high: int) -> list[tuple[list[int], ConnectFour]]:
    """Return random positions after `low` to `high` plies, and the columns played."""
    rng = random.Random(low)
    found: list[tuple[list[int], ConnectFour]] = []
    while len(found) < count:
        state, columns = ConnectFour(), []
        for _ in range(rng.randint(low, high)):
            if not state.is_terminal():
                columns.append(rng.choice(state.legal_actions()))
                state = state.successor(columns[-1])
        if not state.is_terminal():
            found.append((columns, state))
    return found


def after(columns: Iterable[int]) -> ConnectFour:
    return reduce(ConnectFour.successor, columns, ConnectFour())


def score(state: ConnectFour, result: SearchResult) -> int:
    """Return half of the cells left at the end, rounded up: + for a win, 0 for a draw."""
    if not result.value or result.distance is None:
        return 0
    left = 42 - state.stones(0).bit_count() - state.stones(1).bit_count()
    return int(result.value) * ((left - result.distance + 2) // 2)


def measure(
    search: Callable[[T], Answer], forget: Callable[[], object], boards: Iterable[T], late: T
) -> tuple[list[float], list[Answer]]:
    """Return the milliseconds and the answer for each of the boards.

    To forget empties the processor's caches: the search of `late` brings the program back there.
    """
    times, answers = [], []
    for board in boards:
        forget()
        search(late)
        started = process_time()
        answers.append(search(board))
        times.append(1e3 * (process_time() - started))
    return times, answers
