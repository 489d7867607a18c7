"""The readable tier: alpha-beta beside numpy boards and OpenSpiel, all on the same trees."""

from __future__ import annotations

from math import inf

from benchmarks.numpy_boards import AnyLine, LineByLine, OneProduct
from benchmarks.side_by_side import Peer, compare
from gamelib import ConnectFour, TicTacToe, alphabeta


def gamelib_peer(state, depth=None) -> Peer:
    def run():
        result = alphabeta(state, depth=depth)
        return result.value, result.stats.nodes

    return Peer("gamelib alphabeta", run)


def numpy_alphabeta(start):
    """Return (value for player 1, nodes) by the shortest alpha-beta that counts its nodes."""
    nodes = 0

    def value(state, alpha, beta):
        nonlocal nodes
        nodes += 1
        if winner := state.winner():
            return winner
        best = -inf * state.player
        for action in state.actions():
            child = value(state.play(action), alpha, beta)
            if state.player == 1:
                best = max(best, child)
                alpha = max(alpha, best)
            else:
                best = min(best, child)
                beta = min(beta, best)
            if beta <= alpha:
                break
        return 0 if abs(best) == inf else best

    return value(start, -inf, inf), nodes


def open_spiel_peers(game: str, nodes: int, depth: int = 30) -> list[Peer]:
    """Return OpenSpiel's own alpha-beta in Python; none where OpenSpiel is not installed.

    It does not count, so it is told the nodes: it cuts on equality and goes from left to right, as
    here, and so walks the same tree.
    """
    try:
        import pyspiel
        from open_spiel.python.algorithms.minimax import alpha_beta_search
    except ImportError:
        return []
    loaded = pyspiel.load_game(game)

    def run():
        value, _ = alpha_beta_search(loaded, value_function=lambda _: 0, maximum_depth=depth)
        return value, nodes

    return [Peer("OpenSpiel alpha_beta_search", run)]


def numpy_peer(name: str, game: type[AnyLine]) -> Peer:
    return Peer(name, lambda: numpy_alphabeta(game()))


def main() -> None:
    compare(
        "Alpha-beta on tic-tac-toe",
        "node",
        [
            gamelib_peer(TicTacToe()),
            numpy_peer("numpy, all() line by line", LineByLine),
            numpy_peer("numpy, all() of all rows at once", AnyLine),
            numpy_peer("numpy, one matrix product", OneProduct),
            *open_spiel_peers("tic_tac_toe", 18_297),
        ],
    )
    compare(
        "Alpha-beta on Connect Four, depth 8",
        "node",
        [gamelib_peer(ConnectFour(), 8), *open_spiel_peers("connect_four", 12_574, 8)],
        rounds=20,
    )


if __name__ == "__main__":
    main()
