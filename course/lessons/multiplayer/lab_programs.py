"""Searches for three and more players, for the labs of notebook 06."""

from gamelib.state import Action, GameState


def proud_paranoid(state: GameState) -> Action:
    """Return the action that the others together can harm least.  It plays to win."""
    me = state.current_player

    def value(state: GameState) -> float:
        if state.is_terminal():
            return 1 if state.utility(me) == 1 else -1
        choose = max if state.current_player == me else min
        return choose(value(state.successor(action)) for action in state.legal_actions())

    return max(state.legal_actions(), key=lambda action: value(state.successor(action)))


def proof(state: GameState) -> str:
    """Return what is proven for the player to move: "win", "draw" or "loss".

    A reply that leaves the next player lost is a win.
    """
    if state.is_terminal():
        payoff = state.utility(state.current_player)
        return "win" if payoff > 0 else "draw" if payoff == 0 else "loss"
    replies = [proof(state.successor(action)) for action in state.legal_actions()]
    if "loss" in replies:
        return "win"
    return "draw" if "draw" in replies else "loss"
