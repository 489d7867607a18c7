"""Which functions are the text of a program, what their source says, and what is a visit."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

from course.tracing.recorder import COURSE_PACKAGES, Call, RecordedNode
from course.tracing.visits import Visit

Graph = dict[int, set[int]]
Span = range  # lines
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


class VisitBuilder(Visit):
    """One visit of a node, in the making: from the call of the text, or of what stands for it."""

    parent: VisitBuilder | None
    children: list[Any]

    def __init__(self, node: RecordedNode, call: Call, parent: VisitBuilder | None) -> None:
        super().__init__((*parent.path, node.action) if parent else (), node.state, parent)
        self.node, self.call, self.calls = node, call, [call]  # those of the text
        self.value: Any = None
        self.runs: list[Any] = []  # calls of the text that go on here
        self.returner: Any = None  # the one whose line returns the value
        self.last_returned_child: VisitBuilder | None = None  # the child that returned last
        self.last_improvement: int | None = None  # the event of the best since then
        self.limit_line = 0  # that moved alpha or beta since then
        self.pending: dict[str, tuple[Any, Any]] = {}  # variables changed since the last event
        call.visit = self

    def children_so_far(self) -> list[VisitBuilder]:
        """Return the children that have returned, in order."""
        return (
            self.children[: self.children.index(self.last_returned_child) + 1]
            if self.last_returned_child
            else []
        )


class CallGraph:
    """The functions that are a program's text: those that call a successor's node.

    They are found in the graph of calls, by no name.  Where functions call each other in a circle,
    what only looks at a successor, such as a heuristic, is none.
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        below: Graph = {id(call.code): set() for call in calls}
        entries: dict[tuple[int, int], Call] = {}
        for call in calls:
            if call.caller:
                pair = id(call.caller.code), id(call.code)
                below[pair[0]].add(pair[1])
                if call.entry:
                    entries[pair] = call
        reach = {code: _reachable(below, code) for code in below}
        self.recursive = {one for one, other in entries if one in reach[other]}
        self.reaching = {code for code in below if reach[code] & self.recursive}
        if not self.recursive:  # a look at the successors, and no further
            self.reaching = {*below}
        self.recursion = {one for one, other in entries if other in self.reaching}
        for (one, other), call in entries.items():
            circle = not self.recursive or any(other in reach[code] for code in below[other])
            if (
                {one, other} <= self.recursion | self.reaching
                and circle
                and _is_in_callers_module(call)
            ):
                self.recursion.add(other)
        if (
            calls
            and not self.recursive
            and not (self.recursion and calls[0].module.startswith(COURSE_PACKAGES))
        ):
            self.recursion.add(id(calls[0].code))
        text = {id(call.code): call.code for call in calls if self.is_recursive_call(call)}
        self.programs: tuple[CodeType, ...] = tuple(text.values())  # as they ran first
        self.visits = self._visits(calls)
        for number, visit in enumerate(self.visits):
            visit.number, visit.last = number, len(self.visits) - 1
            if visit.parent:
                visit.parent.children.append(visit)

    def is_recursive_call(self, call: Call) -> bool:
        """Return whether a call is one of the text."""
        return id(call.code) in self.recursion

    def _visits(self, calls: Sequence[Call]) -> list[VisitBuilder]:
        """Return the visits: calls of the text, each with all that it calls at its node."""
        visits, kept, bare = [], set(), {}  # and nodes; those of which no text has been seen
        entries = [call for call in calls if call.entry]
        searched = {(id(c.caller), c.node.action) for c in entries if id(c.code) in self.reaching}
        for call in calls:
            maker, node = call.caller, call.node
            if call.entry:
                # To look at a child that is searched, too, is no visit of its own.
                looked_at = (
                    id(call.code) not in self.reaching and (id(maker), node.action) in searched
                )
                if maker and (
                    maker.visit is None or looked_at or not self.is_recursive_call(maker)
                ):
                    continue
                kept.add(id(node))
                if maker:
                    bare[id(node)] = call
            elif id(node) not in kept:
                continue
            elif maker and maker.visit is not None:
                call.visit = maker.visit
                call.visit.calls += [call] * self.is_recursive_call(call)
                continue
            if self.is_recursive_call(call):
                above = node.entry.caller.visit if node.entry.caller else None
                visits.append(VisitBuilder(node, call, above))
                bare.pop(id(node), None)
        visits += [VisitBuilder(c.node, c, c.caller.visit) for c in bare.values() if c.caller]
        visits.sort(key=lambda visit: visit.call.number)
        return visits


