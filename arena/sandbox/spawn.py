"""The start and end of worker processes, and of all processes that these have started."""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from arena.sandbox.forfeits import ROOT

FORKED_MODULE = "arena.sandbox.agent_worker"  # the module whose processes are forked
FOLDER_PREFIX = "gamelib-"  # of the names of the folders in which workers run
FOLDER_VARIABLES = ("HOME", "TMPDIR", "TEMP", "TMP", "MPLCONFIGDIR")  # name this folder
_INHERITED_VARIABLES = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_CAN_FORK = hasattr(os, "fork") and hasattr(socket, "send_fds")

Fork = Callable[[list[int], str], tuple["_ForkServerClient", int]]


def start_process(
    module: str, argument: str = "", root: Path = ROOT
) -> _ForkedProcess | SpawnedProcess:
    """Return a new process in an empty folder, which runs the `main` of a module below `root`.

    It has a `pid`, the socket `connection`, which is its stdin and stdout, and `stderr`, a pipe
    from its stderr.  Its `terminate` kills it and its group, removes the folder, and returns the
    exit status, as `Popen` does.
    """
    if _CAN_FORK and (module, root) == (FORKED_MODULE, ROOT):
        return _ForkedProcess(_fork_worker, argument)
    if (module, root) in _shared_fork_servers:
        with suppress(OSError):  # the fork server has ended
            return _ForkedProcess(partial(_fork_shared_worker, module, root), argument)
    return SpawnedProcess(module, argument, root)


def remove_folder(folder: TemporaryDirectory[str]) -> None:
    """Remove a folder of any depth, by moving the contents of inner folders up first."""
    with suppress(OSError):
        while inner := [e for e in os.scandir(folder.name) if e.is_dir(follow_symlinks=False)]:
            for entry in inner:
                os.chmod(entry, 0o700)
                for name in os.listdir(entry):
                    os.rename(f"{entry.path}/{name}", f"{folder.name}/{os.urandom(9).hex()}")
                os.rmdir(entry)
    folder.cleanup()


class SpawnedProcess:
    """A process that is started without the fork server: slower, but possible on every system."""

    def __init__(self, module: str, argument: str, root: Path = ROOT) -> None:
        self._folder = TemporaryDirectory(prefix=FOLDER_PREFIX, ignore_cleanup_errors=True)
        folder = self._folder.name
        self.connection, theirs = socket.socketpair()
        takes_sockets = os.name == "posix"
        self._process = _start_python(
            module,
            repr(argument),
            cwd=folder,
            stdin=theirs if takes_sockets else subprocess.PIPE,
            stdout=theirs if takes_sockets else subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=_environment(root) | dict.fromkeys(FOLDER_VARIABLES, folder),
        )
        pipes: Any = self._process
        self.pid, self.stderr = pipes.pid, pipes.stderr
        if takes_sockets:
            theirs.close()
        else:
            for ends in ((theirs.recv, pipes.stdin.write), (pipes.stdout.read, theirs.sendall)):
                threading.Thread(target=_relay, args=(*ends, theirs), daemon=True).start()

    def terminate(self) -> int:
        """Kill the process and its group, and return the exit status."""
        if self._process.returncode is None:  # otherwise its id may belong to another process
            if os.name == "posix":
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self.pid, signal.SIGKILL)
            else:
                self._process.kill()
        status = self._process.wait()
        remove_folder(self._folder)
        return status


def _relay(read: Any, write: Any, connection: socket.socket) -> None:
    """Pass data on, on a system where a process cannot have a socket as its stdin and stdout."""
    with suppress(OSError), connection:
        while data := read(2**16):
            write(data)


class _ForkedProcess:
    """A process forked by a fork server.

    fork  the function that asks for it, and returns the fork server and the process id
    """

    def __init__(self, fork: Fork, argument: str) -> None:
        self.connection, theirs = socket.socketpair()
        ours_err, theirs_err = os.pipe()
        self.stderr = os.fdopen(ours_err, "rb")
        try:
            pipes = [theirs.fileno(), theirs.fileno(), theirs_err]
            self._fork_server, self.pid = fork(pipes, argument)
        finally:
            theirs.close()
            os.close(theirs_err)
        self._status: int | None = None

    def terminate(self) -> int:
        if self._status is None:
            self._status = self._fork_server.terminate(self.pid)
        return self._status


