"""The agents of a board: MCTS keeps what it knows of a game."""

import pytest

from course.widgets.agent_choices import GameFollowingMcts
from gamelib import ConnectFour, EinStein, GameState, Nim, TicTacToe

BUDGET = 300


def visits(agent: GameFollowingMcts, state: GameState) -> int:
    return sum((agent(state, simulations=BUDGET).visits or {}).values())


@pytest.mark.parametrize(
    "state", [ConnectFour(), TicTacToe(num_players=3), Nim((3, 4, 5))], ids=repr
)
def test_mcts_agent_keeps_visits_of_its_last_search(state):
    agent = GameFollowingMcts()
    chosen = agent(state, simulations=5000)
    for _ in range(state.num_players):
        state = state.successor(chosen.action)
        chosen = GameFollowingMcts()(state, simulations=BUDGET)  # a likely reply
    assert visits(agent, state) > BUDGET


@pytest.mark.parametrize("before", [TicTacToe().play(4, 0), TicTacToe(4, 4, 4)], ids=repr)
def test_mcts_agent_begins_anew_in_another_game(before):
    agent = GameFollowingMcts()
    agent(before, simulations=BUDGET)
    assert visits(agent, TicTacToe()) == BUDGET


def test_mcts_agent_does_not_know_the_other_seat():
    agent, state = GameFollowingMcts(), TicTacToe()
    played = agent(state, simulations=BUDGET)
    assert visits(agent, state.successor(played.action)) == BUDGET


def test_mcts_agent_plays_with_dice():
    agent, state = GameFollowingMcts(), EinStein()
    state = state.successor(state.legal_actions()[0]) if state.current_player < 0 else state
    assert agent(state, simulations=20).action in state.legal_actions()
