"""Experiments: the data of the mini-labs, as rows.

An experiment is a function of `progress` and `stop`, like a search; it returns a list of rows, each
a dict from column to value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from math import exp, lgamma, log, log1p
from typing import Any

from course.widgets.search_form import heard
from gamelib.agents import Agent, play_game
from gamelib.compiled.fast import Search, fastest
from gamelib.games import ConnectFour
from gamelib.search import Stats, alphabeta, centre_first, mcts, minimax, solve
from gamelib.search.limits import Evaluate, Progress, SearchStopped, Stop
from gamelib.state import GameState

Row = dict[str, Any]
Rows = list[Row]

SEARCHES: dict[str, Search] = {
    "minimax": minimax,
    "alpha-beta": alphabeta,
    "alpha-beta, centre first": partial(alphabeta, order=centre_first),
}


def searches_for(state: GameState, evaluate: Evaluate | None = None) -> dict[str, Search]:
    """Return those of `SEARCHES` that suit a game, with a heuristic if there is one.

    Only Connect Four has columns to order.
    """
    columns = isinstance(state, ConnectFour)
    return {
        name: partial(search, evaluate=evaluate)
        for name, search in SEARCHES.items()
        if columns or "centre" not in name
    }


def depth_cost(
    state: GameState,
    depths: Iterable[int] = range(1, 6),
    *,
    searches: Mapping[str, Search] | None = None,
    cuts: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Rows:
    """Return the nodes that each search visits, one row for each depth.

    Without `searches` these are minimax and alpha-beta.  With `cuts` there are the cuts of each
    search, too, in the columns "cuts of minimax" and so on.
    """
    searches = searches_for(state) if searches is None else searches
    depths = list(depths)
    rows: Rows = []
    parts = len(depths) * len(searches)
    for depth in depths:
        stats: dict[str, Stats] = {}
        for name, search in searches.items():
            done = len(rows) * len(searches) + len(stats)
            _watch(done / parts, progress, stop)
            part = _part(done, parts, progress)
            stats[name] = heard(search, state, {"depth": depth}, part, stop).stats
        counts = {name: each.nodes for name, each in stats.items()}
        cut = {f"cuts of {name}": each.cutoffs for name, each in stats.items()} if cuts else {}
        rows.append({"depth": depth, **counts, **cut})
    return rows


def mcts_choices(
    state: GameState,
    settings: Mapping[str, Mapping[str, Any]],
    *,
    search: Search = mcts,
    runs: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Rows:
    """Return what repeated MCTS chooses under several settings, one row for each.

    `agreement` is the share of the runs that chose the most frequent action, with an interval (see
    `favourite_interval`), `optimal` the share of those that chose an optimal one: runs can agree on
    an error.  `settings` names options of `mcts`; run number i has the seed `seed` + i.  With
    `search=fast(mcts)` other trees grow from the same seeds, in the same way.
    """
    answers = fastest(solve, state)(state, stop=stop)
    best = {a for a, bound in answers.values.items() if bound.value == answers.value}
    rows = []
    for done, (name, setting) in enumerate(settings.items()):
        chosen: Counter[Any] = Counter()
        for run in range(runs):
            _watch((done + run / runs) / len(settings), progress, stop)
            chosen[search(state, **setting, rng=seed + run, stop=stop).action] += 1
        low, high = favourite_interval(chosen.values(), len(state.legal_actions()))
        rows.append(
            {
                "setting": name,
                "runs": runs,
                "agreement": max(chosen.values()) / runs,
                "agreement from": round(low, 3),
                "agreement to": round(high, 3),
                "optimal": sum(n for action, n in chosen.items() if action in best) / runs,
                "chosen": ", ".join(f"{a}: {n}" for a, n in chosen.most_common()),
            }
        )
    return rows


def favourite_interval(counts: Collection[int], actions: int) -> tuple[float, float]:
    """Return (low, high), a 95 % interval of the share of the most frequent of so many actions.

    Which action that is, is chance, too: an interval of one share, put round the largest, lies too
    high.  So each action has the exact interval (Clopper and Pearson 1934) of 1 - 0.05 / actions.
    All of them hold at once in 95 of 100 experiments or more (Bonferroni), and then the largest
    share lies between the highest of the lower and the highest of the upper ends.  It is
    1 / actions at least.
    """
    most, runs, error = max(counts), sum(counts), 0.025 / actions
    low = _share_where(lambda share: _tail(most, runs, share) < error) if most else 0
    high = _share_where(lambda share: _tail(most + 1, runs, share) < 1 - error)
    return max(1 / actions, low), max(high, most / runs)


def _share_where(below: Callable[[float], bool]) -> float:
    """Return the share up to which `below` is true."""
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return low


def _tail(least: int, runs: int, share: float) -> float:
    """Return the probability of `least` hits or more in so many runs."""
    ways = [lgamma(runs + 1) - lgamma(n + 1) - lgamma(runs - n + 1) for n in range(runs + 1)]
    hit, miss = log(share), log1p(-share)
    return sum(exp(ways[n] + n * hit + (runs - n) * miss) for n in range(least, runs + 1))


def seat_shares(
    state: GameState,
    agents: Mapping[str, Agent],
    *,
    games: int = 200,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Rows:
    """Return how often each seat wins when one agent plays them all, one row for each agent."""
    rows = []
    for done, (name, agent) in enumerate(agents.items()):
        wins: Counter[int | None] = Counter()
        for game in range(games):
            _watch((done + game / games) / len(agents), progress, stop)
            payoffs = play_game(*[agent] * state.num_players, state=state).utilities
            winners = [player for player, payoff in enumerate(payoffs) if payoff > 0]
            wins[winners[0] if winners else None] += 1
        shares = {f"{state.player_name(p)} wins": wins[p] / games for p in range(state.num_players)}
        rows.append({"agent": name, "games": games, **shares, "draws": wins[None] / games})
    return rows


def proof_cost(
    positions: Mapping[str, GameState],
    *,
    search: Search = mcts,
    simulations: int = 2000,
    seed: int = 0,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Rows:
    """Return how many simulations MCTS with a solver needs to prove each position, if it does."""
    rows = []
    for done, (name, state) in enumerate(positions.items()):
        _watch(done / len(positions), progress, stop)
        budget = {"simulations": simulations, "rng": seed, "stop": stop}
        solver, plain = search(state, solver=True, **budget), search(state, **budget)
        proven = solver.utilities is not None
        rows.append(
            {
                "position": name,
                "simulations": solver.stats.simulations,
                "proven": proven,
                "value": solver.value,
                "value without solver": plain.value,
            }
        )
    return rows


def _part(done: int, parts: int, progress: Progress | None) -> Progress | None:
    """Return the progress of one part of an experiment, after so many others."""
    return progress and (lambda share, best: progress((done + share) / parts, None))


def _watch(share: float, progress: Progress | None, stop: Stop | None) -> None:
    if progress:
        progress(share, None)
    if stop and stop():
        raise SearchStopped
