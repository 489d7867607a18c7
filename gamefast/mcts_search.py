"""The compiled `mcts`, which runs the kernels in slices and reads their tree."""

from __future__ import annotations

import random
import time
import warnings
from collections.abc import Iterable
from copy import copy
from functools import cache
from struct import Struct
from typing import Any, cast

import numpy as np

from gamefast import mcts_kernels
from gamefast.alphabeta_kernels import layout
from gamefast.backend import Array, bind_kernel
from gamefast.fast import BOARD_GAMES, check_supported, is_supported_board, supports
from gamelib.games import Nim
from gamelib.games.k_in_a_row import LineRules
from gamelib.search.callbacks import Callbacks, Progress, Stop
from gamelib.search.checks import as_rng, check_c, check_searchable
from gamelib.search.mcts import Budget, action_value
from gamelib.search.proofs import Bounds, check_proofs, unproven_bounds
from gamelib.search.registry import check_option_types
from gamelib.search.result import Bound, SearchResult
from gamelib.state import Action, GameState

# A tree has at first space for a number of nodes between these.  When it is full, it doubles.
MIN_NODES, FIRST_NODES = 1 << 10, 1 << 22
# Trees with up to this number of nodes, about 2 MB, are used again, because the first use of new
# memory takes as long as 200 simulations.
MAX_SPARE_NODES = 1 << 14
MAX_TREE_BYTES = 1 << 30  # of the arrays of a tree
MAX_SIMULATIONS = (1 << 30) - 1  # of a tree, because twice this number is counted in 32 bits
SLICE = 1 << 12  # simulations, from which the steps between two checks of the clock are derived
FAULT = "mcts found no action to try, which is a bug in gamefast.  Please report the call"
SYSTEM_RANDOM = random.SystemRandom()
NUM_COLUMNS = mcts_kernels.MOST + 1  # of the choices
ROW = Struct(f"{NUM_COLUMNS}q")
Row = tuple[Any, ...]
MAX_LOGS = 1 << 20  # of numbers of visits; only nodes next to the root have more visits


# The arrays of a tree without nodes; a search leaves those that it does not need like this.
NO_TERMS = np.empty((0, mcts_kernels.EXPLORATION + 1), np.float32)
NO_NODES = np.empty(0, mcts_kernels.NODE)
NO_LINKS = np.empty((0, mcts_kernels.NEXT_IN_QUEUE + 1), np.int32)
NO_TABLE = np.zeros(1, np.int32)
NO_REGISTERS = (0,) * (mcts_kernels.POSITION - mcts_kernels.ROOT)


@cache
def _no_bounds(players: int) -> Array:
    return np.empty((0, players), np.int8)


@cache
def _no_positions(width: int) -> Array:
    return np.empty((0, width), np.int64)


class GameRules:
    """What the kernels need to know of a game, and the names of its actions."""

    wins: Array | None = None

    def __init__(self, longest: int, width: int, names: list[Action], payoffs: Array) -> None:
        self.longest = longest  # the plies of the longest game
        self.width = width  # the ints of a position
        self.names = names
        self.payoffs, self.players = payoffs, range(len(payoffs) - 1)
        self.choices_start = mcts_kernels.POSITION + width  # see `split`
        self.path_start = self.choices_start + len(names) * NUM_COLUMNS
        # What a simulation takes grows with these numbers.
        self.effort = max(len(names), longest >> 3, 8)
        self.arrays: mcts_kernels.GameArrays
        # Writes the registers from PLAYER on.
        registers = mcts_kernels.POSITION - mcts_kernels.PLAYER + width
        self.pack_root = Struct(f"{registers}q").pack_into
        self.spare: dict[tuple[bool, bool], list[KernelTree]] = {
            (solver, share): [] for solver in (False, True) for share in (False, True)
        }

    def position(self, state: Any) -> Iterable[int]:
        """Return the position in ints: the stones of each player."""
        return map(state.stones, self.players)

    def split(self, root: Array) -> tuple[Array, Array, Array]:
        """Return the registers, the choices and the path, which are parts of one array."""
        choices, path = self.choices_start, self.path_start
        rows = root[choices:path].reshape(-1, NUM_COLUMNS)
        return root[:choices], rows, root[path:]

    def search(self, *arguments: Any) -> int:
        """Call the kernel."""
        return cast(int, mcts_kernels.search(*arguments))

    def take_tree(self, solver: bool, share: bool, size: int) -> KernelTree:
        """Return a tree with space for `size` nodes; `give_back` makes it available again."""
        if size <= MAX_SPARE_NODES:
            try:
                tree = self.spare[solver, share].pop()
            except IndexError:
                pass  # others may use all of them at the moment
            else:
                if len(tree.nodes) < size:
                    tree.grow(size)
                return tree
        return KernelTree(self, solver, share, size)

    def give_back(self, tree: KernelTree) -> None:
        """Make a small tree available to the next search."""
        if len(tree.nodes) <= MAX_SPARE_NODES:
            self.spare[tree.solver, tree.share].append(tree)


