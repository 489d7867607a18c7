"""Iterative deepening: a search with a result ready at any time (Slate and Atkin 1977).

>>> from gamelib import TicTacToe, iterative_deepening
>>> iterative_deepening(TicTacToe(), depth=3).stats.depth
3
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
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
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the result of the deepest alpha-beta search, of depth 1, 2, 3, ..., that ends in time.

    Each search first tries the best actions of the one before.  They end at `depth`, or earlier if
    together they have used up `nodes` or `seconds` (but depth 1 is always finished), if `stop`
    returns true, or if no line ends with an estimate.  `stats` has the sums, except its `depth`.

    order  the order of actions about which earlier searches know nothing; see `alphabeta`
    table  True, a `Table` to reuse, or False to try only the last principal variation first
    """
    budget, memory = _BudgetTracker(depth, nodes, seconds, callbacks), as_table(table)
    variation: dict[GameState, Sequence[Action]] = {}  # of the last search, from each position
    base = order and validated_order(order)
    tried = _best_first(variation.get, base) if memory is None else table_move_first(memory, base)
    search = partial(
        alphabeta, state, evaluate=evaluate, quick_wins=quick_wins, order=tried, table=memory
    )
    for limit in count(1) if budget.depth is None else range(1, budget.depth + 1):
        try:
            result = search(depth=limit, nodes=budget.nodes_left(), **budget.callbacks_for_next())
        except TooDeepError:
            if limit == 1:
                raise
            return budget.result(stopped=True)
        if budget.add(result):
            break
        if memory is None:
            _store_lines(variation, state, result.line)
    return budget.result(result.stopped and not budget.is_exhausted())


class _BudgetTracker:
    """The cost of the searches so far, and the best of their results."""

    def __init__(
        self, depth: int | None, nodes: int | None, seconds: float | None, callbacks: Callbacks
    ) -> None:
        check_seconds(seconds)
        self.depth, self.nodes = check_count("depth", depth), check_count("nodes", nodes)
        self.seconds, self.callbacks = seconds, callbacks
        self.best: SearchResult | None = None
        self.total, self.started = Stats(), time.perf_counter()

    def nodes_left(self) -> int | None:
        """Return the number of nodes that the next search may visit; None for the first search."""
        return None if self.nodes is None or self.best is None else self.nodes - self.total.nodes

    def is_out_of_time(self) -> bool:
        return self.seconds is not None and time.perf_counter() - self.started >= self.seconds

    def is_exhausted(self) -> bool:
        return self.is_out_of_time() or (self.nodes is not None and self.total.nodes >= self.nodes)

    def callbacks_for_next(self) -> Callbacks:
        """Return the callbacks of one search, which replace the callbacks of all of them."""
        callbacks = self.callbacks.copy()
        stop, progress = callbacks.get("stop"), callbacks.get("progress")
        if stop or self.seconds is not None:
            callbacks["stop"] = lambda: (
                bool(stop and stop()) or (bool(self.best) and self.is_out_of_time())
            )
        if progress:
            callbacks["progress"] = lambda fraction, action: progress(
                self.overall_fraction(fraction), self.best.action if self.best else action
            )
        return callbacks

    def overall_fraction(self, fraction: float) -> float:
        """Return the fraction done of all searches, given the fraction of the running one."""
        if self.depth is not None:
            return (self.total.depth + fraction) / self.depth
        if self.nodes is not None:
            return min(1, self.total.nodes / self.nodes)
        if self.seconds:
            return min(1, (time.perf_counter() - self.started) / self.seconds)
        return fraction

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
    """Return an order that tries the best action of the last search first, and then as `order`."""

    def line(state: GameState) -> Sequence[Action] | None:
        entry = table.get(state)
        return entry.line if entry else None

    return _best_first(line, order)


def _best_first(line: Callable[[GameState], Sequence[Action] | None], order: Order | None) -> Order:
    """Return an order that tries the first action of `line(state)` first, if there is one."""

    def ordered(state: GameState, actions: Sequence[Action]) -> Sequence[Action]:
        ordered_actions = order(state, actions) if order else actions
        if not (best_line := line(state)):
            return ordered_actions
        best = best_line[0]
        return [best, *(action for action in ordered_actions if action != best)]

    return ordered


def _store_lines(
    lines: dict[GameState, Sequence[Action]], state: GameState, line: Sequence[Action]
) -> None:
    """Replace the contents of `lines` by the rest of a line from each position on it."""
    lines.clear()
    for ply, action in enumerate(line):
        lines[state] = line[ply:]
        state = state.successor(action)
