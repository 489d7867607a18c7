"""Reference solutions of the exercises of notebook 04."""

from collections.abc import Sequence
from itertools import pairwise
from math import log, sqrt

from course.lessons.mcts.check import PathNode, TreeNode


def score(w: float, n: int, N: int, c: float) -> float:  # noqa: N803, as the formula has it
    """Return the UCB1 score of an arm: its mean, and a bonus that rewards rarely tried arms."""
    return w / n + c * sqrt(log(N) / n)


def backpropagate(path: list[PathNode], payoff: float) -> None:
    """Add a visit and a reward to every node of the path, root first; two players in turn.

    `payoff`, from -1 to +1, is that of the player to move at the last node.  The last node stores
    the rewards of the other player, who moved to it.
    """
    reward = (1 - payoff) / 2
    for node in reversed(path):
        node.visits += 1
        node.total += reward
        reward = 1 - reward


def select_and_expand(root: TreeNode, c: float, first: float) -> list[TreeNode]:
    """Return the nodes from the root down to the new one, or to a terminal state.

    Each action on the path has the highest score.  An untried action has the score `first`, which
    is first-play urgency (Gelly and Wang 2006).  If it is infinite, all are tried before one is
    repeated.
    """
    path = [root]
    while actions := path[-1].state.legal_actions():
        node = path[-1]
        scores = dict.fromkeys(actions, first)
        for action, child in node.children.items():
            bonus = sqrt(log(node.visits) / child.visits)
            scores[action] = child.total / child.visits + c * bonus
        action = max(actions, key=lambda action: scores[action])
        if action not in node.children:
            path.append(node.add(action))
            break
        path.append(node.children[action])
    return path


def rewards_along(to_move: Sequence[int], utilities: Sequence[float]) -> list[float]:
    """Return the reward that each node below the root stores, for any number of players.

    `to_move` are the players to move at the nodes of the path, root first.  A node stores the
    reward of the player who moved to it, which is the player to move at its parent.
    """
    return [(utilities[player] + 1) / 2 for player, _ in pairwise(to_move)]
