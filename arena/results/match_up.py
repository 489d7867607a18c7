"""The results of a run and of a match-up: shares in each seat, their theory, and a verdict."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from html import escape
from statistics import mean
from typing import Any

from arena.results.game_records import COUNTS, GameRecord
from arena.results.openings import theory
from arena.results.record_file import PathLike
from arena.results.statistics import MIN_GAMES_FOR_VERDICT, Tally, mean_interval
from arena.results.table_format import game_rows, html_table, text_table, write_csv
from gamelib.state import GameState

RESULTS = {1: "win", 0: "draw", -1: "loss"}
Rows = list[list[str]]


@dataclass(frozen=True)
class Results:
    """The results of a run: the base class of the results of match-ups and tournaments.

    agents   the names of the agents
    state    the position from which every game started
    games    the number of games planned, in a tournament for each group of agents
    seed     the seed of the run, from which the seeds of the games come
    records  a `GameRecord` for each game played, by number
    """

    agents: tuple[str, ...]
    state: GameState
    games: int
    seed: int
    records: tuple[GameRecord, ...]

    @property
    def different_games(self) -> int:
        """The number of games that differ in seats or actions: 2 for two deterministic agents."""
        return len({(record.seats, record.actions) for record in self.records})

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game: seats, payoffs, actions, counts, seconds, forfeit."""
        return game_rows(self.agents, self.records)

    def to_csv(self, path: PathLike) -> None:
        """Write the rows of all games to a file that spreadsheets read."""
        write_csv(path, self.rows())

    def independent_games(self) -> list[GameRecord]:
        """Return the games that are independent evidence.

        If agents always play the same game from each opening in every seating, they are
        deterministic, so each of these games counts only once.
        """
        independent: list[GameRecord] = []
        groups: dict[frozenset[int], list[GameRecord]] = {}
        for record in self.records:
            groups.setdefault(frozenset(record.seats), []).append(record)
        for group in groups.values():
            games = {(record.seats, record.actions): record for record in reversed(group)}
            repeated = len(games) <= len({(record.seats, record.opening) for record in group})
            independent += games.values() if repeated else group
        return independent

    @property
    def forfeits(self) -> dict[str, Counter[str]]:
        """The reasons of the agents that forfeited, with the number of games for each reason."""
        by_agent = {name: Counter(self._reasons(name)) for name in self.agents}
        return {name: reasons for name, reasons in by_agent.items() if reasons}

    def __repr__(self) -> str:
        parts = [self._heading()]
        for title, columns, rows in self._tables():
            parts += [title, text_table(columns, rows)]
        for title, _, rows, line in self._lists():
            parts += [title, "\n".join(line.format(*row) for row in rows)] if rows else []
        return "\n\n".join(filter(None, parts))

    def _repr_html_(self) -> str:
        lists = [(title, columns, rows) for title, columns, rows, _ in self._lists() if rows]
        tables = "".join(html_table(*table) for table in [*self._tables(), *lists])
        return f"<p>{escape(self._heading())}</p>{tables}" if self._heading() else tables

    def _heading(self) -> str:
        """Return a heading above the tables; "" if the title of the first table is enough."""
        return ""

    def _tables(self) -> list[tuple[str, list[str], Rows]]:
        """Return the title, columns and rows of each table."""
        raise NotImplementedError

    def _lists(self) -> list[tuple[str, list[str], Rows, str]]:
        """Return the same for each list, and the format of its lines as plain text."""
        return [("Forfeits", ["agent", "games", "reason"], self._forfeit_rows(), "{}, {}: {}")]

    def _forfeit_rows(self) -> Rows:
        """Return a row for each reason to forfeit, with the agent, the games and the reason."""
        return [
            [name, "1 game" if times == 1 else f"{times:,} games", reason]
            for name, reasons in self.forfeits.items()
            for reason, times in reasons.most_common()
        ]

    def _games_text(self) -> str:
        """Return a text with the numbers of different games and of openings, and the seed."""
        num_openings = len({record.opening for record in self.records if record.opening})
        openings = f"from {num_openings:,} openings, " if num_openings else ""
        return f"{self.different_games:,} different, {openings}seed {self.seed}"

    def _index(self, agent: int | str) -> int:
        if agent in self.agents:
            return self.agents.index(str(agent))
        if type(agent) is not int or not 0 <= agent < len(self.agents):
            raise ValueError(
                f"agent must be one of {', '.join(self.agents)}, or its index; got {agent!r}"
            )
        return agent

    def _games_of(self, agent: int | str, seat: int | None = None) -> list[tuple[GameRecord, int]]:
        """Return (record, player) for the games of an agent, or those it played in one seat."""
        index = self._index(agent)
        sides = [
            (record, record.seats.index(index)) for record in self.records if index in record.seats
        ]
        return [side for side in sides if seat is None or side[1] == seat]

    def _reasons(self, agent: int | str, seat: int | None = None) -> list[str]:
        """Return the reasons of an agent's forfeits, one for each game that it forfeited."""
        return [
            record.forfeit.reason
            for record, player in self._games_of(agent, seat)
            if record.forfeit and record.forfeit.player == player
        ]


