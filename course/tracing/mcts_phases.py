"""Record the phases of Monte Carlo tree search: what each of them does, and by which line."""

from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any

from course.tracing.events import Backpropagate, Draw, Event, Expand, Proof, Rollout, Select
from course.tracing.recorder import Call, Change, Reader, SourceLine, Step, Tracer
from course.tracing.visits import Visit
from gamelib.search.mcts import (
    backpropagate,
    backpropagate_proofs,
    expand,
    grow,
    mcts,
    roll_out,
    select,
)
from gamelib.search.proofs import prove
from gamelib.search.rollouts import play_out, random_rollout
from gamelib.state import CHANCE, Action, GameState, to_python_action

LineHook = Callable[[dict[str, Any], SourceLine], None]


class PhaseRecorder:
    """Records the phases of `mcts`, and the tree that has been built so far.

    Each phase is traced while it runs.  If the path, a count or a proof has changed after a line,
    that line is the cause.
    """

    def __init__(self, state: GameState) -> None:
        self.steps: list[Step] = []
        self.visits = [Visit((), state)]
        self.programs: dict[CodeType, None] = {}
        self._changes: list[Change] = []  # variables that have changed since the last step
        self._actions: tuple[Action, ...] = ()  # of the last rollout
        self._path: list[Any] = []  # the edges of this simulation
        self._settled: list[bool] = []  # which nodes of the path were proven before
        self._proven: dict[int, SourceLine] = {}  # depth -> the line that proved the node
        watched: dict[Any, Reader] = {
            grow: lambda frame: self.programs.update({frame.f_code: None}),
            select: self._select,
            expand: self._expand,
            roll_out: self._roll_out,
            backpropagate: self._backpropagate,
            backpropagate_proofs: self._backpropagate,
            prove: self._prove,
            play_out: self._play_out,
        }
        self.readers = {function.__code__: reader for function, reader in watched.items()}

    # --- the tree ---

    def _emit(
        self, event: Event, place: SourceLine, depth: int, *, changed: bool = True
    ) -> list[Visit]:
        """Record an event at a node of the path, with the changed variables; return the path."""
        way = self._path_nodes(depth)
        changes = tuple(self._changes) if changed else ()
        self.steps.append(Step(event, place, way[-1], changes))
        self._changes = [] if changed else self._changes
        return way

    def _path_nodes(self, depth: int) -> list[Visit]:
        """Return the nodes of the path so far, from the root on; the last one may be new."""
        way = [self.visits[0]]
        for edge in self._path[1 : depth + 1]:
            known = (child for child in way[-1].children if child.path[-1] == edge.action)
            way.append(next(known, None) or self._child(way[-1], edge))
        return way

    def _child(self, parent: Visit, edge: Any) -> Visit:
        # With priors, an action is selected before its first visit.
        state = edge.node.state if edge.node else parent.state.successor(edge.action)
        step, above = len(self.steps) + 1, parent
        found = Visit((*parent.path, edge.action), state, parent, step, len(self.visits))
        while above:
            above.below.append(step)
            above = above.parent
        self.visits.append(found)
        parent.children.append(found)
        parent.children.sort(key=lambda child: parent.state.legal_actions().index(child.path[-1]))
        return found

    # --- the phases ---

    def _follow(self, frame: FrameType, look: LineHook, end: Any = None) -> Tracer:
        """Return a tracer that calls `look` after each line of a phase, and `end` at its end."""
        call, first = Call(frame, None, False), frame.f_lineno
        self.programs[frame.f_code] = None

        def trace(frame: FrameType, event: str, arg: Any) -> Tracer:
            if event != "exception":
                self._changes += call.changes(frame, call.line)
                at = call.line if call.line != first else frame.f_lineno
                look(frame.f_locals, SourceLine(call.code, at))
                call.line = frame.f_lineno
            if event == "return" and end:
                end(arg, SourceLine(call.code, call.line))
            return trace

        return trace

    def _select(self, frame: FrameType) -> Tracer:
        tree, seen = frame.f_locals["tree"], 1

        def look(held: dict[str, Any], place: SourceLine) -> None:
            nonlocal seen
            self._path = path = held.get("path", [])
            if len(path) > seen:
                above, edge = path[-2].node, path[-1]
                if above.player != CHANCE:
                    table = tree.ucb_rows(above)
                    way = self._emit(Select(edge.action, table), place, seen)
                    way[-2].tables.append((len(self.steps), table))
                elif edge.node is not None:  # otherwise it is reported as an Expand
                    chance = dict(zip(above.actions, above.probabilities, strict=True))[edge.action]
                    self._emit(Draw(edge.action, chance), place, seen)
                seen += 1

        return self._follow(frame, look)

    def _expand(self, frame: FrameType) -> Tracer:
        path = frame.f_locals["path"]
        before = [(len(path), path[-1].node)]

        def look(held: dict[str, Any], place: SourceLine) -> None:
            node = path[-1].node
            if node is not None and (len(path), node) not in before:
                before.append((len(path), node))
                self._emit(Expand(path[-1].action, node.state), place, len(path) - 1)

        return self._follow(frame, look)

    def _roll_out(self, frame: FrameType) -> Tracer:
        self._actions = ()

        def end(utilities: Any, place: SourceLine) -> None:
            if utilities is not None:
                event = Rollout(tuple(map(to_python_action, self._actions)), utilities)
                self._emit(event, place, len(self._path) - 1)

        return self._follow(frame, lambda *_: None, end)

    def _play_out(self, frame: FrameType) -> Tracer:
        frame.f_trace_lines = False

        def trace(frame: FrameType, event: str, played: Any) -> Tracer:
            if event == "return" and played:
                self._actions = played[0]
            return trace

        return trace

    def _backpropagate(self, frame: FrameType) -> Tracer:
        tree, path, utilities = (frame.f_locals[name] for name in ("tree", "path", "utilities"))
        totals, visits = [edge.total for edge in path], path[-1].visits
        self._proven = {}
        self._settled = [bool(edge.node.is_resolved and edge.node.edges) for edge in path]
        actions = tuple(edge.action for edge in path[1:])
        counted: list[SourceLine] = []

        def look(held: dict[str, Any], place: SourceLine) -> None:
            if path[-1].visits > visits:
                counted.append(place)

        def end(_: None, place: SourceLine) -> None:
            if not counted:
                return  # an error has ended the phase
            for depth in reversed(range(len(path))):
                node = path[depth].node
                if node.is_resolved and not self._settled[depth]:
                    proof = Proof(actions[:depth], node.bounds, node.why())
                    at = self._proven.get(depth, place)
                    way = self._emit(proof, at, depth, changed=False)
                    way[-1].proof = (len(self.steps), proof)
            added = [edge.total - total for edge, total in zip(path, totals, strict=True)]
            rewards = tree.rewards(utilities)
            event = Backpropagate(actions, rewards, tuple(added[1:]))
            way = self._emit(event, counted[0], len(actions))
            for visit, reward in zip(way, (rewards[way[0].owner], *event.added), strict=True):
                visit.add(len(self.steps), reward)

        return self._follow(frame, look, end)

    def _prove(self, frame: FrameType) -> Tracer:
        def look(held: dict[str, Any], place: SourceLine) -> None:
            for depth, edge in enumerate(self._path):
                if edge.node.is_resolved and not self._settled[depth]:
                    self._proven.setdefault(depth, place)

        return self._follow(frame, look)


def traceable_options(search: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a search, with a rollout that can be traced action by action."""
    # The default rollout may not report which actions were played.
    plain = search is mcts and options.get("rollout") is None
    return {**options, "rollout": plain_rollout} if plain else dict(options)


def plain_rollout(state: Any, rng: Any) -> Action:
    """Return one of the legal actions, chosen uniformly at random."""
    return random_rollout(state, rng)
