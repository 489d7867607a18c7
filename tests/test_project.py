"""What holds for the project as a whole: one list of requirements, and arrows that run one way."""

import ast
import json
import re
import shutil
import sys
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import gamelib
from tests.fresh import fresh
from tests.messages import broken

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PACKAGES = ("gamelib", "gamefast", "arena", "course")
MACHINE_CODE = ROOT / "gamefast"
MODULES = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
TOOLS = sorted((ROOT / "tools").rglob("*.py"))

# The imports that each part of the code may have, from the table in CONTRIBUTING.
_DRAWN = (ROOT / "CONTRIBUTING.md").read_text().split("<!-- arrows -->")[1]
ARROWS = dict(re.findall(r"^ {4}(\S+) +->(.*)$", _DRAWN.split("<!-- end of arrows -->")[0], re.M))
# The one exception: Jupyter asks a state for its picture, and then it is imported.
EXCEPTION = ("state.py", "gamelib.svg")

# The only parts that may import what must be installed, and what must never be imported.
INSTALLED = {
    "ipywidgets": {"course.widgets"},
    "IPython": {"course.draw", "course.widgets"},
    "comm": {"course.exercises"},  # a part of each Jupyter kernel
    "traitlets": {"course.widgets"},
    "matplotlib": {"course.draw"},
    "numba": {"gamefast"},
    "pyspiel": {"gamelib.games"},
    "numpy": {"gamefast", "course.draw", "course.lessons"},
    "typing_extensions": {"gamelib.state"},  # only by type checkers, which bring it along
}
UNSAFE = {"marshal", "pickle", "shelve"}


def part_of(name: str) -> str:
    """Return the part in ARROWS that a module belongs to; for an `__init__.py`, the package."""
    package, *rest = name.split(".")
    return ".".join([package, *(rest[:1] if package not in ARROWS else ())])


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@cache
def nodes_of(path: Path) -> dict[type, list[Any]]:
    """Return the nodes of the syntax tree of a file, by their class."""
    found = defaultdict(list)
    for node in ast.walk(ast.parse(path.read_text())):
        found[type(node)].append(node)
    return found


def each_import(paths: list[Path] = MODULES) -> list[tuple[Path, str]]:
    """Return (file, absolute name) of everything that these files import."""
    found = []
    for path in paths:
        for node in nodes_of(path)[ast.Import]:
            found += [(path, alias.name) for alias in node.names]
        for node in nodes_of(path)[ast.ImportFrom]:
            assert node.level == 0, f"{path}: imports name their module in full"
            found += [(path, f"{node.module}.{alias.name}") for alias in node.names]
    return found


def test_every_package_is_in_the_arrows() -> None:
    parts = {part_of(module_of(path)) for path in [*MODULES, *TOOLS]}
    missing = sorted(parts - set(PACKAGES) - set(ARROWS))
    rule = "Add a line to the table of arrows in CONTRIBUTING.md for each of these:"
    assert missing == [], broken(rule, missing)


def test_tools_packages_import_only_earlier_ones() -> None:
    parts = list(ARROWS)
    for part in parts:
        own = [target for target in ARROWS[part].split() if target.startswith("tools.")]
        assert not own or part.startswith("tools."), f"{part} must not import from tools"
        below = [target for target in own if parts.index(target) >= parts.index(part)]
        rule = f"In the table of arrows, {part} must come after what it imports. Move it below:"
        assert below == [], broken(rule, below)


def test_imports_follow_the_arrows() -> None:
    wrong = []
    for path, name in each_import([*MODULES, *TOOLS]):
        part, target = part_of(module_of(path)), part_of(name)
        if target.split(".")[0] not in (*PACKAGES, "tools") or part not in ARROWS:
            continue
        allowed = {part, *ARROWS[part].split()}
        if (path.name, target) != EXCEPTION and not allowed & {target, target.split(".")[0]}:
            wrong.append(f"{path.relative_to(ROOT)} imports {name}")
    rule = (
        "The table of arrows in CONTRIBUTING.md does not allow these imports. Move the code to "
        "where it may be imported, or draw the arrow there if it makes no circle:"
    )
    assert wrong == [], broken(rule, wrong)


def test_packages_import_only_lower_packages() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path, name in each_import()
        if name.split(".")[0] in PACKAGES[PACKAGES.index(module_of(path).split(".")[0]) + 1 :]
    ]
    rule = (
        "gamelib < gamefast < arena < course: a package must not import one that is built on it. "
        "Move what both need into the lower one:"
    )
    assert wrong == [], broken(rule, wrong)


def test_gamelib_modules_do_not_import_gamelib() -> None:
    parts = {part_of(module_of(path)) for path in MODULES}
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path, name in each_import()
        if name.startswith("gamelib.") and "." in module_of(path) and part_of(name) not in parts
    ]
    rule = (
        "Inside a package, import from the module that defines a name, not from `gamelib` itself:"
    )
    assert wrong == [], broken(rule, wrong)


