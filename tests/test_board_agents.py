"""Programs over plain boards play as agents: lists, nested lists and arrays, with any marks."""

import pytest

from arena import FileAgent, match_up
from course import PlayBoard
from gamelib import ConnectFour, Nim, TicTacToe, board_agent, play_game, random_agent
from tests.messages import names

STATE = TicTacToe.parse("XO. / .X. / ..O")


def last_free(board, player):
    free = [cell for cell, mark in enumerate(board) if mark not in ("X", "O")]
    for cell in free:  # it may write on its board
        board[cell] = player
    return free[-1]


def last_pair(board, player):
    return [(r, c) for r, row in enumerate(board) for c, mark in enumerate(row) if mark == 0][-1]


def last_of_array(board, player):
    numpy = pytest.importorskip("numpy")
    return tuple(numpy.argwhere(board == 0)[-1])


def seen(state, empty, marks):
    """Return the board and the player that a program gets."""
    given = []

    def program(board, player):
        given.extend((board, player))
        return state.legal_actions()[0]

    board_agent(program, empty, marks)(state)
    return given


def test_program_gets_its_own_board_type() -> None:
    assert seen(STATE, [" "] * 9, "XO") == [[*"XO  X   O"], "X"]
    assert seen(STATE, (0,) * 9, (1, 2)) == [(1, 2, 0, 0, 1, 0, 0, 0, 2), 1]
    assert seen(STATE, [[0] * 3] * 3, (1, -1)) == [[[1, -1, 0], [0, 1, 0], [0, 0, -1]], 1]
    four = ConnectFour(4, 5, 3).play(2, 2, 4)
    rows = [[0, 0, 0, 0, 0]] * 2 + [[0, 0, 2, 0, 0], [0, 0, 1, 0, 1]]
    assert seen(four, [[0] * 5 for _ in range(4)], (1, 2)) == [rows, 2]


def test_numpy_array_is_accepted_as_board() -> None:
    numpy = pytest.importorskip("numpy")
    board, player = seen(STATE, numpy.zeros((3, 3), int), (1, -1))
    assert board.tolist() == [[1, -1, 0], [0, 1, 0], [0, 0, -1]]
    assert player == 1
    agent = board_agent(last_of_array, numpy.zeros((3, 3)), (1, -1))
    assert [agent(STATE), agent(STATE)] == [7, 7]


def test_answers_become_actions() -> None:
    assert board_agent(last_free, [" "] * 9)(STATE) == 7
    assert board_agent(last_pair, [[0] * 3] * 3, (1, 2))(STATE) == 7
    assert board_agent(last_pair, [[0] * 7 for _ in range(6)], (1, 2))(ConnectFour()) == 6
    assert board_agent(lambda board: 5, [0] * 9, (1, 2))(STATE) == 5


def test_board_programs_can_play_a_game() -> None:
    agents = board_agent(last_free, [" "] * 9), board_agent(last_pair, [[0] * 3] * 3, (1, 2))
    assert play_game(*agents, state=TicTacToe()).actions == (8, 7, 6, 5, 4, 3, 2)
    result = match_up(agents[0], random_agent(1), state=TicTacToe(), games=4)
    assert "last_free" in str(result)
    board = PlayBoard(TicTacToe(), agents={1: agents[0]})
    board.click(0)
    board.runner.wait()
    assert board.state.cell(2, 2) == 1


def test_agent_file_may_contain_a_board_program(tmp_path) -> None:
    file = tmp_path / "lister.py"
    file.write_text(
        "from gamelib import board_agent\n\n\n"
        "def first(board, player):\n    return board.index(' ')\n\n\n"
        "agent = board_agent(first, [' '] * 9)\n"
    )
    assert play_game(FileAgent(file), random_agent(1), state=TicTacToe()).actions[0] == 0


def test_invalid_board_raises() -> None:
    with pytest.raises(TypeError, match=names("empty must be a list; got 9")):
        board_agent(last_free, 9)
    with pytest.raises(ValueError, match=names("marks must differ; got 'XX'")):
        board_agent(last_free, [0] * 9, "XX")
    with pytest.raises(ValueError, match=names("empty must have 3 rows of 3 cells")):
        board_agent(last_free, [0] * 8)(STATE)
    with pytest.raises(TypeError, match=names("state must have `rows`; got Nim")):
        board_agent(last_free, [0] * 3)(Nim((1, 2)))
