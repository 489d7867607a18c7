"""References against theory and the library; what checks say is in the tables of test_mutants."""

import json
import random
from pathlib import Path

import pytest
from textbook import TREE

from course.exercises.tree_exercises import random_tree
from course.exercises.visit_counter import TooManyVisitsError, VisitCounter
from course.lessons.alpha_beta import reference
from gamelib import IllegalActionError, TicTacToe, alphabeta, minimax

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
def test_best_order_reads_the_theoretical_minimum(branching, depth, values):
    least = branching ** (depth // 2) + branching ** (depth - depth // 2) - 1
    for seed in range(10):
        state = random_tree(seed, branching=branching, depth=depth, values=values)
        for order in (None, shuffled(seed), best_first):
            for strict in (False, True):
                run = alphabeta(state, order=order, strict=strict)
                assert least <= run.stats.leaves <= branching**depth
                assert run.value == minimax(state).value
        assert alphabeta(state, order=best_first).stats.leaves == least


def test_tree_size_equals_nodes_of_minimax():
    names = of_notebook("lesson-positions", "tree-size")
    tree_size = names["tree_size"]
    assert tree_size(TicTacToe()) == 549_946
    late = names["middle"].play(3, 0, 0, 3, 0, 0, 1)
    assert tree_size(late) == minimax(late).stats.nodes


# Exercise 1


def test_reference_visits_nodes_of_alpha_beta():
    visits = VisitCounter(TicTacToe())
    assert reference.cut_negamax(visits.root) == 0
    assert visits.nodes == alphabeta(TicTacToe()).stats.nodes == 18_297


# Watched states


def test_visit_counted_at_first_query_of_each_successor():
    visits = VisitCounter(TREE)
    child = visits.root.successor(1)
    assert (visits.paths, visits.generated) == ([()], 1)
    assert child.current_player == 1
    assert visits.paths == [()]
    child.legal_actions()
    child.is_terminal()
    assert visits.paths == [(), (1,)]
    visits.root.successor(1).is_terminal()
    assert visits.paths == [(), (1,), (1,)]


def test_counting_state_behaves_like_its_state():
    state = TicTacToe().play(4, 0)
    visits = VisitCounter(TicTacToe())
    watched = visits.root.play(4, 0)
    assert (str(watched), repr(watched), hash(watched)) == (str(state), repr(state), hash(state))
    assert watched == visits.root.play(4, 0)
    assert watched.cell(1, 1) == state.cell(1, 1)
    assert watched._repr_svg_() == state._repr_svg_()
    with pytest.raises(IllegalActionError):
        watched.successor(4)


def test_states_of_two_counters_are_unequal():
    one, two = (VisitCounter(TicTacToe()).root for _ in range(2))
    assert one.play(4) != two.play(4)  # so that no cache of one run answers in the next


def test_exceeding_max_nodes_raises():
    with pytest.raises(TooManyVisitsError):
        minimax(VisitCounter(TicTacToe(), max_nodes=1000).root)
