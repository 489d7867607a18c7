"""Agents in files, which play each game in a separate process that cannot harm the tournament.

An agent is a Python file with a function `agent(state)` that returns an action.  The process
protects against accidents: endless loops, too much memory, crashes, floods of text.  The protection
against attacks depends on the machine; `arena.sandbox.containment.contained` describes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from arena import capabilities
from arena.sandbox.forfeits import ForfeitError, strip_paths
from arena.sandbox.process_handle import ProcessEndedError, ProcessHandle, ProcessTimeoutError
from arena.sandbox.spawn import FORKED_MODULE
from arena.sandbox.worker_io import encode_message
from gamelib.search.checks import check_count
from gamelib.search.result import SearchResult, Stats
from gamelib.state import Action, GameState

if TYPE_CHECKING:
    from arena.sandbox.in_process import InProcessHandle

BUDGET, SECONDS, MEGABYTES = 10_000, 10.0, 1024
START_SECONDS = 30.0  # to load a file, because numpy alone takes long on a busy machine
PYTHON_START_SECONDS = 60.0  # for the start of Python, before the agent's own time begins
_STACK_END = b" in <module>\n"  # the end of a stack that a process prints


@dataclass(frozen=True)
class Limits:
    """The limits of an agent.

    budget     positions that it may generate for one move by `successor`; None for any number
    seconds    of wall clock for one move, as a safety net, so be generous
    megabytes  of memory, in addition to the memory of Python and gamelib
    start_seconds  of wall clock for loading its file, before each game
    """

    budget: int | None = BUDGET
    seconds: float = SECONDS
    megabytes: int = MEGABYTES
    start_seconds: float = START_SECONDS

    def __post_init__(self) -> None:
        check_count("budget", self.budget)
        if type(self.megabytes) is not int or self.megabytes < 1:
            raise ValueError(f"megabytes must be an int, 1 or more; got {self.megabytes!r}")
        for name in ("seconds", "start_seconds"):
            value = getattr(self, name)
            if type(value) not in (int, float) or not 0 < value < 1e6:
                raise ValueError(f"{name} must be a number above 0; got {value!r}")


class FileAgent:
    """An agent in a file, which plays each game in a separate process.

    The file is read once, by the constructor, unless its bytes are given as `source`.  The agent is
    called like the file, unless a `name` is given.  If `logs` is a folder, the output of the agent
    in each game, and its reason to forfeit, are added to the file NAME.log there.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        limits: Limits | None = None,
        logs: str | os.PathLike[str] | None = None,
        source: bytes | None = None,
        name: str | None = None,
    ) -> None:
        self.file, self.name = Path(path).name, name or Path(path).stem
        self.source = Path(path).read_bytes() if source is None else source
        self.limits, self.logs = limits or Limits(), None if logs is None else Path(logs)
        if self.logs:
            try:
                self.logs.mkdir(exist_ok=True)
            except OSError as error:
                text = f"logs: cannot create the folder {self.logs.name}: {error.strerror}"
                raise OSError(text) from error

    def with_limits(self, limits: Limits, logs: str | os.PathLike[str] | None = None) -> FileAgent:
        """Return the same agent under other limits, or itself if the limits are the same."""
        if (limits, logs and Path(logs)) == (self.limits, self.logs):
            return self
        return FileAgent(self.file, limits=limits, logs=logs, source=self.source, name=self.name)

    @property
    def start_request(self) -> dict[str, Any]:
        """The data that its process receives, which do not include the place of its log."""
        source = self.source.decode("latin-1")  # byte by byte, for any encoding
        return {"file": self.file, "source": source, **vars(self.limits)}

    @property
    def digest(self) -> str:
        """The beginning of the SHA-256 of the file, which changes when the file changes."""
        return sha256(self.source).hexdigest()[:16]

    def __repr__(self) -> str:
        return f"FileAgent({self.file})"

    @contextmanager
    def for_game(self, seed: int) -> Iterator[AgentProcess]:
        """Yield the process that plays one game; ForfeitError if the file cannot be loaded.

        At the end of the block, the process and all processes in its group have ended.  If no
        process can be started, the agent plays in this process, without any protection.
        """
        if capabilities.can_start_processes():
            player = AgentProcess(self, seed, ProcessHandle(FORKED_MODULE))
        else:
            from arena.sandbox.in_process import InProcessHandle

            player = AgentProcess(self, seed, InProcessHandle())
        try:
            player.start()
            yield player
        finally:
            player.terminate()
            self._keep_log(seed, player.log())

    def __call__(self, state: GameState) -> Action:
        """Return the action for one position, in a process for this position alone."""
        with self.for_game(0) as player:
            return player(state)

    @cached_property
    def load_error(self) -> str | None:
        """The reason why the file cannot be loaded, in one line; None if it can be loaded."""
        try:
            with self.for_game(0):
                return None
        except ForfeitError as error:
            return str(error)

    def _keep_log(self, seed: int, log: str) -> None:
        if self.logs and log:
            entry = f"--- a game (random.seed({seed}) at its start)\n{log.rstrip()}\n\n"
            path = self.logs / f"{self.name}.log"
            path.parent.mkdir(parents=True, exist_ok=True)  # for a name such as alice/agent
            with open(path, "ab") as file:
                # Written atomically, because other processes add to it, too.
                file.write(entry.encode("utf-8", "backslashreplace"))


