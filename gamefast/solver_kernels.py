"""The kernels of the solver: the exact score of a position of Connect Four or tic-tac-toe.

A score is half the number of cells that are left when the game is over, rounded up.  It is positive
for a win of the player to move, negative for a loss, and 0 for a draw, so it shows who wins, and
how soon.

The search tests repeatedly whether the score is above a number, by alpha-beta with a null window.
Such a test is cheap, because nearly every move is cut, and a table keeps the bounds that it finds
for the other tests.

Before any move is searched, two cheap bounds are tried for each: the entry of its successor in the
table and, in Connect Four, the bound of the follow-up strategy (`gamefast.follow_up`).

A board of tic-tac-toe is stored like one of Connect Four, with its rows as the columns.  Its stones
do not fall, and a position has more symmetries.  `images` has the new positions of the bits for
each symmetry except the first; in Connect Four it is None.

An entry of the table is one int.  A position has a number, `key`, of at most 64 bits, which is
multiplied by an odd number.  The top bits of the product choose the bucket of the table, and the
others identify the position in the entry.  The bits that are left over hold both bounds of the
score and the number of cells left.  The bounds are true in every search, so the table is never
cleared.  A bucket has two entries, the one with more cells left and the newest one.

The table has two parts.  Nearly all positions have few cells left, and are in a small part that
stays in the processor's cache.  The others, each of which takes much work, are in a part that is
larger for a larger board.

Sources: Knuth and Moore 1975; Allis, A knowledge-based approach of Connect-Four, 1988; Plaat et
al., Best-first fixed-depth minimax algorithms, 1996.
"""

from typing import Any, NamedTuple

import numpy as np

from gamefast.backend import (
    Array,
    inline_kernel_part,
    kernel,
    kernel_part,
    lowest_bit,
    popcount,
    prefetch,
)
from gamefast.bitboards import (
    has_line,
    has_line_across,
    mirror_bits,
    open_lines,
    pack_bits,
    permute_bits,
    threats,
)
from gamefast.follow_up import follow_up, upper_cells


class SolverWorkspace(NamedTuple):
    """The arrays of a search, with everything that it needs after a pause.

    They are few, because a call takes longer with each array.
    """

    stack: Array  # a column of ints for each node of the current line, and its moves: MINE to KEY
    table: Array  # the entries of positions with many cells left, then those of the others
    registers: Array  # DEPTH to MIRROR


# What `solve` is asked to do: to go on, or to begin with the scores of all actions or of the root.
CONTINUE, BEGIN_ALL, BEGIN_VALUE = range(3)
# The rows of the stack.  Each column is a node, but column 0 is not used.
MINE, TAKEN, DANGER, ALPHA, LEFT, NUMBER, LOW, HIGH, BEST, NEXT, END = range(11)
# The rows of the moves to try.  A node has a column for each move that it can have.
MOVE, THREATS, RANK, KEY = range(11, 15)
# The registers.  DEPTH to PROBED_BOUND are stored between two slices.  FAR is the number of cells
# left from which a position is in the large part of the table, and LOG_FAR the size of this part.
# STAGE to LINE_LENGTH say how far `solve` has come: the stage, whether it was asked for the value
# only, the root's cells left and its score, the action that is searched, and the position at the
# end of the line, with its score; before there is a line it is the root.
DEPTH, NODES, VALUE, ENTERING, LEAST, MOST, PROBED_BOUND, FAR, LOG_FAR = range(9)
ROWS, COLS, K, NUM_ACTIONS, STAGE, ONLY_VALUE, ROOT_LEFT, ROOT_SCORE = range(9, 17)
ACTION, LINE_SCORE, LINE_MINE, LINE_TAKEN, LINE_LENGTH, SCORE = range(17, 23)
# From SCORE on there are 64 registers of each kind: the scores of the actions; the actions of the
# line; the order in which actions are searched, where UNKNOWN stands for an action that is not
# legal or was searched already; the cells that each action may take.  For the cell of each bit
# there are the rank of a move there with an even number of cells left, with an odd number, and
# early in the game; and the number that it adds to the key of the mirror image.
BEST_LINE, ORDER, CELLS, CELL_WEIGHTS = range(SCORE + 64, SCORE + 5 * 64, 64)
MIRROR = CELL_WEIGHTS + 3 * 64
NUM_REGISTERS = MIRROR + 64
UNKNOWN = 1 << 40
# The stages: the search for the score of the root, for those of its actions, and for the line; and
# two ways to end.
POSITION, ACTIONS, LINE, SOLVED, FAULT = range(5)
# The answer of `solve` has the best action in its lowest bits.  Its meaning follows, which is the
# number of cells left, times 2 * SCORE_OF_DRAW, plus the score of the root as a number from 0 on,
# in which SCORE_OF_DRAW is a draw.  The other bits are the number of nodes.
ACTION_MASK, MEANING_SHIFT, SCORE_OF_DRAW, NODES_SHIFT = 63, 6, 64, 20
MEANING_MASK = (1 << NODES_SHIFT - MEANING_SHIFT) - 1

