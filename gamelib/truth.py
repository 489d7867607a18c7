"""Whether a search is right: what it says of random trees and small games, compared with the truth.

`check_search(my_search)` does for a search what `check_game` does for a game.  The truth comes from
the short programs of `Truth`, which try everything.
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
MAX_REFUSALS = 20  # of positions of a kind, before the others of this kind are left out
OF_TWO = "two players"  # the kind of positions that every search must answer


def check_search(
    search: Callable[..., Any], *, trees: int = 200, seed: int = 0, **options: Any
) -> SearchReport:
    """Return a report on a search: the first thing that is wrong, in a sentence.

    `trees` random trees of each kind are searched, and all positions of some small games.  There
    are ties, players who move twice in a row, large payoffs, chance, and three players.  A search
    may refuse all but the first kind with a ValueError.  `options` are passed on to the search.

    A value that is said to be exact must be exact, a bound must be a true bound, and the action of
    an exact result must be one of the best.  A value of an estimate is compared if there is a
    `depth`.  The search must count its nodes, and must end if `stop` returns true.
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
    """What `check_search` found: true if nothing is wrong; prints as a sentence.

    positions  how many positions the search has answered
    claims     how many values and bounds were compared with the truth
    refused    the kinds of positions that it refuses, with its words
    fault      what is wrong, in a sentence, or None
    error      what the search raised, or None
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
            return f"{self.search} says nothing that can be compared{refuses}."
        seen = f"{self.positions:,} positions, {self.claims:,} values"
        return f"{self.search} is right ({seen}){refuses}."


class _FaultError(Exception):
    """Something is wrong with a search; the message is the sentence that says what."""


# --- the truth ---


class Rule(NamedTuple):
    """By which rule a value is backed up: the options of a search on which its values depend.

    opponents  see `SearchInfo.opponents`
    negates    an estimate is that for the player to move, negated if that is the opponent
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
    """The true value of each root action, for the player to move there, as it is at least and most.

    The two differ only if other players may choose among equal payoffs of their own.
    """

    low: Mapping[Action, float]
    high: Mapping[Action, float]
    vectors: Mapping[Action, Vector]  # what every player gets, where that is known


@lru_cache(100_000)
@lru_cache(10_000)
def truth_of(state: GameState, rule: Rule) -> Truth:
    """Return the truth about the actions of a position."""
    me = state.current_player
    if rule.opponents == "own" and state.num_players > 2:
        return _truth_for_any_ties(state)
    children = {action: state.successor(action) for action in state.legal_actions()}
    if rule.opponents == "each":
        vectors = {action: backed_up(child, rule, 1) for action, child in children.items()}
        values = {action: vector[me] for action, vector in vectors.items()}
        return Truth(values, values, vectors)
    values = {action: guaranteed(child, me, rule, 1) for action, child in children.items()}
    return Truth(values, values, {})


def _truth_for_any_ties(state: GameState) -> Truth:
    me, low, high, vectors = state.current_player, {}, {}, {}
    for action in state.legal_actions():
        found = all_backed_up(state.successor(action))
        low[action] = min(vector[me] for vector in found)
        high[action] = max(vector[me] for vector in found)
        if len(found) == 1:
            (vectors[action],) = found
    return Truth(low, high, vectors)


def guaranteed(
    state: GameState, me: int, rule: Rule, ply: int, replied: int | None = None
) -> float:
    """Return what `me` gets if the others do their worst; `replied` is the opponent who has."""
    if state.is_terminal():
        payoff = state.utilities()[me]
        return payoff * (WIN_SCORE - ply) if rule.quick_wins else payoff
    if ply == rule.depth:
        return estimated(state, me, rule)
    mover, actions = state.current_player, state.legal_actions()
    one_replies = rule.opponents == "one" and mover not in (me, CHANCE)
    default = rule.order(state, actions)[0] if rule.order else actions[0]
    if one_replies and replied not in (None, mover):
        actions = [default]
    values: dict[Action, float] = {}
    for action in actions:
        new = None if mover == me else replied
        if one_replies and replied is None and action != default:
            new = mover
        values[action] = guaranteed(state.successor(action), me, rule, ply + 1, new)
    if mover == CHANCE:
        return sum(chance * values[action] for action, chance in state.chance_outcomes())
    return max(values.values()) if mover == me else min(values.values())


