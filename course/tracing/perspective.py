"""Infer for whom a program's values are, where they are in its results, and why it cuts."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from course.tracing.call_graph import VisitBuilder
from course.tracing.events import Cut
from course.tracing.recorder import plain
from course.tracing.visits import viewpoint
from gamelib.search.checks import PayoffBounds, max_payoff
from gamelib.state import CHANCE, Action, GameState, is_number

SAMPLE = 400  # visits that are examined
WHOLE_TUPLE = -1  # the index of a value that is a whole tuple with one payoff for each player
MOVER, EACH = "mover", "each"
Perspective = int | str  # a player, or one of these strings
Variables = Mapping[str, Any]


def extract_value(returned: Any, index: int) -> Any:
    """Return the value in the result of a program: a number, a tuple of payoffs, or None."""
    own = getattr(returned, "value", None)
    if own is not None and not is_value(returned) and not callable(own):
        returned = own  # for example of a SearchResult
    if isinstance(returned, dict):
        returned = number_in(returned)
    if isinstance(returned, tuple | list):
        if index == WHOLE_TUPLE and is_value(tuple(returned)):
            return tuple(returned)
        index = max(index, 0)
        returned = returned[index] if len(returned) > index else None
    return plain(returned) if is_value(returned) else None


def number_in(returned: Any) -> Any:
    """Return the number in a result, for example under "score" in a dict; None if there is none."""
    if isinstance(returned, dict):
        named = [returned[key] for key in ("score", "value", "eval", "best") if key in returned]
        returned = tuple(named or returned.values())
    parts = returned if isinstance(returned, tuple | list) else (returned,)
    return next((part for part in parts if is_number(part) or isinstance(part, bool)), None)


def is_value(thing: Any) -> bool:
    """Return whether a value is a number, True or False, or a tuple of numbers."""
    if isinstance(thing, tuple):
        return bool(thing) and all(map(is_number, thing))
    return is_number(thing) or isinstance(thing, bool)


def value_index(visits: list[VisitBuilder]) -> int:
    """Return the index of the value in the tuples that a program returns, inferred from leaves."""
    votes = {WHOLE_TUPLE: 0, 0: 0, 1: 0}
    leaves = (v for v in visits if isinstance(v.call.returned, tuple | list))
    for visit in islice((v for v in leaves if is_over(v.node.state)), SAMPLE):
        returned, payoffs = visit.call.returned, payoffs_of(visit.node.state)
        votes[WHOLE_TUPLE] += tuple(returned) == payoffs
        for place, part in enumerate(returned[:2]):
            votes[place] += part == payoffs or (is_number(part) and abs(part) in map(abs, payoffs))
    return max(votes, key=votes.__getitem__) if any(votes.values()) else 0


def infer_perspective(visits: list[VisitBuilder], root: GameState) -> Perspective:
    """Return the perspective in which the values agree best with payoffs and with each other."""
    if any(isinstance(visit.value, tuple) for visit in visits[-SAMPLE:]):
        return EACH
    players = [viewpoint(root), *range(root.num_players)]
    votes: dict[Perspective, int] = {viewer: 0 for viewer in (*players, MOVER) if viewer != CHANCE}
    for visit in visits[:SAMPLE] + visits[SAMPLE:][-SAMPLE:]:
        if visit.value is not None:
            for viewer in votes:
                votes[viewer] += _agrees(visit, viewer)
    return max(votes, key=votes.__getitem__)


def _agrees(visit: VisitBuilder, viewer: Perspective) -> bool:
    """Return whether a value is the expected one; at a leaf its sign is enough."""
    right, value = expected(visit, viewer), visit.value
    if right is None:
        return False
    if not visit.children and isinstance(value, bool):
        return bool(value == (right > 0))
    if not visit.children and is_number(value):
        return bool(value == right or (value * right > 0))
    return bool(right == value)


def expected(visit: VisitBuilder, perspective: Perspective) -> Any:
    """Return what a visit should return for a perspective, from its children's values; or None."""
    state = visit.node.state
    mover = state.current_player
    if not visit.children:
        player = mover if perspective == MOVER else perspective
        return payoffs_of(state)[int(player)] if is_over(state) else None
    values = [value_for_parent(child, visit, perspective) for child in visit.children]
    if mover == CHANCE or None in values:
        return None
    return max(values) if perspective in (mover, MOVER) else min(values)


def has_payoffs(visits: list[VisitBuilder]) -> bool:
    """Return whether the values of terminal states are payoffs, whoever's they are."""
    ends = (visit for visit in visits if not visit.children and is_over(visit.state))
    for visit in islice((end for end in ends if end.value is not None), SAMPLE):
        payoffs = payoffs_of(visit.state)
        if isinstance(visit.value, tuple):
            if visit.value != payoffs:
                return False
        elif is_number(visit.value) and abs(visit.value) not in map(abs, payoffs):
            return False
    return True


def value_for_parent(child: VisitBuilder, parent: VisitBuilder, perspective: Perspective) -> Any:
    """Return the value of a child from the parent's perspective, in negamax with its sign changed.

    If a program returns whether the player to move wins, it is the opposite of the child's result.
    """
    turns = child.node.state.current_player != parent.node.state.current_player
    if perspective != MOVER or not turns:
        return child.value
    if isinstance(child.value, bool):
        return not child.value
    return -child.value if is_number(child.value) else child.value


