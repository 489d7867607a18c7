"""The readable tier: minimax on tic-tac-toe beside numpy boards and OpenSpiel.

`python -m benchmarks minimax` takes the game after a first move in the corner, so that a round of
the slow peers lasts seconds; `python -m benchmarks.minimax --full` takes the empty board.
"""

from __future__ import annotations

import sys

import numpy as np

from benchmarks.numpy_boards import AnyLine, CellByCell, LineByLine, OneProduct, SumsOfLines
from benchmarks.numpy_boards import minimax as numpy_minimax
from benchmarks.side_by_side import Peer, compare
from gamelib import SearchResult, TicTacToe, alphabeta, minimax, negamax

PLAYED = () if "--full" in sys.argv else (0,)  # X in a corner


def for_x(result: SearchResult) -> tuple[float, int]:
    """Return (value for X, nodes)."""
    return result.utilities[0], result.stats.nodes


def numpy_peer(name: str, game: type[AnyLine]) -> Peer:
    start = game()
    for cell in PLAYED:
        start = start.play(cell if start.board.ndim == 1 else np.array(divmod(cell, 3)))
    return Peer(name, lambda: numpy_minimax(start))


def open_spiel_peers() -> list[Peer]:
    """Return minimax in Python over OpenSpiel's states; none where OpenSpiel is not installed."""
    try:
        import open_spiel.python.games  # noqa: F401 - registers the games written in Python
        import pyspiel
    except ImportError:
        return []

    def peer(name: str, game: str) -> Peer:
        start = pyspiel.load_game(game).new_initial_state()
        for cell in PLAYED:
            start.apply_action(cell)
        return Peer(name, lambda: open_spiel_minimax(start))

    return [
        peer("OpenSpiel, states in Python (numpy)", "python_tic_tac_toe"),
        peer("OpenSpiel, states in C++", "tic_tac_toe"),
    ]


def open_spiel_minimax(start) -> tuple[float, int]:
    """Return (value for X, nodes) by a search like OpenSpiel's own, which clones every child."""
    nodes = 0

    def value(state):
        nonlocal nodes
        nodes += 1
        if state.is_terminal():
            return state.player_return(0)
        choose = max if state.current_player() == 0 else min
        return choose([value(state.child(action)) for action in state.legal_actions()])

    return value(start), nodes


def alphabeta_peers() -> list[Peer]:
    """Return alpha-beta of gamelib and of OpenSpiel, on the empty board; one work unit each."""
    peers = [Peer("gamelib alphabeta", lambda: (alphabeta(TicTacToe()).value, 1))]
    try:
        import pyspiel
        from open_spiel.python.algorithms.minimax import alpha_beta_search
    except ImportError:
        return peers
    game = pyspiel.load_game("tic_tac_toe")
    return [*peers, Peer("OpenSpiel alpha_beta_search", lambda: (alpha_beta_search(game)[0], 1))]


def main() -> None:
    start = TicTacToe().play(*PLAYED)
    compare(
        "Full minimax on tic-tac-toe",
        "node",
        [
            Peer("gamelib minimax", lambda: for_x(minimax(start))),
            Peer("gamelib negamax", lambda: for_x(negamax(start))),
            numpy_peer("numpy, all() line by line", LineByLine),
            numpy_peer("numpy, all() of all rows at once", AnyLine),
            numpy_peer("numpy, sums of lines", SumsOfLines),
            numpy_peer("numpy, single cells compared", CellByCell),
            numpy_peer("numpy, one matrix product", OneProduct),
            *open_spiel_peers(),
        ],
        rounds=3,
    )
    compare("Alpha-beta on the empty board", "run", alphabeta_peers(), rounds=10)


if __name__ == "__main__":
    main()
