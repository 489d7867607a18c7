"""Games of OpenSpiel on the screen: their text, and buttons that say what OpenSpiel calls them."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import notebook

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

CELLS = {
    "set-up": "from gamelib import OpenSpiel, SearchAgent, alphabeta, mcts\n"
    "from course import PlayBoard, Playground, SearchStepper\n"
    'state = OpenSpiel("breakthrough(rows=5,columns=5)")\nstate',
    "board": "PlayBoard(state, agents={1: SearchAgent(mcts, simulations=20, rng=0)})",
    "dice": 'PlayBoard(OpenSpiel("pig(winscore=20)"))',
    "stepper": "SearchStepper(alphabeta, state, depth=2)",
    "playground": 'Playground(state, algorithm="mcts")',
}


def test_openspiel_game_is_shown_played_and_searched(notebook_page) -> None:
    notebook_page.size(1440, 900)
    notebook_page.open_and_run(notebook(**CELLS))
    expect(notebook_page.cell("set-up").locator("pre").last).to_contain_text("1wwwww")
    board = notebook_page.cell("board")
    board.get_by_role("button", name="a5a4").click()
    expect(board.locator(".gl-card pre")).to_contain_text("4b....")
    expect(board.locator(".gl-status")).to_contain_text("Player 0 to move")
    notebook_page.screenshot("spiel-board")
    dice = notebook_page.cell("dice")
    dice.get_by_role("button", name="roll", exact=True).click()
    notebook_page.screenshot("spiel-dice")
    stepper = notebook_page.cell("stepper")
    stepper.get_by_role("button", name="More", exact=True).click()
    stepper.get_by_role("button", name="Last", exact=True).click()
    expect(stepper.locator(".jp-OutputArea").last).to_contain_text("a5b4")
    notebook_page.screenshot("spiel-stepper")
    playground = notebook_page.cell("playground")
    playground.get_by_role("button", name="Run", exact=True).click()
    parts = {".gl-told": 300, ".gl-run .mod-primary": 60}  # and the pixels that they need
    expect(playground.locator(".gl-told")).to_contain_text("mcts chose")
    for size in ((1440, 900), (853, 480)):
        notebook_page.size(*size)
        for part, least in parts.items():
            box = playground.locator(part).bounding_box()
            assert box is not None
            assert box["width"] > least, f"{part} at {size}"
    assert notebook_page.console_errors == []
