"""Tests of the course in a browser tab: in Node.js, or in a real browser.

`site` is the folder of a site built from a clean clone, and `tab` a page of a browser that reaches
this machine and no other. SITE=folder tests a site that is there, such as the one to be published.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import KERNEL_IS_READY, running_browser
from tools.site import downloads

ROOT = Path(__file__).parents[2]

CELLS = "window.jupyterapp.shell.currentWidget.content.widgets"
RUN_CELL = """index => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.deselectAll();
    notebook.activeCellIndex = index;
    notebook.scrollToItem(index);
    window.cellWasRun = false;
    window.jupyterapp.commands.execute('notebook:run-cell').finally(
        () => { window.cellWasRun = true; });
}"""


class Handler(SimpleHTTPRequestHandler):
    """The server of `python -m http.server`, which counts what it sends."""

    sent = 0
    lock = threading.Lock()

    def copyfile(self, source: Any, outputfile: Any) -> None:
        start = source.tell()
        super().copyfile(source, outputfile)
        with Handler.lock:
            Handler.sent += source.tell() - start

    def log_message(self, *arguments: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a page that was closed while a file was sent to it."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site from a clean clone, of packages fetched before."""
    if given := os.environ.get("SITE"):
        return Path(given)
    clone, cache = tmp_path_factory.mktemp("site") / "clone", ROOT / "build" / "site-cache"
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    cache.mkdir(parents=True, exist_ok=True)
    (clone / "build").mkdir()
    (clone / "build" / "site-cache").symlink_to(cache)
    out = clone / "build" / "site"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(clone), *sys.path[1:]])}
    command = [sys.executable, "-m", "tools.site", out]
    subprocess.run(command, cwd=clone, env=environment, check=True)
    return out


def in_pyodide(
    program: Path, *packages: str, course: Path = ROOT, options: Sequence[str] = ()
) -> list[str]:
    """Return the lines that a program prints in a browser's Python, in Node.js."""
    run = [
        *downloads.node_command(),
        *options,
        Path(__file__).with_name("run.mjs"),
        downloads.fetch_pyodide(),
    ]
    command = [*run, course, program.parent, program.name, *packages]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    return done.stdout.splitlines()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on a port of its own; yield the address."""
    server = Server(("127.0.0.1", 0), partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()  # otherwise a browser would wait for an answer


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with serving(site) as address:
        yield address


@dataclass
class Tab:
    """A page of a browser on the site."""

    page: Any
    address: str
    asked: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def open(self, notebook: str) -> None:
        """Open a notebook where it runs, and wait until Python is there."""
        self.page.goto(f"{self.address}/run/notebooks/index.html?path={notebook}.ipynb")
        self.page.wait_for_function(KERNEL_IS_READY, timeout=180_000)

    def cells(self) -> list[dict[str, Any]]:
        """Return index, id and tags of each code cell."""
        found: list[dict[str, Any]] = self.page.evaluate(
            f"""() => {CELLS}.map((cell, index) => ({{
                index, id: cell.model.id, type: cell.model.type,
                tags: cell.model.getMetadata('tags') ?? [],
            }})).filter(cell => cell.type === 'code')"""
        )
        return found

    def index(self, cell: str) -> int:
        return next(each["index"] for each in self.cells() if each["id"] == cell)

    def run(self, cell: str, source: str | None = None) -> list[dict[str, Any]]:
        """Run a cell, with another source if one is given, and return its outputs."""
        index = self.index(cell)
        if source is not None:
            self.page.evaluate(
                f"([i, text]) => {CELLS}[i].model.sharedModel.setSource(text)", [index, source]
            )
        self.page.evaluate(RUN_CELL, index)
        self.page.wait_for_function("() => window.cellWasRun", timeout=240_000)
        found: list[dict[str, Any]] = self.page.evaluate(
            f"i => {CELLS}[i].model.outputs.toJSON()", index
        )
        return found

    def source(self, cell: str) -> str:
        found: str = self.page.evaluate(
            f"i => {CELLS}[i].model.sharedModel.getSource()", self.index(cell)
        )
        return found

    def cell(self, cell: str) -> Any:
        """Return what shows a cell."""
        index = self.index(cell)
        return self.page.locator(f".jp-Notebook .jp-Cell[data-windowed-list-index='{index}']")


def words(outputs: list[dict[str, Any]]) -> str:
    """Return all that outputs show as text."""
    found = []
    for output in outputs:
        if output["output_type"] == "error":
            found.append(f"{output['ename']}: {output['evalue']}")
        data = output.get("data", {}).get("text/plain", output.get("text", ""))
        found.append("".join(data))
    return "\n".join(found)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    # No other host has an address, for the page and for its workers.
    with running_browser("--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1") as browser:
        yield browser


@contextmanager
def new_tab(chromium: Any, address: str, width: int = 1280, height: int = 900) -> Iterator[Tab]:
    """Open an empty page; at its end it must have asked no other host for anything."""
    with chromium.new_context(viewport={"width": width, "height": height}) as context:
        tab = Tab(context.new_page(), address)
        context.on("request", lambda request: tab.asked.append(request.url))
        tab.page.on("pageerror", lambda error: tab.errors.append(str(error)))
        yield tab
        others = {urlsplit(url).netloc for url in tab.asked if url.startswith(("http", "ws"))}
        assert others <= {urlsplit(address).netloc}


@pytest.fixture
def tab(chromium: Any, address: str) -> Iterator[Tab]:
    with new_tab(chromium, address) as tab:
        yield tab
