from functools import cache
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelib import (
    Bound,
    GameTree,
    Nim,
    Stats,
    TicTacToe,
    minimax,
    negamax,
)

both = pytest.mark.parametrize("search", [minimax, negamax])

LINES = ["012", "345", "678", "036", "147", "258", "048", "246"]


# Tic-tac-toe by an independent program: a board is a string of nine characters.


def won(board, mark):
    return any(all(board[int(cell)] == mark for cell in line) for line in LINES)


@cache
def brute_force(board):
    """Return {cell: value for the player to move} of a board that is not over."""
    mover, other = ("X", "O") if board.count("X") == board.count("O") else ("O", "X")
    values = {}
    for cell in [i for i in range(9) if board[i] == "."]:
        after = board[:cell] + mover + board[cell + 1 :]
        if won(after, mover):
            values[cell] = 1
        elif "." not in after:
            values[cell] = 0
        else:
            values[cell] = -max(brute_force(after).values())
        assert not won(board, other)
    return values


def boards():
    """Return every board that can arise and is not over."""
    found, queue = {"." * 9}, ["." * 9]
    while queue:
        board = queue.pop()
        mover = "X" if board.count("X") == board.count("O") else "O"
        for cell in brute_force(board):
            after = board[:cell] + mover + board[cell + 1 :]
            if after not in found and "." in after and not won(after, mover):
                found.add(after)
                queue.append(after)
    return sorted(found)


def position(board):
    return TicTacToe.parse(f"{board[:3]}/{board[3:6]}/{board[6:]}")


def exact(values):
    return {action: Bound(value) for action, value in values.items()}


@both
def test_all_4520_positions_agree_with_an_independent_program(search):
    for board in boards():
        result, truth = search(position(board)), brute_force(board)
        assert result.values == exact(truth), board
        assert (result.action, result.value) == (max(truth, key=truth.get), max(truth.values()))


@both
def test_the_empty_board(search):
    result = search(TicTacToe())
    assert result.stats == Stats(nodes=549_946, leaves=255_168)
    assert result.values == exact(dict.fromkeys(range(9), 0))
    assert (result.action, result.value, result.utilities) == (0, 0, (0, 0))


# Textbook trees


@both
@pytest.mark.parametrize(
    ("text", "value", "nodes", "line"),
    [
        ("[3 12 8] [2 4 6] [14 5 2]", 3, 13, (0, 0)),
        ("[3 12 8] [5 4 6] [14 1 11]", 4, 13, (1, 1)),
        ("[10] [10 0]", 10, 6, (0, 0)),
        ("[[3 9] [10 6]] [[4 7] [0 5]]", 9, 15, (0, 0, 1)),
    ],
)
def test_a_textbook_tree(search, text, value, nodes, line):
    result = search(GameTree.parse(text))
    assert (result.value, result.stats.nodes, result.line) == (value, nodes, line)
    assert result.utilities == (value, -value)


TURNS = st.none() | st.lists(st.integers(0, 1), min_size=1, max_size=3)
LEAVES = st.integers(-2, 2)
NODES = st.recursive(LEAVES, lambda inner: st.lists(inner, min_size=1, max_size=4), max_leaves=30)
TREES = st.lists(NODES, min_size=1, max_size=4)


def tree_value(tree, turns, ply=0):
    """Return the value for player 0 of nested lists."""
    if not isinstance(tree, list):
        return tree
    choose = max if turns[ply % len(turns)] == 0 else min
    return choose(tree_value(child, turns, ply + 1) for child in tree)


@given(TREES, TURNS)
def test_random_trees_agree_with_the_definition(tree, turns):
    state, sign = GameTree(tree, turns), 1 if (turns or [0])[0] == 0 else -1
    truth = {i: sign * tree_value(node, turns or [0, 1], 1) for i, node in enumerate(tree)}
    result = minimax(state)
    assert result == negamax(state)
    assert result.values == exact(truth)
    assert result.action == max(truth, key=truth.get)
    assert state.play(*result.line).utility(state.current_player) == result.value


# Depth and evaluation


