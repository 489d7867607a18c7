"""A place to try the searches: choose a position and an algorithm, run, and see what is true."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from ipywidgets import (
    HTML,
    BoundedFloatText,
    BoundedIntText,
    Button,
    Checkbox,
    Dropdown,
    FloatProgress,
    HBox,
    Text,
    VBox,
)

from gamelib.draw.board import Mark, position_or_none
from gamelib.games import ConnectFour, Nim, TicTacToe
from gamelib.games.boards import MARKS
from gamelib.search import (
    COUNTING,
    SearchResult,
    Table,
    alphabeta,
    best_reply,
    centre_first,
    iterative_deepening,
    lines_heuristic,
    lookahead,
    maxn,
    mcts,
    minimax,
    negamax,
    paranoid,
    random_choice,
    solve,
    windows_heuristic,
)
from gamelib.search.limits import Evaluate, Progress, Stop
from gamelib.state import Action, GameState
from gamelib.widgets.boards import action_name, make_board
from gamelib.widgets.oracle import Verdict, best_actions, estimated_nodes, verdicts
from gamelib.widgets.panel import Notice, Panel, close_all, error_text, marked_up, remark, table
from gamelib.widgets.play_board import one_line
from gamelib.widgets.runner import Outcome

Search = Callable[..., SearchResult]

SEARCHES: dict[str, Search] = {
    search.__name__: search
    for search in (
        *(minimax, negamax, alphabeta, iterative_deepening, mcts, solve),
        *(maxn, paranoid, best_reply, lookahead, random_choice),
    )
}
HEURISTICS: dict[str, Evaluate | None] = {
    "none: 0": None,
    "open lines": lines_heuristic(),
    "open lines, large board": windows_heuristic(),
}
PRUNING = ("alphabeta", "iterative_deepening", "paranoid")
MUCH = 20_000_000  # nodes: the widget asks before it starts a search of so many
FULL = "to the end"

EXAMPLES: dict[str, Callable[[], GameState]] = {
    "Tic-tac-toe 3 x 3": TicTacToe,
    "Tic-tac-toe 4 x 4": lambda: TicTacToe(4, 4, 4),
    "Tic-tac-toe 3 x 3, three players": lambda: TicTacToe(num_players=3),
    "Connect Four": ConnectFour,
    "Connect Four 4 x 5": lambda: ConnectFour(4, 5),
    "Nim 1 2 3": lambda: Nim((1, 2, 3)),
    "Nim 1 3 5 7": Nim,
}


@dataclass(frozen=True)
class Run:
    """One search: what was asked, what it answered, and which actions are truly optimal."""

    state: GameState
    algorithm: str
    options: Mapping[str, Any]
    result: SearchResult
    known: Mapping[Action, Verdict] | None

    @property
    def optimal(self) -> bool | None:
        """Whether the chosen action is among the optimal ones; None where that is not known."""
        return None if self.known is None else self.result.action in best_actions(self.known)


class Playground(Panel):
    """Every search on every position; says whether the chosen action is among the optimal ones.

    `heuristics` names functions of (state, player) to choose from, `searches` your own searches.
    From code, `run(algorithm="minimax", depth=3)` searches and returns the result.
    """

    _start: GameState
    _played: tuple[Action, ...]
    _choose_position: Any
    _board_place: Any
    _algorithm: Any
    _buttons: Any
    _progress_row: Any
    _remark: Any
    _answer: Any
    _table: Any

    def __init__(
        self,
        state: GameState | None = None,
        *,
        algorithm: str = "minimax",
        heuristics: Mapping[str, Evaluate] | None = None,
        searches: Mapping[str, Search] | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._games = {"this position": lambda: self._start, **EXAMPLES}
        self._start = self.state = TicTacToe() if state is None else state
        self.searches = {**SEARCHES, **(searches or {})}
        self.runs: list[Run] = []
        self._shown: Run | None = None
        self._busy = False
        self._failed: BaseException | None = None
        self._options = _option_widgets(heuristics or {})
        self._make_widgets(algorithm)
        left = VBox([self._choose_position, self._board_place])
        options = VBox([self._algorithm, *self._options.values()])
        right = VBox([options, self._buttons, self._progress_row])
        left.add_class("gl-form")
        right.add_class("gl-form")
        top = HBox([left, right])
        top.add_class("gl-side-by-side")
        super().__init__(top, self._remark, self._answer, self._table)
        self._new_board()
        self._show_options()
        self._show()

    @property
    def result(self) -> SearchResult | None:
        """The result of the last run; None before the first."""
        return self.runs[-1].result if self.runs else None

    @property
    def algorithm(self) -> str:
        """The name of the search that is chosen."""
        return str(self._algorithm.value)

    @property
    def options(self) -> dict[str, Any]:
        """The options that the next run gives to the search."""
        return {
            name: _OPTIONS[name].value(widget)
            for name, widget in self._options.items()
            if name in _parameters(self.searches[self.algorithm])
        }

    def run(
        self, algorithm: str | None = None, *, anyway: bool = False, **options: Any
    ) -> SearchResult:
        """Search, wait for the end, and return the result.

        What is given is chosen in the widget, too.  A ValueError says so if the search would visit
        a huge number of nodes; `anyway=True` runs it all the same.
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
        """Choose an algorithm and its options; ValueError for one that there is not."""
        if algorithm is not None:
            if algorithm not in self.searches:
                raise ValueError(
                    f"algorithm must be one of {', '.join(self.searches)}; got {algorithm!r}"
                )
            self._algorithm.value = algorithm
        for name, value in options.items():
            if name not in self.options:
                raise ValueError(
                    f"{self.algorithm} has the options {', '.join(self.options)}; got {name!r}"
                )
            widget = self._options[name]
            _OPTIONS[name].choose(widget, value)
            if hasattr(widget, "max") and widget.value != value:
                raise ValueError(
                    f"{name} must be a number from {widget.min} to {widget.max:,}; got {value!r}"
                )

    def click(self, action: Action) -> GameState:
        """Play `action` on the board, and return the position; IllegalActionError if not legal."""
        self.set_position(self.state.successor(action), (*self._played, action))
        return self.state

    def set_position(self, state: GameState, played: tuple[Action, ...] = ()) -> None:
        """Put a position on the board; what was found out about the former one goes."""
        with self._lock:
            self.runner.discard()
            self._busy = False
            same_board = type(state) is type(self.state) and bool(played)
            self.state, self._played, self._shown = state, played, None
            if not same_board:
                self._start = state
                self._new_board()
            self._show()

    def state_text(self) -> str:
        """Return the algorithm, the position, and what was chosen."""
        chose = f"; chose {self._shown.result.action}" if self._shown else ""
        return f"{self.algorithm}, {one_line(self.state)}{chose}"

    # --- the widgets ---

    def _make_widgets(self, algorithm: str) -> None:
        self._played = ()
        self._game = Dropdown(options=list(self._games), description="Game")
        self._text = Text(
            description="Position", continuous_update=False, placeholder="as text, then Enter"
        )
        undo = _button("Undo", self._undo, "Take back the last action")
        restart = _button("Restart", self._restart, "Back to the first position")
        row = HBox([undo, restart])
        row.add_class("gl-row")
        self._choose_position = VBox([self._game, self._text, row])
        self._board_place = VBox()
        self._algorithm = Dropdown(
            options=list(self.searches), value=algorithm, description="Algorithm"
        )
        self._run_button = _button("Run", self._clicked_run, "Search this position")
        self._run_button.button_style = "primary"
        self._stop_button = _button("Stop", self._stop, "Stop: the best so far counts")
        self._anyway = _button("Run anyway", self._begin, "Search although it takes long")
        self._buttons = HBox([self._run_button, self._stop_button, self._anyway])
        self._buttons.add_class("gl-row")
        self._progress = FloatProgress(min=0, max=1)
        self._best = HTML()
        self._progress_row = VBox([self._progress, self._best])
        self._remark, self._answer, self._table = Notice(), Notice(), Notice()
        self._algorithm.observe(lambda _: self._show_options(), "value")
        self._game.observe(lambda _: self._choose_game(), "value")
        self._text.observe(lambda _: self._read_position(), "value")

    def _stop(self) -> None:
        self.runner.stop()

    def _show_options(self) -> None:
        taken = _parameters(self.searches[self.algorithm])
        for name, widget in self._options.items():
            widget.layout.display = "" if name in taken else "none"
        self._anyway.layout.display = "none"

    def _new_board(self) -> None:
        former = self._board_place.children
        self._board = make_board(self.state, self._clicked)
        self._board_place.children = [self._board]
        for board in former:
            close_all(board)

    def _clicked(self, action: Action) -> None:
        with self._lock:
            if not self._busy and action in self.state.legal_actions():
                self.click(action)

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

    def _warning(self) -> str | None:
        """Return in words why the run would take very long; None if it would not."""
        options = self.options
        if "depth" not in options or options.get("seconds") or options.get("simulations"):
            return None
        tree = estimated_nodes(self.state, options["depth"])
        if self.algorithm not in PRUNING:
            nodes, what = tree, f"about {_rounded(tree)} nodes"
        else:
            # Pearl 1982: with actions in random order alpha-beta visits about tree ** 0.75
            nodes = tree**0.75
            what = f"about {_rounded(nodes)} of {_rounded(tree)} nodes"
        if nodes <= MUCH:
            return None
        return (
            f"This search would visit {what}; at a million a second that takes "
            f"{_duration(nodes / 1e6)}."
        )

    def _clicked_run(self) -> None:
        if warning := self._warning():
            self._remark.show(remark("note", warning))
            self._anyway.layout.display = ""
        else:
            self._begin()

    def _begin(self) -> None:
        with self._lock:
            self._anyway.layout.display = "none"
            self._failed, self._shown = None, None
            if self.state.is_terminal():
                self._failed = ValueError("the game is over, so there is nothing to search")
                self._remark.show(remark("note", "The game is over: there is nothing to search."))
                return
            state, algorithm, options = self.state, self.algorithm, self.options
            search = self.searches[algorithm]
            self._busy = True
            self._progress.value = 0
            self._show()

            def work(progress: Progress, stop: Stop) -> Run:
                result = _watched(search, state, options, progress, stop)
                return Run(state, algorithm, options, result, verdicts(state, stop=stop))

            self.runner.start(work, on_progress=self._progressed, on_end=self._ended)

    def _progressed(self, share: float, best: Action) -> None:
        self._progress.value = share
        if best is not None:
            self._best.value = f"best so far: {marked_up(action_name(self.state, best))}"

    def _ended(self, outcome: Outcome) -> None:
        with self._lock:
            self._busy = False
            self._failed = outcome.error
            run = outcome.result
            if run is not None and run.result.action is not None:
                self.runs.append(run)
                self._shown = run
            self._show()
            if outcome.error is not None:
                self._remark.show(remark("error", error_text(outcome.error)))
            elif self._shown is None:
                self._failed = RuntimeError("the search was stopped before it had an answer")
                self._remark.show(remark("note", "Stopped before there was an answer."))

    # --- what is seen ---

    def _show(self) -> None:
        run = self._shown
        marks = _marks(run) if run else {}
        chosen = run.result.action if run else None
        self._board.show(self.state, marks=marks, chosen=chosen, waiting=self._busy)
        self._run_button.disabled = self._busy
        self._stop_button.disabled = not self._busy
        self._progress_row.layout.visibility = "visible" if self._busy else "hidden"
        self._best.value = ""
        self._remark.show("")
        self._answer.show(_answer(run) if run else "")
        self._table.show(_runs_table(self.runs) if self.runs else "")


