"""Compiled code on faulty machines: with a full or read-only disk, or without a home folder.

Each is the real thing, in a process of its own; Linux's `unshare` makes it for that process alone.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from platform import machine
from typing import Any, NamedTuple
from unittest import mock

import pytest

from gamefast import build_info, stored_code
from gamefast.build_info import KINDS

ROOT = Path(__file__).parents[2]
NAMESPACE = ["unshare", "--mount", "--map-root-user"]
NAMELESS = ["unshare", "--user", "--map-user=54321"]

SEARCH = """
from gamelib import TicTacToe, minimax
from gamefast.fast import failure_reason, fastest
state = TicTacToe(1, 2, 2)
search = fastest(minimax, state)
assert search is not minimax
assert search(state) == minimax(state)
print(failure_reason() or "machine code")
"""
# What stores code is the same for all kernels, so most tests call one that compiles at once.
SMALL_KERNEL = """
from gamefast.backend import kernel
@kernel
def next_number(number):
    return number + 1
"""
KERNEL = """
from gamefast.small_kernel import next_number
assert next_number(1) == 2
print("machine code")
"""
MORE = "print(next_number(0.5))"  # for another type it is compiled again
WHERE = "from gamefast import stored_code; print(stored_code.written_to)"


def works(*command: str) -> bool:
    try:
        return subprocess.run([*command, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


namespaces = pytest.mark.skipif(
    not (works(*NAMESPACE) and works(*NAMELESS)), reason="no `unshare` here, or it is not allowed"
)


class Printed(NamedTuple):
    """What a program has printed."""

    stdout: str
    stderr: str


class Install:
    """A copy with a search and a kernel ready as machine code, and no other place to keep any."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.caches = folder, folder / "gamefast/__pycache__"
        self.home, self.tmp = folder / "home", folder / "tmp"
        self.environment = {
            **{k: v for k, v in os.environ.items() if k not in ("XDG_CACHE_HOME", "LOCALAPPDATA")},
            **{"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"},
            **{"HOME": str(self.home), "TMPDIR": str(self.tmp)},
        }
        self.environment.pop("NUMBA_CACHE_DIR", None)
        for name in ("gamelib", "gamefast"):
            shutil.copytree(
                ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        (folder / "gamefast/small_kernel.py").write_text(SMALL_KERNEL)
        self.fresh()
        self.caches.mkdir()
        self.add_stored_code()
        assert self.run_fresh(SEARCH + KERNEL).stdout == "machine code\n" * 2
        shutil.copytree(self.caches, folder / "ready")

    def add_stored_code(self) -> None:
        """Copy the machine code of the searches if it is stored, because compiling takes 3 s."""
        stored = [place for place in stored_code.folders() if place.is_dir()]
        with mock.patch.object(build_info, "SOURCES", self.folder / "gamefast"):
            name = stored_code.folders()[0].name
        for place in stored[:1]:
            shutil.copytree(place, self.caches / name)

    def fresh(self, ready: bool = False) -> None:
        """Take away all machine code but what is ready in the installation."""
        for folder in (self.home, self.tmp, self.caches):
            shutil.rmtree(folder, ignore_errors=True)
        for folder in (self.home, self.tmp):
            folder.mkdir()
        if ready:
            shutil.copytree(self.folder / "ready", self.caches)

    def files(self, place: Path | None = None) -> list[Path]:
        """Return the files of machine code in a place, or in the installation."""
        return sorted((place or self.caches).rglob("*.nbc"))

    def run_fresh(self, program: str, **environment: str) -> Printed:
        """Return what a Python prints that has loaded nothing before."""
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True, text=True,
            cwd=self.folder, env={**self.environment, **environment},
        )  # fmt: skip
        return Printed(done.stdout, done.stderr)

    def run(self, program: str, **options: Any) -> Printed:
        """Return what a program prints, with the options of `forked_programs.run`."""
        if sys.platform != "linux":
            return self.run_fresh(program)
        asked = {"first": "", "user": None, "unset": ()} | options
        print(json.dumps({"program": program, **asked}), file=self.forks.stdin, flush=True)
        return Printed(*json.loads(self.forks.stdout.readline()))

    @cached_property
    def forks(self) -> Any:
        """The process that runs the programs, because Numba takes a second to load."""
        return subprocess.Popen(
            [sys.executable, Path(__file__).with_name("forked_programs.py")],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            cwd=self.folder, env=self.environment,
        )  # fmt: skip

    def close(self) -> None:
        """End that process, which ends with its input."""
        if "forks" in vars(self):
            self.forks.communicate()