LOG_NEAR = 17  # 2 MB, with two entries of 8 bytes in a bucket; at least 17, to leave 17 bits over
NEAR = 1 << LOG_NEAR
MASK = NEAR - 1
THREAT_RANK = 32  # what a threat adds to the rank of a move
MIRRORED_PLIES = 24  # for which mirror images of a position share an entry
TURNED_PLIES = 6  # for which all images of a position of tic-tac-toe share an entry
# With at least this number of cells left, all replies are looked up before any is searched.
MIN_CELLS_TO_PROBE = 8
EARLY = 22  # cells left, from which it is worth counting the lines that can still be filled
FEW = 20  # cells left, up to which a player may have no line left that can be filled
HASH_MULTIPLIER = np.int64(-7046029254386353131)  # 2 ** 64 over the golden ratio
ONE = np.uint64(1)  # an unsigned index does not have to be tested for negative values


@kernel
def solve(
    work: SolverWorkspace, images: Array | None, task: int, mine: int, taken: int, most_nodes: int
) -> int:
    """Begin or continue to solve a position; return the answer, 0 after a pause, or -1 (see FAULT).

    This is one kernel, because the search of a late position takes less time than a call from
    Python.  It searches one position after another.  With BEGIN_VALUE it finds the score of the
    root, otherwise the scores of all root actions; then, along the line of best play, it finds the
    first action that reaches the score.  `mine` are the stones of the player to move, `taken` all
    stones.
    """
    registers = work.registers
    if task != CONTINUE:
        _begin(registers, mine, taken, task == BEGIN_VALUE)
    rows, cols, k = registers[ROWS], registers[COLS], registers[K]
    new_question, last = task != CONTINUE, registers[NODES] + most_nodes
    while registers[STAGE] < SOLVED:
        stage, action = registers[STAGE], registers[ACTION]
        least, most = -rows * cols, rows * cols
        asked_mine, asked_taken = registers[LINE_MINE], registers[LINE_TAKEN]
        if stage != POSITION:
            cells = registers[CELLS + action]
            asked_mine, asked_taken = _after_action(asked_mine, asked_taken, cells)
        if stage == LINE:
            least, most = -registers[LINE_SCORE], 1 - registers[LINE_SCORE]
        if new_question:
            lowest, highest = _bounds(asked_mine, asked_taken, rows, cols, k, images)
            registers[LEAST] = min(max(least, lowest), most)
            registers[MOST] = max(min(most, highest), least)
        if registers[LEAST] < registers[MOST] and not _score(
            work, images, new_question, asked_mine, asked_taken, rows, cols, k, last
        ):
            return 0
        new_question = True
        if stage == POSITION:
            _begin_line(registers, registers[LEAST])
        elif stage == ACTIONS:
            registers[SCORE + action] = -registers[LEAST]
            registers[ORDER + action] = UNKNOWN
            registers[ACTION] = _first_in_order(registers)
            if registers[ACTION] < 0:
                _begin_line(registers, _best_score(registers))
        elif registers[LEAST] == least:
            _lengthen_line(registers)
        else:
            registers[ACTION] += 1
        if registers[STAGE] == LINE:
            _skip_full(registers)
    if registers[STAGE] == FAULT:
        return -1
    meaning = (2 * registers[ROOT_LEFT] + 1) * SCORE_OF_DRAW + registers[ROOT_SCORE]
    answer = registers[NODES] << NODES_SHIFT | meaning << MEANING_SHIFT
    return int(answer | registers[BEST_LINE])


