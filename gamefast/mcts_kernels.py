"""The kernels of UCT, for tic-tac-toe with any number of players, Connect Four and Nim.

On a board the action i takes the cell (taken + starts[i]) & cells[i], if there is one.  In Connect
Four `cells[i]` is a column and `starts[i]` is its lowest cell, which the sum carries to the lowest
free cell.  In tic-tac-toe both are the cell itself, and the sum has its bit if it is free.

In Nim, `starts` has the heap of each action, and `cells` has the number of stones that it takes.

The end of a game is given as a code: the player who won or, in Nim, who took the last stone; the
number of players for a draw.  Rewards are counted in halves: 2 for a win, 1 for a draw, 0 for a
loss.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from gamefast.alphabeta_kernels import has_won
from gamefast.backend import Array, inline_kernel_part, kernel, kernel_part, popcount, prefetch


class GameArrays(NamedTuple):
    """The rules of a game, in the form that the kernels use."""

    sizes: Array  # ints: STRIDE to MAX_TAKE
    starts: Array  # of each action
    cells: Array
    payoffs: Array  # [code, p] is the payoff of player p: -1, 0 or 1


class TreeArrays(NamedTuple):
    """The arrays of a search; those from `links` to `table` are empty if they are not needed."""

    terms: Array  # MEAN and EXPLORATION of each node, which are all that the selection reads
    nodes: Array  # NODE
    links: Array  # ABOVE to NEXT_IN_QUEUE, for proofs and shared positions
    low: Array  # [node, p] is the lowest payoff that player p can get, as far as it is proven
    high: Array  # [node, p] is the highest one
    positions: Array  # the stones or heaps of each node and its player to move, if shared
    table: Array  # an open hash table that finds the node of a position
    path: Array  # the edges of this simulation; at the end of a slice, the line of best play
    registers: Array  # SIMULATIONS to LINE_LENGTH, and the position of the root from POSITION on
    choices: Array  # at the end of a slice, a row for each root action that was tried
    logs: Array  # the square root of the logarithm of the index, for most numbers of visits


STRIDE, K, BOARD, BASE, GRAVITY_MASK, PLAYERS, NIM, MAX_TAKE = range(8)
# The registers.  A search sets the first three.  ROOT is a node, which is 0 in a new tree, SIZE the
# number of nodes from there down, USED the number of nodes with reserved space, and CHOSEN the row
# of the choices with the action to play.  The position is the stones of each player or, in Nim, the
# heaps.
SIMULATIONS, SEED, PLAYER, ROOT, USED, SIZE, NUM_CHOICES, CHOSEN, LINE_LENGTH, POSITION = range(10)
# The columns of the choices: what `gamelib` calls the attributes of an edge of the root; the node
# to which it leads; and the least and the largest payoff that the player to move gets from the
# action, as far as is proven.
CHOICE_ACTION, CHOICE_VISITS, CHOICE_TOTAL, CHOICE_CLOSED, CHOICE_RESOLVED = range(5)
CHOICE_NODE, LEAST, MOST = range(5, 8)
# The reason why a slice ended.  Proofs leave an action to select at every node that a search
# reaches.  If there were a node without one, the search would end with NO_MOVE before it reads
# memory that it does not own.
DONE, FULL, PROVEN, NO_MOVE = range(4)
# All children of a node are neighbours.  `terms` has the two numbers of each child that the
# selection reads: the mean reward of the player who moves to it, or -inf if it is closed, and
# 1 / sqrt(visits), the exploration term without the factor that all children share.  So seven
# children take only one or two cache lines.
MEAN, EXPLORATION = range(2)
# The other data of a node, and of the edge that leads to it, are read only if it is selected.
NODE = np.dtype(
    [
        ("visits", np.int32),
        ("total", np.int32),  # of the rewards
        ("first", np.int32),  # the first child; at a terminal state, the code of its end
        ("tried", np.int16),  # the number of actions with children; -1 if not yet a child itself
        ("legal", np.int16),  # the number of all actions; 0 at a terminal state
        ("action", np.int16),  # the action that leads to this node
        ("closed", np.int8),
        ("is_resolved", np.int8),
    ]
)
# The columns of `links`, for proofs and shared positions.  For an edge: the parent, the node to
# which it leads, the next edge that leads there, too, and the virtual visits, which only the
# ancestors count.  For a node: its visits along all edges, the newest edge that leads to it, the
# player to move, and the next node of a queue.
ABOVE, LEADS_TO, NEXT_PARENT_EDGE, VIRTUAL_VISITS, NODE_VISITS, NEWEST, MOVER, NEXT_IN_QUEUE = (
    range(8)
)

STEP, PLUS = np.uint64(6364136223846793005), np.uint64(1442695040888963407)  # Knuth, MMIX
HALF = np.uint64(32)
at = np.uint64  # an unsigned index does not have to be tested for negative values


@inline_kernel_part
def next_seed(seed: Any) -> Any:
    """Return the next number of a pseudorandom sequence, whose upper half is used."""
    return seed * STEP + PLUS


@inline_kernel_part
def random_below(seed: Any, size: int) -> Any:
    """Return a number from 0 to size - 1, which is the scaled upper half of `seed`."""
    return (seed >> HALF) * np.uint64(size) >> HALF


@inline_kernel_part
def play_out(
    stones: Array, taken: int, player: int, seed: int, sizes: Array, starts: Array, cells: Array,
    wins: Array,
) -> tuple[int, int]:  # fmt: skip
    """Play a random game from `stones`, which it changes; return the code of its end and a seed."""
    players, size = sizes[PLAYERS], len(cells)
    if sizes[NIM]:
        return _play_out_nim(stones, player, seed, players, sizes[MAX_TAKE])
    while True:
        move = 0
        while move == 0:
            seed = next_seed(seed)
            i = random_below(seed, size)
            move = (taken + starts[i]) & cells[i]
        stones[player] |= move
        taken |= move
        if has_won(stones[player], wins, sizes[STRIDE], sizes[K]):
            return player, seed
        if taken == sizes[BOARD]:
            return players, seed
        player = (player + 1) % players


@kernel_part
def _play_out_nim(
    heaps: Array, player: int, seed: int, players: int, most_take: int
) -> tuple[int, int]:
    actions = nim_actions(heaps, most_take)
    while True:
        seed = next_seed(seed)
        i = np.int64(random_below(seed, actions))
        for heap in range(len(heaps)):
            if i < min(heaps[heap], most_take):
                heaps[heap] -= i + 1
                break
            i -= min(heaps[heap], most_take)
        actions = nim_actions(heaps, most_take)
        if actions == 0:
            return player, seed
        player = (player + 1) % players


@kernel_part
def nim_actions(heaps: Array, most_take: int) -> int:
    """Return the number of legal actions."""
    count = 0
    for heap in heaps:
        count += min(heap, most_take)
    return count


@kernel
def search(
    tree: TreeArrays, game: GameArrays, wins: Array | None, c: float, solver: bool, share: bool,
    grow: bool, simulations: int,
) -> int:  # fmt: skip
    """Continue until `simulations` are done, the tree is full, or its root is proven.

    A tree without nodes begins with the position in the registers.  If `grow` is false and the tree
    is full, the simulations add no nodes.
    """
    # The four phases are written here in turn.  As functions, even inlined ones, they would make a
    # simulation take twice as long, because references to an array are counted in every call.
    terms, nodes, links, low, high, positions, table, path, registers, _, logs = tree
    sizes, starts, cells, payoffs = game
    players, nim = sizes[PLAYERS], sizes[NIM]
    player, root = registers[PLAYER], registers[POSITION:]
    if registers[USED] == 0:
        _begin(tree, sizes, solver, share)
    top = registers[ROOT]
    # For two players on a board, two ints replace the array: the stones of the player to move and
    # all stones.
    two = players == 2 and not nim
    stride, k, board = sizes[STRIDE], sizes[K], sizes[BOARD]
    capacity, size, longest = len(nodes), len(cells), len(path) - 1
    width = np.float32(min(c, 1e30))  # with a larger one, scores would be infinite or nan
    rewards = np.zeros(players, np.int64)
    now = root.copy()
    root_taken = root_mine = 0
    if not nim:
        root_mine = root[player]
        for stones in root:
            root_taken |= stones
    seed = np.uint64(registers[SEED])
    done = registers[SIMULATIONS]
    why = DONE
    while done < simulations:
        if nodes[top].is_resolved:
            why = PROVEN
            break
        if not two:
            for i in range(len(root)):
                now[i] = root[i]
        mine, taken, mover, node, depth = root_mine, root_taken, player, top, 0
        # Select: descend by the highest scores, to an untried action or to a terminal state.
        while 0 < nodes[at(node)].legal == nodes[at(node)].tried:
            n = links[node, NODE_VISITS] if share else nodes[at(node)].visits
            scale = width * (logs[at(n)] if n < len(logs) else np.sqrt(np.log(np.float32(n))))
            best = np.float32(-1)
            depth += 1
            first = nodes[at(node)].first
            edge = np.int64(first)
            for child in range(first, first + nodes[at(node)].tried):
                # Written like this, the comparison is not a branch.  A processor would often
                # predict the branch wrongly, and a simulation in a small tree take a quarter
                # longer.
                score = terms[at(child), MEAN] + scale * terms[at(child), EXPLORATION]
                edge = child if score > best else edge
                best = score if score > best else best
            if best < 0 or depth == longest:
                why = NO_MOVE
                break
            path[at(depth)] = edge
            action = nodes[at(edge)].action
            if two:
                mine ^= taken
                taken |= (taken + starts[at(action)]) & cells[at(action)]
            else:
                taken = _play(now, taken, mover, action, nim, starts, cells)
            mover = mover + 1 if mover + 1 < players else 0
            node = links[edge, LEADS_TO] if share else edge
            first = np.int64(nodes[at(node)].first)
            for child in range(first, first + 7, 3):  # a cache line holds three nodes
                prefetch(nodes, child)
        if why == NO_MOVE:
            break
        # Expand: give an untried action, drawn at random, a node, or the node of an equal position.
        if nodes[at(node)].legal:
            tried, legal = nodes[at(node)].tried, nodes[at(node)].legal
            has_space = tried > 0 or registers[USED] + legal <= capacity
            if not has_space and grow:
                why = FULL
                break
            if has_space:
                if tried == 0:  # reserve space for all children, so that they are neighbours
                    nodes[at(node)].first = registers[USED]
                    registers[USED] += legal
                    edge = nodes[at(node)].first
                    for action in range(len(starts)):
                        if _is_legal(now, taken, action, nim, starts, cells):
                            nodes[at(edge)].action, nodes[at(edge)].tried = action, -1
                            if solver or share:
                                links[edge, LEADS_TO] = 0  # no node, so that `rehash` skips it
                            edge += 1
                seed = next_seed(seed)
                left = np.int64(random_below(seed, legal - tried))
                edge, end = nodes[at(node)].first, nodes[at(node)].first + legal
                while edge < end and (left > 0 or nodes[at(edge)].tried >= 0):
                    left -= nodes[at(edge)].tried < 0
                    edge += 1
                if edge == end:
                    why = NO_MOVE
                    break
                action = nodes[at(edge)].action
                nodes[at(node)].tried = tried + 1
                if two:
                    mine ^= taken
                    taken |= (taken + starts[at(action)]) & cells[at(action)]
                else:
                    taken = _play(now, taken, mover, action, nim, starts, cells)
                depth += 1
                path[at(depth)] = edge
                new = nodes[at(edge)]
                terms[at(edge), MEAN], terms[at(edge), EXPLORATION] = 0.5, 0.0
                new.visits, new.total, new.first, new.tried = 0, 0, -1, 0
                new.closed = new.is_resolved = 0
                if nim:
                    new.legal = nim_actions(now, sizes[MAX_TAKE])
                    if new.legal == 0:
                        new.first = mover
                elif has_won(taken ^ mine if two else now[mover], wins, stride, k):
                    new.first, new.legal = mover, 0
                elif taken == board:
                    new.first, new.legal = players, 0
                else:
                    new.legal = popcount(
                        ((taken & sizes[GRAVITY_MASK]) + sizes[BASE]) & board & ~taken
                    )
                mover = mover + 1 if mover + 1 < players else 0
                above, node = node, edge
                registers[SIZE] += 1
                if share:
                    if two:
                        now[mover], now[1 - mover] = mine, taken ^ mine
                    node = _node_of(now, mover, edge, positions, table)
                    registers[SIZE] -= node != edge
                if solver or share:
                    _link(edge, node, above, mover, links, low, high)
                    if solver and node == edge and new.legal == 0:
                        new.is_resolved = 1
                        for p in range(players):
                            low[node, p] = high[node, p] = payoffs[new.first, p]
        # Roll out: play a random game, unless the game is over; the code tells its end.
        if nodes[at(node)].legal:
            if two:
                # Actions of the whole board are drawn until one is legal, so all legal ones have
                # the same probability.  As a function this would take a fifth longer, because
                # references to its arrays are counted.
                code = -1
                while code < 0:
                    move = 0
                    while move == 0:
                        seed = next_seed(seed)
                        i = random_below(seed, size)
                        move = (taken + starts[i]) & cells[i]
                    mine |= move
                    taken |= move
                    if has_won(mine, wins, stride, k):
                        code = mover
                    elif taken == board:
                        code = 2
                    mine ^= taken
                    mover = 1 - mover
            else:
                code, seed = play_out(now, taken, mover, seed, sizes, starts, cells, wins)
        else:
            code = nodes[at(node)].first
        for p in range(players):
            rewards[p] = payoffs[code, p] + 1
        # Backpropagate: propagate the proof of the leaf, and add a visit and a reward to each edge.
        if solver and (nodes[at(node)].is_resolved or _is_known(node, low, high, players)):
            _prove(node, players, terms, nodes, links, low, high)
        p = (player + depth - 1) % players
        while depth > 0:
            edge = path[at(depth)]
            favourite = -1
            if solver:
                above = links[edge, ABOVE]
                _apply_proof(rewards, low, high, links[edge, LEADS_TO], players)
                n = links[above, NODE_VISITS]
                scale = c * np.sqrt(np.log(n)) if n > 0 else 0.0
                favourite = _closed_ucb_choice(above, edge, p, scale, nodes, links, low, high)
            n = nodes[at(edge)].visits + 1
            total = nodes[at(edge)].total + rewards[p]
            nodes[at(edge)].visits, nodes[at(edge)].total = n, total
            terms[at(edge), EXPLORATION] = np.float32(1) / np.sqrt(np.float32(n))
            if not nodes[at(edge)].closed:
                terms[at(edge), MEAN] = np.float32(total) / np.float32(2 * n)
            if solver or share:
                links[links[edge, LEADS_TO], NODE_VISITS] += 1
            if favourite >= 0:
                links[edge, VIRTUAL_VISITS] -= 1
                links[favourite, VIRTUAL_VISITS] += 1
                _apply_proof(rewards, low, high, links[favourite, LEADS_TO], players)
            depth -= 1
            p = p - 1 if p > 0 else players - 1
        nodes[top].visits += 1
        if solver or share:
            links[top, NODE_VISITS] += 1
        done += 1
    registers[SIMULATIONS], registers[SEED] = done, np.int64(seed)
    _read_choices(tree, player, solver, share)
    _read_line(tree, player, players, solver, share)
    return why


@kernel_part
def _begin(tree: TreeArrays, sizes: Array, solver: bool, share: bool) -> None:
    """Make the position in the registers the root of a tree without other nodes."""
    nodes, links, registers = tree.nodes, tree.links, tree.registers
    root, node = registers[POSITION:], nodes[0]
    registers[ROOT], registers[USED], registers[SIZE] = 0, 1, 1
    node.visits, node.total, node.first, node.tried = 0, 0, 0, 0
    node.action, node.closed, node.is_resolved = 0, 0, 0
    if sizes[NIM]:
        node.legal = nim_actions(root, sizes[MAX_TAKE])
    else:
        taken = 0
        for stones in root:
            taken |= stones
        playable = ((taken & sizes[GRAVITY_MASK]) + sizes[BASE]) & sizes[BOARD] & ~taken
        node.legal = popcount(playable)
    if solver or share:
        links[0] = 0
        links[0, NEWEST], links[0, NEXT_IN_QUEUE] = -1, -1
        links[0, MOVER] = registers[PLAYER]
    if solver:
        tree.low[0], tree.high[0] = -1, 1
    if share:
        tree.table[:] = 0


@kernel_part
def _read_choices(tree: TreeArrays, player: int, solver: bool, share: bool) -> None:
    """Write a row for each root action that was tried to `choices`, in `legal_actions` order."""
    nodes, choices, count = tree.nodes, tree.choices, 0
    top = tree.registers[ROOT]
    best = _final_edge(tree, top, player, solver, share)
    if nodes[top].tried > 0:
        for edge in range(nodes[top].first, nodes[top].first + nodes[top].legal):
            if nodes[edge].tried >= 0:
                if edge == best:
                    tree.registers[CHOSEN] = count
                child = np.int64(tree.links[edge, LEADS_TO]) if share else edge
                choices[count, CHOICE_ACTION] = nodes[edge].action
                choices[count, CHOICE_VISITS] = nodes[edge].visits
                choices[count, CHOICE_TOTAL] = nodes[edge].total
                choices[count, CHOICE_CLOSED] = nodes[edge].closed
                choices[count, CHOICE_RESOLVED] = nodes[child].is_resolved
                choices[count, CHOICE_NODE] = child
                choices[count, LEAST], choices[count, MOST] = -1, 1
                if solver:
                    choices[count, LEAST] = tree.low[child, player]
                    choices[count, MOST] = tree.high[child, player]
                count += 1
    tree.registers[NUM_CHOICES] = count


@kernel_part
def _read_line(tree: TreeArrays, player: int, players: int, solver: bool, share: bool) -> None:
    """Write the actions of the line of best play to `path`, as far as the tree has it."""
    node, length = tree.registers[ROOT], 0
    while True:
        edge = _final_edge(tree, node, player, solver, share)
        if edge < 0:
            break
        tree.path[length] = tree.nodes[edge].action
        length += 1
        node = np.int64(tree.links[edge, LEADS_TO]) if share else edge
        player = player + 1 if player + 1 < players else 0
    tree.registers[LINE_LENGTH] = length


@kernel_part
def _final_edge(tree: TreeArrays, node: int, player: int, solver: bool, share: bool) -> int:
    """Return the edge to play; -1 if there is none.

    The rule is `final_choice` of `gamelib.search.proofs`.
    """
    nodes, safe, sure, favourite = tree.nodes, -1, -1, -1
    if nodes[node].tried <= 0:
        return -1
    for edge in range(nodes[node].first, nodes[node].first + nodes[node].legal):
        if nodes[edge].tried >= 0:
            visits, low = nodes[edge].visits, -1
            if solver:
                low = np.int64(tree.low[tree.links[edge, LEADS_TO], player])
            if safe < 0 or low > sure or (low == sure and visits > nodes[safe].visits):
                safe, sure = edge, low
            if not nodes[edge].closed and (favourite < 0 or visits > nodes[favourite].visits):
                favourite = edge
    if nodes[node].is_resolved:
        return safe
    if sure == -1 or (
        favourite >= 0 and nodes[favourite].total / nodes[favourite].visits - 1 > sure
    ):
        return favourite
    return safe


@inline_kernel_part
def _is_legal(now: Array, taken: int, action: int, nim: int, starts: Array, cells: Array) -> bool:
    if nim:
        return bool(now[starts[action]] >= cells[action])
    return bool((taken + starts[action]) & cells[action])


@inline_kernel_part
def _play(
    now: Array, taken: int, player: int, action: int, nim: int, starts: Array, cells: Array
) -> int:
    """Play an action in `now`, and return the cells that are taken afterwards."""
    if nim:
        now[starts[action]] -= cells[action]
        return 0
    move = (taken + starts[action]) & cells[action]
    now[player] |= move
    return int(taken | move)


@kernel_part
def _node_of(now: Array, mover: int, new: int, positions: Array, table: Array) -> int:
    """Return the node of this position, which is `new` if there was none."""
    mixed = np.uint64(mover)
    for word in now:
        mixed = (mixed ^ np.uint64(word)) * STEP
        mixed ^= mixed >> HALF
    last = len(table) - 1  # its length is a power of 2
    slot = np.int64(mixed & np.uint64(last))
    while table[slot]:
        node = table[slot]
        same = positions[node, len(now)] == mover
        for i in range(len(now)):
            same = same and positions[node, i] == now[i]
        if same:
            return int(node)
        slot = (slot + 1) & last
    table[slot] = new
    for i in range(len(now)):
        positions[new, i] = now[i]
    positions[new, len(now)] = mover
    return new


@kernel
def find_nodes(found: Array, nodes: Array, links: Array, root: int, share: bool) -> int:
    """Set `found` to 1 for the nodes from `root` down, and return their number."""
    stack = np.empty(len(nodes), np.int64)
    found[root], stack[0] = 1, root
    count = height = 1
    while height > 0:
        height -= 1
        node = stack[height]
        if nodes[node].tried > 0:
            for edge in range(nodes[node].first, nodes[node].first + nodes[node].legal):
                if nodes[edge].tried >= 0:
                    child = np.int64(links[edge, LEADS_TO]) if share else edge
                    if found[child] == 0:
                        found[child], stack[height] = 1, child
                        count += 1
                        height += 1
    return count


@kernel
def rehash(table: Array, positions: Array, links: Array, used: int) -> None:
    """Add the nodes of all positions to an empty table."""
    width = positions.shape[1] - 1
    for node in range(1, used):
        if links[node, LEADS_TO] == node:
            _node_of(positions[node, :width], positions[node, width], node, positions, table)


@kernel_part
def _link(
    edge: int, node: int, above: int, mover: int, links: Array, low: Array, high: Array
) -> None:
    """Add a new edge, and the node to which it leads if that is new, too."""
    links[edge, ABOVE], links[edge, LEADS_TO], links[edge, VIRTUAL_VISITS] = above, node, 0
    if node == edge:
        links[node, NODE_VISITS], links[node, NEWEST], links[node, MOVER] = 0, -1, mover
        links[node, NEXT_IN_QUEUE] = -1
        if len(low):
            low[node], high[node] = -1, 1
    links[edge, NEXT_PARENT_EDGE] = links[node, NEWEST]
    links[node, NEWEST] = edge


@kernel_part
def _is_known(node: int, low: Array, high: Array, players: int) -> bool:
    """Return whether anything is proven about a node."""
    known = False
    for p in range(players):
        known = known or low[node, p] > -1 or high[node, p] < 1
    return known


@kernel_part
def _is_proven(node: int, low: Array, high: Array) -> bool:
    proven = True
    for p in range(low.shape[1]):
        proven = proven and low[node, p] == high[node, p]
    return proven


@kernel_part
def _apply_proof(rewards: Array, low: Array, high: Array, node: int, players: int) -> None:
    """Replace the rewards by the payoffs of the node if it is proven."""
    if _is_proven(node, low, high):
        for p in range(players):
            rewards[p] = low[node, p] + 1


@kernel_part
def _closed_ucb_choice(
    above: int, selected: int, player: int, scale: float, nodes: Array, links: Array, low: Array,
    high: Array,
) -> int:  # fmt: skip
    """Return the proven action that UCB would have selected if it were not closed; -1 if none.

    The rule is the one of `gamelib.search.mcts`.
    """
    counted = nodes[selected].visits + links[selected, VIRTUAL_VISITS]
    if counted == 0:
        return -1
    favourite = -1
    best = nodes[selected].total / (2 * nodes[selected].visits) + scale / np.sqrt(counted)
    first = nodes[above].first
    for child in range(first, first + nodes[above].tried):
        if nodes[child].closed and child != selected:
            node = links[child, LEADS_TO]
            wide = scale / np.sqrt(nodes[child].visits + links[child, VIRTUAL_VISITS])
            score = (low[node, player] + 1) / 2 + wide
            if score > best and _is_proven(node, low, high):
                best, favourite = score, child
    return favourite


@kernel_part
def _prove(
    node: int, players: int, terms: Array, nodes: Array, links: Array, low: Array, high: Array
) -> None:
    """Propagate the bounds of a node to its ancestors, as far as they change."""
    lows, highs = np.empty(players, np.int64), np.empty(players, np.int64)
    last = node
    while node >= 0:
        edge = links[node, NEWEST]
        while edge >= 0:
            above = links[edge, ABOVE]
            if (
                _update(above, players, terms, nodes, links, low, high, lows, highs)
                and links[above, NEXT_IN_QUEUE] < 0
                and above != last
            ):
                links[last, NEXT_IN_QUEUE] = above
                last = above
            edge = links[edge, NEXT_PARENT_EDGE]
        following = links[node, NEXT_IN_QUEUE]
        links[node, NEXT_IN_QUEUE] = -1
        node = following


@kernel_part
def _update(
    node: int, players: int, terms: Array, nodes: Array, links: Array, low: Array, high: Array,
    lows: Array, highs: Array,
) -> bool:  # fmt: skip
    """Compute the bounds of a node from those of its children; return whether they changed.

    The rule is the one of `gamelib.search.proofs`.
    """
    mover = links[node, MOVER]
    first, legal = nodes[node].first, nodes[node].legal
    sure = -1
    for edge in range(first, first + legal):
        if nodes[edge].tried >= 0:
            sure = max(sure, low[links[edge, LEADS_TO], mover])
    expanded = nodes[node].tried == legal
    for p in range(players):
        lows[p], highs[p] = (1, -1) if expanded else (-1, 1)
    for edge in range(first, first + legal):
        child = links[edge, LEADS_TO]
        if nodes[edge].tried >= 0 and high[child, mover] >= sure:
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
    for edge in range(first, first + legal):
        child = links[edge, LEADS_TO]
        most = high[child, mover]
        closed = nodes[child].is_resolved or most < sure or (most == sure and players == 2)
        nodes[edge].closed = closed and nodes[edge].tried >= 0
        if nodes[edge].closed:
            terms[edge, MEAN] = -np.inf
        else:
            is_open = True
    settled = exact or not is_open
    changed = changed or settled != (nodes[node].is_resolved != 0)
    nodes[node].is_resolved = settled
    return changed