@dataclass(frozen=True)
class _Option:
    """How an option of a search is shown, read and set."""

    make: Callable[[], Any]
    value: Callable[[Any], Any] = lambda widget: widget.value
    choose: Callable[[Any, Any], None] = lambda widget, value: setattr(widget, "value", value)


def _choose_function(widget: Any, function: Callable[..., Any] | None) -> None:
    """Choose a function in a drop-down list, adding it if it is a new one."""
    options = dict(widget.options)
    if function not in options.values():
        widget.options = {**options, getattr(function, "__name__", repr(function)): function}
    widget.value = function


def _numbers_or(none: str, *numbers: float) -> list[tuple[str, Any]]:
    return [(none, None), *((f"{number:g}", number) for number in numbers)]


def _choose_number(widget: Any, number: float | None) -> None:
    if number not in [value for _, value in widget.options]:
        widget.options = [*widget.options, (f"{number}", number)]
    widget.value = number


_OPTIONS: dict[str, _Option] = {
    "depth": _Option(
        lambda: Dropdown(options=_numbers_or(FULL, *range(1, 13)), description="Depth"),
        choose=_choose_number,
    ),
    "simulations": _Option(
        lambda: BoundedIntText(1000, min=1, max=10_000_000, description="Simulations")
    ),
    "seconds": _Option(
        lambda: Dropdown(options=_numbers_or("no limit", 0.5, 1, 2, 5, 10), description="Seconds"),
        choose=_choose_number,
    ),
    "c": _Option(
        lambda: BoundedFloatText(2**0.5, min=0, max=100, step=0.1, description="Exploration c")
    ),
    "rng": _Option(lambda: BoundedIntText(0, min=0, max=10**9, description="Seed")),
    "evaluate": _Option(
        lambda: Dropdown(options=HEURISTICS, description="Heuristic"),
        choose=_choose_function,
    ),
    "order": _Option(
        lambda: Dropdown(
            options={"as listed": None, "centre first": centre_first}, description="Ordering"
        ),
        choose=_choose_function,
    ),
    "quick_wins": _Option(lambda: Checkbox(False, description="quick wins", indent=True)),
    "strict": _Option(lambda: Checkbox(False, description="strict: no cuts on ties", indent=True)),
    "table": _Option(
        lambda: Checkbox(False, description="transposition table", indent=True),
        value=lambda widget: Table() if widget.value else None,
        choose=lambda widget, value: setattr(widget, "value", bool(value)),
    ),
    "solver": _Option(lambda: Checkbox(False, description="prove values (solver)", indent=True)),
}


