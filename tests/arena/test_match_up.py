import re
from dataclasses import replace

import pytest
from agent_fixtures import first, last, record_of

from arena import MatchUp, match_up, wilson_interval
from arena.results.record_file import check_utilities
from gamelib import SearchAgent, random_agent
from gamelib.games import ConnectFour, EinStein, Nim, TicTacToe
from gamelib.search import mcts, minimax, solve, star1
from tests.messages import names

NIM = Nim((3, 4, 5))


def results(*utilities, agents=("one", "two")):
    """Return a match-up of two with these payoffs of the first agent; seats change every game."""
    records = tuple(
        record_of(game, *[((0, 1), (value, -value)), ((1, 0), (-value, value))][game % 2])
        for game, value in enumerate(utilities)
    )
    return MatchUp(agents, NIM, len(records), 0, records)


# What is refused before the first game


@pytest.mark.parametrize(
    ("agents", "options", "error", "message"),
    [
        ((first,), {}, ValueError, "agents must be one per player: 2 players, 1 agents"),
        ((first, 5), {}, TypeError, "an agent must be a function of a state; got 5"),
        ((first, last), {"state": Nim((0,))}, ValueError, "state must be a position"),
        ((first, last), {"workers": 0}, ValueError, "workers must be an int, 1 or more; got 0"),
        ((first, SearchAgent(mcts)), {}, ValueError, "mcts needs a budget"),
        ((first, SearchAgent(mcts, simulations=9, rng=1)), {}, ValueError, "leave out rng"),
        (
            (SearchAgent(minimax), first, first),
            {"state": TicTacToe(3, 3, 3, 3), "games": 3},
            ValueError,
            "minimax needs a game of two players; this one has 3",
        ),
    ],
)
def test_invalid_arguments_raise(agents, options, error, message):
    with pytest.raises(error, match=names(message)):
        match_up(*agents, **{"state": NIM, "games": 2, **options})


# Watching and stopping


def test_progress_gets_fraction_and_record():
    told = []
    games = match_up(
        first, last, state=NIM, games=4, progress=lambda share, newest: told.append((share, newest))
    )
    assert told == [(0, None), *zip((0.25, 0.5, 0.75, 1), games.records, strict=True)]


def test_run_stopped_before_first_game_is_empty():
    games = match_up(first, last, state=NIM, games=10, stop=lambda: True)
    assert (games.records, games.verdict) == ((), "Not shown: no game was played.")
    assert "0 of 10 games" in repr(games)
    assert games.rows() == []


# Counting


def test_tally_counts_results_by_seat():
    games = results(1, 1, 0, -1, 1, -1)
    assert vars(games.tally("one")) == {"wins": 3, "draws": 1, "losses": 2}
    assert vars(games.tally("two")) == {"wins": 2, "draws": 1, "losses": 3}
    assert vars(games.tally("one", seat=0)) == {"wins": 2, "draws": 1, "losses": 0}
    assert vars(games.tally("one", seat=1)) == {"wins": 1, "draws": 0, "losses": 2}


def test_draw_counts_half_a_point():
    tally = results(1, 0, 0, -1, -1, -1, 0, 0).tally(0)
    assert (tally.games, tally.share) == (8, 3 / 8)
    assert tally.interval == wilson_interval(3, 8)


@pytest.mark.parametrize(
    ("state", "shares"),
    [(NIM, [0.5, 1, 0]), (TicTacToe(), [0, 0, 0]), (ConnectFour(5, 5), [None, None, None])],
)
def test_winnable_is_proportion_of_winnable_games(state, shares):
    games = match_up(first, last, state=state, games=4)
    assert [row["winnable"] for row in games.summary()] == shares * 2


@pytest.mark.parametrize("agent", [2, -1, "three", None, True])
def test_unknown_agent_raises(agent):
    with pytest.raises(ValueError, match=names("agent must be one of one, two")):
        results(1, -1).tally(agent)


# The verdict


def test_verdict_shows_clear_result():
    verdict = results(*[1] * 30, *[-1] * 10).verdict
    assert verdict == (
        "one scores more (one 75.0 %, interval 59.8 to 85.8 %, "
        "two 25.0 %, interval 14.2 to 40.2 %)."
    )


