"""Minimax and negamax (Russell and Norvig, Artificial Intelligence, 4th ed., section 5.2)."""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from gamelib.search.callbacks import Callbacks
from gamelib.search.checks import Evaluate, check_two_players
from gamelib.search.depth_first import DepthFirst, ValueAndLine
from gamelib.search.registry import register_search
from gamelib.search.result import SearchResult
from gamelib.state import ActionT, GameState


@register_search(sort_key=1)
def minimax(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the best action and the exact value of every root action, by full search.

    depth       plies to search; at this depth, a node is worth `evaluate(state, player)`, or 0
    quick_wins  a win n plies away is worth 1000 - n, a loss n - 1000, so early wins are preferred

    >>> from gamelib import GameTree, minimax
    >>> result = minimax(GameTree([[3, 5], [2, 9]]))
    >>> result.action, result.value, result.stats.nodes
    (0, 3, 7)
    """
    check_two_players(state, "minimax")
    return Minimax(state, depth, evaluate, quick_wins, **callbacks).run()


class Minimax(DepthFirst):
    """The recursion of minimax.  Max is the player to move at the root, min is the opponent."""

    def value(self, state: GameState, ply: int) -> ValueAndLine:
        """Return the value of `state` for max, and the line that leads to it."""
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.root_player)
        maximizing = state.current_player == self.root_player
        best, line = -inf if maximizing else inf, ()
        for action in self.actions(state):
            child, rest = self.value(state.successor(action), ply + 1)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
        return best, line


@register_search(sort_key=2, values_for="mover")
def negamax(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the same result as `minimax`, but every node maximizes for the player to move there.

    The value of a child changes its sign exactly if the other player moves there, so a game in
    which a player moves twice is searched correctly, too.

    >>> from gamelib import GameTree, negamax
    >>> negamax(GameTree([[3, 5], [2, 9]])).line
    (0, 0)
    """
    check_two_players(state, "negamax")
    return Negamax(state, depth, evaluate, quick_wins, **callbacks).run()


class Negamax(DepthFirst):
    """The recursion of negamax, in which the player to move always maximizes."""

    def value(self, state: GameState, ply: int) -> ValueAndLine:
        """Return the value of `state` for the player to move, and the line that leads to it."""
        self.nodes += 1
        mover = state.current_player
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, mover)
        best, line = -inf, ()
        for action in self.actions(state):
            successor = state.successor(action)
            child, rest = self.value(successor, ply + 1)
            if successor.current_player != mover:
                child = -child
            if child > best:
                best, line = child, (action, rest)
        return best, line

    def for_root(self, value: Any, mover: int) -> Any:
        """Return a value for `mover` as a value for the player at the root."""
        return value if mover == self.root_player else -value
