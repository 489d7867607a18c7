"""A tournament of a made-up class of 120, within an hour: killed on the way, and gone on with.

`python -m benchmarks.class_tournament --agents 120 --hours 1`.  The class is drawn from kinds of
programs that students hand in: rules of thumb, alpha-beta to some depths, MCTS, slow ones, broken
ones, and two that get around the count.  What is printed is the ranking by kinds, how long it took,
and what was worth a look.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import mean

from arena import Tournament
from gamelib import ConnectFour

HEAD = """\
import random
from gamelib import *
from gamelib.search.heuristics import lines_heuristic
"""
ALPHABETA = HEAD + "def agent(state):\n    return alphabeta(state, depth={depth}).action\n"
EYES = HEAD + (
    "EYES = lines_heuristic()\n"
    "def agent(state):\n    return alphabeta(state, depth={depth}, evaluate=EYES).action\n"
)
MCTS = HEAD + "def agent(state):\n    return mcts(state, simulations={simulations}).action\n"
CENTRE = HEAD + (
    "def agent(state):\n"
    "    def far(action):\n"
    "        return abs(action - state.cols // 2) + random.random() * {noise}\n"
    "    return min(state.legal_actions(), key=far)\n"
)
CHANCE = HEAD + "def agent(state):\n    return random.choice(state.legal_actions())\n"
LOOKAHEAD = HEAD + "def agent(state):\n    return lookahead(state).action\n"
SLOW = HEAD + (
    "import time\ndef agent(state):\n    time.sleep({seconds})\n"
    "    return lookahead(state).action\n"
)
BROKEN = {
    "broken, raises": "def agent(state):\n    return 1 / 0\n",
    "broken, illegal": "def agent(state):\n    return 99\n",
    "broken, loops": "def agent(state):\n    while True:\n        pass\n",
    "broken, beyond its budget": "from gamelib import minimax\ndef agent(state):\n"
    "    return minimax(state, depth=6).action\n",
    "broken, not loaded": "import nothing_that_is_there\n",
}
UNCOUNTED = HEAD + (
    "def agent(state):\n    game, counted = type(state), type(state).successor\n"
    "    game.successor = counted.__closure__[-1].cell_contents\n    try:\n"
    "        return alphabeta(state, depth=5).action\n    finally:\n"
    "        game.successor = counted\n"
)
# How many of 120, of each kind, and what their files say.
KINDS = [
    *((10, f"alpha-beta {depth}", ALPHABETA.format(depth=depth)) for depth in (1, 2, 3)),
    *((8, f"alpha-beta {depth} with eyes", EYES.format(depth=depth)) for depth in (1, 2, 3)),
    *((8, f"mcts {number}", MCTS.format(simulations=number)) for number in (10, 25, 50)),
    *((4, f"centre, noise {noise}", CENTRE.format(noise=noise)) for noise in (1, 3)),
    (10, "chance", CHANCE),
    (12, "lookahead", LOOKAHEAD),
    (3, "slow, 0.2 s", SLOW.format(seconds=0.2)),
    (2, "slow, 3 s", SLOW.format(seconds=3)),
    *((1, kind, text) for kind, text in BROKEN.items()),
    (2, "uncounted", UNCOUNTED),
]


def make_class(folder, agents):
    """Write the files of a class; return the kind of each agent."""
    kinds = {}
    for often, kind, text in KINDS:
        for _ in range(max(1, round(often * agents / 120))):
            name = f"student_{len(kinds):03}"
            Path(folder, f"{name}.py").write_text(text, encoding="utf-8")
            kinds[name] = kind
    return kinds


def play(call, environment, seconds=None):
    """Run the command; kill it after so many seconds."""
    try:
        return subprocess.run(
            call, env=environment, timeout=seconds, capture_output=True, text=True
        )
    except subprocess.TimeoutExpired as killed:
        return killed


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--agents", type=int, default=120)
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--out", default="")
    chosen = parser.parse_args() if __name__ == "__main__" else parser.parse_args([])
    with tempfile.TemporaryDirectory() as folder:
        kinds = make_class(folder, chosen.agents)
        path = Path(chosen.out or Path(folder, "results.jsonl"))
        call = [sys.executable, "-m", "arena", "tournament", folder, "--game", "ConnectFour()"]
        call += ["--with", "random", "--budget", "2000", "--seconds", "2", "--out", str(path)]
        root = str(Path(__file__).parents[1])
        environment = {**os.environ, "PYTHONPATH": root}
        started = time.monotonic()
        print(f"{len(kinds)} files; load before: {os.getloadavg()[0]:.1f}", flush=True)
        play([*call, "--hours", str(chosen.hours)], environment, 3600 * chosen.hours * 0.4)
        print(f"killed after {len(Tournament.load(path).records):,} games", flush=True)
        left = chosen.hours - (time.monotonic() - started) / 3600
        ended = play([*call, "--hours", f"{left:.4f}"], environment)
        minutes = (time.monotonic() - started) / 60
        print(ended.stderr, f"{minutes:.1f} minutes in all; load after: {os.getloadavg()[0]:.1f}")
        report(Tournament.load(path, state=ConnectFour()), kinds)


def report(results, kinds):
    print(repr(results).partition("\n")[0])
    places = defaultdict(list)
    for place, standing in enumerate(results.ranking, 1):
        places[kinds.get(standing.agent, standing.agent)].append((place, standing))
    print(f"{'kind':28}{'agents':>7}{'mean place':>12}{'mean rating':>13}{'half interval':>15}")
    for kind, found in sorted(places.items(), key=lambda item: mean(p for p, _ in item[1])):
        rated = [each.rating for _, each in found if each.rating]
        rating = f"{mean(r.rating for r in rated):+.0f}" if rated else "none"
        half = f"{mean((r.high - r.low) / 2 for r in rated):.0f}" if rated else ""
        line = f"{mean(place for place, _ in found):12.1f}{rating:>13}{half:>15}"
        print(f"{kind:28}{len(found):7}{line}")
    audits = [text for record in results.records for text in record.audit if text is not None]
    print(f"{len(audits)} parts were played again, {sum(map(bool, audits))} of them differed")
    for name, remark in results.remarks:
        print(f"{name} ({kinds.get(name, name)}) {remark}")


if __name__ == "__main__":
    main()
