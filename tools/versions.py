"""Run the tests with other versions of Python and of all requirements.

    python -m tools.versions                all that can be run here
    python -m tools.versions oldest 3.13

"oldest" is the lowest Python with the lowest version of each requirement in pyproject.toml.  A
number, such as 3.13, is that Python with the newest versions.  Each run has its own virtual
environment below .venv/versions.
"""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OLDEST = "oldest"
LOWEST_PYTHON = PROJECT["project"]["requires-python"].removeprefix(">=")
PYTHONS = ("3.11", "3.12", "3.13", "3.14", "3.15")


def lower_bounds() -> list[str]:
    """Return "name==version" for the lowest version of each requirement of the tests."""
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [need for name in ("widgets", "fast", "lab", "nbval", "test") for need in extras[name]]
    bounds = (re.match(r"([\w-]+)>=([\d.]+)", requirement) for requirement in wanted)
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound]


def tests_pass(name: str) -> bool:
    """Return whether `make test` passes in the environment `name`, "oldest" or a Python version."""
    folder = Path(sys.prefix) / "versions" / name
    folder.parent.mkdir(exist_ok=True)
    environment = dict(os.environ)
    if name == OLDEST:
        constraints = folder.with_suffix(".txt")
        constraints.write_text("\n".join([*lower_bounds(), ""]), encoding="utf-8")
        environment["PIP_CONSTRAINT"] = str(constraints)
    python = f"python{LOWEST_PYTHON if name == OLDEST else name}"
    print(f"{name}: {python}", flush=True)
    command = ["make", "test", f"VENV={folder}", f"PYTHON={python}"]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode == 0


def is_installed(python: str) -> bool:
    """Return whether this Python runs here; pyenv also has commands for versions that do not."""
    try:
        return subprocess.run([f"python{python}", "-V"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    there = [python for python in PYTHONS if is_installed(python)]
    failed = [name for name in sys.argv[1:] or [OLDEST, *there] if not tests_pass(name)]
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)
