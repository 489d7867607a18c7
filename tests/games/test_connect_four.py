import random
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from gamelib import ConnectFour, TicTacToe

SIZES = st.tuples(st.integers(1, 7), st.integers(1, 8), st.integers(1, 5)).filter(
    lambda size: size[2] <= max(size[:2])
)


def lines_through(board, k):
    """Yield the owners of every line of k cells, found step by step from every cell."""
    rows, stones = board["rows"], board["stones"]

    def owner(col, height):
        inside = 0 <= col < len(stones) and 0 <= height < rows
        if not inside:
            return "edge"
        return stones[col][height] if height < len(stones[col]) else "empty"

    for col in range(len(stones)):
        for height in range(rows):
            for right, up in ((1, 0), (0, 1), (1, 1), (1, -1)):
                line = [owner(col + i * right, height + i * up) for i in range(k)]
                if "edge" not in line:
                    yield line


def naive_winner(board, k):
    for line in lines_through(board, k):
        if line[0] != "empty" and len(set(line)) == 1:
            return line[0]
    return None


def random_game(seed, state):
    """Yield a random game from `state` and the same game on the naive board."""
    rng = random.Random(seed)
    board = {"rows": state.rows, "stones": [[] for _ in range(state.cols)]}
    yield state, board
    while not state.is_terminal():
        action = rng.choice(state.legal_actions())
        board["stones"][action].append(state.current_player)
        state = state.successor(action)
        yield state, board


# Rules


@given(SIZES, st.integers(0, 10**6))
def test_the_rules_agree_with_a_naive_board(size, seed):
    k = size[2]
    for state, board in random_game(seed, ConnectFour(*size)):
        winner = naive_winner(board, k)
        free = [c for c, stones in enumerate(board["stones"]) if len(stones) < state.rows]
        open_columns = free if winner is None else []
        assert state.winner == winner
        assert list(state.legal_actions()) == open_columns
        assert state.is_terminal() == (not open_columns)
        for col, stones in enumerate(board["stones"]):
            filled = [state.cell(state.rows - 1 - height, col) for height in range(len(stones))]
            assert filled == stones


@given(SIZES, st.integers(0, 10**6))
def test_a_winning_line_is_k_cells_of_the_winner_in_a_straight_line(size, seed):
    *_, (state, _) = random_game(seed, ConnectFour(*size))
    places = [divmod(cell, state.cols) for cell in state.winning_line()]
    steps = {(r2 - r1, c2 - c1) for (r1, c1), (r2, c2) in pairwise(places)}
    assert len(places) == (0 if state.winner is None else state.k)
    assert {state.cell(*place) for place in places} <= {state.winner}
    assert steps <= {(0, 1), (1, 0), (1, 1), (1, -1)}
    assert len(steps) <= 1


def test_mirrored_positions_share_their_key_and_others_do_not():
    keys = {}
    for seed in range(20):
        for state, _ in random_game(seed, ConnectFour(4, 5, 3)):
            rows = str(state).replace(" ", "").splitlines()
            mirrored = ["".join(reversed(row)) for row in rows]
            keys.setdefault(state.symmetry_key(), set()).add("/".join(min(rows, mirrored)))
    assert all(len(boards) == 1 for boards in keys.values())
    assert len(keys) == len({board for boards in keys.values() for board in boards})


# Text and data


def test_the_text_shows_the_top_row_first():
    assert str(ConnectFour(2, 3, 2).play(1, 1)) == ". O .\n. X ."


def test_the_repr_says_whose_turn_it_is():
    assert repr(ConnectFour(2, 3, 2).play(1)) == "ConnectFour(.../.X., O to move)"


def test_positions_of_other_rules_are_not_equal():
    assert ConnectFour(4, 4, 3) != ConnectFour(4, 4, 4)
    assert ConnectFour(3, 3, 3) != TicTacToe()
