"""Describe an error of a student's program: what was raised, in which line, and what to check."""

import linecache
import sysconfig
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from traceback import walk_stack, walk_tb
from types import CodeType, FrameType
from typing import Any

from gamelib.state import GameState, IllegalActionError

MAX_REPR_CHARS = 200  # of the repr of a value, or of a message, from a student's program

# Code that no student wrote: these packages, Python's standard library, and installed packages.
_FOREIGN = (
    *(
        str(Path(__file__).parents[2] / name)
        for name in ("gamelib", "gamefast", "arena", "course", "tools")
    ),
    sysconfig.get_path("stdlib"),
    str(Path(linecache.__file__).parent),  # in a browser the standard library is a zip file
    "<frozen",
)
# of any Python, because an environment may use another one's packages
_INSTALLED = "site-packages", "dist-packages"


def safe_repr(value: object) -> str:
    """Return the repr of a value, shortened; if the repr raises, return a text that says so."""
    try:
        text = repr(value)
    except Exception as error:
        text = f"<{type(value).__name__}, whose repr raises {type(error).__name__}>"
    return _short(text)


def describe_error(error: BaseException) -> str:
    """Return "raised KeyError: 3, in line 2 of `f`, `x = {}[3]`." and advice, if there is any.

    An error from another process carries this text in its attribute `told`.
    """
    if isinstance(description := vars(error).get("told"), str):
        return description
    try:
        message = _short(str(error).partition("\n")[0])  # a whole board may follow
    except Exception:
        message = ""
    raised = f"raised {type(error).__name__}{': ' if message else ''}{message.rstrip('.:')}"
    location = error_location(error)
    return f"{raised}{f', in {location}' if location else ''}. {_advice(error)}".strip()


def _advice(error: BaseException) -> str:
    """Return what a tutor would say about the usual cause of an error."""
    if isinstance(error, RecursionError):
        return (
            "The function calls itself without end. Does it stop at the end of the game, and is "
            "each call one step nearer to it?"
        )
    if isinstance(error, ValueError) and "empty" in str(error):
        return (
            "At the end of the game there are no actions, so `max` and `min` have nothing to "
            "compare. Ask `state.is_terminal()` first."
        )
    if isinstance(error, IllegalActionError):
        if str(error).endswith("got None"):
            return "No action was chosen here: was every score too low for your comparison?"
        return "Is it an action of another state? In a loop, give the successor a name of its own."
    if isinstance(error, SystemExit):
        return "A function must return its answer; it must not end the program."
    if isinstance(error, NameError | AttributeError | TypeError | ValueError):
        return _advice_on_names(error)
    return ""


def _advice_on_names(error: BaseException) -> str:
    """Return what a tutor would say if one value or name was mistaken for another."""
    message = str(error)
    if "payoff" in message:
        return "Only a terminal state has payoffs: ask `state.is_terminal()` alone, with brackets."
    if "method" in message and "argument" not in message:
        return "A method is called with brackets, like `state.is_terminal()`."
    if "NoneType" in message:
        return "A function that ends without `return` returns None."
    if (
        isinstance(error, AttributeError)
        and isinstance(error.obj, int | tuple)
        and (hasattr(GameState, error.name or ""))
    ):
        return "An action is not a state: `state.successor(action)` is the state after it."
    if not (name := getattr(error, "name", None)):
        return ""  # a TypeError has no name
    candidates = _known_names(error)
    matches = [
        candidate for candidate in candidates if candidate.endswith(f"_{name}")
    ] or get_close_matches(name, candidates, 1)
    return f"Did you mean `{matches[0]}`?" if matches else ""


def _known_names(error: BaseException) -> list[str]:
    """Return the names that the student may have meant instead of an unknown one."""
    if isinstance(error, AttributeError):
        return [name for name in dir(error.obj) if not name.startswith("_")]
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return [*frames[-1].f_locals, *frames[-1].f_globals] if frames else []


def error_location(error: BaseException) -> str:
    """Return "line 2 of `f`, `the code`": the student's line that raised the error, or ""."""
    location = vars(error).get("place")  # of an error from another process
    return location if isinstance(location, str) else _place(walk_tb(error.__traceback__))


def frame_location(frame: FrameType | None) -> str:
    """Return the student's line that a frame of another thread is running, or ""."""
    return _place(reversed(list(walk_stack(frame)))) if frame else ""


def _place(steps: Iterable[tuple[FrameType, int | None]]) -> str:
    """Return the innermost line of a student in a stack whose outermost frame comes first.

    The line of a frame that is running in another thread can be unknown for a moment.
    """
    student_steps = [(frame.f_code, line) for frame, line in steps if _is_students(frame.f_code)]
    if not student_steps:
        return ""
    code, line = student_steps[-1]
    # A comprehension inside a function has its own frame, but a student knows the function.
    functions = [
        frame_code
        for frame_code, _ in student_steps
        if "<" not in frame_code.co_name and frame_code.co_filename == code.co_filename
    ]
    named = functions[-1] if functions else code
    text = _short(linecache.getline(code.co_filename, line or 0).strip()).replace("`", "'")
    name = named.co_qualname.rpartition("<locals>.")[2]
    location = f"line {(line or code.co_firstlineno) - named.co_firstlineno + 1} of `{name}`"
    return f"{location}, `{text}`" if text else location


def _is_students(code: CodeType) -> bool:
    file = code.co_filename
    return not (file.startswith(_FOREIGN) or any(folder in file for folder in _INSTALLED))


def _short(text: str) -> str:
    return text if len(text) <= MAX_REPR_CHARS else f"{text[:MAX_REPR_CHARS]} ..."


def name_of(function: Any) -> str:
    """Return the name of a student's function or class."""
    name = str(getattr(function, "__name__", "<nameless>"))
    return "your function" if name.startswith("<") else name
