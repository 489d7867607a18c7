"""The tree behind a record: every visit of a node, and at which step each thing happened to it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, NamedTuple

from course.tracing import events
from course.tracing.events import Event, Value
from gamelib.search.checks import max_payoff
from gamelib.search.mcts_tree import Ucb
from gamelib.search.proofs import final_choice
from gamelib.search.result import ESTIMATED_KINDS, Kind, kind_for_window
from gamelib.state import CHANCE, Action, GameState, is_number

Path = tuple[Action, ...]
FACTS = {
    events.Leaf: "leaf",
    events.Cut: "cut",
    events.TableHit: "table",
    events.Return: "returned",
    events.Raise: "raised",
}


def viewpoint(state: GameState) -> int:
    """Return the player whose values are shown: the player to move; at a chance node player 0."""
    return 0 if state.current_player == CHANCE else state.current_player


class Claim(NamedTuple):
    """What may be said of a node after a step, because it follows from the record.

    kind    of what kind its value is; None if it is not shown to be true of the game
    action  the one that the program prefers, and whether it is shown to be the `best`
    """

    kind: Kind | None
    action: Action = None
    best: bool = False


@dataclass(slots=True, eq=False)
class Visit:
    """One visit of a node, or for MCTS one node; each fact stands behind the step it came with."""

    path: Path
    state: GameState
    parent: Visit | None = None
    entered: int = 0  # the step
    number: int = 0  # of this visit: 0, 1, ... in the order of the search
    window: tuple[float, ...] = ()
    perspective: int | None = None
    children: list[Visit] = field(default_factory=list)
    improved: list[tuple[int, events.Improve]] = field(default_factory=list)
    leaf: tuple[int, events.Leaf] | None = None
    cut: tuple[int, events.Cut] | None = None
    table: tuple[int, events.TableHit] | None = None
    returned: tuple[int, events.Return] | None = None
    raised: tuple[int, events.Raise] | None = None
    last: int = -1  # number of the last visit below this one
    rewards: list[tuple[int, float]] = field(default_factory=list)  # running sum, MCTS
    tables: list[tuple[int, tuple[Ucb, ...]]] = field(default_factory=list)  # MCTS
    proof: tuple[int, events.Proof] | None = None
    claims: list[tuple[int, Claim]] = field(default_factory=list)  # none: a search of ours
    chosen: Action = None  # the program returned this action, and no value
    below: list[int] = field(default_factory=list)  # steps at which nodes came in below, MCTS

    def record_event(self, step: int, event: Event) -> None:
        """Note what an event says of this visit."""
        if isinstance(event, events.Enter):
            self.entered, self.window, self.perspective = step, event.window, event.perspective
        elif isinstance(event, events.Improve):
            self.improved.append((step, event))
        elif fact := FACTS.get(type(event)):
            setattr(self, fact, (step, event))

    def add(self, step: int, reward: float) -> None:
        """Count one simulation."""
        self.rewards.append((step, reward + (self.rewards[-1][1] if self.rewards else 0)))

    @property
    def owner(self) -> int:
        """The player whose rewards this node counts: who moved into it, at the root who moves.

        An outcome of chance counts those of who moved before chance.
        """
        visit = self.parent or self
        while visit.parent and visit.state.current_player == CHANCE:
            visit = visit.parent
        return viewpoint(visit.state)


@dataclass(frozen=True)
class NodeInfo:
    """What is known of a node after some step of a search.

    window   (alpha, beta) as it is now, narrowed by the children already seen; () without windows
    value    the best value so far, or the value returned; None before the first child is back
    kind     what is known of the value: the `kind` of a `Bound`
    sure     whether the value is shown to be true of the game; if not, it is what the program says
    status   "open": entered and not left; "done": has returned; "cut": has returned after a cut;
             "failed": left by an error; "tree": a node of MCTS
    best     the action of the best child so far; None, too, if that one is not shown to be best
    visits   MCTS: simulations through this node, and `mean`, the mean reward of `owner`
    owner    MCTS: the player who moved into this node
    proof    MCTS: what every player gets at least and at most, once proofs have settled the node
    """

    path: Path
    state: GameState
    window: tuple[float, ...] = ()
    value: Value | None = None
    kind: Kind = "exact"
    sure: bool = True
    status: str = "open"
    best: Action = None
    leaf: events.Leaf | None = None
    cut: events.Cut | None = None
    table: events.TableHit | None = None
    visits: int = 0
    mean: float | None = None
    owner: int | None = None
    proof: events.Proof | None = None


def node_at(visit: Visit, step: int, guesses: Sequence[int], *, strict: bool) -> NodeInfo:
    """Return what is known of a visited node after `step` events, some of them guesses."""
    if visit.entered == 0 or visit.rewards or visit.tables:
        return _mcts_node_at(visit, step)
    improved = [best for when, best in visit.improved if when <= step]
    best, value = (improved[-1].action, improved[-1].value) if improved else (None, None)
    facts = visit.leaf, visit.cut, visit.table, visit.returned
    leaf, cut, table, end = (as_of(fact, step) for fact in facts)
    returned = end is not None and end.value is not None
    value = end.value if returned else leaf.value if leaf else value
    kind = kind_at(visit, value, step, guesses, strict)
    sure = True
    if visit.claims:
        said = bisect_right(visit.claims, step, key=itemgetter(0))
        claim = visit.claims[said - 1][1] if said else Claim(None)
        kind, sure = claim.kind or "exact", claim.kind is not None
        best = claim.action if claim.best else None
    return NodeInfo(
        path=visit.path,
        state=visit.state,
        window=improved[-1].window if improved else visit.window,
        value=value,
        kind=kind,
        sure=sure,
        status=_status(visit, step, returned, cut),
        best=best,
        leaf=leaf,
        cut=cut,
        table=table,
    )


def _mcts_node_at(visit: Visit, step: int) -> NodeInfo:
    visits = bisect_right(visit.rewards, step, key=itemgetter(0))
    return NodeInfo(
        path=visit.path,
        state=visit.state,
        status="tree",
        best=_choice(visit, step) if visits else None,
        visits=visits,
        mean=visit.rewards[visits - 1][1] / visits if visits else None,
        owner=visit.owner,
        proof=as_of(visit.proof, step),
    )


def _choice(visit: Visit, step: int) -> Action:
    """Return the action that MCTS would play now: see `final_choice`."""
    player = visit.state.current_player
    found = []
    for child in visit.children:
        count = bisect_right(child.rewards, step, key=itemgetter(0))
        proof = as_of(child.proof, step)
        if proof or count:
            mean = child.rewards[count - 1][1] / count if count else 0.0
            found.append((child.path[-1], count, mean, proof))
    sure = [proof.bounds.low[player] if proof else -1 for *_, proof in found]
    is_open = [not proof for *_, proof in found]
    settled = as_of(visit.proof, step) is not None or not any(is_open)
    _, counts, means, _ = zip(*found, strict=True) if found else ((),) * 4
    place = final_choice(counts, means, sure, is_open, settled)
    return None if place is None else found[place][0]


def as_of(fact: tuple[int, Any] | None, step: int) -> Any:
    """Return what a fact says if it was known after `step` events, or None."""
    return fact[1] if fact and fact[0] <= step else None


def _status(visit: Visit, step: int, returned: bool, cut: events.Cut | None) -> str:
    if as_of(visit.raised, step) is not None:
        return "failed"
    return ("cut" if cut and cut.skipped else "done") if returned else "open"


def kind_at(visit: Visit, value: Any, step: int, guesses: Sequence[int], strict: bool) -> Kind:
    """Return whether a value is exact after `step` events, a bound, or one that rests on a guess.

    Once it is returned, its window may have made a bound of it, or a table has said what it is.
    """
    kind: Kind = "exact"
    if (end := as_of(visit.returned, step)) and end.value is not None:
        if visit.table:
            kind = visit.table[1].kind
        elif not visit.leaf:
            kind = kind_in(value, visit.window, strict)
        step = visit.returned[0]  # type: ignore[index]
    if bisect_right(guesses, step) > bisect_right(guesses, visit.entered):
        sure = is_number(value) and abs(value) >= max_payoff(visit.state)
        kind = kind if sure else ESTIMATED_KINDS.get(kind, kind)
    return kind


def kind_in(value: Any, window: tuple[float, ...], strict: bool) -> Kind:
    """Return what a value says that was returned for a window; "exact" where there is none."""
    if len(window) != 2 or not is_number(value):
        return "exact"
    return kind_for_window(value, window[0], window[1], strict)
