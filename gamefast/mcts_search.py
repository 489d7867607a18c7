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
from gamelib.search.mcts import Budget, action_value
from gamelib.search.proofs import Bounds, check_proofs, unproven_bounds
from gamelib.search.result import Bound, SearchResult
from gamelib.state import Action, GameState

# A tree has at first space for a number of nodes between these.  When it is full, it doubles.
MIN_NODES, FIRST_NODES = 1 << 10, 1 << 22
MAX_TREE_BYTES = 1 << 30  # of the arrays of a tree
MAX_SIMULATIONS = (1 << 30) - 1  # of a tree, because twice this number is counted in 32 bits
SLICE = 1 << 12  # simulations, from which the steps between two checks of the clock are derived
FAULT = "mcts found no action to try, which is a bug in gamefast.  Please report the call"
SYSTEM_RANDOM = random.SystemRandom()
MAX_LOGS = 1 << 20  # of numbers of visits; only nodes next to the root have more visits


# The arrays of a tree without nodes; a search leaves those that it does not need like this.
NO_TERMS = np.empty((0, mcts_kernels.EXPLORATION + 1), np.float32)
NO_NODES = np.empty(0, mcts_kernels.NODE)
NO_LINKS = np.empty((0, mcts_kernels.NEXT_IN_QUEUE + 1), np.int32)
NO_TABLE = np.zeros(1, np.int32)
# The links of a root, which no edge enters.
NO_LINK = np.zeros(mcts_kernels.NEXT_IN_QUEUE + 1, np.int32)
NO_LINK[[mcts_kernels.NEWEST, mcts_kernels.NEXT_IN_QUEUE]] = -1


@cache
def _no_bounds(players: int) -> Array:
    return np.empty((0, players), np.int8)


@cache
def _no_positions(width: int) -> Array:
    return np.empty((0, width), np.int64)


class GameRules:
    """What the kernels need to know of a game, and the names of its actions."""

    wins: Array | None = None
    longest: int  # the plies of the longest game
    width: int  # the ints of a position
    names: list[Action]
    sizes: Array
    starts: Array
    cells: Array

    def __init__(self, players: int, last: int) -> None:
        # The payoffs are `last` for the player who ends the game, and its negative for the others.
        self.payoffs = np.full((players + 1, players), -last, np.int64)
        self.payoffs[range(players), range(players)] = last
        self.payoffs[players] = 0
        self.spare: dict[tuple[bool, bool], list[KernelTree]] = {}

    def root(self, state: Any) -> list[int]:
        """Return the position in ints: the stones of each player."""
        return [state.stones(player) for player in range(state.num_players)]

    def search(self, *arguments: Any) -> int:
        """Call the kernel."""
        return cast(int, mcts_kernels.search(*arguments))

    def take_tree(self, solver: bool, share: bool, size: int) -> KernelTree:
        """Return a tree with space for `size` nodes; `give_back` makes it available again."""
        if size == MIN_NODES:
            try:
                return self.spare[solver, share].pop()
            except LookupError:
                pass  # others may use all of them at the moment
        return KernelTree(self, solver, share, size)

    def give_back(self, tree: KernelTree) -> None:
        """Make a small tree available to the next search, because new arrays take longer."""
        if len(tree.nodes) == MIN_NODES:
            self.spare.setdefault((tree.solver, tree.share), []).append(tree)


class NimRules(GameRules):
    """Nim from one position on, whose actions include the actions of all later positions."""

    def __init__(self, state: Nim) -> None:
        super().__init__(state.num_players, -1 if state.misere else 1)
        max_take = max(state.heaps) if state.max_take is None else state.max_take
        self.longest, self.width = sum(state.heaps), len(state.heaps)
        self.names = list(state.legal_actions())
        self.starts, self.cells = np.array(self.names, np.int64).T.copy()
        self.sizes = np.array([0, 0, 0, 0, 0, state.num_players, 1, max_take], np.int64)

    def root(self, state: Any) -> list[int]:
        """Return the heaps."""
        return list(state.heaps)