def is_over(state: GameState) -> bool:
    """Return whether the game is over; False for a learner's game that raises."""
    try:
        return bool(state.is_terminal())
    except Exception:
        return False


def payoffs_of(state: GameState) -> tuple[float, ...]:
    """Return the payoffs of a terminal state; nan for each player if the game raises."""
    try:
        return tuple(state.utilities())
    except Exception:
        return (float("nan"),) * state.num_players


# --- reasons of cuts ---


class CutExplainer:
    """Explains cuts: the skipped actions, and the reason by alpha and beta or by MaxN's limit."""

    def __init__(
        self, root: GameState, perspective: Perspective, options: Mapping[str, Any]
    ) -> None:
        self.root, self.perspective = root, perspective
        bounds = options.get("prune")
        self.bounds = bounds if isinstance(bounds, PayoffBounds) else PayoffBounds()

    def untried_actions(self, visit: VisitBuilder) -> tuple[Action, ...]:
        """Return the actions of a node that were not tried."""
        tried = {child.node.action for child in visit.children}
        actions = visit.node.states[0].legal_actions()
        return tuple(action for action in actions if action not in tried)

    def explain(self, visit: VisitBuilder, now: Variables, value: Any, leaves_loop: bool) -> Cut:
        """Return a cut with its reason, from the current values of the variables."""
        limit, reason = self.reason(visit, now, value)
        if not reason:
            does = "leaves its loop here" if leaves_loop else "tries no more actions here"
            reason = f"the program {does}"
        action = visit.children[-1].node.action
        return Cut(action, value, limit, self.untried_actions(visit), reason, window_in(now))

    def chance_cut(self, visit: VisitBuilder) -> Cut | None:
        """Return the cut of a chance node at which no outcome can matter; None if one can."""
        state, value = visit.node.state, visit.value
        if len(visit.window) != 2 or not is_number(value) or abs(value) < max_payoff(state):
            return None
        alpha, beta = visit.window
        if not (value <= alpha or value >= beta):
            return None
        side = "at most" if value <= alpha else "at least"
        reason = f"whatever may come, the mean is {side} {short_number(value)}"
        return Cut(None, value, value, self.untried_actions(visit), reason)

    def reason(self, visit: VisitBuilder, now: Variables, value: Any) -> tuple[Any, str]:
        """Return the limit at which a node is cut, and the reason as text; "" if there is none."""
        alpha, beta, limit = (now.get(name) for name in ("alpha", "beta", "limit"))
        state = visit.node.state
        if is_number(value) and is_number(alpha) and is_number(beta):
            if state.current_player == CHANCE:
                side = "at most" if value <= alpha else "at least"
                return value, f"whatever else may come, the mean is {side} {short_number(value)}"
            if beta <= alpha or value >= beta or value <= alpha:
                return self._explain_window_cut(state, value, alpha, beta)
        if isinstance(value, tuple) and is_number(limit):
            return self._explain_vector_cut(state, value, limit)
        return value, ""

    def _explain_window_cut(
        self, state: GameState, value: float, alpha: float, beta: float
    ) -> tuple[float, str]:
        name, mover = self.root.player_name, state.current_player
        if self.perspective == MOVER:
            here = f"this node is at least {short_number(value)} for {name(mover)}"
            return beta, f"{here}, who is held to {short_number(beta)} elsewhere"
        me = int(self.perspective)
        many = self.root.num_players > 2
        if mover == me:
            has = "the others have" if many else f"{name(1 - me)} already has"
            return (
                beta,
                f"this node is at least {short_number(value)}, "
                f"and {has} {short_number(beta)} elsewhere",
            )
        has = f"{name(me)} {'has' if many else 'already has'}"
        return (
            alpha,
            f"this node is at most {short_number(value)}, "
            f"and {has} {short_number(alpha)} elsewhere",
        )

    def _explain_vector_cut(
        self, state: GameState, vector: tuple[float, ...], limit: float
    ) -> tuple[float, str]:
        mover = state.current_player
        best = vector[mover]
        if best >= self.bounds.most:
            return self.bounds.most, f"nobody can get more than {self.bounds.most}"
        rest = f"which leaves the player before at most {self.bounds.pair - best}"
        has = f"{self.root.player_name(mover)} can have {best} here, {rest}"
        return limit, f"{has}: no more than an earlier action gives"


def window_in(variables: Variables) -> tuple[float, ...]:
    """Return (alpha, beta) from the variables with these names, (limit,) from that one, or ()."""
    if "alpha" in variables and "beta" in variables:
        alpha, beta = variables["alpha"], variables["beta"]
        if is_number(alpha) and is_number(beta):
            return alpha, beta
    limit = variables.get("limit")
    return (limit,) if limit is not None and is_number(limit) else ()


def short_number(number: float) -> str:
    """Return a number in a few digits."""
    # A window may be widened by one ulp to find all ties, which should not be shown.
    return f"{float(round(number, 9)) + 0:.4g}"
