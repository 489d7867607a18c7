"""Write the files with which a page plays without Python: the kernels, and how to call them.

    table = describe()          # the content of `engine.json`, from which kernels.mjs calls kernels

The library is the same as for Python in a browser tab; see `tools/site/wasm_kernels.py`.  The table
contains small arrays that are not all zero, because they describe a game, such as its lines.
"""

import base64
import inspect
import json
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from course.exercises import opening_book
from gamefast.build_info import version
from gamefast.wasm_backend import name_of
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import checks
from gamelib.search.heuristics import open_windows, straights
from gamelib.search.ordering import centre_first
from tools.site.wasm_kernels import observe_calls, run_in_new_process

HERE = Path(__file__).parent
GAMES: dict[str, tuple[str, Any]] = {
    "connect-four": ("Connect Four", ConnectFour()),
    "connect-four-5": ("Connect Four, 5 by 5", ConnectFour(5, 5, 4)),
    "tic-tac-toe": ("Tic-tac-toe", TicTacToe()),
    "tic-tac-toe-4": ("Tic-tac-toe, 4 by 4, 4 in a row", TicTacToe(4, 4, 4)),
    "nim": ("Nim 1 3 5 7", Nim((1, 3, 5, 7))),
    "nim-2": ("Nim 10, take at most 2", Nim((10,), max_take=2)),
    "nim-misere": ("Nim 1 2 4, misère", Nim((1, 2, 4), misere=True)),
}
MAX_CONTENT_BYTES = 8192  # of an array whose content is in the table
# The modules whose constants name places in arrays.
KERNEL_MODULES = "mcts_kernels", "alphabeta_kernels", "solver_kernels"


def write(out: Path, library: Path) -> None:
    """Write the library, the JavaScript and the table to a folder."""
    shutil.copy(library, out / "kernels.wasm")
    for file in sorted({*HERE.glob("*.*")} - {*HERE.glob("*.py")}):
        shutil.copy(file, out)
    text = json.dumps(describe(), separators=(",", ":"))
    (out / "engine.json").write_text(text, encoding="utf-8")


def describe() -> dict[str, Any]:
    """Return the table of the games, with the calls of the kernels for each game."""
    calls, constants = run_in_new_process("gamefast", recorded_calls)
    games = {
        key: {"name": name, **board_description(state)} for key, (name, state) in GAMES.items()
    }
    opened = {"stones": opening_book.STONES, "lowest": opening_book.MIN_SCORE}
    return {
        "version": f"version_{version()}",
        "games": {key: game | {"calls": calls[key]} for key, game in games.items()},
        "constants": constants | {"limits": {"WIN_SCORE": checks.WIN_SCORE}},
        "openings": opened | {"scores": "".join(opening_book.TABLE.split())},
    }


def board_description(state: Any) -> dict[str, Any]:
    """Return the facts that a page draws: the bit of each cell, and the winning lines."""
    if isinstance(state, Nim):
        takes = list(state.legal_actions())
        return {"kind": "nim", "heaps": state.heaps, "takes": takes, "misere": state.misere}
    rows, cols, k = state.rows, state.cols, state.k
    lines = [
        straight[first : first + k]
        for straight in straights(rows, cols)
        for first in range(len(straight) - k + 1)
    ]
    return {
        "kind": "columns" if isinstance(state, ConnectFour) else "cells",
        "rows": rows,
        "cols": cols,
        "bits": [
            [state.bit(row, col).bit_length() - 1 for col in range(cols)] for row in range(rows)
        ],
        "lines": [str(sum(state.bit(row, col) for row, col in one)) for one in lines],
    }


def recorded_calls() -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
    """Return the first call of each kernel for each game, and the constants of the kernels."""
    found = dict[str, Any]()

    def note(function: Callable[..., Any], symbol: str, arguments: tuple[Any, ...]) -> None:
        named = zip(inspect.signature(function).parameters, arguments, strict=True)
        found.setdefault(
            name_of(function), {"symbol": symbol, "slots": list(kernel_arguments(named))}
        )

    observe_calls(note)
    searches = import_module("gamefast.compiled")
    calls = {}
    for key, (_, state) in GAMES.items():
        found.clear()
        searches.mcts(state, simulations=10, rng=0)
        if not isinstance(state, Nim):
            searches.solve(state, stop=lambda: True)  # the first call is enough, and takes no time
            heuristic = open_windows if isinstance(state, ConnectFour) else None
            searches.minimax(state, depth=2, evaluate=heuristic)
            searches.alphabeta(state, depth=2, evaluate=heuristic, order=centre_first)
        calls[key] = dict(found)
    modules = {name: vars(import_module(f"gamefast.{name}")) for name in KERNEL_MODULES}
    constants = {
        module: {each: at for each, at in names.items() if each.isupper() and type(at) is int}
        for module, names in modules.items()
    }
    return calls, constants


def kernel_arguments(named: Any) -> Iterator[list[Any]]:
    """Yield [name, kind, value] of a number, and [name, type, shape, content] of an array."""
    for name, value in named:
        if isinstance(value, tuple):
            inner = getattr(value, "_fields", range(len(value)))
            yield from kernel_arguments(
                (f"{name}.{part}", one) for part, one in zip(inner, value, strict=True)
            )
        elif isinstance(value, np.ndarray):
            assert value.flags.c_contiguous, name  # a page reads contiguous arrays only
            known = None if name.startswith("tree.") else encoded_content(value)
            yield [name, item_type(value.dtype), value.shape, known]
        elif value is not None:
            yield [name, {float: "d", bool: "b"}.get(type(value), "i"), value]


def item_type(dtype: Any) -> Any:
    """Return the type of an array's items: "i8", or the offset and type of each field, and SIZE."""
    if dtype.fields is None:
        return dtype.str[1:]
    fields = {name: [int(at), kind.str[1:]] for name, (kind, at) in dtype.fields.items()}
    return fields | {"SIZE": dtype.itemsize}


def encoded_content(array: Any) -> str | None:
    """Return the bytes of a small array in base64; None if the page starts with zeros."""
    if array.nbytes > MAX_CONTENT_BYTES or array.dtype.fields or not array.tobytes().strip(b"\0"):
        return None
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
