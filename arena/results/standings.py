"""The results of a tournament: ranking, cross-table, and who forfeited why."""

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
    "No difference is shown where that of the difference holds 0."
)
_COLUMNS = (
    "agent", "rating", "95 % interval", "ahead of the next",
    "games", "wins", "draws", "losses", "forfeits", "points",
)  # fmt: skip
CROSS_CAPTION = "Points of the row against the column, in percent"
REVIEW_HEADING = "* Worth a look"
MIN_NODES_PER_MOVE = 1.0  # positions a move
MAX_SLOWDOWN, MIN_SECONDS_PER_MOVE = (
    20,
    0.05,
)  # times what others compute for a position; seconds a move
MAX_COLUMNS = 40  # of a table that is printed


@dataclass(frozen=True)
class Standing:
    """An agent's place in a tournament; no rating for one that finished no game.

    ahead  by how much it is rated above the next, with the interval of that difference
    """

    agent: str
    rating: Rating | None
    ahead: Rating | None
    tally: Tally
    forfeits: int


@dataclass(frozen=True, repr=False)
class Tournament(Results):
    """The results of a tournament; prints as tables.

    Beside what all results have:

    budget  positions that an agent in a file could make for one move; None for any number
    absent  the agents whose files could not be loaded, and why
    rounds  how many Swiss rounds were planned; None where everyone plays everyone
    """

    budget: int | None
    absent: Mapping[str, str]
    rounds: int | None = None

    @cached_property
    def ranking(self) -> tuple[Standing, ...]:
        """The agents, the best rating first; those without a rating last.

        An agent that finished no game without a forfeit has no rating, and its games count for
        nobody's rating: the others are ranked as they would be without it.
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
        """Return the results of an agent: its games, or those against another one, pair by pair.

        With more than two players, an agent wins a pair of a game if it got more than the other; a
        forfeit is lost by the offender against each, and counts for no other pair.
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
        """Which agents in files are worth a look, and why: no verdict on any of them.

        What a program says of itself is held against what is measured from outside.
        """
        used = {}
        for name in self.agents:
            own = [(record, player) for record, player in self._games_of(name) if record.cpu]
            moves, nodes = (sum(r.counts[p][count] for r, p in own) for count in ("moves", "nodes"))
            if (cpu := sum(record.cpu[player] for record, player in own)) and moves:
                # The position that it is given is one that it computes for, too.
                used[name] = own, moves, nodes, cpu, cpu / (nodes + moves)
        usual = median(seconds for *_, seconds in used.values()) if used else 0.0
        found = []
        for name, (own, moves, nodes, cpu, seconds) in used.items():
            again = [(r.game, r.audit[p]) for r, p in own if r.audit and r.audit[p] is not None]
            if differs := [f"in game {game} {what}" for game, what in again if what]:
                often = f"{len(differs)} of {len(again)}"
                found.append([name, f"differs in {often} games that it played again: {differs[0]}"])
            rating = self._ratings.get(name)
            if nodes / moves < MIN_NODES_PER_MOVE and rating and rating.low > 0:
                each = f"{nodes / moves:.1f} positions a move"
                found.append([name, f"plays well with {each}: has it rules of its own?"])
            if seconds > MAX_SLOWDOWN * usual and cpu > MIN_SECONDS_PER_MOVE * moves:
                times = f"{seconds / usual:,.0f} times as long as others"
                found.append([name, f"computes {times} for each position that it reports"])
        return found

    # --- what is counted ---

    def _sort_key(self, name: str) -> tuple[bool, float]:
        rating = self._ratings.get(name)
        strength = round(rating.rating, 6) if rating else -inf
        return name in self.absent, -strength  # equal ones stay in their order

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

    # --- what is printed ---

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
            f"{budget} positions a move for agents in files"
        )

    def _tables(self) -> list[tuple[str, list[str], Rows]]:
        repeated, caption = len(self.records) - len(self.independent_games()), CAPTION
        if repeated:
            caption += f" What agents without chance repeat counts once: {repeated:,} games less."
        tables = [(caption, list(_COLUMNS), self._ranking_table())]
        if self.records and len(self.agents) <= MAX_COLUMNS:
            names = [each.agent for each in self.ranking if each.agent not in self.absent]
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
        rows, worth = [], {name for name, _ in self.remarks}
        for rank, each in enumerate(self.ranking, 1):
            rating, ahead, tally = each.rating, each.ahead, each.tally
            rows.append(
                [
                    f"{rank}. {each.agent}{' *' if each.agent in worth else ''}",
                    f"{rating.rating:+.0f}" if rating else "none",
                    f"{rating.low:+.0f} to {rating.high:+.0f}" if rating else "",
                    f"{ahead.rating:.0f} ({ahead.low:+.0f} to {ahead.high:+.0f})" if ahead else "",
                    *(f"{n:,}" for n in (tally.games, tally.wins, tally.draws, tally.losses)),
                    f"{each.forfeits:,}",
                    f"{100 * tally.share:.1f} %" if tally.games else "",
                ]
            )
        return rows

    def _lists(self) -> list[tuple[str, list[str], Rows, str]]:
        return [*super()._lists(), (REVIEW_HEADING, ["agent", "what"], self.remarks, "{} {}")]

    def _forfeit_rows(self) -> Rows:
        absent = [[name, "no game", f"could not start: {why}"] for name, why in self.absent.items()]
        return absent + super()._forfeit_rows()


def _payoff_differences(records: Iterable[GameRecord]) -> Mapping[tuple[int, int], list[float]]:
    """Return for each two agents by how much the first got more than the other, game by game."""
    pairs: dict[tuple[int, int], list[float]] = defaultdict(list)
    for record in records:
        for one, other in permutations(range(len(record.seats)), 2):
            if record.forfeit and record.forfeit.player not in (one, other):
                continue
            lead = record.utilities[one] - record.utilities[other]
            pairs[record.seats[one], record.seats[other]].append(lead)
    return pairs