@dataclass(frozen=True, repr=False)
class MatchUp(Results):
    """The results of a match-up; prints as a table."""

    @cached_property
    def theory(self) -> tuple[float, ...] | None:
        """The payoff of each seat under best play, or None if it is not known cheaply.

        It is also None if the payoffs after the openings are unknown or different, because then a
        seat could be won in some games only.
        """
        payoffs = theory(self.state)
        openings = {record.opening for record in self.records} if payoffs else ()
        same = all(theory(self.state.play(*opening)) == payoffs for opening in openings)
        return payoffs if same else None

    def tally(self, agent: int | str, seat: int | None = None) -> Tally:
        """Return the tally of an agent (index or name), for all its games or those in a seat."""
        return Tally.from_payoffs(
            record.utilities[player] for record, player in self._games_of(agent, seat)
        )

    @property
    def verdict(self) -> str:
        """The conclusion from the results, in a sentence.

        A difference is shown if, with two agents and at least `MIN_GAMES_FOR_VERDICT` games, the
        interval of the better agent's share is above 50 %, or with more agents, the interval of the
        difference between the first two, game by game, is above 0.  For deterministic agents
        without openings there is no interval, because the same games again are not evidence.
        """
        if not self.records:
            return "Not shown: no game was played."
        tallies = {name: self.tally(name) for name in self.agents}
        ranked = sorted(self.agents, key=lambda name: -tallies[name].share)
        if len(self.independent_games()) < len(self.records):
            shares = ", ".join(f"{name} {_percent(tallies[name].share)}" for name in ranked)
            return (
                f"{shares}. But only {self.different_games} different games were played: "
                "these agents are deterministic, so more games are not more evidence."
            )
        if len(ranked) == 2:
            sentence = "Not shown: both may score 50 %"
            if len(self.records) < MIN_GAMES_FOR_VERDICT:
                sentence = f"Not shown: play at least {MIN_GAMES_FOR_VERDICT} games"
            elif tallies[ranked[0]].better:
                sentence = f"{ranked[0]} scores more"
        else:
            low, high = self._difference_interval(*ranked[:2])
            shown, lead = low > 0, f"{100 * low:+.1f} to {100 * high:+.1f} %"
            sentence = f"{ranked[0]} scores {lead} more than {ranked[1]}"
            sentence = f"{'' if shown else 'Not shown: '}{sentence}"
        shares = ", ".join(
            f"{name} {_percent(tallies[name].share)}, interval {_interval(*tallies[name].interval)}"
            for name in ranked
        )
        return f"{sentence} ({shares})."

    def _difference_interval(self, first: str, second: str) -> tuple[float, float]:
        """Return the 95 % interval of the difference between the shares of two agents.

        Both play in all games.  Games from the same opening are one observation.
        """
        pair = [self._index(first), self._index(second)]
        leads: dict[Any, list[float]] = {}
        for record in self.records:
            first_points, second_points = (
                Tally.from_payoffs([record.utilities[record.seats.index(i)]]).points for i in pair
            )
            lead = first_points - second_points
            leads.setdefault(record.opening or record.game, []).append(lead)
        return mean_interval([mean(group) for group in leads.values()])

    def summary(self) -> list[dict[str, Any]]:
        """Return a row for each agent, over all seats (`seat` is None) and in each seat.

        `winnable` is the proportion of the games that could be won from these seats by theory.
        """
        return [
            self._summary_row(agent, seat)
            for agent in self.agents
            for seat in (None, *range(len(self.agents)))
        ]

    def _summary_row(self, agent: str, seat: int | None) -> dict[str, Any]:
        tally, sides = self.tally(agent, seat), self._games_of(agent, seat)
        low, high = tally.interval if sides else (None, None)
        could_win = [self.theory[player] > 0 for _, player in sides] if self.theory else []
        totals: dict[str, float] = {
            n: sum(r.counts[player][n] for r, player in sides) for n in COUNTS
        }
        totals["seconds"] = sum(record.seconds[player] for record, player in sides)
        moves = totals.pop("moves")
        return {
            "agent": agent,
            "seat": seat,
            "games": tally.games,
            **vars(tally),
            "forfeits": len(self._reasons(agent, seat)),
            "share": tally.share if sides else None,
            "low": low,
            "high": high,
            "theory": self.theory[seat] if self.theory and seat is not None else None,
            "winnable": sum(could_win) / len(sides) if could_win else None,
            **{
                f"{name}_per_move": total / moves if moves else None
                for name, total in totals.items()
            },
        }

    def _tables(self) -> list[tuple[str, list[str], Rows]]:
        """Return the table to print, without the columns that have no data."""
        played = f"{len(self.records):,} games"
        if len(self.records) < self.games:
            played = f"{len(self.records):,} of {self.games:,} games"
        title = f"{self.state!r}: {played}, {self._games_text()}"
        rows = [_format_row(row) for row in self.summary()]
        columns = [
            column
            for column in rows[0]
            if column not in ("forfeits", "theory", "nodes/move", "simulations/move")
            or any(row[column] not in ("", "0") for row in rows)
        ]
        return [(title, columns, [[row[column] for column in columns] for row in rows])]


def _format_row(row: dict[str, Any]) -> dict[str, str]:
    """Return the printed form of a row of the summary."""
    all_seats = row["seat"] is None
    return {
        "agent": row["agent"] if all_seats else "",
        "seat": "all" if all_seats else str(row["seat"]),
        **{name: f"{row[name]:,}" for name in ("games", "wins", "draws", "losses", "forfeits")},
        "share": _percent(row["share"]),
        "95 % interval": _interval(row["low"], row["high"]),
        "theory": _theory(row),
        **{
            f"{name}/move": f"{per_move:,.0f}" if (per_move := row[f"{name}_per_move"]) else ""
            for name in COUNTS[1:]
        },
    }


def _theory(row: dict[str, Any]) -> str:
    if row["theory"] is not None:
        return RESULTS.get(row["theory"], str(row["theory"]))
    return "" if row["winnable"] is None else f"win {row['winnable']:.0%}".replace("%", " %")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} %"
