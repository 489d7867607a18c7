"""Reference solutions of the exercises of notebook 05."""

from collections.abc import Sequence

from course.lessons.solver.check import Pair
from gamelib.games import nim_sum
from gamelib.state import GameState


def wins(state: GameState) -> bool:
    """Return whether the player to move at Nim can force a win."""
    if state.is_terminal():
        return False  # the opponent took the last stone
    after = [wins(state.successor(action)) for action in state.legal_actions()]
    return not all(after)


def proven(player: str, children: Sequence[str]) -> str:
    """Return the proven result of a node where `player` moves, from those of its children.

    `player` is "X" or "O"; a result is "X wins", "O wins", "draw" or "unknown".
    """
    wins, loses = ("X wins", "O wins") if player == "X" else ("O wins", "X wins")
    if wins in children:
        return wins
    if "unknown" in children:
        return "unknown"
    return "draw" if "draw" in children else loses


def nim_move(heaps: Sequence[int]) -> tuple[int, int]:
    """Return a (heap, take) that leaves a nim-sum of 0; ValueError if there is none."""
    total = nim_sum(heaps)
    for heap, size in enumerate(heaps):
        if size ^ total < size:
            return heap, size - (size ^ total)
    raise ValueError(f"the nim-sum of {heaps} is 0: every action loses")


def proven_bounds(player: str, children: Sequence[Pair]) -> Pair:
    """Return (at least, at most) for a node where `player` moves, X or O, from its children's.

    All bounds are for X's payoff.
    """
    choose = max if player == "X" else min
    return choose(low for low, _ in children), choose(high for _, high in children)
