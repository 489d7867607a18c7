"""The tree of a trace: every visit of a node, with the step at which each fact became known."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
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
    """What may be said about a node after a step, because it follows from the record.

    kind    the kind of its value; None if it is not shown to be true of the game
    action  the action that the program prefers; `best` if it is shown to be the best
    """

    kind: Kind | None
    action: Action = None
    best: bool = False


@dataclass(slots=True, eq=False)
class Visit:
    """One visit of a node, or one node of MCTS; each fact is stored with its step."""

    path: Path
    state: GameState
    parent: Visit | None = None
    entered: int = 0  # the step at which it was entered
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
    last: int = -1  # number of the last visit among its descendants
    rewards: list[tuple[int, float]] = field(default_factory=list)  # MCTS: (step, running sum)
    tables: list[tuple[int, tuple[Ucb, ...]]] = field(default_factory=list)  # MCTS
    proof: tuple[int, events.Proof] | None = None
    # what checks the statements about this visit; None for a library search
    judge: Callable[[Any], list[tuple[int, Claim]]] | None = None
    chosen: Action = None  # the action that the program returned instead of a value
    doubtful: bool = False  # the returned number may be a value or an action
    below: list[int] = field(default_factory=list)  # MCTS: steps at which descendants were added
    _claims: list[tuple[int, Claim]] | None = field(default=None, init=False)

    @property
    def claims(self) -> list[tuple[int, Claim]]:
        """(step, claim) in order; [] for a library search.

        They are made when they are asked for, because a learner looks at few of all visits.
        """
        if self._claims is None:
            self._claims = self.judge(self) if self.judge else []
        return self._claims

    def record_event(self, step: int, event: Event) -> None:
        """Record the facts of an event about this visit."""
        if isinstance(event, events.Enter):
            self.entered, self.window, self.perspective = step, event.window, event.perspective
        elif isinstance(event, events.Improve):
            self.improved.append((step, event))
        elif fact := FACTS.get(type(event)):
            setattr(self, fact, (step, event))

    def add(self, step: int, reward: float) -> None:
        """Record the reward of one simulation."""
        self.rewards.append((step, reward + (self.rewards[-1][1] if self.rewards else 0)))

    @property
    def owner(self) -> int:
        """The player whose rewards this node counts: the one who moved into it.

        At the root it is the player to move.  An outcome of chance counts the rewards of the player
        who moved before chance.
        """
        visit = self.parent or self
        while visit.parent and visit.state.current_player == CHANCE:
            visit = visit.parent
        return viewpoint(visit.state)


@dataclass(frozen=True)
class NodeInfo:
    """What is known about a node after some step of a search.

    window   the current (alpha, beta), narrowed by the children so far; () without windows
    value    the best value so far, or the value returned; None before the first child has returned
    kind     the kind of the value, as in a `Bound`
    sure     whether the value is shown to be true of the game; if not, it is the program's claim
    status   "open": entered and not left; "done": returned; "cut": returned after a cut; "failed":
             left by an error; "tree": a node of MCTS
    best     the action of the best child so far; None if that one is not shown to be best
    visits   MCTS: simulations through this node, and `mean`, the mean reward of `owner`
    owner    MCTS: the player who moved into this node
    proof    MCTS: guaranteed and possible payoffs of every player, once proofs have settled the
             node
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
    """Return what is known about a visited node after `step` events."""
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
    """Return the action that MCTS would play now, see `final_choice`."""
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
    """Return a fact if it was known after `step` events, or None."""
    return fact[1] if fact and fact[0] <= step else None


def _status(visit: Visit, step: int, returned: bool, cut: events.Cut | None) -> str:
    if as_of(visit.raised, step) is not None:
        return "failed"
    return ("cut" if cut and cut.skipped else "done") if returned else "open"


def kind_at(visit: Visit, value: Any, step: int, guesses: Sequence[int], strict: bool) -> Kind:
    """Return the kind of a value after `step` events: exact, a bound, or based on an estimate.

    Once the value is returned, its window may make it a bound, or a table entry may have its kind.
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
    """Return the kind of a value that was returned for a window; "exact" without a window."""
    if len(window) != 2 or not is_number(value):
        return "exact"
    return kind_for_window(value, window[0], window[1], strict)
