"""Variants of alpha-beta for labs 3B and 3C, for two players who move in turn."""

from math import inf

from gamelib.state import Action, GameState


def fair_choice(state: GameState) -> list[Action]:
    """Return all best actions, for an agent that chooses one at random."""
    scores = {}
    alpha = -inf
    for action in state.legal_actions():
        scores[action] = -_window_value(state.successor(action), -inf, -alpha)
        alpha = max(alpha, scores[action])
    return [action for action, score in scores.items() if score == alpha]


def _window_value(state: GameState, alpha: float, beta: float) -> float:
    """Return the value for the player to move, or a bound on it outside alpha to beta."""
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        best = max(best, -_window_value(state.successor(action), -beta, -max(alpha, best)))
        if best >= beta:
            break
    return best


def remembered_value(state: GameState) -> float:
    """Return the value for the player to move, by alpha-beta that visits no position twice."""
    table: dict[GameState, float] = {}

    def value(state: GameState, alpha: float, beta: float) -> float:
        if state in table:
            return table[state]
        if state.is_terminal():
            return state.utility(state.current_player)
        best = -inf
        for action in state.legal_actions():
            best = max(best, -value(state.successor(action), -beta, -max(alpha, best)))
            if best >= beta:
                break
        table[state] = best
        return best

    return value(state, -inf, inf)
