"""Questions are drawn from a seed: the same for all, unless whoever marks sets another one."""

from threading import Thread

import pytest

from course.kit.questions import rng, seed_now, seeded


def drawn(name="sums"):
    return rng(name).random()


def test_each_seed_and_name_draws_its_own():
    found = [drawn(), drawn("products")]
    for seed in ("autumn", 1, "1"):
        with seeded(seed):
            found.append(drawn())
            assert drawn() == found[-1]
    assert len(set(found)) == len(found)


def test_after_the_block_the_questions_are_those_for_all():
    usual = drawn()
    with pytest.raises(KeyError), seeded(3), seeded(4):
        raise KeyError
    assert drawn() == usual


def test_a_thread_that_is_started_inside_draws_from_the_same_seed():
    found = []
    with seeded(3):
        thread = Thread(target=lambda: found.append(seed_now()))
        thread.start()
        thread.join()
    assert found == [3]


@pytest.mark.parametrize("seed", [None, 1.5, True, b"x"])
def test_a_seed_is_an_int_or_a_text(seed):
    with pytest.raises(TypeError, match="seed must be"), seeded(seed):
        pass
