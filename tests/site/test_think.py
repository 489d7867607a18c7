"""The searches of a page without Python beside the same machine code, called natively."""

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tools.site import kernels, sources, think

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
    think.write(folder, kernels.build(sources.CACHE))
    return folder


def position(rng: random.Random, key: str, most_free: int) -> tuple[Any, list[int]]:
    """Return a random position that is not over, and the numbers of the actions that led there."""
    start = think.GAMES[key][1]
    names = list(start.legal_actions())
    state, actions = start, list[int]()
    plies = rng.randrange(free(start) // 2)
    while len(actions) < plies or free(state) > most_free:
        action = rng.choice(state.legal_actions())
        state = state.successor(action)
        actions.append(names.index(action))
        if state.is_terminal():
            state, actions = start, []
    return state, actions


def free(state: Any) -> int:
    return len(state.legal_actions()) and (
        sum(state.heaps) if hasattr(state, "heaps") else str(state).count(".")
    )


def questions(rng: random.Random, count: int) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return questions for a page, and what the machine code answers natively."""
    from gamefast import searches

    asked, expected = [], []
    for _ in range(count):
        key = rng.choice(list(think.GAMES))
        is_nim = key == "nim"
        search = rng.choice(
            ["mcts", "solve"] if is_nim else ["mcts", "solve", "minimax", "alphabeta"]
        )
        most_free = {"solve": 26, "mcts": 99}.get(search, 99)
        state, actions = position(rng, key, most_free)
        names = list(think.GAMES[key][1].legal_actions())
        options: dict[str, Any] = {}
        if search == "mcts":
            simulations, c = rng.choice([1, 10, 300, 5000]), rng.choice([0.5, 2**0.5, 2.0])
            seed = rng.getrandbits(64) - (1 << 63)
            options = {
                "simulations": simulations,
                "c": c,
                "seed": str(seed),
                "step": rng.choice([7, 900]),
            }
            found = searches.mcts(state, simulations=simulations, c=c, rng=Given(seed))
            visits = {str(names.index(action)): n for action, n in found.visits.items() if n}
            answer = [visits, names.index(found.action), found.stats.tree_nodes]
        elif search == "solve":
            found = searches.solve(state)
            answer = {
                str(names.index(action)): [bound.value, found.distances[action]]
                for action, bound in found.values.items()
            }
        else:
            options = {"depth": rng.randrange(1, 6), "prune": search == "alphabeta"}
            kind: Any = getattr(searches, search)
            more: Any = {"order": think.centre_first} if search == "alphabeta" else {}
            heuristic = think.open_windows if key.startswith("connect") else None
            found = kind(state, depth=options["depth"], evaluate=heuristic, quick_wins=True, **more)
            stats = found.stats
            counts = [stats.nodes, stats.leaves, stats.evaluations, stats.cutoffs]
            answer = [names.index(found.action), found.values[found.action].value, *counts]
            search = "board"
        asked.append({"key": key, "actions": actions, "search": search, "options": options})
        expected.append(answer)
    return asked, expected


def plain(question: dict[str, Any], answer: dict[str, Any]) -> Any:
    """Return what a page answers, as `questions` writes it."""
    if question["search"] == "mcts":
        return [answer["visits"], answer["action"], answer["treeNodes"]]
    if question["search"] == "board":
        counts = [answer[name] for name in ("nodes", "leaves", "evaluations", "cutoffs")]
        return [answer["action"], answer["values"][str(answer["action"])], *counts]
    return answer


def answered(page: Path, asked: list[dict[str, Any]], room: Path) -> list[Any]:
    """Return what the searches of the page answer."""
    file = room / "questions.json"
    file.write_text(json.dumps(asked))
    command = [*sources.node(), HERE / "think.mjs", page, file]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return list(json.loads(run.stdout))


def test_a_page_finds_what_the_machine_code_finds_natively(page: Path, tmp_path: Path) -> None:
    asked, expected = questions(random.Random(0), 500)
    for question, answer, right in zip(
        asked, answered(page, asked, tmp_path), expected, strict=True
    ):
        assert plain(question, answer) == right, question


def test_the_first_positions_of_connect_four_need_no_search(page: Path, tmp_path: Path) -> None:
    asked = [
        {"key": "connect-four", "actions": a, "search": "solve", "options": {}} for a in ([], [3])
    ]
    empty, middle = answered(page, asked, tmp_path)
    signs = [sign for sign, _ in empty.values()]
    assert signs == [-1, -1, 0, 1, 0, -1, -1]  # Allis 1988, Allen 1988; oracle of the course
    assert empty["3"] == [1, 41]
    assert {sign for sign, _ in middle.values()} == {-1}


def test_a_library_of_other_sources_is_refused(page: Path, tmp_path: Path) -> None:
    table = json.loads((page / "think.json").read_text())
    for file in page.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "think.json").write_text(json.dumps(table | {"version": "version_of_others"}))
    with pytest.raises(AssertionError, match="other sources"):
        answered(tmp_path, [], tmp_path)
