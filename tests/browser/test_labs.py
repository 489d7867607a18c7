"""The labs as a student meets them: guess, run, change a control, compare, stop."""

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import SIZES, notebook

LABS = (
    "from gamelib import *\nfrom course import *\n"
    "from course.lessons.mcts.lab_programs import SteadfastMCTS\n"
    "block = TicTacToe.parse('X../.O./.OX')",
    "depth_lab({'Connect Four': ConnectFour(), 'Nim 3 4 5': Nim((3, 4, 5))}, depth=4)",
    "stability_lab({'Connect Four': ConnectFour(), 'lab 4A': block},"
    " programs={'right': mcts, 'wrong': SteadfastMCTS})",
)
SHOWN = ".gl-results .widget-html-content > div >> nth=0"


@pytest.fixture
def labs(notebook_page):
    """Return a page on which the labs have been made."""
    notebook_page.open_and_run(notebook(*LABS))
    return notebook_page


def test_lab_takes_guess_and_reruns_on_change(labs) -> None:
    cell = labs.cell("cell-1")
    run = cell.get_by_role("button", name="Run", exact=True)
    run.click()
    expect(cell.get_by_text("Guess first")).to_be_visible()
    cell.get_by_role("textbox", name="Your guess").fill("3")
    cell.get_by_role("button", name="Keep my guess").click()
    run.click()
    expect(cell.get_by_text("Your guess: 3; measured: 16.2")).to_be_visible()
    expect(cell.locator(SHOWN)).to_contain_text("position Connect Four, depth 4")
    cell.get_by_role("combobox", name="order").select_option("centre first")
    expect_run(cell, "The previous run is pale: order as listed.")
    cell.locator(".noUi-handle").first.focus()
    labs.page.keyboard.press("ArrowRight")
    expect_run(cell, "depth 5")
    assert labs.console_errors == []


def expect_run(cell: Locator, words: str) -> None:
    """Expect a run that a changed control or *Run* begins; a busy machine takes longer."""
    shown = cell.locator(SHOWN).filter(has_text=words)
    late = cell.get_by_text("takes a while")
    expect(shown.or_(late).first).to_be_visible()
    if late.is_visible():
        cell.get_by_role("button", name="Run", exact=True).click()
    expect(shown).to_be_visible()


def test_lab_controls_and_chart_fit_one_screen(labs) -> None:
    for name in ("cell-1", "cell-2"):
        cell = labs.cell(name)
        for _ in range(2):  # without a guess
            cell.get_by_role("button", name="Run", exact=True).click()
        expect(cell.locator(".widget-image")).to_be_visible()
    labs.command("application:toggle-left-area")
    for theme in ("light", "dark"):
        labs.theme(theme)
        for size in SIZES:
            labs.size(*size)
            for name in ("cell-1", "cell-2"):
                cell = labs.cell(name)
                controls, chart = cell.locator(".gl-lab-controls"), cell.locator(".widget-image")
                controls.evaluate("row => row.scrollIntoView({block: 'start'})")
                top, seen = controls.bounding_box(), chart.bounding_box()
                buttons = [controls.get_by_role("button", name=n) for n in ("Run", "Stop")]
                assert len({button.bounding_box()["y"] for button in buttons}) == 1, (name, size)
                room = labs.page.locator(".jp-Notebook").first.bounding_box()
                labs.screenshot(f"{name}-{theme}-{size[0]}")
                assert seen["y"] + seen["height"] - top["y"] <= room["height"], (name, size)
                assert seen["x"] + seen["width"] <= room["x"] + room["width"], (name, size)
                assert abs(seen["width"] / seen["height"] - ratio(chart)) < 0.02, (name, size)


def ratio(chart) -> float:
    """Return the width of a picture by its height, as it was drawn."""
    return chart.evaluate("image => image.naturalWidth / image.naturalHeight")
