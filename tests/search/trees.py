"""Random trees and positions for the tests of searches, and their values by short programs."""

import random
import zlib
from functools import cache
from itertools import product
from unittest import mock

from gamelib import GameTree


class InOrder(random.Random):
    """Draws the first of what is left, always."""

    def random(self):
        return 0.0


def random_tree(rng, depth=5):
    """Return a random tree: many ties, any payoffs, players who move twice in a row."""
    players = rng.choice([None, (0, 1), (1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 0, 0), (0,)])
    payoffs = rng.choice([(-1, 0, 1), (0, 1), range(-9, 10), (-0.25, 0.5, 1e-9, 7.5)])
    return GameTree(_branches(rng, depth, payoffs), players)


def _branches(rng, depth, payoffs):
    return [
        rng.choice(payoffs)
        if depth == 1 or rng.random() < 0.25
        else _branches(rng, depth - 1, payoffs)
        for _ in range(rng.randint(1, 4))
    ]


def random_position(game, rng, low, high):
    """Return a position that is not over, `low` to `high` random plies after `game`."""
    while True:
        state = game
        for _ in range(rng.randint(low, high)):
            state = state.successor(rng.choice(state.legal_actions()))
            if state.is_terminal():
                break
        else:
            return state


@cache
def reachable(state):
    """Return `state` and every position after it that is not over, those of few plies first."""
    found, seen = [state], {state}
    for position in found:  # grows while it is read
        for child in map(position.successor, position.legal_actions()):
            if child not in seen and not child.is_terminal():
                seen.add(child)
                found.append(child)
    return found


def visited(search, state, **options):
    """Return the positions that a search visits, in order: `state` and the successors it makes."""
    made, plain = [state], type(state).successor

    def successor(self, action):
        made.append(plain(self, action))
        return made[-1]

    with mock.patch.object(type(state), "successor", successor):
        search(state, **options)
    return made


def true_value(state, player, known):
    """Return the value of `state` for `player`; the dict `known` remembers those for player 0."""
    if state not in known:
        if state.is_terminal():
            known[state] = state.utilities()[0]
        else:
            best = max if state.current_player == 0 else min
            children = map(state.successor, state.legal_actions())
            known[state] = best(true_value(child, 0, known) for child in children)
    return known[state] if player == 0 else -known[state]


def true_values(state, known):
    """Return the value of each action, for the player to move."""
    return {
        action: true_value(state.successor(action), state.current_player, known)
        for action in state.legal_actions()
    }


_exact = {}


def exact_value(state):
    """Return the value of `state` for the player to move, remembered."""
    return true_value(state, state.current_player, _exact)


def optimal_actions(state):
    """Return the actions that keep the value of `state`."""
    values = true_values(state, _exact)
    return tuple(action for action, value in values.items() if value == max(values.values()))


@cache
def all_backed_up(state):
    """Return every vector of MaxN that some choice among equals at every node leads to."""
    if state.is_terminal():
        return {state.utilities()}
    mover, found = state.current_player, set()
    for vectors in product(*(all_backed_up(state.successor(a)) for a in state.legal_actions())):
        best = max(vector[mover] for vector in vectors)
        found |= {vector for vector in vectors if vector[mover] == best}
    return found


@cache
def security_value(state, me):
    """Return what the player `me` is sure of, whatever the others do."""
    if state.is_terminal():
        return state.utility(me)
    choose = max if state.current_player == me else min
    return choose(security_value(state.successor(a), me) for a in state.legal_actions())


def arbitrary(state, player):
    """Return a heuristic value without rhyme or reason: neither symmetric nor antisymmetric."""
    return (zlib.crc32(f"{state!r} {player}".encode()) % 13 - 6) / 10