@kernel_part
def _begin(registers: Array, mine: int, taken: int, only_value: bool) -> None:
    """Begin with a position."""
    registers[NODES], registers[LINE_LENGTH] = 0, 0
    registers[LINE_MINE], registers[LINE_TAKEN] = mine, taken
    registers[ROOT_LEFT] = registers[ROWS] * registers[COLS] - popcount(taken)
    registers[STAGE], registers[ONLY_VALUE] = POSITION, only_value
    for action in range(registers[NUM_ACTIONS]):
        registers[SCORE + action] = UNKNOWN
    if not only_value:
        _order_actions(registers, taken)
        registers[STAGE], registers[ACTION] = ACTIONS, _first_in_order(registers)


@inline_kernel_part
def _after_action(mine: int, taken: int, cells: int) -> tuple[int, int]:
    """Return the other player's stones, and all stones, after an action if it is legal."""
    return mine ^ taken, taken | (taken + (cells & -cells)) & cells


@kernel_part
def _order_actions(registers: Array, taken: int) -> None:
    """Store the order in which to search the actions in ORDER: the lowest number first.

    Actions with many lines, and then those in the middle, come first, because the bounds found
    there help the others.  Of two actions that may be mirror images of each other, the second comes
    later.  UNKNOWN stands for an action that is not legal.
    """
    count = registers[NUM_ACTIONS]
    for i in range(count):
        registers[ORDER + i] = UNKNOWN
        cell = _after_action(0, taken, registers[CELLS + i])[1] ^ taken
        if cell:
            lines = registers[CELL_WEIGHTS + 128 + lowest_bit(cell)]
            registers[ORDER + i] = abs(2 * i + 1 - count) - (lines << 8)
    for i in range(count - 1, -1, -1):
        images_before = 0
        for j in range(i):
            images_before += registers[ORDER + j] == registers[ORDER + i]
        if registers[ORDER + i] != UNKNOWN:
            registers[ORDER + i] += images_before << 32


@kernel_part
def _first_in_order(registers: Array) -> int:
    """Return the next action to search, or -1 if none is left."""
    first, order = -1, UNKNOWN
    for i in range(registers[NUM_ACTIONS]):
        if registers[ORDER + i] < order:
            first, order = i, registers[ORDER + i]
    return first


@kernel_part
def _best_score(registers: Array) -> int:
    """Return the highest of the scores that are known."""
    best = -UNKNOWN
    for i in range(registers[NUM_ACTIONS]):
        if best < registers[SCORE + i] < UNKNOWN:
            best = registers[SCORE + i]
    return best


@kernel_part
def _begin_line(registers: Array, score: int) -> None:
    """Begin the line of best play, from a position with this score."""
    registers[STAGE], registers[ACTION] = LINE, 0
    registers[LINE_SCORE], registers[ROOT_SCORE] = score, score


@kernel_part
def _skip_full(registers: Array) -> None:
    """Move on to the next legal action of the position; the stage is FAULT if there is none."""
    taken = registers[LINE_TAKEN]
    while registers[ACTION] < registers[NUM_ACTIONS]:
        if _after_action(0, taken, registers[CELLS + registers[ACTION]])[1] != taken:
            return
        registers[ACTION] += 1
    registers[STAGE] = FAULT


@kernel_part
def _lengthen_line(registers: Array) -> None:
    """Append the action to the line; the stage is SOLVED if it is the last."""
    action, length = registers[ACTION], registers[LINE_LENGTH]
    registers[BEST_LINE + length] = action
    mine, taken, cells = registers[LINE_MINE], registers[LINE_TAKEN], registers[CELLS + action]
    mine, taken = _after_action(mine, taken, cells)
    registers[LINE_MINE], registers[LINE_TAKEN] = mine, taken
    registers[LINE_LENGTH], registers[ACTION] = length + 1, 0
    registers[LINE_SCORE] = -registers[LINE_SCORE]
    full = popcount(taken) == registers[ROWS] * registers[COLS]
    if registers[ONLY_VALUE] or full or has_line(mine ^ taken, registers[ROWS] + 1, registers[K]):
        registers[STAGE] = SOLVED


