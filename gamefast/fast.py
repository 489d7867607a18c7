"""`fast(search)`, the compiled version of a search, and the positions that it supports."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import Signature, getdoc, signature
from typing import Any

from gamefast.build_info import INSTALL, LIBRARY
from gamelib.conformance import check_state
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import SearchResult, SearchTree, alphabeta, centre_first, mcts, minimax, solve
from gamelib.search.heuristics import OpenLines
from gamelib.search.registry import check_option_types, check_options
from gamelib.state import GameState

Search = Callable[..., SearchResult]

SEARCHES = "gamefast.compiled"
# The searches that are compiled, and the options that they accept.
OPTIONS: dict[Search, frozenset[str]] = {
    minimax: frozenset({"depth", "evaluate", "quick_wins"}),
    alphabeta: frozenset({"depth", "evaluate", "quick_wins", "order", "strict", "all_best"}),
    mcts: frozenset({"simulations", "seconds", "c", "solver", "share", "tree", "rng"}),
    solve: frozenset({"only_value"}),
}

MAX_HEAPS = 16
BOARD_GAMES = ConnectFour, TicTacToe
SUPPORTED = (
    "ConnectFour with cols * (rows + 1) up to 64, TicTacToe with rows * (cols + 1) up to 64, and, "
    f"by mcts and solve, Nim with up to {MAX_HEAPS} heaps"
)

NOT_INSTALLED = f"gamefast needs Numba, which is not installed; {INSTALL}"

_failed = ""  # why compiled code cannot be used, once that is known, such as a numpy too new


def is_supported_board(state: GameState) -> bool:
    """Return whether `state` is a board that fits into 64 bits, one bit free between two lines."""
    # A subclass may change any rule, so it is not supported.
    if type(state) is ConnectFour:
        return state.cols * (state.rows + 1) <= 64
    return type(state) is TicTacToe and state.rows * (state.cols + 1) <= 64


def supports(state: GameState) -> bool:
    """Return whether the compiled `mcts` and `solve` support `state`."""
    return is_supported_board(state) or (type(state) is Nim and len(state.heaps) <= MAX_HEAPS)


def check_supported(supported: bool, state: GameState) -> None:
    """Raise a TypeError that lists the supported games, unless `state` is supported."""
    check_state(state)
    if not supported:
        plays = f"gamefast plays {SUPPORTED}, but not their subclasses; got {state!r}"
        raise TypeError(f"{plays}.  Use the searches of gamelib, which play every game")


class CompiledSearch:
    """The compiled version of a search, which is loaded when it is first called.

    If it cannot be loaded and `lenient` is true, it calls `search` itself.
    """

    def __init__(self, search: Search, lenient: bool) -> None:
        self.search, self.lenient = search, lenient
        self.accepted = accepted = OPTIONS[search] | {"state", "progress", "stop"}
        parameters = signature(search).parameters
        self.__name__ = f"fast({search.__name__})"
        self.__signature__ = Signature(
            [parameter for name, parameter in parameters.items() if name in accepted]
        )
        options = ", ".join([*self.__signature__.parameters][1:])
        self.__doc__ = f"{getdoc(search)}\n\nThis version is compiled, and accepts {options}."

    @property
    def compiled(self) -> Search:
        """The function of `gamefast`; ImportError if Numba does not work."""
        try:
            return getattr(import_module(SEARCHES), self.search.__name__)
        except Exception as error:
            raise ImportError(str(error)) from error

    def __call__(self, state: GameState, **options: Any) -> SearchResult:
        """Return the result of the search.

        An option that the compiled version lacks may be given only if it is off, None or False.
        TypeError for another option, or for a game that is not supported.
        """
        if not self.accepted.issuperset(options):
            others = signature(self.search).parameters.keys() - self.accepted
            off = {name for name in others if not _is_enabled(options.get(name))}
            options = {name: value for name, value in options.items() if name not in off}
            check_options(self, options)
        check_option_types(options)
        global _failed
        try:
            return self.compiled(state, **options)
        except ImportError as error:
            _failed = str(error)
            if not self.lenient:
                raise
        return self.search(state, **options)

    def __repr__(self) -> str:
        return self.__name__

    def __reduce__(self) -> tuple[Any, ...]:
        return _fast, (self.search, self.lenient)


@cache
def _fast(search: Search, lenient: bool) -> CompiledSearch:
    return CompiledSearch(search, lenient)


def fast(search: Search) -> Search:
    """Return the compiled version of a search, with the same calls and the same results.

    ValueError if the search has no compiled version; ImportError without Numba.
    """
    if not _is_compiled(search):
        names = ", ".join(compiled.__name__ for compiled in OPTIONS)
        name = getattr(search, "__name__", search)
        raise ValueError(f"search must be one of the compiled searches, {names}; got {name}")
    if not is_available():
        import_module(SEARCHES)  # its error says how to install Numba
    return _fast(search, False)


def fastest(search: Search, state: GameState, **options: Any) -> Search:
    """Return the compiled version of `search` if it supports this position and these options.

    If the compiled version is missing or fails to load, `search` itself runs, and
    `failure_reason()` returns the reason.
    """
    global _failed
    if not _fits(search, state, options):
        return search
    if is_available():
        return _fast(search, True)
    _failed = _failed or NOT_INSTALLED
    return search


def empty_tree(search: Search) -> Any:
    """Return an empty tree for `mcts` or for its compiled version, which has another class."""
    if isinstance(search, CompiledSearch):
        with suppress(Exception):  # it cannot be loaded, so `search` itself will run
            return import_module(SEARCHES).SearchTree()
    return SearchTree()


def is_available() -> bool:
    """Return whether Numba is installed, or kernels for this browser, and has not failed."""
    return not _failed and (LIBRARY.exists() or find_spec("numba") is not None)


def failure_reason() -> str:
    """Return why compiled code cannot be used here, as far as it was tried; "" if it can."""
    return _failed


def storage_failure() -> str:
    """Return why compiled code could not be stored, as far as it was tried; "" if it could."""
    stored_code = sys.modules.get("gamefast.stored_code")  # it loads Numba
    return stored_code.storage_failure if stored_code else ""


def _fits(search: Search, state: GameState, options: dict[str, Any]) -> bool:
    chosen = {name: value for name, value in options.items() if _is_enabled(value)}
    if not _is_compiled(search) or not chosen.keys() <= OPTIONS[search]:
        return False
    if isinstance(chosen.get("tree"), SearchTree):
        return False  # the compiled search has a tree of its own
    evaluate, order = chosen.get("evaluate"), chosen.get("order")
    if not isinstance(evaluate, OpenLines | None) or order not in (None, centre_first):
        return False
    is_supported = supports if search is mcts else is_supported_board  # gamelib's solve plays Nim
    return is_supported(state)


def _is_compiled(search: Search) -> bool:
    # `search in OPTIONS` is not used, because the reader's own search may not be hashable.
    return any(compiled is search for compiled in OPTIONS)


def _is_enabled(value: object) -> bool:
    return value is not None and value is not False
