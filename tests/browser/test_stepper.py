"""The stepper and the fill-in tree, in a real JupyterLab."""

import pytest
from nbformat import NotebookNode
from playwright.sync_api import Locator, expect

from tests.browser.conftest import SIZES, notebook, press, status

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


def stepper_of(code: str, **values: object) -> NotebookNode:
    for name, value in values.items():
        code = code.replace(name, repr(value))
    return notebook(stepper=code)


def go_to(cell: Locator, step: int) -> None:
    """Type the number of a step."""
    press(cell, "More")
    cell.get_by_label("Step", exact=True).fill(str(step))
    cell.get_by_label("Step", exact=True).press("Enter")
    # The kernel sends the slider last: then everything else shows this step, too.
    expect(cell.get_by_role("slider")).to_have_attribute("aria-valuenow", f"{step}.0")
    press(cell, "More")
    expect(cell.locator(".gl-more")).to_be_hidden()


def walk(cell: Locator, button: str, seen: list[str]) -> None:
    """Press a button until it is disabled, and note what is said after each step."""
    control = cell.get_by_role("button", name=button, exact=True)
    while control.is_enabled():
        control.click()
        expect(status(cell)).not_to_have_text(seen[-1])
        seen.append(status(cell).inner_text())


def test_stepper_moves_by_keyboard_slider_and_play(notebook_page) -> None:
    notebook_page.open_and_run(stepper_of(ALPHABETA, ASK=False))
    cell, keyboard = notebook_page.cell("stepper"), notebook_page.page.keyboard
    cell.get_by_role("button", name="Next", exact=True).focus()
    keyboard.press("Enter")
    expect(status(cell)).to_contain_text("Start at the root")
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(status(cell)).to_contain_text("Go down to node 0")
    keyboard.press("Enter")
    expect(cell.get_by_role("button", name="Play", exact=True)).to_be_visible()
    handle, track = cell.get_by_role("slider"), cell.locator(".slider-container")
    handle.press("End")
    expect(status(cell)).to_contain_text("Max plays 0")
    handle.press("Home")
    expect(status(cell)).to_contain_text("Nothing has happened")
    start, end = handle.bounding_box(), track.bounding_box()
    y = start["y"] + start["height"] / 2
    mouse = notebook_page.page.mouse
    mouse.move(start["x"] + start["width"] / 2, y)
    mouse.down()
    mouse.move(end["x"] + end["width"] / 2, y, steps=10)
    expect(status(cell)).not_to_contain_text("Nothing has happened")
    mouse.move(end["x"] + end["width"] + 20, y, steps=10)
    mouse.up()
    expect(status(cell)).to_have_text("Max plays 0: its value, 3, is the best.")
    go_to(cell, 1)
    press(cell, "Next")
    expect(handle).to_have_attribute("aria-valuenow", "2.0")
    press(cell, "Play")
    expect(status(cell)).to_contain_text("leaf, worth 12", timeout=10_000)
    press(cell, "Pause")
    expect(cell.get_by_role("button", name="Play", exact=True)).to_be_visible()


PARTS = """cell => {
    const view = cell.closest('.jp-WindowedPanel-outer');
    const stepper = cell.querySelector('.gl-stepper');
    view.scrollTop += stepper.getBoundingClientRect().top - view.getBoundingClientRect().top - 4;
    const box = element => {
        const {left, top, right, bottom} = element.getBoundingClientRect();
        return [left, top, right, bottom].map(Math.round);
    };
    const names = {controls: '.gl-controls', said: '.gl-said', question: '.gl-question',
        choices: '.gl-choices .jupyter-button:last-child', tree: '.gl-tree', here: '.gl-here',
        program: '.gl-program', runs: '.gl-runs', changes: '.gl-changes', below: '.gl-below',
        table: '.gl-scores table'};
    const boxes = {view: box(view)};
    for (const [name, selector] of Object.entries(names)) {
        const found = cell.querySelector(selector);
        if (found && found.getClientRects().length) boxes[name] = box(found);
    }
    return boxes;
}"""


# What is pointed at has come into view when its animation has ended; buttons with answers come a
# moment after their question.
IS_DRAWN = """cell => {
    const seen = selector => Boolean(cell.querySelector(selector)?.getClientRects().length);
    const animations = cell.querySelector('.gl-here')?.getAnimations() ?? [];
    return animations.every(each => each.playState === 'finished')
        && (!seen('.gl-question') || seen('.gl-choices .jupyter-button:last-child'));
}"""


def parts(cell: Locator) -> dict[str, list[int]]:
    """Return left, top, right and bottom of what is on the screen, the stepper scrolled to."""
    cell.evaluate(PARTS)
    cell.page.wait_for_function(IS_DRAWN, arg=cell.element_handle())
    return cell.evaluate(PARTS)


