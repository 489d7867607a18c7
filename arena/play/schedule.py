"""Who plays which game from which seat, and with which seed."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from itertools import permutations

SEED_BYTES = 6  # so that every program that reads JSON keeps all the digits


@dataclass(frozen=True)
class Job:
    """A game to be played: its number, the agent of each player (by its index), and its seed."""

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
    if type(seed) is not int:
        raise ValueError(f"seed must be an int; got {seed!r}")
    if type(games) is not int or games < 1 or games % num_agents:
        raise ValueError(
            f"games must be a multiple of {num_agents}, so that each agent sits in each seat "
            f"equally often; got {games!r}"
        )
    orders = seatings(num_agents)
    return tuple(
        Job(game, orders[game % len(orders)], game_seed(seed, game)) for game in range(games)
    )
