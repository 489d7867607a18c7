import random

import pytest
from random_trees import arbitrary, random_position

from gamelib import ConnectFour, GameTree, Nim, Table, TicTacToe, alphabeta, minimax
from gamelib.search.transposition import Entry
from tests.messages import names

# In Nim a position is met after different numbers of plies, so with different depths to go.
DEPTHS = [(Nim((3, 2, 2)), range(1, 8)), (TicTacToe(), range(1, 4)), (ConnectFour(), range(1, 4))]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(("game", "depths"), DEPTHS, ids=repr)
def test_reused_table_keeps_values_at_each_depth(game, depths, strict):
    rng = random.Random(4)
    for _ in range(5):
        state, table = random_position(game, rng, 1, 4), Table()
        for depth in (*depths, *depths):
            full = minimax(state, depth=depth, evaluate=arbitrary)
            options = {"depth": depth, "evaluate": arbitrary, "strict": strict}
            result = alphabeta(state, table=table, **options)
            assert (result.action, result.value) == (full.action, full.value)
            known = alphabeta(state, table=table, all_best=True, **options)
            assert known.best_actions == full.best_actions


def optimist(state, player):
    return abs(arbitrary(state, player))


@pytest.mark.parametrize(
    "options",
    [
        {"evaluate": optimist, "depth": 4},
        {"evaluate": arbitrary, "depth": 4, "quick_wins": True},
        {"depth": 4},
    ],
)
def test_table_is_cleared_for_another_search(options):
    rng = random.Random(8)
    for _ in range(20):
        state, table = random_position(TicTacToe(), rng, 4, 4), Table()
        alphabeta(state, table=table, evaluate=arbitrary, depth=4)
        assert alphabeta(state, table=table, **options).value == minimax(state, **options).value


def test_table_is_cleared_for_another_player():
    state, table = ConnectFour().play(3, 3, 2), Table()
    for depth in (4, 3, 2, 1):
        result = alphabeta(state, depth=depth, evaluate=arbitrary, table=table)
        assert result.value == minimax(state, depth=depth, evaluate=arbitrary).value
        state = state.successor(result.action)


def test_stored_estimate_remains_an_estimate():
    table = Table()
    for _ in range(2):
        result = alphabeta(ConnectFour(), depth=3, table=table)
        assert result.utilities is None
    assert result.stats.evaluations == 0


@pytest.mark.parametrize("most", [2, 3, 50])
def test_small_table_keeps_values_and_size(monkeypatch, most):
    monkeypatch.setattr(Table, "MAX_ENTRIES", most)
    table = Table()
    result = alphabeta(TicTacToe(), table=table)
    assert (result.action, result.value) == (0, 0)
    assert 0 < len(table) <= most
    assert repr(table) == f"Table({len(table)} of {most} entries)"


def test_mirror_images_share_an_entry():
    left, right = ConnectFour().play(0, 1), ConnectFour().play(6, 5)
    for table, known in ((Table(), False), (Table(symmetric=True), True)):
        table.start_search(ConnectFour(), None, False)
        table.put(Entry(0.5, "exact", 3, False, (2, ()), left))
        assert table.get(left).line == (2, ())
        assert (table.get(right) is not None) is known
    assert table.get(right).value == 0.5
    assert table.get(right).line == ()  # its actions are those of the mirror image


def test_symmetric_table_is_cleared_for_another_board():
    table = Table(symmetric=True)
    for state in (Nim((1, 1, 1)), Nim((1, 1, 1), misere=True), Nim((1, 3)), Nim((1, 3), 1)):
        assert alphabeta(state, table=table).value == alphabeta(state).value


def test_positions_without_symmetry_key_share_no_entry():
    class Says(TicTacToe):
        def symmetry_key(self):
            return None if len(self.legal_actions()) < 6 else super().symmetry_key()

    for actions in ((0, 1), (4,)):
        found = alphabeta(Says().play(*actions), table=Table(symmetric=True))
        assert found.value == alphabeta(TicTacToe().play(*actions)).value


def test_symmetric_table_without_symmetry_key_raises():
    with pytest.raises(ValueError, match=names("needs a symmetry_key")):
        alphabeta(GameTree([1, 2]), table=Table(symmetric=True))


def test_invalid_table_raises():
    with pytest.raises(TypeError, match=names("table must be True, False, None or a Table")):
        alphabeta(TicTacToe(), table={})
