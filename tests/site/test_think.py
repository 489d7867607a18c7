"""The searches of a page without Python beside the same machine code, called natively."""

import json
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from gamelib import Nim
from tools.site import downloads, engine, wasm_kernels

pytest.importorskip("numba", reason="Numba is not installed: the extra `fast`")

HERE = Path(__file__).parent


class Given(random.Random):
    """A source of chance whose first number is known."""

    def __init__(self, number: int) -> None:
        self.number = number

    def getrandbits(self, _bits: int) -> int:
        return self.number + (1 << 63)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with all that a page needs to think."""
    folder = tmp_path_factory.mktemp("page")
    engine.write(folder, wasm_kernels.build(downloads.CACHE))
    return folder


def position(rng: random.Random, start: Any, most_free: int) -> tuple[Any, list[int]]:
    """Return a random position that is not over, and the numbers of the actions that led there."""
    names, plies = list(start.legal_actions()), rng.randrange(free(start) // 2)
    state, actions = start, list[int]()
    while len(actions) < plies or free(state) > most_free:
        action = rng.choice(state.legal_actions())
        state = state.successor(action)
        actions.append(names.index(action))
        if state.is_terminal():
            state, actions = start, []
    return state, actions


def free(state: Any) -> int:
    return sum(state.heaps) if isinstance(state, Nim) else str(state).count(".")


def question(rng: random.Random) -> tuple[dict[str, Any], Any]:
    """Return a question for a page, and what the machine code answers natively."""
    from gamefast import compiled

    key = rng.choice(list(engine.GAMES))
    start = engine.GAMES[key][1]
    boards = [] if isinstance(start, Nim) else ["minimax", "alphabeta"]
    search = rng.choice(["mcts", "solve", *boards])
    state, actions = position(rng, start, 26 if search == "solve" else 99)
    names = list(start.legal_actions())
    asked: dict[str, Any] = {"key": key, "actions": actions, "search": search}
    if search == "mcts":
        given = {"simulations": rng.choice([1, 10, 300, 5000]), "c": rng.choice([0.5, 1.4, 2.0])}
        seed = rng.getrandbits(64) - (1 << 63)
        found = compiled.mcts(state, rng=Given(seed), **given)
        visits = {str(names.index(action)): n for action, n in found.visits.items() if n}
        options = given | {"seed": str(seed), "step": rng.choice([7, 900])}
        return asked | {"options": options}, [visits, names.index(found.action)]
    if search == "solve":
        found = compiled.solve(state)
        values = {
            str(names.index(a)): [v.value, found.distances[a]] for a, v in found.values.items()
        }
        return asked | {"options": {}}, values
    depth = rng.randrange(1, 6)
    kind: Any = getattr(compiled, search)
    given = {"evaluate": engine.open_windows if key.startswith("connect") else None}
    given |= {"order": engine.centre_first} if search == "alphabeta" else {}
    found = kind(state, depth=depth, quick_wins=True, **given)
    stats = found.stats
    counts = [stats.nodes, stats.leaves, stats.evaluations, stats.cutoffs]
    options = {"depth": depth, "prune": search == "alphabeta"}
    best = [names.index(found.action), found.values[found.action].value]
    return asked | {"search": "board", "options": options}, [*best, *counts]


def answered(page: Path, asked: Sequence[dict[str, Any]], folder: Path) -> list[Any]:
    """Return what the searches of the page answer."""
    file = folder / "questions.json"
    file.write_text(json.dumps(asked))
    command = [*downloads.node_command(), HERE / "think.mjs", page, file]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return list(json.loads(run.stdout))


def test_page_searches_match_native_results(page: Path, tmp_path: Path) -> None:
    rng = random.Random(0)
    asked, expected = zip(*(question(rng) for _ in range(500)), strict=True)
    for one, answer, right in zip(asked, answered(page, asked, tmp_path), expected, strict=True):
        assert answer == right, one


def test_connect_four_openings_are_stored(page: Path, tmp_path: Path) -> None:
    asked = [
        {"key": "connect-four", "actions": a, "search": "solve", "options": {}} for a in ([], [3])
    ]
    empty, middle = answered(page, asked, tmp_path)
    signs = [sign for sign, _ in empty.values()]
    assert signs == [-1, -1, 0, 1, 0, -1, -1]  # Allis 1988, Allen 1988; oracle of the course
    assert empty["3"] == [1, 41]
    assert {sign for sign, _ in middle.values()} == {-1}


def test_library_of_other_sources_raises(page: Path, tmp_path: Path) -> None:
    table = json.loads((page / "engine.json").read_text())
    for file in page.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "engine.json").write_text(json.dumps(table | {"version": "version_of_others"}))
    with pytest.raises(AssertionError, match="other sources"):
        answered(tmp_path, [], tmp_path)
