"""Check a change in seconds: lint and types, and the tests of the changed files alone.

    python -m tools.quick_check gamelib/games/nim.py   # or: make quick FILES=gamelib/games/nim.py

Run `make test` before you hand in a change, since other tests may use what you have changed.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFORMANCE = ROOT / "tests" / "games" / "test_conformance.py"
MUTANTS = ROOT / "tests" / "lessons" / "test_mutants.py"
# Of these each asks for the smallest tree that shows a mistake, which takes seconds.
SLOW_TESTS = ("test_mistake_is_shown_on_small_tree", "test_other_seeds_show_same_mistakes")
# These need a browser, or build the site: minutes, and `make test` leaves them out, too.
SLOW_FOLDERS = ("browser", "site")
NO_TESTS = 5  # the status of pytest if no test is selected


@dataclass
class Selection:
    """The tests of some files.

    tests     the files of tests
    keywords  of which a selected test must contain one in its name; without any, all are selected
    """

    tests: set[Path] = field(default_factory=set)
    keywords: set[str] = field(default_factory=set)


def select_tests(path: Path) -> Selection:
    """Return the tests of a file of the project, given by its absolute path."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "tests":
        return Selection({path} if path.name.startswith("test_") else files_that_name(path.stem))
    if parts[:2] == ("course", "lessons") and len(parts) > 3:
        return _tests_of_lesson(path.parent)
    if parts[0] == "notebooks":
        return Selection(set(ROOT.glob("tests/notebooks/test_*.py")), {path.stem})
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    own = _named_after(path.stem) or files_that_name(module) or _files_that_use(path)
    if parts[:2] == ("gamelib", "games") and (games := _games_in(path)):
        own.add(CONFORMANCE)  # of its tests only those of this game
        return Selection(own, games | {test.stem for test in own - {CONFORMANCE}})
    folder = ROOT / "tests" / parts[-2]
    return Selection(own or ({folder} if folder.is_dir() else set()))


def _tests_of_lesson(folder: Path) -> Selection:
    """Return the tests of a lesson: its own, and those of the hints of its checks."""
    own = _named_after(folder.name) or files_that_name(f"course.lessons.{folder.name}") - {MUTANTS}
    checks = {
        name
        for path in folder.glob("check*.py")
        for name in re.findall(r"^(?:def )?(check_\w+)", path.read_text(encoding="utf-8"), re.M)
    }
    return Selection(own | {MUTANTS}, checks | {test.stem for test in own})


def files_that_name(module: str) -> set[Path]:
    """Return the files of tests that import a module or something in it."""
    package, _, name = module.rpartition(".")
    patterns = [rf"\b{re.escape(module)}\b"]
    if package:
        patterns.append(rf"from {re.escape(package)} import [^\n]*\b{name}\b")
    return _files_with("|".join(patterns))


def _files_that_use(path: Path) -> set[Path]:
    """Return the files of tests with a public name of a module, or with the name of a file."""
    names = {path.name}
    if path.suffix == ".py":
        nodes = ast.parse(path.read_text(encoding="utf-8")).body
        defined = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef))
        names |= {node.name for node in defined if not node.name.startswith("_")}
    return _files_with(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")


def _named_after(stem: str) -> set[Path]:
    found = set(ROOT.glob(f"tests/**/test_{stem}.py"))
    return {path for path in found if path.parent.name not in SLOW_FOLDERS}


def _files_with(pattern: str) -> set[Path]:
    tests = sorted(ROOT.glob("tests/**/test_*.py"))
    fast = [path for path in tests if path.parent.name not in SLOW_FOLDERS]
    return {path for path in fast if re.search(pattern, path.read_text(encoding="utf-8"))}


def _games_in(path: Path) -> set[str]:
    """Return the names of the classes of a module that say which actions are legal."""
    classes = (
        node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    return {
        node.name
        for node in classes
        if any(isinstance(n, ast.FunctionDef) and n.name == "legal_actions" for n in node.body)
    }


def commands(paths: Sequence[Path]) -> list[list[str]]:
    """Return the commands that check some files, the quickest first."""
    selections = [select_tests(path) for path in paths]
    tests = sorted({str(test.relative_to(ROOT)) for each in selections for test in each.tests})
    keywords = set().union(*(each.keywords for each in selections))
    if not all(each.keywords for each in selections):
        keywords = set()  # one of the files needs all the tests of its files
    python = [str(path) for path in paths if path.suffix in (".py", ".ipynb")]
    found = [["ruff", "check", *python], ["ruff", "format", "--check", *python]] if python else []
    found.append(["mypy"])  # of the whole project: its cache makes that cheap
    if tests:
        # The plugin for notebooks takes two seconds to load.
        slow = "".join(f" and not {name}" for name in SLOW_TESTS)
        chosen = ["-k", f"({' or '.join(sorted(keywords))}){slow}"] if keywords else []
        found.append(["pytest", "-q", "-p", "no:nbval", *chosen, *tests])
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the checks of the files on the command line; return 1 if one of them fails, else 0."""
    parser = argparse.ArgumentParser(prog="python -m tools.quick_check", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    paths = [path.resolve() for path in parser.parse_args(arguments).files]
    if wrong := [str(path) for path in paths if not path.is_file() or ROOT not in path.parents]:
        parser.error(f"give files of this project; these are not: {', '.join(wrong)}")
    failed = []
    for command in commands(paths):
        print("$", *command, flush=True)
        status = subprocess.run([sys.executable, "-m", *command], cwd=ROOT).returncode
        if status not in (0, NO_TESTS if command[0] == "pytest" else 0):
            failed.append(" ".join(command[:2]))
    print(f"failed: {', '.join(failed)}" if failed else "all of these passed; now `make test`")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
