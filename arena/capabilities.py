"""What this Python can do: start threads and processes, or give a browser its turn instead.

In a browser tab (Pyodide) there are no threads and no processes.  There a check or a search runs in
the one thread that also answers clicks.  Two things take the place of a second thread: the
interpreter looks now and then whether a signal has come (`polling`), and where the browser has JSPI
(a recent Chrome, Edge or Firefox has it), a computation can be suspended for a moment
(`yield_to_browser`).
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

PollCallback = Callable[[FrameType | None], object]

IN_BROWSER = sys.platform == "emscripten"
YIELD_SECONDS = 0.004  # seconds: after 0 the clicks that have come would still wait
# Calls inside each other: a browser's stack has room for 600 to 900 that go through C, and one more
# would end Python.
MAX_BROWSER_DEPTH = 400
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
_UNINTERRUPTIBLE = ("/asyncio/", "/pyodide/", "/_pyodide/")
_IMPORT = "<frozen importlib"

_poll_callback: PollCallback | None = None


@cache
def can_start_threads() -> bool:
    """Return whether a thread can be started: it is tried, once."""
    try:
        threading.Thread(target=int, daemon=True).start()
    except RuntimeError:
        return False
    return True


def can_start_processes() -> bool:
    """Return whether a process can be started."""
    return not IN_BROWSER


@cache
def can_suspend() -> bool:
    """Return whether a computation in this browser can be suspended: whether it has JSPI."""
    return IN_BROWSER and hasattr(import_module("js").WebAssembly, "Suspending")


def yield_to_browser() -> bool:
    """Let what waits in the browser's loop run for a moment; return whether it could.

    It cannot where JavaScript has called Python and waits, as in the reaction to a click.
    """
    ffi: Any = import_module("pyodide.ffi") if can_suspend() else None
    if ffi is None or not ffi.can_run_sync():
        return False
    look = _poll_callback
    _set_poll_callback(None)  # what runs in between is not what it looks at
    try:
        ffi.run_sync(asyncio.sleep(YIELD_SECONDS))
    finally:
        _set_poll_callback(look)
    return True


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a module is being imported: others must not meet one that is half there."""
    return any(each.f_code.co_filename.startswith(_IMPORT) for each, _ in walk_stack(frame))


@contextmanager
def polling(callback: PollCallback | None) -> Iterator[None]:
    """Call `look` about every 10 ms while the block runs, with the frame that runs; it may raise.

    That works in a browser only.  A call into C is not interrupted.  Recursion is limited, too.
    With None, the looks of the block around this one have a pause.
    """
    former, limit, depth = _poll_callback, sys.getrecursionlimit(), len([*walk_stack(None)])
    quiet = False

    def look_inside(frame: FrameType | None) -> None:
        nonlocal quiet
        if quiet or not callback:
            return
        quiet = True  # a look that takes more than 10 ms is not looked at itself
        try:
            files = [frame.f_code.co_filename for frame, _ in walk_stack(frame)][:-depth]
            importing = bool(files) and files[0].startswith(_IMPORT)
            delicate = any(part in file for file in files for part in _UNINTERRUPTIBLE)
            if not (importing or delicate):
                callback(frame)
        finally:
            quiet = False

    sys.setrecursionlimit(min(limit, depth + MAX_BROWSER_DEPTH))
    try:
        _set_poll_callback(callback and look_inside)
        try:
            yield
        finally:
            quiet = True  # from here on nothing is raised, so that all is put right again
    finally:
        _set_poll_callback(former)
        sys.setrecursionlimit(limit)


def _set_poll_callback(callback: PollCallback | None) -> None:
    global _poll_callback
    _poll_callback = callback
    if IN_BROWSER:
        import_module("pyodide_js").setInterruptBuffer(_clock() if callback else None)


@cache
def _clock() -> Any:
    """Return an interrupt buffer that raises SIGALRM every 10 ms; its handler polls."""

    def handle(number: int, frame: FrameType | None) -> None:
        if _poll_callback:
            _poll_callback(frame)

    signal.signal(signal.SIGALRM, handle)
    make_buffer = import_module("pyodide.code").run_js(_CLOCK)
    return make_buffer(int(signal.SIGALRM))
