"""Find the recursion of a program, and the visits of nodes that follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import Any

from course.tracing.recorder import COURSE_PACKAGES, Call, RecordedNode
from course.tracing.visits import Visit

Graph = dict[int, set[int]]


class VisitBuilder(Visit):
    """One visit of a node while it is built, from a call of the recursion or of its entry."""

    __slots__ = (
        "call",
        "calls",
        "last_improvement",
        "last_returned_child",
        "limit_line",
        "node",
        "pending",
        "returner",
        "runs",
        "value",
    )
    parent: VisitBuilder | None
    children: list[Any]

    def __init__(self, node: RecordedNode, call: Call, parent: VisitBuilder | None) -> None:
        super().__init__((*parent.path, node.action) if parent else (), node.state, parent)
        self.node, self.call, self.calls = node, call, [call]  # calls of the recursion
        self.value: Any = None
        self.runs: list[Any] = []  # active calls of the recursion at this node
        self.returner: Any = None  # the call whose line returns the value
        self.last_returned_child: VisitBuilder | None = None  # the last child that returned
        self.last_improvement: int | None = None  # the event of the best value since then
        self.limit_line = 0  # the line that changed alpha or beta since then
        # variables that have changed since the last event
        self.pending: dict[str, tuple[Any, Any]] = {}
        call.visit = self

    def children_so_far(self) -> list[VisitBuilder]:
        """Return the children that have returned, in order."""
        return (
            self.children[: self.children.index(self.last_returned_child) + 1]
            if self.last_returned_child
            else []
        )


class CallGraph:
    """The functions of a program that form its recursion, and the resulting visits of nodes.

    The recursion is the functions that call each other from a node to its successor.  They are
    found by their calls, never by name.  A function that only evaluates a successor, such as a
    heuristic, does not belong to it, even if it is called in the same loop.
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        self._callees = _callees(calls)
        self._reachable = {code: _reachable(self._callees, code) for code in self._callees}
        entries = _entries(calls)
        # Functions that call from a node to its successor and are called again from there.
        self.recursive = {caller for caller, callee in entries if caller in self._reachable[callee]}
        # Functions that reach one of those. A program without recursion, which evaluates only the
        # successors, has none, so all its functions count.
        self.reaching = set(self._callees)
        if self.recursive:
            self.reaching = {c for c in self._callees if self._reachable[c] & self.recursive}
        self.recursion = {caller for caller, callee in entries if callee in self.reaching}
        for (caller, callee), call in entries.items():
            if self._belongs(caller, callee) and _is_in_callers_module(call):
                self.recursion.add(callee)
        if calls and not self.recursive:
            is_ours = calls[0].module.startswith(COURSE_PACKAGES)
            if not (self.recursion and is_ours):
                self.recursion.add(id(calls[0].code))
        codes = {id(call.code): call.code for call in calls if self.is_recursive_call(call)}
        # in the order of their first calls
        self.programs: tuple[CodeType, ...] = tuple(codes.values())
        self.visits = self._visits(calls)
        for number, visit in enumerate(self.visits):
            visit.number, visit.last = number, len(self.visits) - 1
            if visit.parent:
                visit.parent.children.append(visit)

    def _belongs(self, caller: int, callee: int) -> bool:
        """Return whether a function called at a successor may be part of the recursion."""
        known = self.recursion | self.reaching
        calls_itself = any(callee in self._reachable[code] for code in self._callees[callee])
        return caller in known and callee in known and (calls_itself or not self.recursive)

    def is_recursive_call(self, call: Call) -> bool:
        """Return whether a call is one of the recursion."""
        return id(call.code) in self.recursion

    def _visits(self, calls: Sequence[Call]) -> list[VisitBuilder]:
        """Return the visits: calls of the recursion, each with the calls at its node."""
        visits, kept, bare = [], set(), {}  # and their nodes; nodes without a call of the recursion
        entries = [call for call in calls if call.entry]
        searched = {(id(c.caller), c.node.action) for c in entries if id(c.code) in self.reaching}
        for call in calls:
            maker, node = call.caller, call.node
            if call.entry:
                # Evaluating a child that is also searched is not a separate visit.
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


def _callees(calls: Sequence[Call]) -> Graph:
    """Return function -> functions that it calls, all by the id of their code."""
    callees: Graph = {id(call.code): set() for call in calls}
    for call in calls:
        if call.caller:
            callees[id(call.caller.code)].add(id(call.code))
    return callees


def _entries(calls: Sequence[Call]) -> dict[tuple[int, int], Call]:
    """Return the last call of each pair of functions that goes to the node of a successor."""
    return {
        (id(call.caller.code), id(call.code)): call for call in calls if call.caller and call.entry
    }


def _reachable(callees: Graph, code: int) -> set[int]:
    """Return a function and all functions that it calls, directly or indirectly."""
    reached, waiting = {code}, [code]
    while waiting:
        new = callees[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def _is_in_callers_module(call: Call) -> bool:
    """Return whether a function is in its caller's module and is not a decorator's wrapper."""
    named = call.code.co_argcount + call.code.co_kwonlyargcount
    ours = call.module.startswith(COURSE_PACKAGES)
    return bool(call.caller and call.module == call.caller.module and named and not ours)
