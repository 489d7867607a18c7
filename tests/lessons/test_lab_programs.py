"""The damage that each specimen does, and that its repair ends it.

How often each is wrong in all positions is an output of its notebook, which is a test as well.
Here only one of each set of mirrored and rotated positions is tried.
"""

import inspect
from functools import cache
from importlib import import_module
from random import Random

import pytest

from course.exercises.mistakes import FLAWS, without_flaw
from course.exercises.state_space import (
    exact_values,
    open_positions,
    optimal_actions,
    reachable_positions,
)
from course.lessons.alpha_beta.lab_programs import fair_choice, remembered_value
from course.lessons.chance.check import exact_value, random_chance_tree
from course.lessons.chance.lab_programs import careless_value
from course.lessons.framework.lab_programs import (
    HastyTicTacToe,
    PlainTicTacToe,
    PoliteConnectFour,
    ThriftyTicTacToe,
    TrustingTicTacToe,
)
from course.lessons.learning.lab_programs import OneSideTraining
from course.lessons.learning.training import Training
from course.lessons.mcts.lab_programs import GrandMCTS, PlainMCTS, SteadfastMCTS, WinnerMCTS
from course.lessons.minimax import lab_programs as minimax_specimens
from course.lessons.minimax.lab_programs import generous_minimax, two_step_win
from course.lessons.multiplayer.lab_programs import proof, proud_paranoid
from gamelib import IllegalActionError, Nim, TicTacToe, check_game, mcts, minimax, paranoid
from gamelib.search.lookahead import winning_actions
from gamelib.state import BrokenRuleError

LESSONS = ["framework", "minimax", "alpha_beta", "mcts", "multiplayer", "chance", "learning"]
MODULES = [import_module(f"course.lessons.{lesson}.lab_programs") for lesson in LESSONS]
SPECIMENS = {name: program for module in MODULES for name, program in vars(module).items()}


@cache
def different_positions(game):
    """Return one of each set of open positions that are mirrored or rotated."""
    return tuple({state.symmetry_key(): state for state in open_positions(game)}.values())


@cache
def best_actions():
    """Return each of these positions of tic-tac-toe with the set of its optimal actions."""
    values = exact_values(TicTacToe())
    return {s: {*optimal_actions(s, values)} for s in different_positions(TicTacToe())}


# The table of flaws


@pytest.mark.parametrize("name", FLAWS)
def test_flaw_text_occurs_once_in_lab_program(name):
    source = inspect.getsource(SPECIMENS[name])
    assert source.count(FLAWS[name].line) == 1
    assert FLAWS[name].reason not in source


# 9B: alpha-beta that goes through chance nodes


def test_window_through_chance_node_gives_wrong_values():
    right = without_flaw(careless_value)
    trees = [random_chance_tree(Random(seed)) for seed in range(100)]
    wrong = [tree for tree in trees if careless_value(tree, 0) != exact_value(tree, 0)]
    assert 0 < len(wrong) < 50
    assert all(right(tree, 0) == exact_value(tree, 0) for tree in trees)


# 1C: games


def test_plain_games_pass_check_game():
    assert check_game(PlainTicTacToe(), games=20)
    assert len(reachable_positions(PlainTicTacToe())) == 5478


@pytest.mark.parametrize(
    ("state", "action"),
    [
        (TrustingTicTacToe("X........", 1), 0),
        (TrustingTicTacToe(), -1),
        (TrustingTicTacToe("XXXOO....", 1), 8),
        (PoliteConnectFour(("XOX", "", "", ""), 1), 0),
    ],
)
def test_illegal_actions_are_accepted_until_repaired(state, action):
    assert action not in state.legal_actions()
    state.successor(action)
    fixed = without_flaw(type(state))
    with pytest.raises(IllegalActionError):
        fixed(*vars(state).values()).successor(action)


@pytest.mark.parametrize("game", [TrustingTicTacToe, PoliteConnectFour, ThriftyTicTacToe])
def test_check_game_finds_bug_and_accepts_repair(game):
    assert not check_game(game(), games=20)
    assert check_game(without_flaw(game)(), games=5)


def test_hasty_payoffs_depend_on_player_to_move():
    def differing(game):
        ends = [state for state in reachable_positions(PlainTicTacToe()) if state.is_terminal()]
        return sum(
            game(end.cells, player).utilities() != end.utilities()
            for end in ends
            for player in (0, 1)
        )

    assert check_game(HastyTicTacToe(), games=50)
    assert differing(HastyTicTacToe) == 942
    assert differing(without_flaw(HastyTicTacToe)) == 0


def test_search_on_shared_board_goes_wrong():
    state = ThriftyTicTacToe(list("XX.OO...."))
    with pytest.raises(BrokenRuleError):
        minimax(state)
    fixed = without_flaw(ThriftyTicTacToe)(list("XX.OO...."))
    assert minimax(fixed).action == 2


