"""The table mutants x hints: a right program passes, a wrong one gets the hint made for it.

Run with `-v` to read the table: each test id is a check and the hint that a wrong program gets.
"""

from functools import cache
from itertools import permutations, product
from math import inf, log

import numpy
import pytest

from course.exercises import shrinking
from course.exercises.answer_key import AnswerKey, use_seed
from course.exercises.mistakes import with_edits
from course.exercises.shrinking import size
from course.lessons.alpha_beta import check as alphabeta
from course.lessons.alpha_beta import check_cuts
from course.lessons.alpha_beta import reference as alphabeta_right
from course.lessons.chance import check as chance
from course.lessons.framework import check as framework
from course.lessons.framework import reference as framework_right
from course.lessons.knowledge import check as knowledge
from course.lessons.learning import check as learning
from course.lessons.mcts import check as mcts
from course.lessons.mcts import reference as mcts_right
from course.lessons.minimax import check as minimax
from course.lessons.minimax import reference as minimax_right
from course.lessons.multiplayer import check as multiplayer
from course.lessons.multiplayer import reference as multiplayer_right
from course.lessons.solver import check as solver
from course.lessons.solver import reference as solver_right
from gamelib import Nim, TicTacToe, hurt_the_leader, nim_winning_actions


def of_small_boards(state, player):
    owners = [{state.cell(*divmod(cell, 3)) for cell in row} for row in alphabeta_right.LINES]
    return sum((1 - player not in row) - (player not in row) for row in owners) / 10


def check_scores(score):
    scores = mcts.ucb_scores(score)
    return mcts.check_ucb({action: round(value, 3) for action, value in scores.items()}, "y")


def check_rule(rule):
    return multiplayer.check_tie_rule(rule, multiplayer_right.tie_test)


def check_tie_test(test):
    return multiplayer.check_tie_rule(hurt_the_leader, test)


def check_changed_scores(answer):
    changed, selected = answer
    return mcts.check_ucb({**mcts.ucb_scores(), **changed}, selected)


def check_path(path):
    return mcts.check_select_and_expand(lambda root, c, first: path(root))


def check_deeper(answer):
    return minimax.check_deeper(*answer)


def check_not_most_visited(answer):
    return solver.check_not_most_visited(*answer)


def clamped(state, alpha, beta):
    return max(alpha, min(beta, alphabeta_right.cut_negamax(state, alpha, beta)))


def cut(*edits):
    return with_edits(alphabeta_right.cut_negamax, *edits)


def stored(*edits):
    return with_edits(alphabeta_right.table_negamax, *edits)


BACKWARDS = "in state.legal_actions()", "in list(state.legal_actions())[::-1]"
NO_BREAK = "            break", "            pass"
CALL = "cut_negamax(state.successor(action), -beta, -max(alpha, best))"
NEW_BEST = "        best = max(best, "
KINDS = '"upper" if best <= alpha else "lower" if best >= beta else "exact"'
STORES = f"    table[state] = best, {KINDS}"


def no_end(state, *arguments):
    """Search on where the game is over: there is no action to choose."""
    mine = [no_end(state.successor(action), *arguments) for action in state.legal_actions()]
    return max(mine)


def by_cells(cells):
    return lambda state, actions: sorted(actions, key=cells.index)


def looks_ahead(state, actions):
    for action in actions:
        state.successor(action).is_terminal()
    return alphabeta_right.good_order(state, actions)


def searched(state, actions):
    return sorted(actions, key=lambda a: alphabeta_right.cut_negamax(state.successor(a)))


def turned(agents):
    return [(*agents[turn:], *agents[:turn]) for turn in range(len(agents))]


class Early(framework_right.MisereSticks):
    def utilities(self):
        return (1, -1) if self.current_player == 0 else (-1, 1)


class AcceptsAll(framework_right.MisereSticks):
    def successor(self, action):
        return type(self)(max(0, self.sticks - (action or 0)), 1 - self.current_player)


