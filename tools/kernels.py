"""Run the browser tests of the widgets on other ipykernels: `python -m tools.kernels 6.31 newest`.

Each version is installed into a virtual environment of its own, below .venv/kernels.
"""

import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
VERSIONS = ("6.31", "7.3", "newest")
TESTS = ("test_widgets_in_lab.py", "test_play.py", "test_stepper.py")


def python_with(version: str) -> Path:
    """Return the Python of an environment that has this course and this ipykernel."""
    folder = Path(sys.prefix) / "kernels" / version
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not python.exists():
        venv.create(folder, with_pip=True)
    wanted = "ipykernel" if version == "newest" else f"ipykernel=={version}.*"
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--upgrade", "-e", str(ROOT), wanted], check=True)
    return python


def passes(version: str) -> bool:
    """Return whether the tests pass with this kernel."""
    python = python_with(version)
    find = "import ipykernel; print(ipykernel.__version__)"
    found = subprocess.run([python, "-c", find], check=True, capture_output=True, text=True)
    print(f"ipykernel {found.stdout.strip()}", flush=True)
    tests = [str(ROOT / "tests" / "browser" / name) for name in TESTS]
    run = [sys.executable, "-m", "pytest", "-q", *tests]
    environment = {**os.environ, "KERNEL_PYTHON": str(python)}
    return subprocess.run(run, env=environment, cwd=ROOT).returncode == 0


if __name__ == "__main__":
    failed = [version for version in sys.argv[1:] or VERSIONS if not passes(version)]
    sys.exit(f"failed on ipykernel {', '.join(failed)}" if failed else 0)
