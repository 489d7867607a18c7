"""A wrong exercise in a real JupyterLab: one click, and the first wrong node is on the screen."""

from playwright.sync_api import expect

from tests.browser.conftest import notebook

WRONG = """
from math import inf
from course import SearchStepper
from course.lessons.alpha_beta import check as exercises


def cut_negamax(state, alpha=-inf, beta=inf):
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        best = max(best, -cut_negamax(state.successor(action), -max(alpha, best), -beta))
        if best >= beta:
            break
    return best


exercises.check_cut_negamax(cut_negamax)
"""


def test_wrong_exercise_shows_where(notebook_page) -> None:
    page = notebook_page
    page.open_and_run(notebook(e1=WRONG))
    cell = page.cell("e1")
    expect(cell).to_contain_text("Not yet")
    cell.get_by_role("button", name="Show me where").click()
    expect(cell.locator(".gl-wrong")).to_contain_text("The first wrong answer: the root returns")
    expect(cell.get_by_role("status")).to_contain_text("eturn")
    expect(cell.locator(".gl-tree svg")).to_be_visible()
    assert page.console_errors == []
