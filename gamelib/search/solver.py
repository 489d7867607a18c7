"""The solver of small games: alpha-beta that stores every position it has searched."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator
from math import ceil, inf, sqrt
from operator import methodcaller
from typing import Unpack

from gamelib.search import checks
from gamelib.search.callbacks import Callbacks, Poller, SearchStopped, poller_or_none
from gamelib.search.checks import Line
from gamelib.search.registry import register_search
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.state import Action, ActionT, GameState, no_actions_error

# A score combines a payoff p and its distance of n plies: p * SCORE_SCALE - n for p > 0,
# p * SCORE_SCALE + n for p < 0, and 0 for a draw.  So a winner hurries, and a loser holds out.
SCORE_SCALE = 1 << 20
MAX_POSITIONS = 3_000_000  # about a gigabyte
# After this number of positions, about half a second of work, the search estimates its own size.
FIRST_SIZE_CHECK = 20_000
MAX_LEVEL_WIDTH = 1_000  # of the positions at one ply, enough to estimate how their number grows
MAX_ESTIMATED_NODES = 10 * MAX_POSITIONS


@register_search(sort_key=6)
def solve(
    state: GameState[ActionT], *, only_value: bool = False, **callbacks: Unpack[Callbacks]
) -> SearchResult[ActionT]:
    """Return the exact value and distance of every action, for a game that is small enough.

    A distance is the number of plies from the root to the end of the game if the winner hurries and
    the loser holds out; a draw has none.  The chosen action wins soonest, draws, or loses latest.

    Positions with equal `symmetry_key()`, such as mirror images, have the same value and distance
    for the player to move, so they are searched only once.  A subclass of a game does not inherit
    this method.

    only_value  find only the value and distance of the position and one best action

    ValueError if the payoffs are not whole numbers; TooLargeError if the game has more positions
    than can be stored, after half a second if this is clear by then.

    >>> from gamelib import Nim, solve
    >>> result = solve(Nim((1, 2)))
    >>> result.value, result.distance
    (1, 3)
    """
    checks.check_two_players(state, "solve")
    checks.check_searchable(state)
    started = time.perf_counter()
    poller = poller_or_none(**callbacks)
    search = _SolverSearch(poller, limit=SCORE_SCALE * ceil(state.max_utility))
    search.search_root(state, only_value)
    return _result(state, search, only_value, time.perf_counter() - started)


def _result(
    state: GameState, search: _SolverSearch, only_value: bool, seconds: float
) -> SearchResult:
    scores = search.scores
    action = max(scores, key=scores.__getitem__, default=state.legal_actions()[0])
    has_value = action in scores and not (search.stopped and only_value)
    value = _payoff(scores[action]) if has_value else None
    exact_scores = scores if not only_value else {action: scores[action]} if has_value else {}
    return SearchResult(
        action=action,
        value=value,
        kind="lower" if search.stopped else "exact",
        values={action: Bound(_payoff(score)) for action, score in exact_scores.items()},
        utilities=None
        if value is None or search.stopped
        else checks.utilities_from_value(value, state.current_player, quick_wins=False),
        line=search.line or (action,),
        distance=_distance(scores[action]) if has_value else None,
        distances={action: _distance(score) for action, score in exact_scores.items()},
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
    """One run of the solver: the scores that it stores, and its counts."""

    def __init__(self, poller: Poller | None, limit: float) -> None:
        self.poller, self.limit = poller, limit
        self.next_size_check = min(FIRST_SIZE_CHECK, MAX_POSITIONS)
        self.payoff_checker = checks.ZeroSumChecker()
        self.table: dict[Hashable, tuple[float, float]] = {}  # lower and upper bound of the score
        self.scores: dict[Action, float] = {}  # of the root actions
        self.line: Line = ()
        self.fraction, self.best_action = 0.0, None
        self.nodes = 1  # the root
        self.leaves = self.cutoffs = self.hits = 0
        self.stopped = False

    def search_root(self, state: GameState, only_value: bool) -> None:
        """Find the scores of the root actions and a line of best play, unless `stop` ends it."""
        # An inherited key is not used, because a variant of a game may lack its symmetries.
        symmetry_key = vars(type(state)).get("symmetry_key")
        self.key: Callable[..., Hashable] = symmetry_key or (lambda state: state)
        if state.has_chance:
            self.key = checks.reject_chance  # it returns None, or raises an error at a chance node
        self.state, actions = state, state.legal_actions()
        best = -self.limit
        try:
            for i, action in enumerate(actions):
                self.fraction = i / len(actions)
                alpha = best if only_value else -self.limit
                score = self.child_score(state, state.successor(action), alpha, self.limit)
                self.scores[action] = score
                if score > best:
                    best, self.best_action = score, action
            self.line = self.best_line(state, best)
        except SearchStopped:
            self.stopped = True
        except checks.TooLargeError as error:
            raise checks.TooLargeError(*error.args) from None  # without the frames of the search

    def score(self, state: GameState, alpha: float, beta: float) -> float:
        """Return the score s of `state` for the player to move.

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
        """Return the same as `score`, from the table if its bounds are sufficient."""
        self.nodes += 1
        if self.poller:
            self.poller(self.fraction, self.best_action)
        if state.is_terminal():
            return self.score(state, alpha, beta)
        key = self.key(state) or state  # without a key, only the position itself is equal
        low, high = self.table.get(key, (-self.limit, self.limit))
        if low == high or low >= beta or high <= alpha:
            self.hits += 1
            return low if low >= beta else high
        # The known bounds narrow the window, because a score outside them would be no news.
        alpha, beta = max(alpha, low), min(beta, high)
        best = self.score(state, alpha, beta)
        self.table[key] = (best if best > alpha else low, best if best < beta else high)
        if len(self.table) > self.next_size_check:
            self.next_size_check = min(10 * self.next_size_check, MAX_POSITIONS)
            self.check_size()
        return best

    def child_score(self, state: GameState, child: GameState, alpha: float, beta: float) -> float:
        """Return the score of `child` for the player to move at `state`, one ply farther away."""
        alpha, beta = _to_child_ply(alpha), _to_child_ply(beta)
        if child.current_player == state.current_player:
            return _to_parent_ply(self.score_with_table(child, alpha, beta))
        return _to_parent_ply(-self.score_with_table(child, -beta, -alpha))

    def children(self, state: GameState) -> list[GameState]:
        """Return the successors of a position, the terminal ones first."""
        actions = state.legal_actions()
        if not actions:
            raise no_actions_error(state)
        if len(actions) > MAX_LEVEL_WIDTH:
            self.check_size()
        children = [state.successor(action) for action in actions]
        # An immediate win cuts the other successors before any of them is searched.
        children.sort(key=methodcaller("is_terminal"), reverse=True)
        return children

    def check_size(self) -> None:
        """Raise a TooLargeError if the search is not going to end; otherwise do nothing."""
        # Take the first ply at which a position has been finished.  At least the square root of the
        # positions at this ply must be searched (Knuth and Moore 1975), and each needs about as
        # much work as the first one, which has taken all the time so far.
        level, growth, size, done = [self.state], 1.0, 1.0, max(len(self.table), 1)
        reason = "there is no result" if done > MAX_POSITIONS else ""
        for plies, _ in enumerate(self.unexplored_line(self.state), 1):
            if len(level) < MAX_LEVEL_WIDTH:
                children = [c for state in level for c in _nonterminal_children(state)]
                next_level = {self.key(child) or child: child for child in children}
                level, growth = [*next_level.values()], len(next_level) / len(level)
            size *= growth
            if done * sqrt(size) > MAX_ESTIMATED_NODES:
                reason = reason or f"nothing is known about the first {plies} plies"
                break
        if reason:
            raise checks.TooLargeError(
                f"this game is too large for solve, because {reason} after {done - 1:,} positions; "
                "use mcts, or a search with a depth limit, or `gamefast.solve` for Connect Four "
                "with cols * (rows + 1) up to 64, and tic-tac-toe of up to 32 cells"
            )

    def unexplored_line(self, state: GameState) -> Iterator[GameState]:
        """Yield the line that is being searched, as long as the table has no sibling of it."""
        while (children := _nonterminal_children(state)) and not any(
            (self.key(child) or child) in self.table for child in children
        ):
            state = children[0]
            yield state

    def final_score(self, state: GameState) -> float:
        """Return the score of a terminal state for its player to move."""
        self.leaves += 1
        payoff = self.payoff_checker.checked_utilities(state)[state.current_player]
        if payoff % 1:
            raise ValueError(f"solve needs payoffs that are whole numbers; got {payoff}:\n{state}")
        return int(payoff) * SCORE_SCALE

    def best_line(self, state: GameState, score: float) -> Line:
        """Return the line of first best actions from a state with a known score."""
        # The table stores bounds, not actions, so the line has to be searched.  A window of one
        # point only tests whether an action reaches the score.
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
    """Return a score as seen from one ply earlier."""
    return score - (score > 0) + (score < 0)


def _to_child_ply(score: float) -> float:
    """Return a score as seen from one ply later."""
    return score + (score > 0) - (score < 0)


def _payoff(score: float) -> int:
    # Only integers are used, because a float cannot represent every payoff beyond 2**53.
    return (int(score) + SCORE_SCALE // 2) // SCORE_SCALE


def _distance(score: float) -> int | None:
    return abs(_payoff(score) * SCORE_SCALE - int(score)) if score else None