def payoff_table(players: int, last: int) -> Array:
    """Return the payoffs: `last` for the player who ends the game, its negative for the others."""
    payoffs = np.full((players + 1, players), -last, np.int64)
    payoffs[range(players), range(players)] = last
    payoffs[players] = 0  # a draw
    return payoffs


class NimRules(GameRules):
    """Nim from one position on, whose actions include the actions of all later positions."""

    def __init__(self, state: Nim) -> None:
        payoffs = payoff_table(state.num_players, -1 if state.misere else 1)
        names = list(state.legal_actions())
        super().__init__(sum(state.heaps), len(state.heaps), names, payoffs)
        max_take = max(state.heaps) if state.max_take is None else state.max_take
        starts, cells = np.array(names, np.int64).T.copy()
        sizes = np.array([0, 0, 0, 0, 0, state.num_players, 1, max_take], np.int64)
        self.arrays = mcts_kernels.GameArrays(sizes, starts, cells, payoffs)

    def position(self, state: Any) -> Iterable[int]:
        """Return the heaps."""
        heaps: tuple[int, ...] = state.heaps
        return heaps


class BoardRules(GameRules):
    """One configuration of a board game, prepared once because that takes longer than a search."""

    def __init__(self, kind: Any, rules: LineRules) -> None:
        board, self.wins, moves = layout(kind, rules.rows, rules.cols, rules.k)
        payoffs = payoff_table(rules.num_players, 1)
        names: list[Action] = list(range(len(moves)))
        super().__init__(rules.rows * rules.cols, rules.num_players, names, payoffs)
        cells = np.array(moves, np.int64)
        starts = cells & board.base  # the lowest cell of a column, or the cell itself
        sizes = np.array([*board, rules.num_players, 0, 0], np.int64)
        self.arrays = mcts_kernels.GameArrays(sizes, starts, cells, payoffs)

    def search(self, *arguments: Any) -> int:
        """Call the kernel; later calls are its own, which does not test types of arguments."""
        *others, _ = arguments
        no_simulations = 0
        prepared = bind_kernel(mcts_kernels.search, *others, no_simulations)
        self.search = prepared  # type: ignore[method-assign]
        return cast(int, prepared(*arguments))


@cache
def _board_rules(kind: Any, rules: LineRules) -> BoardRules | None:
    """Return the rules of one configuration; None if its boards do not fit into 64 bits."""
    is_supported = is_supported_board(kind(rules.rows, rules.cols, rules.k))
    return BoardRules(kind, rules) if is_supported else None


def rules_of(state: Any) -> GameRules:
    """Return the rules of a game; TypeError if the kernels do not support it."""
    kind: Any = type(state)  # a subclass may change any rule
    if kind in BOARD_GAMES and (rules := _board_rules(kind, state.rules)):
        return rules
    check_supported(supports(state), state)
    check_searchable(state)
    return NimRules(state)


class Root:
    """What the kernel has written about the root of a tree; `numbers` are those of its array."""

    def __init__(self, state: GameState, rules: GameRules, bounds: Bounds, numbers: bytes) -> None:
        self.state, self.rules = state, rules
        self.bounds = bounds  # what is proven about the payoffs of the players
        self.numbers = memoryview(numbers).cast("q")

    def choose(self) -> tuple[Action, float | None]:
        """Return the first action of `line`, and its value if it was tried."""
        if not self.numbers[mcts_kernels.LINE_LENGTH]:
            return self.line(self.rows())[0], None
        chosen = self.numbers[mcts_kernels.CHOSEN]
        row = ROW.unpack_from(self.numbers, 8 * self.rules.choices_start + ROW.size * chosen)
        return self.rules.names[row[mcts_kernels.CHOICE_ACTION]], value_of(row).value

    def rows(self) -> list[Row]:
        """Return the columns CHOICE_ACTION to MOST of each root action that was tried."""
        first = self.rules.choices_start
        end = first + NUM_COLUMNS * self.numbers[mcts_kernels.NUM_CHOICES]
        return list(ROW.iter_unpack(self.numbers[first:end]))

    def line(self, rows: list[Row]) -> tuple[Action, ...]:
        """Return the line of best play, which has at least one action."""
        names, first = self.rules.names, self.rules.path_start
        if length := self.numbers[mcts_kernels.LINE_LENGTH]:
            line = self.numbers[first : first + length].tolist()
            return tuple([names[action] for action in line])
        tried = {names[row[mcts_kernels.CHOICE_ACTION]] for row in rows}
        return (next(action for action in self.state.legal_actions() if action not in tried),)