def _reachable(below: Graph, code: int) -> set[int]:
    found, waiting = {code}, [code]
    while waiting:
        new = below[waiting.pop()] - found
        found |= new
        waiting += new
    return found


def _is_in_callers_module(call: Call) -> bool:
    """Return whether a function stands with the one that calls it, and is no decorator's."""
    named = call.code.co_argcount + call.code.co_kwonlyargcount
    ours = call.module.startswith(COURSE_PACKAGES)
    return bool(call.caller and call.module == call.caller.module and named and not ours)


# --- what the source of a function says ---


class SourceOutline(NamedTuple):
    """What the source of a function says, by line.

    returns  of each line of a `return`: its lines, and the variables that it returns, if only those
    breaks   of each line with a `break`: the lines of its loop, and whether it has nothing else
    exits    of each line with a `return` in a loop: the lines of that loop
    targets  the variables of its `for` loops
    """

    returns: dict[int, tuple[Span, tuple[str, ...]]]
    breaks: dict[int, tuple[Span, bool]]
    exits: dict[int, Span]
    targets: frozenset[str]


EMPTY_OUTLINE = SourceOutline({}, {}, {}, frozenset())


@lru_cache(maxsize=500)
def outline_of(code: CodeType) -> SourceOutline:
    """Return what the source of a function says; nothing where it is not at hand."""
    text = "".join(linecache.getlines(code.co_filename))
    node = next((each for each in _functions(text) if _is(each, code)), None)
    if node is None:
        return EMPTY_OUTLINE
    loops = (each.target for each in ast.walk(node) if isinstance(each, ast.For))
    parts = (part for target in loops for part in ast.walk(target))
    targets = frozenset(part.id for part in parts if isinstance(part, ast.Name))
    shape = SourceOutline({}, {}, {}, targets)
    body = node.body if isinstance(node.body, list) else [ast.Return(node.body)]
    for each in body:
        _read(each, shape, None)
    return shape


@lru_cache(maxsize=50)
def _functions(text: str) -> list[Any]:
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return []
    return [node for node in ast.walk(tree) if isinstance(node, NESTED[:3])]


def _is(node: Any, code: CodeType) -> bool:
    decorators = getattr(node, "decorator_list", [])
    first = min([node.lineno, *(each.lineno for each in decorators)])
    return first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name


def _span(first: ast.AST, last: ast.AST | None = None) -> Span:
    end: Any = last or first
    return range(first.lineno, end.end_lineno + 1)  # type: ignore[attr-defined]


def _read(node: ast.AST, shape: SourceOutline, loop: Span | None, alone: bool = True) -> None:
    """Note the returns and breaks of a statement, which stands in a loop or in none."""
    if isinstance(node, ast.Return) and node.value is not None:
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        names = tuple(part.id if isinstance(part, ast.Name) else "" for part in parts)
        lines = _span(node.value) if not hasattr(node, "lineno") else _span(node)
        shape.returns.update(dict.fromkeys(lines, (lines, names)))
        if loop:
            shape.exits.update(dict.fromkeys(lines, loop))
    elif isinstance(node, ast.Break) and loop:
        shape.breaks[node.lineno] = loop, alone
    if isinstance(node, NESTED):
        return
    inner, after = loop, []
    if isinstance(node, ast.For | ast.While):
        inner, after = _span(node, node.body[-1]), node.orelse
    for child in ast.iter_child_nodes(node):
        alone = getattr(child, "lineno", 0) != getattr(node, "lineno", 0)
        _read(child, shape, loop if child in after else inner, alone)
