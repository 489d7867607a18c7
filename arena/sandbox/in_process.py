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

from arena import capabilities
from arena.sandbox.agent_worker import AGENT_MODULE, AgentWorker, NoCompiledSearches
from arena.sandbox.process_handle import OutputLog, ProcessTimeoutError
from gamelib.games import GAMES

WARNING_MESSAGE = (
    "No process can be started here, so agents in files play in this one: their positions are "
    "counted, but nothing contains what they do."
)
_COUNTED_METHODS = ("successor", "playout")
# What is no machine code.
_NOT_COMPILED = ("gamefast.fast", "gamefast.build_info")
compiled_searches: Any = import_module("gamefast.fast")


@cache
def warn_once() -> None:
    """Print that nothing is contained here: the first time that an agent in a file plays."""
    print(WARNING_MESSAGE)


class InProcessHandle:
    """What takes the place of a `ProcessHandle` for one game: it answers in this process."""

    def __init__(self) -> None:
        warn_once()
        self._worker, self._agent_state, self.output = (
            AgentWorker(),
            _InterpreterState(),
            OutputLog(),
        )
        self._agent_state.modules = {}

    def set_limits(self, *, wall_seconds: float) -> None:
        """Set how many seconds the next answer may take."""
        self._deadline = time.monotonic() + wall_seconds

    def send(self, data: bytes) -> None:
        """Take a request, without limits for a process: they would be those of this one."""
        self._request = json.loads(data) | {"seconds": 0, "start_seconds": 0, "megabytes": 0}

    def receive_answer(self) -> dict[str, Any]:
        """Return the answer to the request; ProcessTimeoutError if there is none in time."""
        answer, late = dict[str, Any](), False

        def look(frame: FrameType | None) -> None:
            nonlocal late
            if time.monotonic() > self._deadline:
                late = True
                raise SystemExit

        with suppress(SystemExit), self._agent_globals(), capabilities.polling(look):
            answer = self._worker.answer(self._request)
        if late:
            raise ProcessTimeoutError
        return {"id": self._request["id"], **answer}

    def dump_stack(self, end_marker: bytes) -> None:
        """Say nothing: the stack is that of this process."""

    def cpu_seconds(self) -> float:
        """Return how many seconds this process has computed."""
        return time.process_time()

    def terminate(self) -> None:
        """There is no process to end."""

    @contextmanager
    def _agent_globals(self) -> Iterator[None]:
        """Let the agent find what it has left in its last move, and leave no trace of it."""
        ours, printed = _InterpreterState(), _CapturedStream(self.output)
        self._agent_state.restore()
        sys.meta_path.insert(0, finder := NoCompiledSearches())
        try:
            with redirect_stdout(printed), redirect_stderr(printed):
                yield
        finally:
            sys.meta_path.remove(finder)
            self._agent_state = _InterpreterState()
            ours.restore()


class _InterpreterState:
    """What changes while an agent plays: chance, the games, which are counted, and some modules."""

    def __init__(self) -> None:
        self.random_state, self.random_class = random.getstate(), random.Random
        self.methods = {
            (game, name): vars(game).get(name)
            for game in GAMES.values()
            for name in _COUNTED_METHODS
        }
        self.modules = {name: sys.modules[name] for name in filter(_is_agent_module, sys.modules)}
        self.failure = compiled_searches._failed

    def restore(self) -> None:
        """Let all be again as it was then."""
        compiled_searches._failed = self.failure
        random.setstate(self.random_state)
        random.Random = self.random_class  # type: ignore[misc]
        for (game, name), method in self.methods.items():
            if method is not None:
                setattr(game, name, method)
            elif name in vars(game):
                delattr(game, name)
        for name in [*filter(_is_agent_module, sys.modules)]:
            del sys.modules[name]
        sys.modules.update(self.modules)


def _is_agent_module(module: str) -> bool:
    return module == AGENT_MODULE or (
        module.startswith("gamefast.") and module not in _NOT_COMPILED
    )


class _CapturedStream(io.TextIOBase):
    """A stream that keeps what is printed on it."""

    def __init__(self, output: OutputLog) -> None:
        self._output = output

    def write(self, text: str) -> int:
        self._output.add(text.encode("utf-8", "backslashreplace"))
        return len(text)
