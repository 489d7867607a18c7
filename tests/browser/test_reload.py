"""What a notebook shows without its kernel, and on a server that cannot show widgets."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from course.widgets.saved_picture import INSTALL, RUN_TO_PLAY
from tests.browser import conftest
from tests.browser.conftest import (
    CLOSE,
    END_KERNEL,
    NotebookPage,
    new_page,
    notebook,
    running_lab,
)

BOARD = """
from course import PlayBoard, check_setup
from gamelib import TicTacToe
PlayBoard(TicTacToe())
""".strip()


def test_reopened_notebook_shows_last_position(browser: Browser, lab: conftest.Lab) -> None:
    with new_page(browser, lab) as reopened:
        reopened.load()
        reopened.open_and_run(notebook(board=BOARD))
        page, cell = reopened.page, reopened.cell("board")
        expect(cell.locator(".gl-saved")).not_to_be_visible()
        cell.locator(".gl-spots .jupyter-button:enabled:visible").nth(4).click()
        saved = "img[alt*='row 2: empty X empty']"
        expect(cell.locator(f".gl-saved {saved}")).to_have_count(1)
        reopened.command("docmanager:save")
        path = page.evaluate("window.jupyterapp.shell.currentWidget.context.path")
        page.evaluate(END_KERNEL)
        page.evaluate(CLOSE)
        reopened.load()
        reopened.open(path)
        outputs = reopened.cell("board").locator(".jp-OutputArea")
        expect(outputs.locator(f".gl-saved {saved}")).to_be_visible()
        expect(outputs).to_have_text(RUN_TO_PLAY, use_inner_text=True)


@pytest.fixture
def bare(browser: Browser, tmp_path, monkeypatch) -> Iterator[NotebookPage]:
    """A page of a JupyterLab without the extension of ipywidgets."""
    command = conftest.lab_command

    def without_widgets(home, *options):
        words = command(home, *options)
        off = {"disabledExtensions": {"@jupyter-widgets/jupyterlab-manager": True}}
        (home / "settings" / "page_config.json").write_text(json.dumps(off))
        return words

    monkeypatch.setattr(conftest, "lab_command", without_widgets)
    with running_lab(tmp_path) as lab, new_page(browser, lab) as page:
        page.load()
        yield page


def test_page_without_widgets_says_what_to_install(bare: NotebookPage) -> None:
    bare.open_and_run(notebook(setup=f"{BOARD}\ncheck_setup()", board=BOARD))
    outputs = bare.cell("setup").locator(".jp-OutputArea")
    expect(outputs).to_contain_text("python -m pip install jupyterlab_widgets")
    board = bare.cell("board").locator(".jp-OutputArea")
    expect(board).to_have_text(INSTALL, use_inner_text=True)
    expect(board.get_by_role("img")).to_be_visible()
