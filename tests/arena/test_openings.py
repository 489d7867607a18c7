"""Openings, with which deterministic agents play different games, the same in each seat."""

from collections import Counter
from random import Random

import pytest
from agent_fixtures import change_line, first, last

from arena import RecordsError, match_up, tournament
from arena.__main__ import main
from arena.results.openings import openings, theory
from gamelib import SearchAgent, random_agent
from gamelib.games import ConnectFour, EinStein, GameTree, Nim, TicTacToe, nim_sum
from gamelib.search import minimax, solve, winning_actions
from tests.messages import names

AGENTS = first, last, SearchAgent(minimax, depth=2)


@pytest.mark.parametrize(
    ("state", "wanted", "found", "plies"),
    [
        (ConnectFour(), 10, 10, {2}),
        (ConnectFour(), 100, 100, {4}),  # after two plies there are only 28 positions
        (TicTacToe(3, 3, 3, 3), 10, 10, {3}),
        (TicTacToe(), 500, 27, {6}),
        (GameTree([[3, 12, 8], [2, 4, 6]]), 5, 1, {0}),  # each ply decides it
        (EinStein(), 5, 1, {0}),  # the dice see to it
    ],
)
def test_openings_have_wanted_number_and_few_plies(state, wanted, found, plies):
    drawn = openings(state, wanted, Random(1))
    assert (len(drawn), {len(opening) for opening in drawn}) == (found, plies)


@pytest.mark.parametrize("state", [ConnectFour(), TicTacToe(), Nim((3, 4, 5)), TicTacToe(2, 4, 2)])
def test_openings_differ_and_are_undecided(state):
    positions = [state.play(*opening) for opening in openings(state, 30, Random(2)) if opening]
    assert len({p.symmetry_key() or p for p in positions}) == len(positions)
    for position in positions:
        assert not winning_actions(position)
        assert theory(position) in (None, theory(state))


def test_deterministic_agents_play_openings_in_each_seat():
    games = match_up(first, last, state=ConnectFour(), games=20)
    assert games.different_games == 20
    seen = Counter(record.opening for record in games.records)
    assert set(seen.values()) == {2}
    assert all(r.actions[: len(r.opening)] == r.opening for r in games.records)
    assert "20 different, from 10 openings" in repr(games)
    assert games.theory is None  # of these openings nobody knows it


@pytest.mark.parametrize(
    ("agents", "openings", "there"),
    [
        ((first, last), None, True),
        ((first, SearchAgent(minimax, depth=2)), None, True),
        ((first, random_agent()), None, False),
        ((random_agent(), random_agent()), None, False),
        ((random_agent(), random_agent()), True, True),
        ((first, last), False, False),
    ],
)
def test_openings_default_to_deterministic_agents(agents, openings, there):
    games = match_up(*agents, state=Nim((3, 4, 5)), games=4, openings=openings)
    assert any(record.opening for record in games.records) == there


def test_all_meetings_use_same_openings():
    results = tournament(AGENTS, state=TicTacToe(4, 4, 3), games=6)
    drawn = {}
    for record in results.records:
        drawn.setdefault(frozenset(record.seats), set()).add(record.opening)
    assert len(drawn) == 3
    assert len(set(map(frozenset, drawn.values()))) == 1


def test_each_swiss_round_has_its_own_opening():
    results = tournament(AGENTS, state=ConnectFour(), games=2, rounds=5)
    assert len({record.opening for record in results.records}) == 5
    assert len(results.records) == 10


def test_forfeit_before_first_move_is_accepted(path):

    def run():
        return match_up(lambda state: 99, last, state=ConnectFour(), games=4, path=path)

    games = run()
    assert [len(record.actions) for record in games.records] == [2, 3, 2, 3]
    assert run() == games


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"opening": [0, 1]}, "does not begin with its opening"),
        ({"opening": []}, "counts .* moves, but there were"),
        ({"opening": 7}, "damaged"),
    ],
)
def test_changed_opening_raises(path, change, why):
    match_up(first, last, state=ConnectFour(), games=2, path=path)
    change_line(path, 2, lambda game: game | change)
    with pytest.raises(RecordsError, match=f"line 2 of games.jsonl .*{why}|{why}"):
        match_up(first, last, state=ConnectFour(), games=2, path=path)


def test_opening_of_another_run_raises(path):
    own = match_up(first, last, state=ConnectFour(), games=2, path=path)
    other = match_up(first, last, state=ConnectFour(), games=2, seed=5)
    assert other.records[0].opening != own.records[0].opening
    change_line(path, 2, lambda game: other.records[0].to_json() | {"seed": game["seed"]})
    with pytest.raises(RecordsError, match=names("game 0 is not one of this run")):
        match_up(first, last, state=ConnectFour(), games=2, path=path)


def test_no_openings_option_plays_without_openings(capsys):
    call = ["match", "solve", "minimax(depth=2)", "--game", "Nim(3, 4, 5)", "--games", "4"]
    assert main([*call, "--no-openings"]) == 0
    assert "2 different, seed" in capsys.readouterr().out


def test_perfect_agent_wins_every_winnable_opening():
    games = match_up(SearchAgent(solve), first, state=Nim((3, 4, 5)), games=20)
    assert games.theory == (1, -1)
    assert games.tally("solve", seat=0).wins == 10


# Theory, which says what an opening may be


@pytest.mark.parametrize(
    ("state", "payoffs"),
    [
        (Nim((2, 2, 2, 2)).play((0, 1)), (-1, 1)),
        (Nim((2,), max_take=1), (-1, 1)),
        (TicTacToe(), (0, 0)),
        (TicTacToe(2, 5, 2), (1, -1)),
        (ConnectFour(), (1, -1)),
        (GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), (3, -3)),
        (TicTacToe.parse("XXX/OO./..."), (1, -1)),
    ],
)
def test_theory_has_known_values(state, payoffs):
    assert theory(state) == payoffs


@pytest.mark.parametrize("heaps", [(1, 2), (1, 3, 5), (2, 3, 1), (4, 4), (1, 1, 1, 1), (5,)])
@pytest.mark.parametrize("misere", [False, True])
def test_theory_of_nim_equals_search(heaps, misere):
    state = Nim(heaps, misere=misere)
    assert theory(state) == solve(state).utilities
    assert misere or (theory(state) == (1, -1)) == (nim_sum(heaps) != 0)


@pytest.mark.parametrize(
    "state",
    [
        TicTacToe(3, 3, 3, 3),
        TicTacToe(5, 5, 4),
        ConnectFour(5, 6),
        ConnectFour().play(3),
        GameTree([(1, 2, 3), (4, 2, 1)]),
        GameTree([(1, 1), (0, 3)]),
    ],
)
def test_theory_is_none_for_large_games(state):
    assert theory(state) is None


def test_theory_is_none_for_subclass_of_nim():
    class OddNim(Nim):
        pass

    assert theory(OddNim((3, 4, 5))) is None
