"""The same games, here and elsewhere: worker processes, threads, Dask, ipyparallel."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import ProcessPoolExecutor
from multiprocessing import active_children, get_context

import pytest

from arena import GameRecord, match_up
from arena.play.workers import play_work
from gamelib import Nim, SearchAgent, mcts, random_agent

NIM = Nim((3, 4, 5))
GAMES = 60


def play(**options):
    agents = SearchAgent(mcts, simulations=40), SearchAgent(mcts, simulations=10, c=0.5)
    return match_up(*agents, **{"state": NIM, "games": GAMES, "seed": 3, **options})


def kill_one(workers):
    """Return a progress function that kills one of the processes when the run is under way."""
    killed = []

    def progress(share, newest):
        if share > 0.2 and not killed:
            killed.append(workers()[0])
            os.kill(killed[0], signal.SIGKILL)

    return progress


def pool_processes():
    return [child.pid for child in active_children()]


@pytest.fixture(scope="module")
def serial():
    return play()


# Worker processes


def test_two_workers_play_the_same_games(serial):
    assert play(workers=2) == serial


@pytest.mark.skipif(os.name != "posix", reason="kills a process by a signal")
def test_a_killed_worker_is_replaced_and_no_game_is_lost(serial, capfd):
    assert play(workers=2, progress=kill_one(pool_processes)) == serial
    assert "Traceback" not in capfd.readouterr().err


def test_a_stopped_run_ends_at_once_in_the_middle_of_games():
    slow = SearchAgent(mcts, simulations=10**9), SearchAgent(mcts, simulations=10**9)
    started = time.monotonic()
    games = match_up(
        *slow, state=NIM, games=4, workers=2, stop=lambda: time.monotonic() > started + 1
    )
    assert games.records == ()
    assert pool_processes() == []


def test_ctrl_c_ends_the_workers():
    def interrupt(share, newest):
        if newest:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(workers=2, progress=interrupt)
    assert pool_processes() == []


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks processes up in /proc")
def test_workers_end_when_their_owner_is_killed(tmp_path):
    program = (
        "from arena import *\nfrom gamelib import *\n"
        "agents = [SearchAgent(mcts, simulations=10**9)] * 2\n"
        "if __name__ == '__main__':\n"
        "    match_up(*agents, state=Nim((3, 4, 5)), games=4, workers=2)\n"
    )
    (tmp_path / "program.py").write_text(program)
    owner = subprocess.Popen([sys.executable, "program.py"], cwd=tmp_path)
    wait_until(lambda: len(processes_in(tmp_path)) >= 3)
    owner.kill()
    owner.wait()
    wait_until(lambda: processes_in(tmp_path) == [])


def processes_in(folder):
    """Return the processes that work in a folder."""
    found = []
    for pid in filter(str.isdecimal, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd") == str(folder):
                found.append(int(pid))
        except OSError:
            continue
    return found


def wait_until(holds):
    for _ in range(600):
        if holds():
            return
        time.sleep(0.1)
    pytest.fail("not within a minute")


def test_a_script_without_a_main_guard_is_told_so(tmp_path):
    program = (
        "from arena import *\nfrom gamelib import *\n"
        "match_up(random_agent(), random_agent(), state=Nim((1, 2)), games=2, workers=1 + 1)\n"
    )
    (tmp_path / "program.py").write_text(program)
    run = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100
    )
    assert run.returncode == 1
    assert "must make its calls under `if __name__ == '__main__':`" in run.stderr


def test_an_agent_that_a_worker_cannot_make_is_an_error_that_names_what_is_missing():
    class Elsewhere:
        recipe = ("no_such_module:agent", {})

        def __call__(self, state):
            return state.legal_actions()[0]

    with pytest.raises(
        RuntimeError, match=r"was lost 3 times: ModuleNotFoundError.*no_such_module"
    ):
        match_up(Elsewhere(), random_agent(), state=NIM, games=2, workers=2)


# What is sent


def test_what_is_sent_and_comes_back_is_plain_data():
    sent = []

    class Recorder(ThreadPoolExecutor):
        def submit(self, function, /, *arguments):
            sent.append(arguments)
            return super().submit(function, *arguments)

    with Recorder(2) as executor:
        games = play(executor=executor, games=4)
    for (work,), record in zip(sent, games.records, strict=True):
        answer = play_work(json.loads(json.dumps(work)))
        assert GameRecord.from_json(json.loads(json.dumps(answer))) == record


def test_a_mistake_of_the_game_is_an_error_that_names_the_game(monkeypatch):
    def broken(self):
        raise ZeroDivisionError("the game's own mistake")

    monkeypatch.setattr(Nim, "utilities", broken)
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(RuntimeError, match=r"game \d+ cannot be played: ZeroDivisionError: the"),
    ):
        match_up(random_agent(), random_agent(), state=NIM, games=4, executor=executor)


# Executors of others


def test_only_so_many_games_are_handed_out_at_a_time(serial):
    most = 0

    class Counting(ThreadPoolExecutor):
        def submit(self, *arguments):
            nonlocal most
            future = super().submit(*arguments)
            most = max(most, self._work_queue.qsize())
            return future

    with Counting(1) as executor:
        play(executor=executor, games=200)
    assert 10 < most <= 64


def test_a_game_that_an_executor_gives_back_is_handed_out_again(serial):
    class Careless(ThreadPoolExecutor):
        games = 0

        def submit(self, *arguments):
            self.games += 1
            if self.games % 10:
                return super().submit(*arguments)
            future = Future()
            future.cancel()
            future.set_running_or_notify_cancel()
            return future

    with Careless(1) as executor:
        assert play(executor=executor) == serial


def test_an_executor_that_gives_all_games_back_is_an_error():
    class Useless(ThreadPoolExecutor):
        def submit(self, *arguments):
            future = Future()
            future.set_exception(OSError("no machine answers"))
            return future

    with (
        Useless(1) as executor,
        pytest.raises(RuntimeError, match=r"game \d+ was lost 3 times: .*no machine answers"),
    ):
        play(executor=executor)


def test_a_process_pool_of_the_caller_plays_the_same_games_and_stays_open(serial):
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as executor:
        assert play(executor=executor) == serial
        assert executor.submit(os.getpid).result() > 0


@pytest.mark.skipif(os.name != "posix", reason="kills a process by a signal")
def test_a_broken_pool_of_the_caller_is_an_error_that_says_how_to_go_on(serial, tmp_path):
    path = tmp_path / "games.jsonl"
    context = get_context("spawn")
    with (
        ProcessPoolExecutor(2, mp_context=context) as executor,
        pytest.raises(RuntimeError, match="was lost") as caught,
    ):
        play(executor=executor, progress=kill_one(pool_processes), path=path)
    assert re.match(r"\d+ of 60 games are stored; the same call", caught.value.__notes__[0])
    assert play(path=path) == serial


def test_dask_plays_the_same_games_also_when_a_worker_is_killed(serial, tmp_path):
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.Client(
        n_workers=2, threads_per_worker=1, dashboard_address=None, local_directory=tmp_path
    ) as client:
        executor = client.get_executor(pure=False)
        assert play(executor=executor) == serial
        workers = list(client.run(os.getpid).values())
        assert play(executor=executor, progress=kill_one(lambda: workers)) == serial


def test_ipyparallel_plays_the_same_games_also_when_an_engine_is_killed(
    serial, tmp_path, monkeypatch
):
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))  # nothing is written to the user's own
    ipyparallel = pytest.importorskip("ipyparallel", reason="ipyparallel is not installed")
    with ipyparallel.Cluster(n=2, log_level=50) as client:
        executor = client.executor()
        assert play(executor=executor) == serial
        engines = client[:].apply_sync(os.getpid)
        assert play(executor=executor, progress=kill_one(lambda: engines)) == serial
        stopped = play(executor=executor, stop=lambda: True)
        assert len(stopped.records) < GAMES
