"""The restrictions of a process that runs untrusted code: no network, few files, no processes.

They use two features of Linux that need no privileges: Landlock, an allow-list of files, and
seccomp, an allow-list of system calls (`system_calls.py`).  Each feature is tried when it is
called, and the features that this system lacks are reported.  Neither the process nor its children
can undo a restriction.

Sources: the manual pages landlock(7) and seccomp(2); include/uapi/linux/landlock.h.
"""

import ctypes
import errno
import json
import os
import platform
import struct
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.sandbox.forfeits import ROOT
from arena.sandbox.system_calls import ARCHITECTURES, INSTRUCTION_BYTES, filter_program

NO_LANDLOCK_MESSAGE = (
    "Files: untrusted programs can read and write the same files as this account ({why})."
)
NO_SECCOMP_MESSAGE = "Network, processes, signals: untrusted programs can use all of them ({why})."
OLD_LANDLOCK_MESSAGE = (
    "Files that can be read can also be emptied, because this Linux is older than 6.2."
)
UNSUPPORTED_MESSAGE = "The sandbox is not available, because it needs Linux."
RESTRICTED_MESSAGES = {
    NO_LANDLOCK_MESSAGE: (
        "Restricted: an untrusted program can read Python and this course, but no other files, "
        "and can write only to its own folder."
    ),
    NO_SECCOMP_MESSAGE: (
        "Restricted: it can make only the system calls of a list, so it cannot use the network, "
        "start processes, or send signals to others."
    ),
}
PASSED_MESSAGE = "Not restricted: an untrusted program can {what}; this was tried just now."
KILLED_ATTEMPT = "kill another process"
UNRESTRICTED_MESSAGE = (
    "Not restricted: how much it writes there, how busy it keeps the machine, and whether it finds "
    "out that a file exists whose name it guesses."
)

# --- Landlock: access rights of files, and system calls ---

_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_RIGHTS = (0, 13, 14, 15, 15, 16)  # the number of rights, by the version of Landlock
_TCP, _SCOPES = 0b11, 0b11  # no TCP; no abstract sockets and no signals to other processes
_CREATE, _ADD, _RESTRICT = 444, 445, 446
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2

# The files that Python reads later: libraries, the time zone, fonts, the number of processors.
_SYSTEM = (
    "/usr", "/lib", "/lib32", "/lib64", "/nix/store", "/etc/ld.so.cache", "/etc/localtime",
    "/etc/fonts", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat",
    "/sys/devices/system/cpu",
)  # fmt: skip
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_PATHS = ("stdlib", "platstdlib", "purelib", "platlib")


def restrict_process(folder: Path, hidden: Iterable[Path] = ()) -> list[str]:
    """Restrict this process to run untrusted code; return sentences on missing restrictions.

    From then on this process cannot use the network, start processes or send signals to other
    processes.  It can write only to `folder`, and read only `folder` and the files that Python, its
    libraries and this course need.  It cannot read the files and folders in `hidden`, but modules
    that are loaded stay.  RuntimeError if this process already has threads, because they would not
    be restricted.
    """
    if sys.platform != "linux":
        return [UNSUPPORTED_MESSAGE]
    if len(os.listdir("/proc/self/task")) > 1:
        raise RuntimeError("restrict_process must be called before the first thread is started")
    _drop_capabilities()
    _prctl(_NO_NEW_PRIVILEGES, 1)
    missing = []
    version = _landlock_version()
    try:
        _restrict_files(folder, tuple(hidden), version)
    except OSError as error:
        missing.append(NO_LANDLOCK_MESSAGE.format(why=error.strerror))
    try:
        _filter_calls()
    except OSError as error:
        missing.append(NO_SECCOMP_MESSAGE.format(why=error.strerror))
    if 0 < version < 3:
        missing.append(OLD_LANDLOCK_MESSAGE)
    return missing


def contained() -> list[str]:
    """Return sentences on the restrictions of this machine's sandbox, which a process tries."""
    if sys.platform != "linux":
        return [UNSUPPORTED_MESSAGE]
    program = "from arena.sandbox.probe import main; main()"
    with TemporaryDirectory() as folder, TemporaryDirectory() as other:
        secret = Path(other, "secret")
        secret.write_bytes(b"")
        command = [sys.executable, "-P", "-c"]
        with subprocess.Popen([*command, "input()"], stdin=subprocess.PIPE) as victim:
            trial = subprocess.run(
                [*command, program, folder, str(secret), str(victim.pid)],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                capture_output=True,
            )
            killed = victim.poll() is not None
            victim.kill()
    if trial.returncode:
        return [f"The sandbox is not available: its trial ended with status {trial.returncode}."]
    found = json.loads(trial.stdout)
    return _sentences(found["said"], found["done"], killed=killed)


