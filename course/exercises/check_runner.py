"""Checks that survive every student's program: a thread with a time limit around each check.

It contains accidents: endless loops and recursions, exits, prints, questions to the keyboard.  It
is no wall against somebody who means harm.  A thread cannot be killed from outside.  It gets an
exception; a program that swallows every exception, or one call into C that never comes back
(`sum(range(10**12))`), goes on in the background until the kernel is restarted.  While such a call
keeps Python to itself, not even the time limit can speak.  Memory is not limited, files are not
protected.

Where no thread can be started, a check runs in the one there is, and looks at the clock there.  All
else is the same, but for such a call into C: nothing goes on beside it.
"""

import builtins
import ctypes
import os
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial, wraps
from types import FrameType
from typing import Any, ParamSpec
from zlib import crc32

from arena import capabilities
from course.exercises.activity_log import log_event
from course.exercises.error_report import describe_error, error_location, frame_location
from course.exercises.feedback import Case, Feedback, NotWrittenError, WrongAnswerError

CPU_SECONDS = 8.0  # seconds of computing for a whole check; the slowest takes a tenth of that
WALL_SECONDS = 60.0  # seconds by the clock: of a program that waits, or a machine that is busy
STOP_SECONDS = 1.0  # seconds in which a program that was told to stop may do so
MAX_RECURSION = 2_000  # calls inside each other; the stack of the thread is made for them
STACK_BYTES = 64 * 2**20  # bytes
MAX_PRINTED_LINES, MAX_PRINTED_CHARS = 5, 400  # of what a program prints are shown
_CHECK = "_check"  # under this name a thread knows of which check it is part
STILL_RUNNING_MESSAGE = (
    "It did not even stop then, and goes on in the background: restart the kernel."
)

# How often each check was run on something that was not blank.
attempts: Counter[str] = Counter()

P = ParamSpec("P")


def guarded(check: Callable[P, Feedback]) -> Callable[P, Feedback]:
    """Return a check that always answers with feedback, within `CPU_SECONDS` and `STOP_SECONDS`."""

    @wraps(check)
    def guarded_check(*arguments: P.args, **options: P.kwargs) -> Feedback:
        worker = _CheckRun(partial(check, *arguments, **options))
        with _patched_builtins(worker):
            feedback = _answer(worker)
        attempts[check.__name__] += feedback.attempted
        if feedback.attempted:
            hint = worker.mistake
            told = hint if hint in feedback.message and not feedback.passed else ""
            mark = f"{crc32(repr(feedback).encode()):08x}"  # the same for the same answer
            facts = {"passed": feedback.passed, "mark": mark}
            key = f"{check.__name__}{options.get('level', '')}"  # each level is an exercise
            log_event("attempt", key, **facts, mistake=told or None)
        return replace(feedback, printed=worker.printed(), partial_credit=worker.partial_credit)

    return guarded_check


def set_current_question(case: Case, function_name: str) -> None:
    """Note what a check asks now, for the case that it gets no answer."""
    if worker := _current_check():
        worker.question = f"{function_name} was asked for {case.prompt}.", case


def current_question() -> tuple[str, Case | None]:
    """Return what the check that runs in this thread asks now, in words, and the case."""
    return worker.question if (worker := _current_check()) else ("", None)


def note_recognised_mistake(hint: str) -> str:
    """Return a hint, and note that the mistake that it is for was recognised."""
    if worker := _current_check():
        worker.mistake = hint
    return hint


def award_credit(partial_credit: float) -> None:
    """Note that so much of an exercise is right, whatever the check says of the rest."""
    if worker := _current_check():
        worker.partial_credit = partial_credit


def restart_time_limit() -> None:
    """Let `CPU_SECONDS` begin anew: a check of many moves gives each of them its time."""
    if worker := _current_check():
        worker.begin()


