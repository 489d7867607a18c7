"""Personal variants: as hard for everybody, the same everywhere, and marked with the right hint."""

import os
import subprocess
import sys
from functools import cache

import pytest

from course.lessons import variants
from course.lessons.mcts.check import UCB_MISTAKES, UCB_TABLE, ucb_scores
from course.lessons.variants import (
    NIM_MISTAKES,
    PAPER_MISTAKES,
    READ_MISTAKES,
    VALUE_MISTAKES,
    check_heaps,
    check_paper,
    check_tree,
    check_ucb,
)
from gamelib import alphabeta, minimax, record, solve

STUDENTS = [*range(100), *(f"s{number}" for number in range(1234500, 1234600))]
solved = cache(solve)  # students share what they are given
KINDS = [variants.paper, variants.tree, variants.heaps, variants.ucb]


def leaves_read(student):
    """Return the leaves that the library's alpha-beta visits."""
    tree = variants.tree(student)
    visited = [tree.play(*path) for path in record(alphabeta, tree).visited() if len(path) == 2]
    return [leaf.utilities()[0] for leaf in visited]


def choice(student):
    scores = ucb_scores(table=variants.ucb(student))
    return max(scores, key=scores.get)


# Who gets what


@pytest.mark.parametrize("kind", KINDS)
def test_students_get_many_different_variants(kind):
    assert len({repr(kind(student)) for student in STUDENTS}) >= 50


