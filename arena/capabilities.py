"""The capabilities of this Python: threads, processes, and in a browser, suspending a computation.

In a browser tab (Pyodide) there are no threads and no processes, so a check or a search runs in the
only thread, which also handles clicks.  Two mechanisms replace a second thread: the interpreter
regularly checks for a signal (`polling`), and if the browser has JSPI, as a recent Chrome, Edge or
Firefox does, a computation can be suspended for a moment (`yield_to_browser`).
"""

from __future__ import annotations

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
YIELD_SECONDS = 0.004  # with 0, the clicks that have arrived would still wait
# Nested calls.  A browser's stack has space for 600 to 900 that go through C, and the next one
# would terminate Python.
MAX_BROWSER_DEPTH = 400
# While Python computes in a browser tab, no timer of JavaScript runs, and no thread sets a signal.
# But every 50 jumps and calls, Pyodide reads element 0 of its "interrupt buffer", which is the
# number of a signal to raise, or 0 for none, and then it writes 0 back.  The buffer is usually an
# array.  This JavaScript function returns an object that looks like one.  Its element 0 is computed
# when it is read: it is the signal, if 10 ms have passed since it was last raised.
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
# An unexpected exception does harm in these modules, which suspend and resume computations.
_UNINTERRUPTIBLE = ("/asyncio/", "/pyodide/", "/_pyodide/")
_IMPORT = "<frozen importlib"

_poll_callback: PollCallback | None = None


@cache
def can_start_threads() -> bool:
    """Return whether a thread can be started, which is tried once."""
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
    """Return whether this browser has JSPI, so that a computation can be suspended."""
    return IN_BROWSER and hasattr(import_module("js").WebAssembly, "Suspending")


def yield_to_browser() -> bool:
    """Let the tasks in the browser's event loop run for a moment; return whether this is possible.

    It is not possible while JavaScript waits for a call of Python, such as a handler of a click.
    """
    ffi: Any = import_module("pyodide.ffi") if can_suspend() else None
    if ffi is None or not ffi.can_run_sync():
        return False
    import asyncio  # outside a browser it would be a tenth of what every agent's process loads

    callback = _poll_callback
    _set_poll_callback(None)  # the callback is only for the suspended computation
    try:
        ffi.run_sync(asyncio.sleep(YIELD_SECONDS))
    finally:
        _set_poll_callback(callback)
    return True


def is_importing(frame: FrameType | None) -> bool:
    """Return whether a module is being imported, which must not be left half loaded."""
    frames = (inner for inner, _ in walk_stack(frame))
    return any(inner.f_code.co_filename.startswith(_IMPORT) for inner in frames)


@contextmanager
def polling(callback: PollCallback | None) -> Iterator[None]:
    """Call `callback(frame)` about every 10 ms in this block, with the running frame; it may raise.

    This works only in a browser.  It does not interrupt a call into C.  Recursion is limited, too.
    With None, the callback of the surrounding block pauses.
    """
    previous, limit, depth = _poll_callback, sys.getrecursionlimit(), len([*walk_stack(None)])
    quiet = False

    def poll(frame: FrameType | None) -> None:
        nonlocal quiet
        if quiet or not callback:
            return
        quiet = True  # a callback that takes more than 10 ms is not polled itself
        try:
            files = [frame.f_code.co_filename for frame, _ in walk_stack(frame)][:-depth]
            importing = bool(files) and files[0].startswith(_IMPORT)
            is_critical = any(part in file for file in files for part in _UNINTERRUPTIBLE)
            if not (importing or is_critical):
                callback(frame)
        finally:
            quiet = False

    sys.setrecursionlimit(min(limit, depth + MAX_BROWSER_DEPTH))
    try:
        _set_poll_callback(callback and poll)
        try:
            yield
        finally:
            quiet = True  # from here on nothing is raised, so that everything is restored
    finally:
        _set_poll_callback(previous)
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