class _CheckRun:
    """A check that runs, in a thread of its own if there are threads, and what happened there."""

    def __init__(self, check: Callable[[], Feedback]) -> None:
        self.check = check
        self.feedback: Feedback | None = None
        self.question: tuple[str, Case | None] = "", None
        # The hint for one that was recognised; what is right.
        self.mistake, self.partial_credit = "", 0.0
        self.text, self.lines = "", 0
        self.thread = threading.Thread(target=self.run, name="check", daemon=True)
        self.started_threads: list[threading.Thread] = []  # that the program has started
        self.clock: int | None = None  # of what this thread computes, where a system has such
        self.limit = 0.0  # that was reached, in seconds
        self.location: str | None = None  # where the program was then
        self.begin()

    def begin(self) -> None:
        """Count the time from now on."""
        self.since, self.used = time.monotonic(), self.computed()

    def computed(self) -> float:
        """Return how many seconds this thread, or else the whole process, has computed.

        That a browser's clocks do not tell; there nothing else computes.
        """
        if not capabilities.can_start_threads():
            return time.monotonic()
        with suppress(OSError):  # the thread has ended
            if self.clock is not None:
                return time.clock_gettime(self.clock)
        return time.process_time()

    def is_late(self, frame: FrameType | None) -> bool:
        """Return whether a limit is reached; where the program was then, by its frame, is noted."""
        spent = (
            (self.computed() - self.used, CPU_SECONDS),
            (time.monotonic() - self.since, WALL_SECONDS),
        )
        if not self.limit and (over := [most for seconds, most in spent if seconds >= most]):
            self.limit, self.location = over[0], frame_location(frame)
        return bool(self.limit)

    def run(self) -> None:
        """Keep the feedback of the check; an exception becomes feedback, too."""
        with suppress(AttributeError, OSError):  # of a system that has no such clock
            self.clock = time.pthread_getcpuclockid(threading.get_ident())
        vars(threading.current_thread())[_CHECK] = self
        self.begin()
        try:
            self.feedback = self.check()
        except BaseException as error:
            self.feedback = feedback_on(error)
        finally:
            vars(threading.current_thread())[_CHECK] = None

    def keep(self, text: str) -> None:
        """Note what was printed: how much, and how it begins."""
        self.lines += text.count("\n")
        self.text += text[: max(0, MAX_PRINTED_CHARS - len(self.text))]

    def printed(self) -> str:
        """Return the first lines of what was printed, and how many there were."""
        if not self.text:
            return ""
        few = self.text.removesuffix("\n").split("\n")[:MAX_PRINTED_LINES]
        more = f", the first {len(few)} of {self.lines:,} lines" if self.lines > len(few) else ""
        return "\n".join([f"Your program printed{more}:", *few])


def feedback_on(error: BaseException) -> Feedback:
    """Return feedback on whatever a check raised."""
    if isinstance(error, NotWrittenError):
        return Feedback(False, str(error), attempted=False)
    if isinstance(error, WrongAnswerError):
        return Feedback(False, str(error), error.state)
    whose = "your program" if error_location(error) else "the check cannot go on: what it was given"
    return Feedback(False, f"{whose} {describe_error(error)}")


def _answer(worker: _CheckRun) -> Feedback:
    """Return the feedback of a worker, or feedback on why there is none."""
    goes_on = (
        _run_in_thread(worker) if capabilities.can_start_threads() else _run_in_this_thread(worker)
    )
    if not worker.limit and worker.feedback is not None:
        return worker.feedback
    question, case = worker.question
    message = f"no end after {worker.limit:g} seconds, so the check was stopped"
    message += f", in {worker.location}. " if worker.location else ". "
    message += question or "Is there a loop that never ends?"
    if goes_on:
        message += f" {STILL_RUNNING_MESSAGE}"
    return Feedback(False, message, case.state if case else None)


def _run_in_thread(worker: _CheckRun) -> bool:
    """Let a worker run up to its limit; return whether it goes on after that."""
    thread = worker.thread
    try:
        _start(thread)
        # In slices: on Windows Ctrl-C waits for the end of a `join`.
        while thread.is_alive() and not worker.is_late(_frame_of(thread)):
            thread.join(0.1)
    except KeyboardInterrupt:
        _stop(thread)
        raise KeyboardInterrupt(STILL_RUNNING_MESSAGE if _is_running(thread) else "") from None
    if worker.feedback is not None:  # just in time
        worker.limit = 0.0
        return False
    _stop(thread)
    return _is_running(thread)


def _frame_of(thread: threading.Thread) -> FrameType | None:
    return sys._current_frames().get(thread.ident or 0)


def _run_in_this_thread(worker: _CheckRun) -> bool:
    """Let a worker run up to its limit in this thread; it does not go on after that."""

    def look(frame: FrameType | None) -> None:
        if worker.feedback is None and worker.is_late(frame):
            raise SystemExit  # again and again: a bare `except` swallows some

    with suppress(SystemExit), capabilities.polling(look):
        worker.run()
    return False


def _start(thread: threading.Thread) -> None:
    """Start the thread with a stack that is large enough for `MAX_RECURSION` calls."""
    before = threading.stack_size(STACK_BYTES)
    try:
        thread.start()
    finally:
        threading.stack_size(before)


