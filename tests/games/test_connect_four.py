import random

from hypothesis import given
from hypothesis import strategies as st
from naive import naive_winner

from gamelib import ConnectFour

SIZES = st.tuples(st.integers(1, 7), st.integers(1, 8), st.integers(1, 5)).filter(
    lambda size: size[2] <= max(size[:2])
)


def random_game(seed, state):
    """Yield a random game from `state`, and its stones as {(row, col): player}."""
    rng, stones = random.Random(seed), {}
    yield state, stones
    while not state.is_terminal():
        col = rng.choice(state.legal_actions())
        height = sum(taken == col for _, taken in stones)
        stones[state.rows - 1 - height, col] = state.current_player
        state = state.successor(col)
        yield state, stones


# Rules


@given(SIZES, st.integers(0, 10**6))
def test_the_rules_agree_with_a_naive_board(size, seed):
    rows, cols, k = size
    for state, stones in random_game(seed, ConnectFour(*size)):
        winner = naive_winner(stones, k)
        columns = [col for col in range(cols) if (0, col) not in stones and winner is None]
        assert state.winner == winner
        assert list(state.legal_actions()) == columns
        assert state.is_terminal() == (not columns)
        assert {(r, c): state.cell(r, c) for r in range(rows) for c in range(cols)} == {
            (r, c): stones.get((r, c)) for r in range(rows) for c in range(cols)
        }


def test_mirrored_positions_share_their_key_and_others_do_not():
    keys = {}
    for seed in range(20):
        for state, _ in random_game(seed, ConnectFour(4, 5, 3)):
            rows = str(state).replace(" ", "").splitlines()
            mirrored = ["".join(reversed(row)) for row in rows]
            keys.setdefault(state.symmetry_key(), set()).add("/".join(min(rows, mirrored)))
    assert all(len(boards) == 1 for boards in keys.values())
    assert len(keys) == len({board for boards in keys.values() for board in boards})
