"""What a page needs to play and think without Python: the kernels, and a table of how to call them.

    table = describe()          # `think.json`; engine.js knows nothing of the kernels but this

The library is the one that Python has in a tab, see `tools/site/kernels.py`.  An array that is not
all zero, and small, comes with its content: what holds for a game, such as its cells and its lines.
"""

from __future__ import annotations

import base64
import inspect
import json
import shutil
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from course.kit import openings
from gamefast.sources import version
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import limits
from gamelib.search.heuristics import open_windows
from gamelib.search.ordering import centre_first
from tools.site.kernels import elsewhere

HERE = Path(__file__).parent
FILES = (
    "engine.mjs", "games.mjs", "searches.mjs", "worker.mjs", "play.mjs", "labs.mjs", "front.mjs",
    "think.css", "icon.svg",
)  # fmt: skip
GAMES: dict[str, tuple[str, Any]] = {
    "connect-four": ("Connect Four", ConnectFour()),
    "connect-four-5": ("Connect Four, 5 by 5", ConnectFour(5, 5, 4)),
    "tic-tac-toe": ("Tic-tac-toe", TicTacToe()),
    "tic-tac-toe-4": ("Tic-tac-toe, 4 by 4, 4 in a row", TicTacToe(4, 4, 4)),
    "nim": ("Nim 1 3 5 7", Nim((1, 3, 5, 7))),
}
MOST_BYTES = 8192  # of an array that comes with its content
KERNELS = "uct", "boards", "four", "nim"  # the modules whose constants name places in arrays


def write(out: Path, library: Path) -> None:
    """Write to a folder all that a page needs to think."""
    shutil.copy(library, out / "kernels.wasm")
    for file in FILES:
        shutil.copy(HERE / file, out)
    text = json.dumps(describe(), separators=(",", ":"))
    (out / "think.json").write_text(text, encoding="utf-8")


def describe() -> dict[str, Any]:
    """Return the table: which games there are, and how each kernel is called for each of them."""
    calls, constants = elsewhere("gamefast", recorded)
    games = {key: {"name": name, **shape(state)} for key, (name, state) in GAMES.items()}
    scores = "".join(openings._TABLE.split())
    opened = {"stones": openings.STONES, "lowest": openings.LOWEST, "scores": scores}
    return {
        "version": f"version_{version()}",
        "games": {key: game | {"calls": calls[key]} for key, game in games.items()},
        "constants": constants | {"limits": {"WIN": limits.WIN}},
        "openings": opened,
    }


def shape(state: Any) -> dict[str, Any]:
    """Return what a page draws: the place of each bit of a board, and the lines that win."""
    if isinstance(state, Nim):
        return {"kind": "nim", "heaps": list(state.heaps)}
    rows, cols, k = state.rows, state.cols, state.k
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))
    lines = [
        [(row + i * down, col + i * right) for i in range(k)]
        for row in range(rows)
        for col in range(cols)
        for down, right in steps
    ]
    inside = [one for one in lines if all(0 <= r < rows and 0 <= c < cols for r, c in one)]
    return {
        "kind": "columns" if isinstance(state, ConnectFour) else "cells",
        "rows": rows,
        "cols": cols,
        "bits": [
            [state.bit(row, col).bit_length() - 1 for col in range(cols)] for row in range(rows)
        ],
        "lines": [str(sum(state.bit(row, col) for row, col in one)) for one in inside],
    }


def recorded() -> tuple[dict[str, Any], dict[str, dict[str, int]]]:
    """Return, for each game, the first call of each kernel in its searches; and all constants.

    It must run before the kernels are made.
    """
    from gamefast import machine, wasm

    native, found = machine.kernel, dict[str, Any]()

    def recording(function: Callable[..., Any]) -> Callable[..., Any]:
        kernel, name = native(function), wasm.name_of(function)
        names = list(inspect.signature(function).parameters)

        def call(*arguments: Any) -> Any:
            kinds = [name]
            wasm.put(arguments, kinds, [])
            given = list(slots(zip(names, arguments, strict=True)))
            found.setdefault(name, {"symbol": "_".join(kinds), "slots": given})
            return kernel(*arguments)

        return call

    machine.kernel = recording
    searches = import_module("gamefast.searches")
    calls = {}
    for key, (_, state) in GAMES.items():
        found.clear()
        searches.mcts(state, simulations=10, rng=0)
        searches.solve(almost_over(state), only_value=True)
        if not isinstance(state, Nim):
            heuristic = open_windows if isinstance(state, ConnectFour) else None
            searches.minimax(state, depth=2, evaluate=heuristic)
            searches.alphabeta(state, depth=2, evaluate=heuristic, order=centre_first)
        calls[key] = dict(found)
    modules = {name: vars(import_module(f"gamefast.{name}")) for name in KERNELS}
    constants = {
        module: {name: value for name, value in names.items() if is_constant(name, value)}
        for module, names in modules.items()
    }
    return calls, constants


def is_constant(name: str, value: object) -> bool:
    """Return whether a name of a module is that of a place in an array."""
    return name.isupper() and type(value) is int


def almost_over(state: Any) -> Any:
    """Return a position from which there is little to solve; Nim is solved from its heaps."""
    while not isinstance(state, Nim) and len(state.legal_actions()) > 1:
        calm = (state.successor(action) for action in state.legal_actions())
        following = next((after for after in calm if not after.is_terminal()), None)
        if following is None:
            break
        state = following
    return state


def slots(named: Any) -> Iterator[list[Any]]:
    """Yield [name, kind, value] of a number, and [name, type, shape, content] of an array."""
    for name, value in named:
        if isinstance(value, tuple):
            inner = getattr(value, "_fields", range(len(value)))
            yield from slots(
                (f"{name}.{part}", one) for part, one in zip(inner, value, strict=True)
            )
        elif isinstance(value, np.ndarray):
            assert value.flags.c_contiguous, name  # a page knows no gaps
            known = None if name.startswith("tree.") else content(value)
            yield [name, kind_of(value.dtype), value.shape, known]
        elif value is not None:
            yield [name, {float: "d", bool: "b"}.get(type(value), "i"), value]


def kind_of(dtype: Any) -> Any:
    """Return the type of an array's items: "i8", or the offset and type of each field, and SIZE."""
    if dtype.fields is None:
        return dtype.str[1:]
    fields = {name: [int(at), kind.str[1:]] for name, (kind, at) in dtype.fields.items()}
    return fields | {"SIZE": dtype.itemsize}


def content(array: Any) -> str | None:
    """Return the bytes of a small array, or None where a page begins with zeros."""
    if array.nbytes > MOST_BYTES or array.dtype.fields or not array.tobytes().strip(b"\0"):
        return None
    return base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
