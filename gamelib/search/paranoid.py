"""Paranoid: one player against all others (Sturtevant and Korf, AAAI 2000)."""

from __future__ import annotations

from math import inf
from typing import Unpack

from gamelib.search.depth_first import NO_LINE, DepthFirst, Found
from gamelib.search.events import Callbacks, shown
from gamelib.search.limits import Evaluate
from gamelib.search.registry import described
from gamelib.search.result import SearchResult
from gamelib.state import Action, GameState


@described(prunes=True, place=8)
def paranoid(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    prune: bool = True,
    **callbacks: Unpack[Callbacks],
) -> SearchResult:
    """Return the best action if all others join against the player to move, any number of players.

    The value is what that player is sure of, whatever the others do: their security value (with a
    full search).  Only the payoff of that player is ever looked at.

    depth     look so many plies ahead; there `evaluate(state, player)` estimates, or 0 stands
    prune     alpha-beta, cutting on beta <= alpha; without it every value of `values` is exact
    """
    search = Paranoid(state, depth, evaluate, **callbacks)
    search.prune = prune
    return search.run(search.value, -inf, inf)


class Paranoid(DepthFirst):
    """The player to move at the root against all others; only that player's payoff counts."""

    rivals = "the others have", "{0} has"
    prune: bool

    @shown
    def value(self, state: GameState, action: Action, ply: int, alpha: float, beta: float) -> Found:
        """Return the value of `state` for `me`, and the line that leads to it.

        A value of alpha or less may be too high and one of beta or more too low: neither is chosen.
        """
        self.nodes += 1
        actions = state.legal_actions()
        if not actions or ply == self.depth:
            return self.leaf(state, action, ply, self.me, (alpha, beta))
        if self.heard:
            self.enter(state, action, ply, self.me, (alpha, beta))
        mine = state.current_player == self.me
        best, line = -inf if mine else inf, NO_LINE
        for action in actions:
            child, rest = self.value(state.successor(action), action, ply + 1, alpha, beta)
            if ply == 0:
                self.note(action, child, rest, "exact" if child > alpha else "upper")
            if child > best if mine else child < best:
                best, line = child, (action, rest)
                self.improve(action, best)
                if self.prune and mine:
                    alpha = max(alpha, best)
                elif self.prune:
                    beta = min(beta, best)
                if beta <= alpha:
                    self.cut(action, best, mine, alpha, beta, actions)
                    break
        return self.leave(best, line) if self.heard else (best, line)

    def final(self, state: GameState, viewer: int, ply: int, quick_wins: bool) -> float:
        """Return the payoff of one player, whatever the others get."""
        return self.checked_payoffs(state)[viewer]

    def payoffs(self, action: Action) -> None:
        """Return None: what the others get has not been looked at."""
