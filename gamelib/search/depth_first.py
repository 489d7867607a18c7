"""The base class of depth-first searches: limits, counts, and the values of the root actions.

The recursion of a search is the one of the textbook: a method `value`, which calls `leaf` for the
value of a leaf and `actions` for the actions of a position.  It contains no bookkeeping.
`search_root` loops over the actions of the root, calls the recursion for each successor, and
records the values that it returns.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from math import inf
from typing import Any, Unpack

from gamelib.search import checks
from gamelib.search.callbacks import Callbacks, SearchStopped, poller_or_none
from gamelib.search.checks import WIN_SCORE, Evaluate, Line, PayoffChecker, ZeroSumChecker
from gamelib.search.ordering import Order, validated_order
from gamelib.search.result import ESTIMATED_KINDS, Bound, Kind, SearchResult, Stats
from gamelib.state import Action, BrokenRuleError, GameState, no_actions_error

NestedLine = tuple[Any, ...]  # (a, (b, (c, ()))), so adding an action in front copies nothing
ValueAndLine = tuple[Any, NestedLine]  # a value, and the line that leads to it


class DepthFirst:
    """One run of a depth-first search.  Subclasses implement the recursion, `value(state, ply)`.

    If the recursion has a window, `value` takes it after the ply, and `run` takes the whole window:
    `run(-inf, inf)`.
    """

    supports_chance = False
    zero_sum = True  # the search relies on payoffs that sum to 0
    default_estimate: Any = 0  # the value of a node at the depth limit if there is no heuristic

    def __init__(
        self,
        root: GameState,
        depth: int | None = None,
        evaluate: Evaluate | None = None,
        quick_wins: bool = False,
        *,
        order: Order | None = None,
        nodes: int | None = None,
        **callbacks: Unpack[Callbacks],
    ) -> None:
        checks.check_searchable(root)
        if quick_wins and root.max_utility > 1:
            raise ValueError("quick_wins needs payoffs -1, 0 and +1; this game has larger ones")
        self.root, self.root_player = root, root.current_player
        self.root_actions = root.legal_actions()
        self.depth = checks.check_count("depth", depth)
        self.max_nodes = checks.check_count("nodes", nodes) or inf
        self.evaluate, self.quick_wins = evaluate, quick_wins
        self.order = order and validated_order(order)
        self.max_payoff = checks.max_payoff(root)  # every estimate stays below it
        self.payoff_checker = ZeroSumChecker(quick_wins) if self.zero_sum else PayoffChecker()
        self.poller = poller_or_none(**callbacks)
        self.rejects_chance = root.has_chance and not self.supports_chance
        self.must_poll = bool(self.poller or self.rejects_chance) or self.max_nodes < inf
        self.nodes = self.leaves = self.evaluations = self.cutoffs = 0
        # The nodes that a table made unnecessary, and how many of those were estimates.
        self.table_hits = self.estimated_hits = 0
        self.values: dict[Action, Bound] = {}  # of the root actions that have been searched
        self.lines: dict[Action, NestedLine] = {}  # of those whose value is exact
        self.window: tuple[Any, ...] = ()
        self.stopped = False
        self.started = time.perf_counter()

    # --- what a recursion calls ---

    value: Callable[..., ValueAndLine]

    def leaf(self, state: GameState, ply: int, player: int | None) -> ValueAndLine:
        """Return the value of a terminal state, or of a node at the depth limit, and no line.

        It is the value for `player`.  If `player` is None, it is a vector with one for each player.
        """
        if ply != self.depth or state.is_terminal():
            self.leaves += 1
            payoffs = self.payoff_checker.checked_utilities(state)
            if player is None:
                return payoffs, ()
            return payoffs[player] * (WIN_SCORE - ply) if self.quick_wins else payoffs[player], ()
        self.evaluations += 1
        if self.rejects_chance:
            checks.reject_chance(state)
        return self.estimate(state, player) if self.evaluate else self.default_estimate, ()

    def actions(self, state: GameState) -> Iterable[Action]:
        """Return the legal actions in the order to try them; BrokenRuleError if there are none."""
        if self.must_poll:
            self.poll(state)
        actions = state.legal_actions()
        if not actions:
            raise no_actions_error(state)
        return self.order(state, actions) if self.order else actions

    def estimate(self, state: GameState, viewer: Any) -> Any:
        """Return the estimate of the heuristic for `viewer`."""
        return checks.checked_estimate(self.evaluate, state, viewer)  # type: ignore[arg-type]

    def poll(self, state: GameState) -> None:
        """Report the progress; raise SearchStopped if the search must end."""
        if self.rejects_chance:
            checks.reject_chance(state)
        # Counts of nodes are the same on every machine, unlike seconds.
        if self.nodes >= self.max_nodes:
            raise SearchStopped
        if self.poller and self.poller.is_due():
            self.poller(len(self.values) / len(self.root_actions), self.best_root_action())

    # --- the root ---

    def run(self, *window: Any) -> SearchResult:
        """Search the root and return the result; `window` is passed to `value` after the ply."""
        self.window = window
        try:
            best, _ = self.search_root(self.root)
            self.check_recorded(best)
        except SearchStopped:
            self.stopped = True
        return self.result()

    def search_root(self, state: GameState) -> ValueAndLine:
        """Return the value of the root for the player to move, and the line that leads to it.

        Every action is searched with the whole window, so every value is exact.  A search that also
        prunes at the root overrides this method with its own loop.
        """
        self.nodes += 1
        best, line = -inf, ()
        for action in self.actions(state):
            before, successor = self.estimates_met, state.successor(action)
            child, rest = self.value(successor, 1, *self.window)
            child = self.for_root(child, successor.current_player)
            self.record_root_action(action, child, rest, estimates=self.estimates_met - before)
            if child > best:
                best, line = child, (action, rest)
        return best, line

    def for_root(self, value: Any, mover: int) -> Any:
        """Return the value for the player at the root, from that of a position where `mover` is."""
        return value

    @property
    def estimates_met(self) -> int:
        """The number of values so far that were estimates, not payoffs."""
        return self.evaluations + self.estimated_hits

    def record_root_action(
        self,
        action: Action,
        value: Any,
        rest: NestedLine,
        *,
        kind: Kind = "exact",
        estimates: int,
    ) -> None:
        """Record the value of a root action, or a bound of it, for the player at the root.

        rest       the line after the action
        kind       whether the value is exact, at most ("upper") or at least ("lower") this
        estimates  the number of estimates among the values below the action
        """
        if value in (inf, -inf):
            must = "`legal_actions` must be a list, a tuple or a range in every position"
            raise BrokenRuleError(f"{must}\n{self.root}")
        self.values[action] = Bound(value, self.kind_given_estimates(kind, value, estimates))
        if kind == "exact":
            self.lines[action] = (action, rest)
        else:
            self.lines.pop(action, None)

    def kind_given_estimates(self, kind: Kind, value: float, num_estimates: int) -> Kind:
        """Return the kind of a value if some of the values below it were estimates.

        Every estimate is worse than the best payoff and better than the worst.  So if one of these
        two payoffs has been backed up, every line that affects the value ends with it.
        """
        return ESTIMATED_KINDS[kind] if num_estimates and abs(value) < self.max_payoff else kind

    def check_recorded(self, best: Any) -> None:
        """Raise a RuntimeError if `search_root` returned another value than it recorded."""
        name = f"{type(self).__name__}.search_root"
        if not self.lines:
            must = "call `self.record_root_action` for each action"
            raise RuntimeError(f"{name} has recorded no exact value of a root action; {must}")
        recorded = self.recorded_value(self.best_root_action())
        if best != recorded:
            says = f"returned {best}, but the best value that it recorded is {recorded}"
            raise RuntimeError(f"{name} {says}")

    def recorded_value(self, action: Action) -> Any:
        """Return the value that `search_root` recorded for a root action."""
        return self.values[action].value

    # --- the result ---

    def best_root_action(self) -> Action:
        """Return the best root action so far, the first among equals; None if there is none."""
        best, highest, values = None, -inf, self.values
        for action in self.root_actions:
            if action in self.lines and (value := values[action].value) > highest:
                best, highest = action, value
        return best

    def proven_utilities(self, action: Action) -> tuple[float, ...] | None:
        """Return the payoff of every player after the chosen action, if they are proven."""
        if self.estimates_met or self.stopped:
            return None
        return checks.utilities_from_value(
            self.values[action].value, self.root_player, self.quick_wins
        )

    def line(self, action: Action) -> Line:
        """Return the line of the chosen action."""
        return (action,) if self.stopped else checks.flatten_line(self.lines[action])

    def root_kind(self, value: float) -> Kind:
        """Return the kind of the value of the root, which is that of the best action so far."""
        best = value >= self.max_payoff and not self.quick_wins
        kind: Kind = "lower" if self.stopped and not best else "exact"
        return self.kind_given_estimates(kind, value, self.estimates_met)

    def result(self) -> SearchResult:
        """Return the best root action, with the values and bounds of all root actions."""
        has_value = bool(self.lines)
        chosen = self.best_root_action() if has_value else self.root_actions[0]
        value = self.values[chosen].value if has_value else None
        return SearchResult(
            action=chosen,
            value=value,
            kind="exact" if value is None else self.root_kind(value),
            values={a: self.values[a] for a in self.root_actions if a in self.values},
            utilities=self.proven_utilities(chosen) if has_value else None,
            line=self.line(chosen) if has_value else (chosen,),
            stats=Stats(
                nodes=self.nodes,
                leaves=self.leaves,
                evaluations=self.evaluations,
                cutoffs=self.cutoffs,
                table_hits=self.table_hits,
            ),
            stopped=self.stopped,
            seconds=time.perf_counter() - self.started,
        )
