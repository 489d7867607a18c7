"""A program over a list in a browser's Python, in Node.js: the stepper shows the same there."""

import json
import subprocess
import sys
from pathlib import Path

from tests.site.conftest import ROOT, in_pyodide

PROGRAM = Path(__file__).with_name("board_program.py")


def test_board_program_is_stepped_as_natively() -> None:
    command = [sys.executable, "-c", f"import runpy; runpy.run_path({str(PROGRAM)!r})"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    natively = json.loads(done.stdout.splitlines()[-1])
    assert natively["first wrong"][1].startswith("Node ")
    in_tab = json.loads(in_pyodide(PROGRAM, "ipywidgets", "ipython")[-1])
    assert in_tab == natively
