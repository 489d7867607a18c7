"""A form to choose a search and its options; it shows the options that the search takes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ipywidgets import BoundedFloatText, BoundedIntText, Checkbox, Dropdown, VBox

from gamefast.fast import Search
from gamelib.agents import answered
from gamelib.games import ConnectFour
from gamelib.games.lines import LineGame
from gamelib.search import (
    SearchResult,
    Table,
    centre_first,
    lines_heuristic,
    take_a_win,
    windows_heuristic,
)
from gamelib.search.limits import Evaluate, Progress, Stop
from gamelib.search.registry import FUNCTIONS, accepted, parameters
from gamelib.search.rollouts import Policy
from gamelib.state import Action, GameState

NO_HEURISTIC: dict[str, Evaluate | None] = {"none: 0": None}
HEURISTICS: dict[str, Evaluate | None] = {
    **NO_HEURISTIC,
    "open lines": lines_heuristic(),
    "open lines, large board": windows_heuristic(),
}
LISTED = "as listed"
ROLLOUTS: dict[str, Policy | None] = {"random": None, "take a win": take_a_win}
NOTHING = "nothing"
UNSET = ""  # stands for None, which a Dropdown shows as an empty line
C = 2**0.5
C_SHOWN = 1.414


def middle_first(state: GameState, actions: Sequence[Action]) -> list[Action]:
    """Return the actions, those in the middle of the list first."""
    middle = (len(actions) - 1) / 2
    places = sorted(range(len(actions)), key=lambda place: abs(place - middle))
    return [actions[place] for place in places]


def last_first(state: GameState, actions: Sequence[Action]) -> list[Action]:
    """Return the actions in the order from the last to the first."""
    return [*reversed(actions)]


def orders(state: GameState) -> dict[str, Any]:
    """Return the orders in which actions can be tried, by name; None is the order of the game.

    In Connect Four the middle is that of the board, also where a column is full.
    """
    middle = centre_first if isinstance(state, ConnectFour) else middle_first
    return {LISTED: None, "middle first": middle, "last first": last_first}


class SearchForm(VBox):
    """A list of searches, and below it the options of the one chosen, for a position.

    With `optional` the first of the list is "nothing", and `search` is None as long as it is.
    """

    def __init__(
        self,
        state: GameState,
        searches: Mapping[str, Search],
        heuristics: Mapping[str, Evaluate],
        *,
        label: str,
        chosen: str | None = None,
        optional: bool = False,
    ) -> None:
        self.searches = searches
        self._own, self._always = dict(heuristics), [NOTHING] if optional else []
        self.choice = Dropdown(options=[*self._always, *searches], description=label)
        self._widgets = {name: option.make() for name, option in _OPTIONS.items()}
        self.fit(state)
        self.choice.observe(lambda _: self._show_options(), "value")
        super().__init__([self.choice, *self._widgets.values()])
        self._show_options()
        self.choose(chosen)

    @property
    def algorithm(self) -> str:
        """The name of the search that is chosen."""
        return str(self.choice.value)

    @property
    def search(self) -> Search | None:
        """The search that is chosen."""
        return self.searches.get(self.algorithm)

    @property
    def options(self) -> dict[str, Any]:
        """The options that a run gives to the search."""
        taken = parameters(self.search) if self.search else frozenset()
        return {
            name: _OPTIONS[name].value(widget)
            for name, widget in self._widgets.items()
            if name in taken
        }

    @property
    def settings(self) -> str:
        """The options that say something, as the form names them: "depth 3, order last first"."""
        # An empty table is on, and so is a seed of 0.
        given = [n for n, value in self.options.items() if value is not None and value is not False]
        return ", ".join(f"{_SAID.get(n, n)} {self._setting(n)}".strip() for n in given)

    def _setting(self, name: str) -> str:
        widget = self._widgets[name]
        if isinstance(widget, Checkbox):
            return ""
        return str(widget.label if isinstance(widget, Dropdown) else f"{widget.value:.10g}")

    def choose(self, algorithm: str | None = None, **options: Any) -> None:
        """Choose a search and its options; ValueError for one that there is not."""
        if algorithm is not None:
            known = [*self._always, *self.searches]
            if algorithm not in known:
                raise ValueError(f"algorithm must be one of {', '.join(known)}; got {algorithm!r}")
            if algorithm not in self.choice.options:
                self.offer(known)
            self.choice.value = algorithm
        for name, value in options.items():
            if name not in self.options:
                raise ValueError(
                    f"{self.algorithm} has the options {', '.join(self.options)}; got {name!r}"
                )
            self._choose_option(name, value)

    def offer(self, names: Sequence[str]) -> None:
        """Offer these searches to choose from, and the one that is chosen."""
        kept = self.algorithm
        listed = [*self._always, *self.searches]
        self.choice.options = [n for n in listed if n in names or n in (kept, *self._always)]
        self.choice.value = kept

    def fit(self, state: GameState) -> None:
        """Offer the rollouts, orders and heuristics that the game has."""
        board = isinstance(state, LineGame)
        known: dict[str, dict[str, Any]] = {
            "rollout": {**ROLLOUTS, **state.rollouts},
            "evaluate": {**(HEURISTICS if board else NO_HEURISTIC), **self._own},
            "order": orders(state),
        }
        for name, offered in known.items():
            widget, options = self._widgets[name], _filled(offered)
            if dict(widget.options) != options:
                widget.options = options

    def _choose_option(self, name: str, value: Any) -> None:
        widget, option = self._widgets[name], _OPTIONS[name]
        if name in FUNCTIONS and isinstance(value, str):  # as the list calls it
            value = dict(widget.options).get(value, value)
        option.choose(widget, value)
        if widget.value != value and option.value(widget) != value:
            raise ValueError(f"{name} cannot be {value!r}")

    def _show_options(self) -> None:
        taken = parameters(self.search) if self.search else frozenset()
        for name, widget in self._widgets.items():
            widget.layout.display = "" if name in taken else "none"
        if self.search and "prune" in taken:  # paranoid prunes unless told not to, maxn does not
            usual = inspect.signature(self.search).parameters["prune"].default
            self._widgets["prune"].value = bool(usual)


@dataclass(frozen=True)
class _Option:
    """How an option of a search is shown, read and set."""

    make: Callable[[], Any]
    value: Callable[[Any], Any] = lambda widget: widget.value
    choose: Callable[[Any, Any], None] = lambda widget, value: setattr(widget, "value", value)


def _filled(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: UNSET if value is None else value for name, value in options.items()}


def _value_or_none(widget: Any) -> Any:
    return None if widget.value == UNSET else widget.value


def _choose_or_add(widget: Any, value: Any) -> None:
    """Choose a value in a drop-down list, adding it if it is a new one."""
    options = dict(widget.options)
    value = UNSET if value is None else value
    if value not in options.values():
        widget.options = {**options, getattr(value, "__name__", str(value)): value}
    widget.value = value


def _list(label: str, options: Mapping[str, Any]) -> _Option:
    """Return an option that is chosen from a list; None is one of its values."""
    return _Option(
        lambda: Dropdown(options=_filled(options), description=label),
        value=_value_or_none,
        choose=_choose_or_add,
    )


def _numbers_or(none: str, *numbers: float) -> dict[str, float | None]:
    return {none: None, **{f"{number:g}": number for number in numbers}}


def _tick(label: str) -> _Option:
    return _Option(lambda: Checkbox(False, description=label, indent=True))


_SAID = {
    "table": "with a table",
    "rng": "seed",
    "evaluate": "heuristic",
    "quick_wins": "quick wins",
}
_OPTIONS: dict[str, _Option] = {
    "depth": _list("Depth", _numbers_or("to the end", *range(1, 13))),
    "simulations": _Option(
        lambda: BoundedIntText(1000, min=1, max=10_000_000, description="Simulations")
    ),
    "seconds": _list("Seconds", _numbers_or("no limit", 0.5, 1, 2, 5, 10)),
    "c": _Option(
        lambda: BoundedFloatText(C_SHOWN, min=0, max=100, step=0.1, description="Exploration c"),
        value=lambda widget: C if widget.value == C_SHOWN else widget.value,
        choose=lambda widget, c: setattr(widget, "value", C_SHOWN if c == C else c),
    ),
    "rollout": _list("Rollout", ROLLOUTS),
    "rng": _Option(lambda: BoundedIntText(0, min=0, max=10**9, description="Seed")),
    "evaluate": _list("Heuristic", HEURISTICS),
    "order": _list("Ordering", {LISTED: None}),
    "quick_wins": _tick("quick wins"),
    "strict": _tick("strict: no cuts on ties"),
    "prune": _tick("prune"),
    "table": _Option(
        lambda: Checkbox(False, description="transposition table", indent=True),
        value=lambda widget: Table() if widget.value else None,
        choose=lambda widget, value: setattr(widget, "value", bool(value)),
    ),
    "solver": _tick("prove values (solver)"),
}


def heard(
    search: Search,
    state: GameState,
    options: Mapping[str, Any],
    progress: Progress | None,
    stop: Stop | None,
) -> SearchResult:
    """Return what a search finds; an own search may return just an action, and need not stop."""
    result = search(state, **options, **accepted(search, progress=progress, stop=stop))
    if result is None and not (stop and stop()):
        name = getattr(search, "__name__", type(search).__name__)
        raise TypeError(f"{name} returned None, which is no action. Is a `return` missing?")
    found = result if isinstance(result, SearchResult) else SearchResult(answered(result))
    if found.action is not None and found.action not in (legal := state.legal_actions()):
        name = getattr(search, "__name__", type(search).__name__)
        raise ValueError(f"{name} answered {found.action!r}; legal actions: {list(legal)}")
    return found
