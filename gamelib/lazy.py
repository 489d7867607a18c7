"""Packages that read a file when something of it is asked for: who uses one search loads no other.

What a package offers stands in its stub, `__init__.pyi`, once for type checkers, editors and here.
Source: Scientific Python, SPEC 1, lazy loading of submodules and functions.
"""

import ast
import sys
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any


def offered(package: str) -> list[str]:
    """Return the names that a package offers, and let it find each when it is asked for."""
    module = sys.modules[package]
    module.__class__ = _Package
    loader: Any = module.__loader__  # of a folder, or of a zip file
    stub = ast.parse(loader.get_data(f"{module.__file__}i"))
    homes = vars(module)["_homes"] = dict[str, str]()
    for node in stub.body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                every = import_module(node.module).__all__ if name.name == "*" else [name.asname]
                homes.update(dict.fromkeys(filter(None, every), node.module))
    return list(homes)


class _Package(ModuleType):
    """A package that knows in which file each of its names is; all else its `missing` answers."""

    def __getattr__(self, name: str) -> Any:
        known = vars(self)
        if name in known["_homes"]:
            known[name] = getattr(import_module(known["_homes"][name]), name)
            return known[name]
        if name.startswith("__") or find_spec(f"{self.__name__}.{name}"):
            raise AttributeError(name)  # then the import system reads the file
        return known["missing"](name)

    def __setattr__(self, name: str, value: Any) -> None:
        # To the import system `minimax` is the file of that name; to us it is the search in it.
        here = isinstance(value, ModuleType) and name in vars(self)["_homes"]
        super().__setattr__(name, getattr(value, name) if here else value)
