"""The same games, here and in worker processes."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing import active_children

import pytest
from agent_fixtures import wait_until

from arena import match_up
from gamelib import SearchAgent, random_agent
from gamelib.games import ConnectFour, EinStein, GameTree, Nim, TicTacToe
from gamelib.search import expectiminimax, mcts, minimax
from tests.messages import names

NIM = Nim((3, 4, 5))
NUMBER = 60


def play(**options):
    agents = SearchAgent(mcts, simulations=40), SearchAgent(mcts, simulations=10, c=0.5)
    return match_up(*agents, **{"state": NIM, "games": NUMBER, "seed": 3, **options})


def pool_processes():
    return [child.pid for child in active_children()]


@pytest.fixture(scope="module")
def serial():
    return play()


# Worker processes


def test_two_workers_play_same_games(serial):
    assert play(workers=2) == serial


@pytest.mark.skipif(os.name != "posix", reason="kills a process by a signal")
def test_killed_worker_is_replaced_without_losing_games(serial, capfd):
    killed = []

    def kill_one(share, newest):
        if share > 0.2 and not killed:
            killed.append(pool_processes()[0])
            os.kill(killed[0], signal.SIGKILL)

    assert play(workers=2, progress=kill_one) == serial
    assert "Traceback" not in capfd.readouterr().err


def test_stopped_run_ends_during_games():
    slow = SearchAgent(mcts, simulations=10**9), SearchAgent(mcts, simulations=10**9)
    started = time.monotonic()
    games = match_up(
        *slow, state=NIM, games=4, workers=2, stop=lambda: time.monotonic() > started + 1
    )
    assert games.records == ()
    assert pool_processes() == []


@pytest.mark.skipif(not os.path.isdir("/proc"), reason="looks processes up in /proc")
def test_workers_exit_with_killed_owner(tmp_path, own_folder, left_behind):
    program = (
        "from arena import *\nfrom gamelib import *\n"
        "agents = [SearchAgent(mcts, simulations=10**9)] * 2\n"
        "if __name__ == '__main__':\n"
        "    match_up(*agents, state=Nim((3, 4, 5)), games=4, workers=2)\n"
    )
    (tmp_path / "source_listing.py").write_text(program)
    owner = subprocess.Popen([sys.executable, tmp_path / "source_listing.py"], cwd=own_folder)
    wait_until(lambda: len(left_behind()) >= 3)
    owner.kill()
    owner.wait()
    wait_until(lambda: left_behind() == [])


def test_script_without_main_guard_raises(tmp_path):
    program = (
        "from arena import *\nfrom gamelib import *\n"
        "match_up(random_agent(), random_agent(), state=Nim((1, 2)), games=2, workers=1 + 1)\n"
    )
    (tmp_path / "source_listing.py").write_text(program)
    run = subprocess.run(
        [sys.executable, "source_listing.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert run.returncode == 1
    assert "under `if __name__ == '__main__':`" in run.stderr


# What is sent


@pytest.mark.parametrize("state", [TicTacToe(), ConnectFour(), EinStein(), GameTree([[3, 1], 2])])
def test_picklable_agents_and_positions_are_accepted(state):
    agents = (SearchAgent(expectiminimax, depth=1), SearchAgent(mcts, simulations=5, rollout=first))
    games = match_up(*agents, state=state, games=2, workers=2)
    assert games == match_up(*agents, state=state, games=2)


def first(state, rng=None):
    return state.legal_actions()[0]


class Mine(Nim):
    __module__ = "__main__"


def test_unpicklable_agent_or_position_raises():
    class Local(Nim):
        pass

    for agent in (lambda state: 0, SearchAgent(minimax, evaluate=lambda state, player: 0)):
        with pytest.raises(TypeError, match=r"agent .*workers=1"):
            match_up(agent, random_agent(), state=NIM, games=2, workers=2)
    for kind in (Local, Mine):
        with pytest.raises(TypeError, match=f"position of {kind.__name__}"):
            match_up(random_agent(), random_agent(), state=kind(), games=2, workers=2)


class Broken(Nim):
    def utilities(self):
        raise ZeroDivisionError("the game's own mistake")


def test_error_of_game_names_its_number():
    with pytest.raises(RuntimeError, match=r"game \d .*ZeroDivisionError"):
        match_up(random_agent(), random_agent(), state=Broken((1, 2)), games=4, workers=2)


def test_game_killing_workers_raises_with_note(path):
    with pytest.raises(RuntimeError, match=names("ended 3 times before a game did")) as caught:
        match_up(ends_its_worker, random_agent(), state=NIM, games=2, workers=2, path=path)
    assert "0 of 2 games are stored; make the same call" in caught.value.__notes__[0]


def ends_its_worker(state):
    os._exit(1)