def value_of(row: Row) -> Bound:
    """Return the value of a root action that was simulated."""
    _, visits, total, closed, is_resolved, _, low, high = row
    return action_value(total / visits - 1, low, high, bool(is_resolved), not closed)


class KernelTree:
    """The tree of a search, in arrays."""

    state: GameState  # of the root

    def __init__(self, rules: GameRules, solver: bool, share: bool, size: int) -> None:
        self.rules, self.solver, self.share = rules, solver, share
        self.players = players = len(rules.payoffs) - 1
        self.terms, self.nodes, self.links, self.table = NO_TERMS, NO_NODES, NO_LINKS, NO_TABLE
        self.low = self.high = _no_bounds(players)
        self.positions = _no_positions(rules.width + 1)
        size_of_root = rules.path_start + rules.longest + 2
        self.root_array = np.zeros(size_of_root, np.int64)  # one, because it is copied
        self.registers, self.choices, self.path = rules.split(self.root_array)
        self.numbers = self.root_array.data  # faster than the array for single numbers
        self.is_full = False  # whether a simulation found no space for a node
        self.grow(size)

    def begin(self, state: GameState) -> None:
        """Make `state` the root, without other nodes."""
        self.is_full = False
        self.state, rules, first = state, self.rules, 8 * mcts_kernels.PLAYER
        position = rules.position(state)
        rules.pack_root(self.numbers, first, state.current_player, *NO_REGISTERS, *position)

    def begin_search(self, seed: int) -> None:
        """Begin a search that continues the tree."""
        self.numbers[mcts_kernels.SIMULATIONS], self.numbers[mcts_kernels.SEED] = 0, seed

    def after(self, action: Action) -> KernelTree:
        """Return a copy whose root is the position after `action`; KeyError if it was not tried.

        The copy keeps the nodes above its root, too, because without them all nodes would have
        other numbers.
        """
        rules, rows = self.rules, self.read_root().rows()
        tried = {rules.names[row[mcts_kernels.CHOICE_ACTION]]: row for row in rows}
        if action not in tried:
            reason = f"because {action!r} was not tried"
            raise KeyError(f"there is no node in the tree after ({action!r},), {reason}")
        tree = copy(self)
        for name in ("terms", "nodes", "links", "low", "high", "positions", "table", "root_array"):
            setattr(tree, name, getattr(self, name).copy())
        tree.registers, tree.choices, tree.path = rules.split(tree.root_array)
        tree.numbers = tree.root_array.data
        tree.bind_arrays()
        node = tried[action][mcts_kernels.CHOICE_NODE]
        state = tree.state = self.state.successor(action)
        tree.registers[mcts_kernels.PLAYER] = state.current_player
        tree.registers[mcts_kernels.POSITION :] = list(rules.position(state))
        tree.registers[mcts_kernels.ROOT] = node
        found = np.zeros(len(tree.nodes), np.int8)
        tree.registers[mcts_kernels.SIZE] = mcts_kernels.find_nodes(
            found, tree.nodes, tree.links, node, self.share
        )
        if self.share:
            tree.forget_nodes(found == 0)
        tree.run_slice(0.0, 0)  # reads the new root
        return tree

    def forget_nodes(self, others: Array) -> None:
        """Remove nodes that the root does not reach from the table of positions."""
        leads_to = self.links[:, mcts_kernels.LEADS_TO]
        leads_to[others & (leads_to == np.arange(len(leads_to)))] = 0
        self.table[:] = 0
        self.fill_table()

    def fill_table(self) -> None:
        """Add all positions to the empty table."""
        used = int(self.registers[mcts_kernels.USED])
        mcts_kernels.rehash(self.table, self.positions, self.links, used)

    def __len__(self) -> int:
        return int(self.registers[mcts_kernels.SIZE])

    @property
    def is_resolved(self) -> bool:
        """Whether proofs leave nothing to learn about the root."""
        if not (self.solver and self.numbers[mcts_kernels.USED]):
            return False
        return bool(self.nodes["is_resolved"][self.numbers[mcts_kernels.ROOT]])

    def read_root(self) -> Root:
        """Return a copy of what the last slice has found about the root."""
        bounds = unproven_bounds(self.players)
        if self.solver:
            root = self.registers[mcts_kernels.ROOT]
            bounds = Bounds(tuple(self.low[root].tolist()), tuple(self.high[root].tolist()))
        return Root(self.state, self.rules, bounds, self.numbers.tobytes())

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
            self.fill_table()
        self.bind_arrays()

    def bind_arrays(self) -> None:
        """Collect the arrays, which have been replaced, for the kernel."""
        self.arrays = mcts_kernels.TreeArrays(
            self.terms, self.nodes, self.links, self.low, self.high, self.positions, self.table,
            self.path, self.registers, self.choices, _logs(1),
        )  # fmt: skip

    def run_slice(self, c: float, target: int) -> int:
        """Search until `target` simulations are done or the root is proven; return how many are."""
        rules, status = self.rules, mcts_kernels.FULL
        while status == mcts_kernels.FULL:
            if len(self.arrays.logs) <= target:
                logs = _logs(min(1 << target.bit_length(), MAX_LOGS))
                self.arrays = self.arrays._replace(logs=logs)
            status = rules.search(
                self.arrays, rules.arrays, rules.wins, c, self.solver, self.share,
                not self.is_full, target,
            )  # fmt: skip
            if status == mcts_kernels.FULL:
                self.is_full = not self.can_grow
                if not self.is_full:
                    self.grow(2 * len(self.nodes))
        if status == mcts_kernels.NO_MOVE:
            raise RuntimeError(FAULT)
        return self.numbers[mcts_kernels.SIMULATIONS]


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


