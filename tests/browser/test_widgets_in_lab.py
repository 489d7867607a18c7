import json
import os
import sys

import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

from tests.browser.conftest import notebook
from tools.refresh_notebooks import NOTEBOOK_METADATA

COUNTER = """
import ipywidgets as widgets
button = widgets.Button(description="Add", tooltip="Add one")
label = widgets.HTML("<b>0</b>")
button.on_click(lambda _: setattr(label, "value", f"<b>{int(label.value[3:-4]) + 1}</b>"))
widgets.VBox([button, label])
"""


def test_kernel_is_the_chosen_python(notebook_page) -> None:
    notebook_page.open_and_run(notebook("import sys; print(sys.executable)"))
    output = notebook_page.cell("cell-0").locator(".jp-OutputArea-output")
    expect(output).to_have_text(os.environ.get("KERNEL_PYTHON") or sys.executable)


def test_failing_cell_ends_the_run(notebook_page) -> None:
    cells = [
        new_code_cell("1 / 0", id="meant", metadata={"tags": ["raises-exception"]}),
        new_code_cell("int('x')", id="broken"),
        new_code_cell("1 + 1", id="never"),
    ]
    with pytest.raises(AssertionError, match="cell broken: ValueError: invalid literal"):
        notebook_page.open_and_run(new_notebook(cells=cells, metadata=NOTEBOOK_METADATA))


BESIDE = """
from gamelib import ConnectFour, TicTacToe, mcts
from course import PlayBoard, SearchStepper
PlayBoard(TicTacToe())
""".strip()
STEPPER = "SearchStepper(mcts, ConnectFour(), simulations=30, rng=0)"


def styled_anew(notebook_page, act) -> int:
    """Return the largest number of elements that the browser restyles at once after a click."""
    page = notebook_page.page
    page.context.browser.start_tracing(page=page, categories=["devtools.timeline"])
    act()
    page.wait_for_timeout(500)
    events = json.loads(page.context.browser.stop_tracing())["traceEvents"]
    clicks = [e["ts"] for e in events if e.get("args", {}).get("data", {}).get("type") == "click"]
    updates = [e for e in events if e["name"] == "UpdateLayoutTree" and e["ts"] > clicks[-1]]
    # The browser names the number when an update ends, so the last one may lack it.
    return max((e["args"].get("elementCount", 0) for e in updates), default=0)


def test_click_restyles_few_elements(notebook_page) -> None:
    # JupyterLab says busy and idle at each click: a rule with :has made of that 1,500 elements.
    notebook_page.open_and_run(notebook(counter=COUNTER, board=BESIDE, stepper=STEPPER))
    for cell, which in (("counter", ""), ("board", ".gl-spots "), ("stepper", "")):
        buttons = notebook_page.cell(cell).locator(f"{which}.jupyter-button:enabled:visible")
        buttons.last.click()  # the first click chooses the cell, too
        notebook_page.page.wait_for_timeout(500)
        assert styled_anew(notebook_page, buttons.first.click) < 200, cell
