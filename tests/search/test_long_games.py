"""Games that a full search cannot follow to the end: endless ones, and very long ones."""

import sys
from dataclasses import dataclass

import pytest

from gamelib import (
    GameState,
    Nim,
    alphabeta,
    best_reply,
    iterative_deepening,
    maxn,
    mcts,
    minimax,
    negamax,
    paranoid,
    solve,
)
from gamelib.search.limits import TooDeepError
from gamelib.search.mcts import principal_variation
from gamelib.search.tree import Edge, Node


@dataclass(frozen=True)
class Ring(GameState):
    """A walk on a ring of eight places; who comes to place 5 wins."""

    at: int = 0
    current_player: int = 0
    num_players = 2

    def legal_actions(self):
        return () if self.is_terminal() else (-1, 1)

    def successor(self, action):
        return Ring((self.at + action) % 8, 1 - self.current_player)

    def is_terminal(self):
        return self.at == 5

    def utilities(self):
        return (-1, 1) if self.current_player == 0 else (1, -1)


CORRIDOR = Nim((1000,), max_take=1)  # so many plies, with one action each
FULL = [minimax, negamax, alphabeta, maxn, paranoid, best_reply, solve]


@pytest.mark.parametrize("search", FULL, ids=lambda search: search.__name__)
def test_it_says_that_a_line_is_too_long(search):
    with pytest.raises(TooDeepError, match=r"too long for [a-z ]+: a line goes on for more"):
        search(CORRIDOR)


@pytest.mark.parametrize("search", FULL[:-1], ids=lambda search: search.__name__)
def test_with_a_depth_it_is_searched(search):
    assert search(Ring(4), depth=3).value == 1


def test_deepening_keeps_its_best_when_it_cannot_go_deeper():
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(350)  # so that it is soon there
    try:
        result = iterative_deepening(CORRIDOR)
    finally:
        sys.setrecursionlimit(usual)
    assert (result.action, result.stopped) == ((0, 1), True)
    assert result.stats.depth > 100


def test_the_error_of_a_heuristic_that_calls_itself_is_its_own():
    def endless(state, player):
        return endless(state, player)

    with pytest.raises(RecursionError):
        minimax(Ring(), depth=2, evaluate=endless)


def test_the_line_of_mcts_ends_where_a_position_comes_again():
    here, there = Node(Ring(0)), Node(Ring(1))
    for node, other in ((here, there), (there, here)):
        edge = Edge(1, node.player)
        edge.node, edge.visits = other, 1
        node.attach(0, edge)
    assert principal_variation(here) == (1, 1)


def test_mcts_says_that_it_cannot_share_positions_that_come_again():
    with pytest.raises(ValueError, match="share=True needs a game in which no position comes"):
        mcts(Ring(), simulations=1000, share=True, rng=0)


def test_mcts_that_shares_positions_hears_stop():
    with_stop = {"simulations": 10**6, "share": True, "rng": 0}
    assert mcts(Ring(), stop=lambda: True, **with_stop).stopped
