"""Boards, playgrounds and quizzes in a real browser."""

import re

from nbformat import NotebookNode
from playwright.sync_api import Locator, expect

from tests.browser.conftest import THINKS, notebook, status
from tests.messages import broken

RUN_CELL_10_TIMES = """async () => {
    for (let run = 0; run < 10; run++) {
        await window.jupyterapp.commands.execute('notebook:run-cell');
    }
}"""

# Without waiting for its end.
BEGIN_CELL = "() => { window.jupyterapp.commands.execute('notebook:run-cell'); }"

# What is wider than its place, or has a scroll bar of its own in the page that scrolls; boards,
# trees and tables too wide for the window may be moved sideways, as pictures may.
CUT_OFF = """output => {
    const bad = [], ARROW = 16;  // pixels at the end of a list
    const right = output.getBoundingClientRect().right + 1;
    for (const each of [output, ...output.querySelectorAll('*')]) {
        const style = getComputedStyle(each), box = each.getBoundingClientRect();
        if (!box.width || style.visibility === 'hidden') continue;
        if (each.closest('svg, option, pre, .gl-program')) continue;  // a program goes to its line
        const scrolls = ['auto', 'scroll'].includes(style.overflowY);
        const name = `${each.tagName} ${each.className}: ${each.textContent.slice(0, 30)}`;
        const over = each.scrollHeight > each.clientHeight + 1;
        if (scrolls && over) bad.push(`scroll bar: ${name}`);
        const hides = style.overflowX !== 'visible' && each.clientWidth;
        const board = each.closest('.gl-card, .gl-table, .gl-tree');
        if (hides && !board && each.scrollWidth > each.clientWidth + 1) bad.push(`cut: ${name}`);
        if (!board && box.right > right) bad.push(`beyond: ${name}`);
    }
    const pen = document.createElement('canvas').getContext('2d');
    for (const list of output.querySelectorAll('select')) {
        if (!list.clientWidth) continue;
        const style = getComputedStyle(list);
        const room = list.clientWidth - parseFloat(style.paddingLeft);
        pen.font = style.font;
        for (const option of list.options) {
            const spare = room - ARROW - pen.measureText(option.text).width;
            if (spare < 0) bad.push(`cut option: ${option.text}, ${spare}`);
        }
    }
    return bad;
}"""

# A game of a student's own, without a board: its actions are a list.
COUNTDOWN = """
from gamelib import GameState, IllegalActionError
class Countdown(GameState):
    def __init__(self, left, player=0):
        self.left, self.player = left, player
    num_players = 2
    @property
    def current_player(self): return self.player
    def legal_actions(self): return tuple(n for n in ("one", "two") if size(n) <= self.left)
    def successor(self, action):
        if action not in self.legal_actions():
            raise IllegalActionError(f"{action} of {self.left}")
        return Countdown(self.left - size(action), 1 - self.player)
    def is_terminal(self): return self.left == 0
    def utilities(self): return (-1, 1) if self.player == 0 else (1, -1)
    def __str__(self): return f"{self.left} <b>left</b>"
    def __hash__(self): return hash((self.left, self.player))
    def __eq__(self, other): return (self.left, self.player) == (other.left, other.player)
def size(name): return {"one": 1, "two": 2}[name]
PlayBoard(Countdown(7), {1: lambda state: state.legal_actions()[0]})
""".strip()

IMPORT = (
    "from gamelib import ConnectFour, Nim, TicTacToe\nfrom course import PlayBoard, Playground\n"
)
FIRST = "lambda state: state.legal_actions()[0]"


def play_board(state: str, agents: str = "") -> NotebookNode:
    board = f"board = PlayBoard({state}, {{{agents}}})\nboard"
    return notebook(IMPORT + board, "print(board.actions)")


def square(cell: Locator, row: int, col: int, content: str = "empty") -> Locator:
    return cell.get_by_role("button", name=re.compile(f", row {row}, column {col}, {content}$"))


def output_of(page, cell_id: str) -> str:
    """Return the text that a cell prints when it is run now."""
    page.cell(cell_id)
    page.command("notebook:run-cell")
    output = page.cell(cell_id).locator(".jp-OutputArea-output")
    expect(output).to_be_visible()
    return output.inner_text().strip()


def stones(cell: Locator, player: str) -> Locator:
    """Return a player's stones: they tell that a move is played, while "your turn" may be old."""
    return cell.get_by_role("button", name=re.compile(f"from the top, {player}\\b"))


GAMES = ("TicTacToe()", "ConnectFour(4, 4, 3)", "Nim((1, 2))")
WON = "You won."


