"""Monte Carlo tree search: UCT (Kocsis and Szepesvari 2006; Browne et al. 2012, section 3).

A reward is a payoff mapped from -1 ... +1 to 0 ... 1: a win is worth 1, a draw one half, a loss 0.
Every simulation brings one reward per player, and an edge of the tree adds up those of the player
who moves along it.  So each player chooses for themselves, and two players are the case n = 2.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from itertools import pairwise
from math import inf, isfinite
from typing import Any

from gamelib.search.events import Backpropagate, Events, Expand, Proof, Select, Simulate
from gamelib.search.limits import (
    Evaluate,
    Progress,
    SearchStopped,
    Stop,
    as_rng,
    check_count,
    check_not_over,
    check_seconds,
    estimate,
    watch_or_none,
)
from gamelib.search.proofs import prove, sure_payoff
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.search.rollouts import Playout, Policy, play_out, playout_of, random_rollout
from gamelib.search.tree import Edge, Node, Priors, SearchTree, Vector
from gamelib.state import Action, GameState

Path = list[Edge]  # from the edge that enters the root down to a leaf


def mcts(
    state: GameState,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    c: float = 2**0.5,
    rollout: Policy | None = None,
    evaluate: Evaluate | None = None,
    priors: Priors | None = None,
    solver: bool = False,
    share: bool = False,
    tree: SearchTree | None = None,
    rng: random.Random | int | None = None,
    events: Events | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the action that most simulations chose, for any number of players.

    `visits` counts the simulations through each root action; `values` estimates each from their
    mean, scaled to payoffs of -1 to +1; `value` is that of the chosen action.

    simulations, seconds  the budget: one of them, or both, and the first used up ends the search
    c         the weight of exploration, for rewards between 0 and 1
    rollout   `rollout(state, rng)` chooses the actions of a simulation; at random without it
    evaluate  `evaluate(state, player)`, inside (-1, 1), takes the place of the rollouts
    priors    `priors(state)`, a probability for each action: select by PUCT instead of UCB1
    solver    prove what can be proven (see `gamelib.search.proofs`), never select it again, and
              stop when the root is proven: `utilities` and `value` are then exact
    share     equal positions share one node; for games in which no position comes again
    tree      a `SearchTree` to grow; one that holds this position already is grown further
    rng       a random.Random or a seed; the same seed grows the same tree

    ValueError for payoffs outside -1 to +1.
    """
    budget = _Budget(simulations, seconds, progress, stop)
    _check_c(c)
    check_not_over(state)
    rng = as_rng(rng)
    tree = SearchTree() if tree is None else tree
    tree.prepare(state, c=c, solver=solver, share=share, priors=priors)
    playout = playout_of(state, rollout)
    selected, expanded, simulated, backpropagated = _announced(events, rollout)
    while budget.lasts(tree):
        path = selected(tree)
        leaf = expanded(tree, path)
        utilities = simulated(leaf.state, playout, evaluate, rng)
        backpropagated(tree, path, utilities)
    return _result(tree, budget)


def _check_c(c: float) -> None:
    if isinstance(c, bool) or not isinstance(c, int | float) or not (isfinite(c) and c >= 0):
        raise ValueError(f"c must be a number, 0 or more; got {c!r}")


def select(tree: SearchTree) -> Path:
    """Return the path of highest UCB scores from the root to a node with an action to try."""
    edge = tree.entry
    path, node = [edge], edge.node
    while node is not None and node.expanded:
        scale = tree.scale(node.visits)
        best = -1.0
        for option in node.open:
            score = option.mean + scale * option.width
            if score > best:
                best, edge = score, option
        path.append(edge)
        node = edge.node
    return path


def expand(tree: SearchTree, path: Path) -> Node:
    """Try a new action at the end of the path: add its edge to the path, its node to the tree.

    Return the new node; where the game is over there is none, and the last of the path is returned.
    """
    node: Node | None = path[-1].node
    if node is not None:
        if (edge := _next_edge(tree, node)) is None:
            return node
        path.append(edge)
    edge, parent = path[-1], path[-2].node
    node = edge.node = tree.add(parent.state.successor(edge.action), parent)
    return node


def simulate(
    state: GameState, playout: Playout, evaluate: Evaluate | None, rng: random.Random
) -> Vector:
    """Return the payoffs of a game played out from `state`, or its evaluation for each player."""
    if evaluate is None or state.is_terminal():
        return playout(state, rng)
    return tuple(estimate(evaluate, state, player) for player in range(state.num_players))


def backpropagate(tree: SearchTree, path: Path, utilities: Vector) -> None:
    """Add a visit to every edge of the path, and the reward of the player who moves there.

    Above a node that has just been proven, the reward is what the proof says.
    """
    if path[-1].node.outcomes:
        prove(path[-1].node)
    rewards = tree.rewards(utilities)
    for edge in reversed(path):
        node = edge.node
        if node.outcomes and len(node.outcomes) == 1:
            rewards = tree.rewards(*node.outcomes)
        node.visits += 1
        edge.visits = visits = edge.visits + 1
        edge.total += rewards[edge.player]
        edge.mean = edge.total / visits
        edge.width = visits**-0.5 if tree.priors is None else edge.prior / (1 + visits)


def _next_edge(tree: SearchTree, node: Node) -> Edge | None:
    """Return a new edge of `node`: of its first untried action, or of the one of highest prior."""
    if node.actions is None:
        node.actions = node.state.legal_actions()
    if not node.actions:
        return None
    if tree.priors is None:
        edge = Edge(node.actions[len(node.edges)], node.player)
        node.attach(edge)
        return edge
    priors = tree.priors(node.state)
    for action in node.actions:
        node.attach(Edge(action, node.player, priors[action]))
    return max(node.edges, key=lambda edge: edge.prior)