def test_dependencies_are_imported_only_where_allowed() -> None:
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path, name in each_import()
        if (first := name.split(".")[0]) not in sys.stdlib_module_names | set(PACKAGES)
        and part_of(module_of(path)) not in INSTALLED.get(first, set())
    ]
    rule = "These modules import a package that INSTALLED, in this file, allows elsewhere only:"
    assert wrong == [], broken(rule, wrong)


def test_packages_use_no_eval_or_pickle() -> None:
    wrong = [
        f"{path.name} imports {name}"
        for path, name in each_import()
        if name.split(".")[0] in UNSAFE
    ]
    for path in MODULES:
        for node in nodes_of(path)[ast.Name]:
            if node.id in {"eval", "exec", "__import__"}:
                wrong.append(f"{path.name}:{node.lineno} uses {node.id}")
    rule = "Text from outside must never run as a program, so these are not allowed:"
    assert wrong == [], broken(rule, wrong)


def loaded_by(program: str) -> set[str]:
    """Return the names of the modules that a program has loaded at its end."""
    show = "; import sys; print(*sys.modules)"
    return set(fresh("-c", program + show).stdout.split())


@pytest.mark.parametrize("module", ["gamelib", "course", "course.draw"])
def test_import_loads_no_heavy_dependency(module: str) -> None:
    loaded = {name.split(".")[0] for name in loaded_by(f"import {module}")}
    heavy = sorted(loaded & set(INSTALLED))
    rule = f"`import {module}` must load no installed package. Import these where they are used:"
    assert heavy == [], broken(rule, heavy)


def test_board_loads_no_heavy_dependency() -> None:
    show = "from course import PlayBoard; from gamelib import *; PlayBoard(TicTacToe()).click(4)"
    loaded = {name for name in loaded_by(show) if re.match("(arena|matplotlib|numba)\\b", name)}
    heavy = sorted(
        loaded - {"arena", "arena._bootstrap", "arena.capabilities"}
    )  # whether there are threads
    rule = "A board must not load the arena, charts or compiled code. Import these later:"
    assert heavy == [], broken(rule, heavy)


ALONE = """
import gamelib
from gamelib.games import GAMES

for game in GAMES.values():
    for setup in game.examples.values():
        state = game(**setup)
        agents = [gamelib.SearchAgent(gamelib.mcts, simulations=9, rng=0)] * state.num_players
        if state.num_players == 2 and not state.has_chance:
            agents[0] = gamelib.SearchAgent(gamelib.minimax, depth=2)
        print(game.__name__, gamelib.play_game(*agents, state=state, rng=0).utilities)
print(hasattr(gamelib, "minmax"))
"""


def test_gamelib_runs_on_bare_python(tmp_path: Path) -> None:
    """It is copied alone into an empty folder; without `site`, nothing installed is found."""
    shutil.copytree(ROOT / "gamelib", tmp_path / "gamelib", ignore=shutil.ignore_patterns("__py*"))
    *games, misspelt = fresh("-ESc", ALONE, cwd=tmp_path).stdout.splitlines()
    missing = sorted(
        {"TicTacToe", "ConnectFour", "Nim", "EinStein"} - {g.split()[0] for g in games}
    )
    assert missing == [], broken("Without the other packages, gamelib does not play:", missing)
    assert misspelt == "False", "gamelib must have no `minmax`; test_slips has the hint"


def test_tests_import_this_checkout() -> None:
    where = Path(gamelib.__file__).parents[1]
    assert where == ROOT, f"gamelib is installed from {where}; `make clean`, then `make setup`"


def test_conda_environment_installs_this_project() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    python, pip, installed = environment["dependencies"]
    lowest = PROJECT["requires-python"].removeprefix(">=")
    assert version(python.removeprefix("python=")) >= version(lowest)
    assert pip == "pip"
    (requirement,) = installed["pip"]
    extras = re.fullmatch(r"-e \.\[([a-z,]+)\]", requirement)
    assert extras, f"environment.yml installs {requirement!r}, not this project"
    named = set(extras[1].split(","))
    assert "lab" in named, "environment.yml must install the extra `lab`"
    unknown = sorted(named - set(PROJECT["optional-dependencies"]))
    rule = "environment.yml names extras that pyproject.toml does not define. Correct them:"
    assert unknown == [], broken(rule, unknown)


def test_conda_environment_includes_nbval() -> None:
    command = "pytest --nbval --nbval-current-env notebooks"
    text = (ROOT / "environment.yml").read_text()
    assert f": {command}\n" in text
    assert f"    {command} " in (ROOT / "docs/install.md").read_text()
    assert re.search(r"-e \.\[.*\bnbval\b", text)
    assert any(need.startswith("nbval>") for need in PROJECT["optional-dependencies"]["nbval"])


