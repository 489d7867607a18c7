"""The compiled `mcts`, which runs the kernels in slices and reads their tree."""

from __future__ import annotations

import random
import warnings
from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from gamefast import mcts_kernels
from gamefast.alphabeta_kernels import layout
from gamefast.backend import Array, bind_kernel
from gamefast.fast import check_supported, supports
from gamelib.games import Nim
from gamelib.games.k_in_a_row import LineRules
from gamelib.search.callbacks import Progress, Stop
from gamelib.search.checks import as_rng, check_c, check_searchable
from gamelib.search.mcts import Budget, result_of
from gamelib.search.proofs import Bounds, check_proofs, unproven_bounds
from gamelib.search.result import SearchResult
from gamelib.state import Action, GameState

FIRST_NODES = 1 << 22  # for which a tree has space at first; it doubles when it is full
MAX_TREE_BYTES = 1 << 30  # of the arrays of a tree
MAX_SIMULATIONS = (1 << 30) - 1  # of a tree, because twice this number is counted in 32 bits
SLICE = 1 << 12  # simulations, from which the steps between two checks of the clock are derived
FAULT = "mcts found no action to try, which is a bug in gamefast.  Please report the call"
MAX_LOGS = 1 << 20  # of numbers of visits; only nodes next to the root have more visits


# The arrays of a tree without nodes; a search leaves those that it does not need like this.
NO_TERMS = np.empty((0, mcts_kernels.EXPLORATION + 1), np.float32)
NO_NODES = np.empty(0, mcts_kernels.NODE)
NO_LINKS = np.empty((0, mcts_kernels.NEXT_IN_QUEUE + 1), np.int32)
NO_TABLE = np.zeros(1, np.int32)


@cache
def _no_bounds(players: int) -> Array:
    return np.empty((0, players), np.int8)


@cache
def _no_positions(width: int) -> Array:
    return np.empty((0, width), np.int64)


class GameRules:
    """What the kernels need to know of a game, and the names of its actions."""

    wins: Array | None = None

    def search(self, *arguments: Any) -> int:
        """Call the kernel."""
        return cast(int, mcts_kernels.search(*arguments))

    def set_payoffs(self, players: int, last: int) -> None:
        """Store the payoffs: `last` for the player who ends the game, its negative for others."""
        self.payoffs = np.full((players + 1, players), -last, np.int64)
        self.payoffs[range(players), range(players)] = last
        self.payoffs[players] = 0


class NimRules(GameRules):
    """Nim from one position on, whose actions include the actions of all later positions."""

    def __init__(self, state: Nim) -> None:
        max_take = max(state.heaps) if state.max_take is None else state.max_take
        self.longest = sum(state.heaps)
        self.names: list[Action] = list(state.legal_actions())
        self.starts, self.cells = np.array(self.names, np.int64).T.copy()
        self.sizes = np.array([0, 0, 0, 0, 0, state.num_players, 1, max_take], np.int64)
        self.set_payoffs(state.num_players, -1 if state.misere else 1)


class BoardRules(GameRules):
    """One configuration of a board game, prepared once because that takes longer than a search."""

    def __init__(self, kind: Any, rules: LineRules) -> None:
        board, self.wins, moves = layout(kind, rules.rows, rules.cols, rules.k)
        self.longest = rules.rows * rules.cols
        self.names: list[Action] = list(range(len(moves)))
        self.cells = np.array(moves, np.int64)
        self.starts = self.cells & board.base  # the lowest cell of a column, or the cell itself
        self.sizes = np.array([*board, rules.num_players, 0, 0], np.int64)
        self.set_payoffs(rules.num_players, 1)
        self.prepared_search: Callable[..., int] | None = None

    def search(self, *arguments: Any) -> int:
        """Call the kernel; only the first call tests the types of the arguments."""
        if self.prepared_search is None:
            *others, _ = arguments
            no_simulations = 0
            self.prepared_search = bind_kernel(mcts_kernels.search, *others, no_simulations)
        return cast(int, self.prepared_search(*arguments))


_board_rules = cache(BoardRules)


