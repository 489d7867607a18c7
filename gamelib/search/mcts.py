"""Monte Carlo tree search: UCT (Kocsis and Szepesvari 2006; Browne et al. 2012, section 3).

A reward is a payoff mapped from -1 ... +1 to 0 ... 1.  Every simulation brings one per player, and
an edge adds up those of the player who moves along it.  Two players are the case n = 2.  At a
chance node nobody selects: an outcome is drawn by its probability.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import inf
from typing import Unpack

from gamelib.search import callbacks, checks
from gamelib.search.callbacks import Callbacks, SearchStopped
from gamelib.search.checks import Evaluate
from gamelib.search.mcts_tree import (
    Edge,
    Node,
    PriorEdge,
    Priors,
    SearchTree,
    as_tree,
    validated_priors,
)
from gamelib.search.proofs import Vector, bounds_along, final_choice, prove, unproven_bounds
from gamelib.search.registry import register_search
from gamelib.search.result import Bound, Kind, SearchResult, Stats
from gamelib.search.rollouts import Policy, fastest_playout
from gamelib.state import CHANCE, Action, ActionT, GameState, no_actions_error

MAX_OVERRUN_SECONDS = 0.1  # seconds over the time that a random game may take to end
Path = list[Edge]  # from the edge that enters the root down to a leaf


@register_search(chance=True, opponents="own", sort_key=5)
def mcts(  # noqa: PLR0913 (every option has its own name in the literature)
    state: GameState[ActionT],
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
    **signals: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the action that most simulations chose, for any number of players.

    `visits` counts the simulations through each root action; `values` estimates each from their
    mean, scaled to payoffs of -1 to +1 (ValueError for others); `value` is the chosen action's.

    simulations, seconds  the budget: one of them, or both, and the first used up ends the search
    c         the weight of exploration, for rewards between 0 and 1; with priors it is half of
              the c_puct of Silver et al. (2017), whose values go from -1 to +1
    rollout   `rollout(state, rng)` chooses the actions of a rollout; at random without it
    evaluate  `evaluate(state, player)`, inside (-1, 1), takes the place of the rollouts
    priors    `priors(state)`, a probability for each action: select by PUCT instead of UCB1
    solver    prove what can be proven (see `gamelib.search.proofs`), never select it again, and
              stop when the root is proven: `utilities` and `value` are then exact
    share     equal positions share one node; for games in which no position comes again
    tree      a `SearchTree` to grow; one that has grown from this position is grown further
    rng       a random.Random or a seed; draws untried actions, random rollouts, and what is rolled
    """
    budget, chance, tree = Budget(simulations, seconds, signals), checks.as_rng(rng), as_tree(tree)
    tree.set_root(
        state,
        c=c,
        solver=solver,
        share=share,
        priors=priors,
        evaluate=evaluate,
        rollout=rollout,
    )
    tree.rng = chance
    tree.playout = fastest_playout(state, rollout, partial(budget.check_stop, tree))
    with suppress(SearchStopped):
        grow(tree, budget, backpropagate_proofs if solver else backpropagate)
    return result_of(tree, budget)


def grow(
    tree: SearchTree, budget: Budget, backpropagate: Callable[[SearchTree, Path, Vector], None]
) -> None:
    """Add a node to the tree by each simulation, as long as the budget lasts."""
    while budget.take_simulation(tree):
        path = select(tree)  # down, always to the highest score
        leaf = expand(tree, path)  # an untried action, drawn at random, joins the tree
        utilities = roll_out(tree, leaf.state)  # a game from there to its end
        backpropagate(tree, path, utilities)  # a visit, and the reward of who moved


def select(tree: SearchTree) -> Path:
    """Return the path of highest UCB scores from the root to a node with an action to try."""
    edge = tree.root_edge
    path, node = [edge], edge.node
    while node is not None and node.expanded:
        scale = tree.exploration_scale(node)
        best = -1.0
        for option in node.open_edges if node.player >= 0 else (node.sample(tree.rng),):
            score = option.mean + scale * option.exploration_factor
            if score > best:
                best, edge = score, option
        path.append(edge)
        if tree.share and len(path) > len(tree):
            raise ValueError("share=True needs a game in which no position comes again; one did")
        node = edge.node
    return path


