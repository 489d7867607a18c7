"""Alpha-beta search (Knuth and Moore 1975; Russell and Norvig, 4th ed., section 5.2.3)."""

from __future__ import annotations

from math import inf, nextafter
from typing import Unpack

from gamelib.search.depth_first import DepthFirst, Found
from gamelib.search.limits import Evaluate, Line, Signals, check_count, check_two_players, unroll
from gamelib.search.ordering import Order, checked
from gamelib.search.registry import described
from gamelib.search.result import SearchResult
from gamelib.search.table import Recalling, Table, as_table
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
    **signals: Unpack[Signals],
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
    memory = as_table(table)
    search = KINDS[bool(strict), memory is not None](state, depth, evaluate, quick_wins, **signals)
    search.all_best, search.order = all_best, order and checked(order)
    search.most_nodes = check_count("nodes", nodes) or inf
    if isinstance(search, Recalling) and memory is not None:
        search.recall_from(memory)
    return search.run(-inf, inf)


class AlphaBeta(DepthFirst):
    """Max is the player to move at the root, min the other."""

    all_best = False

    def value(self, state: GameState, ply: int, alpha: float, beta: float) -> Found:
        """Return the value v of `state` for max, and the line that leads to it.

        v is exact if alpha < v < beta; v <= alpha is an upper bound, v >= beta a lower bound.
        """
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.me)
        maximizing = state.current_player == self.me
        best, line = -inf if maximizing else inf, ()
        for action in self.actions(state):
            child, rest = self.value(state.successor(action), ply + 1, alpha, beta)
            if child > best if maximizing else child < best:
                best, line = child, (action, rest)
                if maximizing:
                    alpha = max(alpha, best)
                else:
                    beta = min(beta, best)
                if beta <= alpha:
                    self.cutoffs += 1
                    break
        return best, line

    def noted(self, state: GameState, ply: int, *window: float) -> Found:
        """Return what the text finds after a root action, and note it."""
        alpha, beta = window
        if self.all_best or isinstance(self, StrictAlphaBeta):
            alpha = Beyond.of(alpha, -inf)  # so a tie is inside the window, and exact
        return super().noted(state, ply, alpha, beta)

    def line(self, action: Action) -> Line:
        """Return the line of the chosen action: that of a stopped search is exact, too."""
        return unroll(self.lines[action])


class StrictAlphaBeta(AlphaBeta):
    """Alpha-beta that cuts on beta < alpha only."""

    def value(self, state: GameState, ply: int, alpha: float, beta: float) -> Found:
        """Return what `AlphaBeta` finds with a window that is a little wider."""
        # A value that only equals a limit is then inside the window, and cuts nothing.
        return super().value(state, ply, Beyond.of(alpha, -inf), Beyond.of(beta, inf))


class RecallingAlphaBeta(Recalling, AlphaBeta):
    """Alpha-beta with a transposition table."""


class RecallingStrictAlphaBeta(StrictAlphaBeta, RecallingAlphaBeta):
    """The same, cutting on beta < alpha only."""


# By whether the search is strict, and has a table.
KINDS: dict[tuple[bool, bool], type[AlphaBeta]] = {
    (False, False): AlphaBeta,
    (True, False): StrictAlphaBeta,
    (False, True): RecallingAlphaBeta,
    (True, True): RecallingStrictAlphaBeta,
}


class Beyond(float):
    """A limit of a window, moved by as little as can be: once, however many plies it goes down."""

    @classmethod
    def of(cls, limit: float, end: float) -> float:
        """Return `limit`, moved in the direction of `end`."""
        return limit if isinstance(limit, cls) else cls(nextafter(limit, end))
