"""References against theory and the library, and what checks say beyond the table of mutants."""

import json
import random
from math import inf
from operator import gt
from pathlib import Path

import pytest

from course.kit.mistakes import FLAWS, flaw_line, listing
from course.kit.trees import random_tree
from course.kit.visits import TooManyVisitsError, Visits
from course.lessons.alpha_beta import reference
from course.lessons.alpha_beta.check import (
    FEW_SAVED,
    check_cut_negamax,
    check_table_negamax,
)
from course.lessons.alpha_beta.cuts import LENIENT
from course.lessons.alpha_beta.specimens import fair_choice, remembered_value
from gamelib import GameTree, IllegalActionError, TicTacToe, alphabeta, minimax

TEXTBOOK = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])

NOTEBOOK = Path(__file__).parents[2] / "notebooks/03_alpha_beta.ipynb"


def of_notebook(*cells):
    """Return what these cells of the notebook define, after its first one."""
    sources = {
        cell["id"]: "".join(cell["source"]) for cell in json.loads(NOTEBOOK.read_text())["cells"]
    }
    names = {}
    for cell in ("setup", *cells):
        exec(sources[cell], names)
    return names


# What the text says


def best_first(state, actions):
    return sorted(actions, key=lambda action: reference.cut_negamax(state.successor(action)))


def shuffled(seed):
    return lambda state, actions: random.Random(f"{seed} {state}").sample(actions, len(actions))


@pytest.mark.parametrize("values", [(0, 1), (-3, 3), (0, 10**6)])
@pytest.mark.parametrize(("branching", "depth"), [(2, 3), (2, 6), (3, 4), (4, 3), (5, 2)])
def test_no_order_reads_fewer_leaves_than_the_theorem_says_and_the_best_reads_as_many(
    branching, depth, values
):
    least = branching ** (depth // 2) + branching ** (depth - depth // 2) - 1
    for seed in range(10):
        state = random_tree(seed, branching=branching, depth=depth, values=values)
        for order in (None, shuffled(seed), best_first):
            for strict in (False, True):
                run = alphabeta(state, order=order, strict=strict)
                assert least <= run.stats.leaves <= branching**depth
                assert run.value == minimax(state).value
        assert alphabeta(state, order=best_first).stats.leaves == least


def test_a_limit_may_come_from_far_above():
    # Max is sure of 5 at the root, so three levels below it the 1 is enough to skip the 9.
    below = [8, [[1, 9], 7]]
    deep, alone = GameTree([5, below]), GameTree([below])
    assert alphabeta(deep).stats.nodes == minimax(deep).stats.nodes - 1
    assert alphabeta(alone).stats.nodes == minimax(alone).stats.nodes


def test_a_tree_is_counted_without_walking_through_it():
    names = of_notebook("lesson-positions", "tree-size")
    tree_size = names["tree_size"]
    assert tree_size(TicTacToe()) == 549_946
    late = names["middle"].play(3, 0, 0, 3, 0, 0, 1)
    assert tree_size(late) == minimax(late).stats.nodes


# Exercise 1


def negamax(state, alpha=-inf, beta=inf, ends=lambda best, beta: False):
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        best = max(best, -negamax(state.successor(action), -beta, -max(alpha, best), ends))
        if ends(best, beta):
            break
    return best


def test_cuts_on_less_only_are_accepted_and_named():
    feedback = check_cut_negamax(lambda *asked: negamax(*asked, ends=gt))
    assert feedback
    assert LENIENT in feedback.message


def test_a_node_too_many_is_named_with_the_reason():
    feedback = check_cut_negamax(negamax)
    assert "needs no visit. Cut at node" in feedback.message


def test_the_reference_visits_what_alpha_beta_visits():
    visits = Visits(TicTacToe())
    assert reference.cut_negamax(visits.root) == 0
    assert visits.nodes == alphabeta(TicTacToe()).stats.nodes == 18_297


# Exercise 4


def raised(state, alpha, beta, table, cut=True):
    """Raise alpha itself, and ask for the end before the table."""
    if state.is_terminal():
        return state.utility(state.current_player)
    if state in table:
        number, kind = table[state]
        if kind == "exact" or (number >= beta if kind == "lower" else number <= alpha):
            return number
    best, given = -inf, alpha
    for action in state.legal_actions():
        best = max(best, -raised(state.successor(action), -beta, -alpha, table, cut))
        alpha = max(alpha, best)
        if best >= beta and cut:
            break
    table[state] = best, "lower" if best >= beta else "upper" if best <= given else "exact"
    return best


def test_the_given_alpha_is_right():
    assert check_table_negamax(raised)


def test_a_table_without_cuts_visits_too_many():
    feedback = check_table_negamax(lambda *asked: raised(*asked, cut=False))
    assert not feedback
    assert FEW_SAVED in feedback.message


# Watched states


def test_a_node_is_visited_when_it_is_asked_and_again_when_it_is_made_again():
    visits = Visits(TEXTBOOK)
    child = visits.root.successor(1)
    assert (visits.paths, visits.made) == ([()], 1)
    assert child.current_player == 1
    assert visits.paths == [()]
    child.legal_actions()
    child.is_terminal()
    assert visits.paths == [(), (1,)]
    visits.root.successor(1).is_terminal()
    assert visits.paths == [(), (1,), (1,)]


def test_a_watched_state_is_as_good_as_the_state():
    state = TicTacToe().play(4, 0)
    watched = Visits(TicTacToe()).root.play(4, 0)
    assert (str(watched), repr(watched), hash(watched)) == (str(state), repr(state), hash(state))
    assert watched == Visits(state).root
    assert watched.cell(1, 1) == state.cell(1, 1)
    assert watched._repr_svg_() == state._repr_svg_()
    with pytest.raises(IllegalActionError):
        watched.successor(4)


def test_too_many_visits_end():
    with pytest.raises(TooManyVisitsError):
        minimax(Visits(TicTacToe(), most=1000).root)


# Listings


@pytest.mark.parametrize("specimen", [fair_choice, remembered_value])
def test_the_wrong_line_of_a_listing_is_the_flaw(specimen):
    number = flaw_line(specimen)
    line = listing(specimen).splitlines()[number - 1]
    assert line.split(maxsplit=1) == [str(number), FLAWS[specimen.__name__].line]
