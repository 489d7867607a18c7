"""Programs over boards of their own: what the stepper finds out about each, and bad input."""

import threading
import time

import board_programs
import pytest
from board_programs import Case

import gamelib
from course.draw.wording import findings, narration
from course.tracing import record
from course.tracing import trace as trace_module
from course.tracing.trace import Timeline
from course.widgets.stepper import SearchStepper
from gamelib import TicTacToe

TABLE = board_programs.table()
# The number of nodes, how the inference begins, the last sentence, and the first wrong answer.
FOUND = {
    "list, flag, depth in the value": (41, "list_flag returns 8.", None),
    "list, flag": (41, "The root is worth 1 for X, and the best action is 5.", None),
    "list, no undo": (5, "no_undo returns 1.", "From the root it never tries 6, 7 and 8: is every"),
    "list, flag never toggled": (59, "never_toggled returns -1.", "The position at node 5 does"),
    "list, returns in the loop": (
        3,
        "The root is worth 1",
        "From the root it never tries 6, 7 and 8.",
    ),
    "list, last cell left out": (
        14,
        "last_cell_left_out returns -99.",
        "From node 6 it never tries 8.",
    ),
    "list, draw looked for first": (
        2,
        "draws_first returns 0.",
        "The first wrong answer: node 8 r",
    ),
    "class, lists in a list": (234, "The root is worth 1, and the best action is 4.", None),
    "class, sign forgotten": (234, "negamax returns 0.", "The first wrong answer: node 4 → 6 r"),
    "class, make and undo": (234, "The root is worth 1, and the best action is 4.", None),
    "class, make, no sign": (234, "sign_forgotten returns 0.", "The first wrong answer: node 4 →"),
    "tuple, two functions": (8, "The root is worth 1, and the best action is 6.", None),
    "tuple, max twice": (234, "The root is worth 1", "The first wrong answer: node 4 → 6 → 5"),
    "numpy, two functions": (234, "The root is worth 1, and the best action is 4.", None),
    "numpy, max twice": (234, "The root is worth 1", "The first wrong answer: node 4 → 6 → 5"),
    "global, dicts returned": (234, "The root is worth 1, and the best action is 4.", None),
    "global, max for both": (234, "The root is worth 1", "The first wrong answer: node 4 → 6 → "),
    "text": (246, "The root is worth 1, and the best action is 4.", None),
    "text, min for both": (246, "text_both_min returns -1.", "The first wrong answer: node 2 → 4"),
    "dict": (41, "The root is worth 1 for X, and the best action is 5.", None),
    "list, alpha-beta": (32, "The root is worth 1 for X, and the best action is 5.", None),
    "list, alpha-beta reversed": (3, "The root is worth 1", "From the root it never tries 6, 7 "),
    "heaps, flag": (150, "The root is worth 1, and the best action is (0, 1).", None),
    "heaps, negamax": (33, "The root is worth -1, and the best action is (0, 1).", None),
    "heaps, end wrong": (12, "nim_end_wrong returns 1.", "The first wrong answer: node (0, 1) → "),
    "heaps, takes one only": (90, "nim_one_taken returns 1.", "From node (0, 1) it never tries"),
    "heaps, True or False": (
        26,
        "The root is a win for player 0, and the best action is (0, 1).",
        None,
    ),
    "heaps, True at the end": (
        9,
        "nim_wins_wrong returns True.",
        "The first wrong answer: node (0",
    ),
    "nested lists": (13, "The root is worth 3, and the best action is 0.", None),
    "nested lists, min on top": (13, "The root is worth 6 for player 0, and the best", None),
    "nested lists, flag the same": (
        13,
        "nested_same returns 14.",
        "The first wrong answer: node 0 ",
    ),
    "nested lists, alpha-beta": (11, "The root is worth 3, and the best action is 0.", None),
    "nested lists, cut wrong": (
        7,
        "nested_cut_wrong returns 14.",
        "From node 0 it never tries 1 and ",
    ),
    "array of leaves": (15, "The root is worth 12, and the best action is 1.", None),
    "array of leaves, one side": (15, "The root is worth 3", None),
    "own tree nodes": (13, "The root is worth 3, and the best action is 0.", None),
    "4x4, negamax": (134, "The root is worth ~ 0, and the best action is 0.", None),
    "4x4, sign at the end": (134, "The root is worth ~ 0", "The first wrong answer: node 1 → 0 r"),
    "4x4, rules not named": (134, "four returns 0.", None),
    "4x4, sign, rules not named": (134, "four_sign returns 0.", None),
}


