"""The checks of the exercises of notebook 02; the solutions are in `reference.py`."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice, permutations
from random import Random
from typing import Any

from course.draw.wording import format_value
from course.exercises.answer_key import AnswerKey, seeded_cases
from course.exercises.check_runner import guarded
from course.exercises.error_report import safe_repr
from course.exercises.feedback import Case, Feedback
from course.exercises.run_cases import NUMBER, call_student, make_check
from course.exercises.state_space import open_positions
from course.exercises.tree_exercises import FAR_TREES, TEXTBOOK, check_leaf, uneven_tree
from gamelib.games import GameTree, TicTacToe
from gamelib.search import lines_heuristic, minimax, solve
from gamelib.state import GameState

TREES = (
    TEXTBOOK,
    GameTree([[3, 12, 8], [5, 4, 6], [14, 1, 11]]),
    GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]]),
    GameTree([[5, [4, 9]], 6]),
    GameTree([[0, 2], [-1, 3]]),
)
EXTRA_TURN_TREES = (
    GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]], players=(0, 0, 1)),
    GameTree([[[3, -9], [-10, 6]], [[4, 7], [0, -5]]], players=(0, 1, 1)),
    GameTree([[[11, -19], [-10, 16]], [[14, 17], [0, -15]]], players=(0, 1, 0, 0)),
)
_BOARDS = ("O.X/XX./OO.", ".../XOO/XOX", "XX./OO./...", "X../.O./..X", "X.O/.X./O..", "XOX/OOX/.X.")
BOARDS = tuple(map(TicTacToe.parse, _BOARDS))


def _drawn_states(rng: Random, turns: Iterable[tuple[int, ...]]) -> Iterator[GameState]:
    """Yield two random trees and a board for each order of the players, and trees far from 0."""

    def node(height: int) -> Any:
        if height == 0:
            return rng.randint(-9, 12)
        return [node(height - 1) for _ in range(rng.randint(2, 3))]

    for players in turns:
        yield GameTree(node(rng.choice((2, 3))), players=players)
        yield uneven_tree(rng.randrange(10**9), values=(-9, 12))
        yield rng.choice(open_positions(TicTacToe())[1000:])
    yield from FAR_TREES


# Section 1: one leaf is changed


def other_choice(tree: GameTree) -> Feedback:
    """Return feedback on whether max chooses another branch, with one leaf changed."""
    chosen = minimax(tree)
    found = f"max chooses branch {chosen.action}, which is worth {format_value(chosen.value)}."
    return check_leaf(tree, TEXTBOOK, found, reached=chosen.action != 0)


# Section 2: one line of minimax


@seeded_cases
def _own_cases(rng: Random) -> Iterator[Case]:
    for state in (*TREES, *BOARDS, *_drawn_states(rng, turns=[(0, 1)] * 4)):
        yield from (_own(state, player) for player in (0, 1))


def _own(state: GameState, player: int) -> Case:
    words = f"the value of {state!r} for {state.player_name(player)}"
    return Case((state, player), _exact(state, player), words, state)


check_my_value = make_check(AnswerKey("minimax", "my_value", _own_cases, make=_own), NUMBER)


# Exercise 1: minimax with a depth limit


@seeded_cases
def _limited_cases(rng: Random) -> Iterator[Case]:
    drawn = _drawn_states(rng, turns=[(0, 1), (0, 1), (0, 0, 1), (1, 1, 0)])
    for state in (*TREES, *EXTRA_TURN_TREES[:2], *BOARDS, *drawn):
        for depth in (1, 2, 3, 4):
            for player in (0, 1):
                yield _limited(state, player, depth)


def _limited(state: GameState, player: int, depth: int) -> Case:
    """Return a question; ValueError for depth 0, or if the turn does not change above a leaf."""
    if depth < 1 or _stays_at_a_leaf(state):
        raise ValueError(
            "depth must be 1 or more, and the turn must change above every leaf of state; "
            f"got depth {depth} and {state!r}"
        )
    value = _exact(state, player, depth)
    plies = "1 ply" if depth == 1 else f"{depth} plies"
    words = f"the value of {state!r} for {state.player_name(player)}, {plies} ahead"
    return Case((state, player, depth), value, words, state)


def _exact(state: GameState, player: int, depth: int | None = None) -> Any:
    """Return the library's value of a state, terminal or not; 0 at the depth limit."""
    if state.is_terminal():
        return state.utility(player)
    if depth == 0:
        return 0
    value: Any = minimax(state, depth=depth).value
    return value if player == state.current_player else -value


check_limited_minimax = make_check(
    AnswerKey("minimax", "limited_minimax", _limited_cases, make=_limited), NUMBER
)


# Exercise 2: negamax


@seeded_cases
def _negamax_cases(rng: Random) -> Iterator[Case]:
    trees = (*TREES, *(tree.play(1) for tree in TREES), *EXTRA_TURN_TREES)
    drawn = _drawn_states(rng, turns=[(0, 1), (1, 0), (0, 0, 1), (0, 0, 1)])
    for state in (*trees, *BOARDS, *drawn):
        yield _negamax_case(state)