def expand(tree: SearchTree, path: Path) -> Node:
    """Return a new node, added to the tree, and its edge to the path; the last if all is over."""
    node: Node | None = path[-1].node
    if node is not None:
        if (edge := _next_edge(tree, node)) is None:
            return node
        path.append(edge)
    edge, parent = path[-1], path[-2].node
    node = edge.node = tree.add_node(parent.state.successor(edge.action), parent)
    return node


def roll_out(tree: SearchTree, state: GameState) -> Vector:
    """Return the payoffs of a game played out from `state`, or its evaluation for each player."""
    if tree.evaluate is None or state.is_terminal():
        return tree.playout(state, tree.rng)
    return tuple(checks.checked_estimate(tree.evaluate, state, p) for p in range(state.num_players))


def backpropagate(tree: SearchTree, path: Path, utilities: Vector) -> None:
    """Add a visit, and the reward of the player who moves there, to every edge of the path."""
    rewards = tree.rewards(utilities)
    for edge in path:
        edge.count(rewards[edge.player])


def backpropagate_proofs(tree: SearchTree, path: Path, utilities: Vector) -> None:
    """Pass on what the leaf proves; then `backpropagate`, with what is proven in place of chance.

    - Above a proven node the reward is its payoff (Winands et al. 2008).
    - Where UCB would have selected a proven action, were it not closed, its payoff goes on to the
      nodes above.  So they learn what UCT would tell them: not how bad the actions are that are
      left, and not how good a player is who never tries a loss; else moves would look better the
      sooner their bad replies are proven.  Such a simulation counts once for the nodes above: as
      a visit of the closed action, and no more of the one that was selected.
    """
    rewards = tree.rewards(utilities)
    if path[-1].node.bounds is not unproven_bounds(len(utilities)):
        prove(path[-1].node)
    for above, edge in reversed(list(pairwise(path))):
        low, high = edge.node.bounds
        if low == high:
            rewards = tree.rewards(low)
        closed = _closed_ucb_choice(tree, above.node, edge)
        edge.count(rewards[edge.player])
        if closed:
            edge.virtual_visits -= 1
            closed.virtual_visits += 1
            rewards = tree.rewards(closed.node.bounds.low)
    path[0].count(rewards[path[0].player])


def _closed_ucb_choice(tree: SearchTree, node: Node, selected: Edge) -> Edge | None:
    """Return the proven action that has a higher UCB score than the selected one, if any."""
    if len(node.open_edges) == len(node.edges) or not selected.visits:
        return None
    scale = tree.exploration_scale(node)
    best, favourite = selected.mean + scale * selected.virtual_exploration_factor(), None
    for edge in node.edges:
        if edge.node and edge.node.bounds.low == edge.node.bounds.high:
            score = (
                edge.node.bounds.low[node.player] + 1
            ) / 2 + scale * edge.virtual_exploration_factor()
            if score > best and edge is not selected:
                best, favourite = score, edge
    return favourite


def _next_edge(tree: SearchTree, node: Node) -> Edge | None:
    """Return a new edge of `node`: of an untried action at random, or of the highest prior."""
    untried = node.untried
    if untried is None:
        node.actions = node.state.legal_actions()
        if not node.actions and not node.state.is_terminal():
            raise no_actions_error(node.state)
        untried = node.untried = list(range(len(node.actions)))
    if not untried:
        return None
    if tree.priors is None:
        index = int(tree.rng.random() * len(untried))
        place = untried.pop(index)
        edge = Edge(node.actions[place], node.player)
        node.add_edge(place - index, edge)  # so many actions that come before it have been tried
        return edge
    untried.clear()
    for action, prior in validated_priors(tree.priors, node.state, node.actions).items():
        node.add_edge(len(node.edges), PriorEdge(action, node.player, prior))
    return max(node.edges, key=lambda edge: edge.exploration_factor)


