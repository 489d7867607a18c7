"""Who plays which game from which seat, and with which seed."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, permutations
from typing import Any

from gamelib.state import whole

SEED_BYTES = 6  # so that every program that reads JSON keeps all the digits


@dataclass(frozen=True)
class Job:
    """A game to be played.

    game   its number, from 0
    seats  for each player the agent, by its index
    seed   from which the agents' chance comes
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


def planned(header: Mapping[str, Any], num_players: int) -> tuple[Job, ...]:
    """Return the games of a run by the first line of its file."""
    agents, games, seed = header["agents"], header["games"], header["seed"]
    if header["kind"] == "tournament":
        return round_robin(agents, num_players, games, seed, header["absent"])
    return schedule(len(agents), games, seed)


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