def _negamax(state: GameState) -> Case:
    """Return a smaller question; ValueError if the turn does not change above a leaf.

    A drawing does not show the player to move at a leaf.
    """
    if _stays_at_a_leaf(state):
        raise ValueError("state must be a tree in which the turn changes above every leaf")
    return _negamax_case(state)


def _stays_at_a_leaf(state: GameState) -> bool:
    children = map(state.successor, state.legal_actions())
    return any(
        child.current_player == state.current_player
        if child.is_terminal()
        else _stays_at_a_leaf(child)
        for child in children
    )


def _negamax_case(state: GameState) -> Case:
    player = state.current_player
    words = f"the value of {state!r} for {state.player_name(player)}, who moves"
    return Case((state,), _exact(state, player), words, state)


NEGAMAX = AnswerKey("minimax", "negamax_value", _negamax_cases, make=_negamax)

check_negamax = make_check(NEGAMAX, NUMBER, "check_negamax")


# Exercise 3: a heuristic for boards of every size

OUT_OF_RANGE_MESSAGE = (
    "Divide by a number that is larger than any it can reach. A larger board has more lines, so "
    "that number must grow with the board."
)
SAME_FOR_BOTH_MESSAGE = (
    "Both get the same. Does it look at `player`, and does it tell an empty cell from one of the "
    "opponent?"
)
ASYMMETRY_MESSAGE = "Count the same for both players, with the same weights: mine minus theirs."
FLOORED_MESSAGE = "`//` rounds down, for one player more than for the other: divide with `/`."
REVERSED_MESSAGE = "It prefers what is bad for `player`: mine minus theirs, not theirs minus mine."
IGNORES_LINES_MESSAGE = "In how many lines of this board can X still win, and in how many can O?"
IGNORES_CELLS_MESSAGE = (
    "In your program it makes no difference where a mark is. " + IGNORES_LINES_MESSAGE
)
SIZES = (
    *(TicTacToe(), TicTacToe(4, 4, 4), TicTacToe(3, 5, 3), TicTacToe(5, 3, 3)),
    *(TicTacToe(6, 7, 4), TicTacToe(10, 10, 3)),
)
DIRECTIONS = ((0, 1), (1, 0), (1, 1), (1, -1))


