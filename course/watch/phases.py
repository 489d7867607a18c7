"""The phases of Monte Carlo tree search, watched from outside: what each does, by which line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import CodeType, FrameType
from typing import Any

from course.watch.events import Backpropagate, Draw, Event, Expand, Proof, Rollout, Select
from course.watch.recorder import Call, Change, Place, Step, Tracer, changes
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
from gamelib.state import CHANCE, Action, from_numpy


class Phases:
    """What the phases of `mcts` have done so far.

    Each is watched while it runs: where the path, a count or a proof has grown after a line, that
    line did it.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.programs: dict[CodeType, None] = {}
        self._actions: tuple[Action, ...] = ()  # of the last game that was played out
        watched = {
            grow: self._grow,
            select: self._select,
            expand: self._expand,
            roll_out: self._roll_out,
            backpropagate: self._backpropagate,
            backpropagate_proofs: self._backpropagate,
            prove: self._prove,
            play_out: self._play_out,
        }
        self.readers = {function.__code__: reader for function, reader in watched.items()}

    def _tell(self, event: Event, line: int, follow: Follow) -> None:
        self.steps.append(Step(event, Place(follow.call.code, line), follow.changed()))

    def _grow(self, frame: FrameType) -> None:
        self.programs[frame.f_code] = None

    def _select(self, frame: FrameType) -> Tracer:
        self.programs[frame.f_code] = None
        tree = frame.f_locals["tree"]

        def look(follow: Follow, held: dict[str, Any], line: int) -> None:
            path = held.get("path", ())
            if len(path) - 1 > follow.seen:
                follow.seen += 1
                above, edge = path[-2].node, path[-1]
                if above.player != CHANCE:
                    self._tell(Select(edge.action, tree.rows(above)), line, follow)
                elif edge.node is not None:  # else it is told as an Expand
                    self._tell(Draw(edge.action, edge.probability), line, follow)

        return Follow(frame, look).trace

    def _expand(self, frame: FrameType) -> Tracer:
        self.programs[frame.f_code] = None
        path = frame.f_locals["path"]
        before = len(path), path[-1].node

        def look(follow: Follow, held: dict[str, Any], line: int) -> None:
            if path[-1].node is not None and (len(path), path[-1].node) != before:
                if not follow.seen:
                    self._tell(Expand(path[-1].action, path[-1].node.state), line, follow)
                follow.seen = 1

        return Follow(frame, look).trace

    def _roll_out(self, frame: FrameType) -> Tracer:
        self.programs[frame.f_code] = None
        self._actions = ()

        def end(follow: Follow, utilities: Any) -> None:
            if utilities is not None:
                played = Rollout(tuple(map(from_numpy, self._actions)), utilities)
                self._tell(played, follow.call.line, follow)

        return Follow(frame, end=end).trace

    def _play_out(self, frame: FrameType) -> Tracer:
        def end(follow: Follow, played: Any) -> None:
            self._actions = played[0] if played else ()

        return Follow(frame, end=end).trace

    def _backpropagate(self, frame: FrameType) -> Tracer:
        self.programs[frame.f_code] = None
        tree, path, utilities = (frame.f_locals[name] for name in ("tree", "path", "utilities"))
        totals = [edge.total for edge in path]
        visits = path[-1].visits
        self._path, self._settled = path, [_is_settled(edge.node) for edge in path]
        self._proven: dict[int, Place] = {}  # of each depth: the line that proved its node

        def look(follow: Follow, held: dict[str, Any], line: int) -> None:
            if path[-1].visits > visits and not follow.seen:
                follow.seen = line

        def end(follow: Follow, _: Any) -> None:
            self._tell_proofs(follow)
            added = [edge.total - total for edge, total in zip(path, totals, strict=True)]
            actions = tuple(edge.action for edge in path[1:])
            event = Backpropagate(actions, tree.rewards(utilities), tuple(added[1:]))
            self._tell(event, follow.seen or follow.call.line, follow)

        return Follow(frame, look, end).trace

    def _prove(self, frame: FrameType) -> Tracer:
        self.programs[frame.f_code] = None

        def look(follow: Follow, held: dict[str, Any], line: int) -> None:
            for depth, edge in enumerate(self._path):
                if edge.node.settled and not self._settled[depth]:
                    place = Place(follow.call.code, max(line, follow.first))
                    self._proven.setdefault(depth, place)

        return Follow(frame, look).trace

    def _tell_proofs(self, follow: Follow) -> None:
        actions = tuple(edge.action for edge in self._path[1:])
        for depth in reversed(range(len(self._path))):
            node = self._path[depth].node
            if node.settled and not self._settled[depth]:
                event = Proof(actions[:depth], node.bounds, node.why())
                place = self._proven.get(depth, Place(follow.call.code, follow.call.line))
                self.steps.append(Step(event, place))


class Follow:
    """Follows one call of a phase: `look` sees it after each line, `end` what it returns."""

    def __init__(
        self,
        frame: FrameType,
        look: Callable[[Follow, dict[str, Any], int], None] | None = None,
        end: Callable[[Follow, Any], None] | None = None,
    ) -> None:
        self.call, self.look, self.end = Call(frame, None, False), look, end
        self.seen = self.first = 0
        self._changed: list[Change] = []
        frame.f_trace_lines = look is not None

    def trace(self, frame: FrameType, event: str, arg: Any) -> Tracer:
        """Look at the call, before its next line or at its end."""
        if event in ("line", "return"):
            self.first = self.first or frame.f_lineno
            if self.look:
                self._changed += changes(self.call, frame) or ()
                self.look(self, frame.f_locals, self.call.line)
            self.call.line = frame.f_lineno
        if event == "return" and self.end:
            self.end(self, arg)
        return self.trace

    def changed(self) -> tuple[Change, ...]:
        """Return the variables that have changed since this was asked last."""
        found, self._changed = self._changed, []
        return tuple(found)


def watchable(search: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a search, with a rollout that can be watched action by action."""
    # The default plays its games in ways that do not say which actions were played.
    plain = search is mcts and options.get("rollout") is None
    return {**options, "rollout": plain_rollout} if plain else dict(options)


def _is_settled(node: Any) -> bool:
    return bool(node.settled and node.edges)


def plain_rollout(state: Any, rng: Any) -> Action:
    """Return one of the legal actions, each as likely as the others."""
    return random_rollout(state, rng)