@inline_kernel_part
def _bounds(
    mine: int, taken: int, rows: int, cols: int, k: int, images: Array | None
) -> tuple[int, int]:
    """Return bounds of the score of a position that need no search; equal if somebody wins now."""
    stride, bottom = rows + 1, 0
    for c in range(cols):
        bottom |= 1 << c * stride
    board = bottom * ((1 << rows) - 1)
    free = board ^ taken
    left = popcount(free)
    if has_line(mine ^ taken, stride, k):
        lost = -((left + 2) >> 1)
        return lost, lost
    if threats(mine, free, stride, k) & _playable(taken, bottom, board, images):
        won = (left + 1) >> 1
        return won, won
    return -(left >> 1), max(left - 1, 0) >> 1


@kernel_part
def _score(
    work: SolverWorkspace, images: Array | None, begin: bool, mine: int, taken: int, rows: int,
    cols: int, k: int, last: int,
) -> bool:  # fmt: skip
    """Begin or continue to find the score of a position; return whether it is found.

    The result is in registers[LEAST].  It is the score for the player to move, who has `mine`, or
    one of the bounds LEAST and MOST if the score is beyond it.  The search pauses after `last`
    nodes.
    """
    stack, registers = work.stack, work.registers
    if begin:
        stride, bottom = rows + 1, 0
        for c in range(cols):
            bottom |= 1 << c * stride
        free = bottom * ((1 << rows) - 1) ^ taken
        left = popcount(free)
        stack[MINE, 1], stack[TAKEN, 1], stack[LEFT, 1] = mine, taken, left
        stack[DANGER, 1] = threats(mine ^ taken, free, stride, k)
        stack[NUMBER, 1] = _hash(mine, taken, left, bottom, stride, cols, images)
        registers[DEPTH], registers[ENTERING] = 0, 0
        least, most = registers[LEAST], registers[MOST]
        registers[PROBED_BOUND] = max(least, min(0, most - 1))
    while registers[LEAST] < registers[MOST]:
        if registers[DEPTH] == 0:
            registers[DEPTH], registers[ENTERING] = 1, 1
            stack[ALPHA, 1] = registers[PROBED_BOUND]
        if not _null_window_search(work, images, rows, cols, k, last):
            return False
        value = registers[VALUE]
        if value > registers[PROBED_BOUND]:
            registers[LEAST] = min(value, registers[MOST])
            registers[PROBED_BOUND] = min(value, registers[MOST] - 1)
        else:
            registers[MOST] = max(value, registers[LEAST])
            registers[PROBED_BOUND] = max(value, registers[LEAST] + 1) - 1
    return True


@inline_kernel_part
def _playable(taken: int, bottom: int, board: int, images: Array | None) -> int:
    """Return the cells that can be taken."""
    if images is None:
        return (taken + bottom) & board
    return board & ~taken


@inline_kernel_part
def _hash(
    mine: int, taken: int, left: int, bottom: int, stride: int, cols: int, images: Array | None
) -> int:
    """Return the hash of a position, of 64 bits; early in the game its images have the same hash.

    Later in the game, hardly any two positions are images of each other.
    """
    plies = stride * cols - cols - left
    if images is None:
        key = mine + taken + bottom
        if plies <= MIRRORED_PLIES:
            key = min(key, mirror_bits(key, stride, cols))
    else:
        key = pack_bits(mine, stride, cols) << 32 | pack_bits(taken, stride, cols)
        if plies <= TURNED_PLIES:
            for image in images:
                turned = pack_bits(permute_bits(mine, image), stride, cols) << 32
                key = min(key, turned | pack_bits(permute_bits(taken, image), stride, cols))
    return int(key * HASH_MULTIPLIER)


@inline_kernel_part
def _bucket(number: int, far: bool, log_far: int) -> Any:
    """Return the bucket of a position, in the large part of the table if it is `far`."""
    if far:
        line = (number >> (64 - log_far)) & ((1 << log_far) - 1)
    else:
        line = (1 << log_far) + ((number >> (64 - LOG_NEAR)) & MASK)
    return np.uint64(line) << ONE


