"""A click in a browser: the time to its answer, also while a search runs, and to its end.

The floor is the same click on a plain button of ipywidgets, whose answer is one new text: the way
through JupyterLab, its server and the kernel, without this course.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "browser"))

from nbformat.v4 import new_code_cell, new_notebook

GAMES = 6
STOPS = 10
SOURCE = """
import ipywidgets
from gamelib import ConnectFour, TicTacToe, mcts
from course import PlayBoard, Playground, SearchStepper, depth_lab
search = Playground(ConnectFour(), algorithm="mcts")
search.choose(simulations=10_000_000, engine="readable")
plain, text = ipywidgets.Button(description="Plain"), ipywidgets.HTML("0")
text.add_class("plain-text")
plain.on_click(lambda _: setattr(text, "value", str(int(text.value) + 1)))
boards = [PlayBoard(TicTacToe()), PlayBoard(ConnectFour())]
ipywidgets.VBox([plain, text, *boards, search])
""".strip()
STEPPER = """
stepper = SearchStepper(mcts, ConnectFour(), simulations=200, rng=0)
stepper.go_to(2000)
stepper
""".strip()
LAB = """
lab = depth_lab({"tic-tac-toe": TicTacToe(), "Connect Four": ConnectFour()}, depth=5)
lab.run()
lab
""".strip()

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
# The milliseconds from a key or a click to the last change of a place, which is then left alone.
SETTLED = """place => new Promise(resolve => {
    let started = 0, last = 0;
    const begins = () => { started = performance.now(); };
    for (const kind of ['keydown', 'click']) place.addEventListener(kind, begins, {capture: true});
    const observer = new MutationObserver(() => { last = performance.now(); });
    const all = {attributes: true, childList: true, characterData: true, subtree: true};
    observer.observe(place, all);
    window.settled = () => { observer.disconnect(); return last - started; };
    resolve();
})"""
A_STONE = "square => /^.[XO]/.test(getComputedStyle(square, '::before').content)"
ENABLED = "() => [...document.querySelectorAll('button')].some(b => b.title == '{}' && !b.disabled)"


def main() -> None:
    from conftest import new_page, running_browser, running_lab

    sources = {"widgets": SOURCE, "stepper": STEPPER, "lab": LAB}
    notebook = new_notebook(cells=[new_code_cell(text, id=name) for name, text in sources.items()])
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
        print(f"{'milliseconds':42} median   95 %    max")
        for name, clicks in CLICKS.items():
            report(f"{name}, no search", clicks(page.page, cell))
        for name, clicks in CLICKS.items():
            with searching(page.page, cell):
                report(f"{name}, a search running", clicks(page.page, cell))
        report("Stop", stops(page.page, cell))
        report("a step of MCTS, the last change", steps(page))
        report("a lab's knob, the last change", turns(page))
        print(f"load average {before:.1f} before, {os.getloadavg()[0]:.1f} after")


def timed(page: Any, cell: Any, clicked: Any, seen: str) -> float:
    """Return the milliseconds from one click to its answer."""
    milliseconds = page.evaluate(CLICK, [clicked.element_handle(), cell.element_handle(), seen])
    page.wait_for_timeout(400)
    return float(milliseconds)


def plain_clicks(page: Any, cell: Any) -> list[float]:
    """Return the times of clicks on a button that knows nothing of this course."""
    button = cell.get_by_role("button", name="Plain")
    number = "document.querySelector('.plain-text .widget-html-content').textContent"
    times = []
    for _ in range(7 * GAMES):
        seen = f"(before => () => {number} != before)({number})"
        times.append(timed(page, cell, button, seen))
    return times


def squares(page: Any, cell: Any) -> list[float]:
    """Return the times of all clicks of several games of tic-tac-toe."""
    board = cell.locator(".gl-card").nth(0)
    return games(page, cell, 0, [board.get_by_role("button").nth(n) for n in (4, 0, 8, 2, 6, 3, 5)])


def columns(page: Any, cell: Any) -> list[float]:
    """Return the times of clicks into the columns of Connect Four, from left to right."""
    board = cell.locator(".gl-card").nth(1)
    return games(page, cell, 1, [board.get_by_role("button").nth(35 + n) for n in range(7)])


def games(page: Any, cell: Any, board: int, clicked: list[Any]) -> list[float]:
    times = []
    for _ in range(GAMES):
        times += [timed(page, cell, square, A_STONE) for square in clicked]
        cell.get_by_role("button", name="New game").nth(board).click()
        page.wait_for_timeout(300)
    return times


def stops(page: Any, cell: Any) -> list[float]:
    """Return the times from Stop until Run can be pressed again."""
    run = cell.get_by_role("button", name="Run", exact=True)
    stop = cell.get_by_role("button", name="Stop").last
    times = []
    for _ in range(STOPS):
        run.click()
        page.wait_for_timeout(700)
        times.append(timed(page, cell, stop, ENABLED.format("Search this position")))
    return times


def settled(page: Any, cell: Any, act: Any) -> float:
    """Return the milliseconds from an act to the last change that it brings."""
    page.evaluate(SETTLED, cell.element_handle())
    act()
    page.wait_for_timeout(900)
    return float(page.evaluate("window.settled()"))


def steps(notebook: Any) -> list[float]:
    """Return the times of steps of MCTS on Connect Four."""
    cell = notebook.cell("stepper")
    button = cell.get_by_role("button", name="Next", exact=True)
    return [settled(notebook.page, cell, button.click) for _ in range(7 * GAMES)]


def turns(notebook: Any) -> list[float]:
    """Return the times of a slider of the depth lab, one step up and one down."""
    cell = notebook.cell("lab")
    handle = cell.locator(".noUi-handle").first
    keys = ["ArrowRight", "ArrowLeft"] * (2 * GAMES)
    return [settled(notebook.page, cell, lambda key=key: handle.press(key)) for key in keys]


@contextmanager
def searching(page: Any, cell: Any) -> Iterator[None]:
    """Let a search in Python run meanwhile."""
    cell.get_by_role("button", name="Run", exact=True).click()
    page.wait_for_timeout(1000)
    yield
    cell.get_by_role("button", name="Stop").last.click()
    page.wait_for_timeout(1000)


CLICKS = {
    "a plain button": plain_clicks,
    "a square of tic-tac-toe": squares,
    "a column of Connect Four": columns,
}


def report(name: str, times: list[float]) -> None:
    p95 = quantiles(times, n=20)[-1]
    print(f"{name:42} {median(times):6.0f} {p95:6.0f} {max(times):6.0f}   of {len(times)}")


if __name__ == "__main__":
    main()
