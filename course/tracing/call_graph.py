"""Which functions are the text of a program, and what is a visit."""

from __future__ import annotations

from collections.abc import Sequence
from types import CodeType
from typing import Any

from course.tracing.recorder import COURSE_PACKAGES, Call, RecordedNode
from course.tracing.visits import Visit

Graph = dict[int, set[int]]


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
    """Which functions of a program are its recursion, and the visits of nodes that follow from it.

    The recursion is the functions that call each other from a node to its successor.  They are
    found by who calls whom, never by name.  A function that only looks at a successor, such as a
    heuristic, does not belong to them, even if it is called in the same loop.
    """

    def __init__(self, calls: Sequence[Call]) -> None:
        self._callees = _callees(calls)
        self._reachable = {code: _reachable(self._callees, code) for code in self._callees}
        entries = _entries(calls)
        # Functions that go from a node to its successor and are called again from there.
        self.recursive = {caller for caller, callee in entries if caller in self._reachable[callee]}
        # Functions from which one of those is reached.  A program without recursion, which looks at
        # the successors and no further, has none: there, every function counts.
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
        self.programs: tuple[CodeType, ...] = tuple(codes.values())  # in the order of first calls
        self.visits = self._visits(calls)
        for number, visit in enumerate(self.visits):
            visit.number, visit.last = number, len(self.visits) - 1
            if visit.parent:
                visit.parent.children.append(visit)

    def _belongs(self, caller: int, callee: int) -> bool:
        """Return whether a function that is called at a successor may be part of the recursion."""
        known = self.recursion | self.reaching
        calls_itself = any(callee in self._reachable[code] for code in self._callees[callee])
        return caller in known and callee in known and (calls_itself or not self.recursive)

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


def _callees(calls: Sequence[Call]) -> Graph:
    """Return the functions that each function calls, all by the id of their code."""
    callees: Graph = {id(call.code): set() for call in calls}
    for call in calls:
        if call.caller:
            callees[id(call.caller.code)].add(id(call.code))
    return callees


def _entries(calls: Sequence[Call]) -> dict[tuple[int, int], Call]:
    """Return the last call of each pair of functions that goes on to the node of a successor."""
    return {
        (id(call.caller.code), id(call.code)): call for call in calls if call.caller and call.entry
    }


def _reachable(callees: Graph, code: int) -> set[int]:
    """Return a function and all that it calls, directly or through others."""
    reached, waiting = {code}, [code]
    while waiting:
        new = callees[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def _is_in_callers_module(call: Call) -> bool:
    """Return whether a function stands with the one that calls it, and is no decorator's."""
    named = call.code.co_argcount + call.code.co_kwonlyargcount
    ours = call.module.startswith(COURSE_PACKAGES)
    return bool(call.caller and call.module == call.caller.module and named and not ours)
