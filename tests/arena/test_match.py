import json
import random
import re
import sys
from collections import namedtuple
from copy import deepcopy
from dataclasses import dataclass

import numpy
import pytest
from agent_fixtures import first

from arena import ForfeitError, GameRecord
from arena.play.match import forfeit_utilities, play_job
from arena.results.schedule import Job
from gamelib import GameState, IllegalActionError, SearchAgent, play_game, random_agent
from gamelib.agents import snapshot
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import mcts, minimax
from gamelib.state import BrokenRuleError
from tests.messages import names

JOB = Job(game=0, seats=(0, 1), seed=7)


def chance(state):
    return random.choice(state.legal_actions())


# The record of a game


def test_record_counts_equal_search_counts():
    state = Nim((1, 2))
    record = play_job(JOB, [SearchAgent(minimax), SearchAgent(mcts, simulations=20)], state)
    positions = [state.play(*record.actions[:ply]) for ply in range(0, len(record.actions), 2)]
    nodes = sum(minimax(position).stats.nodes for position in positions)
    assert record.counts[0] == {"moves": len(positions), "nodes": nodes, "simulations": 0}
    replies = len(record.actions) - len(positions)
    assert record.counts[1] == {"moves": replies, "nodes": 0, "simulations": 20 * replies}


def test_action_without_json_is_stored_as_text():
    class Letters(Nim):
        def legal_actions(self):
            return [frozenset({"all"})] if any(self.heaps) else []

        def successor(self, action):
            return Nim((0,))

    record = play_job(JOB, [first, first], Letters((1,)))
    assert record.actions == ("frozenset({'all'})",)


# Chance


@pytest.mark.parametrize("agent", [chance, SearchAgent(mcts, simulations=10), random_agent()])
def test_same_seed_plays_same_game(agent):
    def game(seed):
        return play_job(Job(0, (0, 1), seed), [agent, agent], ConnectFour()).actions

    assert game(1) == game(1)
    assert len({game(seed) for seed in range(5)}) == 5


def test_game_restores_global_random_state():
    random.seed(3)
    expected = random.random()
    random.seed(3)
    play_job(JOB, [chance, chance], TicTacToe())
    assert random.random() == expected


# Forfeits


def raises(state):
    raise KeyError("no such cell")


def recurses(state):
    return recurses(state)


def interrupts(state):
    raise KeyboardInterrupt


def gives_up(state):
    raise ForfeitError("took more than 10 seconds")


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (raises, "raised KeyError: 'no such cell'"),
        (recurses, "raised RecursionError: maximum recursion depth exceeded"),
        (gives_up, "took more than 10 seconds"),
        (lambda state: sys.exit(3), "called sys.exit"),
        (lambda state: next((_ for _ in ()).throw(GeneratorExit)), "raised GeneratorExit"),
        (lambda state: 99, "returned 99: an action is a cell, an int from 0 to 8; got 99"),
        (lambda state: [4], r"returned \[4\]"),
    ],
)
@pytest.mark.parametrize("player", [0, 1])
def test_offender_forfeits_and_opponent_wins(broken, reason, player):
    agents = [first, first]
    agents[player] = broken
    record = play_job(JOB, agents, TicTacToe())
    assert record.forfeit.player == player
    assert re.match(reason, record.forfeit.reason)
    assert record.utilities == ((-1, 1) if player == 0 else (1, -1))
    assert record.actions == ((0,) if player else ())


def test_only_offender_loses_with_three_players():
    record = play_job(Job(0, (0, 1, 2), 7), [first, raises, first], TicTacToe(3, 3, 3, 3))
    assert (record.utilities, record.forfeit.player) == ((0, -1, 0), 1)
    assert forfeit_utilities(2, 4) == (0, 0, -1, 0)


def plays_both_sides(state):
    """Play an action for the other player, by a change of the state."""
    state.current_player = 1 - state.current_player
    return state.legal_actions()[0]


def wins_by_decree(state):
    state._mine, state.winner = 7, state.current_player
    return state.legal_actions()[0]


