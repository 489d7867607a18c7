"""A program that remembers right answers passes once, and fails where the questions are others.

Not here are checks that count visited nodes, where answers alone never pass (`check_my_alphabeta`,
`check_cut_negamax`, `check_at_least`, `check_order`, `check_table_negamax`, `check_sure_value`);
those whose questions look alike (`check_leaves_alone`, and `check_tie_rule` of a test); one that
asks all there is (`check_agent_z`); and `check_capstone`, whose openings have a seed of their own.
"""

from importlib import import_module
from itertools import pairwise

import pytest

from course.exercises.answer_key import use_seed
from course.exercises.catalogue import catalogue
from course.lessons.multiplayer import check as multiplayer
from course.lessons.multiplayer.reference import tie_test
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
    return multiplayer.check_tie_rule(rule, tie_test)


EXCEPT = ("leaves_alone", "my_alphabeta", "cut_negamax", "at_least", "order", "table_negamax")
EXCEPT += ("sure_value",)
SPECIAL = {"backpropagate": counts, "select_and_expand": walks, "misere_sticks": games}
SPECIAL["agent"] = busy


def rows():
    """Yield each check of one program, a right program, and who remembers what that does."""
    for one in catalogue().values():
        places = {place.partition(".reference:") for place in one.reference.values()}
        names = {name.partition(".")[0] for _, _, name in places}
        asked = one.check.removeprefix("check_")
        if len(names) == 1 and not one.answer and asked not in EXCEPT:
            lesson = f"course.lessons.{one.notebook[3:]}"
            check = getattr(import_module(f"{lesson}.check"), one.check)
            program = getattr(import_module(f"{lesson}.reference"), *names)
            yield check, program, SPECIAL.get(asked, answers)


ROWS = [*rows(), (with_tie_test, hurt_the_leader, answers)]


@pytest.mark.parametrize(("check", "program", "remember"), ROWS, ids=lambda x: x.__name__)
def test_remembered_answers_fail_with_another_seed(check, program, remember):
    learner, parrot = remember(program)
    assert check(learner), check(learner)
    assert check(parrot), check(parrot)
    with use_seed("autumn"):
        assert not check(parrot)


@pytest.mark.parametrize(
    ("lesson", "name"), [("alpha_beta", "at_least"), ("multiplayer", "sure_value")]
)
def test_answers_without_a_visit_do_not_pass(lesson: str, name: str) -> None:
    check = getattr(import_module(f"course.lessons.{lesson}.check"), f"check_{name}")
    learner, parrot = answers(getattr(import_module(f"course.lessons.{lesson}.reference"), name))
    assert check(learner)
    assert not check(parrot)
