"""Expectiminimax, and its pruning by Star1: two players and chance.

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
    **signals: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the best action and the exact expected payoff of every root action, by full search.

    The value of a chance node is the mean of its outcomes, weighed by their probabilities.  `line`
    ends at the first chance node: what is best after it depends on what comes.

    depth     look so many plies ahead, a roll being one; there `evaluate(state, player)` estimates,
              or 0 stands
    table     remember the value of every position met, and search it once
    """
    check_two_players(state, "expectiminimax")
    return (MemoExpectiminimax if table else Expectiminimax)(
        state, depth, evaluate, **signals
    ).run()


def expected_value(values: Sequence[float], chances: Sequence[float]) -> float:
    """Return the mean of values weighed by their chances: exact if both are ints or Fractions."""
    parts = [value * chance for value, chance in zip(values, chances, strict=True)]
    total = fsum(parts) if any(isinstance(part, float) for part in parts) else sum(parts)
    return int(total) if isinstance(total, Fraction) and total.denominator == 1 else total


class Expectiminimax(DepthFirst):
    """Max is the player to move at the root, min the other; at a chance node nobody chooses."""

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
        """Return None: what is known of an action is a mean, and no result of the game."""


class MemoExpectiminimax(Expectiminimax):
    """Expectiminimax that searches each position once."""

    def __init__(self, *arguments: Any, **signals: Unpack[Callbacks]) -> None:
        super().__init__(*arguments, **signals)
        self.known: dict[tuple[GameState, int], tuple[ValueAndLine, int]] = {}

    def value(self, state: GameState, ply: int) -> ValueAndLine:
        """Return the value of a position, and its line, from memory if it is there."""
        key = state, 0 if self.depth is None else ply
        if key not in self.known:
            before = self.estimates_met
            found = super().value(state, ply)
            self.known[key] = found, self.estimates_met - before
            return found
        found, guesses = self.known[key]
        self.table_hits += 1
        self.estimated_hits += guesses > 0
        return found


def outcome_probabilities(state: GameState) -> list[Any]:
    """Return the probabilities at a chance node; BrokenRuleError if they are none."""
    check_chance(state)
    return [chance for _, chance in state.chance_outcomes()]


@register_search(prunes=True, chance=True, sort_key=13)
def star1(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    **signals: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return what `expectiminimax` returns as action and value: alpha-beta, and Star1 at chance.

    No payoff is outside `max_utility` of the game.  So a few outcomes can tell that the mean will
    be too low, or too high, to matter, whatever the others are.  A root action that cannot be
    better than one tried before gets a bound.  Probabilities and evaluations that are floats are
    rounded, and the value with them; with `Fraction`s it is exact.
    """
    check_two_players(state, "star1")
    return Star1(state, depth, evaluate, **signals).run()


class Star1(AlphaBeta):
    """Max is the player to move at the root, min the other; at a chance node nobody chooses."""

    supports_chance = True
    proven_utilities = Expectiminimax.proven_utilities

    def value(self, state: GameState, ply: int, alpha: float, beta: float) -> ValueAndLine:
        """Return the value of `state` for max, and the line that leads to it: see `AlphaBeta`."""
        if state.current_player != CHANCE or ply == self.depth:
            return super().value(state, ply, alpha, beta)
        return self.chance_value(state, ply, alpha, beta), ()

    def chance_value(self, state: GameState, ply: int, alpha: float, beta: float) -> Any:
        """Return the mean m of the outcomes: m <= alpha is an upper bound, m >= beta a lower."""
        self.nodes += 1
        if alpha >= self.max_payoff or beta <= -self.max_payoff:  # no outcome can matter
            return self.max_payoff if alpha >= self.max_payoff else -self.max_payoff
        values: list[float] = []
        known = 0  # the part of the mean that is known; `left` is the chance of all later outcomes
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
        """Return each outcome at a chance node, its probability, and that of all later ones."""
        chances = outcome_probabilities(state)
        # Added up, and not subtracted from 1, which would lose a probability of 1e-17.
        left = list(accumulate(reversed(chances[1:]), initial=0))[::-1]
        return zip(self.actions(state), chances, left, strict=True)
