"""Mini-labs: experiments that return rows, and a widget that runs one and shows table and chart.

An experiment is a function of `progress` and `stop`, like a search; it returns a list of rows, each
a dict from column to value.  The same function gives the same rows from code.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from ipywidgets import HTML, Button, FloatProgress, HBox, Image, Layout

from gamelib.agents import Agent, play_game
from gamelib.draw import charts
from gamelib.games.boards import MARKS
from gamelib.search import Stats, alphabeta, centre_first, mcts, minimax, solve, take_a_win
from gamelib.search.limits import Progress, SearchStopped, Stop
from gamelib.state import GameState
from gamelib.widgets.panel import Notice, Panel, error_text, marked_up, remark, table
from gamelib.widgets.quiz import Predict, shortened
from gamelib.widgets.runner import Outcome
from gamelib.widgets.search_form import watched

Row = dict[str, Any]
Rows = list[Row]
Experiment = Callable[..., Rows]

SEARCHES: dict[str, Callable[..., Any]] = {
    "minimax": minimax,
    "alpha-beta": alphabeta,
    "alpha-beta, centre first": partial(alphabeta, order=centre_first),
}


def depth_cost(
    state: GameState,
    depths: Iterable[int] = range(1, 6),
    *,
    searches: Mapping[str, Callable[..., Any]] = SEARCHES,
    cuts: bool = False,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Rows:
    """Return the nodes that each search visits, one row for each depth.

    With `cuts` there are the cuts of each search, too, in the columns "cuts of minimax" and so on.
    """
    depths = list(depths)
    rows: Rows = []
    parts = len(depths) * len(searches)
    for depth in depths:
        stats: dict[str, Stats] = {}
        for name, search in searches.items():
            done = len(rows) * len(searches) + len(stats)
            _watch(done / parts, progress, stop)
            part = _part(done, parts, progress)
            stats[name] = watched(search, state, {"depth": depth}, part, stop).stats
        counts = {name: each.nodes for name, each in stats.items()}
        cut = {f"cuts of {name}": each.cutoffs for name, each in stats.items()} if cuts else {}
        rows.append({"depth": depth, **counts, **cut})
    return rows


def mcts_choices(
    state: GameState,
    settings: Mapping[str, Mapping[str, Any]],
    *,
    runs: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Rows:
    """Return what repeated MCTS chooses under several settings, one row for each.

    `agreement` is the share of the runs that chose the most frequent action, `optimal` the share
    of those that chose an optimal one: runs can agree on an error.  `settings` names options of
    `mcts`; run number i has the seed `seed` + i.
    """
    answers = solve(state, stop=stop)
    best = {a for a, bound in answers.values.items() if bound.value == answers.value}
    rows = []
    for done, (name, options) in enumerate(settings.items()):
        chosen: Counter[Any] = Counter()
        for run in range(runs):
            _watch((done + run / runs) / len(settings), progress, stop)
            chosen[mcts(state, **options, rng=seed + run, stop=stop).action] += 1
        rows.append(
            {
                "setting": name,
                "runs": runs,
                "agreement": max(chosen.values()) / runs,
                "optimal": sum(n for action, n in chosen.items() if action in best) / runs,
                "chosen": ", ".join(f"{a}: {n}" for a, n in chosen.most_common()),
            }
        )
    return rows


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
        shares = {f"{MARKS[p]} wins": wins[p] / games for p in range(state.num_players)}
        rows.append({"agent": name, "games": games, **shares, "draws": wins[None] / games})
    return rows


def proof_cost(
    positions: Mapping[str, GameState],
    *,
    simulations: int = 2000,
    seed: int = 0,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> Rows:
    """Return how many simulations MCTS with a solver needs to prove each position, if it does."""
    rows = []
    for done, (name, state) in enumerate(positions.items()):
        _watch(done / len(positions), progress, stop)
        search = partial(mcts, state, simulations=simulations, rng=seed, stop=stop)
        solver, plain = search(solver=True), search()
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


class Lab(Panel):
    """An experiment to run: asks for a guess first, then shows rows as a table and a chart.

    experiment  a function of `progress` and `stop` that returns rows
    ask         a question about the outcome, and a function that finds the answer in the rows
    chart       a function that draws the rows as a Figure
    """

    def __init__(
        self,
        title: str,
        experiment: Experiment,
        *,
        ask: tuple[str, Callable[[Rows], float]] | None = None,
        chart: Callable[[Rows], Any] | None = None,
    ) -> None:
        self.title, self.experiment = title, experiment
        self.rows: Rows = []
        self._measure, self._chart = ask[1] if ask else None, chart
        self._lock = threading.RLock()
        self._failed: BaseException | None = None
        self._asked = False
        self.predict = Predict(ask[0]) if ask else None
        self._run_button = _button("Run", self._clicked_run, "Run the experiment")
        self._run_button.button_style = "primary"
        self._stop_button = _button("Stop", self._stop, "Stop the experiment")
        self._progress = FloatProgress(min=0, max=1)
        controls = HBox([self._run_button, self._stop_button, self._progress])
        controls.add_class("gl-row")
        self._remark, self._table, self._text = Notice(), Notice(), Notice()
        self._image = Image(format="png", layout=Layout(display="none", max_width="100%"))
        heading = HTML(f'<div class="gl-status">{marked_up(title)}</div>')
        asked = [self.predict] if self.predict else []
        super().__init__(
            *(heading, *asked, controls, self._remark, self._table, self._image, self._text)
        )
        self._show(busy=False)

    def run(self) -> Rows:
        """Run the experiment, wait for its end, and return the rows."""
        self._begin()
        self.runner.wait()
        if self._failed is not None:
            raise self._failed
        return self.rows

    def state_text(self) -> str:
        """Return the title and the number of rows."""
        return f"{shortened(self.title)!r}, {f'{len(self.rows)} rows' if self.rows else 'not run'}"

    def _clicked_run(self) -> None:
        if self.predict and self.predict.guess is None and not self._asked:
            self._asked = True
            self._remark.show(remark("note", "Guess first; or press Run again to go without."))
        else:
            self._begin()

    def _begin(self) -> None:
        with self._lock:
            self._failed = None
            self._show(busy=True)
            self.runner.start(
                lambda progress, stop: self.experiment(progress=progress, stop=stop),
                on_progress=lambda share, best: setattr(self._progress, "value", share),
                on_end=self._ended,
            )

    def _stop(self) -> None:
        self.runner.stop()

    def _ended(self, outcome: Outcome) -> None:
        with self._lock:
            self._failed = outcome.error
            if outcome.status == "done":
                self.rows = outcome.result
            self._show(busy=False)
            if outcome.status == "done":
                self._show_rows()
            elif outcome.error is not None:
                self._remark.show(remark("error", error_text(outcome.error)))
            else:
                self._failed = RuntimeError("the experiment was stopped")
                self._remark.show(remark("note", "Stopped."))

    def _show(self, busy: bool) -> None:
        self._run_button.disabled, self._stop_button.disabled = busy, not busy
        self._progress.layout.visibility = "visible" if busy else "hidden"
        self._progress.value = 0
        self._remark.show("")

    def _show_rows(self) -> None:
        columns = list(dict.fromkeys(name for row in self.rows for name in row))
        self._table.show(table(columns, [[row.get(name) for name in columns] for row in self.rows]))
        if self.predict and self._measure:
            self.predict.compare(self._measure(self.rows))
        if self._chart:
            figure = self._chart(self.rows)
            self._image.value = figure._repr_png_()
            self._image.layout.display = ""
            text = getattr(figure, "gamelib_text", "")
            self._text.show(f'<div class="gl-small-print">{marked_up(text)}</div>')


def depth_lab(state: GameState, depths: Iterable[int] = range(1, 6)) -> Lab:
    """Return the lab of depth against cost: minimax and alpha-beta, as listed and centre first."""
    depths = list(depths)
    return Lab(
        "Depth against cost",
        partial(depth_cost, state, depths, cuts=True),
        ask=(
            f"At depth {depths[-1]}: how many times as many nodes as alpha-beta has minimax?",
            lambda rows: float(f"{rows[-1]['minimax'] / rows[-1]['alpha-beta']:.3g}"),
        ),
        chart=lambda rows: charts.nodes_by_depth(
            {name: {row["depth"]: row[name] for row in rows} for name in SEARCHES}
        ),
    )


def stability_lab(
    state: GameState, budgets: Iterable[int] = (20, 100, 500), *, runs: int = 20
) -> Lab:
    """Return the lab of simulations against stability: do runs agree, and are they right?"""
    settings = {n: {"simulations": n} for n in budgets}
    return _choices_lab("Simulations against stability", "simulations", state, settings, runs)


def exploration_lab(
    state: GameState,
    constants: Iterable[float] = (0.1, 0.5, 1.4, 5),
    *,
    simulations: int = 200,
    runs: int = 20,
) -> Lab:
    """Return the lab of the exploration constant c."""
    settings = {c: {"c": c, "simulations": simulations} for c in constants}
    return _choices_lab("The exploration constant", "c", state, settings, runs)


def rollouts_lab(state: GameState, *, simulations: int = 100, runs: int = 20) -> Lab:
    """Return the lab of rollouts: random ones, and ones that take a win."""
    settings: dict[str, dict[str, Any]] = {
        "random rollouts": {"simulations": simulations},
        "rollouts that take a win": {"simulations": simulations, "rollout": take_a_win},
    }
    last = list(settings)[-1]
    return Lab(
        "Rollouts",
        partial(mcts_choices, state, settings, runs=runs),
        ask=(
            f"With {last}, how many of {runs} runs choose an optimal action?",
            lambda rows: round(rows[-1]["optimal"] * rows[-1]["runs"]),
        ),
        chart=lambda rows: charts.win_rates(
            {row["setting"]: (round(row["optimal"] * row["runs"]), row["runs"]) for row in rows},
            title="Share of optimal choices",
            even=None,
        ),
    )


def solver_lab(positions: Mapping[str, GameState], *, simulations: int = 2000) -> Lab:
    """Return the lab of the solver: how many simulations does a proof need?"""
    first = next(iter(positions))
    return Lab(
        "Simulations to a proof",
        partial(proof_cost, positions, simulations=simulations),
        ask=(
            f"How many simulations until {first} is proven?",
            lambda rows: int(rows[0]["simulations"]),
        ),
        chart=lambda rows: charts.proofs(
            {row["position"]: (row["simulations"], row["proven"]) for row in rows}
        ),
    )


def seats_lab(state: GameState, agents: Mapping[str, Agent], *, games: int = 200) -> Lab:
    """Return the lab of the seats: how often does the first player win when equals play?"""
    first = next(iter(agents))
    return Lab(
        "Seats",
        partial(seat_shares, state, agents, games=games),
        ask=(
            f"{first} in every seat: of 100 games, how many does X win?",
            lambda rows: round(100 * rows[0]["X wins"]),
        ),
        chart=_seats_chart,
    )


def _seats_chart(rows: Rows) -> Any:
    """Return the chart of who won the games of each agent against itself."""
    outcomes = [name for name in rows[0] if name not in ("agent", "games")]
    shares = {
        f"{row['agent']}: {name}": (round(row[name] * row["games"]), row["games"])
        for row in rows
        for name in outcomes
    }
    return charts.win_rates(shares, title="Share of games", even=None)


def _choices_lab(
    title: str, per: str, state: GameState, settings: Mapping[Any, Mapping[str, Any]], runs: int
) -> Lab:
    """Return a lab of repeated MCTS under settings that differ in one number."""
    named = {f"{per} {number:g}": options for number, options in settings.items()}

    def chart(rows: Rows) -> Any:
        curves: dict[str, Any] = {
            name: {
                number: (round(row[name] * row["runs"]), row["runs"])
                for number, row in zip(settings, rows, strict=True)
            }
            for name in ("agreement", "optimal")
        }
        return charts.convergence(curves, of="runs", per=per)

    question = f"With {list(named)[-1]}, how many of {runs} runs choose an optimal action?"
    return Lab(
        title,
        partial(mcts_choices, state, named, runs=runs),
        ask=(question, lambda rows: round(rows[-1]["optimal"] * rows[-1]["runs"])),
        chart=chart,
    )


def _button(name: str, reaction: Callable[[], object], tooltip: str) -> Button:
    button = Button(description=name, tooltip=tooltip)
    button.on_click(lambda _: reaction())
    return button
