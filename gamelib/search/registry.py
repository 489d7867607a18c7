"""The metadata of each search, given to `@register_search()`, and the list of all searches.

The command line, the playground, the engines and `from gamelib import ...` find the searches here.
"""

from __future__ import annotations

import inspect
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, partial, wraps
from importlib import import_module
from random import Random
from typing import Any, Literal, TypeVar, cast

from gamelib.conformance import check_hashable, check_interface, check_state
from gamelib.search.callbacks import Callbacks
from gamelib.search.checks import PayoffBounds, TooDeepError, TooLargeError, too_deep_error
from gamelib.search.result import SearchResult
from gamelib.state import BrokenRuleError, GameState, to_python_action

Search = Callable[..., SearchResult]
ValuesFor = Literal["root", "mover", "each"]
Opponents = Literal["join", "one", "own"]
F = TypeVar("F", bound=Search)
# The options of searches that are functions, with their arguments.
CALLBACK_SIGNATURES = {
    "evaluate": "(state, player)", "order": "(state, actions)", "priors": "(state)", "stop": "()",
    "progress": "(fraction, best)", "rollout": "(state, rng)", "ties": "(vector, player)",
}  # fmt: skip
BOOLEAN_OPTIONS = {"all_best", "only_value", "prune", "quick_wins", "share", "solver", "strict"}
SEARCHES: dict[str, Search] = {}  # the imported searches; `gamelib.SEARCHES` has all of them


@dataclass(frozen=True)
class SearchInfo:
    """The metadata of a search that its signature does not have.

    prunes      whether it skips nodes that cannot change the result
    chance      whether it supports chance nodes
    values_for  the player whose values its recursion returns: the player to move at the "root",
                the "mover", or "each" (a value per player)
    opponents   what it assumes of the others if there are several: they "join" against the player
                at the root, only "one" of them replies in each round, or each maximizes its "own"
    sort_key    its position in lists; new searches come after those of the course, 1 to 13
    """

    prunes: bool = False
    chance: bool = False
    values_for: ValuesFor = "root"
    opponents: Opponents = "join"
    sort_key: int = 100


def register_search(*functions: object, **metadata: Any) -> Callable[[F], F]:
    """Return a decorator that adds a search to `SEARCHES`, with the metadata of a `SearchInfo`."""
    if functions:
        raise TypeError("register_search needs brackets: write @register_search() above the search")
    info = SearchInfo(**metadata)

    def register(function: F) -> F:
        signature = _expand_signature(function)
        names = frozenset(signature.parameters)

        @wraps(function)
        def search(*states: Any, **options: Any) -> SearchResult:
            if not names.issuperset(options):
                check_options(search, options)
            check_option_types(options)
            try:
                return function(*states, **options)
            except RecursionError as error:
                raise too_deep_error(error, states[0], search.__name__) from None
            except Exception as error:
                check_call(search, *states, **options)
                reraise_with_context(error, states[0], options)
                raise

        # `help`, and anything else that reads the signature, shows the callbacks by name.
        search.__signature__ = signature  # type: ignore[attr-defined]
        search.description = info  # type: ignore[attr-defined]
        SEARCHES[function.__name__] = search
        return search  # type: ignore[return-value]

    return register


def search_info(search: Callable[..., Any]) -> SearchInfo:
    """Return the metadata of a search; the default metadata for a learner's search without any."""
    inner = search.func if isinstance(search, partial) else search
    return cast(SearchInfo, getattr(inner, "description", SearchInfo()))


def parameters(search: Callable[..., Any]) -> frozenset[str]:
    """Return the names of the parameters of a search, an agent or any other function."""
    try:
        return frozenset(inspect.signature(search).parameters)
    except (TypeError, ValueError):  # some functions that are written in C have no signature
        return frozenset()


def supported_options(search: Callable[..., Any], **offered: Any) -> dict[str, Any]:
    """Return the offered options that are not None and that the search accepts."""
    accepted = parameters(search)
    return {n: value for n, value in offered.items() if value is not None and n in accepted}


