"""The capstone: right programs pass, wrong ones get the sentence made for them."""

import linecache
import random
import time
from collections import Counter
from functools import partial
from itertools import pairwise, product

import pytest
from random_trees import random_position

from arena import BudgetExceededError, Tally, wilson_interval
from course import quiz
from course.exercises import check_runner
from course.exercises.answer_key import use_seed
from course.lessons.capstone import check as capstone
from course.lessons.capstone import reference
from course.lessons.capstone.agent_file import agent_file, load_agent
from course.lessons.capstone.budget_match import BUDGET, move_with_count, openings, play_match
from course.lessons.capstone.check import check_agent, check_capstone, check_four_heuristic
from course.lessons.capstone.exact_positions import exact_positions
from course.lessons.capstone.reference_agents import LEVELS, centre
from course.lessons.capstone.winning_cells import winning_cells
from gamelib import (
    ConnectFour,
    SearchAgent,
    alphabeta,
    centre_first,
    iterative_deepening,
    lookahead,
    mcts,
    open_windows,
    random_choice,
)
from tests.messages import names


def deepening(state):
    action = state.legal_actions()[0]
    try:
        for depth in range(1, 43):
            action = alphabeta(state, depth=depth, evaluate=open_windows).action
    except BudgetExceededError:
        pass
    return action


def searching(evaluate, view=None):
    """Return an agent that searches within its budget; `view` is whose side it always takes."""

    def value(state, player):
        return evaluate(state, player if view is None else view)

    def agent(state):
        return iterative_deepening(state, nodes=BUDGET - 30, evaluate=value).action

    return agent


# What a heuristic may look at


@pytest.mark.parametrize("player", [0, 1])
def test_winning_cells_are_empty_cells_completing_line(player):
    rng, boards = random.Random(3), [ConnectFour(), ConnectFour(5, 4), ConnectFour(4, 9)]
    for state in [random_position(rng.choice(boards), rng, 0, 25) for _ in range(60)]:
        owners = {c: state.cell(*c) for c in product(range(state.rows), range(state.cols))}
        lines = (
            [(row + i * down, col + i * right) for i in range(4)]
            for row, col in owners
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        )
        expected = {
            line[i]
            for line in lines
            for i in range(4)
            if [owners.get(c, -1) for c in [line[i], *line[:i], *line[i + 1 :]]]
            == [None, player, player, player]
        }
        cells = winning_cells(state, player)
        assert set(cells) == expected
        assert len(cells) == len(expected)


def test_winning_cells_of_other_k_raises():
    with pytest.raises(ValueError, match=names("k = 3")):
        winning_cells(ConnectFour(4, 4, 3), 0)


# Exact positions


def test_exact_positions_are_not_trivial():
    positions = exact_positions()
    assert len({position.state.symmetry_key() for position in positions}) == 60
    for position in positions:
        state = position.state
        assert not any(state.successor(a).is_terminal() for a in state.legal_actions())
        assert 0 < 2 * len(position.optimal) <= len(state.legal_actions())
        assert set(position.optimal) <= set(state.legal_actions())


def test_solver_agrees_on_positions_with_twenty_discs():
    compiled = pytest.importorskip("gamefast.compiled")
    for position in exact_positions()[40::7]:
        result = compiled.solve(position.state)
        assert result.value == position.value
        best = {a for a, bound in result.values.items() if bound.value == result.value}
        assert set(position.optimal) == best


# The budget


def test_move_with_count_counts_successor_calls():
    def agent(state):
        return max(state.legal_actions(), key=lambda a: state.successor(a).current_player)

    assert move_with_count(agent, ConnectFour()) == (0, 7)
    assert move_with_count(agent, ConnectFour(), budget=7) == (0, 7)
    with pytest.raises(BudgetExceededError, match=names("all 6 positions")):
        move_with_count(agent, ConnectFour(), budget=6)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_search_generates_all_nodes_except_root(depth):
    for position in exact_positions()[::10]:
        result = alphabeta(position.state, depth=depth, evaluate=open_windows)
        made = move_with_count(
            SearchAgent(alphabeta, depth=depth, evaluate=open_windows), position.state, budget=None
        )
        assert made == (result.action, result.stats.nodes - 1)


def test_rollouts_count_every_generated_node():
    agent = SearchAgent(mcts, simulations=5, rng=0)
    _, made = move_with_count(agent, ConnectFour(), budget=None)
    assert made > 5 * 7  # no game ends before the seventh stone