@guarded
def check_heuristic(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `evaluate(state, player)` for tic-tac-toe of several sizes.

    It must return a number inside (-1, 1) that is the same for both players except for its sign,
    and must prefer positions in which the player has more open lines.
    """
    positions = _positions()
    unfair = asymmetry_feedback(function, positions)
    return check_preference(function, len(positions)) if unfair is None else unfair


def asymmetry_feedback(
    function: Callable[..., Any], states: Iterable[GameState]
) -> Feedback | None:
    """Return feedback on a value outside (-1, 1), or two whose sum is not 0, or None."""
    for state in states:
        mine, theirs = (worth(function, state, player) for player in (0, 1))
        if not -1 < mine < 1:
            message = (
                f"{mine:.3g} is outside (-1, 1): it can outweigh a win. {OUT_OF_RANGE_MESSAGE}"
            )
            return Feedback(False, message, state)
        if abs(mine + theirs) > 1e-9:
            message = f"X gets {mine:.3g} and O gets {theirs:.3g}: they must sum to 0."
            rounded = mine.is_integer() and theirs.is_integer()
            why = (
                SAME_FOR_BOTH_MESSAGE
                if mine == theirs
                else FLOORED_MESSAGE
                if rounded
                else ASYMMETRY_MESSAGE
            )
            return Feedback(False, f"{message} {why}", state)
    return None


@seeded_cases
def _positions(rng: Random) -> Iterator[TicTacToe]:
    """Yield every fourth position of 3 x 3, and games on other boards, some of random sizes.

    Terminal states are left out, because no search calls a heuristic on one.
    """
    yield from open_positions(TicTacToe())[rng.randrange(4) :: 4]
    for state in (*SIZES[1:], *_drawn_boards(rng)):
        yield from _one_sided_game(state)
    for state in (*SIZES[1:4] * 12, SIZES[4], *_drawn_boards(rng)):
        while not state.is_terminal():
            yield state
            state = state.successor(rng.choice(state.legal_actions()))


def _drawn_boards(rng: Random) -> Iterator[TicTacToe]:
    """Yield three boards of random sizes from 3 to 9, with 3 to 5 in a row."""
    for k in (3, 4, 5):
        yield TicTacToe(rng.randint(3, 9), rng.randint(k, 9), k)


def _one_sided_game(state: TicTacToe) -> Iterator[TicTacToe]:
    """Yield the positions of a game in which X leads by as many open lines as possible.

    X takes the cell that closes the most lines for O, O the one that closes the fewest for X, and
    nobody wins.
    """
    through = {cell: _cells_of_lines(state, cell) for cell in state.legal_actions()}
    taken: tuple[set[int], set[int]] = (set(), set())
    while not state.is_terminal():
        if state.current_player == 1:
            yield state
        quiet = [a for a in state.legal_actions() if not state.successor(a).is_terminal()]
        if not quiet:
            return
        own = taken[state.current_player]
        closed = {cell: sum(map(own.isdisjoint, through[cell])) for cell in quiet}
        choose = max if state.current_player == 0 else min
        own.add(cell := choose(quiet, key=closed.__getitem__))
        state = state.successor(cell)


def _cells_of_lines(
    state: TicTacToe, cell: int, directions: Iterable[tuple[int, int]] = DIRECTIONS
) -> list[set[int]]:
    """Return the lines of k cells through a cell, each as a set of cells."""
    row, col = divmod(cell, state.cols)
    return [
        {cell + (j - i) * (down * state.cols + right) for j in range(state.k)}
        for down, right in directions
        for i in range(state.k)
        if _room(state, row - i * down, col - i * right, (down, right))
    ]


def _room(state: TicTacToe, row: int, col: int, step: tuple[int, int]) -> bool:
    """Return whether a line of k cells that begins at a cell fits on the board."""
    last = row + (state.k - 1) * step[0], col + (state.k - 1) * step[1]
    return all(0 <= r < state.rows and 0 <= c < state.cols for r, c in ((row, col), last))


def worth(function: Callable[..., Any], state: GameState, player: int) -> float:
    """Return the value of a heuristic at a position for a player."""
    words = f"the value of this position for {state.player_name(player)}"
    return float(call_student(function, Case((state, player), None, words, state), NUMBER))


def check_preference(function: Callable[..., Any], positions: int) -> Feedback:
    """Return feedback on pairs of positions, of which X has more open lines in the first.

    positions  the number of those on which the heuristic was found to be fair to both players
    """
    pairs = [
        (board.play(strong, weak), board.play(weak, strong)) for board, strong, weak in _better()
    ]
    gains = [worth(function, good, 0) - worth(function, bad, 0) for good, bad in pairs]
    for (good, bad), gain in zip(pairs, gains, strict=True):
        if gain <= 0:
            message = f"X is better off in {good!r} than in {bad!r}, but gets no higher value."
            why = (
                REVERSED_MESSAGE
                if max(gains) < 0
                else IGNORES_LINES_MESSAGE
                if any(gains)
                else IGNORES_CELLS_MESSAGE
            )
            return Feedback(False, f"{message} {why}", good)
    return Feedback(
        True,
        f"inside (-1, 1) and antisymmetric on all {positions:,} positions of boards from 3 x 3 to "
        "10 x 10.",
    )


@seeded_cases
def _better(rng: Random) -> Iterator[tuple[TicTacToe, int, int]]:
    """Yield boards with two cells each, of which the first is in more lines.

    Each direction has a pair that a program without this direction gets wrong, if there is one.
    """
    for board in (*SIZES, *_drawn_boards(rng)):
        cells = board.legal_actions()
        lines = {
            cell: [len(_cells_of_lines(board, cell, [step])) for step in DIRECTIONS]
            for cell in cells
        }
        pairs = [
            (one, two, [a - b for a, b in zip(lines[one], lines[two], strict=True)])
            for one, two in permutations(rng.sample(cells, min(len(cells), 40)), 2)
        ]
        for n in range(len(DIRECTIONS)):
            needed = ((one, two) for one, two, more in pairs if 0 < sum(more) <= more[n])
            yield from ((board, one, two) for one, two in islice(needed, 2))


# Exercise 4: deeper and worse

# Orders positions like the notebook's `open_lines`, which divides the lead by 100.
OPEN_LINES = lines_heuristic(weights=(1,))


@guarded
def check_deeper(state: GameState, shallow: int, deep: int) -> Feedback:
    """Return feedback on a position in which the deeper search chooses the worse action.

    Both searches are minimax with the number of open lines as heuristic.  The choice of the shallow
    one must be optimal, that of the deep one not.
    """
    if not _is_small(state):
        words = f"give a tic-tac-toe position of 3 x 3 cells, two players; got {safe_repr(state)}."
        return Feedback(False, words)
    if state.is_terminal():
        return Feedback(False, "this game is over; nobody has to choose.", state)
    if any(type(depth) is not int for depth in (shallow, deep)) or not 1 <= shallow < deep <= 8:
        words = f"the depths must be ints, 1 to 8, the first one smaller; got {safe_repr(shallow)}"
        return Feedback(False, f"{words} and {safe_repr(deep)}.")
    truth = solve(state)
    chosen = [minimax(state, depth=d, evaluate=OPEN_LINES).action for d in (shallow, deep)]
    early, late = (truth.values[action].value for action in chosen)
    plies = "1 ply" if shallow == 1 else f"{shallow} plies"
    found = (
        f"looking {plies} ahead chooses {chosen[0]}, of true value {early}; "
        f"{deep} plies ahead chooses {chosen[1]}, of true value {late}"
    )
    if early != truth.value or late == truth.value:
        wanted = "the first must be as good as any, the second must not"
        return Feedback(False, f"{found}: {wanted}.", state, attempted=state != TicTacToe())
    return Feedback(True, f"{found}.", state)


def _is_small(state: object) -> bool:
    if not isinstance(state, TicTacToe):
        return False
    return (state.rows, state.cols, state.k, state.num_players) == (3, 3, 3, 2)
