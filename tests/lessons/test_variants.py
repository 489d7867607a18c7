"""Personal variants: as hard for everybody, the same everywhere, and marked with the right hint."""

import math
import os
import subprocess
import sys
from collections import Counter

import pytest

from arena import wilson_interval
from course.lessons import variants
from course.lessons.mcts.check import UCB_MISTAKES, UCB_TABLE, ucb_scores
from course.lessons.variants import (
    INTERVAL_MISTAKES,
    PAPER_MISTAKES,
    READ_MISTAKES,
    SELECTION_MISTAKES,
    SURE_MISTAKES,
    VALUE_MISTAKES,
    VECTOR_MISTAKES,
    check_heaps,
    check_match,
    check_paper,
    check_simulation,
    check_three,
    check_tree,
    check_ucb,
)
from course.lessons.variants.experiments import conclusion, share_interval
from course.lessons.variants.mcts import BACKUP_MISTAKES, counts_after
from course.lessons.variants.solver import NIM_MISTAKES
from course.watch import record
from gamelib import alphabeta, maxn, minimax, nim_winning_actions, paranoid

STUDENTS = [*range(100), *(f"s{number}" for number in range(1234500, 1234600))]
SOME = STUDENTS[::25]  # where a variant takes some milliseconds
CLASS = [f"s{number}" for number in range(1234500, 1235000)]
KINDS = [variants.paper, variants.tree, variants.heaps, variants.ucb]
KINDS += [variants.simulation, variants.three, variants.match]


def leaves_read(student):
    tree = variants.tree(student)
    visited = [tree.play(*path) for path in record(alphabeta, tree).visited() if len(path) == 2]
    return [leaf.utilities()[0] for leaf in visited]


def choice(student):
    scores = ucb_scores(table=variants.ucb(student))
    return max(scores, key=scores.get)


# Who gets what


@pytest.mark.parametrize("kind", [variants.paper, variants.heaps, variants.ucb])
def test_hardly_anybody_in_a_class_of_500_shares_a_variant(kind):
    shared = Counter(repr(kind(student)) for student in CLASS)
    assert len(shared) >= 450
    assert max(shared.values()) <= 4


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_of_60_shares_hardly_any(kind):
    assert len({repr(kind(student)) for student in CLASS[:60]}) >= 58


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
    names = [kind.__name__ for kind in KINDS]
    program = (
        "from course.lessons import variants\n"
        f"print([getattr(variants, name)(s) for name in {names} for s in (7, 's1234567')])"
    )
    here = [kind(student) for kind in KINDS for student in (7, "s1234567")]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60
    )
    assert run.stdout.strip() == repr(here)


# As hard for everybody


def test_every_paper_position_has_11_nodes_and_a_win_a_draw_and_a_loss():
    for student in STUDENTS:
        position = variants.paper(student)
        assert (position.rows, position.cols, len(position.legal_actions())) == (4, 4, 3)
        result = minimax(position)
        assert result.stats.nodes == 11
        assert sorted(bound.value for bound in result.values.values()) == [-1, 0, 1]


def test_every_tree_has_two_cuts_and_nine_leaves_to_read():
    for student in STUDENTS:
        result = alphabeta(variants.tree(student))
        assert (result.stats.cutoffs, result.stats.leaves) == (2, 9)
        assert len(set().union(*variants.branches(student))) == 12


def test_four_different_heaps_have_one_winning_action():
    for student in SOME:
        state = variants.heaps(student)
        assert len(nim_winning_actions(state)) == 1
        assert len(set(state.heaps)) == 4
        assert 1 <= min(state.heaps) <= max(state.heaps) <= 20


def test_every_ucb_table_decides_by_the_sum_alone():
    for student in STUDENTS:
        table = variants.ucb(student)
        best = choice(student)
        means = {action: total / visits for action, (visits, total) in table.items()}
        assert best not in (max(means, key=means.get), min(table, key=lambda a: table[a][0]))
        assert 10 <= sum(visits for visits, _ in table.values()) <= 20
        assert sorted(table.values()) != sorted(UCB_TABLE.values())


def ranked(nodes, parent):
    all_visits = nodes[parent][0]
    return sorted(
        (total / visits + math.sqrt(2 * math.log(all_visits) / visits), path)
        for path, (visits, total) in nodes.items()
        if path and path[:-1] == parent
    )