def test_budget_applies_to_one_move():
    kept = []
    move_with_count(lambda state: kept.append(state) or 3, ConnectFour())
    with pytest.raises(BudgetExceededError):
        kept[0].successor(3)
    assert ConnectFour().successor(3) == ConnectFour().play(3)


def test_counted_position_equals_plain_one():
    def agent(state):
        assert state == ConnectFour()
        assert ConnectFour() == state
        assert hash(state) == hash(ConnectFour())
        assert repr(state) == repr(ConnectFour())
        assert state.successor(3) != ConnectFour()
        return 3

    assert move_with_count(agent, ConnectFour()) == (3, 1)


# The match


def test_openings_are_distinct_and_reproducible():
    found = openings(100, 5)
    assert len({state.symmetry_key() for state in found}) == 100
    assert all(len(str(state).replace(".", "").split()) == 4 for state in found)
    assert found[:10] == openings(10, 5)
    assert found != openings(100, 6)


def test_same_seed_plays_same_games():
    agents = SearchAgent(random_choice), SearchAgent(lookahead)
    match = play_match(*agents, games=10, seed=4)
    assert match == play_match(*agents, games=10, seed=4)
    assert match != play_match(*agents, games=10, seed=5)


def test_match_plays_openings_in_both_seats():
    match = play_match(deepening, deepening, games=4)
    assert len(match.payoffs) == 4
    assert match.payoffs[::2] == tuple(-payoff for payoff in match.payoffs[1::2])
    assert match.tally().share == 0.5
    assert match.better is None
    assert "not shown" in match.verdict


def test_match_result_has_wilson_interval():
    match = play_match(deepening, SearchAgent(random_choice), games=10)
    low, high = wilson_interval(10, 10)
    assert match.tally().share == 1
    assert f"interval {100 * low:.1f} to {100 * high:.1f} %" in repr(match)
    assert match.better
    assert [row["games"] for row in match.rows()] == [10, 5, 5]


def wrong_verdicts(looks):
    """Return how often an equal agent is shown to be better at one of these numbers of games."""
    going, shown = {0: 1.0}, 0.0  # the probability of each number of wins, while nothing is shown
    for games in range(1, max(looks) + 1):
        before, going = going, Counter()
        for wins, share in before.items():
            for more in (0, 1):
                going[wins + more] += share / 2
        if games in looks:
            better = [wins for wins in going if wilson_interval(wins, games)[0] > 0.5]
            shown += sum(going.pop(wins) for wins in better)
    return shown


def test_quiz_tells_how_often_looks_mislead():
    reply = quiz("capstone/more").answer(
        "Play ten more games and look again, until the interval is above 50 %."
    )
    assert {round(100 * wrong_verdicts({games})) for games in (20, 40, 100, 200, 400)} == {2, 3}
    assert "a single look shows an advantage in 2 or 3 of 100 matches" in reply
    often = round(100 * wrong_verdicts(range(10, 401, 10)))
    assert f"a look after every ten games, up to 400, does so in {often}." in reply


def test_levels_keep_budget_and_increase_in_strength():
    matches = [play_match(better, weaker, games=10, seed=3) for weaker, better in pairwise(LEVELS)]
    for match in matches:
        assert match.tally().share > 0.5
        assert max(map(max, match.positions)) <= BUDGET


def test_stopped_match_keeps_complete_pairs():
    shares = []
    match = play_match(
        SearchAgent(random_choice),
        SearchAgent(lookahead),
        games=10,
        progress=lambda share, pair: shares.append((share, len(pair))),
        stop=lambda: len(shares) == 2,
    )
    assert shares == [(0.2, 2), (0.4, 2)]
    whole = play_match(SearchAgent(random_choice), SearchAgent(lookahead), games=10)
    assert match.payoffs == whole.payoffs[:4]


@pytest.mark.parametrize(
    ("option", "wrong", "words"),
    [
        *(("games", games, "an even int") for games in [0, 1, 3, -2, 2.0, "4", 1002, True]),
        *(("seed", seed, "an int") for seed in [None, "1", 1.5]),
    ],
)
def test_invalid_option_of_match_raises(option, wrong, words):
    with pytest.raises(ValueError, match=names(f"{option} must be {words}")):
        play_match(deepening, deepening, **{option: wrong})


