"""Who is worth a look: what a program says of itself, beside what is measured from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from arena.results.games import GameRecord
from arena.results.statistics import Rating

FEW = 1.0  # positions a move
MUCH, LONG = 20, 0.05  # times what others compute for a position; seconds a move


def remarks(
    agents: Sequence[str], records: Sequence[GameRecord], ratings: Mapping[str, Rating]
) -> list[list[str]]:
    """Return (agent, why it is worth a look) for agents in files: no verdict on any of them."""
    sides: dict[str, list[tuple[GameRecord, int]]] = {name: [] for name in agents}
    for record in records:
        for player in range(len(record.cpu)):
            sides[agents[record.seats[player]]].append((record, player))
    used = {}
    for name, own in sides.items():
        moves, nodes = (sum(r.counts[p][count] for r, p in own) for count in ("moves", "nodes"))
        if (cpu := sum(record.cpu[player] for record, player in own)) and moves:
            # The position that it is given is one that it computes for, too.
            used[name] = moves, nodes, cpu, cpu / (nodes + moves)
    usual = median(seconds for *_, seconds in used.values()) if used else 0.0
    found = []
    for name, (moves, nodes, cpu, seconds) in used.items():
        again = [(r.game, r.audit[p]) for r, p in sides[name] if r.audit and r.audit[p] is not None]
        if differs := [f"in game {game} {what}" for game, what in again if what]:
            often = f"{len(differs)} of {len(again)}"
            found.append([name, f"differs in {often} games that it played again: {differs[0]}"])
        rating = ratings.get(name)
        if nodes / moves < FEW and rating and rating.low > 0:
            each = f"{nodes / moves:.1f} positions a move"
            found.append([name, f"plays well with {each}: has it rules of its own?"])
        if seconds > MUCH * usual and cpu > LONG * moves:
            times = f"{seconds / usual:,.0f} times as long as others"
            found.append([name, f"computes {times} for each position that it reports"])
    return found
