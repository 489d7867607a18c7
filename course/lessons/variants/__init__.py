"""Personal variants: an exercise on paper for each student number, all of them as hard.

A student number is any int, or a text such as "s1234567"; capitals and spaces around it do not
count.  The same number gives the same exercise on every computer.  How hard an exercise is, is
counted, and the same for everybody:

paper   11 nodes; one action wins, one draws, one loses; whoever reads the tree in one of the wrong
        ways of `PAPER_MISTAKES` gets another answer
tree    four min nodes with three leaves each; two cuts, three leaves never read; alpha rises once
        after the first node; every mistake of `VALUE_MISTAKES` and `READ_MISTAKES` shows
heaps   three different heaps of 3 to 12 stones, and one winning action; it is not on the largest
        heap, and no program of `NIM_MISTAKES` finds it
ucb     three actions, 10 to 13 visits; the one to select has neither the best mean nor the fewest
        visits, and leads by 0.05 at least
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

from course.kit.blame import shown
from course.kit.feedback import Feedback
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.kit.positions import open_positions
from course.lessons.mcts.check import UCB_MISTAKES, UCB_TABLE, UcbTable, judge_ucb, ucb_scores
from course.lessons.solver.check import NIM, nim_fault
from gamelib.games import GameTree, Nim, TicTacToe, nim_winning_actions
from gamelib.state import Action

Student = int | str


def _rng(kind: str, student: Student) -> random.Random:
    """Return a source of chance for a student; only its `random()` is the same everywhere."""
    if type(student) is not int and not (isinstance(student, str) and student.strip()):
        raise ValueError(f'student must be an int or a text like "s1234567"; got {student!r}')
    return random.Random(f"{kind} {str(student).strip().lower()}")


def _one_of(items: Sequence[Any], kind: str, student: Student) -> Any:
    return items[int(_rng(kind, student).random() * len(items))]


# Minimax on paper

Values = dict[Action, float]


def paper(student: Student) -> TicTacToe:
    """Return a position with three empty cells: what is each action worth for the mover?"""
    position: TicTacToe = _one_of(_paper_positions(), "paper", student)
    return position


def paper_values(position: TicTacToe) -> Values:
    """Return the value of each action for the player to move."""
    player = position.current_player

    def value(state: TicTacToe) -> float:
        if state.is_terminal():
            return state.utility(player)
        values = [value(state.successor(action)) for action in state.legal_actions()]
        return max(values) if state.current_player == player else min(values)

    return {action: value(position.successor(action)) for action in position.legal_actions()}


PAPER_MISTAKES = mistakes("variants", "paper_values", paper_values)


@cache
def _paper_positions() -> tuple[TicTacToe, ...]:
    """Return the positions with a win, a draw and a loss on which every wrong reading shows."""
    return tuple(
        position
        for position in open_positions(TicTacToe())
        if len(position.legal_actions()) == 3
        and set(paper_values(position).values()) == {-1, 0, 1}
        and _all_differ(paper_values(position), (f(position) for f in PAPER_MISTAKES.values()))
    )


@guarded
def check_paper(student: Student, answer: Mapping[Action, Any]) -> Feedback:
    """Return feedback on {action: value} for all actions of `paper(student)`, for the mover."""
    position, right = paper(student), paper_values(paper(student))
    if not isinstance(answer, Mapping) or set(answer) != set(right):
        words = f"give {{action: value}} for the actions {list(right)}; got {shown(answer)}."
        return Feedback(False, words, position)
    if any(value in (..., None) for value in answer.values()):
        blank = all(value in (..., None) for value in answer.values())
        return Feedback(False, "a value is still missing.", position, written=not blank)
    if dict(answer) == right:
        return Feedback(True, "all three values are right.", position)
    for hint, wrong in PAPER_MISTAKES.items():
        if dict(answer) == wrong(position):
            return Feedback(False, hint, position)
    action = next(action for action in right if answer[action] != right[action])
    words = f"after action {action} the value is not {shown(answer[action])}. Here is the position."
    return Feedback(False, f"{words} Who moves, and how does it end?", position.successor(action))


# Alpha-beta on paper

Branches = tuple[tuple[int, ...], ...]


def tree(student: Student) -> GameTree:
    """Return a tree, max at the root: its value, and the leaves that alpha-beta reads?"""
    return GameTree([list(leaves) for leaves in branches(student)])


def branches(student: Student) -> Branches:
    """Return the leaves of `tree(student)`: 12 different numbers from 1 to 40, by min node."""
    rng = _rng("tree", student)
    while True:
        leaves: dict[int, None] = {}
        while len(leaves) < 12:
            leaves[1 + int(rng.random() * 40)] = None
        numbers = list(leaves)
        found = tuple(tuple(numbers[start : start + 3]) for start in range(0, 12, 3))
        if _is_as_hard(found):
            return found


def _is_as_hard(nodes: Branches) -> bool:
    """Return whether one node is left after one leaf, one after two, and another raises alpha.

    Every wrong way of reading must show, and be told from the others.
    """
    lengths = [len(leaves) for leaves in _read(nodes)]
    value = _value(nodes)
    return (
        sorted(lengths[1:]) == [1, 2, 3]
        and value == min(nodes[lengths.index(3, 1)])
        and _all_differ(value, (wrong(nodes) for wrong in VALUE_MISTAKES.values()))
        and _all_differ(_flat(_read(nodes)), (_flat(f(nodes)) for f in READ_MISTAKES.values()))
    )


def _all_differ(right: Any, wrong: Iterable[Any]) -> bool:
    answers = [right, *wrong]
    return all(answers.count(answer) == 1 for answer in answers)


def _value(nodes: Branches) -> float:
    """Return the value of the root."""
    return max(map(min, nodes))


def _read(nodes: Branches) -> list[tuple[int, ...]]:
    """Return the leaves that alpha-beta reads in each node."""
    read: list[tuple[int, ...]] = []
    alpha = -1.0
    for leaves in nodes:
        cut = next((n for n, leaf in enumerate(leaves, 1) if leaf <= alpha), len(leaves))
        read.append(leaves[:cut])
        if cut == len(leaves):
            alpha = max(alpha, min(leaves))
    return read


VALUE_MISTAKES = mistakes("variants", "tree_value", _value)
READ_MISTAKES = mistakes("variants", "leaves_read", _read)


@guarded
def check_tree(student: Student, value: Any, read: Any) -> Feedback:
    """Return feedback on the value of `tree(student)` and on the leaves that alpha-beta reads.

    It goes from left to right.  All leaves differ, so a leaf is named by its number.
    """
    nodes, state = branches(student), tree(student)
    if value in (..., None) or read in (..., None):
        blank = value in (..., None) and read in (..., None)
        return Feedback(False, "give the value and the leaves.", state, written=not blank)
    if value != _value(nodes):
        hint = next((hint for hint, f in VALUE_MISTAKES.items() if f(nodes) == value), "")
        return Feedback(False, f"the value is not {shown(value)}. {hint}".strip(), state)
    if not isinstance(read, list | tuple | set) or not set(read) <= _flat(nodes):
        return Feedback(False, f"the value is right. Name leaves; got {shown(read)}.", state)
    right = _flat(_read(nodes))
    if set(read) == right:
        return Feedback(True, f"the value is right, and so are the {len(right)} leaves.", state)
    hints = (hint for hint, f in READ_MISTAKES.items() if _flat(f(nodes)) == set(read))
    return Feedback(False, f"the value is right. {_leaf_fault(nodes, set(read), hints)}", state)


def _leaf_fault(nodes: Branches, read: set[int], hints: Iterator[str]) -> str:
    """Return a hint, or the first leaf from the left that is wrong."""
    if hint := next(hints, ""):
        return hint
    leaf = next(leaf for leaves in nodes for leaf in leaves if leaf in read ^ _flat(_read(nodes)))
    if leaf in read:
        return f"You read {leaf}, which is cut. What is alpha there, and what came before it?"
    return f"You do not read {leaf}. What is alpha there? Is a leaf before it at or below alpha?"


def _flat(nodes: Collection[tuple[int, ...]]) -> set[int]:
    return {leaf for leaves in nodes for leaf in leaves}


# Nim

NIM_MISTAKES = NIM.mistakes()


def heaps(student: Student) -> Nim:
    """Return three heaps with one winning action: which is it?"""
    state: Nim = _one_of(_heaps(), "heaps", student)
    return state


@cache
def _heaps() -> tuple[Nim, ...]:
    return tuple(
        Nim(sizes)
        for few in combinations(range(3, 13), 3)
        for sizes in permutations(few)
        if _is_fair(sizes)
    )


def _is_fair(sizes: tuple[int, ...]) -> bool:
    """Return whether there is one winning action, and no mistake leads to it."""
    best = nim_winning_actions(Nim(sizes))
    if len(best) != 1 or sizes[best[0][0]] == max(sizes) or best[0][1] < 2:
        return False
    return all(mistake(sizes) != best[0] for mistake in NIM_MISTAKES.values())


@guarded
def check_heaps(student: Student, action: Any) -> Feedback:
    """Return feedback on the winning action (heap, take) of `heaps(student)`."""
    state = heaps(student)
    if action in (..., None):
        return Feedback(False, "give an action, (heap, take).", state, written=False)
    if action in nim_winning_actions(state):
        return Feedback(True, "that leaves a nim-sum of 0.", state)
    hint = next((hint for hint, f in NIM_MISTAKES.items() if f(state.heaps) == action), "")
    return Feedback(False, f"{nim_fault(state, action)} {hint}".strip(), state)


# UCB


def ucb(student: Student) -> UcbTable:
    """Return {action: (visits, total reward)}: what are the UCB scores, and which is selected?"""
    visits, totals = _one_of(_ucb_tables(), "ucb", student)
    return dict(zip("xyz", zip(visits, totals, strict=True), strict=True))


@cache
def _ucb_tables() -> tuple[tuple[tuple[int, ...], tuple[float, ...]], ...]:
    return tuple(
        (visits, totals)
        for few in ((5, 3, 2), (6, 3, 2), (6, 4, 2), (7, 4, 2))
        for visits in permutations(few)
        for totals in product(*([half / 2 for half in range(1, 2 * n)] for n in visits))
        if _decides(dict(zip("xyz", zip(visits, totals, strict=True), strict=True)))
    )


def _decides(table: UcbTable) -> bool:
    """Return whether the scores decide, and neither means nor visits alone do."""
    scores = ucb_scores(table=table)
    second, first = sorted(scores.values())[-2:]
    best = max(scores, key=scores.__getitem__)
    means = {action: total / visits for action, (visits, total) in table.items()}
    return (
        first - second >= 0.05
        and means[best] < max(means.values())
        and table[best][0] > min(visits for visits, _ in table.values())
        and all(_differs(table, mistake) for mistake in UCB_MISTAKES.values())
        and table != UCB_TABLE  # that one is solved in the notebook
    )


def _differs(table: UcbTable, mistake: Callable[[int, float, int], float]) -> bool:
    """Return whether a wrong formula gives a wrong score to every action."""
    right, wrong = ucb_scores(table=table), ucb_scores(mistake, table)
    return all(abs(right[action] - wrong[action]) > 0.01 for action in table)


@guarded
def check_ucb(student: Student, scores: Mapping[str, Any], selected: Any) -> Feedback:
    """Return feedback on the UCB scores of `ucb(student)`, to three digits, and on the choice."""
    return judge_ucb(ucb(student), scores, selected)
