"""Turn `FillInTree` widgets into data for a page, with the reply to every answer."""

from fractions import Fraction
from numbers import Real
from typing import Any

from course import FillInTree
from course.draw.tree import TreeDrawing, tree_drawing
from course.draw.wording import capital, format_path, format_value
from course.exercises.tree_exercises import (
    TreeFeedback,
    check_cuts,
    check_values,
    children_first,
    value_trace,
)
from course.tracing.trace import Trace, record
from course.tracing.visits import Path
from course.widgets.fill_in_tree import CUT_TASK, LETTER, VALUE_TASK, at, edge_css, field_width
from gamelib import GameState, alphabeta

ReplyList = list[str]  # the reply to a first wrong answer, and to the next one


def value_tree(widget: FillInTree) -> dict[str, Any]:
    """Return the data of a tree whose values a reader types in."""
    tree, order = widget.tree, children_first(widget.paths)  # as the check goes
    blanks = dict.fromkeys(order, " " * (field_width(tree) + 1))
    drawn = tree_drawing(tree, expanded=order, labels=blanks)
    trace = value_trace(tree)
    right = {path: trace.at(len(trace)).node(path).value for path in order}
    known = [dict(list(right.items())[:count]) for count in range(len(order) + 1)]
    fields = [
        {
            "name": format_path(path),
            "at": at(drawn.heads[path][0] / drawn.width, drawn.heads[path][1] / drawn.height),
            "right": _parts(right[path]),
            "replies": _value_replies(trace, path, right[path]),
        }
        for path in order
    ]
    more = " for each player, like 0, 8, 9." if tree.num_players > 2 else "."
    return _tree(drawn) | {
        "task": VALUE_TASK,
        "fields": fields,
        "sums": [capital(check_values(tree, some).message) for some in known],
        "many": tree.num_players > 2,
        "none": f"is no value; enter a number{more}",
        "field": (LETTER * field_width(tree) + 12) / drawn.width,
    }


def _value_replies(trace: Trace, path: Path, right: Any) -> list[list[Any]]:
    """Return [wrong value, tolerance, replies] for each wrong value that has its own reply.

    The last item is for all other values.
    """
    end = trace.at(len(trace))
    found = [end.node(child).value for child in end.children(path)]
    numbers: list[Any] = [value for value in found if isinstance(value, Real)]
    other = 1 + max((abs(part) for value in found for part in _vector(value)), default=0)
    tried = [(value, 0.0) for value in dict.fromkeys([*numbers[:1], *numbers]) if value != right]
    if numbers:
        tried.append((sum(numbers) / len(numbers), 0.01))
    tried.append((other if numbers else (other,) * len(right), 0.0))
    return [
        [_parts(value), near, *_reply(check_values(trace.state, {path: value}), value)]
        for value, near in tried
        if value != right
    ]


def _reply(found: TreeFeedback, given: Any) -> ReplyList:
    """Return the replies to a wrong value, with {} as a placeholder for the value."""
    said, place = f"not {format_value(given)}.", "not {}."
    return [capital(text).replace(said, place, 1) for text in (found.hint, found.message)]


def cut_tree(widget: FillInTree) -> dict[str, Any]:
    """Return the data of a tree whose edges a reader cuts by clicks."""
    tree = widget.tree
    pruned = record(alphabeta, tree).pruned()
    paths = _children(tree, ())  # in the order of the check: a node before all below it
    drawn = tree_drawing(tree, expanded=widget.paths)
    all_cut = tree_drawing(tree, expanded=widget.paths, cut_edges=paths)
    branches = []
    for path in paths:
        below = any(path[:ply] in pruned for ply in range(len(path)))
        branches.append(
            {
                "name": format_path(path),
                "key": "/".join(map(str, path)),
                "over": edge_css(drawn, path)[0],
                "cut": path in pruned,
                "replies": None if below else _branch_replies(tree, path, pruned),
            }
        )
    return _tree(all_cut) | {
        "task": CUT_TASK,
        "whole": drawn.svg,
        "branches": branches,
        "none": capital(check_cuts(tree, ()).message),
        "all": capital(check_cuts(tree, pruned).message),
    }


def _children(tree: GameState, path: Path) -> list[Path]:
    """Return the paths of all descendants of a node, each before its own descendants."""
    children = [(*path, action) for action in tree.play(*path).legal_actions()]
    return [node for child in children for node in (child, *_children(tree, child))]


def _branch_replies(tree: GameState, path: Path, pruned: tuple[Path, ...]) -> ReplyList | None:
    """Return the replies if a reader cuts this visited edge, or misses this pruned one."""
    marked = [path]
    if path in pruned:
        marked = [other for other in pruned if other != path] or _children(tree, path)
    found = check_cuts(tree, marked)
    return [capital(text) for text in (found.hint, found.message)] if marked else None


def _tree(drawn: TreeDrawing) -> dict[str, Any]:
    size = {"wide": drawn.width, "high": drawn.height}
    return {"drawing": drawn.svg, "legend": drawn.legend} | size


def _vector(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def _parts(value: Any) -> list[str]:
    """Return the parts of a value as text that a page reads as numbers."""
    parts = _vector(value)
    return [str(float(part) if isinstance(part, Fraction) else part) for part in parts]
