"""A real browser on a JupyterLab of the tests' own, which is loaded once.

`notebook_page` gives a test its own copy of a notebook, and a kernel of its own.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

from tools.refresh_notebooks import NOTEBOOK_METADATA

ROOT = Path(__file__).parents[2]
SCREENSHOTS = ROOT / "screenshots"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"]
START_SECONDS = 180
# The Python of the notebooks' kernel, if it is not this one: `make kernels` names others.
KERNEL_PYTHON = os.environ.get("KERNEL_PYTHON", "")
RUN_SECONDS = 300
expect.set_options(timeout=60_000)  # milliseconds: a safety net on a machine that is busy

KERNEL_IS_READY = """() => {
    const session = window.jupyterapp?.shell?.currentWidget?.sessionContext?.session;
    return session?.kernel?.status === 'idle';
}"""
# JupyterLab gives its parts their sizes a moment after the window has changed.
IS_LAID_OUT = """width => {
    const panel = document.getElementById('jp-main-content-panel');
    return window.innerWidth === width && panel.offsetWidth === width;
}"""
RUN_ALL = """() => {
    window.allWereRun = false;
    window.jupyterapp.commands.execute('notebook:run-all-cells')
        .then(() => { window.allWereRun = true; });
}"""
ALL_CELLS_HAVE_RUN = """() => {
    const panel = window.jupyterapp.shell.currentWidget;
    return panel.sessionContext.session.kernel.status === 'idle'
        && panel.content.widgets.filter(cell => cell.model.type === 'code')
            .every(cell => cell.model.executionState === 'idle' && cell.model.executionCount);
}"""
FIRST_ERROR = """() => {
    const cells = window.jupyterapp.shell.currentWidget.content.widgets;
    for (const cell of cells.filter(cell => cell.model.type === 'code')) {
        if ((cell.model.getMetadata('tags') ?? []).includes('raises-exception')) continue;
        const outputs = cell.model.outputs.toJSON();
        const error = outputs.find(output => output.output_type === 'error');
        if (error) return `cell ${cell.model.id}: ${error.ename}: ${error.evalue}`;
    }
    return null;
}"""
SIZES = [(1440, 900), (1024, 768), (853, 480)]  # of windows; the last: a projector at 150 %
END_KERNEL = "() => window.jupyterapp?.shell.currentWidget?.sessionContext?.shutdown()"
# Without a question whether to save.
CLOSE = """() => {
    window.jupyterapp.shell.expandLeft();
    window.jupyterapp.shell.currentWidget.dispose();
}"""
SIZE = {"width": 1280, "height": 900}
THINKS = """
from course import PlayBoard
from gamelib import TicTacToe
def slow(state, stop):
    while not stop():
        sum(range(1000))
    return state.legal_actions()[0]
board = PlayBoard(TicTacToe(), {0: slow})
board
""".strip()


def notebook(*sources: str, **named: str) -> NotebookNode:
    """Return a notebook of code cells: "cell-0", "cell-1", ..., and others with names."""
    cells = {f"cell-{number}": source for number, source in enumerate(sources)} | named
    code = [new_code_cell(source.strip(), id=name) for name, source in cells.items()]
    return new_notebook(cells=code, metadata=NOTEBOOK_METADATA)


def press(within: Page | Locator, name: str) -> None:
    """Press the button of this name."""
    within.get_by_role("button", name=name, exact=True).click()


def status(within: Page | Locator) -> Locator:
    """Return what a widget says to everybody, screen readers too."""
    return within.get_by_role("status")


def noted(page: Page, own: str = "") -> list[str]:
    """Return a list that gets what goes wrong on a page, and what it asks of others than `own`."""
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: said.type == "error" and wrong.append(said.text))
    page.on("request", lambda asked: asked.url.startswith(own) or wrong.append(asked.url))
    return wrong


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab and the folder that it serves."""

    url: str
    token: str
    folder: Path
    numbers: Iterator[int] = field(default_factory=count)

    def copy(self, notebook: Path | NotebookNode) -> str:
        """Return the name of a new copy of a notebook: tests that share one share its kernel."""
        name = f"copy-{next(self.numbers)}.ipynb"
        if isinstance(notebook, Path):
            shutil.copy(notebook, self.folder / name)
        else:
            nbformat.write(notebook, self.folder / name)
        return name