class SearchTree:
    """The tree that the compiled `mcts` builds.  If the next search gets it, it continues it.

    After a move, `tree.after(4)` is the tree to go on with.  Its length counts its nodes.

    >>> from gamefast import SearchTree, mcts
    >>> from gamelib import TicTacToe
    >>> tree, state = SearchTree(), TicTacToe()
    >>> result = mcts(state, simulations=1000, tree=tree, rng=0)
    >>> after = tree.after(result.action)
    >>> visits = mcts(state.successor(result.action), simulations=100, tree=after, rng=0).visits
    >>> sum(visits.values()) == result.visits[result.action] - 1 + 100
    True
    """

    def __init__(self) -> None:
        self.kernel_tree: KernelTree | None = None

    def __len__(self) -> int:
        return 0 if self.kernel_tree is None else len(self.kernel_tree)

    def after(self, action: Action) -> SearchTree:
        """Return a tree with all that is known of the position after `action`; KeyError if nothing.

        The new tree has the options of this one, which it leaves as it is.  The first visit of its
        root was a rollout from there, so the root has one visit more than its actions together.
        """
        if self.kernel_tree is None:
            raise ValueError("this tree is empty; give it to a search: mcts(state, tree=tree)")
        tree = SearchTree()
        tree.kernel_tree = self.kernel_tree.after(action)
        return tree

    def grow_from(
        self, state: GameState, rules: GameRules, solver: bool, share: bool, size: int
    ) -> KernelTree:
        """Return the tree to continue, which is new unless its root is `state`."""
        tree = self.kernel_tree
        if tree is not None and (tree.solver, tree.share) != (solver, share):
            before, now = (
                f"solver={options[0]}, share={options[1]}"
                for options in ((tree.solver, tree.share), (solver, share))
            )
            raise ValueError(
                f"this tree was built with {before}, so it cannot be searched further with {now}; "
                "give the search a new SearchTree()"
            )
        if tree is None or tree.state != state:
            tree = self.kernel_tree = KernelTree(rules, solver, share, size)
            tree.begin(state)
        return tree


