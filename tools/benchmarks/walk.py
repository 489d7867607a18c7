"""Random calls of all searches of `gamefast`, every index of the machine code checked.

    python -m tools.benchmarks.walk [calls] [--first SEED] [--seconds 60]

Prints how many calls killed their process, came to no end in so many seconds, or found something
else than the readable search does.  Each call is made of a seed; those that failed are printed, and
`python -m tools.benchmarks.walk 1 --first SEED` makes one of them again.

The readable `mcts` draws from the same numbers here, so it grows the same tree.  A call that is
limited by seconds or stopped is compared with nothing, but must return a legal action; of `solve`,
positions are compared that the readable one solves at once.
"""

import argparse
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from queue import Empty, Queue
from random import Random
from threading import Thread

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "gamefast"))

import same_chance  # noqa: E402

import gamefast  # noqa: E402
import gamelib  # noqa: E402
from gamelib import ConnectFour, Nim, TicTacToe, lines_heuristic  # noqa: E402

TO_COMPILE = 600  # seconds
KINDS = ["mcts"] * 8 + ["alphabeta"] * 5 + ["minimax"] * 3 + ["solve"] * 5 + ["playouts"]


def random_start(kind, rng):
    """Return a game of a random size, most of them small; some no search of this kind takes."""
    players = rng.choice((2, 2, 3, 4, 5, 6)) if kind in ("mcts", "playouts") else 2
    players = 3 if rng.random() < 0.01 else players
    which = rng.random()
    if which < 0.35 and (kind not in ("minimax", "alphabeta") or which < 0.01):
        heaps = [rng.choice((0, 1, 1, 2, 2, 3, 4, 5, 9)) for _ in range(rng.randint(1, 5))]
        return Nim(heaps, rng.choice((None, None, 1, 2, 3)), rng.random() < 0.4, players)
    large = rng.random() < 0.2
    rows, cols = (rng.randint(1, 9 if large else 4) for _ in range(2))
    k = rng.choice((1, 2, 3, 3, 3, 4, 4, 5, rng.randint(1, 50)))
    return TicTacToe(rows, cols, k, players) if which < 0.7 else ConnectFour(rows, cols, k)


def random_position(kind, rng):
    """Return a position after random actions; now and then of a game that is over."""
    state = random_start(kind, rng)
    for _ in range(rng.choice((0, 0, 1, 2, 3, 5, 9, 20, 40))):
        if state.is_terminal():
            break
        after = state.successor(rng.choice(state.legal_actions()))
        state = state if after.is_terminal() and rng.random() < 0.99 else after
    return state


def plies_left(state):
    """Return how many plies a game can last from here at most."""
    if isinstance(state, Nim):
        return sum(state.heaps)
    return state.rows * state.cols - sum(
        map(int.bit_count, map(state.stones, range(state.num_players)))
    )


def random_options(kind, state, rng):
    """Return options, most of them so that the readable search answers soon, too."""
    if kind == "playouts":
        return {"games": rng.choice((1, 5, 40)), "rng": rng.randrange(99)}
    if kind == "mcts":
        few = round(10 ** rng.uniform(0, rng.choice((1, 2, 2, 3, 3.5))))
        options = {
            "simulations": rng.choice((few,) * 40 + (0, 2.5, True)),
            "rng": rng.randrange(99),
        }
        options |= {name: rng.random() < 0.6 for name in ("solver", "share")}
        options["c"] = rng.choice((2**0.5, 2**0.5, 1, 0.3, 0, 9, 1e-9, 1e30, 1e40, 1e300, -1, True))
        return options
    if kind == "solve":
        options = {"only_value": rng.random() < 0.5, "workers": rng.choice((1, 1, 1, 2, 3))}
        return options | ({"strong": False} if rng.random() < 0.3 else {})
    most = max((len(state.legal_actions()) or 1), 2)
    depth = next(n for n in range(1, 99) if most**n > 300 or n > plies_left(state))
    options = {"depth": rng.choice((depth, depth, 1, 2, 0)), "quick_wins": rng.random() < 0.5}
    options["depth"] = (
        None if depth > plies_left(state) and rng.random() < 0.7 else options["depth"]
    )
    weights = [rng.choice((0, 1, -2, 3.5, 1e9)) for _ in range(rng.randint(1, 5))]
    made = lines_heuristic(weights=weights, scale=rng.choice((0.1, 1, 40)))
    options["evaluate"] = rng.choice((None, lines_heuristic(), gamelib.windows_heuristic(), made))
    if kind == "alphabeta":
        options |= {name: rng.random() < 0.3 for name in ("strict", "all_best")}
        actions = list(range(state.cols)) if isinstance(state, ConnectFour) else []
        shuffled = rng.sample(actions, len(actions))[: rng.randint(0, 9)]
        options["order"] = rng.choice((None, None, shuffled, gamelib.centre_first))
    return options