def all_games() -> NotebookNode:
    """Return a notebook with every kind of board, each against the agent of the first action."""
    boards = [IMPORT + f"PlayBoard({game}, {{1: {FIRST}}})" for game in GAMES]
    return notebook(*boards, COUNTDOWN)


def test_each_board_is_playable_by_mouse(notebook_page) -> None:
    notebook_page.open_and_run(all_games())

    cell = notebook_page.cell("cell-0")
    for row, col, answer in [(2, 2, (1, 1)), (3, 3, (1, 2)), (1, 3, (2, 1))]:
        square(cell, row, col).click()
        expect(square(cell, row, col, "X")).to_be_visible()
        expect(square(cell, *answer, "O")).to_be_visible()
    square(cell, 3, 1).click()
    expect(status(cell)).to_have_text(WON)

    cell = notebook_page.cell("cell-1")
    for row, answers in ((4, 1), (3, 2), (2, 2)):
        cell.get_by_role("button", name="column 3: drop a disc").click()
        mine = cell.get_by_role("button", name=f"column 3, row {row} from the top, X")
        expect(mine).to_be_visible()
        expect(stones(cell, "O")).to_have_count(answers)
        expect(status(cell)).to_have_text("X to move: your turn." if row > 2 else WON)

    cell = notebook_page.cell("cell-2")
    cell.get_by_role("button", name="take 1 from heap 1").click()
    expect(cell.get_by_role("button", name="take 1 from heap 0")).to_be_hidden()
    expect(status(cell)).to_have_text("X to move: your turn.")
    cell.get_by_role("button", name="take 1 from heap 1").click()
    expect(status(cell)).to_have_text(WON)

    cell = notebook_page.cell("cell-3")
    for action, left in (("one", 5), ("one", 3), ("two", 0)):
        cell.get_by_role("button", name=action, exact=True).click()
        expect(cell.get_by_text(f"{left} <b>left</b>", exact=True)).to_be_visible()
        expect(status(cell)).not_to_contain_text("thinking")
    expect(status(cell)).to_have_text("You lost: player 1 won.")
    assert notebook_page.console_errors == []


def test_each_board_is_playable_by_keyboard(notebook_page) -> None:
    notebook_page.open_and_run(all_games())
    keyboard = notebook_page.page.keyboard

    def press(key: str, times: int = 1) -> None:
        for _ in range(times):
            keyboard.press(key)

    cell = notebook_page.cell("cell-0")
    square(cell, 1, 1).focus()
    for key, times, place, answer in [
        ("Tab", 4, (2, 2), (1, 1)),
        ("Tab", 4, (3, 3), (1, 2)),
        ("Shift+Tab", 6, (1, 3), (2, 1)),
        ("Tab", 4, (3, 1), None),
    ]:
        press(key, times)
        expect(square(cell, *place)).to_be_focused()
        press("Enter")
        expect(square(cell, *place, "X")).to_be_focused()
        if answer:
            expect(square(cell, *answer, "O")).to_be_visible()
    expect(status(cell)).to_have_text(WON)

    cell = notebook_page.cell("cell-1")
    cell.get_by_role("button", name="column 0: drop a disc").focus()
    press("Tab")
    for row, answers in ((4, 1), (3, 2), (2, 2)):
        expect(cell.get_by_role("button", name="column 1: drop a disc")).to_be_focused()
        press("Enter")
        here = cell.get_by_role("button", name=f"column 1, row {row} from the top, X")
        expect(here).to_be_focused()
        expect(stones(cell, "O")).to_have_count(answers)
        expect(status(cell)).to_have_text("X to move: your turn." if row > 2 else WON)
        press("Shift+Tab")

    cell = notebook_page.cell("cell-2")
    cell.get_by_role("button", name="take 1 from heap 0").focus()
    for said in ("X to move: your turn.", WON):  # the stone that was taken is behind the next one
        press("Tab")
        expect(cell.get_by_role("button", name="take 1 from heap 1")).to_be_focused()
        press("Enter")
        expect(cell.get_by_role("button", name="take 1 from heap 0")).to_be_hidden()
        expect(status(cell)).to_have_text(said)

    cell = notebook_page.cell("cell-3")
    cell.get_by_role("button", name="one", exact=True).focus()
    for left in (5, 3, 1, 0):
        press("Space")
        expect(cell.get_by_text(f"{left} <b>left</b>", exact=True)).to_be_visible()
        expect(status(cell)).not_to_contain_text("thinking")
    expect(status(cell)).to_have_text(WON)


