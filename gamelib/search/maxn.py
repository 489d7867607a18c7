"""MaxN: every player maximizes their own payoff (Luckhardt and Irani, AAAI 1986)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import inf
from typing import Any, Unpack

from gamelib.search.callbacks import Callbacks
from gamelib.search.checks import Evaluate, PayoffBounds
from gamelib.search.depth_first import DepthFirst, NestedLine, ValueAndLine
from gamelib.search.proofs import Vector
from gamelib.search.registry import register_search
from gamelib.search.result import SearchResult
from gamelib.state import Action, ActionT, GameState, is_number

TieRule = Callable[[Vector, int], float]


def hurt_the_leader(payoffs: Vector, player: int) -> float:
    """Return minus the highest payoff of the other players; a tie rule for `maxn`."""
    return -max(payoff for other, payoff in enumerate(payoffs) if other != player)


def checked_ties(ties: TieRule) -> TieRule:
    """Return a tie rule that raises a TypeError unless `ties` returns a number."""
    name = getattr(ties, "__name__", repr(ties))

    def checked_rule(vector: Vector, player: int) -> float:
        preference = ties(vector, player)
        if not is_number(preference):
            must = f"{name}(vector, player) must return a number"
            raise TypeError(f"{must}; it returned {preference!r}")
        return preference

    return checked_rule


@register_search(sort_key=7, values_for="each", opponents="own")
def maxn(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    ties: TieRule | None = None,
    prune: bool | PayoffBounds = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the best action if each of any number of players maximizes their own payoff.

    `vectors` of the result has the vector of each root action, which is one value per player, and
    `values` has its entry for the player to move.  `utilities` is the vector of the chosen action,
    if no value below the root is an estimate.

    depth     the number of plies to search; at this depth a node is worth
              `evaluate(state, player)` for each player, or 0 without a heuristic
    ties      among vectors that are equal for the player to move, the one with the highest
              `ties(vector, player)` is chosen; the first action if these are equal, too, or
              without a rule
    prune     cut nodes that cannot change the result (Korf, Artificial Intelligence 48, 1991): True
              for win, draw and loss payoffs, `PayoffBounds` for others.  ValueError at a leaf
              outside the bounds, and with `ties`, which may prefer an equal vector that was cut

    >>> from gamelib import GameTree, maxn
    >>> maxn(GameTree([[(1, 2, 3), (4, 3, 2)], [(5, 1, 4), (0, 0, 9)]])).vectors
    {0: (4, 3, 2), 1: (5, 1, 4)}
    """
    if prune and ties:
        reason = "it might cut an equal vector that the rule prefers"
        raise ValueError(f"prune cannot be used with ties, because {reason}; leave one of them out")
    if not prune:
        return MaxN(state, depth, evaluate, ties=ties, **callbacks).run()
    bounds = prune if isinstance(prune, PayoffBounds) else PayoffBounds()
    result = PrunedMaxN(state, depth, evaluate, bounds=bounds, **callbacks).run()
    if prune is True and state.max_utility > 1:  # every leaf outside the bounds may have been cut
        large = f"the payoffs of this game go up to {state.max_utility}"
        raise ValueError(f"prune=True is for win, draw and loss; {large}, so give PayoffBounds")
    return result


