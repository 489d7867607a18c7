"""What is seen when a kernel is interrupted, restarts or dies, and what still works."""

import json
import re
import urllib.request

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import THINKS, notebook

OVER = "The kernel that made this has ended. Run this cell again."
MESSAGE = "panel => getComputedStyle(panel, '::before').content"
WIDGETS = [
    "from gamelib import ConnectFour, GameTree, alphabeta\n"
    "from course import FillInTree, Playground, Predict, SearchStepper, depth_lab, quiz\n"
    "tree = GameTree([[3, 12, 8], [2, 4, 6]])\nPlayground(ConnectFour())",
    "depth_lab(tree, depth=2)",
    "quiz('minimax/value')",
    "SearchStepper(alphabeta, tree, ask=True)",
    "FillInTree(tree)",
    "Predict('How many?')",
]
ICONS = """panel => [...panel.querySelectorAll('*')].filter(each => {
    const before = getComputedStyle(each, '::before');
    return before.display !== 'none' && before.fontFamily.includes('Awesome');
}).map(each => each.className)"""
ENDS = "ends => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel[ends]()"
# Where every square stands on the card, and what is written on it.
SQUARES = """card => [...card.querySelectorAll('.gl-spots button')].map(button => {
    const box = button.getBoundingClientRect(), card_box = card.getBoundingClientRect();
    const written = getComputedStyle(button, '::before');
    return [box.x - card_box.x, box.y - card_box.y, box.width, box.height,
        written.content, written.display, written.fontFamily, written.color, written.alignSelf];
})"""


def status(cell: Locator) -> Locator:
    return cell.locator(".gl-status[role=status]")


def test_toolbar_interrupt_stops_an_agent(notebook_page) -> None:
    notebook_page.open_and_run(notebook(THINKS))
    cell = notebook_page.cell("cell-0")
    expect(status(cell)).to_contain_text("is thinking")
    for _ in range(60):  # the kernel hears of interrupts a moment after its last cell
        notebook_page.command("notebook:interrupt-kernel")
        notebook_page.page.wait_for_timeout(500)
        if "is thinking" not in status(cell).inner_text():
            break
    expect(status(cell)).to_have_text("O to move: your turn.")


@pytest.mark.parametrize("ends", ["restart", "shutdown"])
def test_board_without_kernel_says_so(notebook_page, ends) -> None:
    # A shutdown begins with an interrupt: this agent has no best so far.
    notebook_page.open_and_run(notebook(THINKS.replace("state.legal_actions()[0]", "None")))
    cell = notebook_page.cell("cell-0")
    expect(status(cell)).to_contain_text("is thinking")
    before = cell.locator(".gl-card").evaluate(SQUARES)
    notebook_page.page.evaluate(ENDS, ends)
    expect(status(cell)).to_be_hidden()  # nobody thinks any more
    assert OVER in cell.locator(".gl-panel").evaluate(MESSAGE)
    assert cell.locator(".gl-card").evaluate(SQUARES) == before
    notebook_page.screenshot(f"kernel-{ends}", cell)


def test_disconnected_widgets_hide_broken_link_icon(notebook_page) -> None:
    notebook_page.open_and_run(notebook(*WIDGETS))
    for n in range(len(WIDGETS)):
        expect(notebook_page.cell(f"cell-{n}").locator(".gl-panel").first).to_be_visible()
    notebook_page.page.evaluate(ENDS, "restart")
    for n in range(len(WIDGETS)):
        panel = notebook_page.cell(f"cell-{n}").locator(".gl-panel").first
        expect(panel).to_have_class(re.compile("jupyter-widgets-disconnected"))
        assert OVER in panel.evaluate(MESSAGE)
        assert panel.evaluate(ICONS) == []


ANSWERS = """
from course import PlayBoard
from gamelib import SearchAgent, TicTacToe, mcts
PlayBoard(TicTacToe(), {1: SearchAgent(mcts, simulations=100, rng=1)})
""".strip()
SETTING = "@jupyterlab/apputils-extension:kernels-settings"


@pytest.fixture(scope="module")
def choose_setting(lab, window):
    """Return a function that loads JupyterLab with some settings, in place of the usual ones."""

    def choose(**settings):
        raw = json.dumps({"raw": json.dumps(settings)}).encode()
        headers = {"Authorization": f"token {lab.token}", "Content-Type": "application/json"}
        url = f"{lab.url}/lab/api/settings/{SETTING}"
        urllib.request.urlopen(urllib.request.Request(url, raw, headers, method="PUT")).close()
        window.load()

    yield choose
    choose()


# The third way, "perComm", is a thread and some sockets for each part of a widget: a kernel has no
# more than 1,023 sockets, and a board or two need them all.  docs/install.md says what to do.
@pytest.mark.parametrize("subshells", ["disabled", "perCommTarget"])
def test_board_works_with_each_subshell_setting(choose_setting, notebook_page, subshells) -> None:
    choose_setting(commsOverSubshells=subshells)
    notebook_page.open_and_run(notebook(ANSWERS, THINKS))
    for _ in range(3):
        cell = notebook_page.cell("cell-0")
        cell.get_by_role("button", name="New game").click()
        for number in range(2):
            cell.locator(".gl-spots button:enabled").nth(number).click()
            expect(status(cell)).to_contain_text("your turn")
        cell = notebook_page.cell("cell-1")
        cell.get_by_role("button", name="New game").click()
        expect(status(cell)).to_contain_text("is thinking")
        cell.get_by_role("button", name="Stop").click()
        expect(status(cell)).not_to_contain_text("is thinking")