class Budget:
    """How long a search goes on."""

    def __init__(self, simulations: int | None, seconds: float | None, signals: Callbacks) -> None:
        simulations = checks.check_count("simulations", simulations)
        checks.check_seconds(seconds)
        if simulations is None and seconds is None:
            raise ValueError("mcts needs a budget: give simulations, seconds or both")
        self.simulations = inf if simulations is None else simulations
        self.seconds = inf if seconds is None else seconds
        self.watch = callbacks.poller_or_none(**signals)
        self.started = time.perf_counter()
        self.done = 0
        self.stopped = False

    def take_simulation(self, tree: SearchTree) -> bool:
        """Return whether there is budget for one more simulation, and need of it; count it."""
        elapsed = time.perf_counter() - self.started if self.seconds < inf else 0
        over = self.done >= self.simulations or elapsed >= self.seconds
        if over or (tree.solver and tree.root.is_resolved):
            return False
        try:
            self.poll(tree, elapsed)
        except SearchStopped:
            return False
        self.done += 1
        return True

    def check_stop(self, tree: SearchTree) -> None:
        """Raise SearchStopped in the middle of a random game, if `stop` says so or it is late."""
        elapsed = time.perf_counter() - self.started
        try:
            if elapsed >= self.seconds + MAX_OVERRUN_SECONDS:
                raise SearchStopped
            self.poll(tree, elapsed)
        except SearchStopped:  # such a game brings its node no visit
            self.done -= 1
            tree.is_complete = False
            raise

    def poll(self, tree: SearchTree, elapsed: float) -> None:
        """Report how far the search is; SearchStopped if it is to stop."""
        if self.watch and self.watch.is_due():
            share = max(self.done / self.simulations, elapsed / self.seconds)
            try:
                self.watch(share, final_action(tree.root))
            except SearchStopped:
                self.stopped = True
                raise


def final_edge(node: Node) -> Edge | None:
    """Return the edge to play, by the rule of `final_choice`; None if none is."""
    edges = node.edges
    place = final_choice(
        [edge.visits for edge in edges],
        [edge.mean for edge in edges],
        [bounds_along(node, edge).low[node.player] for edge in edges],
        [node.open_edges is edges or edge in node.open_edges for edge in edges],
        node.is_resolved,
    )
    return None if place is None else edges[place]


def final_action(node: Node) -> Action:
    """Return the action of `final_edge`; the first untried one where there is none."""
    edge, tried = final_edge(node), {edge.action for edge in node.edges}
    return edge.action if edge else next(a for a in node.state.legal_actions() if a not in tried)


def result_of(tree: SearchTree, budget: Budget) -> SearchResult:
    """Return what the tree says of its root."""
    root = tree.root
    values = {edge.action: _value(root, edge) for edge in root.edges if edge.visits}
    action = final_action(root)
    low, high = root.bounds
    known = values.get(action)
    kind: Kind = known.kind if known else "exact"
    return SearchResult(
        action=action,
        value=known.value if known else None,
        kind="lower" if kind == "exact" and low != high else kind,  # another may be better
        values=values,
        utilities=low if low == high else None,
        line=principal_variation(root) or (action,),
        visits=dict.fromkeys(root.state.legal_actions(), 0)
        | {edge.action: edge.visits for edge in root.edges},
        stats=Stats(simulations=budget.done, tree_nodes=len(tree)),
        stopped=budget.stopped,
        seconds=time.perf_counter() - budget.started,
    )


def _value(node: Node, edge: Edge) -> Bound:
    """Return what is known of an action: a proven payoff or bound, or else an estimate."""
    low, high = (payoffs[node.player] for payoffs in edge.node.bounds)
    if low == high:
        return Bound(low)
    if edge.node.is_resolved:
        return Bound(low, "lower")
    if edge not in node.open_edges:
        return Bound(high, "upper")
    return Bound(min(max(2 * edge.mean - 1, low), high), "estimate")


def principal_variation(root: Node) -> tuple[Action, ...]:
    """Return the actions that would be played from `root` on, as far as the search has looked."""
    line: list[Action] = []
    node: Node | None = root
    seen: set[int] = set()  # with `share` a line can come back to a node, and then ends
    # What is best after chance has moved depends on what came.
    while node and node.player != CHANCE and id(node) not in seen and (edge := final_edge(node)):
        seen.add(id(node))
        line.append(edge.action)
        node = edge.node
    return tuple(line)
