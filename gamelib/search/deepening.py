"""Iterative deepening: a search that has an answer at any time (Slate and Atkin 1977)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Unpack

from gamelib.search.alphabeta import alphabeta
from gamelib.search.callbacks import Callbacks
from gamelib.search.checks import Evaluate, TooDeepError, check_count, check_seconds
from gamelib.search.ordering import Order, validated_order
from gamelib.search.registry import register_search
from gamelib.search.result import SearchResult, Stats
from gamelib.search.transposition import Table, as_table
from gamelib.state import Action, ActionT, GameState


@register_search(prunes=True, sort_key=4)
def iterative_deepening(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    nodes: int | None = None,
    seconds: float | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    order: Order | None = None,
    table: Table | bool | None = True,
    **signals: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the result of the deepest alpha-beta search that ends in time: depth 1, 2, 3, ...

    Each search tries first what the one before found best.  They end with `depth`; when all of them
    have visited `nodes`, or the `seconds` are over, except that depth 1 is always finished; when
    `stop` says so; or when the position is solved, since no line that was looked at ends with an
    estimate.  `stats` counts all searches together; its `depth` is the depth of the result.

    order  for actions of which the searches before know nothing; see `alphabeta`
    table  True for a new one, a `Table` to keep for the next search, or False for none: then only
           the principal variation of the last search is tried first
    """
    spent = _BudgetTracker(depth, nodes, seconds, signals)
    memory = as_table(table)
    variation: dict[GameState, Sequence[Action]] = {}  # of the last search, from each position
    given = order and validated_order(order)
    tried = _best_first(variation.get, given) if memory is None else table_move_first(memory, given)
    search = partial(
        alphabeta, state, evaluate=evaluate, quick_wins=quick_wins, order=tried, table=memory
    )
    for limit in count(1) if spent.depth is None else range(1, spent.depth + 1):
        try:
            result = search(depth=limit, nodes=spent.nodes_left(), **spent.callbacks_for_next())
        except TooDeepError:
            if limit == 1:
                raise
            return spent.result(stopped=True)
        if spent.add(result):
            break
        if memory is None:
            variation.clear()
            variation.update(_lines_along(state, result.line))
    return spent.result(result.stopped and not spent.is_exhausted())


class _BudgetTracker:
    """What the searches so far have cost, and the best of their results."""

    def __init__(
        self, depth: int | None, nodes: int | None, seconds: float | None, signals: Callbacks
    ) -> None:
        check_seconds(seconds)
        self.depth, self.nodes = check_count("depth", depth), check_count("nodes", nodes)
        self.seconds, self.callbacks = seconds, signals
        self.best: SearchResult | None = None
        self.total, self.started = Stats(), time.perf_counter()

    def nodes_left(self) -> int | None:
        """Return how many nodes the next search may visit; the first is always finished."""
        return None if self.nodes is None or self.best is None else self.nodes - self.total.nodes

    def is_out_of_time(self) -> bool:
        return self.seconds is not None and time.perf_counter() - self.started >= self.seconds

    def is_exhausted(self) -> bool:
        return self.is_out_of_time() or (self.nodes is not None and self.total.nodes >= self.nodes)

    def callbacks_for_next(self) -> Callbacks:
        """Return what one search is to call, in place of what was given for all of them."""
        called = self.callbacks.copy()
        stop, progress = called.get("stop"), called.get("progress")
        if stop or self.seconds is not None:
            called["stop"] = lambda: (
                bool(stop and stop()) or (bool(self.best) and self.is_out_of_time())
            )
        if progress:
            called["progress"] = lambda share, action: progress(
                self.overall_fraction(share), self.best.action if self.best else action
            )
        return called

    def overall_fraction(self, share: float) -> float:
        """Return the share done of all searches, where `share` is that of the running one."""
        if self.depth is not None:
            return (self.total.depth + share) / self.depth
        if self.nodes is not None:
            return min(1, self.total.nodes / self.nodes)
        if self.seconds:
            return min(1, (time.perf_counter() - self.started) / self.seconds)
        return share

    def add(self, result: SearchResult) -> bool:
        """Count a search, and return whether it was the last."""
        limit = self.total.depth + 1
        self.total += result.stats
        if self.best is None or not result.stopped:
            self.best = result
            self.total = replace(self.total, depth=0 if result.stopped else limit)
        return result.stopped or result.utilities is not None or self.is_exhausted()

    def result(self, stopped: bool) -> SearchResult:
        """Return the best result, with the costs of all searches."""
        assert self.best is not None  # the first depth gives a result, stopped or not
        elapsed = time.perf_counter() - self.started
        return replace(self.best, stats=self.total, stopped=stopped, seconds=elapsed)


def table_move_first(table: Table, order: Order | None = None) -> Order:
    """Return an order that tries the best action of the last search first, then as `order` says."""

    def line(state: GameState) -> Sequence[Action] | None:
        entry = table.get(state)
        return entry.line if entry else None

    return _best_first(line, order)


def _best_first(line: Callable[[GameState], Sequence[Action] | None], order: Order | None) -> Order:
    """Return an order that tries the first action of `line(state)` first, if there is one."""

    def ordered(state: GameState, actions: Sequence[Action]) -> Sequence[Action]:
        tried = order(state, actions) if order else actions
        known = line(state)
        if not known:
            return tried
        best = known[0]
        return [best, *(action for action in tried if action != best)]

    return ordered


def _lines_along(
    state: GameState, line: Sequence[Action]
) -> Iterator[tuple[GameState, Sequence[Action]]]:
    """Yield each position on a line that has an action there, and the rest of the line."""
    for ply, action in enumerate(line):
        yield state, line[ply:]
        state = state.successor(action)
