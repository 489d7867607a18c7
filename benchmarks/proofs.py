"""What proofs do to the choices of MCTS: the share of optimal ones, with proofs and without.

Every position is searched with the same seeds both ways.  The interval of a difference is that of
its mean over all positions (1.96 standard errors): over other positions of the kind, not only over
other seeds.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from random import Random
from statistics import mean, stdev

import gamefast
from gamelib import ConnectFour, GameState, TicTacToe

SEEDS = 40
Puzzle = tuple[GameState, set[object]]  # a position and the optimal actions


def puzzles(states: Iterator[GameState], most: int) -> list[Puzzle]:
    """Return so many positions in which an action can be wrong, each once."""
    found: dict[GameState, set[object]] = {}
    for state in states:
        if not state.is_terminal() and state not in found:
            solved = gamefast.solve(state)
            best = {a for a, value in solved.values.items() if value.value == solved.value}
            if len(best) < len(state.legal_actions()):
                found[state] = best
        if len(found) == most:
            break
    return list(found.items())


def after_random_plies(start: GameState, least: int, most: int, seed: int) -> Iterator[GameState]:
    """Yield positions after so many random actions, without end."""
    rng = Random(seed)
    while True:
        state = start
        for _ in range(rng.randint(least, most)):
            if not state.is_terminal():
                state = state.successor(rng.choice(list(state.legal_actions())))
        yield state


def early_tic_tac_toe() -> Iterator[GameState]:
    """Yield all positions after one to four plies."""
    level: set[GameState] = {TicTacToe()}
    for _ in range(4):
        level = {state.successor(action) for state in level for action in state.legal_actions()}
        yield from sorted(level, key=str)


def shares(puzzles: list[Puzzle], simulations: int, solver: bool, seeds: int) -> list[float]:
    """Return of each position the share of searches that choose an optimal action."""
    return [
        mean(
            gamefast.mcts(state, simulations=simulations, solver=solver, rng=seed).action in best
            for seed in range(1000 * place, 1000 * place + seeds)
        )
        for place, (state, best) in enumerate(puzzles)
    ]


def interval(puzzles: list[Puzzle], differences: list[float], seeds: int) -> float:
    """Return 1.96 standard errors: over positions, or over seeds where there is one position."""
    if len(puzzles) > 1:
        return 1.96 * stdev(differences) / sqrt(len(puzzles))
    return 1.96 * sqrt(0.5 / seeds)  # at most: two shares, each of variance 1/4 or less


def main() -> None:
    corner: list[Puzzle] = [(TicTacToe().play(0), {4})]
    board = ConnectFour()
    kinds = {
        "X in a corner": (corner, 100 * SEEDS),
        "early tic-tac-toe": (puzzles(early_tic_tac_toe(), 10_000), SEEDS // 8),
        "Connect Four, 8 to 14": (puzzles(after_random_plies(board, 8, 14, 2026), 300), SEEDS // 2),
        "Connect Four, 18 to 28": (
            puzzles(after_random_plies(board, 18, 28, 2027), 300),
            SEEDS // 4,
        ),
    }
    print(f"{'':24}{'positions':>9}{'simulations':>12}{'without':>9}{'with':>8}  difference")
    for name, (found, seeds) in kinds.items():
        for simulations in (100, 300, 750, 1000, 3000):
            without, proofs = (shares(found, simulations, on, seeds) for on in (False, True))
            gains = [b - a for a, b in zip(without, proofs, strict=True)]
            print(
                f"{name:24}{len(found):9,}{simulations:12,}{mean(without):9.4f}{mean(proofs):8.4f}"
                f"  {mean(gains):+.4f} ± {interval(found, gains, seeds):.4f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
