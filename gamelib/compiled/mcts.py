"""`mcts` and random games as machine code."""

from __future__ import annotations

import random
import time
from collections import Counter
from math import inf
from typing import Any

import numpy as np

from gamelib.compiled import uct
from gamelib.compiled.boards import table_of_wins
from gamelib.compiled.games import check_supported
from gamelib.games import ConnectFour, Nim
from gamelib.search.limits import (
    Progress,
    SearchStopped,
    Stop,
    as_rng,
    check_count,
    check_not_over,
    check_seconds,
    watch_or_none,
)
from gamelib.search.mcts import check_c
from gamelib.search.proofs import check_proofs
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.state import Action, GameState

Array = np.ndarray[Any, Any]

FIRST_NODES = 1 << 16  # room for so many at first, then for twice as many, and so on
MOST_NODES = 1 << 25  # 1.2 GB: a tree of this size is searched without growing
SLICE = 1 << 12  # simulations between two looks at the clock, about 10 ms


class Game:
    """A position as the kernels see it."""

    def __init__(self, state: Any) -> None:
        self.player, players = state.current_player, state.num_players
        sizes = [0] * (uct.LAST_RESULT + 1)
        sizes[uct.PLAYERS], sizes[uct.LAST_RESULT] = players, players
        self.wins: Array | None = None
        if isinstance(state, Nim):
            most = max(state.heaps) if state.max_take is None else state.max_take
            self.names: list[Action] = list(
                type(state)(state.heaps, state.max_take).legal_actions()
            )
            sizes[uct.NIM], sizes[uct.MOST_TAKE] = 1, most
            self.root = np.array(state.heaps, np.int64)
            self.starts, self.cells = np.array(self.names).T.copy()
            self.longest = sum(state.heaps)
            last = -1 if state.misere else 1
        else:
            rows, cols = range(state.rows), range(state.cols)
            bits = [[state.bit(row, col) for col in cols] for row in rows]
            board = sum(map(sum, bits))
            if isinstance(state, ConnectFour):
                bottom, stride, base, rising = bits[-1], state.rows + 1, sum(bits[-1]), -1
                moves = [sum(column) for column in zip(*bits, strict=True)]
            else:
                moves = bottom = [bit for row in bits for bit in row]
                stride, base, rising = state.cols + 1, board, 0
            self.names = list(range(len(moves)))
            self.starts, self.cells = np.array(bottom), np.array(moves)
            sizes[: uct.RISING + 1] = stride, state.k, board, base, rising
            self.wins = table_of_wins(board.bit_length(), state.k, stride)
            self.root = np.array([state.stones(player) for player in range(players)])
            self.longest = state.rows * state.cols
            last = 1
        self.sizes = np.array(sizes, np.int64)
        payoffs = np.full((players + 1, players), -last, np.int64)
        payoffs[range(players), range(players)] = last
        payoffs[players] = 0
        self.payoffs = payoffs


def playouts(
    state: GameState, *, games: int, rng: random.Random | int | None = None
) -> Counter[tuple[int, ...]]:
    """Return how many of so many random games from `state` end with which payoffs."""
    check_supported(state)
    check_count("games", games)
    check_not_over(state)
    game = Game(state)
    counts = np.zeros(len(game.payoffs), np.int64)
    seed = _seed(as_rng(rng))
    while games > 0:
        now = min(games, 1 << 20)
        games -= now
        seed = uct.count_games(
            game.root, game.player, now, seed, game.sizes, game.starts, game.cells, game.wins,
            counts,
        )  # fmt: skip
    return Counter(
        {
            tuple(payoffs): count
            for payoffs, count in zip(game.payoffs.tolist(), counts.tolist(), strict=True)
            if count
        }
    )


def _seed(rng: random.Random) -> int:
    return rng.getrandbits(64) - (1 << 63)


