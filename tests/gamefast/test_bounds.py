"""Random calls of every kernel with bounds checks, in separate processes."""

import sys

import pytest

from tests.fresh import fresh


def run(*arguments):
    """Return what a Python prints whose kernels check every index, and are compiled sooner so."""
    return fresh(*arguments, NUMBA_BOUNDSCHECK="1", NUMBA_OPT="0").stdout


def test_random_calls_stay_in_bounds():
    assert run("-m", "tools.benchmarks.fuzz", "1000") == "1,000 calls: 1,000 right\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts the seconds of others")
def test_waiting_call_does_not_use_its_seconds():
    program = """
import time
from multiprocessing import Pipe, Process
from tools.benchmarks.fuzz import receive
def wait(pipe):
    time.sleep(1)
    pipe.send("right")
def compute(pipe):
    while True:
        pass
for program in wait, compute:
    pipe, told = Pipe(duplex=False)
    process = Process(target=program, args=(told,), daemon=True)
    process.start()
    print(receive(process, pipe, seconds=0.3))
    process.kill()
"""
    assert run("-c", program) == "right\nwithout end\n"


def test_earlier_out_of_bounds_calls_succeed(checked):
    assert "earlier calls: right" in checked


def test_index_out_of_bounds_raises_in_checked_code(checked):
    assert "not taken for damaged machine code: True" in checked


@pytest.fixture(scope="module")
def checked():
    """Return what some calls of checked kernels print, all of one process."""
    program = """
import gamefast
import numpy as np
from gamelib import Nim
from gamefast import mcts_kernels, stored_code
assert stored_code.folders()[0].name.startswith("checked-")
# The player to move has a number that no heap has.
gamefast.mcts(Nim((3,)).play((0, 2)), simulations=9, rng=0)
# Of three players a node can be settled while nothing is known of its value.
gamefast.mcts(Nim((3, 4, 5), num_players=3), simulations=3000, solver=True, share=True, rng=0)
print("earlier calls: right")

few = np.zeros(4, np.int32), np.zeros((3, 2), np.int64), np.zeros((3, 8), np.int32)
mcts_kernels.rehash(*few, 3)
kept = sorted(stored_code.folders()[0].rglob("*"))
try:
    mcts_kernels.rehash(*few, 4)
except IndexError:
    same = sorted(stored_code.folders()[0].rglob("*")) == kept
    print("not taken for damaged machine code:", same)
"""
    return run("-c", program)
