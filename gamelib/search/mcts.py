"""Monte Carlo tree search: UCT (Kocsis and Szepesvari 2006; Browne et al. 2012, section 3).

A reward is a payoff mapped from -1 ... +1 to 0 ... 1.  Every simulation has one reward per player,
and an edge adds up the rewards of the player who moves along it.  Two players are the case n = 2.
At a chance node no action is selected; an outcome is drawn with its probability.

>>> from gamelib import TicTacToe, mcts
>>> mcts(TicTacToe.parse("O.X / XX. / OO."), simulations=50, rng=0).visits
{1: 5, 5: 34, 8: 11}
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import inf
from operator import attrgetter
from typing import Any, Unpack

from gamelib.search import checks
from gamelib.search.callbacks import Callbacks, SearchStopped, poller_or_none
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
from gamelib.search.proofs import Bounds, Vector, bounds_along, final_choice, prove, unproven_bounds
from gamelib.search.registry import register_search
from gamelib.search.result import Bound, Kind, SearchResult, Stats
from gamelib.search.rollouts import Policy, fastest_playout
from gamelib.state import CHANCE, Action, ActionT, GameState, no_actions_error

MAX_OVERRUN_SECONDS = 0.1  # by which a random game may exceed the time of the search
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
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the action that most simulations chose, for any number of players.

    `visits` counts the simulations through each root action.  `values` estimates each by their mean
    payoff, from -1 to +1 (ValueError for other payoffs); `value` is that of the chosen action.

    simulations, seconds  the budget, one or both; the search ends when the first is used up
    c         the weight of exploration for rewards of 0 to 1, half of Silver et al.'s c_puct (2017)
    rollout   `rollout(state, rng)` chooses the actions of a rollout; without it, they are random
    evaluate  `evaluate(state, player)`, inside (-1, 1), replaces the rollouts
    priors    `priors(state)`, a probability for each action: select by PUCT instead of UCB1
    solver    prove values (see `gamelib.search.proofs`), never select a proven action again, and
              stop when the root is proven; then `utilities` and `value` are exact
    share     equal positions share one node; only for games in which no position comes again
    tree      a `SearchTree` to build; a tree that was built from this position is continued
    rng       a random.Random or a seed, for untried actions, random rollouts and rolls of dice
    """
    budget, rng, tree = Budget(simulations, seconds, callbacks), checks.as_rng(rng), as_tree(tree)
    tree.set_root(
        state, c=c, solver=solver, share=share, priors=priors, evaluate=evaluate, rollout=rollout
    )
    tree.rng = rng
    tree.playout = fastest_playout(state, rollout, partial(budget.check_stop, tree))
    with suppress(SearchStopped):
        grow(tree, budget, backpropagate_proofs if solver else backpropagate)
    return result_of(tree, budget)


def grow(
    tree: SearchTree, budget: Budget, backpropagate: Callable[[SearchTree, Path, Vector], None]
) -> None:
    """Run simulations until the budget is used up; each adds a node to the tree."""
    while budget.take_simulation(tree):
        path = select(tree)  # down, always to the highest score
        leaf = expand(tree, path)  # add an untried action, drawn at random, to the tree
        utilities = roll_out(tree, leaf.state)  # a game from there to its end
        backpropagate(tree, path, utilities)  # a visit, and the reward of the player who moved


def select(tree: SearchTree) -> Path:
    """Return the path of highest UCB scores from the root to a node with an untried action."""
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
    """Add a node to the tree and its edge to the path, and return it; at the end, the last node."""
    node: Node | None = path[-1].node
    if node is not None:
        if (edge := _next_edge(tree, node)) is None:
            return node
        path.append(edge)
    edge, parent = path[-1], path[-2].node
    node = edge.node = tree.add_node(parent.state.successor(edge.action), parent)
    return node


def roll_out(tree: SearchTree, state: GameState) -> Vector:
    """Return the payoffs of a game played out from `state`, or its estimate for each player."""
    if tree.evaluate is None or state.is_terminal():
        return tree.playout(state, tree.rng)
    return tuple(checks.checked_estimate(tree.evaluate, state, p) for p in range(state.num_players))


