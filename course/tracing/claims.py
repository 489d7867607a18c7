"""Decide which statements about the game follow from a record, so that a stepper may make them.

The numbers of a program are its own claims.  From the leaves that the program has visited, this
module derives the limits of the value of every node.  A value, a best action or the reason of a cut
is called true only if it follows from these limits.  Everything else is reported as something that
the program did.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from operator import itemgetter
from typing import Any, NamedTuple

from course.tracing import perspective
from course.tracing.call_graph import VisitBuilder
from course.tracing.events import Cut, Improve, Leaf, Return, TableHit
from course.tracing.perspective import EACH, MOVER, Perspective, short_number
from course.tracing.recorder import Step
from course.tracing.visits import Claim, kind_at, viewpoint
from gamelib.games.game_tree import GameTree
from gamelib.search.result import ESTIMATED_KINDS, Kind
from gamelib.state import CHANCE, Action, GameState, is_number

MOST_SOLVED = 3_000  # positions that the program has skipped and that are solved here
MOST_PLIES = 40
WINDOW = ("alpha", "beta")  # these arguments are not a depth
SURE: dict[Kind, Kind] = {guess: sure for sure, guess in ESTIMATED_KINDS.items()}
FLIPPED: dict[Kind, Kind] = {
    "upper": "lower",
    "lower": "upper",
    "upper estimate": "lower estimate",
    "lower estimate": "upper estimate",
}


class Limits(NamedTuple):
    """A value is not below `low` and not above `high`."""

    low: float
    high: float

    def __neg__(self) -> Limits:
        return Limits(-self.high, -self.low)

    def both(self, other: Limits) -> Limits:
        """Return the limits that follow from two statements about the same value."""
        return Limits(max(self.low, other.low), min(self.high, other.high))


UNKNOWN = Limits(-inf, inf)


class Known(NamedTuple):
    """The limits of a node: `proven` by results, or `assumed` if estimates count as results."""

    proven: Limits
    assumed: Limits

    def __neg__(self) -> Known:
        return Known(-self.proven, -self.assumed)


NOTHING_KNOWN = Known(UNKNOWN, UNKNOWN)


class _TooLargeError(Exception):
    """There are too many skipped positions to solve them."""


class Rules:
    """The game as the program's values see it: one player, who maximizes, against the rest.

    Values for the player to move, as in negamax, are converted to values for the player at the
    root.
    """

    def __init__(self, root: GameState, viewer: Perspective) -> None:
        self.by_mover = viewer == MOVER
        mine = self.by_mover or viewer in (EACH, CHANCE)
        self.player = viewpoint(root) if mine else int(viewer)
        self.applies = viewer != EACH
        self.applies &= not self.by_mover or root.num_players == 2
        self._solved: dict[GameState, Limits] = {}
        self._left = MOST_SOLVED

    def turns(self, state: GameState) -> bool:
        """Return whether the program's value of a position has the opposite sign."""
        return self.by_mover and state.current_player != self.player

    def payoff(self, state: GameState) -> Limits:
        """Return the payoff of a terminal state, as equal limits."""
        payoffs = perspective.payoffs_of(state)
        mine = payoffs[self.player]
        if not is_number(mine) or mine != mine or (self.by_mover and sum(payoffs) != 0):
            return UNKNOWN
        return Limits(mine, mine)

    def span(self, state: GameState) -> Limits:
        """Return the limits of every payoff of a game; only those of library games are known."""
        if not type(state).__module__.startswith("gamelib."):
            return UNKNOWN
        return Limits(-state.max_utility, state.max_utility)

    def combined(self, state: GameState, parts: Mapping[Action, Limits]) -> Limits:
        """Return the limits of a node from those of its successors."""
        if not parts:
            return UNKNOWN
        if state.current_player == CHANCE:
            chances = dict(state.chance_outcomes())
            lows, highs = ([chances[a] * x[i] for a, x in parts.items()] for i in (0, 1))
            return Limits(sum(lows), sum(highs))
        choose = max if state.current_player == self.player else min
        return Limits(*(choose(part[i] for part in parts.values()) for i in (0, 1)))

    def solved(self, state: GameState) -> Limits:
        """Return the value of a position that the program has skipped, if its tree is small."""
        try:
            return self._solve(state, MOST_PLIES)
        except Exception:  # too large, or a learner's game that raises
            return self.span(state)

    def _solve(self, state: GameState, plies: int) -> Limits:
        if state in self._solved:
            return self._solved[state]
        if self._left <= 0 or plies == 0:
            raise _TooLargeError
        self._left -= 1
        if perspective.is_over(state):
            found = self.payoff(state)
        else:
            actions = state.legal_actions()
            parts = {a: self._solve(state.successor(a), plies - 1) for a in actions}
            found = self.combined(state, parts)
        self._solved[state] = found
        return found


