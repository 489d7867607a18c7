"""The course in a browser's Python, in Node.js: it says and finds the same there as here."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.messages import broken
from tests.site.conftest import in_pyodide

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
AGENTS = "notebooks/agents"
CHECKS = [
    [f"course.lessons.{lesson}.check", check, solution]
    for lesson, pairs in {
        "framework": "misere_sticks:MisereSticks positions_at payoffs leaves_alone",
        "minimax": "limited_minimax negamax:negamax_value",
        "alpha_beta": "cut_negamax at_least order:good_order table_negamax",
        "mcts": "backpropagate rewards_along",
        "solver": "proven nim_move proven_bounds",
        "multiplayer": "limited_maxn sure_value schedule",
    }.items()
    for pair in pairs.split()
    for check, solution in [(f"check_{pair.split(':')[0]}", pair.split(":")[-1])]
]
JSPI = {"a Stop": ["--experimental-wasm-jspi"], "no Stop": []}
PACKAGES = ["ipywidgets", "ipython"]


def in_a_tab(folder: Path, stop: str, program: str, *arguments: str) -> Any:
    """Return what a program prints last, in a browser's Python."""
    text = f"import sys; sys.argv = {['', *arguments]!r}\nimport os; os.chdir('/course')\n"
    text += (HERE / program).read_text(encoding="utf-8")
    (folder / program).write_text(text, encoding="utf-8")
    return json.loads(in_pyodide(folder / program, *PACKAGES, options=JSPI[stop])[-1])


@pytest.fixture(scope="module")
def natively() -> Iterator[Callable[[], dict[str, Any]]]:
    """Begin what the tabs do in a process of its own; the function waits for what it says."""
    command = [sys.executable, HERE / "every_check.py", json.dumps(CHECKS), AGENTS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:

        @cache
        def said() -> dict[str, Any]:
            printed, _ = process.communicate()
            assert process.returncode == 0
            found: dict[str, Any] = json.loads(printed.splitlines()[-1])
            return found

        yield said
        process.kill()


@pytest.mark.parametrize("stop", JSPI)
def test_checks_searches_and_agents_match_native(natively, stop, tmp_path) -> None:
    said = in_a_tab(tmp_path, stop, "every_check.py", json.dumps(CHECKS), AGENTS)
    expected = natively()
    wrong = [
        f"{key}: {said.get(key)!r} in the tab, {expected.get(key)!r} natively"
        for key in sorted(said.keys() | expected.keys())
        if said.get(key) != expected.get(key)
    ]
    rule = "A browser tab must give the same feedback, values and actions. These differ:"
    assert wrong == [], broken(rule, wrong)


@pytest.mark.parametrize("stop", JSPI)
def test_widgets_search_and_stop(stop, tmp_path) -> None:
    said = in_a_tab(tmp_path, stop, "every_widget.py")
    assert len(said["actions"]) == 4
    assert said["a run"] == 0
    assert said["it cannot be stopped"] == (stop == "no Stop")
    if stop == "a Stop":
        assert (said["stopped"], said["heard"]) == (True, [True])
        assert said["a deaf agent"][0] == []
        assert "was stopped" in said["a deaf agent"][1]
