"""Every check ends with a sentence, whatever the student's program does."""

import _thread
import builtins
import itertools
import os
import subprocess
import sys
import threading
import time
import warnings
from contextlib import contextmanager
from importlib import import_module
from inspect import signature
from math import inf

import pytest

from course.exercises import check_runner
from course.exercises.catalogue import catalogue
from course.exercises.check_runner import attempts
from course.exercises.feedback import Feedback
from course.lessons.framework import check as framework
from course.lessons.framework import reference as framework_right
from course.lessons.minimax import check as minimax
from course.lessons.minimax import reference as minimax_right
from course.lessons.solver import check as solver
from course.lessons.solver import reference as solver_right
from gamelib import TicTacToe

# Those of the two notebooks on experiments play games.
CHECKS = {
    each.check: getattr(import_module(f"course.lessons.{each.notebook[3:]}.check"), each.check)
    for each in catalogue().values()
    if each.notebook[:2] not in ("07", "08")
}.values()
PARAMETERS = {check: [*signature(check).parameters] for check in CHECKS}
FUNCTION_CHECKS = [check for check in CHECKS if PARAMETERS[check] == ["function"]]


SOON = 0.2  # seconds, where a test of a hang need not take eight


@pytest.fixture
def quick(monkeypatch):
    """Let the time of a check end `SOON`, but not before its function hangs: it says when."""
    for limit in ("CPU_SECONDS", "WALL_SECONDS", "STOP_SECONDS"):
        monkeypatch.setattr(check_runner, limit, 60)
    yield
    wait_for_the_end()


def wait_for_the_end():
    """Return when no check is left in the background: an interrupted `join` could not tell."""
    deadline = time.monotonic() + 60
    while any(thread.name == "check" for thread in threading.enumerate()):
        assert time.monotonic() < deadline
        time.sleep(0.001)


def forever(*arguments):
    check_runner.CPU_SECONDS = SOON
    while True:
        pass


def stubborn(*arguments):
    check_runner.CPU_SECONDS = SOON
    while True:
        try:
            TicTacToe().legal_actions()
        except:  # noqa: E722
            continue


def sleepy(*arguments):
    check_runner.WALL_SECONDS = SOON
    time.sleep(1)


def dozing(*arguments):
    check_runner.WALL_SECONDS = SOON
    while True:
        time.sleep(0.01)


def drip():
    check_runner.CPU_SECONDS = SOON
    while True:
        yield 1


def endless_generator(*arguments):
    return max(drip())


@contextmanager
def call_into_c(limit=SOON):
    """Give a function that waits until the end of this: no exception reaches it."""
    lock, usual = threading.Lock(), builtins.print

    def call(state):
        check_runner.WALL_SECONDS, check_runner.STOP_SECONDS = limit, SOON
        lock.acquire()

    lock.acquire()
    try:
        yield call
    finally:
        lock.release()
        wait_for_the_end()
        builtins.print = usual


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("function", [forever, endless_generator, sleepy, stubborn, dozing])
def test_hanging_function_is_stopped_and_located(quick, function):
    feedback = minimax.check_negamax(function)
    assert not feedback
    assert "no end after 0.2 seconds" in feedback.message
    assert f"of `{function.__name__}`, `" in feedback.message or function is endless_generator
    assert "asked for the value of GameTree" in feedback.message


def test_unstoppable_program_is_reported_and_next_check_works(quick):
    with call_into_c() as call:
        feedback = minimax.check_negamax(call)
        assert "running in the background, so restart the kernel" in feedback.message
        check_runner.WALL_SECONDS = 60
        assert minimax.check_negamax(minimax_right.negamax_value)
    assert minimax.check_negamax(minimax_right.negamax_value)


@pytest.mark.usefixtures("hears_interrupts")
def test_interrupt_reports_unstoppable_program(quick):
    with call_into_c(limit=60) as call:

        def interrupt(worker):
            last = call.__code__.co_firstlineno + 2
            while sys._current_frames()[worker].f_lineno != last:  # then it is in C
                time.sleep(0.01)
            _thread.interrupt_main()

        def interrupted(state):
            threading.Thread(target=interrupt, args=(threading.get_ident(),)).start()
            call(state)

        with pytest.raises(KeyboardInterrupt, match="restart"):
            minimax.check_negamax(interrupted)


