"""The course in a browser tab, in a real Chromium that reaches no other machine."""

import json
import os
import re
import shutil
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import KERNEL_IS_READY
from tests.messages import broken
from tests.site.conftest import CELLS, RUN_CELL, Handler, Tab, new_tab, serving, words
from tools.coursework import NOTEBOOKS as FOLDER
from tools.coursework import with_solutions

NOTEBOOKS = sorted(path.stem for path in FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_cell_runs(name: str, tab: Tab, site: Path) -> None:
    before, start = Handler.sent, time.monotonic()
    tab.open(name)
    failed = []
    for number, cell in enumerate(tab.cells()):
        outputs = tab.run(cell["id"])
        if number == 0:
            first, megabytes = time.monotonic() - start, (Handler.sent - before) / 1e6
            print(f"\n{name}: first result after {first:.1f} s, {megabytes:.1f} MB", end=", ")
            if name == NOTEBOOKS[0]:
                told = re.search(r"about (\d+)\s+MB", (site / "index.html").read_text("utf-8"))
                assert told
                assert megabytes == pytest.approx(int(told[1]), abs=2)
        error = any(output["output_type"] == "error" for output in outputs)
        if error != ("raises-exception" in cell["tags"]):
            failed.append(f"{cell['id']}: {words(outputs)[-300:]}")
    print(f"all cells after {time.monotonic() - start:.0f} s", end=", ")
    print(f"{(Handler.sent - before) / 1e6:.1f} MB")
    assert failed == [], broken(f"These cells of {name} fail in a browser tab:", failed)


def test_tab_shares_no_state_with_its_image(tab: Tab) -> None:
    program = """
import random, sys
from arena.capabilities import can_suspend, yield_to_browser
print(random.random(), can_suspend() == yield_to_browser(), sys.path.count(""), sys.path[-1] == "")
"""
    said = []
    for _ in range(2):
        tab.open("00_start_here")
        said.append(words(tab.run("setup", program)).split())
    assert said[0][0] != said[1][0]
    assert said[0][1:] == said[1][1:] == ["True", "1", "True"]


def code_cells(notebook: Path) -> list[dict[str, Any]]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def test_site_notebooks_have_no_outputs(site: Path) -> None:
    for name in NOTEBOOKS:
        code = code_cells(site / "run" / "files" / f"{name}.ipynb")
        assert len(code) == len(code_cells(FOLDER / f"{name}.ipynb"))
        assert not any(cell["outputs"] or cell["execution_count"] for cell in code)


PLAYGROUND = """
from gamelib import ConnectFour
from course import Playground
Playground(ConnectFour(), algorithm="mcts")
"""


# Of rollouts that take a win there is no machine code.
ENGINES = pytest.mark.parametrize(
    ("rollout", "simulations"), [("take a win", 1_000_000), ("random", 10_000_000)]
)


def start_search(tab: Tab, rollout: str, simulations: int) -> Locator:
    """Run a long search in a playground, and return the cell that shows it."""
    tab.open("00_start_here")
    tab.run("setup", PLAYGROUND)
    cell: Locator = tab.cell("setup")
    cell.get_by_label("Rollout").first.select_option(rollout)
    field = cell.get_by_label("Simulations").first
    field.fill(str(simulations))
    field.press("Enter")
    cell.get_by_role("button", name="Run", exact=True).first.click()
    return cell


@ENGINES
def test_search_shows_progress_and_stops(tab: Tab, rollout: str, simulations: int) -> None:
    cell = start_search(tab, rollout, simulations)
    expect(cell.get_by_text("best so far: column")).to_be_visible()
    stop = cell.get_by_role("button", name="Stop", exact=True).first
    clicked = time.monotonic()
    stop.click()
    expect(stop).to_be_disabled()
    print(f"\n{rollout}: stopped after {time.monotonic() - clicked:.2f} s")
    row = cell.get_by_role("row").filter(has_text=f"simulations {simulations}")
    done = re.search(r"([\d,]+)\s+[\d.]+$", row.inner_text().strip())
    assert done
    assert 100 < int(done[1].replace(",", "")) < simulations


# What a browser without JSPI has not: Pyodide looks for it when it is loaded.
NO_JSPI = "delete WebAssembly.Suspending; delete WebAssembly.promising;\n"


@ENGINES
def test_search_without_jspi_runs_to_its_end(
    chromium: Any, site: Path, tmp_path: Path, rollout: str, simulations: int
) -> None:
    older = shutil.copytree(site, tmp_path / "older", copy_function=os.symlink)
    for pyodide in [*older.rglob("pyodide.js"), *older.rglob("pyodide.mjs")]:
        program = NO_JSPI + pyodide.read_text(encoding="utf-8")
        pyodide.unlink()
        pyodide.write_text(program, encoding="utf-8")
    with serving(older) as address, new_tab(chromium, address) as tab:
        cell = start_search(tab, rollout, simulations)
        expect(cell.get_by_text(re.compile("chose column"))).to_be_visible()
        expect(cell.get_by_text("This browser cannot stop a search")).to_be_in_viewport()


def test_exercise_reports_wrong_endless_and_correct_code(tab: Tab) -> None:
    tab.open("02_minimax")
    tab.run("setup")
    blank = tab.source("e1")
    hole = re.compile(r"^( *)raise NotImplementedError\n", re.M)
    shown = words(tab.run("e1", hole.sub(r"\1return 0\n", blank)))
    assert shown.startswith("Not yet")
    start = time.monotonic()
    shown = words(tab.run("e1", hole.sub(r"\1while True:\n\1    pass\n", blank)))
    assert "no end after 8 seconds" in shown
    assert time.monotonic() - start < 30
    (right,) = (
        cell.source for cell in with_solutions(FOLDER / "02_minimax.ipynb").cells if cell.id == "e1"
    )
    assert words(tab.run("e1", right)).startswith("Passed")


def test_work_survives_reload_and_can_be_reset(tab: Tab) -> None:
    tab.open("00_start_here")
    original = tab.source("setup")
    tab.run("setup", "mine = 6 * 7\nmine")
    tab.page.wait_for_function(  # it saves itself
        "() => !window.jupyterapp.shell.currentWidget.context.model.dirty", timeout=30_000
    )
    tab.open("00_start_here")
    assert tab.source("setup") == "mine = 6 * 7\nmine"
    tab.page.goto(f"{tab.address}/run/tree/index.html")
    tab.page.get_by_text("00_start_here.ipynb").click(button="right")
    tab.page.get_by_role("menuitem", name="Delete").click()
    tab.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(tab.page.get_by_role("dialog")).to_have_count(0)
    tab.open("00_start_here")
    assert tab.source("setup") == original


@pytest.mark.parametrize("is_changed", [False, True])
def test_new_version_replaces_unchanged_notebook(
    chromium: Any, site: Path, tmp_path: Path, is_changed: bool
) -> None:
    published = shutil.copytree(site, tmp_path / "published", copy_function=os.symlink)
    file = published / "run" / "files" / "00_start_here.ipynb"
    old = file.read_text(encoding="utf-8")
    file.unlink()  # the link

    def publish(text: str, day: int) -> None:
        file.write_text(text, encoding="utf-8")
        # A browser asks less often for a file that has been the same for long.
        os.utime(file, (86_400 * day,) * 2)

    publish(old, 1)
    with serving(published) as address, new_tab(chromium, address) as tab:
        tab.open("00_start_here")
        tab.run("setup", "mine = 1" if is_changed else None)
        tab.page.evaluate("window.jupyterapp.commands.execute('docmanager:save')")
        publish(old.replace("Start here", "A new title"), 2)
        tab.open("00_start_here")
        if is_changed:
            expect(tab.page.locator("#course-strip")).to_contain_text("has a new version")
            assert tab.source("setup") == "mine = 1"
        else:
            expect(tab.page.get_by_role("heading", name="A new title")).to_be_visible()


def test_way_out_saves_the_notebook(tab: Tab) -> None:
    tab.open("00_start_here")
    tab.page.evaluate(
        f"i => {CELLS}[i].model.sharedModel.setSource('mine = 42')", tab.index("setup")
    )
    tab.page.get_by_role("link", name="All lessons").click()
    tab.page.wait_for_url(f"{tab.address}/")
    tab.open("00_start_here")
    assert tab.source("setup") == "mine = 42"


# Ends when the page has stored its files, one after the other.
STORED = """async () => {
    const count = async () => (await (await caches.open("precache")).keys()).length;
    for (let before = -1, now = await count(); before !== now; now = await count()) {
        before = now;
        await new Promise(done => setTimeout(done, 3000));
    }
}"""


def test_lesson_opened_once_opens_offline(chromium: Any, site: Path) -> None:
    with ExitStack() as server, ExitStack() as browser:
        address = server.enter_context(serving(site))
        tab = browser.enter_context(new_tab(chromium, address))
        tab.open("00_start_here")
        tab.page.evaluate(STORED)
        server.close()  # `set_offline` would not reach the service worker
        tab.page.reload()
        tab.page.wait_for_function(KERNEL_IS_READY, timeout=180_000)
        # No widget was shown before.
        board = "from course import PlayBoard\nfrom gamelib import Nim\nPlayBoard(Nim((1, 2)))"
        tab.run("setup", board)
        expect(tab.cell("setup").locator(".gl-spots")).to_be_visible()


def test_cells_run_early_wait_for_python(tab: Tab) -> None:
    tab.page.goto(
        f"{tab.address}/run/notebooks/index.html?path=02_minimax.ipynb#2-one-line-of-your-own"
    )
    strip = tab.page.locator("#course-strip")
    expect(strip.get_by_role("status")).to_contain_text("Python is loading")
    cells = "window.jupyterapp?.shell?.currentWidget?.content?.widgets"
    has_setup = f"() => {cells}?.some(cell => cell.model.id === 'setup')"
    tab.page.wait_for_function(has_setup, timeout=60_000)
    tab.page.evaluate(RUN_CELL, tab.index("setup"))
    expect(strip.get_by_role("status")).to_contain_text("What you have run (1) follows.")
    count = f"() => {CELLS}[{tab.index('setup')}].model.executionCount"
    tab.page.wait_for_function(count, timeout=180_000)
    expect(strip.locator("progress")).to_be_hidden()
    expect(tab.page.get_by_role("heading", name="2 One line of your own")).to_be_in_viewport()
    tab.page.evaluate("window.jupyterapp.commands.execute('notebook:interrupt-kernel')")
    expect(strip.get_by_role("status")).to_contain_text("Restart Kernel")
    assert strip.get_by_role("link", name="Read").get_attribute("href").endswith("02_minimax.html")


def test_keys_pressed_early_run_first_cells(tab: Tab) -> None:
    tab.page.add_init_script("""{
        const usual = fetch, later = new Promise(go => { window.goOn = go; });
        window.fetch = (file, ...more) =>
            `${file.url ?? file}`.includes("contents") ? later.then(() => usual(file, ...more))
            : usual(file, ...more);
    }""")
    tab.page.goto(f"{tab.address}/run/notebooks/index.html?path=00_start_here.ipynb")
    tab.page.locator(".jp-Notebook .jp-CodeCell").wait_for()  # a placeholder, before the notebook
    tab.page.evaluate("window.jupyterapp.shell.currentWidget.content.activeCell.node.focus()")
    for _ in range(3):  # the notebook begins with text
        tab.page.keyboard.press("Shift+Enter")
    assert tab.page.evaluate(f"{CELLS}.length") == 1
    tab.page.evaluate("goOn()")
    first = f"{CELLS}.find(cell => cell.model.type === 'code')"
    ran = f"() => {CELLS}.length > 1 && {first}.model.executionCount"
    tab.page.wait_for_function(ran, timeout=60_000)


def test_downloaded_file_is_the_notebook(tab: Tab) -> None:
    tab.open("00_start_here")
    tab.run("setup", "mine = 6 * 7")
    with tab.page.expect_download() as download:
        tab.page.get_by_role("menuitem", name="File").click()
        tab.page.get_by_role("menuitem", name="Download").click()
    handed_in = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert download.value.suggested_filename == "00_start_here.ipynb"
    assert "mine = 6 * 7" in ["".join(cell["source"]) for cell in handed_in["cells"]]


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_first_page_links_to_all_others(chromium: Any, address: str, width: int) -> None:
    with new_tab(chromium, address, width) as tab:
        tab.page.goto(f"{address}/")
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= width
        links = tab.page.eval_on_selector_all("a", "links => links.map(link => link.href)")
        for name in NOTEBOOKS:
            assert f"{address}/{name}.html" in links
            assert f"{address}/run/notebooks/index.html?path={name}.ipynb" in links
        for link in set(links):
            assert urlopen(link).status == 200, link
        assert tab.errors == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_page_fits_a_phone(chromium: Any, address: str, name: str) -> None:
    with new_tab(chromium, address, 390) as tab:
        tab.page.goto(f"{address}/{name}.html")
        assert tab.page.evaluate("document.documentElement.scrollWidth") <= 390
        for link in tab.page.eval_on_selector_all("a", "links => links.map(link => link.href)"):
            if link.startswith(address):
                assert urlopen(link.partition("#")[0]).status == 200, link
        assert tab.errors == []


FOCUS = """() => {
    const here = document.activeElement, kind = name => here.closest(`.gl-${name}.gl-live`);
    const root = kind("predict") ?? kind("quiz") ?? kind("stepper") ?? kind("play");
    const all = root ? [...document.querySelectorAll(`.${root.classList[0]}.gl-live`)] : [];
    return { kind: root?.classList[0] ?? "", number: all.indexOf(root), type: here.type ?? "",
      text: here.textContent, isAction: "action" in here.dataset, isOver: here === document.body,
      isShown: here.className === "gl-show" };
}"""


@pytest.mark.parametrize("name", ["02_minimax", "04_mcts"])
def test_lesson_works_by_keyboard_on_a_phone(chromium: Any, address: str, name: str) -> None:
    with new_tab(chromium, address, 390) as tab:
        page = tab.page
        page.goto(f"{address}/{name}.html")
        asked = page.locator(".gl-predict.gl-live").count()
        assert page.locator(".output[hidden]").count() >= asked - 1  # what is measured is folded
        half = with_keys(page, asked // 2)
        # Without the step in the address, where a reload would begin.
        page.goto(f"{address}/{name}.html")
        expect(page.locator(".gl-guess", has_text="your guess")).to_have_count(len(half["guesses"]))
        done = with_keys(page, asked)
        assert len(done["guesses"]) == asked
        assert page.locator(".output[hidden]").count() == 0
        assert len(done["quizzes"]) == page.locator(".gl-quiz.gl-live").count() > 0
        assert done["steps"]
        assert done["actions"]
        assert tab.errors == []


def with_keys(page: Page, guesses: int) -> dict[str, set[int]]:
    """Go down with Tab and do what is met, until so many guesses are made, or to the end."""
    parts = ("guesses", "quizzes", "steps", "actions")
    done: dict[str, set[int]] = {part: set() for part in parts}
    for board in page.locator(".gl-play.gl-live").all():  # Tab is faster here than any reader's
        board.scroll_into_view_if_needed()
        expect(board.locator(".gt-status")).not_to_be_empty()
    page.evaluate("() => { scrollTo(0, 0); document.activeElement.blur(); }")
    for _ in range(2000):
        page.keyboard.press("Tab")
        here = page.evaluate(FOCUS)
        number, choice = here["number"], here["type"] in ("radio", "checkbox")
        if here["isOver"] or len(done["guesses"]) == guesses < page.locator(".gl-predict").count():
            return done
        if choice and here["kind"] in ("gl-predict", "gl-quiz"):
            page.keyboard.press("Space")
        elif here["kind"] == "gl-predict" and here["type"] == "text":
            page.keyboard.type("1")
        elif here["text"] == "Keep my guess":
            page.keyboard.press("Enter")
            reply = page.locator(".gl-predict.gl-live").nth(number).locator(".gl-reply")
            expect(reply).to_contain_text("Your guess")
            done["guesses"].add(number)
        elif here["kind"] == "gl-quiz" and here["text"] == "Check":
            page.keyboard.press("Enter")
            expect(
                page.locator(".gl-quiz.gl-live").nth(number).locator(".gl-reply")
            ).not_to_be_empty()
            done["quizzes"].add(number)
        elif (
            here["kind"] == "gl-stepper" and here["text"] == "Next" and number not in done["steps"]
        ):
            page.keyboard.press("Enter")
            count = page.locator(".gl-stepper.gl-live").nth(number).locator(".gl-count")
            expect(count).not_to_contain_text("Step 0 of")
            done["steps"].add(number)
        elif here["isAction"] and number not in done["actions"]:
            page.keyboard.press("Enter")
            status = page.locator(".gl-play.gl-live").nth(number).locator(".gt-status")
            expect(status).to_have_text(re.compile("your turn|won|wins|draw"), timeout=30_000)
            done["actions"].add(number)
    pytest.fail("the end was not reached")
