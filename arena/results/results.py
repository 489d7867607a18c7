"""What the results of a match-up and of a tournament have in common."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

from arena.results.records import GameRecord, Header, PathLike, read_records, start_of
from arena.results.tables import frame, game_rows, write_csv
from gamelib.state import GameState


@dataclass(frozen=True)
class Results:
    """The games of a run, and who played them.

    agents   their names
    state    the position from which every game started
    games    how many were planned: in all, or in a tournament for each group of agents
    seed     from which the seeds of the games were made
    records  a `GameRecord` for each game played, by number
    """

    agents: tuple[str, ...]
    state: GameState
    games: int
    seed: int
    records: tuple[GameRecord, ...]

    kind: ClassVar[str]  # what the first line of a file calls such results

    @classmethod
    def load(cls, path: PathLike, *, state: GameState | None = None) -> Self:
        """Return the results that a run with `path=path` has stored so far.

        state  the position from which the games started; needed for a game that is not gamelib's

        ValueError for other results, and for a state that is missing or another one.
        """
        known, records = read_records(path)
        if known["kind"] != cls.kind:
            raise ValueError(f"{Path(path).name} holds a {known['kind']}, not a {cls.kind}")
        return cls(
            tuple(known["agents"]),
            start_of(known, state),
            known["games"],
            known["seed"],
            records,
            **cls._of_header(known),
        )

    @classmethod
    def _of_header(cls, known: Header) -> dict[str, Any]:
        """Return what else the first line of a file says."""
        return {}

    @property
    def different_games(self) -> int:
        """How many games differ in seats or actions: 2 when two agents play without chance."""
        return len({(record.seats, record.actions) for record in self.records})

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game: seats, payoffs, actions, counts, seconds, forfeit."""
        return game_rows(self.agents, self.records)

    def to_csv(self, path: PathLike) -> None:
        """Write the rows of all games to a file that spreadsheets read."""
        write_csv(path, self.rows())

    def to_frame(self) -> Any:
        """Return the rows of all games as a DataFrame; ImportError where pandas is missing."""
        return frame(self.rows())

    def _index(self, agent: int | str) -> int:
        if agent in self.agents:
            return self.agents.index(str(agent))
        if type(agent) is not int or not 0 <= agent < len(self.agents):
            raise ValueError(
                f"agent must be one of {', '.join(self.agents)}, or its index; got {agent!r}"
            )
        return agent

    def _sides(self, agent: int | str, seat: int | None = None) -> list[tuple[GameRecord, int]]:
        """Return (record, player) for the games of an agent, or those it played in one seat."""
        index = self._index(agent)
        sides = [
            (record, record.seats.index(index)) for record in self.records if index in record.seats
        ]
        return [side for side in sides if seat is None or side[1] == seat]

    def _reasons(self, agent: int | str, seat: int | None = None) -> list[str]:
        """Return why an agent forfeited, a reason for each game in which it did."""
        return [
            record.forfeit.reason
            for record, player in self._sides(agent, seat)
            if record.forfeit and record.forfeit.player == player
        ]