class Claims:
    """Checks the statements at the steps of a record.

    Each value gets the kind with which it can be shown ("exact", a bound, or an estimate), or None.
    The event of a cut is replaced by one that says only what is true.
    """

    def __init__(
        self,
        visits: Sequence[VisitBuilder],
        root: GameState,
        viewer: Perspective,
        *,
        name: str,
        strict: bool,
        limited: bool,
    ) -> None:
        self.rules, self.perspective = Rules(root, viewer), viewer
        self.root, self.name, self.strict = root, name, strict
        self.guesses: Sequence[int] = ()
        self.limited = limited  # whether leaves may be estimates
        self._states: dict[GameState, Limits] = {}
        self._visits: dict[VisitBuilder, Known] = {}
        self._sound: dict[VisitBuilder, Kind | None] = {}  # the kinds of vectors
        for visit in reversed(visits):
            self._learn(visit)

    def judge(
        self, visits: Sequence[VisitBuilder], steps: list[Step], guesses: Sequence[int]
    ) -> None:
        """Check all cuts now, and the other statements about a visit when they are asked for.

        `guesses` are the steps at which an estimate was met.
        """
        self.guesses = guesses
        for number, (event, _, visit, _) in enumerate(steps, 1):
            if isinstance(event, Cut):
                assert isinstance(visit, VisitBuilder)
                checked = self._checked(visit, event, number)
                steps[number - 1] = steps[number - 1]._replace(event=checked)
                visit.cut = (number, checked)
        for visit in visits:
            visit.judge = self._statements

    # --- the limits of the nodes ---

    def _learn(self, visit: VisitBuilder) -> None:
        """Store the limits of a node, whose children's limits are known."""
        if not self.rules.applies:
            self._sound[visit] = self._kind_of_vector(visit)
            return
        known = self._limits_of(visit)
        with suppress(TypeError):  # a learner's positions may not be hashable
            before = self._states.get(visit.state, UNKNOWN)
            known = Known(known.proven.both(before), known.assumed)
            self._states[visit.state] = known.proven
        self._visits[visit] = known

    def _limits_of(self, visit: VisitBuilder) -> Known:
        state, rules = visit.state, self.rules
        if perspective.is_over(state):
            payoff = rules.payoff(state)
            return Known(payoff, payoff)
        if visit.children:
            return self._from_children(visit, visit.children, whole=True)
        proven = self._state(state)
        value = visit.value
        if not (self.limited and is_number(value)):
            return Known(proven, proven)
        value = -value if rules.turns(state) else value
        return Known(proven, Limits(value, value))

    def _from_children(
        self, visit: VisitBuilder, children: Iterable[VisitBuilder], *, whole: bool
    ) -> Known:
        """Return the limits that follow from the children so far, or from all actions (`whole`)."""
        state = visit.state
        latest = {child.node.action: self._visits.get(child, NOTHING_KNOWN) for child in children}
        proven = {action: known.proven for action, known in latest.items()}
        assumed = {action: known.assumed for action, known in latest.items()}
        if whole:
            for action in _legal(visit):
                if action not in latest:
                    proven[action] = self._skipped(state, action)
                    assumed[action] = proven[action]
        return Known(self.rules.combined(state, proven), self.rules.combined(state, assumed))

    def _skipped(self, state: GameState, action: Action) -> Limits:
        """Return the limits of a position that the program has not visited from here."""
        try:
            child = state.successor(action)
        except Exception:
            return UNKNOWN
        return self._state(child).both(self.rules.solved(child))

    def _state(self, state: GameState) -> Limits:
        try:
            return self._states.get(state, UNKNOWN).both(self.rules.span(state))
        except TypeError:
            return UNKNOWN

    # --- vectors: one payoff for each player ---

    def _kind_of_vector(self, visit: VisitBuilder) -> Kind | None:
        """Return the kind of a vector that follows from the leaves; None if it does not follow."""
        value, state = visit.value, visit.state
        if not isinstance(value, tuple):
            return None
        if perspective.is_over(state):
            return "exact" if value == tuple(perspective.payoffs_of(state)) else None
        if not visit.children:
            return "estimate" if self.limited else None
        latest = {child.node.action: child for child in visit.children}
        kinds = [self._sound.get(child) for child in latest.values()]
        if None in kinds or set(_legal(visit)) != set(latest):
            return None
        kind: Kind = "exact" if set(kinds) == {"exact"} else "estimate"
        return kind if value in self._best_vectors(state, list(latest.values())) else None

    def _best_vectors(self, state: GameState, children: list[VisitBuilder]) -> list[Any]:
        mover = state.current_player
        values = [child.value for child in children]
        if mover == CHANCE:
            chances = dict(state.chance_outcomes())
            shares = [chances[child.node.action] for child in children]
            columns = zip(*values, strict=True)
            weighed = [[s * x for s, x in zip(shares, c, strict=True)] for c in columns]
            return [tuple(sum(column) for column in weighed)]
        best = max(value[mover] for value in values)
        return [value for value in values if value[mover] == best]

    # --- the statements, step by step ---

    def _statements(self, visit: VisitBuilder) -> list[tuple[int, Claim]]:
        """Return what may be said about a node after each step of its visit that changes it."""
        facts: list[tuple[int, Any]] = [*visit.improved]
        facts += [fact for fact in (visit.leaf, visit.table, visit.returned) if fact]
        facts += [(child.entered, None) for child in visit.children]
        claims: list[tuple[int, Claim]] = []
        for number, event in sorted(facts, key=itemgetter(0)):
            if isinstance(event, Improve):
                claims.append((number, self._improved(visit, event, number)))
            elif isinstance(event, Leaf | TableHit):
                claims.append((number, Claim(self._kind(visit, event.value, number))))
            elif isinstance(event, Return):
                claims.append((number, self._returned(visit, event, number)))
            elif claims:  # the child before may be better than the best one so far
                claims += self._look_again(visit, number, claims[-1][1])
        return claims

    def _look_again(
        self, visit: VisitBuilder, number: int, before: Claim
    ) -> list[tuple[int, Claim]]:
        """Check the best child so far again when the next one is entered."""
        earlier = [best for when, best in visit.improved if when < number]
        claim = self._improved(visit, earlier[-1], number) if earlier else before
        return [(number, claim)] if claim != before else []

    def _kind(self, visit: VisitBuilder, value: Any, number: int) -> Kind | None:
        """Return the kind with which a value of a node can be shown; None if it does not follow."""
        if not self.rules.applies:
            return self._sound.get(visit) if value == visit.value else None
        known = self._visits.get(visit, NOTHING_KNOWN)
        said = kind_at(visit, value, number, self.guesses, self.strict)
        turned = self.rules.turns(visit.state)
        tight = visit.parent is not None and bool(visit.children)
        return kind_in_limits(value, -known if turned else known, said, tight=tight)

    def _returned(self, visit: VisitBuilder, event: Return, number: int) -> Claim:
        kind = self._kind(visit, event.value, number)
        if not visit.children:
            return Claim(kind)
        action = visit.improved[-1][1].action if visit.improved else None
        if visit.chosen is not None:
            action = visit.chosen
        elif visit.doubtful:  # no other action may be called best than the one it may have meant
            action = event.value
        latest = {child.node.action: child for child in visit.children}
        best = self._rank(visit, action, latest, _legal(visit)) if action is not None else None
        return Claim(kind, action, best is not None and (best == "exact" or kind in SURE))

    def _improved(self, visit: VisitBuilder, event: Improve, number: int) -> Claim:
        done = [c for c in visit.children if c.returned and c.returned[0] <= number]
        latest = {child.node.action: child for child in done}
        child = latest.get(event.action)
        if child is None:
            return Claim(None, None, False)
        seen = perspective.value_for_parent(child, visit, self.perspective)
        gave = seen == event.value and event.value is not None
        kind = self._kind(child, child.value, number) if gave else None
        if kind and self.rules.turns(child.state) != self.rules.turns(visit.state):
            kind = FLIPPED.get(kind, kind)
        best = self._rank(visit, event.action, latest, latest) if kind else None
        if kind and best == "estimate":
            kind = ESTIMATED_KINDS.get(kind, kind)
        return Claim(kind if best else None, event.action, best is not None)

    def _rank(
        self,
        visit: VisitBuilder,
        action: Action,
        latest: Mapping[Action, VisitBuilder],
        among: Iterable[Action],
    ) -> Kind | None:
        """Return "exact" or "estimate" if no action is better for the player to move, or None."""
        state = visit.state
        if action not in latest or state.current_player == CHANCE:
            return None
        if not self.rules.applies:
            return self._rank_of_vector(state, action, list(latest.values()), {*among} <= {*latest})
        known = {each: self._visits[child] for each, child in latest.items()}
        for each in among:
            if each not in known:
                limits = self._skipped(state, each)
                known[each] = Known(limits, limits)
        if state.current_player != self.rules.player:
            known = {each: -one for each, one in known.items()}
        own = known.pop(action)
        if all(own.proven.low >= other.proven.high for other in known.values()):
            return "exact"
        best = all(own.assumed.low >= other.assumed.high for other in known.values())
        return "estimate" if best else None

    def _rank_of_vector(
        self, state: GameState, action: Action, children: list[VisitBuilder], whole: bool
    ) -> Kind | None:
        kinds = {self._sound.get(child) for child in children}
        own = next(child.value for child in children if child.node.action == action)
        if None in kinds or not whole or own not in self._best_vectors(state, children):
            return None
        return "exact" if kinds == {"exact"} else "estimate"

    # --- cuts ---

    def _checked(self, visit: VisitBuilder, cut: Cut, number: int) -> Cut:
        """Return a cut with a reason that follows from the record, or without a reason."""
        reason = self._reason(visit, cut, number) if self.rules.applies else None
        if reason is not None:
            return replace(cut, limit=reason[0], reason=reason[1], sound=True)
        return replace(cut, reason=self._not_shown(visit, cut), sound=False)

    def is_cut(self, visit: VisitBuilder) -> bool:
        """Return whether the skipped actions of a node cannot matter, by its window."""
        mine = visit.state.current_player == self.rules.player
        limits = self._from_children(visit, visit.children, whole=False).assumed
        window = self.window(visit)
        return limits.low >= window.high if mine else limits.high <= window.low

    def window(self, visit: VisitBuilder) -> Limits:
        """Return the true window of a node, from the values above it.

        It is for `rules.player`, who has at least `low` elsewhere, while the others can hold the
        result to `high`.
        """
        low, high = -inf, inf
        below: VisitBuilder = visit
        while (above := below.parent) is not None:
            mine = above.state.current_player == self.rules.player
            for child in above.children:
                if child.number < below.number and above.state.current_player != CHANCE:
                    known = self._visits[child].assumed
                    low = max(low, known.low) if mine else low
                    high = high if mine else min(high, known.high)
            if above.state.current_player == CHANCE:
                low, high = -inf, inf  # the bound of a mean says nothing about one of its outcomes
                return Limits(low, high)
            below = above
        return self._asked(below).both(Limits(low, high))

    def _asked(self, root: VisitBuilder) -> Limits:
        """Return the window with which the search was called."""
        if len(root.window) != 2:
            return UNKNOWN
        asked = Limits(*root.window)
        return -asked if self.rules.turns(root.state) else asked

    def _reason(self, visit: VisitBuilder, cut: Cut, number: int) -> tuple[float, str] | None:
        """Return the bound that a node has reached, and why it is enough; None if it is not."""
        state, rules = visit.state, self.rules
        done = [c for c in visit.children if c.returned and c.returned[0] <= number]
        if not done:
            return None
        mine = state.current_player == rules.player
        if state.current_player == CHANCE:
            limits = self._mean_so_far(visit, done)
            mine = limits.low >= self.window(visit).high
        else:
            limits = self._from_children(visit, done, whole=False).assumed
        window, value = self.window(visit), limits.low if mine else limits.high
        bound = window.high if mine else window.low
        reached = value >= bound if mine else value <= bound
        if reached and bound in (inf, -inf):
            return None
        if reached and self.strict and value == bound and state.current_player != CHANCE:
            return None
        if reached:
            return self._in_words(state, value, bound, mine, asked=bound in self._asked_at(visit))
        span = rules.span(state)
        most = span.high if mine else span.low
        if value == most and not isinstance(state, GameTree):
            limit = f"no payoff is {'higher' if mine else 'lower'} than {short_number(value)}"
            return (-value if rules.turns(state) else value), limit
        return None

    def _mean_so_far(self, visit: VisitBuilder, done: list[VisitBuilder]) -> Limits:
        """Return the limits of a mean whose other outcomes can have any value."""
        parts = dict.fromkeys(_legal(visit), self.rules.span(visit.state))
        parts |= {child.node.action: self._visits[child].assumed for child in done}
        if any(abs(limit) == inf for part in parts.values() for limit in part):
            return UNKNOWN
        return self.rules.combined(visit.state, parts)

    def _asked_at(self, visit: VisitBuilder) -> Limits:
        while visit.parent is not None:
            visit = visit.parent
        return self._asked(visit)

    def _in_words(
        self, state: GameState, value: float, bound: float, mine: bool, *, asked: bool
    ) -> tuple[float, str]:
        name, me, mover = self.root.player_name, self.rules.player, state.current_player
        side = "at least" if mine else "at most"
        if mover == CHANCE:
            return bound, f"whatever else may come, the mean is {side} {short_number(value)}"
        if self.rules.by_mover and mover != me:
            value, bound, side = -value, -bound, "at least"
        whom = f" for {name(mover)}" if self.rules.by_mover else ""
        here = f"this node is {side} {short_number(value)}{whom}"
        if asked:
            limit = "more" if side == "at least" else "less"
            return (
                bound,
                f"{here}, and this search was not asked for {limit} than {short_number(bound)}",
            )
        if self.rules.by_mover:
            return bound, f"{here}, who is held to {short_number(bound)} elsewhere"
        if not mine:
            has = f"{name(me)} already has"
        else:
            has = "the others have" if self.root.num_players > 2 else f"{name(1 - me)} already has"
        return bound, f"{here}, and {has} {short_number(bound)} elsewhere"

    def _not_shown(self, visit: VisitBuilder, cut: Cut) -> str:
        """Return what a program did at a cut that is not shown to be safe."""
        here = f"{self.name} stops here"
        if len(cut.window) == 2:
            here += f": alpha is {_number(cut.window[0])} and beta is {_number(cut.window[1])}"
        if not cut.skipped:
            return here
        joined = f"{here}, so" if len(cut.window) == 2 else f"{here}, although"
        return f"{joined} {_listed(self._names(visit, cut))} could still change the choice"

    def _names(self, visit: VisitBuilder, cut: Cut) -> list[str]:
        """Return the names of the skipped actions, or the numbers of a textbook tree's leaves."""
        state = visit.state
        if isinstance(state, GameTree) and self.rules.applies:
            leaves = [state.successor(action) for action in cut.skipped]
            if all(leaf.is_terminal() for leaf in leaves):
                limits = (self.rules.payoff(leaf) for leaf in leaves)
                turned = self.rules.turns(state)
                return [short_number(-each.low if turned else each.low) for each in limits]
        return [f"action {action}" for action in cut.skipped]


