"""Random games and UCT: tic-tac-toe of any number of players, Connect Four, and Nim.

On a board the action i takes the cell ((taken & rising) + starts[i]) & cells[i] & ~taken, if there
is one: with rising = 0 that is the cell `cells[i]` itself, with rising = -1 the lowest free cell of
the column `cells[i]`, above the bottom cell `starts[i]`.

Of Nim, `starts` holds the heap of each action and `cells` how many stones it takes.

How a game ends is a code: the player who won or, in Nim, who took the last stone; the number of
players for a draw.  Rewards are counted in halves: 2 for a win, 1 for a draw, 0 for a loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gamelib.compiled.boards import won
from gamelib.compiled.machine import inlined, kernel, part, popcount

Array = np.ndarray[Any, Any]

# The sizes of a game, in an array of ints.
STRIDE, K, BOARD, BASE, RISING, PLAYERS, NIM, MOST_TAKE, LAST_RESULT = range(9)
# What is kept between two slices.
SIMULATIONS, USED, SEED, STATE = range(4)
# Why a slice ended.
DONE, FULL, PROVEN = range(3)
# The rows of the tree: floats, then ints; a column is a node.
MEAN, WIDTH = range(2)
VISITS, TOTAL, FIRST, PASSED = range(4)
TRIED, LEGAL, ACTION, CODE, CLOSED, SETTLED = range(6)

STEP, PLUS = 6364136223846793005, 1442695040888963407  # Knuth, MMIX
LOW_WORD = (1 << 32) - 1


@part
def below(seed: int, size: int) -> int:
    """Return a number from 0 to size - 1: the upper half of `seed`, scaled."""
    return (((seed >> 32) & LOW_WORD) * size) >> 32


@inlined
def play_out_two(
    mine: int, taken: int, player: int, seed: int, sizes: Array, starts: Array, cells: Array,
    wins: Array,
) -> tuple[int, int]:  # fmt: skip
    """Return how a random game of two on a board ends, and the next seed.

    An action is drawn among all of the board until one is legal, so each is as likely.
    """
    stride, k, board, rising = sizes[STRIDE], sizes[K], sizes[BOARD], sizes[RISING]
    size = len(cells)
    while True:
        move = 0
        while move == 0:
            seed = seed * STEP + PLUS
            i = np.uint64(below(seed, size))
            move = ((taken & rising) + starts[i]) & cells[i] & ~taken
        mine |= move
        taken |= move
        if won(mine, wins, stride, k):
            return player, seed
        if taken == board:
            return 2, seed
        mine ^= taken
        player = 1 - player


@inlined
def play_out(
    stones: Array, taken: int, player: int, seed: int, sizes: Array, starts: Array, cells: Array,
    wins: Array,
) -> tuple[int, int]:  # fmt: skip
    """Return how a random game ends that goes on from `stones`, which it changes; and a seed."""
    players, size = sizes[PLAYERS], len(cells)
    if sizes[NIM]:
        code, seed = _play_out_nim(stones, player, seed, players, sizes[MOST_TAKE])
        return code, seed
    if players == 2:
        code, seed = play_out_two(stones[player], taken, player, seed, sizes, starts, cells, wins)
        return code, seed
    while True:
        move = 0
        while move == 0:
            seed = seed * STEP + PLUS
            i = np.uint64(below(seed, size))
            move = ((taken & sizes[RISING]) + starts[i]) & cells[i] & ~taken
        stones[player] |= move
        taken |= move
        if won(stones[player], wins, sizes[STRIDE], sizes[K]):
            return player, seed
        if taken == sizes[BOARD]:
            return players, seed
        player = (player + 1) % players


@part
def _play_out_nim(
    heaps: Array, player: int, seed: int, players: int, most_take: int
) -> tuple[int, int]:
    actions = nim_actions(heaps, most_take)
    while True:
        seed = seed * STEP + PLUS
        i = below(seed, actions)
        heap = 0
        while i >= min(heaps[heap], most_take):
            i -= min(heaps[heap], most_take)
            heap += 1
        heaps[heap] -= i + 1
        actions = nim_actions(heaps, most_take)
        if actions == 0:
            return player, seed
        player = (player + 1) % players


@part
def nim_actions(heaps: Array, most_take: int) -> int:
    """Return the number of legal actions."""
    count = 0
    for heap in heaps:
        count += min(heap, most_take)
    return count


@kernel
def count_games(
    root: Array, player: int, games: int, seed: int, sizes: Array, starts: Array, cells: Array,
    wins: Array, counts: Array,
) -> int:  # fmt: skip
    """Play so many random games, add to `counts` how they end, and return the next seed."""
    taken = 0
    if not sizes[NIM]:
        for stones in root:
            taken |= stones
    now = root.copy()
    two = sizes[PLAYERS] == 2 and not sizes[NIM]
    for _ in range(games):
        if two:
            code, seed = play_out_two(root[player], taken, player, seed, sizes, starts, cells, wins)
        else:
            now[:] = root
            code, seed = play_out(now, taken, player, seed, sizes, starts, cells, wins)
        counts[code] += 1
    return seed


@kernel
def search(
    floats: Array, ints: Array, shorts: Array, low: Array, high: Array, path: Array, root: Array,
    registers: Array, sizes: Array, starts: Array, cells: Array, wins: Array, payoffs: Array,
    player: int, c: float, solver: bool, grow: bool, simulations: int,
) -> int:  # fmt: skip
    """Go on until so many simulations are done, the tree is full, or its root is proven.

    `payoffs[code, p]` is what player p gets, -1, 0 or 1; `low[p]` and `high[p]` are what proofs
    know of it.  If `grow` is false and the tree is full, it is searched without growing.
    """
    means, widths = floats[MEAN], floats[WIDTH]
    visits, totals, firsts, passed = ints[VISITS], ints[TOTAL], ints[FIRST], ints[PASSED]
    tried, legal, actions = shorts[TRIED], shorts[LEGAL], shorts[ACTION]
    codes, closed, settled = shorts[CODE], shorts[CLOSED], shorts[SETTLED]
    players, nim = sizes[PLAYERS], sizes[NIM]
    capacity = len(means)
    roots = np.empty(1024)  # of logarithms
    for n in range(1, 1024):
        roots[n] = c * np.sqrt(np.log(n))
    rewards = np.zeros(players, np.int64)
    now = root.copy()
    root_taken = 0
    if not nim:
        for stones in root:
            root_taken |= stones
    seed = registers[SEED]
    done = registers[SIMULATIONS]
    why = DONE
    while done < simulations:
        if settled[0]:
            why = PROVEN
            break
        now[:] = root
        taken, mover, node, depth = root_taken, player, 0, 0
        # Select.
        while 0 < legal[node] == tried[node]:
            n = visits[node]
            scale = roots[n] if n < 1024 else c * np.sqrt(np.log(n))
            best, chosen, first = -1.0, -1, firsts[node]
            for child in range(first, first + tried[node]):
                if not (solver and closed[child]):
                    score = means[child] + scale * widths[child]
                    if score > best:
                        best, chosen = score, child
            node = chosen
            taken = _play(now, taken, mover, actions[node], nim, sizes[RISING], starts, cells)
            mover = mover + 1 if mover + 1 < players else 0
            depth += 1
            path[depth] = node
        # Expand.
        if legal[node]:
            room = tried[node] > 0 or registers[USED] + legal[node] <= capacity
            if not room and grow:
                why = FULL
                break
            if room:
                if tried[node] == 0:
                    firsts[node] = registers[USED]
                    registers[USED] += legal[node]
                child = firsts[node] + tried[node]
                action = actions[child - 1] + 1 if tried[node] else 0
                while not _is_legal(now, taken, action, nim, sizes[RISING], starts, cells):
                    action += 1
                tried[node] += 1
                node = child
                taken = _play(now, taken, mover, action, nim, sizes[RISING], starts, cells)
                depth += 1
                path[depth] = node
                means[node], widths[node], visits[node], totals[node] = 0.5, 0.0, 0, 0
                tried[node], actions[node], codes[node] = 0, action, -1
                if nim:
                    legal[node] = nim_actions(now, sizes[MOST_TAKE])
                    if legal[node] == 0:
                        codes[node] = mover
                elif won(now[mover], wins, sizes[STRIDE], sizes[K]):
                    codes[node], legal[node] = mover, 0
                elif taken == sizes[BOARD]:
                    codes[node], legal[node] = players, 0
                else:
                    legal[node] = popcount(
                        ((taken & sizes[RISING]) + sizes[BASE]) & sizes[BOARD] & ~taken
                    )
                mover = mover + 1 if mover + 1 < players else 0
                if solver:
                    passed[node] = closed[node] = settled[node] = 0
                    for p in range(players):
                        low[node, p], high[node, p] = -1, 1
                    if codes[node] >= 0:
                        settled[node] = 1
                        for p in range(players):
                            low[node, p] = high[node, p] = payoffs[codes[node], p]
        # Simulate.
        code = codes[node]
        if code < 0:
            code, seed = play_out(now, taken, mover, seed, sizes, starts, cells, wins)
        for p in range(players):
            rewards[p] = payoffs[code, p] + 1
        # Backpropagate.
        if solver and settled[node]:
            _prove(path, depth, player, players, low, high, firsts, tried, legal, closed, settled)
        p = (player + depth - 1) % players
        while depth > 0:
            node = path[depth]
            favourite = -1
            if solver:
                above = path[depth - 1]
                _take_proof(rewards, low, high, node, players)
                n = visits[above]
                scale = c * np.sqrt(np.log(n)) if n > 0 else 0.0
                favourite = _closed_favourite(
                    firsts[above], tried[above], node, p, scale, means, widths, visits, low, high,
                    closed, players,
                )  # fmt: skip
            n = visits[node] + 1
            visits[node] = n
            totals[node] += rewards[p]
            means[node] = totals[node] / (2.0 * n)
            widths[node] = 1 / np.sqrt(np.float64(n))
            if favourite >= 0:
                passed[favourite] += 1
                widths[favourite] = 1 / np.sqrt(np.float64(visits[favourite] + passed[favourite]))
                _take_proof(rewards, low, high, favourite, players)
            depth -= 1
            p = p - 1 if p > 0 else players - 1
        visits[0] += 1
        done += 1
    registers[SIMULATIONS], registers[SEED] = done, seed
    return why


@inlined
def _is_legal(
    now: Array, taken: int, action: int, nim: int, rising: int, starts: Array, cells: Array
) -> bool:
    if nim:
        return bool(now[starts[action]] >= cells[action])
    return bool(((taken & rising) + starts[action]) & cells[action] & ~taken)


@inlined
def _play(
    now: Array, taken: int, player: int, action: int, nim: int, rising: int, starts: Array,
    cells: Array,
) -> int:  # fmt: skip
    """Change `now` by an action, and return the cells that are taken then."""
    if nim:
        now[starts[action]] -= cells[action]
        return 0
    move = ((taken & rising) + starts[action]) & cells[action] & ~taken
    now[player] |= move
    return int(taken | move)


@part
def _take_proof(rewards: Array, low: Array, high: Array, node: int, players: int) -> None:
    """Put the payoffs of a proven node in the place of the rewards."""
    for p in range(players):
        if low[node, p] != high[node, p]:
            return
    for p in range(players):
        rewards[p] = low[node, p] + 1


@inlined
def _closed_favourite(
    first: int, count: int, selected: int, player: int, scale: float, means: Array, widths: Array,
    visits: Array, low: Array, high: Array, closed: Array, players: int,
) -> int:  # fmt: skip
    """Return the proven node that UCB would have selected, were it not closed; -1 if none."""
    if visits[selected] == 0:
        return -1
    favourite, best = -1, -1.0
    for child in range(first, first + count):
        if closed[child] and child != selected:
            proven = True
            for p in range(players):
                proven = proven and low[child, p] == high[child, p]
            if proven:
                if best < 0:
                    best = means[selected] + scale * widths[selected]
                score = (low[child, player] + 1) / 2 + scale * widths[child]
                if score > best:
                    best, favourite = score, child
    return favourite


@part
def _prove(
    path: Array, depth: int, player: int, players: int, low: Array, high: Array, firsts: Array,
    tried: Array, legal: Array, closed: Array, settled: Array,
) -> None:  # fmt: skip
    """Pass the bounds of the end of a path on to the nodes above it, as far as they change.

    The rule is that of gamelib.search.proofs.
    """
    lows, highs = np.empty(players, np.int64), np.empty(players, np.int64)
    while depth > 0:
        depth -= 1
        node = path[depth]
        mover = (player + depth) % players
        children = range(firsts[node], firsts[node] + tried[node])
        sure = -1
        for child in children:
            sure = max(sure, low[child, mover])
        expanded = tried[node] == legal[node]
        for p in range(players):
            lows[p], highs[p] = (1, -1) if expanded else (-1, 1)
        for child in children:
            if high[child, mover] >= sure:
                for p in range(players):
                    lows[p] = min(lows[p], low[child, p])
                    highs[p] = max(highs[p], high[child, p])
        for p in range(players):
            if p != mover:
                highs[p] = min(highs[p], -sure)
        lows[mover] = sure
        changed = False
        exact = True
        for p in range(players):
            changed = changed or lows[p] != low[node, p] or highs[p] != high[node, p]
            low[node, p], high[node, p] = lows[p], highs[p]
            exact = exact and lows[p] == highs[p]
        is_open = not expanded
        for child in children:
            most = high[child, mover]
            closed[child] = settled[child] or most < sure or (most == sure and players == 2)
            is_open = is_open or not closed[child]
        now_settled = exact or not is_open
        if not changed and now_settled == (settled[node] != 0):
            return
        settled[node] = now_settled
