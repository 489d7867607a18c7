"""Build a release and try it: `python -m tools.release [--repository ADDRESS]`.

It writes the source distribution and the wheel into dist/, made from the files that git knows. It
checks that the source distribution has all of them, and that the metadata and the package's page
are valid. Then it installs the wheel with each extra into an environment of its own, and runs a
short program there. `--repository` is the address of the public repository; with it, the package's
page has a picture and the metadata has links. Without it, neither names a host.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tarfile
import time
import venv
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import gamelib

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
PICTURE = "docs/pictures/cut-light.png"
GENERATED = {"PKG-INFO", "setup.cfg"}  # by setuptools, in a source distribution
BASE_PROGRAM = """
from arena import match_up
from gamelib import SearchAgent, TicTacToe, __version__, alphabeta, mcts, minimax, random_agent
assert __version__ == {version!r}
state = TicTacToe.parse("O.X / XX. / OO.")
assert minimax(TicTacToe()).value == 0
assert alphabeta(state).action == 5
assert mcts(state, simulations=200, rng=0).action == 5
result = match_up(SearchAgent(minimax, depth=2), random_agent(), state=state, games=10)
assert len(result.records) == 10
"""
FAST_PROGRAM = """
from gamefast import minimax as fast_minimax
assert fast_minimax(TicTacToe()).values == minimax(TicTacToe()).values
"""
WIDGETS_PROGRAM = """
from course import PlayBoard, SearchStepper
from course.draw import charts
board = PlayBoard(TicTacToe())
board.click(4)
assert board.state == TicTacToe().play(4)
assert "alpha" in repr(SearchStepper(alphabeta, state))
assert charts.win_rates({{"minimax": (3, 4)}})._repr_png_()
"""
LAB_PROGRAM = """
import importlib.metadata
assert importlib.metadata.version("jupyterlab")
"""
SPIEL_PROGRAM = """
from gamelib import OpenSpiel
assert minimax(OpenSpiel("tic_tac_toe"), depth=2).value == 0
"""
CLUSTER_PROGRAM = """
from arena import ClusterExecutor
from distributed import LocalCluster
with LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
    with ClusterExecutor(cluster.scheduler_address) as executor:
        agents = SearchAgent(minimax, depth=2), random_agent()
        assert match_up(*agents, state=state, games=10, executor=executor) == result
"""
# What runs after the base program, by extra.
PROGRAMS = {
    "": "",
    "fast": FAST_PROGRAM,
    "widgets": WIDGETS_PROGRAM,
    "lab": FAST_PROGRAM + WIDGETS_PROGRAM + LAB_PROGRAM,
    "spiel": SPIEL_PROGRAM,
    "cluster": CLUSTER_PROGRAM,
}
NEXT_STEPS = """
Release {version} is in {dist}. Next:
1. Look at the page of the package: docs/package.md.
2. In CHANGELOG.md, the section {version} must have today's date. Commit.
3. Tag it: git tag -a v{version} -m "Release {version}", and push the tag.
4. Upload it: .venv/bin/python -m twine upload dist/*
"""


def main(arguments: Sequence[str] | None = None) -> None:
    """Build, check and try a release; a step that fails ends it with an error."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("--repository", default="", help="https://..., where the project is public")
    options = parser.parse_args(arguments)
    begun = time.monotonic()
    shutil.rmtree(DIST, ignore_errors=True)
    sdist, wheel = build(options.repository.rstrip("/"))
    missing, unknown = compare_files(sdist)
    if missing or unknown:
        sys.exit(
            f"{sdist.name} must have the files that git knows: it lacks {sorted(missing)}, "
            f"and has {sorted(unknown)}, which git does not know"
        )
    run(sys.executable, "-m", "twine", "check", "--strict", sdist, wheel)
    for file in (sdist, wheel):
        print(f"{file.name}: {file.stat().st_size / 1e6:.1f} MB")
    for extra, program in PROGRAMS.items():
        print(try_extra(wheel, extra, program), flush=True)
    print(f"All of it took {time.monotonic() - begun:.0f} s.")
    print(NEXT_STEPS.format(version=gamelib.__version__, dist=DIST))


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    """Return what a command prints; exit with what it said if it fails."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def known_files() -> list[str]:
    """Return the files of the project, without those that git ignores."""
    return run("git", "ls-files", "--cached", "--others", "--exclude-standard").strip().split("\n")


def build(repository: str = "") -> tuple[Path, Path]:
    """Return the source distribution, and the wheel that is built from it, both in dist/."""
    with TemporaryDirectory() as place:
        copy = Path(place)
        for name in known_files():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
        if repository:
            add_repository(copy, repository)
        run(sys.executable, "-m", "build", "--outdir", DIST, copy)
    (sdist,), (wheel,) = DIST.glob("*.tar.gz"), DIST.glob("*.whl")
    return sdist, wheel


def add_repository(copy: Path, repository: str) -> None:
    """Write links to the repository into the metadata, and a picture into the package's page."""
    urls = {
        "Repository": repository,
        "Changelog": f"{repository}/blob/v{gamelib.__version__}/CHANGELOG.md",
        "Issues": f"{repository}/issues",
    }
    with (copy / "pyproject.toml").open("a", encoding="utf-8") as file:
        print(
            "\n[project.urls]",
            *(f'{name} = "{url}"' for name, url in urls.items()),
            sep="\n",
            file=file,
        )
    page = copy / "docs" / "package.md"
    title, rest = page.read_text(encoding="utf-8").split("\n", 1)
    address = f"{repository}/raw/v{gamelib.__version__}/{PICTURE}"
    text = f"{title}\n\n![Alpha-beta search, step by step]({address})\n{rest}"
    page.write_text(text, encoding="utf-8")


def compare_files(sdist: Path) -> tuple[set[str], set[str]]:
    """Return the files that a source distribution lacks, and those that git does not know."""
    with tarfile.open(sdist) as archive:
        names = [member.name.partition("/")[2] for member in archive if member.isfile()]
    packed = {name for name in names if ".egg-info/" not in name} - GENERATED
    known = set(known_files())
    return known - packed, packed - known


def try_extra(wheel: Path, extra: str, program: str) -> str:
    """Return a line on what an extra takes: packages, MB and seconds; its program has passed."""
    begun = time.monotonic()
    with TemporaryDirectory() as place:
        venv.create(place, with_pip=True)
        python = Path(place) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        pip = (python, "-m", "pip", "--disable-pip-version-check")
        before = size(Path(place))
        run(*pip, "install", "--quiet", f"{wheel}[{extra}]" if extra else wheel)
        packages = json.loads(run(*pip, "list", "--format=json"))
        others = len(packages) - sum(p["name"] in ("pip", "setuptools") for p in packages) - 1
        megabytes = (size(Path(place)) - before) / 1e6
        text = (BASE_PROGRAM + program).format(version=gamelib.__version__)
        run(python, "-c", text, cwd=Path(place))
    name = f"extra {extra}" if extra else "base install"
    seconds = time.monotonic() - begun
    return f"{name}: {others} other packages, {megabytes:.0f} MB, {seconds:.0f} s, works"


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
