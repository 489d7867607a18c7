"""The compiled `solve` compared with gamelib, BitBully, theory, and itself."""

import random
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from positions import (
    BOARDS,
    cells_left,
    from_columns,
    random_columns,
    random_position,
    random_positions,
    score,
)

import gamefast
import gamelib
from gamefast import solver
from gamefast.solver import tables_for
from gamelib import ConnectFour, Nim, TicTacToe
from gamelib.search.callbacks import Poller

FOURS = [start for start in BOARDS if isinstance(start, ConnectFour)]


def forget():
    tables_for(ConnectFour()).table[:] = 0


@pytest.fixture
def small_steps(monkeypatch):
    """Let a search look up often, and know nothing at its start."""
    monkeypatch.setattr(solver, "SLICE", 1000)
    monkeypatch.setattr(Poller, "SECONDS_PER_POLL", 0.0)
    forget()


def asked(columns):
    """Return a position, and the value and distance that are found for it."""
    result = gamefast.solve(from_columns(columns), only_value=True)
    return from_columns(columns), result.value, result.distance


def check_answers(ours, readable, state):
    for name in ("action", "value", "values", "utilities", "distance", "distances"):
        assert getattr(ours, name) == getattr(readable, name), (name, state)


def test_connect_four_results_equal_gamelib():
    for state in random_positions(200, 11, seed=3, starts=FOURS):
        if cells_left(state) > 14:  # a board on which nearly every game ends early
            continue
        readable = gamelib.solve(state)
        ours = gamefast.solve(state)
        check_answers(ours, readable, state)
        assert ours.line == readable.line, state
        assert repr(ours).split("stats")[0] == repr(readable).split("stats")[0]
        check_answers(
            gamefast.solve(state, only_value=True), gamelib.solve(state, only_value=True), state
        )


def test_nim_results_equal_gamelib():
    state = Nim((3, 4, 5), misere=True)
    assert gamefast.solve(state, only_value=True) == gamelib.solve(state, only_value=True)


# k longer than the board: nobody can win.
NOBODY_WINS = [TicTacToe(3, 3, 4), TicTacToe(5, 6, 7), TicTacToe(2, 2), TicTacToe(1, 5, 50)]
NOBODY_WINS += [ConnectFour(4, 4, 5), ConnectFour(6, 7, 8), ConnectFour(3, 3)]


@pytest.mark.parametrize("state", NOBODY_WINS, ids=repr)
def test_solvers_skip_search_if_nobody_can_win(state):
    for result in (gamefast.solve(state), gamelib.solve(state)):
        assert {bound.value for bound in result.values.values()} == {result.value} == {0}
        assert (result.distance, state.play(*result.line).is_terminal()) == (None, True)
        assert result.stats.nodes <= 3 * cells_left(state)


@pytest.mark.parametrize("start", NOBODY_WINS[:4] + NOBODY_WINS[-1:], ids=repr)
def test_searches_return_draw_if_nobody_can_win(start):
    for state in random_positions(5, 7, seed=2, starts=[start]):
        exact = [search(state).value for search in (gamelib.minimax, gamefast.alphabeta)]
        proven = gamefast.mcts(state, simulations=20_000, solver=True, share=True, rng=0)
        assert [*exact, proven.value, proven.kind] == [0, 0, 0, "exact"]


SMALL = [TicTacToe(*size) for size in [(3, 3, 3), (3, 4, 3), (4, 3, 4), (2, 5, 3), (1, 8, 2)]]
SMALL += [TicTacToe(4, 4, 4).play(5, 0, 1, 2), TicTacToe(3, 3, 1), TicTacToe(4, 4, 2)]


@pytest.mark.parametrize("start", SMALL, ids=repr)
def test_tic_tac_toe_results_equal_gamelib(start):
    for state in (start, *random_positions(20, 10, seed=5, starts=[start])):
        ours, readable = gamefast.solve(state), gamelib.solve(state)
        check_answers(ours, readable, state)
        assert ours.line == readable.line, state


def test_large_tic_tac_toe_is_solved_near_end():
    state = random_position(TicTacToe(6, 6, 4), 9, random.Random(1))
    check_answers(gamefast.solve(state), gamelib.solve(state), state)


