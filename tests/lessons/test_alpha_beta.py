"""References against theory and the library, and what checks say beyond the table of mutants."""

from math import inf

import pytest

from course.kit.flaws import FLAWS, flaw_line, listing
from course.kit.visits import TooManyVisitsError, Visits
from course.lessons.alpha_beta import check as exercises
from course.lessons.alpha_beta.check import (
    FEW_SAVED,
    NO_BOUNDS,
    NO_TABLE,
    check_all_best,
    check_cut_negamax,
    check_order,
    check_table_negamax,
)
from course.lessons.alpha_beta.cuts import HARD_CUTS, LENIENT
from course.lessons.alpha_beta.specimens import fair_choice, remembered_value
from gamelib import GameTree, IllegalActionError, TicTacToe, alphabeta, minimax

TEXTBOOK = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
CHECKS = {
    check_cut_negamax: exercises.cut_negamax,
    check_all_best: exercises.all_best,
    check_order: exercises.good_order,
    check_table_negamax: exercises.table_negamax,
}


# Exercise 1


def clamped(state, alpha, beta):
    return max(alpha, min(beta, exercises.cut_negamax(state, alpha, beta)))


def low_clamped(state, alpha, beta):
    return max(alpha, exercises.cut_negamax(state, alpha, beta))


@pytest.mark.parametrize("function", [clamped, low_clamped])
def test_fail_hard_is_told_from_fail_soft(function):
    assert HARD_CUTS in check_cut_negamax(function).message


def ordered(state, alpha=-inf, beta=inf, cut=True, strict=False, step=1):
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in list(state.legal_actions())[::step]:
        child = state.successor(action)
        best = max(best, -ordered(child, -beta, -max(alpha, best), cut, strict, step))
        if cut and (best > beta if strict else best >= beta):
            break
    return best


def test_cuts_on_less_only_are_accepted_and_named():
    feedback = check_cut_negamax(lambda *arguments: ordered(*arguments, strict=True))
    assert feedback
    assert LENIENT in feedback.message


def test_a_node_too_many_is_named_with_the_reason():
    feedback = check_cut_negamax(lambda *arguments: ordered(*arguments, cut=False))
    assert "needs no visit. Cut at node" in feedback.message


def test_the_reference_visits_what_alpha_beta_visits():
    visits = Visits(TicTacToe())
    assert exercises.cut_negamax(visits.root) == 0
    assert visits.nodes == alphabeta(TicTacToe()).stats.nodes == 18_297


# Exercise 2


@pytest.mark.parametrize(
    "search",
    [
        lambda state: alphabeta(state, strict=True).best_actions,
        lambda state: set(alphabeta(state, all_best=True).best_actions),
        lambda state: list(minimax(state).best_actions),
    ],
)
def test_every_right_way_to_find_the_ties_is_accepted(search):
    assert check_all_best(search)


def test_one_action_alone_is_no_list():
    assert "must return list" in check_all_best(lambda state: 4).message


# Exercise 3


# Exercise 4


def only_exact(state, alpha, beta, table):
    if state in table:
        return table[state]
    if state.is_terminal():
        return state.utility(state.current_player)
    best = -inf
    for action in state.legal_actions():
        child = state.successor(action)
        best = max(best, -only_exact(child, -beta, -max(alpha, best), table))
        if best >= beta:
            break
    if alpha < best < beta:
        table[state] = best
    return best


def memo_minimax(state, alpha, beta, table):
    if state not in table:
        if state.is_terminal():
            return state.utility(state.current_player)
        children = map(state.successor, state.legal_actions())
        table[state] = max(-memo_minimax(child, alpha, beta, table) for child in children), "exact"
    return table[state][0]


def raised(state, alpha, beta, table, given=False, terminal_first=False, cut=True):
    if terminal_first and state.is_terminal():
        return state.utility(state.current_player)
    if state in table:
        number, kind = table[state]
        if kind == "exact" or (number >= beta if kind == "lower" else number <= alpha):
            return number
    if state.is_terminal():
        return state.utility(state.current_player)
    best, first = -inf, alpha
    for action in state.legal_actions():
        child = state.successor(action)
        found = raised(child, -beta, -alpha, table, given, terminal_first, cut)
        best = max(best, -found)
        alpha = max(alpha, best)
        if best >= beta and cut:
            break
    low = first if given else alpha
    table[state] = best, "lower" if best >= beta else "upper" if best <= low else "exact"
    return best


@pytest.mark.parametrize("function", [only_exact, memo_minimax])
def test_a_table_without_bounds_is_not_enough(function):
    feedback = check_table_negamax(function)
    assert not feedback
    assert NO_BOUNDS in feedback.message or NO_TABLE in feedback.message


@pytest.mark.parametrize("terminal_first", [False, True])
def test_the_given_alpha_is_right(terminal_first):
    options = {"given": True, "terminal_first": terminal_first}
    assert check_table_negamax(lambda *arguments: raised(*arguments, **options))


def test_a_table_without_cuts_visits_too_many():
    feedback = check_table_negamax(lambda *arguments: raised(*arguments, given=True, cut=False))
    assert not feedback
    assert FEW_SAVED in feedback.message


# Watched states


def test_a_node_is_visited_when_it_is_asked():
    visits = Visits(TEXTBOOK)
    child = visits.root.successor(1)
    assert (visits.paths, visits.made) == ([()], 1)
    assert child.current_player == 1
    assert visits.paths == [()]
    child.legal_actions()
    child.is_terminal()
    assert visits.paths == [(), (1,)]


def test_a_repeated_visit_counts_again():
    visits = Visits(TEXTBOOK)
    for _ in range(2):
        visits.root.successor(0).is_terminal()
    assert visits.paths == [(), (0,), (0,)]


@pytest.mark.parametrize("state", [TEXTBOOK, TicTacToe().play(0, 4, 2)])
@pytest.mark.parametrize("search", [minimax, alphabeta])
def test_a_search_on_a_watched_state_finds_the_same(search, state):
    visits = Visits(state)
    result = search(visits.root)
    assert result == search(state)
    assert visits.nodes == result.stats.nodes


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


def test_a_program_without_a_flaw_has_no_wrong_line():
    with pytest.raises(ValueError, match="the specimens with a flaw are"):
        flaw_line(minimax)
