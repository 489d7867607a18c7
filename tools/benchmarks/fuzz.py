"""Call the searches of `gamefast` at random, with bounds checks in the compiled code.

    python -m tools.benchmarks.fuzz [calls] [--first SEED]

Prints how many calls killed their process, did not end in a minute of computing, or returned
another result than the Python search.  A seed determines each call.  Calls that fail are printed;
`python -m tools.benchmarks.fuzz 1 --first SEED` repeats one of them.

The Python `mcts` uses the same random numbers here, so it grows the same tree.  If a call is
limited by seconds, or is stopped, its result is not compared, but its action must be legal.  The
results of `solve` are compared only in positions that the Python solver solves quickly.
"""

import argparse
import gc
import os
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "gamefast"))

import same_chance  # noqa: E402
from positions import cells_left  # noqa: E402

import gamefast  # noqa: E402
import gamelib  # noqa: E402
from arena.sandbox.process_handle import cpu_seconds_of  # noqa: E402
from gamelib import ConnectFour, Nim, TicTacToe, lines_heuristic  # noqa: E402

MAX_COMPILE_SECONDS, MAX_ANSWER_SECONDS = 600, 60  # of a processor
MAX_LOAD = 50  # seconds by the clock for one second of a processor, on a busy computer
KINDS = ["mcts"] * 8 + ["alphabeta"] * 5 + ["minimax"] * 3 + ["solve"] * 5
WEIGHTS = 2**0.5, 2**0.5, 1, 0.3, 0, 9, 1e-9, 1e30, 1e40, 1e300, -1, True  # of exploration


def random_position(kind, rng):
    """Return a random position, often small; a few are terminal, or not supported by the search."""
    players = rng.choice((2, 2, 3, 4, 5, 6)) if kind == "mcts" else 2
    players = 3 if rng.random() < 0.01 else players
    which, odd = rng.random(), rng.random() < 0.01
    if which < 0.35 and (odd or kind not in ("minimax", "alphabeta")):
        heaps = [rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 9)) for _ in range(rng.randint(1, 5))]
        state = Nim(heaps, rng.choice((None, None, 1, 2, 3)), rng.random() < 0.4, players)
    else:
        most = 9 if rng.random() < 0.2 else 4
        size = rng.randint(1, most), rng.randint(1, most), rng.choice((1, 2, 3, 3, 3, 4, 4, 5, 50))
        state = TicTacToe(*size, players) if which < 0.7 else ConnectFour(*size)
    for _ in range(rng.choice((0, 0, 1, 2, 3, 5, 9, 20, 40))):
        if not state.is_terminal():
            after = state.successor(rng.choice(state.legal_actions()))
            state = state if after.is_terminal() and not odd else after
    return state


def plies_left(state):
    """Return the largest number of plies that a game can last from here."""
    return sum(state.heaps) if isinstance(state, Nim) else cells_left(state)


def random_options(kind, state, rng):
    """Return random options; with most of them, the Python search takes little time, too."""
    if kind == "mcts":
        few = round(10 ** rng.uniform(0, rng.choice((1, 2, 2, 3, 3.5))))
        options = {name: rng.random() < 0.6 for name in ("solver", "share")}
        options |= {"simulations": rng.choice((few,) * 40 + (0, 2.5, True))}
        return options | {"c": rng.choice(WEIGHTS), "rng": rng.randrange(99)}
    if kind == "solve":
        return {"only_value": rng.random() < 0.5}
    branches, left = max(len(state.legal_actions()), 2), plies_left(state)
    depth = next(n for n in range(1, 99) if branches**n > 300 or n > left)
    whole = depth > left and rng.random() < 0.7
    options = {"depth": None if whole else rng.choice((depth, depth, 1, 2, 0))}
    weights = [rng.choice((0, 1, -2, 3.5, 1e9)) for _ in range(rng.randint(1, 5))]
    made = lines_heuristic(weights=weights, scale=rng.choice((0.1, 1, 40)))
    options["evaluate"] = rng.choice((None, lines_heuristic(), gamelib.windows_heuristic(), made))
    names = ("quick_wins", "strict", "all_best")[: 3 if kind == "alphabeta" else 1]
    options |= {name: rng.random() < 0.4 for name in names}
    if kind == "alphabeta":
        actions = state.legal_actions() if isinstance(state, ConnectFour) else []
        some = gamelib.preferred(*rng.sample(actions, rng.randint(0, len(actions))))
        options["order"] = rng.choice((None, None, some, gamelib.centre_first))
    return options


def random_call(seed):
    """Return a search, a position, options, and whether to compare with the Python search."""
    rng = Random(seed)
    kind = rng.choice(KINDS)
    state = random_position(kind, rng)
    options = random_options(kind, state, rng)
    soon = kind != "solve" or isinstance(state, Nim) or plies_left(state) <= 8
    # The Python search rejects a game with unsound proofs only at the first terminal state.
    unsound = isinstance(state, Nim) and state.misere and state.num_players > 2
    soon &= not (unsound and options.get("solver"))
    if not soon or rng.random() < 0.1:
        soon, looks = False, iter([False] * rng.randint(0, 3))
        options["stop"] = lambda: next(looks, True)
        options["progress"] = rng.choice((None, lambda share, action: None))
        if kind == "mcts":
            options["simulations"] = 10**6
        if kind == "mcts" and rng.random() < 0.5:
            options |= {"seconds": rng.choice((0, 1e-6, 0.01, 1)), "simulations": None}
    return kind, state, options, soon