class MaxN(DepthFirst):
    """The recursion of MaxN, in which each player maximizes their own entry of a vector."""

    zero_sum = False

    def __init__(
        self, root: GameState, *arguments: Any, ties: TieRule | None = None, **options: Any
    ) -> None:
        super().__init__(root, *arguments, **options)
        self.ties = ties and checked_ties(ties)
        self.vectors: dict[Action, Vector] = {}  # of the root actions
        self.default_estimate = (0,) * root.num_players
        self.max_payoff = inf  # even below a best payoff, other players choose by estimates

    def value(self, state: GameState, ply: int) -> ValueAndLine:
        """Return the value of `state` for each player, and the line that leads to it."""
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, None)
        mover = state.current_player
        vector, line = None, ()
        for action in self.actions(state):
            child, rest = self.value(state.successor(action), ply + 1)
            if vector is None or self.prefers(mover, child, vector):
                vector, line = child, (action, rest)
        return vector, line

    def estimate(self, state: GameState, viewer: None) -> Vector:
        """Return the estimate of the heuristic for each player."""
        estimate_for = super().estimate
        return tuple(estimate_for(state, player) for player in range(state.num_players))

    def search_root(self, state: GameState) -> ValueAndLine:
        """Return the value of the root for each player, and the line that leads to it."""
        self.nodes += 1
        vector, line = None, ()
        for action in self.actions(state):
            before = self.estimates_met
            child, rest = self.value(state.successor(action), 1)
            self.record_vector(action, child, rest, estimates=self.estimates_met - before)
            if vector is None or self.prefers(self.root_player, child, vector):
                vector, line = child, (action, rest)
        return vector, line

    def record_vector(
        self, action: Action, vector: Vector, rest: NestedLine, estimates: int
    ) -> None:
        """Record the vector of a root action, and its entry for the player to move."""
        self.record_root_action(action, vector[self.root_player], rest, estimates=estimates)
        self.vectors[action] = vector

    def recorded_value(self, action: Action) -> Vector:
        """Return the vector that `search_root` recorded for a root action."""
        return self.vectors[action]

    def prefers(self, mover: int, candidate: Vector, incumbent: Vector) -> bool:
        """Return whether `mover` chooses `candidate`, found later, instead of `incumbent`."""
        if candidate[mover] != incumbent[mover] or self.ties is None:
            return candidate[mover] > incumbent[mover]
        return self.ties(candidate, mover) > self.ties(incumbent, mover)

    def best_root_action(self) -> Action:
        """Return the best root action so far; None if there is none."""
        best = None
        for action in self.lines:
            if best is None or self.prefers(
                self.root_player, self.vectors[action], self.vectors[best]
            ):
                best = action
        return best

    def proven_utilities(self, action: Action) -> Vector | None:
        """Return the payoff of every player after the chosen action, if they are proven."""
        return None if self.estimates_met or self.stopped else self.vectors[action]

    def result(self) -> SearchResult:
        """Return the result, with the vectors of the root actions that were not cut."""
        return replace(super().result(), vectors={a: self.vectors[a] for a in self.lines})


class PrunedMaxN(MaxN):
    """MaxN with immediate and shallow pruning."""

    def __init__(self, *arguments: Any, bounds: PayoffBounds, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.bounds = bounds
        self.vectors_inside: set[Vector] = set()  # the vectors known to be inside the bounds

    def value(self, state: GameState, ply: int, limit: float = inf) -> ValueAndLine:
        """Return what each player gets from `state`, and the line that leads to it.

        If the mover gets at least `limit` here, the previous player has an action elsewhere that is
        at least as good, so the other actions are cut.
        """
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, None)
        mover, best = state.current_player, -inf
        vector, line = None, ()
        for action in self.actions(state):
            successor = state.successor(action)
            # If the same player moves again, no bound on two players applies.
            bound = self.bounds.pair - best if successor.current_player != mover else inf
            child, rest = self.value(successor, ply + 1, bound)
            if child[mover] > best:
                best, vector, line = child[mover], child, (action, rest)
                if best >= limit or best >= self.bounds.most:
                    self.cutoffs += 1
                    break
        return vector, line

    def leaf(self, state: GameState, ply: int, player: int | None) -> ValueAndLine:
        """Return the value of a leaf for each player; ValueError if it is outside the bounds."""
        vector, line = super().leaf(state, ply, player)
        if vector not in self.vectors_inside:
            self.bounds.check(vector, state)
            self.vectors_inside.add(vector)
        return vector, line

    def search_root(self, state: GameState, limit: float = inf) -> ValueAndLine:
        """Return the value of the root for each player, and the line that leads to it.

        If the next player gets at least the bound, the value of the action is not known exactly.
        """
        self.nodes += 1
        mover, best = self.root_player, -inf
        vector, line = None, ()
        for action in self.actions(state):
            before, successor = self.estimates_met, state.successor(action)
            bound = self.bounds.pair - best if successor.current_player != mover else inf
            child, rest = self.value(successor, 1, bound)
            estimates = self.estimates_met - before
            self.record_vector(action, child, rest, estimates)
            if self.is_cut(successor, child, bound):
                upper = self.bounds.pair - child[successor.current_player]
                self.record_root_action(action, upper, rest, kind="upper", estimates=estimates)
            if child[mover] > best:
                best, vector, line = child[mover], child, (action, rest)
                if best >= limit or best >= self.bounds.most:
                    self.cutoffs += 1
                    break
        return vector, line

    def is_cut(self, state: GameState, vector: Vector, bound: float) -> bool:
        """Return whether the search left the successor of a root action before its last action."""
        best = vector[state.current_player]
        is_leaf = state.is_terminal() or self.depth == 1
        return bound <= best < self.bounds.most and not is_leaf
