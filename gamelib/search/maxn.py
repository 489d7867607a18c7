"""MaxN: every player maximizes their own payoff (Luckhardt and Irani, AAAI 1986)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

from gamelib.search.events import Cut, Events, Improve, watched
from gamelib.search.limits import (
    Evaluate,
    Line,
    Progress,
    Stop,
    best_of,
    check_count,
    check_not_over,
    estimate,
    from_root,
    watch_or_none,
)
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.state import Action, GameState

Vector = tuple[float, ...]  # one payoff per player
TieRule = Callable[[Vector, int], float]


class PayoffBounds(NamedTuple):
    """What pruning must know of a game: no player gets less than `least`, no two more than `pair`.

    The defaults hold where one player wins (+1) and the others lose (-1), or all draw (0), for any
    number of players.
    """

    pair: float = 0
    least: float = -1

    @classmethod
    def of_sum(cls, total: float, *, least: float, num_players: int) -> PayoffBounds:
        """Return the bounds that follow if the payoffs of all players sum to at most `total`."""
        return cls(total - (num_players - 2) * least, least)

    @property
    def most(self) -> float:
        """The most that one player can get, since another gets at least `least`."""
        return self.pair - self.least

    def check(self, payoffs: Vector, state: GameState) -> None:
        """Raise a ValueError if the payoffs, or estimates, of `state` are outside these bounds."""
        first, second = sorted(payoffs, reverse=True)[:2]
        if first + second > self.pair or min(payoffs) < self.least:
            raise ValueError(
                f"prune is not sound here: it needs payoffs of at least {self.least} each and at "
                f"most {self.pair} for any two players; these are {payoffs}:\n{state}"
            )


def hurt_the_leader(payoffs: Vector, mover: int) -> float:
    """Return how low the best of the other players stays: a tie rule for `maxn`."""
    return -max(payoff for player, payoff in enumerate(payoffs) if player != mover)


def favour(player: int) -> TieRule:
    """Return a tie rule for `maxn`: among equals, what is best for `player`."""
    return lambda payoffs, mover: payoffs[player]


def against(player: int) -> TieRule:
    """Return a tie rule for `maxn`: among equals, what is worst for `player`."""
    return lambda payoffs, mover: -payoffs[player]


def maxn(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    ties: TieRule | None = None,
    prune: bool | PayoffBounds = False,
    events: Events | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the best action if every player plays for their own payoff, any number of players.

    `utilities` of the result is the vector backed up to the root, `vectors` has one for each root
    action, and `values` are those of the player to move.

    depth     look so many plies ahead; there `evaluate(state, player)` estimates for each player
    ties      among vectors equal for the mover, the highest `ties(vector, mover)` is chosen; the
              first action if that is equal too, or without a rule
    prune     cut what cannot change the result (Korf, Artificial Intelligence 48, 1991): True for
              win, draw and loss payoffs, `PayoffBounds` for others.  ValueError at a leaf outside
              the bounds, and together with `ties`, which may prefer an equal vector that was cut
    """
    check_count("depth", depth)
    check_not_over(state)
    if prune:
        if ties:
            raise ValueError(
                "prune is sound for the first action among equals only; leave out ties"
            )
        bounds = prune if isinstance(prune, PayoffBounds) else PayoffBounds()
        return _pruned_maxn(state, depth, evaluate, bounds, events, progress, stop)
    started = time.perf_counter()
    watch = watch_or_none(progress, stop)
    limit = -1 if depth is None else depth  # an int is compared faster than None
    me = state.current_player
    nodes = leaves = evaluations = 0
    vectors: dict[Action, Vector] = {}

    def value(state: GameState, action: Action, ply: int) -> tuple[Vector, tuple[Any, ...]]:
        """Return what each player gets from `state`, and the line that leads to it."""
        nonlocal nodes, leaves, evaluations
        nodes += 1
        actions = state.legal_actions()
        if not actions:
            leaves += 1
            return state.utilities(), ()
        if ply == limit:
            evaluations += 1
            return _estimates(evaluate, state), ()
        if watch:
            watch(len(vectors) / width, _best(vectors, me))
        mover = state.current_player
        vector: Vector = ()
        line: tuple[Any, ...] = ()
        best: float = 0
        for action in actions:
            child, rest = value(state.successor(action), action, ply + 1)
            payoff = child[mover]
            if ply == 0:
                vectors[action] = child
            if not line or payoff > best:
                best, vector, line = payoff, child, (action, rest)
            elif ties and payoff == best and ties(child, mover) > ties(vector, mover):
                vector, line = child, (action, rest)
            else:
                continue
            if events:
                events(Improve(action, vector))
        return vector, line

    value = watched(value, events, depth)
    width = len(state.legal_actions())
    line, stopped = from_root(value, state)
    stats = Stats(nodes=nodes, leaves=leaves, evaluations=evaluations)
    return _result(state, vectors, {}, line, stats, stopped, started)


