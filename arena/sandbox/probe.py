"""The probe of the sandbox: a restricted process tries what an untrusted program could do.

`arena.sandbox.containment.contained` starts it and reports its results, because there may be a way
around a restriction that is in force.
"""

import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from arena.sandbox.containment import restrict_process

SECONDS_FOR_A_SIGNAL = 0.2  # until a signal has arrived


def _read(secret: Path, victim: int) -> None:
    secret.read_bytes()


def _write(secret: Path, victim: int) -> None:
    secret.with_name("new").write_bytes(b"")


def _connect(secret: Path, victim: int) -> None:
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def _start_process(secret: Path, victim: int) -> None:
    if os.fork() == 0:
        os._exit(0)
    os.wait()


def _send_signal(secret: Path, victim: int) -> None:
    os.kill(victim, signal.SIGKILL)


def _send_signal_by_a_file(secret: Path, victim: int) -> None:
    """Let the kernel send a signal to another process when a pipe can be read: fcntl(2)."""
    import fcntl  # neither Windows nor a browser tab has it, and they import this module, too

    reading, writing = os.pipe()
    fcntl.fcntl(reading, fcntl.F_SETOWN, victim)
    fcntl.fcntl(reading, fcntl.F_SETSIG, signal.SIGKILL)
    fcntl.fcntl(reading, fcntl.F_SETFL, fcntl.fcntl(reading, fcntl.F_GETFL) | os.O_ASYNC)
    os.write(writing, b"x")
    time.sleep(SECONDS_FOR_A_SIGNAL)
    os.kill(os.getpid(), 0)  # the calls were allowed; the parent sees whether the signal arrived


def _send_to_a_name(secret: Path, victim: int) -> None:
    """Make a socket of which datagrams can be sent to any socket that has a name in a folder."""
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].close()


def _call_off_the_list(secret: Path, victim: int) -> None:
    """Make two calls that are not on the list and change nothing: a question, and unshare(0)."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.personality(0xFFFFFFFF) < 0 and libc.unshare(0) < 0:
        raise PermissionError(ctypes.get_errno(), "both calls are refused")


Attempt = Callable[[Path, int], None]
FILES: dict[str, Attempt] = {"read a file": _read, "make a file": _write}
CALLS: dict[str, Attempt] = {
    "open a socket": _connect,
    "start a process": _start_process,
    "kill another process": _send_signal,
    "let the kernel kill another process": _send_signal_by_a_file,
    "send to a socket in a folder": _send_to_a_name,
    "make other system calls": _call_off_the_list,
}


def main() -> None:
    """Print as JSON the missing restrictions, and the attempts that were not refused.

    The arguments are the folder of this process, a file that it must not reach, and the id of
    another process.
    """
    folder, secret, victim = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    said, done = restrict_process(folder), []
    for name, attempt in {**FILES, **CALLS}.items():
        try:
            attempt(secret, victim)
        except OSError:
            continue
        done.append(name)
    print(json.dumps({"said": said, "done": done}))
