"""Worker processes, which behave the same if they are forked or spawned, and all end."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from agent_fixtures import AGENTS, agent, posix, text_agent, wait_until

from arena import ForfeitError, tournament
from arena.sandbox import spawn
from gamelib import TicTacToe

pytestmark = posix


@pytest.fixture
def spawned(monkeypatch):
    """Let no process be forked, as is usual: all that they do then is in test_file_agent.py."""
    monkeypatch.setattr(spawn, "_CAN_FORK", False)


def fork_server_pid():
    return spawn._fork_server._process.pid


def is_running(pid):
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.parametrize("name", ["first", "prints_answers", "closes_stdout"])
def test_spawned_process_plays(spawned, name):
    with agent(name).for_game(0) as player:
        assert player(TicTacToe()) == 0


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("loops_in_c", "no answer within 1 second"),
        ("ends_its_process", r"exit status 0"),
        ("crashes", "SIGSEGV"),
        ("closes_all_files", "killed, or closed the connection"),
        ("hangs_at_import", "not loaded within 1 second"),
    ],
)
def test_spawned_process_is_terminated(spawned, name, reason, left_behind):
    soon = dict.fromkeys(("seconds", "start_seconds"), 1 if "within" in reason else 60)
    with pytest.raises(ForfeitError, match=reason):
        agent(name, **soon)(TicTacToe())
    assert left_behind() == []


def test_spawned_and_forked_processes_behave_equally(tmp_path, monkeypatch):
    text = "import random\ndef agent(state):\n    print(list({'a', 'b', 'c'}), random.random())\n"
    logs = []
    for forks in (True, False):
        monkeypatch.setattr(spawn, "_CAN_FORK", forks)
        with text_agent(tmp_path, text + "    return 0").for_game(5) as player:
            player(TicTacToe())
        logs.append(player.log())
    assert logs[0] == logs[1]


def test_lost_fork_server_is_replaced():
    first = agent("first")
    first(TicTacToe())
    lost = fork_server_pid()
    with first.for_game(0) as player:
        child = player._process.pid
        os.kill(lost, signal.SIGKILL)
        os.waitpid(lost, 0)
    wait_until(lambda: not is_running(child))  # it was killed, and is no child of this process
    assert first(TicTacToe()) == 0
    assert fork_server_pid() != lost


def test_stale_answer_of_fork_server_is_skipped(monkeypatch):
    # As when Ctrl-C comes between question and answer.
    first = agent("first")
    with first.for_game(0) as player:
        lines = spawn._fork_server._answers
        monkeypatch.setattr(spawn._fork_server, "_answers", interrupted())
        with pytest.raises(KeyboardInterrupt):
            first(TicTacToe())
        monkeypatch.setattr(spawn._fork_server, "_answers", lines)
        assert player(TicTacToe()) == first(TicTacToe()) == 0


def interrupted():
    raise KeyboardInterrupt
    yield


def test_tournament_closes_its_fork_server():
    tournament([agent("first"), agent("chance")], state=TicTacToe(), games=2)
    assert spawn._fork_server is None


def test_busy_fork_server_is_not_closed():
    first = agent("first")
    with first.for_game(0) as player:
        tournament([first, agent("chance")], state=TicTacToe(), games=2)
        assert player(TicTacToe()) == 0


def test_forked_runner_starts_its_own_fork_server():
    first = agent("first")
    first(TicTacToe())
    before = fork_server_pid()
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool:
        assert pool.submit(first, TicTacToe()).result(timeout=60) == 0
        assert pool.submit(fork_server_pid).result(timeout=60) != before
    assert first(TicTacToe()) == 0
    assert fork_server_pid() == before


def test_fork_server_exits_with_its_runner():
    program = (
        "import sys\nfrom gamelib import TicTacToe\n"
        "from arena import FileAgent\nfrom arena.sandbox import spawn\n"
        "FileAgent(sys.argv[1])(TicTacToe())\nprint(spawn._fork_server._process.pid)"
    )
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", program, AGENTS / "honest" / "first.py"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert not is_running(int(run.stdout))
    assert run.stderr == ""
