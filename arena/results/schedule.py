"""Who plays which game from which seat, and with which seed."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, permutations
from random import Random
from typing import TYPE_CHECKING, Any

from gamelib.state import whole

if TYPE_CHECKING:
    from arena.results.records import GameRecord

SEED_BYTES = 6  # so that every program that reads JSON keeps all the digits


@dataclass(frozen=True)
class Job:
    """A game to be played.

    game   its number, from 0
    seats  for each player the agent, by its index
    seed   from which the agents' chance comes, and the rolls of the dice
    """

    game: int
    seats: tuple[int, ...]
    seed: int


def game_seed(seed: int, game: int | str) -> int:
    """Return the seed of a game, by its number or name: the same on every machine, all unlike."""
    return _hashed("game", seed, game)


def seat_seed(seed: int, player: int) -> int:
    """Return the seed of one player's agent in the game that has this seed."""
    return _hashed("seat", seed, player)


def dice_of(seed: int) -> Random:
    """Return what rolls the dice in the game that has this seed, whoever plays."""
    return Random(_hashed("dice", seed))


def _hashed(*parts: str | int) -> int:
    # Hashed, for a sum would give game 1 of seed 2 the chance of game 2 of seed 1.
    return int.from_bytes(sha256("/".join(map(str, parts)).encode()).digest()[:SEED_BYTES])


def seatings(num_agents: int) -> tuple[tuple[int, ...], ...]:
    """Return every order in which agents can sit: for two (0, 1) and (1, 0).

    Each `num_agents` of them, one after the other, bring every agent to every seat once.
    """
    return tuple(
        (*circle[turn:], *circle[:turn])
        for rest in permutations(range(1, num_agents))
        for circle in [(0, *rest)]
        for turn in range(num_agents)
    )


def schedule(num_agents: int, games: int, seed: int) -> tuple[Job, ...]:
    """Return `games` games of the same agents, who change seats from game to game.

    ValueError unless every agent sits in every seat equally often.
    """
    games, seed = counted(games, seed, num_agents)
    orders = seatings(num_agents)
    return tuple(
        Job(game, orders[game % len(orders)], game_seed(seed, game)) for game in range(games)
    )


def round_robin(
    names: Sequence[str], num_players: int, games: int, seed: int, absent: Collection[str] = ()
) -> tuple[Job, ...]:
    """Return the games of all groups of `num_players` agents, round by round.

    The seed of a game comes from the names of its agents and the round, so two agents play the same
    games whoever else takes part.
    """
    games, seed = counted(games, seed, num_players)
    present = [index for index, name in enumerate(names) if name not in absent]
    groups = list(combinations(present, num_players))
    orders = seatings(num_players)
    return tuple(
        Job(
            round_ * len(groups) + place,
            tuple(group[turn] for turn in orders[round_ % len(orders)]),
            game_seed(seed, json.dumps([round_, *(names[index] for index in group)])),
        )
        for round_ in range(games)
        for place, group in enumerate(groups)
    )


@dataclass(frozen=True)
class Swiss:
    """The plan of Swiss rounds: in each, agents meet whose points are alike.

    Of these those meet who have met least often, for `games` games; where some are left over, who
    has sat out least does.  A round follows from the games before it, and from nothing else: a run
    that was interrupted goes on as if it had not been.
    """

    names: Sequence[str]
    num_players: int
    games: int
    rounds: int
    seed: int
    absent: Collection[str]

    @property
    def round_size(self) -> int:
        """How many games a round has."""
        return (len(self.names) - len(self.absent)) // self.num_players * self.games

    def jobs(self, played: Mapping[int, GameRecord]) -> tuple[Job, ...]:
        """Return the games up to the first round that is not played to its end."""
        order = [index for index, name in enumerate(self.names) if name not in self.absent]
        points, met, sat_out = Counter[int](), Counter[frozenset[int]](), Counter[int]()
        jobs: list[Job] = []
        for round_ in range(self.rounds):
            chance = {i: game_seed(self.seed, json.dumps([round_, self.names[i]])) for i in order}
            order.sort(key=lambda index: (-points[index], chance[index]))
            last = sorted(order, key=lambda index: (sat_out[index], points[index], chance[index]))
            sat_out.update(out := last[: len(order) % self.num_players])
            groups = self._groups([index for index in order if index not in out], met)
            new = [*self._round(round_, groups)]
            jobs += new
            if any(job.game not in played for job in new):
                break
            for job in new:
                points.update(dict(zip(job.seats, played[job.game].utilities, strict=True)))
                met.update(map(frozenset, combinations(job.seats, 2)))
        return tuple(jobs)

    def _groups(self, order: list[int], met: Mapping[frozenset[int], int]) -> Iterator[list[int]]:
        """Yield who meets: the best who is left, and the next ones whom it has met least often."""
        while order:
            best = order.pop(0)
            others = sorted(order, key=lambda index: met.get(frozenset({best, index}), 0))
            group = [best, *others[: self.num_players - 1]]
            order = [index for index in order if index not in group]
            yield group

    def _round(self, round_: int, groups: Iterable[list[int]]) -> Iterator[Job]:
        orders = seatings(self.num_players)
        for place, group in enumerate(groups):
            for game in range(self.games):
                number = round_ * self.round_size + place * self.games + game
                text = json.dumps([round_, game, *(self.names[index] for index in group)])
                seats = tuple(group[turn] for turn in orders[game % len(orders)])
                yield Job(number, seats, game_seed(self.seed, text))


def planned(
    header: Mapping[str, Any], num_players: int, played: Mapping[int, GameRecord]
) -> tuple[Job, ...]:
    """Return the games of a run by the first line of its file, as far as they are known yet."""
    if plan := _swiss(header, num_players):
        return plan.jobs(played)
    agents, games, seed = header["agents"], header["games"], header["seed"]
    if header["kind"] == "tournament":
        return round_robin(agents, num_players, games, seed, header["absent"])
    return schedule(len(agents), games, seed)


def planned_games(header: Mapping[str, Any], num_players: int) -> int:
    """Return how many games a run has."""
    plan = _swiss(header, num_players)
    return plan.rounds * plan.round_size if plan else len(planned(header, num_players, {}))


def _swiss(header: Mapping[str, Any], num_players: int) -> Swiss | None:
    if header.get("rounds") is None:
        return None
    agents, games, absent = header["agents"], header["games"], header["absent"]
    return Swiss(agents, num_players, games, header["rounds"], header["seed"], absent)


def counted(games: Any, seed: Any, num_players: int) -> tuple[int, int]:
    """Return how many games, and their seed, as ints; ValueError if they are none."""
    number, source = whole(games), whole(seed)
    if number is None or number < 1 or number % num_players:
        raise ValueError(
            f"games must be a multiple of {num_players}, so that each agent sits in each seat "
            f"equally often; got {games!r}"
        )
    if source is None:
        raise ValueError(f"seed must be an int; got {seed!r}")
    return number, source
