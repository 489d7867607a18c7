"""A match-up on one worker and on two: games per second of the clock, and of the processors."""

import os
import time

from arena import MatchUp, match_up
from gamefast import fast
from gamefast.fast import Search, installed
from gamelib import Nim, SearchAgent, mcts
from gamelib.agents import agent_name

GAMES = 300


def measure(workers: int, search: Search) -> tuple[MatchUp, float, float]:
    """Return the results, the seconds of the clock, and those of all processors."""
    agents = [SearchAgent(search, simulations=n) for n in (500, 100)]
    clock, before = time.perf_counter(), sum(os.times()[:4])
    results = match_up(*agents, state=Nim((3, 4, 5)), games=GAMES, seed=1, workers=workers)
    return results, time.perf_counter() - clock, sum(os.times()[:4]) - before


def main() -> None:
    print(f"MCTS(500) v MCTS(100) on Nim [3, 4, 5], {GAMES} games, {os.cpu_count()} processors")
    if hasattr(os, "getloadavg"):
        print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
    print("search      workers  seconds  games/s  games per processor second")
    for search in (mcts, fast(mcts)) if installed() else (mcts,):
        name = agent_name(search)
        results = []
        for workers in (1, 2):
            found, clock, busy = measure(workers, search)
            results.append(found)
            rates = f"{GAMES / clock:7.0f}  {GAMES / busy:26.0f}"
            print(f"{name:10}  {workers:7}  {clock:7.1f}  {rates}")
        if results[0] != results[1]:
            raise ValueError(f"two workers played other games than one: {name}")


if __name__ == "__main__":
    main()
