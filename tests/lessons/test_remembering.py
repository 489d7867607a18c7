"""A program that remembers right answers passes once, and fails where the questions are others.

Not here are checks that count visited nodes, where answers alone never pass (`check_cut_negamax`
and `check_table_negamax`); those whose questions look alike (`check_leaves_alone`, and
`check_tie_rule` of a test); one that asks all there is (`check_agent_z`); and `check_capstone`,
whose openings have a seed of their own.
"""

from itertools import pairwise

import pytest

from course.kit.key import seeded
from course.lessons.alpha_beta import check as alpha_beta
from course.lessons.alpha_beta import reference as alpha_beta_right
from course.lessons.capstone import check as capstone
from course.lessons.capstone import reference as capstone_right
from course.lessons.chance import check as chance
from course.lessons.experiments import check as experiments
from course.lessons.experiments import reference as experiments_right
from course.lessons.framework import check as framework
from course.lessons.framework import reference as framework_right
from course.lessons.learning import check as learning
from course.lessons.mcts import check as mcts
from course.lessons.minimax import check as minimax
from course.lessons.minimax import reference as minimax_right
from course.lessons.multiplayer import check as multiplayer
from course.lessons.multiplayer import reference as multiplayer_right
from course.lessons.solver import check as solver
from course.lessons.solver import reference as solver_right
from gamelib import hurt_the_leader


def known(thing):
    """Return arguments as something that can be looked up."""
    return tuple(map(known, thing)) if isinstance(thing, list | range | tuple) else thing


def answers(program):
    """Return two programs that share a memory: one that fills it, and one that knows no more."""
    memory = {}

    def learner(*arguments):
        asked = known(arguments)
        memory[asked] = program(*arguments)
        return memory[asked]

    return learner, lambda *arguments: memory[known(arguments)]


def counts(program):
    """Return the same of a program that changes the nodes of a path."""
    memory = {}

    def learner(path, payoff):
        asked = repr((path, payoff))
        program(path, payoff)
        memory[asked] = [(node.visits, node.total) for node in path]

    def parrot(path, payoff):
        for node, counts in zip(path, memory[repr((path, payoff))], strict=True):
            node.visits, node.total = counts

    return learner, parrot


def walks(program):
    """Return the same of a program that walks down a tree and grows it."""
    memory = {}

    def learner(root, *options):
        asked = repr((root, options))
        path = program(root, *options)
        memory[asked] = [
            next(action for action, child in above.children.items() if child is node)
            for above, node in pairwise(path)
        ]
        return path

    def parrot(root, *options):
        path = [root]
        for action in memory[repr((root, options))]:
            path.append(path[-1].children.get(action) or path[-1].add(action))
        return path

    return learner, parrot


def games(program):
    """Return the same of a game."""
    memory = {}

    class Learner(program):
        def legal_actions(self):
            memory[self.sticks, self.current_player] = super().legal_actions()
            return memory[self.sticks, self.current_player]

    class Parrot(program):
        def legal_actions(self):
            return memory[self.sticks, self.current_player]

    return Learner, Parrot


def busy(program):
    """Return the same of an agent that must use its budget."""
    learner, parrot = answers(program)

    def agent(state):
        for _ in range(200):
            state.successor(state.legal_actions()[0])
        return parrot(state)

    return learner, agent


def with_tie_test(rule):
    return multiplayer.check_tie_rule(rule, multiplayer_right.tie_test)


LESSONS = (framework, minimax, mcts, solver, multiplayer, chance, learning)
ALIKE = [framework.check_leaves_alone]
CHANGING = {mcts.check_backpropagate: counts, mcts.check_select_and_expand: walks}
KEYED = [each for lesson in LESSONS for each in vars(lesson).values() if hasattr(each, "key")]
ROWS = [
    *((c, c.key.reference(), CHANGING.get(c, answers)) for c in KEYED if c not in ALIKE),
    (framework.check_misere_sticks, framework_right.MisereSticks, games),
    (minimax.check_heuristic, minimax_right.my_heuristic, answers),
    (alpha_beta.check_at_least, alpha_beta_right.at_least, answers),
    (alpha_beta.check_order, alpha_beta_right.good_order, answers),
    (solver.check_nim_move, solver_right.nim_move, answers),
    (multiplayer.check_sure_value, multiplayer_right.sure_value, answers),
    (with_tie_test, hurt_the_leader, answers),
    (multiplayer.check_schedule, multiplayer_right.schedule, answers),
    (experiments.check_beats_random, experiments_right.beats_random, answers),
    (capstone.check_four_heuristic, capstone_right.my_heuristic, answers),
    (capstone.check_agent, capstone_right.my_agent, busy),
]


@pytest.mark.parametrize(("check", "program", "remember"), ROWS, ids=lambda x: x.__name__)
def test_what_is_remembered_passes_once_and_fails_with_another_seed(check, program, remember):
    learner, parrot = remember(program)
    assert check(learner), check(learner)
    assert check(parrot), check(parrot)
    for seed in ("autumn", 1):
        with seeded(seed):
            assert not check(parrot), seed
