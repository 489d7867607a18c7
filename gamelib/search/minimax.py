"""Minimax and negamax (Russell and Norvig, Artificial Intelligence, 4th ed., section 5.2)."""

from __future__ import annotations

import time
from math import inf
from typing import Any

from gamelib.search.events import Events, Improve, watched
from gamelib.search.limits import (
    Evaluate,
    Line,
    Progress,
    Stop,
    best_of,
    check_count,
    check_not_over,
    check_two_players,
    estimate,
    final_value,
    from_root,
    two_utilities,
    watch_or_none,
)
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.state import Action, GameState


def minimax(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    events: Events | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the best action and the exact value of every root action, by full search.

    depth       look so many plies ahead; there `evaluate(state, player)` estimates, or 0 stands
    quick_wins  a win n plies away is worth 1000 - n, a loss n - 1000: sooner wins, later losses
    """
    check_two_players(state, "minimax")
    check_count("depth", depth)
    check_not_over(state)
    started = time.perf_counter()
    me = state.current_player
    watch = watch_or_none(progress, stop)
    nodes = leaves = evaluations = 0
    values: dict[Action, float] = {}

    def value(state: GameState, action: Action, ply: int) -> tuple[float, tuple[Any, ...]]:
        """Return the value of `state` for `me`, and the line that leads to it."""
        nonlocal nodes, leaves, evaluations
        nodes += 1
        actions = state.legal_actions()
        if not actions:
            leaves += 1
            return final_value(state, me, ply, quick_wins), ()
        if ply == depth:
            evaluations += 1
            return estimate(evaluate, state, me), ()
        if watch and watch.due():
            watch(len(values) / width, best_of(values))
        maximizing = state.current_player == me
        line: tuple[Any, ...] = ()
        best = -inf if maximizing else inf
        for action in actions:
            child, rest = value(state.successor(action), action, ply + 1)
            if ply == 0:
                values[action] = child
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
                if events:
                    events(Improve(action, best))
        return best, line

    value = watched(value, events, depth)
    width = len(state.legal_actions())
    line, stopped = from_root(value, state)
    stats = Stats(nodes=nodes, leaves=leaves, evaluations=evaluations)
    return minimax_result(state, values, line, stats, stopped, quick_wins, started)


def negamax(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    events: Events | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return what `minimax` returns: every node maximizes for the player who moves there.

    A child's value changes its sign exactly when the child belongs to the other player, so a game
    in which a player moves twice is searched correctly too.
    """
    check_two_players(state, "negamax")
    check_count("depth", depth)
    check_not_over(state)
    started = time.perf_counter()
    watch = watch_or_none(progress, stop)
    nodes = leaves = evaluations = 0
    values: dict[Action, float] = {}

    def value(state: GameState, action: Action, ply: int) -> tuple[float, tuple[Any, ...]]:
        """Return the value of `state` for the player who moves there, and the line to it."""
        nonlocal nodes, leaves, evaluations
        nodes += 1
        mover = state.current_player
        actions = state.legal_actions()
        if not actions:
            leaves += 1
            return final_value(state, mover, ply, quick_wins), ()
        if ply == depth:
            evaluations += 1
            return estimate(evaluate, state, mover), ()
        if watch and watch.due():
            watch(len(values) / width, best_of(values))
        line: tuple[Any, ...] = ()
        best = -inf
        for action in actions:
            successor = state.successor(action)
            child, rest = value(successor, action, ply + 1)
            if successor.current_player != mover:
                child = -child
            if ply == 0:
                values[action] = child
            if child > best:
                best, line = child, (action, rest)
                if events:
                    events(Improve(action, best))
        return best, line

    value = watched(value, events, depth)
    width = len(state.legal_actions())
    line, stopped = from_root(value, state)
    stats = Stats(nodes=nodes, leaves=leaves, evaluations=evaluations)
    return minimax_result(state, values, line, stats, stopped, quick_wins, started)


def minimax_result(
    state: GameState,
    values: dict[Action, float],
    line: Line,
    stats: Stats,
    stopped: bool,
    quick_wins: bool,
    started: float,
) -> SearchResult:
    """Return the result of a search that has looked at the root actions in `values`."""
    action = best_of(values) if values else state.legal_actions()[0]
    value = values.get(action)
    utilities = None
    if value is not None and not stats.evaluations and not stopped:
        utilities = two_utilities(value, state.current_player, quick_wins)
    return SearchResult(
        action=action,
        value=value,
        values={action: Bound(value) for action, value in values.items()},
        utilities=utilities,
        line=line or (action,),
        stats=stats,
        stopped=stopped,
        seconds=time.perf_counter() - started,
    )
