"""A Python of its own, for what the Python of the tests cannot show."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def fresh(
    *arguments: str | Path, cwd: Path = ROOT, check: bool = True, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Return what a new Python has printed, which must not have failed if that is checked."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True,
    )  # fmt: skip
    assert not (check and done.returncode), done.stdout + done.stderr
    return done