def a_call(seed):
    """Return a search, a position, options for it, and whether the readable one can be asked."""
    rng = Random(seed)
    kind = rng.choice(KINDS)
    state = random_position(kind, rng)
    options = random_options(kind, state, rng)
    soon = kind != "solve" or isinstance(state, Nim) or plies_left(state) <= 8
    # Where proofs would not be sound, the readable search says so when it has seen a game end.
    unsound = isinstance(state, Nim) and state.misere and state.num_players > 2
    soon &= not (unsound and options.get("solver"))
    if kind != "playouts" and (not soon or rng.random() < 0.1):
        looks = rng.randint(0, 3)
        options["stop"] = lambda: next(countdown, True)
        countdown = iter([False] * looks)
        soon = False
        if rng.random() < 0.3:
            options["progress"] = lambda share, action: None
        if kind == "mcts" and rng.random() < 0.5:
            options |= {"seconds": rng.choice((0, 1e-6, 0.01, 1)), "simulations": None}
        elif kind == "mcts":
            options["simulations"] = 10**6
    return kind, state, options, soon


def readable(kind, state, options):
    """Return what the readable search finds."""
    if kind == "mcts":
        return same_chance.mcts(state, **options)
    if kind == "playouts":
        return same_chance.playouts(state, **options)
    ours = ("workers", "strong", *(() if options.get("strong", True) else ("only_value",)))
    own = {name: value for name, value in options.items() if name not in ours}
    if isinstance(own.get("order"), list):
        own["order"] = gamelib.preferred(*own["order"])
    return getattr(gamelib, kind)(state, **own)


def answer(search, *arguments, **options):
    """Return what a call returns, or the type of its error: of those that say what is wrong."""
    try:
        return search(*arguments, **options)
    except (TypeError, ValueError, OverflowError) as error:
        return type(error)


def is_same(kind, state, options, ours, theirs):
    """Return whether two answers say the same."""
    if kind != "solve" or isinstance(ours, type) or isinstance(theirs, type):
        return ours == theirs
    if not options.get("strong", True):
        return ours.value == theirs.value == theirs.values[ours.action].value
    names = ["action", "value", "distance", "utilities", "kind"]
    if not options["only_value"]:
        names += ["values", "distances", "line"]
    return all(getattr(ours, name) == getattr(theirs, name) for name in names)


def try_call(seed):
    """Return what is wrong with a call; "" if nothing is."""
    kind, state, options, soon = a_call(seed)
    what = f"{kind}({state!r}, {options})"
    try:
        ours = answer(getattr(gamefast, kind), state, **options)
    except Exception as error:
        return f"{type(error).__name__}: {error}: {what}".replace("\n", "/")
    if not soon:
        right = isinstance(ours, type) or ours.action in state.legal_actions()
    elif ours is TypeError:  # it does not take this game
        right = isinstance(state, Nim) or state.rows * state.cols > 48
    elif isinstance(ours, type) and state.is_terminal():
        right = ours is ValueError
    else:
        right = is_same(kind, state, options, ours, answer(readable, kind, state, options))
    return "" if right else f"different: {what}".replace("\n", "/")


def compile_all():
    """Call each kernel once for all types of its arguments."""
    gamefast.warm()
    for state in (TicTacToe(), TicTacToe(7, 7, 5)):
        for order in (None, [0]):
            gamefast.alphabeta(state, depth=1, order=order)
        gamefast.minimax(state, depth=1)
        gamefast.mcts(state, simulations=1, share=True)
        gamefast.playouts(state, games=1)


def child(first, calls):
    """Make calls, and print a line before each and after it."""
    compile_all()
    for seed in range(first, first + calls):
        print(seed, flush=True)
        print(try_call(seed), flush=True)


class Child:
    """A process that makes calls from a seed on."""

    def __init__(self, first, calls):
        command = [sys.executable, "-m", "tools.benchmarks.walk", str(calls), "--first", str(first)]
        environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            [*command, "--child"], cwd=ROOT, env=environment, stdout=pipe, text=True
        )
        self.lines = Queue()
        Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def line(self, seconds):
        """Return the next line, None where the process has ended, or "without end"."""
        try:
            return self.lines.get(timeout=seconds)
        except Empty:
            return "without end"


def walk(first, calls, seconds):
    """Return how calls ended, and print what was wrong."""
    ends, end = Counter(), first + calls
    while first < end:
        with (running := Child(first, end - first)).process:
            said = running.line(TO_COMPILE)
            while said == str(first):
                found = running.line(seconds)
                what = "dead" if found is None else found.partition(":")[0] or "right"
                ends[what] += 1
                if what != "right":
                    print(f"--first {first}: {found or what}", flush=True)
                first += 1
                said = running.line(seconds) if what not in ("dead", "without end") else ""
            running.process.kill()
        if said is None and first < end:
            raise SystemExit("the calls cannot be made")
    return ends


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("calls", type=int, nargs="?", default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        return child(chosen.first, chosen.calls)
    ends = walk(chosen.first, chosen.calls, chosen.seconds)
    print(
        f"{ends.total():,} calls: " + ", ".join(f"{ends[each]:,} {each}" for each in sorted(ends))
    )
    if ends["right"] < ends.total():
        raise SystemExit(1)


if __name__ == "__main__":
    main()
