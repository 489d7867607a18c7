"""Students' processes that are forked from one that has loaded their packages."""

import multiprocessing
import os
import select
import signal
import sys
import tempfile
import time
from pathlib import Path

import pytest
from handins import SHORT, handed_in, with_solution

from arena.sandbox import spawn
from tools.marking import marking_pool
from tools.marking.rpc_client import PROCESS_MODULE, StudentProcess, StudentProcessError

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is forked")


def value_of(process, cell, name):
    """Run a cell, and return the value of a name."""
    process.send_request("run", cell="cell", source=cell, keep=[name])
    _, (value,) = process.read_values("cell", [name])
    return value


FOUND = """
import os, sys
files = []
for number in sorted(map(int, os.listdir("/proc/self/fd"))):
    try: files.append([number, os.readlink(f"/proc/self/fd/{number}").partition(":")[0]])
    except OSError: pass
variables = sorted(set(os.environ) - {"PWD", "LC_CTYPE"})
found = [files, variables, sys.path, sys.flags.safe_path, os.getcwd() == os.environ["HOME"]]
found += [hash("word"), os.path.basename(os.getcwd())[:8], os.getpgid(0) == os.getpid()]
"""


def test_forked_process_finds_what_a_spawned_one_finds(packages, monkeypatch):
    found = []
    for servers in (spawn._shared_fork_servers, {}):
        monkeypatch.setattr(spawn, "_shared_fork_servers", servers)
        process = StudentProcess(packages)
        found.append(value_of(process, FOUND, "found"))
        process.terminate()
    assert found[0] == found[1]
    assert [kind for _, kind in found[0][0]].count("socket") == 2  # both to the marker


def test_process_sees_nothing_of_one_forked_before(packages):
    first = StudentProcess(packages)
    cell = "import gamelib, os\ngamelib.secret = 'answer'\nopen('mine', 'w').write('answer')\n"
    place = value_of(first, cell + "place = os.getcwd()", "place")
    second = StudentProcess(packages)
    assert value_of(second, "import gamelib\nfound = hasattr(gamelib, 'secret')", "found") is False
    with pytest.raises(Exception, match="Permission"):
        value_of(second, f"found = open({place + '/mine'!r}).read()", "found")
    first.terminate()
    second.terminate()


def start_and_be_killed(packages, connection):
    """Start two processes, tell their ids, and be killed before an answer of the fork server."""
    first, second = StudentProcess(packages), StudentProcess(packages)
    control = spawn._shared_fork_servers[PROCESS_MODULE, packages]._control
    control.sendall(b'{"id": 0, "end": %d}\n' % second.pid)
    select.select([control], [], [])
    connection.send([first.pid, second.pid])
    os.kill(os.getpid(), signal.SIGKILL)


def test_processes_of_a_killed_marker_end(packages, own_folder):
    ours, theirs = multiprocessing.Pipe()
    before = StudentProcess(packages)
    context = multiprocessing.get_context("fork")
    marker = context.Process(target=start_and_be_killed, args=(packages, theirs))
    marker.start()
    theirs.close()
    pids = ours.recv()
    marker.join()
    deadline = time.monotonic() + 60
    while len([*own_folder.iterdir()]) > 1 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [Path(f"/proc/{pid}").exists() for pid in pids] == [False, False]
    assert value_of(before, "x = 7", "x") == 7  # those of others go on
    before.terminate()
    assert [*own_folder.iterdir()] == []


def test_failed_start_ends_no_other_process(packages, own_folder, monkeypatch):
    before = StudentProcess(packages)
    monkeypatch.setattr(tempfile, "tempdir", str(own_folder / "missing"))
    with pytest.raises(FileNotFoundError):
        StudentProcess(packages)
    assert value_of(before, "x = 7", "x") == 7
    before.terminate()


def test_process_runs_on_the_cores_of_its_marker(packages):
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        process = StudentProcess(packages)
    finally:
        os.sched_setaffinity(0, cores)
    assert os.sched_getaffinity(process.pid) == {min(cores)}
    process.terminate()


def test_processes_are_spawned_when_the_fork_server_ends(packages):
    packages = packages / ".." / packages.name  # by this name the folder has another server
    with spawn.shared_fork_server(PROCESS_MODULE, packages):
        lost = StudentProcess(packages)
        server = spawn._shared_fork_servers[PROCESS_MODULE, packages]
        server._process.kill()
        server._process.wait()
        with pytest.raises(StudentProcessError):
            value_of(lost, "x = 7", "x")
        ((_, marks),) = marking_pool.mark_all([right_job("ada")], "x", packages, 1)
    assert marks.points == 3


def test_end_of_the_fork_server_costs_no_points(packages, tmp_path, monkeypatch):
    packages = packages / ".." / packages.name  # by this name the folder has no server yet
    call, killed = StudentProcess.call_function, tmp_path / "killed"

    def call_without_server(process, *given, **options):
        if not killed.exists():
            killed.touch()
            parent = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[1]
            os.kill(int(parent), signal.SIGKILL)
        return call(process, *given, **options)

    monkeypatch.setattr(StudentProcess, "call_function", call_without_server)
    ((_, marks),) = marking_pool.mark_all([right_job("ada", "e1")], "x", packages, 1)
    assert killed.exists()
    assert marks.points == 2


def right_job(student, cell="e4"):
    content = handed_in(SHORT, {cell: with_solution(SHORT, cell)})
    return marking_pool.MarkingJob(student, "file", SHORT, content, True, student)


def test_markers_of_a_class_fork_from_one_server(packages, tmp_path, monkeypatch):
    packages = packages / ".." / packages.name  # by this name the folder has no server yet
    started, start = tmp_path / "started", spawn._start_python

    def noted(module, *given, **options):
        with started.open("a") as file:  # also in the markers
            file.write(f"{module}\n")
        return start(module, *given, **options)

    monkeypatch.setattr(spawn, "_start_python", noted)
    jobs = [right_job(student) for student in ("ada", "bob", "eve")]
    marked = marking_pool.mark_all(jobs, "x", packages, 2)
    assert [marks.points for _, marks in marked] == [3, 3, 3]
    assert started.read_text() == "arena.sandbox.fork_server\n"