@inline_kernel_part
def _probe(table: Array, line: Any, number: int) -> int:
    """Return the last bits of the entry of a position; a number above MASK if there is none."""
    tag = number << LOG_NEAR
    known = table[line] ^ tag
    if known & ~MASK:
        known = table[line | ONE] ^ tag
    return known


@inline_kernel_part
def _store(table: Array, line: Any, number: int, left: int, low: int, high: int) -> None:
    """Store the bounds of a position in its bucket of the table."""
    tag = number << LOG_NEAR
    entry = tag | left >> 1 << 12 | (32 - high) << 6 | low + 32
    old = table[line]
    if (old ^ tag) & ~MASK == 0:
        table[line] = entry
    elif (old & MASK) >> 12 <= left >> 1:
        table[line | ONE] = old
        table[line] = entry
    else:
        table[line | ONE] = entry


@inline_kernel_part
def _move_to_front(stack: Array, first: Any, end: Any) -> None:
    """Move the first move of the highest rank to the front."""
    tries, made_by, ranks, keys = stack[MOVE], stack[THREATS], stack[RANK], stack[KEY]
    best = first
    for t in range(first + ONE, end):
        best = t if ranks[t] > ranks[best] else best
    tries[first], tries[best] = tries[best], tries[first]
    made_by[first], made_by[best] = made_by[best], made_by[first]
    keys[first], keys[best] = keys[best], keys[first]
    ranks[best] = ranks[first]


