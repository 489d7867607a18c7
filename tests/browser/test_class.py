"""A student's notebook keeps what was done in it, and the lecturer sees it."""

import json

import pytest
from playwright.sync_api import expect

from course.exercises.activity_log import logged_events
from course.exercises.lesson_data import quiz_data
from tests.browser.conftest import notebook
from tools.dashboard.__main__ import main

CELLS = {
    "setup": "from pathlib import Path\n"
    "from course import ClassAnswers, hint, Predict, quiz, share\n"
    "from course.lessons.minimax import check as exercises\n"
    'Path("class").mkdir(exist_ok=True)',
    "share": 'share("class")',
    "class": 'ClassAnswers("class")',
    "predict": 'nodes = Predict("How many nodes?", choices=["nine", "ten"])\nnodes',
    "quiz": 'quiz("minimax/value")',
    "e2": "exercises.check_negamax(lambda state: 0)",
    "compare": 'nodes.compare("ten")',
    "hint": "# not yet",
}
RIGHT = """\
def negamax(state):
    player = state.current_player
    if state.is_terminal():
        return state.utility(player)
    children = map(state.successor, state.legal_actions())
    return max(negamax(c) * (1 if c.current_player == player else -1) for c in children)
exercises.check_negamax(negamax)"""
WRITE = """([id, text]) => {
    const cells = window.jupyterapp.shell.currentWidget.content.widgets;
    cells.find(cell => cell.model.id === id).model.sharedModel.setSource(text);
}"""
RESTART = "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
NEW_KERNEL = """async () => {
    const context = window.jupyterapp.shell.currentWidget.sessionContext;
    await context.shutdown();
    await context.startKernel();
}"""


def run(page, cell, source):
    """Write something into a cell and run it."""
    page.page.evaluate(WRITE, [cell, source])
    page.cell(cell).click()
    page.command("notebook:run-cell")
    expect(page.cell(cell).locator(".jp-InputPrompt").first).not_to_contain_text("*")


def saved(page):
    """Return what the file of the notebook has recorded, after it was saved."""
    page.page.evaluate("() => window.jupyterapp.shell.currentWidget.context.save()")
    path = max(page.lab.folder.glob("copy-*.ipynb"), key=lambda file: file.stat().st_mtime_ns)
    return path, logged_events(json.loads(path.read_text(encoding="utf-8")))


def short(events):
    """Return the kinds of events and what tells them apart."""
    facts = ("guess", "measured", "right", "passed", "number")
    return [(e["kind"], *(e[fact] for fact in facts if fact in e)) for e in events]


DONE = [
    ("attempt", False),
    ("guess", "ten"),
    ("guess", "ten", "ten", True),
    ("quiz", False),
    ("hint", 1),
    ("attempt", True),
]


@pytest.fixture
def done(notebook_page):
    """A notebook with a wrong and a right attempt, a guess, an answer and a hint."""
    page = notebook_page
    page.open_and_run(notebook(**CELLS))
    page.cell("predict").get_by_label("ten").check()
    page.cell("predict").get_by_role("button", name="Keep my guess").click()
    expect(page.cell("predict")).to_contain_text("Your guess: ten")
    screen = page.cell("class")
    expect(screen.locator(".gl-counted")).to_contain_text("1 answered")
    expect(screen.locator("tbody th")).to_have_text(["nine", "ten"])
    run(page, "compare", CELLS["compare"])
    screen = page.cell("class")
    screen.get_by_role("button", name="Right answer").click()
    expect(screen.locator("tbody th")).to_have_text(["nine", "✓ ten (right)"])
    wrong = next(a for a in quiz_data("minimax/value")["answers"] if a != right_answer())
    page.cell("quiz").get_by_label(wrong, exact=True).check()
    page.cell("quiz").get_by_role("button", name="Check").click()
    expect(page.cell("quiz")).to_contain_text("Not yet")
    run(page, "hint", 'hint("02/e2")')
    run(page, "e2", RIGHT)
    expect(page.cell("e2")).to_contain_text("Passed")
    return page


def right_answer():
    return quiz_data("minimax/value")["correct"]


def test_record_survives_restart_and_is_reported(done, tmp_path) -> None:
    expect(done.cell("share")).to_contain_text("guesses 2, quiz answers 1, attempts 2, hints 1")
    done.screenshot("class-share", done.cell("share"))
    # Nothing has been saved yet: a restart and a run of all cells must not lose it.
    done.page.evaluate(RESTART)
    done.run_all()
    assert short(saved(done)[1]) == DONE
    # Another day: all that is left is the file.
    done.page.evaluate(NEW_KERNEL)
    done.run_all()
    path, events = saved(done)
    assert short(events) == DONE
    assert main([str(path), "--out", str(tmp_path / "class.html")]) == 1  # no folder
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / "02_minimax.ipynb").write_bytes(path.read_bytes())
    assert main([str(folder), "--out", str(tmp_path / "class.html")]) == 0
    page = (tmp_path / "class.html").read_text(encoding="utf-8")
    assert "1 notebook, 1 with a record, 1 with answers." in page
    assert "✓ ten (right)" in page