# Exercise 1


def left_half(state, player):
    mine, theirs = (
        sum(state.cell(row, col) == who for row in range(6) for col in range(3))
        for who in (player, 1 - player)
    )
    return (mine - theirs) / 20


HEURISTICS = [
    (lambda s, p: 3 * open_windows(s, p) + 0.9 * (1 - 2 * p), "outside"),
    (lambda s, p: open_windows(s, 0), "look at `player`"),
    (lambda s, p: 0.1 * len(winning_cells(s, p)), "they must sum to 0"),
    (left_half, "leave out a row or a column"),
    (lambda s, p: -open_windows(s, p), "not theirs minus mine"),
    (lambda s, p: 0, "`winning_cells(state, player)`"),
    (
        lambda s, p: (len(winning_cells(s, p)) - len(winning_cells(s, 1 - p))) / 50,
        "disc in the middle column",
    ),
    (lambda s, p: s.cell(9, 9), "raised ValueError"),
]

# Exercise 2


def test_tactics_are_wins_and_blocks_of_both_players():
    found = capstone.tactics()
    kinds = [(tactic.wins, tactic.state.current_player) for tactic in found]
    assert {kind: kinds.count(kind) for kind in kinds} == dict.fromkeys(
        [(True, 0), (True, 1), (False, 0), (False, 1)], 4
    )
    for tactic in found:
        state = tactic.state
        wins = {a for a in state.legal_actions() if state.successor(a).winner is not None}
        assert wins == ({tactic.column} if tactic.wins else set())
        assert alphabeta(tactic.state, depth=5).action == tactic.column


def of_depth(depth, evaluate=open_windows, order=None):
    return lambda s: alphabeta(s, depth=depth, evaluate=evaluate, order=order).action


def one_seat(state):
    return state.legal_actions()[-1] if state.current_player == 1 else deepening(state)


def greedy(state):
    mover = state.current_player
    return max(state.legal_actions(), key=lambda a: centre(state.successor(a), mover))


AGENTS = [
    (of_depth(6), "catch BudgetExceededError"),
    (greedy, "ask whether the game has ended"),
    (of_depth(1, lambda state, player: 0, centre_first), "sees the reply"),
    (one_seat, "It does so only as X."),
    (of_depth(2), "Why stop there?"),
    (lambda state: -1, "the open columns are 0, 1"),
    (lambda state: alphabeta(state, depth=2), "must return int"),
]


def test_each_move_has_its_own_time_limit(monkeypatch):
    monkeypatch.setattr(check_runner, "WALL_SECONDS", 1.5)

    def sleepy(state):
        time.sleep(0.15)
        return state.legal_actions()[0]

    assert "no end" not in check_agent(sleepy).message


# Exercises 3 to 5
# The reference agent plays its matches in tests/notebooks/test_coursework.py, as solutions do.


def late(state):
    """Play an illegal column once one is full."""
    if len(state.legal_actions()) < 7:
        return 9
    return max(state.legal_actions(), key=lambda a: -sum(map(bool, [state.cell(0, a)])))


ENTRIES = [  # an agent, its level, how many games, and what it is told
    (searching(lambda s, p: -open_windows(s, p)), 3, 20, "Is a sign wrong?"),
    (searching(open_windows, view=0), 1, 20, "As O it does much worse"),
    (of_depth(2, None), 3, 20, "Why stop there?"),
    (SearchAgent(lookahead, rng=1), 1, 10, "50 % is inside the interval"),
    (LEVELS[2], 2, 6, "Decide on a larger number"),
    (late, 1, 40, "late answered 9; the open columns are"),
    *((deepening, level, 40, "level must be 1, 2 or 3") for level in (0, 4, "1", 1.0)),
]
WRONG = [
    *((check_four_heuristic, *row) for row in HEURISTICS),
    *((check_agent, *row) for row in AGENTS),
    *((partial(check_capstone, level=n, games=m), one, said) for one, n, m, said in ENTRIES),
]


@pytest.mark.parametrize(("check", "wrong", "words"), WRONG)
def test_wrong_heuristic_or_agent_is_explained(check, wrong, words):
    feedback = check(wrong)
    assert not feedback
    assert words in feedback.message


@pytest.mark.parametrize(
    ("check", "right"),
    [
        (check_four_heuristic, open_windows),
        (check_agent, deepening),
        (check_agent, searching(open_windows)),
    ],
)
def test_right_heuristic_or_agent_passes(check, right):
    assert check(right)


