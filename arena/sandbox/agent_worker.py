"""The worker process in which a student's agent plays one game.

`arena.sandbox.file_agent` starts it and sends requests.  Each request has a number, which the
answer repeats.
"""

import contextlib
import importlib.abc
import importlib.util
import linecache
import math
import random
import sys
from collections.abc import Callable, Sequence
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from arena.sandbox.forfeits import ROOT, forfeit_reason, format_traceback, safe_repr, short_message
from arena.sandbox.node_budget import NodeBudget, RemoteNodeBudget, RequestSuccessor
from arena.sandbox.worker_io import ParentConnection, compiled_paths, limit, limit_cpu, limit_memory
from arena.source import source_lines
from gamelib.agents import MUTATION_MESSAGE, has_changed, snapshot, validated_action
from gamelib.games import GAMES, ConnectFour, Nim, TicTacToe, from_json
from gamelib.state import GameState, IllegalActionError, random_playout

AGENT_MODULE = "agent_file"


class AgentWorker:
    """The handler of requests: a first empty one, then the agent's file, then the positions."""

    agent: Callable[[GameState], Any] | None = None
    file, seconds = "", 0.0

    def __init__(self, request: RequestSuccessor | None = None) -> None:
        self._request = request  # in an audit, it generates the nodes outside this process

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request, or a dict with the keys "error" and "traceback"."""
        limit_cpu(self.seconds)
        try:
            return self.move(request) if self.agent else self.start(request)
        except BaseException as error:  # the agent may also raise SystemExit or KeyboardInterrupt
            limit("RLIMIT_AS", math.inf)  # the report of the error needs memory, too
            return {
                "error": forfeit_reason(error, self.file),
                "traceback": format_traceback(error, without=__file__),
            }

    def start(self, request: dict[str, Any]) -> dict[str, Any]:
        """Set the limits and load the agent's file, if the request has one."""
        if "file" not in request:
            return {}
        self.file, self.seconds = request["file"], request["seconds"]
        max_nodes = math.inf if request["budget"] is None else request["budget"]
        self.budget = (
            RemoteNodeBudget(self._request, max_nodes) if self._request else NodeBudget(max_nodes)
        )
        for game in GAMES.values():
            self.budget.instrument(game)
        limit_cpu(request["start_seconds"])
        limit_memory(request["megabytes"])
        seed_all(request["seed"])
        with self.budget.one_move():
            module = load(self.file, request["source"].encode("latin-1"))
        agent = getattr(module, "agent", None)
        if not callable(agent):
            raise AttributeError(f"{self.file} must define a function agent(state)")
        self.agent = agent
        return {}

    def move(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the action of the agent, or an error."""
        assert self.agent is not None
        with self.budget.no_limit():
            state = from_json(request["state"])
            before = snapshot(state)
        with self.budget.one_move():
            action = validated_action(self.agent(state))
        generated = self.budget.generated
        try:
            if has_changed(state, before):
                return {"error": MUTATION_MESSAGE}
            with self.budget.no_limit():  # this node is not the agent's
                if not self._request:  # in an audit, the parent checks the action
                    state.successor(action)
        except IllegalActionError as error:
            return {"error": f"returned {safe_repr(action)}: {short_message(error)}"}
        return {"action": list(state.legal_actions()).index(action), "positions": generated}


def seed_all(seed: int) -> None:
    """Seed the module `random`, and every later Random without a seed."""

    class Seeded(random.Random):
        def __init__(self, x: Any = None) -> None:
            super().__init__(random.getrandbits(64) if x is None else x)

    random.seed(seed)
    random.Random = Seeded  # type: ignore[misc]


def load(file: str, source: bytes) -> ModuleType:
    """Return the module of a source file, whose name appears in tracebacks without its folder."""
    module = sys.modules[AGENT_MODULE] = ModuleType(AGENT_MODULE)
    module.__file__ = file
    code = compile(source, file, "exec", dont_inherit=True)
    lines = [f"{line}\n" for line in source_lines(importlib.util.decode_source(source))]
    linecache.cache[file] = len(source), None, lines, file
    # This runs the code as an import does.  `exec` would do the same, but none of our packages
    # contains it, so that no text is run as code by mistake.
    FunctionType(code, vars(module))()
    return module


class NoCompiledSearches(importlib.abc.MetaPathFinder):
    """A finder that refuses compiled searches, whose nodes cannot be counted."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> None:
        """Raise an ImportError for gamefast; other finders find everything else."""
        if fullname.partition(".")[0] == "gamefast":
            raise ImportError(
                "gamefast cannot be used in a tournament, because the nodes of compiled searches "
                "are not counted.  Use the searches of gamelib"
            )


def prepare_forks() -> None:
    """Do what takes long once, in the process from which workers are forked."""
    # Imported here, because Python in a browser has no ctypes.
    from arena.sandbox.containment import open_readable_paths

    for game in (TicTacToe, ConnectFour, Nim):
        random_playout(game(), random.Random(0))  # fills the tables that all positions share
    open_readable_paths(compiled_paths())  # they stay open for all workers


def main(audit: str = "") -> NoReturn:
    """Answer the requests of the parent until it exits or ends this process.

    In an audit the process cannot read the rules of the games, and the parent generates each node.
    """
    hidden = list(compiled_paths())
    if audit:
        hidden.append(ROOT / "gamelib" / "games")
    connection = ParentConnection(hidden)
    sys.meta_path.insert(0, NoCompiledSearches())
    worker = AgentWorker(connection.request_successor if audit else None)
    while True:
        request = connection.receive()
        answer = worker.answer(request)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):  # the stream may be the agent's own
                stream.flush()
        connection.send({"id": request["id"], **answer})
