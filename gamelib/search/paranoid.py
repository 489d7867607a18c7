"""Paranoid: one player against all others (Sturtevant and Korf, AAAI 2000)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf
from typing import Any

from gamelib.search.events import Cut, Events, Improve, watched
from gamelib.search.limits import (
    Evaluate,
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


def paranoid(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    prune: bool = True,
    events: Events | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the best action if all others join against the player to move, any number of players.

    The value is what that player is sure of, whatever the others do: their security value (with a
    full search).  Only the payoff of that player is ever looked at.

    depth     look so many plies ahead; there `evaluate(state, player)` estimates, or 0 stands
    prune     alpha-beta, cutting on beta <= alpha; without it every value of `values` is exact
    """
    check_count("depth", depth)
    check_not_over(state)
    started = time.perf_counter()
    watch = watch_or_none(progress, stop)
    me = state.current_player
    nodes = leaves = evaluations = cutoffs = 0
    values: dict[Action, Bound] = {}

    def value(
        state: GameState, action: Action, ply: int, alpha: float, beta: float
    ) -> tuple[float, tuple[Any, ...]]:
        """Return the value of `state` for `me`, and the line that leads to it.

        A value of alpha or less may be too high and one of beta or more too low: neither is chosen.
        """
        nonlocal nodes, leaves, evaluations, cutoffs
        nodes += 1
        actions = state.legal_actions()
        if not actions:
            leaves += 1
            return state.utilities()[me], ()
        if ply == depth:
            evaluations += 1
            return estimate(evaluate, state, me), ()
        if watch:
            watch(len(values) / width, _best(values))
        mine = state.current_player == me
        line: tuple[Any, ...] = ()
        best = -inf if mine else inf
        for tried, branch in enumerate(actions, 1):
            child, rest = value(state.successor(branch), branch, ply + 1, alpha, beta)
            if ply == 0:
                values[branch] = Bound(child, "exact" if child > alpha else "upper")
            if child > best if mine else child < best:
                best, line = child, (branch, rest)
                if events:
                    events(Improve(branch, best))
                if prune:
                    if mine:
                        alpha = max(alpha, best)
                    else:
                        beta = min(beta, best)
                    if beta <= alpha:
                        cutoffs += 1
                        if events:
                            events(_cut(branch, best, mine, alpha, beta, actions[tried:]))
                        break
        return best, line

    value = watched(value, events, depth)
    width = len(state.legal_actions())
    line, stopped = from_root(value, state, -inf, inf)
    action = _best(values) if values else state.legal_actions()[0]
    return SearchResult(
        action=action,
        value=values[action].value if values else None,
        values=values,
        line=line or (action,),
        stats=Stats(nodes=nodes, leaves=leaves, evaluations=evaluations, cutoffs=cutoffs),
        stopped=stopped,
        seconds=time.perf_counter() - started,
    )


def _best(values: dict[Action, Bound]) -> Action:
    # A bound stands behind the value that it could not exceed, so the first among equals is exact.
    return best_of({action: bound.value for action, bound in values.items()})


def _cut(
    action: Action, best: float, mine: bool, alpha: float, beta: float, skipped: Sequence[Action]
) -> Cut:
    here, others, limit = (
        ("at least", "others have", beta) if mine else ("at most", "root player has", alpha)
    )
    reason = f"this node is {here} {best:.4g}, and the {others} {limit:.4g} elsewhere"
    return Cut(action, best, limit, tuple(skipped), reason)


def security_values(state: GameState) -> tuple[float, ...]:
    """Return what each player is sure of, whatever all the others do.

    Searches every position reachable from `state` once for each player, and remembers them all: for
    small games.
    """
    return tuple(_security_value(state, player) for player in range(state.num_players))


def _security_value(state: GameState, player: int) -> float:
    known: dict[GameState, float] = {}

    def value(state: GameState) -> float:
        if state not in known:
            if state.is_terminal():
                known[state] = state.utility(player)
            else:
                choose = max if state.current_player == player else min
                known[state] = choose(value(state.successor(a)) for a in state.legal_actions())
        return known[state]

    return value(state)
