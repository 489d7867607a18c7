"""The reasons of forfeits: one line of text, with the lines of the agent and without folders."""

import linecache

import pytest

from arena.sandbox.agent_worker import load
from arena.sandbox.forfeits import (
    LINE_LENGTH,
    TRACEBACK_LENGTH,
    forfeit_reason,
    format_traceback,
    safe_repr,
    short_message,
    to_one_line,
)
from gamelib import TicTacToe, minimax


def error_of(text, *arguments):
    """Return the error of calling `agent` in a file with this text."""
    linecache.clearcache()  # a child process loads one file only
    try:
        load("mine.py", text.encode()).agent(*arguments)
    except BaseException as error:
        return error
    raise AssertionError("there was no error")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def agent():\n    raise KeyError", "KeyError (mine.py, line 2: raise KeyError)"),
        (
            "def agent():\n    raise ValueError('two\\nlines')",
            r"ValueError: two lines (mine.py, line 2: raise ValueError('two\nlines'))",
        ),
        (
            "def agent(state):\n    pass",
            "TypeError: agent() missing 1 required positional argument: 'state'",
        ),
    ],
)
def test_reason_has_line_of_the_agent(text, expected):
    assert forfeit_reason(error_of(text), "mine.py") == expected


def test_long_messages_are_shortened():
    error = error_of("def agent():\n    raise ValueError('x' * 10**6)" + " " * 200 + "# long")
    assert len(forfeit_reason(error, "mine.py")) <= LINE_LENGTH  # so that the line is never cut off
    assert "mine.py, line 2" in forfeit_reason(error, "mine.py")
    assert len(safe_repr("x" * 10**6)) < 100
    assert len(format_traceback(error)) <= TRACEBACK_LENGTH


def test_traceback_shows_chained_errors():
    text = "def agent():\n    try:\n        1 / 0\n    except Exception:\n        open('/no/x')"
    shown = format_traceback(error_of(text))
    assert shown.index("line 3, in agent") < shown.index("line 5, in agent")
    assert "During handling of the above exception" in shown
    assert "No such file or directory: 'x'" in shown


def test_traceback_has_relative_library_paths():
    text = "def agent(search, state):\n    search(state, depth=-1)"
    shown = format_traceback(error_of(text, minimax, TicTacToe())).replace("\\", "/")
    assert 'File "gamelib/search/minimax.py"' in shown
    assert "/gamelib/search" not in shown


class UnspeakableError(Exception):
    def __str__(self):
        raise KeyboardInterrupt

    __repr__ = __str__


def test_failing_repr_is_reported():
    told = "(UnspeakableError, which cannot be shown: KeyboardInterrupt)"
    assert short_message(UnspeakableError()) == safe_repr(UnspeakableError()) == told
    assert forfeit_reason(UnspeakableError(), "mine.py") == f"UnspeakableError: {told}"
    assert told in forfeit_reason(SystemExit(UnspeakableError()), "mine.py")


def test_reason_has_no_memory_addresses():
    assert to_one_line(f"answered {object()!r}:\nno") == "answered <object object>: no"
