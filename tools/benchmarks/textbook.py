"""Searches as the textbook states them, to measure what its clearest form costs in Python.

The code that goes with Russell and Norvig, "Artificial Intelligence: A Modern Approach", is no
package that can be installed.  So the figures of its 4th edition are written out here once more:
5.3 (minimax), 5.7 (alpha-beta) and 5.11 (Monte Carlo tree search), in words of our own.  As in the
book, a game is an object that is asked about states, and a state is never changed: a board is a
dictionary, copied for every move.  Actions are squares (row, column), row 0 at the bottom.
"""

from __future__ import annotations

import random
from math import inf, log, sqrt
from typing import NamedTuple

Square = tuple[int, int]
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


class State(NamedTuple):
    """Who moves (1 or -1), who holds which squares, the utility for player 1, the free squares."""

    to_move: int
    board: dict[Square, int]
    utility: int
    free: tuple[Square, ...]


class TicTacToe:
    """The first with `k` stones in a line wins."""

    def __init__(self, rows: int = 3, cols: int = 3, k: int = 3) -> None:
        self.k = k
        squares = tuple((row, col) for row in range(rows) for col in range(cols))
        self.initial = State(1, {}, 0, squares)

    def actions(self, state: State) -> tuple[Square, ...]:
        return state.free

    def result(self, state: State, action: Square) -> State:
        player = state.to_move
        board = {**state.board, action: player}
        utility = player if self.wins(board, action, player) else 0
        free = tuple(square for square in state.free if square != action)
        return State(-player, board, utility, free)

    def is_terminal(self, state: State) -> bool:
        return state.utility != 0 or not state.free

    def wins(self, board: dict[Square, int], last: Square, player: int) -> bool:
        """Return whether the last stone completes a line."""
        for up, right in DIRECTIONS:
            stones = 1
            for sign in (1, -1):
                row, col = last[0] + sign * up, last[1] + sign * right
                while board.get((row, col)) == player:
                    stones += 1
                    row, col = row + sign * up, col + sign * right
            if stones >= self.k:
                return True
        return False


class ConnectFour(TicTacToe):
    """A stone falls onto those in its column."""

    def __init__(self) -> None:
        super().__init__(6, 7, 4)
        by_columns = sorted(self.initial.free, key=lambda square: (square[1], square[0]))
        self.initial = self.initial._replace(free=tuple(by_columns))

    def actions(self, state: State) -> tuple[Square, ...]:
        board = state.board
        return tuple((row, col) for row, col in state.free if row == 0 or (row - 1, col) in board)


class Counting:
    """A game that counts the states that it is asked to make, and the first one."""

    def __init__(self, game: TicTacToe) -> None:
        self.game, self.initial, self.nodes = game, game.initial, 1
        self.actions, self.is_terminal = game.actions, game.is_terminal

    def result(self, state: State, action: Square) -> State:
        self.nodes += 1
        return self.game.result(state, action)


def minimax_search(game, state: State) -> tuple[float, Square | None]:
    """Return the value of the state for who moves there, and the move that leads to it."""
    player = state.to_move

    def max_value(state: State) -> tuple[float, Square | None]:
        if game.is_terminal(state):
            return player * state.utility, None
        best, move = -inf, None
        for action in game.actions(state):
            value, _ = min_value(game.result(state, action))
            if value > best:
                best, move = value, action
        return best, move

    def min_value(state: State) -> tuple[float, Square | None]:
        if game.is_terminal(state):
            return player * state.utility, None
        best, move = inf, None
        for action in game.actions(state):
            value, _ = max_value(game.result(state, action))
            if value < best:
                best, move = value, action
        return best, move

    return max_value(state)


def alpha_beta_search(game, state: State, depth: float = inf) -> tuple[float, Square | None]:
    """Return what `minimax_search` returns; beyond the depth every state is worth 0."""
    player = state.to_move

    def max_value(state: State, alpha: float, beta: float, depth: float):
        if game.is_terminal(state) or depth == 0:
            return player * state.utility, None
        best, move = -inf, None
        for action in game.actions(state):
            value, _ = min_value(game.result(state, action), alpha, beta, depth - 1)
            if value > best:
                best, move = value, action
                alpha = max(alpha, best)
            if best >= beta:
                break
        return best, move

    def min_value(state: State, alpha: float, beta: float, depth: float):
        if game.is_terminal(state) or depth == 0:
            return player * state.utility, None
        best, move = inf, None
        for action in game.actions(state):
            value, _ = max_value(game.result(state, action), alpha, beta, depth - 1)
            if value < best:
                best, move = value, action
                beta = min(beta, best)
            if best <= alpha:
                break
        return best, move

    return max_value(state, -inf, inf, depth)


class Node:
    """A state in the tree, and the playouts through it; `utility` is for who moved into it."""

    def __init__(self, game, state: State, parent: Node | None = None) -> None:
        self.state, self.parent = state, parent
        self.utility, self.playouts = 0.0, 0
        self.children: dict[Square, Node] = {}
        self.untried = [] if game.is_terminal(state) else list(game.actions(state))

    def ucb1(self) -> float:
        exploration = sqrt(2) * sqrt(log(self.parent.playouts) / self.playouts)
        return self.utility / self.playouts + exploration


def monte_carlo_tree_search(game, state: State, playouts: int, rng: random.Random) -> Square:
    """Return the move with the highest number of playouts."""
    tree = Node(game, state)
    for _ in range(playouts):
        child = expand(game, select(tree), rng)
        back_propagate(simulate(game, child.state, rng), child)
    return max(tree.children, key=lambda action: tree.children[action].playouts)


def select(node: Node) -> Node:
    """Return the leaf to which the highest upper confidence bounds lead."""
    while not node.untried and node.children:
        node = max(node.children.values(), key=Node.ucb1)
    return node


def expand(game, leaf: Node, rng: random.Random) -> Node:
    """Return a new child of the leaf; the leaf itself where the game is over."""
    if not leaf.untried:
        return leaf
    action = leaf.untried.pop(rng.randrange(len(leaf.untried)))
    leaf.children[action] = Node(game, game.result(leaf.state, action), leaf)
    return leaf.children[action]


def simulate(game, state: State, rng: random.Random) -> int:
    """Return the utility for player 1 of a game that chance plays on from here."""
    while not game.is_terminal(state):
        state = game.result(state, rng.choice(game.actions(state)))
    return state.utility


def back_propagate(result: int, node: Node | None) -> None:
    """Count the playout in the node and in all above it; a draw is worth half a win."""
    while node is not None:
        node.playouts += 1
        node.utility += (1 - node.state.to_move * result) / 2
        node = node.parent