class Listed(GameState):
    """A game as a student writes it: the board is a list, and nothing is frozen."""

    num_players = 2

    def __init__(self, taken=(), current_player=0):
        self.taken, self.current_player = list(taken), current_player

    def legal_actions(self):
        return [action for action in range(3) if action not in self.taken]

    def successor(self, action):
        if action not in self.legal_actions():
            raise IllegalActionError(action)
        return Listed([*self.taken, action], 1 - self.current_player)

    def is_terminal(self):
        return len(self.taken) == 3

    def utilities(self):
        return (1, -1)


def takes_on_the_board(state):
    state.taken.append(state.legal_actions()[-1])
    return state.legal_actions()[0]


def takes_the_board_away(state):
    action = state.legal_actions()[0]
    del state.taken
    return action


@pytest.mark.parametrize(
    ("agent", "state"),
    [
        (plays_both_sides, TicTacToe()),
        (plays_both_sides, Listed()),
        (wins_by_decree, TicTacToe()),
        (takes_on_the_board, Listed()),
        (takes_the_board_away, Listed()),
    ],
)
@pytest.mark.parametrize("player", [0, 1])
def test_agent_changing_the_state_forfeits(agent, state, player):
    before = snapshot(state)
    agents = [agent, first] if player == 0 else [first, agent]
    record = play_job(JOB, agents, state)
    assert record.forfeit.player == player
    assert record.forfeit.reason.startswith("changed the position that it was given")
    assert record.utilities[player] == -1
    assert snapshot(state) == before  # the next game begins with it
    with pytest.raises(ValueError, match=f"{agent.__name__}, player {player}.* changed"):
        play_game(*agents, state=deepcopy(state))


def test_caching_state_does_not_count_as_changed():
    class Remembers(Listed):
        def legal_actions(self):
            self.asked = getattr(self, "asked", 0) + 1
            return super().legal_actions()

    assert play_job(JOB, [first, first], Remembers()).forfeit is None


def test_tuple_and_frozen_states_are_copied():
    class Pair(namedtuple("Pair", "left current_player"), GameState):
        num_players = 2

        def legal_actions(self):
            return (1,) if self.left else ()

        def successor(self, action):
            return Pair(self.left - 1, 1 - self.current_player)

        def is_terminal(self):
            return not self.left

        def utilities(self):
            return (1, -1)

    @dataclass(frozen=True, slots=True)
    class Frozen(GameState):
        left: int = 3
        current_player: int = 0
        num_players = 2
        legal_actions, is_terminal = Pair.legal_actions, Pair.is_terminal
        utilities = Pair.utilities

        def successor(self, action):
            return Frozen(self.left - 1, 1 - self.current_player)

    for state in (Pair(3, 0), Frozen()):
        assert len(play_job(JOB, [first, first], state).actions) == 3


@pytest.mark.parametrize("state", [TicTacToe(), Nim((1, 2))])
def test_agent_may_return_numpy_numbers(state):
    def by_numpy(state):
        return numpy.random.default_rng(0).choice(state.legal_actions())

    record = play_job(JOB, [by_numpy, by_numpy], state)
    assert record.forfeit is None
    assert GameRecord.from_json(json.loads(json.dumps(record.to_json()))) == record
    assert play_game(by_numpy, by_numpy, state=state).actions == record.actions


class Endless(Listed):
    def successor(self, action):
        return Endless(self.taken, 1 - self.current_player)


class Broken(TicTacToe):
    def successor(self, action):
        raise ZeroDivisionError("the game's own mistake")


@pytest.mark.parametrize(
    ("agent", "state", "error", "message"),
    [
        (interrupts, TicTacToe(), KeyboardInterrupt, ""),
        (first, Broken(), ZeroDivisionError, "own mistake"),
        (first, Endless(), BrokenRuleError, "a game is not over after 10,000 actions"),
    ],
)
def test_errors_of_game_propagate(agent, state, error, message):
    with pytest.raises(error, match=names(message)):
        play_job(JOB, [first, agent], state)


def test_numpy_payoffs_can_be_stored():
    class Counted(TicTacToe):
        def utilities(self):
            return tuple(numpy.array(super().utilities()))

    record = play_job(JOB, [first, first], Counted())
    assert json.dumps(record.utilities) == "[1, -1]"
