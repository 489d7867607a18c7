"""The sentences of the stepper."""

import pytest

from course.draw.narration import sentence
from course.draw.words import listed
from course.watch import record
from course.watch.events import Backpropagate, Cut, Proof, Select
from gamelib import GameTree, TicTacToe, alphabeta, maxn, mcts, minimax, negamax, paranoid

TREE = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
THREE = GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]])
START = TicTacToe.parse("O.X/XX./OO.")


def traces():
    return [
        record(minimax, TREE),
        record(negamax, TREE),
        record(alphabeta, TREE, table=True, depth=1),
        record(maxn, THREE),
        record(paranoid, THREE),
        record(mcts, START, simulations=20, rng=1),
        record(mcts, START, simulations=20, rng=1, solver=True),
    ]


@pytest.mark.parametrize("trace", traces(), ids=lambda trace: repr(trace))
def test_every_step_has_a_sentence(trace) -> None:
    said = [sentence(trace.at(step)) for step in range(len(trace) + 1)]
    assert all(one.endswith(".") and one[0] == one[0].upper() for one in said)


def test_a_cut_is_said_with_its_reason() -> None:
    trace = record(alphabeta, TREE)
    step = next(i for i, event in enumerate(trace, 1) if isinstance(event, Cut))
    assert sentence(trace.at(step)) == (
        "Cut: this node is at most 2, and max already has 3 elsewhere. "
        "Actions 1 and 2 need no visit."
    )


def test_a_change_of_the_window_is_said() -> None:
    trace = record(alphabeta, TREE)
    said = [sentence(trace.at(step)) for step in range(len(trace) + 1)]
    assert "Action 0 is the best so far for min: 3. Beta falls to 3." in said
    assert "Action 0 is the best so far for max: 3. Alpha rises to 3." in said


def test_both_terms_of_the_score_are_said() -> None:
    trace = record(mcts, TicTacToe(), simulations=10, rng=0)
    step = next(i for i, event in enumerate(trace, 1) if isinstance(event, Select))
    row = next(row for row in trace[step - 1].table if row.action == trace[step - 1].action)
    assert f"{row.mean:.2f} + {row.exploration:.2f} = {row.score:.2f}" in sentence(trace.at(step))


def test_the_rewards_of_all_players_are_said() -> None:
    trace = record(mcts, START, simulations=3, rng=0)
    step = next(i for i, event in enumerate(trace, 1) if isinstance(event, Backpropagate))
    assert "for X and" in sentence(trace.at(step))


def test_a_list_in_words() -> None:
    assert [listed(range(n)) for n in (1, 2, 3)] == ["0", "0 and 1", "0, 1 and 2"]


def test_a_proof_and_a_leaf_name_the_player() -> None:
    trace = record(mcts, START, simulations=30, rng=1, solver=True)
    said = [sentence(trace.at(i)) for i, e in enumerate(trace, 1) if isinstance(e, Proof)]
    assert "Proven at the root: X wins. Why: X to move, the reply 5 wins at once." in said
    tree = record(minimax, GameTree([[3, [4, 5]], [2, 1]]), depth=2)
    told = [sentence(tree.at(i)) for i in range(1, len(tree) + 1)]
    assert "Node 0 → 0 is a leaf, worth 3 for max. It goes up to node 0." in told
    limit = (
        "Node 0 → 1 is at the depth limit: the evaluation says ~ 0 for max. It goes up to node 0."
    )
    assert limit in told
    assert "Node 0 returns ~ 0 to the root." in told
