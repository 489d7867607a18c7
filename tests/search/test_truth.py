"""Every search of the registry, with each option and each pair of options, against the truth."""

import inspect
import random
from itertools import combinations

import pytest
from trees import all_backed_up, arbitrary, random_tree, security_value

from gamelib import (
    SEARCHES,
    SearchTree,
    Table,
    check_search,
    hurt_the_leader,
    take_a_win,
)
from gamelib.search.depth_first import DepthFirst
from gamelib.search.limits import check_two_players
from gamelib.search.registry import Description
from gamelib.truth import Rule, backed_up, truth_of


def backwards(state, actions):
    return list(actions)[::-1]


def evenly(state):
    actions = state.legal_actions()
    return dict.fromkeys(actions, 1 / len(actions))


def after(calls):
    """Return a `stop` that returns true after so many calls."""
    left = [calls]

    def stop():
        left[0] -= 1
        return left[0] < 0

    return stop


# A value for each option that is not a switch.  An option of a new name needs a line here.
VALUES = {
    "c": 0.5,
    "depth": 2,
    "evaluate": arbitrary,
    "nodes": 9,
    "order": backwards,
    "priors": evenly,
    "progress": lambda share, best: None,
    "rng": 1,
    "rollout": take_a_win,
    "seconds": 60,
    "simulations": 40,
    "stop": after(2_000),
    "table": Table(),
    "ties": hurt_the_leader,
    "tree": SearchTree(),
}
EXCLUDED = {"ties", "prune"}  # that `maxn` refuses together


def options_of(search):
    """Return a value for each option of a search: of a switch the one that is not the default."""
    found = {}
    for name, option in inspect.signature(search).parameters.items():
        if option.kind is option.KEYWORD_ONLY:
            switch = isinstance(option.default, bool)
            assert switch or name in VALUES, f"write a value for the option {name!r} into VALUES"
            found[name] = not option.default if switch else VALUES[name]
    return found


def choices():
    """Yield each search with no option, with each one, and with each pair."""
    for search in SEARCHES.values():
        options = options_of(search)
        budget = {name: options[name] for name in ("simulations", "rng") if name in options}
        for names in [(), *((name,) for name in options), *combinations(options, 2)]:
            if set(names) != EXCLUDED:
                chosen = budget | {name: options[name] for name in names}
                yield pytest.param(search, chosen, id="-".join([search.__name__, *names]))


@pytest.mark.parametrize(("search", "options"), choices())
def test_all_claims_of_a_search_are_true(search, options):
    # 200 trees of each kind; for a pair of options, and for simulations, 50 of each of the four.
    trees = 200 if len(options) < 2 else 50
    report = check_search(search, trees=trees, **options)
    assert report, report


def test_the_truth_is_that_of_other_programs():
    rng = random.Random(1)
    for tree in (random_tree(rng) for _ in range(200)):
        me, values = tree.current_player, truth_of(tree, Rule()).low
        for action in tree.legal_actions():
            child = tree.successor(action)
            assert values[action] == security_value(child, me)
            assert backed_up(child, Rule(), 1) in all_backed_up(child)


# What is found


class Plain(DepthFirst):
    """Minimax that goes through its actions as a list."""

    def value(self, state, ply):
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.me)
        choose = max if state.current_player == self.me else min
        found = self.found(state, ply)
        action = choose(found, key=lambda a: found[a][0])
        return found[action][0], (action, found[action][1])

    def found(self, state, ply):
        actions = sorted(self.actions(state))
        return {a: self.value(state.successor(a), ply + 1) for a in actions}


class Twice(Plain):
    def found(self, state, ply):
        super().found(state, ply)
        return super().found(state, ply)


class Backwards(Plain):
    def found(self, state, ply):
        actions = list(self.actions(state))[::-1]
        return {a: self.value(state.successor(a), ply + 1) for a in actions}


class NegaScout(DepthFirst):
    """Reinefeld 1983: the first action with the window, the others with a null window first."""

    def value(self, state, ply, alpha, beta):
        self.nodes += 1
        mover = state.current_player
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, mover)
        best, line = -float("inf"), ()
        for number, action in enumerate(self.actions(state)):
            low = max(alpha, best)
            high = beta if number == 0 else low + 1e-9
            child, rest = self.after(state, action, ply, low, high)
            if number and low < child < beta:
                child, rest = self.after(state, action, ply, child - 1e-9, beta)
            if child > best:
                best, line = child, (action, rest)
            if best >= beta:
                self.cutoffs += 1
                break
        return best, line

    def after(self, state, action, ply, low, high):
        successor = state.successor(action)
        if successor.current_player == state.current_player:
            return self.value(successor, ply + 1, low, high)
        child, rest = self.value(successor, ply + 1, -high, -low)
        return -child, rest

    def for_root(self, value, mover):
        return value if mover == self.me else -value


class MTDf(DepthFirst):
    """Plaat and others 1996: null windows around a guess, until the bounds meet."""

    def value(self, state, ply):
        low, high, guess = -1e9, 1e9, 0
        while low < high:
            beta = guess + 1e-9 if guess == low else guess
            guess, line = self.bounded(state, ply, beta - 1e-9, beta)
            low, high = (low, guess) if guess < beta else (guess, high)
        return guess, line

    def bounded(self, state, ply, alpha, beta):
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.me)
        maximizing = state.current_player == self.me
        best, line = -float("inf") if maximizing else float("inf"), ()
        for action in self.actions(state):
            child, rest = self.bounded(state.successor(action), ply + 1, alpha, beta)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
            if best >= beta if maximizing else best <= alpha:
                break
        return best, line


def with_class(kind, *window, values_for="root"):
    """Return a search that runs a class, as CONTRIBUTING says how to write one."""

    def search(state, *, depth=None, evaluate=None, **signals):
        if values_for == "mover":
            check_two_players(state, "search")
        return kind(state, depth, evaluate, **signals).run(*window)

    search.description = Description(values_for=values_for)
    return search


INF = float("inf")


@pytest.mark.parametrize("kind", [Plain, Twice, Backwards, MTDf])
@pytest.mark.parametrize("options", [{}, {"depth": 2, "evaluate": arbitrary}])
def test_a_recursion_may_go_through_its_actions_as_it_likes(kind, options):
    report = check_search(with_class(kind), **options)
    assert report, report


@pytest.mark.parametrize("options", [{}, {"depth": 2, "evaluate": arbitrary}])
def test_a_recursion_with_a_null_window_needs_no_loop_for_the_root(options):
    report = check_search(with_class(NegaScout, -INF, INF, values_for="mover"), **options)
    assert report, report