def check_options(search: Callable[..., Any], options: Iterable[str]) -> None:
    """Raise a TypeError for an option that a search does not have."""
    accepted = inspect.signature(search).parameters.values()
    if any(option.kind is option.VAR_KEYWORD for option in accepted):
        return
    names = [option.name for option in accepted if option.kind is option.KEYWORD_ONLY]
    if wrong := [name for name in options if name not in names]:
        name = getattr(search, "__name__", type(search).__name__)
        raise TypeError(f"{name} has no option {', '.join(wrong)}; it has {', '.join(names)}")


def check_option_types(options: Mapping[str, Any]) -> None:
    """Raise a TypeError for an option that must be a function, or a boolean, and is not one."""
    for name, value in options.items():
        if name in CALLBACK_SIGNATURES and not (value is None or callable(value)):
            must = f"{name} must be a function of {CALLBACK_SIGNATURES[name]}"
            raise TypeError(f"{must}; got {value!r}")
        if name in BOOLEAN_OPTIONS and not is_switch(value):
            raise TypeError(f"{name} must be True or False; got {value!r}")


def is_switch(value: object) -> bool:
    """Return whether a boolean option may have this value; any text would count as true."""
    return isinstance(to_python_action(value), bool | PayoffBounds | None)


def reraise_with_context(error: Exception, state: GameState, options: Mapping[str, Any]) -> None:
    """Raise a clearer error if the cause is a mistake in a game, or a function for another game."""
    if isinstance(error, AttributeError) and isinstance(error.obj, GameState):
        values = options.values()
        ours = [value for value in values if "gamelib" in getattr(value, "__module__", "")]
        if names := " or ".join(str(getattr(value, "__name__", value)) for value in ours):
            has = f"{type(error.obj).__name__} has no {error.name}"
            raise TypeError(f"{names} is made for other games: {has}") from error
    if not isinstance(error, BrokenRuleError | TooLargeError | TooDeepError):
        check_random_games(state, hashed="unhashable" in str(error))


def check_random_games(
    state: GameState, *, hashed: bool, games: int = 10, plies: int = 200
) -> None:
    """Raise a BrokenRuleError if a position in some random games breaks a rule."""
    rng = Random(0)
    for _ in range(games):
        position = state
        for _ in range(plies):
            try:
                check_interface(position, 3)  # 3 actions, because all of 50,000 would take an hour
                if hashed:
                    check_hashable(position.symmetry_key(), "a symmetry key", position)
                    check_hashable(position, "a state", position)
                if position.is_terminal():
                    break
                position = position.successor(rng.choice(position.legal_actions()))
            except BrokenRuleError:
                raise
            except Exception:  # the game itself raises it, and the caller reports it
                break


def check_call(search: Callable[..., Any], *states: object, **options: object) -> None:
    """Raise a TypeError unless a search was called with one position and named options."""
    if len(states) > 1:
        name = getattr(search, "__name__", type(search).__name__)
        takes = f"one position, and its options by name, as in {name}(state, depth=3)"
        raise TypeError(f"{name} takes {takes}; got {states[1]!r} without a name") from None
    check_state(states[0] if states else options.get("state"))


@cache
def discover(package: str, path: Iterable[str]) -> dict[str, Search]:
    """Return all searches in their order, once every module of the package has been imported."""
    for module in pkgutil.iter_modules(path):
        import_module(f"{package}.{module.name}")
    ordered = sorted(SEARCHES.items(), key=lambda item: search_info(item[1]).sort_key)
    SEARCHES.clear()
    SEARCHES.update(ordered)
    return SEARCHES


def _expand_signature(function: Search) -> inspect.Signature:
    """Return the signature of a search with a parameter for each of its callbacks."""
    signature = inspect.signature(function)
    *options, last = signature.parameters.values()
    if "Callbacks" not in str(last.annotation):
        return signature
    names = Callbacks.__annotations__
    callbacks = [inspect.Parameter(name, last.KEYWORD_ONLY, default=None) for name in names]
    return signature.replace(parameters=[*options, *callbacks])
