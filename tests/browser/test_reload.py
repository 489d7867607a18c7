"""What a notebook shows without its kernel, and on a server that cannot show widgets."""

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from course.widgets.saved_picture import INSTALL, RUN_TO_PLAY
from tests.browser.conftest import Lab, NotebookPage, new_page, notebook

BOARD = """
from course import PlayBoard, check_setup
from gamelib import TicTacToe
PlayBoard(TicTacToe())
""".strip()


def test_reopened_notebook_shows_last_position(notebook_page: NotebookPage) -> None:
    notebook_page.open_and_run(notebook(board=BOARD))
    page, cell = notebook_page.page, notebook_page.cell("board")
    expect(cell.locator(".gl-saved")).not_to_be_visible()
    cell.locator(".gl-spots .jupyter-button:enabled:visible").nth(4).click()
    saved = "img[alt*='row 2: empty X empty']"
    expect(cell.locator(f".gl-saved {saved}")).to_have_count(1)
    notebook_page.command("docmanager:save")
    path = page.evaluate("window.jupyterapp.shell.currentWidget.context.path")
    notebook_page.close()
    notebook_page.load()
    notebook_page.open(path)
    outputs = notebook_page.cell("board").locator(".jp-OutputArea")
    expect(outputs.locator(f".gl-saved {saved}")).to_be_visible()
    expect(outputs).to_have_text(RUN_TO_PLAY, use_inner_text=True)


@pytest.fixture
def bare(browser: Browser, lab: Lab) -> Iterator[NotebookPage]:
    """A page of JupyterLab without the extension of ipywidgets."""
    off = {"disabledExtensions": {"@jupyter-widgets/jupyterlab-manager": True}}
    config = lab.folder.parent / "settings" / "page_config.json"  # read for each page
    config.write_text(json.dumps(off))
    try:
        with new_page(browser, lab) as page:
            page.load()
            yield page
    finally:
        config.unlink()


def test_page_without_widgets_says_what_to_install(bare: NotebookPage) -> None:
    bare.open_and_run(notebook(setup=f"{BOARD}\ncheck_setup()", board=BOARD))
    outputs = bare.cell("setup").locator(".jp-OutputArea")
    expect(outputs).to_contain_text("python -m pip install jupyterlab_widgets")
    board = bare.cell("board").locator(".jp-OutputArea")
    expect(board).to_have_text(INSTALL, use_inner_text=True)
    expect(board.get_by_role("img")).to_be_visible()
