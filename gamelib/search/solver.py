"""The exact answer for small games: alpha-beta that remembers every position it has met."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from math import ceil, inf, sqrt
from operator import methodcaller
from typing import Unpack

from gamelib.search import callbacks, checks
from gamelib.search.callbacks import Callbacks, Poller, SearchStopped
from gamelib.search.checks import Line
from gamelib.search.registry import register_search
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.state import Action, ActionT, GameState, no_actions_error

# A score joins a payoff p and its distance of n plies in one number: p * SCORE_SCALE - n for p > 0,
# p * SCORE_SCALE + n for p < 0, and 0 for a draw.  So a winner hurries, and a loser does not.
SCORE_SCALE = 1 << 20
MOST_POSITIONS = 3_000_000  # about a gigabyte
# Positions, about half a second's work: then the search estimates whether it will come to an end.
FIRST_SIZE_CHECK = 20_000
MAX_LEVEL_WIDTH = 1_000  # positions at one ply are enough to see how their number grows
MAX_ESTIMATED_NODES = 10 * MOST_POSITIONS


@register_search(sort_key=6)
def solve(
    state: GameState[ActionT], *, only_value: bool = False, **signals: Unpack[Callbacks]
) -> SearchResult[ActionT]:
    """Return the exact value and distance of every action, for games small enough.

    A distance counts the plies from the root to the end when the winner hurries and the loser holds
    out; a draw has none.  The chosen action wins soonest, draws, or loses latest.

    Positions with equal `symmetry_key()`, of equal value and distance for the player to move, such
    as mirror images, are searched once.  A subclass of a game does not inherit it.

    only_value  find the value and distance of the position, and one best action, but not the others

    ValueError if the payoffs are not whole numbers; TooLargeError if there are more positions than
    can be remembered, after half a second where that shows so early.
    """
    checks.check_two_players(state, "solve")
    checks.check_searchable(state)
    started = time.perf_counter()
    watch = callbacks.poller_or_none(**signals)
    search = _SolverSearch(watch, limit=SCORE_SCALE * ceil(state.max_utility))
    search.search_root(state, only_value)
    return _result(state, search, only_value, time.perf_counter() - started)


def _result(
    state: GameState, search: _SolverSearch, only_value: bool, seconds: float
) -> SearchResult:
    scores = search.scores
    action = max(scores, key=scores.__getitem__, default=state.legal_actions()[0])
    known = action in scores and not (search.stopped and only_value)
    value = _payoff(scores[action]) if known else None
    shown = scores if not only_value else {action: scores[action]} if known else {}
    return SearchResult(
        action=action,
        value=value,
        kind="lower" if search.stopped else "exact",
        values={action: Bound(_payoff(score)) for action, score in shown.items()},
        utilities=None
        if value is None or search.stopped
        else checks.utilities_from_value(value, state.current_player, quick_wins=False),
        line=search.line or (action,),
        distance=_distance(scores[action]) if known else None,
        distances={action: _distance(score) for action, score in shown.items()},
        stats=Stats(
            nodes=search.nodes,
            leaves=search.leaves,
            cutoffs=search.cutoffs,
            table_hits=search.hits,
            tree_nodes=len(search.table),
        ),
        stopped=search.stopped,
        seconds=seconds,
    )


class _SolverSearch:
    """One search: what it remembers, and its counts."""

    def __init__(self, watch: Poller | None, limit: float) -> None:
        self.watch, self.limit, self.most = watch, limit, min(FIRST_SIZE_CHECK, MOST_POSITIONS)
        self.paid = checks.ZeroSumChecker()
        self.table: dict[Hashable, tuple[float, float]] = {}  # score at least, score at most
        self.scores: dict[Action, float] = {}  # of the root actions
        self.line: Line = ()
        self.share, self.best_action = 0.0, None
        self.nodes = 1  # the root
        self.leaves = self.cutoffs = self.hits = 0
        self.stopped = False

    def search_root(self, state: GameState, only_value: bool) -> None:
        """Find the scores of the root actions, and a line of best play; `stop` can end it."""
        # Not an inherited one: a variant of a game may lack its symmetries.
        own = vars(type(state)).get("symmetry_key")
        self.key: Callable[..., Hashable] = own or (lambda state: state)
        if state.has_chance:
            self.key = checks.reject_chance  # which raises an error at a chance node, else is None
        self.state, actions = state, state.legal_actions()
        best = -self.limit
        try:
            for i, action in enumerate(actions):
                self.share = i / len(actions)
                alpha = best if only_value else -self.limit
                score = self.child_score(state, state.successor(action), alpha, self.limit)
                self.scores[action] = score
                if score > best:
                    best, self.best_action = score, action
            self.line = self.best_line(state, best)
        except SearchStopped:
            self.stopped = True
        except checks.TooLargeError as error:
            raise checks.TooLargeError(*error.args) from None  # without all frames of the search

    def score(self, state: GameState, alpha: float, beta: float) -> float:
        """Return the score s of `state` for the player who moves there.

        s is exact if alpha < s < beta; s <= alpha is an upper bound, s >= beta a lower bound.
        """
        if state.is_terminal():
            return self.final_score(state)
        best = -inf
        for child in self.children(state):
            score = self.child_score(state, child, max(alpha, best), beta)
            best = max(best, score)
            if best >= beta:
                self.cutoffs += 1
                break
        return best

    def score_with_table(self, state: GameState, alpha: float, beta: float) -> float:
        """Return what `score` does: from memory, if enough is known of this position."""
        self.nodes += 1
        if self.watch:
            self.watch(self.share, self.best_action)
        if state.is_terminal():
            return self.score(state, alpha, beta)
        key = self.key(state) or state  # None: nothing is known of this one
        low, high = self.table.get(key, (-self.limit, self.limit))
        if low == high or low >= beta or high <= alpha:
            self.hits += 1
            return low if low >= beta else high
        # What is known narrows the window: an answer outside it would tell nothing new.
        alpha, beta = max(alpha, low), min(beta, high)
        best = self.score(state, alpha, beta)
        self.table[key] = (best if best > alpha else low, best if best < beta else high)
        if len(self.table) > self.most:
            self.most = min(10 * self.most, MOST_POSITIONS)
            self.check_size()
        return best

    def child_score(self, state: GameState, child: GameState, alpha: float, beta: float) -> float:
        """Return the score of `child` for the player who moves at `state`, one ply farther away."""
        alpha, beta = _to_child_ply(alpha), _to_child_ply(beta)
        if child.current_player == state.current_player:
            return _to_parent_ply(self.score_with_table(child, alpha, beta))
        return _to_parent_ply(-self.score_with_table(child, -beta, -alpha))

    def children(self, state: GameState) -> list[GameState]:
        """Return the positions after each action; those where the game is over come first."""
        actions = state.legal_actions()
        if not actions:
            raise no_actions_error(state)
        if len(actions) > MAX_LEVEL_WIDTH:
            self.check_size()
        children = [state.successor(action) for action in actions]
        # A win at once cuts the rest before anything below them is searched.
        children.sort(key=methodcaller("is_terminal"), reverse=True)
        return children

    def check_size(self) -> None:
        """Raise a TooLargeError if the search will not end; else let it go on to the limit."""
        # Of the positions at the first ply where anything is known at least the square root must be
        # searched (Knuth and Moore 1975), with about as much work for each as for the first one,
        # which has taken all the time so far.
        level, grown, size, done = [self.state], 1.0, 1.0, max(len(self.table), 1)
        why = "no answer" if done > MOST_POSITIONS else ""
        for plies, _ in enumerate(self.unexplored_line(self.state), 1):
            if len(level) < MAX_LEVEL_WIDTH:
                below = {self.key(c) or c: c for each in level for c in _nonterminal_children(each)}
                level, grown = [*below.values()], len(below) / len(level)
            size *= grown
            if done * sqrt(size) > MAX_ESTIMATED_NODES:
                why = why or f"nothing is known of the first {plies} plies"
                break
        if why:
            known = (
                "Connect Four with cols * (rows + 1) up to 64, and tic-tac-toe of up to 32 cells"
            )
            raise checks.TooLargeError(
                f"this game is too large for solve: {why} after {done - 1:,} positions; "
                f"`gamefast.solve` answers {known}; "
                "searches with a depth limit, and mcts, can play it"
            )

    def unexplored_line(self, state: GameState) -> Iterator[GameState]:
        """Yield the line that is searched, as far as no position beside it is known."""
        while (children := _nonterminal_children(state)) and not any(
            (self.key(child) or child) in self.table for child in children
        ):
            state = children[0]
            yield state

    def final_score(self, state: GameState) -> float:
        """Return the score of a terminal state for its player to move."""
        self.leaves += 1
        payoff = self.paid.checked_utilities(state)[state.current_player]
        if payoff % 1:
            raise ValueError(f"solve needs payoffs that are whole numbers; got {payoff}:\n{state}")
        return int(payoff) * SCORE_SCALE

    def best_line(self, state: GameState, score: float) -> Line:
        """Return the line of first best actions from a state whose score is known."""
        # A window of one point asks whether an action reaches the score, and no more; the table
        # holds bounds, not moves, so the line has to be asked for.
        line: list[Action] = []
        while not state.is_terminal():
            for action in state.legal_actions():
                child = state.successor(action)
                if self.child_score(state, child, score - 1, score) >= score:
                    break
            line.append(action)
            score = _to_child_ply(score)
            score = score if child.current_player == state.current_player else -score
            state = child
        return tuple(line)


def _nonterminal_children(state: GameState) -> list[GameState]:
    """Return the successors of a state that are not terminal."""
    children = map(state.successor, state.legal_actions())
    return [child for child in children if not child.is_terminal()]


def _to_parent_ply(score: float) -> float:
    """Return a score as it is seen from one ply earlier."""
    return score - (score > 0) + (score < 0)


def _to_child_ply(score: float) -> float:
    """Return a score as it is seen from one ply later."""
    return score + (score > 0) - (score < 0)


def _payoff(score: float) -> int:
    # Integers only: a float cannot hold every payoff beyond 2**53.
    return (int(score) + SCORE_SCALE // 2) // SCORE_SCALE


def _distance(score: float) -> int | None:
    return abs(_payoff(score) * SCORE_SCALE - int(score)) if score else None
