"""The parent's handle of a process with an untrusted program: requests, limits and termination.

Matches, audits and marking use it.  Requests and answers are lines, and their content depends on
the caller.
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

MAX_LINE_BYTES = 16 * 2**20  # of a message
LOG_START_BYTES, LOG_END_BYTES = 8000, 2000  # of the output of a program that are stored
POLL_SECONDS = 0.05  # to wait for an answer between two checks of the time
MESSAGES_PER_CHECK = 200  # between two checks of the time
STACK_DUMP_SECONDS = 1.0  # in which a program that is too slow may print its stack
# All control characters except newline and tab, because they could change a reader's terminal.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class ProcessTimeoutError(Exception):
    """The error for a process that takes too long.  It still runs, and may print its stack."""


class ProcessEndedError(Exception):
    """The error for a process that has exited or closed the connection, with the exit status."""

    def __init__(self, status: int) -> None:
        names = {member.value: member.name for member in signal.Signals}
        text = f"exited without an answer (exit status {status})"
        if status < 0:
            text = f"crashed ({names.get(-status, f'signal {-status}')})"
        super().__init__("was killed, or closed the connection" if status == -9 else text)


def cpu_seconds_of(pid: int) -> float:
    """Return the seconds that a process has computed; 0 if it has ended, or outside Linux."""
    if sys.platform == "linux":
        with suppress(OSError):  # it has ended
            return time.clock_gettime(~pid << 3 | 2)  # clock_getcpuclockid(3)
    return 0


class ProcessHandle:
    """The parent's side of a process that runs the `main` of `module`, below `root`.

    on_wait  called regularly while the parent waits for the process
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
        """Set the number of seconds that the process has from now on.

        wall_seconds  by the clock
        cpu_seconds   of computing, as Linux counts them; by the clock on other systems
        idle_seconds  of doing nothing while the parent waits for it
        """
        if sys.platform != "linux":
            wall_seconds = min(wall_seconds, cpu_seconds)
        self._deadline = time.monotonic() + wall_seconds
        self._cpu_limit, self._idle_seconds, self._idle_limit = cpu_seconds, 0.0, idle_seconds
        self._cpu_before = self.cpu_seconds()

    def cpu_seconds(self) -> float:
        """Return the seconds that the process has computed; 0 outside Linux."""
        return cpu_seconds_of(self.pid)

    def cpu_seconds_since_limits(self) -> float:
        """Return the seconds that it has computed since `set_limits`."""
        return max(0.0, self.cpu_seconds() - self._cpu_before)

    def send(self, data: bytes) -> None:
        """Send lines.

        ProcessTimeoutError if the process does not read them in time, ProcessEndedError if it has
        ended.
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

        ProcessTimeoutError if none arrives in time, ProcessEndedError if the process has ended.
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
        """Return the next answer; None for a line that is not a JSON object.

        A line may also be a request of the process.  `request_handlers` has a function for each
        first letter of such lines, which computes the reply.
        """
        text = self.receive()
        while handler := self.request_handlers.get(text[:1]):
            try:
                reply = encode_message(handler(json.loads(text[1:].decode())))
            except Exception as error:  # the process may request anything
                report = {"kind": type(error).__name__, "words": str(error)}
                reply = encode_message(report | {"throw": self.store_error(error)})
            self.send(reply)
            text = self.receive()
        with suppress(ValueError, RecursionError):
            if isinstance(answer := json.loads(text), dict):
                return answer
        return None

    def store_error(self, error: Exception) -> int:
        """Return a number by which the process can raise this error again; here it is not used."""
        return 0

    def dump_stack(self, end_marker: bytes) -> str:
        """Return the stack that the process prints, up to the bytes `end_marker`."""
        length, end = self.output.length, time.monotonic() + STACK_DUMP_SECONDS
        with suppress(ProcessLookupError, AttributeError):  # Windows has no such signal
            os.kill(self.pid, signal.SIGUSR1)
        while not (self.output.tail(length)).endswith(end_marker) and time.monotonic() < end:
            time.sleep(0.01)
        return self.output.tail(length).decode("utf-8", "replace")

    def terminate(self) -> int:
        """Terminate the process and its group, wait for them, and return the exit status."""
        self.alive = False
        status = self._process.terminate()
        self.connection.close()
        self._reader.join(timeout=2)  # a process that has left the group may hold the pipe open
        return status

    def _raise_ended(self) -> NoReturn:
        raise ProcessEndedError(self.terminate())

    def _check_time_periodically(self) -> None:
        """Check the time regularly, because a process may send requests or text without an end."""
        self._messages += 1
        if self._messages % MESSAGES_PER_CHECK == 0:
            self._check_time()

    def _wait_on(self) -> None:
        """Check the time of a process that has sent nothing for a moment."""
        self._on_wait()
        # Only idle time is added, because the clock would also count the load of this machine.
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
        """Return whether the process does nothing now, as far as this system knows."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        return stat.rpartition(")")[2].split()[0] in "SD"


class OutputLog:
    """The output of a program: its start and its end are stored, and the rest is counted."""

    def __init__(self) -> None:
        self._start, self._end, self.length = b"", b"", 0

    def read(self, pipe: IO[bytes]) -> None:
        """Read the whole pipe, so that the program never waits for a reader."""
        with pipe:
            while chunk := os.read(pipe.fileno(), 65536):
                self.add(chunk)

    def add(self, chunk: bytes) -> None:
        """Add the next part of the output."""
        self.length += len(chunk)
        space = LOG_START_BYTES - len(self._start)
        self._start += chunk[:space]
        self._end = (self._end + chunk[space:])[-LOG_END_BYTES:]

    def tail(self, since: int) -> bytes:
        """Return the output after the first `since` bytes, as far as it is stored."""
        number = self.length - since
        return (self._start + self._end)[-number:] if number else b""

    def text(self) -> str:
        """Return the stored output."""
        omitted = self.length - len(self._start) - len(self._end)
        mark = f"\n[... {omitted:,} bytes are left out here ...]\n" if omitted else ""
        start, end = (part.decode("utf-8", "replace") for part in (self._start, self._end))
        text = (start + mark + end).replace("\r\n", "\n")  # the line ends of Windows
        return _CONTROLS.sub("?", text)
