"""The public names: all of them are seen by Tab, `import *`, type checkers and editors."""

import ast
import importlib
from pathlib import Path

import pytest

import gamelib
from gamelib.games import GAMES
from gamelib.search import SEARCHES
from tests.fresh import fresh

ROOT = Path(__file__).parents[1]
# Games that need a package which is not installed everywhere; nobody types their names.
UNLISTED = {"OpenSpiel"}
ENTER = "import {names} in {file}, and put the name into its `__all__`"


@pytest.mark.parametrize(("folder", "found"), [("games", GAMES), ("search", SEARCHES)])
def test_discovered_names_are_imported(folder, found) -> None:
    missing = found.keys() - set(getattr(gamelib, folder).__all__) - UNLISTED
    file = f"gamelib/{folder}/__init__.py"
    assert not missing, ENTER.format(names=", ".join(sorted(missing)), file=file)


COMPLETED = """
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell()
shell.Completer.use_jedi = False  # it has a time limit
shell.run_cell("import gamelib")
print(*shell.complete("gamelib.", "gamelib.")[1])
print(*shell.complete("gamelib.mi", "gamelib.mi")[1])
"""


def test_tab_shows_every_public_name() -> None:
    every, some = fresh("-c", COMPLETED).stdout.splitlines()[-2:]
    hidden = set(gamelib.__all__) - {name.split(".")[-1] for name in every.split()}
    assert not hidden, f"Tab after `gamelib.` does not show {sorted(hidden)}"
    assert [name.split(".")[-1] for name in some.split()] == ["minimax"]


def test_star_import_brings_every_public_name() -> None:
    names = {}
    exec("from gamelib import *", names)
    assert set(gamelib.__all__) <= names.keys()
    assert gamelib.minimax is names["minimax"]


@pytest.mark.parametrize("package", ["course", "arena"])
def test_type_checkers_see_lazy_names(package) -> None:
    """A name is in two places, because only one of them loads nothing."""
    module = importlib.import_module(package)
    tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))
    (typed,) = [
        node
        for node in tree.body
        if isinstance(node, ast.If) and isinstance(node.body[0], ast.ImportFrom)
    ]
    homes = {alias.asname: node.module for node in typed.body for alias in node.names}
    wrong = dict(homes.items() ^ module._LAZY_NAMES.items())
    assert not wrong, (
        f"in {package}/__init__.py, `_LAZY_NAMES` and the imports under TYPE_CHECKING must agree; "
        f"they differ in {', '.join(sorted(wrong))}"
    )
