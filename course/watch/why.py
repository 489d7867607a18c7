"""Why a program leaves out the rest of a node, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from course.watch import whose
from course.watch.events import Cut
from course.watch.text import Seen
from gamelib.search.limits import most_of
from gamelib.search.maxn import PayoffBounds
from gamelib.state import CHANCE, Action, GameState, is_number

Numbers = Mapping[str, Any]


class Cutter:
    """Says of a cut what is skipped, and why: from alpha and beta, or from the limit of MaxN."""

    def __init__(self, root: GameState, viewer: whose.Viewer, options: Mapping[str, Any]) -> None:
        self.root, self.viewer = root, viewer
        bounds = options.get("prune")
        self.bounds = bounds if isinstance(bounds, PayoffBounds) else PayoffBounds()

    def untried(self, visit: Seen) -> tuple[Action, ...]:
        """Return the actions of a node that were not tried."""
        tried = {child.node.action for child in visit.children}
        actions = visit.node.states[0].legal_actions()
        return tuple(action for action in actions if action not in tried)

    def says_why(self, visit: Seen, now: Numbers) -> bool:
        """Return whether alpha and beta, or a limit, are a reason to leave a node."""
        return bool(self._reason(visit, now, visit.value)[1])

    def cut(self, visit: Seen, now: Numbers, value: Any, leaves_loop: bool) -> Cut:
        """Return a cut, with its reason from the variables as they are now."""
        limit, reason = self._reason(visit, now, value)
        if not reason:
            does = "leaves its loop here" if leaves_loop else "tries no more actions here"
            reason = f"the program {does}"
        action = visit.children[-1].node.action
        return Cut(action, value, limit, self.untried(visit), reason)

    def useless(self, visit: Seen) -> Cut | None:
        """Return the cut of a chance node at which no outcome can matter; None if one can."""
        state, value = visit.node.state, visit.value
        if len(visit.window) != 2 or not is_number(value) or abs(value) < most_of(state):
            return None
        alpha, beta = visit.window
        if not (value <= alpha or value >= beta):
            return None
        side = "at most" if value <= alpha else "at least"
        reason = f"whatever may come, the mean is {side} {short(value)}"
        return Cut(None, value, value, self.untried(visit), reason)

    def _reason(self, visit: Seen, now: Numbers, value: Any) -> tuple[Any, str]:
        alpha, beta, limit = (now.get(name) for name in ("alpha", "beta", "limit"))
        state = visit.node.state
        if is_number(value) and is_number(alpha) and is_number(beta):
            if state.current_player == CHANCE:
                side = "at most" if value <= alpha else "at least"
                return value, f"whatever else may come, the mean is {side} {short(value)}"
            if beta <= alpha or value >= beta or value <= alpha:
                return self._of_window(state, value, alpha, beta)
        if isinstance(value, tuple) and is_number(limit):
            return self._of_vector(state, value, limit)
        return value, ""

    def _of_window(
        self, state: GameState, value: float, alpha: float, beta: float
    ) -> tuple[float, str]:
        name, mover = self.root.player_name, state.current_player
        if self.viewer == whose.MOVER:
            here = f"this node is at least {short(value)} for {name(mover)}"
            return beta, f"{here}, who is held to {short(beta)} elsewhere"
        me = int(self.viewer)
        many = self.root.num_players > 2
        if mover == me:
            has = "the others have" if many else f"{name(1 - me)} already has"
            return beta, f"this node is at least {short(value)}, and {has} {short(beta)} elsewhere"
        has = f"{name(me)} {'has' if many else 'already has'}"
        return alpha, f"this node is at most {short(value)}, and {has} {short(alpha)} elsewhere"

    def _of_vector(
        self, state: GameState, vector: tuple[float, ...], limit: float
    ) -> tuple[float, str]:
        mover = state.current_player
        best = vector[mover]
        if best >= self.bounds.most:
            return self.bounds.most, f"nobody can get more than {self.bounds.most}"
        rest = f"which leaves the player before at most {self.bounds.pair - best}"
        has = f"{self.root.player_name(mover)} can have {best} here, {rest}"
        return limit, f"{has}: no more than an earlier action gives"


def short(number: float) -> str:
    """Return a number in a few digits."""
    # A window may be moved a little, to find all ties, which is nothing to tell.
    return f"{float(round(number, 9)) + 0:.4g}"
