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

from arena.sandbox.inside import line
from arena.sandbox.processes import start_child
from arena.sandbox.reasons import ROOT

LONGEST = 16 * 2**20  # bytes of a message
LOG_START, LOG_END = 8000, 2000  # bytes that are kept of what a program prints
MOMENT = 0.05  # seconds to wait for an answer before the time is looked at
MESSAGES = 200  # after so many the time is looked at
PATIENCE = 1.0  # seconds in which a program that is late may say where it is
# What could change the terminal of who reads a log: all control characters but newline and tab.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class LateError(Exception):
    """The process has taken longer than it may.  It is not ended yet: it may say where it is."""


class EndedError(Exception):
    """The process has ended, or cut the line, and has been ended; the message says how."""

    def __init__(self, status: int) -> None:
        names = {each.value: each.name for each in signal.Signals}
        how = f"ended without an answer (exit status {status})"
        if status < 0:
            how = f"crashed ({names.get(-status, f'signal {-status}')})"
        super().__init__("was killed, or cut the connection" if status == -9 else how)


class Child:
    """The parent's end of a process: `module` has its `main`, below `root`.

    waiting  called again and again while it is waited for
    """

    def __init__(
        self,
        module: str,
        argument: str = "",
        root: Path = ROOT,
        waiting: Callable[[], None] = lambda: None,
    ) -> None:
        self._process = start_child(module, argument, root)
        self.pid, self.line, self.alive = self._process.pid, self._process.line, True
        self.line.settimeout(MOMENT)
        self.printed, self._waiting = Printed(), waiting
        self._reader = threading.Thread(
            target=self.printed.read, args=(self._process.printed,), daemon=True
        )
        self._reader.start()
        self._buffer, self._messages = bytearray(), 0
        self.questions: dict[bytes, Callable[[Any], Any]] = {}
        self.allow()

    def allow(
        self, *, clock: float = math.inf, computing: float = math.inf, idle: float = math.inf
    ) -> None:
        """Set how many seconds the process has from now on.

        clock      by the clock
        computing  of a processor, as the kernel counts them; by the clock where it does not
        idle       of doing nothing while it is waited for
        """
        if sys.platform != "linux":
            clock = min(clock, computing)
        self._deadline = time.monotonic() + clock
        self._computing, self._idle, self._may_idle = computing, 0.0, idle
        self._before = self.computed()

    def computed(self) -> float:
        """Return how many seconds the process has computed: Linux keeps a clock; 0 elsewhere."""
        if sys.platform == "linux":
            with suppress(OSError):  # it has ended
                return time.clock_gettime(~self.pid << 3 | 2)  # clock_getcpuclockid(3)
        return 0

    def spent(self) -> float:
        """Return how many seconds it has computed since `allow`."""
        return max(0.0, self.computed() - self._before)

    def send(self, data: bytes) -> None:
        """Send lines; LateError if nobody takes them in time, EndedError if nobody can."""
        while data:
            try:
                data = data[self.line.send(data) :]
            except TimeoutError:
                self._wait_on()
            except OSError:
                self._ended()

    def receive(self) -> bytes:
        """Return the next line; LateError if none comes in time, EndedError if none can come."""
        if whole := b"\n" in self._buffer:
            self._look_now_and_then()
        while not whole and len(self._buffer) <= LONGEST:
            self._look_now_and_then()
            try:
                data = self.line.recv(2**16)
            except TimeoutError:
                self._wait_on()
                continue
            except OSError:
                data = b""
            if not data:
                self._ended()
            self._buffer += data
            whole = b"\n" in data
        text, _, self._buffer = self._buffer.partition(b"\n")
        return bytes(text)

    def answer(self) -> dict[str, Any] | None:
        """Return what the next line says that is no question; None if it says nothing.

        `questions` says by the first letter of a line what answers it, in the middle of an answer.
        """
        text = self.receive()
        while ask := self.questions.get(text[:1]):
            try:
                told = line(ask(json.loads(text[1:].decode())))
            except Exception as error:  # whatever it is that was asked for
                words = {"kind": type(error).__name__, "words": str(error)}
                told = line(words | {"throw": self.kept(error)})
            self.send(told)
            text = self.receive()
        with suppress(ValueError, RecursionError):
            if isinstance(answer := json.loads(text), dict):
                return answer
        return None

    def kept(self, error: Exception) -> int:
        """Return the number by which the process hands an error back; here nobody wants it."""
        return 0

    def where(self, last: bytes) -> str:
        """Return what the process prints of where its program is; it ends with the bytes `last`."""
        length, end = self.printed.length, time.monotonic() + PATIENCE
        with suppress(ProcessLookupError, AttributeError):  # Windows has no such signal
            os.kill(self.pid, signal.SIGUSR1)
        while not (self.printed.tail(length)).endswith(last) and time.monotonic() < end:
            time.sleep(0.01)
        return self.printed.tail(length).decode("utf-8", "replace")

    def end(self) -> int:
        """End the process and its group, wait until they are gone, and return how it ended."""
        self.alive = False
        status = self._process.end()
        self.line.close()
        self._reader.join(timeout=2)  # what has left the group may hold the pipe open
        return status

    def _ended(self) -> NoReturn:
        raise EndedError(self.end())

    def _look_now_and_then(self) -> None:
        """Look at the time of a process that asks and asks, or sends what never ends."""
        self._messages += 1
        if self._messages % MESSAGES == 0:
            self._check_time()

    def _wait_on(self) -> None:
        """Look at the time of a process that has done nothing on the line for a moment."""
        self._waiting()
        # By the clock it would count that this machine is busy.
        if self._may_idle < math.inf and self._sleeps():
            self._idle += MOMENT
        self._check_time()

    def _check_time(self) -> None:
        if (
            self._idle >= self._may_idle
            or time.monotonic() >= self._deadline
            or (self._computing < math.inf and self.spent() > self._computing)
        ):
            raise LateError

    def _sleeps(self) -> bool:
        """Return whether the process does nothing now, as far as this system tells."""
        try:
            stat = Path(f"/proc/{self.pid}/stat").read_text(encoding="utf-8")
        except OSError:
            return True
        return stat.rpartition(")")[2].split()[0] in "SD"


class Printed:
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
        room = LOG_START - len(self._start)
        self._start += chunk[:room]
        self._end = (self._end + chunk[room:])[-LOG_END:]

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
