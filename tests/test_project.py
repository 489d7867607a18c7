"""What holds for the project as a whole: one list of requirements, and arrows that run one way."""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

import gamelib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MODULES = sorted((ROOT / "gamelib").rglob("*.py"))

# What a part of gamelib may import from gamelib, besides itself.
ARROWS = {
    "state": set(),
    "games": {"state"},
    "search": {"state"},
    "engines": {"state", "games", "search"},  # and `compiled`, by name, when it is asked for
    "compiled": {"state", "games", "search", "engines"},
    "agents": {"state", "games", "search", "engines"},
    "arena": {"state", "games", "search", "engines", "agents"},
    "draw": {"state", "games", "search", "agents", "arena"},
    "exercises": {"state", "games", "search", "engines", "agents", "arena", "draw"},
    "widgets": {"state", "games", "search", "engines", "agents", "arena", "draw", "exercises"},
}
# The one exception: Jupyter asks a state for its picture.
EXCEPTION = ("state.py", "_repr_svg_", "draw")

# The only parts that may import what must be installed, and what must never be imported.
INSTALLED = {
    "ipywidgets": {"widgets"},
    "IPython": {"widgets"},
    "traitlets": {"widgets"},
    "matplotlib": {"draw"},
    "numba": {"compiled"},
    "numpy": {"arena", "compiled", "draw"},
    "tqdm": {"arena"},
}
UNSAFE = {"marshal", "pickle", "shelve"}


def part_of(path: Path) -> str:
    """Return the part of gamelib that a file belongs to; "" for gamelib itself."""
    first = path.relative_to(ROOT / "gamelib").parts[0].removesuffix(".py")
    return "" if first == "__init__" else first


def imports(path: Path) -> list[tuple[str, str]]:
    """Return (function or "", absolute name of the module) of every import in a file."""
    found = []

    def visit(node: ast.AST, function: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                found.extend((function, alias.name) for alias in child.names)
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, f"{path}: imports name their module in full"
                found.extend((function, f"{child.module}.{alias.name}") for alias in child.names)
            inner = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
            visit(child, child.name if inner else function)

    visit(ast.parse(path.read_text()), "")
    return found


def each_import() -> list[tuple[Path, str, list[str]]]:
    return [
        (path, function, name.split("."))
        for path in MODULES
        for function, name in imports(path)
        if name != "__future__"
    ]


def test_every_part_of_gamelib_has_its_arrows() -> None:
    assert {part_of(path) for path in MODULES} - {""} <= set(ARROWS)


def test_arrows_run_one_way() -> None:
    wrong = []
    for path, function, (root, *rest) in each_import():
        part = part_of(path)
        if root != "gamelib" or part == "" or not rest:
            continue
        if (path.name, function, rest[0]) != EXCEPTION and rest[0] not in ARROWS[part] | {part}:
            wrong.append(f"{path.relative_to(ROOT)} imports gamelib.{'.'.join(rest)}")
    assert wrong == []


def test_parts_import_their_siblings_and_not_gamelib_as_a_whole() -> None:
    parts = {part_of(path) for path in MODULES}
    wrong = [
        f"{path.relative_to(ROOT)} imports {'.'.join(names)}"
        for path, _, names in each_import()
        if names[0] == "gamelib" and part_of(path) and (len(names) < 2 or names[1] not in parts)
    ]
    assert wrong == []


def test_installed_packages_are_imported_only_where_they_belong() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {'.'.join(names)}"
        for path, _, names in each_import()
        if names[0] not in sys.stdlib_module_names | {"gamelib"}
        and part_of(path) not in INSTALLED.get(names[0], set())
    ]
    assert wrong == []


def test_gamelib_runs_no_text_and_unpickles_nothing() -> None:
    wrong = [
        f"{path.name} imports {names[0]}" for path, _, names in each_import() if names[0] in UNSAFE
    ]
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Name) and node.id in {"eval", "exec", "__import__"}:
                wrong.append(f"{path.name}:{node.lineno} uses {node.id}")
    assert wrong == []


@pytest.mark.parametrize("module", ["gamelib", "gamelib.draw"])
def test_an_import_loads_nothing_heavy(module: str) -> None:
    program = (
        f"import sys, {module}; print(*sorted({{name.split('.')[0] for name in sys.modules}}))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.split()
    assert set(loaded) & set(INSTALLED) == set()


def test_the_tests_run_on_this_checkout() -> None:
    where = Path(gamelib.__file__).parents[1]
    assert where == ROOT, f"gamelib is installed from {where}; `make clean`, then `make setup`"


def test_conda_installs_what_pyproject_lists() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, pip, installed = environment["dependencies"]
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert version(python.removeprefix("python=")) >= version(lowest)
    assert pip == "pip"
    (requirement,) = installed["pip"]
    extras = re.fullmatch(r"-e \.\[([a-z,]+)\]", requirement)
    assert extras, f"environment.yml installs {requirement!r}, not this project"
    assert "lab" in extras[1].split(",")
    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])


def test_a_lab_brings_the_compiled_searches() -> None:
    extras = PROJECT["optional-dependencies"]
    assert "gamelib[fast]" in extras["lab"]
    assert "gamelib[lab]" in extras["test"]
    assert "python_version" in extras["fast"][0]  # Numba is late for each new Python


def test_every_file_names_the_same_lowest_python() -> None:
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert f"({lowest.replace('.', ', ')})" in (ROOT / "Makefile").read_text()
    assert f'"{lowest}"' in (ROOT / ".github/workflows/test.yml").read_text()
    assert f"Python {lowest}" in (ROOT / "README.md").read_text()


def version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split("."))


def test_make_lab_and_the_browser_tests_start_the_same_server() -> None:
    option = r"--ServerApp\.kernel_websocket_connection_class=([\w.]+)"
    makefile, conftest = (
        re.findall(option, (ROOT / name).read_text(encoding="utf-8"))
        for name in ("Makefile", "tests/browser/conftest.py")
    )
    assert makefile == conftest == ["tools.websocket.PromptConnection"]
