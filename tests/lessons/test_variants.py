"""Personal variants: as hard for everybody, the same everywhere, and marked with the right hint."""

import math

import pytest

from arena import wilson_interval
from course.lessons import variants
from course.lessons.mcts.check import UCB_TABLE, ucb_scores
from course.lessons.variants.variant_kinds import COUNTS_AFTER_BACKUP
from gamelib import alphabeta, maxn, minimax, nim_winning_actions, paranoid
from tests.fresh import fresh
from tests.messages import names

STUDENTS = [*range(40), *(f"s{number}" for number in range(1234500, 1234540))]
SOME = STUDENTS[::10]  # where a variant takes some milliseconds
CLASS = [f"s{number}" for number in range(1234500, 1235000)]
KINDS = [getattr(variants, name) for name in variants.__all__]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=variants.__all__)


KNOWN = {}


def exercise_of(kind, student):
    """Return the exercise of a student, which is drawn once for all tests."""
    if (kind.name, student) not in KNOWN:
        KNOWN[kind.name, student] = kind(student)
    return KNOWN[kind.name, student]


# Who gets what


@every_kind
def test_variants_of_60_students_rarely_repeat(kind):
    assert len({repr(kind(student)) for student in CLASS[:60]}) >= 58


@every_kind
def test_student_number_ignores_case_and_spaces(kind):
    assert repr(kind(1234567)) == repr(kind(" 1234567 "))
    assert repr(kind("s1234567")) == repr(kind("S1234567"))


@pytest.mark.parametrize("student", [None, "", "  ", 1.5, True, ["s1"]])
def test_invalid_student_number_raises(student):
    with pytest.raises(ValueError, match=names("student must be")):
        variants.heaps(student)


@pytest.mark.parametrize("seed", ["0", "1"])
def test_variant_is_reproducible_in_new_process(seed):
    program = (
        "from course.lessons import variants\n"
        "print([getattr(variants, name)('s1234567') for name in variants.__all__])"
    )
    run = fresh("-c", program, PYTHONHASHSEED=seed)
    assert run.stdout.strip() == repr([kind("s1234567") for kind in KINDS])


# As hard for everybody


def test_paper_variant_has_11_nodes_and_three_results():
    for student in STUDENTS:
        position = variants.position_values(student)
        assert (position.rows, position.cols, len(position.legal_actions())) == (4, 4, 3)
        result = minimax(position)
        assert result.stats.nodes == 11
        assert sorted(bound.value for bound in result.values.values()) == [-1, 0, 1]


def test_tree_variant_has_two_cuts_and_nine_leaves():
    for student in STUDENTS:
        tree = variants.tree(student)
        result = alphabeta(tree)
        assert (result.stats.cutoffs, result.stats.leaves) == (2, 9)
        paths = [(node, leaf) for node in range(4) for leaf in range(3)]
        assert len({tree.play(*path).utility(0) for path in paths}) == 12


def test_heaps_variant_has_one_winning_action():
    for student in SOME:
        state = exercise_of(variants.heaps, student)
        assert len(nim_winning_actions(state)) == 1
        assert len(set(state.heaps)) == 4
        assert 1 <= min(state.heaps) <= max(state.heaps) <= 20


def test_ucb_variant_is_decided_by_scores_only():
    for student in STUDENTS:
        table = variants.ucb(student)
        scores = ucb_scores(table=table)
        _, second, first = sorted(scores.values())
        best = max(scores, key=scores.get)
        means = {action: total / visits for action, (visits, total) in table.items()}
        assert first - second >= 0.05
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


def test_simulation_variant_has_clear_path_and_consistent_counts():
    for student in SOME:
        nodes = exercise_of(variants.simulation, student).nodes
        assert len(nodes) == 10
        assert 14 <= nodes[()][0] <= 20
        for parent in [(), (0,), (1,), (2,)]:
            below = [nodes[path] for _, path in ranked(nodes, parent)]
            first = nodes[parent][0] - sum(visits for visits, _ in below)
            rest = nodes[parent][1] - sum(visits - total for visits, total in below)
            assert first == (1 if parent else 0)
            assert 0 <= rest <= first
        path = ()
        for _ in range(2):
            *_, (second, _), (first, path) = ranked(nodes, path)
            assert first - second >= 0.05


