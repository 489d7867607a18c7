"""A notebook on servers that get one thing wrong, and in browsers that refuse one.

Each fault is harmless or gets a sentence at the bottom of the page.
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import KERNEL_IS_READY
from tests.site.conftest import Handler, Server, Tab, words

STRICT = "default-src 'self'; style-src 'self' 'unsafe-inline'"
# What the server answers, by the fault: the status of some files' first answers, or a header.
IMAGE = "python-"  # the image of Python, without which wheels are loaded
COURSE = "adversarial_search_course-"  # the wheel of the course
STATUS = {"one file": (IMAGE, 1), "image": (IMAGE, 99), "Python": ((IMAGE, COURSE), 99)}
HEADERS = {
    "isolated": {
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Embedder-Policy": "require-corp",
    },
    "strict": {"Content-Security-Policy": STRICT},
}


class FaultyHandler(Handler):
    """The server of the site with one fault."""

    def __init__(self, *arguments: Any, fault: str, asked: Counter[str], **options: Any) -> None:
        self.fault, self.asked_for = fault, asked
        super().__init__(*arguments, **options)

    def do_GET(self) -> None:  # noqa: N802 - the name of the base class
        file = Path(self.path.partition("?")[0]).name
        self.asked_for[file] += 1
        start, times = STATUS.get(self.fault, ("", 0))
        if times and file.startswith(start) and self.asked_for[file] <= times:
            return self.send_error(503)
        if self.fault == "cut" and file == "pyodide.asm.wasm" and self.asked_for[file] == 1:
            return self.send_half()
        return super().do_GET()

    def send_half(self) -> None:
        content = Path(self.translate_path(self.path)).read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2])

    def guess_type(self, path: Any) -> str:
        is_wasm = str(path).endswith(".wasm") and self.fault == "type"
        return "application/octet-stream" if is_wasm else super().guess_type(path)

    def end_headers(self) -> None:
        for name, value in HEADERS.get(self.fault, {}).items():
            self.send_header(name, value)
        super().end_headers()


@contextmanager
def faulty(folder: Path, fault: str) -> Iterator[tuple[str, Counter[str]]]:
    asked: Counter[str] = Counter()
    handler = partial(FaultyHandler, directory=folder, fault=fault, asked=asked)
    server = Server(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}", asked
    server.shutdown()


@pytest.fixture
def opened(request, chromium: Browser, site: Path) -> Iterator[tuple[Page, str, Counter[str]]]:
    """A page on a server with the fault that the test names."""
    blocked = "block" if request.param in ("no worker", "http") else "allow"
    with (
        faulty(site, request.param) as (address, asked),
        chromium.new_context(service_workers=blocked) as context,
    ):
        page = context.new_page()
        if request.param == "no storage":
            page.add_init_script(
                "Object.defineProperty(window, 'indexedDB', { value: undefined });"
                "Object.defineProperty(window, 'localStorage', { get() { throw new Error(); } });"
            )
        if request.param == "http":  # as on any other address than this machine's own
            page.add_init_script(
                "Object.defineProperty(window, 'isSecureContext', { value: false });"
            )
        if request.param == "full":
            quota = {"origin": address, "quotaSize": 1}
            context.new_cdp_session(page).send("Storage.overrideQuotaForOrigin", quota)
        page.goto(f"{address}/run/notebooks/index.html?path=00_start_here.ipynb")
        yield page, address, asked


@pytest.mark.parametrize(
    ("opened", "fault"),
    [
        ("one file", ""),
        ("image", "spare"),
        ("cut", ""),
        ("type", ""),
        ("isolated", ""),
        ("no worker", "files"),
        ("no storage", "storage"),
        ("full", "full"),
    ],
    indirect=["opened"],
)
def test_lesson_runs_in_spite_of_a_fault(opened, fault: str) -> None:
    page, address, asked = opened
    page.wait_for_function(KERNEL_IS_READY, timeout=180_000)
    has_wheels = any(name.startswith("ipython-") for name in asked)
    assert has_wheels == (fault == "spare")  # otherwise Python has begun with its image
    tab = Tab(page, address)
    assert "TicTacToe" in words(tab.run(tab.cells()[0]["id"]))
    if fault:
        expect(page.locator(f"#course-fault .{fault}")).to_be_visible()
    expect(page.locator("#course-fault p")).to_have_count(1 if fault else 0)


@pytest.mark.parametrize("opened", ["image"], indirect=True)
def test_missing_file_is_asked_for_again_and_named(opened) -> None:
    page, _, asked = opened
    expect(page.locator("#course-fault .spare")).to_contain_text(IMAGE)
    assert max(asked[name] for name in asked if name.startswith(IMAGE)) > 1


@pytest.mark.parametrize("opened", ["Python"], indirect=True)
def test_page_without_python_says_so(opened) -> None:
    page, _, _ = opened
    expect(page.locator("#course-fault .file")).to_contain_text(COURSE)
    expect(page.locator("#course-strip").get_by_role("status")).to_have_text(
        "Python has not been loaded."
    )


@pytest.mark.parametrize(
    ("opened", "advice"),
    [("no worker", "leave private browsing"), ("http", "begin with https")],
    indirect=["opened"],
)
def test_page_without_worker_says_why(opened, advice: str) -> None:
    page, _, _ = opened
    expect(page.locator("#course-fault .files")).to_contain_text(advice)


@pytest.mark.parametrize("opened", ["strict"], indirect=True)
def test_strict_policy_is_named(opened) -> None:
    page, _, _ = opened
    expect(page.locator("#course-fault .policy")).to_contain_text("Content-Security-Policy")
