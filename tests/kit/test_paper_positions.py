import pytest

from course.kit.positions import paper_position, paper_positions
from gamelib import minimax


def test_there_is_one_for_each_of_128_students():
    assert len(set(paper_positions())) == 128


@pytest.mark.parametrize("number", [0, 17, 127, 4711])
def test_each_is_as_hard_as_the_others(number):
    result = minimax(paper_position(number))
    assert result.stats.nodes == 11
    assert sorted(bound.value for bound in result.values.values()) == [-1, 0, 1]


@pytest.mark.parametrize("number", [-1, 1.5, "3", True])
def test_a_number_that_is_none_is_refused(number):
    with pytest.raises(ValueError, match="number must be"):
        paper_position(number)
