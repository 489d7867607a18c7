"""What a program keeps from one question to the next: then no single call shows its mistake."""

import dis
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from types import FunctionType
from typing import Any

CONTAINERS = (list, dict, set)


def _written(program: Any) -> set[str]:
    """Return the global variables that a function gives new values."""
    if not isinstance(program, FunctionType):
        return set()
    return {each.argval for each in dis.get_instructions(program) if each.opname == "STORE_GLOBAL"}


class Memory:
    """What a function could remember: containers in its defaults or globals, and global variables.

    It is looked at when the memory is made, before the first question.
    """

    def __init__(self, program: Any) -> None:
        self._globals: dict[str, Any] = {}
        self._containers: dict[str, Any] = {}
        if isinstance(program, FunctionType):
            self._globals = program.__globals__
            defaults = {name: each.default for name, each in signature(program).parameters.items()}
            used = {n: self._globals[n] for n in program.__code__.co_names if n in self._globals}
            things = (used | defaults).items()
            self._containers = {n: each for n, each in things if type(each) in CONTAINERS}
        self._before = self._contents()
        self._numbers = {name: self._globals[name] for name in _written(program) & {*self._globals}}

    def changed(self) -> list[str]:
        """Return the names of what is no longer as it was."""
        now = self._contents()
        names = [name for name, before in self._before.items() if now[name] != before]
        return names + [n for n, before in self._numbers.items() if self._globals[n] != before]

    @contextmanager
    def forgotten(self) -> Iterator[None]:
        """Let everything be as it was at first, inside the block."""
        containers, numbers = self._contents(), {n: self._globals[n] for n in self._numbers}
        self._put(self._before, self._numbers)
        try:
            yield
        finally:
            self._put(containers, numbers)

    def _contents(self) -> dict[str, Any]:
        return {name: each.copy() for name, each in self._containers.items()}

    def _put(self, contents: dict[str, Any], numbers: dict[str, Any]) -> None:
        for name, each in self._containers.items():
            each.clear()
            (each.extend if isinstance(each, list) else each.update)(contents[name])
        self._globals.update(numbers)
