"""Run the check of an exercise safely: in a thread, with a time limit and without side effects.

This handles accidents in a student's program: endless loops and recursions, exits, prints and
questions to the keyboard.  It does not protect against a malicious program.  A thread cannot be
killed from outside, so an exception is raised in it.  A program that swallows every exception keeps
running in the background until the kernel is restarted, and so does a call into C that never
returns, such as `sum(range(10**12))`.  While such a call blocks the interpreter, the time limit
cannot take effect either.  Memory is not limited, and files are not protected.

If the system has no threads, as in a browser, a check runs in the main thread and the clock is
checked there.  Everything else is the same, except that a call into C cannot be interrupted.
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
from course.exercises.covered_lines import uncover_line
from course.exercises.error_report import describe_error, error_location, frame_location
from course.exercises.feedback import Case, Feedback, NotWrittenError, WrongAnswerError

CPU_SECONDS = 8.0  # CPU time for a whole check; the slowest check needs a tenth of it
WALL_SECONDS = 60.0  # wall time, for a program that waits or a machine that is busy
STOP_SECONDS = 1.0  # how long a cancelled program may take to stop
MAX_RECURSION = 2_000  # nested calls, for which the stack of the thread is large enough
STACK_BYTES = 64 * 2**20  # of the stack of the thread
MAX_PRINTED_LINES, MAX_PRINTED_CHARS = 5, 400  # the part of a program's output that is shown
_CHECK = "_check"  # attribute of a thread that holds the `_CheckRun` to which it belongs
PART_OF_CHECK_MESSAGE = (
    "your program calls a function of the check, which knows the answer. Write your own."
)
STILL_RUNNING_MESSAGE = (
    "It did not even stop then and is still running in the background, so restart the kernel."
)

# The number of times that each check was run on an exercise that was not blank.
attempts: Counter[str] = Counter()

P = ParamSpec("P")


def guarded(check: Callable[P, Feedback]) -> Callable[P, Feedback]:
    """Return a check that always returns feedback, within `CPU_SECONDS` and `STOP_SECONDS`."""

    @wraps(check)
    def guarded_check(*arguments: P.args, **options: P.kwargs) -> Feedback:
        worker = _CheckRun(partial(check, *arguments, **options))
        with _patched_builtins(worker):
            feedback = _answer(worker)
        attempts[check.__name__] += feedback.attempted
        if feedback.passed:
            uncover_line(check.__name__)
        if feedback.attempted:
            hint = worker.mistake
            told = hint if hint in feedback.message and not feedback.passed else ""
            mark = f"{crc32(repr(feedback).encode()):08x}"  # equal answers have equal marks
            facts = {"passed": feedback.passed, "mark": mark}
            key = f"{check.__name__}{options.get('level', '')}"  # a level is an exercise
            log_event("attempt", key, **facts, mistake=told or None)
        return replace(feedback, printed=worker.printed(), partial_credit=worker.partial_credit)

    return guarded_check


def set_current_question(case: Case, function_name: str) -> None:
    """Record the question that is being asked, so that a timeout can name it."""
    if worker := _current_check():
        worker.question = f"{function_name} was asked for {case.prompt}.", case


def current_question() -> tuple[str, Case | None]:
    """Return the question that the check in this thread is asking, as text and as a case."""
    return worker.question if (worker := _current_check()) else ("", None)


def note_recognised_mistake(hint: str) -> str:
    """Return the hint, and record that the mistake to which it belongs was recognised."""
    if worker := _current_check():
        worker.mistake = hint
    return hint


def award_credit(partial_credit: float) -> None:
    """Record the part of an exercise that is solved, from 0 to 1, even if the check fails."""
    if worker := _current_check():
        worker.partial_credit = partial_credit


@contextmanager
def running_program() -> Iterator[None]:
    """Mark the time in which a check waits for a student's program, see `refuse_program`."""
    worker = _current_check()
    if worker is None or worker.runs_program:
        yield
        return
    worker.runs_program = True
    try:
        yield
    finally:
        worker.runs_program = False


def refuse_program() -> None:
    """Raise a WrongAnswerError if a student's program that is being checked has called this.

    What knows an answer calls this first: the answer keys and, in a student's copy of the course,
    all functions of the checks that no notebook uses (see `tools/distribution.py`).
    """
    if (worker := _current_check()) and worker.runs_program:
        raise WrongAnswerError(PART_OF_CHECK_MESSAGE)


def restart_time_limit() -> None:
    """Restart the time limit, for a check of many moves that allows `CPU_SECONDS` for each."""
    if worker := _current_check():
        worker.begin()


