"""Detect that a learner's program is a Monte Carlo search, whose results are not node values."""

from collections.abc import Callable, Sequence
from typing import Any

from course.tracing.call_graph import VisitBuilder
from gamelib.state import is_number


def is_simulating(visits: Sequence[VisitBuilder], is_cut: Callable[[VisitBuilder], bool]) -> bool:
    """Return whether a program follows one path at a time, again and again from the root.

    Alpha-beta also returns to a node when it deepens iteratively, and leaves many nodes after their
    first action.  But then `is_cut` says that the other actions cannot matter.
    """
    inner = [visit for visit in visits if visit.children and _is_open(visit)]
    if not inner or not _comes_again(visits):
        return False
    ways = [visit for visit in inner if _is_single(visit) and not is_cut(visit)]
    walks = len(ways) * 3 >= len(inner) and len(ways) > 2
    return walks or _draws(visits) or 2 * sum(map(_follows, inner)) < len(inner)


def _comes_again(visits: Sequence[VisitBuilder]) -> bool:
    roots = [visit for visit in visits if visit.parent is None and visit.children]
    again = (len({c.node.action for c in v.children}) < len(v.children) for v in roots)
    return len(roots) > 1 or any(again)


def _draws(visits: Sequence[VisitBuilder]) -> bool:
    """Return whether a function has returned different values for the same arguments, at random."""
    said: dict[Any, Any] = {}
    try:
        leaves = [visit for visit in visits if not visit.children and visit.value is not None]
        asked = ((visit.state, visit.call.code, *visit.call.arguments.items()) for visit in leaves)
        pairs = zip(asked, leaves, strict=True)
        return any(said.setdefault(key, leaf.value) != leaf.value for key, leaf in pairs)
    except TypeError:  # the positions are not hashable
        return False


def _is_open(visit: VisitBuilder) -> bool:
    try:
        return len(visit.state.legal_actions()) > 1
    except Exception:
        return False


def _is_single(visit: VisitBuilder) -> bool:
    """Return whether only one of several actions of a node has been tried."""
    return len({child.node.action for child in visit.children}) == 1 and _is_open(visit)


def _follows(visit: VisitBuilder) -> bool:
    """Return whether a value is a child's, perhaps with another sign, or the children's mean."""
    values: list[Any] = [child.value for child in visit.children if child.value is not None]
    if visit.value is None or not values:
        return False
    if visit.value in values:
        return True
    if isinstance(visit.value, bool):
        return all(isinstance(value, bool) for value in values)
    if not (is_number(visit.value) and all(map(is_number, values))):
        return isinstance(visit.value, tuple)
    return -visit.value in values or abs(sum(values) / len(values) - visit.value) < 1e-9
