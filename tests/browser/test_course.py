"""Notebook 02 as a student uses it, from the first cell to a finished game."""

import re

import pytest
from playwright.sync_api import Locator, expect


def test_notebook_02_quiz_and_game_work(notebook_page) -> None:
    notebook_page.open_and_run("02_minimax")  # once, for all that follows: it takes a while
    answer_the_quiz(notebook_page.cell("quiz-value"))
    play_a_game(notebook_page.cell("play"))
    assert notebook_page.console_errors == []


def answer_the_quiz(cell: Locator) -> None:
    assert cell.get_by_role("radio", checked=True).count() == 0
    cell.get_by_label("Both players have the same chance to win.").check()
    cell.get_by_role("button", name="Check").click()
    expect(cell).to_contain_text("A value is not a probability.")
    cell.get_by_label("Neither player can force a win.").check()
    cell.get_by_role("button", name="Check").click()
    expect(cell).to_contain_text("Right. Each can be sure of a draw")


def play_a_game(cell: Locator) -> None:
    """Take the first empty cell until the game is over; O, who plays perfectly, has not lost."""
    status, empty = (
        cell.get_by_role("status"),
        cell.get_by_role("button", name=re.compile("empty$")),
    )
    for left in (7, 5, 3, 1, 0):
        empty.first.click()
        expect(empty).to_have_count(left)  # O has answered: "your turn" may be of the turn before
        expect(status).to_have_text(re.compile("your turn|Game over|lost"))
        if "your turn" not in status.inner_text():
            break
    else:
        pytest.fail(f"the game does not end: {status.inner_text()}")
    expect(status).to_have_text(re.compile(r"You lost: O won\.|Game over: draw\."))
