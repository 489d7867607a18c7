"""Match-ups: the same agents, many games, every seat; and what the results show."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arena.play.match import COUNTS, GameRecord
from arena.play.run import header, play_all, unique_names
from arena.play.schedule import schedule
from arena.results.records import read_records
from arena.results.rows import frame, game_rows, write_csv
from arena.results.tables import html_table, text_table
from arena.results.tally import Tally
from arena.results.theory import theory
from gamelib.agents import Agent
from gamelib.games import from_json
from gamelib.search.limits import Progress, Stop
from gamelib.state import GameState

RESULTS = {1: "win", 0: "draw", -1: "loss"}


def match_up(
    *agents: Agent,
    state: GameState,
    games: int = 1000,
    seed: int = 0,
    path: str | os.PathLike[str] | None = None,
    executor: Executor | None = None,
    workers: int = 1,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> MatchUp:
    """Return the results of many games from `state`, in which the agents change seats.

    There is one agent per player.  Two swap seats after every game; more take all their seatings
    in turn.  Each game has a seed of its own, made from `seed` and its number, and every agent's
    chance in it comes from there: the same call plays the same games, on every machine and with
    any number of workers, unless a search is limited by seconds.  An agent that raises, or answers
    an illegal action, forfeits that game.

    games     a multiple of the number of agents, so that each sits in each seat equally often
    path      a file to keep the games in as they end; if it is there, the run goes on with it
    workers   processes to play in; 1 plays in this one
    executor  any `concurrent.futures.Executor` takes the place of the workers: Dask's
              `Client(...).get_executor(pure=False)`, ipyparallel's `Client(...).executor()`
    progress  called with the share of games played and the newest record, or None at first
    stop      asked often; true ends the run, and the games played so far are the result

    ValueError for wrong arguments, and for a file that cannot be used.
    """
    check_agents(agents, state)
    jobs = schedule(len(agents), games, seed)
    records = play_all(
        jobs,
        agents,
        state,
        header=header("match-up", agents, state, games, seed),
        path=path,
        executor=executor,
        workers=workers,
        progress=progress,
        stop=stop,
    )
    return MatchUp(tuple(unique_names(agents)), state, games, seed, records)


@dataclass(frozen=True)
class MatchUp:
    """The results of a match-up; prints as a table.

    agents   their names
    state    the position from which every game started
    games    how many were planned
    seed     from which the seeds of the games were made
    records  a `GameRecord` for each game played, by number
    """

    agents: tuple[str, ...]
    state: GameState
    games: int
    seed: int
    records: tuple[GameRecord, ...]

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> MatchUp:
        """Return the results that `match_up(..., path=path)` has stored so far."""
        known, records = read_records(path)
        if known["kind"] != "match-up":
            raise ValueError(f"{Path(path).name} holds a {known['kind']}, not a match-up")
        start = from_json(known["start"])
        return cls(tuple(known["agents"]), start, known["games"], known["seed"], records)

    @cached_property
    def theory(self) -> tuple[float, ...] | None:
        """The payoff of each seat under best play, where it is known cheaply; else None.

        A seat that can be won could be won in all its games, any other in none.
        """
        return theory(self.state)

    @property
    def different_games(self) -> int:
        """How many games differ in seats or actions: 2 when two agents play without chance."""
        return len({(record.seats, record.actions) for record in self.records})

    def tally(self, agent: int | str, seat: int | None = None) -> Tally:
        """Return the results of an agent (index or name), of all its games or those in a seat."""
        payoffs = [record.utilities[player] for record, player in self._sides(agent, seat)]
        wins = sum(payoff > 0 for payoff in payoffs)
        losses = sum(payoff < 0 for payoff in payoffs)
        return Tally(wins, len(payoffs) - wins - losses, losses)

    def forfeits(self, agent: int | str, seat: int | None = None) -> tuple[str, ...]:
        """Return the reasons for which an agent lost games by forfeit."""
        return tuple(
            record.forfeit.reason
            for record, player in self._sides(agent, seat)
            if record.forfeit and record.forfeit.player == player
        )

    def winnable(self, agent: int | str, seat: int | None = None) -> float | None:
        """Return the share of an agent's games that theory says its seat could win."""
        sides = self._sides(agent, seat)
        if self.theory is None or not sides:
            return None
        return sum(self.theory[player] > 0 for _, player in sides) / len(sides)

    def per_move(self, agent: int | str, count: str, seat: int | None = None) -> float | None:
        """Return the mean of "nodes", "simulations" or "seconds" for each move of an agent."""
        sides = self._sides(agent, seat)
        moves = sum(record.counts[player]["moves"] for record, player in sides)
        if count == "seconds":
            total: float = sum(record.seconds[player] for record, player in sides)
        else:
            total = sum(record.counts[player][count] for record, player in sides)
        return total / moves if moves else None

    @property
    def verdict(self) -> str:
        """What the results show, in a sentence; "Not shown" where the intervals overlap."""
        if not self.records:
            return "Not shown: no game was played."
        tallies = {name: self.tally(name) for name in self.agents}
        ranked = sorted(self.agents, key=lambda name: -tallies[name].share)
        best, second = (tallies[name] for name in ranked[:2])
        found = ", ".join(f"{name} {_points(tallies[name])}" for name in ranked)
        two = len(ranked) == 2
        if best.interval[0] > second.interval[1]:
            sentence = f"{ranked[0]} scores {'more' if two else 'most'}"
        else:
            whose = "" if two else f" of {ranked[0]} and {ranked[1]}"
            sentence = f"Not shown: the intervals{whose} overlap"
        few = self.different_games
        doubt = (
            f" But only {few} different games were played: "
            "without chance, more games are no more evidence."
            if few <= len({record.seats for record in self.records}) < len(self.records)
            else ""
        )
        return f"{sentence} ({found}).{doubt}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each game: seats, payoffs, actions, counts, seconds, forfeit."""
        return game_rows(self.agents, self.records)

    def summary(self) -> list[dict[str, Any]]:
        """Return a row for each agent, over all seats (`seat` is None) and in each seat."""
        return [
            self._summary_row(agent, seat)
            for agent in self.agents
            for seat in (None, *range(len(self.agents)))
        ]

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the rows of all games to a file that spreadsheets read."""
        write_csv(path, self.rows())

    def to_frame(self) -> Any:
        """Return the rows of all games as a DataFrame; ImportError where pandas is missing."""
        return frame(self.rows())

    def __repr__(self) -> str:
        return f"{self._title()}\n\n{text_table(*self._table())}"

    def _repr_html_(self) -> str:
        return html_table(self._title(), *self._table())

    def _sides(self, agent: int | str, seat: int | None) -> list[tuple[GameRecord, int]]:
        """Return (record, player) for the games of an agent, or those it played in one seat."""
        index = self._index(agent)
        sides = [(record, record.seats.index(index)) for record in self.records]
        return [side for side in sides if seat is None or side[1] == seat]

    def _index(self, agent: int | str) -> int:
        if agent in self.agents:
            return self.agents.index(str(agent))
        if type(agent) is not int or not 0 <= agent < len(self.agents):
            raise ValueError(
                f"agent must be one of {', '.join(self.agents)}, or its index; got {agent!r}"
            )
        return agent

    def _summary_row(self, agent: str, seat: int | None) -> dict[str, Any]:
        tally = self.tally(agent, seat)
        low, high = tally.interval if tally.games else (None, None)
        return {
            "agent": agent,
            "seat": seat,
            "games": tally.games,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "forfeits": len(self.forfeits(agent, seat)),
            "share": tally.share if tally.games else None,
            "low": low,
            "high": high,
            "theory": self.theory[seat] if self.theory and seat is not None else None,
            "winnable": self.winnable(agent, seat),
            **{f"{count}_per_move": self.per_move(agent, count, seat) for count in COUNTS[1:]},
            "seconds_per_move": self.per_move(agent, "seconds", seat),
        }

    def _title(self) -> str:
        played = f"{len(self.records):,} games"
        if len(self.records) < self.games:
            played = f"{len(self.records):,} of {self.games:,} games"
        return f"{self.state!r}: {played}, {self.different_games:,} different, seed {self.seed}"

    def _table(self) -> tuple[list[str], list[list[str]]]:
        """Return the columns and rows to print; a column in which nothing happened is left out."""
        rows = [_shown(row) for row in self.summary()]
        columns = [
            column
            for column in rows[0]
            if column not in ("forfeits", "theory", "nodes/move", "simulations/move")
            or any(row[column] not in ("", "0") for row in rows)
        ]
        return columns, [[row[column] for column in columns] for row in rows]


def check_agents(agents: Sequence[Agent], state: GameState) -> None:
    """Raise an error unless there is one agent for each player of the game, and it can play."""
    if not isinstance(state, GameState):
        raise TypeError(f"state must be a position, such as TicTacToe(); got {state!r}")
    if state.is_terminal():
        raise ValueError(f"state must not be the end of a game; got {state!r}")
    if len(agents) != state.num_players:
        raise ValueError(
            f"agents must be one per player: {state.num_players} players, {len(agents)} agents"
        )
    for agent in agents:
        if not callable(agent) and not hasattr(agent, "for_game"):
            raise TypeError(f"an agent must be a function of a state; got {agent!r}")


def _points(tally: Tally) -> str:
    return f"{_percent(tally.share)}, interval {_interval(*tally.interval)}"


def _shown(row: dict[str, Any]) -> dict[str, str]:
    """Return a row of the summary as it is printed."""
    everywhere = row["seat"] is None
    return {
        "agent": row["agent"] if everywhere else "",
        "seat": "all" if everywhere else str(row["seat"]),
        **{name: f"{row[name]:,}" for name in ("games", "wins", "draws", "losses", "forfeits")},
        "share": _percent(row["share"]),
        "95 % interval": _interval(row["low"], row["high"]),
        "theory": _theory(row),
        **{f"{name}/move": _mean(row[f"{name}_per_move"]) for name in COUNTS[1:]},
    }


def _theory(row: dict[str, Any]) -> str:
    if row["theory"] is not None:
        return RESULTS.get(row["theory"], str(row["theory"]))
    return "" if row["winnable"] is None else f"win {row['winnable']:.0%}".replace("%", " %")


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f} %"


def _interval(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{100 * low:.1f} to {100 * high:.1f} %"


def _mean(number: float | None) -> str:
    return "" if not number else f"{number:,.0f}"