def _option_widgets(heuristics: Mapping[str, Evaluate]) -> dict[str, Any]:
    widgets = {name: option.make() for name, option in _OPTIONS.items()}
    widgets["evaluate"].options = {**HEURISTICS, **heuristics}
    return widgets


def _parameters(search: Search) -> frozenset[str]:
    return frozenset(inspect.signature(search).parameters)


def _watched(
    search: Search, state: GameState, options: Mapping[str, Any], progress: Progress, stop: Stop
) -> SearchResult:
    """Return what a search finds; an own search may return just an action, and need not stop."""
    offered = {"progress": progress, "stop": stop}
    taken = {name: f for name, f in offered.items() if name in _parameters(search)}
    result = search(state, **options, **taken)
    return result if isinstance(result, SearchResult) else SearchResult(result)


def parsed_like(state: GameState, text: str) -> GameState:
    """Return the position that a text shows, of the same game with the same rules as `state`."""
    parse = getattr(type(state), "parse", None)
    if parse is None:
        raise ValueError(f"{type(state).__name__} cannot read a position from text")
    rules = {
        name: getattr(state, name)
        for name in inspect.signature(parse).parameters
        if hasattr(state, name) and name not in ("current_player", "text")
    }
    position: GameState = parse(text, **rules)
    return position


