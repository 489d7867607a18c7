"""Find the first wrong result of a program: a node below which all results are right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from course.tracing import perspective
from course.tracing.call_graph import VisitBuilder
from course.tracing.claims import Claims, Limits
from course.tracing.visits import Path
from gamelib.state import CHANCE, Action, is_number


class WrongAnswer(NamedTuple):
    """A node with a wrong result, and the step at which it returns.

    by_sign  whether only signs are compared, because the program's values have another scale
    """

    path: Path
    given: Any
    right: Any
    step: int
    by_sign: bool


def first_wrong(visits: Sequence[VisitBuilder], claims: Claims) -> WrongAnswer | None:
    """Return the first wrong result, in the order of the returns; None if all are right."""
    rules = claims.rules
    if not rules.applies:
        return None
    ended = sorted((v for v in visits if v.returned), key=lambda visit: visit.returned[0])  # type: ignore[index]
    exact = {visit: rules.solved(visit.state) for visit in ended}
    known = [visit for visit in ended if exact[visit].low == exact[visit].high]
    ends = [visit for visit in known if perspective.is_over(visit.state)]
    same = [v for v in ends if abs(_given(v, claims) or 0) == abs(exact[v].low)]
    by_sign = 2 * len(same) < len(ends) or any(isinstance(v.value, bool) for v in ends)
    judged = [(visit, _is_right(visit, exact[visit], claims, by_sign)) for visit in known]
    wrong = {visit for visit, right in judged if not right}
    for visit, right in judged:
        if not right and not any(child in wrong for child in visit.children):
            value = exact[visit].low
            shown = -value if rules.turns(visit.state) else value
            right_value = shown > 0 if isinstance(visit.value, bool) else shown
            assert visit.returned
            return WrongAnswer(visit.path, visit.value, right_value, visit.returned[0], by_sign)
    return None


def _given(visit: VisitBuilder, claims: Claims) -> Any:
    """Return a value from the perspective of the one player for whom all are compared."""
    value = visit.value
    if isinstance(value, bool):
        value = 1 if value else -1
    if not is_number(value):
        return None
    return -value if claims.rules.turns(visit.state) else value


def _is_right(visit: VisitBuilder, exact: Limits, claims: Claims, by_sign: bool) -> bool:
    """Return whether a result is right, or is a right bound for the window of its node."""
    given, right = _given(visit, claims), exact.low
    if given is None or visit.state.current_player == CHANCE:
        return True
    low, high = claims.window(visit) if visit.parent else Limits(-float("inf"), float("inf"))
    if by_sign:
        given, right, low, high = map(_sign, (given, right, low, high))
    if given == right:
        return True
    return given <= low >= right or given >= high <= right


def _sign(number: float) -> float:
    return number if abs(number) == float("inf") else (number > 0) - (number < 0)


def never_tried(
    visits: Sequence[VisitBuilder], claims: Claims
) -> tuple[Path, tuple[Action, ...]] | None:
    """Return the first node at which actions are skipped although they could matter, or None."""
    for visit in visits:
        real = getattr(visit.state, "real", None)
        if real is None or not visit.returned or not visit.children:
            continue
        tried = {child.node.action for child in visit.children}
        left = tuple(action for action in real.legal_actions() if action not in tried)
        if left and not claims.is_cut(visit) and not _is_settled(visit, claims):
            return visit.path, left
    return None


def _is_settled(visit: VisitBuilder, claims: Claims) -> bool:
    """Return whether a program stops because nothing can be better than the win it has found."""
    given, most = _given(visit, claims), 1
    mine = visit.state.current_player == claims.rules.player
    return given is not None and (given >= most if mine else given <= -most)
