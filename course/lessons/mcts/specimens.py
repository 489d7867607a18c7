"""Monte Carlo tree search for the labs 4A to 4C: one that is right, and variants that are not."""

from __future__ import annotations

import random
from math import log, sqrt

from gamelib.state import Action, GameState


class Node:
    """A position in the tree; `total` sums the rewards of `chooser`, who moved to it."""

    def __init__(self, state: GameState, action: Action = None, parent: Node | None = None) -> None:
        self.state, self.action, self.parent = state, action, parent
        self.chooser = parent.state.current_player if parent else state.current_player
        self.untried = list(state.legal_actions())
        self.children: list[Node] = []
        self.visits = 0
        self.total = 0.0


class PlainMCTS:
    """UCT, for any number of players: short and correct, but slower than `mcts`."""

    def __init__(self, state: GameState, *, seed: int = 0, c: float = sqrt(2)) -> None:
        self.root = Node(state)
        self.rng = random.Random(seed)
        self.c = c

    def search(self, simulations: int) -> Action:
        """Return the most visited action after so many more simulations."""
        for _ in range(simulations):
            leaf = self.expand(self.select())
            self.backpropagate(leaf, self.rollout(leaf.state))
        return max(self.root.children, key=lambda child: child.visits).action

    def select(self) -> Node:
        """Return the node at the end of the path of highest UCB scores."""
        node = self.root
        while not node.untried and node.children:
            node = self.best_child(node)
        return node

    def best_child(self, parent: Node) -> Node:
        """Return the child of highest mean reward plus bonus for being seldom tried."""
        children, c, known = parent.children, self.c, log(parent.visits)
        scores = [each.total / each.visits + c * sqrt(known / each.visits) for each in children]
        return children[scores.index(max(scores))]

    def expand(self, node: Node) -> Node:
        """Return a new child of the node; the node itself where the game is over."""
        if not node.untried:
            return node
        action = node.untried.pop(int(self.rng.random() * len(node.untried)))
        child = Node(node.state.successor(action), action, node)
        node.children.append(child)
        if not node.untried:  # ties go to the first action in the order of the rules
            actions = node.state.legal_actions()
            node.children.sort(key=lambda child: actions.index(child.action))
        return child

    def rollout(self, state: GameState) -> tuple[float, ...]:
        """Return the payoffs of a game played at random."""
        return state.playout(self.rng)

    def backpropagate(self, leaf: Node, utilities: tuple[float, ...]) -> None:
        """Add a visit and a reward to every node from the leaf up to the root."""
        node: Node | None = leaf
        while node:
            node.visits += 1
            node.total += self.reward(utilities[node.chooser])
            node = node.parent

    def reward(self, utility: float) -> float:
        """Return a payoff as a reward: 1 for a win, one half for a draw, 0 for a loss."""
        return (utility + 1) / 2


class SteadfastMCTS(PlainMCTS):
    """MCTS in which one line is not that of `PlainMCTS`."""

    def backpropagate(self, leaf: Node, utilities: tuple[float, ...]) -> None:
        """Add a visit and a reward to every node from the leaf up to the root."""
        node: Node | None = leaf
        while node:
            node.visits += 1
            node.total += self.reward(utilities[self.root.chooser])
            node = node.parent


class WinnerMCTS(PlainMCTS):
    """MCTS with another reward than `PlainMCTS`."""

    def reward(self, utility: float) -> float:
        """Return a payoff as a reward."""
        return 1 if utility == 1 else 0


class GrandMCTS(PlainMCTS):
    """MCTS with another reward than `PlainMCTS`."""

    def reward(self, utility: float) -> float:
        """Return a payoff as a reward."""
        return 100 * utility