class KernelGame:
    """A position in the form that the kernels use, and the names of its actions."""

    def __init__(self, state: Any) -> None:
        self.state = state
        if type(state) is Nim:
            rules: NimRules | BoardRules = NimRules(state)
            root = state.heaps
        else:
            kind: Any = type(state)
            rules = _board_rules(kind, state.rules)
            root = [state.stones(player) for player in range(state.num_players)]
        self.wins, self.longest, self.names = rules.wins, rules.longest, rules.names
        self.search = rules.search
        self.rules = mcts_kernels.GameArrays(
            np.array(root, np.int64), state.current_player, rules.sizes, rules.starts, rules.cells,
            rules.payoffs,
        )  # fmt: skip


class NodeView:
    """A view of a node and the edge to it, with the attributes of `Node` and `Edge` of gamelib."""

    action: Action
    visits: int
    mean: float
    closed: bool

    def __init__(self, tree: KernelTree, index: int, player: int) -> None:
        self.tree, self.index, self.player = tree, index, player
        self.node = self  # the node to which the edge leads
        self.state: GameState = tree.game.state  # of the root, the only node whose state is read
        self.bounds, self.is_resolved = tree.unproven_bounds, False
        self._edges: list[NodeView] | None = None  # read when they are first asked for
        self._open_edges: list[NodeView] | None = None
        if tree.solver:
            low, high = tree.low[index].tolist(), tree.high[index].tolist()
            self.bounds = Bounds(tuple(low), tuple(high))
            self.is_resolved = bool(tree.nodes["is_resolved"][index])

    @property
    def edges(self) -> list[NodeView]:
        """The edges of the actions that were tried, in `legal_actions` order."""
        if self._edges is None:
            self._edges = self._read_edges()
        return self._edges

    def _read_edges(self) -> list[NodeView]:
        tree, following = self.tree, (self.player + 1) % self.tree.players
        _, _, first, tried, legal, *_ = tree.nodes.item(self.index)
        if not tried:
            return []
        rows = tree.nodes[first : first + legal].tolist()
        links = (
            tree.links[first : first + legal, mcts_kernels.LEADS_TO].tolist() if tree.share else ()
        )
        nodes = []
        for edge, (visits, total, _, tried, _, action, closed, _) in enumerate(rows):
            if tried >= 0:
                node = NodeView(tree, links[edge] if links else first + edge, following)
                node.visits, node.mean, node.closed = visits, total / (2 * visits), bool(closed)
                node.action = tree.game.names[action]
                nodes.append(node)
        return nodes

    @property
    def open_edges(self) -> list[NodeView]:
        """The edges that proofs have not closed; the list of all edges where nothing is proven."""
        if not self.tree.solver:
            return self.edges
        if self._open_edges is None:
            self._open_edges = [edge for edge in self.edges if not edge.closed]
        return self._open_edges


