"""Every search of the registry, with each option and each pair of options, against the truth."""

import inspect
import random
import re
from functools import cache
from itertools import combinations

import pytest
from random_trees import all_backed_up, arbitrary, random_tree, security_value

from gamelib import (
    SEARCHES,
    Bound,
    SearchResult,
    SearchTree,
    Stats,
    Table,
    check_search,
    hurt_the_leader,
    minimax,
    take_a_win,
)
from gamelib.search import registry
from gamelib.search.checks import check_two_players
from gamelib.search.depth_first import DepthFirst
from gamelib.search.registry import SearchInfo, check_random_games
from gamelib.truth import Rule, backed_up, truth_of


def backwards(state, actions):
    return list(actions)[::-1]


def evenly(state):
    actions = state.legal_actions()
    return dict.fromkeys(actions, 1 / len(actions))


def after(calls):
    """Return a `stop` that returns true after a number of calls."""
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
    "ties": hurt_the_leader,
}
NEW = {"stop": lambda: after(2_000), "table": Table, "tree": SearchTree}  # one for each test
FEW = 10  # simulations that prove nothing, so that only errors and illegal actions show
SILENT = {"mcts", "lookahead", "random_choice"}  # they estimate, or say nothing of values
EXCLUDED = {"ties", "prune"}  # that `maxn` refuses together


def options_of(search):
    """Return a value for each option of a search: of a switch the one that is not the default."""
    found = {}
    for name, option in inspect.signature(search).parameters.items():
        if option.kind is option.KEYWORD_ONLY:
            switch = isinstance(option.default, bool)
            known = VALUES | NEW
            assert switch or name in known, f"write a value for the option {name!r} into VALUES"
            found[name] = not option.default if switch else known[name]
    return found


def choices():
    """Return each search with no option, with each one, and with each pair."""
    found = []
    for search in SEARCHES.values():
        options = options_of(search)
        budget = {name: options[name] for name in ("simulations", "rng") if name in options}
        for names in [(), *((name,) for name in options), *combinations(options, 2)]:
            if set(names) != EXCLUDED:
                chosen = budget | {name: options[name] for name in names}
                if "simulations" in budget and "solver" not in names:
                    chosen["simulations"] = FEW
                found.append(pytest.param(search, chosen, id="-".join([search.__name__, *names])))
    return found


@cache
def checked_once(state, *, hashed):
    """Check the game of a refused position, unless another search has refused it before."""
    check_random_games(state, hashed=hashed)


@pytest.mark.parametrize(("search", "options"), choices())
def test_searches_return_true_values(search, options, monkeypatch):
    monkeypatch.setattr(registry, "check_random_games", checked_once)
    # 200 trees of each of the four kinds, and 50 for a pair of options.  Most results of
    # simulations are estimates, which are not compared, so 20 are enough for these.
    trees = 20 if "simulations" in options else 200 if len(options) < 2 else 50
    options = {n: value() if NEW.get(n) is value else value for n, value in options.items()}
    report = check_search(search, trees=trees, **options)
    assert report, report
    silent = search.__name__ in SILENT or "stop" in options
    assert report.claims or silent, "no value was compared: has the search recorded any?"


def test_truth_equals_independent_programs():
    rng = random.Random(1)
    for tree in (random_tree(rng) for _ in range(200)):
        me, values = tree.current_player, truth_of(tree, Rule()).low
        for action in tree.legal_actions():
            child = tree.successor(action)
            assert values[action] == security_value(child, me)
            assert backed_up(child, Rule(), 1) in all_backed_up(child)


# What is right

INF = float("inf")


class Sorted(DepthFirst):
    """Minimax that sorts its actions before its loop."""

    def value(self, state, ply):
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.root_player)
        maximizing = state.current_player == self.root_player
        best, line = -INF if maximizing else INF, ()
        actions = sorted(self.actions(state))
        for action in actions:
            child, rest = self.value(state.successor(action), ply + 1)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
        return best, line


