"""Who is worth a look: what a program says of itself, beside what is measured from outside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median

from arena.results.games import GameRecord
from arena.results.statistics import Rating

FEW = 1.0  # positions a move
MUCH, LONG = 20, 0.05  # times what others compute for a position; seconds a move


class _Account:
    """What all games of an agent in a file add up to."""

    def __init__(self) -> None:
        self.moves, self.nodes, self.cpu, self.again = 0, 0, 0.0, list[str]()

    def add(self, record: GameRecord, player: int) -> None:
        self.moves += record.counts[player]["moves"]
        self.nodes += record.counts[player]["nodes"]
        self.cpu += record.cpu[player]
        differs = record.audit[player] if record.audit else None
        if differs is not None:
            self.again.append(differs and f"in game {record.game} {differs}")

    def remarks(self, rating: Rating | None, others: float) -> Iterator[str]:
        """Yield sentences; `others` is what they compute for a position, in seconds."""
        if differs := [text for text in self.again if text]:
            often = f"{len(differs)} of {len(self.again)}"
            yield f"differs in {often} games that it played again: {differs[0]}"
        each = self.nodes / max(1, self.moves)
        if each < FEW and rating and rating.low > 0:
            yield f"plays well with {each:.1f} positions a move: has it rules of its own?"
        if self.seconds > MUCH * others and self.cpu > LONG * self.moves:
            times = f"{self.seconds / others:,.0f} times"
            yield f"computes {times} as long as others for each position that it reports"

    @property
    def seconds(self) -> float:
        """How long it computes for a position; the one that it is given is one, too."""
        return self.cpu / (self.nodes + self.moves)


def remarks(
    agents: Sequence[str], records: Sequence[GameRecord], ratings: Mapping[str, Rating]
) -> list[list[str]]:
    """Return (agent, why it is worth a look) for agents in files: no verdict on any of them."""
    accounts = {name: _Account() for name in agents}
    for record in records:
        for player in range(len(record.cpu)):
            accounts[agents[record.seats[player]]].add(record, player)
    played = {name: each for name, each in accounts.items() if each.cpu and each.moves}
    usual = median([each.seconds for each in played.values()]) if played else 0.0
    return [
        [name, remark]
        for name, each in played.items()
        for remark in each.remarks(ratings.get(name), usual)
    ]
