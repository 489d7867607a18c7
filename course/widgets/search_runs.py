"""Searches run on a position: their estimated cost, their results, and the exact values.

This module does not depend on the playground's layout: `run(state, [SearchTask(minimax, {"depth":
3})])` creates no widget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from math import inf, log, sqrt
from random import Random
from typing import Any

from course.draw.tree import tree
from course.draw.wording import action_names, capital, format_number
from course.exercises.error_report import name_of
from course.exercises.validation import validated_successor
from course.tracing.trace import record
from course.widgets import oracle
from course.widgets.oracle import ExactValues, Mark, UnsolvableError
from course.widgets.panel import markup_to_html, message_html, table
from course.widgets.search_form import run_search
from gamefast.fast import Search, fastest
from gamelib.search import COUNTING, SEARCHES, Bound, SearchResult
from gamelib.search.callbacks import Progress, Stop
from gamelib.search.registry import search_info
from gamelib.state import Action, GameState
from gamelib.svg.board import board_svg

# The searches in the order of the lessons; all others are always offered.
LESSONS = (
    ("minimax", "negamax"),
    ("alphabeta", "iterative_deepening"),
    ("mcts",),
    ("solve",),
    ("maxn", "paranoid", "best_reply"),
    ("expectiminimax", "star1"),
)
# approximate nodes per second; the last value is for a search with a heuristic
READABLE, COMPILED, HEURISTIC = 1e6, 1e8, 3e6
MAX_NODES_DRAWN = 60  # larger trees are not drawn
SHOWN_RUNS = 12  # the newest runs, which the table shows
CONFIRM_SECONDS = 20  # the widget asks before it starts a search that takes longer


@dataclass(frozen=True)
class SearchTask:
    """A search to run, and its options; `settings` are the options as a form names them."""

    search: Search
    options: Mapping[str, Any] = field(default_factory=dict)
    algorithm: str = ""
    settings: str = ""

    @property
    def name(self) -> str:
        """The name of the search."""
        return self.algorithm or name_of(self.search)

    def program(self, state: GameState) -> Search:
        """Return the compiled search if available, unless the tree is small enough to draw."""
        if self.options.get("simulations", inf) <= MAX_NODES_DRAWN:
            # the compiled search builds another tree, which would not be the one drawn
            return self.search
        return fastest(self.search, state, **self.options)


@dataclass(frozen=True)
class SearchRun:
    """The result of a task on a position, with the exact values of the actions."""

    state: GameState
    task: SearchTask
    result: SearchResult
    exact_values: ExactValues | None
    compiled: bool = False
    refused: str = ""  # why the solver can never solve this game, or ""
    tree: str = ""  # a drawing of the search tree if it is small, or ""

    @property
    def name(self) -> str:
        """The name of the search that ran."""
        return f"{self.task.name} (compiled)" if self.compiled else self.task.name

    @property
    def optimal(self) -> bool | None:
        """Whether the chosen action is optimal; None if that is unknown."""
        if self.exact_values is None or self.result.action not in self.exact_values:
            return None
        return self.result.action in oracle.best_actions(self.exact_values)


def warning(state: GameState, tasks: Sequence[SearchTask]) -> str | None:
    """Return why the tasks would take very long; None if they would not."""
    warnings = (_warning(state, task, len(tasks) == 1) for task in tasks)
    return next(filter(None, warnings), None)


def _warning(state: GameState, task: SearchTask, alone: bool) -> str | None:
    options = task.options
    if "depth" not in options or options.get("seconds") or options.get("simulations"):
        return None
    # Most random games are short, and the few long ones dominate the mean, so this is more often
    # too low than too high.
    size = oracle.estimated_nodes(state, options["depth"])
    nodes, total = size, ""
    if search_info(task.search).prunes:
        # Pearl 1982: with actions in random order, alpha-beta visits about size ** 0.75 nodes.
        nodes, total = size**0.75, f" of {format_number(size)}"
    speed = READABLE if task.program(state) is task.search else COMPILED
    speed = min(speed, HEURISTIC if options.get("evaluate") else inf)
    if nodes <= CONFIRM_SECONDS * speed:
        return None
    return (
        f"{'This search' if alone else task.name} would visit at least {format_number(nodes)}"
        f"{total} nodes; at {format_number(speed)} a second that takes {_duration(nodes / speed)}."
    )


def _duration(seconds: float) -> str:
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{format_number(seconds / size)} {unit}"
    return f"{seconds:.0f} seconds"


def first_depth(state: GameState, task: SearchTask) -> int | None:
    """Return the depth to begin with; None for the whole tree, if that takes only a moment."""
    if _warning(state, replace(task, options={**task.options, "depth": None}), True) is None:
        return None
    nodes = READABLE if task.program(state) is task.search else COMPILED
    size = nodes ** (4 / 3 if search_info(task.search).prunes else 1)
    return oracle.affordable_depth(state, size)


def run(
    state: GameState, tasks: Iterable[SearchTask], progress: Progress, stop: Stop
) -> tuple[SearchRun, ...] | None:
    """Return the results of the tasks, which run in turn, with the exact values of the position.

    progress, stop  callbacks for all tasks together

    Return None if no task has a result.
    """
    done: list[tuple[SearchTask, SearchResult, bool]] = []
    tasks = list(tasks)
    for index, task in enumerate(tasks):

        def part(share: float, best: Action, index: int = index) -> None:
            progress((index + share) / len(tasks), best)

        program = _warm_up(state, task)
        result = run_search(program, state, task.options, part, stop)
        done.append((task, result, program is not task.search))
        if stop():
            break  # the task that was stopped counts with its best so far, and no other one begins
    try:
        values, refused = oracle.exact_action_values(state, stop=stop), ""
    except UnsolvableError as error:
        values, refused = None, str(error)
    answered = tuple(
        SearchRun(state, task, result, values, compiled, refused, _tree_of(state, task, result))
        for task, result, compiled in done
        if result.action is not None
    )
    return answered or None


def _warm_up(state: GameState, task: SearchTask) -> Search:
    """Return the program to run, compiled before its time is measured.

    A call on a nearly finished game makes it compile.
    """
    program = task.program(state)
    if program is task.search:
        return program
    rng, late_state = Random(0), state
    while not (
        child := validated_successor(late_state, rng.choice(late_state.legal_actions()))
    ).is_terminal():
        late_state = child
    limits = {"simulations": 1, "seconds": None} if "simulations" in task.options else {}
    program(late_state, **{**task.options, **limits})
    return task.program(state)  # another one if the compiled search has turned out not to work


def _tree_of(state: GameState, task: SearchTask, result: SearchResult) -> str:
    size = max(result.stats.nodes, result.stats.tree_nodes)
    is_repeatable = not result.stopped and not task.options.get(
        "seconds"
    )  # a second run does the same
    if not is_repeatable or not 1 < size <= MAX_NODES_DRAWN:
        return ""
    trace = record(task.search, state, **task.options)
    is_traced = (
        trace.result == result and len(trace.visits) >= size
    )  # a compiled search leaves no trace
    return str(tree(trace)) if is_traced else ""


def searches_up_to(algorithm: str, own: Mapping[str, Search]) -> list[str]:
    """Return the searches of the lessons up to that of `algorithm`, and those of no lesson."""
    last = next((index for index, names in enumerate(LESSONS) if algorithm in names), 0)
    taught = {*chain(*LESSONS)}
    return [*chain(*LESSONS[: last + 1]), *(name for name in SEARCHES if name not in taught), *own]


def parse_same_game(state: GameState, text: str) -> GameState:
    """Return the position in a text, for the same game with the same rules as `state`."""
    parse: Callable[..., GameState] = type(state).parse
    rules = {n: value for n, value in state.parse_options().items() if n != "current_player"}
    return parse(text, **rules)


# --- the texts and tables of a run ---


def marks_of(run: SearchRun) -> dict[Action, Mark]:
    """Return the marks of a run on the board: values or visits, coloured by the exact values.

    An estimate has no colour, because a colour would make it look proven.
    """
    texts: dict[Action, str] = {}
    if run.result.visits:
        total = sum(run.result.visits.values()) or 1
        texts = {action: f"{n / total:.0%}" for action, n in run.result.visits.items()}
    elif run.result.values:
        texts = {action: short(bound) for action, bound in run.result.values.items()}
    elif run.exact_values:
        texts = {action: verdict.mark().text for action, verdict in run.exact_values.items()}
    proven = {
        a: exact for a, exact in (run.exact_values or {}).items() if "~" not in texts.get(a, "")
    }
    return {a: Mark(t, proven[a].mark().kind if a in proven else "plain") for a, t in texts.items()}


def short(bound: Bound) -> str:
    """Return a bound with two digits after the point, short enough for a board."""
    value = round(bound.value, 2)
    return repr(Bound(value, bound.kind))


def legend(run: SearchRun) -> str:
    """Return the meaning of the colours and the texts on the board."""
    player = run.state.player_name(run.state.current_player)
    if run.exact_values and run.state.num_players == 2:
        opponent = run.state.player_name(1 - run.state.current_player)
        colours = (
            f"Colour: what is proven. Green: {player} wins; yellow: a draw; red: {opponent} wins."
        )
    else:
        colours = "Grey: nothing is proven."
    text = "the share of the visits" if run.result.visits else f"the value for {player}"
    texts = f" Text: {text} that {run.task.name} found." if marks_of(run) else ""
    return colours + texts


def _visits_table(run: SearchRun) -> str:
    result, player = run.result, run.state.player_name(run.state.current_player)
    counts = result.visits or {}
    total, c = sum(counts.values()), run.task.options.get("c", 0)
    rows = []
    for action, visits in sorted(counts.items(), key=lambda item: -item[1]):
        bound = result.values.get(action)
        mean = float(bound.value + 1) / 2 if bound and visits else 0
        bonus = c * sqrt(log(total) / visits) if visits else inf
        rows.append([run.state.action_name(action), visits, f"{mean:.2f}", f"{mean + bonus:.2f}"])
    columns = ["action", "visits", f"mean for {player}", "UCB score"]
    return table(columns, rows)


def choices(runs: Sequence[SearchRun]) -> str:
    """Return, as HTML, the actions that the runs chose and whether they are optimal."""
    parts = "".join(f"<div>{_head(run)}{_optimality(run)}</div>" for run in runs)
    return f'<div class="gl-answers">{parts}</div>' if parts else ""


def details(runs: Sequence[SearchRun]) -> str:
    """Return the costs and results of the runs as HTML, side by side if they fit, and a legend."""
    if not runs:
        return ""
    results = "".join(f"<div>{_details(run)}</div>" for run in runs)
    convention = markup_to_html(COUNTING) if any(map(_counts, runs)) else ""
    small = f'<div class="gl-small-print">{convention} {markup_to_html(legend(runs[0]))}</div>'
    return f'<div class="gl-answers">{results}</div>{small}'


def _counts(run: SearchRun) -> dict[str, int]:
    return {name: n for name, n in asdict(run.result.stats).items() if n}


def _head(run: SearchRun) -> str:
    result, state = run.result, run.state
    head = f"{run.name} chose {state.action_name(result.action)}."
    if result.value is not None:
        head += f" Value for {state.player_name(state.current_player)}: {_value(result)}."
    if result.stopped:
        head += " It was stopped: this is its best so far."
    return f'<div class="gl-status">{markup_to_html(head)}</div>'


def _details(run: SearchRun) -> str:
    parts, counts = "", _counts(run)
    if counts:
        parts = table([name.replace("_", " ") for name in counts], [list(counts.values())])
    parts += _visits_table(run) if run.result.visits else ""
    return parts + (_line_html(run.state, run.result.line) if run.result.line else "")


def _value(result: SearchResult) -> str:
    """Return the value of a position with a sign for what is known about it."""
    return "" if result.value is None else short(Bound(result.value, result.kind))


def _optimality(run: SearchRun) -> str:
    """Return whether the choice is optimal, in words that claim no more than is proven."""
    state, multiplayer = run.state, run.state.num_players > 2
    if run.exact_values is None:
        large = run.refused or "a full search of this position is too large."
        why = (
            "with more than two players it depends on how the others choose."
            if multiplayer
            else large
        )
        return message_html("note", f"Optimal? Not known: {why}")
    best = oracle.best_actions(run.exact_values)
    names = "; ".join(action_names(state, best))
    result, every = run.exact_values[best[0]].result(state), len(best) == len(state.legal_actions())
    if multiplayer:  # then an exact value holds for any play of the others
        outcome = f"{result}, whatever the others play."
        if every or run.optimal:
            text = (
                f"After every action: {outcome}" if every else f"Optimal: yes. {capital(outcome)}"
            )
            return message_html("right", text)
        depends = run.optimal is None
        no = "What it leads to depends on the others." if depends else "Optimal: no."
        return message_html("wrong", f"{no} Certain is {names}: {outcome}")
    which = f"the optimal actions are {names}" if len(best) > 1 else f"only {names} is optimal"
    which = "every action is optimal here" if every else which
    if run.optimal:
        return message_html("right", f"Optimal: yes. With best play: {result}; {which}.")
    chosen_result = run.exact_values[run.result.action].result(state)
    return message_html(
        "wrong", f"Optimal: no. It leads to this: {chosen_result}; {which}: {result}."
    )


def _line_html(state: GameState, line: tuple[Action, ...]) -> str:
    """Return the principal variation: its moves, and a small board after each."""
    moves: list[str] = []
    boards: list[str] = []
    for action in line:
        moves.append(f"{state.player_name(state.current_player)} {state.action_name(action)}")
        state = state.successor(action)
        if state.spots() and len(boards) < 12:
            boards.append(board_svg(state))
    text = markup_to_html(f"Principal variation: {'; '.join(moves)}")
    if not boards:
        return f"<div>{text}</div>"
    strip = f'<div class="gl-strip">{"".join(boards)}</div>'
    return f"<details><summary>{text}</summary>{strip}</details>"


def runs_table(runs: list[SearchRun]) -> str:
    """Return the last runs as a table, newest first, without empty columns."""
    rows = [
        {
            "run": number,
            "position": _shortened(run.state),
            "algorithm": run.name,
            "options": run.task.settings,
            "action": run.state.action_name(run.result.action),
            "value": _value(run.result).replace(" ", "\N{NO-BREAK SPACE}"),
            "optimal": {True: "yes", False: "NO", None: "?"}[run.optimal],
            "nodes": run.result.stats.nodes or None,
            "simulations": run.result.stats.simulations or None,
            "seconds": f"{run.result.seconds:.2f}",
        }
        for number, run in enumerate(runs, 1)
    ]
    rows = rows[-SHOWN_RUNS:]
    rows.reverse()
    columns = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    return table(columns, [[row[name] for name in columns] for row in rows])


def _shortened(state: GameState) -> str:
    lines = str(state).split("\n")
    text = "/".join(line.replace(" ", "") for line in lines) if len(lines) > 1 else lines[0]
    return text if len(text) <= 24 else f"{text[:21]}..."
