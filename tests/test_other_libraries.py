"""Each example of docs/other_libraries.md runs, and prints something."""

import importlib.util
import os
import re
import sys

import pytest

from tests.fresh import ROOT, fresh

PAGE = (ROOT / "docs" / "other_libraries.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
PACKAGES = "pyspiel", "numpy", "gymnasium", "pettingzoo"


def test_page_has_an_example_of_each_library():
    assert all(any(name in program for program in EXAMPLES) for name in PACKAGES)


@pytest.mark.parametrize("program", EXAMPLES)
def test_example_runs_and_prints(program):
    needed = [name for name in PACKAGES if name in program]
    needed += ["pyspiel"] * ("OpenSpiel" in program)
    for name in needed:
        if not importlib.util.find_spec(name):
            pytest.skip(f"{name} is not installed")
    places = os.pathsep.join([str(ROOT), *sys.path])
    errors = "-W", "error::DeprecationWarning:__main__"
    assert fresh(*errors, "-c", program, PYTHONPATH=places).stdout.strip()
