"""A run of a search in words and tables: its choice, its cost, and whether that is optimal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from math import inf, log, sqrt
from typing import Any

from course.draw.words import action_names, capital
from course.widgets.oracle import Mark, Verdict, best_actions
from course.widgets.panel import marked_up, remark, table
from gamelib.picture.board import position
from gamelib.search import COUNTING, Bound, SearchResult
from gamelib.state import Action, GameState


@dataclass(frozen=True)
class Run:
    """One search: what was asked, what it answered, and which actions are truly optimal."""

    state: GameState
    algorithm: str
    options: Mapping[str, Any]
    result: SearchResult
    known: Mapping[Action, Verdict] | None
    compiled: bool = False
    refused: str = ""  # why the solver cannot say what is true, whatever time it has
    tree: str = ""  # a picture of what was searched, where that is small
    settings: str = ""  # the options, as the form names them

    @property
    def name(self) -> str:
        """What the search is called."""
        return f"{self.algorithm} (compiled)" if self.compiled else self.algorithm

    @property
    def optimal(self) -> bool | None:
        """Whether the chosen action is among the optimal ones; None where that is not known."""
        if self.known is None or self.result.action not in self.known:
            return None
        return self.result.action in best_actions(self.known)


def marks_of(run: Run) -> dict[Action, Mark]:
    """Return what the board shows of a run: values or visits, tinted by what is proven.

    An estimate has no tint: it would lend it the look of a proof.
    """
    texts: dict[Action, str] = {}
    if run.result.visits:
        total = sum(run.result.visits.values()) or 1
        texts = {action: f"{n / total:.0%}" for action, n in run.result.visits.items()}
    elif run.result.values:
        texts = {action: short(bound) for action, bound in run.result.values.items()}
    elif run.known:
        texts = {action: verdict.mark().text for action, verdict in run.known.items()}
    proven = {a: verdict for a, verdict in (run.known or {}).items() if "~" not in texts.get(a, "")}
    return {a: Mark(t, proven[a].mark().kind if a in proven else "plain") for a, t in texts.items()}


def short(bound: Bound) -> str:
    """Return a bound with two digits after the point, as there is room for on a board."""
    value = round(bound.value, 2)
    return repr(Bound(value, bound.kind))


def legend(run: Run) -> str:
    """Return what the colours and the texts on the board mean."""
    me = run.state.player_name(run.state.current_player)
    if run.known and run.state.num_players == 2:
        other = run.state.player_name(1 - run.state.current_player)
        truth = f"Colour: what is proven. Green: {me} wins; yellow: a draw; red: {other} wins."
    else:
        truth = "Grey: nothing is proven."
    text = "the share of the visits" if run.result.visits else f"the value for {me}"
    what = f" Text: {text} that {run.algorithm} found." if marks_of(run) else ""
    return truth + what


def _visits_table(run: Run) -> str:
    """Return the actions of MCTS at the root, the most visited first, as it chose among them."""
    result, me = run.result, run.state.player_name(run.state.current_player)
    counts = result.visits or {}
    total, c = sum(counts.values()), run.options.get("c", 0)
    rows = []
    for action, visits in sorted(counts.items(), key=lambda item: -item[1]):
        bound = result.values.get(action)
        mean = float(bound.value + 1) / 2 if bound and visits else 0
        bonus = c * sqrt(log(total) / visits) if visits else inf
        rows.append([run.state.action_name(action), visits, f"{mean:.2f}", f"{mean + bonus:.2f}"])
    columns = ["action", "visits", f"mean for {me}", "UCB score"]
    return table(columns, rows)


def choices(runs: Sequence[Run]) -> str:
    """Return as HTML what runs chose, and whether that is optimal."""
    said = "".join(f"<div>{_head(run)}{_optimality(run)}</div>" for run in runs)
    return f'<div class="gl-answers">{said}</div>' if said else ""


def details(runs: Sequence[Run]) -> str:
    """Return what runs cost and found, next to each other where there is room, and a legend."""
    if not runs:
        return ""
    results = "".join(f"<div>{_details(run)}</div>" for run in runs)
    convention = marked_up(COUNTING) if any(map(_counts, runs)) else ""
    small = f'<div class="gl-small-print">{convention} {marked_up(legend(runs[0]))}</div>'
    return f'<div class="gl-answers">{results}</div>{small}'


def _counts(run: Run) -> dict[str, int]:
    return {name: n for name, n in asdict(run.result.stats).items() if n}


def _head(run: Run) -> str:
    """Return what a run chose, and what that is worth."""
    result, state = run.result, run.state
    who = state.player_name(state.current_player)
    value = "" if result.value is None else f" Value for {who}: {_value(result)}."
    head = f"{run.name} chose {state.action_name(result.action)}.{value}"
    head += " It was stopped: this is its best so far." * result.stopped
    return f'<div class="gl-status">{marked_up(head)}</div>'


def _details(run: Run) -> str:
    """Return the counts of a run, the visits of its actions, and its line."""
    counts = _counts(run)
    names = [name.replace("_", " ") for name in counts]
    found = table(names, [list(counts.values())]) if counts else ""
    found += _visits_table(run) if run.result.visits else ""
    return found + (_line_html(run.state, run.result.line) if run.result.line else "")


def _value(result: SearchResult) -> str:
    """Return the value of a position with the sign that says what is known of it."""
    return "" if result.value is None else short(Bound(result.value, result.kind))


def _optimality(run: Run) -> str:
    """Return whether the choice is optimal, in words that claim no more than is proven."""
    state, many = run.state, run.state.num_players > 2
    if run.known is None:
        why = run.refused or "a full search of this position is too large."
        if many:
            why = "with more than two players it depends on how the others choose."
        return remark("note", f"Optimal? Not known: {why}")
    best = best_actions(run.known)
    names = "; ".join(action_names(state, best))
    result, every = run.known[best[0]].result(state), len(best) == len(state.legal_actions())
    if many:  # then what is known holds whatever the others play
        sure = f"{result}, whatever the others play."
        if every or run.optimal:
            said = f"After every action: {sure}" if every else f"Optimal: yes. {capital(sure)}"
            return remark("right", said)
        depends = run.optimal is None
        no = "What it leads to depends on the others." if depends else "Optimal: no."
        return remark("wrong", f"{no} Certain is {names}: {sure}")
    which = f"the optimal actions are {names}" if len(best) > 1 else f"only {names} is optimal"
    which = "every action is optimal here" if every else which
    if run.optimal:
        return remark("right", f"Optimal: yes. With best play: {result}; {which}.")
    own = run.known[run.result.action].result(state)
    return remark("wrong", f"Optimal: no. It leads to this: {own}; {which}: {result}.")


def _line_html(state: GameState, line: tuple[Action, ...]) -> str:
    """Return the principal variation played out: the moves, and a small board after each."""
    moves: list[str] = []
    boards: list[str] = []
    for action in line:
        moves.append(f"{state.player_name(state.current_player)} {state.action_name(action)}")
        state = state.successor(action)
        if state.spots() and len(boards) < 12:
            boards.append(position(state))
    text = marked_up(f"Principal variation: {'; '.join(moves)}")
    if not boards:
        return f"<div>{text}</div>"
    return (
        f'<details><summary>{text}</summary><div class="gl-strip">{"".join(boards)}</div></details>'
    )


def runs_table(runs: list[Run]) -> str:
    """Return the last runs as a table, newest first; a column that says nothing is left out."""
    rows = [_run_row(number, run) for number, run in enumerate(runs, 1)][:-13:-1]
    columns = [name for name in rows[0] if any(row[name] not in (None, "") for row in rows)]
    return table(columns, [[row[name] for name in columns] for row in rows])


def _run_row(number: int, run: Run) -> dict[str, Any]:
    result = run.result
    return {
        "run": number,
        "position": shortened_position(run.state),
        "algorithm": run.name,
        "options": run.settings,
        "action": run.state.action_name(result.action),
        "value": _value(result).replace(" ", "\N{NO-BREAK SPACE}"),
        "optimal": {True: "yes", False: "NO", None: "?"}[run.optimal],
        "nodes": result.stats.nodes or None,
        "simulations": result.stats.simulations or None,
        "seconds": f"{result.seconds:.2f}",
    }


def shortened_position(state: GameState) -> str:
    """Return a position as the table shows it."""
    lines = str(state).split("\n")
    text = "/".join(line.replace(" ", "") for line in lines) if len(lines) > 1 else lines[0]
    return text if len(text) <= 24 else f"{text[:21]}..."
