"""Where no board can be shown, the first notebook says what to install; errors are short."""

import builtins
import re
import sys

import pytest
from IPython.core.interactiveshell import InteractiveShell

from course import check_setup
from course.exercises import environment


@pytest.fixture
def only(monkeypatch):
    """Return a function that hides all packages but some."""
    monkeypatch.setattr(environment, "OTHERS", ())

    def only(*there):
        def version(package):
            if package not in there:
                raise environment.PackageNotFoundError(package)
            return "1.0"

        monkeypatch.setattr(environment, "version", version)

    return only


@pytest.mark.parametrize("manager", [*environment.MANAGERS, None])
def test_check_setup_is_silent_with_widget_manager(manager, only, capsys, monkeypatch):
    only("ipywidgets", manager)
    monkeypatch.setattr(environment, "OTHERS", (manager is None,))  # an editor brings its own
    check_setup()
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("there", "missing"), [([], "ipywidgets"), (["ipywidgets"], "jupyterlab_widgets")]
)
def test_check_setup_names_missing_package(there, missing, only, capsys):
    only(*there)
    check_setup()
    said = capsys.readouterr().out
    assert f"{missing} is missing" in said
    assert f"%pip install {missing}\n" in said
    assert "Close JupyterLab, and start it again." in said


class Page:
    """A shell whose page opens and closes widgets; `shown` is what the cell displays."""

    def __init__(self, cell: str | None) -> None:
        self.shown: list[str] = []
        self.display_pub = self
        self.cell = {"cellId": cell} if cell else {}

    def get_parent(self):
        return {"header": {"msg_id": "1"}, "metadata": self.cell}

    def publish(self, data, *, transient, update=False):
        self.shown[-1:] = [data["text/plain"]] if update else [*self.shown[-1:], data["text/plain"]]

    def create_comm(self, **opened):
        self.opened = opened
        return self

    def on_close(self, callback):
        self.close = callback


@pytest.fixture
def page(monkeypatch):
    """Return a function that runs `check_setup` in a cell, and returns its page."""
    monkeypatch.setattr(environment, "OTHERS", ())
    monkeypatch.setattr(environment, "is_installed", lambda package: True)

    def page(cell):
        made = Page(cell)
        monkeypatch.setitem(sys.modules, "comm", made)
        monkeypatch.setattr(builtins, "get_ipython", lambda: made, raising=False)
        check_setup()
        return made

    return page


def test_page_that_keeps_the_widget_shows_nothing(page):
    shown = page("a cell")
    assert shown.opened["target_name"] == "jupyter.widget"
    assert shown.shown == [""]


def test_page_that_closes_widget_shows_advice(page):
    shown = page("a cell")
    shown.close({})
    assert shown.shown == [environment.CANNOT_SHOW_MESSAGE]
    assert "pip install jupyterlab_widgets" in shown.shown[0]


def test_run_without_a_page_asks_nothing(page):
    shown = page(None)
    assert shown.shown == []
    assert not hasattr(shown, "opened")


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("TicTacToe().play(4, 4)", "IllegalActionError"),
        ("minimax(TicTacToe(), depth=1, evaluate=lambda s, p: 9)", "ValueError"),
        ("minimax(TicTacToe(), depth=1, evaluate=mine)", "in mine(state, player)"),
    ],
)
def test_library_errors_have_short_tracebacks(program, said, capsys):
    shell = InteractiveShell()
    environment.short_tracebacks(shell)
    shell.run_cell(f"""from gamelib import minimax, TicTacToe
def mine(state, player):
    return int("no number")
{program}""")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out)
    assert said in shown
    assert len(shown.splitlines()) < 20
    assert "gamelib/" not in shown
