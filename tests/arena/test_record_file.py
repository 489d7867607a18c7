import errno
import json
import os
import re
import subprocess
import sys
import types
import warnings

import pytest
from agent_fixtures import change_line
from hexapawn import Hexapawn

from arena import RecordsError, match_up
from arena.results import record_file
from gamelib import GameTree, Nim, SearchAgent, TicTacToe, minimax, random_agent
from tests.messages import names

NIM = Nim((3, 4, 5))
GAMES = 10


def play(path, *, agents=None, **options):
    agents = agents or (random_agent(), random_agent())
    return match_up(*agents, **{"state": NIM, "games": GAMES, "path": path, **options})


def play_some(path, games, **options):
    """Play a number of games of a run, then stop it."""
    played = []
    return play(
        path,
        progress=lambda share, newest: newest and played.append(newest),
        stop=lambda: len(played) >= games,
        **options,
    )


@pytest.fixture(scope="module")
def uninterrupted():
    return play(None)


# One file


def test_file_has_configuration_and_one_line_per_game(path):
    play(path)
    header, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert header == {
        "format": "gamelib records",
        "version": 2,
        "kind": "match-up",
        "agents": ["random", "random #2"],
        "start": NIM.to_json(),
        "games": GAMES,
        "seed": 0,
        "openings": False,
    }
    assert [line["game"] for line in lines] == list(range(GAMES))


def test_finished_run_is_not_repeated(path, uninterrupted):
    play(path)
    before = path.read_bytes()
    told = []
    assert play(path, progress=lambda share, newest: told.append(share)) == uninterrupted
    assert (path.read_bytes(), told) == (before, [1])


@pytest.mark.parametrize("games", [0, 1, 7])
def test_stopped_run_continues(path, uninterrupted, games):
    assert len(play_some(path, games).records) == games
    assert play(path) == uninterrupted


# Cut short


def test_truncated_file_is_repaired_and_continued(path, uninterrupted):
    play_some(path, 3)
    whole = path.read_bytes()
    ends = {0} | {match.end() for match in re.finditer(b"\n", whole)}
    for length in range(0, len(whole) + 1, 7):
        path.write_bytes(whole[:length])
        with warnings.catch_warnings(record=True) as notices:
            warnings.simplefilter("always")
            assert play(path) == uninterrupted
        assert bool(notices) == (length not in ends)


def test_missing_games_are_played_but_foreign_ones_raise(path, tmp_path):
    games = play(path)
    header, *lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([header, lines[0], lines[2]]))
    assert play(path) == games
    other = tmp_path / "other.jsonl"
    play(other, seed=1)
    path.write_text("".join([header, lines[0], other.read_text().splitlines(keepends=True)[2]]))
    with pytest.raises(RecordsError, match=names("game 1 is not one of this run")):
        play(path)


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such devices")
@pytest.mark.parametrize("device", ["/dev/full", "/dev/zero", "pipe"])
def test_path_that_is_not_a_file_raises(device, tmp_path):
    if device == "pipe":
        os.mkfifo(tmp_path / device)
    with pytest.raises(RecordsError, match="file"):
        play(tmp_path / device)  # an absolute path takes the place of the folder


# Refused


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"games": 12}, "games is 10 in the file, 12 now"),
        ({"seed": 1}, "seed is 0 in the file, 1 now"),
        ({"state": Nim((1, 2))}, "start: text is '3 4 5' in the file, '1 2' now"),
        ({"state": TicTacToe()}, "start: game is 'Nim' in the file, 'TicTacToe' now"),
        (
            {"agents": (random_agent(), lambda state: 0)},
            r"agents: only in the file \['random #2'\], only now \['<lambda>'\]",
        ),
    ],
)
def test_other_configuration_raises_with_difference(path, options, message):
    play_some(path, 2)
    before = path.read_bytes()
    with pytest.raises(RecordsError, match=f"path: games.jsonl .*{message}"):
        play(path, **options)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("agent_of", "name"),
    [
        (lambda function: function, "own"),
        (lambda function: SearchAgent(minimax, depth=1, evaluate=function), "minimax"),
    ],
)
def test_changed_agent_raises(path, agent_of, name):
    def own(*given):
        return 0

    def changed(*given):
        return 1

    changed.__name__ = "own"
    play_some(path, 2, agents=(agent_of(own), random_agent()))
    with pytest.raises(RecordsError, match=f"text of {name}"):
        play(path, agents=(agent_of(changed), random_agent()))


