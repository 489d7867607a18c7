"""Monte Carlo tree search for labs 4A to 4C: a correct program, and buggy variants of it."""

import random
from math import log, sqrt

from gamelib.state import Action, GameState


class Node:
    """A position in the tree; `total` sums the rewards of `chooser`, who moved to it."""

    def __init__(self, state: GameState, action: Action, chooser: int) -> None:
        self.state, self.action, self.chooser = state, action, chooser
        self.untried = list(state.legal_actions())
        self.children: list[Node] = []
        self.visits = 0
        self.total = 0.0


class PlainMCTS:
    """UCT, for any number of players: short and correct, but slower than `mcts`."""

    def __init__(self, state: GameState, *, seed: int = 0, c: float = sqrt(2)) -> None:
        self.root = Node(state, None, state.current_player)
        self.rng = random.Random(seed)
        self.c = c

    def search(self, simulations: int) -> Action:
        """Return the most visited action after `simulations` more simulations."""
        for _ in range(simulations):
            path = [self.root]
            self.select(path)
            self.expand(path)
            self.backpropagate(path, self.rollout(path[-1].state))
        return max(self.root.children, key=lambda child: child.visits).action

    def select(self, path: list[Node]) -> None:
        """Go down from the root by the highest UCB scores, as long as all actions are tried."""
        while not path[-1].untried and path[-1].children:
            path.append(self.best_child(path[-1]))

    def best_child(self, parent: Node) -> Node:
        """Return the child with the highest mean reward plus the bonus for rarely tried actions."""
        children, c, known = parent.children, self.c, log(parent.visits)
        scores = [each.total / each.visits + c * sqrt(known / each.visits) for each in children]
        return children[scores.index(max(scores))]

    def expand(self, path: list[Node]) -> None:
        """Add a new child of the last node to the tree and the path, unless the game is over."""
        node = path[-1]
        if not node.untried:
            return
        action = node.untried.pop(int(self.rng.random() * len(node.untried)))
        path.append(Node(node.state.successor(action), action, node.state.current_player))
        node.children.append(path[-1])
        if not node.untried:  # ties go to the first action in the order of the rules
            actions = node.state.legal_actions()
            node.children.sort(key=lambda child: actions.index(child.action))

    def rollout(self, state: GameState) -> tuple[float, ...]:
        """Return the payoffs of a game played at random."""
        return state.playout(self.rng)

    def backpropagate(self, path: list[Node], payoffs: tuple[float, ...]) -> None:
        """Add a visit and a reward to every node of the path."""
        for node in path:
            node.visits += 1
            node.total += self.reward(payoffs[node.chooser])

    def reward(self, payoff: float) -> float:
        """Return a payoff as a reward: 1 for a win, one half for a draw, 0 for a loss."""
        return (payoff + 1) / 2


class SteadfastMCTS(PlainMCTS):
    """MCTS in which one line is not that of `PlainMCTS`."""

    def backpropagate(self, path: list[Node], payoffs: tuple[float, ...]) -> None:
        """Add a visit and a reward to every node of the path."""
        for node in path:
            node.visits += 1
            node.total += self.reward(payoffs[self.root.chooser])


class WinnerMCTS(PlainMCTS):
    """MCTS with another reward than `PlainMCTS`."""

    def reward(self, payoff: float) -> float:
        """Return a payoff as a reward."""
        return 1 if payoff == 1 else 0


class GrandMCTS(PlainMCTS):
    """MCTS with another reward than `PlainMCTS`."""

    def reward(self, payoff: float) -> float:
        """Return a payoff as a reward."""
        return 100 * payoff