class _ForkServerClient:
    """A client of a fork server, which forks the workers of a module below `root`.

    It starts the fork server, or connects to the one of another client that a fork of this process
    has inherited.
    """

    def __init__(self, module: str, root: Path, inherited: _ForkServerClient | None = None) -> None:
        self._control, theirs = socket.socketpair()
        self._process: subprocess.Popen[bytes] | None = None
        with theirs:
            if inherited:
                # Several forks may do so at a time: Linux keeps each message with its file.
                socket.send_fds(inherited._control, [b'{"connect": true}\n'], [theirs.fileno()])
            else:
                self._process = _start_python(
                    "arena.sandbox.fork_server",
                    repr(module),
                    stdin=theirs,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    env=_environment(root),
                )
        self._answers = self._control.makefile("r", encoding="utf-8")
        self._num_requests, self.owner = 0, os.getpid()
        self._one_at_a_time = threading.Lock()  # an executor's threads play games, too
        self.worker_pids: set[int] = set()
        self.has_ended = False

    def fork(self, pipes: list[int], argument: str) -> int:
        """Return the process id of a new worker; OSError if there can be none."""
        pid: int = self._ask({"start": gettempdir(), "argument": argument}, pipes)["pid"]
        self.worker_pids.add(pid)
        if hasattr(os, "sched_setaffinity"):  # it runs where a process of our own would run
            with suppress(OSError):
                os.sched_setaffinity(pid, os.sched_getaffinity(0))
        return pid

    def terminate(self, pid: int) -> int:
        """Terminate a worker and return its exit status, even if the fork server has ended."""
        try:
            status: int = self._ask({"end": pid})["status"]
        except OSError:
            self.has_ended = True
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            status = -signal.SIGKILL
        self.worker_pids.discard(pid)
        return status

    def close(self) -> None:
        """End the fork server and all its workers."""
        self._answers.close()
        self._control.close()
        if self._process:
            self._process.wait()

    def _ask(self, command: dict[str, Any], pipes: list[int] | None = None) -> dict[str, Any]:
        with self._one_at_a_time:
            self._num_requests += 1
            line = json.dumps(command | {"id": self._num_requests}) + "\n"
            socket.send_fds(self._control, [line.encode()], pipes or [])
            for line in self._answers:
                answer: dict[str, Any] = json.loads(line)
                # Answers with other numbers are left over from requests that Ctrl-C interrupted.
                if answer["id"] == self._num_requests:
                    if "error" in answer:
                        raise OSError(answer["error"])
                    return answer
        raise OSError("the process that starts agents has ended; start the games again")


_fork_server: _ForkServerClient | None = None
_starting = threading.Lock()
_shared_fork_servers: dict[tuple[str, Path], _ForkServerClient] = {}


def _fork_worker(pipes: list[int], argument: str) -> tuple[_ForkServerClient, int]:
    """Return the fork server and the process id of a new worker.

    A new fork server is started if there is none, if it has ended, or in a forked copy of the
    process that owns it.
    """
    global _fork_server
    with _starting:
        if _fork_server and _fork_server.owner == os.getpid():
            with suppress(OSError):
                return _fork_server, _fork_server.fork(pipes, argument)
        _fork_server = _ForkServerClient(FORKED_MODULE, ROOT)
        return _fork_server, _fork_server.fork(pipes, argument)


def close_idle_fork_server() -> None:
    """End the fork server if it has no workers; the next game starts another."""
    if _fork_server and not _fork_server.worker_pids:
        _close_fork_server()


@contextmanager
def shared_fork_server(module: str, root: Path) -> Iterator[None]:
    """Fork the processes of a module below `root` from one that has loaded it, inside the block.

    This also holds in forks of this process, while the block lasts here.  It needs Linux, and does
    nothing elsewhere.  If the fork server ends, processes are spawned.
    """
    key = module, root
    if sys.platform != "linux" or key in _shared_fork_servers:
        yield
        return
    _shared_fork_servers[key] = _ForkServerClient(module, root)
    try:
        yield
    finally:
        _shared_fork_servers.pop(key).close()


def has_lost_processes(module: str, root: Path) -> bool:
    """Return whether a shared fork server has ended, and with it the processes of this client."""
    server = _shared_fork_servers.get((module, root))
    return server is not None and server.has_ended


def _fork_shared_worker(
    module: str, root: Path, pipes: list[int], argument: str
) -> tuple[_ForkServerClient, int]:
    """Return the fork server and the process id of a new worker; OSError if the server has ended.

    A fork of the process that owns the fork server uses it by a connection of its own.
    """
    server = _shared_fork_servers[module, root]
    if server.owner != os.getpid():
        server = _ForkServerClient(module, root, inherited=server)
        _shared_fork_servers[module, root] = server
    return server, server.fork(pipes, argument)


@atexit.register
def _close_fork_server() -> None:
    global _fork_server
    with _starting:
        if _fork_server and _fork_server.owner == os.getpid():
            _fork_server.close()
        _fork_server = None


def _start_python(module: str, argument: str = "", **options: Any) -> subprocess.Popen[bytes]:
    """Return a new process, in its own group, that runs the `main` of a module."""
    program = f"from {module} import main; main({argument})"
    if os.name == "posix":
        options["start_new_session"] = True
    else:
        options["creationflags"] = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    # With -P, a random.py in the folder cannot replace Python's own module.
    return subprocess.Popen([sys.executable, "-P", "-c", program], **options)


def _environment(root: Path = ROOT) -> dict[str, str]:
    """Return the few variables that Python and numpy need, without any of the user's."""
    inherited = {name: os.environ[name] for name in _INHERITED_VARIABLES if name in os.environ}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {
        **inherited,
        **threads,
        "PYTHONPATH": str(root),
        "PYTHONUTF8": "1",
        "MPLBACKEND": "agg",
        "PYTHONHASHSEED": "0",  # the order of a set must not differ from run to run
    }