def _stop(*threads: threading.Thread) -> None:
    """Raise SystemExit inside the threads, again and again: a bare `except` swallows some."""
    end = time.monotonic() + STOP_SECONDS
    while (busy := [*filter(_is_running, threads)]) and time.monotonic() < end:
        with suppress(KeyboardInterrupt):  # nobody waits longer for pressing Interrupt again
            for thread in busy:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit)
                )
            time.sleep(0.01)


def _is_running(thread: threading.Thread) -> bool:
    """Return whether a thread has not ended.

    `is_alive` cannot tell: in Python 3.11 and 3.12 a `join` that is interrupted marks the thread as
    ended, whatever it does.
    """
    return thread in threading.enumerate() and _frame_of(thread) is not None


@contextmanager
def _patched_builtins(worker: _CheckRun) -> Iterator[None]:
    """Replace, for checks alone, what would flood the notebook, end the program or ask the user."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, MAX_RECURSION))
    replaced = [(*row, getattr(*row[:2])) for row in _replacements()]
    for owner, name, instead, usual in replaced:
        setattr(owner, name, _only_in_checks(instead, usual))
    try:
        yield
    finally:
        _stop(*worker.started_threads)
        # One that could not be stopped would go on printing.
        if not any(map(_is_running, [worker.thread, *worker.started_threads])):
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
        (warnings, "showwarning", lambda worker, _, text, *place: worker.keep(f"{text}\n")),
        (builtins, "input", _no_input),
        (os, "fork", _no_fork),  # its child would run the rest of the check, and the notebook
        (os, "forkpty", _no_fork),
        (os, "_exit", _exit_check),
        # A deeper recursion than the stack is made for would end the kernel.
        (sys, "setrecursionlimit", lambda *arguments: None),
        (shell, "ask_exit", _exit_check),  # what `exit()` does in a notebook
    ]
    if not capabilities.can_start_threads():
        table.append((time, "sleep", _interruptible_sleep))  # which could not be interrupted
    there = [row for row in table if hasattr(row[0], row[1])]
    # Those of a check that goes on do it for all.
    return [row for row in there if not hasattr(getattr(*row[:2]), _CHECK)]


def _only_in_checks(instead: Callable[..., Any], usual: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is `instead(worker, ...)` in a check, and as usual elsewhere."""

    @wraps(usual, updated=())
    def function(*arguments: Any, **options: Any) -> Any:
        if worker := _current_check():
            return instead(worker, usual, *arguments, **options)
        return usual(*arguments, **options)

    vars(function)[_CHECK] = True
    return function


def _current_check() -> _CheckRun | None:
    """Return the check to which this thread belongs: its own, or that of who has started it."""
    return vars(threading.current_thread()).get(_CHECK)


def _start_inside(worker: _CheckRun, usual: Callable[..., Any], thread: threading.Thread) -> None:
    vars(thread)[_CHECK] = worker
    worker.started_threads.append(thread)
    usual(thread)


def _keep_print(worker: _CheckRun, usual: Callable[..., Any], *values: Any, **options: Any) -> None:
    if options.get("file") not in (None, sys.stdout, sys.stderr):
        usual(*values, **options)
    else:
        sep, end = (options.get(name) for name in ("sep", "end"))
        between, after = " " if sep is None else sep, "\n" if end is None else end
        worker.keep(between.join(map(str, values)) + after)


def _keep_display(worker: _CheckRun, usual: object, *things: Any, **options: Any) -> None:
    worker.keep("".join(f"{thing!r}\n" for thing in things))


def _no_fork(worker: _CheckRun, usual: object) -> int:
    raise OSError("a program in a check starts no other process")


def _no_input(worker: _CheckRun, usual: object, *arguments: Any) -> str:
    raise EOFError("nobody can type during a check; all you need is in the arguments")


def _interruptible_sleep(worker: _CheckRun, usual: Callable[..., Any], seconds: float) -> None:
    """Sleep in short steps; that is no time that a check computes."""
    end = time.monotonic() + seconds
    while not worker.is_late(sys._getframe(2)):
        before = time.monotonic()
        with capabilities.polling(None):  # a browser runs other programs in the meantime
            usual(min(0.05, seconds, max(0, end - before)))
        worker.used += time.monotonic() - before
        if time.monotonic() >= end:
            return
    raise SystemExit


def _exit_check(worker: _CheckRun, usual: object, *arguments: Any) -> None:
    raise SystemExit
