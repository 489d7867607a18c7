"""Compiled searches of all kinds and games, and one hash of all that they find.

It runs natively and in a browser's Python: their hashes must be equal.
"""

import hashlib
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict
from functools import partial
from itertools import product

import gamefast
from gamefast import mcts_search
from gamelib import GameState
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import centre_first, lines_heuristic, open_lines, preferred, windows_heuristic

Search = Callable[[], object]

BOARDS = [
    TicTacToe(),
    TicTacToe(2, 3, 2),
    TicTacToe(4, 4, 3),
    TicTacToe(3, 5, 4),
    TicTacToe(5, 6, 4),
    ConnectFour(),
    ConnectFour(4, 4, 3),
    ConnectFour(5, 5, 4),
    ConnectFour(7, 8, 4),  # all 64 bits
    ConnectFour(5, 9, 5),
]
HEAPS = [Nim((1, 3, 5, 7)), Nim((3, 4, 5), 2), Nim((2, 2, 3), None, True), Nim((9, 8, 7, 6))]
MANY = [TicTacToe(3, 3, 3, 3), TicTacToe(4, 4, 3, 4), Nim((1, 2, 3), num_players=3)]
HEURISTICS = [None, open_lines, lines_heuristic(), windows_heuristic()]


def later(state: GameState, plies: int, seed: int) -> GameState:
    """Return a position some plies later that is not over."""
    rng = random.Random(seed)
    for _ in range(plies):
        following = state.successor(rng.choice(state.legal_actions()))
        state = state if following.is_terminal() else following
    return state


def trees() -> Iterator[Search]:
    """Yield searches by minimax and alpha-beta with all their options."""
    for i, board in enumerate(BOARDS):
        for plies, evaluate, quick in product((0, 5), HEURISTICS, (False, True)):
            options = {"evaluate": evaluate, "quick_wins": quick}
            state = later(board, plies, i)
            yield partial(gamefast.minimax, state, depth=3, **options)
            order = [None, centre_first, preferred(*reversed(state.legal_actions()))][plies % 3]
            flags = {"strict": quick, "all_best": plies == 0}
            yield partial(gamefast.alphabeta, state, depth=4, order=order, **flags, **options)
    yield partial(gamefast.minimax, TicTacToe())
    yield partial(gamefast.alphabeta, ConnectFour(), depth=10)
    yield partial(gamefast.alphabeta, TicTacToe(3, 4, 4))  # its line has 12 actions


def samples() -> Iterator[Search]:
    """Yield searches by MCTS: with proofs, with shared nodes, for many players."""
    for i, state in enumerate([*BOARDS, *HEAPS, *MANY]):
        for solver, share, c in product((False, True), (False, True), (2**0.5, 0.3)):
            options = {"solver": solver, "share": share, "c": c}
            yield partial(gamefast.mcts, later(state, i % 4, i), simulations=700, rng=i, **options)
    for seed in range(3):
        yield partial(gamefast.mcts, ConnectFour(), simulations=30_000, rng=seed)
        yield partial(grown, ConnectFour(), simulations=9_000, rng=seed, share=True)


def grown(state: GameState, **options: object) -> object:
    """Return what MCTS finds where the room for its tree does not suffice."""
    usual, mcts_search.FIRST_NODES = mcts_search.FIRST_NODES, 1 << 10
    try:
        return gamefast.mcts(state, **options)
    finally:
        mcts_search.FIRST_NODES = usual


def exact() -> Iterator[Search]:
    """Yield searches for exact values."""
    for i, state in enumerate([ConnectFour(4, 4, 3), ConnectFour(4, 5, 4), *HEAPS]):
        for only_value in (False, True):
            yield partial(gamefast.solve, later(state, i % 3, i), only_value=only_value)
    for seed in range(12):
        yield partial(gamefast.solve, later(ConnectFour(), 22, seed))
        yield partial(gamefast.solve, later(ConnectFour(7, 6, 4), 24, seed), only_value=True)


def found(search: Search) -> str:
    """Return all that a search finds, but the time that it took."""
    return repr({**asdict(search()), "seconds": 0})


def hashes() -> dict[str, tuple[int, str]]:
    """Return, for each kind of search, how many there were, and the hash of what they found."""
    answers = {}
    for kind in (trees, samples, exact):
        texts = [found(search) for search in kind()]
        answers[kind.__name__] = len(texts), hashlib.sha256("\n".join(texts).encode()).hexdigest()
    return answers


if __name__ == "__main__":
    print(json.dumps(hashes()))