class BoardRules(GameRules):
    """One configuration of a board game, prepared once because that takes longer than a search."""

    def __init__(self, kind: Any, rules: LineRules) -> None:
        super().__init__(rules.num_players, 1)
        board, self.wins, moves = layout(kind, rules.rows, rules.cols, rules.k)
        self.longest, self.width = rules.rows * rules.cols, rules.num_players
        self.names = list(range(len(moves)))
        self.cells = np.array(moves, np.int64)
        self.starts = self.cells & board.base  # the lowest cell of a column, or the cell itself
        self.sizes = np.array([*board, rules.num_players, 0, 0], np.int64)
        self.prepared_search: Callable[..., int] | None = None

    def search(self, *arguments: Any) -> int:
        """Call the kernel; only the first call tests the types of the arguments."""
        if self.prepared_search is None:
            *others, _ = arguments
            no_simulations = 0
            self.prepared_search = bind_kernel(mcts_kernels.search, *others, no_simulations)
        return cast(int, self.prepared_search(*arguments))


_board_rules = cache(BoardRules)


def rules_of(state: Any) -> GameRules:
    """Return the rules of a game that the kernels support."""
    kind: Any = type(state)
    return NimRules(state) if kind is Nim else _board_rules(kind, state.rules)


class KernelTree:
    """The tree of a search, in arrays."""

    state: GameState  # of the root

    def __init__(self, rules: GameRules, solver: bool, share: bool, size: int) -> None:
        self.rules, self.solver, self.share = rules, solver, share
        self.players = players = len(rules.payoffs) - 1
        self.terms, self.nodes, self.links, self.table = NO_TERMS, NO_NODES, NO_LINKS, NO_TABLE
        self.low = self.high = _no_bounds(players)
        self.positions = _no_positions(rules.width + 1)
        self.unproven_bounds = unproven_bounds(players)
        self.registers = np.zeros(mcts_kernels.LINE_LENGTH + 1, np.int64)
        self.choices = np.zeros((len(rules.names), mcts_kernels.MOST + 1), np.int64)
        self.path = np.empty(rules.longest + 2, np.int64)
        self.is_full = False  # whether a simulation found no space for a node
        self.grow(size)

    def begin(self, state: GameState, seed: int) -> None:
        """Make `state` the root, without other nodes."""
        self.state = state
        rules, root, player = self.rules, self.rules.root(state), state.current_player
        self.game = mcts_kernels.GameArrays(
            np.array(root, np.int64), player, rules.sizes, rules.starts, rules.cells, rules.payoffs
        )
        self.registers[:] = 0, 1, 1, seed, 0, 0
        self.nodes[0] = (0, 0, 0, 0, len(state.legal_actions()), 0, 0, 0)
        if self.solver or self.share:
            self.links[0] = NO_LINK
            self.links[0, mcts_kernels.MOVER] = player
        if self.solver:
            self.low[0], self.high[0] = -1, 1
        if self.share:
            self.table[:] = 0

    def __len__(self) -> int:
        return int(self.registers[mcts_kernels.SIZE])

    @property
    def is_resolved(self) -> bool:
        """Whether proofs leave nothing to learn about the root."""
        return self.solver and bool(self.nodes["is_resolved"][0])

    @property
    def bounds(self) -> Bounds:
        """What is proven about the payoffs of the players at the root."""
        if not self.solver:
            return self.unproven_bounds
        return Bounds(tuple(self.low[0].tolist()), tuple(self.high[0].tolist()))

    @property
    def line(self) -> tuple[Action, ...]:
        """The line of best play, which has at least one action."""
        names = self.rules.names
        if length := int(self.registers[mcts_kernels.LINE_LENGTH]):
            return tuple([names[action] for action in self.path[:length].tolist()])
        tried = set(self.choices[: self.registers[mcts_kernels.NUM_CHOICES], 0].tolist())
        legal = self.state.legal_actions()
        return (next(action for action in legal if names.index(action) not in tried),)

    @property
    def can_grow(self) -> bool:
        """Whether arrays of twice the size are within MAX_TREE_BYTES."""
        arrays = [self.terms, self.nodes, self.links, self.low, self.high]
        if self.share:
            arrays += [self.positions, self.table]
        return 2 * sum(array.nbytes for array in arrays) <= MAX_TREE_BYTES

    def grow(self, size: int) -> None:
        """Make space for `size` nodes."""
        self.terms, self.nodes = _grow_array(self.terms, size), _grow_array(self.nodes, size)
        if self.solver or self.share:
            self.links = _grow_array(self.links, size)
        if self.solver:
            self.low, self.high = _grow_array(self.low, size), _grow_array(self.high, size)
        if self.share:
            self.positions = _grow_array(self.positions, size)
            self.table = np.zeros(2 * size, np.int32)
            mcts_kernels.rehash(
                self.table, self.positions, self.links, int(self.registers[mcts_kernels.USED])
            )
        self.arrays = mcts_kernels.TreeArrays(
            self.terms, self.nodes, self.links, self.low, self.high, self.positions, self.table,
            self.path, self.registers, self.choices, _logs(1),
        )  # fmt: skip

    def run_slice(self, c: float, target: int) -> int:
        """Search until `target` simulations are done or the root is proven; return how many are."""
        status = mcts_kernels.FULL
        while status == mcts_kernels.FULL:
            if len(self.arrays.logs) <= target:
                logs = _logs(min(1 << target.bit_length(), MAX_LOGS))
                self.arrays = self.arrays._replace(logs=logs)
            status = self.rules.search(
                self.arrays, self.game, self.rules.wins, c, self.solver, self.share,
                not self.is_full, target,
            )  # fmt: skip
            if status == mcts_kernels.FULL:
                self.is_full = not self.can_grow
                if not self.is_full:
                    self.grow(2 * len(self.nodes))
        if status == mcts_kernels.NO_MOVE:
            raise RuntimeError(FAULT)
        return int(self.registers[mcts_kernels.SIMULATIONS])