def test_double_click_plays_one_move(notebook_page) -> None:
    notebook_page.open_and_run(play_board("TicTacToe()", f"1: {FIRST}"))
    cell = notebook_page.cell("cell-0")
    here, there = square(cell, 2, 2).element_handle(), square(cell, 3, 3).element_handle()
    notebook_page.page.evaluate("([a, b]) => { a.click(); a.click(); b.click(); }", [here, there])
    expect(square(cell, 1, 1, "O")).to_be_visible()
    assert output_of(notebook_page, "cell-1") == "(4, 0)"


def test_board_and_newest_answer_fit_one_screen(notebook_page) -> None:
    sizes = {(1440, 900): 740, (1024, 768): 610, (853, 480): 360}
    board = f"PlayBoard(ConnectFour(), {{1: {FIRST}}})"
    ground = "Playground(ConnectFour(), algorithm='mcts')"
    notebook_page.open_and_run(notebook(IMPORT + board, ground))
    notebook_page.command("application:toggle-left-area")
    playground = notebook_page.cell("cell-1")
    place = (
        "e => e.getBoundingClientRect().top - e.closest('.gl-panel').getBoundingClientRect().top"
    )
    before = {}
    for size in sizes:
        notebook_page.size(*size)
        before[size] = playground.locator(".gl-form").evaluate(place)
    playground.get_by_role("button", name="Run", exact=True).click()
    expect(playground.get_by_text("mean for X")).to_be_visible()
    first_lines = ".gl-card, .gl-run button, .gl-told > *"
    form = playground.locator(".gl-form")
    for size, room in sizes.items():
        notebook_page.size(*size)
        assert form.evaluate(place) == before[size], size  # the controls stay where they were
        top, bottom = extent(notebook_page.cell("cell-1"), first_lines)
        assert bottom - top < room, size
        top, bottom = extent(notebook_page.cell("cell-0"), ".gl-card, .gl-status, select, button")
        assert bottom - top < room, size


def extent(cell: Locator, selector: str) -> list[float]:
    """Return the top and the bottom of all that a selector finds in a cell's output, in pixels."""
    return cell.locator(".jp-OutputArea-output").last.evaluate(
        """(output, selector) => {
            const boxes = [...output.querySelectorAll(selector)]
                .map(each => each.getBoundingClientRect()).filter(box => box.width);
            return [Math.min(...boxes.map(b => b.top)), Math.max(...boxes.map(b => b.bottom))];
        }""",
        selector,
    )


EVERY_WIDGET = (
    IMPORT + "from gamelib import GameTree, alphabeta\n"
    "from course import Predict, SearchStepper, depth_lab, quiz",
    "pg = Playground(TicTacToe.parse('O.X/XX./OO.'))\n"
    "pg.compare_with('mcts', simulations=20)\n_ = pg.run()\npg",
    f"PlayBoard(ConnectFour(), {{1: {FIRST}}})",
    f"PlayBoard(Nim(), {{1: {FIRST}}})",
    "PlayBoard(TicTacToe(num_players=3), {2: None})",
    "lab = depth_lab(TicTacToe(), depth=2)\n_ = lab.run()\nlab",
    "quiz('minimax/value')",
    "tree = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])\n"
    "stepper = SearchStepper(alphabeta, tree, ask=True)\nstepper.go_to(12)\nstepper",
    "from course import FillInTree\nFillInTree(tree)",
    "FillInTree(tree, cuts=True)",
    "Predict('How many?')",
    "Playground(ConnectFour())",
    "from gamelib import iterative_deepening, mcts, maxn, SearchAgent\n"
    "PlayBoard(ConnectFour(), {0: SearchAgent(iterative_deepening, seconds=1),\n"
    "    1: SearchAgent(mcts, simulations=500, rng=0)})",
    "board = PlayBoard(TicTacToe(4, 4, 3, num_players=4), {1: SearchAgent(maxn, depth=4)})\n"
    "for player in (2, 3):\n    board._seats.lists[player].value = 'MCTS'\nboard",
    "from course import Bandit\nbandit = Bandit(seed=7)\nbandit.ucb(50)\nbandit",
    "Predict('Which action?', [f'row {row}, column 1' for row in range(8)])",
)

# 512 x 384 is what 1024 x 768 is at 200 %: half as many CSS pixels.
SIZES = [(1024, 768), (1440, 900), (853, 480), (512, 384)]


