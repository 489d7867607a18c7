"""The stepper and the fill-in tree, in a real JupyterLab."""

import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, expect

SIZES = [(1024, 768), (1440, 900)]

ALPHABETA = """
from gamelib import GameTree, alphabeta
from course import SearchStepper
stepper = SearchStepper(alphabeta, GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), ask=ASK)
stepper
"""
MCTS = """
from gamelib import TicTacToe, mcts
from course import SearchStepper
start = TicTacToe.parse("O.X/XX./OO.")
stepper = SearchStepper(mcts, start, simulations=12, solver=SOLVER, rng=1)
stepper
"""


def notebook(code: str, **values: object) -> NotebookNode:
    for name, value in values.items():
        code = code.replace(name, repr(value))
    return new_notebook(
        cells=[new_code_cell(code.strip(), id="stepper"), new_code_cell("len(stepper.trace)")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )


def sentence(cell: Locator) -> Locator:
    return cell.get_by_role("status")


def press(cell: Locator, name: str) -> None:
    cell.get_by_role("button", name=name, exact=True).click()


def walk(cell: Locator, button: str, seen: list[str]) -> None:
    """Press a button until it is disabled, and note what is said after each step."""
    control = cell.get_by_role("button", name=button, exact=True)
    while control.is_enabled():
        control.click()
        expect(sentence(cell)).not_to_have_text(seen[-1])
        seen.append(sentence(cell).inner_text())


def test_a_whole_alphabeta_forwards_and_backwards(notebook_page) -> None:
    notebook_page.open_and_run(notebook(ALPHABETA, ASK=False))
    cell = notebook_page.cell("stepper")
    seen = [sentence(cell).inner_text()]
    walk(cell, "Next", seen)
    assert "Cut: this node is at most 2" in " ".join(seen)
    assert seen[-1] == "The root is worth 3, and the best action is 0."
    back = [seen[-1]]
    walk(cell, "Back", back)
    assert back == seen[::-1]
    assert notebook_page.console_errors == []


@pytest.mark.parametrize("solver", [False, True])
def test_a_whole_mcts_forwards_and_backwards(notebook_page, solver: bool) -> None:
    notebook_page.open_and_run(notebook(MCTS, SOLVER=solver))
    cell = notebook_page.cell("stepper")
    seen = [sentence(cell).inner_text()]
    walk(cell, "Next", seen)
    assert any(said.startswith("Proven") for said in seen) == solver
    press(cell, "First")
    expect(sentence(cell)).to_have_text(seen[0])
    press(cell, "Last")
    expect(sentence(cell)).to_have_text(seen[-1])
    back = [seen[-1]]
    walk(cell, "Back", back)
    assert back == seen[::-1]


def test_an_answer_wrong_and_one_right(notebook_page) -> None:
    notebook_page.open_and_run(notebook(ALPHABETA, ASK=True))
    cell = notebook_page.cell("stepper")
    walk(cell, "Next", [sentence(cell).inner_text()])
    expect(cell.get_by_text("Cut, or go on?")).to_be_visible()
    press(cell, "cut")
    expect(cell.locator(".gl-wrong")).to_contain_text("Compare alpha with beta")
    press(cell, "go on")
    expect(cell.locator(".gl-right")).to_be_visible()
    expect(cell.get_by_text("0 of 1 right")).to_be_visible()


def test_it_plays_and_pauses(notebook_page) -> None:
    notebook_page.open_and_run(notebook(ALPHABETA, ASK=False))
    cell = notebook_page.cell("stepper")
    press(cell, "Play")
    expect(sentence(cell)).to_contain_text("node 0", timeout=10_000)
    press(cell, "Pause")
    expect(cell.get_by_role("button", name="Play", exact=True)).to_be_visible()


def test_all_by_keyboard(notebook_page) -> None:
    notebook_page.open_and_run(notebook(ALPHABETA, ASK=False))
    cell = notebook_page.cell("stepper")
    cell.get_by_role("button", name="Next", exact=True).focus()
    notebook_page.page.keyboard.press("Enter")
    expect(sentence(cell)).to_contain_text("Start at the root")
    notebook_page.page.keyboard.press("Tab")
    notebook_page.page.keyboard.press("Enter")
    expect(sentence(cell)).to_contain_text("The root is worth 3")


def test_it_is_dragged_through(notebook_page) -> None:
    notebook_page.open_and_run(notebook(ALPHABETA, ASK=False))
    cell = notebook_page.cell("stepper")
    handle, track = cell.get_by_role("slider"), cell.locator(".slider-container")
    start, end = handle.bounding_box(), track.bounding_box()
    y = start["y"] + start["height"] / 2
    mouse = notebook_page.page.mouse
    mouse.move(start["x"] + start["width"] / 2, y)
    mouse.down()
    mouse.move(end["x"] + end["width"] / 2, y, steps=10)
    expect(sentence(cell)).not_to_contain_text("Nothing has happened")
    mouse.move(end["x"] + end["width"] + 20, y, steps=10)
    mouse.up()
    expect(sentence(cell)).to_have_text("The root is worth 3, and the best action is 0.")
    cell.get_by_label("Step").fill("1")
    notebook_page.page.keyboard.press("Enter")
    expect(handle).to_have_attribute("aria-valuenow", "1.0")
    press(cell, "Next")
    expect(handle).to_have_attribute("aria-valuenow", "2.0")


def test_it_can_be_seen(notebook_page) -> None:
    both = notebook(ALPHABETA, ASK=True)
    both.cells[1] = new_code_cell(MCTS.strip().replace("SOLVER", "True"), id="mcts")
    notebook_page.open_and_run(both)
    for cell_id, step in (("stepper", 20), ("mcts", 17)):
        notebook_page.cell(cell_id).get_by_label("Step").fill(str(step))
        notebook_page.page.keyboard.press("Enter")
    for theme in ("light", "dark"):
        notebook_page.theme(theme)
        for size in SIZES:
            notebook_page.size(*size)
            for cell_id in ("stepper", "mcts"):
                cell = notebook_page.cell(cell_id)
                expect(cell.locator(".gl-tree svg").first).to_be_visible()
                notebook_page.screenshot(f"stepper-{cell_id}-{theme}-{size[0]}")


FILL_IN = """
from gamelib import GameTree
from course import FillInTree
tree = FillInTree(GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), cuts=CUTS)
tree
"""


def fill_in(cuts: bool) -> NotebookNode:
    notebook_ = notebook(FILL_IN, CUTS=cuts)
    notebook_.cells.pop()
    return notebook_


def test_values_filled_in_wrong_and_right_by_keyboard_alone(notebook_page) -> None:
    notebook_page.open_and_run(fill_in(False))
    cell, keyboard = notebook_page.cell("stepper"), notebook_page.page.keyboard
    cell.get_by_label("Value of node 0", exact=True).focus()
    for value in ("3", "6", "2", "3"):
        keyboard.type(value)
        keyboard.press("Tab")
    keyboard.press("Enter")
    expect(cell.locator(".gl-wrong")).to_have_text(
        "Not yet. Node 1: not 6. Yours is what the other player would take."
    )
    wrong = cell.locator(".gl-wrong-one")
    expect(wrong.get_by_label("Value of node 1", exact=True)).to_have_value("6")
    for value in ("\N{MINUS SIGN}2", "2"):
        for _ in range(3):
            keyboard.press("Shift+Tab")
        keyboard.type(value)
        expect(wrong).to_have_count(0)
        for _ in range(3):
            keyboard.press("Tab")
        keyboard.press("Enter")
        if value != "2":
            expect(cell.locator(".gl-wrong")).to_contain_text("not -2. Min moves here and takes")
            notebook_page.screenshot("fill-in-values-wrong")
    expect(cell.locator(".gl-right")).to_contain_text("the root is worth 3")
    notebook_page.screenshot("fill-in-values")


def test_every_field_lies_on_its_node(notebook_page) -> None:
    notebook_page.open_and_run(fill_in(False))
    cell = notebook_page.cell("stepper")
    for width, height in ((1440, 900), (853, 480)):
        notebook_page.size(width, height)
        for path in ("", "0", "1", "2"):
            named = f"node {path}" if path else "the root"
            field = cell.get_by_label(f"Value of {named}", exact=True).bounding_box()
            shape = cell.locator(f'g.node[data-path="{path}"] polygon').bounding_box()
            assert shape["y"] <= field["y"]
            assert field["y"] + field["height"] <= shape["y"] + shape["height"]
            middles = [box["x"] + box["width"] / 2 for box in (field, shape)]
            assert abs(middles[0] - middles[1]) < 1


def test_cuts_clicked_wrong_and_right(notebook_page) -> None:
    notebook_page.open_and_run(fill_in(True))
    cell = notebook_page.cell("stepper")

    def click(path: str) -> None:
        """Click the middle of an edge, wherever the drawing has it."""
        box = cell.locator(f'g.edge[data-path="{path}"] line').bounding_box()
        x, y = box["x"] + 0.6 * box["width"], box["y"] + 0.6 * box["height"]
        notebook_page.page.mouse.click(x, y)

    press(cell, "Check")
    expect(cell.locator(".gl-note")).to_contain_text("Mark a cut first")
    click("2/2")
    press(cell, "Check")
    expect(cell.locator(".gl-wrong")).to_contain_text("Node 2 → 2 is visited")
    expect(cell.locator(".gl-wrong-one")).to_have_count(1)
    click("2/2")
    click("1/1")
    press(cell, "Check")
    expect(cell.locator(".gl-wrong")).to_contain_text("it is not all")
    click("1/2")
    press(cell, "Check")
    expect(cell.locator(".gl-right")).to_contain_text("11 of 13 nodes")
    expect(cell.locator("[data-kind=cut]")).to_have_count(2)
    notebook_page.theme("dark")
    notebook_page.screenshot("fill-in-cuts-dark")
