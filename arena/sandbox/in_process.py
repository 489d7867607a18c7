"""Agents in files that play in this process, if no other process can be started.

There is no protection: an agent can end the program, modify its objects, and fill its memory.  But
as in a separate process, it has its own random numbers from the seed, its own budget of nodes, and
no compiled searches.
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
    "No process can be started here, so agents in files play in this one. Their positions are "
    "counted, but there is no sandbox."
)
_COUNTED_METHODS = ("successor", "playout")
# The modules of gamefast that do not import compiled code.
_NOT_COMPILED = ("gamefast.fast", "gamefast.build_info")
compiled_searches: Any = import_module("gamefast.fast")


@cache
def warn_once() -> None:
    """Print that there is no sandbox here, when an agent in a file plays for the first time."""
    print(WARNING_MESSAGE)


class InProcessHandle:
    """A replacement of `ProcessHandle` for one game, which answers in this process."""

    def __init__(self) -> None:
        warn_once()
        self._worker, self.output = AgentWorker(), OutputLog()
        self._agent_state = _InterpreterState()
        self._agent_state.modules = {}

    def set_limits(self, *, wall_seconds: float) -> None:
        """Set the number of seconds that the next answer may take."""
        self._deadline = time.monotonic() + wall_seconds

    def send(self, data: bytes) -> None:
        """Store a request, without the limits of a process, which would apply to this one."""
        self._request = json.loads(data) | {"seconds": 0, "start_seconds": 0, "megabytes": 0}

    def receive_answer(self) -> dict[str, Any]:
        """Return the answer to the request; ProcessTimeoutError if there is none in time."""
        answer, late = dict[str, Any](), False

        def poll(frame: FrameType | None) -> None:
            nonlocal late
            if time.monotonic() > self._deadline:
                late = True
                raise SystemExit

        with suppress(SystemExit), self._agent_globals(), capabilities.polling(poll):
            answer = self._worker.answer(self._request)
        if late:
            raise ProcessTimeoutError
        return {"id": self._request["id"], **answer}

    def dump_stack(self, end_marker: bytes) -> None:
        """Do nothing, because the stack is the stack of this process."""

    def cpu_seconds(self) -> float:
        """Return the number of seconds that this process has computed."""
        return time.process_time()

    def terminate(self) -> None:
        """Do nothing, because there is no process to terminate."""

    @contextmanager
    def _agent_globals(self) -> Iterator[None]:
        """Restore the agent's state of its last move for this block, and ours after it."""
        our_state, stream = _InterpreterState(), _CapturedStream(self.output)
        self._agent_state.restore()
        sys.meta_path.insert(0, finder := NoCompiledSearches())
        try:
            with redirect_stdout(stream), redirect_stderr(stream):
                yield
        finally:
            sys.meta_path.remove(finder)
            self._agent_state = _InterpreterState()
            our_state.restore()


class _InterpreterState:
    """The state that changes while an agent plays: random numbers, counted games, some modules."""

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
        """Restore everything to this state."""
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
    """A stream that stores its text in an `OutputLog`."""

    def __init__(self, output: OutputLog) -> None:
        self._output = output

    def write(self, text: str) -> int:
        self._output.add(text.encode("utf-8", "backslashreplace"))
        return len(text)
