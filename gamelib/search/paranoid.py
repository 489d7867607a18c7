"""Paranoid: one player against all others (Sturtevant and Korf, AAAI 2000)."""

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
    **signals: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the best action if all others join against the player to move, any number of players.

    The value is what that player is sure of, whatever the others do: their security value (with a
    full search).  Only the payoff of that player is ever looked at.

    depth     look so many plies ahead; there `evaluate(state, player)` estimates, or 0 stands
    prune     alpha-beta, cutting on beta <= alpha; without it every value of `values` is exact
    """
    if prune:
        return Paranoid(state, depth, evaluate, **signals).run()
    return ParanoidMinimax(state, depth, evaluate, **signals).run()


class OneAgainstAll(DepthFirst):
    """Max is the player to move at the root, min all others; only the payoff of max counts."""

    zero_sum = False

    def proven_utilities(self, action: Action) -> None:
        """Return None: what the others get has not been looked at."""


class Paranoid(OneAgainstAll, AlphaBeta):
    """Alpha-beta by one player against all others."""

    line = DepthFirst.line


class ParanoidMinimax(OneAgainstAll, Minimax):
    """Minimax by one player against all others."""
