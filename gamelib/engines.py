"""Engines: a search as readable Python, and the same search as machine code where there is one.

`gamelib.compiled` is loaded when one of its searches is first asked for: that takes a moment, and
needs Numba.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import SearchResult, alphabeta, centre_first, mcts, minimax, solve
from gamelib.search.heuristics import OpenLines
from gamelib.state import GameState

Search = Callable[..., SearchResult]

ENGINES = READABLE, COMPILED = ("readable", "compiled")
MOST_HEAPS = 16

# The searches that are there as machine code, by the same name, and the options that they take.
_OPTIONS: dict[Search, frozenset[str]] = {
    minimax: frozenset({"depth", "evaluate", "quick_wins"}),
    alphabeta: frozenset({"depth", "evaluate", "quick_wins", "order", "strict", "all_best"}),
    mcts: frozenset({"simulations", "seconds", "c", "solver", "share", "rng"}),
    solve: frozenset({"only_value", "strong"}),
}


def supports(state: GameState) -> bool:
    """Return whether the compiled searches can play `state`: its board must fit into 64 bits."""
    if type(state) is ConnectFour:
        return state.cols * (state.rows + 1) <= 64
    if type(state) is TicTacToe:
        return state.rows * (state.cols + 1) <= 64
    return type(state) is Nim and len(state.heaps) <= MOST_HEAPS


_failed = False  # Numba may be there and not work, as with a numpy that is too new for it


def installed() -> bool:
    """Return whether Numba is installed, which the compiled searches need, and has not failed."""
    return not _failed and find_spec("numba") is not None


def loaded() -> bool:
    """Return whether the compiled searches have been used before, and need not be loaded."""
    return "gamelib.compiled" in sys.modules


def warm() -> None:
    """Make the machine code of all searches, if it is not on disk yet; nothing without Numba."""
    if installed():
        _package().warm()


def best_engine(
    state: GameState, search: Search | None = None, options: Mapping[str, Any] | None = None
) -> str:
    """Return "compiled" where it is there for this position, search and options, or "readable"."""
    there = installed() and supports(state) and (search is None or _fits(state, search, options))
    return COMPILED if there else READABLE


def in_engine(search: Search, engine: str) -> Search:
    """Return a search of `gamelib`, or a partial one, as this engine has it.

    ValueError if there is no such engine, or no such search in it; ImportError without Numba.
    """
    check_engine(engine, search)
    if engine == READABLE:
        return search
    if isinstance(search, partial):
        return partial(in_engine(search.func, engine), *search.args, **search.keywords)
    compiled: Search = getattr(_package(), search.__name__)
    return compiled


def check_engine(engine: str, search: Search, options: Iterable[str] = ()) -> None:
    """Raise an error unless there is such an engine, and this search in it with these options."""
    if engine not in ENGINES:
        raise ValueError(f"engine must be {' or '.join(map(repr, ENGINES))}; got {engine!r}")
    if engine == READABLE:
        return
    name, taken = _name(search), _taken(search)
    if not taken:
        known = ", ".join(each.__name__ for each in _OPTIONS)
        raise ValueError(f"engine='compiled' is there for {known}; got {name}")
    if wrong := [option for option in options if option not in taken]:
        raise TypeError(
            f"{name} with engine='compiled' has no option {', '.join(wrong)}; "
            f"it has {', '.join(sorted(taken))}"
        )
    if not installed():
        _package()  # its error says how to install what is missing


def options_in(engine: str, search: Search, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options without those that are off (None or False) and unknown to the engine."""
    if engine == READABLE:
        return dict(options)
    taken = _taken(search)
    return {name: value for name, value in options.items() if name in taken or _is_on(value)}


def _package() -> Any:
    global _failed
    try:
        return import_module("gamelib.compiled")
    except ImportError:
        _failed = True
        raise


def _fits(state: GameState, search: Search, options: Mapping[str, Any] | None) -> bool:
    """Return whether the compiled search takes the options as they are; one that is off it does."""
    if isinstance(search, partial):
        return _fits(state, search.func, {**search.keywords, **(options or {})})
    chosen = {name: value for name, value in (options or {}).items() if _is_on(value)}
    if not chosen.keys() <= _taken(search) or not _taken(search):
        return False
    if type(state) is Nim and not chosen.keys().isdisjoint({"evaluate", "order"}):
        return False
    evaluate, order = chosen.get("evaluate"), chosen.get("order")
    return isinstance(evaluate, OpenLines | None) and order in (None, centre_first)


def _taken(search: Search) -> frozenset[str]:
    """Return the options that a search takes as machine code; none if it is not there."""
    inner = search.func if isinstance(search, partial) else search
    return next((taken for known, taken in _OPTIONS.items() if known is inner), frozenset())


def _name(search: Search) -> str:
    inner = search.func if isinstance(search, partial) else search
    return str(getattr(inner, "__name__", inner))


def _is_on(value: object) -> bool:
    return value is not None and value is not False