class Broken(framework_right.MisereSticks):
    def legal_actions(self):
        return [1 / 0]


def counts(root):
    path = mcts_right.select_and_expand(root, 1, inf)
    for node in path:
        node.visits += 1
    return path


ASK_THE_END = "Ask `state.is_terminal()` first."
LESSONS = (framework, minimax, mcts, solver, multiplayer, chance, knowledge, learning)
# The checks that ask the questions of a key and do nothing else.
KEYED = [each for lesson in LESSONS for each in vars(lesson).values() if hasattr(each, "key")]
ENDLESS = [minimax.check_limited_minimax, minimax.check_negamax, multiplayer.check_limited_maxn]
RIGHT = [
    *((check, check.key.reference()) for check in KEYED),
    (framework.check_misere_sticks, framework_right.MisereSticks),
    (minimax.check_heuristic, minimax_right.my_heuristic),
    (check_deeper, (TicTacToe().play(8), 3, 4)),
    (alphabeta.check_my_alphabeta, alphabeta_right.my_alphabeta),
    (alphabeta.check_cut_negamax, alphabeta_right.cut_negamax),
    (alphabeta.check_cut_negamax, cut(BACKWARDS)),
    (alphabeta.check_at_least, alphabeta_right.at_least),
    (alphabeta.check_at_least, lambda s, n: alphabeta_right.cut_negamax(s, n - 0.5, n) >= n),
    (alphabeta.check_at_least, lambda s, n: numpy.bool_(alphabeta_right.at_least(s, n))),
    (alphabeta.check_order, alphabeta_right.good_order),
    (alphabeta.check_table_negamax, alphabeta_right.table_negamax),
    (mcts.check_score, lambda w, n, coins, c: w / n + c / n**0.5 * log(coins) ** 0.5),
    (check_scores, mcts.ucb1),
    (solver.check_nim_move, solver_right.nim_move),
    (solver.check_nim_move, lambda heaps: nim_winning_actions(Nim(heaps))[-1]),
    (check_not_most_visited, (TicTacToe.parse("X.O/..X/..."), 200)),
    (multiplayer.check_sure_value, multiplayer_right.sure_value),
    (check_rule, hurt_the_leader),
    (check_tie_test, multiplayer_right.tie_test),
    (multiplayer.check_schedule, multiplayer_right.schedule),
]
# Each check with the mistakes that it recognises: hint -> wrong program.
HINTS = [
    *((check, check.key.mistakes()) for check in KEYED if check not in ENDLESS),
    *((check, {**check.key.mistakes(), ASK_THE_END: no_end}) for check in ENDLESS),
    (
        framework.check_misere_sticks,
        {**framework.STICKS.mistakes(), framework.EARLY_PAYOFFS_MESSAGE: Early},
    ),
    (
        minimax.check_heuristic,
        {
            minimax.OUT_OF_RANGE_MESSAGE: lambda state, player: (
                20 * minimax_right.my_heuristic(state, player)
            ),
            minimax.SAME_FOR_BOTH_MESSAGE: lambda state, player: (
                minimax_right.my_heuristic(state, 0) + 0.01
            ),
            minimax.ASYMMETRY_MESSAGE: lambda state, player: (
                minimax_right.my_heuristic(state, player) + player / 100
            ),
            minimax.FLOORED_MESSAGE: lambda state, player: (
                minimax_right.my_heuristic(state, player) // 1
            ),
            minimax.REVERSED_MESSAGE: lambda state, player: (
                -minimax_right.my_heuristic(state, player)
            ),
            minimax.IGNORES_LINES_MESSAGE: of_small_boards,
            minimax.IGNORES_CELLS_MESSAGE: lambda state, player: 0,
        },
    ),
    (
        alphabeta.check_my_alphabeta,
        {**check_cuts.OWN.mistakes(), **check_cuts.OWN_PATHS.mistakes()},
    ),
    (
        alphabeta.check_cut_negamax,
        {
            **check_cuts.CUT.mistakes(),
            **check_cuts.CUT_PATHS.mistakes(),
            check_cuts.FAIL_HARD_MESSAGE: clamped,
            check_cuts.VISITED_TWICE_MESSAGE: cut((NEW_BEST, f"        {CALL}\n{NEW_BEST}")),
            "nothing is cut": cut(BACKWARDS, NO_BREAK),
            ASK_THE_END: no_end,
        },
    ),
    (
        alphabeta.check_at_least,
        {
            **alphabeta.LEAST.mistakes(),
            alphabeta.WIDE_WINDOW_MESSAGE: lambda state, number: (
                alphabeta_right.cut_negamax(state) >= number
            ),
        },
    ),
    (
        alphabeta.check_order,
        {
            "The plain order of the rows": lambda state, actions: list(actions),
            "bad cells": by_cells((1, 3, 5, 7, 0, 2, 6, 8, 4)),
            "look at the marks": by_cells((4, 0, 2, 6, 8, 1, 3, 5, 7)),
            "looking ahead costs more than it saves": looks_ahead,
            "An order must be cheap": searched,
            "each once": lambda state, actions: actions[1:],
        },
    ),
    (
        alphabeta.check_table_negamax,
        {
            **alphabeta.TABLE.mistakes(),
            alphabeta.NO_TABLE_MESSAGE: lambda *asked: alphabeta_right.cut_negamax(*asked[:3]),
            alphabeta.NO_EXACT_MESSAGE: stored((KINDS, '"lower" if best >= beta else "upper"')),
            alphabeta.NO_BOUNDS_MESSAGE: stored(
                (STORES, '    if alpha < best < beta:\n        table[state] = best, "exact"')
            ),
            alphabeta.FEW_SAVED_MESSAGE: stored(NO_BREAK),
        },
    ),
    (check_scores, mcts.UCB_MISTAKES),
    (solver.check_nim_move, solver.NIM.mistakes()),
    (
        multiplayer.check_sure_value,
        {**multiplayer.SURE.mistakes(), **multiplayer.SURE_NODES.mistakes(), ASK_THE_END: no_end},
    ),
    (check_rule, multiplayer.RULE.mistakes()),
    (
        check_tie_test,
        {
            "says False for a right rule": lambda rule: False,
            "says True for a wrong rule": lambda rule: rule((0, 1, 2), 0) > rule((0, 3, 0), 0),
        },
    ),
    (
        multiplayer.check_schedule,
        {
            "Who sits before you": turned,
            "each agent has one seat": lambda agents: list(product(agents, repeat=len(agents))),
            "The seat alone can decide": lambda agents: list(permutations(agents))[1:],
            "no game": lambda agents: [],
        },
    ),
    (
        check_deeper,
        {
            "as good as any": (TicTacToe(), 1, 2),
            "this game is over": (TicTacToe().play(0, 3, 1, 4, 2), 1, 2),
            "the depths must be": (TicTacToe().play(0), 2, 2),
            "of 3 x 3 cells": (TicTacToe(5, 5), 1, 2),
        },
    ),
    (
        check_not_most_visited,
        {
            "the solver plays it": (TicTacToe(), 100),
            "this game is over": (TicTacToe().play(0, 3, 1, 4, 2), 100),
            "find another": (TicTacToe.parse(".O./X../..X"), 200),
            "visits alone must lose here": (TicTacToe.parse("X../O../.XO"), 200),
            "simulations must be": (TicTacToe(), 0),
            "at most 9 cells": (TicTacToe(4, 4), 100),
        },
    ),
]
# Wrong answers with their own feedback, which may come with a hint.
THE_PATH = "return the list of the nodes of the path"
SAID = [
    (framework.check_misere_sticks, AcceptsAll, "is called, but the legal actions are"),
    (framework.check_misere_sticks, Broken, "raised ZeroDivisionError"),
    (framework.check_misere_sticks, TicTacToe, "the legal actions are"),
    (
        alphabeta.check_cut_negamax,
        cut(NO_BREAK),
        "needs no visit. Cut at node",
    ),
    (check_changed_scores, ({"x": ..., "z": ...}, ...), "no score yet for x, z"),
    (check_changed_scores, ({}, ...), "Which action is selected?"),
    (check_changed_scores, ({}, "x"), "'x' has not the highest one"),
    (check_changed_scores, ({"y": 1.8}, "y"), "the score of y is not 1.8"),
    (check_changed_scores, ({"y": "1.906"}, "y"), "a score is a number"),
    (check_changed_scores, ({"y": float("nan")}, "y"), "the score of y is not nan"),
    *(
        (check_changed_scores, (rounded, "y"), "give three digits after the point")
        for rounded in ({"x": 1.66, "y": 1.91, "z": 1.77}, {"x": 1.65, "y": 1.90, "z": 1.76})
    ),
    (check_path, lambda root: (root,), THE_PATH),
    (check_path, lambda root: [root.state], THE_PATH),
    (check_path, lambda root: [mcts.TreeNode(root.state)], THE_PATH),
    (check_path, lambda root: [root, *map(root.add, root.state.legal_actions())], "node 1 (new)"),
    (
        check_path,
        lambda root: [root, root.add(0), root.add(0)],
        "must be one without a child; got 0",
    ),
    (check_path, counts, "leave `visits` and `total` as they are"),
    (solver.check_nim_move, lambda heaps: (0, 9), "(0, 9) is no legal action"),
    (check_not_most_visited, (TicTacToe(), True), "simulations must be"),
    *(
        (check_not_most_visited, (TicTacToe.parse(image), 200), "rotated or mirrored")
        for image in ("X../..X/.O.", ".X./..O/X..", ".O./..X/X..")
    ),
    (check_not_most_visited, (TicTacToe(num_players=3), 100), "at most 9 cells"),
    (check_not_most_visited, (Nim((1, 2)), 100), "at most 9 cells"),
    (check_tie_test, lambda rule: True, "says True for a wrong rule"),
    (check_tie_test, lambda rule: rule(0), "raised TypeError"),
    (check_tie_test, lambda rule: None, "returned None"),
    (multiplayer.check_schedule, lambda agents: [tuple(agents)], "has seat 0 in 1 games, but"),
    (multiplayer.check_schedule, lambda agents: agents, "each agent has one seat"),
]
TABLE = [(check, hint, wrong) for check, hints in HINTS for hint, wrong in hints.items()]
AUTUMN = "autumn"  # another seed than that of the notebooks