class _CheckRun:
    """One run of a check, in a separate thread if the system has threads, with its outcome."""

    def __init__(self, check: Callable[[], Feedback]) -> None:
        self.check = check
        self.feedback: Feedback | None = None
        self.question: tuple[str, Case | None] = "", None
        # The hint of the recognised mistake, and the part of the exercise that is solved.
        self.mistake, self.partial_credit = "", 0.0
        self.runs_program = False  # whether the check waits for the student's program
        self.text, self.lines = "", 0
        self.thread = threading.Thread(target=self.run, name="check", daemon=True)
        self.started_threads: list[threading.Thread] = []  # started by the program
        self.clock: int | None = None  # CPU clock of this thread, if the system has one
        self.limit = 0.0  # the limit that was reached, in seconds
        self.location: str | None = None  # the student's line that was running then
        self.begin()

    def begin(self) -> None:
        """Start to measure the time."""
        self.since, self.used = time.monotonic(), self.computed()

    def computed(self) -> float:
        """Return the CPU seconds of this thread, or of the whole process if that is unknown.

        A browser does not report CPU time.  The clock is used there, because nothing else computes.
        """
        if not capabilities.can_start_threads():
            return time.monotonic()
        with suppress(OSError):  # the thread has ended
            if self.clock is not None:
                return time.clock_gettime(self.clock)
        return time.process_time()

    def is_late(self, frame: FrameType | None) -> bool:
        """Return whether a limit is reached; then also record the student's line in `frame`."""
        spent = (
            (self.computed() - self.used, CPU_SECONDS),
            (time.monotonic() - self.since, WALL_SECONDS),
        )
        if not self.limit and (over := [most for seconds, most in spent if seconds >= most]):
            self.limit, self.location = over[0], frame_location(frame)
        return bool(self.limit)

    def run(self) -> None:
        """Run the check and store its feedback; an exception becomes feedback, too."""
        with suppress(AttributeError, OSError):  # the system has no such clock
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
        """Record printed text: its number of lines, and how it begins."""
        self.lines += text.count("\n")
        self.text += text[: max(0, MAX_PRINTED_CHARS - len(self.text))]

    def printed(self) -> str:
        """Return the first printed lines, with the number of all of them."""
        if not self.text:
            return ""
        few = self.text.removesuffix("\n").split("\n")[:MAX_PRINTED_LINES]
        more = f", the first {len(few)} of {self.lines:,} lines" if self.lines > len(few) else ""
        return "\n".join([f"Your program printed{more}:", *few])


def feedback_on(error: BaseException) -> Feedback:
    """Return feedback on an exception that a check has raised."""
    if isinstance(error, NotWrittenError):
        return Feedback(False, str(error), attempted=False)
    if isinstance(error, WrongAnswerError):
        return Feedback(False, str(error), error.state)
    subject = "your program" if error_location(error) else "the check cannot continue, because it"
    return Feedback(False, f"{subject} {describe_error(error)}")


def _answer(worker: _CheckRun) -> Feedback:
    """Return the feedback of a run, or feedback that says why there is none."""
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
    """Run a check up to its limit; return whether it is still running then."""
    thread = worker.thread
    try:
        _start(thread)
        # In slices, because on Windows Ctrl-C waits until `join` returns.
        while thread.is_alive() and not worker.is_late(_frame_of(thread)):
            thread.join(0.1)
    except KeyboardInterrupt:
        _stop(thread)
        raise KeyboardInterrupt(STILL_RUNNING_MESSAGE if _is_running(thread) else "") from None
    if worker.feedback is not None:  # it finished just in time
        worker.limit = 0.0
        return False
    _stop(thread)
    return _is_running(thread)


def _frame_of(thread: threading.Thread) -> FrameType | None:
    return sys._current_frames().get(thread.ident or 0)


def _run_in_this_thread(worker: _CheckRun) -> bool:
    """Run a check up to its limit in this thread; it never keeps running after that."""

    def poll(frame: FrameType | None) -> None:
        if worker.feedback is None and worker.is_late(frame):
            raise SystemExit  # raised at every poll, because a bare `except` swallows it

    with suppress(SystemExit), capabilities.polling(poll):
        worker.run()
    return False


def _start(thread: threading.Thread) -> None:
    """Start the thread with a stack that is large enough for `MAX_RECURSION` calls."""
    old_size = threading.stack_size(STACK_BYTES)
    try:
        thread.start()
    finally:
        threading.stack_size(old_size)


