"""The compiled minimax and alpha-beta return the results of gamelib, counts included."""

import random
from importlib import import_module

import pytest
from positions import cells_left, random_positions

import gamefast
import gamelib
from gamelib import (
    ConnectFour,
    Nim,
    TicTacToe,
    centre_first,
    lines_heuristic,
    open_lines,
    open_windows,
    preferred,
    windows_heuristic,
)
from tests.messages import names

HEURISTICS = [
    None,
    open_lines,
    open_windows,
    windows_heuristic(weights=(1, 10, 50)),
    lines_heuristic(weights=(0.1, 0.37, 1.7), scale=0.7),
]


both = pytest.mark.parametrize("name", ["minimax", "alphabeta"])


def random_options(name, state, rng):
    left = cells_left(state)
    options = {
        "depth": None if left <= 6 and rng.random() < 0.5 else rng.randint(1, 3 if left > 8 else 9),
        "evaluate": rng.choice(HEURISTICS),
        "quick_wins": rng.random() < 0.5,
    }
    if name == "alphabeta":
        actions = range(state.cols if isinstance(state, ConnectFour) else state.rows)
        some = preferred(*rng.sample(actions, min(4, len(actions))))
        options["order"] = rng.choice([None, centre_first, some])
        options |= {"strict": rng.random() < 0.5, "all_best": rng.random() < 0.3}
    return options


def check_same(name, state, **options):
    """Compare all that both tiers say of a position."""
    ours, readable = (getattr(tier, name)(state, **options) for tier in (gamefast, gamelib))
    assert ours == readable, (state, options)
    assert list(ours.values) == list(readable.values), (state, options)
    assert repr(ours) == repr(readable), (state, options)


@pytest.mark.parametrize(
    ("name", "count", "most_left"), [("minimax", 300, 10), ("alphabeta", 400, 14)]
)
def test_results_equal_gamelib(name, count, most_left):
    rng = random.Random(2)
    for state in random_positions(count, most_left, seed=2):
        check_same(name, state, **random_options(name, state, rng))


class Mine(TicTacToe):
    """A game that machine code does not know."""


@both
@pytest.mark.parametrize(
    ("state", "error", "said"),
    [
        (Mine(), TypeError, "ConnectFour with .* Nim"),
        (TicTacToe(20, 20, 5), TypeError, "plays ConnectFour"),
        (Nim((1, 2)), TypeError, "by mcts and solve, Nim"),
        (TicTacToe(num_players=3), ValueError, "two players"),
    ],
)
def test_unsupported_state_raises(name, state, error, said):
    with pytest.raises(error, match=said):
        getattr(gamefast, name)(state, depth=1)


def test_uncompiled_heuristic_or_order_raises():
    with pytest.raises(ValueError, match=names("evaluate must be None or")):
        gamefast.minimax(TicTacToe(), evaluate=lambda state, player: 0)
    with pytest.raises(ValueError, match=names("order must be None or centre_first")):
        gamefast.alphabeta(TicTacToe(), order=lambda state, actions: actions)


@both
def test_stop_returns_best_so_far(name):
    looks = iter([False, False, True])
    result = getattr(gamefast, name)(ConnectFour(), depth=30, stop=lambda: next(looks))
    assert result.stopped
    assert result.action in ConnectFour().legal_actions()


DEEP = {  # boards, and their first actions, that a readable search can follow so deep
    "minimax": [
        (ConnectFour(7, 2, 4), ()),
        (ConnectFour(4, 4, 4), (0, 1, 0, 1, 0, 0)),
        (ConnectFour(2, 7, 4), (0, 1, 2, 3, 4, 5)),
        (TicTacToe(4, 4, 4), (0, 1, 2, 4, 8, 5, 9, 7, 3)),
    ],
    "alphabeta": [
        (ConnectFour(7, 2, 4), ()),
        (ConnectFour(3, 4, 4), ()),
        (ConnectFour(4, 5, 4), (2, 2, 2, 2, 1, 3)),
        (TicTacToe(4, 4, 4), (0, 1, 2, 4, 8, 5, 9)),
    ],
}


def deep_searches():
    for name, boards in DEEP.items():
        for board, actions in boards:
            for depth in (10, 13):
                yield name, board.play(*actions), {"depth": depth}
        for depth in (11, 13):
            for option in [{"quick_wins": True}, {"evaluate": open_lines}]:
                yield name, boards[1][0].play(*boards[1][1]), {"depth": depth, **option}
    state = DEEP["alphabeta"][1][0]
    for option in [{"all_best": True}, {"order": centre_first}]:
        for depth in (11, 13):
            yield "alphabeta", state, {"depth": depth, **option}
    # Strict cuts are so rare that on the empty board of four columns they take seconds.
    for board in (state.play(1, 2), DEEP["alphabeta"][0][0]):
        for depth in (8, 11, 13):
            yield "alphabeta", board, {"depth": depth, "strict": True}


@pytest.mark.parametrize(("name", "state", "options"), list(deep_searches()))
def test_counts_equal_gamelib_to_depth_13(name, state, options):
    check_same(name, state, **options)


@both
def test_counts_do_not_depend_on_earlier_searches(name):
    search, positions = (
        getattr(gamefast, name),
        [board.play(*played) for board, played in DEEP[name]],
    )
    asked = [(state, depth) for state in positions for depth in (11, 13)]
    alone = {each: search(each[0], depth=each[1]).stats for each in asked}
    for seed in range(3):
        for state, depth in random.Random(seed).sample(asked, len(asked)):
            gamefast.alphabeta(TicTacToe(), all_best=True)
            assert search(state, depth=depth).stats == alone[state, depth]


@both
def test_short_slices_keep_results(name, monkeypatch):
    monkeypatch.setattr(import_module("gamefast.alphabeta_search"), "SLICE", 3)
    for state in (TicTacToe().play(0, 4), ConnectFour(3, 4, 3).play(0, 0, 1)):
        check_same(name, state)
