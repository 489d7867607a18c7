from itertools import permutations

import pytest
from contestants import plan

from arena.results.schedule import counted, game_seed, seat_seed, seatings


@pytest.mark.parametrize("num_agents", [2, 3, 4])
def test_all_seatings_are_there_once(num_agents):
    assert sorted(seatings(num_agents)) == sorted(permutations(range(num_agents)))


def test_seeds_are_all_different_and_fit_into_a_float():
    runs = [plan("ab", games=1000, seed=seed, kind="match-up") for seed in range(3)]
    seeds = [job.seed for run in runs for job in run.jobs({})]
    assert len(set(seeds)) == 3000
    assert all(float(seed) == seed >= 0 for seed in seeds)


def test_a_seed_is_the_first_digits_of_a_known_hash():
    # What `printf game/1/0 | sha256sum` says: so another program can check a file of results.
    assert game_seed(1, 0) == 0x835F86474B61
    assert seat_seed(5, 1) != seat_seed(5, 0) != game_seed(5, 0)


@pytest.mark.parametrize("games", [0, -2, 3, 2.0, "4", True, None])
def test_games_that_are_not_fair_are_refused(games):
    with pytest.raises(ValueError, match=r"games must be a multiple of 2, .*; got "):
        counted(games, 0, 2)


@pytest.mark.parametrize("seed", [None, 1.5, "1", True])
def test_a_seed_is_an_int(seed):
    with pytest.raises(ValueError, match="seed must be an int; got "):
        counted(2, seed, 2)