@pytest.fixture(scope="module")
def an_install(tmp_path_factory) -> Iterator[Install]:
    made = Install(tmp_path_factory.mktemp("install"))
    yield made
    made.close()


@pytest.fixture
def install(an_install) -> Install:
    an_install.fresh(ready=True)
    return an_install


def test_stored_code_needs_no_compiler(install) -> None:
    done = install.run_fresh(SEARCH)
    assert (done.stdout, done.stderr) == ("machine code\n", "")


# Where Python looks for a place when TMPDIR is none.
USUAL = [path for path in (Path("/tmp"), Path("/var/tmp")) if path.is_dir()]


def read_only(*places: Path) -> str:
    return " && ".join(
        f"mount --bind {place} {place} && mount -o remount,ro,bind {place}" for place in places
    )


def full(*places: Path) -> str:
    return " && ".join(
        f"mkdir -p {place} && mount -t tmpfs -o size=4k tmpfs {place}" for place in places
    )


def test_compilation_is_announced_once(install) -> None:
    install.fresh()
    install.caches.mkdir()
    first, again = (install.run(KERNEL + MORE).stderr for _ in range(2))
    assert (first.count("compiling, once"), again) == (1, "")


@namespaces
@pytest.mark.parametrize("others", [True, False])
def test_stored_code_is_read_from_read_only_folder(install, others) -> None:
    places = () if others else (install.home, install.tmp, *USUAL)
    done = install.run(SEARCH, first=read_only(install.caches, *places))
    assert (done.stdout, done.stderr) == ("machine code\n", "")


@namespaces
def test_kernels_work_without_writable_folder(install) -> None:
    install.fresh()
    install.caches.mkdir()
    places = install.caches, install.home, install.tmp
    done = install.run(KERNEL, first=read_only(*places, *USUAL))
    assert done.stdout == "machine code\n"
    assert not any(map(install.files, places))


@namespaces
def test_full_disk_is_skipped(install) -> None:
    install.fresh()
    install.caches.mkdir()
    done = install.run(KERNEL + WHERE, first=full(install.caches, install.home))
    assert done.stdout.startswith(f"machine code\n{install.tmp}")
    assert install.files(install.tmp)


@namespaces
def test_searches_work_on_full_disks(install) -> None:
    install.fresh()
    install.caches.mkdir()
    done = install.run(SEARCH + WHERE, first=full(install.caches, install.home, install.tmp))
    assert done.stdout == "machine code\nNone\n"


@namespaces
def test_missing_code_is_compiled_once_into_home(install) -> None:
    first = install.run(KERNEL + MORE, first=read_only(install.caches))
    assert (first.stdout, first.stderr.count("compiling")) == ("machine code\n1.5\n", 1)
    again = install.run(KERNEL + MORE, first=read_only(install.caches))
    assert (again.stdout, again.stderr) == ("machine code\n1.5\n", "")
    assert install.files(install.home)


@pytest.fixture
def for_kind(install):
    """The installation with code for every processor of a kind, and a function that adds it."""
    install.fresh()
    install.caches.mkdir()

    def for_kind(name: str, features: str) -> Install:
        done = install.run_fresh(KERNEL, NUMBA_CPU_NAME=name, NUMBA_CPU_FEATURES=features)
        assert done.stdout == "machine code\n"
        return install

    return for_kind


