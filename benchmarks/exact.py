"""Exact scores of Connect Four beside BitBully, on random positions, one at a time.

Both programs forget all they know before each position; that is not measured, and BitBully has no
opening book.  A round is a tenth of the positions: first all of them by one program, then by the
other, so that a slow spell of the machine hits both.  What is measured is the processor time of
this process, in milliseconds a position.  The answers are compared, too.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from functools import reduce
from statistics import mean, median, quantiles
from time import process_time
from typing import TypeVar

import gamefast
from gamefast.connect_four import board_of
from gamelib import ConnectFour, SearchResult

COUNT, ROUNDS = 300, 10
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


def print_row(name: str, rounds: list[list[float]], ours: list[list[float]]) -> None:
    times = sorted(time for one in rounds for time in one)
    ratios = [sum(one) / sum(own) for one, own in zip(rounds, ours, strict=True)]
    together = sum(times) / sum(map(sum, ours))
    print(
        f"  {name:22} {mean(times):9.3f} {median(times):9.3f} {quantiles(times, n=20)[-1]:9.2f} "
        f"{times[-1]:9.1f} {min(ratios):8.2f} {median(ratios):8.2f} {together:8.2f}",
        flush=True,
    )


def main() -> None:
    """Print the table."""
    try:
        import bitbully
    except ImportError:
        print("BitBully is not installed: make peers")
        return
    agent = bitbully.BitBully(opening_book=None)
    board = board_of(ConnectFour, 6, 7, 4)
    searches: dict[str, Callable[[ConnectFour], SearchResult]] = {
        "compiled, only_value": lambda s: gamefast.solve(s, only_value=True, workers=1),
        "compiled, who wins": lambda s: gamefast.solve(s, only_value=True, strong=False, workers=1),
        "compiled, all actions": lambda s: gamefast.solve(s, workers=1),
    }
    print(f"{'ms a position':24} {'mean':>9} {'median':>9} {'95 %':>9} {'longest':>9}", end=" ")
    print(f"{'least':>8} {'median':>8} {'all':>8}  times only_value")
    for low, high in ((8, 13), (14, 20), (21, 28)):
        found = positions(COUNT, low, high)
        times: dict[str, list[list[float]]] = {name: [] for name in (*searches, "BitBully")}
        wrong = 0
        for i in range(ROUNDS):
            columns, states = zip(*found[i::ROUNDS], strict=True)
            boards = [bitbully.Board(played) for played in columns]
            spent, theirs = measure(
                agent.mtdf, agent.reset_transposition_table, boards, bitbully.Board(LATE)
            )
            times["BitBully"].append(spent)
            for name, search in searches.items():
                spent, ours = measure(search, board.forget, states, after(LATE))
                times[name].append(spent)
                if name != "compiled, who wins":
                    wrong += sum(map(int.__ne__, map(score, states, ours), theirs))
        print(f"{low}-{high} plies: {COUNT} positions, {wrong} wrong answers")
        for name, rounds in times.items():
            print_row(name, rounds, times["compiled, only_value"])


if __name__ == "__main__":
    main()
