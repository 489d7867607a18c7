"""The answers of a class while it answers: a file for each student, or a lecturer's small server.

Whoever can write there can write anything.  So nothing is read but small files, and nothing is kept
of them but answers to questions that the course knows, in words that the course knows.
"""

from __future__ import annotations

import ast
import json
import os
import re
import stat
import sys
import tempfile
import threading
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from math import isfinite
from pathlib import Path
from time import sleep
from typing import Any

from course.kit import record
from course.kit.quizzes import quiz_data, quiz_names
from course.kit.record import Event

MOST_BYTES = 65_536  # of what one student has answered
PAUSES = (0, 1, 2, 4, 8)  # seconds before each attempt to reach the server
NAME = re.compile(rf"({record.TAB})?[0-9a-f]{{8}}")


@cache
def texts() -> frozenset[str]:
    """Return all texts in the programs of the notebooks here, and of the labs: they are known."""
    ours = Path(__file__).parents[2]
    sources = [file.read_text(encoding="utf-8") for file in (ours / "course/widgets").glob("*.py")]
    for folder in (Path(), Path("notebooks"), ours / "notebooks"):
        for file in folder.glob("*.ipynb"):
            with suppress(OSError, ValueError, LookupError, TypeError):
                cells = json.loads(file.read_text(encoding="utf-8"))["cells"]
                sources += ["".join(c["source"]) for c in cells if c["cell_type"] == "code"]
    found = set()
    for source in sources:
        with suppress(SyntaxError):
            nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
            found |= {node.value for node in nodes if isinstance(node.value, str)}
    return frozenset(found)


def answers(text: bytes) -> tuple[str, list[Event]]:
    """Return a student's name and answers, as far as the course knows question and answer."""
    with suppress(ValueError, RecursionError):
        for name, log in record.merged([json.loads(text)]).items():
            return name, [event for event in log if _is_known(event)]
    return "", []


def _is_known(event: Event) -> bool:
    if event["kind"] == "quiz":
        known: Any = event["key"] in quiz_names() and quiz_data(event["key"])["answers"]
    else:
        known = event["kind"] == "guess" and event["key"] in texts() and texts()
    said = [event.get(name) for name in ("guess", "measured", "choices", "given")]
    return bool(known) and all(_is_answer(each, known) for each in _parts(said) if each is not None)


def _parts(said: Iterable[Any]) -> list[Any]:
    return [part for one in said for part in (one if isinstance(one, list) else [one])]


def _is_answer(said: Any, known: Iterable[str]) -> bool:
    if isinstance(said, int | float):
        return isinstance(said, int) or isfinite(said)
    return isinstance(said, str) and said in known


def files(folder: Path) -> dict[Path, int]:
    """Return when each file of a class was changed; what is no small file is none."""
    found = {}
    for file in folder.glob("*.json"):
        with suppress(OSError):
            facts = file.lstat()
            if stat.S_ISREG(facts.st_mode) and facts.st_size <= MOST_BYTES:
                found[file] = facts.st_mtime_ns
    return found


def read(file: Path) -> list[Event]:
    """Return what a file of a class holds; nothing of one that is none of ours."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with suppress(OSError), open(os.open(file, flags), "rb") as opened:
        if stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
            return answers(opened.read(MOST_BYTES))[1]
    return []


def write(folder: Path, name: str, events: Iterable[Event]) -> None:
    """Keep what a student has answered, in one go, and through no link that somebody put there."""
    handle, part = tempfile.mkstemp(".part", dir=folder)
    with open(handle, "w", encoding="utf-8") as file:
        json.dump({name: list(events)}, file)
    os.chmod(part, 0o644)  # the lecturer may be another user
    os.replace(part, folder / f"{name}.json")


class Post:
    """Sends what a student has answered to the lecturer's server: the newest, until it is there."""

    def __init__(self, url: str) -> None:
        self._url, self._text, self._news = url, "", threading.Event()
        if sys.platform != "emscripten":
            threading.Thread(target=self._deliver, daemon=True).start()

    def send(self, events: Iterable[Event]) -> None:
        """Send it, and go on at once."""
        self._text = json.dumps({record.NAME: list(events)})
        if sys.platform != "emscripten":
            self._news.set()
            return
        import asyncio

        self._sending = asyncio.ensure_future(self._from_a_browser(self._text))

    async def _from_a_browser(self, text: str) -> None:
        from importlib import import_module

        with suppress(OSError):
            await import_module("pyodide.http").pyfetch(self._url, method="POST", body=text)

    def _deliver(self) -> None:
        from urllib.request import ProxyHandler, build_opener  # not there in a browser

        opener = build_opener(ProxyHandler({}))  # it is in this room
        while self._news.wait():
            self._news.clear()
            for pause in PAUSES:
                sleep(pause)
                with suppress(OSError, ValueError):
                    opener.open(self._url, self._text.encode(), timeout=5).close()
                    break
