"""Exact answers beside a second program, on fresh random positions: how many are wrong.

Connect Four of the usual size beside BitBully; smaller boards, and tic-tac-toe, beside the readable
solver, every action with its value and distance.  By one worker, and by several that share a table.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import gamefast
import gamelib
from gamefast import connect_four
from gamelib import ConnectFour, GameState, SearchResult, TicTacToe
from tools.benchmarks.exact import score

COUNT = 2_000
# Of each board, how many cells are left at least and at most.
BOARDS: dict[GameState, tuple[int, int]] = {
    ConnectFour(4, 4): (1, 16),
    ConnectFour(4, 5): (1, 16),
    ConnectFour(5, 5): (1, 16),
    ConnectFour(5, 4, 3): (1, 17),
    ConnectFour(3, 9): (1, 15),
    ConnectFour(7, 7): (1, 15),
    ConnectFour(8, 6): (1, 15),
    TicTacToe(3, 3): (1, 9),
    TicTacToe(3, 4): (1, 12),
    TicTacToe(4, 4): (1, 15),
    TicTacToe(4, 4, 4): (1, 13),
    TicTacToe(4, 5, 4): (1, 13),
    TicTacToe(5, 6, 4): (1, 12),
}


def moved(start: Any, plies: int, rng: random.Random) -> tuple[list[int], Any]:
    """Return a position of a random game after so many plies, not over, and its actions."""
    while True:
        state, actions = start, list[int]()
        while len(actions) < plies and not state.is_terminal():
            actions.append(rng.choice(state.legal_actions()))
            state = state.successor(actions[-1])
        if not state.is_terminal():
            return actions, state
        plies -= rng.random() < 0.2  # some boards are nearly always won before


def same(first: SearchResult, second: SearchResult) -> bool:
    """Return whether two searches find the same of every action."""
    names = ("action", "value", "values", "distance", "distances", "line")
    return all(getattr(first, name) == getattr(second, name) for name in names)


def beside_bitbully(seed: int) -> Iterator[tuple[GameState, bool]]:
    """Yield positions of the usual board, and whether our scores of them are that of BitBully.

    What several workers find from nothing, of all actions, must be what one finds, too.
    """
    import bitbully

    agent, rng = bitbully.BitBully(opening_book=None), random.Random(seed)
    board = connect_four.board_of(ConnectFour, 6, 7, 4)
    for _ in range(COUNT):
        columns, state = moved(ConnectFour(), rng.randint(11, 36), rng)
        theirs = agent.mtdf(bitbully.Board(columns))
        value = gamefast.solve(state, only_value=True, workers=2)
        alone = gamefast.solve(state, workers=1)
        board.forget()
        together = gamefast.solve(state, workers=rng.randint(2, 4))
        right = theirs == score(state, value) == score(state, alone)
        yield state, right and same(together, alone)


def beside_readable(start: Any, seed: int) -> Iterator[tuple[GameState, bool]]:
    """Yield positions of a board, and whether every action has the value of the readable solver."""
    rng, (least, most) = random.Random(seed), BOARDS[start]
    board = connect_four.board_of(type(start), start.rows, start.cols, start.k)
    for _ in range(COUNT):
        _, state = moved(start, start.rows * start.cols - rng.randint(least, most), rng)
        board.forget()
        ours = gamefast.solve(state, workers=rng.randint(1, 3))
        yield state, same(ours, gamelib.solve(state))


def count(name: str, answers: Callable[[int], Iterator[tuple[GameState, bool]]]) -> None:
    """Print how many answers are wrong, and the first position of them."""
    seed = random.randrange(10**9)
    wrong = [state for state, right in answers(seed) if not right]
    print(f"{name}: {COUNT:,} positions of seed {seed}, {len(wrong)} wrong", *wrong[:1], flush=True)


def main() -> None:
    connect_four.ALONE, connect_four.SLICE = 1, 1 << 6  # so that two really share the work
    try:
        count("Connect Four 6x7 beside BitBully", beside_bitbully)
    except ImportError:
        print("BitBully is not installed: make peers")
    for start in BOARDS:
        count(
            f"{type(start).__name__} {start.rows}x{start.cols} of {start.k} beside the readable",
            lambda seed, start=start: beside_readable(start, seed),
        )


if __name__ == "__main__":
    main()