@pytest.mark.parametrize(("plies", "count"), [(10, 3), (14, 60), (20, 300), (28, 600)])
def test_connect_four_scores_equal_bitbully(plies, count):
    bitbully = pytest.importorskip("bitbully", reason="BitBully is not installed")
    agent = bitbully.BitBully(opening_book=None)
    rng = random.Random(plies)
    for _ in range(count):
        state, columns = random_columns(plies, rng)
        result = gamefast.solve(state, only_value=True)
        assert score(state, result.value, result.distance) == agent.mtdf(bitbully.Board(columns))


def test_stopped_search_counts_its_nodes():
    looks = iter([False, False, True])
    result = gamefast.solve(ConnectFour(), stop=lambda: next(looks))
    assert result.stopped
    assert (result.values, result.action) == ({}, 0)  # nothing is known yet: the first action
    assert result.stats.nodes > 100_000


@pytest.mark.usefixtures("small_steps")
def test_stopped_search_returns_known_scores():
    state = from_columns("444333226655")
    shares = []
    result = gamefast.solve(
        state, progress=lambda *seen: shares.append(seen), stop=lambda: bool(shares[-1][0])
    )
    whole = gamefast.solve(state)
    assert result.stopped
    assert shares[-1][1] == result.action
    assert 0 < len(result.values) < len(whole.values)
    assert all(whole.values[action] == bound for action, bound in result.values.items())


@pytest.mark.usefixtures("small_steps")
def test_stop_during_line_keeps_all_scores(monkeypatch):
    monkeypatch.setattr(solver, "SLICE", 1)
    state, shares = from_columns("4443332266551"), [0.0]
    cut = gamefast.solve(
        state, progress=lambda share, _: shares.append(share), stop=lambda: shares[-1] == 1
    )
    whole = gamefast.solve(state)
    assert 0 < len(cut.line) < len(whole.line)
    assert replace(cut, line=whole.line, stats=whole.stats) == whole


@pytest.mark.usefixtures("small_steps")
def test_progress_grows_with_each_action():
    seen = []
    result = gamefast.solve(from_columns("444333226655"), progress=lambda *now: seen.append(now))
    shares = [share for share, _ in seen]
    assert shares == sorted(shares)
    assert len(set(shares)) > 1
    assert 0 <= shares[0] < shares[-1] <= 1
    assert all(best in result.values for share, best in seen if share)


# The first player wins, loses, or draws on boards of 4, 5, ... columns, by rows: the quick ones of
# Tromp's table (tromp.github.io/c4/c4.html).
OUTCOMES = {4: "==-=", 5: "===", 6: "==-", 7: "==", 9: "=", 10: "=", 11: "="}


@pytest.mark.parametrize("rows", OUTCOMES)
def test_outcomes_of_other_boards_are_known(rows):
    values = [
        gamefast.solve(ConnectFour(rows, cols), only_value=True).value
        for cols, _ in enumerate(OUTCOMES[rows], start=4)
    ]
    assert "".join("=+-"[int(value)] for value in values) == OUTCOMES[rows]


@pytest.mark.usefixtures("small_steps")
def test_nested_searches_keep_their_results():
    whole, other = from_columns("444333226655"), from_columns("2737454435336")
    expected, inside = gamefast.solve(whole), []
    forget()
    found = gamefast.solve(whole, progress=lambda *_: inside.append(gamefast.solve(other)))
    check_answers(found, expected, whole)
    assert len(inside) > 10
    assert {each.value for each in inside} == {0}


def test_short_slices_keep_results(monkeypatch):
    state = from_columns("3642756176")
    forget()
    whole = gamefast.solve(state, only_value=True)
    forget()
    monkeypatch.setattr(solver, "SLICE", 100)

    paused = gamefast.solve(state, only_value=True, stop=lambda: False)
    assert paused == whole
    assert whole.stats.nodes > 10_000


def test_concurrent_searches_keep_their_results():
    forget()
    columns = ["444333226655", "2737454435", "2737454435336"] * 2
    with ThreadPoolExecutor(3) as pool:
        at_once = list(pool.map(lambda each: score(*asked(each)), columns))
    assert at_once == [score(*asked(each)) for each in columns]
