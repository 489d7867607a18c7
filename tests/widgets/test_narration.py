"""The sentences of the stepper."""

import pytest
from textbook import HAND, THREE, TREE

from course.draw.words import narration
from course.watch import record
from gamelib import GameTree, alphabeta, maxn, mcts, minimax, negamax, paranoid

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
def test_every_step_has_a_sentence(run, sentences) -> None:
    search, state, options = run
    trace = record(search, state, **options)
    said = [narration(trace.at(step)) for step in range(len(trace) + 1)]
    assert all(one.endswith(".") and one[0] == one[0].upper() for one in said)
    for wanted in sentences:
        assert wanted in "\n".join(said)