class KernelTree:
    """The tree of a search, in arrays."""

    def __init__(self, game: KernelGame, solver: bool, share: bool, seed: int, size: int) -> None:
        self.game, self.solver, self.share = game, solver, share
        self.players = players = game.state.num_players
        self.terms, self.nodes, self.links, self.table = NO_TERMS, NO_NODES, NO_LINKS, NO_TABLE
        self.low = self.high = _no_bounds(players)
        self.positions = _no_positions(len(game.rules.root) + 1)
        self.unproven_bounds = unproven_bounds(players)
        self.registers = np.array([0, 1, 1, seed], np.int64)
        self.path = np.empty(game.longest + 2, np.int64)
        self.grow(size)
        self.nodes[0] = (0, 0, 0, 0, len(game.state.legal_actions()), 0, 0, 0)
        if solver or share:
            self.links[0, [mcts_kernels.NEWEST, mcts_kernels.NEXT_IN_QUEUE, mcts_kernels.MOVER]] = (
                -1,
                -1,
                game.rules.player,
            )
        if solver:
            self.low[0], self.high[0] = -1, 1

    def __len__(self) -> int:
        return int(self.registers[mcts_kernels.SIZE])

    @property
    def root(self) -> NodeView:
        """The node of the position that was searched."""
        return NodeView(self, 0, self.game.rules.player)

    @property
    def can_grow(self) -> bool:
        """Whether arrays of twice the size are within MAX_TREE_BYTES."""
        arrays = [self.terms, self.nodes, self.links, self.low, self.high]
        if self.share:
            arrays += [self.positions, self.table]
        return 2 * sum(array.nbytes for array in arrays) <= MAX_TREE_BYTES

    @property
    def is_full(self) -> bool:
        """Whether no node can be added, because the children of a node get their space together."""
        used = int(self.registers[mcts_kernels.USED])
        return used + len(self.game.names) > len(self.nodes) and not self.can_grow

    def grow(self, size: int) -> None:
        """Make space for `size` nodes."""
        self.terms, self.nodes = _grow_array(self.terms, size), _grow_array(self.nodes, size)
        if self.solver or self.share:
            self.links = _grow_array(self.links, size, np.zeros)  # so that no node leads to itself
        if self.solver:
            self.low, self.high = _grow_array(self.low, size), _grow_array(self.high, size)
        if self.share:
            self.positions = _grow_array(self.positions, size)
            self.table = np.zeros(2 * size, np.int32)
            mcts_kernels.rehash(
                self.table, self.positions, self.links, int(self.registers[mcts_kernels.USED])
            )

    def run_slice(self, c: float, simulations: float, step: int) -> int:
        """Run up to `step` of the `simulations`, and return the number that has been done."""
        target = int(min(simulations, self.registers[mcts_kernels.SIMULATIONS] + step))
        status = mcts_kernels.FULL
        while status == mcts_kernels.FULL:
            size = len(self.nodes)
            arrays = mcts_kernels.TreeArrays(
                self.terms, self.nodes, self.links, self.low, self.high, self.positions, self.table,
                self.path, self.registers, _logs(min(1 << target.bit_length(), MAX_LOGS)),
            )  # fmt: skip
            status = self.game.search(
                arrays, self.game.rules, self.game.wins, c, self.solver, self.share,
                self.can_grow, target,
            )  # fmt: skip
            if status == mcts_kernels.FULL:
                self.grow(2 * size)
        if status == mcts_kernels.NO_MOVE:
            raise RuntimeError(FAULT)
        return int(self.registers[mcts_kernels.SIMULATIONS])


@cache
def _logs(size: int) -> Array:
    """Return the square roots of the logarithms of 0 to size - 1; the first two are 0."""
    return np.sqrt(np.log(np.maximum(np.arange(size), 1))).astype(np.float32)


def _grow_array(old: Array, size: int, new_array: Callable[..., Array] = np.empty) -> Array:
    """Return an array with `size` rows that begins with `old`."""
    new = new_array((size, *old.shape[1:]), old.dtype)
    if len(old):
        new[: len(old)] = old
    return new


def mcts(
    state: GameState,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    c: float = 2**0.5,
    solver: bool = False,
    share: bool = False,
    rng: random.Random | int | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the result of `gamelib.mcts` with random rollouts: the most simulated action.

    The same seed builds the same tree, but not the tree of `gamelib.mcts`, because the random
    numbers are different.  Both choose in the same way, so their choices are equally likely.

    The tree takes at most 1 GB, which is about 16 million nodes of Connect Four, or 3 million with
    `solver` and `share`.  When it is full, there is a RuntimeWarning, and later simulations only
    add to the statistics of the existing nodes.
    """
    if not supports(state):
        check_supported(False, state)
    budget = Budget(simulations, seconds, {"progress": progress, "stop": stop})
    budget.simulations = min(budget.simulations, MAX_SIMULATIONS)
    check_c(c)
    check_searchable(state)
    game, seed = KernelGame(state), as_rng(rng).getrandbits(64) - (1 << 63)
    if solver:
        for payoffs in game.rules.payoffs.tolist():
            check_proofs(tuple(payoffs))
    # A node that is expanded reserves space for all its children, which is about twice as much as
    # is used.  The first size is a power of 2.
    size = int(min(max(4 * budget.simulations, 1 << 10), FIRST_NODES))
    tree: Any = KernelTree(game, bool(solver), bool(share), seed, 1 << (size - 1).bit_length())
    # With many actions or plies, and with proofs, a simulation takes more time.
    work = SLICE << (4 if seconds is not None or budget.poller else 7) - bool(solver)
    step = max(work // max(len(game.names), game.longest >> 3, 8), 1)
    while budget.take_simulation(tree):
        budget.done = tree.run_slice(float(c), budget.simulations, step)
    if tree.is_full:
        warnings.warn(
            f"the tree of this mcts was full after {len(tree):,} nodes ({MAX_TREE_BYTES:,} bytes), "
            "so later simulations added no node: ask for fewer simulations",
            RuntimeWarning,
            stacklevel=2,
        )
    return result_of(tree, budget)
