"""The child process in which a student's agent plays one game.

`arena.sandbox.guard` starts it and speaks with it in lines of JSON.  Each request has a number,
which the answer repeats.  Answers go out on a copy of stdout that is made before the agent's file
is run; what the agent prints goes to the log.  Accidents are contained by the parent, who can end
this process, and attacks by what this process gives up before, where this system has the means.
"""

from __future__ import annotations

import contextlib
import faulthandler
import importlib.abc
import importlib.util
import json
import linecache
import math
import os
import queue
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, BinaryIO, NoReturn

from arena.sandbox.counter import Ask, Asked, Budget
from arena.sandbox.reasons import ROOT, message, reason, shown, shown_traceback
from gamefast.sources import SOURCES
from gamelib.agents import CHANGED, answered, facts, is_changed
from gamelib.games import GAMES, from_json
from gamelib.state import GameState, IllegalActionError

try:
    import resource
except ImportError:  # Windows has no such limits; there, only time and budget are watched
    resource = None  # type: ignore[assignment]

MOST_BYTES_WRITTEN = 64 * 2**20  # to one file
TO_TELL = 64 * 2**20  # bytes of memory to say that there was no more
MODULE = "agent_file"


@cache
def machine_code() -> tuple[Path, ...]:
    """Return the folders that no agent can read: machine code, and what makes it."""
    specs = [importlib.util.find_spec(name) for name in ("numba", "llvmlite")]
    places = [place for spec in specs if spec for place in spec.submodule_search_locations or ()]
    return (SOURCES, *map(Path, places))


class Contestant:
    """Answers requests: the first one brings the agent's file, the others a position each."""

    agent: Callable[[GameState], Any] | None = None
    file, seconds = "", 0.0

    def __init__(self, ask: Ask | None = None) -> None:
        self._ask = ask  # who makes positions instead of this process

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request, or {"error": ..., "traceback": ...}."""
        limit_cpu(self.seconds)
        try:
            return self.move(request) if self.agent else self.start(request)
        except BaseException as error:  # sys.exit and KeyboardInterrupt, too, are the agent's
            lift_memory_limit()
            return {
                "error": reason(error, self.file),
                "traceback": shown_traceback(error, without=__file__),
            }

    def start(self, request: dict[str, Any]) -> dict[str, Any]:
        """Set the limits and load the agent's file."""
        self.file, self.seconds = request["file"], request["seconds"]
        most = math.inf if request["budget"] is None else request["budget"]
        self.budget = Asked(self._ask, most) if self._ask else Budget(most)
        for game in GAMES.values():
            self.budget.count(game)
        limit_cpu(request["start_seconds"])
        limit_memory(request["megabytes"])
        seed_all(request["seed"])
        with self.budget.one_move():
            module = load(self.file, request["source"].encode("latin-1"))
        agent = getattr(module, "agent", None)
        if not callable(agent):
            raise AttributeError(f"{self.file} defines no function agent(state)")
        self.agent = agent
        return {}

    def move(self, request: dict[str, Any]) -> dict[str, Any]:
        """Ask the agent for an action."""
        assert self.agent is not None
        with self.budget.no_limit():
            state = from_json(request["state"])
            before = facts(state)
        with self.budget.one_move():
            action = answered(self.agent(state))
        made = self.budget.made
        try:
            if is_changed(state, before):
                return {"error": CHANGED}
            with self.budget.no_limit():  # that counts for nothing
                if not self._ask:  # who asks is told at the other end
                    state.successor(action)
        except IllegalActionError as error:
            return {"error": f"answered {shown(action)}: {message(error)}"}
        return {"action": list(state.legal_actions()).index(action), "positions": made}


def seed_all(seed: int) -> None:
    """Make all chance come from `seed`: the module `random`, and searches that are given no rng."""

    class Seeded(random.Random):
        def __init__(self, x: Any = None) -> None:
            super().__init__(random.getrandbits(64) if x is None else x)

    random.seed(seed)
    random.Random = Seeded  # type: ignore[misc]