class Tree:
    """The arrays of a search, and what they say of a node."""

    def __init__(self, game: Game, width: int, solver: bool, seed: int) -> None:
        self.game, self.solver = game, solver
        self.floats = np.zeros((uct.WIDTH + 1, 0), np.float32)
        self.ints = np.zeros((uct.PASSED + 1, 0), np.int32)
        self.shorts = np.zeros((uct.SETTLED + 1, 0), np.int16)
        self.low = self.high = np.zeros((1, len(game.payoffs) - 1), np.int8)
        self.registers = np.array([0, 1, seed], np.int64)
        self.path = np.zeros(game.longest + 2, np.int64)
        self.grow(FIRST_NODES)
        self.shorts[uct.LEGAL, 0], self.shorts[uct.CODE, 0] = width, -1
        if solver:
            self.low[0], self.high[0] = -1, 1

    def grow(self, size: int) -> None:
        """Make room for so many nodes."""
        for name in ("floats", "ints", "shorts"):
            old = getattr(self, name)
            new = np.zeros((len(old), size), old.dtype)
            new[:, : old.shape[1]] = old
            setattr(self, name, new)
        if self.solver:
            for name in ("low", "high"):
                old = getattr(self, name)
                new = np.zeros((size, old.shape[1]), old.dtype)
                new[: len(old)] = old
                setattr(self, name, new)

    def go_on(self, c: float, simulations: int) -> None:
        """Search until so many simulations are done, or the root is proven."""
        game = self.game
        while True:
            room = self.floats.shape[1]
            why = uct.search(
                self.floats, self.ints, self.shorts, self.low, self.high, self.path, game.root,
                self.registers, game.sizes, game.starts, game.cells, game.wins, game.payoffs,
                game.player, c, self.solver, room < MOST_NODES, simulations,
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
        return bool(self.shorts[uct.SETTLED, 0])

    def children(self, node: int) -> range:
        """Return the nodes of the actions that were tried."""
        first = int(self.ints[uct.FIRST, node])
        return range(first, first + int(self.shorts[uct.TRIED, node]))

    def action(self, node: int) -> Action:
        """Return the action that leads to a node."""
        return self.game.names[self.shorts[uct.ACTION, node]]

    def visits(self, node: int) -> int:
        """Return the simulations through a node."""
        return int(self.ints[uct.VISITS, node])

    def mean(self, node: int) -> float:
        """Return the mean reward of the player who moves into a node."""
        return int(self.ints[uct.TOTAL, node]) / (2 * self.visits(node))

    def bounds(self, node: int, player: int) -> tuple[int, int]:
        """Return what a player gets at least and at most."""
        if not self.solver:
            return -1, 1
        return int(self.low[node, player]), int(self.high[node, player])

    def final(self, node: int, player: int) -> int | None:
        """Return the child to play, as `gamelib.search.mcts.final_edge` does; None if none is."""
        children = self.children(node)
        low = {child: self.bounds(child, player)[0] for child in children}
        safe = max(children, key=lambda child: (low[child], self.visits(child)), default=None)
        if safe is None or self.shorts[uct.SETTLED, node]:
            return safe
        open_ = [child for child in children if not self.shorts[uct.CLOSED, child]]
        favourite = max(open_, key=self.visits, default=None)
        sure = low[safe]
        if sure == -1 or (favourite is not None and 2 * self.mean(favourite) - 1 > sure):
            return favourite
        return safe

    def final_action(self, state: GameState) -> Action:
        """Return the action to play at the root."""
        child = self.final(0, self.game.player)
        return state.legal_actions()[0] if child is None else self.action(child)

    def line(self) -> tuple[Action, ...]:
        """Return the actions that would be played, as far as the search has looked."""
        line: list[Action] = []
        node, player = 0, self.game.player
        while (child := self.final(node, player)) is not None:
            line.append(self.action(child))
            node, player = child, (player + 1) % (len(self.game.payoffs) - 1)
        return tuple(line)

    def value(self, node: int) -> Bound:
        """Return what is known of a root action."""
        player = self.game.player
        low, high = self.bounds(node, player)
        if low == high:
            return Bound(low)
        if self.shorts[uct.SETTLED, node]:
            return Bound(low, "lower")
        if self.shorts[uct.CLOSED, node]:
            return Bound(high, "upper")
        return Bound(min(max(2 * self.mean(node) - 1, low), high), "estimate")


def mcts(
    state: GameState,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    c: float = 2**0.5,
    solver: bool = False,
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
    """
    check_supported(state)
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
        for payoffs in game.payoffs.tolist():
            check_proofs(tuple(payoffs))
    tree = Tree(game, len(actions), solver, _seed(as_rng(rng)))
    budget = inf if simulations is None else simulations
    time_limit = inf if seconds is None else seconds
    watch = watch_or_none(progress, stop)
    step = SLICE if watch or seconds is not None else 1 << 16
    stopped = False
    while not tree.proven and tree.done < budget:
        elapsed = time.perf_counter() - started
        if elapsed >= time_limit:
            break
        if watch and watch.due():
            share = max(tree.done / budget, elapsed / time_limit)
            try:
                watch(share, tree.final_action(state))
            except SearchStopped:
                stopped = True
                break
        tree.go_on(float(c), int(min(budget, tree.done + step)))
    return _result(state, tree, stopped, time.perf_counter() - started)


def _result(state: GameState, tree: Tree, stopped: bool, seconds: float) -> SearchResult:
    tried = {tree.action(child): child for child in tree.children(0)}
    values = {action: tree.value(child) for action, child in tried.items()}
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
        | {action: tree.visits(child) for action, child in tried.items()},
        stats=Stats(simulations=tree.done, tree_nodes=_nodes(tree)),
        stopped=stopped,
        seconds=seconds,
    )


def _nodes(tree: Tree) -> int:
    """Return the number of nodes: the root, and every one that was tried."""
    return 1 + int(tree.shorts[uct.TRIED, : tree.registers[uct.USED]].sum(dtype=np.int64))
