"""Alpha-beta search (Knuth and Moore 1975; Russell and Norvig, 4th ed., section 5.2.3)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from math import inf, nextafter
from typing import Any

from gamelib.search.events import Cut, Events, Improve, watched
from gamelib.search.limits import (
    Evaluate,
    NodeLimit,
    Progress,
    Stop,
    Watch,
    best_of,
    check_count,
    check_not_over,
    check_two_players,
    estimate,
    final_value,
    from_root,
    two_utilities,
    unroll,
    watch_or_none,
)
from gamelib.search.ordering import Order, checked
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.search.table import Table, as_table, remembered
from gamelib.state import Action, GameState

NestedLine = tuple[Any, ...]  # (a, (b, (c, ())))


def alphabeta(
    state: GameState,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    order: Order | None = None,
    table: Table | bool | None = None,
    strict: bool = False,
    all_best: bool = False,
    events: Events | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return a best action and the exact value of the position; fail-soft.

    A root action that cannot be better than one tried before gets a bound in `values`, often not
    its value.  The chosen action is the first in `legal_actions` order of those known to be best:
    without `order`, or with `all_best`, that is the choice of `minimax`.

    depth       look so many plies ahead; there `evaluate(state, player)` estimates, or 0 stands
    nodes       end at the first inner node after so many visits, with the best so far: a budget
    quick_wins  a win n plies away is worth 1000 - n, a loss n - 1000: sooner wins, later losses
    order       `order(state, actions)` returns the actions in the order to try them
    table       True, or a `Table` to keep for the next search: recall positions met before
    strict      cut on beta < alpha only, not on equality: every tie at the root is found out
    all_best    find every best root action, with its exact value: see `best_actions` of the result
    """
    check_two_players(state, "alphabeta")
    check_count("depth", depth)
    check_count("nodes", nodes)
    check_not_over(state)
    order = order and checked(order)
    started = time.perf_counter()
    me = state.current_player
    observer = watch_or_none(progress, stop)
    watch: Watch | NodeLimit | None = observer
    if nodes is not None:
        watch = NodeLimit(nodes, lambda: visited + (memory.hits if memory else 0), observer)
    visited = leaves = evaluations = cutoffs = 0
    values: dict[Action, float] = {}
    lines: dict[Action, NestedLine] = {}  # of the root actions whose value is exact

    def value(
        state: GameState, action: Action, ply: int, alpha: float, beta: float
    ) -> tuple[float, NestedLine]:
        """Return the value v of `state` for `me`, and the line that leads to it.

        v is exact if alpha < v < beta; v <= alpha is an upper bound, v >= beta a lower bound.
        """
        nonlocal visited, leaves, evaluations, cutoffs
        visited += 1
        actions = state.legal_actions()
        if not actions:
            leaves += 1
            return final_value(state, me, ply, quick_wins), ()
        if ply == depth:
            evaluations += 1
            return estimate(evaluate, state, me), ()
        if watch:
            watch(len(values) / width, best_of(values))
        if order:
            actions = order(state, actions)
        maximizing = state.current_player == me
        line: NestedLine = ()
        best = -inf if maximizing else inf
        for action in actions:
            child, rest = value(state.successor(action), action, ply + 1, alpha, beta)
            if ply == 0:
                values[action] = child
                if child > alpha or (strict and child == alpha):
                    lines[action] = (action, rest)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
                if events:
                    events(Improve(action, best))
                if maximizing and best > alpha:
                    # With a window from just below the best, a tie is inside it, and so exact.
                    alpha = nextafter(best, -inf) if all_best and ply == 0 else best
                elif not maximizing and best < beta:
                    beta = best
                if beta < alpha if strict else beta <= alpha:
                    cutoffs += 1
                    if events:
                        events(_cut(action, best, maximizing, alpha, beta, actions))
                    break
        return best, line

    value = watched(value, events, depth)
    memory = as_table(table)
    if memory is not None:
        memory.begin(state, evaluate, quick_wins)
        value = remembered(
            value,
            memory,
            depth=depth,
            evaluate=evaluate,
            quick_wins=quick_wins,
            strict=strict,
            events=events,
        )
    width = len(state.legal_actions())
    _, stopped = from_root(value, state, -inf, inf)
    hits, guesses = (0, evaluations) if memory is None else (memory.hits, memory.guesses)
    stats = Stats(
        nodes=visited + hits,
        leaves=leaves,
        evaluations=evaluations,
        cutoffs=cutoffs,
        table_hits=hits,
    )
    solved = not guesses and not stopped
    return _result(state, values, lines, stats, solved, stopped, quick_wins, started)


def _cut(
    action: Action,
    best: float,
    maximizing: bool,
    alpha: float,
    beta: float,
    actions: Sequence[Action],
) -> Cut:
    here, other, limit = ("at least", "min", beta) if maximizing else ("at most", "max", alpha)
    reason = f"this node is {here} {best:.4g}, and {other} already has {_plain(limit)} elsewhere"
    skipped = tuple(actions[actions.index(action) + 1 :])
    return Cut(action, best, limit, skipped, reason)


def _plain(limit: float) -> str:
    """Return a limit as text; one that `all_best` moved below a best value prints as that value."""
    return f"{round(limit, 9) + 0:.4g}"


def _result(
    state: GameState,
    values: dict[Action, float],
    lines: dict[Action, NestedLine],
    stats: Stats,
    solved: bool,
    stopped: bool,
    quick_wins: bool,
    started: float,
) -> SearchResult:
    """Return the result of a search that has looked at the root actions in `values`.

    Those in `lines` have an exact value, the others an upper bound that is no higher than the best.
    """
    actions = [action for action in state.legal_actions() if action in values]
    exact = {action: values[action] for action in actions if action in lines}
    action = best_of(exact) if exact else state.legal_actions()[0]
    value = exact.get(action)
    utilities = None
    if value is not None and solved:
        utilities = two_utilities(value, state.current_player, quick_wins)
    return SearchResult(
        action=action,
        value=value,
        values={a: Bound(values[a], "exact" if a in exact else "upper") for a in actions},
        utilities=utilities,
        line=unroll(lines[action]) if exact else (action,),
        stats=stats,
        stopped=stopped,
        seconds=time.perf_counter() - started,
    )
