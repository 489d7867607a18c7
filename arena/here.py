"""What this Python can do: start threads and processes, or give a browser its turn instead.

In a browser tab (Pyodide) there are no threads and no processes.  There a check or a search runs in
the one thread that also answers clicks.  Two things take the place of a second thread: the
interpreter looks now and then whether a signal has come (`looking`), and where the browser has JSPI
(a recent Chrome, Edge or Firefox has it), a computation can be suspended for a moment (`turn`).
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from traceback import walk_stack
from types import FrameType
from typing import Any

Look = Callable[[FrameType | None], object]

IN_A_BROWSER = sys.platform == "emscripten"
TURN = 0.004  # seconds: after 0 the clicks that have come would still wait
# Calls inside each other: a browser's stack has room for 600 to 900 that go through C, and one more
# would end Python.
DEPTH = 400
# While Python computes in a browser tab, no timer of JavaScript runs, and no thread sets a signal.
# But Pyodide reads element 0 of its "interrupt buffer" every 50 jumps and calls: the number of a
# signal to raise, or 0 for none; then it writes 0 back.  The buffer is usually an array.  This
# function of JavaScript returns an object that looks like one.  It computes element 0 when that is
# read: the signal, if 10 ms have passed since it was last raised.
_CLOCK = """
(signal) => {
  const PERIOD = 10;  // milliseconds
  let due = 0;
  function signalIfDue() {
    const now = Date.now();
    if (now < due) return 0;
    due = now + PERIOD;
    return signal;
  }
  function ignoreReset(value) {}
  const buffer = {};
  Object.defineProperty(buffer, 0, { get: signalIfDue, set: ignoreReset });
  return buffer;
}
"""
# Where an exception out of nothing does harm: in what suspends and resumes computations.
_DELICATE = ("/asyncio/", "/pyodide/", "/_pyodide/")
_IMPORT = "<frozen importlib"

_look: Look | None = None


@cache
def threads() -> bool:
    """Return whether a thread can be started: it is tried, once."""
    try:
        threading.Thread(target=int, daemon=True).start()
    except RuntimeError:
        return False
    return True


def processes() -> bool:
    """Return whether a process can be started."""
    return not IN_A_BROWSER


@cache
def turns() -> bool:
    """Return whether a computation in this browser can be suspended: whether it has JSPI."""
    return IN_A_BROWSER and hasattr(import_module("js").WebAssembly, "Suspending")


def turn() -> bool:
    """Let what waits in the browser's loop run for a moment; return whether it could.

    It cannot where JavaScript has called Python and waits, as in the reaction to a click.
    """
    ffi: Any = import_module("pyodide.ffi") if turns() else None
    if ffi is None or not ffi.can_run_sync():
        return False
    look = _look
    _set_look(None)  # what runs in between is not what it looks at
    try:
        ffi.run_sync(asyncio.sleep(TURN))
    finally:
        _set_look(look)
    return True


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a module is being imported: others must not meet one that is half there."""
    return any(each.f_code.co_filename.startswith(_IMPORT) for each, _ in walk_stack(frame))


@contextmanager
def looking(look: Look | None) -> Iterator[None]:
    """Call `look` about every 10 ms while the block runs, with the frame that runs; it may raise.

    That works in a browser only.  A call into C is not interrupted.  Recursion is limited, too.
    With None, the looks of the block around this one have a pause.
    """
    former, limit, depth = _look, sys.getrecursionlimit(), len([*walk_stack(None)])
    quiet = False

    def look_inside(frame: FrameType | None) -> None:
        nonlocal quiet
        if quiet or not look:
            return
        quiet = True  # a look that takes more than 10 ms is not looked at itself
        try:
            files = [frame.f_code.co_filename for frame, _ in walk_stack(frame)][:-depth]
            importing = bool(files) and files[0].startswith(_IMPORT)
            delicate = any(part in file for file in files for part in _DELICATE)
            if not (importing or delicate):
                look(frame)
        finally:
            quiet = False

    sys.setrecursionlimit(min(limit, depth + DEPTH))
    try:
        _set_look(look and look_inside)
        try:
            yield
        finally:
            quiet = True  # from here on nothing is raised, so that all is put right again
    finally:
        _set_look(former)
        sys.setrecursionlimit(limit)


def _set_look(look: Look | None) -> None:
    global _look
    _look = look
    if IN_A_BROWSER:
        import_module("pyodide_js").setInterruptBuffer(_clock() if look else None)


@cache
def _clock() -> Any:
    """Return an interrupt buffer that raises SIGALRM every 10 ms, whose handler calls `_look`."""

    def handle(number: int, frame: FrameType | None) -> None:
        if _look:
            _look(frame)

    signal.signal(signal.SIGALRM, handle)
    make_buffer = import_module("pyodide.code").run_js(_CLOCK)
    return make_buffer(int(signal.SIGALRM))
