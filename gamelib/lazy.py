"""Packages that read a file when something of it is asked for: who uses one search loads no other.

What a package offers stands in its stub, `__init__.pyi`, once for type checkers, editors and here.
Source: Scientific Python, SPEC 1, lazy loading of submodules and functions.
"""

import re
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
    stub = loader.get_data(f"{module.__file__}i").decode()
    homes = vars(module)["_homes"] = dict[str, str]()
    for home, name in re.findall(r"^from (\S+) import (?:\w+ as (\w+)|\*)$", stub, re.MULTILINE):
        homes.update(dict.fromkeys([name] if name else import_module(home).__all__, home))
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
