"""The results of a tournament: ranking, cross-table, and who forfeited why."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from html import escape
from itertools import permutations
from pathlib import Path
from typing import Any

from arena.play.match import GameRecord
from arena.results.ratings import Rating, bradley_terry
from arena.results.records import read_records
from arena.results.rows import frame, game_rows, write_csv
from arena.results.tables import html_table, text_table
from arena.results.tally import Tally
from gamelib.games import from_json
from gamelib.state import GameState

CAPTION = "Ratings in Elo points, mean 0. Where intervals overlap, no difference is shown."
_COLUMNS = (
    "agent", "rating", "95 % interval", "games", "wins", "draws", "losses", "forfeits", "points",
)  # fmt: skip
CROSS_CAPTION = "Points of the row against the column, in percent"
Table = tuple[str, list[str], list[list[str]]]


@dataclass(frozen=True)
class Standing:
    """An agent's place in a tournament; no rating for one that finished no game."""

    agent: str
    rating: Rating | None
    tally: Tally
    forfeits: int


@dataclass(frozen=True)
class Tournament:
    """The results of a tournament; prints as tables.

    agents   their names
    state    the position from which every game started
    games    how many were planned for each group of agents
    seed     from which the seeds of the games were made
    budget   positions that an agent in a file could make for one move; None for any number
    absent   the agents whose files could not be loaded, and why
    records  a `GameRecord` for each game played, by number
    """

    agents: tuple[str, ...]
    state: GameState
    games: int
    seed: int
    budget: int | None
    absent: Mapping[str, str]
    records: tuple[GameRecord, ...]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tournament:
        """Return the results that `tournament(..., path=path)` has stored so far."""
        known, records = read_records(path)
        if known["kind"] != "tournament":
            raise ValueError(f"{Path(path).name} holds a {known['kind']}, not a tournament")
        return cls(
            tuple(known["agents"]),
            from_json(known["start"]),
            known["games"],
            known["seed"],
            known["limits"]["budget"],
            known["absent"],
            records,
        )

    @cached_property
    def ranking(self) -> tuple[Standing, ...]:
        """The agents, the best rating first; those without a rating last.

        An agent that finished no game without a forfeit has no rating, and its games count for
        nobody's rating: the others are ranked as they would be without it.
        """
        ratings = self._ratings()
        standings = [
            Standing(name, ratings.get(name), self.tally(name), len(self._reasons(name)))
            for name in self.agents
        ]
        return tuple(sorted(standings, key=self._place))

    def tally(self, agent: str, against: str | None = None) -> Tally:
        """Return the results of an agent: its games, or those against another one, pair by pair.

        With more than two players, an agent wins a pair of a game if it got more than the other; a
        forfeit is lost by the offender against each, and counts for no other pair.
        """
        if against is None:
            results = [_sign(record.utilities[player]) for record, player in self._sides(agent)]
        else:
            results = self._pairs[self._index(agent), self._index(against)]
        return Tally(results.count(1), results.count(0), results.count(-1))

    @property
    def different_games(self) -> int:
        """How many games differ in seats or actions: agents without chance repeat theirs."""
        return len({(record.seats, record.actions) for record in self.records})

    @property
    def forfeits(self) -> dict[str, Counter[str]]:
        """How often each agent forfeited for which reason; only agents that did."""
        found = {name: Counter(self._reasons(name)) for name in self.agents}
        return {name: reasons for name, reasons in found.items() if reasons}

    def cross_table(self) -> dict[str, dict[str, Tally]]:
        """Return the results of each agent against each other, in the order of the ranking."""
        names = [each.agent for each in self.ranking if each.agent not in self.absent]
        return {
            row: {column: self.tally(row, column) for column in names if column != row}
            for row in names
        }

    def summary(self) -> list[dict[str, Any]]:
        """Return a row for each agent, the best first."""
        return [
            {
                "rank": rank,
                "agent": each.agent,
                "rating": each.rating and each.rating.rating,
                "low": each.rating and each.rating.low,
                "high": each.rating and each.rating.high,
                "games": each.tally.games,
                "wins": each.tally.wins,
                "draws": each.tally.draws,
                "losses": each.tally.losses,
                "forfeits": each.forfeits,
                "share": each.tally.share if each.tally.games else None,
            }
            for rank, each in enumerate(self.ranking, 1)
        ]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game: seats, payoffs, actions, counts, seconds, forfeit."""
        return game_rows(self.agents, self.records)

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows of all games to a file that spreadsheets read."""
        write_csv(path, self.rows())

    def to_frame(self) -> Any:
        """Return the rows of all games as a DataFrame; ImportError where pandas is missing."""
        return frame(self.rows())

    def __repr__(self) -> str:
        parts = [self._title()]
        for title, columns, rows in self._tables():
            parts += [title, text_table(columns, rows)]
        if offences := self._offences():
            parts += ["Forfeits", "\n".join(f"{who}, {n}: {why}" for who, n, why in offences)]
        return "\n\n".join(parts)

    def _repr_html_(self) -> str:
        tables = [html_table(*table) for table in self._tables()]
        if offences := self._offences():
            tables.append(html_table("Forfeits", ["agent", "games", "reason"], offences))
        return f"<p>{escape(self._title())}</p>{''.join(tables)}"

    # --- what is counted ---

    @cached_property
    def _pairs(self) -> dict[tuple[int, int], list[int]]:
        """Return 1, 0 or -1 for each game of two agents, from the view of the first."""
        pairs: dict[tuple[int, int], list[int]] = {
            (one, other): [] for one in range(len(self.agents)) for other in range(len(self.agents))
        }
        for record in self.records:
            for one, other in permutations(range(len(record.seats)), 2):
                if record.forfeit and record.forfeit.player not in (one, other):
                    continue
                pairs[record.seats[one], record.seats[other]].append(
                    _sign(record.utilities[one] - record.utilities[other])
                )
        return pairs

    def _place(self, standing: Standing) -> tuple[bool, bool, float]:
        rating = standing.rating
        strength = round(rating.rating, 6) if rating else 0  # equal ones stay in their order
        return standing.agent in self.absent, rating is None, -strength

    def _ratings(self) -> dict[str, Rating]:
        finished = {
            index for record in self.records if not record.forfeit for index in record.seats
        }
        rated = [name for index, name in enumerate(self.agents) if index in finished]
        if not rated:
            return {}
        points = [
            [0 if row == column else _points(self.tally(row, column)) for column in rated]
            for row in rated
        ]
        return dict(zip(rated, bradley_terry(points), strict=True))

    def _index(self, agent: str) -> int:
        if agent not in self.agents:
            raise ValueError(f"agent must be one of {', '.join(self.agents)}; got {agent!r}")
        return self.agents.index(agent)

    def _sides(self, agent: str) -> list[tuple[GameRecord, int]]:
        index = self._index(agent)
        return [
            (record, record.seats.index(index)) for record in self.records if index in record.seats
        ]

    def _reasons(self, agent: str) -> list[str]:
        return [
            record.forfeit.reason
            for record, player in self._sides(agent)
            if record.forfeit and record.forfeit.player == player
        ]

    # --- what is printed ---

    def _title(self) -> str:
        budget = "any number of" if self.budget is None else f"{self.budget:,}"
        return (
            f"{self.state!r}: {len(self.agents)} agents, {len(self.records):,} games, "
            f"{self.different_games:,} different, {budget} positions a move for agents in files, "
            f"seed {self.seed}"
        )

    def _tables(self) -> list[Table]:
        tables = [(CAPTION, list(_COLUMNS), self._ranking_table())]
        if self.records:
            tables.append((CROSS_CAPTION, *_crossings(self.cross_table())))
        return tables

    def _ranking_table(self) -> list[list[str]]:
        rows = []
        for rank, each in enumerate(self.ranking, 1):
            rating, tally = each.rating, each.tally
            rows.append(
                [
                    f"{rank}. {each.agent}",
                    f"{rating.rating:+.0f}" if rating else "none",
                    f"{rating.low:+.0f} to {rating.high:+.0f}" if rating else "",
                    *(f"{n:,}" for n in (tally.games, tally.wins, tally.draws, tally.losses)),
                    f"{each.forfeits:,}",
                    f"{100 * tally.share:.1f} %" if tally.games else "",
                ]
            )
        return rows

    def _offences(self) -> list[list[str]]:
        absent = [[name, "no game", f"could not start: {why}"] for name, why in self.absent.items()]
        return absent + [
            [name, f"{times:,} game{'s' * (times > 1)}", reason]
            for name, reasons in self.forfeits.items()
            for reason, times in reasons.most_common()
        ]


def _crossings(
    table: Mapping[str, Mapping[str, Tally]],
) -> tuple[list[str], list[list[str]]]:
    rows = [
        [f"{rank}. {name}", *(_percent(against.get(other)) for other in table)]
        for rank, (name, against) in enumerate(table.items(), 1)
    ]
    return ["", *(str(rank) for rank in range(1, len(table) + 1))], rows


def _sign(number: float) -> int:
    return (number > 0) - (number < 0)


def _points(tally: Tally) -> float:
    return tally.wins + tally.draws / 2


def _percent(tally: Tally | None) -> str:
    if tally is None:
        return "-"
    return f"{100 * tally.share:.0f}" if tally.games else ""