def backpropagate(tree: SearchTree, path: Path, utilities: Vector) -> None:
    """Add a visit, and the reward of the player who moves along it, to every edge of the path."""
    rewards = tree.rewards(utilities)
    for edge in path:
        edge.count(rewards[edge.player])


def backpropagate_proofs(tree: SearchTree, path: Path, utilities: Vector) -> None:
    """Propagate the proof of the leaf, then `backpropagate` with proven payoffs as the rewards.

    - The ancestors of a proven node get its payoff as the reward (Winands et al. 2008).
    - If UCB would have selected a proven action, but it is closed, the ancestors get the payoff of
      this action.  So they get the same rewards as in UCT.  The payoff of the selected action would
      mislead them, because it is that of a worse action, or of a player who never tries a loss:
      moves would look better, the sooner their bad replies are proven.  For the ancestors such a
      simulation counts once, as a visit of the closed action and not of the selected one.
    """
    rewards = tree.rewards(utilities)
    if path[-1].node.bounds is not unproven_bounds(len(utilities)):
        prove(path[-1].node)
    for parent, edge in reversed(list(pairwise(path))):
        low, high = edge.node.bounds
        if low == high:
            rewards = tree.rewards(low)
        closed = _closed_ucb_choice(tree, parent.node, edge)
        edge.count(rewards[edge.player])
        if closed:
            edge.virtual_visits -= 1
            closed.virtual_visits += 1
            rewards = tree.rewards(closed.node.bounds.low)
    path[0].count(rewards[path[0].player])


def _closed_ucb_choice(tree: SearchTree, node: Node, selected: Edge) -> Edge | None:
    """Return the edge of a proven action with a higher UCB score than the selected one, if any."""
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
    """Return a new edge of `node`, for a random untried action or for the highest prior."""
    untried = node.untried
    if untried is None:
        node.actions = node.state.legal_actions()
        if not node.actions and not node.state.is_terminal():
            raise no_actions_error(node.state)
        untried = node.untried = list(range(len(node.actions)))
    if not untried:
        return None
    if tree.priors is None:
        drawn = int(tree.rng.random() * len(untried))
        index = untried.pop(drawn)
        edge = Edge(node.actions[index], node.player)
        node.add_edge(index - drawn, edge)  # the number of earlier actions that have been tried
        return edge
    untried.clear()
    for action, prior in validated_priors(tree.priors, node.state, node.actions).items():
        node.add_edge(len(node.edges), PriorEdge(action, node.player, prior))
    return max(node.edges, key=lambda edge: edge.exploration_factor)


class Budget:
    """The budget of a search, and the number of simulations done."""

    def __init__(
        self, simulations: int | None, seconds: float | None, callbacks: Callbacks
    ) -> None:
        simulations = checks.check_count("simulations", simulations)
        checks.check_seconds(seconds)
        if simulations is None and seconds is None:
            raise ValueError("mcts needs a budget: give simulations, seconds or both")
        self.simulations = inf if simulations is None else simulations
        self.seconds = inf if seconds is None else seconds
        self.poller = poller_or_none(**callbacks)
        self.started = time.perf_counter()
        self.done = 0
        self.stopped = False

    def take_simulation(self, tree: SearchTree) -> bool:
        """Return whether another simulation fits into the budget and has a use; count it if so."""
        if self.done >= self.simulations:
            return False
        elapsed = time.perf_counter() - self.started if self.seconds < inf else 0
        if elapsed >= self.seconds or tree.is_resolved:
            return False
        try:
            self.poll(tree, elapsed)
        except SearchStopped:
            return False
        self.done += 1
        return True

    def check_stop(self, tree: SearchTree) -> None:
        """Raise SearchStopped during a random game if `stop` returns true or the time is over."""
        elapsed = time.perf_counter() - self.started
        try:
            if elapsed >= self.seconds + MAX_OVERRUN_SECONDS:
                raise SearchStopped
            self.poll(tree, elapsed)
        except SearchStopped:  # an unfinished game does not count as a visit
            self.done -= 1
            tree.is_complete = False
            raise

    def poll(self, tree: SearchTree, elapsed: float) -> None:
        """Report the progress; raise SearchStopped if the search must end."""
        if self.poller and self.poller.is_due():
            fraction = max(self.done / self.simulations, elapsed / self.seconds)
            try:
                self.poller(fraction, self.best_action(tree))
            except SearchStopped:
                self.stopped = True
                raise

    def best_action(self, tree: SearchTree) -> Action:
        """Return the action to play as far as the search has come."""
        return final_action(tree.root)

    def fields(
        self,
        visits: dict[Action, int],
        values: dict[Action, Bound],
        line: tuple[Action, ...],
        bounds: Bounds,
        tree_nodes: int,
    ) -> dict[str, Any]:
        """Return the fields of the result of a search that chooses the first action of `line`.

        bounds  what is proven about the root
        """
        action, (low, high) = line[0], bounds
        bound = values.get(action)
        kind: Kind = bound.kind if bound else "exact"
        return {
            "action": action,
            "value": bound.value if bound else None,
            "values": values,
            "utilities": low if low == high else None,
            "vectors": {},
            "line": line,
            "distance": None,
            "distances": {},
            "visits": visits,
            "stats": Stats(simulations=self.done, tree_nodes=tree_nodes),
            "stopped": self.stopped,
            # If the bounds differ, another action may be better.
            "kind": "lower" if kind == "exact" and low != high else kind,
        }


