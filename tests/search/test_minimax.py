from collections import Counter
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamelib import (
    COUNTING,
    Bound,
    GameState,
    GameTree,
    SearchResult,
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


def test_the_independent_program_knows_the_known_counts():
    values = [max(brute_force(board).values()) for board in boards()]
    assert Counter(values) == {1: 2_836, 0: 1_052, -1: 632}


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


@pytest.mark.parametrize(
    ("opening", "safe"), [(0, {4}), (4, {0, 2, 6, 8}), (1, {0, 2, 4, 7}), (8, {4})]
)
def test_the_safe_replies_to_an_opening(opening, safe):
    result = minimax(TicTacToe().play(opening))
    assert {action for action, bound in result.values.items() if bound.value == 0} == safe


@both
def test_the_values_are_those_of_the_turned_board(search):
    turned = {0: 2, 1: 5, 2: 8, 3: 1, 4: 4, 5: 7, 6: 0, 7: 3, 8: 6}
    actions = (1, 4, 8)
    here = search(TicTacToe().play(*actions)).values
    there = search(TicTacToe().play(*(turned[a] for a in actions))).values
    assert {turned[action]: bound for action, bound in here.items()} == there


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


@both
def test_the_second_player_minimizes_for_the_first(search):
    result = search(GameTree([3, 12, 8], players=[1]))
    assert (result.action, result.value, result.utilities) == (0, -3, (3, -3))


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
    assert minimax(state).values == negamax(state).values == exact(truth)


@given(TREES, TURNS)
def test_minimax_and_negamax_return_the_same(tree, turns):
    state = GameTree(tree, turns)
    assert minimax(state) == negamax(state)


@given(TREES, TURNS)
def test_the_line_leads_to_the_value(tree, turns):
    state = GameTree(tree, turns)
    result = minimax(state)
    assert state.play(*result.line).utility(state.current_player) == result.value


@both
def test_a_player_who_moves_twice_keeps_the_sign(search):
    # Player 0 moves at depths 0 and 1, so the best of all four leaves is theirs.
    result = search(GameTree([[1, 9], [5, 2]], players=[0, 0]))
    assert (result.value, result.line) == (9, (0, 1))


@both
def test_ties_go_to_the_first_action(search):
    assert search(GameTree([[1], [5], [5], [5]])).action == 1


# Depth and evaluation


def last_cells(state, player):
    """Return an arbitrary estimate, antisymmetric as negamax needs it."""
    mine = sum(state.cell(*divmod(cell, 3)) == player for cell in (0, 1, 5))
    theirs = sum(state.cell(*divmod(cell, 3)) == 1 - player for cell in (0, 1, 5))
    return (mine - theirs) / 4


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


def test_minimax_asks_for_the_player_at_the_root():
    players = []
    minimax(
        TicTacToe().play(4), depth=2, evaluate=lambda state, player: players.append(player) or 0
    )
    assert set(players) == {1}


def test_negamax_asks_for_the_player_to_move():
    asked = []
    negamax(
        TicTacToe().play(4),
        depth=2,
        evaluate=lambda state, player: asked.append(player == state.current_player) or 0,
    )
    assert all(asked)


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_with_an_antisymmetric_heuristic_both_agree(depth):
    for board in boards()[::50]:
        options = {"depth": depth, "evaluate": last_cells}
        assert minimax(position(board), **options) == negamax(position(board), **options)


@both
def test_without_a_heuristic_the_limit_counts_as_unknown(search):
    assert search(TicTacToe(), depth=3).values == dict.fromkeys(range(9), Bound(0, "estimate"))


@both
def test_an_estimate_proves_nothing_about_payoffs(search):
    assert search(TicTacToe(), depth=3).utilities is None


@both
def test_an_estimate_of_no_advantage_is_never_minus_zero(search):
    result = search(TicTacToe(), depth=1, evaluate=lambda state, player: -0.0)
    assert "-0" not in repr(result)


@both
def test_an_estimate_never_outweighs_a_win(search):
    almost = search(position("XX.OO...."), depth=1, evaluate=lambda state, player: 0.999)
    assert (almost.action, almost.value) == (2, 1)


# Quick wins


def test_285_of_1904_wins_at_once_are_put_off_without_quick_wins():
    # Positions where a win at once is there, and not every action wins sooner or later.
    choices = [b for b in boards() if wins_at_once(b) and min(brute_force(b).values()) < 1]
    put_off = [b for b in choices if minimax(position(b)).action not in wins_at_once(b)]
    assert (len(put_off), len(choices)) == (285, 1_904)


@both
def test_quick_wins_takes_every_win_at_once(search):
    for board in boards():
        if wins := wins_at_once(board):
            assert search(position(board), quick_wins=True).action in wins


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
    for board in boards()[::7]:
        value, plies = with_distance(board)
        assert search(position(board), quick_wins=True).value == value * (1000 - plies)


@both
def test_quick_wins_loses_as_late_as_possible(search):
    late = search(GameTree([[-1], [[[-1]]], [[-1]]]), quick_wins=True)
    assert (late.action, late.value) == (1, 4 - 1000)


@both
def test_quick_wins_still_knows_the_payoffs(search):
    assert search(position("XX.OO...."), quick_wins=True).utilities == (1, -1)


@both
def test_quick_wins_needs_payoffs_of_one(search):
    with pytest.raises(ValueError, match=r"quick_wins needs payoffs -1, 0 and \+1"):
        search(GameTree([3, 12]), quick_wins=True)


# Progress and stop


class Clock:
    """A clock that runs on by a second whenever it is read."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        self.now += 1
        return self.now


@pytest.fixture
def clock(monkeypatch):
    monkeypatch.setattr("gamelib.search.limits.time.perf_counter", Clock())


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


def test_the_repr_shows_no_seconds():
    result = minimax(GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    assert repr(result) == (
        "SearchResult(action=0, value=3, values={0: = 3, 1: = 2, 2: = 2}, utilities=(3, -3), "
        "line=(0, 0), stats=Stats(nodes=13, leaves=9))"
    )


def test_equality_leaves_the_seconds_out():
    assert SearchResult(3, seconds=1.0) == SearchResult(3, seconds=2.0)


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (Bound(0), "= 0"),
        (Bound(0.25, "upper"), "<= 0.25"),
        (Bound(-1, "lower"), ">= -1"),
        (Bound(12_345), "= 12345"),
        (Bound(-0.0), "= 0"),
        (Bound(1 / 3), "= 0.3333"),
    ],
)
def test_a_bound_prints_as_a_comparison(bound, text):
    assert repr(bound) == text


def test_the_way_of_counting_can_be_printed():
    assert "root included" in COUNTING


def test_a_large_board_is_searched_to_a_depth():
    assert minimax(TicTacToe(20, 20, 5), depth=1).stats == Stats(nodes=401, evaluations=400)


class Line(GameState):
    """A game of one action a ply, `length` plies long."""

    num_players = 2

    def __init__(self, length, ply=0):
        self.length, self.ply, self.current_player = length, ply, ply % 2

    def legal_actions(self):
        return range(self.ply < self.length)

    def successor(self, action):
        return Line(self.length, self.ply + 1)

    def is_terminal(self):
        return self.ply == self.length

    def utilities(self):
        return (1, -1)


@both
def test_a_long_game_is_searched_without_a_recursion_error(search):
    result = search(Line(400))
    assert (result.value, len(result.line)) == (1, 400)
