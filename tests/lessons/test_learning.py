"""Learning: the net, its training and the stored runs, against exact values and each other."""

import json
import re
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from course.draw.net_output import NetPrediction, net_boards
from course.exercises.answer_key import CHANGED_MESSAGE, use_seed
from course.exercises.lesson_data import load_tables
from course.exercises.mistakes import with_edits
from course.exercises.state_space import exact_values, open_positions, optimal_actions
from course.lessons.knowledge.check import check_root_scores
from course.lessons.knowledge.reference import root_scores
from course.lessons.learning import check as exercises
from course.lessons.learning import reference, td_connect_four
from course.lessons.learning import training as learning
from course.lessons.learning.accuracy import (
    START,
    accuracy,
    accuracy_of_choices,
    accuracy_of_values,
    all_input_planes,
    decisive_positions,
    greedy_action,
    value_for_mover,
)
from course.lessons.learning.lab_programs import SteadyTraining
from course.lessons.learning.net import Net
from course.lessons.learning.stored_runs import curve, runs, trained
from course.lessons.learning.training import Training, prior_accuracy, puct_search
from course.lessons.multiplayer.check import played_positions
from gamelib import ConnectFour, TicTacToe
from gamelib.search.callbacks import SearchStopped
from tests.messages import names

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "11_learning.ipynb"


# The ruler


def test_accuracy_of_exact_values_is_complete():
    assert accuracy(exact_values(START).__getitem__) == (3191, 3191)


def test_accuracy_equals_slow_computation():
    numbers = {state: Random(str(state)).choice((-0.5, 0, 0.25)) for state in open_positions(START)}
    slow = accuracy_of_choices(lambda state: greedy_action(state, numbers.__getitem__))
    assert accuracy(numbers.__getitem__) == slow
    assert accuracy_of_values(np.array([*numbers.values()])) == slow


# The net


def loss(net, inputs, policies, values):
    _, priors, found = net.answers(inputs)
    wins = (1 + found) / 2, (1 + values) / 2
    of_value = wins[1] * np.log(wins[0]) + (1 - wins[1]) * np.log(1 - wins[0])
    return -(policies * np.log(priors + (policies == 0))).sum(1).mean() - of_value.mean()


def test_learning_step_follows_gradient(monkeypatch):
    """The slopes are those of differences (eps 1e-6), for weights of all four kinds."""
    monkeypatch.setattr("course.lessons.learning.net.DECAY", 0)
    monkeypatch.setattr(Net, "_round", lambda self: None)
    rng, inputs = Random(1), all_input_planes()[100:140]
    net = Net.drawn(rng)
    priors = np.array([[rng.random() for _ in range(9)] for _ in inputs])
    priors *= inputs[:, :9] + inputs[:, 9:] == 0
    policies = priors / priors.sum(1, keepdims=True)
    values = np.array([rng.choice((-0.5, 0, 1)) for _ in inputs])
    after = net.copy()
    after.learn(inputs, policies, values, rate=1)
    for kind, place in ((0, (4, 7)), (1, (3,)), (2, (9, 2)), (2, (11, 9)), (3, (9,)), (3, (0,))):
        ends = []
        for sign in (1, -1):
            moved = net.copy()
            moved.weights[kind][place] += sign * 1e-6
            ends.append(loss(moved, inputs, policies, values))
        slope = (ends[0] - ends[1]) / 2e-6
        assert net.weights[kind][place] - after.weights[kind][place] == pytest.approx(
            slope, abs=1e-7
        )


# Training


@pytest.fixture
def small(monkeypatch):
    """Make rounds of four games."""
    monkeypatch.setattr(learning, "GAMES", 4)
    monkeypatch.setattr(learning, "STEPS", 10)


def state_of(training):
    weights = [weight.tolist() for weight in training.net.weights]
    return weights, training.samples, training.rounds, training.rng.getstate(), training.outputs


@pytest.mark.parametrize("polls", [2, 9], ids=["in a game", "while learning"])
def test_stopped_and_resumed_training_gives_same_net(small, polls):
    whole, torn = Training(seed=3), Training(seed=3)
    whole.round()
    whole.round()
    torn.round()
    before, asked = state_of(torn), iter([*[False] * polls, True])
    with pytest.raises(SearchStopped):
        torn.round(stop=lambda: next(asked))
    assert state_of(torn) == before
    torn.round()
    assert state_of(torn) == state_of(whole)


@pytest.mark.parametrize("where", ["play", "learn"])
def test_interrupted_round_changes_nothing(small, monkeypatch, where):
    training = Training(seed=3)
    before = state_of(training)
    with monkeypatch.context() as broken:

        def interrupted(*arguments):
            raise KeyboardInterrupt

        broken.setattr(Training, where, interrupted)
        with pytest.raises(KeyboardInterrupt):
            training.round()
    assert state_of(training) == before


@pytest.mark.filterwarnings("error")
def test_nonfinite_weights_raise_and_keep_previous_net(small):
    training = Training(seed=3, rate=1e9)
    before = state_of(training)
    with pytest.raises(ValueError, match=names("of 1,152 weights are not finite numbers")):
        training.round()
    assert state_of(training) == before