def row_name(check, hint="passes"):
    return f"{check.__name__}: {hint[:70]}"


# These ask each of their mistakes many questions, most of them twice.  If a part of the
# questions tells a mistake from the right program and from all other mistakes, all of them do.
PART = {
    alphabeta.check_cut_negamax: 7,
    alphabeta.check_my_alphabeta: 7,
    alphabeta.check_table_negamax: 3,
    minimax.check_my_value: 3,
    minimax.check_limited_minimax: 3,
    multiplayer.check_sure_value: 3,
    chance.check_my_expected: 3,
    chance.check_expected_value: 3,
}


def feedback_on_part(check, wrong):
    """Return what a check says of a program that it asks only some questions, by PART."""
    cases, visited_by = AnswerKey.cases, check_cuts._visited_by.__wrapped__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(AnswerKey, "cases", lambda key: cases(key)[:: PART.get(check, 1)])
        patch.setattr(check_cuts, "_visited_by", visited_by)  # without the nodes of all questions
        return check(wrong)


@cache
def feedback_with_seed(check, hint, seed):
    """Return what a check says of a program of HINTS, which two tests ask for."""
    wrong = next(hints[hint] for other, hints in HINTS if other is check)
    with use_seed(seed):
        return feedback_on_part(check, wrong)


def assert_own_hint_only(check, hint, feedback):
    assert not feedback
    own = next(hints for other, hints in HINTS if other is check)
    given = [known for known in own if known in feedback.message]
    assert hint in given, feedback
    assert all(known in hint for known in given), f"another hint, too: {given}"


