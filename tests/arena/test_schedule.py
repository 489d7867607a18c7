"""The schedule of games: seats, seeds, and Swiss rounds that depend on points."""

import random
from collections import Counter
from itertools import combinations, permutations

import pytest
from agent_fixtures import plan, record_of

from arena import tournament
from arena.results.schedule import game_seed, seat_seed, seatings, validated_counts
from gamelib import Nim, SearchAgent, TicTacToe, lookahead, random_choice
from tests.messages import names


@pytest.mark.parametrize("num_agents", [2, 3, 4])
def test_seatings_list_every_order_once(num_agents):
    assert sorted(seatings(num_agents)) == sorted(permutations(range(num_agents)))


def test_seeds_are_distinct_and_fit_a_float():
    runs = [plan("ab", games=1000, seed=seed, kind="match-up") for seed in range(3)]
    seeds = [job.seed for run in runs for job in run.jobs({})]
    assert len(set(seeds)) == 3000
    assert all(float(seed) == seed >= 0 for seed in seeds)


def test_seed_equals_known_hash():
    # What `printf game/1/0 | sha256sum` says: so another program can check a file of results.
    assert game_seed(1, 0) == 0x835F86474B61
    assert seat_seed(5, 1) != seat_seed(5, 0) != game_seed(5, 0)


@pytest.mark.parametrize("games", [0, -2, 3, 2.0, "4", True, None])
def test_unfair_number_of_games_raises(games):
    with pytest.raises(ValueError, match=names("games must be a multiple of 2")):
        validated_counts(games, 0, 2)


@pytest.mark.parametrize("seed", [None, 1.5, "1", True])
def test_invalid_seed_raises(seed):
    with pytest.raises(ValueError, match=names("seed must be an int; got ")):
        validated_counts(2, seed, 2)


# Swiss rounds

NAMES = [f"a{number}" for number in range(9)]


def play(swiss, wins):
    """Return all games of a plan, each with the payoffs that `wins` says."""
    played = {}
    while todo := [job for job in swiss.jobs(played) if job.game not in played]:
        for job in todo:
            played[job.game] = record_of(job.game, job.seats, wins(job.seats))
    return played


def the_lower_number(seats):
    return tuple(1 if seat == min(seats) else -1 for seat in seats)


def rounds_of(swiss, played):
    size = swiss._round_size
    games = [played[game] for game in range(len(played))]
    return [games[start : start + size] for start in range(0, len(games), size)]


def test_swiss_schedule_starts_with_one_round():
    swiss = plan(NAMES, rounds=4)
    first = swiss.jobs({})
    assert [job.game for job in first] == [*range(8)]
    played = {job.game: job for job in first[:-1]}
    assert swiss.jobs(played) == first


def test_swiss_rounds_seat_everyone_equally():
    swiss = plan(NAMES, rounds=9)
    sat_out = Counter(NAMES)
    for games in rounds_of(swiss, play(swiss, the_lower_number)):
        for seat in (0, 1):
            there = [game.seats[seat] for game in games]
            assert len(there) == len(set(there)) == 8
            assert sorted(there) == sorted(game.seats[1 - seat] for game in games)
        sat_out.subtract({NAMES[seat] for game in games for seat in game.seats})
    assert {name: 9 - 1 + count - 1 for name, count in sat_out.items()} == dict.fromkeys(NAMES, 0)


def test_swiss_rounds_pair_similar_points():
    swiss = plan(NAMES[:8], rounds=3)
    *_, last = rounds_of(swiss, play(swiss, the_lower_number))
    points = Counter()
    for games in rounds_of(swiss, play(swiss, the_lower_number))[:2]:
        for game in games:
            points.update(dict(zip(game.seats, game.utilities, strict=True)))
    apart = [abs(points[one] - points[other]) for one, other in (game.seats for game in last)]
    anyhow = [abs(points[a] - points[b]) for a, b in combinations(range(8), 2)]
    assert sum(apart) / len(apart) < sum(anyhow) / len(anyhow) / 2


def test_three_player_rounds_use_all_seats():
    swiss = plan(NAMES[:8], players=3, games=3, rounds=4, absent=["a7"])
    played = play(swiss, lambda seats: (1, 0, -1))
    assert swiss._round_size == 6
    assert not any(7 in game.seats for game in played.values())
    for games in rounds_of(swiss, played):
        assert Counter(seat for game in games for seat in game.seats[:1]) == Counter(
            {seat: 1 for game in games for seat in game.seats}
        )


def agents():
    depths = [SearchAgent(lookahead, f"lookahead {number}") for number in range(3)]
    return [*depths, *(SearchAgent(random_choice, f"random {number}") for number in range(4))]


RUN = {"state": Nim((1, 2, 3)), "games": 2, "rounds": 4, "seed": 3}


def test_interrupted_schedule_has_same_games(path):
    chance = random.Random(1)
    whole = tournament(agents(), **RUN)
    assert len(whole.records) == 4 * 3 * 2
    for _ in range(5):
        left = chance.randrange(1, 9)

        def stop():
            nonlocal left
            left -= 1
            return left < 0

        tournament(agents(), **RUN, path=path, stop=stop)
    assert tournament(agents(), **RUN, path=path) == whole


@pytest.mark.parametrize("rounds", [0, -1, 1.5, True, "2"])
def test_invalid_rounds_raise(rounds):
    with pytest.raises(ValueError, match=names("rounds must be an int, 1 or more, or None; got")):
        tournament(agents(), state=TicTacToe(), games=2, rounds=rounds)
