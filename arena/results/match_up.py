"""The results of a run, and of a match-up: shares in each seat, beside theory, and a verdict."""

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
from arena.results.statistics import Tally, mean_interval
from arena.results.table_format import game_rows, html_table, text_table, write_csv
from gamelib.state import GameState

RESULTS = {1: "win", 0: "draw", -1: "loss"}
Rows = list[list[str]]


@dataclass(frozen=True)
class Results:
    """The games of a run, and who played them: what match-ups and tournaments have in common.

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

    def independent_games(self) -> list[GameRecord]:
        """Return the games that are evidence of their own.

        Agents who play one and the same game from each opening in every seating, again and again,
        play without chance: each of their games counts once.
        """
        found: list[GameRecord] = []
        groups: dict[frozenset[int], list[GameRecord]] = {}
        for record in self.records:
            groups.setdefault(frozenset(record.seats), []).append(record)
        for group in groups.values():
            games = {(record.seats, record.actions): record for record in reversed(group)}
            repeated = len(games) <= len({(record.seats, record.opening) for record in group})
            found += games.values() if repeated else group
        return found

    @property
    def forfeits(self) -> dict[str, Counter[str]]:
        """How often each agent forfeited for which reason; only agents that did."""
        found = {name: Counter(self._reasons(name)) for name in self.agents}
        return {name: reasons for name, reasons in found.items() if reasons}

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
        """Return what stands above the tables, if the title of the first one does not say it."""
        return ""

    def _tables(self) -> list[tuple[str, list[str], Rows]]:
        """Return title, columns and rows of each table."""
        raise NotImplementedError

    def _lists(self) -> list[tuple[str, list[str], Rows, str]]:
        """Return the same of what is told in lines where there are no tables, and such a line."""
        return [("Forfeits", ["agent", "games", "reason"], self._forfeit_rows(), "{}, {}: {}")]

    def _forfeit_rows(self) -> Rows:
        """Return a row for each reason to forfeit: agent, how often, why."""
        return [
            [name, "1 game" if times == 1 else f"{times:,} games", why]
            for name, reasons in self.forfeits.items()
            for why, times in reasons.most_common()
        ]

    def _games_text(self) -> str:
        """Return how many different games there are, from how many openings, by which seed."""
        begun = len({record.opening for record in self.records if record.opening})
        openings = f"from {begun:,} openings, " if begun else ""
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
        """Return why an agent forfeited, a reason for each game in which it did."""
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
        """The payoff of each seat under best play, where it is known cheaply; else None.

        A seat that can be won could be won in all its games, any other in none; so it is None, too,
        where that is not known after each of the openings.
        """
        known = theory(self.state)
        begun = {record.opening for record in self.records} if known else ()
        alike = all(theory(self.state.play(*opening)) == known for opening in begun)
        return known if alike else None

    def tally(self, agent: int | str, seat: int | None = None) -> Tally:
        """Return the results of an agent (index or name), of all its games or those in a seat."""
        return Tally.from_payoffs(
            record.utilities[player] for record, player in self._games_of(agent, seat)
        )

    @property
    def verdict(self) -> str:
        """What the results show, in a sentence.

        Of two agents, the interval of the better one's share must lie above 50 %; of more, that of
        the difference of the first two, game by game, above 0.  Without chance and openings there
        is no interval: the same games again are no evidence.
        """
        if not self.records:
            return "Not shown: no game was played."
        tallies = {name: self.tally(name) for name in self.agents}
        ranked = sorted(self.agents, key=lambda name: -tallies[name].share)
        if len(self.independent_games()) < len(self.records):
            shares = ", ".join(f"{name} {_percent(tallies[name].share)}" for name in ranked)
            return (
                f"{shares}. But only {self.different_games} different games were played: "
                "without chance, more games are no more evidence."
            )
        if len(ranked) == 2:
            shown = tallies[ranked[0]].interval[0] > 0.5
            sentence = f"{ranked[0]} scores more" if shown else "Not shown: both may score 50 %"
        else:
            low, high = self._difference_interval(*ranked[:2])
            shown, lead = low > 0, f"{100 * low:+.1f} to {100 * high:+.1f} %"
            sentence = f"{ranked[0]} scores {lead} more than {ranked[1]}"
            sentence = f"{'' if shown else 'Not shown: '}{sentence}"
        found = ", ".join(
            f"{name} {_percent(tallies[name].share)}, interval {_interval(*tallies[name].interval)}"
            for name in ranked
        )
        return f"{sentence} ({found})."

    def _difference_interval(self, first: str, second: str) -> tuple[float, float]:
        """Return the 95 % interval of how much more of the points one agent gets than another.

        They play in the same games.  Games from the same opening are one observation.
        """
        pair = [self._index(first), self._index(second)]
        leads: dict[Any, list[float]] = {}
        for record in self.records:
            mine, its = (
                Tally.from_payoffs([record.utilities[record.seats.index(i)]]).points for i in pair
            )
            leads.setdefault(record.opening or record.game, []).append(mine - its)
        return mean_interval([mean(each) for each in leads.values()])

    def summary(self) -> list[dict[str, Any]]:
        """Return a row for each agent, over all seats (`seat` is None) and in each seat.

        `winnable` is the share of the games that theory says could be won from these seats.
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
        used: dict[str, float] = {
            n: sum(r.counts[player][n] for r, player in sides) for n in COUNTS
        }
        used["seconds"] = sum(record.seconds[player] for record, player in sides)
        moves = used.pop("moves")
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
                f"{name}_per_move": total / moves if moves else None for name, total in used.items()
            },
        }

    def _tables(self) -> list[tuple[str, list[str], Rows]]:
        """Return the table to print; a column in which nothing happened is left out."""
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
    """Return a row of the summary as it is printed."""
    everywhere = row["seat"] is None
    return {
        "agent": row["agent"] if everywhere else "",
        "seat": "all" if everywhere else str(row["seat"]),
        **{name: f"{row[name]:,}" for name in ("games", "wins", "draws", "losses", "forfeits")},
        "share": _percent(row["share"]),
        "95 % interval": _interval(row["low"], row["high"]),
        "theory": _theory(row),
        **{
            f"{name}/move": f"{each:,.0f}" if (each := row[f"{name}_per_move"]) else ""
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
