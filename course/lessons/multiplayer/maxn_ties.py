"""Tie rules for MaxN, and all possible outcomes of a small game of more than two players."""

from typing import Any

from gamelib.search.maxn import TieRule
from gamelib.search.proofs import Vector
from gamelib.state import GameState


def favour(player: int) -> TieRule:
    """Return a tie rule for `maxn`: among equals, the best vector for `player`."""
    return lambda payoffs, mover: payoffs[player]


def against(player: int) -> TieRule:
    """Return a tie rule for `maxn`: among equals, the worst vector for `player`."""
    return lambda payoffs, mover: -payoffs[player]


def maxn_outcomes(state: GameState) -> frozenset[Vector]:
    """Return every vector that MaxN can back up to `state`, over all ways to break its ties.

    A tie may be broken differently at every node, so these are the outcomes of all subgame-perfect
    equilibria in pure strategies (Sturtevant, Computers and Games 2004, discusses the
    consequences).  It visits every position reachable from `state` once and stores them all, so it
    is for small games.

    >>> from course import maxn_outcomes
    >>> from gamelib import GameTree
    >>> sorted(maxn_outcomes(GameTree([[(1, 2, 3), (4, 2, 2)], [(0, 1, 4)]])))
    [(1, 2, 3), (4, 2, 2)]
    """
    return _outcomes(state)[state]


def tied_positions(state: GameState) -> list[Any]:
    """Return the positions reachable from `state` that have several outcomes because of ties."""
    return [position for position, several in _outcomes(state).items() if len(several) > 1]


def _outcomes(state: GameState) -> dict[GameState, frozenset[Vector]]:
    """Return the outcomes of every position that is reachable from `state`."""
    known: dict[GameState, frozenset[Vector]] = {}

    def outcomes(state: GameState) -> frozenset[Vector]:
        if state not in known:
            known[state] = frozenset([state.utilities()] if state.is_terminal() else chosen(state))
        return known[state]

    def chosen(state: GameState) -> set[Vector]:
        """Return the vectors that the mover may choose if the other actions turn out low."""
        mover = state.current_player
        children = [outcomes(state.successor(action)) for action in state.legal_actions()]
        # Ties can always give an action its lowest outcome, and the best of these is guaranteed.
        certain = max(min(vector[mover] for vector in child) for child in children)
        return {vector for child in children for vector in child if vector[mover] >= certain}

    outcomes(state)
    return known