class _Budget:
    """How long a search goes on."""

    def __init__(
        self,
        simulations: int | None,
        seconds: float | None,
        progress: Progress | None,
        stop: Stop | None,
    ) -> None:
        check_count("simulations", simulations)
        check_seconds(seconds)
        if simulations is None and seconds is None:
            raise ValueError("mcts needs a budget: give simulations, seconds or both")
        self.simulations = inf if simulations is None else simulations
        self.seconds = inf if seconds is None else seconds
        self.watch = watch_or_none(progress, stop)
        self.started = time.perf_counter()
        self.done = 0
        self.stopped = False

    def lasts(self, tree: SearchTree) -> bool:
        """Return whether there is budget for one more simulation, and need of it; count it."""
        elapsed = time.perf_counter() - self.started
        root = tree.root
        if self.done >= self.simulations or elapsed >= self.seconds or root.outcomes:
            return False
        if self.watch:
            share = max(self.done / self.simulations, elapsed / self.seconds)
            try:
                self.watch(share, final_action(root))
            except SearchStopped:
                self.stopped = True
                return False
        self.done += 1
        return True


def final_edge(node: Node) -> Edge | None:
    """Return the edge to play: the most visited one, unless a proof is better; None if none is.

    A proven win comes first.  Another proven payoff is taken if no estimate of the most visited
    open action is above it, but a proven loss only when everything else is proven too.
    """
    proven = [edge for edge in node.edges if edge.node and edge.node.outcomes]
    favourite = max((e for e in node.open if e.visits), key=lambda edge: edge.visits, default=None)
    if not proven:
        return favourite
    safe = max(proven, key=lambda edge: (_sure(edge), edge.visits))
    if node.outcomes:
        return safe
    if _sure(safe) == -1 or (favourite and 2 * favourite.mean - 1 > _sure(safe)):
        return favourite
    return safe


def final_action(node: Node) -> Action:
    """Return the action of `final_edge`; the first untried one where there is none."""
    edge = final_edge(node)
    return edge.action if edge else node.state.legal_actions()[len(node.edges)]


def _sure(edge: Edge) -> float:
    """Return what the player who moves along a proven edge gets at least."""
    return sure_payoff(edge.node.outcomes, edge.player)


def _result(tree: SearchTree, budget: _Budget) -> SearchResult:
    root = tree.root
    values = {edge.action: _value(edge) for edge in root.edges if edge.visits}
    action = final_action(root)
    value = values[action].value if action in values else None
    utilities = None
    if root.outcomes:
        value = sure_payoff(root.outcomes, root.player)
        utilities = next(iter(root.outcomes)) if len(root.outcomes) == 1 else None
    return SearchResult(
        action=action,
        value=value,
        values=values,
        utilities=utilities,
        line=_line(root) or (action,),
        visits=dict.fromkeys(root.state.legal_actions(), 0)
        | {edge.action: edge.visits for edge in root.edges},
        stats=Stats(simulations=budget.done, tree_nodes=len(tree)),
        stopped=budget.stopped,
        seconds=time.perf_counter() - budget.started,
    )


def _value(edge: Edge) -> Bound:
    outcomes = edge.node.outcomes
    if not outcomes:
        return Bound(2 * edge.mean - 1, "estimate")
    sure = _sure(edge)
    most = max(payoffs[edge.player] for payoffs in outcomes)
    return Bound(sure, "exact" if sure == most else "lower")


def _line(node: Node) -> tuple[Action, ...]:
    """Return the actions that would be played from `node` on, as far as the search has looked."""
    line = []
    while edge := final_edge(node):
        line.append(edge.action)
        node = edge.node
    return tuple(line)


def _announced(events: Events | None, rollout: Policy | None) -> tuple[Callable[..., Any], ...]:
    """Return the four phases unchanged, or functions that also tell `events` what each one did."""
    if events is None:
        return select, expand, simulate, backpropagate

    def selected(tree: SearchTree) -> Path:
        path = select(tree)
        for above, edge in pairwise(path):
            events(Select(edge.action, tree.rows(above.node)))
        return path

    def expanded(tree: SearchTree, path: Path) -> Node:
        size = len(tree)
        leaf = expand(tree, path)
        if len(tree) > size:
            events(Expand(path[-1].action, leaf.state))
        return leaf

    def simulated(
        state: GameState, playout: Playout, evaluate: Evaluate | None, rng: random.Random
    ) -> Vector:
        utilities: Vector
        if evaluate is None:
            actions, utilities = play_out(state, rollout or random_rollout, rng)
        else:
            actions, utilities = [], simulate(state, playout, evaluate, rng)
        events(Simulate(tuple(actions), utilities))
        return utilities

    def backpropagated(tree: SearchTree, path: Path, utilities: Vector) -> None:
        actions = tuple(edge.action for edge in path[1:])
        unproven = [edge.node.outcomes is None for edge in path]
        totals = [edge.total for edge in path]
        backpropagate(tree, path, utilities)
        for depth in reversed(range(len(path))):
            node = path[depth].node
            if node.outcomes and (unproven[depth] or not node.edges):
                events(Proof(actions[:depth], node.outcomes, node.why()))
        added = tuple(edge.total - total for edge, total in zip(path, totals, strict=True))
        events(Backpropagate(actions, tree.rewards(utilities), added[1:]))

    return selected, expanded, simulated, backpropagated