def test_lab_extra_includes_compiled_searches() -> None:
    extras = PROJECT["optional-dependencies"]
    for extra, inner in (("lab", "fast"), ("test", "lab")):
        needed = f"{PROJECT['name']}[{inner}]"
        assert needed in extras[extra], f"in pyproject.toml, the extra `{extra}` must list {needed}"
    # Numba supports each new Python late.
    assert "python_version" in extras["fast"][0], "the extra `fast` must exclude new Pythons"


def test_lowest_python_is_the_same_everywhere() -> None:
    lowest = PROJECT["requires-python"].removeprefix(">=")
    expected = {
        "Makefile": f"({lowest.replace('.', ', ')})",
        ".github/workflows/test.yml": f'"{lowest}"',
        "README.md": f"Python {lowest}",
    }
    wrong = [
        f"{file} does not contain {text!r}"
        for file, text in expected.items()
        if text not in (ROOT / file).read_text()
    ]
    rule = f"pyproject.toml requires Python {lowest}, and these files must say the same:"
    assert wrong == [], broken(rule, wrong)


def version(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in text.split("."))


def test_browser_tests_start_the_makefile_server() -> None:
    option = r"--ServerApp\.kernel_websocket_connection_class=([\w.]+)"
    makefile, conftest = (
        re.findall(option, (ROOT / name).read_text(encoding="utf-8"))
        for name in ("Makefile", "tests/browser/conftest.py")
    )
    rule = "The Makefile and tests/browser/conftest.py must start Jupyter with the same connection:"
    assert makefile == conftest == ["tools.websocket.PromptConnection"], broken(
        rule, [f"Makefile: {makefile}", f"conftest.py: {conftest}"]
    )


def sentences() -> Iterator[tuple[str, str]]:
    """Return (file, text) of all prose that may show an import."""
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]:
        yield path.name, path.read_text()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "markdown":
                yield path.name, "".join(cell["source"])


SAID = sorted(
    {
        (name, line)
        for name, text in sentences()
        for line in re.findall(r"from (?:gamelib|gamefast|arena|course)[\w.]* import [\w, ]+", text)
        if "MyGame" not in line
    }
)


@pytest.mark.parametrize(("name", "line"), SAID)
def test_import_shown_in_prose_works(name: str, line: str) -> None:
    exec(line.replace(" as exercises", ""), {})


LONGEST_FUNCTION = 40  # lines; ruff counts branches, statements and arguments


def functions(path: Path) -> list[ast.FunctionDef]:
    return nodes_of(path)[ast.FunctionDef]


def test_functions_have_at_most_40_lines() -> None:
    """Compiled code is excepted, because a call inside it can cost time, and so are benchmarks."""
    excepted = (MACHINE_CODE, ROOT / "tools" / "benchmarks")
    wrong = [
        f"{path.relative_to(ROOT)}:{function.lineno} {function.name}"
        for path in [*MODULES, *TOOLS]
        if not any(path.is_relative_to(folder) for folder in excepted)
        for function in functions(path)
        if (function.end_lineno or 0) - function.lineno >= LONGEST_FUNCTION
    ]
    rule = f"Split each function that has more than {LONGEST_FUNCTION} lines:"
    assert wrong == [], broken(rule, wrong)


MAX_NAME_WORDS = 8
# A name that begins like this is a sentence or a proverb, and does not name the unit first.
SENTENCE_STARTS = {"a", "an", "the", "it", "its", "this", "that", "there", "what", "who", "where"}
SENTENCE_STARTS |= {"whoever", "whatever", "nobody", "nothing", "everybody"}


def test_test_names_are_short_and_name_the_unit() -> None:
    tests = ROOT / "tests"
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sorted(tests.rglob("test_*.py"))
        for name in re.findall(r"^ *def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
        for words in [name.split("_")[1:]]
        if len(words) > MAX_NAME_WORDS or words[0] in SENTENCE_STARTS
    ]
    rule = (
        f"A test's name says the unit, the case and the result in at most {MAX_NAME_WORDS} words, "
        "like test_illegal_action_raises. Rename these:"
    )
    assert wrong == [], broken(rule, wrong)


def is_text_or_list(node: ast.expr) -> bool:
    is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_text or isinstance(node, ast.JoinedStr | ast.List | ast.Tuple)


def is_condition(node: ast.expr) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id == "bool"
    is_not = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    return is_not or isinstance(node, ast.Compare | ast.BoolOp)


def test_text_is_not_multiplied_by_a_condition() -> None:
    """`"s" * (count > 1)` is an `if` in disguise."""
    wrong = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in [*MODULES, *TOOLS]
        for node in nodes_of(path)[ast.BinOp]
        if isinstance(node.op, ast.Mult)
        if (is_text_or_list(node.left) and is_condition(node.right))
        or (is_text_or_list(node.right) and is_condition(node.left))
    ]
    rule = "Write `a if condition else b`, or an `if`, instead of `a * condition`:"
    assert wrong == [], broken(rule, wrong)