class Plain(DepthFirst):
    """Minimax whose children are evaluated in another method."""

    def value(self, state, ply):
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.root_player)
        choose = max if state.current_player == self.root_player else min
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
        best, line = -INF, ()
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
        return value if mover == self.root_player else -value


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
            return self.leaf(state, ply, self.root_player)
        maximizing = state.current_player == self.root_player
        best, line = -INF if maximizing else INF, ()
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

    search.description = SearchInfo(values_for=values_for)
    return search


@pytest.mark.parametrize("kind", [Sorted, Plain, Twice, Backwards, MTDf])
@pytest.mark.parametrize("options", [{}, {"depth": 2, "evaluate": arbitrary}])
def test_recursion_may_iterate_over_actions_freely(kind, options):
    report = check_search(with_class(kind), **options)
    assert report, report


@pytest.mark.parametrize("options", [{}, {"depth": 2, "evaluate": arbitrary}])
def test_null_window_recursion_uses_default_root_loop(options):
    report = check_search(with_class(NegaScout, -INF, INF, values_for="mover"), **options)
    assert report, report


# What is refused


class OffByOne(Plain):
    def value(self, state, ply):
        return super().value(state, ply + 1)


class Uncounted(Plain):
    def value(self, state, ply):
        found = super().value(state, ply)
        self.nodes -= 1
        return found


class LastIsLeftOut(Plain):
    def found(self, state, ply):
        actions = list(self.actions(state))
        return {a: self.value(state.successor(a), ply + 1) for a in actions[:-1] or actions}


class Contradiction(Plain):
    def search_root(self, state):
        value, line = super().search_root(state)
        return value + 1, line


def first(state, **result):
    return SearchResult(state.legal_actions()[0], stats=Stats(nodes=9), **result)


def no_action(state):
    return SearchResult(None, stats=Stats(nodes=1))


def nothing(state):
    return None


def raises(state):
    return max([], key=state.successor)


def uncounted(state):
    return SearchResult(state.legal_actions()[0])


def ignores_stop(state, *, stop=None):
    return first(state)


def goes_on(state, *, stop=None):
    stop = stop and stop()
    return first(state)


def boasts(state):
    return first(state, value=1)


def bounds_wrongly(state):
    return first(state, values={state.legal_actions()[0]: Bound(-10, "upper")})


REFUSED = [
    (with_class(OffByOne), {"depth": 2, "evaluate": arbitrary}, "it returns .* for action"),
    (with_class(Uncounted), {}, "it counts 1 nodes, but it has visited"),
    (with_class(LastIsLeftOut), {}, "it returns .* for action"),
    (with_class(Plain, 1), {}, "it raises TypeError"),
    (with_class(Contradiction), {}, "search_root returned .*, but the best value that it recorded"),
    (no_action, {}, "the action must be one of .*it returns None"),
    (nothing, {}, "it must return a SearchResult; .*it returns None"),
    (raises, {}, "it raises ValueError: max"),
    (uncounted, {}, "it counts no nodes"),
    (ignores_stop, {}, "it accepts `stop`, but never calls it"),
    (goes_on, {}, "when `stop` returns true, it must end, and set `stopped`"),
    (boasts, {}, "it returns the value = 1, but it is"),
    (bounds_wrongly, {}, "it returns <= -10 for action 0, but the value is"),
]


@pytest.mark.parametrize(("search", "options", "said"), REFUSED, ids=range(len(REFUSED)))
def test_check_search_reports_each_fault(search, options, said):
    report = check_search(search, trees=50, **options)
    assert not report
    assert re.search(said, repr(report)), report


def test_report_lists_refused_kinds():
    report = check_search(minimax, trees=50)
    assert re.fullmatch(r"minimax is right \([\d,]+ positions, .*kinds: chance, .*\.", repr(report))
    assert report.refused["three players"].startswith("minimax needs a game of two players")


def test_check_search_with_a_number_raises():
    with pytest.raises(TypeError, match=r"search must be a function .* got 3"):
        check_search(3)
