"""Log what a student tried, and with which help, in the outputs of the notebook.

A kernel cannot write to the file of its notebook.  The page can, and it saves the metadata of each
output.  So the output of a check, a hint or a solution carries the whole log so far.  A restarted
kernel continues the log: it reads it from the notebook's file and, in case that was not saved yet,
from a file next to the connection file, which Jupyter keeps during a restart.

The log has the order of the events, but no name and no time.  Guesses, answers and recognised
mistakes are logged only after `course.share()`.  The log is not a proof, because anybody can edit
the file.
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

LogEntry = dict[str, Any]  # `n` (its number in the log), `kind`, `key` and other facts
Logs = dict[str, list[LogEntry]]  # log id, a random name -> entries

METADATA_KEY = "course_record"  # key in the metadata of an output
ALWAYS_LOGGED = ("attempt", "hint", "solution")
ANSWER_KINDS = ("guess", "quiz", "step")
TAB_PREFIX = "tab-"  # prefix of the ids of logs that a new kernel cannot continue
MAX_ENTRIES = 60  # entries of one kind with one key; after that only a passed check is logged
MAX_TEXT_CHARS = 300  # of a logged text


def log_event(kind: str, key: str, **facts: Any) -> None:
    """Log an event, unless it repeats the last one of its kind and key.

    kind   "attempt", "hint", "solution"; after `course.share()` also "guess", "quiz", "step"
    key    the check, exercise or question
    facts  other facts about the event; those that are None are left out
    """
    if kind not in ALWAYS_LOGGED and not _listeners:
        return
    entry = {"kind": kind, "key": key}
    entry |= {name: _plain(fact) for name, fact in facts.items() if fact is not None}
    similar = [earlier for earlier in _events if (earlier["kind"], earlier["key"]) == (kind, key)]
    if similar and _without_answers({**entry, "n": similar[-1]["n"]}) == _without_answers(
        similar[-1]
    ):
        return
    if len(similar) >= MAX_ENTRIES and not facts.get("passed"):
        return
    number = _events[-1]["n"] + 1 if _events else 0
    _events.append({"n": number, **(entry if _listeners else _without_answers(entry))})
    if file := _restart_file():
        with suppress(OSError):
            file.write_text(json.dumps({LOG_ID: _events}), encoding="utf-8")
    for listener in _listeners:
        listener()


def share_answers_with(listener: Callable[[], None]) -> None:
    """Log answers too from now on, and call `listener`, the only one, after each event."""
    _listeners[:] = [listener]


def events() -> list[LogEntry]:
    """Return the log in order; answers and mistakes are left out if they are not shared."""
    if _listeners:
        return list(_events)
    return [_without_answers(event) for event in _events if event["kind"] in ALWAYS_LOGGED]


def metadata() -> dict[str, Any]:
    """Return metadata of an output with the log in it; {} if the log is empty."""
    return {METADATA_KEY: {LOG_ID: kept}} if (kept := events()) else {}


class CarriesActivityLog:
    """Mixin for objects shown in a notebook, which puts the log into the metadata of the output."""

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        return {}, metadata()


def logged_events(notebook: Mapping[str, Any]) -> list[LogEntry]:
    """Return the events in a notebook, given as its JSON; those of the longest log come first."""
    return [
        event for log in sorted(logs(notebook).values(), key=len, reverse=True) for event in log
    ]


def logs(notebook: Mapping[str, Any]) -> Logs:
    """Return the logs in a notebook, given as its JSON.

    The id of a log from a browser tab begins with `TAB_PREFIX`.
    """
    return merge_logs(_stored_logs(notebook))


def _stored_logs(notebook: Mapping[str, Any]) -> list[Any]:
    """Return the values under `METADATA_KEY` in the outputs of a notebook, unchecked."""
    outputs = [out for cell in notebook["cells"] for out in cell.get("outputs", ())]
    return [output.get("metadata", {}).get(METADATA_KEY) for output in outputs]


def merge_logs(found: Iterable[Any]) -> Logs:
    """Return the logs in a number of stored values; a later output has more events of the same log.

    found  stored values, which may be of any form, because a file can be edited
    """
    merged: dict[str, dict[int, LogEntry]] = {}
    for value in found:
        for name, log in value.items() if isinstance(value, dict) else ():
            for event in filter(_is_event, log if isinstance(log, list) else ()):
                entries = merged.setdefault(name, {})
                entries[event["n"]] = max(entries.get(event["n"], {}), event, key=len)
    return {name: [entries[n] for n in sorted(entries)] for name, entries in merged.items()}


def _is_event(value: Any) -> bool:
    """Return whether a value has the form of an event, because a file can be edited."""
    return (
        isinstance(value, dict)
        and value.get("kind") in (*ALWAYS_LOGGED, *ANSWER_KINDS)
        and isinstance(value.get("key"), str)
        and type(value.get("n")) is int
    )


def _without_answers(event: LogEntry) -> LogEntry:
    """Return an event without the facts that are kept only if answers are shared."""
    return {name: fact for name, fact in event.items() if name != "mistake"}


def _plain(fact: Any) -> Any:
    """Return a fact as plain JSON data; a value that JSON does not have becomes text."""
    fact = to_python_action(fact)
    if isinstance(fact, list | tuple):
        return [_plain(part) for part in fact]
    if isinstance(fact, bool | int) or (isinstance(fact, float) and isfinite(fact)):
        return fact
    return str(fact)[:MAX_TEXT_CHARS]


def _restart_file() -> Path | None:
    """Return the log's file next to the connection file, for a kernel of Jupyter's server.

    It lasts as long as the kernel, with restarts.  None for any other kernel: it is not restarted,
    and the folder of its connection file may be open to all users.
    """
    with suppress(KeyError, AttributeError, RuntimeError, OSError):
        # KeyError outside a kernel, where an import of this module would affect all widgets.
        sys.modules["ipykernel.kernelapp"]
        ports = Path(sys.modules["ipykernel"].get_connection_file())
        return ports.with_suffix(".record") if ports.name.startswith("kernel-") else None
    return None


def _restored_log() -> tuple[str, list[LogEntry]]:
    """Return the longest log of the earlier kernels of this notebook, or a new one."""
    stored: list[Any] = []
    if file := _restart_file():
        for old_file in file.parent.glob("kernel-*.record"):
            if not old_file.with_suffix(".json").exists():  # its kernel has exited
                old_file.unlink(missing_ok=True)
        with suppress(OSError, ValueError):
            stored.append(json.loads(file.read_text(encoding="utf-8")))
    # The file can be edited, so it may have any content.
    with suppress(OSError, ValueError, LookupError, AttributeError, TypeError):
        # Jupyter passes the path of the notebook to its kernel in this variable.
        notebook = Path(os.environ["JPY_SESSION_NAME"]).read_text(encoding="utf-8")
        stored += _stored_logs(json.loads(notebook))
    new = (TAB_PREFIX if sys.platform == "emscripten" else "") + token_hex(4)
    return max(merge_logs(stored).items(), key=lambda log: len(log[1]), default=(new, []))


_listeners: list[Callable[[], None]] = []
# Read at import, because a page that runs all cells again first empties their outputs and may then
# save the notebook.
LOG_ID, _events = _restored_log()
