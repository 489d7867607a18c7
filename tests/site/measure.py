"""How long a visitor waits: `python -m tests.site.measure SITE [--mbit 4] [--slow 4]`.

It prints, for the first page, seconds and bytes from opening the address to the first answered
action; for notebooks, to the first word, the cells, and the result of a Shift+Enter pressed as soon
as there is a cell.  Each line is a first visit and a second one. No other host has an address.
Text is sent compressed, as hosts do; all that is sent shares `--mbit` million bits a second.
"""

import argparse
import gzip
import tempfile
import threading
import time
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import FLAGS, program

TEXT = {".html", ".mjs", ".js", ".json", ".css", ".wasm", ".svg", ".ipynb"}
NOTEBOOKS = ("00_start_here", "01_framework", "04_mcts")


@cache
def packed(path: str) -> bytes:
    """Return the content of a file as a host sends it."""
    content = Path(path).read_bytes()
    return gzip.compress(content) if Path(path).suffix in TEXT else content


class Host(SimpleHTTPRequestHandler):
    """A host that compresses, and whose line has room for so many bits a second."""

    protocol_version = "HTTP/1.1"
    sent, free, mbit, lock = 0, 0.0, 0.0, threading.Lock()

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.exists():
            return self.send_error(404)
        content = packed(str(path))
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if path.suffix in TEXT:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "max-age=600")
        self.end_headers()
        for start in range(0, len(content), 1 << 14):
            self.wait(len(part := content[start : start + (1 << 14)]))
            self.wfile.write(part)
        return None

    def wait(self, size: int) -> None:
        """Wait until the line has had room for so many bytes."""
        with Host.lock:
            Host.sent += size
            Host.free = max(Host.free, time.monotonic())
            Host.free += size * 8e-6 / Host.mbit if Host.mbit else 0
            until = Host.free
        time.sleep(max(0.0, until - time.monotonic()))

    def log_message(self, *arguments: object) -> None:
        pass


def first_page(page: Page, address: str) -> str:
    """Return how long it takes until an action is answered."""
    start = time.monotonic()
    page.goto(address, wait_until="commit")
    page.locator(".gt-board [data-action='3']:not(:disabled)").click()
    clicked = time.monotonic()
    page.locator(".gt-owner-1").first.wait_for()
    return f"click {clicked - start:.2f} s, answer {time.monotonic() - start:.2f} s"


def notebook(page: Page, address: str, name: str) -> str:
    """Return how long it takes until Shift+Enter, pressed at once, has a result."""
    start = time.monotonic()
    page.goto(f"{address}/run/notebooks/index.html?path={name}.ipynb", wait_until="commit")
    page.locator("#course-strip [role=status]").wait_for()
    said = time.monotonic() - start
    page.locator(".jp-CodeCell").first.wait_for(timeout=180_000)
    cells = time.monotonic() - start
    cell = "window.jupyterapp.shell.currentWidget.content"
    page.wait_for_function(f"() => {cell}?.activeCell", timeout=60_000)
    page.evaluate(f"() => {{ const c = {cell}; c.activeCellIndex = c.widgets.findIndex("
                  "w => w.model.type === 'code'); }")  # fmt: skip
    page.keyboard.press("Shift+Enter")
    done = f"() => {cell}.widgets.find(w => w.model.type === 'code').model.executionCount"
    page.wait_for_function(done, timeout=180_000)
    return f"word {said:.1f} s, cells {cells:.1f} s, result {time.monotonic() - start:.1f} s"


def visits(browser: Any, do: Any, slow: float, **look: Any) -> str:
    """Return what is measured in a first visit and in a second one, and the bytes of each."""
    found = []
    with tempfile.TemporaryDirectory() as profile:
        alone = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
        context = browser.launch_persistent_context(
            profile, executable_path=program(), args=[*FLAGS, alone], **look
        )
        for _ in range(2):
            page, before = context.new_page(), Host.sent
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slow})
            found.append(f"{do(page)}, {(Host.sent - before) / 1e6:.3f} MB")
            page.close(run_before_unload=False)
        context.close()
    return " | again: ".join(found)


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--mbit", type=float, default=0)
    parser.add_argument("--slow", type=float, default=1)
    parser.add_argument("--only", choices=["page", "tab"])
    options = parser.parse_args()
    Host.mbit = options.mbit
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Host, directory=options.site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_address[1]}"
    with sync_playwright() as playwright:
        looks = [(390, "light"), (390, "dark"), (1024, "light"), (1440, "dark")]
        for wide, scheme in looks if options.only != "tab" else []:
            look = {"viewport": {"width": wide, "height": 844}, "color_scheme": scheme}
            do = partial(first_page, address=address)
            print(wide, scheme, visits(playwright.chromium, do, options.slow, **look), flush=True)
        for name in NOTEBOOKS if options.only != "page" else []:
            do = partial(notebook, address=address, name=name)
            print(name, visits(playwright.chromium, do, options.slow), flush=True)


if __name__ == "__main__":
    main()
