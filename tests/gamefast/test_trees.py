"""Minimax and alpha-beta as machine code give what the readable searches give, counts included."""

import random
import time
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

HEURISTICS = [
    None,
    open_lines,
    open_windows,
    windows_heuristic(weights=(1, 10, 50)),
    lines_heuristic(weights=(0.1, 0.37, 1.7), scale=0.7),
]


def random_options(state, rng):
    left = cells_left(state)
    return {
        "depth": None if left <= 6 and rng.random() < 0.5 else rng.randint(1, 3 if left > 8 else 9),
        "evaluate": rng.choice(HEURISTICS),
        "quick_wins": rng.random() < 0.5,
    }


def check_same(ours, readable, *about):
    assert ours == readable, about
    assert list(ours.values) == list(readable.values), about
    assert repr(ours) == repr(readable), about


def test_minimax_is_the_readable_one():
    rng = random.Random(1)
    for state in random_positions(300, 10, seed=1):
        options = random_options(state, rng)
        check_same(
            gamefast.minimax(state, **options), gamelib.minimax(state, **options), state, options
        )


def test_alphabeta_is_the_readable_one():
    rng = random.Random(2)
    for state in random_positions(400, 14, seed=2):
        options = random_options(state, rng)
        actions = list(range(state.cols if isinstance(state, ConnectFour) else state.rows))
        rng.shuffle(actions)
        options |= {
            "order": rng.choice([None, centre_first, preferred(*actions[:4])]),
            "strict": rng.random() < 0.5,
            "all_best": rng.random() < 0.3,
        }
        check_same(
            gamefast.alphabeta(state, **options),
            gamelib.alphabeta(state, **options),
            state,
            options,
        )


@pytest.mark.parametrize("search", [gamefast.minimax, gamefast.alphabeta])
def test_what_is_not_supported_is_said(search):
    class Mine(TicTacToe):
        pass

    with pytest.raises(TypeError, match=r"ConnectFour with .* Nim"):
        search(Mine())
    with pytest.raises(TypeError, match="plays ConnectFour"):
        search(TicTacToe(20, 20, 5), depth=1)
    with pytest.raises(TypeError, match="by mcts and solve, Nim"):
        search(Nim((1, 2)))
    with pytest.raises(ValueError, match="two players"):
        search(TicTacToe(num_players=3))
    with pytest.raises(ValueError, match="evaluate must be None or"):
        search(TicTacToe(), evaluate=lambda state, player: 0)


def test_an_order_that_looks_at_the_position_is_refused():
    with pytest.raises(ValueError, match="order must be centre_first"):
        gamefast.alphabeta(TicTacToe(), order=lambda state, actions: actions)


@pytest.mark.parametrize("search", [gamefast.minimax, gamefast.alphabeta])
def test_a_search_can_be_stopped(search):
    asked = []

    def stop():
        asked.append(time.perf_counter())
        return len(asked) > 2

    result = search(ConnectFour(), depth=30, stop=stop)
    assert result.stopped
    assert result.action in ConnectFour().legal_actions()


DEEP = {  # boards, and their first actions, that a readable search can follow so deep
    "minimax": [
        (ConnectFour(7, 2, 4), ()),
        (ConnectFour(4, 4, 4), (0, 1, 0, 1, 0, 0)),
        (ConnectFour(2, 7, 4), (0, 1, 2, 3)),
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
            for depth in (10, 11, 12, 13, None):
                yield name, board.play(*actions), {"depth": depth}
        for depth in (11, 13):
            for option in [{"quick_wins": True}, {"evaluate": open_lines}]:
                yield name, boards[1][0].play(*boards[1][1]), {"depth": depth, **option}
    state = DEEP["alphabeta"][1][0]
    for option in [{"strict": True}, {"all_best": True}, {"order": centre_first}]:
        for depth in (11, 13):
            yield "alphabeta", state, {"depth": depth, **option}


@pytest.mark.parametrize(("name", "state", "options"), list(deep_searches()))
def test_both_engines_report_equal_counts_to_depth_13(name, state, options):
    ours = getattr(gamefast, name)(state, **options)
    check_same(ours, getattr(gamelib, name)(state, **options), state, options)


def counts(name, state, **options):
    return getattr(gamefast, name)(state, **options).stats


@pytest.mark.parametrize("name", ["minimax", "alphabeta"])
def test_no_counts_depend_on_what_else_was_asked(name):
    asked = [(board.play(*actions), depth) for board, actions in DEEP[name] for depth in (11, 13)]
    alone = [counts(name, state, depth=depth) for state, depth in asked]
    for _ in range(3):
        random.Random(1).shuffle(order := list(range(len(asked))))
        for place in order:
            counts("alphabeta", TicTacToe(), all_best=True)
            state, depth = asked[place]
            assert counts(name, state, depth=depth) == alone[place]


@pytest.mark.parametrize("search", ["minimax", "alphabeta"])
def test_a_search_that_pauses_often_finds_the_same(search, monkeypatch):
    ours, readable = getattr(gamefast, search), getattr(gamelib, search)
    monkeypatch.setattr(import_module("gamefast.trees"), "SLICE", 3)
    for state in (TicTacToe().play(0, 4), ConnectFour(3, 4, 3).play(0, 0, 1)):
        check_same(ours(state), readable(state), state)
