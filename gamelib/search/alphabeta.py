"""Alpha-beta search (Knuth and Moore 1975; Russell and Norvig, 4th ed., section 5.2.3)."""

from __future__ import annotations

from math import inf, nextafter
from typing import Unpack

from gamelib.search.depth_first import NO_LINE, DepthFirst, Found
from gamelib.search.events import Callbacks, shown
from gamelib.search.limits import Evaluate, Line, check_count, check_two_players, unroll
from gamelib.search.ordering import Order, checked
from gamelib.search.registry import described
from gamelib.search.result import SearchResult
from gamelib.search.table import RecallingSearch, Table, as_table, kind_of
from gamelib.state import Action, GameState


@described(prunes=True, place=3)
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
    **callbacks: Unpack[Callbacks],
) -> SearchResult:
    """Return a best action and the exact value of the position; fail-soft.

    A root action that cannot be better than one tried before gets a bound in `values`, often not
    its value.  The chosen action is the first in `legal_actions` order of those known to be best:
    without `order`, or with `all_best`, that is the choice of `minimax`.

    depth       look so many plies ahead; there `evaluate(state, player)` estimates, or 0 stands
    nodes       end after so many visits, with the best so far; a node finishes its leaves
    quick_wins  a win n plies away is worth 1000 - n, a loss n - 1000: sooner wins, later losses
    order       `order(state, actions)` returns the actions in the order to try them
    table       True, or a `Table` to keep for the next search: recall positions met before
    strict      cut on beta < alpha only, not on equality: every tie at the root is found out
    all_best    find every best root action, with its exact value: see `best_actions` of the result
    """
    check_two_players(state, "alphabeta")
    nodes = check_count("nodes", nodes)
    memory = as_table(table)
    kind = AlphaBeta if memory is None else RecallingAlphaBeta
    search = kind(state, depth, evaluate, quick_wins, **callbacks)
    search.order, search.strict, search.all_best = order and checked(order), strict, all_best
    if nodes is not None:
        search.most_nodes, search.heard = nodes, True
    if isinstance(search, RecallingAlphaBeta) and memory is not None:
        search.recall_from(memory)
    return search.run(search.value, -inf, inf)


class AlphaBeta(DepthFirst):
    """Max is the player to move at the root, min the other."""

    order: Order | None
    strict: bool
    all_best: bool

    @shown
    def value(self, state: GameState, action: Action, ply: int, alpha: float, beta: float) -> Found:
        """Return the value v of `state` for max, and the line that leads to it.

        v is exact if alpha < v < beta; v <= alpha is an upper bound, v >= beta a lower bound.
        """
        self.nodes += 1
        actions = state.legal_actions()
        if not actions or ply == self.depth:
            return self.leaf(state, action, ply, self.me, (alpha, beta))
        if self.heard and (known := self.enter(state, action, ply, self.me, (alpha, beta))):
            return known  # from the table
        actions = self.order(state, actions) if self.order else actions
        maximizing = state.current_player == self.me
        best, line = -inf if maximizing else inf, NO_LINE
        for action in actions:
            child, rest = self.value(state.successor(action), action, ply + 1, alpha, beta)
            if ply == 0:
                self.note(action, child, rest, kind_of(child, alpha, beta, self.strict))
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
                if self.heard:
                    self.improve(action, best)
                if maximizing and best > alpha:
                    alpha = best if ply else self.root_alpha(best)
                elif not maximizing and best < beta:
                    beta = best
                if beta < alpha if self.strict else beta <= alpha:
                    self.cut(action, best, maximizing, alpha, beta, actions)
                    break
        return self.leave(best, line) if self.heard else (best, line)

    def root_alpha(self, best: float) -> float:
        """Return alpha for the next root action."""
        # With a window from just below the best, a tie is inside it, and so exact.
        return nextafter(best, -inf) if self.all_best else best

    def line(self, action: Action) -> Line:
        """Return the line of the chosen action: that of a stopped search is exact, too."""
        return unroll(self.lines[action])


class RecallingAlphaBeta(RecallingSearch, AlphaBeta):
    """Alpha-beta with a transposition table."""