@pytest.mark.parametrize(("check", "right"), RIGHT, ids=[row_name(check) for check, _ in RIGHT])
def test_reference_solution_passes(check, right):
    feedback = check(right)
    assert feedback, feedback


@pytest.mark.parametrize(
    ("check", "hint", "wrong"), TABLE, ids=[row_name(check, hint) for check, hint, _ in TABLE]
)
def test_mistake_gets_its_own_hint_only(check, hint, wrong, monkeypatch):
    if check in MOST_LEAVES:  # below, these are asked for a small tree, which takes seconds
        monkeypatch.setattr(shrinking, "MAX_QUESTIONS", 1)
    assert_own_hint_only(check, hint, feedback_on_part(check, wrong))


@pytest.mark.parametrize(
    ("check", "wrong", "words"), SAID, ids=[row_name(check, words) for check, _, words in SAID]
)
def test_wrong_answer_is_explained(check, wrong, words):
    feedback = check(wrong)
    assert not feedback
    assert words in feedback.message


def test_strict_cuts_are_accepted_and_mentioned():
    feedback = alphabeta.check_cut_negamax(cut(("best >= beta", "best > beta")))
    assert feedback
    assert check_cuts.STRICT_CUTS_MESSAGE in feedback.message


@pytest.mark.parametrize("order", [looks_ahead, alphabeta_right.good_order])
def test_look_ahead_of_order_is_mentioned(order):
    feedback = alphabeta.check_order(order)
    assert (f"because {order.__name__} looks ahead" in feedback.message) == (order is looks_ahead)


