"""Agents in files where no process can be started: in this one, with their positions counted.

Nothing contains what they do: they can end the program, spoil what it holds, and fill its memory.
What a process of its own gives an agent besides, it finds here too: its own chance, made from the
seed, its own budget, and no machine code.
"""

import io
import json
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from functools import cache
from importlib import import_module
from types import FrameType
from typing import Any

from arena import here
from arena.sandbox.child import LateError, Printed
from arena.sandbox.contestant import MODULE, Contestant, NoCompiledSearches
from gamelib.games import GAMES

SENTENCE = (
    "No process can be started here, so agents in files play in this one: their positions are "
    "counted, but nothing contains what they do."
)
_COUNTED = ("successor", "playout")
# What is no machine code.
_LIGHT = ("gamefast.fast", "gamefast.build_info")
machine_code: Any = import_module("gamefast.fast")


@cache
def say_once() -> None:
    """Print that nothing is contained here: the first time that an agent in a file plays."""
    print(SENTENCE)


class Uncontained:
    """What takes the place of a `Child` for one game: it answers in this process."""

    def __init__(self) -> None:
        say_once()
        self._contestant, self._own, self.printed = Contestant(), _Surroundings(), Printed()
        self._own.modules = {}

    def allow(self, *, clock: float) -> None:
        """Set how many seconds the next answer may take."""
        self._deadline = time.monotonic() + clock

    def send(self, data: bytes) -> None:
        """Take a request, without limits for a process: they would be those of this one."""
        self._request = json.loads(data) | {"seconds": 0, "start_seconds": 0, "megabytes": 0}

    def answer(self) -> dict[str, Any]:
        """Return the answer to the request; LateError if there is none in time."""
        answer, late = dict[str, Any](), False

        def look(frame: FrameType | None) -> None:
            nonlocal late
            if time.monotonic() > self._deadline:
                late = True
                raise SystemExit

        with suppress(SystemExit), self._by_itself(), here.looking(look):
            answer = self._contestant.answer(self._request)
        if late:
            raise LateError
        return {"id": self._request["id"], **answer}

    def where(self, last: bytes) -> None:
        """Say nothing: the stack is that of this process."""

    def computed(self) -> float:
        """Return how many seconds this process has computed."""
        return time.process_time()

    def end(self) -> None:
        """There is no process to end."""

    @contextmanager
    def _by_itself(self) -> Iterator[None]:
        """Let the agent find what it has left in its last move, and leave no trace of it."""
        ours, printed = _Surroundings(), _Text(self.printed)
        self._own.restore()
        sys.meta_path.insert(0, finder := NoCompiledSearches())
        try:
            with redirect_stdout(printed), redirect_stderr(printed):
                yield
        finally:
            sys.meta_path.remove(finder)
            self._own = _Surroundings()
            ours.restore()


class _Surroundings:
    """What changes while an agent plays: chance, the games, which are counted, and some modules."""

    def __init__(self) -> None:
        self.chance, self.random = random.getstate(), random.Random
        self.methods = {
            (game, name): vars(game).get(name) for game in GAMES.values() for name in _COUNTED
        }
        self.modules = {name: sys.modules[name] for name in filter(_is_own, sys.modules)}
        self.failure = machine_code._failed

    def restore(self) -> None:
        """Let all be again as it was then."""
        machine_code._failed = self.failure
        random.setstate(self.chance)
        random.Random = self.random  # type: ignore[misc]
        for (game, name), method in self.methods.items():
            if method is not None:
                setattr(game, name, method)
            elif name in vars(game):
                delattr(game, name)
        for name in [*filter(_is_own, sys.modules)]:
            del sys.modules[name]
        sys.modules.update(self.modules)


def _is_own(module: str) -> bool:
    return module == MODULE or (module.startswith("gamefast.") and module not in _LIGHT)


class _Text(io.TextIOBase):
    """A stream that keeps what is printed on it."""

    def __init__(self, printed: Printed) -> None:
        self._printed = printed

    def write(self, text: str) -> int:
        self._printed.add(text.encode("utf-8", "backslashreplace"))
        return len(text)
