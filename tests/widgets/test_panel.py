import re
from collections import Counter
from pathlib import Path

import pytest
from ipywidgets import HTML

from course import FillInTree, Lab, PlayBoard, Playground, Predict, Quiz, SearchStepper
from course.widgets import panel
from course.widgets.panel import cell_text
from gamelib import GameTree, Nim, TicTacToe, minimax
from tests.widgets.conftest import first, live_widgets


@pytest.fixture
def run_cell(monkeypatch):
    """Return a function that runs something as a cell of a notebook would."""
    runs = iter(range(1000))

    def run(cell: str, make):
        number = next(runs)
        monkeypatch.setattr(panel, "running_cell", lambda: (cell, f"run {number}"))
        return make()

    return run


def test_rerun_cell_leaves_no_extra_widgets(run_cell) -> None:
    def make():
        PlayBoard(TicTacToe(2, 2, 2), {1: first}).click(0)

    run_cell("b", make)
    once = live_widgets()
    for _ in range(9):
        run_cell("b", make)
    assert live_widgets() == once


def test_panels_of_one_cell_close_together(run_cell) -> None:
    def pair():
        return Playground(TicTacToe()), Quiz("?", {"a": "yes", "b": "no"}, correct="a")

    other = run_cell("c", lambda: Playground(TicTacToe()))
    former = run_cell("e", pair)
    assert all(each.comm is not None for each in former)
    latter = run_cell("e", pair)
    assert all(each.comm is None for each in former)
    assert all(each.comm is not None for each in (*latter, other))
    former[0].close()  # once more


def test_table_formats_cells() -> None:
    values = [None, True, 549_946, 0.123456, 2.0, "X"]
    assert [cell_text(value) for value in values] == ["", "yes", "549,946", "0.1235", "2", "X"]


EVIL = "<img src=x onerror=alert(1)>"


class Evil(Nim):
    """A game of a learner's own, shown as a list of its actions."""

    def __str__(self) -> str:
        return EVIL


def evil_agent(state):
    raise ValueError(EVIL)


evil_agent.name = evil_agent.__name__ = EVIL


def after(widget, *acts):
    """Return a widget after something was done with it."""
    for act in acts:
        act(widget)
    return widget


MADE = {
    "play board": lambda: after(PlayBoard(TicTacToe(), {1: evil_agent}), lambda it: it.click(4)),
    "game without spots": lambda: PlayBoard(Evil((50, 50))),
    "playground": lambda: after(
        Playground(searches={EVIL: first}),
        lambda it: it.run(EVIL),
        lambda it: it._text.set_trait("value", EVIL),
    ),
    "lab": lambda: after(
        Lab(EVIL, lambda progress, stop: [{EVIL: EVIL}], ask=(Predict(EVIL), lambda rows: 1)),
        Lab.run,
    ),
    "quiz": lambda: after(
        Quiz(EVIL, {EVIL: EVIL, "b": ""}, correct="b"), lambda it: it.answer(EVIL)
    ),
    "guess": lambda: Predict(EVIL, [EVIL, "b"]).answer(EVIL),
    "tree": lambda: after(
        FillInTree(GameTree([[1, 2], [3, 4]])), lambda it: it.fill({(): EVIL}), FillInTree.check
    ),
    "stepper": lambda: after(
        SearchStepper(minimax, Evil((1, 1)), ask=True),
        lambda it: it._as_text.set_trait("value", True),
        SearchStepper.last,
    ),
}


@pytest.mark.parametrize("kind", MADE)
def test_learner_text_is_escaped(kind) -> None:
    shown = [part.value for part in panel._tree(MADE[kind]()) if isinstance(part, HTML)]
    assert any("img" in html for html in shown) or kind == "stepper"
    assert not any("<img" in html for html in shown)


def test_class_alone_is_styled_in_one_sheet():
    """A second sheet would change other widgets, too, once its widget has been shown."""
    folder = Path(panel.__file__).parent
    sheets = [path for path in folder.glob("*.css") if path.stem != "stepper_export"]
    alone = re.compile(r"^(\.gl-[\w-]+) \{", re.M)
    found = [name for path in sheets for name in set(alone.findall(path.read_text("utf-8")))]
    assert [name for name, times in Counter(found).items() if times > 1] == []