@pytest.mark.parametrize("values", [[1, -1] * 20, [1] * 53 + [-1] * 47, [1, 1, 1], [0] * 50])
def test_verdict_does_not_show_unclear_result(values):
    assert results(*values).verdict.startswith("Not shown: ")


def test_repeated_games_are_not_evidence():
    verdict = match_up(first, SearchAgent(solve), state=NIM, games=100, openings=False).verdict
    assert "only 2 different games were played" in verdict
    assert "interval" not in verdict


def test_verdict_of_three_needs_clear_leader():
    agents = SearchAgent(mcts, simulations=60), random_agent(), random_agent()
    games = match_up(*agents, state=TicTacToe(3, 3, 3, 3), games=60)
    assert re.match(
        r"mcts\(simulations=60\) scores \+\d.* to \+\d.* % more than random", games.verdict
    )
    games = match_up(random_agent(), first, last, state=TicTacToe(3, 3, 3, 3), games=6)
    assert games.verdict.startswith("Not shown: ")


# Tables


def test_table_has_seats_theory_and_counts():
    text = repr(match_up(SearchAgent(solve), random_agent(), state=NIM, games=20, seed=3))
    title, _, columns, *rows = text.splitlines()
    assert title == "Nim(3 4 5, X to move): 20 games, 20 different, seed 3"
    assert re.split(" {2,}", columns) == [
        *("agent", "seat", "games", "wins", "draws", "losses"),
        *("share", "95 % interval", "theory", "nodes/move"),
    ]
    assert len(rows) == 6
    assert rows[1].split()[:5] == ["0", "10", "10", "0", "0"]
    assert "win" in rows[1]


def test_html_escapes_names():
    html = results(1, -1, agents=("<script>", "b&b"))._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "b&amp;b" in html
    assert html.count("<tr>") == 7


def test_rows_have_every_game():
    games = match_up(SearchAgent(mcts, simulations=9), lambda state: 9, state=NIM, games=2)
    one, two = games.rows()
    assert (one["agent_0"], one["agent_1"]) == ("mcts(simulations=9)", "<lambda>")
    assert (one["utility_0"], one["utility_1"]) == (1, -1)
    assert (one["forfeit"], two["forfeit"]) == ("<lambda>", "<lambda>")
    assert two["reason"].startswith("returned 9: an action is (heap, take)")
    assert (one["moves_0"], one["simulations_0"], one["plies"]) == (1, 9, 1)


def test_forfeits_are_printed_with_reasons():
    def careless(state):
        return 99

    games = match_up(careless, random_agent(), state=TicTacToe(), games=4)
    last = str(games).splitlines()[-1]
    assert last.startswith("careless, 4 games: returned 99: ")
    assert "<caption>Forfeits</caption>" in games._repr_html_()
    assert "Forfeits" not in str(match_up(*[random_agent()] * 2, state=TicTacToe(), games=2))


# Dice: the rolls of a game come from its seed, and from nobody's play


def test_agents_do_not_change_dice():
    pairs = (first, last), (last, last)
    games = [match_up(*pair, state=EinStein(), games=4, seed=3).records for pair in pairs]
    for one, other in zip(*([r.actions[::2] for r in records] for records in games), strict=True):
        common = min(len(one), len(other))
        assert common > 5
        assert one[:common] == other[:common]


def test_chance_moves_are_not_counted():
    agents = SearchAgent(star1, depth=3), SearchAgent(mcts, simulations=20)
    result = match_up(*agents, state=EinStein(3, 3), games=4, seed=1)
    for record in result.records:
        assert record.forfeit is None
        assert sum(count["moves"] for count in record.counts) == len(record.actions) // 2
        check_utilities(record, EinStein(3, 3))


def test_changed_roll_raises():
    start = EinStein(3, 3)
    record = match_up(random_agent(), random_agent(), state=start, games=2, seed=1).records[0]
    with pytest.raises(ValueError, match="its seed does not roll"):
        check_utilities(replace(record, seed=record.seed + 1), start)
