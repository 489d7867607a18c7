"""Plays anything."""

import random


def agent(state):
    return random.choice(state.legal_actions())
