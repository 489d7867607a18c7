from collections import Counter

import pytest

from course.kit.positions import paper_position, paper_positions
from gamelib import minimax, winning_actions


def test_there_is_one_for_each_of_148_students():
    assert len(set(paper_positions())) == 148


@pytest.mark.parametrize("number", range(0, 148, 7))
def test_each_is_as_hard_as_the_others(number):
    position = paper_position(number)
    result = minimax(position)
    assert result.stats.nodes == 14
    assert len(result.best_actions) == 1
    assert not winning_actions(position)


def test_neither_a_win_nor_a_draw_is_the_answer_of_all():
    assert Counter(minimax(position).value for position in paper_positions()) == {0: 116, 1: 32}


@pytest.mark.parametrize("number", [-1, 1.5, "3", True])
def test_a_number_that_is_none_is_refused(number):
    with pytest.raises(ValueError, match="number must be"):
        paper_position(number)
