"""Why an agent forfeits, in words: one line for the results, a traceback for the log."""

import re
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

# In characters: a whole line, and the parts that must fit into it; and a traceback.
LINE_LENGTH, MESSAGE_LENGTH, CODE_LENGTH, TRACEBACK_LENGTH = 300, 180, 80, 4000
ROOT = Path(__file__).parents[2]
_PACKAGES = [ROOT / name for name in ("gamelib", "gamefast", "arena", "course")]
# The folders before the name of a file, as Linux and macOS write them, and as Windows does.
_FOLDERS = re.compile(r"(?<![\w.])(?:/[\w.~@+-]+)+/(?=[\w~@+-])|\b[A-Za-z]:\\(?:[^\\\s]+\\)*")
# Where an object lies in memory, as in <object at 0x7f0d>: another place in every run.
_ADDRESSES = re.compile(r" at 0x[0-9a-fA-F]+")


class ForfeitError(Exception):
    """Raised by an agent that cannot go on: it loses the game, for the reason in the message."""


def strip_paths(text: str) -> str:
    """Return a text without the folders in which a machine keeps things."""
    return _FOLDERS.sub("", text)


def to_one_line(text: str) -> str:
    """Return a reason on one line, without folders and addresses, and not too long."""
    short = _ADDRESSES.sub("", strip_paths(text))
    return _cut(" ".join(short.split()), LINE_LENGTH)


def forfeit_reason(error: BaseException, file: str) -> str:
    """Return the kind of error, its message, and its line in the agent's file, all in one line."""
    kind = type(error).__name__
    text = " ".join(short_message(error).split())
    if isinstance(error, SystemExit):
        kind, text = (
            "SystemExit",
            f"the agent asked Python to exit (status {safe_repr(error.code)})",
        )
    if isinstance(error, MemoryError):
        text = text or "more memory than the agent may use"
    if isinstance(error, SyntaxError) and error.filename == file:
        kind_and_text, places = f"{kind}: {error.msg}", [(error.lineno, error.text or "")]
    else:
        kind_and_text = f"{kind}: {text}" if text else kind
        steps = traceback.extract_tb(error.__traceback__)
        places = [(step.lineno, step.line or "") for step in steps if step.filename == file]
    if not places:
        return _cut(kind_and_text, MESSAGE_LENGTH)
    line, code = places[-1]
    place = f"{file}, line {line}: {_cut(code.strip(), CODE_LENGTH)}"
    return f"{_cut(kind_and_text, MESSAGE_LENGTH)} ({place})"


def format_traceback(error: BaseException, *, without: str = "") -> str:
    """Return the traceback without folders, and without the steps in the file `without`."""
    shown = traceback.TracebackException.from_exception(error)
    _shorten(shown, without)
    return strip_paths("".join(shown.format()))[-TRACEBACK_LENGTH:]


def _shorten(shown: traceback.TracebackException | None, without: str) -> None:
    if shown is None:
        return
    own = [step for step in shown.stack if step.filename != without]
    for step in own:
        path = Path(step.filename)
        inside = any(path.is_relative_to(package) for package in _PACKAGES)
        step.colno = step.end_colno = None  # each Python underlines other parts of a line
        step.filename = str(path.relative_to(ROOT)) if inside else path.name
    shown.stack[:] = own
    _shorten(shown.__cause__, without)
    _shorten(shown.__context__, without)


def short_message(error: BaseException) -> str:
    """Return the text of an error, cut if it is long."""
    return _cut(_safely(str, error), MESSAGE_LENGTH)


def safe_repr(answer: object) -> str:
    """Return the repr of an answer, cut if it is long."""
    return _cut(_safely(repr, answer), CODE_LENGTH)


def _safely(show: Callable[[Any], str], thing: object) -> str:
    """Return what `show` makes of a thing whose class may be the agent's own."""
    try:
        return show(thing)
    except BaseException as error:
        return f"({type(thing).__name__}, which cannot be shown: {type(error).__name__})"


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 4]} ..."
