"""The child's end of a process in which a program of others runs: what it gives up, and its line.

Answers go out on a copy of stdout that is made before that program runs; what it prints goes to the
log.  Accidents are contained by the parent, who can end this process, and attacks by what this
process gives up before, where this system has the means.
"""

import contextlib
import faulthandler
import importlib.util
import json
import math
import os
import signal
import sys
import time
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

from arena.sandbox.node_budget import SUCCESSOR_REQUEST, BudgetExceededError
from gamefast.build_info import SOURCES
from gamelib.state import IllegalActionError

try:
    import resource
except ImportError:  # Windows has no such limits; there, only time and budget are watched
    resource = None  # type: ignore[assignment]

MAX_FILE_BYTES = 64 * 2**20  # to one file
READY = b"\0\n"  # behind the place that a program is told to print, where it prints no stack
ERROR_RESERVE_BYTES = 64 * 2**20  # bytes of memory to say that there was no more
ERRORS: dict[str, type[Exception]] = {
    each.__name__: each for each in (BudgetExceededError, IllegalActionError)
}


def encode_message(message: Any) -> bytes:
    """Return a message as it goes over the line."""
    return json.dumps(message).encode() + b"\n"


class ParentConnection:
    """The line to the parent: each message is JSON.

    To make one is to give up what a program of others does not need, and `hidden` to read.
    """

    def __init__(self, hidden: Iterable[Path] = ()) -> None:
        from arena.sandbox.containment import (
            restrict_process,  # not every Python has ctypes: a browser's
        )

        restrict_process(Path.cwd(), filter(Path.exists, hidden))
        self.incoming, self.outgoing = private_pipes()
        limit("RLIMIT_FSIZE", MAX_FILE_BYTES, MAX_FILE_BYTES)
        limit("RLIMIT_CORE", 0, 0)  # no memory dump after a crash
        if hasattr(signal, "SIGUSR1"):
            faulthandler.register(signal.SIGUSR1, all_threads=False)  # "where are you?"
        exit_with_parent()

    def send(self, message: Any) -> None:
        """Send a message."""
        self.outgoing.write(encode_message(message))
        self.outgoing.flush()

    def receive(self) -> Any:
        """Return the next message; the process ends when the parent is gone."""
        text = self.incoming.readline()
        if not text:
            os._exit(0)
        return json.loads(text.decode())  # of bytes it would ask first how they are written

    def request(self, letter: bytes, *question: Any) -> Any:
        """Return what the parent answers to a question in the middle of an answer, or raise it."""
        self.outgoing.write(letter + encode_message(question))
        self.outgoing.flush()
        answer = self.receive()
        if type(answer) is dict:
            _raise_remote(answer)
        return answer

    def request_successor(self, parent: Any, action: Any) -> tuple[int, dict[str, Any]]:
        """Return the number of a successor, and what differs in it: the parent makes it."""
        number, changed = self.request(
            SUCCESSOR_REQUEST, parent if type(parent) is int else parent.to_json(), action
        )
        return number, changed


def _raise_remote(answer: dict[str, Any]) -> NoReturn:
    """Raise what the parent has raised instead of an answer."""
    error = ERRORS.get(answer["kind"], RuntimeError)(answer["words"])
    vars(error)["of_parent"] = answer["throw"]
    raise error


def exit_with_parent() -> None:
    """End this process when the parent goes, whatever the program does then (Linux).

    Elsewhere one that computes is ended by `limit_cpu`, and one that waits reads that nobody asks.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


@cache
def compiled_paths() -> tuple[Path, ...]:
    """Return the folders that no agent can read: machine code, and what makes it."""
    specs = [importlib.util.find_spec(name) for name in ("numba", "llvmlite")]
    places = [place for spec in specs if spec for place in spec.submodule_search_locations or ()]
    return (SOURCES, *map(Path, places))


# --- limits ---


def limit_memory(megabytes: int) -> None:
    """Let this process use so much memory on top of what it uses now; 0: as much as it likes."""
    if not megabytes:
        return
    with contextlib.suppress(OSError):  # only Linux tells it there
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        most = used + megabytes * 2**20
        limit("RLIMIT_AS", most, most + ERROR_RESERVE_BYTES)


def limit_cpu(seconds: float) -> None:
    """Let this process compute for about so long from now, then end it.

    The parent ends it earlier.  This is for the case that the parent itself has been killed.
    """
    if seconds:
        limit("RLIMIT_CPU", math.ceil(time.process_time() + 2 * seconds) + 1)


def limit(name: str, soft_limit: float, hard_limit: float = math.inf) -> None:
    """Set a limit, where this system has it; `hard_limit` is the highest that can be set later."""
    if resource:
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        highest = min(hard_limit, math.inf if hard == resource.RLIM_INFINITY else hard)
        hard = hard if highest == math.inf else int(highest)
        soft = hard if soft_limit >= highest else int(soft_limit)
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
