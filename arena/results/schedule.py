"""The schedule of a run: the agents, seats, opening and seed of each game."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import combinations, islice, permutations
from random import Random
from typing import Any

from arena.results.game_records import GameRecord, Job
from arena.results.openings import Opening, openings
from gamelib.state import GameState, as_int

SEED_BYTES = 6  # so that no program that reads JSON loses digits


def game_seed(seed: int, game: int | str) -> int:
    """Return the seed of a game, by its number or name; it is the same on every machine."""
    return _hash_seed("game", seed, game)


def seat_seed(seed: int, player: int) -> int:
    """Return the seed of one player's agent in the game that has this seed."""
    return _hash_seed("seat", seed, player)


def dice_rng(seed: int) -> Random:
    """Return the random numbers for the dice of the game with this seed, for any agents."""
    return Random(_hash_seed("dice", seed))


def _hash_seed(*parts: str | int) -> int:
    # A hash, because with a sum, game 1 of seed 2 would get the same numbers as game 2 of seed 1.
    return int.from_bytes(sha256("/".join(map(str, parts)).encode()).digest()[:SEED_BYTES])


def seatings(num_agents: int) -> tuple[tuple[int, ...], ...]:
    """Return every order in which agents can sit, such as (0, 1) and (1, 0) for two agents.

    In each `num_agents` successive orders, every agent has every seat once.
    """
    return tuple(
        (*circle[turn:], *circle[:turn])
        for rest in permutations(range(1, num_agents))
        for circle in [(0, *rest)]
        for turn in range(num_agents)
    )


class Schedule:
    """The games of a run, which follow from the first line of its file and the start position.

    `turn` is the number of a game among the games of its group of agents.  The seats change with
    each turn; the opening changes when each agent of the group has had each seat.
    """

    def __init__(self, header: Mapping[str, Any], state: GameState) -> None:
        self.names: Sequence[str] = header["agents"]
        self.games: int = header["games"]
        self.rounds: int | None = header.get("rounds")
        self.seed, self.is_tournament = header["seed"], header["kind"] == "tournament"
        absent = header.get("absent", {})
        self.present = [index for index, name in enumerate(self.names) if name not in absent]
        self._players, self._orders = state.num_players, seatings(state.num_players)
        self._round_size: int = len(self.present) // self._players * self.games
        self._openings: list[Opening] = [()]
        if header["openings"]:
            number = self.games * (self.rounds or 1) // self._players
            self._openings = openings(state, number, Random(_hash_seed("openings", self.seed)))

    @property
    def num_games(self) -> int:
        """The number of all games."""
        if self.rounds:
            return self.rounds * self._round_size
        return len(self._groups()) * self.games

    def jobs(self, played: Mapping[int, GameRecord]) -> tuple[Job, ...]:
        """Return the games that are known so far, because Swiss rounds depend on earlier ones."""
        if self.rounds:
            return tuple(self._swiss(played))
        groups = self._groups()
        return tuple(
            self._job(turn * len(groups) + index, group, turn)
            for turn in range(self.games)
            for index, group in enumerate(groups)
        )

    def _groups(self) -> list[tuple[int, ...]]:
        return list(combinations(self.present, self._players))

    def _job(self, number: int, group: Sequence[int], turn: int, name: Any = None) -> Job:
        """Return a game; in a tournament its seed depends only on the names of its own agents."""
        seats = tuple(group[index] for index in self._orders[turn % len(self._orders)])
        opening = self._openings[turn // self._players % len(self._openings)]
        parts = [*(name or [turn]), *(self.names[index] for index in group)]
        text = json.dumps(parts) if self.is_tournament else number
        return Job(number, seats, game_seed(self.seed, text), opening=opening)

    def _swiss(self, played: Mapping[int, GameRecord]) -> Iterator[Job]:
        """Yield the games up to the first round that is not complete.

        In each round, agents with similar points meet, and among these the agents that have met
        least often.  If some agents are left over, those that have sat out least often sit out.  A
        round depends only on the games before it, so an interrupted run continues as if it had not
        been interrupted.
        """
        order = [*self.present]
        points, met, sat_out = Counter[int](), Counter[frozenset[int]](), Counter[int]()
        for round_ in range(self.rounds or 0):
            lot = {i: game_seed(self.seed, json.dumps([round_, self.names[i]])) for i in order}
            order.sort(key=lambda index: (-points[index], lot[index]))
            by_turn = sorted(order, key=lambda index: (sat_out[index], points[index], lot[index]))
            sat_out.update(out := by_turn[: len(order) % self._players])
            groups = self._meetings([index for index in order if index not in out], met)
            new = [*self._round(round_, groups)]
            yield from new
            if any(job.game not in played for job in new):
                return
            for job in new:
                points.update(dict(zip(job.seats, played[job.game].utilities, strict=True)))
                met.update(map(frozenset, combinations(job.seats, 2)))

    def _meetings(self, order: list[int], met: Mapping[frozenset[int], int]) -> Iterator[list[int]]:
        """Yield groups of the best agent left and the next ones that it has met least often."""
        while order:
            best, needed = order.pop(0), self._players - 1
            # There are usually enough that it has never met, so the others need not be sorted.
            others = [*islice((i for i in order if frozenset({best, i}) not in met), needed)]
            if len(others) < needed:
                others = sorted(order, key=lambda index: met.get(frozenset({best, index}), 0))
            group = [best, *others[:needed]]
            order = [index for index in order if index not in group]
            yield group

    def _round(self, round_: int, groups: Iterable[list[int]]) -> Iterator[Job]:
        for index, group in enumerate(groups):
            for game in range(self.games):
                number = round_ * self._round_size + index * self.games + game
                turn = round_ * self.games + game
                yield self._job(number, group, turn, [round_, game])


def validated_counts(games: Any, seed: Any, num_players: int) -> tuple[int, int]:
    """Return the number of games and the seed as ints; ValueError if they are not valid."""
    number, validated_seed = as_int(games), as_int(seed)
    if number is None or number < 1 or number % num_players:
        raise ValueError(
            f"games must be a multiple of {num_players}, so that each agent has each seat equally "
            f"often; got {games!r}"
        )
    if validated_seed is None:
        raise ValueError(f"seed must be an int; got {seed!r}")
    return number, validated_seed
