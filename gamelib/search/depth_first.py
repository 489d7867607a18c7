"""What the depth-first searches share: where they end, what they count, whom they tell.

The recursion of a search is the book's, and asks a `DepthFirst` at four places: `leaf` where it
looks no further, `enter` where it does, `improve` and `leave`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from math import inf
from typing import Any, Unpack

from gamelib.search import limits
from gamelib.search.events import Callbacks, Cut, Enter, Improve, Leaf, Return
from gamelib.search.limits import Evaluate, Line, SearchStopped
from gamelib.search.result import GUESSES, Bound, Kind, SearchResult, Stats
from gamelib.state import Action, BrokenRuleError, GameState, check_payoffs, not_over

NestedLine = tuple[Any, ...]  # (a, (b, (c, ()))): to put an action in front copies nothing
NO_LINE: NestedLine = ()
Window = tuple[float, ...]
Found = tuple[Any, NestedLine]  # a value, and the line that leads to it


class DepthFirst:
    """One search: its limits, its counts, and what it knows of the root's actions.

    `viewer` is always the player for whom a value is; None where everybody has an entry in it.
    """

    rivals = "{1} already has", "{0} already has"  # who has the limit that cuts a node of max, min
    most_nodes: float = inf
    stopped = False
    knows_chance = refuses = False

    def __init__(
        self,
        root: GameState,
        depth: int | None,
        evaluate: Evaluate | None,
        quick_wins: bool = False,
        **callbacks: Unpack[Callbacks],
    ) -> None:
        limits.check_not_over(root)
        if quick_wins and root.max_utility > 1:
            raise ValueError("quick_wins needs payoffs -1, 0 and +1; this game has larger ones")
        self.root, self.me, self.actions = root, root.current_player, root.legal_actions()
        self.depth = limits.check_count("depth", depth)
        self.evaluate, self.quick_wins = evaluate, quick_wins
        self.events = callbacks.get("events")
        self.watch = limits.watch_or_none(callbacks.get("progress"), callbacks.get("stop"))
        self.nodes = self.leaves = self.evaluations = self.cutoffs = 0
        self.hits = self.recalled = 0  # nodes that a table made unnecessary; of those, estimates
        self.noted = -1, 0, 0  # when one was last noted: nodes, guesses, and those behind it
        self.values: dict[Action, Bound] = {}  # of the root actions that were tried
        self.lines: dict[Action, NestedLine] = {}  # of those whose value is no bound
        # Functions that stand in the object are found faster than those of its class.
        self.final, self.guess = self.final, self.guess
        self.sound: set[Any] = set()  # payoffs that have been checked
        if root.has_chance and not self.knows_chance:
            self.refuses = True
        # If not, `enter` would do nothing.
        self.heard = bool(self.events or self.watch or self.refuses)
        self.started = time.perf_counter()

    # --- what a recursion asks ---

    def leaf(
        self, state: GameState, action: Action, ply: int, viewer: int | None, window: Window = ()
    ) -> Found:
        """Return the value of a node where the game is over or the depth reached, and no line."""
        over = state.is_terminal()
        if over:
            self.leaves += 1
            value = self.final(state, viewer, ply, self.quick_wins)
        elif ply != self.depth:
            raise not_over(state)
        else:
            self.evaluations += 1
            if self.refuses:
                limits.refuse_chance(state)
            value = self.guess(self.evaluate, state, viewer) if self.evaluate else self.unknown
        if self.events:
            self.events(Enter(state, action, window, viewer))
            self.events(Leaf(value, "game over" if over else "depth limit"))
            self.events(Return(value))
        return value, ()

    def enter(
        self, state: GameState, action: Action, ply: int, viewer: int | None, window: Window = ()
    ) -> Found | None:
        """Tell of a node with actions to try; return its value if that is known all the same."""
        if self.refuses:
            limits.refuse_chance(state)
        if self.events:
            self.events(Enter(state, action, window, viewer))
        self.ask()
        return None

    def improve(self, action: Action, value: Any) -> None:
        """Say that `action` is the best so far at its node."""
        if self.events:
            self.events(Improve(action, value))

    def cut(
        self,
        action: Action,
        best: float,
        maximizing: bool,
        alpha: float,
        beta: float,
        actions: Sequence[Action],
    ) -> None:
        """Count a cut after `action`, and say why."""
        self.cutoffs += 1
        if self.events:
            limit = beta if maximizing else alpha
            here, rival = ("at least", 0) if maximizing else ("at most", 1)
            # `all_best` moves a limit a little, which is nothing to tell.
            name = self.root.player_name
            has = self.rivals[rival].format(name(self.me), name(1 - self.me))
            has += f" {float(round(limit, 9)) + 0:.4g}"
            reason = f"this node is {here} {float(best):.4g}, and {has} elsewhere"
            skipped = tuple(actions[actions.index(action) + 1 :])
            self.events(Cut(action, best, limit, skipped, reason))

    def leave(self, best: Any, line: NestedLine) -> Found:
        """Return the value and the line of a node that has tried its actions."""
        if self.events:
            self.events(Return(best))
        return best, line

    def note(self, action: Action, value: Any, rest: NestedLine, kind: Kind = "exact") -> None:
        """Write down what is known of a root action."""
        nodes, before, _ = self.noted
        if self.nodes > nodes:  # several noted at once share what stands behind them
            guesses = self.evaluations + self.recalled
            self.noted = self.nodes, guesses, guesses - before
        self.values[action] = Bound(value, self.kind(kind, value, self.noted[-1]))
        if kind == "exact":
            self.lines[action] = (action, rest)

    def kind(self, kind: Kind, value: float, guesses: int) -> Kind:
        """Return what is known of a value that seems to be of this kind, with guesses behind it.

        No guess is as good as the best payoff, or as bad as the worst: a search that has backed up
        one of these has met it on every line that matters.
        """
        return GUESSES[kind] if guesses and abs(value) < self.most else kind

    # --- what depends on the search ---

    # A payoff, and a guess, as `viewer` sees it.
    final: Callable[..., Any] = staticmethod(limits.final_value)
    guess: Callable[..., Any] = staticmethod(limits.estimate)
    unknown: Any = 0  # what stands for a guess without a heuristic

    @property
    def most(self) -> float:
        """The payoff that no guess is as good as."""
        return limits.most_of(self.root)

    def favourite(self) -> Action:
        """Return the best root action so far, the first among equals; None if there is none."""
        return limits.best_of({a: self.values[a].value for a in self.actions if a in self.lines})

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

    def checked_payoffs(self, state: GameState, *_: Any) -> tuple[float, ...]:
        """Return what every player gets at a terminal state."""
        payoffs = state.utilities()
        if payoffs.__class__ is not tuple or payoffs not in self.sound:
            check_payoffs(payoffs, state)
            self.sound.add(payoffs)
        return payoffs

    # --- a run ---

    def ask(self) -> None:
        """Tell how far the search is, and end it if it is to stop: SearchStopped."""
        # Counts of nodes are the same on every machine, where seconds are not.
        if self.nodes >= self.most_nodes:
            raise SearchStopped
        if self.watch and self.watch.due():
            self.watch(len(self.values) / len(self.actions), self.favourite())

    def run(self, value: Callable[..., Found], *window: float) -> SearchResult:
        """Return what the recursion `value` finds from the root."""
        try:
            if value(self.root, None, 0, *window)[0] in (inf, -inf):
                must = "`legal_actions` must be a list, a tuple or a range: somewhere it is not"
                raise BrokenRuleError(f"{must}\n{self.root}")
        except SearchStopped:
            self.stopped = True
        except RecursionError as error:
            raise limits.too_deep(error, value.__code__, self.root, "a full search") from None
        return self.result()

    def result(self) -> SearchResult:
        """Return the best of the root actions, and what is known of all of them."""
        known = bool(self.lines)
        chosen = self.favourite() if known else self.actions[0]
        value = self.values[chosen].value if known else None
        return SearchResult(
            action=chosen,
            value=value,
            kind="exact" if value is None else self.root_kind(value),
            values={a: self.values[a] for a in self.actions if a in self.values},
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
