"""`mcts` and random games as machine code."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np

from gamelib.compiled import uct
from gamelib.compiled.boards import layout
from gamelib.compiled.games import check_supported, supports
from gamelib.games import Nim
from gamelib.search.limits import (
    Progress,
    SearchStopped,
    Stop,
    as_rng,
    check_c,
    check_count,
    check_not_over,
    check_seconds,
    watch_or_none,
)
from gamelib.search.proofs import check_proofs, final_choice
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.state import Action, GameState

Array = np.ndarray[Any, Any]

# A tree has room for so many nodes at first, or fewer for few simulations; then for twice as many,
# and so on.  Of a tree with the most of them, 1 GB, no more is kept: it is searched as it is.
FIRST_NODES = 1 << 22
MOST_NODES = 1 << 25
SLICE = 1 << 12  # simulations between two looks at the clock, about 10 ms


class Game:
    """A position as the kernels see it, and the words for it."""

    def __init__(self, state: Any) -> None:
        self.player, players = state.current_player, state.num_players
        self.wins: Array | None = None
        self.longest = sum(state.heaps) if isinstance(state, Nim) else state.rows * state.cols
        if isinstance(state, Nim):
            most = max(state.heaps) if state.max_take is None else state.max_take
            # The actions of the position, in the order of the rules: later ones are among them.
            self.names: list[Action] = list(state.legal_actions())
            starts, cells = np.array(self.names).T.copy()
            root, last = np.array(state.heaps, np.int64), -1 if state.misere else 1
            sizes = [0, 0, 0, 0, 0, players, 1, most]
        else:
            kind: Any = type(state)
            board, self.wins, moves = layout(kind, state.rows, state.cols, state.k)
            self.names = list(range(len(moves)))
            cells, last = np.array(moves), 1
            starts = cells & board.base  # of a column the lowest cell, of a cell itself
            root = np.array([state.stones(player) for player in range(players)])
            sizes = [*board, players, 0, 0]
        payoffs = np.full((players + 1, players), -last, np.int64)
        payoffs[range(players), range(players)] = last
        payoffs[players] = 0
        self.rules = uct.Game(root, self.player, np.array(sizes), starts, cells, payoffs)


def playouts(
    state: GameState, *, games: int, rng: random.Random | int | None = None
) -> Counter[tuple[int, ...]]:
    """Return how many of so many random games from `state` end with which payoffs."""
    check_supported(supports(state), state)
    check_count("games", games)
    check_not_over(state)
    game = Game(state)
    payoffs = game.rules.payoffs.tolist()
    counts = np.zeros(len(payoffs), np.int64)
    seed = _seed(as_rng(rng))
    while games > 0:
        now = min(games, 1 << 20)
        games -= now
        seed = uct.count_games(game.rules, game.wins, now, seed, counts)
    ends = zip(payoffs, counts.tolist(), strict=True)
    return Counter({tuple(payoff): count for payoff, count in ends if count})


def _seed(rng: random.Random) -> int:
    return rng.getrandbits(64) - (1 << 63)


class Tree:
    """The arrays of a search, and what they say of a node."""

    def __init__(
        self, game: Game, width: int, solver: bool, share: bool, seed: int, room: int
    ) -> None:
        self.game, self.solver, self.share = game, solver, share
        self.players = players = game.rules.payoffs.shape[1]
        self.terms = np.zeros((0, uct.WIDTH + 1), np.float32)
        self.nodes = np.zeros(0, uct.NODE)
        self.links = np.zeros((0, uct.QUEUED + 1), np.int32)
        self.low = self.high = np.zeros((0, players), np.int8)
        self.positions = np.zeros((0, len(game.rules.root) + 1), np.int64)
        self.table = np.zeros(1, np.int32)
        self.registers = np.array([0, 1, 1, seed], np.int64)
        self.path = np.zeros(game.longest + 2, np.int64)
        self.grow(room)
        self.nodes[0] = 0
        self.nodes["legal"][0] = width
        if solver or share:
            self.links[0, [uct.NEWEST, uct.QUEUED, uct.MOVER]] = -1, -1, game.player
        if solver:
            self.low[0], self.high[0] = -1, 1

    def grow(self, size: int) -> None:
        """Make room for so many nodes."""
        self.terms, self.nodes = _longer(self.terms, size), _longer(self.nodes, size)
        if self.solver or self.share:
            self.links = _longer(self.links, size, np.zeros)  # so no place leads to itself yet
        if self.solver:
            self.low, self.high = _longer(self.low, size), _longer(self.high, size)
        if self.share:
            self.positions = _longer(self.positions, size)
            self.table = np.zeros(2 * size, np.int32)
            uct.rehash(self.table, self.positions, self.links, int(self.registers[uct.USED]))

    def go_on(self, c: float, simulations: int) -> None:
        """Search until so many simulations are done, or the root is proven."""
        while True:
            room = len(self.nodes)
            arrays = uct.Tree(
                self.terms, self.nodes, self.links, self.low, self.high, self.positions, self.table,
                self.path, self.registers,
            )  # fmt: skip
            why = uct.search(
                arrays, self.game.rules, self.game.wins, c, self.solver, self.share,
                room < MOST_NODES, simulations,
            )  # fmt: skip
            if why != uct.FULL:
                return
            self.grow(2 * room)

    @property
    def done(self) -> int:
        """The number of simulations."""
        return int(self.registers[uct.SIMULATIONS])

    @property
    def proven(self) -> bool:
        """Whether nothing is left to learn."""
        return bool(self.nodes["settled"][0])

    def node(self, edge: int) -> int:
        """Return the node that an edge leads to."""
        return int(self.links[edge, uct.LEADS_TO]) if self.share else edge

    def edges(self, node: int) -> range:
        """Return the edges of the actions that were tried."""
        first = int(self.nodes["first"][node])
        return range(first, first + int(self.nodes["tried"][node]))

    def action(self, edge: int) -> Action:
        """Return the action of an edge."""
        return self.game.names[self.nodes["action"][edge]]

    def visits(self, edge: int) -> int:
        """Return the simulations along an edge."""
        return int(self.nodes["visits"][edge])

    def mean(self, edge: int) -> float:
        """Return the mean reward of the player who moves along an edge."""
        return int(self.nodes["total"][edge]) / (2 * self.visits(edge))

    def bounds(self, node: int, player: int) -> tuple[int, int]:
        """Return what a player gets at least and at most."""
        if not self.solver:
            return -1, 1
        return int(self.low[node, player]), int(self.high[node, player])

    def final(self, node: int, player: int) -> int | None:
        """Return the edge to play, by the rule of `final_choice`; None if none is."""
        edges = self.edges(node)
        place = final_choice(
            [self.visits(edge) for edge in edges],
            [self.mean(edge) if self.visits(edge) else 0 for edge in edges],
            [self.bounds(self.node(edge), player)[0] for edge in edges],
            [not self.nodes["closed"][edge] for edge in edges],
            self.nodes["settled"][node],
        )
        return None if place is None else edges[place]

    def final_action(self, state: GameState) -> Action:
        """Return the action to play at the root."""
        edge = self.final(0, self.game.player)
        return state.legal_actions()[0] if edge is None else self.action(edge)

    def line(self) -> tuple[Action, ...]:
        """Return the actions that would be played, as far as the search has looked."""
        line: list[Action] = []
        node, player = 0, self.game.player
        while (edge := self.final(node, player)) is not None:
            line.append(self.action(edge))
            node, player = self.node(edge), (player + 1) % self.players
        return tuple(line)

    def value(self, edge: int) -> Bound:
        """Return what is known of a root action."""
        player, node = self.game.player, self.node(edge)
        low, high = self.bounds(node, player)
        if low == high:
            return Bound(low)
        if self.nodes["settled"][node]:
            return Bound(low, "lower")
        if self.nodes["closed"][edge]:
            return Bound(high, "upper")
        return Bound(min(max(2 * self.mean(edge) - 1, low), high), "estimate")


def _first_room(simulations: float) -> int:
    """Return for how many nodes there is room at first: a power of 2."""
    # A node that is expanded takes the places of all its children: about twice as many are taken.
    return 1 << (int(min(max(4 * simulations, 1 << 10), FIRST_NODES)) - 1).bit_length()


def _longer(old: Array, size: int, new_array: Callable[..., Array] = np.empty) -> Array:
    """Return an array of so many rows that begins with `old`."""
    new = new_array((size, *old.shape[1:]), old.dtype)
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
    """Return what `gamelib.mcts` returns with random rollouts: the action most often simulated.

    The same seed grows the same tree, but not the tree that `gamelib.mcts` grows: the source of
    chance is another one.  Both choose in the same way, so their choices are as likely.

    simulations, seconds  the budget: one of them, or both, and the first used up ends the search
    c         the weight of exploration, for rewards between 0 and 1
    solver    prove what can be proven, never select it again, and stop when the root is proven
    share     equal positions share one node
    """
    check_supported(supports(state), state)
    check_count("simulations", simulations)
    check_seconds(seconds)
    if simulations is None and seconds is None:
        raise ValueError("mcts needs a budget: give simulations, seconds or both")
    check_c(c)
    check_not_over(state)
    started = time.perf_counter()
    actions = state.legal_actions()
    game = Game(state)
    if solver:
        for payoffs in game.rules.payoffs.tolist():
            check_proofs(tuple(payoffs))
    budget = inf if simulations is None else simulations
    seed = _seed(as_rng(rng))
    tree = Tree(game, len(actions), bool(solver), bool(share), seed, _first_room(budget))
    time_limit = inf if seconds is None else seconds
    watch = watch_or_none(progress, stop)
    step = SLICE if watch or seconds is not None else 1 << 16
    stopped = False
    while not tree.proven and tree.done < budget:
        elapsed = time.perf_counter() - started
        if elapsed >= time_limit:
            break
        if watch and watch.due():
            part_done = max(tree.done / budget, elapsed / time_limit)
            try:
                watch(part_done, tree.final_action(state))
            except SearchStopped:
                stopped = True
                break
        tree.go_on(float(c), int(min(budget, tree.done + step)))
    return _result(state, tree, stopped, time.perf_counter() - started)


def _result(state: GameState, tree: Tree, stopped: bool, seconds: float) -> SearchResult:
    tried = {tree.action(edge): edge for edge in tree.edges(0)}
    values = {action: tree.value(edge) for action, edge in tried.items()}
    action = tree.final_action(state)
    players = range(state.num_players)
    bounds = [tree.bounds(0, player) for player in players]
    proven = all(low == high for low, high in bounds)
    return SearchResult(
        action=action,
        value=values[action].value if action in values else None,
        values=values,
        utilities=tuple(low for low, _ in bounds) if proven else None,
        line=tree.line() or (action,),
        visits=dict.fromkeys(state.legal_actions(), 0)
        | {action: tree.visits(edge) for action, edge in tried.items()},
        stats=Stats(simulations=tree.done, tree_nodes=int(tree.registers[uct.SIZE])),
        stopped=stopped,
        seconds=seconds,
    )
