"""MCTS beside OpenSpiel's: simulations a second, and simulations until a position is proven."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time

from gamelib import ConnectFour, GameState, Nim, TicTacToe, mcts

GAMES: dict[str, tuple[GameState, str]] = {
    "tic-tac-toe": (TicTacToe(), "tic_tac_toe"),
    "Connect Four": (ConnectFour(), "connect_four"),
}

PROOFS: dict[str, tuple[GameState, bool]] = {
    "tic-tac-toe": (TicTacToe(), False),
    "tic-tac-toe, equal positions shared": (TicTacToe(), True),
    "Nim 3 4 5": (Nim((3, 4, 5)), False),
    "Nim 3 4 5, equal positions shared": (Nim((3, 4, 5)), True),
    "Nim 1 3 5 7, equal positions shared": (Nim((1, 3, 5, 7)), True),
}


def open_spiel_search(
    game: str, simulations: int, solve: bool = True
) -> Callable[[], object] | None:
    """Return one search by OpenSpiel's MCTS in Python; None where OpenSpiel is not installed.

    Its payoffs are -1 to +1, ours 0 to 1: to explore as much, its c is twice as large.
    """
    try:
        import numpy as np
        import pyspiel
        from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator
    except ImportError:
        return None
    rng = np.random.RandomState(1)
    loaded = pyspiel.load_game(game)
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=rng)
    bot = MCTSBot(loaded, 2 * 2**0.5, simulations, evaluator, solve=solve, random_state=rng)
    return lambda: bot.mcts_search(loaded.new_initial_state())


def rates(name: str, simulations: int = 2000, rounds: int = 5) -> dict[str, float]:
    """Return the simulations a second of each search from the initial position, at its fastest.

    The searches take turns, so that a slow spell of the machine hits all of them alike.
    """
    state, game = GAMES[name]
    searches: dict[str, Callable[[], object] | None] = {
        "gamelib": lambda: mcts(state, simulations=simulations, rng=1),
        "gamelib, with proofs": lambda: mcts(state, simulations=simulations, rng=1, solver=True),
        "OpenSpiel, Python": open_spiel_search(game, simulations),
    }
    fastest: dict[str, float] = {}
    for _ in range(rounds):
        for label, search in searches.items():
            if search:
                started = process_time()
                search()
                rate = simulations / (process_time() - started)
                fastest[label] = max(rate, fastest.get(label, 0))
    return fastest


def simulations_to_prove(seeds: int = 5) -> dict[str, list[int | None]]:
    """Return how many simulations prove each position, by seed; None if 100,000 do not."""
    found: dict[str, list[int | None]] = {}
    for name, (state, share) in PROOFS.items():
        results = [
            mcts(state, simulations=100_000, rng=seed, solver=True, share=share)
            for seed in range(seeds)
        ]
        found[name] = [r.stats.simulations if r.utilities else None for r in results]
    return found


def main() -> None:
    for name in GAMES:
        measured = rates(name)
        print(f"{name:36} {'simulations/s':>14}")
        for label, rate in measured.items():
            times = f"  gamelib has {measured['gamelib'] / rate:.1f} times as many"
            print(f"{label:36} {rate:14,.0f}{times if label.startswith('Open') else ''}")
        print()
    print("Simulations until the position is proven, by seed")
    for name, counts in simulations_to_prove().items():
        print(f"{name:36} {' '.join(f'{n:>7,}' if n else '   none' for n in counts)}")


if __name__ == "__main__":
    main()
