"""What surrounds a depth-first search: its limits, its counts, what it knows of the root's actions.

The recursion of a search is the book's, a method `value` that asks for the value of a `leaf` and
for the `actions` of a position.  All else is done where it asks, or around it: nothing in the text
of a search serves whoever stops it, counts its budget, or wants the value of every root action.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Any, Unpack

from gamelib.search import limits
from gamelib.search.limits import WIN, Evaluate, Line, SearchStopped, Signals, ZeroSum
from gamelib.search.ordering import Order
from gamelib.search.result import GUESSES, Bound, Kind, SearchResult, Stats, kind_of
from gamelib.state import Action, BrokenRuleError, GameState, not_over

NestedLine = tuple[Any, ...]  # (a, (b, (c, ()))): to put an action in front copies nothing
Window = tuple[float, ...]
Found = tuple[Any, NestedLine]  # a value, and the line that leads to it


class DepthFirst:
    """One search; a subclass has the text, `value(state, ply)`, after which windows may follow."""

    most_nodes: float = inf
    stopped = False
    order: Order | None = None
    knows_chance = False

    def __init__(
        self,
        root: GameState,
        depth: int | None,
        evaluate: Evaluate | None,
        quick_wins: bool = False,
        **signals: Unpack[Signals],
    ) -> None:
        limits.check_not_over(root)
        if quick_wins and root.max_utility > 1:
            raise ValueError("quick_wins needs payoffs -1, 0 and +1; this game has larger ones")
        self.root, self.me, self.root_actions = root, root.current_player, root.legal_actions()
        self.depth = limits.check_count("depth", depth)
        self.evaluate, self.quick_wins = evaluate, quick_wins
        self.most = limits.most_of(root)  # the payoff that no guess is as good as
        self.watch = limits.watch_or_none(**signals)
        self.nodes = self.leaves = self.evaluations = self.cutoffs = 0
        self.hits = self.recalled = 0  # nodes that a table made unnecessary; of those, estimates
        self.values: dict[Action, Bound] = {}  # of the root actions that were tried
        self.lines: dict[Action, NestedLine] = {}  # of those whose value is no bound
        self.trying: Action = None  # the root action that is being looked at
        self.paid: Any = self.pays()
        self.paid.quick_wins = quick_wins
        self.refuses = root.has_chance and not self.knows_chance
        self.heard = False
        self.started = time.perf_counter()

    # --- what a text asks ---

    value: Callable[..., Found]

    def leaf(self, state: GameState, ply: int, viewer: int | None) -> Found:
        """Return what a node is worth where the game is over or the depth reached, and no line.

        As `viewer` sees it, or, for None, what everybody gets.
        """
        if ply != self.depth or state.is_terminal():
            self.leaves += 1
            payoffs = state.utilities()
            if payoffs.__class__ is not tuple or payoffs not in self.paid:
                self.paid.of(state)  # checks them; so a call is saved at nearly every leaf
            if viewer is None:
                return payoffs, ()
            return payoffs[viewer] * (WIN - ply) if self.quick_wins else payoffs[viewer], ()
        self.evaluations += 1
        if self.refuses:
            limits.refuse_chance(state)
        return self.guess(state, viewer) if self.evaluate else self.unknown, ()

    def actions(self, state: GameState) -> Iterable[Action]:
        """Return the legal actions in the order to try them; an error if there are none."""
        if self.heard:
            self.hear(state)
        actions = state.legal_actions()
        if not actions:
            raise not_over(state)
        return self.order(state, actions) if self.order else actions

    # --- what depends on the search ---

    unknown: Any = 0  # what stands for a guess without a heuristic

    pays: type[Any] = ZeroSum

    def guess(self, state: GameState, viewer: Any) -> Any:
        """Return what the heuristic says of a position, as `viewer` sees it."""
        return limits.estimate(self.evaluate, state, viewer)  # type: ignore[arg-type]

    def favourite(self) -> Action:
        """Return the best root action so far, the first among equals; None if there is none."""
        return limits.best_of(
            {a: self.values[a].value for a in self.root_actions if a in self.lines}
        )

    def payoffs(self, action: Action) -> tuple[float, ...] | None:
        """Return what every player gets after the chosen action, if that is proven."""
        if self.evaluations or self.recalled or self.stopped:
            return None
        return limits.two_utilities(self.values[action].value, self.me, self.quick_wins)

    def line(self, action: Action) -> Line:
        """Return the line of the chosen action."""
        return (action,) if self.stopped else limits.unroll(self.lines[action])

    def root_kind(self, value: float) -> Kind:
        """Return what is known of the value of the root, that of the best action so far."""
        best = value >= self.most and not self.quick_wins
        kind: Kind = "lower" if self.stopped and not best else "exact"
        return self.kind(kind, value, self.evaluations + self.recalled)

    # --- a run, around the text ---

    def run(self, *window: float) -> SearchResult:
        """Return what the text finds from the root."""
        text = type(self).value
        self.heard = bool(self.watch or self.refuses) or self.most_nodes < inf
        try:
            if text(AtRoot(self), self.root, 0, *window)[0] in (inf, -inf):
                must = "`legal_actions` must be a list, a tuple or a range: somewhere it is not"
                raise BrokenRuleError(f"{must}\n{self.root}")
        except SearchStopped:
            self.stopped = True
        return self.result()

    def noted(self, state: GameState, ply: int, *window: float) -> Found:
        """Return what the text finds after a root action, and note it."""
        before = self.evaluations + self.recalled
        found = self.value(state, ply, *window)
        self.note(state, found, window, self.evaluations + self.recalled - before)
        return found

    def note(self, state: GameState, found: Found, window: Window, guesses: int) -> None:
        """Write down what is known of the root action that leads to `state`."""
        value, rest = found
        kind: Kind = "exact"
        if window:
            kind = kind_of(value, window[0], window[1])
        self.values[self.trying] = Bound(value, self.kind(kind, value, guesses))
        if kind == "exact":
            self.lines[self.trying] = (self.trying, rest)

    def kind(self, kind: Kind, value: float, guesses: int) -> Kind:
        """Return what is known of a value that seems to be of this kind, with guesses behind it.

        No guess is as good as the best payoff, or as bad as the worst: a search that has backed up
        one of these has met it on every line that matters.
        """
        return GUESSES[kind] if guesses and abs(value) < self.most else kind

    def hear(self, state: GameState) -> None:
        """Tell how far the search is, and end it if it is to stop: SearchStopped."""
        if self.refuses:
            limits.refuse_chance(state)
        # Counts of nodes are the same on every machine, where seconds are not.
        if self.nodes >= self.most_nodes:
            raise SearchStopped
        if self.watch and self.watch.due():
            self.watch(len(self.values) / len(self.root_actions), self.favourite())

    def result(self) -> SearchResult:
        """Return the best of the root actions, and what is known of all of them."""
        known = bool(self.lines)
        chosen = self.favourite() if known else self.root_actions[0]
        value = self.values[chosen].value if known else None
        return SearchResult(
            action=chosen,
            value=value,
            kind="exact" if value is None else self.root_kind(value),
            values={a: self.values[a] for a in self.root_actions if a in self.values},
            utilities=self.payoffs(chosen) if known else None,
            line=self.line(chosen) if known else (chosen,),
            stats=Stats(
                nodes=self.nodes,
                leaves=self.leaves,
                evaluations=self.evaluations,
                cutoffs=self.cutoffs,
                table_hits=self.hits,
            ),
            stopped=self.stopped,
            seconds=time.perf_counter() - self.started,
        )


class AtRoot:
    """Stands for a search while its text runs at the root: there every action's value is noted."""

    search: Any = None
    # So that `super()` works in a text.
    __class__ = property(lambda self: type(self.search))

    def __init__(self, search: DepthFirst) -> None:
        object.__setattr__(self, "search", search)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.search, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.search, name, value)

    def actions(self, state: GameState) -> Iterator[Action]:
        """Yield the actions, and note which one is being tried."""
        for action in self.search.actions(state):
            self.trying = action
            yield action

    def value(self, state: GameState, ply: int, *window: float) -> Found:
        """Return the value of the position after that action, and its line."""
        found: Found = self.search.noted(state, ply, *window)
        return found
