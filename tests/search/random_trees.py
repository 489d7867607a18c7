"""Random trees and positions for the tests of searches, and their values by short programs."""

import random
import zlib
from functools import cache
from itertools import product
from unittest import mock

from hypothesis import strategies as st

from gamelib import SEARCHES, GameTree
from gamelib.search.registry import search_info

NO_CHANCE = [search for search in SEARCHES.values() if not search_info(search).chance]


class InOrder(random.Random):
    """A source of chance that always draws the first remaining item."""

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


def games_of_three(leaves):
    """Random trees of three players, who move in turn or in any other rhythm."""
    nodes = st.recursive(
        leaves, lambda child: st.lists(child, min_size=1, max_size=3), max_leaves=24
    )
    turns = st.lists(st.integers(0, 2), min_size=1, max_size=4)
    return st.builds(
        GameTree, nodes.filter(lambda tree: isinstance(tree, list)), players=st.none() | turns
    )


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


def positions_of(starts, most_plies):
    """Positions that are not terminal, after at most a number of random plies."""
    randoms = st.randoms(use_true_random=False)
    return st.builds(
        random_position, st.sampled_from(starts), randoms, st.just(0), st.just(most_plies)
    )


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


def one_of_each(states):
    """Return one of the positions that are images of each other, chosen at random.

    A search meets the images anyway, below the positions from which it begins.
    """
    shuffled = random.Random(0).sample(states, len(states))
    return list({state.symmetry_key(): state for state in shuffled}.values())


def visited(search, state, **options):
    """Return the positions that a search visits, in order: `state` and the successors it makes."""
    made, plain = [state], type(state).successor

    def successor(self, action):
        made.append(plain(self, action))
        return made[-1]

    with mock.patch.object(type(state), "successor", successor):
        search(state, **options)
    return made


def true_values(state):
    """Return the value of each action, for the player to move: one of two."""
    mover = state.current_player
    return {a: security_value(state.successor(a), mover) for a in state.legal_actions()}


def check_claims(result, truth):
    """Compare all that a result claims with the values of the actions in a full search."""
    true_values = {action: bound.value for action, bound in truth.values.items()}
    best = max(true_values.values())
    for action, bound in result.values.items():
        claims = {
            "exact": true_values[action] == bound.value,
            "upper": true_values[action] <= bound.value,
            "lower": true_values[action] >= bound.value,
        }
        assert claims.get(bound.kind, True), (action, bound, true_values)
    if result.value is None:
        assert result.best_actions == ()
    elif result.kind == "exact":
        assert result.value == best
    elif result.kind == "lower":
        assert result.value <= best
    for action in result.best_actions:
        assert true_values[action] == best


@cache
def payoff_and_plies(state):
    """Return (payoff for player 0, plies to the end), by trying everything.

    The winner hurries, the loser holds out; in a draw nobody is in a hurry, and the plies are None.
    """
    if state.is_terminal():
        return state.utilities()[0], 0
    answers = [payoff_and_plies(state.successor(action)) for action in state.legal_actions()]
    sign = 1 if state.current_player == 0 else -1

    def preference(answer):
        payoff, plies = answer
        return sign * payoff, 0 if payoff == 0 else -plies if sign * payoff > 0 else plies

    payoff, plies = max(answers, key=preference)
    return payoff, None if payoff == 0 else plies + 1


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
