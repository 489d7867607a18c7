import random
from dataclasses import dataclass, replace
from importlib import import_module

import pytest
from random_trees import security_value
from textbook import HAND

from course.widgets import oracle
from course.widgets.oracle import ExactValue, UnsolvableError, estimated_nodes, exact_action_values
from gamelib import ConnectFour, GameState, GameTree, Nim, TicTacToe, nim_winning_actions, solve
from gamelib.search import Bound
from gamelib.state import MAX_PLIES
from tests.widgets.conftest import compiled

tier = import_module("gamefast.fast")


def some_way_into(state: GameState, plies: int, seed: int) -> GameState:
    """Return a position after so many random actions, one that is not over."""
    rng = random.Random(seed)
    while True:
        position = state
        for _ in range(plies):
            if not position.is_terminal():
                position = position.successor(rng.choice(position.legal_actions()))
        if not position.is_terminal():
            return position


def readable_verdicts(state: GameState) -> dict:
    result = solve(state)
    return {a: ExactValue(b.value, result.distances[a]) for a, b in result.values.items()}


# Two players


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("game", "plies"), [(TicTacToe(), 3), (ConnectFour(4, 5), 6), (Nim((2, 3, 4)), 1)]
)
def test_exact_values_equal_readable_solver(game, plies, seed) -> None:
    state = some_way_into(game, plies, seed)
    assert exact_action_values(state) == readable_verdicts(state)


@pytest.mark.parametrize(
    ("state", "options"),
    [
        (ConnectFour(7, 7), {"patience": 60}),  # too large: given up at once
        (TicTacToe(7, 7, 5), {"patience": 60}),
        (TicTacToe(4, 4, 4, num_players=3), {}),
        (TicTacToe(5, 5, 4), {"patience": 0.05}),
        (TicTacToe(5, 5, 4), {"patience": 60, "stop": lambda: True}),
        (TicTacToe.parse("XXX/OO./..."), {}),  # over
    ],
)
def test_hopeless_or_terminal_position_has_no_values(state, options) -> None:
    assert exact_action_values(state, **options) is None


def test_values_proven_in_time_are_returned(monkeypatch) -> None:
    whole = solve(HAND)
    values = {8: whole.values[8], 1: Bound(0, "upper")}
    stopped = replace(whole, values=values, distances={}, stopped=True)
    monkeypatch.setattr(oracle, "solve", lambda *_, **__: stopped)
    assert exact_action_values(HAND) is None
    assert exact_action_values(HAND, on_update=lambda known: None) == {8: ExactValue(0)}


@compiled
def test_values_are_reported_once_proven() -> None:
    state, told = ConnectFour(4, 4).play(0, 1), []
    known = exact_action_values(state, patience=60, on_update=told.append)
    assert [len(each) for each in told] == list(range(1, len(state.legal_actions()) + 1))
    assert known == told[-1] == readable_verdicts(state)


def test_endless_game_of_one_action_has_estimate(monkeypatch) -> None:
    @dataclass(frozen=True)
    class Round(GameState):
        current_player: int = 0
        num_players = 2

        def legal_actions(self):
            return (0,)

        def successor(self, action):
            return Round(1 - self.current_player)

        def is_terminal(self):
            return False

        def utilities(self):
            raise ValueError

    assert estimated_nodes(Round(), probes=1) == MAX_PLIES + 1
    monkeypatch.setattr(oracle, "ESTIMATE_SECONDS", 0)  # one game is enough
    with pytest.raises(UnsolvableError, match="too long for solve"):
        exact_action_values(Round())


@pytest.mark.parametrize("leaves", [[(1, 1), (0, 2)], [(0.5, -0.5), (1, -1)]])
def test_unsupported_payoffs_raise_unsolvable_error(leaves) -> None:
    with pytest.raises(UnsolvableError, match=r"zero-sum|whole numbers"):
        exact_action_values(GameTree(leaves))


def test_error_of_game_is_passed_on() -> None:
    class Slip(TicTacToe):
        __slots__ = ()

        def successor(self, action):
            return super().successor([4, 1, 2].index(action))

    with pytest.raises(ValueError, match="is not in list") as slip:
        exact_action_values(Slip())
    assert not isinstance(slip.value, UnsolvableError)


def test_slow_game_is_estimated_from_fewer_games(monkeypatch) -> None:
    asked = []

    class Slow(Nim):
        def legal_actions(self):
            asked.append(self)
            return super().legal_actions()

    monkeypatch.setattr(oracle, "ESTIMATE_SECONDS", 0)
    assert estimated_nodes(Slow((2, 3))) > 1
    assert len(asked) <= 6  # one game of five plies at most, and its end


@pytest.mark.parametrize("misere", [False, True])
@pytest.mark.parametrize("max_take", [None, 3])
def test_large_nim_uses_theory(misere, max_take) -> None:
    state = Nim((40, 41, 42, 43, 44), misere=misere, max_take=max_take)
    known = exact_action_values(state)
    winning = nim_winning_actions(state)
    assert known == {a: ExactValue(1 if a in winning else -1) for a in state.legal_actions()}


# More players


@pytest.mark.parametrize("seed", range(30))
def test_certain_values_hold_for_any_opponents(seed) -> None:
    state = some_way_into(TicTacToe(num_players=3), 4, seed)
    me = state.current_player
    sure = {a: security_value(state.successor(a), me) for a in state.legal_actions()}
    known = exact_action_values(state)
    if known is None:
        assert max(sure.values()) < 1
    else:
        assert {a: verdict.value for a, verdict in known.items()}.items() <= sure.items()
        assert max(sure[a] for a in known) == max(sure.values())


def test_loss_is_certain_only_without_help() -> None:
    # Player 0 chooses between two positions of player 1, whose choice decides.
    state = GameTree([[(-1, 1, -1), (-1, -1, 1)], [(1, -1, -1), (-1, 1, -1)]])
    assert exact_action_values(state) is None  # the first loses for certain, the second may win
