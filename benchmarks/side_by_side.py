"""Peers side by side in one run: what they cost, and how many times the first one that is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from time import process_time


@dataclass(frozen=True)
class Peer:
    """A program to compare: `run` does its work and returns (answer, units of work done)."""

    name: str
    run: Callable[[], tuple[object, int]]


def compare(title: str, unit: str, peers: Sequence[Peer], *, rounds: int = 5) -> dict[str, float]:
    """Print a table of the peers, and return the least microseconds per unit of each.

    In every round each peer runs once, so that a slow spell of the machine hits all alike.  What
    is measured is the processor time of this process.  ValueError if two peers answer differently
    or do different amounts of work: then there is nothing to compare.
    """
    costs: dict[str, list[float]] = {peer.name: [] for peer in peers}
    first = peers[0].run()
    for _ in range(rounds):
        for peer in peers:
            started = process_time()
            found = peer.run()
            seconds = process_time() - started
            if found != first:
                raise ValueError(f"{peer.name} found {found}, {peers[0].name} found {first}")
            costs[peer.name].append(1e6 * seconds / found[1])
    _print_table(f"{title} ({unit}s: {first[1]:,}; rounds: {rounds})", unit, costs)
    return {name: min(measured) for name, measured in costs.items()}


def _print_table(title: str, unit: str, costs: dict[str, list[float]]) -> None:
    least = min(next(iter(costs.values())))
    width = max(map(len, costs))
    print(f"\n{title}\n{'':{width}}  {f'us per {unit}':>18}")
    print(f"{'':{width}}  {'least':>8}  {'median':>8}  {'ratio':>7}")
    for name, measured in costs.items():
        ratio = min(measured) / least
        print(f"{name:{width}}  {min(measured):8.3f}  {median(measured):8.3f}  {ratio:7.2f}")