def result_or_error(search, *arguments, **options):
    """Return the result of a call, or the type of its error if it is one for wrong arguments."""
    try:
        return search(*arguments, **options)
    except (TypeError, ValueError, OverflowError) as error:
        return type(error)


def is_same(kind, options, ours, theirs):
    """Return whether two results agree."""
    if kind != "solve" or isinstance(ours, type) or isinstance(theirs, type):
        return ours == theirs
    names = ["action", "value", "distance", "utilities", "kind"]
    names += [] if options["only_value"] else ["values", "distances", "line"]
    return all(getattr(ours, name) == getattr(theirs, name) for name in names)


def describe_difference(kind, state, options, soon, copies):
    """Make a call in several threads at the same time; return "different" or, if correct, ""."""
    with ThreadPoolExecutor(copies) as threads:
        search = getattr(gamefast, kind)
        asked = [threads.submit(result_or_error, search, state, **options) for _ in range(copies)]
    ours, *others = (each.result() for each in asked)
    if not soon:
        right = isinstance(ours, type) or ours.action in state.legal_actions()
    elif ours is TypeError:  # it does not support this game
        right = isinstance(state, Nim) or state.rows * state.cols > 48
    elif isinstance(ours, type) and state.is_terminal():
        right = ours is ValueError
    else:
        readable = same_chance.mcts if kind == "mcts" else getattr(gamelib, kind)
        right = is_same(kind, options, ours, result_or_error(readable, state, **options))
        right &= all(is_same(kind, options, each, ours) for each in others)
    return "" if right else "different"


def run_calls(told, first, calls):
    """Compile each kernel for all types of its arguments; then send each seed and its result."""
    gc.disable()  # looking for garbage takes a tenth of the time of a compilation
    gamefast.warm()
    for state in (TicTacToe(), TicTacToe(7, 7, 5)):
        for order in (None, gamelib.preferred(0)):
            gamefast.alphabeta(state, depth=1, order=order)
        gamefast.minimax(state, depth=1)
        gamefast.mcts(state, simulations=1, share=True)
    gc.enable()
    for seed in range(first, first + calls):
        told.send(seed)
        kind, state, options, soon = random_call(seed)
        try:
            found = describe_difference(kind, state, options, soon, copies=1 + (seed % 10 == 0))
        except Exception as error:
            found = f"{type(error).__name__}: {error}"
        what = f"{found}: {kind}({state!r}, {options})" if found else ""
        told.send(what.replace("\n", "/"))


def receive(process, pipe, seconds):
    """Return the next message of a process, or "without end" or "dead".

    On Linux the limit is in seconds of a processor, because other programs may be busy.
    """
    counted = sys.platform == "linux"
    latest = time.monotonic() + (MAX_LOAD if counted else 1) * seconds
    first = cpu_seconds_of(process.pid)
    try:
        while not pipe.poll(0.5):
            computed = cpu_seconds_of(process.pid) - first
            if computed >= seconds or time.monotonic() >= latest:
                return "without end"
        return pipe.recv()
    except EOFError:
        return "dead"


def fuzz(first, calls):
    """Return the number of calls for each outcome, and print the calls that failed."""
    ends, end, processes = Counter(), first + calls, get_context("spawn")
    while first < end:
        pipe, told = processes.Pipe(duplex=False)
        running = processes.Process(target=run_calls, args=(told, first, end - first))
        running.start()
        told.close()  # in this process, so that `receive` notices the end of the other one
        if (said := receive(running, pipe, MAX_COMPILE_SECONDS)) != first:
            running.kill()
            raise SystemExit(f"the process that makes the calls did not start: {said}")
        while said == first:
            found = receive(running, pipe, MAX_ANSWER_SECONDS)
            ends[found.partition(":")[0] or "right"] += 1
            if found:
                print(f"--first {first}: {found}", flush=True)
            first += 1
            said = receive(running, pipe, MAX_ANSWER_SECONDS)
        running.kill()
    return ends


def run_from_command_line():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("calls", type=int, nargs="?", default=1000)
    parser.add_argument("--first", type=int, default=0)
    chosen = parser.parse_args()
    os.environ["NUMBA_BOUNDSCHECK"] = "1"  # in the processes that make the calls
    ends = fuzz(chosen.first, chosen.calls)
    found = ", ".join(f"{ends[each]:,} {each}" for each in sorted(ends))
    print(f"{ends.total():,} calls: {found}")
    if ends["right"] < ends.total():
        raise SystemExit(1)


if __name__ == "__main__":
    run_from_command_line()
