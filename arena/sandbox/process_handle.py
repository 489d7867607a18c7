"""One process in which a program of others runs: asked, limited, looked at and ended from here.

Matches, audits and marks have theirs from here.  What goes in and what comes out are lines; what
they say is the business of who asks.
"""

import json
import math
import os
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NoReturn

from arena.sandbox.forfeits import ROOT
from arena.sandbox.spawn import start_process
from arena.sandbox.worker_io import encode_message

MAX_LINE_BYTES = 16 * 2**20  # bytes of a message
LOG_START_BYTES, LOG_END_BYTES = 8000, 2000  # bytes that are kept of what a program prints
POLL_SECONDS = 0.05  # seconds to wait for an answer before the time is looked at
MESSAGES_PER_CHECK = 200  # after so many the time is looked at
STACK_DUMP_SECONDS = 1.0  # seconds in which a program that is late may say where it is
# What could change the terminal of who reads a log: all control characters but newline and tab.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ProcessTimeoutError(Exception):
    """The process has taken longer than it may.  It is not ended yet: it may say where it is."""


class ProcessEndedError(Exception):
    """The process has ended, or cut the line, and has been ended; the message says how."""

    def __init__(self, status: int) -> None:
        names = {each.value: each.name for each in signal.Signals}
        how = f"ended without an answer (exit status {status})"
        if status < 0:
            how = f"crashed ({names.get(-status, f'signal {-status}')})"
        super().__init__("was killed, or cut the connection" if status == -9 else how)


def cpu_seconds_of(pid: int) -> float:
    """Return how many seconds a process has computed; 0 if it has ended, or outside Linux."""
    if sys.platform == "linux":
        with suppress(OSError):  # it has ended
            return time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3)
    return 0