def test_stored_runs_equal_outputs_of_notebook():
    """The notebook trains this net, and its outputs are compared when it is run as a test."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    (output,) = (cell["outputs"] for cell in cells if cell["id"] == "train-run")
    rows = re.findall(r"(\d+) games: by priors (\d+), by values (\d+)", json.dumps(output))
    stored = runs("Training", "by priors"), runs("Training", "by values")
    assert [tuple(map(int, row)) for row in rows] == [
        (games, *(table[games][0] for table in stored)) for games in stored[0]
    ]
    assert prior_accuracy(trained().outputs())[0] == stored[0][576][0]


def test_puct_with_exact_outputs_is_optimal():
    values = exact_values(START)
    exact = {
        state: learning.NetOutput(
            {a: 1 / len(state.legal_actions()) for a in state.legal_actions()}, 0.9 * values[state]
        )
        for state in open_positions(START)
    }
    some = decisive_positions()[::40]
    chosen = [puct_search(state, exact, simulations=100).action for state in some]
    wrong = [s for s, a in zip(some, chosen, strict=True) if a not in optimal_actions(s, values)]
    assert wrong == []


# The specimens


def test_each_training_bug_lowers_its_measure():
    flawed = ("OneSideTraining", "SteadyTraining", "ChampionTraining")
    for kind, measure in [*product(flawed, ["by values"]), ("SteadyTraining", "by priors")]:
        _, lowest, _ = curve("Training", measure)[576]
        _, _, highest = curve(kind, measure)[576]
        assert highest < lowest


def test_training_without_randomness_repeats_one_game():
    training = SteadyTraining(seed=0)
    assert training.play(Random(1)) == training.play(Random(2))
    assert Training(seed=0).play(Random(1)) != Training(seed=0).play(Random(2))


# What is drawn


def test_net_board_shows_priors_and_both_values():
    state = TicTacToe.parse("XX. / OO. / ...")
    priors = dict.fromkeys(state.legal_actions(), 0.2)
    drawn = net_boards([NetPrediction(state, priors, 0.25, 1.0, (2,))])
    assert drawn.count("20%") == 5 * 2  # on the board, and in words
    assert drawn.count("✓") == 1
    assert "net: +0.25" in drawn
    assert "exact: +1" in drawn
    assert "cell 2 20% (optimal)" in drawn


# Connect Four


def some_fours(number):
    each = (played_positions(ConnectFour(), plies, number // 5) for plies in (3, 9, 15, 21, 27))
    return [state for states in each for state in states]


def stones(states, whose):
    """Return the stones of the player to move (0) or of the other (1), as numpy has them."""
    numbers = [state.stones(abs(whose - state.current_player)) for state in states]
    return np.array(numbers, dtype=np.uint64)


def test_batched_look_equals_single_games():
    states, training = some_fours(60), td_connect_four.FourTraining(0)
    training.play()
    values, after, ended = training.look(stones(states, 0), stones(states, 1))
    evaluate = td_connect_four.evaluation(training.weights)
    for row, state in enumerate(states):
        assert np.isfinite(values[row]).nonzero()[0].tolist() == sorted(state.legal_actions())
        for column in state.legal_actions():
            child = state.successor(column)
            assert after[row, column] == child.stones(state.current_player)
            assert ended[row, column] == child.is_terminal()
            value = value_for_mover(child, lambda four: evaluate(four, four.current_player))
            assert values[row, column] == pytest.approx(-value, abs=2e-3)  # 0.999, four digits


def test_learned_evaluation_is_zero_sum():
    for state in some_fours(20):
        assert td_connect_four.learned(state, 0) == -td_connect_four.learned(state, 1)
        assert -1 < td_connect_four.learned(state, 0) < 1


def test_stored_connect_four_weights_match_stored_curve():
    last = max(td_connect_four.td_curve())
    good, of = td_connect_four.accuracy_on_exact(td_connect_four.learned)
    first = next(
        row for row in load_tables("learning", "td_connect_four")["curve"] if row["games"] == last
    )
    assert (good, of) == (first["right"][0], 60)


trusts_no_loser = with_edits(root_scores, ("if visits else", "if visits and total else"))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("check", "program"),
    [
        (
            exercises.check_td_targets,
            lambda values, payoff: [*(-value for value in values[1:]), abs(payoff)],
        ),
        (check_root_scores, trusts_no_loser),
        (
            exercises.check_taught,
            lambda game, utilities: [([n / 25 for n in ns], utilities[me]) for me, ns in game],
        ),
    ],
)
def test_programs_fitting_only_lesson_games_fail(check, program, seed):
    with use_seed(seed):
        assert not check(program)


def test_program_changing_its_list_fails():
    def learnt(weights, counts, target, rate):
        weights[:] = reference.learnt(weights, counts, target, rate)
        return weights

    assert CHANGED_MESSAGE in exercises.check_learnt(learnt).message


def weights_in_an_array(weights, counts, target, rate):
    error = target - np.dot(weights, counts)
    return np.array(weights) + rate * error * np.array(counts)


def scores_in_an_array(edges, noise, c):
    visits, total, prior = np.array(edges).T
    mean = np.where(visits > 0, total / np.maximum(visits, 1), 0.5)
    mixed = 0.75 * prior + 0.25 * np.array(noise)
    return mean + c * mixed * np.sqrt(1 + visits.sum()) / (1 + visits)


@pytest.mark.parametrize(
    ("check", "program"),
    [
        (exercises.check_td_targets, lambda values, payoff: -np.append(values[1:], payoff)),
        (exercises.check_learnt, weights_in_an_array),
        (check_root_scores, scores_in_an_array),
        (
            exercises.check_taught,
            lambda game, pay: [(np.array(n) / sum(n), np.float64(pay[me])) for me, n in game],
        ),
    ],
)
def test_checks_accept_numpy_numbers(check, program):
    assert check(program)
    shifted = check(lambda *question: [np.array([0.5, 0.5]) for _ in program(*question)])
    assert "expected [" in shifted.message
    assert "array" not in shifted.message
