"""Checks that survive every student's program: a thread with a time limit around each check.

It contains accidents: endless loops and recursions, exits, prints, questions to the keyboard.  It
is no wall against somebody who means harm.  A thread cannot be killed from outside.  It gets an
exception; a program that swallows every exception, or one call into C that never comes back
(`sum(range(10**12))`), goes on in the background until the kernel is restarted.  While such a call
keeps Python to itself, not even the time limit can speak.  Memory is not limited, files are not
protected.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial, wraps
from typing import Any, ParamSpec

from course.kit.blame import place_of_error, place_of_frame, raised
from course.kit.feedback import Case, Feedback, NotWrittenError, WrongAnswerError

LIMIT = 8.0  # seconds of computing for a whole check; the slowest takes a tenth of that
WAIT = 60.0  # seconds by the clock: of a program that waits, or a machine that is busy
PATIENCE = 1.0  # seconds in which a program that was told to stop may do so
DEPTH = 2_000  # calls inside each other; the stack of the thread is made for them
STACK = 64 * 2**20  # bytes
MOST_LINES, MOST_LETTERS = 5, 400  # of what a program prints are shown
_CHECK = "_check"  # under this name a thread knows of which check it is part
GOES_ON = "It did not even stop then, and goes on in the background: restart the kernel."

# How often each check was run on something that was not blank.
attempts: Counter[str] = Counter()

P = ParamSpec("P")


def guarded(check: Callable[P, Feedback]) -> Callable[P, Feedback]:
    """Return a check that always answers with feedback, within `LIMIT` and `PATIENCE`."""

    @wraps(check)
    def guarded_check(*arguments: P.args, **options: P.kwargs) -> Feedback:
        worker = _Worker(partial(check, *arguments, **options))
        with _contained(worker):
            feedback = _answer(worker)
        attempts[check.__name__] += feedback.written
        return replace(feedback, printed=worker.printed())

    return guarded_check


def asks(case: Case, function_name: str) -> None:
    """Note what a check asks now, for the case that it gets no answer."""
    worker = threading.current_thread()
    if isinstance(worker, _Worker):
        worker.question = f"{function_name} was asked for {case.words}.", case


def more_time() -> None:
    """Let `LIMIT` begin anew: a check of many moves gives each of them its time."""
    worker = threading.current_thread()
    if isinstance(worker, _Worker):
        worker.begin()


class _Worker(threading.Thread):
    """The thread in which a check runs, and what happened there."""

    def __init__(self, check: Callable[[], Feedback]) -> None:
        super().__init__(name="check", daemon=True)
        self.check = check
        self.feedback: Feedback | None = None
        self.question: tuple[str, Case | None] = "", None
        self.text, self.lines = "", 0
        self.others: list[threading.Thread] = []  # that the program has started
        self.clock: int | None = None  # of what this thread computes, where a system has such
        self.begin()

    def begin(self) -> None:
        """Count the time from now on."""
        self.since, self.used = time.monotonic(), self.computed()

    def computed(self) -> float:
        """Return how many seconds this thread, or else the whole process, has computed."""
        with suppress(OSError):  # the thread has ended
            if self.clock is not None:
                return time.clock_gettime(self.clock)
        return time.process_time()

    def overdue(self) -> float:
        """Return which limit is reached, in seconds; 0 if none is."""
        if self.computed() - self.used >= LIMIT:
            return LIMIT
        return WAIT if time.monotonic() - self.since >= WAIT else 0

    def run(self) -> None:
        """Keep the feedback of the check; an exception becomes feedback, too."""
        if hasattr(time, "pthread_getcpuclockid"):
            self.clock = time.pthread_getcpuclockid(threading.get_ident())
        self.begin()
        try:
            self.feedback = self.check()
        except BaseException as error:
            self.feedback = feedback_on(error)

    def keep(self, text: str) -> None:
        """Note what was printed: how much, and how it begins."""
        self.lines += text.count("\n")
        self.text += text[: max(0, MOST_LETTERS - len(self.text))]

    def printed(self) -> str:
        """Return the first lines of what was printed, and how many there were."""
        if not self.text:
            return ""
        shown = self.text.splitlines()[:MOST_LINES]
        more = (
            f", the first {len(shown)} of {self.lines:,} lines" if self.lines > len(shown) else ""
        )
        return "\n".join([f"Your program printed{more}:", *shown])


def feedback_on(error: BaseException) -> Feedback:
    """Return feedback on whatever a check raised."""
    if isinstance(error, NotWrittenError):
        return Feedback(False, str(error), written=False)
    if isinstance(error, WrongAnswerError):
        return Feedback(False, str(error), error.state)
    whose = "your program" if place_of_error(error) else "the check cannot go on: what it was given"
    return Feedback(False, f"{whose} {raised(error)}")


def _answer(worker: _Worker) -> Feedback:
    """Return the feedback of a worker, or feedback on why there is none."""
    limit = 0.0
    try:
        _start(worker)
        while worker.is_alive() and not (limit := worker.overdue()):
            worker.join(0.1)  # in slices: on Windows Ctrl-C waits for the end of a `join`
    except KeyboardInterrupt:
        _stop(worker)
        raise KeyboardInterrupt(GOES_ON if _goes_on(worker) else "") from None
    if worker.feedback is not None:
        return worker.feedback
    where = place_of_frame(sys._current_frames().get(worker.ident or 0))
    question, case = worker.question
    _stop(worker)
    message = f"no end after {limit:g} seconds, so the check was stopped"
    message += f", in {where}. " if where else ". "
    message += question or "Is there a loop that never ends?"
    if _goes_on(worker):
        message += f" {GOES_ON}"
    return Feedback(False, message, case.state if case else None)


def _start(worker: _Worker) -> None:
    """Start the thread with a stack that is large enough for `DEPTH` calls."""
    before = threading.stack_size(STACK)
    try:
        worker.start()
    finally:
        threading.stack_size(before)


def _stop(*threads: threading.Thread) -> None:
    """Raise SystemExit inside the threads, again and again: a bare `except` swallows some."""
    end = time.monotonic() + PATIENCE
    while (busy := [*filter(_goes_on, threads)]) and time.monotonic() < end:
        with suppress(KeyboardInterrupt):  # nobody waits longer for pressing Interrupt again
            for thread in busy:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit)
                )
            time.sleep(0.01)


def _goes_on(worker: threading.Thread) -> bool:
    """Return whether a thread has not ended.

    `is_alive` cannot tell: in Python 3.11 and 3.12 a `join` that is interrupted marks the thread as
    ended, whatever it does.
    """
    return worker in threading.enumerate() and worker.ident in sys._current_frames()


@contextmanager
def _contained(worker: _Worker) -> Iterator[None]:
    """Replace, for checks alone, what would flood the notebook, end the program or ask the user."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, DEPTH))
    replaced = [(*row, getattr(*row[:2])) for row in _replacements()]
    for owner, name, instead, usual in replaced:
        setattr(owner, name, _in_checks(instead, usual))
    try:
        yield
    finally:
        _stop(*worker.others)
        # One that could not be stopped would go on printing.
        if not any(map(_goes_on, [worker, *worker.others])):
            for owner, name, _, usual in replaced:
                setattr(owner, name, usual)
            sys.setrecursionlimit(limit)