def recorded(case: Case):
    board_programs.CELLS[:] = board_programs.GLOBAL
    game = {"game": getattr(gamelib, case.game)} if case.game else {}
    return record(case.program, *case.arguments, **game)


@pytest.mark.parametrize("name", FOUND)
def test_program_with_own_board_is_traced(name):
    nodes, last, wrong = FOUND[name]
    trace = recorded(TABLE[name])
    film = Timeline(trace)
    assert len(trace.visits) == nodes
    assert narration(film[len(film) - 1]).startswith(last)
    found = findings(trace)
    assert any(said.startswith(wrong) for said in found) if wrong else found == []


def test_table_lists_every_program():
    assert FOUND.keys() == TABLE.keys()


def test_inferences_are_stated_before_first_step():
    said = narration(Timeline(recorded(TABLE["list, flag"]))[0])
    assert "Inferred: the board is board; X and O move; the game is TicTacToe, so values" in said


def test_recording_does_not_change_board():
    board = [*"XOXOX", "", "", "", ""]
    record(board_programs.no_undo, board, False)
    assert board == [*"XOXOX", "", "", "", ""]


def test_stepper_goes_to_first_wrong_answer():
    case = TABLE["tuple, max twice"]
    stepper = SearchStepper(case.program, *case.arguments)
    stepper.show_first_wrong()
    frame = stepper.timeline[stepper.step]
    assert frame.focus == (4, 6, 5)
    assert stepper.scene.narration == "Node 4 → 6 → 5 returns 1 to node 4 → 6."
    stepper.last()
    answer = "The first wrong answer: node 4 → 6 → 5 returns 1, and 0 is right."
    assert answer in stepper.scene.narration
    with pytest.raises(ValueError, match="max_value"):
        SearchStepper(board_programs.max_value, (1, -1, 1, -1, 1, -1, 0, 0, 0)).show_first_wrong()


def test_like_makes_positions_from_arguments():
    def like(board, is_max):
        rows = ["".join(mark or "." for mark in board[at : at + 3]) for at in (0, 3, 6)]
        return TicTacToe.parse(" / ".join(rows), current_player=0 if is_max else 1)

    case = TABLE["list, flag"]
    trace = record(case.program, *case.arguments, like=like)
    film = Timeline(trace)
    assert narration(film[len(film) - 1]) == "The root is worth 1 for X, and the best action is 5."


# --- bad input: a sentence each, never a traceback of ours ---


class Odd(float):
    def __ne__(self, other):
        raise RuntimeError("no comparison")

    __hash__ = float.__hash__


class SilentError(Exception):
    def __str__(self):
        raise RuntimeError("no text")


def odd_values(board, n):
    held = Odd(n)  # noqa: F841
    return 0 if n == 0 else max(odd_values(board, n - 1), odd_values(board, n - 1))


def raises_silently(board, n):
    if n == 0:
        raise SilentError
    return raises_silently(board, n - 1)


def very_long(board, n):
    return 10**5000 if n == 0 else max(very_long(board, n - 1), -1)


def loop(board):
    stack, seen = [board], 0
    while stack:
        stack.pop()
        seen += 1
    return seen


def endless(board, n):
    return endless(board, n + 1) + endless(board, n + 2) if n < 60 else 1


