"""Recognise the boards of programs that do not use this library, and how two boards differ."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import chain
from textwrap import shorten
from types import FrameType
from typing import Any

MOST_CELLS, LEAST_CELLS = 400, 1
TEXTS = (9, 16, 20, 25, 42)  # lengths of a str that can be a board
PLAIN_CELLS = {int, float, bool, str, type(None)}
Cells = tuple[Any, ...]  # the cells of a board, or a tuple of its rows


def is_cell(value: Any) -> bool:
    """Return whether a value can be the contents of a cell."""
    return value is None or isinstance(value, int | float | str) or hasattr(value, "item")


def frozen(value: Any) -> Cells | None:
    """Return an immutable copy of a board; None if the value does not look like a board."""
    try:
        return _frozen(value)
    except Exception:  # a learner's object whose methods raise
        return None


def _frozen(value: Any) -> Cells | None:
    if hasattr(value, "tolist") and hasattr(value, "ndim"):
        value = value.tolist() if 1 <= value.ndim <= 2 else None
    if isinstance(value, dict):
        keys = list(value)
        if not all(isinstance(key, int | str | tuple) for key in keys):
            return None
        cells = tuple(_plain(value[key]) for key in sorted(keys, key=_in_order))
        return cells if len(cells) > 3 and all(map(is_cell, cells)) else None
    if isinstance(value, str):
        return tuple(value) if len(value) in TEXTS else None
    if not isinstance(value, list | tuple) or not LEAST_CELLS <= len(value) <= MOST_CELLS:
        return None
    if {*map(type, value)} <= PLAIN_CELLS and len(str(value[0])) < 2:
        return tuple(value)
    if all(isinstance(row, str) and len(row) == len(value[0]) > 1 for row in value):
        return tuple(map(tuple, value))
    if all(map(is_cell, value)):
        return tuple(map(_plain, value))
    rows = [row.tolist() if hasattr(row, "tolist") else row for row in value]
    if all(isinstance(row, list | tuple) and all(map(is_cell, row)) for row in rows):
        return tuple(tuple(map(_plain, row)) for row in rows)
    nested: Cells | None = _nested(rows)
    return nested


def _plain(cell: Any) -> Any:
    """Return a cell as a Python number, if it is a numpy one."""
    return cell.item() if hasattr(cell, "item") and not isinstance(cell, str) else cell


def _nested(value: Any) -> Any:
    """Return a tree of lists with numbers at its leaves, as tuples; None for anything else."""
    if isinstance(value, list | tuple):
        parts = tuple(map(_nested, value))
        return None if None in parts or not parts else parts
    return value if isinstance(value, int | float) else None


def _in_order(key: Any) -> tuple[int, Any]:
    return (0, key) if isinstance(key, int) else (1, str(key))


def candidates(frame: FrameType) -> Iterator[tuple[str, Any]]:
    """Yield (name, value) of arguments, attributes and globals that may contain a board."""
    code = frame.f_code
    for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount] + code.co_freevars:
        value = frame.f_locals.get(name)
        yield name, value
        for part, held in _parts(value):
            yield f"{name}.{part}", held
    for name in code.co_names:
        if name in frame.f_globals:
            value = frame.f_globals[name]
            if not callable(value) and type(value).__name__ != "module":
                yield name, value
                for part, held in _parts(value):
                    yield f"{name}.{part}", held


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the attributes of an object whose class a learner defined."""
    if not isinstance(value, type) and type(value).__module__ not in ("builtins", "numpy"):
        with_dict = getattr(value, "__dict__", None)
        if isinstance(with_dict, dict):
            yield from ((name, held) for name, held in list(with_dict.items())[:12])


def found_in(frame: FrameType, names: Collection[str] | None = None) -> dict[str, Cells]:
    """Return name -> copy of each value in a call that looks like a board, or only of `names`."""
    own = frame.f_locals
    if names is not None and own.keys() >= {*names}:
        return {name: cells for name in names if (cells := frozen(own[name])) is not None}
    every = candidates(frame)
    kept = every if names is None else (pair for pair in every if pair[0] in names)
    pairs = ((name, frozen(value)) for name, value in kept)
    return {name: cells for name, cells in pairs if cells is not None}


def is_grid(cells: Cells) -> bool:
    """Return whether a board has rows of equal length."""
    rows = all(isinstance(row, tuple) for row in cells)
    return rows and len({len(row) for row in cells}) == 1 and all(map(is_cell, chain(*cells)))


def flat(cells: Cells) -> tuple[Any, ...]:
    """Return the cells of a board, row by row."""
    return tuple(chain(*cells)) if is_grid(cells) else cells


@lru_cache(maxsize=10_000)
def shape_of(cells: Cells) -> tuple[int, int] | None:
    """Return the rows and columns of a board; None if it is a row of heaps or a tree."""
    if is_grid(cells):
        return len(cells), len(cells[0])
    side = round(len(cells) ** 0.5)
    square = side > 2 and side * side == len(cells)
    return (side, side) if square and not any(isinstance(c, tuple) for c in cells) else None


def changed(before: Cells, after: Cells) -> tuple[tuple[int, Any, Any], ...]:
    """Return (cell, before, after) for every cell in which two boards differ."""
    one, other = flat(before), flat(after)
    if len(one) != len(other):
        return ()
    pairs = enumerate(zip(one, other, strict=True))
    return tuple([(cell, a, b) for cell, (a, b) in pairs if a is not b and _differ(a, b)])


def _differ(one: Any, other: Any) -> bool:
    return type(one) is not type(other) or bool(one != other)


def in_brief(value: Any) -> str:
    """Return a value of a program in at most 60 letters."""
    try:
        return shorten(repr(value), 60, placeholder="...")
    except Exception:  # an object of a learner's, or a number of 5,000 digits
        return f"a {type(value).__name__} that cannot be printed"
