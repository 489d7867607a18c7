"""Searches tried on a position: what they would cost, what they found, and what is true.

Nothing here knows how a playground looks: `run(state, [Task(minimax, {"depth": 3})])` makes no
widget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from math import inf
from random import Random
from typing import Any

from course.draw.tree import tree
from course.draw.words import number_in_words
from course.kit.blame import name_of
from course.kit.sound import after
from course.watch.trace import record
from course.widgets.oracle import RefusedError, affordable_depth, estimated_nodes, verdicts
from course.widgets.run_report import Run
from course.widgets.search_form import heard
from gamefast.fast import Search, fastest
from gamelib.search import SEARCHES, SearchResult
from gamelib.search.limits import Progress, Stop
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
READABLE, COMPILED, HEURISTIC = 1e6, 1e8, 3e6  # nodes a second, about; the last asks a heuristic
MOST_DRAWN = 60  # nodes of a tree
MUCH = 20  # seconds: the widget asks before it starts a search of so many


@dataclass(frozen=True)
class Task:
    """A search to run, and its options; `settings` are those options as a form names them."""

    search: Search
    options: Mapping[str, Any] = field(default_factory=dict)
    algorithm: str = ""
    settings: str = ""

    @property
    def name(self) -> str:
        """What it is called."""
        return self.algorithm or name_of(self.search)

    def program(self, state: GameState) -> Search:
        """Return what runs: machine code where it is there, and no tree is small enough to see."""
        if self.options.get("simulations", inf) <= MOST_DRAWN:
            return self.search  # machine code grows another tree, which nobody has seen
        return fastest(self.search, state, **self.options)


def warning(state: GameState, tasks: Sequence[Task]) -> str | None:
    """Return in words why the tasks would take very long; None if they would not."""
    found = (_warning(state, task, len(tasks) == 1) for task in tasks)
    return next(filter(None, found), None)


def _warning(state: GameState, task: Task, alone: bool) -> str | None:
    options = task.options
    if "depth" not in options or options.get("seconds") or options.get("simulations"):
        return None
    # Most random games are short, and the few long ones count most: so it is too low, if anything.
    size = estimated_nodes(state, options["depth"])
    nodes, of = size, ""
    if description(task.search).prunes:
        # Pearl 1982: with actions in random order alpha-beta visits about size ** 0.75
        nodes, of = size**0.75, f" of {number_in_words(size)}"
    speed = READABLE if task.program(state) is task.search else COMPILED
    speed = min(speed, HEURISTIC if options.get("evaluate") else inf)
    if nodes <= MUCH * speed:
        return None
    return (
        f"{'This search' if alone else task.name} would visit at least {number_in_words(nodes)}"
        f"{of} nodes; at {number_in_words(speed)} a second that takes {_duration(nodes / speed)}."
    )


def _duration(seconds: float) -> str:
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * size:
            return f"{number_in_words(seconds / size)} {unit}"
    return f"{seconds:.0f} seconds"


def first_depth(state: GameState, task: Task) -> int | None:
    """Return the depth to begin with: the whole tree, if that is searched in a moment."""
    if _warning(state, replace(task, options={**task.options, "depth": None}), True) is None:
        return None
    nodes = READABLE if task.program(state) is task.search else COMPILED
    return affordable_depth(state, nodes ** (4 / 3 if description(task.search).prunes else 1))


def run(
    state: GameState, tasks: Iterable[Task], progress: Progress, stop: Stop
) -> tuple[Run, ...] | None:
    """Return what each task finds, one after the other, and what is true of the position.

    None where none has an answer.
    """
    done: list[tuple[Task, SearchResult, bool]] = []
    tasks = list(tasks)
    for place, task in enumerate(tasks):

        def part(share: float, best: Action, place: int = place) -> None:
            progress((place + share) / len(tasks), best)

        program = _prepared(state, task)
        found = heard(program, state, task.options, part, stop)
        done.append((task, found, program is not task.search))
        if stop():
            break  # the best so far of the one that was stopped counts; no other begins
    try:
        known, why = verdicts(state, stop=stop), ""
    except RefusedError as error:
        known, why = None, str(error)
    answered = tuple(
        Run(state, t.name, t.options, it, known, quick, why, _tree_of(state, t, it), t.settings)
        for t, it, quick in done
        if it.action is not None
    )
    return answered or None


def _prepared(state: GameState, task: Task) -> Search:
    """Return what runs, with machine code loaded before a clock does, by a nearly finished game."""
    program = task.program(state)
    if program is task.search:
        return program
    rng, late = Random(0), state
    while not (then := after(late, rng.choice(late.legal_actions()))).is_terminal():
        late = then
    few = {"simulations": 1, "seconds": None} if "simulations" in task.options else {}
    program(late, **{**task.options, **few})
    return task.program(state)  # another one where machine code turns out not to work


def _tree_of(state: GameState, task: Task, result: SearchResult) -> str:
    """Return a picture of the tree that was searched, if it is small enough to be seen."""
    size = max(result.stats.nodes, result.stats.tree_nodes)
    again = not result.stopped and not task.options.get("seconds")  # it does the same once more
    if not again or not 1 < size <= MOST_DRAWN:
        return ""
    trace = record(task.search, state, **task.options)
    seen = trace.result == result and len(trace.visits) >= size  # machine code shows nothing
    return str(tree(trace)) if seen else ""


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