def inside(small: list[int], large: list[int]) -> bool:
    return all(small[i] >= large[i] - 2 and small[i + 2] <= large[i + 2] + 2 for i in (0, 1))


@pytest.mark.parametrize("code", [ALPHABETA, MCTS], ids=["alphabeta", "mcts"])
def test_stepper_fits_one_screen_without_jumps(notebook_page, code) -> None:
    asking = code.replace("rng=1", "rng=1, ask=True")
    notebook_page.open_and_run(stepper_of(asking, ASK=True, SOLVER=False))
    cell = notebook_page.cell("stepper")
    for size in SIZES:
        notebook_page.size(*size)
        if size[0] < 1000:
            notebook_page.command("application:toggle-left-area")
        places, asked = set(), 0
        for step in (3, 6, 11, 12, 14):
            go_to(cell, step)
            found, told = parts(cell), (size, step)
            for name in ("controls", "said", "tree", "table"):
                assert inside(found[name], found["view"]), (told, name, found)
            assert inside(found["here"], found["tree"]), (told, found)
            assert inside(found["table"], found["below"]), (told, found)
            assert "program" not in found, told  # the line that runs next would be the answer
            if "question" in found:
                asked += 1
                assert inside(found["question"], found["view"]), (told, found)
                assert inside(found["choices"], found["view"]), (told, found)
            across = found["said"][3], *found["tree"], *found["below"], *found.get("program", ())
            places.add(tuple(place - found["view"][1] for place in across))
        assert asked
        assert len(places) == 1, size


def test_program_pane_folds_and_is_complete(notebook_page) -> None:
    notebook_page.open_and_run(stepper_of(ALPHABETA, ASK=False))
    cell, program = notebook_page.cell("stepper"), notebook_page.page.locator(".gl-program")
    fold = cell.get_by_role("checkbox", name="Program")
    for size in SIZES:
        notebook_page.size(*size)
        go_to(cell, 4)
        if size[1] < 600:
            expect(program).to_be_hidden()
            fold.focus()
            notebook_page.page.keyboard.press("Space")
        expect(program).to_contain_text("def value(")
        assert program.evaluate("e => e.scrollHeight <= e.clientHeight + 1"), size
        found = parts(cell)
        assert inside(found["runs"], found["program"]), size
        assert inside(found["changes"], found["program"]), size
        expect(cell.locator(".gl-changes")).to_contain_text("beta: ∞ → 3")
        cell.locator(".gl-fold").click()
        expect(program).to_be_hidden()
        press(cell, "Next")
        expect(program).to_be_hidden()
        if size[1] >= 600:
            cell.locator(".gl-fold").click()


def is_read_at_once(cell: Locator, part: str) -> None:
    """Expect two lines, and no scroll bar."""
    assert cell.locator(part).bounding_box()["height"] > 35
    assert cell.locator(".gl-said").evaluate("e => e.scrollHeight <= e.clientHeight + 1")


def test_two_line_texts_need_no_scrolling(notebook_page) -> None:
    notebook_page.open_and_run(stepper_of(MCTS.replace("=12", "=25"), SOLVER=False))
    notebook_page.size(720, 768)
    notebook_page.command("application:toggle-left-area")
    cell = notebook_page.cell("stepper")
    go_to(cell, 103)
    expect(status(cell)).to_contain_text("Backpropagate 0.5 for X and 0.5 for O")
    is_read_at_once(cell, ".gl-sentence")
    notebook_page.size(*SIZES[-1])
    go_to(cell, 0)
    press(cell, "Ask me")
    walk(cell, "Next", [status(cell).inner_text()])
    press(cell.locator(".gl-choices"), "backpropagate")
    expect(cell.locator(".gl-wrong")).to_contain_text("Try once more.")
    is_read_at_once(cell, ".gl-wrong")


def test_clicking_selects_node_and_changes_leaf(notebook_page) -> None:
    notebook_page.open_and_run(stepper_of(ALPHABETA, ASK=False))
    cell = notebook_page.cell("stepper")
    expect(cell.get_by_text("Click a leaf to change its number.")).to_be_visible()
    go_to(cell, 24)
    expect(status(cell)).to_contain_text("Max plays 0")
    press(cell, "Node 1")
    expect(status(cell)).to_contain_text("Node 1, min: value ≤ 2")
    press(cell, "Node 1 → 0")
    expect(cell.get_by_label("Change the leaf to")).to_be_focused()
    notebook_page.page.keyboard.type("5")
    notebook_page.page.keyboard.press("Enter")
    expect(cell.locator('.node[data-path=""]')).to_have_attribute("data-value", "4")
    expect(cell.locator("[data-kind=cut]")).to_have_count(0)
    press(cell, "Close")
    expect(status(cell)).to_contain_text("Max plays 1: its value, 4, is the best.")
    assert notebook_page.console_errors == []


