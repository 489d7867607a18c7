import pytest

from course.widgets import seats
from course.widgets.oracle import affordable_depth
from course.widgets.play_board import Seats
from course.widgets.seats import Limited, opponents
from gamelib import (
    ConnectFour,
    Nim,
    SearchAgent,
    TicTacToe,
    alphabeta,
    lookahead_agent,
    maxn,
    mcts,
    random_agent,
)
from gamelib.search import minimax


@pytest.mark.parametrize(
    ("state", "nodes", "depth"),
    [
        (ConnectFour(), 400, 3),  # 1 + 7 + 49 + 343 nodes
        (ConnectFour(), 399, 2),
        (TicTacToe(), 585, 2),
        (TicTacToe(), 586, 3),
        (TicTacToe(), 1_000_000, None),  # 549,946 nodes are all of it
        (Nim((1, 2, 3)), 100_000, None),
        (TicTacToe(4, 4, 4), 3, 1),  # never less than one
    ],
)
def test_the_depth_is_the_largest_that_the_nodes_allow(state, nodes, depth) -> None:
    assert affordable_depth(state, nodes) == depth


def test_a_search_within_so_many_nodes_visits_no_more(monkeypatch) -> None:
    monkeypatch.setattr(seats, "NODES", 3000)
    monkeypatch.setattr(seats, "FAST_NODES", 3000)
    assert Limited(minimax)(ConnectFour()).stats.nodes == 2801


def seats_of(state, agents=None):
    chosen = []
    agents = agents or dict.fromkeys(range(state.num_players))
    seats = Seats(state, agents, lambda player, agent: chosen.append((player, agent)))
    return seats, chosen


@pytest.mark.parametrize(
    ("agent", "strength", "offered"),
    [
        (None, None, False),
        (random_agent(), None, False),
        (SearchAgent(mcts, simulations=500, rng=0), "500 simulations", True),
        (SearchAgent(mcts, seconds=1), "1 s", True),
        (SearchAgent(maxn, depth=4), "depth 4", True),
    ],
)
def test_the_strength_of_an_agent_that_was_given_is_shown(agent, strength, offered) -> None:
    seats, _ = seats_of(TicTacToe(), {0: None, 1: agent})
    assert seats.strengths[1].value == strength
    assert (seats.strengths[1].layout.display == "") == offered


def test_another_strength_is_another_agent_under_the_same_name() -> None:
    agent = SearchAgent(mcts, simulations=500, c=0.5)
    seats, chosen = seats_of(TicTacToe(), {0: None, 1: agent})
    seats.strengths[1].value = "2 s"
    ((player, other),) = chosen
    assert (player, other.name) == (1, "mcts, 2 s")
    assert other.options == {"simulations": None, "seconds": 2, "c": 0.5}
    assert agent.options["simulations"] == 500
    seats.show({0: other, 1: other})
    assert [choice.value for choice in seats.lists] == ["MCTS", "MCTS"]
    assert seats._names["MCTS"] is agent


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (SearchAgent(mcts, seconds=1), "MCTS"),
        (lookahead_agent(), "look-ahead"),
        (SearchAgent(alphabeta, depth=2), "alpha-beta"),
    ],
)
def test_who_is_given_sits_in_the_place_of_the_usual_one(agent, name) -> None:
    seats, _ = seats_of(ConnectFour(), {0: None, 1: agent})
    assert seats.lists[1].value == name
    assert seats.lists[1].options == tuple(opponents(ConnectFour()))
