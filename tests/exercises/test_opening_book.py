import pytest

from course.exercises.opening_book import _scores, _value_and_plies, column_values, positions_by_ply
from gamefast.fast import fast, is_available
from gamelib import ConnectFour, solve


def test_first_columns_have_published_values() -> None:
    # Scores -2 -1 0 1 0 -1 -2 (Allis 1988, Tromp): the centre wins, with the last stone but one.
    left = {0: (-1, 40), 1: (-1, 42), 2: (0, None), 3: (1, 41)}
    assert column_values(ConnectFour()) == left | {6 - a: left[a] for a in range(3)}


def test_mirror_images_have_mirrored_values() -> None:
    here, there = (column_values(ConnectFour().play(*p)) for p in ((0, 1, 3, 2), (6, 5, 3, 4)))
    assert here == {6 - action: value for action, value in there.items()}


@pytest.mark.parametrize(
    "state",
    [
        ConnectFour().play(3, 3, 3, 3, 2),
        ConnectFour(7, 6),
        ConnectFour(4, 5),
        ConnectFour(k=5),
        type("Variant", (ConnectFour,), {"__slots__": ()})(),  # whose rules may be others
        ConnectFour.parse(5 * "......./" + "XX.....", current_player=1),
    ],
)
def test_positions_outside_table_have_no_values(state) -> None:
    assert column_values(state) is None


def test_all_scores_agree_with_bitbully() -> None:
    bitbully = pytest.importorskip("bitbully", reason="BitBully is not installed")
    agent = bitbully.BitBully()  # with its book of openings; without one it takes an hour
    for state in positions_by_ply()[-1].values():
        cells = [[state.cell(row, col) for col in range(7)] for row in range(6)]
        board = bitbully.Board([[0 if c is None else c + 1 for c in row] for row in cells])
        assert agent.mtdf(board) == _scores()[state.symmetry_key()], f"\n{state}"


@pytest.mark.skipif(not is_available(), reason="Numba is not installed")
@pytest.mark.parametrize("number", [719, 1075, 1431])  # three that take a second each
def test_solver_agrees_with_table(number) -> None:
    state = [*positions_by_ply()[-1].values()][number]
    result = fast(solve)(state, only_value=True)
    known = _value_and_plies(_scores()[state.symmetry_key()], 37)
    assert (result.value, result.distance) == known