def test_no_text_is_cut_and_controls_are_named(notebook_page) -> None:
    notebook_page.open_and_run(notebook(*EVERY_WIDGET))
    notebook_page.command("application:toggle-left-area")
    wrong = []
    # The themes differ in colours, and in nothing that could cut a text off.
    for theme, size in [*(("light", size) for size in SIZES), ("dark", SIZES[2])]:
        notebook_page.theme(theme)
        notebook_page.size(*size)
        for n in range(1, len(EVERY_WIDGET)):
            output = notebook_page.cell(f"cell-{n}").locator(".jp-OutputArea-output").last
            expect(output.get_by_role("button").first).to_be_visible()
            wrong += [f"{n}, {theme}, {size}: {what}" for what in output.evaluate(CUT_OFF)]
            wrong += [f"{n}: no name: {line}" for line in nameless(output)]
            if size == SIZES[2]:
                notebook_page.screenshot(f"widget-{n}-{theme}", output)
    rule = "In a widget, nothing may be cut off and every control needs a name. Correct these:"
    assert wrong == [], broken(rule, wrong)


def nameless(output: Locator) -> list[str]:
    """Return the controls that a screen reader could not name, as the browser itself sees them."""
    controls = "button|radio|checkbox|textbox|spinbutton|combobox|slider"
    lines = output.aria_snapshot().splitlines()
    found = [line for line in lines if re.match(rf"\s*- ({controls})(?! \")", line)]
    # ipywidgets gives the handle of a slider no name.  A label next to it does, or a field such as
    # "Step" of the stepper.
    handles = [line for line in found if line.strip().startswith("- slider")]
    if not handles:
        return found
    labels = output.locator(".widget-hslider .widget-label:visible").count()
    fields = ".widget-hslider:has(+ .widget-text), .widget-inline-hbox + .widget-hslider"
    beside = output.locator(fields).filter(visible=True).count()
    named = labels + beside + output.get_by_label("Step", exact=True).count()
    return found if len(handles) > named else [line for line in found if line not in handles]


def test_ten_runs_leave_one_search(notebook_page) -> None:
    count = (
        "from ipywidgets.widgets.widget import _instances\n"
        "import threading, time\n"
        "def searches():\n"
        "    ours = [each.name == 'gamelib search' or isinstance(each, threading.Timer)\n"
        "            for each in threading.enumerate()]\n"
        "    return sum(ours)\n"
        "while searches() > 1: time.sleep(0.01)\n"  # one that was told to stop ends soon
        "print(len(_instances), threading.active_count())"
    )
    notebook_page.open_and_run(notebook(THINKS, count))
    expect(notebook_page.cell("cell-0").get_by_role("status")).to_contain_text("is thinking")
    once = output_of(notebook_page, "cell-1")
    notebook_page.cell("cell-0")
    notebook_page.page.evaluate(RUN_CELL_10_TIMES)
    expect(notebook_page.cell("cell-0").get_by_role("status")).to_contain_text("is thinking")
    assert output_of(notebook_page, "cell-1") == once


def test_click_after_a_later_stop_is_ignored(notebook_page) -> None:
    """Two buttons of a widget may have two threads of the kernel: a busy one hears its clicks late.

    A square that was drawn by the cell belongs to the thread of the cells, Stop to the other.
    """
    answers = THINKS.replace("{0: slow}", "{1: slow}")
    sleeps = "import time; print('sleeps', flush=True); time.sleep(4)"
    notebook_page.open_and_run(
        notebook(answers, "print(board.actions)", "if board.actions: " + sleeps)
    )
    cell = notebook_page.cell("cell-0")
    square(cell, 2, 2).click()
    expect(status(cell)).to_contain_text("is thinking")
    notebook_page.cell("cell-2")
    notebook_page.page.evaluate(BEGIN_CELL)
    expect(notebook_page.cell("cell-2").get_by_text("sleeps", exact=True)).to_be_visible()
    cell = notebook_page.cell("cell-0")
    square(cell, 3, 3).dispatch_event("click")
    cell.get_by_role("button", name="Stop").click()
    expect(square(cell, 1, 1, "O")).to_be_visible()
    assert output_of(notebook_page, "cell-1") == "(4, 0)"


def test_board_of_seven_columns_fits_a_phone(notebook_page) -> None:
    source = (
        "from course import PlayBoard\nfrom gamelib import ConnectFour\nPlayBoard(ConnectFour())"
    )
    notebook_page.open_and_run(notebook(board=source))
    notebook_page.command("application:toggle-left-area")
    cell = notebook_page.cell("board")
    output = cell.locator(".jp-OutputArea-output").last
    notebook_page.size(460, 844)
    bars = 460 - output.evaluate("output => output.clientWidth")
    notebook_page.size(350 + bars, 844)  # what a phone of 390 pixels leaves on the site
    card = cell.locator(".gl-card")
    expect(card.locator(".gl-spots")).to_be_visible()
    assert card.evaluate("card => card.scrollWidth - card.clientWidth") <= 0
