import pytest

from gamelib import IllegalActionError, SearchAgent, lookahead_agent, play_game, random_agent
from gamelib.games import ConnectFour, TicTacToe
from gamelib.search import mcts, minimax
from tests.messages import names


def first(state):
    """Return the first legal action."""
    return state.legal_actions()[0]


# One agent


def test_search_result_returns_the_whole_result():
    state = TicTacToe.parse("XX./OO./...")
    assert SearchAgent(minimax, depth=1).search_result(state) == minimax(state, depth=1)


def test_search_result_accepts_progress_and_stop():
    shares = []
    result = SearchAgent(minimax).search_result(
        TicTacToe(), progress=lambda share, best: shares.append(share), stop=lambda: True
    )
    assert (shares, result.stopped) == ([0], True)


@pytest.mark.parametrize(
    ("agent", "name"),
    [
        (SearchAgent(minimax), "minimax"),
        (SearchAgent(minimax, depth=3), "minimax(depth=3)"),
        (SearchAgent(mcts, simulations=50, rng=1), "mcts(simulations=50, rng=1)"),
        (SearchAgent(minimax, depth=2, evaluate=max), "minimax(depth=2, evaluate=max)"),
        (SearchAgent(minimax, "the careful one", depth=3), "the careful one"),
        (SearchAgent(minimax, depth=2), "minimax(depth=2)"),
        (random_agent(1), "random"),
        (lookahead_agent(1), "lookahead"),
    ],
)
def test_agent_name_describes_its_search(agent, name):
    assert (agent.name, repr(agent)) == (name, name)


@pytest.mark.parametrize("make", [random_agent, lookahead_agent])
def test_same_seed_plays_same_games(make):
    def games(seed):
        agent = make(seed)
        return [play_game(agent, agent, state=ConnectFour()).actions for _ in range(3)]

    assert games(4) == games(4)
    assert len(set(games(4))) == 3


def test_seeded_agent_keeps_name_and_original():
    agent = SearchAgent(mcts, simulations=20)
    assert (agent.options, agent.seeded(1).name) == ({"simulations": 20}, agent.name)


# A game


def test_play_game_records_actions_and_utilities():
    game = play_game(first, first, state=TicTacToe())
    assert game.actions == (0, 1, 2, 3, 4, 5, 6)
    assert game.start.play(*game.actions) == game.final
    assert game.utilities == game.final.utilities() == (1, -1)


def test_each_player_uses_its_own_agent():
    def last(state):
        return state.legal_actions()[-1]

    assert play_game(first, last, first, state=TicTacToe(1, 3, 3, 3)).actions == (0, 2, 1)


@pytest.mark.parametrize("agents", [(), (first,), (first, first, first)])
def test_wrong_number_of_agents_raises(agents):
    with pytest.raises(ValueError, match=f"2 players, {len(agents)} agents"):
        play_game(*agents, state=TicTacToe())


@pytest.mark.parametrize("answer", [0, None, "4", 9, True, 1.0])
def test_illegal_action_error_names_the_agent(answer):
    def stubborn(state):
        return answer

    with pytest.raises(IllegalActionError, match=names("stubborn, player 1, returned ")) as caught:
        play_game(first, stubborn, state=TicTacToe())
    assert f"returned {answer!r}: " in str(caught.value)
