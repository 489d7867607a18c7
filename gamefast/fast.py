"""`fast(search)`: a search of `gamelib` as machine code, and for which positions it is there."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from inspect import Signature, getdoc, signature
from typing import Any

from gamefast.build_info import LIBRARY
from gamelib.conformance import check_state
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.search import SearchResult, alphabeta, centre_first, mcts, minimax, solve
from gamelib.search.heuristics import OpenLines
from gamelib.search.registry import check_option_types, check_options
from gamelib.state import GameState

Search = Callable[..., SearchResult]

SEARCHES = "gamefast.compiled"
# The searches that are there as machine code, and the options that they take.
OPTIONS: dict[Search, frozenset[str]] = {
    minimax: frozenset({"depth", "evaluate", "quick_wins"}),
    alphabeta: frozenset({"depth", "evaluate", "quick_wins", "order", "strict", "all_best"}),
    mcts: frozenset({"simulations", "seconds", "c", "solver", "share", "rng"}),
    solve: frozenset({"only_value"}),
}

MAX_HEAPS = 16
SUPPORTED = (
    "ConnectFour with cols * (rows + 1) up to 64, TicTacToe with rows * (cols + 1) up to 64, and, "
    f"by mcts and solve, Nim with up to {MAX_HEAPS} heaps"
)

_failed = ""  # why machine code cannot be used, once that is known: a numpy too new for Numba


def is_supported_board(state: GameState) -> bool:
    """Return whether `state` is a board that fits into 64 bits, one bit free between two lines."""
    # A subclass may change any rule, so none is taken for the game that it comes from.
    if type(state) is ConnectFour:
        return state.cols * (state.rows + 1) <= 64
    return type(state) is TicTacToe and state.rows * (state.cols + 1) <= 64


def supports(state: GameState) -> bool:
    """Return whether `mcts` and `solve` take `state` as machine code."""
    return is_supported_board(state) or (type(state) is Nim and len(state.heaps) <= MAX_HEAPS)


def check_supported(supported: bool, state: GameState) -> None:
    """Raise a TypeError that names what can be played, unless `state` is supported."""
    check_state(state)
    if not supported:
        plays = f"gamefast plays {SUPPORTED}, but not their subclasses; got {state!r}"
        raise TypeError(f"{plays}.  The searches of gamelib itself play every game")


class CompiledSearch:
    """A search as machine code, loaded when first called; `lenient`: `search` if that fails."""

    def __init__(self, search: Search, lenient: bool) -> None:
        self.search, self.lenient = search, lenient
        self.taken = taken = OPTIONS[search] | {"state", "progress", "stop"}
        known = signature(search).parameters
        self.__name__ = f"fast({search.__name__})"
        self.__signature__ = Signature([each for name, each in known.items() if name in taken])
        options = ", ".join([*self.__signature__.parameters][1:])
        self.__doc__ = f"{getdoc(search)}\n\nThis is its machine code, which takes {options}."

    @property
    def compiled(self) -> Search:
        """The function of `gamefast`; ImportError if Numba does not work."""
        try:
            return getattr(import_module(SEARCHES), self.search.__name__)
        except Exception as error:
            raise ImportError(str(error)) from error

    def __call__(self, state: GameState, **options: Any) -> SearchResult:
        """Return what the search finds.

        What it has not got as machine code may be given only if it is off: None or False.
        TypeError for another option, or a game that is not there as machine code.
        """
        if not self.taken.issuperset(options):
            others = signature(self.search).parameters.keys() - self.taken
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
    """Return a search as machine code: the same calls, the same results.

    ValueError if there is no such search as machine code; ImportError without Numba.
    """
    if not _is_compiled(search):
        known = ", ".join(each.__name__ for each in OPTIONS)
        name = getattr(search, "__name__", search)
        raise ValueError(f"machine code is there for {known}; got {name}")
    if not is_available():
        import_module(SEARCHES)  # its error says how to install what is missing
    return _fast(search, False)


def fastest(search: Search, state: GameState, **options: Any) -> Search:
    """Return `search` as machine code where it is there for such a position and options.

    Should that turn out not to work here, `search` itself answers, and `failure_reason()` says why.
    """
    if not is_available() or not _fits(search, state, options):
        return search
    return _fast(search, True)


def is_available() -> bool:
    """Return whether Numba is installed, or kernels for this browser, and has not failed."""
    return not _failed and (LIBRARY.exists() or find_spec("numba") is not None)


def failure_reason() -> str:
    """Return why machine code cannot be used here, as far as it was tried; "" if it can."""
    return _failed


def _fits(search: Search, state: GameState, options: dict[str, Any]) -> bool:
    chosen = {name: value for name, value in options.items() if _is_enabled(value)}
    if not _is_compiled(search) or not chosen.keys() <= OPTIONS[search]:
        return False
    evaluate, order = chosen.get("evaluate"), chosen.get("order")
    if not isinstance(evaluate, OpenLines | None) or order not in (None, centre_first):
        return False
    takes = supports if search is mcts else is_supported_board  # solve leaves Nim to gamelib's
    return takes(state)


def _is_compiled(search: Search) -> bool:
    # Not `search in OPTIONS`: a search of the reader's own need not be hashable.
    return any(known is search for known in OPTIONS)


def _is_enabled(value: object) -> bool:
    return value is not None and value is not False
