"""Notebook 02 as a student uses it, from the first cell to a finished game."""

import re

import pytest
from playwright.sync_api import Locator, expect


def test_notebook_02_in_the_hands_of_a_student(notebook_page) -> None:
    notebook_page.open_and_run("02_minimax")  # once, for all that follows: it takes a while
    fill_in_the_tree(notebook_page.cell("fill-in"))
    answer_the_quiz(notebook_page.cell("quiz-value"))
    keep_a_guess(notebook_page.cell("predict-dawdle"))
    play_a_game(notebook_page.cell("play"))
    assert notebook_page.console_errors == []


def fill_in_the_tree(cell: Locator) -> None:
    for name, value in {
        "node 0 → 0": "9",
        "node 0 → 1": "6",
        "node 1 → 0": "8",
        "node 1 → 1": "7",
        "node 0": "6",
        "node 1": "8",
        "the root": "7",
    }.items():
        cell.get_by_label(f"Value of {name}", exact=True).fill(value)
    cell.get_by_role("button", name="Check").click()
    expect(cell).to_contain_text("Node 1: not 8.")
    expect(cell).to_contain_text("Yours is what the other player would take.")
    cell.get_by_label("Value of node 1", exact=True).fill("7")
    cell.get_by_role("button", name="Check").click()
    expect(cell).to_contain_text("All 7 values are right")


def answer_the_quiz(cell: Locator) -> None:
    assert cell.get_by_role("radio", checked=True).count() == 0
    cell.get_by_label("Both players have the same chance to win.").check()
    cell.get_by_role("button", name="Check").click()
    expect(cell).to_contain_text("A value is no chance.")
    cell.get_by_label("Neither player can force a win.").check()
    cell.get_by_role("button", name="Check").click()
    expect(cell).to_contain_text("Right. Each can be sure of a draw")


def keep_a_guess(cell: Locator) -> None:
    cell.get_by_placeholder("your guess, a number").fill("40")
    cell.get_by_role("button", name="Keep my guess").click()
    expect(cell).to_contain_text("Your guess: 40")


def play_a_game(cell: Locator) -> None:
    """Take the first empty cell until the game is over; O, who plays perfectly, has not lost."""
    status, empty = (
        cell.get_by_role("status"),
        cell.get_by_role("button", name=re.compile("empty$")),
    )
    for left in (7, 5, 3, 1, 0):
        empty.first.click()
        expect(empty).to_have_count(
            left
        )  # O has answered: before, "your turn" is of the turn before
        expect(status).to_have_text(re.compile("your turn|Game over|lost"))
        if "your turn" not in status.inner_text():
            break
    else:
        pytest.fail(f"the game does not end: {status.inner_text()}")
    expect(status).to_have_text(re.compile(r"You lost: O won\.|Game over: draw\."))