def _pruned_maxn(
    state: GameState,
    depth: int | None,
    evaluate: Evaluate | None,
    bounds: PayoffBounds,
    events: Events | None,
    progress: Progress | None,
    stop: Stop | None,
) -> SearchResult:
    """Return what `maxn` returns, with immediate and shallow pruning."""
    started = time.perf_counter()
    watch = watch_or_none(progress, stop)
    me = state.current_player
    nodes = leaves = evaluations = cutoffs = 0
    vectors: dict[Action, Vector] = {}
    limits: dict[Action, float] = {}  # of the root actions that were cut

    def value(
        state: GameState, action: Action, ply: int, limit: float
    ) -> tuple[Vector, tuple[Any, ...]]:
        """Return what each player gets from `state`, and the line that leads to it.

        Once the mover can have `limit` here, the player before has something as good elsewhere.
        """
        nonlocal nodes, leaves, evaluations, cutoffs
        nodes += 1
        actions = state.legal_actions()
        if not actions:
            leaves += 1
            return checked(state.utilities(), state), ()
        if ply == depth:
            evaluations += 1
            return checked(_estimates(evaluate, state), state), ()
        if watch:
            watch(len(vectors) / width, _best(vectors, me))
        mover = state.current_player
        vector: Vector = ()
        line: tuple[Any, ...] = ()
        best = -inf
        for tried, branch in enumerate(actions, 1):
            successor = state.successor(branch)
            # Two payoffs of one and the same player have no common bound.
            reply_limit = bounds.pair - best if successor.current_player != mover else inf
            child, rest = value(successor, branch, ply + 1, reply_limit)
            if ply == 0:
                vectors[branch] = child
            if child[mover] > best:
                best, vector, line = child[mover], child, (branch, rest)
                if events:
                    events(Improve(branch, vector))
                if best >= limit or best >= bounds.most:
                    cutoffs += 1
                    if ply == 1 and best < bounds.most:
                        limits[action] = bounds.pair - best
                    if events:
                        events(_cut(branch, vector, best, limit, bounds, actions[tried:]))
                    break
        return vector, line

    seen: set[Vector] = set()

    def checked(payoffs: Vector, state: GameState) -> Vector:
        if payoffs not in seen:
            bounds.check(payoffs, state)
            seen.add(payoffs)
        return payoffs

    value = watched(value, events, depth)
    width = len(state.legal_actions())
    line, stopped = from_root(value, state, inf)
    stats = Stats(nodes=nodes, leaves=leaves, evaluations=evaluations, cutoffs=cutoffs)
    return _result(state, vectors, limits, line, stats, stopped, started)


def _estimates(evaluate: Evaluate | None, state: GameState) -> Vector:
    return tuple(estimate(evaluate, state, player) for player in range(state.num_players))


def _best(vectors: Mapping[Action, Vector], player: int) -> Action:
    return best_of({action: vector[player] for action, vector in vectors.items()})


def _cut(
    action: Action,
    vector: Vector,
    best: float,
    limit: float,
    bounds: PayoffBounds,
    skipped: Sequence[Action],
) -> Cut:
    if best >= bounds.most:
        reason = f"nobody can get more than {bounds.most}"
        return Cut(action, vector, bounds.most, tuple(skipped), reason)
    reason = (
        f"the mover can have {best} here, which leaves the player before at most "
        f"{bounds.pair - best}: no more than an earlier action gives"
    )
    return Cut(action, vector, limit, tuple(skipped), reason)


def _result(
    state: GameState,
    vectors: Mapping[Action, Vector],
    limits: Mapping[Action, float],
    line: Line,
    stats: Stats,
    stopped: bool,
    started: float,
) -> SearchResult:
    """Return the result of a search that has looked at the root actions in `vectors`."""
    me = state.current_player
    values = {
        action: Bound(limits[action], "upper") if action in limits else Bound(vector[me])
        for action, vector in vectors.items()
    }
    action = line[0] if line else _best(vectors, me) if vectors else state.legal_actions()[0]
    utilities = vectors.get(action)
    return SearchResult(
        action=action,
        value=None if utilities is None else utilities[me],
        values=values,
        utilities=utilities,
        vectors={action: vector for action, vector in vectors.items() if action not in limits},
        line=line or (action,),
        stats=stats,
        stopped=stopped,
        seconds=time.perf_counter() - started,
    )


def maxn_outcomes(state: GameState) -> frozenset[Vector]:
    """Return every vector that MaxN can back up to `state`, over all ways to break its ties.

    A tie may be broken differently at every node, so these are the outcomes of all subgame-perfect
    equilibria in pure strategies (Sturtevant, Computers and Games 2004, discusses what follows).
    Visits every position reachable from `state` once, and remembers them all: for small games.
    """
    known: dict[GameState, frozenset[Vector]] = {}

    def outcomes(state: GameState) -> frozenset[Vector]:
        if state not in known:
            known[state] = frozenset([state.utilities()] if state.is_terminal() else chosen(state))
        return known[state]

    def chosen(state: GameState) -> set[Vector]:
        """Return the vectors that the mover may choose: the other actions can all be as low."""
        mover = state.current_player
        children = [outcomes(state.successor(action)) for action in state.legal_actions()]
        # An action can always be made to give its lowest outcome; the best of these is certain.
        certain = max(min(vector[mover] for vector in child) for child in children)
        return {vector for child in children for vector in child if vector[mover] >= certain}

    return outcomes(state)