@pytest.mark.parametrize(
    ("wins", "losses", "games", "ends"),
    [
        (18, 2, 200, "clear already"),
        (17, 3, 200, ""),  # 3.13 standard errors
        (2, 18, 200, "clear already"),
        (10, 0, 200, ""),  # too few to say so
        (28, 0, 40, "cannot change"),
        (0, 15, 40, "cannot change"),
        (20, 20, 40, ""),  # there is none left
    ],
)
def test_match_ends_once_decided(wins, losses, games, ends):
    why = capstone.why_over([1] * wins + [-1] * losses, games)
    assert ends in why
    assert bool(why) == bool(ends)


@pytest.mark.parametrize("strength", [0.5, 0.55, 0.6])
def test_early_stopping_rarely_changes_verdict(strength):
    rng, changed = random.Random(1), 0
    for _ in range(200):
        payoffs = [1 if rng.random() < strength else -1 for _ in range(200)]
        looks = (payoffs[:n] for n in range(20, 200, 6))
        seen = next((some for some in looks if capstone.why_over(some, 200)), [])
        if "clear" in capstone.why_over(seen, 200):
            changed += (sum(seen) > 0) != (Tally.from_payoffs(payoffs).interval[0] > 0.5)
    assert changed <= 4


def test_marking_uses_secret_openings_and_many_games(monkeypatch):
    asked = []

    def two_games(agent, other, **how):
        asked.append(how)
        return play_match(agent, other, games=2)

    monkeypatch.setattr(capstone, "play_match", two_games)
    for word in ("one", "two", "two"):
        with use_seed(word):
            check_capstone(LEVELS[0], level=1, games=40, seed=0)
    check_capstone(LEVELS[0], level=1, games=40, seed=0)
    assert [how["games"] for how in asked] == [200, 200, 200, 40]
    one, two, again, own = (how["seed"] for how in asked)
    assert len({one, two, own}) == 3
    assert (again, own) == (two, 0)


def test_slow_agent_is_stopped(monkeypatch):
    monkeypatch.setattr(capstone, "SECONDS", 0.01)
    feedback = check_capstone(reference.my_agent, level=1, games=20)
    assert not feedback
    assert "`state.cell` in a loop is slow" in feedback.message


# Handing in

PROGRAM = """
import random as chance
from math import tanh
from gamelib import alphabeta, open_windows
from course.lessons.capstone import winning_cells as look

DEPTH = 2
WEIGHTS = {"lines": (1, 2.5)}

def unused():
    return missing

def scaled(number):
    return tanh(WEIGHTS["lines"][0] * number)

def value(state, player):
    cells = [scaled(len(c)) for c in [look.winning_cells(state, player)]]
    return 0.5 * scaled(open_windows(state, player)) + 0 * cells[0] * chance.random()

def play(state):
    return alphabeta(state, depth=DEPTH, evaluate=value).action
"""


def notebook(program):
    """Return the names that a cell with this program makes in a notebook."""
    names = {"__name__": "__main__"}
    linecache.cache["<cell>"] = (len(program), None, program.splitlines(True), "<cell>")
    exec(compile(program, "<cell>", "exec"), names)
    return names


def test_agent_file_contains_exactly_what_agent_uses():
    text = agent_file(notebook(PROGRAM)["play"])
    assert "import random as chance\n" in text
    assert "from gamelib import alphabeta, open_windows\n" in text
    assert "DEPTH = 2\n" in text
    assert "unused" not in text
    assert text.endswith("agent = play\n")


def test_agent_file_plays_same_moves_in_own_process():
    play = notebook(PROGRAM)["play"]
    agent = load_agent(agent_file(play))
    for position in exact_positions()[:2]:
        assert agent(position.state) == move_with_count(play, position.state)[0]


def test_reference_agent_can_be_written_to_file():
    match = play_match(load_agent(agent_file(reference.my_agent)), LEVELS[0], games=2)
    assert max(match.positions[0]) <= BUDGET
    assert min(match.positions[0]) > 0


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (lambda state: 3, "only functions made with `def`"),
        (searching(open_windows), "write it at the left margin"),
    ],
)
def test_agent_not_writable_to_file_raises(agent, words):
    with pytest.raises(ValueError, match=words):
        agent_file(agent)
