"""The same games on the workers of executors, and of a dask cluster that dies and comes back."""

import os
import subprocess
import sys
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from importlib.util import find_spec

import pytest
from agent_fixtures import wait_until

from arena import ClusterExecutor, FileAgent, cli, match_up, tournament
from arena.play import executors
from arena.play.executors import WorkerError, check_worker, requirements
from course.lessons.experiments import study
from gamelib import SearchAgent, random_agent
from gamelib.games import Nim
from gamelib.search import mcts
from tests.messages import names

# `importorskip` would load it in each process that collects the tests, which takes half a second.
pytestmark = pytest.mark.skipif(
    find_spec("distributed") is None, reason="distributed is not installed"
)
NIM = Nim((3, 4, 5))
AGENTS = [SearchAgent(mcts, simulations=10 * number) for number in range(1, 5)]
NUMBER = 6 * 20  # 20 games between every two of the agents


class Cluster:
    """A scheduler and workers, each in a process, on this machine."""

    def __init__(self, folder):
        self._folder, self.processes, self.scheduler = folder, [], None
        self.start_scheduler("0")
        wait_until(lambda: "Scheduler at:" in self._log.read_text())
        line = next(x for x in self._log.read_text().splitlines() if "Scheduler at:" in x)
        self.address = line.split()[-1]

    def start_scheduler(self, port=None):
        port = port or self.address.rpartition(":")[2]
        self._log = self._folder / f"scheduler-{len(self.processes)}"
        options = ["--host", "127.0.0.1", "--port", port, "--no-dashboard"]
        self.scheduler = self._start("scheduler", self._log, options)

    def start_worker(self, *path):
        """Start a worker, which looks for modules in the folders of `path` first."""
        options = [self.address, "--nthreads", "2", "--no-nanny", "--no-dashboard"]
        options += ["--local-directory", str(self._folder)]
        log = self._folder / f"worker-{len(self.processes)}"
        return self._start("worker", log, options, *path)

    def wait_for_worker(self):
        """Wait until the scheduler knows a worker."""
        logs = [*self._folder.glob("worker-*")]
        wait_until(lambda: any("Registered to:" in log.read_text() for log in logs))

    def _start(self, kind, log, options, *path):
        program = f"from distributed.cli.dask_{kind} import main; main()"
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([*map(str, path), *sys.path])}
        command = [sys.executable, "-c", program, *options]
        with log.open("wb") as file:
            process = subprocess.Popen(command, env=environment, stdout=file, stderr=file)
        self.processes.append(process)
        return process

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture
def cluster(tmp_path_factory):
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()


def test_tournament_survives_death_of_worker_and_scheduler(cluster, tmp_path):
    counted = []
    workers = [cluster.start_worker(), cluster.start_worker()]

    def disturb(fraction, record):
        if record:
            counted.append(record.game)
        if len(counted) == NUMBER // 5:
            workers[0].kill()
            cluster.start_worker()
        if len(counted) == NUMBER // 2:
            cluster.scheduler.kill()
            cluster.scheduler.wait()
            cluster.start_scheduler()
            cluster.start_worker()

    run = {"state": NIM, "games": 20, "seed": 5}
    with ClusterExecutor(cluster.address) as executor:
        there = tournament(
            AGENTS, **run, executor=executor, progress=disturb, path=tmp_path / "games.jsonl"
        )
    assert there == tournament(AGENTS, **run)
    assert sorted(counted) == list(range(NUMBER))  # no game is lost, and none counts twice


def test_cluster_refuses_what_cannot_be_played(cluster, tmp_path):
    """Workers without the course, or with another version, end the run in words."""
    with ClusterExecutor(cluster.address) as executor:
        agents = [random_agent(), random_agent()]

        hidden = "import sys\nsys.modules['arena'] = None\n"
        (tmp_path / "sitecustomize.py").write_text(hidden)
        worker = cluster.start_worker(tmp_path)
        with pytest.raises(RuntimeError, match="cannot import this course"):
            match_up(*agents, state=NIM, games=2, executor=executor)
        worker.kill()

        other = "import gamelib\ngamelib.__version__ = '0.0.1'\n"
        (tmp_path / "sitecustomize.py").write_text(other)
        cluster.start_worker(tmp_path)
        with pytest.raises(RuntimeError, match=r"0\.0\.1"):
            match_up(*agents, state=NIM, games=2, executor=executor)


def test_commands_play_on_cluster(cluster, tmp_path, capsys):
    """The tables of a tournament with an agent in a file, and of a study, are the same."""
    cluster.start_worker()
    cluster.wait_for_worker()
    (tmp_path / "first.py").write_text("def agent(state):\n    return state.legal_actions()[0]\n")
    text = 'games = 4\npositions = ["Nim(1, 2)"]\nagents = [["random", "mcts(simulations=9)"]]\n'
    (tmp_path / "study.toml").write_text(text)
    order = ["tournament", str(tmp_path), "--with", "random", "--game", "Nim(3, 4)", "--games", "4"]
    tables = []
    for number, where in enumerate([[], ["--cluster", cluster.address]]):
        assert cli.main([*order, *where]) == 0
        printed = capsys.readouterr()
        assert (f"1 worker at {cluster.address}" in printed.err) == bool(where)
        tables.append(printed.out)
        folder, table = str(tmp_path / f"games-{number}"), tmp_path / f"{number}.csv"
        plan = [str(tmp_path / "study.toml"), "--out", folder, "--csv", str(table), *where]
        assert study.main(plan) == 0
        capsys.readouterr()
        tables.append(table.read_text())
    assert tables[:2] == tables[2:]


def test_missing_scheduler_is_named(monkeypatch):
    monkeypatch.setattr("arena.play.cluster.CONNECT_SECONDS", 0.5)
    with pytest.raises(ConnectionError, match=names("127.0.0.1:9")):
        ClusterExecutor("tcp://127.0.0.1:9")


def test_weaker_sandbox_on_worker_is_refused(monkeypatch):
    needed = requirements([FileAgent("a.py", source=b"")])
    check_worker(needed)
    monkeypatch.setattr(executors, "sandbox_restrictions", frozenset)
    with pytest.raises(WorkerError, match="restricts untrusted programs less"):
        check_worker(needed)
    check_worker(requirements([random_agent()]))


def test_threads_play_same_games():
    agents = [random_agent(), SearchAgent(mcts, simulations=20)]
    with ThreadPoolExecutor(3) as executor:
        there = match_up(*agents, state=NIM, games=40, executor=executor)
    assert there == match_up(*agents, state=NIM, games=40)


def test_executor_without_workers_ends_in_words():
    class Broken:
        def submit(self, *call):
            future = Future()
            future.set_exception(BrokenExecutor("no memory"))
            return future

    with pytest.raises(RuntimeError, match="lost a game 3 times"):
        match_up(random_agent(), random_agent(), state=NIM, games=2, executor=Broken())


def test_executor_cannot_keep_logs(tmp_path):
    file = tmp_path / "first.py"
    file.write_text("def agent(state):\n    return state.legal_actions()[0]\n")
    with ThreadPoolExecutor(1) as executor, pytest.raises(ValueError, match=names("logs")):
        tournament([file, random_agent()], state=NIM, executor=executor, logs=tmp_path / "logs")