@both
@pytest.mark.parametrize(
    ("depth", "nodes", "leaves", "evaluations"),
    [(1, 10, 0, 9), (2, 82, 0, 72), (5, 18_730, 1_440, 13_680)],
)
def test_the_counts_at_a_depth(search, depth, nodes, leaves, evaluations):
    stats = search(TicTacToe(), depth=depth).stats
    assert stats == Stats(nodes=nodes, leaves=leaves, evaluations=evaluations)


@both
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_heuristic_is_asked_at_the_limit_only(search, depth):
    asked = []

    def evaluate(state, player):
        asked.append(state)
        return 0

    start = TicTacToe().play(4, 0, 2)
    search(start, depth=depth, evaluate=evaluate)
    assert asked
    assert {str(state).count(".") for state in asked} == {6 - depth}
    assert not any(state.is_terminal() for state in asked)


@both
def test_a_depth_beyond_the_end_asks_no_heuristic(search):
    start = position("XOX.O..X.")
    deep = search(start, depth=50, evaluate=lambda state, player: 1 / 0)
    assert deep == search(start)


@pytest.mark.parametrize(("search", "root"), [(minimax, True), (negamax, False)])
def test_who_is_asked_for(search, root):
    """Minimax asks for the player at the root, negamax for the one to move."""
    asked = []

    def evaluate(state, player):
        asked.append(player == (1 if root else state.current_player))
        return 0

    for depth in (1, 2):
        search(TicTacToe().play(4), depth=depth, evaluate=evaluate)
    assert all(asked)


@both
def test_an_estimate_never_outweighs_a_win(search):
    almost = search(position("XX.OO...."), depth=1, evaluate=lambda state, player: 0.999)
    assert (almost.action, almost.value) == (2, 1)


@both
def test_a_long_game_is_searched_without_a_recursion_error(search):
    result = search(Nim((400,), max_take=1))
    assert (result.value, len(result.line)) == (-1, 400)


# Quick wins


def wins_at_once(board):
    mover = "X" if board.count("X") == board.count("O") else "O"
    return [c for c in brute_force(board) if won(board[:c] + mover + board[c + 1 :], mover)]


@cache
def with_distance(board):
    """Return (value, plies to the end) where a winner hurries and a loser delays."""
    mover = "X" if board.count("X") == board.count("O") else "O"
    scores = []
    for cell, value in brute_force(board).items():
        after = board[:cell] + mover + board[cell + 1 :]
        over = won(after, mover) or "." not in after
        plies = 1 if over else 1 + with_distance(after)[1]
        scores.append((value, -plies if value > 0 else plies))
    value, plies = max(scores)
    return value, abs(plies)


@both
def test_quick_wins_scores_1000_less_the_plies_to_the_end(search):
    for board in boards():
        value, plies = with_distance(board)
        result = search(position(board), quick_wins=True)
        assert result.value == value * (1000 - plies)
        assert result.utilities in ((value, -value), (-value, value))
        assert value < 1 or plies > 1 or result.action in wins_at_once(board)


@both
def test_quick_wins_needs_payoffs_of_one(search):
    with pytest.raises(ValueError, match=r"quick_wins needs payoffs -1, 0 and \+1"):
        search(GameTree([3, 12]), quick_wins=True)


# Progress and stop


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr("gamelib.search.limits.time.perf_counter", count().__next__)


@both
@pytest.mark.usefixtures("clock")
def test_progress_grows_and_names_the_best_so_far(search):
    reports = []
    result = search(
        GameTree([[1, 2], [5, 6], [3, 4]]), progress=lambda *report: reports.append(report)
    )
    assert reports == [(0, None), (0, None), (1 / 3, 0), (2 / 3, 1)]
    assert not result.stopped


@both
@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("calls", range(1, 5))
def test_a_stopped_search_returns_the_best_so_far(search, calls):
    asked = []

    def stop():
        asked.append(True)
        return len(asked) == calls

    result = search(GameTree([[1, 2], [5, 6], [3, 4]]), stop=stop)
    done = {0: {}, 1: {0: 1}, 2: {0: 1, 1: 5}}[max(0, calls - 2)]
    assert (result.stopped, result.values) == (True, exact(done))
    assert result.action == max(done, key=done.get, default=0)
    assert (result.utilities, result.line) == (None, (result.action,))


# The result