def estimated(state: GameState, me: int, rule: Rule) -> float:
    """Return the estimate for `me` at the depth limit."""
    if rule.evaluate is None:
        return 0
    if rule.negates and state.current_player != me:
        return -rule.evaluate(state, state.current_player)
    return rule.evaluate(state, me)


def backed_up(state: GameState, rule: Rule, ply: int) -> Vector:
    """Return what every player gets by MaxN: the first of the best actions is chosen."""
    if state.is_terminal():
        return state.utilities()
    players = range(state.num_players)
    if ply == rule.depth:
        return tuple(rule.evaluate(state, p) if rule.evaluate else 0 for p in players)
    mover = state.current_player

    def preference(vector: Vector) -> tuple[float, float]:
        return vector[mover], rule.ties(vector, mover) if rule.ties else 0

    found = [backed_up(state.successor(a), rule, ply + 1) for a in state.legal_actions()]
    return max(found, key=preference)


@lru_cache(100_000)
def all_backed_up(state: GameState) -> frozenset[Vector]:
    """Return every vector of MaxN that some choice among equals leads to."""
    if state.is_terminal():
        return frozenset([state.utilities()])
    mover, found = state.current_player, set[Vector]()
    for vectors in product(*(all_backed_up(state.successor(a)) for a in state.legal_actions())):
        best = max(vector[mover] for vector in vectors)
        found |= {vector for vector in vectors if vector[mover] == best}
    return frozenset(found)


# --- the positions ---

TURNS = [None, (0, 1), (1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 0, 0), (0,)]
TURNS_OF_THREE = [None, (2, 0, 1), (0, 0, 1, 2), (1, 2), (0, 1)]
PAYOFFS = [range(-9, 10), (-0.25, 0.5, 7.5), (Fraction(1, 3), Fraction(-1, 3), 0, 2)]
WINS = [(1, -1, -1), (-1, 1, -1), (-1, -1, 1), (0, 0, 0)]
COINS = [(a, b, c) for a in (-2, 0, 1) for b in (-1, 0, 3) for c in (-1, 0, 1)]


@cache
def _positions(trees: int, seed: int) -> dict[str, list[GameState]]:
    """Return the positions that a search is asked about, by their kind."""
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
    """Yield every position of some games that is not over."""
    waiting, seen = list(starts), set(starts)
    while waiting:
        state = waiting.pop()
        if not state.is_terminal():
            yield state
            new = {state.successor(action): None for action in state.legal_actions()}
            waiting += [child for child in new if child not in seen]
            seen.update(new)


# --- the comparison ---


