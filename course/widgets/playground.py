"""A widget to try the searches: choose a position and an algorithm, and see what is optimal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ipywidgets import HTML, Box, Checkbox, Dropdown, Text, VBox

from course.exercises.validation import validated, validated_successor
from course.widgets import search_runs
from course.widgets.clickable_board import ClickableBoard
from course.widgets.controls import add_css_classes, button, row
from course.widgets.game_session import one_line
from course.widgets.panel import (
    Panel,
    ProgressBar,
    close_all,
    display,
    error_text,
    markup_to_html,
    message_html,
)
from course.widgets.runner import RunOutcome
from course.widgets.search_form import NOTHING, SearchForm
from course.widgets.search_runs import SearchRun, SearchTask
from gamefast.fast import Search
from gamelib.conformance import check_state
from gamelib.games import EXAMPLES, TicTacToe
from gamelib.search import SEARCHES, SearchResult
from gamelib.search.registry import search_info
from gamelib.state import Action, GameState


def _games_for(algorithm: str) -> dict[str, Callable[[], GameState]]:
    """Return the example games by name, without those with dice if the search cannot play them."""
    search = SEARCHES.get(algorithm)
    plays_dice = search is None or search_info(search).chance
    return {name: make for name, make in EXAMPLES.items() if plays_dice or not make().has_chance}


class Playground(Panel):
    """All searches on all positions, with a verdict on whether the chosen action is optimal.

    algorithm  the search to begin with; by default minimax, or maxn for more than two players
    searches   name -> a search of your own, in addition to the library's

    The lists offer the searches of the lessons up to that of `algorithm`, until "all searches" is
    ticked.  From code, `run(algorithm="minimax", depth=3)` searches and returns the result; an
    option may be a function of your own, `evaluate=mine`.  `compare_with("alphabeta", depth=3)`
    adds a second search to every run.  Compiled searches are used if they are available.
    """

    css = ("playground.css",)
    _played: tuple[Action, ...]

    def __init__(
        self,
        state: GameState | None = None,
        *,
        algorithm: str | None = None,
        searches: Mapping[str, Search] | None = None,
    ) -> None:
        own_searches = searches or {}
        if not (isinstance(own_searches, Mapping) and all(map(callable, own_searches.values()))):
            raise TypeError(
                f'searches must be like {{"my own_searches": function}}; got {own_searches!r}'
            )
        state = TicTacToe() if state is None else state
        check_state(state)
        validated(state)
        self.state = self._start = state
        self._played = ()
        two_player = "expectiminimax" if self.state.has_chance else "minimax"
        algorithm = algorithm or (two_player if self.state.num_players == 2 else "maxn")
        self.searches = {**SEARCHES, **own_searches}
        self._games = {"this position": lambda: self._start, **_games_for(algorithm)}
        self.runs: list[SearchRun] = []
        self._shown: tuple[SearchRun, ...] = ()
        self._remark = ""
        self._suggested: dict[SearchForm, int | None] = {}
        self._form = SearchForm(state, self.searches, label="Algorithm", chosen=algorithm)
        self._other = SearchForm(state, self.searches, label="Compare with", optional=True)
        self._make_widgets()
        self._offer(search_runs.searches_up_to(algorithm, own_searches))
        super().__init__(self._laid_out())
        self._new_board()
        self._show()

    @property
    def result(self) -> SearchResult | None:
        """The result that is shown; None before a run."""
        return self._shown[0].result if self._shown else None

    @property
    def algorithm(self) -> str:
        """The name of the chosen search."""
        return self._form.algorithm

    def run(
        self, algorithm: str | None = None, *, anyway: bool = False, **options: Any
    ) -> SearchResult:
        """Search, wait for the end, and return the result.

        The given options are also set in the widget.  ValueError if the search would take very
        long, unless `anyway` is true, and at a terminal state.
        """
        self._form.choose(algorithm, **options)
        if not anyway and (reason := search_runs.warning(self.state, self._tasks())):
            raise ValueError(f"{reason} Choose a smaller depth, or pass anyway=True.")
        if self.state.is_terminal():
            raise ValueError(
                "the game is over, so there is nothing to search; set another position"
            )
        self._begin()
        result: SearchResult = self.runner.result()[0].result
        return result

    def compare_with(self, algorithm: str | None, **options: Any) -> None:
        """Choose a second search that runs along with the first; None ends the comparison."""
        self._other.choose(NOTHING if algorithm is None else algorithm, **options)

    def picture(self) -> str:
        """Return the position."""
        return self.state._repr_svg_() or ""

    def click(self, action: Action) -> GameState:
        """Play `action` on the board, and return the position; IllegalActionError if not legal."""
        self.set_position(
            validated(validated_successor(self.state, action)), (*self._played, action)
        )
        return self.state

    def set_position(self, state: GameState, played: tuple[Action, ...] = ()) -> None:
        """Put a position on the board; results for the previous one are removed."""
        check_state(state)
        with self.runner.lock:
            self.runner.discard()
            same_board = type(state) is type(self.state) and bool(played)
            self.state, self._played, self._shown = state, played, ()
            self._form.fit(state)
            self._other.fit(state)
            if not same_board:
                self._start = state
                self._new_board()
            self._show()

    def state_text(self) -> str:
        """Return the algorithm, the position, and the chosen action."""
        chose = f"; chose {self._shown[0].result.action}" if self._shown else ""
        return f"{self.algorithm}, {one_line(self.state)}{chose}"

    # --- the widgets ---

    def _laid_out(self) -> Box:
        """Return the layout: the position, the form and the newest result, none of which moves."""
        form = VBox([self._form, self._other, self._every, *self._position])
        parts = {"left": self._board_place, "run": self._buttons, "form": form}
        styled = [add_css_classes(part, f"gl-{name}") for name, part in parts.items()]
        # The style depends on the width of the panel, not of the window.
        return add_css_classes(
            Box([add_css_classes(Box([*styled, self._words]), "gl-playground")]), "gl-container"
        )

    def _offer(self, names: Sequence[str]) -> None:
        """Offer these searches, and a checkbox for all of them if these are not all.

        In a game with dice, searches that do not support chance nodes are left out.
        """
        if self.state.has_chance:
            known = [name for name in names if search_info(self.searches[name]).chance]
            names = [*known, *(name for name in names if name not in SEARCHES)]
        display(self._every, {*names} != {*self.searches})
        for form in (self._form, self._other):
            form.offer(names)

    def _make_widgets(self) -> None:
        self._game = Dropdown(options=list(self._games), description="Game")
        how = "as text, then Enter"
        self._text = Text(description="Position", continuous_update=False, placeholder=how)
        undo = button("Undo", self._undo, "Take back the last action")
        restart = button("Restart", self._restart, "Back to the first position")
        self._position = self._game, self._text, row(undo, restart)
        self._board_place = VBox()
        self._run_button = button("Run", self._on_run_click, "Search this position", "primary")
        counts = "Stop, and take the best action so far"
        self._stop_button = button("Stop", lambda: self.runner.stop(), counts)
        self._anyway = button("Run anyway", self._begin, "Search even if it takes long")
        display(self._anyway, False)
        self._progress = ProgressBar()
        self._buttons = row(self._run_button, self._stop_button, self._progress, self._anyway)
        self._words = HTML()
        self._every = Checkbox(False, description="all searches", indent=True)
        self._every.observe(lambda _: self._offer([*self.searches]), "value")
        for form in (self._form, self._other):
            form.choice.observe(lambda _: self._new_search(), "value")
        self._game.observe(lambda _: self.set_position(self._games[self._game.value]()), "value")
        self._text.observe(lambda _: self._read_position(), "value")

    def _new_search(self) -> None:
        display(self._anyway, False)
        self._suggest_depth()

    def _new_board(self) -> None:
        old_boards = self._board_place.children
        self._board = ClickableBoard(self.state, self._on_click)
        self._board_place.children = [self._board]
        for board in old_boards:
            close_all(board)
        self._suggest_depth()

    def _suggest_depth(self) -> None:
        """Begin with a depth that takes only a moment, until another one is chosen."""
        for form, task in zip(self._forms(), self._tasks(), strict=True):
            if task.options.get("depth", 0) == self._suggested.get(form):
                self._suggested[form] = search_runs.first_depth(self.state, task)
                form.choose(depth=self._suggested[form])

    def _on_click(self, action: Action) -> None:
        with self.runner.lock:
            if not self.runner.running and action in self.state.legal_actions():
                try:
                    self.click(action)
                except Exception as error:  # an error of the game, which would otherwise be lost
                    self._say("error", error_text(error))

    def _undo(self) -> None:
        if self._played:
            played = self._played[:-1]
            self.set_position(self._start.play(*played), played) if played else self._restart()

    def _restart(self) -> None:
        self.set_position(self._start)

    def _read_position(self) -> None:
        try:
            self.set_position(search_runs.parse_same_game(self.state, self._text.value))
        except ValueError as error:
            self._say("error", error)

    # --- a run ---

    def _forms(self) -> list[SearchForm]:
        """Return the forms with a chosen search: one, or two in a comparison."""
        return [form for form in (self._form, self._other) if form.search]

    def _tasks(self) -> list[SearchTask]:
        return [
            SearchTask(self.searches[form.algorithm], form.options, form.algorithm, form.settings)
            for form in self._forms()
        ]

    def _on_run_click(self) -> None:
        if why := search_runs.warning(self.state, self._tasks()):
            self._say("note", why)
            display(self._anyway, True)
        else:
            self._begin()

    def _begin(self) -> None:
        with self.runner.lock:
            display(self._anyway, False)
            self._shown = ()
            if self.state.is_terminal():
                self._say("note", "The game is over: there is nothing to search.")
                return
            self._show(busy=True)
            work = partial(search_runs.run, self.state, self._tasks())
            self.runner.start(work, on_progress=self._on_progress, on_end=self._on_end)

    def _on_progress(self, share: float, best: Action) -> None:
        self._progress.set_progress(share)
        if best is not None:
            self._remark = f"best so far: {markup_to_html(self.state.action_name(best))}"
            self._show_words()

    def _on_end(self, outcome: RunOutcome) -> None:
        self._shown = outcome.result or ()
        self.runs += self._shown
        said = ""
        if outcome.error is not None:
            said = message_html("error", error_text(outcome.error))
        elif not self._shown:
            said = message_html(
                "note", f"Stopped before there was an answer. {outcome.reason}".strip()
            )
        elif outcome.by:
            said = message_html("note", outcome.reason)
        self._show(said=said)  # the result and the note that it was stopped are one message

    # --- display ---

    def _show(self, busy: bool = False, said: str = "") -> None:
        marks = search_runs.marks_of(self._shown[0]) if self._shown else {}
        chosen = self._shown[0].result.action if self._shown else None
        self._board.show(self.state, marks=marks, chosen=chosen, waiting=busy)
        self._run_button.disabled, self._stop_button.disabled = busy, not busy
        self._progress.show(busy)
        self._remark = said
        self._show_words()
        self.update_picture()

    def _show_words(self) -> None:
        """Show all texts in one message, sent after the board that they are about."""
        drawn = [f'<div class="gl-table">{run.tree}</div>' for run in self._shown if run.tree]
        table = search_runs.runs_table(self.runs) if self.runs else ""
        self._words.value = (
            f'<div class="gl-told">{self._remark}{search_runs.choices(self._shown)}</div>'
            f'<div class="gl-rest">{search_runs.details(self._shown)}</div>'
            f'<div class="gl-runs">{"".join(drawn)}{table}</div>'
        )

    def _say(self, kind: str, text: object) -> None:
        self._remark = message_html(kind, text)
        self._show_words()
