"""Minimax and negamax (Russell and Norvig, Artificial Intelligence, 4th ed., section 5.2)."""

from __future__ import annotations

from math import inf
from typing import Unpack

from gamelib.search.depth_first import NO_LINE, DepthFirst, Found
from gamelib.search.events import Callbacks, shown
from gamelib.search.limits import Evaluate, check_two_players
from gamelib.search.registry import described
from gamelib.search.result import SearchResult
from gamelib.state import Action, GameState


@described(place=1)
def minimax(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult:
    """Return the best action and the exact value of every root action, by full search.

    depth       look so many plies ahead; there `evaluate(state, player)` estimates, or 0 stands
    quick_wins  a win n plies away is worth 1000 - n, a loss n - 1000: sooner wins, later losses
    """
    check_two_players(state, "minimax")
    search = Minimax(state, depth, evaluate, quick_wins, **callbacks)
    return search.run(search.value)


class Minimax(DepthFirst):
    """Max is the player to move at the root, min the other."""

    @shown
    def value(self, state: GameState, action: Action, ply: int) -> Found:
        """Return the value of `state` for max, and the line that leads to it."""
        self.nodes += 1
        actions = state.legal_actions()
        if not actions or ply == self.depth:
            return self.leaf(state, action, ply, self.me)
        if self.heard:
            self.enter(state, action, ply, self.me)
        maximizing = state.current_player == self.me
        best, line = -inf if maximizing else inf, NO_LINE
        for action in actions:
            child, rest = self.value(state.successor(action), action, ply + 1)
            if ply == 0:
                self.note(action, child, rest)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
                if self.heard:
                    self.improve(action, best)
        return self.leave(best, line) if self.heard else (best, line)


@described(place=2)
def negamax(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult:
    """Return what `minimax` returns: every node maximizes for the player who moves there.

    A child's value changes its sign exactly when the child belongs to the other player, so a game
    in which a player moves twice is searched correctly too.
    """
    check_two_players(state, "negamax")
    search = Negamax(state, depth, evaluate, quick_wins, **callbacks)
    return search.run(search.value)


class Negamax(DepthFirst):
    """Everybody maximizes."""

    @shown
    def value(self, state: GameState, action: Action, ply: int) -> Found:
        """Return the value of `state` for the player who moves there, and the line to it."""
        self.nodes += 1
        mover = state.current_player
        actions = state.legal_actions()
        if not actions or ply == self.depth:
            return self.leaf(state, action, ply, mover)
        if self.heard:
            self.enter(state, action, ply, mover)
        best, line = -inf, NO_LINE
        for action in actions:
            successor = state.successor(action)
            child, rest = self.value(successor, action, ply + 1)
            if successor.current_player != mover:
                child = -child
            if ply == 0:
                self.note(action, child, rest)
            if child > best:
                best, line = child, (action, rest)
                if self.heard:
                    self.improve(action, best)
        return self.leave(best, line) if self.heard else (best, line)
