"""A program that keeps something between questions is told so."""

import pytest

from course.exercises.memory import Memory
from course.exercises.run_cases import REMEMBERS_MESSAGE
from course.lessons.minimax.check import check_limited_minimax
from course.lessons.minimax.reference import limited_minimax

REMEMBERED = REMEMBERS_MESSAGE.partition("{}")[0]
known: dict = {}
best = float("-inf")


def with_default(state, player, depth, memo={}):  # noqa: B006, the mistake
    if state not in memo:
        memo[state] = limited_minimax(state, player, depth)
    return memo[state]


def with_global(state, player, depth):
    if state not in known:
        known[state] = limited_minimax(state, player, depth)
    return known[state]


def with_number(state, player, depth):
    global best
    best = max(best, limited_minimax(state, player, depth))
    return best


@pytest.mark.parametrize(
    ("program", "name"), [(with_default, "memo"), (with_global, "known"), (with_number, "best")]
)
def test_remembering_program_gets_names_of_its_variables(program, name):
    message = check_limited_minimax(program).message
    assert REMEMBERED in message
    assert f"`{name}`" in message


def test_wrong_program_without_memory_gets_no_memory_feedback():
    assert REMEMBERED not in check_limited_minimax(lambda state, player, depth: 7).message


def test_forgotten_restores_contents_inside_block_only():
    memory = Memory(with_default)
    (memo,) = with_default.__defaults__
    memo["one"] = 1
    assert memory.changed() == ["memo"]
    with memory.forgotten():
        assert "one" not in memo
    assert memo["one"] == 1
