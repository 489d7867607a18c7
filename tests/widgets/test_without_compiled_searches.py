"""Widgets where Numba does not work: the readable searches answer, and it is said why."""

import sys
from importlib import import_module

import pytest

from course import PlayBoard, Playground
from gamelib import ConnectFour, TicTacToe
from tests.fresh import fresh
from tests.widgets.conftest import asked

tier = import_module("gamefast.fast")
WHY = "NUMBA_DISABLE_JIT=1 switches off"


@pytest.fixture
def broken(monkeypatch):
    monkeypatch.setattr(tier, "_failed", "")
    monkeypatch.setattr(tier, "find_spec", lambda name: "found, but it does not work")
    monkeypatch.setitem(sys.modules, tier.SEARCHES, None)


def test_playground_uses_readable_search(broken) -> None:
    playground = Playground(TicTacToe.parse("O.X/XX./OO."))
    assert playground.run().value == 1
    assert not playground.runs[-1].compiled
    assert "import of gamefast" in playground._engine.value
    playground.run("alphabeta")
    assert len(playground.runs) == 2


def test_play_board_finds_exact_values(broken) -> None:
    board = asked(PlayBoard(ConnectFour(2, 3, 2)), "Verdicts")
    assert any("win" in look.text for look in board._board.square_styles.values())
    assert board._engine.value


def test_no_warning_if_compiled_searches_work() -> None:
    playground = Playground(TicTacToe.parse("O.X/XX./OO."))
    playground.run()
    assert playground._engine.value == ""


PROGRAM = """
from course import PlayBoard, Playground
from gamelib import ConnectFour
playground, board = Playground(), PlayBoard(ConnectFour(2, 3, 2))
print(playground.run().value, playground.runs[-1].compiled)
print(playground._engine.value)
board._buttons["Hint"].click()
board.wait()
print(board._remark)
"""


def test_widgets_work_with_numba_disabled() -> None:
    pytest.importorskip("numba")
    done = fresh("-c", PROGRAM, NUMBA_DISABLE_JIT="1")
    assert done.stdout.startswith("0 False\n"), done.stderr
    assert WHY in done.stdout
    assert "Proven: X wins after every action." in done.stdout


def test_missing_numba_is_named(broken, monkeypatch) -> None:
    monkeypatch.setattr(tier, "find_spec", lambda name: None)
    playground = Playground(TicTacToe.parse("O.X/XX./OO."))
    playground.run()
    assert tier.INSTALL.split("`")[1] in playground._engine.value


def test_code_that_is_not_stored_is_named(monkeypatch) -> None:
    monkeypatch.setattr("course.widgets.panel.storage_failure", lambda: "the disk is full")
    playground = Playground(TicTacToe.parse("O.X/XX./OO."))
    playground.run()
    assert "the disk is full" in playground._engine.value
