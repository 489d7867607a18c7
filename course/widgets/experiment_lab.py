"""A form for an experiment of one's own; it runs no plan that is not fair."""

from __future__ import annotations

from typing import Any

from ipywidgets import BoundedIntText, Combobox, Dropdown, VBox

from arena import MatchUp
from course.draw import charts
from course.lessons.experiments.check import Plan, UnfairPlanError
from course.widgets.experiments import Rows
from course.widgets.labs import Lab
from course.widgets.panel import remark
from course.widgets.quiz import Predict
from course.widgets.runner import Outcome
from gamelib.search.limits import Progress, SearchStopped, Stop

AGENTS = (
    "random",
    "mcts(simulations=20)",
    "mcts(simulations=50)",
    "mcts(simulations=50, c=0.5)",
    "mcts(simulations=90)",
    "minimax(depth=2)",
    "alphabeta(nodes=600)",
    "iterative_deepening(nodes=600)",
)
GAMES = ("TicTacToe()", "TicTacToe(rows=4, cols=4, k=3)", "ConnectFour()", "Nim(3, 4, 5)")
START = Plan("mcts(simulations=50)", "mcts(simulations=20)")


class ExperimentLab(Lab):
    """A lab in which the learner plans the experiment: two agents, a game, how many games.

    Agents and games are written as on the command line; lists offer some.  A plan with two changes,
    unequal work or too few games is not run, and says why.
    """

    children: Any
    results: MatchUp

    def __init__(self, plan: Plan = START) -> None:
        self._form = {
            "better": Combobox(value=plan.better, options=AGENTS, description="Agent A"),
            "than": Combobox(value=plan.than, options=AGENTS, description="Agent B"),
            "game": Combobox(value=plan.game, options=GAMES, description="Game"),
            "games": Dropdown(options=(20, 200, 1000), value=plan.games, description="Games"),
            "seed": BoundedIntText(plan.seed, min=0, max=10**9, description="Seed"),
        }
        super().__init__(
            "An experiment of your own",
            self._play,
            ask=(
                Predict("Percent of the points for agent A?"),
                lambda rows: float(rows[0]["share %"]),
            ),
            chart=self._draw,
        )
        form = VBox(list(self._form.values()))
        form.add_class("gl-form")
        look, heading, *others = self.children
        self.children = (look, heading, form, *others)

    @property
    def plan(self) -> Plan:
        """The plan that is entered."""
        return Plan(**{name: widget.value for name, widget in self._form.items()})

    def enter(self, **entries: Any) -> None:
        """Enter parts of a plan, such as than="mcts(simulations=10)"."""
        for name, value in entries.items():
            if name not in self._form:
                raise ValueError(f"a plan has {', '.join(self._form)}; got {name!r}")
            self._form[name].value = value

    def _play(self, *, progress: Progress | None = None, stop: Stop | None = None) -> Rows:
        self.results = self.plan.run(progress=progress, stop=stop)
        if len(self.results.records) < self.results.games:
            raise SearchStopped
        return [_row(row) for row in self.results.summary()]

    def _draw(self, rows: Rows) -> Any:
        rates = {}
        for agent in self.results.agents:
            tally = self.results.tally(agent)
            rates[agent] = (tally.wins + tally.draws / 2, tally.games)
        return charts.win_rates(rates)

    def _ended(self, outcome: Outcome) -> None:
        super()._ended(outcome)
        if isinstance(outcome.error, UnfairPlanError):
            self._remark.show(remark("wrong", outcome.error))
        elif outcome.status == "done":
            self._remark.show(remark("note", self.results.verdict))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    low, high = (round(100 * row[end], 1) for end in ("low", "high"))
    return {
        "agent": row["agent"],
        "seat": "all" if row["seat"] is None else row["seat"],
        **{name: row[name] for name in ("games", "wins", "draws", "losses")},
        "share %": round(100 * row["share"], 1),
        "95 % interval": f"{low} to {high}",
    }
