"""Boards, playgrounds and quizzes in a real browser."""

import re

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Locator, expect

KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}

SLOW = """
import time
from gamelib import PlayBoard, TicTacToe
def slow(state, stop):
    end = time.monotonic() + 60
    while time.monotonic() < end and not stop():
        sum(range(1000))
    return state.legal_actions()[0]
board = PlayBoard(TicTacToe(), {1: slow})
board
""".strip()

RUN_CELL_100_TIMES = """async () => {
    for (let run = 0; run < 100; run++) {
        await window.jupyterapp.commands.execute('notebook:run-cell');
    }
}"""

# What is wider than its place, or has a scroll bar of its own in the page that scrolls; boards and
# tables too wide for the window may be moved sideways, as pictures may.
CUT_OFF = """output => {
    const bad = [];
    const right = output.getBoundingClientRect().right + 1;
    for (const each of [output, ...output.querySelectorAll('*')]) {
        const style = getComputedStyle(each), box = each.getBoundingClientRect();
        if (!box.width || style.visibility === 'hidden') continue;
        if (each.closest('svg, option, pre')) continue;
        const scrolls = ['auto', 'scroll'].includes(style.overflowY);
        const name = `${each.tagName} ${each.className}: ${each.textContent.slice(0, 30)}`;
        if (scrolls && each.scrollHeight > each.clientHeight + 1) bad.push(`scroll bar: ${name}`);
        const hides = style.overflowX !== 'visible' && each.clientWidth;
        const board = each.closest('.gl-card, .gl-table');
        if (hides && !board && each.scrollWidth > each.clientWidth + 1) bad.push(`cut: ${name}`);
        if (!board && box.right > right) bad.push(`beyond: ${name}`);
    }
    return bad;
}"""

IMPORT = "from gamelib import ConnectFour, Nim, PlayBoard, Playground, TicTacToe\n"
FIRST = "lambda state: state.legal_actions()[0]"


def notebook(*sources: str) -> NotebookNode:
    cells = [new_code_cell(source, id=f"cell-{n}") for n, source in enumerate(sources)]
    return new_notebook(cells=cells, metadata=KERNEL)


def play_board(state: str, agents: str = "") -> NotebookNode:
    return notebook(
        IMPORT + f"board = PlayBoard({state}, {{{agents}}})\nboard",
        "print(board.actions)",
    )


def square(cell: Locator, row: int, col: int, content: str = "empty") -> Locator:
    return cell.get_by_role("button", name=f"row {row}, column {col}, {content}", exact=True)


def output_of(page, cell_id: str) -> str:
    """Return the text that a cell prints when it is run now."""
    page.cell(cell_id)
    page.command("notebook:run-cell")
    output = page.cell(cell_id).locator(".jp-OutputArea-output")
    expect(output).to_be_visible()
    return output.inner_text().strip()


def test_a_game_of_tic_tac_toe_by_mouse(notebook_page) -> None:
    notebook_page.open_and_run(play_board("TicTacToe()", f"1: {FIRST}"))
    cell = notebook_page.cell("cell-0")
    for row, col, answer in [(2, 2, (1, 1)), (3, 3, (1, 2)), (1, 3, (2, 1))]:
        square(cell, row, col).click()
        expect(square(cell, row, col, "X")).to_be_visible()
        expect(square(cell, *answer, "O")).to_be_visible()
    square(cell, 3, 1).click()
    expect(cell.get_by_role("status")).to_have_text("Game over: X won.")
    assert notebook_page.console_errors == []


