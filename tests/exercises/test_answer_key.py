"""An answer key: what a mistake answers is known, and equal answers have the same digest."""

from fractions import Fraction

import numpy
import pytest

from course.exercises.answer_key import digest, rng, rounded_answer, use_seed
from course.lessons.minimax.check import NEGAMAX
from tests.messages import names


def test_mistake_recognised_only_if_all_answers_agree():
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


def test_digest_equal_exactly_for_equal_answers():
    for pairs, equal in ((EQUAL, True), (OTHER, False)):
        for one, other in pairs:
            assert bool(one == other) == equal
            assert (digest([one]) == digest([other])) == equal, (one, other)


def test_rounding_changes_only_numbers():
    answer = [True, None, "x", (Fraction(1, 3), 0.1 + 0.2)]
    found = rounded_answer(lambda: answer)()
    assert repr(found) == "[True, None, 'x', (0.333333333, 0.3)]"


# The seed


def number(name="sums"):
    return rng(name).random()


def test_questions_depend_on_seed_and_name():
    found = [number(), number("products")]
    for seed in ("autumn", 1, "1"):
        with use_seed(seed):
            found.append(number())
            assert number() == found[-1]
    assert len(set(found)) == len(found)


def test_use_seed_restores_seed_after_error():
    usual = number()
    with pytest.raises(KeyError), use_seed(3), use_seed(4):
        raise KeyError
    assert number() == usual


@pytest.mark.parametrize("seed", [None, 1.5, True, b"x"])
def test_seed_of_other_type_raises(seed):
    with pytest.raises(TypeError, match=names("seed must be")), use_seed(seed):
        pass
