"""What was tried, and with which help: kept in the notebook, as long as its file is.

A kernel cannot write into the file of its notebook; the page can, and it saves the metadata of what
a cell shows.  So what a check, a hint or a solution shows carries the whole record so far.  A
restarted kernel takes it up again: from the notebook's file, and from a file of its own beside the
one that names its ports, which Jupyter keeps during a restart, where nothing has been saved yet.

Kept are the order of what happened, and no name and no time.  Guesses, answers, and which mistake a
check has recognised, are kept only after `course.share()`.  It is a record and no proof: whoever
edits the file changes it.
"""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from math import isfinite
from pathlib import Path
from secrets import token_hex
from typing import Any

from gamelib.state import to_python_action

LogEntry = dict[str, Any]  # its number in its log, kind, key, and what else is known of it
Logs = dict[str, list[LogEntry]]  # by a name that is drawn by lot

METADATA_KEY = "course_record"  # in the metadata of an output
ALWAYS_LOGGED = ("attempt", "hint", "solution")
ANSWER_KINDS = ("guess", "quiz", "step")
TAB_PREFIX = "tab-"  # so begin the names of logs that a new kernel cannot take up
MAX_ENTRIES = 60  # events of one kind with one key; after that only a pass is news
MAX_TEXT_CHARS = 300  # letters of a text


def log_event(kind: str, key: str, **facts: Any) -> None:
    """Keep that something happened, unless it says the same as the last of its kind and key.

    kind   "attempt", "hint", "solution"; and, after `course.share()`, "guess", "quiz", "step"
    key    which check, exercise or question
    facts  what else is known of it; None says nothing
    """
    if kind not in ALWAYS_LOGGED and not _listeners:
        return
    said = {"kind": kind, "key": key}
    said |= {name: _plain(fact) for name, fact in facts.items() if fact is not None}
    alike = [one for one in _events if (one["kind"], one["key"]) == (kind, key)]
    if alike and _without_answers({**said, "n": alike[-1]["n"]}) == _without_answers(alike[-1]):
        return
    if len(alike) >= MAX_ENTRIES and not facts.get("passed"):
        return
    number = _events[-1]["n"] + 1 if _events else 0
    _events.append({"n": number, **(said if _listeners else _without_answers(said))})
    if file := _restart_file():
        with suppress(OSError):
            file.write_text(json.dumps({LOG_ID: _events}), encoding="utf-8")
    for listener in _listeners:
        listener()


def share_answers_with(listener: Callable[[], None]) -> None:
    """Keep answers from now on, too, and call the listener, the only one, after each event."""
    _listeners[:] = [listener]


def events() -> list[LogEntry]:
    """Return what is kept, in its order; without answers and mistakes if they are not shared."""
    if _listeners:
        return list(_events)
    return [_without_answers(event) for event in _events if event["kind"] in ALWAYS_LOGGED]


def metadata() -> dict[str, Any]:
    """Return the metadata of an output that carry the record; none if nothing is kept."""
    return {METADATA_KEY: {LOG_ID: kept}} if (kept := events()) else {}


class CarriesActivityLog:
    """What is shown in a notebook with the record in the metadata of the output."""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return {}, metadata()


def logged_events(notebook: Mapping[str, Any]) -> list[LogEntry]:
    """Return what is kept in a notebook, given as its JSON: its logs, the longest one first."""
    return [
        event for log in sorted(logs(notebook).values(), key=len, reverse=True) for event in log
    ]


def logs(notebook: Mapping[str, Any]) -> Logs:
    """Return the logs in a notebook, given as JSON; `TAB_PREFIX` begins those of a browser tab."""
    return merge_logs(_stored_logs(notebook))


def _stored_logs(notebook: Mapping[str, Any]) -> list[Any]:
    """Return what stands in the place of a record in the outputs of a notebook."""
    outputs = [out for cell in notebook["cells"] for out in cell.get("outputs", ())]
    return [output.get("metadata", {}).get(METADATA_KEY) for output in outputs]


def merge_logs(found: Iterable[Any]) -> Logs:
    """Return the logs in all that was found: a later output has more events of the same log."""
    kept: dict[str, dict[int, LogEntry]] = {}
    for one in found:
        for name, log in one.items() if isinstance(one, dict) else ():
            for event in filter(_is_event, log if isinstance(log, list) else ()):
                mine = kept.setdefault(name, {})
                mine[event["n"]] = max(mine.get(event["n"], {}), event, key=len)
    return {name: [mine[n] for n in sorted(mine)] for name, mine in kept.items()}


def _is_event(found: Any) -> bool:
    """Return whether something has the form of an event: a file can be edited."""
    return (
        isinstance(found, dict)
        and found.get("kind") in (*ALWAYS_LOGGED, *ANSWER_KINDS)
        and isinstance(found.get("key"), str)
        and type(found.get("n")) is int
    )


def _without_answers(event: LogEntry) -> LogEntry:
    """Return an event without what is kept only where answers are shared."""
    return {name: fact for name, fact in event.items() if name != "mistake"}


def _plain(fact: Any) -> Any:
    """Return a fact as JSON has it; what JSON has not becomes a text."""
    fact = to_python_action(fact)
    if isinstance(fact, list | tuple):
        return [_plain(part) for part in fact]
    if isinstance(fact, bool | int) or (isinstance(fact, float) and isfinite(fact)):
        return fact
    return str(fact)[:MAX_TEXT_CHARS]


def _restart_file() -> Path | None:
    """Return the file that lasts as long as a kernel of Jupyter's server, restarts included.

    None for any other: it is not restarted, and its ports may stand in a folder open to all.
    """
    with suppress(KeyError, AttributeError, RuntimeError, OSError):
        sys.modules["ipykernel.kernelapp"]  # a kernel has it; its import would change all widgets
        ports = Path(sys.modules["ipykernel"].get_connection_file())
        return ports.with_suffix(".record") if ports.name.startswith("kernel-") else None
    return None


def _restored_log() -> tuple[str, list[LogEntry]]:
    """Return the longest log of the kernels of this notebook before this one; a new one if none."""
    found: list[Any] = []
    if file := _restart_file():
        for left in file.parent.glob("kernel-*.record"):
            if not left.with_suffix(".json").exists():  # its kernel has ended
                left.unlink(missing_ok=True)
        with suppress(OSError, ValueError):
            found.append(json.loads(file.read_text(encoding="utf-8")))
    with suppress(OSError, ValueError, LookupError, AttributeError, TypeError):  # it can be edited
        # Jupyter names the notebook so to its kernel.
        notebook = Path(os.environ["JPY_SESSION_NAME"]).read_text(encoding="utf-8")
        found += _stored_logs(json.loads(notebook))
    new = (TAB_PREFIX if sys.platform == "emscripten" else "") + token_hex(4)
    return max(merge_logs(found).items(), key=lambda log: len(log[1]), default=(new, []))


_listeners: list[Callable[[], None]] = []
# Read at once: a page that runs all cells anew empties their outputs first, and may then save.
LOG_ID, _events = _restored_log()