def generated(board, n):
    yield n
    yield from generated(board, n - 1) if n else ()


def noisy(board, n):
    """Another thread writes on the board while it is recorded."""
    ended = threading.Event()

    def write():
        while not ended.is_set():
            board[0] += 1

    thread = threading.Thread(target=write)
    thread.start()
    try:
        return counted(board, n)
    finally:
        ended.set()
        thread.join()


def counted(board, n):
    return n and max(-counted(board, n - 1), -counted(board, n - 1))


class Silent:
    """A board that can be neither printed nor compared."""

    def __init__(self):
        self.cells = [0] * 9

    def __repr__(self):
        raise RuntimeError

    __str__ = __bool__ = __repr__

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None


def on_silent(board, n):
    return n and max(-on_silent(board, n - 1), -on_silent(board, n - 1))


BAD = [
    (noisy, ([0, 0, 0], 3), None),
    (on_silent, (Silent(), 3), None),
    (odd_values, ([0, 0, 0], 2), None),
    (raises_silently, ([0, 0, 0], 2), "raises_silently raised SilentError: and its text cannot be"),
    (very_long, ([0, 0, 0], 2), None),
    (loop, ([0, 0, 0],), "loop never calls itself, so only its lines are shown"),
    (board_programs.list_flag, ([1, 2], 0, True), "list_flag raised IndexError"),
]


@pytest.mark.parametrize(("program", "arguments", "ended"), BAD)
def test_invalid_board_gets_sentence(program, arguments, ended):
    stepper = SearchStepper(program, *arguments)
    stepper.last()
    said = stepper.trace.ended
    assert said is None if ended is None else said.startswith(ended)
    assert stepper.scene.narration


def test_unfitting_arguments_raise():
    with pytest.raises(
        ValueError, match=r"list_flag\(board, depth, is_max\) cannot be called with"
    ):
        SearchStepper(board_programs.list_flag, [""] * 9)
    with pytest.raises(TypeError, match="Your own program takes its own arguments"):
        SearchStepper(gamelib.minimax, [""] * 9)


REFUSED = [
    (board_programs.list_plain, (None, True), {}, "or a board of your own"),
    (board_programs.list_plain, (10**5000, True), {}, "int that cannot be printed"),
    (generated, ([0, 0, 0], 2), {}, "generated"),
    (len, ([0, 0, 0],), {}, "len"),
    (board_programs.list_plain, ([*"XOXOX", "", "", "", ""], True), {"like": len}, "like"),
]


@pytest.mark.parametrize(("program", "arguments", "options", "said"), REFUSED)
def test_unrecordable_program_raises(program, arguments, options, said):
    with pytest.raises((TypeError, ValueError)) as caught:
        SearchStepper(program, *arguments, **options)
    assert said in str(caught.value)
    assert program.__name__ in str(caught.value) or "like" in options


def test_game_that_board_does_not_show_is_named():
    trace = record(board_programs.list_plain, [*"XOXOX", "", "", "", ""], True, game=gamelib.Nim)
    assert "does not show a position of Nim" in trace.inferred


def test_large_recursion_ends_with_picture_and_sentence(monkeypatch):
    monkeypatch.setattr(trace_module, "MAX_NODES", 4_000)
    few = TicTacToe.parse("X.. / .O. / ...")  # a call there takes as long as in the whole game
    begun = time.thread_time()
    board_programs.list_plain(["X", "", "", "", "O", "", "", "", ""], True)
    alone = (time.thread_time() - begun) / gamelib.minimax(few).stats.nodes
    begun = time.thread_time()
    stepper = SearchStepper(board_programs.list_plain, [""] * 9, True)
    nodes = len(stepper.trace.visits)  # on a busy machine the time is over first
    assert 1_000 < nodes <= 4_001
    assert time.thread_time() - begun < 500 * alone * nodes
    stepper.last()
    assert "and the record ends there" in stepper.scene.narration
    assert "<svg" in stepper.scene.stage.svg
