"""Send the answers of a class to the lecturer: to a shared folder, or to a small server."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp
from time import sleep
from typing import Any
from urllib.parse import SplitResult, urlsplit

from course.exercises import activity_log
from course.exercises.activity_log import LogEntry

# Seconds before each attempt to reach the server; the last value repeats.
RETRY_SECONDS = (0, 1, 2, 4, 8)
SECONDS = 5  # timeout of one attempt
ARRIVED = 204
REFUSED = {
    400: "it cannot read them",
    403: "it takes answers from no page of this site",
    411: "it cannot read them",
    413: "they are more than it takes from one student",
    429: "they come too fast",
    503: "it is full",
}
# retrying is useless, because the same answers would be refused again
FOR_GOOD = {400, 403, 411, 413}


def write(folder: Path, name: str, events: Iterable[LogEntry]) -> None:
    """Write the answers of a student to `name`.json in `folder`, atomically, through no link."""
    text = json.dumps({name: list(events)}, ensure_ascii=False)  # escapes would make it longer
    write_bytes(folder, name, text.encode("utf-8", "backslashreplace"))  # half a letter: as JSON


def write_bytes(folder: Path, name: str, data: bytes) -> None:
    """Write `data` to `name`.json in `folder`, atomically, through no link.

    Everybody may write to the folder.  So the open file gets the rights and not its name, which may
    belong to another file by then.
    """
    handle, part = mkstemp(".part", dir=folder)
    with open(handle, "wb") as file:
        file.write(data)
        if hasattr(os, "fchmod"):
            os.fchmod(file.fileno(), 0o644)  # for a lecturer who is another user
    os.replace(part, folder / f"{name}.json")


def is_address(place: object) -> bool:
    """Return whether a place looks like the address of a server, even if it has mistakes."""
    return str(place).strip().lower().startswith(("http:", "https:"))


def checked_address(place: str) -> str:
    """Return the address of a server, stripped; ValueError if it is not a valid address."""
    url = place.strip()
    try:
        parts = urlsplit(url)
        valid = bool(parts.netloc and parts.hostname) and parts.port != 0
    except ValueError:  # for example if the port is not a number
        valid = False
    if not valid or not url.isprintable() or not url.isascii() or " " in url:
        raise ValueError(
            "place must be an address like http://192.168.1.5:8321/, "
            f"exactly as on the lecturer's screen; got {place!r}"
        )
    return url


class AnswerUploader:
    """Sends the newest answers of a student to the lecturer's server until they have arrived.

    said       a sentence that says whether the answers arrive
    on_change  called, in another thread, when this sentence has changed

    ValueError if `url` is not a valid address.
    """

    def __init__(self, url: str) -> None:
        self.url = checked_address(url)
        self.said = f"Connecting to the lecturer's server at {self.url} ..."
        self.on_change: Callable[[], object] = lambda: None
        self._text, self._news, self._answered = "", threading.Event(), threading.Event()
        self._sending: Any = None
        if sys.platform != "emscripten":
            threading.Thread(target=self._deliver, daemon=True).start()

    def send(self, events: Iterable[LogEntry]) -> None:
        """Send answers in the background; an empty list only tests whether they would arrive."""
        self._text = json.dumps({activity_log.LOG_ID: list(events)})
        self._news.set()
        if sys.platform == "emscripten":
            import asyncio

            if self._sending is not None:
                self._sending.cancel()
            self._sending = asyncio.ensure_future(self._from_a_browser(self._text))

    def wait(self, seconds: float) -> None:
        """Wait until the server has replied, but at most this number of seconds."""
        # in a browser the reply arrives only when this thread is free
        if sys.platform != "emscripten":
            self._answered.wait(seconds)

    def _say(self, words: str) -> None:
        """Record whether the answers arrive: `words` is empty, or the reason why they do not."""
        said = f"Your answers arrive at the lecturer's server, {self.url}."
        if words:
            said = f"Your answers do NOT arrive at {self.url}: {words}."
        changed, self.said = said != self.said, said
        self._answered.set()
        if changed:
            with suppress(Exception):  # an error in the page must not stop the uploads
                self.on_change()

    def _deliver(self) -> None:
        while self._news.wait():
            self._news.clear()
            attempt = 0
            while not self._is_done(attempt) and not self._news.is_set():
                attempt += 1

    def _is_done(self, attempt: int) -> bool:
        """Try once, report the outcome, and return whether no further attempt is needed."""
        sleep(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)])
        try:
            status = _status(self.url, self._text.encode())
            self._say(_words(status))
            return status == ARRIVED or status in FOR_GOOD
        except Exception as error:  # after any error the next answers must be sent
            self._say(_reason(error, urlsplit(self.url)))
            return False

    async def _from_a_browser(self, text: str) -> None:
        from asyncio import sleep
        from importlib import import_module

        fetch, attempt, status = import_module("pyodide.http").pyfetch, 0, 0
        while status != ARRIVED and status not in FOR_GOOD:
            await sleep(RETRY_SECONDS[min(attempt, len(RETRY_SECONDS) - 1)])
            attempt += 1
            try:
                status = (await fetch(self.url, method="POST", body=text)).status
                self._say(_words(status))
            except Exception:  # a browser gives no reason
                self._say("no server answers there, or it takes answers from no page of this site")


def _status(url: str, body: bytes) -> int:
    """Return the HTTP status with which a server replies to a POST request."""
    from urllib.error import HTTPError
    from urllib.request import ProxyHandler, build_opener  # not available in a browser

    opener = build_opener(ProxyHandler({}))  # no proxy, because the server is in the same room
    try:
        with opener.open(url, body, timeout=SECONDS) as answer:
            return int(answer.status)
    except HTTPError as error:
        error.close()
        return error.code


def _words(status: int) -> str:
    """Return why answers did not arrive, by the HTTP status; "" if they did."""
    if status == ARRIVED:
        return ""
    if status in REFUSED:
        return f"the server refuses them ({status}), because {REFUSED[status]}. Tell the lecturer"
    return f"the server there is not a lecturer's ({status}). Compare the address with the screen"


def _reason(error: Exception, address: SplitResult) -> str:
    """Return why the connection to a server failed."""
    cause = getattr(error, "reason", error)  # urllib wraps the error of the system
    host = address.hostname
    port = address.port or {"http": 80, "https": 443}[address.scheme]
    named = {
        "ConnectionRefusedError": f"no server is listening at {host}, port {port}",
        "gaierror": f"there is no computer named {host}",
        "TimeoutError": f"{host} does not answer. Is it in the same network as you",
        "SSLError": "the server does not use https. Write http:// instead",
    }
    kinds = [kind.__name__ for kind in type(cause).__mro__]
    text = next((named[kind] for kind in kinds if kind in named), "")
    if not text:
        return f"{kinds[0]}, {str(cause)[:200] or 'without a reason'}"
    mark = "?" if text.endswith("you") else "."
    return f"{text}{mark} Compare the address with the screen, or ask whether the server is running"