@cache
def _logs(size: int) -> Array:
    """Return the square roots of the logarithms of 0 to size - 1; the first two are 0."""
    return np.sqrt(np.log(np.maximum(np.arange(size), 1))).astype(np.float32)


def _grow_array(old: Array, size: int) -> Array:
    """Return an array with `size` rows that begins with `old`."""
    new = np.empty((size, *old.shape[1:]), old.dtype)
    if len(old):
        new[: len(old)] = old
    return new


class KernelBudget(Budget):
    """The budget of a search by the kernels."""

    def best_action(self, tree: Any) -> Action:
        """Return the action to play as far as the search has come."""
        return tree.line[0]

    def read_result(self, tree: KernelTree) -> SearchResult:
        """Return the result of the search of a tree."""
        visits = dict.fromkeys(tree.state.legal_actions(), 0)
        values: dict[Action, Bound] = {}
        names, num_choices = tree.rules.names, tree.registers[mcts_kernels.NUM_CHOICES]
        for number, count, total, closed, *proven in tree.choices[:num_choices].tolist():
            if count:
                action, (is_resolved, low, high) = names[number], proven
                visits[action] = count
                values[action] = action_value(total / count - 1, low, high, is_resolved, not closed)
        return self.result(visits, values, tree.line, tree.bounds, len(tree))


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
    budget = KernelBudget(simulations, seconds, {"progress": progress, "stop": stop})
    budget.simulations = min(budget.simulations, MAX_SIMULATIONS)
    check_c(c)
    check_searchable(state)
    rules, solver, share = rules_of(state), bool(solver), bool(share)
    if solver:
        for payoffs in rules.payoffs.tolist():
            check_proofs(tuple(payoffs))
    tree: Any = rules.take_tree(solver, share, first_size(budget.simulations))
    tree.begin(state, draw_seed(rng))
    # With many actions or plies, and with proofs, a simulation takes more time.
    work = SLICE << (4 if seconds is not None or budget.poller else 7) - solver
    step = max(work // max(len(rules.names), rules.longest >> 3, 8), 1)
    while budget.take_simulation(tree):
        budget.done = tree.run_slice(float(c), int(min(budget.simulations, budget.done - 1 + step)))
    if tree.is_full:
        warnings.warn(
            f"the tree of this mcts was full after {len(tree):,} nodes ({MAX_TREE_BYTES:,} bytes), "
            "so later simulations added no node: ask for fewer simulations",
            RuntimeWarning,
            stacklevel=2,
        )
    result = budget.read_result(tree)
    rules.give_back(tree)
    return result


def first_size(simulations: float) -> int:
    """Return the nodes for which a tree has space at first, a power of 2.

    A node that is expanded reserves space for all its children, which is about twice as much as is
    used.
    """
    size = int(min(max(4 * simulations, MIN_NODES), FIRST_NODES))
    return 1 << (size - 1).bit_length()


def draw_seed(rng: random.Random | int | None) -> int:
    """Return a seed for the kernel, of 64 bits; without `rng` from the operating system."""
    # A new Random takes longer than many simulations.
    return (SYSTEM_RANDOM if rng is None else as_rng(rng)).getrandbits(64) - (1 << 63)