@namespaces
def test_code_for_another_processor_is_compiled_once(for_kind) -> None:
    install = for_kind("x86-64", "")
    first = install.run(KERNEL, first=read_only(install.caches))
    assert first.stderr.count("compiling") == 1
    assert install.files(install.home)
    assert install.run(KERNEL, first=read_only(install.caches)).stderr == ""


@pytest.mark.skipif(machine() not in ("x86_64", "AMD64"), reason="a kind of another processor")
def test_code_for_a_kind_serves_this_processor(for_kind) -> None:
    install = for_kind("x86-64-v2", KINDS["x86-64-v2"])
    files = install.files()
    done = install.run(KERNEL)
    assert (done.stdout, done.stderr) == ("machine code\n", "")
    assert install.files() == files


def test_code_with_an_absent_feature_is_not_used() -> None:
    own = ("types", ("triple", "old", KINDS["x86-64-v2"].replace("+popcnt", "-popcnt")), "hashes")
    assert list(stored_code._keys_of_kinds(own)) == []


@namespaces
def test_closed_folder_is_skipped(install) -> None:
    install.caches.chmod(0)
    try:
        done = install.run(KERNEL + WHERE, user=54321)
    finally:
        install.caches.chmod(0o755)
    assert done.stdout.startswith(f"machine code\n{install.home}")
    assert "Traceback" not in done.stderr


LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
"""


def test_full_disk_is_read_and_completed_later(install) -> None:
    pytest.importorskip("resource")
    files = install.files()
    done = install.run(LIMITED + KERNEL + MORE)
    assert done.stdout == "machine code\n1.5\n"
    assert "File too large" in done.stderr
    assert install.files() == files
    again = install.run(KERNEL + MORE)  # the disk has room again
    assert again.stdout == "machine code\n1.5\n"
    assert len(install.files()) > len(files)


@pytest.mark.parametrize(("ends", "share"), [("*.nbc", 0.5), ("*.nbi", 0)])
def test_damaged_file_is_compiled_again(install, ends, share) -> None:
    for path in install.caches.rglob(ends):
        path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    assert install.run(KERNEL).stdout == "machine code\n"
    assert install.run(KERNEL).stderr == ""


@namespaces
def test_user_without_home_gets_temporary_folder(install) -> None:
    install.fresh()
    install.caches.mkdir()
    nobody = "import os; assert os.path.expanduser('~') == '~'\n"
    done = install.run(
        nobody + KERNEL + WHERE,
        first=read_only(install.caches), user=54321, unset=("HOME", "USER", "LOGNAME"),
    )  # fmt: skip
    assert done.stdout.startswith("machine code\n")
    assert str(install.tmp / "gamefast-54321") in done.stdout


BROKEN = {
    "an attribute is missing": "import sys; sys.no_such_name",
    "it breaks off": "raise SystemError('initialization failed')",
}


@pytest.mark.parametrize("why", BROKEN)
def test_broken_numba_falls_back_with_reason(install, why) -> None:
    broken = install.folder / "broken" / "numba"
    broken.mkdir(parents=True, exist_ok=True)
    (broken / "__init__.py").write_text(BROKEN[why])
    done = install.run_fresh(SEARCH, PYTHONPATH=f"{broken.parent}{os.pathsep}{install.folder}")
    reason = BROKEN[why].split("'")[1] if "'" in BROKEN[why] else "has no attribute 'no_such_name'"
    assert reason in done.stdout
    assert done.stdout.startswith("gamefast needs Numba")


def test_disabled_numba_falls_back_with_reason(install) -> None:
    done = install.run_fresh(SEARCH, NUMBA_DISABLE_JIT="1")
    assert done.stdout == "gamefast needs Numba, which NUMBA_DISABLE_JIT=1 switches off; unset it\n"
