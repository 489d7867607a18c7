"""The results of a tournament: ranking, cross-table, forfeits, and remarks for the instructor."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, zip_longest
from math import inf
from statistics import median
from typing import Any

from arena.results.game_records import GameRecord
from arena.results.match_up import Results, Rows
from arena.results.statistics import BradleyTerry, Rating, Tally

CAPTION = (
    "Ratings in Elo points, mean 0, and how far each is ahead of the next, with 95 % intervals. "
    "A difference is not shown if its interval contains 0."
)
_COLUMNS = (
    "agent", "rating", "95 % interval", "ahead of the next",
    "games", "wins", "draws", "losses", "forfeits", "points",
)  # fmt: skip
CROSS_CAPTION = "Points of the row against the column, in percent"
REVIEW_HEADING = "* Worth a look"
MIN_NODES_PER_MOVE = 1.0  # with fewer, an agent that plays well may have its own rules
MAX_SLOWDOWN = 20  # of an agent, in seconds per position, compared with the median
MIN_SECONDS_PER_MOVE = 0.05  # below which a slow agent is not reported
MAX_COLUMNS = 40  # of a cross-table that is printed


@dataclass(frozen=True)
class Standing:
    """The standing of an agent in a tournament; without a rating if it finished no game.

    ahead  its rating minus the rating of the next agent, with the interval of this difference
    """

    agent: str
    rating: Rating | None
    ahead: Rating | None
    tally: Tally
    forfeits: int


@dataclass(frozen=True, repr=False)
class Tournament(Results):
    """The results of a tournament; prints as tables.

    In addition to the attributes of all results:

    budget  the positions that an agent in a file could generate for one move; None for any number
    absent  the agents whose files could not be loaded, with the reasons
    rounds  the number of Swiss rounds planned; None if everyone plays everyone
    """

    budget: int | None
    absent: Mapping[str, str]
    rounds: int | None = None

    @cached_property
    def ranking(self) -> tuple[Standing, ...]:
        """The standings of the agents, the best rating first, those without a rating last.

        An agent that finished no game without a forfeit has no rating, and its games do not count
        for any rating, so the others are ranked as they would be without it.
        """
        order = sorted(self.agents, key=self._sort_key)
        return tuple(
            Standing(
                name,
                self._ratings.get(name),
                self._rating_difference(name, next_),
                self.tally(name),
                len(self._reasons(name)),
            )
            for name, next_ in zip_longest(order, order[1:])
        )

    def tally(self, agent: str, against: str | None = None) -> Tally:
        """Return the tally of an agent, for all its games or for its pairings with another agent.

        In a game of more than two players, an agent wins a pairing if its payoff is higher.  An
        agent that forfeits loses all its pairings, and the other pairings of this game do not
        count.
        """
        if against is None:
            return Tally.from_payoffs(
                record.utilities[player] for record, player in self._games_of(agent)
            )
        return Tally.from_payoffs(self._pairs[self._index(agent), self._index(against)])

    @cached_property
    def _pairs(self) -> Mapping[tuple[int, int], list[float]]:
        return _payoff_differences(self.records)

    @cached_property
    def remarks(self) -> Rows:
        """The agents in files that deserve a look, with the reasons; this is not a verdict.

        The counts that a process reports are compared with measurements from outside.
        """
        usage = {}
        for name in self.agents:
            games = [(record, player) for record, player in self._games_of(name) if record.cpu]
            moves = sum(record.counts[player]["moves"] for record, player in games)
            nodes = sum(record.counts[player]["nodes"] for record, player in games)
            if (cpu := sum(record.cpu[player] for record, player in games)) and moves:
                # An agent also computes at the position of each move, so this counts, too.
                usage[name] = games, moves, nodes, cpu, cpu / (nodes + moves)
        typical = median(seconds for *_, seconds in usage.values()) if usage else 0.0
        remarks = []
        for name, (games, moves, nodes, cpu, seconds) in usage.items():
            audits = [(r.game, r.audit[p]) for r, p in games if r.audit and r.audit[p] is not None]
            if differences := [f"in game {game} {text}" for game, text in audits if text]:
                count = f"{len(differences)} of {len(audits)}"
                remark = f"differs in {count} games that it played again: {differences[0]}"
                remarks.append([name, remark])
            rating = self._ratings.get(name)
            if nodes / moves < MIN_NODES_PER_MOVE and rating and rating.low > 0:
                per_move = f"{nodes / moves:.1f} positions per move"
                remarks.append([name, f"plays well with {per_move}: does it have its own rules?"])
            if seconds > MAX_SLOWDOWN * typical and cpu > MIN_SECONDS_PER_MOVE * moves:
                times = f"{seconds / typical:,.0f} times as long as others"
                remarks.append([name, f"computes {times} for each position that it reports"])
        return remarks

    # --- the statistics ---

    def _sort_key(self, name: str) -> tuple[bool, float]:
        rating = self._ratings.get(name)
        strength = round(rating.rating, 6) if rating else -inf
        return name in self.absent, -strength  # the sort is stable, so equal ones keep their order

    @cached_property
    def _rated_agents(self) -> list[str]:
        """The agents that have finished a game without a forfeit."""
        finished = {i for record in self.records if not record.forfeit for i in record.seats}
        return [self.agents[index] for index in sorted(finished)]

    @cached_property
    def _model(self) -> BradleyTerry:
        by_opening: dict[tuple[Any, ...], list[GameRecord]] = {}
        for record in self.independent_games():
            by_opening.setdefault(record.opening, []).append(record)
        rated, tables = [self._index(name) for name in self._rated_agents], []
        for records in by_opening.values():
            leads = _payoff_differences(records)
            tables.append([[Tally.from_payoffs(leads[i, j]).points for j in rated] for i in rated])
        return BradleyTerry(tables)

    @cached_property
    def _ratings(self) -> dict[str, Rating]:
        return (
            dict(zip(self._rated_agents, self._model.ratings(), strict=True))
            if self._rated_agents
            else {}
        )

    def _rating_difference(self, name: str, next_: str | None) -> Rating | None:
        if next_ is None or not {name, next_} <= {*self._rated_agents}:
            return None
        return self._model.rating_difference(
            self._rated_agents.index(name), self._rated_agents.index(next_)
        )

    # --- the tables ---

    def _heading(self) -> str:
        games = f"{len(self.records):,}"
        if self.rounds is not None:
            meetings = (len(self.agents) - len(self.absent)) // self.state.num_players
            planned = self.rounds * meetings * self.games
            of_all = f" of {planned:,}" if len(self.records) < planned else ""
            games = f"{self.rounds} Swiss rounds, {games}{of_all}"
        budget = "any number of" if self.budget is None else f"{self.budget:,}"
        return (
            f"{self.state!r}: {len(self.agents)} agents, {games} games, {self._games_text()}, "
            f"{budget} positions per move for agents in files"
        )

    def _tables(self) -> list[tuple[str, list[str], Rows]]:
        repeated, caption = len(self.records) - len(self.independent_games()), CAPTION
        if repeated:
            caption += f" Repeated games of deterministic agents do not count: {repeated:,} games."
        tables = [(caption, list(_COLUMNS), self._ranking_table())]
        if self.records and len(self.agents) <= MAX_COLUMNS:
            names = [row.agent for row in self.ranking if row.agent not in self.absent]
            rows = [
                [f"{rank}. {name}", *(self._percent(name, other) for other in names)]
                for rank, name in enumerate(names, 1)
            ]
            tables.append((CROSS_CAPTION, ["", *map(str, range(1, len(names) + 1))], rows))
        return tables

    def _percent(self, name: str, other: str) -> str:
        if name == other:
            return "-"
        tally = self.tally(name, other)
        return f"{100 * tally.share:.0f}" if tally.games else ""

    def _ranking_table(self) -> Rows:
        rows, marked = [], {name for name, _ in self.remarks}
        for rank, standing in enumerate(self.ranking, 1):
            rating, ahead, tally = standing.rating, standing.ahead, standing.tally
            rows.append(
                [
                    f"{rank}. {standing.agent}{' *' if standing.agent in marked else ''}",
                    f"{rating.rating:+.0f}" if rating else "none",
                    f"{rating.low:+.0f} to {rating.high:+.0f}" if rating else "",
                    f"{ahead.rating:.0f} ({ahead.low:+.0f} to {ahead.high:+.0f})" if ahead else "",
                    *(f"{n:,}" for n in (tally.games, tally.wins, tally.draws, tally.losses)),
                    f"{standing.forfeits:,}",
                    f"{100 * tally.share:.1f} %" if tally.games else "",
                ]
            )
        return rows

    def _lists(self) -> list[tuple[str, list[str], Rows, str]]:
        return [*super()._lists(), (REVIEW_HEADING, ["agent", "what"], self.remarks, "{} {}")]

    def _forfeit_rows(self) -> Rows:
        absent = self.absent.items()
        rows = [[name, "no game", f"could not start: {reason}"] for name, reason in absent]
        return rows + super()._forfeit_rows()


def _payoff_differences(records: Iterable[GameRecord]) -> Mapping[tuple[int, int], list[float]]:
    """Return for each two agents the payoff of the first minus that of the second, game by game."""
    pairs: dict[tuple[int, int], list[float]] = defaultdict(list)
    for record in records:
        for first, second in permutations(range(len(record.seats)), 2):
            if record.forfeit and record.forfeit.player not in (first, second):
                continue
            lead = record.utilities[first] - record.utilities[second]
            pairs[record.seats[first], record.seats[second]].append(lead)
    return pairs
