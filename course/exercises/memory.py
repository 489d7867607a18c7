"""Detect that a student's function keeps data between questions, which no single call can show."""

import dis
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import signature
from types import FunctionType
from typing import Any

CONTAINERS = (list, dict, set)


def _written(program: Any) -> set[str]:
    """Return the global variables that a function assigns to."""
    if not isinstance(program, FunctionType):
        return set()
    return {
        instruction.argval
        for instruction in dis.get_instructions(program)
        if instruction.opname == "STORE_GLOBAL"
    }


class Memory:
    """The mutable containers and global variables that a function could use to remember questions.

    They are the containers in its defaults and globals, and the global variables that it assigns
    to.  Their contents are copied when the object is created, before the first question.
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
        """Return the names of the variables that have changed since then."""
        contents = self._contents()
        names = [name for name, original in self._before.items() if contents[name] != original]
        return names + [n for n, original in self._numbers.items() if self._globals[n] != original]

    @contextmanager
    def forgotten(self) -> Iterator[None]:
        """Restore the original contents inside the block, and the current ones after it."""
        containers, numbers = self._contents(), {n: self._globals[n] for n in self._numbers}
        self._put(self._before, self._numbers)
        try:
            yield
        finally:
            self._put(containers, numbers)

    def _contents(self) -> dict[str, Any]:
        return {name: container.copy() for name, container in self._containers.items()}

    def _put(self, contents: dict[str, Any], numbers: dict[str, Any]) -> None:
        for name, container in self._containers.items():
            container.clear()
            (container.extend if isinstance(container, list) else container.update)(contents[name])
        self._globals.update(numbers)
