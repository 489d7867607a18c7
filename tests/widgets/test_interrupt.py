"""The toolbar's Interrupt, in a real kernel: it stops the search of a widget."""

import time

import pytest

from tests.kernels import new_kernel, run

BOARD = """
import threading, time
from course import PlayBoard
from gamelib import TicTacToe
def slow(state, stop):
    while not stop():
        sum(range(1000))
    return 4
board = PlayBoard(TicTacToe(), {0: slow})
board
"""
IDLE = """
names = [thread.name for thread in threading.enumerate()]
print(board.actions, "gamelib search" in names)
"""


@pytest.fixture
def kernel():
    with new_kernel() as client:
        yield client


RUNS, STOPPED = "() True\n", "(4,) False\n"


def interrupted(client):
    """Return how things stand after an interrupt; the kernel hears of it a moment after a cell."""
    for _ in range(50):
        time.sleep(0.2)
        client.parent.interrupt_kernel()
        time.sleep(0.2)
        if (shown := run(client, IDLE)) != RUNS:
            break
    return shown


def test_interrupt_stops_search_with_best_so_far(kernel) -> None:
    run(kernel, BOARD)
    for _ in range(2):
        assert run(kernel, IDLE) == RUNS
        assert interrupted(kernel) == STOPPED
        run(kernel, "board.restart(); board")
    assert run(kernel, "print(6 * 7)") == "42\n"