def test_a_game_of_tic_tac_toe_by_keyboard_alone(notebook_page) -> None:
    notebook_page.open_and_run(play_board("TicTacToe()", f"1: {FIRST}"))
    cell = notebook_page.cell("cell-0")
    square(cell, 1, 1).focus()
    keyboard = notebook_page.page.keyboard
    for steps, place, answer in [(4, (2, 2), (1, 1)), (4, (3, 3), (1, 2))]:
        for _ in range(steps):
            keyboard.press("Tab")
        expect(square(cell, *place)).to_be_focused()
        keyboard.press("Enter")
        expect(square(cell, *answer, "O")).to_be_visible()
        expect(square(cell, *place, "X")).to_be_focused()
    for _ in range(6):
        keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    expect(square(cell, 2, 1, "O")).to_be_visible()
    for _ in range(4):
        keyboard.press("Tab")
    keyboard.press("Enter")
    expect(cell.get_by_role("status")).to_have_text("Game over: X won.")


def test_a_game_of_connect_four_by_mouse(notebook_page) -> None:
    notebook_page.open_and_run(play_board("ConnectFour()", f"1: {FIRST}"))
    cell = notebook_page.cell("cell-0")
    for ply in range(4):
        cell.get_by_role("button", name="column 3: drop a stone").click()
        row = 6 - ply
        expect(
            cell.get_by_role("button", name=f"column 3, row {row} from the top, X")
        ).to_be_visible()
        if ply < 3:
            expect(
                cell.get_by_role("button", name=f"column 0, row {row} from the top, O")
            ).to_be_visible()
            expect(cell.get_by_role("status")).to_have_text("X to move: your turn.")
    expect(cell.get_by_role("status")).to_have_text("Game over: X won.")


def test_a_game_of_nim_by_keyboard(notebook_page) -> None:
    notebook_page.open_and_run(play_board("Nim((1, 2))", f"1: {FIRST}"))
    cell = notebook_page.cell("cell-0")
    cell.get_by_role("button", name="take 1 from heap 1").focus()
    notebook_page.page.keyboard.press("Enter")
    expect(cell.get_by_role("button", name="take 1 from heap 0")).to_be_hidden()
    expect(cell.get_by_role("status")).to_have_text("X to move: your turn.")
    cell.get_by_role("button", name="take 1 from heap 1").focus()
    notebook_page.page.keyboard.press("Enter")
    expect(cell.get_by_role("status")).to_have_text("Game over: X won.")


def test_a_game_of_connect_four_by_keyboard(notebook_page) -> None:
    notebook_page.open_and_run(play_board("ConnectFour(4, 4, 3)", f"1: {FIRST}"))
    cell, keyboard = notebook_page.cell("cell-0"), notebook_page.page.keyboard
    cell.get_by_role("button", name="column 0: drop a stone").focus()
    keyboard.press("Tab")
    for ply in range(3):
        row = 4 - ply
        expect(cell.get_by_role("button", name="column 1: drop a stone")).to_be_focused()
        keyboard.press("Enter")
        here = cell.get_by_role("button", name=f"column 1, row {row} from the top, X")
        expect(here).to_be_focused()
        if ply < 2:
            answer = f"column 0, row {row} from the top, O"
            expect(cell.get_by_role("button", name=answer)).to_be_visible()
            expect(cell.get_by_role("status")).to_have_text("X to move: your turn.")
            keyboard.press("Shift+Tab")
    expect(cell.get_by_role("status")).to_have_text("Game over: X won.")


def test_a_game_of_nim_by_mouse(notebook_page) -> None:
    notebook_page.open_and_run(play_board("Nim((1, 2))", f"1: {FIRST}"))
    cell = notebook_page.cell("cell-0")
    cell.get_by_role("button", name="take 1 from heap 1").click()
    expect(cell.get_by_role("button", name="take 1 from heap 0")).to_be_hidden()
    expect(cell.get_by_role("status")).to_have_text("X to move: your turn.")
    cell.get_by_role("button", name="take 1 from heap 1").click()
    expect(cell.get_by_role("status")).to_have_text("Game over: X won.")