class AgentProcess:
    """The parent's side of one worker process, which gets positions and returns actions."""

    cpu = 0.0  # the seconds of computing that the kernel counted for all moves

    def __init__(
        self, agent: FileAgent, seed: int, process: ProcessHandle | InProcessHandle
    ) -> None:
        self._agent, self._seed, self._process = agent, seed, process
        self._num_requests, self._forfeit_text = 0, ""

    def start(self) -> None:
        """Load the agent's file in the worker process; ForfeitError if that fails."""
        self._ask({}, "its process did not start", PYTHON_START_SECONDS)
        request = self._agent.start_request | {"seed": self._seed}
        self._ask(request, "its file was not loaded", self._agent.limits.start_seconds)

    def search_result(self, state: GameState) -> SearchResult:
        """Return the agent's action, and as `nodes` the number of nodes generated for it."""
        position, before = state.to_json(), self._process.cpu_seconds()
        try:
            answer = self._ask({"state": position}, "no answer", self._agent.limits.seconds)
        finally:
            self.cpu += max(0, self._process.cpu_seconds() - before)
        index, nodes, actions = answer.get("action"), answer.get("positions"), state.legal_actions()
        if type(index) is not int or not 0 <= index < len(actions) or type(nodes) is not int:
            self._forfeit("its process sent something that is not an answer")
        if not 0 <= nodes <= (self._agent.limits.budget or nodes):
            self._forfeit(f"its process reported {nodes:,} positions for a move")
        return SearchResult(actions[index], stats=Stats(nodes=nodes))

    def __call__(self, state: GameState) -> Action:
        """Return the agent's action."""
        return self.search_result(state).action

    def terminate(self) -> None:
        """Terminate the worker process and its group, and wait until they are gone."""
        self._process.terminate()

    def log(self) -> str:
        """Return the output of the agent, shortened if it was long, and its reason to forfeit."""
        return strip_paths(self._process.output.text()) + self._forfeit_text

    def _ask(self, request: dict[str, Any], complaint: str, seconds: float) -> dict[str, Any]:
        self._num_requests += 1
        self._process.set_limits(wall_seconds=seconds)
        try:
            self._process.send(encode_message(request | {"id": self._num_requests}))
            while (answer := self._process.receive_answer() or {}).get("id") != self._num_requests:
                pass  # an answer with another number may come from the agent itself
        except ProcessTimeoutError:
            self._process.dump_stack(_STACK_END)
            limit = "1 second" if seconds == 1 else f"{seconds:g} seconds"
            self._forfeit(f"{complaint} within {limit}")
        except ProcessEndedError as error:
            self._forfeit(f"its process {error}")
        if "error" in answer:
            self._forfeit(str(answer["error"]), str(answer.get("traceback", "")))
        return answer

    def _forfeit(self, reason: str, traceback: str = "") -> NoReturn:
        printable = (character if character.isprintable() else "?" for character in reason)
        reason = strip_paths("".join(printable))
        self._forfeit_text = f"\n{traceback}forfeit: {reason}\n"
        raise ForfeitError(reason)
