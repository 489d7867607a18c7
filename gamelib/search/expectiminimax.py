"""Expectiminimax, and Star1, which prunes it: searches for two players and chance.

Sources: Michie 1966; Russell and Norvig, 4th ed., section 5.5; Ballard, The *-minimax search
procedure for trees containing chance nodes, Artificial Intelligence 21, 1983.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import fsum, inf
from typing import Any, Unpack

from gamelib.conformance import check_chance
from gamelib.search.alphabeta import AlphaBeta
from gamelib.search.callbacks import Callbacks
from gamelib.search.checks import Evaluate, check_two_players
from gamelib.search.depth_first import DepthFirst, ValueAndLine
from gamelib.search.registry import register_search
from gamelib.search.result import SearchResult
from gamelib.state import CHANCE, Action, ActionT, GameState


@register_search(chance=True, sort_key=12)
def expectiminimax(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    table: bool = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the best action and the exact expected payoff of every root action, by full search.

    The value of a chance node is the mean of the values of its outcomes, weighted by their
    probabilities.  `line` ends at the first chance node, because the best action after it depends
    on the outcome.

    depth     the number of plies to search, where a roll is a ply, too; at this depth a node is
              worth `evaluate(state, player)`, or 0 without a heuristic
    table     store the value of every position, and search it only once

    >>> from gamelib import Chance, GameTree, expectiminimax
    >>> tree = GameTree([Chance((0.5, 8), (0.5, -2)), 1])
    >>> expectiminimax(tree).values
    {0: = 3, 1: = 1}
    """
    check_two_players(state, "expectiminimax")
    return (MemoExpectiminimax if table else Expectiminimax)(
        state, depth, evaluate, **callbacks
    ).run()


def expected_value(values: Sequence[float], probabilities: Sequence[float]) -> float:
    """Return the probability-weighted mean of values, exactly for ints and Fractions."""
    parts = [value * weight for value, weight in zip(values, probabilities, strict=True)]
    total = fsum(parts) if any(isinstance(part, float) for part in parts) else sum(parts)
    return int(total) if isinstance(total, Fraction) and total.denominator == 1 else total


class Expectiminimax(DepthFirst):
    """The recursion of expectiminimax.  Max is the player to move at the root, min the opponent."""

    supports_chance = True

    def value(self, state: GameState, ply: int) -> ValueAndLine:
        """Return the expected value of `state` for max, and the line that leads to it."""
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.root_player)
        if state.current_player == CHANCE:
            children = [state.successor(action) for action in self.actions(state)]
            values = [self.value(child, ply + 1)[0] for child in children]
            return expected_value(values, outcome_probabilities(state)), ()
        maximizing = state.current_player == self.root_player
        best, line = -inf if maximizing else inf, ()
        for action in self.actions(state):
            child, rest = self.value(state.successor(action), ply + 1)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
        return best, line

    def proven_utilities(self, action: Action) -> None:
        """Return None, because the value of an action is a mean, not the result of a game."""


class MemoExpectiminimax(Expectiminimax):
    """Expectiminimax that searches each position only once."""

    def __init__(self, *arguments: Any, **callbacks: Unpack[Callbacks]) -> None:
        super().__init__(*arguments, **callbacks)
        # The value, the line and the number of estimates of each position.
        self.memo: dict[tuple[GameState, int], tuple[ValueAndLine, int]] = {}

    def value(self, state: GameState, ply: int) -> ValueAndLine:
        """Return the value and the line of a position, from memory if it was searched before."""
        key = state, 0 if self.depth is None else ply
        if key not in self.memo:
            before = self.estimates_met
            result = super().value(state, ply)
            self.memo[key] = result, self.estimates_met - before
            return result
        result, num_estimates = self.memo[key]
        self.table_hits += 1
        self.estimated_hits += num_estimates > 0
        return result


def outcome_probabilities(state: GameState) -> list[Any]:
    """Return the probabilities at a chance node; BrokenRuleError if they are not valid."""
    check_chance(state)
    return [probability for _, probability in state.chance_outcomes()]


@register_search(prunes=True, chance=True, sort_key=13)
def star1(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the action and value of `expectiminimax`, by alpha-beta and by Star1 at chance nodes.

    No payoff is outside `max_utility` of the game.  So a few outcomes can show that the mean will
    be too low, or too high, to matter, whatever the other outcomes are worth.  A root action that
    cannot be better than an earlier one gets a bound.  The value is exact if probabilities and
    estimates are `Fraction`s; if they are floats, it is rounded like them.
    """
    check_two_players(state, "star1")
    return Star1(state, depth, evaluate, **callbacks).run()


class Star1(AlphaBeta):
    """The recursion of Star1.  Max is the player to move at the root, min is the opponent."""

    supports_chance = True
    proven_utilities = Expectiminimax.proven_utilities

    def value(self, state: GameState, ply: int, alpha: float, beta: float) -> ValueAndLine:
        """Return the value of `state` for max, and the line that leads to it; see `AlphaBeta`."""
        if state.current_player != CHANCE or ply == self.depth:
            return super().value(state, ply, alpha, beta)
        return self.chance_value(state, ply, alpha, beta), ()

    def chance_value(self, state: GameState, ply: int, alpha: float, beta: float) -> Any:
        """Return the mean m of the outcomes; m <= alpha is an upper, m >= beta a lower bound."""
        self.nodes += 1
        if alpha >= self.max_payoff or beta <= -self.max_payoff:  # no outcome can matter
            return self.max_payoff if alpha >= self.max_payoff else -self.max_payoff
        values: list[float] = []
        known = 0  # the part of the mean that is known; `left` is the weight of all later outcomes
        for action, chance, left in self.outcomes(state):
            low = (alpha - known - left * self.max_payoff) / chance  # so low that the mean <= alpha
            high = (beta - known + left * self.max_payoff) / chance  # so high that the mean >= beta
            window = max(low, -self.max_payoff), min(high, self.max_payoff)
            child, _ = self.value(state.successor(action), ply + 1, *window)
            known += chance * child
            if not low < child < high:
                self.cutoffs += 1
                upper, lower = known + left * self.max_payoff, known - left * self.max_payoff
                return min(upper, alpha) if child <= low else max(lower, beta)
            values.append(child)
        return expected_value(values, outcome_probabilities(state))

    def outcomes(self, state: GameState) -> Iterable[tuple[Action, float, float]]:
        """Return each outcome at a chance node, its probability, and that of all later outcomes."""
        probabilities = outcome_probabilities(state)
        # A sum is used because a subtraction from 1 would lose a probability of 1e-17.
        left = list(accumulate(reversed(probabilities[1:]), initial=0))[::-1]
        return zip(self.actions(state), probabilities, left, strict=True)