@kernel_part
def _null_window_search(
    work: SolverWorkspace, images: Array | None, rows: int, cols: int, k: int, last: int
) -> bool:
    """Continue the test whether the score is above ALPHA of column 1; return whether it is done.

    The result is in registers[VALUE]: a lower bound of the score that is above ALPHA, or an upper
    bound that is not.
    """
    stack, table, registers = work.stack, work.table, work.registers
    least, log_far = registers[FAR], registers[LOG_FAR]
    stride = rows + 1
    bottom = 0
    for c in range(cols):
        bottom |= 1 << c * stride
    board = bottom * ((1 << rows) - 1)
    upper = upper_cells(rows, bottom)
    mines, takens, dangers = stack[MINE], stack[TAKEN], stack[DANGER]
    alphas, lefts, numbers = stack[ALPHA], stack[LEFT], stack[NUMBER]
    lows, highs, bests = stack[LOW], stack[HIGH], stack[BEST]
    nexts, ends = stack[NEXT], stack[END]
    tries, made_by, ranks, keys = stack[MOVE], stack[THREATS], stack[RANK], stack[KEY]
    width = np.uint64(cols if images is None else rows * cols)
    depth, nodes = np.uint64(registers[DEPTH]), registers[NODES]
    value, entering = registers[VALUE], registers[ENTERING]
    while depth:
        mine, taken = mines[depth], takens[depth]
        alpha, left = alphas[depth], lefts[depth]
        # Down: a new node gets a value immediately if possible; otherwise its moves are ranked.
        if entering:
            if nodes >= last:
                break
            nodes += 1
            entering = 0
            # If the opponent threatens a cell that can be played, the player must play it, and must
            # not play below a threatened cell.  If no move remains, the player loses.
            possible = _playable(taken, bottom, board, images)
            danger = dangers[depth] & ~taken
            forced = possible & danger
            if forced:
                possible = forced
            safe = possible
            if images is None:
                safe &= ~(danger >> 1)
            if safe == 0 or forced & (forced - 1):
                value = -(left >> 1)
                depth -= ONE
                continue
            if left <= 2:
                value = 0
                depth -= ONE
                continue
            # From here on, nobody wins with this move or the next one.
            low, high = -((left - 2) >> 1), (left - 1) >> 1
            number = numbers[depth]
            known = _probe(table, _bucket(number, left >= least, log_far), number)
            if known & ~MASK == 0:
                low, high = max(low, (known & 63) - 32), min(high, 32 - (known >> 6 & 63))
            if low > alpha or high <= alpha:
                value = low if low > alpha else high
                depth -= ONE
                continue
            # A player without a line left cannot win.  In Connect Four a line in a column does not
            # count, because the opponent can always play on top of it in time.  The opponent's
            # lines were tested one move before.
            theirs = mine ^ taken
            if images is None:
                hope = alpha < 0 or left > FEW or has_line_across(board ^ theirs, stride, k)
            else:
                hope = alpha < 0 or has_line(board ^ theirs, stride, k)
            if not hope:
                value = 0
                depth -= ONE
                continue
            # The moves that make the most threats come first.  As long as most cells are free, they
            # are followed by moves on cells with many lines, above all lines that can still be
            # filled; then by moves in the middle and, with an odd number of cells left, by the
            # replies of `follow_up`.
            early = left >= EARLY
            worth = (
                CELL_WEIGHTS + 128
                if early or images is not None
                else CELL_WEIGHTS + (left & 1) * 64
            )
            mirror = images is None and rows * cols - left < MIRRORED_PLIES
            base = image = theirs + taken + bottom
            if mirror:
                image = mirror_bits(base, stride, cols)
            first = depth * width
            end = first
            value = -64
            rest = safe
            while rest:
                move = rest & -rest
                rest ^= move
                taken_then = taken | move
                made = threats(mine | move, board ^ taken_then, stride, k)
                must = made & _playable(taken_then, bottom, board, images)
                twice = must & (must - 1)
                if images is None:
                    twice |= must & made >> 1  # one above another
                if twice:  # won
                    value = (left - 1) >> 1
                    break
                # Is the bound of the follow-up strategy sufficient?
                if images is None:
                    limit = -alpha - 1
                    bound = follow_up(theirs, taken_then, made, limit, upper, bottom, rows, k)
                    if bound <= limit:
                        value = -bound
                        break
                bit = lowest_bit(move)
                rank = THREAT_RANK * popcount(made) + registers[worth + bit]
                if early and images is None:
                    rank += 2 * open_lines(board ^ theirs, move, stride, k)
                    rank += open_lines(board ^ mine, move, stride, k)
                if images is not None:
                    key = _hash(theirs, taken_then, left - 1, bottom, stride, cols, images)
                elif mirror:
                    key = min(base + move, image + registers[MIRROR + bit]) * HASH_MULTIPLIER
                else:
                    key = (base + move) * HASH_MULTIPLIER
                prefetch(table, np.int64(_bucket(key, left > least, log_far)))
                tries[end], made_by[end], ranks[end], keys[end] = move, made, rank, key
                end += ONE
            # Is the entry of a successor sufficient, before any of them is searched?
            if value <= alpha and left >= MIN_CELLS_TO_PROBE:
                for t in range(first, end):
                    known = _probe(table, _bucket(keys[t], left > least, log_far), keys[t])
                    if known & ~MASK == 0 and (known >> 6 & 63) - 32 > alpha:
                        value = (known >> 6 & 63) - 32
                        break
            if value > alpha:
                depth -= ONE
                continue
            lows[depth], highs[depth], bests[depth] = low, high, -64
            nexts[depth], ends[depth] = first + ONE, end
            _move_to_front(stack, first, end)
            move, made, number = tries[first], made_by[first], keys[first]
        # Up: the value of a move is known; it is enough for this node, or the next move is tried.
        else:
            best = max(bests[depth], -value)
            i = np.uint64(nexts[depth])
            if best > alpha or i == np.uint64(ends[depth]):
                low, high = lows[depth], highs[depth]
                if best > alpha:
                    low = max(low, best)
                else:
                    high = min(high, best)
                number = numbers[depth]
                line = _bucket(number, left >= least, log_far)
                _store(table, line, number, left, low, high)
                value = best
                depth -= ONE
                continue
            bests[depth] = best
            _move_to_front(stack, i, np.uint64(ends[depth]))
            move, made, number = tries[i], made_by[i], keys[i]
            nexts[depth] = i + ONE
        # Continue with the position after the move.
        depth += ONE
        mines[depth], takens[depth], dangers[depth] = mine ^ taken, taken | move, made
        alphas[depth], lefts[depth], numbers[depth] = -alpha - 1, left - 1, number
        entering = 1
    registers[DEPTH], registers[NODES] = depth, nodes
    registers[VALUE], registers[ENTERING] = value, entering
    return bool(depth == 0)