def test_maxn_and_paranoid_differ_on_three_variant():
    for student in SOME:
        tree = exercise_of(variants.three_players, student)
        assert len(maxn(tree).values) == 2
        assert maxn(tree).action != paranoid(tree).action
        assert maxn(tree).stats.leaves == 8


def test_match_variant_shows_only_smaller_difference():
    for student in SOME:
        shares = {}
        for wins, draws, losses in exercise_of(variants.match, student).values():
            games = wins + draws + losses
            points = wins + draws / 2
            low, high = wilson_interval(points, games)
            shares[low <= 0.5 <= high] = abs(points / games - 0.5), games
        assert shares[True][0] > shares[False][0]
        assert 60 <= shares[True][1] <= 100
        assert 300 <= shares[False][1] <= 500


# Marks


# tests/sheets/test_questions.py computes the correct answers again.
@every_kind
def test_right_answers_of_variant_pass(kind):
    for student in SOME:
        assert kind.check(student, *kind.answers(exercise_of(kind, student)))


def test_rounded_answers_of_variant_pass():
    for student in SOME:
        scores, best = variants.ucb.answers(variants.ucb(student))
        rounded = {action: round(score, 3) for action, score in scores.items()}
        assert variants.ucb.check(student, rounded, best)
        intervals, shown = variants.match.answers(variants.match(student))
        rounded = {name: [round(end, 1) for end in pair] for name, pair in intervals.items()}
        assert variants.match.check(student, rounded, shown)


# All but of heaps, where a mistake has no answer of its own, and of backpropagation, where some
# lead to the same counts.
PARTS = [(kind, place) for kind in KINDS for place, part in enumerate(kind.parts) if part.mistakes]
PARTS = [(kind, place) for kind, place in PARTS if kind.parts[place] is not COUNTS_AFTER_BACKUP]


@pytest.mark.parametrize(
    ("kind", "place", "hint"),
    [(kind, place, hint) for kind, place in PARTS for hint in kind.parts[place].mistakes],
)
def test_each_mistake_of_variant_gets_its_hint(kind, place, hint):
    part = kind.parts[place]
    for student in SOME:
        drawn = exercise_of(kind, student)
        answers = kind.answers(drawn)
        answers[place] = part.ask(part.mistakes[hint], drawn)
        feedback = kind.check(student, *answers)
        assert not feedback
        assert hint in feedback.message or kind is variants.heaps


def test_wrong_backup_gets_hint_with_same_counts():
    for student in SOME:
        drawn = exercise_of(variants.simulation, student)
        path, right = variants.simulation.answers(drawn)
        counted = {
            hint: COUNTS_AFTER_BACKUP.ask(wrong, drawn)
            for hint, wrong in COUNTS_AFTER_BACKUP.mistakes.items()
        }
        for counts in counted.values():
            feedback = variants.simulation.check(student, path, counts)
            same = [hint for hint, other in counted.items() if other == counts]
            assert feedback if counts == right else same[0] in feedback.message


def test_other_wrong_answer_of_variant_is_named():
    _, second = variants.tree.answers(variants.tree(5))
    assert "99 is not the right value" in variants.tree.check(5, 99, second).message
    with pytest.raises(ValueError, match=r"tree, value, list of the leaves"):
        variants.tree.check(5, 99)


@every_kind
@pytest.mark.parametrize("answer", [None, ..., 7, "7", [[7]], {"B": 7, "C": 8}, [(7,), (8,)]])
def test_answer_of_wrong_type_fails(kind, answer):
    answers = kind.answers(exercise_of(kind, 1))
    for place in range(len(answers)):
        assert not kind.check(1, *answers[:place], answer, *answers[place + 1 :])
