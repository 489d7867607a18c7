"""Measure waiting times in a real browser: start of JupyterLab, *Run all* of a notebook, a click.

`python -m tools.benchmarks latency` takes some minutes.  It stores its figures in `latency.csv` and
writes them to docs/speed.md.  It needs Chromium and JupyterLab, like `make browser`.
"""

import os
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "browser"))

from conftest import (
    ALL_CELLS_HAVE_RUN,
    END_KERNEL,
    KERNEL_IS_READY,
    new_page,
    running_browser,
    running_lab,
)

from tools.benchmarks.peers import LATENCY, store_table, stored_table

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
GAMES = 4
# Notes when each code cell is first done: cells run one after the other, so the time from one to
# the next is that of a cell.  What is not drawn, a background page would not time: so it is asked.
WATCH_CELLS = """() => {
    const cells = window.jupyterapp.shell.currentWidget.content.widgets
        .filter(cell => cell.model.type === 'code' && cell.model.sharedModel.source.trim());
    const started = performance.now(), done = {};
    window.cellTimes = () => {
        let last = started, longest = ['', 0];
        for (const cell of cells) {
            const took = (done[cell.model.id] ?? last) - last;
            if (took > longest[1]) longest = [cell.model.id, took];
            last += took;
        }
        return longest;
    };
    for (const cell of cells) cell.model.stateChanged.connect((_, change) => {
        if (change.name === 'executionCount' && change.newValue)
            done[cell.model.id] ??= performance.now();
    });
}"""

# The milliseconds from a click until the page shows what it should: `seen` is asked at every change
# of the page.
CLICK = """([clicked, place, seen]) => new Promise((resolve, reject) => {
    const shows = eval(seen);
    const started = performance.now();
    const observer = new MutationObserver(() => {
        if (!shows(clicked)) return;
        observer.disconnect();
        resolve(performance.now() - started);
    });
    setTimeout(() => reject(Error('no answer within 30 seconds')), 30000);
    const all = {attributes: true, childList: true, characterData: true, subtree: true};
    observer.observe(place, all);
    clicked.click();
})"""
SHOWS_STONE = "square => /^.[XO]/.test(getComputedStyle(square, '::before').content)"


def time_first_board(page: Any) -> float:
    """Return the seconds until the first notebook shows its board, from opening the page on."""
    started = perf_counter()
    name = page.lab.copy(NOTEBOOKS / "00_start_here.ipynb")
    page.page.goto(f"{page.lab.url}/lab/tree/{name}?token={page.lab.token}&reset")
    page.page.wait_for_function(KERNEL_IS_READY, timeout=180_000)
    page.command("notebook:run-all-cells")
    page.cell("opponent-a").locator(".gl-card button").first.wait_for(timeout=180_000)
    return perf_counter() - started


def time_run_all(page: Any, notebook: Path) -> tuple[float, str, float]:
    """Return the seconds of Run all, and its longest cell with its seconds."""
    name = page.lab.copy(notebook)
    page.page.goto(f"{page.lab.url}/lab/tree/{name}?token={page.lab.token}&reset")
    page.page.wait_for_function(KERNEL_IS_READY, timeout=180_000)
    page.page.evaluate(WATCH_CELLS)
    started = perf_counter()
    page.run_all()
    seconds = perf_counter() - started
    cell, milliseconds = page.page.evaluate("() => window.cellTimes()")
    page.page.evaluate(END_KERNEL)
    return seconds, cell, milliseconds / 1000


def time_click(page: Any, cell: Any, clicked: Any, seen: str) -> float:
    """Return the milliseconds from one click to its answer."""
    milliseconds = page.evaluate(CLICK, [clicked.element_handle(), cell.element_handle(), seen])
    page.wait_for_timeout(400)
    return float(milliseconds)


def click_times(page: Any) -> list[float]:
    """Return the milliseconds from clicks on the first board to the stone."""
    board = page.cell("opponent-a")
    times = []
    for _ in range(GAMES):
        times.append(
            time_click(page.page, board, board.locator(".gl-card button").nth(4), SHOWS_STONE)
        )
        board.get_by_role("button", name="New game").click()
        page.page.wait_for_timeout(300)
    return times


def main() -> None:
    started = perf_counter()
    with (
        tempfile.TemporaryDirectory() as home,
        running_lab(Path(home)) as lab,
        running_browser() as browser,
    ):
        rows = [["JupyterLab answers", f"{perf_counter() - started:.1f} s", "", ""]]
        with new_page(browser, lab) as page:
            rows.append(
                ["the page, a kernel, the first board", f"{time_first_board(page):.1f} s", "", ""]
            )
            page.page.wait_for_function(ALL_CELLS_HAVE_RUN, timeout=300_000)
            rows.append(["a click on that board", f"{median(click_times(page)):.0f} ms", "", ""])
            page.page.evaluate(END_KERNEL)
        for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
            with new_page(browser, lab) as page:
                seconds, cell, longest = time_run_all(page, notebook)
            rows.append([f"Run all, {notebook.stem}", f"{seconds:.1f} s", cell, f"{longest:.1f} s"])
            print(*rows[-1], sep="  ", flush=True)
    rows.append(["load average at the end", f"{os.getloadavg()[0]:.1f}", "", ""])
    store_table(LATENCY, [["wait", "time", "longest cell", "its time"], *rows])
    print(stored_table(LATENCY))
