"""Tournaments, which are fair and reproducible, and which no agent can harm."""

import os
import re
import shutil
import sys
import time
from collections import Counter
from functools import partial
from itertools import combinations

import pytest
from agent_fixtures import AGENTS, files, first, plan, posix

from arena import FileAgent, Limits, RecordsError, tournament
from arena.__main__ import main
from arena.play.run import unique_names
from arena.play.tournament import estimate_hours
from gamelib import Nim, SearchAgent, TicTacToe, lookahead, maxn, random_agent, solve
from tests.messages import names

HONEST = ["chance", "first", "takes_a_win"]
ILL_BEHAVED = ["raises", "illegal", "has_no_agent", "allocates"]


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the files of a small class."""
    folder = tmp_path / "class"
    folder.mkdir()
    for name in HONEST:
        shutil.copy(AGENTS / "honest" / f"{name}.py", folder)
    return folder


def play(agents, **options):
    """Return the results of a short tournament."""
    return tournament(agents, **{"state": TicTacToe(), "games": 2, **options})


def played(results):
    """Return the games by names and place in the run of that pair, without their numbers."""
    return {
        (tuple(results.agents[index] for index in record.seats), record.seed): record.actions
        for record in results.records
    }


# Who plays whom


@pytest.mark.parametrize(("agents", "players", "games"), [(2, 2, 2), (5, 2, 4), (4, 3, 6)])
def test_groups_play_equally_in_all_seats(agents, players, games):
    names = [f"agent {number}" for number in range(agents)]
    jobs = plan(names, players, games).jobs({})
    groups = Counter(tuple(sorted(job.seats)) for job in jobs)
    assert groups == dict.fromkeys(combinations(range(agents), players), games)
    for group in groups:
        mine = [job.seats for job in jobs if tuple(sorted(job.seats)) == group]
        for player in range(players):
            assert set(Counter(seats[player] for seats in mine).values()) == {games // players}


# Results


def test_agents_with_same_name_are_numbered():
    results = play([random_agent(), random_agent()])
    assert results.agents == ("random", "random #2")
    agents = [SearchAgent(maxn, name) for name in ("a", "a", "a #2", "b", "a")]
    assert unique_names(agents) == ["a", "a #2", "a #2 #2", "b", "a #3"]


# A class of honest and hostile agents


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells what a process uses")
def test_hostile_agents_only_forfeit_their_games(left_behind):
    among_honest = play(files(*HONEST), seconds=1)
    for hostile in (ILL_BEHAVED, ["loops"]):  # apart, because each game with `loops` lasts
        among_all = play(files(*HONEST, *hostile), seconds=1)
        assert left_behind() == []
        absent = {"has_no_agent"} & set(hostile)
        assert set(among_all.absent) == absent
        assert set(among_all.forfeits) == set(hostile) - absent
        assert [(each.agent, each.rating) for each in among_all.ranking[:3]] == [
            (each.agent, each.rating) for each in among_honest.ranking
        ]
        assert played(among_honest).items() <= played(among_all).items()


@pytest.mark.parametrize(
    ("others", "games", "told"), [(["first", "chance"], 2, [0, 0.5, 1]), (["first"], 0, [1])]
)
def test_unloadable_file_is_absent_and_others_play(others, games, told):
    shares = []
    agents = files(*others, "cannot_be_imported")
    results = play(agents, progress=lambda share, newest: shares.append(share))
    assert "No module named" in results.absent["cannot_be_imported"]
    assert (len(results.records), shares) == (games, told)


# Files and folders


def test_folder_gives_its_files_in_order(folder):
    (folder / "_helper.py").write_text("")
    (folder / "old.py").mkdir()
    (folder / "notes.txt").write_text("")
    results = play(folder)
    assert results.agents == ("chance", "first", "takes_a_win")
    assert sorted(file.name for file in folder.iterdir())[0] == "_helper.py"
    assert len(list(folder.iterdir())) == 6  # nothing was written there


def test_budget_applies_to_file_agent_objects():
    (greedy,) = [FileAgent(file) for file in files("looks_ahead")]
    assert {*play([greedy, first], budget=50, seconds=60).forfeits} == {"looks_ahead"}


class OwnGame(TicTacToe):
    """A game that no child process knows."""


@pytest.mark.parametrize(
    ("agents", "state", "error", "message"),
    [
        ([first], TicTacToe(), ValueError, "agents must be 2 or more"),
        ([first, 4], TicTacToe(), TypeError, "an agent must be a function of a state; got 4"),
        ([first, *files("first")], OwnGame(), ValueError, "state must be a position of TicTacToe"),
        ([first, "/no/such/file.py"], TicTacToe(), FileNotFoundError, "file.py"),
        (AGENTS, TicTacToe(), ValueError, "has no agent"),  # only folders with some
        pytest.param(
            os.devnull, TicTacToe(), ValueError, "must be a file or a folder", marks=posix
        ),
    ],
)
def test_invalid_agents_or_state_raise(agents, state, error, message):
    with pytest.raises(error, match=names(message)):
        play(agents, state=state)


# Stored, stopped, killed, resumed


def test_workers_play_same_tournament_games(folder):
    agents = [folder, random_agent()]
    assert play(agents, workers=2) == play(agents)


def test_stopped_tournament_continues_identically(folder, path):
    (folder / "broken.py").write_text("import nothing_like_this")
    asked = iter(range(100))
    part = play(folder, games=4, path=path, stop=lambda: next(asked) > 30)
    assert 0 < len(part.records) < 12
    assert play(folder, games=4, path=path) == play(folder, games=4)


def test_absent_agents_stay_absent_when_continued(path, monkeypatch):
    monkeypatch.setattr("arena.play.tournament.Limits", partial(Limits, start_seconds=3))
    agents = files("first", "chance", "hangs_at_import")
    before = play(agents, path=path)
    started = time.monotonic()
    assert play(agents, path=path) == before
    assert time.monotonic() - started < 60


def test_other_limits_or_changed_file_raise(folder, path):
    play(folder, path=path)
    with pytest.raises(RecordsError, match=names("limits: budget is 10000 in the file, 7 now")):
        play(folder, path=path, budget=7)
    with (folder / "first.py").open("a") as file:
        file.write("# better\n")
    with pytest.raises(RecordsError, match=r"first.* changed"):
        play(folder, path=path)


def test_files_of_same_name_get_folder_names(tmp_path):
    for name in ("alice", "bob"):
        (tmp_path / name).mkdir()
        text = f"def agent(state):\n    print('{name} thinks')\n    return state.legal_actions()[0]"
        (tmp_path / name / "agent.py").write_text(text)
    paths = [tmp_path / name for name in ("alice", "bob")]
    assert play(paths, logs=tmp_path / "logs").agents == ("alice/agent", "bob/agent")
    for name in ("alice", "bob"):
        log = (tmp_path / "logs" / name / "agent.log").read_text()
        assert f"{name} thinks" in log
        assert ("alice" in log, "bob" in log) == (name == "alice", name == "bob")


# The command


def command(folder, *options, games=("--games", "4")):
    """Return a command; two workers take longer to start than these games to play."""
    game = ("--game", "TicTacToe()", "--workers", "1")
    return ["tournament", str(folder), *game, *games, *options]


def test_command_prints_all_tables(folder, path, capsys, stored):
    shutil.copy(AGENTS / "hostile" / "raises.py", folder)
    assert main(command(folder, "--with", "random", "--out", str(path), "--budget", "9")) == 0
    printed = capsys.readouterr().out
    assert "5 agents, 40 games, 40 different, from 2 openings, seed 0, 9 positions p" in printed
    assert "Points of the row against the column" in printed
    assert "raises, 16 games: ZeroDivisionError" in printed
    assert len(stored(path)) == 40


def test_command_reports_unloadable_files_first(tmp_path, capsys):
    names = [str(file) for file in files("first", "chance", "has_no_agent")]
    options = ["--game", "TicTacToe()", "--games", "2", "--workers", "1", "--logs", str(tmp_path)]
    assert main(["tournament", *names, *options]) == 0
    *notes, last = capsys.readouterr().err.splitlines()
    assert last.startswith("note: has_no_agent could not start: AttributeError: has_no_agent.py")
    assert not any("could not start" in note for note in notes)


# A big class


@pytest.fixture
def big(monkeypatch):
    """Let any tournament be tried, and everyone against everyone take three hours."""
    monkeypatch.setattr("arena.cli.MIN_GAMES_FOR_TRIAL", 1)
    monkeypatch.setattr("arena.cli.estimate_hours", lambda *_: 3.0)


def test_command_requires_hours_for_big_class(big, folder, path, capsys):
    call = command(folder, "--with", "random")
    assert main(call) == 1
    said = capsys.readouterr().err
    assert "takes about 3.0 hours with --workers 1, because these are 24 games" in said
    assert re.search("--hours 1 for Swiss rounds, .* --hours 3 for all", said)
    for more in (["--hours", "1"], []):  # the second call finds all of them
        assert main([*call, *more, "--out", str(path)]) == 0
        assert "4 agents, 1 Swiss rounds, 8 games" in capsys.readouterr().out
    assert main([*call, "--hours", "4"]) == 0
    assert "4 agents, 24 games" in capsys.readouterr().out


def test_command_stops_after_hours_and_continues(big, folder, path, capsys):
    call = command(folder, "--out", str(path))
    assert main([*call, "--hours", "1e-9"]) == 0
    assert "note: 0 of 4 games are played; give the same command again" in capsys.readouterr().err
    assert main(call) == 0
    assert "Swiss rounds, 4 games" in capsys.readouterr().out


def test_tournament_command_uses_all_cores(folder, monkeypatch):
    asked = []

    def none(*agents, workers, **options):
        asked.append(workers)
        raise ValueError

    monkeypatch.setattr("arena.cli.tournament", none)
    call = command(folder)
    main([each for each in call if each not in ("--workers", "1")])
    main(call)
    assert asked == [len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count(), 1]


def test_estimate_hours_uses_trial_games(monkeypatch):
    seconds = iter([0, 5, *range(10, 10 + 24)])  # the workers take five to start

    def a_game_each_second(more, agents, state, stop, pool):
        assert pool is workers
        yield from more()
        assert not more()

    workers = object()

    monkeypatch.setattr("arena.play.tournament.monotonic", lambda: next(seconds))
    monkeypatch.setattr("arena.play.tournament.play_in_workers", a_game_each_second)
    next(seconds)
    agents = [random_agent(), SearchAgent(solve), SearchAgent(lookahead)]
    assert estimate_hours(agents, Nim((1, 2)), 1200, [], workers) == pytest.approx(1)
