"""An alpha-beta that treats chance nodes like other nodes, for lab 9B."""

from math import inf

from gamelib.state import CHANCE, GameState


def careless_value(state: GameState, player: int, alpha: float = -inf, beta: float = inf) -> float:
    """Return the value of `state` for `player`; outside alpha to beta, a bound on it."""
    if state.is_terminal():
        return state.utility(player)
    if state.current_player == CHANCE:
        return sum(
            chance * careless_value(state.successor(roll), player, alpha, beta)
            for roll, chance in state.chance_outcomes()
        )
    maximizing = state.current_player == player
    best = -inf if maximizing else inf
    for action in state.legal_actions():
        child = careless_value(state.successor(action), player, alpha, beta)
        best = max(best, child) if maximizing else min(best, child)
        if maximizing:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if beta <= alpha:
            break
    return best
