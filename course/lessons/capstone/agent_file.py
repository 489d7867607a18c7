"""Write an agent from a notebook as one Python file, in the form of the class tournament."""

import dis
import inspect
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any

from arena.sandbox.file_agent import FileAgent, Limits
from course.lessons.capstone.budget_match import BUDGET

_PLAIN = (bool, int, float, str, type(None))
_MISSING = object()
PACKAGES = ("gamelib", "gamefast", "arena", "course")
# With this import, the names in annotations need not be imported.
HEADER = f'''"""An agent for Connect Four, with {BUDGET} positions for a move."""

from __future__ import annotations'''


def agent_file(agent: Callable[..., Any]) -> str:
    """Return the text of a file that plays like the function `agent`, with everything that it uses.

    Functions and plain values of the notebook are written out; values from modules are imported.
    ValueError for anything else, such as a lambda.
    """
    parts: dict[str, str] = {}
    imports: set[str] = set()
    _add(agent, parts, imports)
    name = agent.__name__
    end = [] if name == "agent" else [f"agent = {name}"]
    text = "\n\n\n".join(["\n".join(_grouped(imports)), *parts.values(), *end])
    return f"{HEADER}\n\n{text.strip()}\n"


def load_agent(text: str, *, name: str = "agent.py") -> FileAgent:
    """Return the agent of a file with this text, as it plays in the tournament.

    Each game runs in a child process, with the budget and the time limits of the tournament.
    """
    return FileAgent(name, limits=Limits(budget=BUDGET), source=text.encode())


def _add(function: Callable[..., Any], parts: dict[str, str], imports: set[str]) -> None:
    """Add the source of a function to `parts`, after that of everything it uses."""
    if not isinstance(function, FunctionType) or function.__name__ == "<lambda>":
        raise ValueError(
            "agent must use only functions made with `def`, because others cannot be written to a "
            f"file; got {function!r}"
        )
    if function.__code__.co_freevars:
        raise ValueError(
            f"{function.__name__} was made inside another function and uses its variables; "
            "write it at the left margin of a cell"
        )
    parts.setdefault(function.__name__, "")  # so that a recursive function is added only once
    for name in dict.fromkeys(_globals(function.__code__)):
        value = function.__globals__.get(name, _MISSING)
        if name in parts or value is _MISSING:  # already added, or a builtin
            continue
        if line := _import(name, value, function.__module__):
            imports.add(line)
        elif _is_plain(value):
            parts[name] = f"{name} = {value!r}"
        else:
            _add(value, parts, imports)
    del parts[function.__name__]
    parts[function.__name__] = inspect.getsource(function).rstrip()


def _globals(code: CodeType) -> Iterator[str]:
    """Yield the global names that a function, and the functions in it, use."""
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield step.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _globals(constant)


def _import(name: str, value: Any, home: str) -> str:
    """Return the line that imports a value; "" if it was defined in the notebook."""
    if isinstance(value, ModuleType):
        package, _, last = value.__name__.rpartition(".")
        line = f"from {package} import {last}" if package else f"import {last}"
        return line if last == name else f"{line} as {name}"
    for package in PACKAGES:
        if getattr(sys.modules.get(package), "__dict__", {}).get(name) is value:
            return f"from {package} import {name}"
    module = getattr(value, "__module__", None)
    if not isinstance(module, str) or (module == home and home.partition(".")[0] not in PACKAGES):
        return ""
    known = getattr(value, "__name__", name)
    return f"from {module} import {known}" + (f" as {name}" if known != name else "")


def _grouped(imports: set[str]) -> list[str]:
    """Return lines of imports, one for each module."""
    names: dict[str, list[str]] = {}
    for line in sorted(imports):
        module, _, name = line.partition(" import ")
        names.setdefault(module, []).append(name)
    return [
        f"{module} import {', '.join(known)}" if known[0] else module
        for module, known in names.items()
    ]


def _is_plain(value: Any) -> bool:
    """Return whether the repr of a value evaluates to an equal value."""
    if isinstance(value, dict):
        return all(map(_is_plain, [*value, *value.values()]))
    if isinstance(value, list | tuple | set):
        return all(map(_is_plain, value))
    return isinstance(value, _PLAIN)
