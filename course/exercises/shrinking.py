"""The smallest question that shows an error: it shrinks as long as the answer stays wrong.

Nobody follows a tree of 38 leaves by hand where one of two shows the same.  So a tree loses
branches and its numbers come nearer to 0, a game goes on towards its end, a number of plies falls.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import isfinite
from typing import Any

from course.exercises.feedback import Case, WrongAnswerError
from gamelib.games import Chance, GameTree
from gamelib.state import CHANCE, GameState

Find = Callable[[Case], str]
Make = Callable[..., Case]  # of the arguments of a question; ValueError where they make none
Size = tuple[float, float, float]  # leaves, nodes, and how far the numbers are from 0

MAX_QUESTIONS, MAX_SECONDS = 2_000, 1.0  # for one error
MAX_LEAVES = 200  # larger positions of a game are equally large


def shrink(case: Case, fault: str, make: Make, find: Find) -> tuple[Case, str]:
    """Return the smallest question found, from `case` on, that shows a fault; and the fault.

    find  says what is wrong with the answer to a question, "" if nothing is.  One that raises a
          WrongAnswerError has no answer: that is another error.
    """
    end, left = time.process_time() + MAX_SECONDS, MAX_QUESTIONS
    while True:
        for smaller in _smaller_cases(case, make):
            left -= 1
            if not left or time.process_time() > end:
                return case, fault
            with suppress(WrongAnswerError):
                if found := find(smaller):
                    case, fault = smaller, found
                    break
        else:
            return case, fault


def sort_key(case: Case) -> tuple[bool, bool, Size]:
    """Return a key that sorts questions: trees, then boards, then what is over; each from small."""
    states = [one for one in case.arguments if isinstance(one, GameState)]
    boards = [state for state in states if not isinstance(state, GameTree)]
    return any(state.is_terminal() for state in states), bool(boards), size(*case.arguments)


def size(*things: Any) -> Size:
    """Return how large the arguments of a question are: the sum of all."""
    sizes = [_size(thing) for thing in things]
    return sum(s[0] for s in sizes), sum(s[1] for s in sizes), sum(s[2] for s in sizes)


def _size(thing: Any) -> Size:
    if isinstance(thing, GameTree):
        if thing.is_terminal():
            leaf = as_lists(thing)
            return 1, 1, size(*leaf if isinstance(leaf, tuple) else (leaf,))[2]
        leaves, nodes, numbers = size(*map(thing.successor, thing.legal_actions()))
        return leaves, nodes + 1, numbers
    if isinstance(thing, GameState):
        return _leaves(thing, MAX_LEAVES), len(thing.legal_actions()), 0
    if isinstance(thing, int | float) and isfinite(thing):
        return 0, 0, abs(thing) + (thing < 0) / 2
    return 0, 0, 0


def _leaves(state: GameState, most: int) -> int:
    """Return how many ways to play on there are, or `most`."""
    if state.is_terminal():
        return 1
    found = 0
    for action in state.legal_actions():
        if found >= most:
            break
        found += _leaves(state.successor(action), most - found)
    return found


def _smaller_cases(case: Case, make: Make) -> Iterator[Case]:
    """Yield questions that are smaller than one, those first that are much smaller."""
    here = size(*case.arguments)
    for place, argument in enumerate(case.arguments):
        for smaller in _smaller(argument):
            arguments = (*case.arguments[:place], smaller, *case.arguments[place + 1 :])
            if size(*arguments) < here:
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
    """Return the node of a tree as lists, chances and leaves."""
    if tree.is_terminal():
        payoffs = tree.utilities()
        return payoffs[0] if len(payoffs) == 2 and not sum(payoffs) else payoffs
    children = [as_lists(tree.successor(action)) for action in tree.legal_actions()]
    if tree.current_player != CHANCE:
        return children
    return Chance(*((chance, children[n]) for n, chance in tree.chance_outcomes()))


def players_of(tree: GameTree) -> tuple[int, ...]:
    """Return who moves at a node of a tree, and then one ply after the other."""
    data = tree.to_json()
    node, turns, players = GameTree.parse(data["tree"], players=data["players"]), 0, data["players"]
    for action in data["path"]:
        turns += node.current_player != CHANCE
        node = node.successor(action)
    turns %= len(players)
    return (*players[turns:], *players[:turns])


def _smaller_nodes(node: Any) -> Iterator[Any]:
    """Yield nodes in the place of one: what lies below it, fewer children, smaller children."""
    if isinstance(node, tuple) and not isinstance(node, Chance):
        for place, number in enumerate(node):
            for smaller in _smaller_numbers(number):
                yield (*node[:place], smaller, *node[place + 1 :])
    elif not isinstance(node, list | Chance):
        yield from _smaller_numbers(node)
    else:
        leaf = node
        while isinstance(leaf, list | Chance):
            leaf = leaf[0]
        yield leaf
        yield from node
        # Two plies further on the same player is to move.
        yield from (far for child in node if isinstance(child, list | Chance) for far in child)
        yield from _drop_one_child(node)
        for place, child in enumerate(node):
            for smaller in _smaller_nodes(child):
                yield with_child(node, place, smaller)


def _drop_one_child(node: list[Any] | Chance) -> Iterator[Any]:
    if isinstance(node, Chance):
        if len(node) > 2:
            yield Chance(*((0.5, child) for child in node[:2]))
    elif len(node) > 1:
        for place in range(len(node)):
            yield [*node[:place], *node[place + 1 :]]


def with_child(node: list[Any] | Chance, index: int, child: Any) -> Any:
    """Return a node with another child in one place."""
    children = [*node[:index], child, *node[index + 1 :]]
    if isinstance(node, Chance):
        return Chance(*zip(node.probabilities, children, strict=True))
    return children


def _smaller_numbers(number: Any) -> Iterator[Any]:
    """Yield numbers nearer to 0, of the same kind; of a number and its negative the positive."""
    if number:
        yield from (type(number)(0), -number)
    if abs(number) > 1:
        yield from (type(number)(int(number / 2)), number - 1 if number > 0 else number + 1)
