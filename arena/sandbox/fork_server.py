"""The fork server: a process that has loaded a module and forks a worker for every program.

Forking takes a few milliseconds, but starting Python and loading gamelib takes a hundred.  Every
worker is a copy of the same fresh process, in which no untrusted program has run, so no program can
affect the next one.  Commands and answers are JSON, over a socket that is the stdin of this
process, or one that a client has connected by a command.  The folders of the workers are created
and removed here, because the process that started them may be killed at any moment.
"""

import ctypes
import gc
import json
import os
import signal
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from selectors import EVENT_READ, PollSelector
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

from arena.sandbox.spawn import FOLDER_PREFIX, FOLDER_VARIABLES, remove_folder

_PR_SET_CHILD_SUBREAPER = 36  # from <linux/prctl.h>


def main(module: str) -> None:
    """Start and end workers by command; when all clients have exited, exit.

    module  of the workers: each runs its `main`, and this process runs its `prepare_forks`
    """
    worker = import_module(module)
    with suppress(OSError, AttributeError):  # on Linux it adopts the orphans among its descendants
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    worker.prepare_forks()
    gc.freeze()  # so that the workers share this memory
    server = ForkServer(worker.main)
    server.connect(os.dup(0))
    server.serve()


class ForkServer:
    """The clients of this process, and the workers that it has forked for them."""

    def __init__(self, run_worker: Callable[[str], NoReturn]) -> None:
        self._run_worker = run_worker
        self._clients = PollSelector()  # each with the process ids of its workers
        self._folders: dict[int, TemporaryDirectory[str]] = {}  # of the workers that are running

    def connect(self, file: int) -> None:
        """Add the client at the other end of a socket."""
        self._clients.register(socket.socket(fileno=file), EVENT_READ, set())

    def serve(self) -> None:
        """Obey the clients until they have exited; the workers of each one end with it."""
        while self._clients.get_map():
            for key, _ in self._clients.select():
                client: Any = key.fileobj
                message, files = b"", list[int]()
                with suppress(ConnectionResetError):  # it has exited before it read an answer
                    message, files, _, _ = socket.recv_fds(client, 65536, 3)
                if not message:
                    self._clients.unregister(client)
                    client.close()
                    for pid in key.data:
                        self._terminate(pid)
                for line in message.splitlines():
                    self._obey(client, key.data, json.loads(line), files)

    def _obey(
        self, client: socket.socket, pids: set[int], command: dict[str, Any], files: Sequence[int]
    ) -> None:
        """Obey a command of a client; `pids` has the process ids of its workers."""
        if "connect" in command:
            self.connect(files[0])
            return
        try:
            if "start" in command:
                pid = self._start(command["start"], files, command["argument"])
                pids.add(pid)
                answer: dict[str, Any] = {"pid": pid}
            else:
                pids.remove(command["end"])
                answer = {"status": self._terminate(command["end"])}
        except OSError as error:  # no space or memory is left, which must not end the other workers
            answer = {"error": str(error)}
        answer["id"] = command["id"]
        with suppress(OSError):  # the client has exited
            client.sendall(json.dumps(answer).encode() + b"\n")

    def _start(self, place: str, pipes: Sequence[int], argument: str) -> int:
        """Return the process id of a new worker, in a new folder in `place`; OSError if it fails.

        The worker has the pipes as stdin, stdout and stderr.
        """
        try:
            folder = TemporaryDirectory(prefix=FOLDER_PREFIX, dir=place, ignore_cleanup_errors=True)
            pid = self._fork(folder.name, pipes, argument)
        finally:
            for pipe in pipes:
                os.close(pipe)
        self._folders[pid] = folder
        return pid

    def _fork(self, folder: str, pipes: Sequence[int], argument: str) -> int:
        """Return the process id of a fork of this process, which is a worker from then on."""
        pid = os.fork()
        if pid == 0:
            try:
                os.setpgid(0, 0)
                clients: list[Any] = [key.fileobj for key in self._clients.get_map().values()]
                for client in clients:
                    client.close()  # otherwise a worker could start and end others
                for number, pipe in enumerate(pipes):
                    os.dup2(pipe, number)
                    os.close(pipe)
                os.chdir(folder)
                os.environ.update(dict.fromkeys(FOLDER_VARIABLES, folder))
                self._run_worker(argument)
            finally:
                os._exit(1)  # a worker must never continue as a copy of this process
        with suppress(OSError):  # both processes do this, so that neither has to wait for the other
            os.setpgid(pid, pid)
        return pid

    def _terminate(self, pid: int) -> int:
        """Kill a worker, its group and its orphans; return its exit status, as `Popen` does.

        Orphans of workers, even in other groups, are killed until none is left.
        """
        folder = self._folders.pop(pid)
        for kill in (os.killpg, os.kill):  # the worker may have left its group
            with suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)  # its process id is not reused before waitpid
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        children = Path(f"/proc/self/task/{os.getpid()}/children")
        with suppress(OSError):
            while orphans := {*map(int, children.read_text().split())} - {*self._folders}:
                for orphan in orphans:
                    os.kill(orphan, signal.SIGKILL)
                    os.waitpid(orphan, 0)
        remove_folder(folder)
        return status
