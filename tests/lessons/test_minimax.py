"""References against theory and the library, and what checks say beyond the table of mutants."""

import json
import re
from pathlib import Path

import numpy
import pytest

from course.exercises.mistakes import with_edits
from course.exercises.state_space import exact_values, open_positions, optimal_actions
from course.lessons.minimax import check as exercises
from course.lessons.minimax import reference
from course.lessons.minimax.check import check_heuristic, check_negamax
from gamelib import TicTacToe, minimax

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "02_minimax.ipynb"
PAGE = (Path(__file__).parents[2] / "docs" / "teacher" / "02.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("worth", "wrong"), [((0, 1, 3), 121), ((0, 1, 10), 103)])
def test_weights_on_teachers_page_have_stated_errors(worth, wrong):
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    (source,) = ["".join(cell["source"]) for cell in cells if cell["id"] == "heuristic"]
    names = {"minimax": minimax, "TicTacToe": TicTacToe}
    exec(source.replace("worth = (1, 1, 1)", f"worth = {worth}"), names)
    values = exact_values(TicTacToe())
    chosen = [
        (state, minimax(state, depth=1, evaluate=names["open_lines"]).action)
        for state in open_positions(TicTacToe())
    ]
    assert sum(a not in optimal_actions(s, values) for s, a in chosen) == wrong
    assert re.search(rf"{re.escape(str(worth))}[^(]* {wrong}\b", PAGE)


@pytest.mark.parametrize("number", [numpy.int64, numpy.float32])
def test_checks_accept_functions_using_numpy(number):
    assert check_negamax(lambda state: number(reference.negamax_value(state)))
    assert not check_negamax(lambda state: number(7))
    assert not check_negamax(lambda state: numpy.bool_(True))


# The next programs are fair to both players, so only the last part of the check can find them.
# Before it, the check asks about thousands of positions.


@pytest.mark.parametrize("step", reference.STEPS)
def test_heuristic_missing_a_direction_fails(step):
    others = tuple(other for other in reference.STEPS if other != step)
    wrong = with_edits(reference.my_heuristic, ("STEPS", repr(others)))
    assert not exercises.check_preference(wrong, positions=0)


@pytest.mark.parametrize("shape", ["state.rows > state.cols", "state.rows < state.cols"])
@pytest.mark.parametrize("step", reference.STEPS)
def test_heuristic_missing_a_direction_off_squares_fails(step, shape):
    others = tuple(other for other in reference.STEPS if other != step)
    chosen = f"({others!r} if {shape} else STEPS)"
    wrong = with_edits(reference.my_heuristic, ("STEPS", chosen))
    assert not exercises.check_preference(wrong, positions=0)


@pytest.mark.parametrize("most", [10, 50, 100])
def test_heuristic_with_fixed_divisor_fails_on_large_board(most):
    lines = "return score / lines", f"return score / {most}"
    feedback = check_heuristic(with_edits(reference.my_heuristic, lines))
    assert exercises.OUT_OF_RANGE_MESSAGE in feedback.message


@pytest.mark.parametrize("k", [3, 4])
def test_heuristic_with_fixed_line_length_fails(k):
    texts = ("(state.k - 1) * down", "(state.k - 1) * right", "i in range(state.k)")
    edits = [(text, text.replace("state.k", str(k))) for text in texts]
    assert not exercises.check_preference(with_edits(reference.my_heuristic, *edits), positions=0)


def test_heuristic_of_places_gets_hint_on_lines():
    def near_the_middle(state, player):
        score = 0
        for row, col in numpy.ndindex(state.rows, state.cols):
            far = abs(2 * row - state.rows + 1) + abs(2 * col - state.cols + 1)
            score += (20 - far) * {player: 1, 1 - player: -1}.get(state.cell(row, col), 0)
        return score / 1000

    assert exercises.IGNORES_LINES_MESSAGE in check_heuristic(near_the_middle).message