# More leaves than these nobody needs to see the mistake: a cut below needs three.
TWO = [minimax.check_my_value, minimax.check_limited_minimax, minimax.check_negamax]
TWO += [multiplayer.check_my_vector, multiplayer.check_limited_maxn]
TWO += [chance.check_my_expected, chance.check_expected_value]
TWO += [alphabeta.check_at_least, alphabeta.check_table_negamax]
THREE = [alphabeta.check_my_alphabeta, alphabeta.check_cut_negamax, multiplayer.check_sure_value]
MOST_LEAVES = {**dict.fromkeys(TWO, 2), **dict.fromkeys(THREE, 3)}
# These need more: a branch of two leaves must occur twice, or a wide window must cost nodes.
MORE_LEAVES = {
    "as if its keys did not say who is to move": 4,
    "For yes or no you need no value": 5,
}


@pytest.mark.parametrize("check", MOST_LEAVES, ids=row_name)
def test_mistake_is_shown_on_small_tree(check):
    for hint, wrong in next(hints for other, hints in HINTS if other is check).items():
        more = [number for words, number in MORE_LEAVES.items() if words in hint]
        most = max([MOST_LEAVES[check], *more])
        feedback = feedback_with_seed(check, hint, AUTUMN)
        assert_own_hint_only(check, hint, feedback)
        if wrong is not no_end and feedback.state:
            assert size(feedback.state)[0] <= most, feedback.state


SLOW = [framework.check_positions_at, minimax.check_heuristic, check_deeper]
SLOW += [alphabeta.check_my_alphabeta, alphabeta.check_cut_negamax, alphabeta.check_order]
SLOW += [alphabeta.check_table_negamax, multiplayer.check_sure_value]


def test_other_seeds_show_same_mistakes():
    with use_seed(AUTUMN):
        for check, right in RIGHT:
            if check not in SLOW:
                assert check(right)
    for check, hint, _ in TABLE:
        if check not in SLOW:
            assert_own_hint_only(check, hint, feedback_with_seed(check, hint, AUTUMN))


def test_every_check_has_solution_and_mistakes():
    assert {check for check, _ in RIGHT} == {check for check, _ in HINTS}
