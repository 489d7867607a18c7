"""What the folder of a lesson says in TOML: its hints, mistakes, flaws and questions."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def tables(lesson: str, name: str) -> dict[str, Any]:
    """Return the tables of `name`.toml in the folder of a lesson; none if it has no such file."""
    place = files(f"course.lessons.{lesson}").joinpath(f"{name}.toml")
    return tomllib.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
