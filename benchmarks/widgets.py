"""A click while a search runs: the time to its answer, and from Stop to the end, in a browser."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))

from nbformat.v4 import new_code_cell, new_notebook

GAMES = 12
STOPS = 20
SOURCE = """
from ipywidgets import VBox
from gamelib import ConnectFour, PlayBoard, Playground, TicTacToe
search = Playground(ConnectFour(), algorithm="mcts")
search.choose(simulations=10_000_000)
VBox([PlayBoard(TicTacToe()), search])
""".strip()

# The milliseconds from a click to the moment when the page has changed as it should.
CLICK = """([clicked, watched, attribute, value]) => new Promise(resolve => {
    const started = performance.now();
    const done = () => {
        if (!new RegExp(value).test(String(watched[attribute]))) return;
        observer.disconnect();
        resolve(performance.now() - started);
    };
    const observer = new MutationObserver(done);
    observer.observe(watched, {attributes: true});
    clicked.click();
})"""


def main() -> None:
    from conftest import new_page, running_browser, running_lab

    notebook = new_notebook(cells=[new_code_cell(SOURCE, id="widgets")])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    with (
        tempfile.TemporaryDirectory() as home,
        running_lab(Path(home)) as lab,
        running_browser() as browser,
        new_page(browser, lab) as page,
    ):
        page.open_and_run(notebook)
        cell = page.cell("widgets")
        before = os.getloadavg()[0]
        print("milliseconds                     median     95 %      max")
        report("a click, no search", clicks(page.page, cell))
        cell.get_by_role("button", name="Run", exact=True).click()
        page.page.wait_for_timeout(1000)
        report("a click, a search running", clicks(page.page, cell))
        cell.get_by_role("button", name="Stop").last.click()
        page.page.wait_for_timeout(1000)
        report("Stop", stops(page.page, cell))
        print(f"load average {before:.1f} before, {os.getloadavg()[0]:.1f} after")


def clicks(page: Any, cell: Any) -> list[float]:
    """Return the times of all clicks of several games of tic-tac-toe."""
    board = cell.locator(".gl-card").first
    squares = board.get_by_role("button")
    times = []
    for _ in range(GAMES):
        for place in (4, 0, 8, 2, 6, 3, 5):
            square = squares.nth(place).element_handle()
            times.append(page.evaluate(CLICK, [square, square, "title", ", (X|O)$"]))
            page.wait_for_timeout(60)
        cell.get_by_role("button", name="Restart").first.click()
        page.wait_for_timeout(300)
    return times


def stops(page: Any, cell: Any) -> list[float]:
    """Return the times from Stop until Run can be pressed again."""
    run = cell.get_by_role("button", name="Run", exact=True).element_handle()
    stop = cell.get_by_role("button", name="Stop").last.element_handle()
    times = []
    for _ in range(STOPS):
        run.click()
        page.wait_for_timeout(700)
        times.append(page.evaluate(CLICK, [stop, run, "disabled", "false"]))
        page.wait_for_timeout(100)
    return times


def report(name: str, times: list[float]) -> None:
    p95 = quantiles(times, n=20)[-1]
    print(f"{name:30} {median(times):8.0f} {p95:8.0f} {max(times):8.0f}   of {len(times)}")


if __name__ == "__main__":
    main()