def _stop(*threads: threading.Thread) -> None:
    """Raise SystemExit inside the threads until they end, because a bare `except` swallows it."""
    end = time.monotonic() + STOP_SECONDS
    while (busy := [*filter(_is_running, threads)]) and time.monotonic() < end:
        with suppress(KeyboardInterrupt):  # a second interrupt must not prolong the wait
            for thread in busy:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(
                    ctypes.c_ulong(thread.ident or 0), ctypes.py_object(SystemExit)
                )
            time.sleep(0.01)


def _is_running(thread: threading.Thread) -> bool:
    """Return whether a thread has not ended.

    `is_alive` is not reliable: in Python 3.11 and 3.12 an interrupted `join` marks the thread as
    ended even if it is still running.
    """
    return thread in threading.enumerate() and _frame_of(thread) is not None


@contextmanager
def _patched_builtins(worker: _CheckRun) -> Iterator[None]:
    """Replace, in checks only, functions that would flood the notebook, exit, or ask the user."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(min(limit, MAX_RECURSION))
    replaced = [(*row, getattr(*row[:2])) for row in _replacements()]
    for owner, name, instead, usual in replaced:
        setattr(owner, name, _only_in_checks(instead, usual))
    try:
        yield
    finally:
        _stop(*worker.started_threads)
        # A check that could not be stopped would keep printing, so it keeps the replacements.
        if not any(map(_is_running, [worker.thread, *worker.started_threads])):
            for owner, name, _, usual in replaced:
                setattr(owner, name, usual)
            sys.setrecursionlimit(limit)


def _replacements() -> list[tuple[Any, str, Callable[..., Any]]]:
    """Return (owner, name, replacement) for each function that is replaced in a check.

    A notebook has more of these functions than a plain interpreter.
    """
    shell = getattr(builtins, "get_ipython", lambda: None)()
    table: list[tuple[Any, str, Callable[..., Any]]] = [
        (threading.Thread, "start", _start_inside),
        (builtins, "print", _keep_print),
        (builtins, "display", _keep_display),
        (warnings, "showwarning", lambda worker, _, text, *place: worker.keep(f"{text}\n")),
        (builtins, "input", _no_input),
        # the child process would run the rest of the check and of the notebook
        (os, "fork", _no_fork),
        (os, "forkpty", _no_fork),
        (os, "_exit", _exit_check),
        # A recursion that is too deep for the stack would crash the kernel.
        (sys, "setrecursionlimit", lambda *arguments: None),
        (shell, "ask_exit", _exit_check),  # called by `exit()` in a notebook
    ]
    if not capabilities.can_start_threads():
        table.append((time, "sleep", _interruptible_sleep))  # the original cannot be interrupted
    rows = [row for row in table if hasattr(row[0], row[1])]
    # The replacements of a check that is still running work for all checks.
    return [row for row in rows if not hasattr(getattr(*row[:2]), _CHECK)]


def _only_in_checks(instead: Callable[..., Any], usual: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that calls `instead` in a check and `usual` elsewhere."""

    @wraps(usual, updated=())
    def function(*arguments: Any, **options: Any) -> Any:
        if worker := _current_check():
            return instead(worker, usual, *arguments, **options)
        return usual(*arguments, **options)

    vars(function)[_CHECK] = True
    return function


def _current_check() -> _CheckRun | None:
    """Return the check to which this thread, or the thread that started it, belongs."""
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


def _keep_display(worker: _CheckRun, usual: object, *values: Any, **options: Any) -> None:
    worker.keep("".join(f"{value!r}\n" for value in values))


def _no_fork(worker: _CheckRun, usual: object) -> int:
    raise OSError("a program that is being checked must not start another process")


def _no_input(worker: _CheckRun, usual: object, *arguments: Any) -> str:
    raise EOFError(
        "`input` cannot be used during a check, because nobody can type; use the arguments instead"
    )


def _interruptible_sleep(worker: _CheckRun, usual: Callable[..., Any], seconds: float) -> None:
    """Sleep in short steps; this time does not count as time in which the check computes."""
    end = time.monotonic() + seconds
    while not worker.is_late(sys._getframe(2)):
        started = time.monotonic()
        with capabilities.polling(None):  # in a browser other programs run in the meantime
            usual(min(0.05, seconds, max(0, end - started)))
        worker.used += time.monotonic() - started
        if time.monotonic() >= end:
            return
    raise SystemExit


def _exit_check(worker: _CheckRun, usual: object, *arguments: Any) -> None:
    raise SystemExit