@pytest.mark.parametrize("kind", KINDS)
def test_a_number_may_be_written_in_several_ways(kind):
    assert repr(kind(1234567)) == repr(kind("1234567")) == repr(kind(" 1234567 "))
    assert repr(kind("s1234567")) == repr(kind("S1234567"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("student", [None, "", "  ", 1.5, True, ["s1"]])
def test_what_is_no_student_number_is_refused(kind, student):
    with pytest.raises(ValueError, match="student must be"):
        kind(student)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_a_variant_is_the_same_in_every_process(seed):
    program = (
        "from course.lessons.variants import *\n"
        "print([(paper(s), branches(s), heaps(s), ucb(s)) for s in (7, 's1234567')])"
    )
    here = [
        (variants.paper(s), variants.branches(s), variants.heaps(s), variants.ucb(s))
        for s in (7, "s1234567")
    ]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60
    )
    assert run.stdout.strip() == repr(here)


# As hard for everybody


def test_every_paper_position_has_11_nodes_and_a_win_a_draw_and_a_loss():
    for student in STUDENTS:
        result = minimax(variants.paper(student))
        assert result.stats.nodes == 11
        assert sorted(bound.value for bound in result.values.values()) == [-1, 0, 1]


def test_every_tree_has_two_cuts_and_nine_leaves_to_read():
    for student in STUDENTS:
        result = alphabeta(variants.tree(student))
        assert (result.stats.cutoffs, result.stats.leaves) == (2, 9)
        assert len(set().union(*variants.branches(student))) == 12


def test_all_heaps_are_of_one_size_class_with_one_winning_action():
    for student in STUDENTS:
        state = variants.heaps(student)
        values = [bound.value for bound in solved(state).values.values()]
        assert values.count(1) == 1
        assert len(set(state.heaps)) == 3
        assert 3 <= min(state.heaps) <= max(state.heaps) <= 12


def test_every_ucb_table_decides_by_the_sum_alone():
    for student in STUDENTS:
        table = variants.ucb(student)
        best = choice(student)
        means = {action: total / visits for action, (visits, total) in table.items()}
        assert best not in (max(means, key=means.get), min(table, key=lambda a: table[a][0]))
        assert 10 <= sum(visits for visits, _ in table.values()) <= 13
        assert table != UCB_TABLE


# Marks


def test_right_answers_pass():
    for student in STUDENTS:
        values = minimax(variants.paper(student)).values
        assert check_paper(student, {action: bound.value for action, bound in values.items()})
        tree = variants.tree(student)
        assert check_tree(student, minimax(tree).value, leaves_read(student))
        assert check_heaps(student, solved(variants.heaps(student)).action)
        scores = ucb_scores(table=variants.ucb(student))
        assert check_ucb(student, {a: round(s, 3) for a, s in scores.items()}, choice(student))


def gets(feedback, hint):
    return not feedback and hint in feedback.message


@pytest.mark.parametrize("hint", PAPER_MISTAKES)
def test_each_wrong_way_to_read_a_position_gets_its_hint(hint):
    for student in STUDENTS:
        answer = PAPER_MISTAKES[hint](variants.paper(student))
        assert gets(check_paper(student, answer), hint)


@pytest.mark.parametrize("hint", VALUE_MISTAKES)
def test_each_wrong_value_of_a_tree_gets_its_hint(hint):
    for student in STUDENTS:
        value = VALUE_MISTAKES[hint](variants.branches(student))
        assert gets(check_tree(student, value, []), hint)


@pytest.mark.parametrize("hint", READ_MISTAKES)
def test_each_wrong_way_to_cut_gets_its_hint(hint):
    for student in STUDENTS:
        nodes = variants.branches(student)
        leaves = [leaf for read in READ_MISTAKES[hint](nodes) for leaf in read]
        assert gets(check_tree(student, max(map(min, nodes)), leaves), hint)


@pytest.mark.parametrize("hint", NIM_MISTAKES)
def test_no_mistake_with_heaps_is_right_by_luck(hint):
    for student in STUDENTS:
        action = NIM_MISTAKES[hint](variants.heaps(student).heaps)
        assert not check_heaps(student, action)


@pytest.mark.parametrize("hint", UCB_MISTAKES)
def test_each_wrong_formula_gets_its_hint(hint):
    for student in STUDENTS:
        scores = ucb_scores(UCB_MISTAKES[hint], variants.ucb(student))
        rounded = {action: round(score, 3) for action, score in scores.items()}
        assert gets(check_ucb(student, rounded, "x"), hint)


def test_one_leaf_too_many_is_named():
    nodes = variants.branches(5)
    cut = [leaf for leaves in nodes for leaf in leaves if leaf not in leaves_read(5)]
    feedback = check_tree(5, max(map(min, nodes)), [*leaves_read(5), cut[0]])
    assert gets(feedback, f"You read {cut[0]}, which is cut.") or "too late" in feedback.message


def test_one_leaf_too_few_is_named():
    nodes = variants.branches(5)
    feedback = check_tree(5, max(map(min, nodes)), leaves_read(5)[1:])
    assert gets(feedback, f"You do not read {nodes[0][0]}.")


def test_one_wrong_value_shows_the_position_after_the_action():
    position = variants.paper(5)
    right = {action: bound.value for action, bound in minimax(position).values.items()}
    action = next(action for action in right if right[action] == 0)
    feedback = check_paper(5, {**right, action: 0.25})
    assert gets(feedback, f"after action {action} the value is not 0.25.")
    assert feedback.state == position.successor(action)


@pytest.mark.parametrize(
    "feedback",
    [
        check_paper(1, dict.fromkeys(variants.paper(1).legal_actions(), ...)),
        check_tree(1, ..., ...),
        check_heaps(1, ...),
        check_ucb(1, {"x": ..., "y": ..., "z": ...}, ...),
    ],
)
def test_a_blank_answer_is_said_to_be_blank(feedback):
    assert not feedback
    assert not feedback.written


@pytest.mark.parametrize(
    "feedback",
    [
        check_paper(1, None),
        check_paper(1, {0: []}),
        check_paper(None, {}),
        check_tree(1, "7", 7),
        check_tree(1, max(map(min, variants.branches(1))), 7),
        check_tree(1, max(map(min, variants.branches(1))), [[7]]),
        check_heaps(1, 7),
        check_heaps(1, (0, 99)),
        check_heaps(1, ("first", None)),
        check_ucb(1, None, "x"),
        check_ucb("", {}, "x"),
    ],
)
def test_an_answer_of_the_wrong_kind_gets_a_sentence(feedback):
    assert not feedback
    assert feedback.message