# --- a run in words and tables ---


def _marks(run: Run) -> dict[Action, Mark]:
    """Return what the board shows of a run: values or visits, tinted by what is proven."""
    texts: dict[Action, str] = {}
    if run.result.visits:
        total = sum(run.result.visits.values()) or 1
        texts = {action: f"{n / total:.0%}" for action, n in run.result.visits.items()}
    elif run.result.values:
        texts = {action: repr(bound) for action, bound in run.result.values.items()}
    elif run.known:
        texts = {action: verdict.mark().text for action, verdict in run.known.items()}
    known = run.known or {}
    return {a: Mark(t, known[a].mark().kind if a in known else "plain") for a, t in texts.items()}


def _answer(run: Run) -> str:
    """Return the result of a run as HTML."""
    result, state = run.result, run.state
    name = action_name(state, result.action)
    value = "" if result.value is None else f" Value {result.value:.4g} for the player to move."
    head = f"{run.algorithm} chose {name} (action {result.action}).{value}"
    if result.stopped:
        head += " It was stopped: this is its best so far."
    counts = {name: n for name, n in asdict(result.stats).items() if n}
    parts = [
        f'<div class="gl-status">{marked_up(head)}</div>',
        _optimality(run),
        table([name.replace("_", " ") for name in counts], [list(counts.values())])
        if counts
        else "",
        f'<div class="gl-small-print">{marked_up(COUNTING)}</div>' if counts else "",
        _line_html(state, result.line) if result.line else "",
    ]
    return "".join(parts)


