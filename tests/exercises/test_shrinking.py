"""A wrong answer is shown on the smallest question that gets one."""

import pytest

from course.exercises import shrinking as module
from course.exercises.feedback import Case, WrongAnswerError
from course.exercises.shrinking import shrink, size
from gamelib import EinStein, GameTree, Nim, TicTacToe, minimax

TEXTBOOK = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]


def question(state, *more):
    return Case((state, *more), None, "", state)


def shrunk(state, is_wrong, *more):
    """Return what is left of a position for which `is_wrong`."""
    found, _ = shrink(
        question(state, *more), "at first", question, lambda case: is_wrong(*case.arguments) and "!"
    )
    return found.arguments if more else found.state


@pytest.mark.parametrize(
    ("tree", "is_wrong", "left"),
    [
        (TEXTBOOK, lambda tree: True, "[0]"),
        (TEXTBOOK, lambda tree: minimax(tree).value > 1, "[2]"),
        (TEXTBOOK, lambda tree: minimax(tree).stats.leaves > 1, "[0 0]"),
        (TEXTBOOK, lambda tree: not tree.successor(0).is_terminal(), "[[0]]"),
        ([[(3, 1, 0), (2, 5, 2)]], lambda tree: tree.num_players == 3, "[(0 0 0)]"),
        ([-5], lambda tree: minimax(tree).value != 0, "[1]"),
        ([0.5], lambda tree: minimax(tree).value != 0, "[0.5]"),
    ],
)
def test_tree_shrinks_to_smallest_with_error(tree, is_wrong, left):
    assert str(shrunk(GameTree(tree), is_wrong)) == left


def test_chance_node_keeps_two_outcomes_summing_to_1():
    tree = GameTree.parse("{0.5: 3 0.125: -1 0.375: [2 7]} 4")
    left = shrunk(tree, lambda tree: tree.has_chance)
    assert str(left) == "{0.5: 0 0.5: 0}"


def test_shrinking_keeps_player_to_move():
    node = GameTree(TEXTBOOK).play(1)
    left = shrunk(node, lambda tree: tree.player_name(tree.current_player) == "min")
    assert str(left) == "[0]"
    assert left.path == ()


def test_game_shrinks_to_late_nonterminal_state():
    assert len(shrunk(TicTacToe(), lambda state: True).legal_actions()) == 1
    assert sum(shrunk(Nim((3, 4, 5)), lambda state: True).heaps) == 1
    assert not shrunk(EinStein(3, 2), lambda state: True).is_terminal()


def test_numbers_of_question_shrink():
    tree, depth = shrunk(GameTree(TEXTBOOK), lambda tree, depth: depth > 2, 9)
    assert (str(tree), depth) == ("[0]", 3)


@pytest.mark.parametrize("sign", [1, -1])
def test_large_number_shrinks_within_few_questions(sign):
    asked = []

    def is_wrong(state, number):
        asked.append(number)
        return number * sign > 1_000

    assert shrunk(GameTree([0]), is_wrong, 9_000_000 * sign)[1] == 1_001 * sign
    assert len(asked) < 200


def of_three(answer, error):
    """Return `answer`, which raises an error where there are fewer than three actions."""

    def function(asked):
        if len(getattr(asked, "state", asked).legal_actions()) < 3:
            raise error
        return answer(asked)

    return function


@pytest.mark.parametrize(
    ("make", "find"),
    [
        (of_three(question, ValueError), lambda case: "!"),
        (question, of_three(lambda case: "!", WrongAnswerError("another error"))),
    ],
)
def test_shrinking_skips_invalid_questions_and_other_errors(make, find):
    found, _ = shrink(question(GameTree([1, 2, 3])), "", make, find)
    assert str(found.state) == "[0 0 0]"


def test_returned_fault_belongs_to_returned_question():
    case, fault = shrink(question(GameTree([7, 5])), "", question, lambda case: str(case.state))
    assert fault == str(case.state) == "[0]"


def test_shrinking_ends_after_questions_or_time(monkeypatch):
    monkeypatch.setattr(module, "MAX_QUESTIONS", 4)
    asked, tree = [], GameTree(TEXTBOOK)
    shrink(question(tree), "", question, asked.append)
    assert len(asked) < 4
    monkeypatch.setattr(module, "MAX_SECONDS", -1)
    assert shrunk(tree, lambda tree: True) is tree


def test_size_orders_trees_boards_and_numbers():
    trees = ["[0]", "[1]", "[-1]", "[[0]]", "[0 0]", "[[0 0]]", "[0 1] 0"]
    sizes = [size(GameTree.parse(tree)) for tree in trees]
    assert sizes == sorted(sizes)
    assert size(TicTacToe().play(0, 1, 2, 3, 4, 5)) < size(TicTacToe())
    assert size(float("inf"), "a word", None) == (0, 0, 0)


def test_size_of_unhashable_state_is_known():
    class Unhashable(TicTacToe):
        __hash__ = None

    assert size(Unhashable()) == size(TicTacToe())