def _replacements() -> list[tuple[Any, str, Callable[..., Any]]]:
    """Return (owner, name, what stands there for a check); a notebook has more of them."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    table: list[tuple[Any, str, Callable[..., Any]]] = [
        (threading.Thread, "start", _start_inside),
        (builtins, "print", _keep_print),
        (builtins, "display", _keep_display),
        (builtins, "input", _no_input),
        (os, "_exit", _leave),
        # A deeper recursion than the stack is made for would end the kernel.
        (sys, "setrecursionlimit", lambda *arguments: None),
        (shell, "ask_exit", _leave),  # what `exit()` does in a notebook
    ]
    there = [row for row in table if hasattr(row[0], row[1])]
    # Those of a check that goes on do it for all.
    return [row for row in there if not hasattr(getattr(*row[:2]), _CHECK)]


def _in_checks(instead: Callable[..., Any], usual: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is `instead(worker, ...)` in a check, and as usual elsewhere."""

    @wraps(usual, updated=())
    def function(*arguments: Any, **options: Any) -> Any:
        if worker := _worker_of(threading.current_thread()):
            return instead(worker, usual, *arguments, **options)
        return usual(*arguments, **options)

    vars(function)[_CHECK] = True
    return function


def _worker_of(thread: threading.Thread) -> _Worker | None:
    """Return the check to which a thread belongs: its own, or one that its program has started."""
    return thread if isinstance(thread, _Worker) else vars(thread).get(_CHECK)


def _start_inside(worker: _Worker, usual: Callable[..., Any], thread: threading.Thread) -> None:
    vars(thread)[_CHECK] = worker
    worker.others.append(thread)
    usual(thread)


def _keep_print(worker: _Worker, usual: Callable[..., Any], *values: Any, **options: Any) -> None:
    if options.get("file") not in (None, sys.stdout, sys.stderr):
        usual(*values, **options)
    else:
        sep, end = (options.get(name) for name in ("sep", "end"))
        between, after = " " if sep is None else sep, "\n" if end is None else end
        worker.keep(between.join(map(str, values)) + after)


def _keep_display(worker: _Worker, usual: object, *things: Any, **options: Any) -> None:
    worker.keep("".join(f"{thing!r}\n" for thing in things))


def _no_input(worker: _Worker, usual: object, *arguments: Any) -> str:
    raise EOFError("nobody can type during a check; all you need is in the arguments")


def _leave(worker: _Worker, usual: object, *arguments: Any) -> None:
    raise SystemExit