def _optimality(run: Run) -> str:
    if run.known is None:
        return remark("note", "Optimal? Not known: a full search of this position is too large.")
    best = best_actions(run.known)
    names = "; ".join(action_name(run.state, action) for action in best)
    which = f"the optimal actions are {names}" if len(best) > 1 else f"only {names} is optimal"
    if len(best) == len(run.known):
        which = "every action is optimal here"
    result = run.known[best[0]].result
    if run.optimal:
        return remark("right", f"Optimal: yes. With best play it is a {result}; {which}.")
    own = run.known[run.result.action].result
    return remark("wrong", f"Optimal: no. It leads to a {own}; {which}, with a {result}.")


def _line_html(state: GameState, line: tuple[Action, ...]) -> str:
    """Return the principal variation played out: the moves, and a small board after each."""
    moves: list[str] = []
    boards: list[str] = []
    for action in line:
        player = state.current_player
        mark = MARKS[player] if player < len(MARKS) else f"player {player}"
        moves.append(f"{mark} {action}")
        state = state.successor(action)
        if (board := position_or_none(state)) is not None and len(boards) < 12:
            boards.append(board)
    text = f"Principal variation: {', '.join(moves)}"
    return f'<div>{marked_up(text)}</div><div class="gl-strip">{"".join(boards)}</div>'


def _runs_table(runs: list[Run]) -> str:
    """Return the last runs as a table; a column that says nothing is left out."""
    rows = [_run_row(number, run) for number, run in enumerate(runs, 1)][-12:]
    columns = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    return table(columns, [[row[name] for name in columns] for row in rows])


def _run_row(number: int, run: Run) -> dict[str, Any]:
    result = run.result
    return {
        "run": number,
        "position": shortened_position(run.state),
        "algorithm": run.algorithm,
        "options": ", ".join(f"{name} {_named(v)}" for name, v in run.options.items() if v),
        "action": str(result.action),
        "value": result.value,
        "optimal": {True: "yes", False: "NO", None: "?"}[run.optimal],
        "nodes": result.stats.nodes or None,
        "simulations": result.stats.simulations or None,
        "seconds": f"{result.seconds:.2f}",
    }


def shortened_position(state: GameState) -> str:
    """Return a position as the table shows it."""
    text = str(state).replace(" ", "").replace("\n", "/")
    return text if len(text) <= 24 else f"{text[:21]}..."


def _named(value: Any) -> str:
    if callable(value):
        return str(getattr(value, "__name__", value))
    return (
        ""
        if value is True or isinstance(value, Table)
        else f"{value:.4g}"
        if isinstance(value, float)
        else str(value)
    )


def _rounded(number: float) -> str:
    """Return a large number in two digits and a word: "41 million"."""
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if size <= number < 1000 * size:
            return f"{number / size:.2g} {word}"
    return f"{number:,.0f}" if number < 1e6 else f"{number:.0e}".replace("e+", " * 10^")


def _duration(seconds: float) -> str:
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{_rounded(seconds / size)} {unit}"
    return f"{seconds:.0f} seconds"


def _button(name: str, reaction: Callable[[], object], tooltip: str) -> Button:
    button = Button(description=name, tooltip=tooltip)
    button.on_click(lambda _: reaction())
    return button
