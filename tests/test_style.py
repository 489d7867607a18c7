"""The linter, the formatter and the type checker, as tests: one run says all that is wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "command", ["ruff check --output-format=concise", "ruff format --check", "mypy"]
)
def test_nothing_to_complain_about(command: str) -> None:
    run = subprocess.run(
        [sys.executable, "-m", *command.split()], cwd=ROOT, capture_output=True, text=True
    )
    if run.returncode != 0:
        pytest.fail(f"{command}\n{run.stdout}{run.stderr}", pytrace=False)