def test_every_simulation_has_a_clear_way_in_a_tree_whose_counts_fit():
    for student in SOME:
        nodes = variants.simulation(student).nodes
        assert len(nodes) == 10
        assert 14 <= nodes[()][0] <= 20
        for parent in [(), (0,), (1,), (2,)]:
            below = [nodes[path] for _, path in ranked(nodes, parent)]
            first = nodes[parent][0] - sum(visits for visits, _ in below)
            rest = nodes[parent][1] - sum(visits - total for visits, total in below)
            assert first == (1 if parent else 0)
            assert 0 <= rest <= first


def test_the_counts_say_clearly_where_selection_goes():
    for student in SOME:
        nodes = variants.simulation(student).nodes
        path = ()
        for _ in range(2):
            *_, (second, _), (first, path) = ranked(nodes, path)
            assert first - second >= 0.05
        assert check_simulation(student, path, after_by_hand(student, path))


def after_by_hand(student, path):
    """Return what the nodes of the way hold: X moved to every other one, from the first on."""
    drawn = variants.simulation(student)
    counts = []
    for ply in range(len(path) + 2):
        visits, total = drawn.nodes.get(path[:ply], (0, 0)) if ply <= len(path) else (0, 0)
        reward = (1 + drawn.payoff) / 2 if ply % 2 else (1 - drawn.payoff) / 2
        counts.append((visits + 1, total + reward))
    return counts


def test_maxn_and_paranoid_choose_different_branches_of_every_tree_of_three():
    for student in SOME:
        tree = variants.three(student)
        assert len(maxn(tree).values) == 2
        assert maxn(tree).action != paranoid(tree).action
        assert maxn(tree).stats.leaves == 8


def test_of_two_matches_the_smaller_difference_is_shown():
    for student in SOME:
        shares = {}
        for wins, draws, losses in variants.match(student).values():
            games = wins + draws + losses
            points = wins + draws / 2
            low, high = wilson_interval(points, games)
            shares[low <= 0.5 <= high] = abs(points / games - 0.5), games
        assert shares[True][0] > shares[False][0]
        assert 60 <= shares[True][1] <= 100
        assert 300 <= shares[False][1] <= 500


# Marks


def test_right_answers_pass():
    for student in STUDENTS:
        values = minimax(variants.paper(student)).values
        assert check_paper(student, {action: bound.value for action, bound in values.items()})
        tree = variants.tree(student)
        assert check_tree(student, minimax(tree).value, leaves_read(student))
        (action,) = nim_winning_actions(variants.heaps(student))
        assert check_heaps(student, action)
        scores = ucb_scores(table=variants.ucb(student))
        assert check_ucb(student, {a: round(s, 3) for a, s in scores.items()}, choice(student))
    for student in SOME:
        tree = variants.three(student)
        assert check_three(student, maxn(tree).utilities, paranoid(tree).value)
        assert check_match(student, *of_match(student))


def of_match(student, formula=share_interval, digits=1):
    results = variants.match(student)
    found = {
        name: tuple(round(end, digits) for end in formula(*result))
        for name, result in results.items()
    }
    return found, {name: conclusion(share_interval(*result)) for name, result in results.items()}


def gets(feedback, hint):
    return not feedback and hint in feedback.message


def wrong_cuts(student, wrong):
    nodes = variants.branches(student)
    leaves = [leaf for read in wrong(nodes) for leaf in read]
    return check_tree(student, max(map(min, nodes)), leaves)


def wrong_scores(student, wrong):
    scores = ucb_scores(wrong, variants.ucb(student))
    return check_ucb(student, {action: round(score, 3) for action, score in scores.items()}, "x")


def wrong_walk(student, wrong):
    return check_simulation(student, wrong(variants.simulation(student).nodes), [(1, 1)] * 4)


def wrong_sure(student, wrong):
    tree = variants.three(student)
    return check_three(student, maxn(tree).utilities, wrong(tree))