def test_time_limit_ignores_other_threads(monkeypatch):
    """On a busy machine a right answer must not be called a hang."""
    monkeypatch.setattr(check_runner, "CPU_SECONDS", 0.2)
    done = threading.Event()
    busy = threading.Thread(target=lambda: all(not done.is_set() for _ in itertools.count()))

    def proven(player, children):
        while time.monotonic() < end:  # it waits, while another computes
            time.sleep(0.01)
        return solver_right.proven(player, children)

    end = time.monotonic() + 0.6
    busy.start()
    try:
        assert solver.check_proven(proven)
    finally:
        done.set()
        busy.join()


def endless(state):
    return -endless(state)


def endless_in_c(state):
    return max(map(endless_in_c, [state]))


def deeper(state):
    sys.setrecursionlimit(10**9)
    return max(map(deeper, [state]))


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("function", [endless, endless_in_c, deeper])
def test_endless_recursion_is_reported_and_limit_restored(function):
    limit = sys.getrecursionlimit()
    feedback = minimax.check_negamax(function)
    assert "raised RecursionError" in feedback.message
    assert "calls itself without end" in feedback.message
    assert sys.getrecursionlimit() == limit


def exits(*arguments):
    sys.exit("bye")


def interrupts(*arguments):
    raise KeyboardInterrupt


def missing_key(*arguments):
    table = {}
    return table["nothing here"]


def in_a_comprehension(*arguments):
    return [1 / number for number in (2, 1, 0)]


def raises_a_board(state):
    raise ValueError(f"not over yet:\n{state}")


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(
    ("function", "words"),
    [
        (exits, 'raised SystemExit: bye, in line 2 of `exits`, `sys.exit("bye")`.'),
        (lambda *_: os._exit(3), "it must not end the program"),
        (lambda *_: os.forkpty(), "must not start another process"),
        (lambda *_: os.fork(), "must not start another process"),
        (lambda *_: input("a number: "), "`input` cannot be used"),
        (interrupts, "raised KeyboardInterrupt, in line 2"),
        (missing_key, 'in line 3 of `missing_key`, `return table["nothing here"]`'),
        (in_a_comprehension, "in line 2 of `in_a_comprehension`"),
        (lambda state: max([]), "Ask `state.is_terminal()` first."),
        (
            lambda state: state.utility(0) if state.is_terminal else 0,
            "is_terminal()` alone, with brackets.",
        ),
        (lambda state: max(state.utility, state.utility), "A method is called with brackets"),
        (lambda state: state.legal_actions()[0].is_terminal(), "An action is not a state"),
        (lambda state: stat.utility(0), "Did you mean `state`?"),  # noqa: F821
        (lambda state: state.is_terminl(), "Did you mean `is_terminal`?"),
        (lambda state: state[0], "`. It was asked for the value"),  # no name is meant
        (
            lambda state: max(None, state.utilities and None),
            "A function that ends without `return` returns None.",
        ),
        (raises_a_board, "raised ValueError: not over yet, in line 2 of `raises_a_board`"),
        (lambda: 1, "was called with the arguments ("),
        (lambda *arguments: None, "returned None. Is a `return` missing?"),
        (lambda *arguments: drip(), "(generator)."),
        (lambda *arguments: inf - inf, "nan"),
        (lambda *arguments: "a" * 10**6, "aaa ..."),
        (5, "give the function itself, its name without brackets; got 5."),
        (None, "give the function itself"),
    ],
)
def test_error_of_program_is_described(function, words):
    feedback = minimax.check_negamax(function)
    assert not feedback
    assert words in feedback.message
    assert len(feedback.message) < 900


PROGRAMS = [exits, missing_key, lambda: 1, lambda *arguments: object(), 5, "negamax", {}]