def final_edge(node: Node) -> Edge | None:
    """Return the edge to play by the rule of `final_choice`; None if there is none."""
    edges = node.edges
    if node.open_edges is edges:  # no proof has closed an action, so the rule is simple
        return max(edges, key=attrgetter("visits"), default=None)
    index = final_choice(
        [edge.visits for edge in edges],
        [edge.mean for edge in edges],
        [bounds_along(node, edge).low[node.player] for edge in edges],
        [edge in node.open_edges for edge in edges],
        node.is_resolved,
    )
    return None if index is None else edges[index]


def final_action(node: Node) -> Action:
    """Return the action of `final_edge`, or the first untried action if there is none."""
    if edge := final_edge(node):
        return edge.action
    tried = {edge.action for edge in node.edges}
    return next(action for action in node.state.legal_actions() if action not in tried)


def result_of(tree: SearchTree, budget: Budget) -> SearchResult:
    """Return the result of the search, from the root of its tree."""
    root = tree.root
    visits = dict.fromkeys(root.state.legal_actions(), 0)
    values: dict[Action, Bound] = {}
    for edge in root.edges:
        if edge.visits:
            visits[edge.action], values[edge.action] = edge.visits, _value(root, edge)
    line = principal_variation(root) or (final_action(root),)
    fields = budget.fields(visits, values, line, root.bounds, len(tree))
    return SearchResult(**fields, seconds=time.perf_counter() - budget.started)


def _value(node: Node, edge: Edge) -> Bound:
    """Return the value of an action for the player to move at the root."""
    bounds, player = edge.node.bounds, node.player
    is_open = node.open_edges is node.edges or edge in node.open_edges
    return action_value(
        2 * edge.mean - 1, bounds.low[player], bounds.high[player], edge.node.is_resolved, is_open
    )


def action_value(
    estimate: float, low: float, high: float, is_resolved: bool, is_open: bool
) -> Bound:
    """Return the value of an action: a proven payoff or bound, or else an estimate."""
    if low == high:
        return Bound(low)
    if is_resolved:
        return Bound(low, "lower")
    if not is_open:
        return Bound(high, "upper")
    return Bound(min(max(estimate, low), high), "estimate")


def principal_variation(root: Node) -> tuple[Action, ...]:
    """Return the line of play from `root`, as far as the tree has it."""
    line: list[Action] = []
    node: Node | None = root
    seen: set[int] = set()  # with `share` a line can come back to a node, and then ends
    # The line ends at a chance node, because the best action after it depends on the outcome.
    while node and node.player != CHANCE and id(node) not in seen and (edge := final_edge(node)):
        seen.add(id(node))
        line.append(edge.action)
        node = edge.node
    return tuple(line)