# The mistakes of a variant, and what is said of one of them to a student.
MISTAKES = [
    (PAPER_MISTAKES, SOME, lambda s, wrong: check_paper(s, wrong(variants.paper(s)))),
    (VALUE_MISTAKES, STUDENTS, lambda s, wrong: check_tree(s, wrong(variants.branches(s)), [])),
    (READ_MISTAKES, STUDENTS, wrong_cuts),
    (UCB_MISTAKES, STUDENTS, wrong_scores),
    (SELECTION_MISTAKES, SOME, wrong_walk),
    (VECTOR_MISTAKES, SOME, lambda s, wrong: check_three(s, wrong(variants.three(s)), 1)),
    (SURE_MISTAKES, SOME, wrong_sure),
    (INTERVAL_MISTAKES, SOME, lambda s, wrong: check_match(s, *of_match(s, wrong))),
]


@pytest.mark.parametrize(
    ("hint", "wrong", "students", "check"),
    [(*one, some, check) for mistakes, some, check in MISTAKES for one in mistakes.items()],
)
def test_each_mistake_gets_its_hint(hint, wrong, students, check):
    for student in students:
        assert gets(check(student, wrong), hint)


@pytest.mark.parametrize("hint", NIM_MISTAKES)
def test_no_mistake_with_heaps_is_right_by_luck(hint):
    for student in STUDENTS:
        action = NIM_MISTAKES[hint](variants.heaps(student).heaps)
        assert not check_heaps(student, action)


@pytest.mark.parametrize("hint", BACKUP_MISTAKES)
def test_each_wrong_backup_gets_a_hint_of_its_own_or_of_one_with_the_same_counts(hint):
    for student in SOME:
        drawn = variants.simulation(student)
        path, wrong = variants_path(student), counts_after(drawn, BACKUP_MISTAKES[hint])
        feedback = check_simulation(student, path, wrong)
        same = [h for h, f in BACKUP_MISTAKES.items() if counts_after(drawn, f) == wrong]
        right = wrong == after_by_hand(student, path)
        assert feedback if right else gets(feedback, same[0])


def variants_path(student):
    nodes = variants.simulation(student).nodes
    first = ranked(nodes, ())[-1][1]
    return ranked(nodes, first)[-1][1]


def test_shares_and_a_conclusion_that_does_not_follow_are_named():
    answer, conclusions = of_match(1, lambda *result: [e / 100 for e in share_interval(*result)], 3)
    assert gets(check_match(1, answer, conclusions), "give percent")
    feedback = check_match(1, of_match(1)[0], dict.fromkeys(conclusions, "not shown"))
    assert gets(feedback, "'not shown' does not follow against")


def test_a_node_with_wrong_counts_is_named():
    path = variants_path(1)
    right = after_by_hand(1, path)
    feedback = check_simulation(1, path, [*right[:3], (1, 7)])
    assert gets(feedback, "the new node does not hold (1, 7)")
    feedback = check_simulation(1, path, [right[0], (99, 0), *right[2:]])
    assert gets(feedback, f"node {path[0]} does not hold (99, 0)")


def test_one_leaf_too_many_or_too_few_is_named():
    nodes, read = variants.branches(5), leaves_read(5)
    value = max(map(min, nodes))
    cut = next(leaf for leaves in nodes for leaf in leaves if leaf not in read)
    feedback = check_tree(5, value, [*read, cut])
    assert gets(feedback, f"You read {cut}, which is cut.") or "too late" in feedback.message
    assert gets(check_tree(5, value, read[1:]), f"You do not read {nodes[0][0]}.")


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
        check_simulation(1, ..., ...),
        check_three(1, ..., ...),
        check_match(1, {"B": ..., "C": ...}, {"B": ..., "C": ...}),
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
        check_simulation(1, 7, 7),
        check_simulation(1, variants_path(1), 7),
        check_simulation(1, variants_path(1), [7, 8]),
        check_simulation(1, variants_path(1), [(7,), (8,), (9,), (10,)]),
        check_three(1, 7, 7),
        check_three(1, maxn(variants.three(1)).utilities, "7"),
        check_match(1, 7, 7),
        check_match(1, {"B": 7, "C": 8}, {"B": 7, "C": 8}),
        check_match(1, of_match(1)[0], {"B": 7, "C": 8}),
    ],
)
def test_an_answer_of_the_wrong_kind_gets_a_sentence(feedback):
    assert not feedback
    assert feedback.message
