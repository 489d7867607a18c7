"""Plays the first legal action."""


def agent(state):
    return state.legal_actions()[0]
