"""The restrictions of `restrict_process`, which a restricted process tries."""

import os
import shutil
import sys
from pathlib import Path

import pytest
from agent_fixtures import linux
from restricted_process import came_of

from arena.sandbox import containment
from arena.sandbox.containment import (
    NO_LANDLOCK_MESSAGE,
    NO_SECCOMP_MESSAGE,
    OLD_LANDLOCK_MESSAGE,
    RESTRICTED_MESSAGES,
    UNRESTRICTED_MESSAGE,
    UNSUPPORTED_MESSAGE,
    contained,
)
from arena.sandbox.probe import CALLS

REFUSED = {
    "read a file of others": "open(others).read()",
    "through a link": "through_a_link()",
    "write to it": "open(others, 'a')",
    "put another in its place": "os.rename(given['folder'], others)",
    "move it away": "os.rename(others, 'mine')",
    "remove it": "os.unlink(others)",
    "empty it": "os.truncate(others, 0)",
    "lock it away": "os.chmod(others, 0)",
    "date it back": "os.utime(others, (0, 0))",
    "make a file beside it": "open(others + '2', 'w')",
    "list its folder": "os.listdir(os.path.dirname(others))",
    "the home": "os.listdir(given['home'])",
    "keys": "open(given['keys']).read()",
    "passwords": "open('/etc/shadow').read()",
    "all processes": "os.listdir('/proc')",
    "the parent's command": "open(f'/proc/{parent}/cmdline').read()",
    "the parent's environment": "open(f'/proc/{parent}/environ').read()",
    "the parent's open files": "os.listdir(f'/proc/{parent}/fd')",
    "where the parent works": "os.readlink(f'/proc/{parent}/cwd')",
    "the parent's memory": "open(f'/proc/{parent}/mem', 'rb')",
    "hidden": "open(hidden + '/numba_backend.py').read()",
    "import what is hidden": "__import__('gamefast.compiled')",
    "write into Python": "open(json.__file__, 'a')",
    "a signal to the parent": "os.kill(parent, 0)",
    "own a pipe for the parent": "fcntl.fcntl(0, fcntl.F_SETOWN, parent)",
    "own it by another name": "fcntl.fcntl(0, 15, struct.pack('ii', 1, parent))",
    "own it by ioctl": "fcntl.ioctl(0, 0x8901, struct.pack('i', parent))",
    "choose its signal": "fcntl.fcntl(0, fcntl.F_SETSIG, 9)",
    "trace the parent": "called('ptrace', 16, parent, 0, 0)",
    "the parent's limits": "resource.prlimit(parent, resource.RLIMIT_CPU, (1, 1))",
    "slow down the parent": "os.setpriority(os.PRIO_PROCESS, parent, 19)",
    "leave the group": "os.setpgid(0, parent)",
    "leave the session": "os.setsid()",
    "connect to a server": "socket.create_connection(('127.0.0.1', port))",
    "serve": "socket.create_server(('127.0.0.1', 0))",
    "ask for a name": "socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
    "a socket in a file": "socket.socket(socket.AF_UNIX)",
    "fork": "os.fork()",
    "another program": "subprocess.run(['true'])",
    "become another program": "os.execv('/bin/true', ['true'])",
    "rights of root": "called('unshare', 0x10000000)",
    "mount": "called('mount', b'none', b'/tmp', b'tmpfs', 0, 0)",
    "shared memory": "called('shmget', 0, 4096, 0o1600)",
    "the kernel's programs": "called('syscall', 321, 0, 0, 0)",
}
ALLOWED = {
    "own files": ("own_files()", "'text'"),
    "what Python is": ("__import__('sqlite3').__name__", "'sqlite3'"),
    "what the course is": ("gamelib.Nim((1, 2)).is_terminal()", "False"),
    "a thread": ("a_thread()", "None"),
    "own limits": ("resource.setrlimit(resource.RLIMIT_CORE, (0, 0))", "None"),
    "what this process uses": ("len(open('/proc/self/statm').read()) > 9", "True"),
    "a signal to itself": ("os.kill(os.getpid(), 0)", "None"),
    "chance": ("len(open('/dev/urandom', 'rb').read(4))", "4"),
    "nowhere": ("open(os.devnull, 'w').write('x')", "1"),
}
ATTEMPTS = {**REFUSED, **{name: text for name, (text, _) in ALLOWED.items()}}


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    return came_of(tmp_path_factory.mktemp("attack"), ATTEMPTS)


