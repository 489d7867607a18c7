"""Shrink a question that shows an error, as long as the answer to it stays wrong.

Nobody can follow a tree of 38 leaves by hand, and often a tree of two leaves shows the same error.
So a tree loses branches and its numbers move towards 0, a game is played on towards its end, and a
number of plies is reduced.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache
from math import isfinite
from typing import Any

from course.exercises.feedback import Case, WrongAnswerError
from gamelib.games import Chance, GameTree
from gamelib.state import CHANCE, GameState

Find = Callable[[Case], str]
Make = Callable[..., Case]  # makes a question from its arguments; ValueError if they are invalid
Size = tuple[float, float, float]  # leaves, nodes, and the distance of the numbers from 0

MAX_QUESTIONS, MAX_SECONDS = 2_000, 1.0  # spent on one error
MAX_LEAVES = 200  # positions with more of them count as equally large


def shrink(case: Case, fault: str, make: Make, find: Find) -> tuple[Case, str]:
    """Return the smallest question found that shows a fault, and this fault.

    case, fault  the question to begin with, and what is wrong with the answer to it
    make         makes a question from its arguments
    find         returns what is wrong with the answer to a question, or ""; a question on which it
                 raises a WrongAnswerError is skipped, because that is another error
    """
    end, remaining = time.process_time() + MAX_SECONDS, MAX_QUESTIONS
    while True:
        for smaller in _smaller_cases(case, make):
            remaining -= 1
            if not remaining or time.process_time() > end:
                return case, fault
            with suppress(WrongAnswerError):
                if smaller_fault := find(smaller):
                    case, fault = smaller, smaller_fault
                    break
        else:
            return case, fault


def sort_key(case: Case) -> tuple[bool, bool, Size]:
    """Return a key that sorts trees before boards, and terminal states last; smaller ones first."""
    states = [argument for argument in case.arguments if isinstance(argument, GameState)]
    boards = [state for state in states if not isinstance(state, GameTree)]
    return any(state.is_terminal() for state in states), bool(boards), size(*case.arguments)


def size(*arguments: Any) -> Size:
    """Return the size of the arguments of a question, summed over all of them."""
    sizes = [_size(argument) for argument in arguments]
    return (
        sum(part[0] for part in sizes),
        sum(part[1] for part in sizes),
        sum(part[2] for part in sizes),
    )


def _size(thing: Any) -> Size:
    if isinstance(thing, GameState):
        try:
            hash(thing)
        except TypeError:  # a learner's own game may have states that cannot be kept
            return _measure_state(thing)
        return _kept_size(thing)
    if isinstance(thing, int | float) and isfinite(thing):
        return 0, 0, abs(thing) + (thing < 0) / 2
    return 0, 0, 0


def _measure_state(state: GameState) -> Size:
    if not isinstance(state, GameTree):
        return _leaves(state, MAX_LEAVES), len(state.legal_actions()), 0
    return _nodes_size(as_lists(state))


# Several questions are often about the same position.
_kept_size = lru_cache(maxsize=1_000)(_measure_state)


def _nodes_size(node: Any) -> Size:
    """Return the size of a node of nested lists, `Chance` nodes and leaves."""
    if not isinstance(node, list | Chance):
        return 1, 1, size(*node if isinstance(node, tuple) else (node,))[2]
    sizes = [_nodes_size(child) for child in node]
    leaves, nodes, numbers = (sum(part) for part in zip(*sizes, strict=True))
    return leaves, nodes + 1, numbers


def _leaves(state: GameState, max_leaves: int) -> int:
    """Return the number of ways to continue a game, at most `max_leaves`."""
    if state.is_terminal():
        return 1
    leaves = 0
    for action in state.legal_actions():
        if leaves >= max_leaves:
            break
        leaves += _leaves(state.successor(action), max_leaves - leaves)
    return leaves


def _smaller_cases(case: Case, make: Make) -> Iterator[Case]:
    """Yield questions that are smaller than `case`; the much smaller ones come first."""
    case_size = size(*case.arguments)
    for index, argument in enumerate(case.arguments):
        for smaller in _smaller(argument):
            arguments = (*case.arguments[:index], smaller, *case.arguments[index + 1 :])
            if size(*arguments) < case_size:
                try:
                    yield make(*arguments)
                except ValueError:
                    continue


def _smaller(thing: Any) -> Iterator[Any]:
    if isinstance(thing, GameTree):
        players = players_of(thing)
        nodes = (
            node for node in _smaller_nodes(as_lists(thing)) if isinstance(node, list | Chance)
        )
        yield from (GameTree(node, players) for node in nodes)
    elif isinstance(thing, GameState):
        after = map(thing.successor, thing.legal_actions())
        yield from (child for child in after if not child.is_terminal())
    elif isinstance(thing, int | float) and not isinstance(thing, bool) and isfinite(thing):
        yield from _smaller_numbers(thing)


def as_lists(tree: GameTree) -> Any:
    """Return the node of a tree as nested lists, `Chance` nodes and leaves."""
    if tree.is_terminal():
        payoffs = tree.utilities()
        return payoffs[0] if len(payoffs) == 2 and not sum(payoffs) else payoffs
    children = [as_lists(tree.successor(action)) for action in tree.legal_actions()]
    if tree.current_player != CHANCE:
        return children
    return Chance(*((probability, children[n]) for n, probability in tree.chance_outcomes()))


def players_of(tree: GameTree) -> tuple[int, ...]:
    """Return the players in the order in which they move, from the player to move at this node."""
    data = tree.to_json()
    node, turns, players = GameTree.parse(data["tree"], players=data["players"]), 0, data["players"]
    for action in data["path"]:
        turns += node.current_player != CHANCE
        node = node.successor(action)
    turns %= len(players)
    return (*players[turns:], *players[:turns])


def _smaller_nodes(node: Any) -> Iterator[Any]:
    """Yield smaller nodes to replace a node: its descendants, fewer children, smaller children."""
    if isinstance(node, tuple) and not isinstance(node, Chance):
        for index, number in enumerate(node):
            for smaller in _smaller_numbers(number):
                yield (*node[:index], smaller, *node[index + 1 :])
    elif not isinstance(node, list | Chance):
        yield from _smaller_numbers(node)
    else:
        leaf = node
        while isinstance(leaf, list | Chance):
            leaf = leaf[0]
        yield leaf
        yield from node
        # Grandchildren have the same player to move.
        yield from (
            grandchild for child in node if isinstance(child, list | Chance) for grandchild in child
        )
        yield from _drop_one_child(node)
        for index, child in enumerate(node):
            for smaller in _smaller_nodes(child):
                yield with_child(node, index, smaller)


def _drop_one_child(node: list[Any] | Chance) -> Iterator[Any]:
    if isinstance(node, Chance):
        if len(node) > 2:
            yield Chance(*((0.5, child) for child in node[:2]))
    elif len(node) > 1:
        for place in range(len(node)):
            yield [*node[:place], *node[place + 1 :]]


def with_child(node: list[Any] | Chance, index: int, child: Any) -> Any:
    """Return a node with the child at `index` replaced."""
    children = [*node[:index], child, *node[index + 1 :]]
    if isinstance(node, Chance):
        return Chance(*zip(node.probabilities, children, strict=True))
    return children


def _smaller_numbers(number: Any) -> Iterator[Any]:
    """Yield numbers of the same type that are nearer to 0; of -n and n, n counts as smaller.

    The steps towards 0 become shorter by half, so that few questions lead from a large number to
    the smallest one with the error.
    """
    if number:
        yield from (type(number)(0), -number)
    step = abs(number) / 2
    while step > 1:
        yield type(number)(int(number - step if number > 0 else number + step))
        step /= 2
    if abs(number) > 1:
        yield number - 1 if number > 0 else number + 1
