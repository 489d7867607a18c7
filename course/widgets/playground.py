"""A place to try the searches: choose a position and an algorithm, run, and see what is true."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from math import inf
from typing import Any

from ipywidgets import (
    Box,
    Checkbox,
    Dropdown,
    Text,
    VBox,
)

from course.draw.tree import tree
from course.draw.words import number_in_words
from course.kit.sound import after, sound
from course.watch.trace import record
from course.widgets.boards import ClickableBoard
from course.widgets.knobs import busy_bar, button, classed, row
from course.widgets.oracle import RefusedError, estimated_nodes, verdicts
from course.widgets.panel import Notice, Panel, close_all, error_text, marked_up, remark
from course.widgets.play_board import one_line
from course.widgets.run_report import Run, answers, legend, marks_of, runs_table
from course.widgets.runner import Outcome
from course.widgets.search_form import COMPILED, NOTHING, READABLE, SearchForm, heard
from gamefast.fast import SEARCHES as MACHINE_CODE
from gamefast.fast import Search, failure, fast
from gamelib.check import check_state
from gamelib.games import EXAMPLES, TicTacToe
from gamelib.search import SEARCHES, SearchResult
from gamelib.search.limits import Evaluate, Progress, Stop
from gamelib.search.registry import description
from gamelib.state import Action, GameState

# The searches in the order in which the lessons come to them; all others are always there.
LESSONS = (
    ("minimax", "negamax"),
    ("alphabeta", "iterative_deepening"),
    ("mcts",),
    ("solve",),
    ("maxn", "paranoid", "best_reply"),
    ("expectiminimax", "star1"),
)
SPEED = {READABLE: 1e6, COMPILED: 1e8}  # nodes a second, about
HEURISTIC_SPEED = 3e6  # at most, where a heuristic is asked at the leaves
MOST_DRAWN = 60  # nodes of a tree
MUCH = 20  # seconds: the widget asks before it starts a search of so many


class Playground(Panel):
    """Every search on every position; says whether the chosen action is among the optimal ones.

    `heuristics` names functions of (state, player) to choose from, `searches` your own searches.
    It begins with `algorithm`; without one, with minimax, or maxn for more than two players.  The
    lists offer the searches of the lessons up to that one, until "all searches" is ticked.  From
    code, `run(algorithm="minimax", depth=3)` searches and returns the result;
    `compare_with("alphabeta", depth=3)` lets a second search answer in every run, too.  Where a
    search is there as machine code, that runs, unless `engine="readable"` is chosen.
    """

    css = "playground.css"
    _played: tuple[Action, ...]
    _details: Any
    _table: Any

    def __init__(
        self,
        state: GameState | None = None,
        *,
        algorithm: str | None = None,
        heuristics: Mapping[str, Evaluate] | None = None,
        searches: Mapping[str, Search] | None = None,
    ) -> None:
        for name, own in (("heuristics", heuristics), ("searches", searches)):
            if own and not (isinstance(own, Mapping) and all(map(callable, own.values()))):
                raise TypeError(f'{name} must be like {{"my own": function}}; got {own!r}')
        self._lock = threading.RLock()
        self._start: GameState = TicTacToe() if state is None else state
        self.state, self._played = self._start, ()
        self._games = {"this position": lambda: self._start, **EXAMPLES}
        check_state(self.state)
        sound(self.state)
        two = "expectiminimax" if self.state.has_chance else "minimax"
        algorithm = algorithm or (two if self.state.num_players == 2 else "maxn")
        self.searches = {**SEARCHES, **(searches or {})}
        self.runs: list[Run] = []
        self._latest: tuple[Run, ...] = ()
        self._shown: tuple[Run, ...] = ()
        self._busy = False
        self._failed: BaseException | None = None
        forms = self.state, self.searches, heuristics or {}
        self._form = SearchForm(*forms, label="Algorithm", chosen=algorithm)
        self._other = SearchForm(*forms, label="Compare with", optional=True)
        self._make_widgets()
        self._offer(reached(algorithm, searches or {}))
        super().__init__(self._laid_out(), self._details, self._table)
        self._new_board()
        self._show()

    @property
    def result(self) -> SearchResult | None:
        """The result of the last run; None before the first."""
        return self._latest[0].result if self._latest else None

    @property
    def results(self) -> tuple[SearchResult, ...]:
        """The results of the last run: two of them if it compared two searches."""
        return tuple(run.result for run in self._latest)

    @property
    def algorithm(self) -> str:
        """The name of the search that is chosen."""
        return self._form.algorithm

    @property
    def engine(self) -> str:
        """The engine of the next run: "compiled" or "readable"."""
        return self._form.engine

    @property
    def options(self) -> dict[str, Any]:
        """The options that the next run gives to the search."""
        return self._form.options

    def run(
        self, algorithm: str | None = None, *, anyway: bool = False, **options: Any
    ) -> SearchResult:
        """Search, wait for the end, and return the result.

        What is given, an `engine` or an option, is chosen in the widget, too.  A ValueError says
        so if the search would take very long; `anyway=True` runs it all the same.
        """
        self.choose(algorithm, **options)
        if not anyway and (warning := self._warning()):
            raise ValueError(f"{warning} Choose a smaller depth, or give anyway=True.")
        self._begin()
        self.runner.wait()
        if self._failed is not None:
            raise self._failed
        assert self.result is not None
        return self.result

    def choose(self, algorithm: str | None = None, **options: Any) -> None:
        """Choose an algorithm, its options and its `engine`; ValueError for what there is not."""
        self._form.choose(algorithm, **options)

    def compare_with(self, algorithm: str | None, **options: Any) -> None:
        """Choose what answers beside the algorithm in every run; None ends the comparison."""
        self._other.choose(NOTHING if algorithm is None else algorithm, **options)

    def click(self, action: Action) -> GameState:
        """Play `action` on the board, and return the position; IllegalActionError if not legal."""
        self.set_position(sound(after(self.state, action)), (*self._played, action))
        return self.state

    def set_position(self, state: GameState, played: tuple[Action, ...] = ()) -> None:
        """Put a position on the board; what was found out about the former one goes."""
        check_state(state)
        with self._lock:
            self.runner.discard()
            self._busy = False
            same_board = type(state) is type(self.state) and bool(played)
            self.state, self._played, self._shown = state, played, ()
            if not same_board:
                self._start = state
                self._new_board()
            self._form.fit(state)
            self._other.fit(state)
            self._show()

    def state_text(self) -> str:
        """Return the algorithm, the position, and what was chosen."""
        chose = f"; chose {self._shown[0].result.action}" if self._shown else ""
        return f"{self.algorithm}, {one_line(self.state)}{chose}"

    # --- the widgets ---

    def _laid_out(self) -> Box:
        """Return the position, what is chosen, and the newest answer, all on one screen."""
        parts = {
            "left": VBox([self._board_place, self._legend, self._choose_position]),
            "run": self._buttons,
            "form": VBox([self._form, self._other, self._every]),
            "rest": VBox([self._best, self._remark, self._answer]),
        }
        both = Box([classed(part, f"gl-{name}") for name, part in parts.items()])
        # What fits is asked of the panel, not of the window.
        return classed(Box([classed(both, "gl-playground")]), "gl-room")

    def _offer(self, names: Sequence[str]) -> None:
        """Offer these searches; the tick that offers all of them is there if they are not all.

        Where there is a die, those that know no chance are left out.
        """
        if self.state.has_chance:
            known = [name for name in names if description(self.searches[name]).chance]
            names = [*known, *(name for name in names if name not in SEARCHES)]
        self._every.layout.display = "none" if {*names} == {*self.searches} else ""
        for form in (self._form, self._other):
            form.offer(names)

    def _make_widgets(self) -> None:
        self._game = Dropdown(options=list(self._games), description="Game")
        self._text = Text(
            description="Position", continuous_update=False, placeholder="as text, then Enter"
        )
        undo = button("Undo", self._undo, "Take back the last action")
        restart = button("Restart", self._restart, "Back to the first position")
        self._choose_position = VBox([self._game, self._text, row(undo, restart)])
        self._board_place = VBox()
        self._run_button = button("Run", self._clicked_run, "Search this position", "primary")
        self._stop_button = button("Stop", self._stop, "Stop: the best so far counts")
        self._anyway = button("Run anyway", self._begin, "Search although it takes long")
        self._withdraw_question()
        self._progress = busy_bar()
        self._progress.layout.width = "110px"
        self._buttons = row(self._run_button, self._stop_button, self._progress, self._anyway)
        self._best, self._remark, self._answer = Notice(), Notice(), Notice()
        self._table, self._legend, self._details = Notice(), Notice(), Notice()
        self._every = Checkbox(False, description="all searches", indent=True)
        self._every.observe(lambda _: self._offer([*self.searches]), "value")
        for form in (self._form, self._other):
            form.choice.observe(lambda _: self._withdraw_question(), "value")
        self._game.observe(lambda _: self._choose_game(), "value")
        self._text.observe(lambda _: self._read_position(), "value")

    def _stop(self) -> None:
        self.runner.stop()

    def _withdraw_question(self) -> None:
        self._anyway.layout.display = "none"

    def _new_board(self) -> None:
        former = self._board_place.children
        self._board = ClickableBoard(self.state, self._clicked)
        self._board_place.children = [self._board]
        for board in former:
            close_all(board)

    def _clicked(self, action: Action) -> None:
        with self._lock:
            if not self._busy and action in self.state.legal_actions():
                try:
                    self.click(action)
                except Exception as error:  # of the game: nobody would see it otherwise
                    self._remark.show(remark("error", error_text(error)))

    def _undo(self) -> None:
        if self._played:
            played = self._played[:-1]
            self.set_position(self._start.play(*played), played) if played else self._restart()

    def _restart(self) -> None:
        self.set_position(self._start)

    def _choose_game(self) -> None:
        self.set_position(self._games[self._game.value]())

    def _read_position(self) -> None:
        try:
            self.set_position(parsed_like(self.state, self._text.value))
        except ValueError as error:
            self._remark.show(remark("error", error))

    # --- a run ---

    def _forms(self) -> list[SearchForm]:
        """Return the forms in which a search is chosen: one, or two to compare."""
        return [form for form in (self._form, self._other) if form.search]

    def _warning(self) -> str | None:
        """Return in words why the run would take very long; None if it would not."""
        return next((text for form in self._forms() if (text := self._warning_of(form))), None)

    def _warning_of(self, form: SearchForm) -> str | None:
        options = form.options
        if "depth" not in options or options.get("seconds") or options.get("simulations"):
            return None
        tree = estimated_nodes(self.state, options["depth"])
        if not description(self.searches[form.algorithm]).prunes:
            nodes, what = tree, f"about {number_in_words(tree)} nodes"
        else:
            # Pearl 1982: with actions in random order alpha-beta visits about tree ** 0.75
            nodes = tree**0.75
            what = f"about {number_in_words(nodes)} of {number_in_words(tree)} nodes"
        speed = min(SPEED[form.engine], HEURISTIC_SPEED if options.get("evaluate") else inf)
        if nodes <= MUCH * speed:
            return None
        return (
            f"{'This search' if len(self._forms()) == 1 else form.algorithm} would visit {what}; "
            f"at {number_in_words(speed)} a second that takes {_duration(nodes / speed)}."
        )

    def _clicked_run(self) -> None:
        if warning := self._warning():
            self._failed = ValueError(warning)
            self._remark.show(remark("note", warning))
            self._anyway.layout.display = ""
        else:
            self._begin()

    def _begin(self) -> None:
        with self._lock:
            self._anyway.layout.display = "none"
            self._failed, self._shown = None, ()
            if self.state.is_terminal():
                self._failed = ValueError("the game is over, so there is nothing to search")
                self._remark.show(remark("note", "The game is over: there is nothing to search."))
                return
            self._busy, self._known_failure = True, failure()
            self._progress.value = 0
            self._show()
            if MACHINE_CODE not in sys.modules and COMPILED in [
                form.engine for form in self._forms()
            ]:
                self._best.show("loading the compiled engine, once ...")
            self.runner.start(self._work(), on_progress=self._progressed, on_end=self._ended)

    def _work(self) -> Callable[[Progress, Stop], list[Run]]:
        """Return the work of a run: each search in turn, then what is true of the position."""
        state, tree_of = self.state, self._tree_of
        asked = [(f.algorithm, f.engine, f.options, f.settings) for f in self._forms()]

        def work(progress: Progress, stop: Stop) -> list[Run]:
            results = []
            for place, (algorithm, engine, options, _) in enumerate(asked):

                def part(share: float, best: Action, place: int = place) -> None:
                    progress((place + share) / len(asked), best)

                given = self.searches[algorithm]
                search = fast(given) if engine == COMPILED else given
                results.append(heard(search, state, options, part, stop))
                if stop():
                    break  # the best so far of the one that was stopped counts; no other begins
            try:
                known, why = verdicts(state, stop=stop), ""
            except RefusedError as error:
                known, why = None, str(error)
            return [
                Run(state, name, given, it, known, engine, why, tree_of(name, given, it), said)
                for (name, engine, given, said), it in zip(asked, results, strict=False)
            ]

        return work

    def _tree_of(self, algorithm: str, options: dict[str, Any], result: SearchResult) -> str:
        """Return a picture of the tree that was searched, if it is small enough to be seen."""
        search, size = self.searches[algorithm], max(result.stats.nodes, result.stats.tree_nodes)
        again = not result.stopped and not options.get("seconds")  # it does the same once more
        if not again or not 1 < size <= MOST_DRAWN:
            return ""
        trace = record(search, self.state, **options)
        seen = trace.result == result and len(trace.visits) >= size  # machine code shows nothing
        return f'<div class="gl-table">{tree(trace)}</div>' if seen else ""

    def _progressed(self, share: float, best: Action) -> None:
        self._progress.value = share
        if best is not None:
            self._best.show(f"best so far: {marked_up(self.state.action_name(best))}")

    def _ended(self, outcome: Outcome) -> None:
        with self._lock:
            self._busy = False
            self._failed = outcome.error
            answered = [run for run in outcome.result or [] if run.result.action is not None]
            if answered:
                self.runs += answered
                self._latest = self._shown = tuple(answered)
            self._show()
            if isinstance(outcome.error, ImportError) and failure() != self._known_failure:
                self._start_readable()
            elif outcome.error is not None:
                self._remark.show(remark("error", error_text(outcome.error)))
            elif not self._shown:
                self._failed = RuntimeError("the search was stopped before it had an answer")
                text = f"Stopped before there was an answer. {outcome.why}"
                self._remark.show(remark("note", text.strip()))
            elif outcome.by:
                self._remark.show(remark("note", outcome.why))

    def _start_readable(self) -> None:
        """Run again as what was to run cannot: without machine code, which may take long."""
        for form in (self._form, self._other):
            form.fit(self.state)
        self._clicked_run()

    # --- what is seen ---

    def _show(self) -> None:
        marks = marks_of(self._shown[0]) if self._shown else {}
        chosen = self._shown[0].result.action if self._shown else None
        self._board.show(self.state, marks=marks, chosen=chosen, waiting=self._busy)
        self._run_button.disabled = self._busy
        self._stop_button.disabled = not self._busy
        self._progress.layout.visibility = "visible" if self._busy else "hidden"
        self._best.show("")
        self._remark.show("")
        self._answer.show(answers(self._shown))
        self._legend.show(legend(self._shown[0]) if self._shown else "")
        self._details.show("".join(run.tree for run in self._shown))
        self._table.show(runs_table(self.runs) if self.runs else "")


def reached(algorithm: str, own: Mapping[str, Search]) -> list[str]:
    """Return the searches of the lessons up to that of `algorithm`, and those of no lesson."""
    last = next((place for place, names in enumerate(LESSONS) if algorithm in names), 0)
    taught = {*chain(*LESSONS)}
    return [*chain(*LESSONS[: last + 1]), *(name for name in SEARCHES if name not in taught), *own]


def parsed_like(state: GameState, text: str) -> GameState:
    """Return the position that a text shows, of the same game with the same rules as `state`."""
    parse: Callable[..., GameState] = type(state).parse
    rules = {n: value for n, value in state.parse_options().items() if n != "current_player"}
    return parse(text, **rules)


def _duration(seconds: float) -> str:
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{number_in_words(seconds / size)} {unit}"
    return f"{seconds:.0f} seconds"