def test_clicks_while_the_agent_thinks_never_become_moves(notebook_page) -> None:
    notebook_page.open_and_run(notebook(SLOW, "print(board.actions)"))
    cell = notebook_page.cell("cell-0")
    for wait in (60, 250, 1000):
        square(cell, 2, 2).click()
        notebook_page.page.wait_for_timeout(wait)
        for place in [(1, 2), (3, 3), (3, 1)]:
            square(cell, *place).dispatch_event("click")
        cell.get_by_role("button", name="Stop").click()
        expect(square(cell, 1, 1, "O")).to_be_visible()
        assert output_of(notebook_page, "cell-1") == "(4, 0)"
        cell.get_by_role("button", name="Restart").click()
        expect(square(cell, 2, 2)).to_be_visible()


def test_a_double_click_is_one_move(notebook_page) -> None:
    notebook_page.open_and_run(play_board("TicTacToe()", f"1: {FIRST}"))
    cell = notebook_page.cell("cell-0")
    here, there = square(cell, 2, 2).element_handle(), square(cell, 3, 3).element_handle()
    notebook_page.page.evaluate("([a, b]) => { a.click(); a.click(); b.click(); }", [here, there])
    expect(square(cell, 1, 1, "O")).to_be_visible()
    assert output_of(notebook_page, "cell-1") == "(4, 0)"


def test_a_playground_runs_and_stops(notebook_page) -> None:
    notebook_page.open_and_run(
        notebook(IMPORT + "Playground(TicTacToe(4, 4, 4), algorithm='minimax')")
    )
    cell = notebook_page.cell("cell-0")
    cell.get_by_role("button", name="Run", exact=True).click()
    expect(cell.get_by_text("This search would visit about")).to_be_visible()
    cell.get_by_role("button", name="Run anyway").click()
    stop = cell.get_by_role("button", name="Stop")
    expect(stop).to_be_enabled()
    notebook_page.page.wait_for_timeout(500)
    stop.click()
    expect(cell.get_by_text(re.compile("stopped", re.IGNORECASE))).to_be_visible()
    expect(cell.get_by_role("button", name="Run", exact=True)).to_be_enabled()


def test_a_playground_says_whether_the_action_is_optimal(notebook_page) -> None:
    notebook_page.open_and_run(notebook(IMPORT + "Playground(TicTacToe.parse('O.X/XX./OO.'))"))
    cell = notebook_page.cell("cell-0")
    cell.get_by_role("button", name="Run", exact=True).click()
    expect(cell.get_by_text("only row 2, column 3 is optimal")).to_be_visible()


def test_a_quiz_has_no_answer_until_one_is_chosen(notebook_page) -> None:
    notebook_page.open_and_run(
        notebook(
            "from gamelib import Quiz\n"
            "Quiz('Is <b> bold?', {'yes': 'It is text.', 'no': 'So it is.'}, correct='no')"
        )
    )
    cell = notebook_page.cell("cell-0")
    expect(cell.get_by_role("radio", checked=True)).to_have_count(0)
    cell.get_by_role("button", name="Check").click()
    expect(cell.get_by_text("Choose an answer first.")).to_be_visible()
    cell.get_by_role("radio", name="yes").check()
    cell.get_by_role("button", name="Check").click()
    expect(cell.get_by_text("Not yet. It is text.")).to_be_visible()
    cell.get_by_role("radio", name="no").check()
    cell.get_by_role("button", name="Check").click()
    expect(cell.get_by_text("Right. So it is.")).to_be_visible()


def test_nothing_is_cut_off(notebook_page) -> None:
    notebook_page.open_and_run(
        notebook(
            IMPORT + "pg = Playground(TicTacToe.parse('O.X/XX./OO.'))",
            "_ = pg.run()\npg",
            "PlayBoard(ConnectFour())",
            "PlayBoard(Nim())",
        )
    )
    for theme in ("light", "dark"):
        notebook_page.theme(theme)
        for size in [(1024, 768), (1440, 900)]:
            notebook_page.size(*size)
            for n in range(1, 4):
                output = notebook_page.cell(f"cell-{n}").locator(".jp-OutputArea-output")
                expect(output.get_by_role("button").first).to_be_visible()
                notebook_page.screenshot(f"play-{n}-{theme}-{size[0]}", output)
                assert output.evaluate("out => out.scrollWidth - out.clientWidth") <= 0


