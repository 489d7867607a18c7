"""Mini-labs: a widget that runs an experiment, and shows its rows as a table and a chart."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import partial
from typing import Any

from ipywidgets import HTML, Button, FloatProgress, HBox, Image, Layout

from course.draw import charts
from course.widgets.experiments import (
    Rows,
    depth_cost,
    mcts_choices,
    proof_cost,
    searches_for,
    seat_shares,
)
from course.widgets.panel import Notice, Panel, error_text, marked_up, remark, table
from course.widgets.quiz import Predict, shortened
from course.widgets.runner import Outcome
from gamelib.agents import Agent, SearchAgent
from gamelib.compiled.fast import fastest
from gamelib.search import mcts, take_a_win
from gamelib.search.limits import Evaluate
from gamelib.state import GameState

Experiment = Callable[..., Rows]

# What the labs try unless they are told, without machine code and with it: as much as takes a few
# seconds.
DEPTHS = {False: range(1, 6), True: range(1, 9)}
BUDGETS = {False: (20, 100, 500), True: (20, 100, 500, 2500, 10_000)}
PROOFS = {False: 2000, True: 100_000}

OTHER_CHANCE = (
    " Machine code draws its random numbers from another generator than the readable search: the"
    " same seeds give other runs. The shares of both differ by chance only."
)


class Lab(Panel):
    """An experiment to run: asks for a guess first, then shows rows as a table and a chart.

    experiment  a function of `progress` and `stop` that returns rows
    ask         a `Predict` about the outcome, and a function that finds the answer in the rows
    chart       a function that draws the rows as a Figure
    fast        whether searches run as machine code, to be shown
    """

    def __init__(
        self,
        title: str,
        experiment: Experiment,
        *,
        ask: tuple[Predict, Callable[[Rows], float]] | None = None,
        chart: Callable[[Rows], Any] | None = None,
        fast: bool = False,
    ) -> None:
        self.title, self.experiment, self.fast = title, experiment, fast
        self.rows: Rows = []
        self._measure, self._chart = ask[1] if ask else None, chart
        self._lock = threading.RLock()
        self._failed: BaseException | None = None
        self._asked = False
        self.predict = ask[0] if ask else None
        self._run_button = _button("Run", self._clicked_run, "Run the experiment")
        self._run_button.button_style = "primary"
        self._stop_button = _button("Stop", self._stop, "Stop the experiment")
        self._progress = FloatProgress(min=0, max=1)
        self._progress.add_class("gl-busy")
        controls = HBox([self._run_button, self._stop_button, self._progress])
        controls.add_class("gl-row")
        self._remark, self._table, self._text = Notice(), Notice(), Notice()
        self._image = Image(
            format="png", layout=Layout(display="none", max_width="min(100%, 800px)")
        )
        how = '<div class="gl-small-print">engine: compiled</div>' if fast else ""
        heading = HTML(f'<div class="gl-status">{marked_up(title)}</div>{how}')
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


def depth_lab(
    state: GameState, depths: Iterable[int] | None = None, *, evaluate: Evaluate | None = None
) -> Lab:
    """Return the lab of depth against cost: minimax and alpha-beta; Connect Four centre first, too.

    Without `evaluate` every game that the limit cuts short counts 0; such ties make cuts cheap.
    Like all labs it runs machine code where that is there for all that is compared.
    """
    readable = searches_for(state, evaluate)
    searches = {name: fastest(search, state) for name, search in readable.items()}
    fast = all(searches[name] is not readable[name] for name in readable)
    depths = list(DEPTHS[fast] if depths is None else depths)
    return Lab(
        "Depth against cost",
        partial(depth_cost, state, depths, searches=searches if fast else readable, cuts=True),
        ask=(
            Predict(
                f"At depth {depths[-1]}: how many times as many nodes as alpha-beta has minimax?",
                kind="magnitude",
            ),
            lambda rows: float(f"{rows[-1]['minimax'] / rows[-1]['alpha-beta']:.3g}"),
        ),
        chart=lambda rows: charts.nodes_by_depth(
            {name: {row["depth"]: row[name] for row in rows} for name in readable}
        ),
        fast=fast,
    )


def stability_lab(
    state: GameState,
    budgets: Iterable[int] | None = None,
    *,
    runs: int = 20,
) -> Lab:
    """Return the lab of simulations against stability: do runs agree, and are they right?"""
    usual = BUDGETS[fastest(mcts, state) is not mcts]
    settings = {n: {"simulations": n} for n in (usual if budgets is None else budgets)}
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
    """Return the lab of rollouts: random ones, and ones that take a win.

    It does not run as machine code, which has random rollouts only.
    """
    settings: dict[str, dict[str, Any]] = {
        "random rollouts": {"simulations": simulations},
        "rollouts that take a win": {"simulations": simulations, "rollout": take_a_win},
    }
    last = list(settings)[-1]
    return Lab(
        "Rollouts",
        partial(mcts_choices, state, settings, runs=runs),
        ask=(
            Predict(f"With {last}, how many of {runs} runs choose an optimal action?"),
            lambda rows: round(rows[-1]["optimal"] * rows[-1]["runs"]),
        ),
        chart=lambda rows: charts.win_rates(
            {row["setting"]: (round(row["optimal"] * row["runs"]), row["runs"]) for row in rows},
            title="Share of optimal choices",
            even=None,
        ),
    )


def solver_lab(positions: Mapping[str, GameState], *, simulations: int | None = None) -> Lab:
    """Return the lab of the solver: how many simulations does a proof need?"""
    first = next(iter(positions))
    choices = [fastest(mcts, state, solver=True) for state in positions.values()]
    fast = mcts not in choices
    budget = PROOFS[fast] if simulations is None else simulations
    return Lab(
        "Simulations to a proof",
        partial(proof_cost, positions, search=choices[0] if fast else mcts, simulations=budget),
        ask=(
            Predict(f"How many simulations until {first} is proven?", kind="magnitude"),
            lambda rows: int(rows[0]["simulations"]),
        ),
        chart=lambda rows: charts.proofs(
            {row["position"]: (row["simulations"], row["proven"]) for row in rows}
        ),
        fast=fast,
    )


def seats_lab(state: GameState, agents: Mapping[str, Agent], *, games: int = 200) -> Lab:
    """Return the lab of the seats: how often does the first player win when equals play?"""
    first, opens = next(iter(agents)), state.player_name(0)
    players = {name: _fastest_agent(agent, state) for name, agent in agents.items()}
    return Lab(
        "Seats",
        partial(seat_shares, state, players, games=games),
        ask=(
            Predict(f"{first} in every seat: of 100 games, how many does {opens} win?"),
            lambda rows: round(100 * rows[0][f"{opens} wins"]),
        ),
        chart=_seats_chart,
        fast=any(players[name] is not agents[name] for name in agents),
    )


def _fastest_agent(agent: Agent, state: GameState) -> Agent:
    """Return the agent with its search as machine code, where there is such a one."""
    if isinstance(agent, SearchAgent):
        agent = copy(agent)
        agent.search = fastest(agent.search, state, **agent.options)
    return agent


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
    title: str,
    per: str,
    state: GameState,
    settings: Mapping[Any, Mapping[str, Any]],
    runs: int,
) -> Lab:
    """Return a lab of repeated MCTS under settings that differ in one number."""
    search = fastest(mcts, state)
    named = {f"{per} {number:g}": options for number, options in settings.items()}

    def chart(rows: Rows) -> Any:
        measured = dict(zip(settings, rows, strict=True))
        ends = ("agreement", "agreement from", "agreement to")
        curves: dict[str, Any] = {
            "agreement": {n: tuple(row[end] for end in ends) for n, row in measured.items()},
            "optimal": {
                n: (round(row["optimal"] * row["runs"]), row["runs"]) for n, row in measured.items()
            },
        }
        figure: Any = charts.convergence(curves, of="runs", per=per)
        if search is not mcts:
            figure.gamelib_text += OTHER_CHANCE
        return figure

    question = f"With {list(named)[-1]}, how many of {runs} runs choose an optimal action?"
    return Lab(
        title,
        partial(mcts_choices, state, named, search=search, runs=runs),
        ask=(Predict(question), lambda rows: round(rows[-1]["optimal"] * rows[-1]["runs"])),
        chart=chart,
        fast=search is not mcts,
    )


def _button(name: str, reaction: Callable[[], object], tooltip: str) -> Button:
    button = Button(description=name, tooltip=tooltip)
    button.on_click(lambda _: reaction())
    return button
