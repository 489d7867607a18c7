"""A form in which learners plan their own experiment; it does not run a plan that is unfair."""

from __future__ import annotations

from typing import Any

from ipywidgets import BoundedIntText, Combobox, Dropdown

from arena import MatchUp
from course.draw import charts
from course.lessons.experiments.check import Plan, UnfairPlanError
from course.widgets.lab import Lab
from course.widgets.panel import message_html
from course.widgets.quiz import Predict
from course.widgets.repeated_mcts import Rows
from course.widgets.runner import RunOutcome
from gamelib.search.callbacks import Progress, SearchStopped, Stop

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
    """A lab in which the learner plans the experiment: two agents, a game, and the number of games.

    Agents and games are written as on the command line, and lists offer examples.  A plan with two
    differences, unequal work or too few games is not run; the widget says why.
    """

    results: MatchUp

    def __init__(self) -> None:
        controls = {
            "better": Combobox(value=START.better, options=AGENTS, description="Agent A"),
            "than": Combobox(value=START.than, options=AGENTS, description="Agent B"),
            "game": Combobox(value=START.game, options=GAMES, description="Game"),
            "games": Dropdown(options=(20, 200, 1000), value=START.games, description="Games"),
            "seed": BoundedIntText(START.seed, min=0, max=10**9, description="Seed"),
        }
        guess = Predict("Percent of the points for agent A?")
        ask = guess, lambda rows: float(rows[0]["share %"])
        title = "An experiment of your own"
        super().__init__(title, self._play, controls, ask=ask, chart=self._chart)

    def _on_control_change(self) -> None:
        """Do nothing, because a plan must not be changed in reaction to its results."""

    def _play(self, *, progress: Progress, stop: Stop, **plan: Any) -> Rows:
        self.results = Plan(**plan).run(progress=progress, stop=stop)
        if len(self.results.records) < self.results.games:
            raise SearchStopped
        return [_row(row) for row in self.results.summary()]

    def _chart(self, rows: Rows, previous: Rows) -> Any:
        tallies = {agent: self.results.tally(agent) for agent in self.results.agents}
        rates = {
            name: (tally.wins + tally.draws / 2, tally.games) for name, tally in tallies.items()
        }
        return charts.win_rates(rates)

    def _on_end(self, at_once: bool, outcome: RunOutcome) -> None:
        super()._on_end(at_once, outcome)
        if isinstance(outcome.error, UnfairPlanError):
            self._remark.show(message_html("wrong", outcome.error))
        elif outcome.status == "done":
            self._remark.show(message_html("note", self.results.verdict))


def _row(row: dict[str, Any]) -> dict[str, Any]:
    low, high = (round(100 * row[end], 1) for end in ("low", "high"))
    return {
        "agent": row["agent"],
        "seat": "all" if row["seat"] is None else row["seat"],
        **{name: row[name] for name in ("games", "wins", "draws", "losses")},
        "share %": round(100 * row["share"], 1),
        "95 % interval": f"{low} to {high}",
    }
