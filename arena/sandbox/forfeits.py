"""The reasons of forfeits as text: one line for the results, and a traceback for the log."""

import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

# In characters: a whole line, its parts, and a traceback.
LINE_LENGTH, MESSAGE_LENGTH, CODE_LENGTH, TRACEBACK_LENGTH = 300, 180, 80, 4000
ROOT = Path(__file__).parents[2]
_PACKAGES = [ROOT / name for name in ("gamelib", "gamefast", "arena", "course")]
# The folders before the name of a file, on Linux and macOS, and on Windows.
_FOLDERS = re.compile(r"(?<![\w.])(?:/[\w.~@+-]+)+/(?=[\w~@+-])|\b[A-Za-z]:\\(?:[^\\\s]+\\)*")
# The address of an object, as in <object at 0x7f0d>, which differs in every run.
_ADDRESSES = re.compile(r" at 0x[0-9a-fA-F]+")


class ForfeitError(Exception):
    """The error of an agent that broke a rule and loses the game; its message is the reason."""


def strip_paths(text: str) -> str:
    """Return a text without the folders in the names of files."""
    return _FOLDERS.sub("", text)


def to_one_line(text: str) -> str:
    """Return a reason in one line, without folders and addresses, shortened if it is long."""
    short = _ADDRESSES.sub("", strip_paths(text))
    return _cut(" ".join(short.split()), LINE_LENGTH)


def forfeit_reason(error: BaseException, file: str) -> str:
    """Return the type of an error, its message and its line in the agent's file, in one line."""
    kind = type(error).__name__
    text = " ".join(short_message(error).split())
    if isinstance(error, SystemExit):
        text = f"the agent asked Python to exit (status {safe_repr(error.code)})"
        kind = "SystemExit"
    if isinstance(error, MemoryError):
        text = text or "more memory than the agent may use"
    if isinstance(error, SyntaxError) and error.filename == file:
        kind_and_text, locations = f"{kind}: {error.msg}", [(error.lineno, error.text or "")]
    else:
        kind_and_text = f"{kind}: {text}" if text else kind
        steps = traceback.extract_tb(error.__traceback__)
        locations = [(step.lineno, step.line or "") for step in steps if step.filename == file]
    if not locations:
        return _cut(kind_and_text, MESSAGE_LENGTH)
    line, code = locations[-1]
    location = f"{file}, line {line}: {_cut(code.strip(), CODE_LENGTH)}"
    return f"{_cut(kind_and_text, MESSAGE_LENGTH)} ({location})"


def format_traceback(error: BaseException, *, without: str = "") -> str:
    """Return the traceback without folders, and without the steps in the file `without`."""
    trace = traceback.TracebackException.from_exception(error)
    _shorten(trace, without)
    return strip_paths("".join(trace.format()))[-TRACEBACK_LENGTH:]


def _shorten(trace: traceback.TracebackException | None, without: str) -> None:
    if trace is None:
        return
    steps = [step for step in trace.stack if step.filename != without]
    for step in steps:
        path = Path(step.filename)
        inside = any(path.is_relative_to(package) for package in _PACKAGES)
        step.colno = step.end_colno = None  # versions of Python underline different parts of a line
        step.filename = str(path.relative_to(ROOT)) if inside else path.name
    trace.stack[:] = steps
    _shorten(trace.__cause__, without)
    _shorten(trace.__context__, without)


def short_message(error: BaseException) -> str:
    """Return the text of an error, shortened if it is long."""
    return _cut(_safely(str, error), MESSAGE_LENGTH)


def safe_repr(answer: object) -> str:
    """Return the repr of an answer, shortened if it is long."""
    return _cut(_safely(repr, answer), CODE_LENGTH)


def _safely(to_text: Callable[[Any], str], value: object) -> str:
    """Return the text of a value whose class may be defined by the agent, and raise an error."""
    try:
        return to_text(value)
    except BaseException as error:
        return f"({type(value).__name__}, which cannot be shown: {type(error).__name__})"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 4]} ..."
