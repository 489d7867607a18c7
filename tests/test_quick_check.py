"""The checks of one changed file: which tests are chosen, and that nothing chosen is missing."""

import pytest

from tests.messages import broken
from tools import quick_check
from tools.quick_check import ROOT, select_tests

PACKAGES = ("gamelib", "gamefast", "arena", "course")


def chosen(name: str) -> tuple[set[str], set[str]]:
    """Return the paths of the tests of a file, and the keywords."""
    selection = select_tests(ROOT / name)
    return {str(path.relative_to(ROOT)) for path in selection.tests}, selection.keywords


@pytest.mark.parametrize(
    ("name", "tests", "keywords"),
    [
        (
            "gamelib/games/nim.py",
            {"tests/games/test_nim.py", "tests/games/test_conformance.py"},
            {"Nim", "test_nim"},
        ),
        ("course/widgets/play_board.py", {"tests/widgets/test_play_board.py"}, set()),
        (
            "course/lessons/framework/mistakes.toml",
            {"tests/lessons/test_framework.py", "tests/lessons/test_mutants.py"},
            {"check_misere_sticks", "test_framework"},
        ),
        ("tests/test_slips.py", {"tests/test_slips.py"}, set()),
    ],
)
def test_file_has_its_own_tests(name, tests, keywords) -> None:
    found, words = chosen(name)
    assert tests <= found
    assert keywords <= words
    assert bool(words) == bool(keywords)  # with any keyword, tests without one are left out


@pytest.mark.parametrize("folder", ["gamelib/games", "gamelib/search", "course/widgets"])
def test_every_module_has_tests(folder) -> None:
    modules = [path for path in (ROOT / folder).glob("*.py") if path.name != "__init__.py"]
    missing = [path.relative_to(ROOT) for path in modules if not select_tests(path).tests]
    assert missing == [], broken("`make quick` finds no tests for these. Write some:", missing)


def test_slow_tests_that_are_left_out_exist() -> None:
    text = quick_check.MUTANTS.read_text(encoding="utf-8")
    missing = [name for name in quick_check.SLOW_TESTS if f"def {name}(" not in text]
    assert missing == [], broken("SLOW_TESTS in tools/quick_check.py names no test of:", missing)


def test_several_files_keep_all_tests_of_each() -> None:
    """A game has keywords, and a widget has none: so no keyword may leave out a test."""
    paths = [ROOT / "gamelib/games/nim.py", ROOT / "course/widgets/play_board.py"]
    *_, pytest_command = quick_check.commands(paths)
    assert "-k" not in pytest_command
    assert "tests/widgets/test_play_board.py" in pytest_command


def test_failed_command_is_named_and_others_run(monkeypatch, capsys) -> None:
    monkeypatch.setattr(quick_check, "commands", lambda paths: [["no_such_module"], ["this"]])
    assert quick_check.main([str(ROOT / "gamelib/games/nim.py")]) == 1
    assert "failed: no_such_module\n" in capsys.readouterr().out


def test_file_elsewhere_is_rejected_by_name(tmp_path, capsys) -> None:
    with pytest.raises(SystemExit):
        quick_check.main([str(tmp_path / "missing.py")])
    assert "missing.py" in capsys.readouterr().err