def _sentences(missing: list[str], done: list[str], *, killed: bool) -> list[str]:
    """Return sentences on the restrictions, from those that are missing and the attempts done."""
    from arena.sandbox.probe import CALLS, FILES

    held = []
    for (refused, sentence), attempts in zip(
        RESTRICTED_MESSAGES.items(), (FILES, CALLS), strict=True
    ):
        is_missing = any(said.startswith(refused.partition("(")[0]) for said in missing)
        around = [name for name in attempts if name in done]
        if attempts is CALLS and killed and not around:
            around = [KILLED_ATTEMPT]
        if around and not is_missing:
            held.append(PASSED_MESSAGE.format(what=", ".join(around)))
        elif not is_missing:
            held.append(sentence)
    return [*held, *(f"Not restricted: {said}" for said in missing), UNRESTRICTED_MESSAGE]


# --- files ---


def _restrict_files(folder: Path, hidden: tuple[Path, ...], version: int) -> None:
    if not version:
        raise OSError(errno.ENOSYS, "this Linux has no Landlock")
    rights = (1 << _RIGHTS[min(version, 5)]) - 1
    attributes = rights, _TCP if version >= 4 else 0, _SCOPES if version >= 6 else 0
    rules = _landlock(_CREATE, struct.pack("QQQ", *attributes), 24, 0)
    try:
        for path, allowed in ((folder, rights & ~_EXECUTE), (Path("/proc/self"), _READ | _LIST)):
            _add(rules, file := _open(path), allowed)
            os.close(file)
        for file, allowed in open_readable_paths(hidden):
            _add(rules, file, allowed)
        _landlock(_RESTRICT, rules, 0)
    finally:
        for file in (rules, *(file for file, _ in open_readable_paths(hidden))):
            os.close(file)
        open_readable_paths.cache_clear()


@cache
def open_readable_paths(hidden: tuple[Path, ...] = ()) -> list[tuple[int, int]]:
    """Return (open file, rights) for the files that Python, its libraries and this course need.

    They stay open for the forks of this process, because opening them takes most of the time.
    There are none on systems without Landlock, whose processes are not restricted.
    """
    if sys.platform != "linux":
        return []
    required = {path.resolve() for path in _required_paths()}
    hidden_paths = [path.resolve() for path in hidden]
    tops = [path for path in required if not required & {*path.parents}]
    return [entry for path in tops for entry in _open_tree(path, hidden_paths)]


def _required_paths() -> Iterator[Path]:
    yield from map(Path, _SYSTEM + _DEVICES)
    yield from (Path(sysconfig.get_path(name)) for name in _PATHS)
    # The prefix of Python may be /usr or a home folder, so only some parts of it are opened.
    for prefix in (sys.prefix, sys.base_prefix):
        yield from (Path(prefix, part) for part in ("lib", "lib64", "share", "etc", "pyvenv.cfg"))
    yield from (ROOT / package for package in ("gamelib", "gamefast", "arena", "course"))


def _open_tree(path: Path, hidden: Sequence[Path]) -> Iterator[tuple[int, int]]:
    """Yield the contents of a folder except for hidden paths, whose names can still be seen."""
    inside = [hidden_path for hidden_path in hidden if hidden_path.is_relative_to(path)]
    if path in inside:
        return
    with suppress(OSError):  # some systems lack some of the folders
        rights = _WRITE if str(path) in _DEVICES else 0
        rights |= _LIST if path.is_dir() else 0
        yield _open(path), rights if inside else rights | _READ
    if inside:
        for entry in os.scandir(path):
            child = Path(entry.path)
            yield from _open_tree(child.resolve() if entry.is_symlink() else child, inside)


def _open(path: Path) -> int:
    return os.open(path, os.O_PATH | os.O_CLOEXEC)


def _add(rules: int, file: int, rights: int) -> None:
    _landlock(_ADD, rules, 1, struct.pack("=Qi", rights, file), 0)


def _landlock_version() -> int:
    """Return the version of Landlock; 0 if there is none."""
    with suppress(OSError):
        return _landlock(_CREATE, None, 0, 1)
    return 0


def _landlock(call: int, *arguments: Any) -> int:
    return _check_result(_libc().syscall(call, *arguments))


# --- system calls ---


def _filter_calls() -> None:
    """Refuse every system call that is not on the list of `system_calls`."""
    machine = platform.machine()
    if machine not in ARCHITECTURES or sys.maxsize < 2**32:
        raise OSError(errno.ENOSYS, f"the system calls of {machine} are not known here")
    text = filter_program(machine, os.getpid())
    program = ctypes.create_string_buffer(text)
    head = struct.pack("HxxxxxxP", len(text) // INSTRUCTION_BYTES, ctypes.addressof(program))
    _prctl(_SET_SECCOMP, _FILTER, head)


def _drop_capabilities() -> None:
    """Drop the privileges of root, which still owns its files."""
    _libc().capset(struct.pack("Ii", 0x20080522, 0), bytes(24))


def _prctl(option: int, *values: Any) -> None:
    _check_result(_libc().prctl(option, *values, *[0] * (4 - len(values))))


@cache
def _libc() -> Any:
    return ctypes.CDLL(None, use_errno=True)


def _check_result(result: int) -> int:
    if result < 0:
        raise OSError(number := ctypes.get_errno(), os.strerror(number))
    return result
