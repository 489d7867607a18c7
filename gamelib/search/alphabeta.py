"""Alpha-beta search (Knuth and Moore 1975; Russell and Norvig, 4th ed., section 5.2.3).

>>> from gamelib import GameTree, alphabeta
>>> alphabeta(GameTree([[3, 5], [2, 9]])).values
{0: = 3, 1: <= 2}
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nextafter
from typing import Any, Unpack

from gamelib.search.callbacks import Callbacks
from gamelib.search.checks import Evaluate, Line, check_two_players, flatten_line
from gamelib.search.depth_first import DepthFirst, ValueAndLine
from gamelib.search.ordering import Order
from gamelib.search.registry import register_search
from gamelib.search.result import Kind, SearchResult, kind_for_window
from gamelib.search.transposition import Entry, Table, adjust_for_ply, as_table, causes_cutoff
from gamelib.state import Action, ActionT, GameState


@register_search(prunes=True, sort_key=3)
def alphabeta(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    nodes: int | None = None,
    evaluate: Evaluate | None = None,
    quick_wins: bool = False,
    order: Order | None = None,
    table: Table | bool | None = None,
    strict: bool = False,
    all_best: bool = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return a best action and the exact value of the position, by fail-soft alpha-beta.

    A root action that cannot be better than an earlier one often has only a bound in `values`, not
    its value.  The chosen action is the first, in `legal_actions` order, of those known to be best.
    Without `order`, or with `all_best`, `minimax` would choose the same action.

    depth       plies to search; at this depth, a node is worth `evaluate(state, player)`, or 0
    nodes       nodes to visit, and the leaves of the last one; then return the best action so far
    quick_wins  a win n plies away is worth 1000 - n, a loss n - 1000, so early wins are preferred
    order       `order(state, actions)` returns the actions in the order to try them
    table       True, or a `Table` that the next search can use, too: look up earlier positions
    strict      cut off only if beta < alpha, not if they are equal, so that ties at the root show
    all_best    find every best root action with its exact value; see `best_actions` of the result
    """
    check_two_players(state, "alphabeta")
    make_search = search_class(as_table(table))
    return make_search(
        state,
        depth,
        evaluate,
        quick_wins,
        order=order,
        nodes=nodes,
        strict=strict,
        all_best=all_best,
        **callbacks,
    ).run()


def search_class(table: Table | None) -> Callable[..., AlphaBeta]:
    """Return the class of the search: one that looks positions up if there is a table."""
    return AlphaBeta if table is None else partial(TableAlphaBeta, table)


class AlphaBeta(DepthFirst):
    """The recursion of alpha-beta.  Max is the player to move at the root, min is the opponent."""

    def __init__(
        self, *arguments: Any, strict: bool = False, all_best: bool = False, **options: Any
    ) -> None:
        super().__init__(*arguments, **options)
        self.strict, self.all_best = strict, all_best

    def value(self, state: GameState, ply: int, alpha: float, beta: float) -> ValueAndLine:
        """Return the value v of `state` for max, and the line that leads to it.

        v is exact if alpha < v < beta; v <= alpha is an upper bound, v >= beta a lower bound.
        """
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.root_player)
        maximizing = state.current_player == self.root_player
        best, line = -inf if maximizing else inf, ()
        for action in self.actions(state):
            child, rest = self.value(state.successor(action), ply + 1, alpha, beta)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
                if maximizing:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if beta < alpha or (beta == alpha and not self.strict):
                    self.cutoffs += 1
                    break
        return best, line

    def search_root(self, state: GameState, alpha: float = -inf, beta: float = inf) -> ValueAndLine:
        """Return the value of the root for max, and the line that leads to it.

        An action that is not better than an earlier one has only a bound.  With `all_best`, the
        window begins one ulp below the best value, so that an equal value is inside it and exact.
        """
        self.nodes += 1
        best, line = -inf, ()
        for action in self.actions(state):
            before = self.estimates_met
            low = nextafter(alpha, -inf) if self.all_best and not self.strict else alpha
            child, rest = self.value(state.successor(action), 1, low, beta)
            kind = kind_for_window(child, low, beta, self.strict)
            estimates = self.estimates_met - before
            self.record_root_action(action, child, rest, kind=kind, estimates=estimates)
            if child > best:
                best, line = child, (action, rest)
                alpha = max(alpha, best)
        return best, line

    def line(self, action: Action) -> Line:
        """Return the line of the chosen action, which is exact even if the search was stopped."""
        return flatten_line(self.lines[action])


class TableAlphaBeta(AlphaBeta):
    """Alpha-beta that looks a node up in a transposition table before it searches it."""

    def __init__(self, table: Table, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        table.start_search(self.root, self.evaluate, self.quick_wins)
        self.table = table

    def value(self, state: GameState, ply: int, alpha: float, beta: float) -> ValueAndLine:
        """Return the value from the table if it is sufficient; otherwise search and store it."""
        if state.is_terminal() or (ply == self.depth and self.evaluate is None):
            return super().value(state, ply, alpha, beta)  # a lookup would cost more
        if hit := self.probe(state, ply, alpha, beta):
            return hit
        before = self.evaluations + self.estimated_hits
        value, line = super().value(state, ply, alpha, beta)
        solved = before == self.evaluations + self.estimated_hits
        kind: Kind = (
            "exact" if ply == self.depth else kind_for_window(value, alpha, beta, self.strict)
        )
        self.remember(state, ply, kind, (value, line), solved)
        return value, line

    def search_root(self, state: GameState, alpha: float = -inf, beta: float = inf) -> ValueAndLine:
        """Search the actions of the root without a lookup, and store its value."""
        value, line = super().search_root(state, alpha, beta)
        kind = kind_for_window(value, alpha, beta, self.strict)
        self.remember(state, 0, kind, (value, line), solved=not self.estimates_met)
        return value, line

    def remember(
        self, state: GameState, ply: int, kind: Kind, result: ValueAndLine, solved: bool
    ) -> None:
        """Store the value and the line of a node in the table."""
        value, line = result
        value = adjust_for_ply(value, ply) if self.quick_wins else value
        self.table.put(Entry(value, kind, self.remaining(ply), solved, line, state))

    def remaining(self, ply: int) -> float:
        """Return the number of plies that remain to be searched at this ply."""
        return inf if self.depth is None else self.depth - ply

    def probe(self, state: GameState, ply: int, alpha: float, beta: float) -> ValueAndLine | None:
        """Return the value and line of a node if its entry is sufficient, and count the hit."""
        entry = self.table.get(state)
        if entry is None or not entry.is_deep_enough(self.remaining(ply)):
            return None
        value = adjust_for_ply(entry.value, -ply) if self.quick_wins else entry.value
        if not causes_cutoff(value, entry.kind, alpha, beta, self.strict):
            return None
        self.nodes += 1
        self.table_hits += 1
        self.estimated_hits += not entry.solved
        if ply != self.depth:
            self.poll(state)
        return value, entry.line
