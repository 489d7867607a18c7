"""The tree that Monte Carlo tree search builds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from math import inf, log, sqrt
from random import Random
from typing import Any, cast

from gamelib.conformance import check_chance, check_payoffs
from gamelib.search.checks import Evaluate, check_c, check_searchable
from gamelib.search.proofs import (
    Bounds,
    Vector,
    bounds_along,
    check_proofs,
    explain_proof,
    unproven_bounds,
)
from gamelib.search.rollouts import Playout, Policy
from gamelib.state import CHANCE, Action, GameState, is_number, random_playout

Priors = Callable[[Any], Mapping[Action, float]]


class Edge:
    """An action at a node, and the rewards of the simulations through it.

    `total` is the sum of the rewards, 0 to 1, of `player`, who moves along this edge; `mean` is
    total / visits.  `exploration_factor` is the part of the exploration term that shrinks with the
    visits.
    """

    __slots__ = (
        "action",
        "exploration_factor",
        "mean",
        "node",
        "player",
        "total",
        "virtual_visits",
        "visits",
    )

    def __init__(self, action: Action, player: int) -> None:
        self.action, self.player = action, player
        self.node: Any = None  # a Node, from the first visit on
        self.visits = 0
        # The visits that only the ancestors count; see `backpropagate_proofs`.
        self.virtual_visits = 0
        self.total = 0.0
        self.mean = 0.5  # with priors, an edge can be selected before its first visit
        self.exploration_factor = inf

    def count(self, reward: float) -> None:
        """Add a visit with its reward."""
        self.node.visits += 1
        self.visits = visits = self.visits + 1
        if visits == 1:  # most edges of a tree have one visit, so they share these floats
            self.total = self.mean = reward
            self.exploration_factor = 1.0
        else:
            self.total = total = self.total + reward
            self.mean = total / visits
            self.exploration_factor = visits**-0.5

    def virtual_exploration_factor(self) -> float:
        """Return the exploration factor for the visits that the ancestors count."""
        counted = self.visits + self.virtual_visits
        return counted**-0.5 if counted else inf


class PriorEdge(Edge):
    """An edge with a prior probability."""

    __slots__ = ("prior",)

    def __init__(self, action: Action, player: int, prior: float) -> None:
        super().__init__(action, player)
        self.prior = self.exploration_factor = prior

    def count(self, reward: float) -> None:
        """Add a visit with its reward."""
        super().count(reward)
        self.exploration_factor = self.prior / (1 + self.visits)

    def virtual_exploration_factor(self) -> float:
        """Return the exploration factor for the visits that the ancestors count."""
        return self.prior / (1 + self.visits + self.virtual_visits)


class Node:
    """A position in the tree; `edges` are the actions tried so far, in `legal_actions` order."""

    __slots__ = (
        "actions", "bounds", "edges", "expanded", "open_edges", "parents", "player", "state",
        "untried", "visits",
    )  # fmt: skip

    def __init__(self, state: GameState) -> None:
        self.state, self.player = state, state.current_player
        self.actions: Sequence[Action] = ()  # read when the first one is tried
        self.untried: list[int] | None = None  # the indices in `actions` of those without an edge
        # Most nodes of a tree are leaves and should be small, so the first edge creates the list.
        self.edges: list[Edge] = ()  # type: ignore[assignment]
        self.open_edges = self.edges  # the edges that proofs have not closed
        self.expanded = False  # whether every action has been tried
        self.visits = 0
        self.bounds = unproven_bounds(state.num_players)
        self.parents: tuple[Node, ...] = ()

    def add_edge(self, index: int, edge: Edge) -> None:
        """Add the edge of an untried action, before the edge at `index`."""
        if not self.edges:
            self.edges = self.open_edges = []
        self.edges.insert(index, edge)
        self.expanded = not self.untried
        if self.open_edges is not self.edges:
            self.open_edges = [
                other for other in self.edges if other is edge or other in self.open_edges
            ]

    @property
    def is_resolved(self) -> bool:
        """Whether there is nothing left to learn: the node is proven, or every action is closed."""
        return self.bounds.low == self.bounds.high or (self.expanded and not self.open_edges)

    def why(self) -> str:
        """Return a text that says what is proven for the player to move, and why."""
        return explain_proof(self)


class ChanceNode(Node):
    """A position in which chance moves; all outcomes have an edge from the first visit on."""

    __slots__ = ("parent_player", "probabilities")

    def __init__(self, state: GameState, parent: Node | None) -> None:
        super().__init__(state)
        check_chance(state)
        # The player who moved to this node, because the means of the outcomes are for that player.
        self.parent_player = getattr(parent, "parent_player", parent.player if parent else 0)
        self.actions, self.untried, self.expanded = state.legal_actions(), [], True
        self.probabilities = [float(chance) for _, chance in state.chance_outcomes()]
        self.edges = self.open_edges = [Edge(action, self.parent_player) for action in self.actions]
        for edge in self.edges:
            edge.exploration_factor = 1  # it is never compared

    def sample(self, rng: Random) -> Edge:
        """Return the edge of an outcome, drawn with its probability."""
        left = rng.random()
        for edge, chance in zip(self.edges, self.probabilities, strict=True):  # noqa: B007
            left -= chance
            if left < 0:
                break
        return edge


@dataclass(frozen=True, slots=True)
class Ucb:
    """One row of the table by which MCTS selects: an action and both terms of its UCB score.

    `mean` is the mean reward, 0 to 1, of the player to move.  It is None before the first visit,
    when `exploration` is infinite.  Proofs show that the action gives this player a payoff from
    `low` to `high`.  If it is not `open`, they exclude it from the selection.
    """

    action: Action
    visits: int
    mean: float | None
    exploration: float
    low: float = -1
    high: float = 1
    open: bool = True

    @property
    def score(self) -> float:
        """The sum of both terms; the action with the highest score is selected."""
        return (self.mean or 0) + self.exploration


class SearchTree:
    """The tree that `mcts` builds.  If the next search of the position gets it, it continues it.

    `tree.root`, `tree.node(4, 0)` and `tree.table(4, 0)` show it; its length counts its nodes.
    After a move, `tree.after(4)` is the tree to go on with.
    """

    def __init__(self) -> None:
        self.root_edge = Edge(None, 0)  # the edge that leads to the root
        self.c = sqrt(2)
        self.solver = self.share = False
        self.priors: Priors | None = None
        self.nodes: dict[GameState, Node] = {}  # by position, if equal positions share a node
        self.size = 0
        self.is_complete = True  # no simulation was stopped before its end
        # The options of the search that builds it.
        self.rng = Random()
        self.playout: Playout = random_playout
        self.evaluate: Evaluate | None = None
        self.rollout: Policy | None = None
        self._rewards: dict[Vector, Vector] = {}

    def __len__(self) -> int:
        return self.size

    @property
    def root(self) -> Node:
        """The node of the position that was searched last."""
        if self.root_edge.node is None:
            raise ValueError("this tree is empty; give it to a search: mcts(state, tree=tree)")
        return cast(Node, self.root_edge.node)

    @property
    def is_resolved(self) -> bool:
        """Whether proofs leave nothing to learn about the root."""
        return self.solver and self.root.is_resolved

    def node(self, *actions: Action) -> Node:
        """Return the node after these actions from the root; KeyError if it is not in the tree."""
        node = self.root
        for action in actions:
            child = next((edge.node for edge in node.edges if edge.action == action), None)
            if child is None:
                reason = f"because {action!r} was not tried"
                raise KeyError(f"there is no node in the tree after {actions}, {reason}")
            node = child
        return node

    def after(self, action: Action) -> SearchTree:
        """Return a tree with all that is known of the position after `action`; KeyError if nothing.

        So a game can be followed: `mcts(state.successor(action), tree=tree.after(action), ...)`
        goes on from the simulations that have gone that way.  The new tree has the options of this
        one, which it leaves as it is.  The first visit of its root was a rollout from there, so the
        root has one visit more than its edges together.
        """
        root = self.node(action)
        copies = _copies_below(root)
        tree = copy(self)
        tree.root_edge = Edge(None, root.player)
        tree.root_edge.node, tree.size = copies[root], len(copies)
        tree.nodes = {node.state: node for node in copies.values()} if self.share else {}
        return tree

    def table(self, *actions: Action) -> tuple[Ucb, ...]:
        """Return the UCB table of the node after these actions: one row for every legal action."""
        return self.ucb_rows(self.node(*actions))

    def ucb_rows(self, node: Node) -> tuple[Ucb, ...]:
        """Return the UCB table of a node: one row for every legal action."""
        scale = self.exploration_scale(node) if node.visits else 0.0
        table = {action: Ucb(action, 0, None, inf) for action in node.state.legal_actions()}
        for edge in node.edges:
            if edge.exploration_factor < inf:
                low, high = (payoffs[edge.player] for payoffs in bounds_along(node, edge))
                terms, is_open = (
                    (edge.mean, scale * edge.exploration_factor),
                    edge in node.open_edges,
                )
                table[edge.action] = Ucb(edge.action, edge.visits, *terms, low, high, is_open)
        return tuple(table.values())

    def exploration_scale(self, node: Node) -> float:
        """Return the factor of the exploration term that all edges of a node share.

        UCB1 has c sqrt(ln N) / sqrt(n), where N is the number of visits of the node.  PUCT has
        c P sqrt(1 + N) / (1 + n), where N is the sum of the visits of its edges, at the root as
        elsewhere.  This is the formula of Silver et al. (2017) with the 1 of mctx and OpenSpiel,
        which lets the priors decide the first visit.
        """
        if self.priors is None:
            return self.c * sqrt(log(node.visits))
        return self.c * sqrt(1 + sum([edge.visits for edge in node.edges]))

    def rewards(self, utilities: Vector) -> Vector:
        """Return payoffs of -1 to +1 as rewards of 0 to 1; ValueError if one is outside."""
        try:
            return self._rewards[utilities]
        except (KeyError, TypeError):  # new payoffs, or a list
            check_payoffs(utilities, self.root.state)
        if not all(-1 <= payoff <= 1 for payoff in utilities):
            needs = f"payoffs from -1 to +1, so that c fits them; got {utilities}"
            raise ValueError(f"mcts needs {needs}.  Divide the payoffs of the game by the largest.")
        rewards = tuple(float(payoff + 1) / 2 for payoff in utilities)
        if len(self._rewards) < 1000:
            self._rewards[utilities] = rewards
        return rewards

    def add_node(self, state: GameState, parent: Node | None) -> Node:
        """Return a new node for `state`, or that of an equal position if they share nodes."""
        node = self.nodes.get(state) if self.share else None
        if node is None:
            if state.current_player != CHANCE:
                node = Node(state)
            elif self.solver:
                has_chance = "solver=True does not support chance nodes"
                raise ValueError(f"{has_chance}, and chance moves here; leave it out:\n{state}")
            else:
                node = ChanceNode(state, parent)
            self.size += 1
            if self.share:
                self.nodes[state] = node
            if self.solver and state.is_terminal():
                check_payoffs(payoffs := state.utilities(), state)
                check_proofs(payoffs)
                node.bounds = Bounds(payoffs, payoffs)
        if self.solver and parent is not None:
            node.parents += (parent,)
        return node

    def set_root(
        self,
        state: GameState,
        *,
        c: float,
        solver: bool,
        share: bool,
        priors: Priors | None,
        evaluate: Evaluate | None = None,
        rollout: Policy | None = None,
    ) -> None:
        """Make `state` the root, and begin a new tree unless it is the root already."""
        check_c(c)
        check_searchable(state)
        if solver and state.max_utility > 1:
            large = f"the payoffs of this game go up to {state.max_utility}"
            raise ValueError(f"solver=True needs payoffs from -1 to +1; {large}")
        options = {
            "solver": solver,
            "share": share,
            "priors": priors,
            "evaluate": evaluate,
            "rollout": rollout,
        }
        grown = {name: getattr(self, name) for name in options}
        changed = [name for name in options if grown[name] != options[name]]
        if self.size and changed:
            before = ", ".join(f"{name}={grown[name]!r}" for name in changed)
            now = ", ".join(f"{name}={options[name]!r}" for name in changed)
            raise ValueError(
                f"this tree was built with {before}, so it cannot be searched further with {now}; "
                "give the search a new SearchTree()"
            )
        self.c, self.solver, self.share, self.priors = float(c), solver, share, priors
        self.evaluate, self.rollout = evaluate, rollout
        if not (self.size and self.is_complete and self.root.state == state):
            self.nodes, self.size, self.is_complete = {}, 0, True
            self.root_edge = Edge(None, state.current_player)
            self.root_edge.node = self.add_node(state, None)


def _copies_below(root: Node) -> dict[Node, Node]:
    """Return a copy of `root`, and of each node below it, by the original."""
    copies, originals = {root: copy(root)}, [root]
    for node in originals:  # it grows while it is gone through
        for edge in node.edges:
            if edge.node is not None and edge.node not in copies:
                copies[edge.node] = copy(edge.node)
                originals.append(edge.node)
    for node, twin in copies.items():
        twin.parents = tuple(copies[parent] for parent in node.parents if parent in copies)
        if node.untried is not None:
            twin.untried = list(node.untried)
        if not node.edges:
            continue  # leaves have no list of their own
        edges = {edge: copy(edge) for edge in node.edges}
        for edge in edges.values():
            edge.node = copies.get(edge.node)
        twin.edges = twin.open_edges = list(edges.values())
        if node.open_edges is not node.edges:
            twin.open_edges = [edges[edge] for edge in node.open_edges]
    return copies


def as_tree(tree: SearchTree | None) -> SearchTree:
    """Return the given tree, or a new one for None."""
    if not isinstance(tree, SearchTree | None):
        raise TypeError(f"tree must be a SearchTree() or None; got {tree!r}")
    return SearchTree() if tree is None else tree


def validated_priors(
    priors: Priors, state: GameState, actions: Sequence[Action]
) -> dict[Action, float]:
    """Return the prior of each action; ValueError if one is missing or not a number from 0 to 1."""
    table = priors(state)
    if hasattr(table, "tolist"):  # a numpy array, in the order of the actions
        table = dict(zip(actions, table.tolist(), strict=False))
    for action in actions:
        prior = table.get(action) if isinstance(table, Mapping) else None
        if not is_number(prior) or not 0 <= prior <= 1:
            name = getattr(priors, "__name__", repr(priors))
            must = f"must return a probability, 0 to 1, for every legal action; for {action!r}"
            raise ValueError(f"{name}(state) {must} it returned {prior!r}.  The state was\n{state}")
    return {action: float(table[action]) for action in actions}
