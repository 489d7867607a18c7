"""Checks of searches, whose results on random trees and small games are compared with the truth.

`check_search(my_search)` checks a search, as `check_game` checks a game.  The truth comes from
short programs that try everything.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from itertools import product
from math import isclose
from typing import Any, NamedTuple

from gamelib.games import Chance, ConnectFour, GameTree, Nim, TicTacToe
from gamelib.search.checks import WIN_SCORE, Evaluate
from gamelib.search.maxn import TieRule
from gamelib.search.ordering import Order
from gamelib.search.registry import parameters, search_info
from gamelib.search.result import Bound, SearchResult
from gamelib.state import CHANCE, Action, GameState

Vector = tuple[float, ...]
MAX_REFUSALS = 20  # of positions of a kind, after which the rest of this kind is skipped
OF_TWO = "two players"  # the kind of positions that every search must accept


def check_search(
    search: Callable[..., Any], *, trees: int = 200, seed: int = 0, **options: Any
) -> SearchReport:
    """Return a report on a search, with the first fault in a sentence if there is one.

    It searches `trees` random trees of each kind, and all positions of some small games.  These
    have ties, players who move twice in a row, large payoffs, chance, and three players.  A search
    may refuse all kinds but the first with a ValueError.  `options` are passed on to the search.

    A value of the kind "exact" must be exact, a bound must be a true bound, and the action of an
    exact result must be one of the best.  An estimate is compared if there is a `depth`.  The
    search must count its nodes, and must end if `stop` returns true.

    >>> from gamelib import check_search, negamax
    >>> bool(check_search(negamax, trees=5))
    True
    """
    if not callable(search):
        raise TypeError(f"search must be a function of a position, such as minimax; got {search!r}")
    checker = _Checker(search, options)
    try:
        checker.check_stop()
        for kind, positions in _positions(trees, seed).items():
            checker.check_kind(kind, positions)
    except _FaultError as fault:
        checker.fault, checker.error = str(fault), fault.__cause__
    return SearchReport(
        search=getattr(search, "__name__", type(search).__name__),
        positions=checker.positions,
        claims=checker.claims,
        refused=checker.refused,
        fault=checker.fault,
        error=checker.error,
    )


@dataclass(frozen=True)
class SearchReport:
    """The result of `check_search`, which is true if nothing is wrong, and prints as a sentence.

    positions  the number of positions that the search accepted
    claims     the number of values and bounds that were compared with the truth
    refused    the kinds of positions that it refuses, with its messages
    fault      the first fault in a sentence, or None
    error      the exception that the search raised, or None
    """

    search: str
    positions: int
    claims: int
    refused: Mapping[str, str] = field(default_factory=dict)
    fault: str | None = None
    error: BaseException | None = field(default=None, repr=False, compare=False)

    def __bool__(self) -> bool:
        return self.fault is None

    def __repr__(self) -> str:
        if self.fault is not None:
            return f"{self.search} is wrong: {self.fault}"
        kinds = ", ".join(self.refused)
        refuses = f"; it refuses some or all positions of these kinds: {kinds}" if kinds else ""
        if not self.claims:
            return f"{self.search} returned nothing that can be compared{refuses}."
        counts = f"{self.positions:,} positions, {self.claims:,} values"
        return f"{self.search} is right ({counts}){refuses}."


class _FaultError(Exception):
    """The error for a fault of a search, with a message that describes the fault."""


# --- the truth ---


class Rule(NamedTuple):
    """The rule by which values are backed up: the options of a search that its values depend on.

    opponents  see `SearchInfo.opponents`
    negates    whether an estimate at a node of the opponent is minus the opponent's estimate
    """

    opponents: str = "join"
    negates: bool = False
    depth: int | None = None
    evaluate: Evaluate | None = None
    quick_wins: bool = False
    order: Order | None = None
    ties: TieRule | None = None

    def of_the_whole_game(self) -> Rule:
        """Return the rule without a depth, and so without estimates."""
        return self._replace(depth=None, evaluate=None, negates=False)


class Truth(NamedTuple):
    """The true values of the root actions for the player to move, the least and the largest.

    The two differ only if other players may choose among equal payoffs of their own.
    """

    low: Mapping[Action, float]
    high: Mapping[Action, float]
    vectors: Mapping[Action, Vector]  # the value for every player, if it is known


@lru_cache(100_000)
def truth_of(state: GameState, rule: Rule) -> Truth:
    """Return the true values of the actions of a position."""
    player = state.current_player
    if rule.opponents == "own" and state.num_players > 2:
        return _truth_for_any_ties(state)
    children = {action: state.successor(action) for action in state.legal_actions()}
    if rule.opponents == "each":
        vectors = {action: backed_up(child, rule, 1) for action, child in children.items()}
        values = {action: vector[player] for action, vector in vectors.items()}
        return Truth(values, values, vectors)
    values = {action: guaranteed(child, player, rule, 1) for action, child in children.items()}
    return Truth(values, values, {})


def _truth_for_any_ties(state: GameState) -> Truth:
    player, low, high, vectors = state.current_player, {}, {}, {}
    for action in state.legal_actions():
        possible = all_backed_up(state.successor(action))
        low[action] = min(vector[player] for vector in possible)
        high[action] = max(vector[player] for vector in possible)
        if len(possible) == 1:
            (vectors[action],) = possible
    return Truth(low, high, vectors)


def guaranteed(
    state: GameState, player: int, rule: Rule, ply: int, replied: int | None = None
) -> float:
    """Return the value for `player` if the others do their worst; `replied` is who has replied."""
    if state.is_terminal():
        payoff = state.utilities()[player]
        return payoff * (WIN_SCORE - ply) if rule.quick_wins else payoff
    if ply == rule.depth:
        return estimated(state, player, rule)
    mover, actions = state.current_player, state.legal_actions()
    one_replies = rule.opponents == "one" and mover not in (player, CHANCE)
    default = rule.order(state, actions)[0] if rule.order else actions[0]
    if one_replies and replied not in (None, mover):
        actions = [default]
    values: dict[Action, float] = {}
    for action in actions:
        new = None if mover == player else replied
        if one_replies and replied is None and action != default:
            new = mover
        values[action] = guaranteed(state.successor(action), player, rule, ply + 1, new)
    if mover == CHANCE:
        return sum(weight * values[action] for action, weight in state.chance_outcomes())
    return max(values.values()) if mover == player else min(values.values())


def estimated(state: GameState, player: int, rule: Rule) -> float:
    """Return the estimate for `player` at the depth limit."""
    if rule.evaluate is None:
        return 0
    if rule.negates and state.current_player != player:
        return -rule.evaluate(state, state.current_player)
    return rule.evaluate(state, player)


def backed_up(state: GameState, rule: Rule, ply: int) -> Vector:
    """Return the value of MaxN for every player, if the first of the best actions is chosen."""
    if state.is_terminal():
        return state.utilities()
    players = range(state.num_players)
    if ply == rule.depth:
        return tuple(rule.evaluate(state, p) if rule.evaluate else 0 for p in players)
    mover = state.current_player

    def preference(vector: Vector) -> tuple[float, float]:
        return vector[mover], rule.ties(vector, mover) if rule.ties else 0

    vectors = [backed_up(state.successor(a), rule, ply + 1) for a in state.legal_actions()]
    return max(vectors, key=preference)


@lru_cache(100_000)
def all_backed_up(state: GameState) -> frozenset[Vector]:
    """Return all vectors of MaxN that some choice among equal actions leads to."""
    if state.is_terminal():
        return frozenset([state.utilities()])
    mover, possible = state.current_player, set[Vector]()
    for vectors in product(*(all_backed_up(state.successor(a)) for a in state.legal_actions())):
        best = max(vector[mover] for vector in vectors)
        possible |= {vector for vector in vectors if vector[mover] == best}
    return frozenset(possible)


# --- the positions ---

TURNS = [None, (0, 1), (1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 0, 0), (0,)]
TURNS_OF_THREE = [None, (2, 0, 1), (0, 0, 1, 2), (1, 2), (0, 1)]
PAYOFFS = [range(-9, 10), (-0.25, 0.5, 7.5), (Fraction(1, 3), Fraction(-1, 3), 0, 2)]
WINS = [(1, -1, -1), (-1, 1, -1), (-1, -1, 1), (0, 0, 0)]
COINS = [(a, b, c) for a in (-2, 0, 1) for b in (-1, 0, 3) for c in (-1, 0, 1)]


@cache
def _positions(trees: int, seed: int) -> dict[str, list[GameState]]:
    """Return the positions on which a search is checked, by their kind."""
    rng = random.Random(seed)
    small: list[GameState] = [TicTacToe(2, 2, 2), TicTacToe(1, 4, 2)]
    small += [Nim((1, 2)), Nim((2, 2), misere=True), ConnectFour(2, 3, 2)]
    small_of_three: list[GameState] = [TicTacToe(2, 2, 2, 3), Nim((1, 2), num_players=3)]
    return {
        OF_TWO: [
            *(_tree(rng, [-1, 0, 1], TURNS) for _ in range(trees)),
            *_reachable(small),
        ],
        "other payoffs": [_tree(rng, rng.choice(PAYOFFS), TURNS) for _ in range(trees)],
        "chance": [
            _tree(rng, rng.choice([range(-1, 2), range(-2, 3)]), TURNS, chance=0.3)
            for _ in range(trees)
        ],
        "three players": [
            *(_tree(rng, rng.choice([WINS, COINS]), TURNS_OF_THREE) for _ in range(trees)),
            *_reachable(small_of_three),
        ],
    }


def _tree(rng: random.Random, payoffs: Any, turns: list[Any], chance: float = 0) -> GameTree:
    branches = _branches(rng, rng.randint(1, 4), payoffs, chance)
    return GameTree(branches, rng.choice(turns))


def _branches(rng: random.Random, depth: int, payoffs: Any, chance: float) -> list[Any]:
    return [
        rng.choice(payoffs)
        if depth == 1 or rng.random() < 0.2
        else _rolled(_branches(rng, depth - 1, payoffs, chance), rng)
        if rng.random() < chance
        else _branches(rng, depth - 1, payoffs, chance)
        for _ in range(rng.randint(1, 3))
    ]


def _rolled(branches: list[Any], rng: random.Random) -> Chance:
    weights = [rng.randint(1, 4) for _ in branches]
    chances = [Fraction(weight, sum(weights)) for weight in weights]
    return Chance(*zip(chances, branches, strict=True))


def _reachable(starts: list[GameState]) -> Iterator[GameState]:
    """Yield every position that is not terminal and can be reached from these."""
    waiting, visited = list(starts), set(starts)
    while waiting:
        state = waiting.pop()
        if not state.is_terminal():
            yield state
            new = {state.successor(action): None for action in state.legal_actions()}
            waiting += [child for child in new if child not in visited]
            visited.update(new)


# --- the comparison ---


class _Checker:
    """Runs one search and compares its results; raises _FaultError at the first fault."""

    def __init__(self, search: Callable[..., Any], options: dict[str, Any]) -> None:
        self.search, self.options = search, options
        self.positions = self.claims = 0
        self.refused: dict[str, str] = {}
        self.fault: str | None = None
        self.error: BaseException | None = None
        info = search_info(search)
        opponents = "each" if info.values_for == "each" else info.opponents
        fields = {name: options[name] for name in Rule._fields if name in options}
        fields = {"depth": _default_depth(search), **fields, "opponents": opponents}
        self.rule = Rule(**fields, negates=info.values_for == "mover")

    def check_stop(self) -> None:
        """Check that the search stops when `stop` returns true, in a game that takes some time."""
        if "stop" not in parameters(self.search) or "stop" in self.options:
            return
        calls: list[bool] = []

        def stop() -> bool:
            calls.append(True)
            return True

        state = TicTacToe()
        result = self.result(state, stop=stop)
        if not calls:
            raise _FaultError("it accepts `stop`, but never calls it")
        if not result.stopped:
            raise _FaultError("when `stop` returns true, it must end, and set `stopped`")

    def check_kind(self, kind: str, positions: list[GameState]) -> None:
        """Compare all positions of a kind; a search may refuse them if they are special."""
        refusals, before = 0, self.positions
        for state in positions:
            if refusals >= MAX_REFUSALS and refusals > self.positions - before:
                return  # the search is not made for this kind
            try:
                result = self.result(state)
            except _FaultError as fault:
                if kind != OF_TWO and isinstance(fault.__cause__, ValueError):
                    refusals += 1
                    self.refused.setdefault(kind, str(fault.__cause__).partition("\n")[0])
                    continue
                raise
            self.positions += 1
            for fault_found in self.faults(state, result):
                where = f"{state!r}, players to move {_turns(state)}"
                raise _FaultError(f"for {where}, {fault_found}")

    def result(self, state: GameState, **more: Any) -> SearchResult:
        """Return the result of the search for a position; _FaultError if there is none."""
        try:
            result = self.search(state, **{**self.options, **more})
        except Exception as error:
            text = str(error).partition("\n")[0]
            raised = f"it raises {type(error).__name__}: {text}"
            raise _FaultError(f"for {state!r} {raised}") from error
        if not isinstance(result, SearchResult):
            raise _FaultError(f"it must return a SearchResult; for {state!r} it returns {result!r}")
        if result.action not in state.legal_actions():
            must = f"the action must be one of {list(state.legal_actions())}"
            raise _FaultError(f"{must}; for {state!r} it returns {result.action!r}")
        return result

    def faults(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield the faults of a result, a sentence for each."""
        yield from self.faults_of_counts(state, result)
        yield from self.faults_of_values(state, result)
        yield from self.faults_of_choice(state, result)

    def faults_of_counts(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield a sentence if nodes have not been counted."""
        stats = result.stats
        if not (stats.nodes or stats.simulations):
            yield "it counts no nodes"
        elif stats.nodes and not stats.simulations:
            visited = max(1 + len(result.values), stats.leaves + stats.evaluations)
            if stats.nodes < visited:
                yield f"it counts {stats.nodes} nodes, but it has visited at least {visited}"

    def truth(self, state: GameState, result: SearchResult, proven: bool) -> Truth | None:
        """Return the truth to compare with; None for an estimate that cannot be checked."""
        depth = result.stats.depth or self.rule.depth
        if proven:
            return truth_of(state, self.rule.of_the_whole_game())
        if depth is None or result.stopped or result.stats.simulations:
            return None
        return truth_of(state, self.rule._replace(depth=depth))

    def faults_of_values(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield a sentence for each fault in the values of the root actions."""
        for action, bound in result.values.items():
            truth = self.truth(state, result, "estimate" not in bound.kind)
            if truth is None:
                continue
            self.claims += 1
            low, high = truth.low[action], truth.high[action]
            if not _holds(bound, low, high):
                yield f"it returns {bound} for action {action!r}, but the value is {low}"
        if result.utilities is not None:
            truth = truth_of(state, self.rule.of_the_whole_game())
            vector = truth.vectors.get(result.action)
            if vector is not None and not _all_close(vector, result.utilities):
                yield f"it returns the utilities {result.utilities}, but the players get {vector}"

    def faults_of_choice(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield a sentence for each fault in the chosen action, its value and its line."""
        truth = self.truth(state, result, "estimate" not in result.kind)
        if truth is None or result.value is None:
            return
        self.claims += 1
        best = max(truth.low.values()), max(truth.high.values())
        if not _holds(Bound(result.value, result.kind), *best):
            yield f"it returns the value {Bound(result.value, result.kind)}, but it is {best[0]}"
        if result.kind in ("exact", "estimate") and not _close(truth.high[result.action], best[1]):
            value = f"action {result.action!r} has the value {truth.high[result.action]}"
            yield f"it does not choose a best action: {value}, and another action {best[1]}"
        for action in result.best_actions:
            if not _close(truth.high[action], best[1]):
                yield f"{action!r} is in its `best_actions`, but is not one of the best"
        yield from self.faults_of_line(state, result)

    def faults_of_line(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield a sentence if the line of an exact result leads to another payoff."""
        if result.line[:1] != (result.action,):
            yield f"its line {result.line} does not begin with its action {result.action!r}"
        try:
            end = state.play(*result.line)
        except ValueError:
            yield f"its line {result.line} has an action that is not legal"
            return
        if result.kind != "exact" or result.value is None or not end.is_terminal():
            return
        payoff: float = end.utility(state.current_player)
        if self.rule.quick_wins:
            payoff *= WIN_SCORE - len(result.line)
        if not _close(payoff, result.value):
            yield f"its line {result.line} leads to the payoff {payoff}, not to {result.value}"


def _default_depth(search: Callable[..., Any]) -> int | None:
    """Return the default depth of a search, or None."""
    try:
        option = inspect.signature(search).parameters.get("depth")
    except (TypeError, ValueError):  # a function that is written in C may have no signature
        return None
    return option.default if option is not None and isinstance(option.default, int) else None


def _turns(state: GameState) -> str:
    """Return the names of the players to move along the first branches of a position."""
    players: list[str] = []
    while not state.is_terminal():
        players.append(state.player_name(state.current_player))
        state = state.successor(state.legal_actions()[0])
    return ", ".join(players)


def _holds(bound: Bound, low: float, high: float) -> bool:
    """Return whether a bound is true for a value that is at least `low` and at most `high`."""
    if bound.kind.startswith("upper"):
        return high <= bound.value or _close(high, bound.value)
    if bound.kind.startswith("lower"):
        return low >= bound.value or _close(low, bound.value)
    return _close(low, bound.value) and _close(high, bound.value)


def _close(first: float, second: float) -> bool:
    """Return whether two values are equal, except for the rounding of floats."""
    if isinstance(first, float) or isinstance(second, float):
        return isclose(first, second, rel_tol=1e-9, abs_tol=1e-9)
    return first == second


def _all_close(first: Vector, second: Vector) -> bool:
    return len(first) == len(second) and all(map(_close, first, second))