@dataclass
class NotebookPage:
    """A browser page with one notebook at a time."""

    page: Page
    lab: Lab
    console_errors: list[str]

    def load(self) -> None:
        """Load JupyterLab, with the settings that it has now."""
        self.page.goto(f"{self.lab.url}/lab?token={self.lab.token}&reset")
        here = "window.jupyterapp?.shell.currentWidget"
        self.page.wait_for_function(here, timeout=1000 * START_SECONDS)

    def open_and_run(self, notebook: str | Path | NotebookNode) -> None:
        """Open a copy of a notebook ("02_minimax" is one of the course's) and run all its cells."""
        if isinstance(notebook, str):
            notebook = ROOT / "notebooks" / f"{notebook}.ipynb"
        name = self.lab.copy(notebook)
        self.open(name)
        self.run_all()

    def open(self, path: str) -> None:
        """Open a notebook, and wait for its kernel."""
        # JupyterLab sometimes drops the promise of this command: so not waited for here.
        self.page.evaluate(
            """path => {
                const options = { path, factory: "Notebook" };
                window.jupyterapp.commands.execute("docmanager:open", options);
            }""",
            path,
        )
        self.page.wait_for_function(KERNEL_IS_READY, timeout=1000 * START_SECONDS)

    def close(self) -> None:
        """End the kernel, and leave the page as it was before the notebook."""
        self.page.evaluate(END_KERNEL)
        self.page.evaluate(CLOSE)
        self.size(**SIZE)

    def run_all(self) -> None:
        """Run all cells from the first to the last, and wait until each of them is done.

        Fails at the first error, unless its cell has the tag raises-exception.
        """
        # On ipykernel 7.3 the command never ends after a cell that fails: so not waited for here.
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function(
            f"() => (window.allWereRun && ({ALL_CELLS_HAVE_RUN})()) || ({FIRST_ERROR})() !== null",
            timeout=1000 * RUN_SECONDS,
        )
        error = self.page.evaluate(FIRST_ERROR)
        assert error is None, error

    def command(self, name: str, **arguments: object) -> None:
        """Run a command of JupyterLab."""
        self.page.evaluate(
            "async ([name, args]) => { await window.jupyterapp.commands.execute(name, args); }",
            [name, arguments],
        )

    def theme(self, name: str) -> None:
        """Show JupyterLab "light" or "dark"."""
        self.command("apputils:change-theme", theme=f"JupyterLab {name.title()}")
        light = json.dumps(name == "light")
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{light}'")

    def size(self, width: int, height: int) -> None:
        """Give the page another size, in pixels, and wait until JupyterLab has laid it out."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function(IS_LAID_OUT, arg=width)

    def cell(self, cell_id: str) -> Locator:
        """Return the cell with this id, scrolled into view (cells out of view are not drawn)."""
        place = self.page.evaluate(
            """id => {
                const notebook = window.jupyterapp.shell.currentWidget.content;
                const place = notebook.widgets.findIndex(cell => cell.model.id === id);
                if (place >= 0) { notebook.activeCellIndex = place; notebook.scrollToItem(place); }
                return place;
            }""",
            cell_id,
        )
        assert place >= 0, f"the notebook has no cell {cell_id!r}"
        return self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{place}']")

    def screenshot(self, name: str, of: Locator | None = None) -> Path:
        """Return the file of a picture of the page, or of one element, for a person to look at."""
        SCREENSHOTS.mkdir(exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        (of or self.page).screenshot(path=path)
        return path


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@contextmanager
def running_lab(home: Path) -> Iterator[Lab]:
    """Run a JupyterLab that keeps all it has in the folder `home`."""
    folder = home / "notebooks"
    folder.mkdir()
    for read in ("agents", "studies"):  # by notebook 07
        shutil.copytree(ROOT / "notebooks" / read, folder / read)
    token = "token-of-the-browser-tests"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    if KERNEL_PYTHON:
        name_kernel(home / "jupyter_path")
    command = lab_command(home, folder, port, token)
    log = (home / "lab.log").open("w")
    server = subprocess.Popen(command, cwd=ROOT, env=lab_environment(home), stdout=log, stderr=log)
    try:
        yield Lab(wait_for_server(server, token, home), token, folder)
    finally:
        server.terminate()  # its kernels end with it
        try:
            server.wait(20)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def lab_command(home: Path, folder: Path, port: int, token: str) -> list[str]:
    """Return the command of a JupyterLab that knows nothing of the user's own settings."""
    settings = home / "settings"
    settings.mkdir()
    quiet = {"checkForUpdates": False, "fetchNews": "false", "doNotDisturbMode": True}
    overrides = {"@jupyterlab/apputils-extension:notification": quiet}
    (settings / "overrides.json").write_text(json.dumps(overrides))
    as_root = ["--allow-root"] if os.geteuid() == 0 else []
    return [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--expose-app-in-browser"),
        *("--ip=127.0.0.1", f"--port={port}"),
        *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}"),
        *(f"--LabServerApp.app_settings_dir={settings}", "--LabApp.extension_manager=readonly"),
        *(f"--LabApp.user_settings_dir={home / 'user'}", f"--LabApp.workspaces_dir={home / 'ws'}"),
        "--ServerApp.kernel_websocket_connection_class=tools.websocket.PromptConnection",
        *as_root,
    ]