class KernelBudget(Budget):
    """The budget of a search by the kernels."""

    def best_action(self, tree: Any) -> Action:
        """Return the action to play as far as the search has come."""
        action, _ = tree.read_root().choose()
        return action

    def read_fields(self, root: Root) -> dict[str, Any]:
        """Return the fields of the result of a search."""
        visits = dict.fromkeys(root.state.legal_actions(), 0)
        values: dict[Action, Bound] = {}
        rows, names = root.rows(), root.rules.names
        for row in rows:
            if count := row[mcts_kernels.CHOICE_VISITS]:
                action = names[row[mcts_kernels.CHOICE_ACTION]]
                visits[action], values[action] = count, value_of(row)
        size = root.numbers[mcts_kernels.SIZE]
        return self.fields(visits, values, root.line(rows), root.bounds, size)


def mcts(  # noqa: PLR0913 (every option has its own name in the literature)
    state: GameState,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    c: float = 2**0.5,
    solver: bool = False,
    share: bool = False,
    tree: SearchTree | None = None,
    rng: random.Random | int | None = None,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> SearchResult:
    """Return the result of `gamelib.mcts` with random rollouts: the most simulated action.

    The same seed builds the same tree, but not the tree of `gamelib.mcts`, because the random
    numbers are different.  Both choose in the same way, so their choices are equally likely.

    tree  a `gamefast.SearchTree` to build; one that was built from this position is continued

    The tree takes at most 1 GB, which is about 16 million nodes of Connect Four, or 3 million with
    `solver` and `share`.  When it is full, there is a RuntimeWarning, and later simulations only
    add to the statistics of the existing nodes.
    """
    callbacks: Callbacks = {}
    if progress is not None or stop is not None:
        callbacks = {"progress": progress, "stop": stop}
        check_option_types(callbacks)
    rules, solver, share = rules_of(state), bool(solver), bool(share)
    budget = KernelBudget(simulations, seconds, callbacks)
    if budget.simulations > MAX_SIMULATIONS:
        budget.simulations = MAX_SIMULATIONS
    check_c(c)
    if state.is_terminal():
        check_searchable(state)  # its error shows the position
    if solver:
        for payoffs in rules.payoffs.tolist():
            check_proofs(tuple(payoffs))
    size = first_size(budget.simulations)
    grown: Any  # not only a `SearchTree`, which the methods of a `Budget` expect
    if tree is None:
        grown = rules.take_tree(solver, share, size)
        grown.begin(state)
    else:
        grown = checked_tree(tree).grow_from(state, rules, solver, share, size)
    grown.begin_search(draw_seed(rng))
    # With many actions or plies, and with proofs, a simulation takes more time.
    work = SLICE << (4 if seconds is not None or budget.poller else 7) - solver
    step = max(work // rules.effort, 1)
    while budget.take_simulation(grown):
        target = int(min(budget.simulations, budget.done - 1 + step))
        budget.done = grown.run_slice(float(c), target)
    if not budget.done:
        grown.run_slice(float(c), 0)  # a tree without nodes gets its root
    if grown.is_full:
        warn_of_full_tree(len(grown))
    root = grown.read_root()
    if tree is None:
        rules.give_back(grown)
    action, value = root.choose()
    elapsed = time.perf_counter() - budget.started
    result = SearchResult.deferred(action, elapsed, budget.read_fields, root)
    result.__dict__["value"] = value  # most callers want to know it, and not the rest
    return result


def warn_of_full_tree(nodes: int) -> None:
    """Issue a RuntimeWarning at the call of `mcts`."""
    warnings.warn(
        f"the tree of this mcts was full after {nodes:,} nodes ({MAX_TREE_BYTES:,} bytes), "
        "so later simulations added no node: ask for fewer simulations",
        RuntimeWarning,
        stacklevel=3,
    )


def checked_tree(tree: object) -> SearchTree:
    """Return `tree`; TypeError if it is not a tree of the compiled search."""
    if not isinstance(tree, SearchTree):
        must = "tree must be a gamefast.SearchTree() or None"
        raise TypeError(f"{must}, because a tree of gamelib has no arrays; got {tree!r}")
    return tree


def first_size(simulations: float) -> int:
    """Return the nodes for which a tree has space at first, a power of 2.

    A node that is expanded reserves space for all its children, which is about twice as much as is
    used.
    """
    if 4 * simulations <= MIN_NODES:
        return MIN_NODES
    return 1 << (int(min(4 * simulations, FIRST_NODES)) - 1).bit_length()


def draw_seed(rng: random.Random | int | None) -> int:
    """Return a seed for the kernel, of 64 bits; without `rng` from the operating system."""
    # A new Random takes longer than many simulations.
    return (SYSTEM_RANDOM if rng is None else as_rng(rng)).getrandbits(64) - (1 << 63)
