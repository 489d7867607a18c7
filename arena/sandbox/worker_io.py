"""The worker's side of a process with an untrusted program: its restrictions and its connection.

Answers are sent on a copy of stdout that is made before the program runs; the output of the program
goes to the log.  The parent handles accidents, because it can end this process.  Against attacks,
this process drops its privileges before the program runs, as far as the system supports it.
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
except ImportError:  # Windows has no such limits, so there are only limits of time and nodes
    resource = None  # type: ignore[assignment]

MAX_FILE_BYTES = 64 * 2**20  # of one file
READY = b"\0\n"  # the end of the location that a process prints on request
ERROR_RESERVE_BYTES = 64 * 2**20  # of memory, to report that the memory is used up
ERRORS: dict[str, type[Exception]] = {
    error.__name__: error for error in (BudgetExceededError, IllegalActionError)
}


def encode_message(message: Any) -> bytes:
    """Return a message as a line of JSON."""
    return json.dumps(message).encode() + b"\n"


class ParentConnection:
    """The connection to the parent, on which each message is a line of JSON.

    The constructor drops the privileges that an untrusted program does not need, and the right to
    read the paths in `hidden`.
    """

    def __init__(self, hidden: Iterable[Path] = ()) -> None:
        # Imported here, because Python in a browser has no ctypes.
        from arena.sandbox.containment import restrict_process

        exit_with_parent()  # now, because a restricted process may not ask for it, nor take it back
        restrict_process(Path.cwd(), filter(Path.exists, hidden))
        self.incoming, self.outgoing = private_pipes()
        limit("RLIMIT_FSIZE", MAX_FILE_BYTES, MAX_FILE_BYTES)
        limit("RLIMIT_CORE", 0, 0)  # no memory dump after a crash
        if hasattr(signal, "SIGUSR1"):
            faulthandler.register(signal.SIGUSR1, all_threads=False)  # prints the stack

    def send(self, message: Any) -> None:
        """Send a message."""
        self.outgoing.write(encode_message(message))
        self.outgoing.flush()

    def receive(self) -> Any:
        """Return the next message; exit if the parent is gone."""
        text = self.incoming.readline()
        if not text:
            os._exit(0)
        return json.loads(text.decode())  # decoded here, because for bytes it detects the encoding

    def request(self, letter: bytes, *question: Any) -> Any:
        """Send a request during an answer, and return the parent's reply, or raise its error."""
        self.outgoing.write(letter + encode_message(question))
        self.outgoing.flush()
        answer = self.receive()
        if type(answer) is dict:
            _raise_remote(answer)
        return answer

    def request_successor(self, parent: Any, action: Any) -> tuple[int, dict[str, Any]]:
        """Return the number of a successor from the parent, and its changed attributes."""
        number, changed = self.request(
            SUCCESSOR_REQUEST, parent if type(parent) is int else parent.to_json(), action
        )
        return number, changed


def _raise_remote(answer: dict[str, Any]) -> NoReturn:
    """Raise the error that the parent has raised instead of a reply."""
    error = ERRORS.get(answer["kind"], RuntimeError)(answer["words"])
    vars(error)["of_parent"] = answer["throw"]
    raise error


def exit_with_parent() -> None:
    """Make this process exit when the parent exits, whatever the program does then (Linux).

    On other systems `limit_cpu` ends a process that computes, and a process that waits for the
    parent exits itself.
    """
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG


@cache
def compiled_paths() -> tuple[Path, ...]:
    """Return the folders that no agent can read: compiled code and the compiler."""
    specs = [importlib.util.find_spec(name) for name in ("numba", "llvmlite")]
    folders = [path for spec in specs if spec for path in spec.submodule_search_locations or ()]
    return (SOURCES, *map(Path, folders))


# --- limits ---


def limit_memory(megabytes: int) -> None:
    """Limit the memory of this process to `megabytes` more than it uses now; 0 for no limit."""
    if not megabytes:
        return
    with contextlib.suppress(OSError):  # other systems than Linux do not have this file
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        max_bytes = used + megabytes * 2**20
        limit("RLIMIT_AS", max_bytes, max_bytes + ERROR_RESERVE_BYTES)


def limit_cpu(seconds: float) -> None:
    """Limit the computing time of this process to about `seconds` from now; then it is killed.

    The parent ends it earlier, so this is only needed if the parent has been killed.
    """
    if seconds:
        limit("RLIMIT_CPU", math.ceil(time.process_time() + 2 * seconds) + 1)


def limit(name: str, soft_limit: float, hard_limit: float = math.inf) -> None:
    """Set a limit if this system has it; `hard_limit` is the highest that can be set later."""
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
    """Return (requests, answers); then stdin is empty, and stdout goes to the log, like stderr."""
    requests, answers = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - it stays open as long as the process
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