def name_kernel(first: Path) -> None:
    """Let "python3", the kernel of every notebook, be that of another Python."""
    folder = first / "kernels" / "python3"
    folder.mkdir(parents=True)
    command = [KERNEL_PYTHON, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": command, "display_name": "Python 3", "language": "python"}
    (folder / "kernel.json").write_text(json.dumps(spec))


def lab_environment(home: Path) -> dict[str, str]:
    # JUPYTER_PATH comes first of all when Jupyter looks for a kernel.
    folders = ("JUPYTER_PATH", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    folders += ("IPYTHONDIR",)
    return {**os.environ, **{name: str(home / name.lower()) for name in folders}}


def wait_for_server(server: subprocess.Popen[bytes], token: str, home: Path) -> str:
    """Return the address of a server when it answers: it takes another port if one is taken."""
    told = home / "jupyter_runtime_dir" / f"jpserver-{server.pid}.json"
    deadline = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < deadline:
        try:
            url = json.loads(told.read_text(encoding="utf-8"))["url"].rstrip("/")
            urllib.request.urlopen(f"{url}/api/status?token={token}", timeout=2).close()
        except (OSError, ValueError):  # no file yet, half a file, no answer yet
            time.sleep(0.2)
        else:
            return url
    log = (home / "lab.log").read_text(encoding="utf-8")
    pytest.fail(f"JupyterLab did not start; its log ends\n{log[-3000:]}", pytrace=False)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with running_browser() as browser:
        yield browser


def program() -> str:
    """Return the Chromium of this machine."""
    found = os.environ.get("CHROME")
    found = found or next((path for name in PROGRAMS if (path := shutil.which(name))), None)
    if found is None:
        pytest.fail(
            "No Chromium on this machine.  Install it (Debian: apt-get install chromium), "
            "or name its program in CHROME.",
            pytrace=False,
        )
    return found


@contextmanager
def running_browser(*more: str) -> Iterator[Browser]:
    """Run the Chromium of this machine; `more` are options of its own."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=[*FLAGS, *more])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def window(browser: Browser, lab: Lab) -> Iterator[NotebookPage]:
    """Load JupyterLab once: that takes longer than most tests."""
    with new_page(browser, lab) as window:
        window.load()
        yield window


@pytest.fixture
def notebook_page(window: NotebookPage) -> Iterator[NotebookPage]:
    window.console_errors.clear()
    yield window
    window.close()


@contextmanager
def new_page(browser: Browser, lab: Lab) -> Iterator[NotebookPage]:
    """Open an empty page, which notes the errors of the browser's console."""
    with browser.new_context(viewport=SIZE) as context:
        page = context.new_page()
        yield NotebookPage(page, lab, noted(page))
        page.evaluate(END_KERNEL)