@pytest.mark.parametrize(
    "content",
    [
        *("hello", "\0\0", '{"format":"other', "1\n2\n", "{}\n"),
        '{"format": "gamelib records", "version": 1}\n',
        '{"format": "gamelib records", "version": 2}\n',
    ],
)
def test_file_of_other_format_raises_unchanged(path, content):
    path.write_text(content)
    with pytest.raises(RecordsError, match=names(r"line 1 of games.jsonl is damaged")):
        play(path)
    assert path.read_text() == content


@pytest.mark.parametrize(
    ("edit", "line"),
    [
        (lambda lines: [*lines[:2], b"\0\0\0\n", *lines[2:]], 3),
        (lambda lines: [*lines[:2], b'{"game": 1}\n', *lines[2:]], 3),
        (lambda lines: [*lines[:2], b"[" * 100_000 + b"\n", *lines[2:]], 3),
        (lambda lines: [*lines, lines[1]], 6),
    ],
)
def test_damaged_line_raises(path, edit, line):
    play_some(path, 4)
    path.write_bytes(b"".join(edit(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(RecordsError, match=f"line {line} of games.jsonl"):
        play(path)


def changed(path, **entries):
    """Change the third line of a file: the second game."""
    change_line(path, 3, lambda game: game | {name: entries[name](game[name]) for name in entries})


def other_way_round(payoffs):
    return [-payoff for payoff in payoffs]


@pytest.mark.parametrize(
    ("entries", "why"),
    [
        ({"utilities": lambda _: [999, -999]}, r"its payoffs are \(999, -999\), by the rules"),
        ({"utilities": lambda _: [float("nan")] * 2}, "not a line of JSON"),
        ({"utilities": lambda _: [1]}, r"its payoffs are \(1,\), by the rules"),
        ({"seconds": lambda _: [1]}, "not have one entry for each of its players"),
        ({"seconds": lambda _: [1e999, 0]}, "not a line of JSON"),
        ({"seats": lambda _: [5, 6]}, "game 1 is not one of this run"),
        ({"actions": lambda actions: actions[:-1]}, "is not over after ply"),
        ({"actions": lambda actions: [[0, 99], *actions[1:]]}, "is not a legal action at ply 1"),
        ({"actions": lambda actions: [*actions, actions[-1]]}, "is not a legal action"),
        ({"counts": lambda counts: counts[:1] * 2}, "counts .* moves"),
        ({"forfeit": lambda _: {"player": 0, "reason": "slow"}}, "cannot have forfeited there"),
        (
            {"forfeit": lambda _: {"player": 7, "reason": "slow"}, "actions": lambda _: []},
            "cannot have forfeited there",
        ),
    ],
)
def test_game_against_the_rules_raises(path, entries, why):
    play_some(path, 4)
    changed(path, **entries)
    with pytest.raises(RecordsError, match=f"line 3 of games.jsonl .*{why}"):
        play(path)


def test_changed_forfeit_raises(path):
    def late(state):
        return 99 if sum(state.heaps) < 10 else state.legal_actions()[0]

    agents = random_agent(), late
    games = play(path, agents=agents)
    assert {record.forfeit.player for record in games.records} == {0, 1}
    assert play(path, agents=agents) == games
    changed(path, forfeit=lambda it: it | {"player": 1 - it["player"]}, utilities=other_way_round)
    with pytest.raises(RecordsError, match="forfeit"):
        play(path, agents=agents)


@pytest.mark.parametrize("harm", ["changed", "replaced", "removed", "shortened"])
def test_file_changed_during_run_raises(path, harm):
    def spoil(share, newest):
        if newest and newest.game == 3:
            content = path.read_bytes()
            if harm == "changed":
                path.write_bytes(content.replace(b'"utilities":[1,-1]', b'"utilities":[-1,1]'))
            if harm in ("replaced", "removed"):
                path.unlink()
            if harm == "replaced":
                path.write_bytes(content)
            if harm == "shortened":
                os.truncate(path, len(content) - 9)

    with pytest.raises(RecordsError, match=r"changed or removed games\.jsonl"):
        play(path, agents=(lambda state: state.legal_actions()[0], random_agent()), progress=spoil)


def test_reading_or_touching_the_file_is_allowed(path, uninterrupted):
    def look(share, newest):
        if newest:
            path.read_bytes()
            os.utime(path)
            path.chmod(0o600)

    assert play(path, progress=look).records == uninterrupted.records


def test_browser_run_needs_no_lock(path, monkeypatch):
    """JupyterLite's kernel puts an empty module instead of fcntl."""
    monkeypatch.setitem(sys.modules, "fcntl", types.ModuleType("fcntl"))
    monkeypatch.setattr("sys.platform", "emscripten")
    file = record_file._open(path)
    os.close(file)


def test_file_system_without_locks_warns(path, uninterrupted, monkeypatch):
    def no_locks(file):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("arena.results.record_file._lock", no_locks)
    with pytest.warns(UserWarning, match=r"games\.jsonl cannot be locked"):
        assert play(path).records == uninterrupted.records


@pytest.mark.parametrize(
    ("name", "reason"),
    [("missing/games.jsonl", "No such file"), ("", "Is a directory"), ("a\0b", "null")],
)
def test_unwritable_file_raises_before_first_game(tmp_path, name, reason):
    played = []
    with pytest.raises(ValueError, match=reason):
        play(tmp_path / name, agents=(played.append, played.append))
    assert played == []


def test_second_run_on_same_file_raises(path, uninterrupted):
    program = (
        "from arena import *\nfrom gamelib import *\n"
        f"match_up(random_agent(), random_agent(), state=Nim((3, 4, 5)), games={GAMES},"
        f" path={str(path)!r}, progress=lambda share, newest: (print(flush=True), input()))"
    )
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        other.stdout.readline()
        with pytest.raises(RecordsError, match=r"another run .*games\.jsonl"):
            play(path)
        other.kill()
    assert play(path) == uninterrupted


@pytest.mark.parametrize("lines", [0, 5], ids=["header", "game"])
def test_full_disk_raises_and_run_continues_later(path, uninterrupted, limit_files, lines):
    play(path)
    whole = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    limit_files(sum(map(len, whole[:lines])) + 9)  # nine bytes of the next line
    with pytest.raises(OSError, match=r"games\.jsonl") as caught:
        play(path)
    limit_files(-1)
    assert not lines or "make the same call again" in caught.value.__notes__[0]
    with pytest.warns(UserWarning, match="cut short"):
        assert play(path) == uninterrupted


# Games of a student's own: results belong to the position they started from


def own(name, game, **attributes):
    """Return a game of one's own, called like this, that inherits the rules and data of another."""
    return type(name, (game,), attributes)


OWN = {
    "without data": Hexapawn(),
    "with data": own("MyNim", Nim)((2, 3)),
    "with the data of gamelib's": own("MyTree", GameTree)([[3, -12], [2, 4]]),
    "with the name of gamelib's": own("Nim", Nim)((2, 3)),
    "with that name, without data": own("Nim", Hexapawn)(),
}


@pytest.mark.parametrize("state", OWN.values(), ids=OWN)
def test_other_start_position_raises(path, state):
    games = play(path, state=state)
    assert play(path, state=state) == games
    for other in (Hexapawn(current_player=1), own("MyNim", Nim)((7,)), Nim((2, 3)), TicTacToe()):
        with pytest.raises(RecordsError, match="start"):
            play(path, state=other)


def test_position_without_repr_raises(path):
    silent = own("Silent", Hexapawn, __repr__=object.__repr__)()
    with pytest.raises(RecordsError, match="__repr__"):
        play(path, state=silent)
    assert not path.exists()
    assert len(play(None, state=silent).records) == GAMES
