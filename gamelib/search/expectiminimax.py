"""Expectiminimax, and its pruning by Star1 and Star2: two players and chance.

Sources: Michie 1966; Russell and Norvig, 4th ed., section 5.5; Ballard, The *-minimax search
procedure for trees containing chance nodes, Artificial Intelligence 21, 1983; Hauk, Buro and
Schaeffer, *-minimax performance in backgammon, 2004.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import fsum, inf
from typing import Any, Unpack

from gamelib.search.alphabeta import AlphaBeta
from gamelib.search.depth_first import NO_LINE, DepthFirst, Found
from gamelib.search.events import Callbacks, Cut, shown
from gamelib.search.limits import Evaluate, check_two_players, most_of
from gamelib.search.registry import described
from gamelib.search.result import SearchResult
from gamelib.state import CHANCE, Action, GameState, check_chance


@described(chance=True, place=12)
def expectiminimax(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    table: bool = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult:
    """Return the best action and the exact expected payoff of every root action, by full search.

    The value of a chance node is the mean of its outcomes, weighed by their probabilities.  `line`
    ends at the first chance node: what is best after it depends on what comes.

    depth     look so many plies ahead, a roll being one; there `evaluate(state, player)` estimates,
              or 0 stands
    table     remember the value of every position met, and search it once
    """
    check_two_players(state, "expectiminimax")
    search = (Remembering if table else Expectiminimax)(state, depth, evaluate, **callbacks)
    return search.run(search.value)


def mean(values: Sequence[float], chances: Sequence[float]) -> float:
    """Return the mean of values weighed by their chances: exact if both are ints or Fractions."""
    parts = [value * chance for value, chance in zip(values, chances, strict=True)]
    total = fsum(parts) if any(isinstance(part, float) for part in parts) else sum(parts)
    return int(total) if isinstance(total, Fraction) and total.denominator == 1 else total


class Expectiminimax(DepthFirst):
    """Max is the player to move at the root, min the other; at a chance node nobody chooses."""

    knows_chance = True

    @shown
    def value(self, state: GameState, action: Action, ply: int) -> Found:
        """Return the expected value of `state` for max, and the line that leads to it."""
        self.nodes += 1
        actions = state.legal_actions()
        if not actions or ply == self.depth:
            return self.leaf(state, action, ply, self.me)
        if self.heard:
            self.enter(state, action, ply, self.me)
        if state.current_player == CHANCE:
            chances = checked_chances(state)
            found = [self.value(state.successor(a), a, ply + 1)[0] for a in actions]
            return self.leave(mean(found, chances), NO_LINE)
        maximizing = state.current_player == self.me
        best, line = -inf if maximizing else inf, NO_LINE
        for action in actions:
            child, rest = self.value(state.successor(action), action, ply + 1)
            if ply == 0:
                self.note(action, child, rest)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
                self.improve(action, best)
        return self.leave(best, line)

    def payoffs(self, action: Action) -> None:
        """Return None: what is known of an action is a mean, and no result of the game."""


class Remembering(Expectiminimax):
    """Expectiminimax that searches each position once."""

    def __init__(self, *arguments: Any, **callbacks: Unpack[Callbacks]) -> None:
        super().__init__(*arguments, **callbacks)
        self.known: dict[tuple[GameState, int], tuple[Found, int]] = {}

    def value(self, state: GameState, action: Action, ply: int) -> Found:
        """Return the value of a position, and its line, from memory if it is there."""
        key = state, 0 if self.depth is None else ply
        if key not in self.known:
            guesses = self.evaluations + self.recalled
            found = super().value(state, action, ply)
            self.known[key] = found, self.evaluations + self.recalled - guesses
            return found
        found, guesses = self.known[key]
        self.hits += 1
        self.recalled += guesses > 0
        return found


def checked_chances(state: GameState) -> list[Any]:
    """Return the probabilities at a chance node; BrokenRuleError if they are none."""
    check_chance(state)
    return [chance for _, chance in state.chance_outcomes()]


@described(prunes=True, chance=True, place=13)
def star1(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    **callbacks: Unpack[Callbacks],
) -> SearchResult:
    """Return what `expectiminimax` returns as action and value: alpha-beta, and Star1 at chance.

    No payoff is outside `max_utility` of the game.  So a few outcomes can tell that the mean will
    be too low, or too high, to matter, whatever the others are.  A root action that cannot be
    better than one tried before gets a bound.  Probabilities and evaluations that are floats are
    rounded, and the value with them; with `Fraction`s it is exact.
    """
    check_two_players(state, "star1")
    search = Star1(state, depth, evaluate, **callbacks)
    return search.run(search.value, -inf, inf)


@described(prunes=True, chance=True, place=14)
def star2(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    **callbacks: Unpack[Callbacks],
) -> SearchResult:
    """Return what `star1` returns; a chance node first probes one reply to each of its outcomes."""
    check_two_players(state, "star2")
    search = Star2(state, depth, evaluate, **callbacks)
    return search.run(search.value, -inf, inf)


class Outcomes:
    """What is known of the outcomes of a chance node: their chances, and bounds on their values."""

    def __init__(self, state: GameState) -> None:
        self.chances, most = checked_chances(state), most_of(state)
        self.low, self.high = [-most] * len(self.chances), [most] * len(self.chances)
        self.least, self.most = -most, most  # the mean of `low`, and of `high`

    def limits(self, i: int, alpha: float, beta: float) -> tuple[float, float]:
        """Return the values of outcome i at which the mean leaves the window, whatever comes."""
        others_low = self.least - self.chances[i] * self.low[i]
        others_high = self.most - self.chances[i] * self.high[i]
        return (alpha - others_high) / self.chances[i], (beta - others_low) / self.chances[i]

    def learn(self, i: int, low: float, high: float) -> None:
        """Note that the value of outcome i is from `low` to `high`."""
        self.least += self.chances[i] * (low - self.low[i])
        self.most += self.chances[i] * (high - self.high[i])
        self.low[i], self.high[i] = low, high

    def mean(self) -> float:
        """Return the mean, where all is known: not the sum kept, which is rounded more often."""
        return mean(self.low, self.chances)


class Star1(AlphaBeta):
    """Max is the player to move at the root, min the other; at a chance node nobody chooses."""

    knows_chance = True
    order, strict, all_best = None, False, False
    payoffs = Expectiminimax.payoffs

    def value(self, state: GameState, action: Action, ply: int, alpha: float, beta: float) -> Found:
        """Return the value of `state` for max, and the line that leads to it: see `AlphaBeta`."""
        if state.current_player != CHANCE or ply == self.depth:
            return super().value(state, action, ply, alpha, beta)
        self.nodes += 1
        if self.heard:
            self.enter(state, action, ply, self.me, (alpha, beta))
        if alpha >= self.most:
            return self.leave(self.most, NO_LINE)  # no outcome is better than what max already has
        if beta <= -self.most:
            return self.leave(-self.most, NO_LINE)
        return self.leave(self.expected(state, ply, alpha, beta), NO_LINE)

    @shown
    def expected(
        self, state: GameState, ply: int, alpha: float, beta: float, known: Outcomes | None = None
    ) -> float:
        """Return the mean m of the outcomes: m <= alpha is an upper bound, m >= beta a lower."""
        outcomes = known or Outcomes(state)
        for i, action in enumerate(state.legal_actions()):
            if outcomes.low[i] == outcomes.high[i]:
                continue  # a probe has told all
            low, high = outcomes.limits(i, alpha, beta)
            window = max(low, outcomes.low[i]), min(high, outcomes.high[i])
            child, _ = self.value(state.successor(action), action, ply + 1, *window)
            outcomes.learn(i, child, child)
            if child <= low:  # the mean is at most alpha, even if the rest is worth the most
                return self.cut_mean(state, action, "at most", min(outcomes.most, alpha))
            if child >= high:
                return self.cut_mean(state, action, "at least", max(outcomes.least, beta))
        return outcomes.mean()

    def cut_mean(self, state: GameState, action: Action, side: str, bound: float) -> float:
        """Return the bound on a chance node that is cut after `action`; count it and say why."""
        self.cutoffs += 1
        if self.events:
            actions = list(state.legal_actions())
            reason = f"whatever else may come, the mean is {side} {float(bound):.4g}"
            self.events(
                Cut(action, bound, bound, tuple(actions[actions.index(action) + 1 :]), reason)
            )
        return bound


class Star2(Star1):
    """Star1 that first looks at one reply to each outcome."""

    @shown
    def expected(
        self, state: GameState, ply: int, alpha: float, beta: float, known: Outcomes | None = None
    ) -> float:
        """Return the mean m of the outcomes: m <= alpha is an upper bound, m >= beta a lower."""
        outcomes = Outcomes(state)
        for i, action in enumerate(state.legal_actions()):
            child = state.successor(action)
            low, high = outcomes.limits(i, alpha, beta)
            if child.current_player == CHANCE or child.is_terminal() or ply + 1 == self.depth:
                continue  # nobody replies
            if child.current_player == self.me:
                reply = self.probe(child, action, ply + 1, outcomes.low[i], high)
                outcomes.learn(i, reply, outcomes.high[i])
                if reply >= high:
                    return self.cut_mean(state, action, "at least", max(outcomes.least, beta))
            else:
                reply = self.probe(child, action, ply + 1, low, outcomes.high[i])
                outcomes.learn(i, outcomes.low[i], reply)
                if reply <= low:
                    return self.cut_mean(state, action, "at most", min(outcomes.most, alpha))
        return super().expected(state, ply, alpha, beta, outcomes)

    def probe(self, state: GameState, action: Action, ply: int, alpha: float, beta: float) -> float:
        """Return the value of the first reply: max has that at least, min loses that at most."""
        self.nodes += 1
        if self.heard:
            self.enter(state, action, ply, self.me, (alpha, beta))
        first, *rest = state.legal_actions()
        reply: float = self.value(state.successor(first), first, ply + 1, alpha, beta)[0]
        if self.events:
            self.improve(first, reply)
            self.events(Cut(first, reply, reply, tuple(rest), "a probe looks at one reply only"))
        self.leave(reply, NO_LINE)
        return reply