def has_depth_limit(visits: Sequence[VisitBuilder]) -> bool:
    """Return whether a program has a depth limit, so that its other leaves are estimates.

    It has one if an argument has the same value at all those leaves and nowhere else, or if the
    leaves are calls of another function, which estimates them.
    """
    inner = [visit for visit in visits if visit.children]
    searching = {call.code for visit in inner for call in visit.calls}
    leaves = [
        visit for visit in visits if not visit.children and not perspective.is_over(visit.state)
    ]
    leaves = [visit for visit in leaves if visit.call.code in searching]
    if not leaves:
        return bool(inner)
    for name, value in leaves[0].call.arguments.items():
        if name in WINDOW:
            continue
        if is_number(value) and all(leaf.call.arguments.get(name) == value for leaf in leaves):
            above = (visit.call.arguments.get(name) for visit in inner)
            if value not in above:
                return True
    return False


def kind_in_limits(value: Any, known: Known, said: Kind, *, tight: bool) -> Kind | None:
    """Return the kind with which a value with these limits can be shown; None if it cannot.

    said   the kind that follows from the program's own window
    tight  whether a bound may be shown about which nothing else is known
    """
    if isinstance(value, bool):
        return "exact" if (known.proven.low > 0 if value else known.proven.high <= 0) else None
    if not is_number(value):
        return None
    for kind in (SURE.get(said, said), "exact"):
        if _holds(value, known.proven, kind):
            return kind
    for kind in (SURE.get(said, said), "exact"):
        if _holds(value, known.assumed, kind):
            return ESTIMATED_KINDS[kind]
    if tight and value not in (inf, -inf):
        bounds: tuple[Kind, ...] = "upper", "lower"
        for limits, kinds in ((known.proven, {}), (known.assumed, ESTIMATED_KINDS)):
            for bound, limit in zip(bounds, (limits.high, limits.low), strict=True):
                if value == limit:
                    return kinds.get(bound, bound)
    return None


def _holds(value: float, limits: Limits, kind: Kind) -> bool:
    if kind == "upper":
        return limits.high <= value
    if kind == "lower":
        return limits.low >= value
    return limits.low == limits.high == value


def _legal(visit: VisitBuilder) -> tuple[Action, ...]:
    try:
        return tuple(visit.state.legal_actions())
    except Exception:
        return ()


def _number(number: float) -> str:
    return {inf: "∞", -inf: "-∞"}.get(number) or short_number(number)


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
