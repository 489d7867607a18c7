"""A form to choose a search and its options; it shows only the options that the search accepts."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

from ipywidgets import BoundedFloatText, BoundedIntText, Checkbox, Dropdown, VBox

from course.exercises.error_report import name_of
from course.widgets.panel import display
from gamefast.fast import Search
from gamelib.agents import validated_action
from gamelib.games import ConnectFour
from gamelib.games.k_in_a_row import LineGame
from gamelib.search import (
    SearchResult,
    Table,
    centre_first,
    lines_heuristic,
    take_a_win,
    windows_heuristic,
)
from gamelib.search.callbacks import Progress, Stop
from gamelib.search.registry import parameters, supported_options
from gamelib.state import Action, GameState

NO_HEURISTIC: dict[str, Any] = {"none: 0": None}
HEURISTICS: dict[str, Any] = {
    **NO_HEURISTIC,
    "open lines": lines_heuristic(),
    "open lines, large board": windows_heuristic(),
}
DEFAULT_ORDER = "as listed"
ROLLOUTS: dict[str, Any] = {"random": None, "take a win": take_a_win}
DEPTHS = {"to the end": None, **{str(depth): depth for depth in range(1, 13)}}
SECONDS = {"no limit": None, **{f"{number:g}": number for number in (0.5, 1, 2, 5, 10)}}
NOTHING = "nothing"
C = 2**0.5
C_SHOWN = 1.414
OPTION_LABELS = {
    "table": "with a table",
    "rng": "seed",
    "evaluate": "heuristic",
    "quick_wins": "quick wins",
}


def _fields() -> dict[str, Any]:
    """Return a widget for each option of a search, in the order in which they are shown."""
    return {
        "depth": Dropdown(description="Depth"),
        "simulations": BoundedIntText(1000, min=1, max=10_000_000, description="Simulations"),
        "seconds": Dropdown(description="Seconds"),
        "c": BoundedFloatText(C_SHOWN, min=0, max=100, step=0.1, description="Exploration c"),
        "rollout": Dropdown(description="Rollout"),
        "rng": BoundedIntText(0, min=0, max=10**9, description="Seed"),
        "evaluate": Dropdown(description="Heuristic"),
        "order": Dropdown(description="Ordering"),
        "quick_wins": Checkbox(False, description="quick wins"),
        "strict": Checkbox(False, description="strict: no cuts on ties"),
        "prune": Checkbox(False, description="prune"),
        "table": Checkbox(False, description="transposition table"),
        "solver": Checkbox(False, description="prove values (solver)"),
    }


def middle_first(state: GameState, actions: Sequence[Action]) -> list[Action]:
    """Return the actions, those in the middle of the list first."""
    middle = (len(actions) - 1) / 2
    indices = sorted(range(len(actions)), key=lambda index: abs(index - middle))
    return [actions[index] for index in indices]


def last_first(state: GameState, actions: Sequence[Action]) -> list[Action]:
    """Return the actions in the order from the last to the first."""
    return [*reversed(actions)]


def orders(state: GameState) -> dict[str, Any]:
    """Return name -> order in which actions can be tried; None is the order of the game.

    In Connect Four the middle is that of the board, even if a column is full.
    """
    middle = centre_first if isinstance(state, ConnectFour) else middle_first
    return {DEFAULT_ORDER: None, "centre first": middle, "last first": last_first}


class SearchForm(VBox):
    """A list of searches and the options of the chosen one, for a position.

    With `optional` the first entry is "nothing", and `search` is None while it is chosen.
    """

    def __init__(
        self,
        state: GameState,
        searches: Mapping[str, Search],
        *,
        label: str,
        chosen: str | None = None,
        optional: bool = False,
    ) -> None:
        self.searches = searches
        self._always = [NOTHING] if optional else []
        self.choice = Dropdown(options=[*self._always, *searches], description=label)
        self._widgets = _fields()
        self._lists: dict[str, dict[str, Any]] = {}  # option -> {name in its list: value}
        self._list("depth", DEPTHS)
        self._list("seconds", SECONDS)
        self.fit(state)
        self.choice.observe(lambda _: self._show_options(), "value")
        super().__init__([self.choice, *self._widgets.values()])
        self._show_options()
        self.choose(chosen)

    @property
    def algorithm(self) -> str:
        """The name of the chosen search."""
        return str(self.choice.value)

    @property
    def search(self) -> Search | None:
        """The chosen search."""
        return self.searches.get(self.algorithm)

    @property
    def options(self) -> dict[str, Any]:
        """The options to pass to the search."""
        taken = parameters(self.search) if self.search else frozenset()
        return {name: self._value(name) for name in self._widgets if name in taken}

    def _value(self, name: str) -> Any:
        value = self._widgets[name].value
        if name in self._lists:
            return self._lists[name][value]
        if name == "table":
            return Table() if value else None
        return C if name == "c" and value == C_SHOWN else value

    @property
    def settings(self) -> str:
        """The options that are set, with the names of the form: "depth 3, order last first"."""
        # An empty table and a seed of 0 are false, but they are set.
        names = [n for n, value in self.options.items() if value is not None and value is not False]
        return ", ".join(f"{OPTION_LABELS.get(n, n)} {self._setting(n)}".strip() for n in names)

    def _setting(self, name: str) -> Any:
        widget = self._widgets[name]
        if isinstance(widget, Checkbox):
            return ""
        return widget.value if name in self._lists else f"{widget.value:.10g}"

    def choose(self, algorithm: str | None = None, **options: Any) -> None:
        """Choose a search and its options; ValueError for an unknown one."""
        if algorithm is not None:
            known = [*self._always, *self.searches]
            if algorithm not in known:
                raise ValueError(f"algorithm must be one of {', '.join(known)}; got {algorithm!r}")
            if algorithm not in self.choice.options:
                self.offer(known)
            self.choice.value = algorithm
        for name, value in options.items():
            if name not in self.options:
                known = f"options of {self.algorithm} must be among {', '.join(self.options)}"
                raise ValueError(f"{known}; got {name!r}")
            self._choose_option(name, value)

    def offer(self, names: Sequence[str]) -> None:
        """Offer these searches in the list, in addition to the chosen one."""
        chosen = self.algorithm
        listed = [*self._always, *self.searches]
        self.choice.options = [n for n in listed if n in names or n in (chosen, *self._always)]
        self.choice.value = chosen

    def fit(self, state: GameState) -> None:
        """Offer the rollouts, orders and heuristics that suit the game."""
        board = isinstance(state, LineGame)
        self._list("rollout", {**ROLLOUTS, **state.rollouts})
        self._list("evaluate", HEURISTICS if board else NO_HEURISTIC)
        self._list("order", orders(state))

    def _list(self, name: str, offered: Mapping[str, Any]) -> None:
        """Let an option be chosen by name from a list of values."""
        self._lists[name] = dict(offered)
        widget = self._widgets[name]
        if widget.options != tuple(offered):
            widget.options, widget.value = tuple(offered), next(iter(offered))

    def _choose_option(self, name: str, value: Any) -> None:
        """Choose a value of an option, or its name; a value that the list lacks is added to it."""
        shown = C_SHOWN if name == "c" and value == C else bool(value) if name == "table" else value
        if name in self._lists:
            listed = self._lists[name]
            names = [
                named for named, listed_value in listed.items() if value in (named, listed_value)
            ]
            shown = names[0] if names else getattr(value, "__name__", str(value))
            if not names:
                self._list(name, {**listed, shown: value})
        self._widgets[name].value = shown
        if self._widgets[name].value != shown:
            raise ValueError(f"{name} must be a value that its field accepts; got {value!r}")

    def _show_options(self) -> None:
        taken = parameters(self.search) if self.search else frozenset()
        for name, widget in self._widgets.items():
            display(widget, name in taken)
        if self.search and "prune" in taken:  # the defaults differ: paranoid prunes, maxn does not
            default = inspect.signature(self.search).parameters["prune"].default
            self._widgets["prune"].value = bool(default)


def run_search(
    search: Search,
    state: GameState,
    options: Mapping[str, Any],
    progress: Progress | None,
    stop: Stop | None,
) -> SearchResult:
    """Return the result of a search.

    A learner's search may return only an action, and need not accept `progress` and `stop`.
    TypeError if it returns None, and ValueError if its action is not legal.
    """
    result = search(state, **options, **supported_options(search, progress=progress, stop=stop))
    if result is None and not (stop and stop()):
        none = "returned None instead of an action; is a `return` missing?"
        raise TypeError(f"{name_of(search)} {none}")
    found = result if isinstance(result, SearchResult) else SearchResult(validated_action(result))
    if found.action is not None and found.action not in (legal := state.legal_actions()):
        wrong = f"{name_of(search)} returned {found.action!r}, which is not a legal action"
        raise ValueError(f"{wrong}; the legal actions are {list(legal)}")
    return found
