"""Experiments with repeated runs of MCTS, whose choices are summed up in rows.

An experiment is a function of `progress` and `stop`, like a search.  It returns a list of rows,
each a dict from column to value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from math import exp, lgamma, log, log1p
from typing import Any

from course.draw.charts import wilson
from course.widgets.oracle import best_actions, exact_action_values
from course.widgets.search_form import run_search
from gamefast.fast import Search
from gamelib.conformance import check_hashable
from gamelib.search import SearchResult, mcts
from gamelib.search.callbacks import Poller, Progress, Stop
from gamelib.state import Action, GameState

Row = dict[str, Any]
Rows = list[Row]

SLICE = 500  # simulations of a lab program between two checks of `stop`


class ActionCounts(dict[Action, int]):
    """The number of times each action was chosen, most frequent first; prints as "3: 41, 2: 9"."""

    def __init__(self, chosen: Iterable[Action] | Mapping[Action, int]) -> None:
        super().__init__(Counter(chosen).most_common())

    def __str__(self) -> str:
        return ", ".join(f"{action}: {n}" for action, n in self.items())


def optimal(state: GameState) -> tuple[Action, ...] | None:
    """Return the optimal actions; None if they are unknown."""
    check_hashable(state, "a state", state)
    return _optimal(state)


@cache
def _optimal(state: GameState) -> tuple[Action, ...] | None:
    # The first call may have spent its time waiting for the compiler.
    values = exact_action_values(state) or exact_action_values(state)
    return tuple(best_actions(values)) if values else None


def mcts_choices(
    state: GameState,
    settings: Mapping[Any, Mapping[str, Any]],
    *,
    search: Search = mcts,
    runs: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Rows:
    """Return what repeated MCTS chooses under several settings, one row for each.

    agreement   the proportion of runs that chose the most frequent action, with its 95 % interval
                (see `modal_share_interval`)
    optimal     the proportion that chose an optimal action, with Wilson's interval, because runs
                can agree on a wrong one; None if the optimal actions are unknown
    tree nodes  the mean number of nodes in the final tree
    value       the median of the values found, with the ends of the middle 90 % of them
    chosen      action -> number of runs that chose it; `best` has the optimal ones
    one run     the choice and the value of the first run; rows that differ only in the number of
                simulations show how this run develops

    `settings` maps names to options of `mcts`; run number i has the seed `seed` + i.  With
    `search=fast(mcts)` the same seeds give other trees with the same distribution.
    """
    best, watch = optimal(state), Poller(progress, stop)
    rows = []
    for index, (name, setting) in enumerate(settings.items()):
        results = []
        for run in range(runs):
            watch((index + run / runs) / len(settings), None)
            results.append(run_search(search, state, {**setting, "rng": seed + run}, None, stop))
        rows.append({"setting": name, "runs": runs, **_summary(state, results, best)})
    return rows


def _summary(
    state: GameState, results: Sequence[SearchResult], best: Collection[Action] | None
) -> Row:
    """Return the columns of `mcts_choices` that sum up some runs."""
    runs, chosen, first = len(results), ActionCounts(each.action for each in results), results[0]
    between = modal_share_interval(chosen.values(), len(state.legal_actions()))
    row = with_interval("agreement", max(chosen.values()) / runs, between)
    row["optimal"] = None
    if best is not None:
        hits = sum(n for action, n in chosen.items() if action in best)
        row |= with_interval("optimal", hits / runs, wilson(hits, runs))
    # a class like `PlainMCTS` does not count them
    if any(grown := [each.stats.tree_nodes for each in results]):
        row["tree nodes"] = round(sum(grown) / runs)
    if values := sorted(result.value for result in results if result.value is not None):
        low, middle, high = (values[round(part * (len(values) - 1))] for part in (0.05, 0.5, 0.95))
        row |= with_interval("value", round(middle, 3), (low, high))
        row["value of one run"] = round(first.value or 0, 3)
    return {**row, "one run": first.action, "chosen": chosen, "best": best and [*best]}


def with_interval(name: str, number: float, ends: tuple[float, float]) -> Row:
    """Return the columns of a number and the ends of its interval."""
    low, high = ends
    return {name: number, f"{name} from": round(low, 3), f"{name} to": round(high, 3)}


def search_of(program: Callable[..., Any]) -> Search:
    """Return a lab program, a class like `PlainMCTS`, as a search; return a search as it is."""
    if not isinstance(program, type):
        return program

    def search(
        state: GameState,
        *,
        simulations: int,
        c: float = 2**0.5,
        rng: int = 0,
        stop: Stop | None = None,
    ) -> SearchResult:
        run, action, watch = program(state, seed=rng, c=c), None, Poller(None, stop)
        for done in range(0, simulations, SLICE):
            watch(0, None)
            action = run.search(min(SLICE, simulations - done))
        visits = {child.action: child.visits for child in run.root.children}
        (mean,) = [each.total / each.visits for each in run.root.children if each.action == action]
        return SearchResult(action, 2 * mean - 1, visits=visits, kind="estimate")

    return search


def modal_share_interval(counts: Collection[int], actions: int) -> tuple[float, float]:
    """Return (low, high), a 95 % interval of the proportion of the most frequent action.

    counts   how often each action was chosen
    actions  the number of actions to choose from

    The most frequent action is itself random, so an interval around the largest proportion alone
    would be too high.  Therefore each action gets the exact interval (Clopper and Pearson 1934) at
    the level 1 - 0.05 / actions.  By Bonferroni, all of them hold at once in at least 95 of 100
    experiments.  Then the largest proportion is between the highest lower end and the highest upper
    end, and at least 1 / actions.
    """
    most, runs, error = max(counts), sum(counts), 0.025 / actions
    low = _share_where(lambda share: _tail(most, runs, share) < error) if most else 0
    high = _share_where(lambda share: _tail(most + 1, runs, share) < 1 - error)
    return max(1 / actions, low), max(high, most / runs)


def _share_where(below: Callable[[float], bool]) -> float:
    """Return the proportion up to which `below` is true."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low


def _tail(least: int, runs: int, share: float) -> float:
    """Return the probability of `least` or more hits in this number of runs."""
    ways = [lgamma(runs + 1) - lgamma(n + 1) - lgamma(runs - n + 1) for n in range(runs + 1)]
    hit, miss = log(share), log1p(-share)
    return sum(exp(ways[n] + n * hit + (runs - n) * miss) for n in range(least, runs + 1))