@linux
def test_all_restrictions_are_available_here(found):
    assert found["said"] == []


@linux
@pytest.mark.parametrize("attempt", REFUSED)
def test_restricted_process_cannot_do_this(found, attempt):
    assert found["came"][attempt] in ("PermissionError", "OSError")


@linux
@pytest.mark.parametrize("attempt", ALLOWED)
def test_restricted_process_can_do_this(found, attempt):
    assert found["came"][attempt] == ALLOWED[attempt][1]


@linux
def test_unrestricted_process_succeeds_with_same_attempts(tmp_path):
    names = ("read a file of others", "the parent's command", "a signal to the parent", "fork")
    attempts = {name: REFUSED[name] for name in names} | {"connect": REFUSED["connect to a server"]}
    attempts["fork"] = "os.fork() or os._exit(0)"
    came = came_of(tmp_path, attempts, "module.restrict_process = lambda *_: []")["came"]
    assert not {"PermissionError", "OSError"} & {*came.values()}


@linux
@pytest.mark.skipif(
    not shutil.which("setpriv"), reason="setpriv makes a process of another account"
)
def test_unprivileged_process_is_restricted_equally(tmp_path):
    if os.getuid() or not Path("/usr/bin/python3").exists():
        pytest.skip("only root can become another account, with a Python that all can read")
    tmp_path.chmod(0o755)
    for folder in tmp_path.parents:
        if folder.is_relative_to("/tmp/pytest-of-root"):
            folder.chmod(0o755)
    account = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "/usr/bin/python3")
    found = came_of(tmp_path, ATTEMPTS, python=account)
    assert found["said"] == []
    refused = {name for name in REFUSED if found["came"][name] in ("PermissionError", "OSError")}
    assert refused == {*REFUSED}


@linux
@pytest.mark.parametrize("version", [0, 2, 4, 6])
def test_no_signal_reaches_the_parent_with_any_landlock(tmp_path, version):
    before = f"version = module._landlock_version; module._landlock_version = lambda: {version}"
    names = [name for name in REFUSED if "parent" in name and "F_SET" in REFUSED[name]]
    names += ["own it by another name", "own it by ioctl", "choose its signal"]
    attempts = {name: REFUSED[name] for name in [*names, "a signal to the parent"]}
    assert {*came_of(tmp_path, attempts, before)["came"].values()} == {"PermissionError"}


OLD = "module._landlock_version = lambda: 2"
LACKS = {
    "Landlock": ("module._landlock_version = lambda: 0", [NO_LANDLOCK_MESSAGE], "fork"),
    "seccomp": ("module.platform.machine = lambda: 'riscv64'", [NO_SECCOMP_MESSAGE], "write to it"),
    "new Linux": (OLD, [OLD_LANDLOCK_MESSAGE], "a signal to the parent"),
}


@linux
@pytest.mark.parametrize("lack", LACKS)
def test_missing_restriction_is_reported_and_others_apply(tmp_path, lack):
    before, sentences, held = LACKS[lack]
    attempts = {held: REFUSED[held], "own": "os.kill(os.getpid(), 0)"}
    found = came_of(tmp_path, attempts, before)
    assert [said.partition("(")[0] for said in found["said"]] == [
        sentence.partition("(")[0] for sentence in sentences
    ]
    assert found["came"] == {held: "PermissionError", "own": "None"}


@linux
def test_restricting_process_with_threads_raises(tmp_path):
    before = "threading.Thread(target=threading.Event().wait, daemon=True).start()"
    with pytest.raises(AssertionError, match="before the first thread is started"):
        came_of(tmp_path, {}, before)


@linux
def test_contained_describes_this_machine():
    assert contained() == [*RESTRICTED_MESSAGES.values(), UNRESTRICTED_MESSAGE]


@linux
def test_successful_attempt_is_reported():
    said = containment._sentences([], [next(iter(CALLS))], killed=False)
    assert said[0] == next(iter(RESTRICTED_MESSAGES.values()))
    assert next(iter(CALLS)) in said[1]
    assert said[1].startswith("Not restricted")


@linux
def test_killed_process_is_reported():
    said = containment._sentences([], [], killed=True)
    assert [*RESTRICTED_MESSAGES.values()][1] not in said


def test_contained_reports_unsupported_system(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert contained() == [UNSUPPORTED_MESSAGE]