def test_big_mode_enlarges_the_tree(notebook_page) -> None:
    notebook_page.open_and_run(stepper_of(ALPHABETA, ASK=False))
    cell = notebook_page.cell("stepper")
    tree, big = cell.locator(".gl-tree svg").first, cell.locator(".gl-stepper.gl-big")
    for size in SIZES[:2]:
        notebook_page.size(*size)
        press(cell, "More")
        before = tree.bounding_box()["width"]
        press(cell, "Big")
        expect(big).to_be_visible()
        press(cell, "More")
        found = parts(cell)
        assert tree.bounding_box()["width"] > 1.2 * before
        for name in ("said", "tree", "table"):
            assert inside(found[name], found["view"]), (name, found)
        press(cell, "More")
        press(cell, "Big")
        expect(big).to_have_count(0)
        press(cell, "More")


FILL_IN = """
from gamelib import GameTree
from course import FillInTree
tree = FillInTree(GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), cuts=CUTS)
tree
"""


def fill_in(cuts: bool) -> NotebookNode:
    return stepper_of(FILL_IN, CUTS=cuts)


def test_values_are_entered_and_checked_by_keyboard(notebook_page) -> None:
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
        for _ in range(3):
            keyboard.press("Tab")
        keyboard.press("Enter")
        if value != "2":
            expect(cell.locator(".gl-wrong")).to_contain_text("not -2. Min moves here and takes")
            notebook_page.screenshot("fill-in-values-wrong")
    expect(cell.locator(".gl-right")).to_contain_text("the root is worth 3")
    notebook_page.screenshot("fill-in-values")


def test_fill_in_fields_lie_inside_their_nodes(notebook_page) -> None:
    after = ALPHABETA.replace("ASK", "False")
    notebook_page.open_and_run(notebook(stepper=FILL_IN.replace("CUTS", "False"), after=after))
    notebook_page.command("application:toggle-left-area")
    cell = notebook_page.cell("stepper")
    for width, height in ((1440, 900), (853, 480)):
        notebook_page.size(width, height)
        assert cell.locator(".gl-over").bounding_box()["height"] > 100
        for path in ("", "0", "1", "2"):
            named = f"node {path}" if path else "the root"
            field = cell.get_by_label(f"Value of {named}", exact=True).bounding_box()
            shape = cell.locator(f'g.node[data-path="{path}"] polygon').bounding_box()
            assert shape["y"] <= field["y"]
            assert field["y"] + field["height"] <= shape["y"] + shape["height"]
            middles = [box["x"] + box["width"] / 2 for box in (field, shape)]
            assert abs(middles[0] - middles[1]) < 1
    notebook_page.size(1440, 900)
    places = ".gl-fill .gl-side-by-side", ".gl-over", ".gl-beside"
    room, tree, check = map(cell.locator, places)
    wide = tree.bounding_box()["width"]
    for more in (40, 140, 300):
        now = notebook_page.page.viewport_size["width"]
        notebook_page.size(round(now + wide + more - room.bounding_box()["width"]), 900)
        notebook_page.page.wait_for_timeout(300)
        assert check.bounding_box()["y"] < tree.bounding_box()["y"] + 20, more


def test_cuts_are_marked_and_checked(notebook_page) -> None:
    notebook_page.open_and_run(fill_in(True))
    cell = notebook_page.cell("stepper")

    def click(path: str, marked: int) -> None:
        """Click the middle of an edge, wherever the drawing has it, until so many are marked."""
        line = cell.locator(f'g.edge[data-path="{path}"] line')
        # At once, before it is drawn again.
        box = line.evaluate("line => line.getBoundingClientRect().toJSON()")
        x, y = box["x"] + 0.6 * box["width"], box["y"] + 0.6 * box["height"]
        notebook_page.page.mouse.click(x, y)
        expect(cell.locator("[data-kind=cut]")).to_have_count(marked)

    press(cell, "Check")
    expect(cell.locator(".gl-note")).to_contain_text("Mark a cut first")
    click("2/2", 1)
    press(cell, "Check")
    expect(cell.locator(".gl-wrong")).to_contain_text("Node 2 → 2 is visited")
    expect(cell.locator(".gl-wrong-one")).to_have_count(1)
    click("2/2", 0)
    click("1/1", 1)
    press(cell, "Check")
    expect(cell.locator(".gl-wrong")).to_contain_text("there is more")
    click("1/2", 2)
    press(cell, "Check")
    expect(cell.locator(".gl-right")).to_contain_text("11 of 13 nodes")
    expect(cell.locator("[data-kind=cut]")).to_have_count(2)
    notebook_page.theme("dark")
    notebook_page.screenshot("fill-in-cuts-dark")
