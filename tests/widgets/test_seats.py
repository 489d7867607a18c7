import pytest

from course.widgets.seats import Seats, affordable_depth, opponents, within
from gamelib import ConnectFour, GameTree, Nim, TicTacToe
from gamelib.compiled.fast import installed
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
    ],
)
def test_the_depth_is_the_largest_that_the_nodes_allow(state, nodes, depth) -> None:
    assert affordable_depth(state, nodes) == depth


def test_a_search_within_so_many_nodes_visits_no_more() -> None:
    assert within(minimax, 3000)(ConnectFour()).stats.nodes == 2801


def test_a_depth_that_costs_too_much_is_never_less_than_one() -> None:
    assert affordable_depth(TicTacToe(4, 4, 4), 3) == 1


@pytest.mark.parametrize("state", [ConnectFour(), Nim((3, 3)), TicTacToe(num_players=3)])
def test_every_opponent_answers(state) -> None:
    late = state.play(*[state.legal_actions()[0]] * 3) if isinstance(state, ConnectFour) else state
    for name in ("random", "look-ahead", "MCTS"):
        assert opponents(state)[name](late) in late.legal_actions()


@pytest.mark.parametrize("state", [GameTree([[3, 12, 8], [2, 4, 6]]), Nim((1, 2))])
def test_searches_need_no_heuristic(state) -> None:
    assert opponents(state)["alpha-beta"](state) == opponents(state)["minimax"](state)


def test_a_stronger_opponent_sits_down_where_machine_code_is_there() -> None:
    assert ("MCTS 100,000" in opponents(ConnectFour())) == installed()
    assert "MCTS 100,000" not in opponents(TicTacToe(8, 8, 5))


@pytest.mark.skipif(not installed(), reason="Numba is not installed")
def test_the_stronger_opponent_blocks() -> None:
    state = ConnectFour().play(0, 6, 1, 6, 2)  # column 3 is the only answer
    assert opponents(state)["MCTS 100,000"](state) == 3


@pytest.mark.parametrize(
    ("state", "names"),
    [
        (TicTacToe(num_players=3), ["X is", "O is", "A is"]),
        (GameTree([[3, 12], [2, 4]]), ["max is", "min is"]),
    ],
)
def test_seats_are_called_as_the_game_calls_its_players(state, names) -> None:
    seats = Seats(state, dict.fromkeys(range(state.num_players)), lambda player, agent: None)
    assert [choice.description for choice in seats.children] == names
