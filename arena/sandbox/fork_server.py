"""The fork server: a process that has loaded gamelib and forks a worker for every game of a file.

Forking takes a few milliseconds, but starting Python and loading gamelib takes a hundred.  Every
worker is a copy of the same fresh process, so no game can affect the next one.  Commands and
answers are JSON, over a socket that is the stdin of this process.  The folders of the workers are
created and removed here, because the process that plays the games may be killed at any moment.
"""

import ctypes
import gc
import json
import os
import signal
import socket
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from arena.sandbox import agent_worker
from arena.sandbox.containment import open_readable_paths
from arena.sandbox.spawn import FOLDER_PREFIX, remove_folder
from arena.sandbox.worker_io import compiled_paths
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.state import random_playout

_PR_SET_CHILD_SUBREAPER = 36  # from <linux/prctl.h>


def main() -> None:
    """Start and end workers by command; when the owner has exited, end all workers and exit."""
    control = socket.socket(fileno=os.dup(0))
    folders: dict[int, TemporaryDirectory[str]] = {}  # of the workers that are running
    with suppress(OSError, AttributeError):  # on Linux it adopts the orphans among its descendants
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for game in (TicTacToe, ConnectFour, Nim):
        random_playout(game(), Random(0))  # fills the tables that all positions of a game share
    open_readable_paths(compiled_paths())  # they stay open for all workers
    gc.freeze()  # so that the workers share this memory
    while True:
        message, pipes, _, _ = socket.recv_fds(control, 65536, 3)
        if not message:
            break
        for line in message.splitlines():
            command = json.loads(line)
            if "start" in command:
                folder = TemporaryDirectory(
                    prefix=FOLDER_PREFIX, dir=command["start"], ignore_cleanup_errors=True
                )
                pid = _fork(folder.name, control, pipes, command["argument"])
                folders[pid] = folder
                answer = {"pid": pid}
            else:
                answer = {"status": _terminate(command["end"], folders)}
            answer["id"] = command["id"]
            control.sendall(json.dumps(answer).encode() + b"\n")
    for pid in [*folders]:
        _terminate(pid, folders)


def _fork(folder: str, control: socket.socket, pipes: Sequence[int], argument: str) -> int:
    """Return the process id of a new worker, which has the pipes as stdin, stdout and stderr."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            control.close()  # otherwise a worker could start and end others
            for number, pipe in enumerate(pipes):
                os.dup2(pipe, number)
                os.close(pipe)
            os.chdir(folder)
            os.environ.update(dict.fromkeys(("HOME", "TMPDIR"), folder))
            agent_worker.main(argument)
        finally:
            os._exit(1)  # a worker must never continue as a copy of this process
    with suppress(OSError):  # both processes do this, so that neither has to wait for the other
        os.setpgid(pid, pid)
    for pipe in pipes:
        os.close(pipe)
    return pid


def _terminate(pid: int, folders: dict[int, TemporaryDirectory[str]]) -> int:
    """Kill a worker, its group and its orphans; return its exit status, as `Popen` does.

    Orphans of workers, even in other groups, are killed until none is left.
    """
    folder = folders.pop(pid)
    for kill in (os.killpg, os.kill):  # the worker may have left its group
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)  # its process id is not reused before waitpid
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    with suppress(OSError):
        while orphans := {int(word) for word in children.read_text().split()} - {*folders}:
            for orphan in orphans:
                os.kill(orphan, signal.SIGKILL)
                os.waitpid(orphan, 0)
    remove_folder(folder)
    return status