def load(file: str, source: bytes) -> ModuleType:
    """Return the module that a file's text makes; tracebacks call it by its name, no folder."""
    module = sys.modules[MODULE] = ModuleType(MODULE)
    module.__file__ = file
    code = compile(source, file, "exec", dont_inherit=True)
    lines = importlib.util.decode_source(source).splitlines(keepends=True)
    linecache.cache[file] = len(source), None, lines, file
    FunctionType(code, vars(module))()  # as an import does it, of a file that is not there
    return module


class NoCompiledSearches(importlib.abc.MetaPathFinder):
    """Refuses the machine code, in which nobody can count positions."""

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: Any = None) -> None:
        """Raise an ImportError for machine code; all else is found by others."""
        if fullname.partition(".")[0] == "gamefast":
            raise ImportError(
                "gamefast cannot be used in a tournament: its machine code makes positions "
                "that nobody counts.  The searches of gamelib itself can be used"
            )


# --- limits ---


def limit_memory(megabytes: int) -> None:
    """Let this process use so much memory on top of what it uses now; 0: as much as it likes."""
    if not megabytes:
        return
    with contextlib.suppress(OSError):  # only Linux tells it there
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        most = used + megabytes * 2**20
        limit("RLIMIT_AS", most, most + TO_TELL)


def lift_memory_limit() -> None:
    """Take the limit back, as far as it can be: telling what went wrong needs memory, too."""
    limit("RLIMIT_AS", math.inf)


def limit_cpu(seconds: float) -> None:
    """Let this process compute for about so long from now, then end it.

    The parent ends it earlier.  This is for the case that the parent itself has been killed.
    """
    if seconds:
        limit("RLIMIT_CPU", math.ceil(time.process_time() + 2 * seconds) + 1)


def limit(name: str, most: float, for_ever: float = math.inf) -> None:
    """Set a limit, where this system has it; `for_ever` is the highest that can be set later."""
    if resource:
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        highest = min(for_ever, math.inf if hard == resource.RLIM_INFINITY else hard)
        hard = hard if highest == math.inf else int(highest)
        soft = hard if most >= highest else int(most)
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(kind, (soft, hard))


# --- the pipes ---


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return (requests, answers); stdin is then empty, and stdout writes to the log, as stderr."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - they stay open as long as the process
    sys.stdout = sys.stderr = open(  # noqa: SIM115
        1,
        "w",
        buffering=1,
        encoding="utf-8",
        errors="backslashreplace",
        newline="\n",
        closefd=False,
    )
    return os.fdopen(requests, "rb"), os.fdopen(answers, "wb")


def read_requests(pipe: BinaryIO, requests: queue.SimpleQueue[dict[str, Any]]) -> NoReturn:
    """Pass the requests on; end everything when the parent is gone, whatever the agent does."""
    for line in pipe:
        requests.put(json.loads(line))
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def main(audit: bool = False) -> NoReturn:
    """Answer the requests of the parent until it goes or ends this process.

    In an audit the rules of the games cannot be read, and the parent makes each position.
    """
    from arena.sandbox.contain import contain  # not every Python has ctypes: a browser's may not

    rules = (ROOT / "gamelib" / "games",) if audit else ()
    contain(Path.cwd(), (*machine_code(), *rules))
    incoming, outgoing = private_pipes()
    limit("RLIMIT_FSIZE", MOST_BYTES_WRITTEN, MOST_BYTES_WRITTEN)
    limit("RLIMIT_CORE", 0, 0)  # no memory dump after a crash
    if hasattr(signal, "SIGUSR1"):
        faulthandler.register(signal.SIGUSR1, all_threads=False)  # "where are you?"
    sys.meta_path.insert(0, NoCompiledSearches())
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=read_requests, args=(incoming, requests), daemon=True).start()

    def tell(answer: dict[str, Any]) -> dict[str, Any]:
        outgoing.write(json.dumps({"id": request["id"], **answer}).encode() + b"\n")
        outgoing.flush()
        return requests.get()

    def made(of: Any, action: Any) -> Any:
        made = tell({"of": of if type(of) is int else of.to_json(), "action": action})
        if "illegal" in made:
            raise IllegalActionError(made["illegal"])
        return made["child"]

    contestant = Contestant(made if audit else None)
    request: dict[str, Any] = {"id": 0}
    answer: dict[str, Any] = {}  # ready
    while True:
        request = tell(answer)
        answer = contestant.answer(request)
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(BaseException):  # the stream may be the agent's own
                stream.flush()