class _Checker:
    """Runs one search and compares what it says; raises _FaultError at the first fault."""

    def __init__(self, search: Callable[..., Any], options: dict[str, Any]) -> None:
        self.search, self.options = search, options
        self.positions = self.claims = 0
        self.refused: dict[str, str] = {}
        self.fault: str | None = None
        self.error: BaseException | None = None
        said = search_info(search)
        opponents = "each" if said.values_for == "each" else said.opponents
        given = {name: options[name] for name in Rule._fields if name in options}
        given = {"depth": _default_depth(search), **given, "opponents": opponents}
        self.rule = Rule(**given, negates=said.values_for == "mover")

    def check_stop(self) -> None:
        """Ask the search to stop at once, in a game that takes it some time."""
        if "stop" not in parameters(self.search) or "stop" in self.options:
            return
        asked: list[bool] = []

        def stop() -> bool:
            asked.append(True)
            return True

        state = TicTacToe()
        result = self.result(state, stop=stop)
        if not asked:
            raise _FaultError("it takes `stop`, but never calls it")
        if not result.stopped:
            raise _FaultError("it goes on, or does not say `stopped`, when `stop` returns true")

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
                raise _FaultError(f"of {where} {fault_found}")

    def result(self, state: GameState, **more: Any) -> SearchResult:
        """Return what the search says of a position."""
        try:
            result = self.search(state, **{**self.options, **more})
        except Exception as error:
            text = str(error).partition("\n")[0]
            said = f"it raises {type(error).__name__}: {text}"
            raise _FaultError(f"of {state!r} {said}") from error
        if not isinstance(result, SearchResult):
            raise _FaultError(f"it must return a SearchResult; of {state!r} it returns {result!r}")
        if result.action not in state.legal_actions():
            must = f"the action must be one of {list(state.legal_actions())}"
            raise _FaultError(f"{must}; of {state!r} it returns {result.action!r}")
        return result

    def faults(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield what is wrong with a result, in sentences."""
        yield from self.faults_of_counts(state, result)
        yield from self.faults_of_values(state, result)
        yield from self.faults_of_choice(state, result)

    def faults_of_counts(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield a sentence if nodes have not been counted."""
        stats = result.stats
        if not (stats.nodes or stats.simulations):
            yield "it counts no nodes"
        elif stats.nodes and not stats.simulations:
            seen = max(1 + len(result.values), stats.leaves + stats.evaluations)
            if stats.nodes < seen:
                yield f"it counts {stats.nodes} nodes, but it has visited {seen} at least"

    def truth(self, state: GameState, result: SearchResult, proven: bool) -> Truth | None:
        """Return the truth to compare with; None for an estimate that nobody else can know."""
        depth = result.stats.depth or self.rule.depth
        if proven:
            return truth_of(state, self.rule.of_the_whole_game())
        if depth is None or result.stopped or result.stats.simulations:
            return None
        return truth_of(state, self.rule._replace(depth=depth))

    def faults_of_values(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield what is wrong with the values of the root actions."""
        for action, bound in result.values.items():
            truth = self.truth(state, result, "estimate" not in bound.kind)
            if truth is None:
                continue
            self.claims += 1
            low, high = truth.low[action], truth.high[action]
            if not _holds(bound, low, high):
                yield f"it says that action {action!r} is {bound}, but its value is {low}"
        if result.utilities is not None:
            truth = truth_of(state, self.rule.of_the_whole_game())
            vector = truth.vectors.get(result.action)
            if vector is not None and not _all_close(vector, result.utilities):
                yield f"it says that the players get {result.utilities}, but they get {vector}"

    def faults_of_choice(self, state: GameState, result: SearchResult) -> Iterator[str]:
        """Yield what is wrong with the chosen action, its value and its line."""
        truth = self.truth(state, result, "estimate" not in result.kind)
        if truth is None or result.value is None:
            return
        self.claims += 1
        best = max(truth.low.values()), max(truth.high.values())
        if not _holds(Bound(result.value, result.kind), *best):
            says = f"the value is {Bound(result.value, result.kind)}"
            yield f"it says that {says}, but it is {best[0]}"
        if result.kind in ("exact", "estimate") and not _close(truth.high[result.action], best[1]):
            says = f"action {result.action!r} has the value {truth.high[result.action]}"
            yield f"it chooses an action that is not the best: {says}, and another one {best[1]}"
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
    """Return the depth to which a search looks if it is not given one."""
    try:
        option = inspect.signature(search).parameters.get("depth")
    except (TypeError, ValueError):  # of a function that is written in C
        return None
    return option.default if option is not None and isinstance(option.default, int) else None


def _turns(state: GameState) -> str:
    """Return the players to move along the first branches of a position."""
    players: list[str] = []
    while not state.is_terminal():
        players.append(state.player_name(state.current_player))
        state = state.successor(state.legal_actions()[0])
    return ", ".join(players)


def _holds(bound: Bound, low: float, high: float) -> bool:
    """Return whether a claim is true of a value that is at least `low` and at most `high`."""
    if bound.kind.startswith("upper"):
        return high <= bound.value or _close(high, bound.value)
    if bound.kind.startswith("lower"):
        return low >= bound.value or _close(low, bound.value)
    return _close(low, bound.value) and _close(high, bound.value)


def _close(one: float, other: float) -> bool:
    """Return whether two values are equal, but for the rounding of floats."""
    if isinstance(one, float) or isinstance(other, float):
        return isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return one == other


def _all_close(one: Vector, other: Vector) -> bool:
    return len(one) == len(other) and all(map(_close, one, other))
