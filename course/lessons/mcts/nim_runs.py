"""Stored runs of MCTS on Nim, for lab 4D, and with proofs for lab 5A."""

from collections.abc import Callable
from typing import NamedTuple

from course.exercises.lesson_data import load_tables
from gamelib.games import Nim, nim_winning_actions
from gamelib.search import SearchResult, mcts

Heaps = tuple[int, ...]


class NimRuns(NamedTuple):
    """Runs with the seeds 0, 1, ...: how many of them were optimal, and how many proven."""

    heaps: Heaps
    solver: bool
    simulations: int
    runs: int
    optimal: int
    proven: int


NIM_RUNS = tuple(
    NimRuns(tuple(heaps), *counts) for heaps, *counts in load_tables("mcts", "nim_runs")["rows"]
)


def nim_runs(
    heaps: Heaps,
    simulations: int,
    runs: int,
    *,
    solver: bool = False,
    search: Callable[..., SearchResult] = mcts,
) -> NimRuns:
    """Return one row of the table, measured now."""
    state = Nim(heaps)
    best = nim_winning_actions(state)
    results = [search(state, simulations=simulations, solver=solver, rng=i) for i in range(runs)]
    optimal = sum(result.action in best for result in results)
    proven = sum(result.utilities is not None for result in results)
    return NimRuns(heaps, solver, simulations, runs, optimal, proven)


def chance(heaps: Heaps) -> float:
    """Return the proportion of optimal choices of an agent that moves at random."""
    return len(nim_winning_actions(Nim(heaps))) / len(Nim(heaps).legal_actions())


def nim_shares(*heaps: Heaps) -> dict[str, dict[int, tuple[int, int] | float]]:
    """Return the stored runs without proofs for a chart: {heaps: {simulations: (optimal, runs)}}.

    The chart also has a line for random moves on the last of the heaps.
    """
    shares: dict[str, dict[int, tuple[int, int] | float]] = {}
    for row in NIM_RUNS:
        if row.heaps in heaps and not row.solver:
            curve = shares.setdefault(" ".join(map(str, row.heaps)), {})
            curve[row.simulations] = row.optimal, row.runs
    last = " ".join(map(str, heaps[-1]))
    shares[f"{last}, random moves"] = dict.fromkeys(shares[last], chance(heaps[-1]))
    return shares


def nim_table(*heaps: Heaps, solver: bool = True, least: int = 0) -> str:
    """Return stored runs as text, with or without proofs: how many were optimal, and proven.

    least  the minimal number of simulations of a row
    """
    lines = ["heaps      search         simulations       optimal          proven"]
    for row in NIM_RUNS:
        if row.heaps not in heaps or row.simulations < least or (row.solver and not solver):
            continue
        if not lines[-1].startswith(str(row.heaps)):
            lines.append(f"{row.heaps!s:<10} random moves               {chance(row.heaps):>8.1%}")
        search = "with proofs" if row.solver else "UCT"
        proven = f"{row.proven:>5} of {row.runs}" if solver else ""
        lines.append(
            f"{row.heaps!s:<10} {search:<12} {row.simulations:>13,}  {row.optimal / row.runs:>8.1%}"
            f" of {row.runs:>5,}{proven:>14}".rstrip()
        )
    return "\n".join(lines if solver else [lines[0].removesuffix("          proven"), *lines[1:]])