class ProcessHandle:
    """The parent's end of a process: `module` has its `main`, below `root`.

    on_wait  called again and again while it is waited for
    """

    def __init__(
        self,
        module: str,
        argument: str = "",
        root: Path = ROOT,
        on_wait: Callable[[], None] = lambda: None,
    ) -> None:
        self._process = start_process(module, argument, root)
        self.pid, self.connection, self.alive = self._process.pid, self._process.connection, True
        self.connection.settimeout(POLL_SECONDS)
        self.output, self._on_wait = OutputLog(), on_wait
        self._reader = threading.Thread(
            target=self.output.read, args=(self._process.stderr,), daemon=True
        )
        self._reader.start()
        self._buffer, self._messages = bytearray(), 0
        self.request_handlers: dict[bytes, Callable[[Any], Any]] = {}
        self.set_limits()

    def set_limits(
        self,
        *,
        wall_seconds: float = math.inf,
        cpu_seconds: float = math.inf,
        idle_seconds: float = math.inf,
    ) -> None:
        """Set how many seconds the process has from now on.

        wall_seconds  by the clock
        cpu_seconds   of a processor, as the kernel counts them; by the clock where it does not
        idle_seconds  of doing nothing while it is waited for
        """
        if sys.platform != "linux":
            wall_seconds = min(wall_seconds, cpu_seconds)
        self._deadline = time.monotonic() + wall_seconds
        self._cpu_limit, self._idle_seconds, self._idle_limit = cpu_seconds, 0.0, idle_seconds
        self._cpu_before = self.cpu_seconds()

    def cpu_seconds(self) -> float:
        """Return how many seconds the process has computed: Linux keeps a clock; 0 elsewhere."""
        return cpu_seconds_of(self.pid)

    def cpu_seconds_since_limits(self) -> float:
        """Return how many seconds it has computed since `set_limits`."""
        return max(0.0, self.cpu_seconds() - self._cpu_before)

    def send(self, data: bytes) -> None:
        """Send lines.

        ProcessTimeoutError if nobody takes them in time, ProcessEndedError if nobody can.
        """
        while data:
            try:
                data = data[self.connection.send(data) :]
            except TimeoutError:
                self._wait_on()
            except OSError:
                self._raise_ended()

    def receive(self) -> bytes:
        """Return the next line.

        ProcessTimeoutError if none comes in time, ProcessEndedError if none can come.
        """
        if whole := b"\n" in self._buffer:
            self._check_time_periodically()
        while not whole and len(self._buffer) <= MAX_LINE_BYTES:
            self._check_time_periodically()
            try:
                data = self.connection.recv(2**16)
            except TimeoutError:
                self._wait_on()
                continue
            except OSError:
                data = b""
            if not data:
                self._raise_ended()
            self._buffer += data
            whole = b"\n" in data
        text, _, self._buffer = self._buffer.partition(b"\n")
        return bytes(text)

    def receive_answer(self) -> dict[str, Any] | None:
        """Return what the next line says that is no question; None if it says nothing.

        `request_handlers` says by the first letter of a line what answers it, in the middle of an
        answer.
        """
        text = self.receive()
        while ask := self.request_handlers.get(text[:1]):
            try:
                told = encode_message(ask(json.loads(text[1:].decode())))
            except Exception as error:  # whatever it is that was asked for
                words = {"kind": type(error).__name__, "words": str(error)}
                told = encode_message(words | {"throw": self.store_error(error)})
            self.send(told)
            text = self.receive()
        with suppress(ValueError, RecursionError):
            if isinstance(answer := json.loads(text), dict):
                return answer
        return None

    def store_error(self, error: Exception) -> int:
        """Return the number by which the process hands an error back; here nobody wants it."""
        return 0

    def dump_stack(self, end_marker: bytes) -> str:
        """Return what the process prints of where its program is, up to the bytes `end_marker`."""
        length, end = self.output.length, time.monotonic() + STACK_DUMP_SECONDS
        with suppress(ProcessLookupError, AttributeError):  # Windows has no such signal
            os.kill(self.pid, signal.SIGUSR1)
        while not (self.output.tail(length)).endswith(end_marker) and time.monotonic() < end:
            time.sleep(0.01)
        return self.output.tail(length).decode("utf-8", "replace")

    def terminate(self) -> int:
        """End the process and its group, wait until they are gone, and return how it ended."""
        self.alive = False
        status = self._process.terminate()
        self.connection.close()
        self._reader.join(timeout=2)  # what has left the group may hold the pipe open
        return status

    def _raise_ended(self) -> NoReturn:
        raise ProcessEndedError(self.terminate())

    def _check_time_periodically(self) -> None:
        """Look at the time of a process that asks and asks, or sends what never ends."""
        self._messages += 1
        if self._messages % MESSAGES_PER_CHECK == 0:
            self._check_time()

    def _wait_on(self) -> None:
        """Look at the time of a process that has done nothing on the line for a moment."""
        self._on_wait()
        # By the clock it would count that this machine is busy.
        if self._idle_limit < math.inf and self._is_idle():
            self._idle_seconds += POLL_SECONDS
        self._check_time()

    def _check_time(self) -> None:
        if (
            self._idle_seconds >= self._idle_limit
            or time.monotonic() >= self._deadline
            or (self._cpu_limit < math.inf and self.cpu_seconds_since_limits() > self._cpu_limit)
        ):
            raise ProcessTimeoutError

    def _is_idle(self) -> bool:
        """Return whether the process does nothing now, as far as this system tells."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        return stat.rpartition(")")[2].split()[0] in "SD"


class OutputLog:
    """What a program prints: the start and the end are kept, the rest is counted."""

    def __init__(self) -> None:
        self._start, self._end, self.length = b"", b"", 0

    def read(self, pipe: IO[bytes]) -> None:
        """Take all that comes, so that the program never waits for a reader."""
        with pipe:
            while chunk := os.read(pipe.fileno(), 65536):
                self.add(chunk)

    def add(self, chunk: bytes) -> None:
        """Take what was printed next."""
        self.length += len(chunk)
        room = LOG_START_BYTES - len(self._start)
        self._start += chunk[:room]
        self._end = (self._end + chunk[room:])[-LOG_END_BYTES:]

    def tail(self, since: int) -> bytes:
        """Return the end of what was printed after so many bytes, as far as it is kept."""
        number = self.length - since
        return (self._start + self._end)[-number:] if number else b""

    def text(self) -> str:
        """Return what is kept of it."""
        left_out = self.length - len(self._start) - len(self._end)
        mark = f"\n[... {left_out:,} bytes are left out here ...]\n" if left_out else ""
        start, end = (part.decode("utf-8", "replace") for part in (self._start, self._end))
        text = (start + mark + end).replace("\r\n", "\n")  # programs on Windows end lines so
        return _CONTROLS.sub("?", text)
