"""Iterative deepening: a search that has an answer at any time (Slate and Atkin 1977)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import count
from math import inf

from gamelib.search.alphabeta import alphabeta
from gamelib.search.events import Events
from gamelib.search.limits import Evaluate, Progress, Stop, check_count, check_seconds
from gamelib.search.ordering import Order, checked
from gamelib.search.result import SearchResult, Stats
from gamelib.search.table import Table
from gamelib.state import Action, GameState


def iterative_deepening(
    state: GameState,
    *,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    order: Order | None = None,
    table: Table | None = None,
    events: Events | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the result of the deepest alpha-beta search that ends in time: depth 1, 2, 3, ...

    Each search tries first what the one before found best.  They end with `depth`; when all of them
    have visited `nodes`, or the `seconds` are over, except that depth 1 is always finished; when
    `stop` says so; or when the position is solved, since no line that was looked at ends with an
    estimate.  `stats` counts all searches together; its `depth` is the depth of the result.

    order  for actions of which the searches before know nothing; see `alphabeta`
    table  a `Table` to keep for the next search
    """
    check_count("depth", depth)
    check_count("nodes", nodes)
    check_seconds(seconds)
    if table is not None and not isinstance(table, Table):
        raise TypeError(f"table must be a Table or None; got {table!r}")
    table = Table() if table is None else table
    order = best_first(table, order and checked(order))
    started = time.perf_counter()
    deadline = inf if seconds is None else started + seconds
    best: SearchResult | None = None
    total = Stats()

    def late() -> bool:
        return bool(stop and stop()) or (best is not None and time.perf_counter() >= deadline)

    def spent() -> bool:
        return nodes is not None and total.nodes >= nodes

    def report(share: float, action: Action) -> None:
        if depth is not None:
            share = (total.depth + share) / depth
        elif nodes is not None:
            share = min(1, total.nodes / nodes)
        elif seconds:
            share = min(1, (time.perf_counter() - started) / seconds)
        if progress:
            progress(share, best.action if best else action)

    for limit in count(1) if depth is None else range(1, depth + 1):
        result = alphabeta(
            state,
            depth=limit,
            nodes=None if nodes is None or best is None else nodes - total.nodes,
            evaluate=evaluate,
            quick_wins=quick_wins,
            order=order,
            table=table,
            events=events,
            progress=report if progress else None,
            stop=late if stop or seconds is not None else None,
        )
        total = _sum(total, result.stats)
        if best is None or not result.stopped:
            best = result
            total = replace(total, depth=0 if result.stopped else limit)
        if result.stopped or result.utilities is not None or spent():
            break
    assert best is not None  # the first depth gives a result, stopped or not
    elapsed = time.perf_counter() - started
    stopped = result.stopped and elapsed < deadline - started and not spent()
    return replace(best, stats=total, stopped=stopped, seconds=elapsed)


def best_first(table: Table, order: Order | None = None) -> Order:
    """Return an order that tries the best action of the last search first, then as `order` says."""

    def ordered(state: GameState, actions: Sequence[Action]) -> Sequence[Action]:
        tried = order(state, actions) if order else actions
        entry = table.get(state)
        if entry is None or not entry.line:
            return tried
        best = entry.line[0]
        return [best, *(action for action in tried if action != best)]

    return ordered


def _sum(total: Stats, more: Stats) -> Stats:
    counts = asdict(more)
    return Stats(**{name: n + counts[name] for name, n in asdict(total).items()})
