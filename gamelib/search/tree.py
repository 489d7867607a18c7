"""The tree that Monte Carlo tree search grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, log, sqrt
from typing import Any

from gamelib.search.events import Ucb
from gamelib.search.proofs import Outcomes, check_win, reason
from gamelib.state import Action, GameState

Priors = Callable[[Any], Mapping[Action, float]]
Vector = tuple[float, ...]


class Edge:
    """An action at a node, and what the simulations along it brought.

    `total` is the sum of the rewards, 0 to 1, of `player`, who moves along this edge; `mean` is
    total / visits.  `width` is the factor of the exploration term that shrinks with the visits.
    """

    __slots__ = ("action", "mean", "node", "player", "prior", "total", "visits", "width")

    def __init__(self, action: Action, player: int, prior: float = 1) -> None:
        self.action, self.player, self.prior = action, player, prior
        self.node: Any = None  # a Node, from the first visit on
        self.visits = 0
        self.total = 0.0
        self.mean = 0.5  # with priors an edge can be selected before its first visit
        self.width = prior


class Node:
    """A position in the tree; `edges` holds the actions tried so far, in the order of the rules."""

    __slots__ = (
        "actions",
        "edges",
        "expanded",
        "open",
        "outcomes",
        "parents",
        "player",
        "state",
        "visits",
    )

    def __init__(self, state: GameState) -> None:
        self.state, self.player = state, state.current_player
        self.actions: Sequence[Action] | None = None  # asked for when the first one is tried
        self.edges: list[Edge] = []
        self.open = self.edges  # those that are not proven
        self.expanded = False  # every action has been tried
        self.visits = 0
        self.outcomes: Outcomes | None = None
        self.parents: list[Node] = []

    def attach(self, edge: Edge) -> None:
        """Add the edge of an action that has not been tried."""
        self.edges.append(edge)
        if self.open is not self.edges:
            self.open.append(edge)
        self.expanded = len(self.edges) == len(self.actions or ())

    def why(self) -> str:
        """Return in words why this node is proven, or that it is not."""
        return reason(self)


class SearchTree:
    """What `mcts` has learnt.  Give it to the next search too, and that one goes on from there.

    `tree.root`, `tree.node(4, 0)` and `tree.table(4, 0)` show what it holds; its length is the
    number of nodes.
    """

    def __init__(self) -> None:
        self.entry = Edge(None, 0)  # the edge that leads to the root
        self.c = sqrt(2)
        self.solver = self.share = False
        self.priors: Priors | None = None
        self.nodes: dict[GameState, Node] = {}  # of each position, where equal ones are shared
        self.size = 0
        self._rewards: dict[Vector, Vector] = {}

    def __len__(self) -> int:
        return self.size

    @property
    def root(self) -> Node:
        """The node of the position that was searched last."""
        if self.entry.node is None:
            raise ValueError("this tree is empty; give it to a search: mcts(state, tree=tree)")
        root: Node = self.entry.node
        return root

    def node(self, *actions: Action) -> Node:
        """Return the node after these actions from the root; KeyError if it is not in the tree."""
        node = self.root
        for action in actions:
            found = next((edge.node for edge in node.edges if edge.action == action), None)
            if found is None:
                raise KeyError(f"no node in the tree after {actions}: {action!r} was not tried")
            node = found
        return node

    def table(self, *actions: Action) -> tuple[Ucb, ...]:
        """Return the UCB table of the node after these actions: one row for every legal action."""
        return self.rows(self.node(*actions))

    def rows(self, node: Node) -> tuple[Ucb, ...]:
        """Return the UCB table of a node: one row for every legal action."""
        scale = self.scale(max(node.visits, 1))
        tried = {edge.action: edge for edge in node.edges}
        return tuple(
            _row(tried[action], scale) if action in tried else Ucb(action, 0, None, inf)
            for action in node.state.legal_actions()
        )

    def scale(self, visits: int) -> float:
        """Return the factor of the exploration term that all edges of a node have in common.

        UCB1 has c sqrt(ln N) / sqrt(n), PUCT (Silver et al. 2017) c P sqrt(1 + N) / (1 + n); the 1
        beside N lets the priors decide about the first visit.
        """
        return self.c * (sqrt(log(visits)) if self.priors is None else sqrt(1 + visits))

    def rewards(self, utilities: Vector) -> Vector:
        """Return payoffs of -1 to +1 as rewards of 0 to 1; ValueError if one is outside."""
        try:
            return self._rewards[utilities]
        except KeyError:
            rewards = _checked_rewards(utilities)
            if self.solver:
                check_win(utilities)
            if len(self._rewards) < 1000:
                self._rewards[utilities] = rewards
            return rewards

    def add(self, state: GameState, parent: Node | None) -> Node:
        """Return a new node for `state`, or the one of an equal position where those are shared."""
        node = self.nodes.get(state) if self.share else None
        if node is None:
            node = Node(state)
            self.size += 1
            if self.share:
                self.nodes[state] = node
            if self.solver and state.is_terminal():
                node.outcomes = frozenset([tuple(state.utilities())])
        if self.solver and parent is not None:
            node.parents.append(parent)
        return node

    def prepare(
        self, state: GameState, *, c: float, solver: bool, share: bool, priors: Priors | None
    ) -> None:
        """Make `state` the root: a node at most one round below the old root, or a new one."""
        options = {"solver": solver, "share": share, "priors": priors}
        grown = {name: getattr(self, name) for name in options}
        if self.size and grown != options:
            raise ValueError(f"this tree was grown with {grown}; it cannot go on with {options}")
        self.c, self.solver, self.share, self.priors = c, solver, share, priors
        node = self._find(state) if self.size else None
        if node is None:
            self.nodes, self.size = {}, 0
            node = self.add(state, None)
        elif node is not self.root:
            self._keep_below(node)
        if node is not self.entry.node:
            self.entry = Edge(None, state.current_player)
            self.entry.node = node

    def _find(self, state: GameState) -> Node | None:
        level = [self.root]
        for _ in range(state.num_players + 1):
            for node in level:
                if node.state == state:
                    return node
            level = [edge.node for node in level for edge in node.edges if edge.node]
        return None

    def _keep_below(self, root: Node) -> None:
        """Forget all nodes but `root` and those below it."""
        kept = {id(root): root}
        waiting = [root]
        while waiting:
            for edge in waiting.pop().edges:
                if edge.node and id(edge.node) not in kept:
                    kept[id(edge.node)] = edge.node
                    waiting.append(edge.node)
        for node in kept.values():
            node.parents = [parent for parent in node.parents if id(parent) in kept]
        self.size = len(kept)
        if self.share:
            self.nodes = {node.state: node for node in kept.values()}


def _checked_rewards(utilities: Vector) -> Vector:
    """Return payoffs of -1 to +1 as rewards of 0 to 1; ValueError if one is not in that range."""
    if not all(-1 <= payoff <= 1 for payoff in utilities):
        raise ValueError(
            f"mcts needs payoffs from -1 to +1, so that c fits them; got {utilities}.  "
            "Divide the payoffs of the game by the largest one."
        )
    return tuple((payoff + 1) / 2 for payoff in utilities)


def _row(edge: Edge, scale: float) -> Ucb:
    outcomes = edge.node.outcomes if edge.node else None
    exploration = 0 if outcomes else scale * edge.width
    return Ucb(edge.action, edge.visits, edge.mean, exploration, outcomes)
