"""Errors of a student's program in words: what was raised, in which line, and what to look at."""

import linecache
import sysconfig
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from traceback import walk_stack, walk_tb
from types import CodeType, FrameType
from typing import Any

from gamelib.state import GameState, IllegalActionError

MAX_REPR_CHARS = 200  # characters of anything that a student's program made

# Code that no student wrote: these packages, Python's own library; and what is installed.
_FOREIGN = (
    *(
        str(Path(__file__).parents[2] / name)
        for name in ("gamelib", "gamefast", "arena", "course", "tools")
    ),
    sysconfig.get_path("stdlib"),
    str(Path(linecache.__file__).parent),  # a browser has Python's own library in a zip file
    "<frozen",
)
_INSTALLED = "site-packages", "dist-packages"  # of any Python: an environment may use another's


def safe_repr(thing: object) -> str:
    """Return the repr of anything, cut short; one that raises is told so."""
    try:
        text = repr(thing)
    except Exception as error:
        text = f"<{type(thing).__name__}, whose repr raises {type(error).__name__}>"
    return _short(text)


def describe_error(error: BaseException) -> str:
    """Return "raised KeyError: 3, in line 2 of `f`, `x = {}[3]`." and advice, if there is any.

    An error that comes from another process brings these words along, as `told`.
    """
    if isinstance(told := vars(error).get("told"), str):
        return told
    try:
        words = _short(str(error).partition("\n")[0])  # below it there may be a whole board
    except Exception:
        words = ""
    what = f"raised {type(error).__name__}{': ' if words else ''}{words.rstrip('.:')}"
    where = error_location(error)
    return f"{what}{f', in {where}' if where else ''}. {_advice(error)}".strip()


def _advice(error: BaseException) -> str:
    """Return what a tutor would say about the usual reason of an error."""
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
        return "Is it an action of another state? A successor needs a name of its own in a loop."
    if isinstance(error, SystemExit):
        return "A function answers with `return`; it must not end the program."
    if isinstance(error, NameError | AttributeError | TypeError | ValueError):
        return _advice_on_names(error)
    return ""


def _advice_on_names(error: BaseException) -> str:
    """Return what a tutor would say where one thing was taken for another."""
    words = str(error)
    if "payoff" in words:
        return "Only the end of a game has payoffs: ask `state.is_terminal()` alone, with brackets."
    if "method" in words and "argument" not in words:
        return "A method is called with brackets, like `state.is_terminal()`."
    if "NoneType" in words:
        return "None is what a function gives that ends without `return`."
    if (
        isinstance(error, AttributeError)
        and isinstance(error.obj, int | tuple)
        and (hasattr(GameState, error.name or ""))
    ):
        return "An action is no state: `state.successor(action)` is the state after it."
    if not (name := getattr(error, "name", None)):
        return ""  # a TypeError names nothing
    known = _known_names(error)
    meant = [one for one in known if one.endswith(f"_{name}")] or get_close_matches(name, known, 1)
    return f"Did you mean `{meant[0]}`?" if meant else ""


def _known_names(error: BaseException) -> list[str]:
    """Return the names that could be meant where one was not found."""
    if isinstance(error, AttributeError):
        return [name for name in dir(error.obj) if not name.startswith("_")]
    frames = [frame for frame, _ in walk_tb(error.__traceback__)]
    return [*frames[-1].f_locals, *frames[-1].f_globals] if frames else []


def error_location(error: BaseException) -> str:
    """Return "line 2 of `f`, `the code`": the student's line that raised; "" if there is none."""
    place = vars(error).get("place")  # of an error that comes from another process
    return place if isinstance(place, str) else _place(walk_tb(error.__traceback__))


def frame_location(frame: FrameType | None) -> str:
    """Return the student's line that runs in a frame of another thread; "" if there is none."""
    return _place(reversed(list(walk_stack(frame)))) if frame else ""


def _place(steps: Iterable[tuple[FrameType, int | None]]) -> str:
    """Return the innermost line of a student in a stack, the outermost frame first.

    A frame that runs on in another thread may have no line just now.
    """
    written = [(frame.f_code, line) for frame, line in steps if _is_students(frame.f_code)]
    if not written:
        return ""
    code, line = written[-1]
    # A comprehension inside a function is a frame of its own; a student knows the function.
    functions = [
        c for c, _ in written if "<" not in c.co_name and c.co_filename == code.co_filename
    ]
    named = functions[-1] if functions else code
    text = _short(linecache.getline(code.co_filename, line or 0).strip()).replace("`", "'")
    name = named.co_qualname.rpartition("<locals>.")[2]
    where = f"line {(line or code.co_firstlineno) - named.co_firstlineno + 1} of `{name}`"
    return f"{where}, `{text}`" if text else where


def _is_students(code: CodeType) -> bool:
    file = code.co_filename
    return not (file.startswith(_FOREIGN) or any(folder in file for folder in _INSTALLED))


def _short(text: str) -> str:
    return text if len(text) <= MAX_REPR_CHARS else f"{text[:MAX_REPR_CHARS]} ..."


def name_of(function: Any) -> str:
    """Return the name of a student's function or class."""
    name = str(getattr(function, "__name__", "<nameless>"))
    return "your function" if name.startswith("<") else name