# 2C, 2E: look-ahead


def test_generous_minimax_refuses_immediate_wins(monkeypatch):
    positions = different_positions(TicTacToe())
    can_win = [(state, wins) for state in positions if (wins := winning_actions(state))]

    def refused(choose, depth):
        return sum(choose(state, depth) not in wins for state, wins in can_win)

    assert len(can_win) == 321
    assert refused(generous_minimax, 1) == 235
    assert refused(generous_minimax, 2) == 36
    points = without_flaw(minimax_specimens.generous_points)
    monkeypatch.setattr(minimax_specimens, "generous_points", points)
    assert refused(generous_minimax, 1) == 0


def test_two_step_win_overlooks_replies_until_repaired():
    positions, values = different_positions(TicTacToe()), exact_values(TicTacToe())

    def found_and_wrong(find):
        found = [(state, action) for state in positions if (action := find(state)) is not None]
        return len(found), sum(-values[state.successor(action)] != 1 for state, action in found)

    assert found_and_wrong(two_step_win) == (257, 139)
    found, mistakes = found_and_wrong(without_flaw(two_step_win))
    assert (found > 100, mistakes) == (True, 0)


# 3B, 3C: alpha-beta


def test_fair_choice_is_wrong_in_a_quarter():
    def with_a_worse_action(choose):
        return sum(not {*choose(state)} <= best for state, best in best_actions().items())

    assert with_a_worse_action(fair_choice) == 152
    assert len(best_actions()) == 627
    assert with_a_worse_action(without_flaw(fair_choice)) == 0


def test_table_without_bounds_gives_four_wrong_values():
    values = exact_values(TicTacToe())

    def wrong_values(search):
        return sum(search(state) != values[state] for state in different_positions(TicTacToe()))

    assert wrong_values(remembered_value) == 4
    assert wrong_values(without_flaw(remembered_value)) == 0


# 4A to 4C: sampling

ONE_BLOCK_DRAWS = TicTacToe.parse("X../.O./.OX")
STARTS = [ONE_BLOCK_DRAWS, TicTacToe(), Nim((2, 3), num_players=3)]


def visits(plain):
    return {child.action: child.visits for child in plain.root.children}


@pytest.mark.parametrize("state", STARTS)
def test_plain_mcts_visits_equal_those_of_mcts(state):
    plain, result = PlainMCTS(state, seed=5), mcts(state, simulations=400, rng=5)
    assert plain.search(400) == result.action
    assert visits(plain) == result.visits


@cache
def right_choices(search):
    """Return in how many positions 50 simulations choose an optimal action, if another is not."""
    hard = [(s, best) for s, best in best_actions().items() if len(best) < len(s.legal_actions())]
    return sum(search(s, seed=seed).search(50) in best for seed, (s, best) in enumerate(hard))


@pytest.mark.parametrize("search", [SteadfastMCTS, WinnerMCTS, GrandMCTS])
def test_wrong_reward_lowers_accuracy_until_repaired(search):
    assert right_choices(search) < right_choices(PlainMCTS)
    for state in STARTS:
        mended, plain = without_flaw(search)(state, seed=5), PlainMCTS(state, seed=5)
        assert mended.search(400) == plain.search(400)
        assert visits(mended) == visits(plain)


# 6: three players


def test_proud_paranoid_treats_draws_as_losses():
    positions = different_positions(TicTacToe(num_players=3))
    late = [state for state in positions if len(state.legal_actions()) <= 3]
    sure = [paranoid(state, prune=False) for state in late]

    def worse_than_sure(choose):
        return sum(
            result.values[choose(state)].value < result.value
            for state, result in zip(late, sure, strict=True)
        )

    assert len(late) == 2380
    assert worse_than_sure(proud_paranoid) == 256
    assert worse_than_sure(without_flaw(proud_paranoid)) == 0


def test_two_player_proof_rule_holds_for_two_players():
    words = {1: "win", 0: "draw", -1: "loss"}
    late = [s for s in different_positions(TicTacToe()) if len(s.legal_actions()) <= 6]
    assert all(proof(state) == words[exact_values(TicTacToe())[state]] for state in late)


# 11B: learning (what 11C and 11D do is in test_learning.py)


def test_repaired_one_side_training_makes_samples_of_training():
    training, state = Training(2), TicTacToe()
    game = [(state, {0: 3, 4: 1}), (state.play(4), {0: 2, 8: 2}), (state.play(4, 8), {0: 1})]
    flawed, mended, plain = (
        kind.make_samples(training, game, (1, -1))
        for kind in (OneSideTraining, without_flaw(OneSideTraining), Training)
    )
    assert mended == plain
    assert flawed != plain
