"""Paranoid: minimax by one player against all others (Sturtevant and Korf, AAAI 2000)."""

from __future__ import annotations

from typing import Unpack

from gamelib.search.alphabeta import AlphaBeta
from gamelib.search.callbacks import Callbacks
from gamelib.search.checks import Evaluate
from gamelib.search.depth_first import DepthFirst
from gamelib.search.minimax import Minimax
from gamelib.search.registry import register_search
from gamelib.search.result import SearchResult
from gamelib.state import Action, ActionT, GameState


@register_search(prunes=True, sort_key=8)
def paranoid(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    prune: bool = True,
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the best action if all other players, of any number, join against the player to move.

    The value is the payoff that this player can guarantee, whatever the others do (with a full
    search).  Only the payoff of this player is used.

    depth     plies to search; at this depth, a node is worth `evaluate(state, player)`, or 0
    prune     use alpha-beta, which cuts off if beta <= alpha; without it, all `values` are exact

    >>> from gamelib import GameTree, paranoid
    >>> paranoid(GameTree([[(1, 2, 3), (4, 3, 2)], [(5, 1, 4), (0, 0, 9)]])).value
    1
    """
    if prune:
        return Paranoid(state, depth, evaluate, **callbacks).run()
    return ParanoidMinimax(state, depth, evaluate, **callbacks).run()


class OneAgainstAll(DepthFirst):
    """A search by max, the player at the root, against all other players together as min."""

    zero_sum = False

    def proven_utilities(self, action: Action) -> None:
        """Return None, because the search does not read the payoffs of the others."""


class Paranoid(OneAgainstAll, AlphaBeta):
    """Alpha-beta by one player against all others."""

    line = DepthFirst.line


class ParanoidMinimax(OneAgainstAll, Minimax):
    """Minimax by one player against all others."""
