"""The linter, the formatter and the type checker, as tests: one run says all that is wrong."""

import pytest

from tests.fresh import fresh

REPAIR = {
    "ruff check --output-format=concise": "`ruff check --fix` repairs some by itself.",
    "ruff format --check": "`ruff format` does it.",
}


@pytest.mark.parametrize(
    "command", ["ruff check --output-format=concise", "ruff format --check", "mypy"]
)
def test_lint_and_types_pass(command: str) -> None:
    run = fresh("-m", *command.split(), check=False)
    if run.returncode != 0:
        do = f"`{command}` complains: repair what it names. {REPAIR.get(command, '')}"
        pytest.fail(f"{do}\n{run.stdout}{run.stderr}", pytrace=False)
