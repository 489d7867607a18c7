"""Plans, conclusions and agents: what the checks of notebook 07 let pass, and what they say."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from arena import match_up
from course.exercises.state_space import open_positions
from course.lessons.experiments.check import (
    MIN_GAMES,
    Plan,
    _answer_of_z,
    check_agent_z,
    check_beats_random,
    check_experiment,
    conclusion_of,
    notebook_path,
    replay_plan,
    study_row,
)
from course.lessons.experiments.reference import repaired_z
from course.lessons.experiments.study import Study, read_table, run_study
from gamelib import SearchAgent, random_agent
from gamelib.games import Nim, TicTacToe, nim_sum_rollout, nim_winning_actions
from gamelib.search import mcts, safe_actions, winning_actions
from gamelib.search.rollouts import play_out
from tests.messages import names

STUDIES = Path(__file__).parents[2] / "notebooks" / "studies"
ROWS, EXACT = (read_table(STUDIES / f"{name}.csv") for name in ("nim", "nim_exact"))
FAIR = Plan("mcts(simulations=12)", "mcts(simulations=4)", games=200, seed=3)


# The stored study


def test_stored_games_are_reproducible(tmp_path):
    study = Study.read(STUDIES / "nim_exact.toml")
    last = replace(study, positions=["Nim(1, 2)"], agents=study.agents[-1:])  # 500 v random
    again = run_study(last, tmp_path)
    stored = [row for row in EXACT if row["position"] == "Nim(1, 2)"]
    assert again == [row for row in stored if row["match"] == again[0]["match"]]


@pytest.mark.parametrize("row", ROWS + EXACT, ids=lambda row: f"{row['position']} {row['match']}")
def test_study_rows_are_consistent(row):
    assert row["wins"] + row["draws"] + row["losses"] == row["games"]
    assert row["low"] <= row["share"] <= row["high"]
    assert row["share"] == round((row["wins"] + row["draws"] / 2) / row["games"], 4)


@pytest.mark.parametrize(("name", "rows"), [("nim", ROWS), ("nim_exact", EXACT)])
def test_study_rows_have_all_games_of_match_up(name, rows):
    study = Study.read(STUDIES / f"{name}.toml")
    assert len(rows) == 6 * len(list(study.match_ups))
    for row in rows:
        assert row["games"] == (study.games if row["seat"] is None else study.games // 2)


def test_notebook_path_works_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Path(notebook_path("studies/nim.csv")).samefile(STUDIES / "nim.csv")
    (tmp_path / "agents").mkdir()
    assert notebook_path("agents") == "agents"


def first_legal(state, rng):
    return (nim_winning_actions(state) or state.legal_actions())[0]


@pytest.mark.parametrize("policy", [nim_sum_rollout, first_legal])
def test_nim_sum_rollout_results_equal_perfect_play(policy):
    for state in open_positions(Nim((3, 4, 5))):
        won = bool(nim_winning_actions(state))
        for seed in range(5):
            _, utilities = play_out(state, policy, random.Random(seed))
            assert (utilities[state.current_player] == 1) is won


def test_study_row_of_unknown_match_up_raises():
    with pytest.raises(ValueError, match=names("no match-up '1 v 2' from 'Nim")):
        study_row(ROWS, "Nim(1, 2)", "1 v 2")


# Exercise 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"better": "mcts(simulations=12, c=0.5)"}, "c and simulations differ|simulations and c"),
        ({"better": "mcts(simulations=4)"}, "nothing is compared"),
        ({"better": "mcts(c=2.0)", "than": "mcts(c=2.0)"}, "nothing is compared"),
        ({"better": "minimax(depth=3)", "than": "minimax(depth=2)"}, "uses chance"),
        ({"better": "mcts(seconds=1)", "than": "mcts(seconds=2)"}, "Seconds depend"),
        ({"better": "alphabeta(depth=3)"}, "make 95 and "),
        ({"better": "minimax", "than": "mcts(simulations=9)"}, "more than 100,000 positions"),
        ({"better": "alphabeta(nodes=600, quick_wins=True)"}, "quick_wins as well"),
        ({"games": 20}, "even number of games"),
        ({"games": MIN_GAMES + 1}, "even number of games"),
        ({"games": 10**9}, "even number of games"),
        ({"better": "stockfish"}, "stockfish"),
        ({"game": "Chess()"}, "Chess"),
        ({"game": "TicTacToe(0)"}, "rows"),
        ({"better": "mcts(simulations=0)"}, "simulations"),
        ({"seed": "x"}, "seed"),
        ({"better": 7}, "must be text"),
    ],
)
def test_unfair_plan_lists_problems_and_does_not_run(options, words):
    plan = Plan(**{**vars(FAIR), **options})
    with pytest.raises(ValueError, match=words):
        plan.run()
    feedback = check_experiment(plan, None, "shown")
    assert not feedback


@pytest.mark.parametrize(
    ("better", "than"),
    [
        ("mcts(simulations=20, c=0.5)", "mcts(simulations=20)"),
        ("iterative_deepening(nodes=600)", "mcts(simulations=80)"),
        ("mcts(simulations=20, rollout=take_a_win)", "mcts(simulations=20)"),
    ],
)
def test_fair_plan_has_no_problems(better, than):
    assert Plan(better, than, games=400).problems() == []


@pytest.mark.parametrize(
    ("better", "than", "right"),
    [
        ("mcts(simulations=12)", "mcts(simulations=4)", "shown"),
        ("mcts(simulations=4)", "mcts(simulations=12)", "the opposite is shown"),
        ("mcts(simulations=10)", "mcts(simulations=11)", "not shown"),
    ],
)
def test_check_experiment_requires_conclusion_from_interval(better, than, right):
    plan = Plan(better, than, games=200, seed=3)
    results = plan.run()
    assert conclusion_of(results)[0] == right
    verdicts = {
        conclusion: bool(check_experiment(plan, results, conclusion))
        for conclusion in ("shown", "not shown", "the opposite is shown", "maybe", None)
    }
    assert [name for name, passed in verdicts.items() if passed] == [right]


def test_check_experiment_requires_results_of_plan():
    agents = SearchAgent(mcts, simulations=12), SearchAgent(mcts, simulations=4)
    plan = {"state": TicTacToe(), "games": 200, "seed": 3}
    for results, words in [
        (match_up(*agents, **plan | {"seed": 4}), "the seed"),
        (match_up(random_agent(), agents[1], **plan), "the agents"),
        (match_up(*agents, **plan, stop=lambda: True), "only 0 of 200"),
        (None, "plan.run()"),
    ]:
        assert words in check_experiment(FAIR, results, "shown").message


def test_check_experiment_requires_plan():
    assert not check_experiment(None, None, None).attempted
    assert "exercises.Plan" in check_experiment("a plan", None, None).message


@pytest.mark.parametrize("plan", [None, "a plan", FAIR])
def test_replay_leaves_missing_results_to_check(plan):
    assert replay_plan(plan, None, "shown")


# Exercise 2


def at_random(state):
    return random.choice(state.legal_actions())


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (
            lambda state: (winning_actions(state) or state.legal_actions())[0],
            "let the other player win at once",
        ),
        (at_random, "did not win at once"),
        (lambda state: min(state.legal_actions(), key=[3, 0, 1, 2, 4, 5, 6].index), "did not win"),
        (lambda state: 7, "column"),
    ],
)
def test_weak_agent_gets_reproducible_advice(agent, words):
    feedback = check_beats_random(agent)
    assert not feedback
    assert words in feedback.message
    assert feedback.state is not None
    assert agent is not at_random or check_beats_random(agent) == feedback


def test_agent_that_prefers_edges_gets_advice():
    def edges_first(state):
        actions = winning_actions(state) or safe_actions(state) or state.legal_actions()
        return max(actions, key=lambda column: abs(column - 3))

    feedback = check_beats_random(edges_first)
    assert "columns in the middle" in feedback.message
    assert feedback.state is None


# Exercise 3

FAILS = TicTacToe.parse("... / .X. / ...")
NONE = [TicTacToe(4, 4, 3), TicTacToe.parse("XXX/OO./..."), None, 3]


@pytest.mark.parametrize(
    ("position", "repaired", "words"),
    [
        (FAILS, lambda state: state.legal_actions()[0], "change only what forfeits"),
        (FAILS, lambda state: 4, "answered 4"),
        (TicTacToe(), repaired_z, "agent Z answers 4 here"),
        *((position, repaired_z, "3 x 3") for position in NONE),
    ],
)
def test_wrong_position_or_repair_of_z_is_explained(position, repaired, words):
    feedback = check_agent_z(position, repaired)
    assert not feedback
    assert words in feedback.message
    assert feedback.attempted == (position != TicTacToe())  # where nothing is played


def test_agent_z_fails_in_less_than_a_quarter():
    failing = [s for s in open_positions(TicTacToe()) if _answer_of_z(s) is None]
    assert 0 < len(failing) < len(open_positions(TicTacToe())) / 4
