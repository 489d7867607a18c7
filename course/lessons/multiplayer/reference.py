"""Reference solutions of the exercises of notebook 06."""

from collections.abc import Sequence
from math import inf
from typing import Any

from course.lessons.multiplayer.check import Rule, Vector
from gamelib.state import GameState


def my_vector(state: GameState) -> Vector:
    """Return the payoffs, one for each player, if everybody maximizes their own."""
    if state.is_terminal():
        return state.utilities()
    vectors = [my_vector(state.successor(action)) for action in state.legal_actions()]
    return max(vectors, key=lambda payoffs: payoffs[state.current_player])


def limited_maxn(state: GameState, depth: int) -> Vector:
    """Return the payoffs that MaxN backs up from `depth` plies; 0 for all at the depth limit."""
    if state.is_terminal():
        return state.utilities()
    if depth == 0:
        return (0,) * state.num_players
    vectors = [limited_maxn(state.successor(a), depth - 1) for a in state.legal_actions()]
    return max(vectors, key=lambda vector: vector[state.current_player])


def sure_value(state: GameState, player: int, alpha: float = -inf, beta: float = inf) -> float:
    """Return the guaranteed payoff of `player` against all others, with cuts on beta <= alpha."""
    if state.is_terminal():
        return state.utility(player)
    mine = state.current_player == player
    best = -inf if mine else inf
    for action in state.legal_actions():
        found = sure_value(state.successor(action), player, alpha, beta)
        best = max(best, found) if mine else min(best, found)
        alpha, beta = (max(alpha, best), beta) if mine else (alpha, min(beta, best))
        if beta <= alpha:
            break
    return best


def tie_test(rule: Rule) -> bool:
    """Return whether a rule hurts the leader: the reference solution of the second part."""
    return (
        rule((9, 4, 4), 0) > rule((9, 6, 1), 0)
        and rule((3, 9, 8), 1) > rule((9, 9, 0), 1)
        and rule((5, 2, 9), 2) == rule((1, 5, 9), 2)
    )


def schedule(agents: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return all orders of the agents, in which seats and neighbours are equally frequent."""
    from itertools import permutations  # here, so that the solution is complete

    return list(permutations(agents))
