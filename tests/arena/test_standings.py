"""Standings: tallies, ratings without forfeits, remarks, and tables."""

import re
from dataclasses import replace

import pytest
from agent_fixtures import record_of

from arena import BradleyTerry, Forfeit, Tournament
from gamelib import TicTacToe

NAMES = ("ann", "bob", "cem")


def standings(*results, names=NAMES, absent=None):
    """Return the standings after games, given as (seats, utilities) and maybe a forfeit."""
    records = tuple(
        record_of(number, seats, utilities, actions=(0, 1), forfeit=next(iter(forfeit), None))
        for number, (seats, utilities, *forfeit) in enumerate(results)
    )
    return Tournament(names, TicTacToe(), 2, 0, records, 500, absent or {})


# The first wins in seat 0 and draws in seat 1, again and again.
REPEATED = (((0, 1), (1, -1)), ((1, 0), (0, 0))) * 20


def ratings(results):
    return {each.agent: each.rating for each in results.ranking}


def test_repeated_games_count_once_in_ratings():
    others = (((0, 2), (1, -1)), ((2, 1), (1, -1)))
    once, often = standings(*REPEATED[:2], *others), standings(*REPEATED, *others)
    assert ratings(often) == ratings(once)
    assert often.tally("ann", "bob").games == 40
    assert "do not count: 38 games" in repr(often)
    assert "do not count" not in repr(once)


def test_random_games_all_count():
    results = standings(*REPEATED)
    records = tuple(
        replace(record, actions=(number % 3,)) if number < 10 else record
        for number, record in enumerate(results.records)
    )
    varied = replace(results, records=records)
    assert varied.independent_games() == list(records)
    assert ratings(varied)["ann"].low > ratings(results)["ann"].low


LEAGUE = standings(
    ((0, 1), (1, -1)),
    ((1, 0), (0, 0)),
    ((0, 2), (1, -1)),
    ((2, 0), (-1, 1)),
    ((1, 2), (-1, 1)),
    ((2, 1), (-1, 1)),
)


def counts(tally):
    return tally.wins, tally.draws, tally.losses


def test_tally_counts_every_seat():
    assert [counts(LEAGUE.tally(name)) for name in NAMES] == [(3, 1, 0), (1, 1, 2), (1, 0, 3)]


@pytest.mark.parametrize(
    ("row", "column", "expected"),
    [("ann", "bob", (1, 1, 0)), ("bob", "ann", (0, 1, 1)), ("cem", "bob", (1, 0, 1))],
)
def test_tally_against_one_agent(row, column, expected):
    assert counts(LEAGUE.tally(row, column)) == expected


def test_ratings_follow_the_points():
    expected = BradleyTerry([[[0, 1.5, 2], [0.5, 0, 1], [0, 1, 0]]]).ratings()
    assert ratings(LEAGUE) == dict(zip(NAMES, expected, strict=True))


def test_equal_agents_keep_their_order():
    drawn = standings(((0, 1), (0, 0)), ((1, 2), (0, 0)), ((2, 0), (0, 0)))
    assert [each.agent for each in drawn.ranking] == list(NAMES)


# Forfeits

OFFENDER = (
    ((0, 1), (1, -1)),
    ((1, 0), (-1, 1)),
    ((0, 2), (1, -1), Forfeit(1, "raised <b>")),
    ((2, 0), (-1, 1), Forfeit(0, "raised <b>")),
    ((1, 2), (1, -1), Forfeit(1, "no answer")),
)


def test_always_forfeiting_agent_has_no_rating():
    with_it, without = standings(*OFFENDER), standings(*OFFENDER[:2], names=NAMES[:2])
    assert [each.agent for each in with_it.ranking] == ["ann", "bob", "cem"]
    assert with_it.ranking[2].rating is None
    assert [each.rating for each in with_it.ranking[:2]] == [
        each.rating for each in without.ranking
    ]


def test_absent_agents_are_ranked_last():
    some = standings(*OFFENDER, names=(*NAMES, "dan"), absent={"bob": "x"})
    assert [each.agent for each in some.ranking] == ["ann", "cem", "dan", "bob"]


# More than two players


def test_three_player_game_counts_each_pair():
    three = standings(((0, 1, 2), (-1, 1, -1)))
    assert counts(three.tally("bob", "ann")) == (1, 0, 0)
    assert counts(three.tally("ann", "cem")) == (0, 1, 0)


def test_forfeit_does_not_count_for_other_pairs():
    three = standings(((0, 1, 2), (0, -1, 0), Forfeit(1, "x")))
    assert counts(three.tally("ann", "bob")) == (1, 0, 0)
    assert counts(three.tally("ann", "cem")) == (0, 0, 0)


# What is printed


def test_tables_have_results_without_seconds():
    text = repr(standings(*OFFENDER, names=(*NAMES, "dan"), absent={"dan": "SyntaxError: x"}))
    assert re.search(
        r"^1\. ann +\+\d+ +[+-]\d+ to \+\d+ +\d+ \(-\d+ to \+\d+\) +4 +4 +0 +0 +0 +100.0 %$",
        text,
        re.M,
    )
    assert re.search(r"^3\. cem +none +3 +0 +0 +3 +3 +0.0 %$", text, re.M)
    assert re.search(r"^ +1 +2 +3\n1\. ann +- +100 +100$", text, re.M)
    assert "\ncem, 2 games: raised <b>\ncem, 1 game: no answer" in text
    assert "\ndan, no game: could not start: SyntaxError: x" in text
    assert "500 positions per move" in text
    assert "1.25" not in text


def test_empty_tournament_can_be_printed():
    assert "0 games" in repr(standings())
    assert "ann" in standings()._repr_html_()


# Who is worth a look


def measured(*sides):
    """Return a league with these numbers of positions and seconds for ann, bob and cem."""
    records = [
        replace(
            record,
            actions=(number,),
            cpu=tuple(sides[seat][1] for seat in record.seats),
            counts=tuple({**record.counts[0], "nodes": sides[seat][0]} for seat in record.seats),
        )
        for number, record in enumerate(LEAGUE.records * 20)
    ]
    return replace(LEAGUE, records=tuple(records))


def test_strong_agent_without_positions_gets_remark():
    results = measured((0, 0.01), (300, 0.01), (300, 0.01))
    best = results.ranking[0]
    assert (best.agent, best.rating.low > 0) == ("ann", True)
    remark = "plays well with 0.0 positions per move: does it have its own rules?"
    assert results.remarks == [["ann", remark]]
    assert repr(results).endswith(f"* Worth a look\n\nann {remark}")
    assert "1. ann * " in repr(results)


def test_slow_agent_per_position_gets_remark():
    remark = "computes 50 times as long as others for each position that it reports"
    assert measured((297, 1), (297, 0.02), (297, 0.02)).remarks == [["ann", remark]]
    assert measured((297, 0.05), (297, 0.001), (297, 0.001)).remarks == []  # too short to say


def test_losing_agent_without_positions_gets_no_remark():
    assert measured((300, 0.01), (0, 0.01), (0, 0.01)).remarks == []


def test_audit_difference_gets_remark():
    league = measured(*[(300, 0.01)] * 3)
    found = ("", "it was another"), (None, None), (None, "")
    records = [
        replace(record, audit=audit)
        for record, audit in zip(league.records[:3], found, strict=True)
    ]
    text = "differs in 1 of 1 games that it played again: in game 0 it was another"
    assert replace(league, records=tuple(records)).remarks == [["bob", text]]


def test_agents_without_process_get_no_remarks():
    assert LEAGUE.remarks == []