def test_a_seat_is_given_to_another_in_the_list(notebook_page) -> None:
    notebook_page.open_and_run(play_board("TicTacToe(num_players=3)"))
    cell = notebook_page.cell("cell-0")
    cell.get_by_label("O is").select_option("maxn")
    cell.get_by_label("A is").select_option("random")
    square(cell, 2, 2).click()
    expect(cell.get_by_role("status")).to_have_text("X to move: your turn.")
    expect(cell.get_by_role("button", name=re.compile("empty$"))).to_have_count(6)


def test_two_searches_side_by_side(notebook_page) -> None:
    position = "TicTacToe.parse('O.X/XX./OO.')"
    notebook_page.open_and_run(
        notebook(
            IMPORT + f"pg = Playground({position})\npg",
            IMPORT + "board = PlayBoard(TicTacToe(num_players=3))\nboard",
        )
    )
    cell = notebook_page.cell("cell-0")
    cell.get_by_label("Compare with").select_option("alphabeta")
    cell.get_by_role("button", name="Run", exact=True).click()
    answers = cell.locator(".gl-answers > div")
    expect(answers).to_have_count(2)
    expect(answers.nth(0)).to_contain_text("minimax chose row 2, column 3")
    expect(answers.nth(1)).to_contain_text("alphabeta chose row 2, column 3")
    first, second = answers.nth(0).bounding_box(), answers.nth(1).bounding_box()
    assert first["y"] == second["y"]
    for theme in ("light", "dark"):
        notebook_page.theme(theme)
        for n in range(2):
            output = notebook_page.cell(f"cell-{n}").locator(".jp-OutputArea-output")
            expect(output.get_by_role("button").first).to_be_visible()
            notebook_page.screenshot(f"compare-{n}-{theme}", output)


def test_at_200_percent_nothing_is_cut_off(notebook_page) -> None:
    notebook_page.open_and_run(
        notebook(
            IMPORT + "pg = Playground(TicTacToe.parse('O.X/XX./OO.'))",
            "pg.compare_with('mcts', simulations=20)\n_ = pg.run()\npg",
            "PlayBoard(ConnectFour())",
            "PlayBoard(Nim(), {1: lambda state: state.legal_actions()[0]})",
            "from gamelib import depth_lab\nlab = depth_lab(TicTacToe(), (1, 2))\n"
            "_ = lab.run()\nlab",
        )
    )
    notebook_page.command("application:toggle-left-area")
    notebook_page.size(512, 384)  # what 1024 x 768 is at 200 %: half as many CSS pixels
    for n in range(1, 5):
        output = notebook_page.cell(f"cell-{n}").locator(".jp-OutputArea-output")
        expect(output.get_by_role("button").first).to_be_visible()
        notebook_page.screenshot(f"zoomed-{n}", output)
        assert output.evaluate(CUT_OFF) == []


def test_a_hundred_runs_of_a_cell_leave_no_more_than_one(notebook_page) -> None:
    thinking = SLOW.replace("{1: slow}", "{0: slow}")  # as soon as it is shown
    count = (
        "from ipywidgets.widgets.widget import _instances\n"
        "import threading\n"
        "time.sleep(0.5)\n"  # a search hears of its end, and ends
        "print(len(_instances), threading.active_count())"
    )
    notebook_page.open_and_run(notebook(thinking, count))
    expect(notebook_page.cell("cell-0").get_by_role("status")).to_contain_text("is thinking")
    once = output_of(notebook_page, "cell-1")
    notebook_page.cell("cell-0")
    notebook_page.page.evaluate(RUN_CELL_100_TIMES)
    expect(notebook_page.cell("cell-0").get_by_role("status")).to_contain_text("is thinking")
    assert output_of(notebook_page, "cell-1") == once
