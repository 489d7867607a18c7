import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from random_trees import one_of_each, payoff_and_plies, random_position, reachable

from gamelib import Bound, ConnectFour, GameTree, Nim, TicTacToe, solve
from gamelib.search import callbacks, checks, solver


def answers_of(state):
    """Return {action: (payoff for the player to move, plies to the end)} by trying everything."""
    sign = 1 if state.current_player == 0 else -1
    found = {}
    for action in state.legal_actions():
        payoff, plies = payoff_and_plies(state.successor(action))
        found[action] = (sign * payoff, None if payoff == 0 else plies + 1)
    return found


def solved(state):
    result = solve(state)
    assert all(bound.kind == "exact" for bound in result.values.values())
    return {a: (bound.value, result.distances[a]) for a, bound in result.values.items()}


def plain(game, *args):
    """Return the same game as a subclass, which does not name its symmetries."""
    return type(f"Plain{game.__name__}", (game,), {})(*args)


@pytest.fixture(scope="module")
def tictactoe():
    return reachable(TicTacToe())


# Against the truth


def test_tic_tac_toe_scores_equal_naive_program(tictactoe):
    assert len(tictactoe) == 4520
    for state in one_of_each(tictactoe):
        answers = answers_of(state)
        assert solved(state) == answers, state
        assert solve(state, only_value=True).value == max(value for value, _ in answers.values())


@given(st.integers(0, 10**9))
@example(90737)  # its one payoff above 1 lies behind a 1 that can be had at once
@settings(max_examples=400)
def test_random_trees_equal_naive_program(seed):
    rng = random.Random(seed)
    payoffs = rng.choice([(-1, 0, 1), (0, 1), range(-9, 10)])

    def branches(depth):
        return [
            branches(depth - 1) if depth > 1 and rng.random() < 0.8 else rng.choice(payoffs)
            for _ in range(rng.randint(1, 4))
        ]

    state = GameTree(branches(5), rng.choice([None, (1, 0), (0, 0, 1), (0, 1, 1), (0,)]))
    assert solved(state) == answers_of(state)


# Symmetry, and the other options, change nothing


@pytest.mark.parametrize(
    ("game", "args"),
    [
        (TicTacToe, (3, 3, 3)),
        (TicTacToe, (3, 4, 3)),
        (ConnectFour, (4, 4, 3)),
        (ConnectFour, (4, 4, 4)),
        (ConnectFour, (5, 3, 3)),
        (Nim, ((4, 2, 4, 1),)),
        (Nim, ((3, 5, 3), 2, True)),
    ],
)
def test_symmetry_keeps_values_distances_and_line(game, args):
    with_symmetry, without = solve(game(*args)), solve(plain(game, *args))
    assert with_symmetry.values == without.values
    assert with_symmetry.distances == without.distances
    assert with_symmetry.line == without.line
    assert with_symmetry.stats.tree_nodes < without.stats.tree_nodes


@pytest.mark.parametrize("most", [10, 6])  # nothing is known of any position, or of the late ones
def test_positions_without_symmetry_key_stay_separate(most):
    class Says(TicTacToe):
        def symmetry_key(self):
            return None if len(self.legal_actions()) < most else super().symmetry_key()

    for actions in ((0, 1), (4,), (0, 4, 8)):
        assert solve(Says().play(*actions)).values == solve(TicTacToe().play(*actions)).values


@pytest.mark.parametrize("state", [TicTacToe(4, 4, 3), ConnectFour(4, 4), Nim((3, 4, 5))], ids=repr)
def test_only_value_keeps_value_distance_and_line(state):
    every, only = solve(state), solve(state, only_value=True)
    assert only.value == every.value
    assert only.distance == every.distance
    assert only.action == every.action
    assert only.line == every.line
    assert only.stats.nodes < every.stats.nodes


@settings(max_examples=30)
@given(st.integers(0, 10**9))
def test_line_has_length_of_distance(seed):
    state = random_position(TicTacToe(3, 4, 3), random.Random(seed), 0, 8)
    result = solve(state)
    end = state.play(*result.line)
    assert end.is_terminal()
    assert end.utilities() == result.utilities
    assert result.distance in (len(result.line), None)
    assert result.line[0] == result.action


def test_ties_go_to_first_action():
    result = solve(Nim((5, 5, 5)))
    fastest = min(result.distances[a] for a, b in result.values.items() if b.value == 1)
    assert result.action == next(a for a in result.distances if result.distances[a] == fastest)


# Stopping


def test_stop_returns_known_scores(monkeypatch):
    monkeypatch.setattr(callbacks.Poller, "SECONDS_PER_POLL", 0)
    seen = []

    def progress(share, best):
        seen.append((share, best))

    result = solve(ConnectFour(4, 4), progress=progress, stop=lambda: seen[-1][0] == 0.5)
    assert (result.stopped, result.action, result.utilities) == (True, 0, None)
    assert result.values == {0: Bound(0), 1: Bound(0)}
    assert seen[-1] == (0.5, 0)
    assert seen == sorted(seen, key=lambda call: call[0])


# Bad input


def test_fractional_payoffs_raise():
    with pytest.raises(ValueError, match=r"whole numbers; got -0\.5"):
        solve(GameTree([0.5, 1], players=(1, 1)))


def test_game_beyond_memory_limit_raises(monkeypatch):
    monkeypatch.setattr(solver, "MAX_POSITIONS", 1000)
    with pytest.raises(ValueError, match=r"too large for solve.*1,000"):
        solve(ConnectFour())


# The larger the board, the longer the check waits for, so only one waits as long as in use.
@pytest.mark.parametrize(
    ("state", "positions"),
    [
        (ConnectFour(), 20_000),
        (ConnectFour(7, 9), 4_000),
        (TicTacToe(5, 5, 4), 4_000),
        (TicTacToe(10, 10, 5), 4_000),
    ],
)
def test_very_large_game_raises_early(state, positions, monkeypatch):
    assert solver.FIRST_SIZE_CHECK == 20_000
    monkeypatch.setattr(solver, "FIRST_SIZE_CHECK", positions)
    after = rf"after {positions:,} positions.*up to 64"
    with pytest.raises(checks.TooLargeError, match=after) as refused:
        solve(state)
    said = str(refused.value)
    assert "`gamefast.solve`" in said
    assert "\n" not in said
    assert ". " not in said
    assert len(refused.traceback) < 6
    assert refused.value.__suppress_context__


@pytest.mark.parametrize("state", [ConnectFour(4, 4), TicTacToe(3, 5, 3)])
def test_solvable_game_is_not_refused(state, monkeypatch):
    monkeypatch.setattr(solver, "FIRST_SIZE_CHECK", 200)
    result = solve(state)
    assert result.stats.tree_nodes > 2_000
    assert not result.stopped
