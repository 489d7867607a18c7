"""Questions on traces, whose right answers are what the search does; and their sentences."""

from itertools import pairwise

import pytest
from textbook import HAND, THREE, TREE

from course.draw.wording import narration
from course.tracing import record
from course.tracing.events import Backpropagate
from course.widgets.step_questions import grade_answer, parse_value, questions
from gamelib.games import EinStein, GameTree, Nim, TicTacToe
from gamelib.search import alphabeta, expectiminimax, maxn, mcts, minimax, negamax, paranoid, star1
from tests.messages import names

DICE = GameTree.parse("{1/2: [2 4] 1/2: [-1 5]} {0.75: [0 3] 0.25: [8 9]}")
TRACES = [
    record(minimax, TREE),
    record(negamax, TREE),
    record(alphabeta, TREE),
    record(maxn, THREE),
    record(mcts, HAND, simulations=20, rng=1),
    record(mcts, HAND, simulations=20, rng=1, solver=True),
    record(expectiminimax, DICE),
    record(star1, DICE),
    record(mcts, EinStein(3, 3).successor(2), simulations=20, rng=1),
]


def test_select_is_right_at_start_of_simulation() -> None:
    trace = record(mcts, HAND, simulations=20, rng=1)
    asked = [each for each in of_kind(trace, "phase") if each.correct == "expand"]
    begins = [each for each in asked if isinstance(trace[each.step - 1], Backpropagate)]
    assert begins
    assert all(grade_answer(trace, each, "select") for each in begins)


def of_kind(trace, kind):
    found = questions(trace, max_questions=10**6).values()
    return [question for question in found if question.kind == kind]


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: repr(trace))
def test_exactly_the_right_choices_are_accepted(trace) -> None:
    asked = questions(trace)
    assert asked
    for question in asked.values():
        assert grade_answer(trace, question, str(question.correct)).correct
        assert len(question.explanation) > 20
        for choice in {*question.choices} - {question.correct, *question.ties}:
            judgement = grade_answer(trace, question, choice)
            assert not judgement
            assert question.explanation in judgement.explanation


def test_value_of_other_player_is_explained() -> None:
    trace = TRACES[0]
    question = next(q for q in of_kind(trace, "value") if q.path == (1,))
    assert "That is the highest of them." in grade_answer(trace, question, 6).explanation


def test_vector_is_accepted_as_answer() -> None:
    trace = TRACES[3]
    question = of_kind(trace, "value")[0]
    assert grade_answer(trace, question, "(1, 2, 3)")
    assert not grade_answer(trace, question, "3, 2, 1")
    assert not grade_answer(trace, question, 1)


def test_questions_are_balanced_over_kinds_and_answers() -> None:
    for search, state, options in (
        (alphabeta, TicTacToe.parse("X../.O./..."), {}),
        (mcts, Nim((1, 2)), {"simulations": 50, "solver": True, "rng": 1}),
    ):
        asked = questions(record(search, state, **options), max_questions=12)
        assert 9 <= len(asked) <= 12
        right = {"cut": set(), "phase": set()}
        for question in asked.values():
            right.setdefault(question.kind, set()).add(question.correct)
        assert len(right) == 3 or right.keys() == {"cut", "phase", "select"}
        assert right["cut"] == {"cut", "go on"} or "prove" in right["phase"]


def test_predictable_events_are_not_asked() -> None:
    for trace in TRACES:
        follow = {}
        for before, event in pairwise(trace):
            follow.setdefault(type(before), set()).add(type(event))
        for question in questions(trace).values():
            if question.kind == "phase":
                assert len(follow[type(trace[question.step - 1])]) > 1
            else:
                assert question.kind in ("select", "value", "cut")


def test_tied_answers_are_right() -> None:
    trace, ties = record(mcts, Nim((1, 2)), simulations=50, solver=True, rng=1), 0
    for question in of_kind(trace, "select"):
        table = {row.action: row for row in trace[question.step].table}
        for action in question.choices:
            equal = table[action].open and table[action].score == table[question.correct].score
            assert bool(grade_answer(trace, question, action)) == equal
            ties += equal and action != question.correct
    assert ties
    vectors = record(maxn, THREE)
    assert grade_answer(vectors, of_kind(vectors, "value")[0], "(4, 2, 1)")


def test_values_of_wrong_program_are_not_asked() -> None:
    def wrong(state):
        found = [wrong(state.successor(action)) for action in state.legal_actions()]
        return min(found) - len(state.path) if found else state.utility(0)

    assert [q.path for q in of_kind(record(wrong, TREE), "value")] == []


@pytest.mark.parametrize("answer", ["", "two", None, "1,x", "nan", "(1, nan)", float("nan")])
def test_answer_of_other_type_raises(answer) -> None:
    with pytest.raises(ValueError, match=names("answer must be a number")):
        parse_value(answer)


def test_parse_value_reads_text() -> None:
    found = [parse_value(text) for text in ("3", " -1 ", "-∞", "(1, 2)", 4)]
    assert found == [3, -1, -float("inf"), (1, 2), 4]


# The sentences of the stepper

LIMITED = GameTree([[3, [4, 5]], [2, 1]])

# What is recorded, and what is said among other things.
SAID = [
    ((minimax, TREE, {}), []),
    ((negamax, TREE, {}), []),
    (
        (alphabeta, TREE, {}),
        [
            "Cut: this node is at most 2, and max already has 3 elsewhere. "
            "Actions 1 and 2 need no visit.",
            "Action 0 is the best so far for min: 3. Beta falls to 3.",
            "Action 0 is the best so far for max: 3. Alpha rises to 3.",
        ],
    ),
    ((alphabeta, TREE, {"table": True, "depth": 1}), []),
    ((maxn, THREE, {}), []),
    ((paranoid, THREE, {}), []),
    ((mcts, HAND, {"simulations": 20, "rng": 1}), ["for X and"]),
    (
        (mcts, HAND, {"simulations": 30, "rng": 1, "solver": True}),
        ["Proven at the root: X wins. Why: X to move, the reply 5 wins at once."],
    ),
    (
        (minimax, LIMITED, {"depth": 2}),
        [
            "Node 0 → 0 is a leaf, worth 3 for max. It goes up to node 0.",
            "Node 0 → 1 is at the depth limit: the evaluation says ~ 0 for max. "
            "It goes up to node 0.",
            "Node 0 returns ~ 0 to the root.",
        ],
    ),
]


@pytest.mark.parametrize(("run", "sentences"), SAID)
def test_every_step_has_narration(run, sentences) -> None:
    search, state, options = run
    trace = record(search, state, **options)
    said = [narration(trace.at(step)) for step in range(len(trace) + 1)]
    assert all(one.endswith(".") and one[0] == one[0].upper() for one in said)
    for wanted in sentences:
        assert wanted in "\n".join(said)
