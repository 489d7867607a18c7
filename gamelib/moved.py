"""Where things went that once stood in `gamelib`: an import of them says so."""

import sys
from importlib import import_module

MODULES = {
    "gamelib.arena": "arena",
    "gamelib.draw": "course.draw and gamelib.picture",
    "gamelib.exercises": "course.lessons and course.kit",
    "gamelib.widgets": "course.widgets",
}


class Signpost:
    """The last finder that Python asks for a module: it finds none, and says where it went."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> None:
        """Raise a ModuleNotFoundError for a module that has moved; no other is found here."""
        if name in MODULES:
            raise ModuleNotFoundError(f"{name} has moved: it is {MODULES[name]} now", name=name)
        for package in ("arena", "course"):  # whose names one may look for in gamelib
            kind, _, last = name.rpartition(".")
            if kind == "gamelib" and last in import_module(package).__all__:
                raise ImportError(f"{last} has moved: from {package} import {last}")


sys.meta_path.append(Signpost)
