import json

import pytest

from arena.play.workers import agent_recipe, made, state_recipe
from gamelib import ConnectFour, GameTree, Nim, SearchAgent, TicTacToe, mcts, minimax, random_agent
from gamelib.games import nim_winning_actions


def through_json(recipe):
    return json.loads(json.dumps(recipe))


@pytest.mark.parametrize("agent", [random_agent(), SearchAgent(mcts, simulations=5, solver=True)])
def test_a_search_comes_back_from_its_recipe(agent):
    assert made(through_json(agent_recipe(agent))).name == agent.name


def test_a_function_of_a_module_comes_back_from_its_recipe():
    assert made(through_json(agent_recipe(nim_winning_actions))) is nim_winning_actions


def test_an_agent_can_bring_its_own_recipe():
    class Own:
        recipe = ("builtins:dict", {"a": 1})

    assert made(agent_recipe(Own())) == {"a": 1}


@pytest.mark.parametrize(
    "agent",
    [
        lambda state: 0,
        SearchAgent(minimax, evaluate=lambda state, player: 0),
        SearchAgent(lambda state: minimax(state), "my search"),
        random_agent().search_result,
    ],
)
def test_what_cannot_be_sent_is_an_error_that_says_what_to_do(agent):
    with pytest.raises(TypeError, match=r"cannot be sent to another process: .* workers=1"):
        agent_recipe(agent)


@pytest.mark.parametrize(
    "state",
    [
        Nim((3, 4, 5), misere=True).play((0, 1)),
        TicTacToe(4, 4, 4, 3),
        ConnectFour().play(3, 3),
        GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]]).play(1),
    ],
)
def test_a_position_comes_back_from_its_recipe(state):
    assert made(through_json(state_recipe(state))) == state


def test_a_game_of_a_notebook_cannot_be_sent():
    class MyNim(Nim):
        pass

    with pytest.raises(TypeError, match=r"MyNim cannot be sent .* workers=1"):
        state_recipe(MyNim())