@pytest.mark.parametrize("check", CHECKS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_checks_turn_exceptions_into_feedback(check, program):
    feedback = check(*[program for _ in PARAMETERS[check]])
    assert not feedback
    assert "check cannot continue" not in feedback.message
    assert "check cannot continue" in check().message


def blank(*arguments):
    raise NotImplementedError


@pytest.mark.parametrize("check", FUNCTION_CHECKS)
def test_blank_exercise_is_not_an_attempt(check):
    before = attempts[check.__name__]
    feedback = check(blank)
    assert feedback.message == "blank is not written yet. Replace `raise NotImplementedError`."
    assert not feedback.attempted
    assert attempts[check.__name__] == before


@pytest.mark.parametrize(("passed", "sign"), [(True, "✓ Passed"), (False, "✗ Not yet")])
def test_html_of_feedback_equals_its_repr(passed, sign):
    feedback = Feedback(passed, "right in 3 cases.")
    assert f"<b>{sign}:</b> right in 3 cases." in feedback._repr_html_()
    assert repr(feedback) == f"{sign[2:]}: right in 3 cases."


def chatty(player, children):
    for number in range(40):
        print("children", number)
    warnings.warn("held back", stacklevel=1)
    return solver_right.proven(player, children)


@pytest.mark.usefixtures("both_ways")
def test_printed_lines_are_shortened_and_builtins_restored(capsys, recwarn):
    functions = builtins.print, builtins.input, os._exit, sys.setrecursionlimit
    feedback = solver.check_proven(chatty)
    assert feedback
    lines = feedback.printed.splitlines()
    assert lines[:2] == ["Your program printed, the first 5 of 9,921 lines:", "children 0"]
    assert len(lines) == 6
    assert feedback.printed in repr(feedback)
    assert "children 4\n" in feedback._repr_html_().replace("</pre>", "\n")
    assert (capsys.readouterr().out, recwarn.list) == ("", [])
    assert functions == (builtins.print, builtins.input, os._exit, sys.setrecursionlimit)


def test_other_threads_print_during_check(capsys):
    asked, printed = threading.Event(), threading.Event()

    def elsewhere():
        asked.wait(30)
        print("elsewhere")
        printed.set()

    def proven(player, children):
        asked.set()
        printed.wait(30)
        return solver_right.proven(player, children)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert solver.check_proven(proven).printed == ""
    thread.join()
    assert "elsewhere" in capsys.readouterr().out


def test_threads_of_program_are_captured_and_stopped(capsys, monkeypatch):
    # The guard ends such a thread by SystemExit, of which Python says nothing; pytest tells of it.
    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    threads = []

    def chatter():
        for number in itertools.count():
            print("chatter", number)

    def proven(player, children):
        if not threads:
            threads.append(threading.Thread(target=chatter))
            threads[0].start()
        return solver_right.proven(player, children)

    feedback = solver.check_proven(proven)
    assert "chatter 0" in feedback.printed
    threads[0].join(5)
    assert not threads[0].is_alive()
    assert capsys.readouterr().out == ""
    print("as before")
    assert capsys.readouterr().out == "as before\n"


class Careless(framework_right.MisereSticks):
    def legal_actions(self):
        return [take for take in (1, 3, 4) if take <= self.stones]


class Loud(framework_right.MisereSticks):
    def legal_actions(self):
        print("asked")
        return super().legal_actions()


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize(
    ("game", "words"),
    [
        (Careless, "raised AttributeError: 'Careless' object has no attribute 'stones', in line 2"),
        (framework.GameState, "GameState(12), 12 sticks, raised TypeError"),
        (Loud, "the rules are right"),
    ],
)
def test_error_of_class_is_described(game, words):
    assert words in framework.check_misere_sticks(game).message


def changes_the_list(heaps):
    move = solver_right.nim_move(heaps)
    heaps[move[0]] -= move[1]
    return move


def changes_the_state(state):
    value = minimax_right.negamax_value(state)
    state.current_player = 1 - state.current_player
    return value


def test_changed_arguments_are_named_and_restored():
    feedback = solver.check_nim_move(changes_the_list)
    assert "changes what it is given: the list was [0, 0, 1], and then [0, 0, 0]." in repr(feedback)
    feedback = minimax.check_negamax(changes_the_state)
    assert "changes what it is given: `current_player` of the state." in feedback.message
    assert minimax.check_negamax(minimax_right.negamax_value)


def test_deep_recursion_does_not_crash_process():
    """In a process of its own: if the thread's stack were too small, it would die."""
    program = """if True:
        import sys; sys.setrecursionlimit(10**7)
        from course.lessons.solver.check import check_proven
        def f(player, children): return max(map(f, [player], [children]))
        print(check_proven(f))
    """
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.returncode, "RecursionError" in run.stdout) == (0, True), run.stderr
