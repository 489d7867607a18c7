"""An answer key: what a mistake answers is known, and equal answers have the same digest."""

from fractions import Fraction

import numpy
import pytest

from course.exercises.answer_key import digest, rng, use_seed
from course.lessons.minimax.check import NEGAMAX
from tests.messages import names


def test_a_mistake_is_known_by_all_its_answers():
    right = [case.expected for case in NEGAMAX.cases()]
    assert NEGAMAX.hint(right) == ""
    for hint, program in NEGAMAX.mistakes().items():
        given = [program(*case.arguments) for case in NEGAMAX.cases()]
        assert NEGAMAX.hint(given) == hint
        assert NEGAMAX.hint([*given[:-1], given[-1] + 1]) == ""


EQUAL = [
    *((1, 1.0), (0.0, -0.0), (True, 1), ((1, (2.0, "a")), (1.0, (2, "a")))),
    *((numpy.float64(0.5), 0.5), (numpy.int64(3), 3), (Fraction(1, 2), 0.5)),
]
OTHER = [(1, 2), ((1, 2), [1, 2]), ((1, 2, 3), (1, (2, 3))), ("1", 1), (0.1, 0.2), ((), ((),))]


def test_equal_answers_have_one_digest_and_others_another():
    for pairs, equal in ((EQUAL, True), (OTHER, False)):
        for one, other in pairs:
            assert bool(one == other) == equal
            assert (digest([one]) == digest([other])) == equal, (one, other)


# The seed


def number(name="sums"):
    return rng(name).random()


def test_each_seed_and_name_draws_its_own():
    found = [number(), number("products")]
    for seed in ("autumn", 1, "1"):
        with use_seed(seed):
            found.append(number())
            assert number() == found[-1]
    assert len(set(found)) == len(found)


def test_after_the_block_the_questions_are_those_for_all():
    usual = number()
    with pytest.raises(KeyError), use_seed(3), use_seed(4):
        raise KeyError
    assert number() == usual


@pytest.mark.parametrize("seed", [None, 1.5, True, b"x"])
def test_a_seed_is_an_int_or_a_text(seed):
    with pytest.raises(TypeError, match=names("seed must be")), use_seed(seed):
        pass
