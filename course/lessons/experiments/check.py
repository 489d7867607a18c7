"""The checks and helpers of notebook 07: costs of searches, studies, and plans of experiments."""

import csv
import inspect
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from math import inf
from pathlib import Path
from typing import Any

from arena import MatchUp, match_up, seat, wilson_interval
from arena.play.match import play_job
from arena.play.parsing import parse_agent, parse_game
from arena.play.run import configuration
from arena.results.schedule import Schedule
from arena.results.table_format import text_table
from course.exercises import answer_key
from course.exercises.check_runner import award_credit, guarded
from course.exercises.error_report import safe_repr
from course.exercises.feedback import Case, Feedback, NotWrittenError, WrongAnswerError
from course.exercises.run_cases import call_student
from course.exercises.state_space import open_positions
from course.exercises.visit_counter import TooManyVisitsError, VisitCounter
from course.lessons.experiments import agent_z
from gamefast.fast import CompiledSearch
from gamelib.agents import Agent, SearchAgent
from gamelib.games import ConnectFour, TicTacToe
from gamelib.search import safe_actions, winning_actions
from gamelib.search.callbacks import Progress, Stop
from gamelib.state import GameState, IllegalActionError

# The cost of searches, in one unit


def nodes_generated(agent: Agent, state: GameState, *, max_nodes: int = 1_000_000) -> int:
    """Return the number of nodes that an agent generates for one move: its calls of `successor`.

    WrongAnswerError if there are more than about `max_nodes`.
    """
    visits = VisitCounter(state, max_nodes=max_nodes)
    agent(visits.root)
    return visits.generated


# The stored Nim studies


def notebook_path(name: str) -> str:
    """Return the path of a file or folder next to the notebook, from any working directory."""
    own = Path(__file__).parents[3] / "notebooks"
    folders = (Path(), Path("notebooks"), own)
    return str(next((folder / name for folder in folders if (folder / name).exists()), own / name))


def print_progress(fraction: float, newest: object) -> None:
    """Print each quarter of the games played: the progress of a match-up or a tournament."""
    if fraction * 4 % 1 == 0:
        print(f"{fraction:.0%} played")


def study_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the points of the first agent of each match-up, in percent, by position."""
    return _table(r for r in rows if r["seat"] is None and r["agent"] == _agents(r)[0])


def seats_table(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return the points of the agent who begins, in percent: the first of "500 v 100"."""
    return _table(row for row in rows if row["seat"] == 0)


def study_row(
    rows: Iterable[Mapping[str, Any]], position: str, budgets: str, *, seat: int | None = None
) -> Mapping[str, Any]:
    """Return the row of the first of two agents, like "500 v 100"; ValueError if there is none."""
    for row in rows:
        if (row["position"], _budgets(row), row["seat"]) == (position, budgets, seat):
            return row
    raise ValueError(
        f"position and budgets must be a match-up of the table; got {position!r} and {budgets!r}"
    )


def report_table(rows: Iterable[Mapping[str, Any]], reported: str) -> str:
    """Return the percentages of a report for the agent who begins, next to the measured share.

    reported  the path of a table with the columns position, budgets and report
    """
    rows, lines = list(rows), []
    for line in csv.DictReader(StringIO(Path(reported).read_text(encoding="utf-8"))):
        row = study_row(rows, line["position"], line["budgets"], seat=0)
        interval = f"{_percent(row['low'])} to {_percent(row['high'])}"
        found = [_percent(row["share"]), interval, f"{row['games']}"]
        lines.append([line["position"], line["budgets"], line["report"], *found])
    columns = ["position", "first v second", "report", "here", "95 % interval", "games"]
    return text_table(columns, lines)


def _table(rows: Iterable[Mapping[str, Any]]) -> str:
    shares: dict[str, dict[str, str]] = {}
    for row in rows:
        shares.setdefault(_budgets(row), {}).setdefault(row["position"], _percent(row["share"]))
    positions = list(dict.fromkeys(position for line in shares.values() for position in line))
    lines = [[name, *(line.get(p, "") for p in positions)] for name, line in shares.items()]
    heaps = [position.removeprefix("Nim") for position in positions]  # so that it fits a projector
    return text_table(["simulations", *heaps], lines)


def _agents(row: Mapping[str, Any]) -> list[str]:
    return str(row["match"]).split(" v ")


def _budgets(row: Mapping[str, Any]) -> str:
    """Return "500 v 100" for the agent of a row with 500 simulations, against the other one."""
    names = sorted(_agents(row), key=lambda name: name != row["agent"])
    found = [re.search(r"simulations=(\d+)", name) for name in names]
    return " v ".join(f[1] if f else name for f, name in zip(found, names, strict=True))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


# Exercise 1: an experiment that is planned before it is run

MIN_GAMES, MAX_GAMES = 200, 5_000  # the number of games of a plan
MAX_NODES = 100_000  # nodes generated for one move
EQUAL_WORK = 1.25  # the maximal ratio of the nodes generated by two agents
BUDGET_OPTIONS = ("simulations", "nodes", "depth", "seconds")
CONCLUSIONS = ("shown", "not shown", "the opposite is shown")


class UnfairPlanError(ValueError):
    """A plan is not run, for the reasons in the message."""


@dataclass(frozen=True)
class Plan:
    """A claim and the plan of its test, written before the first game.

    better, than   the claim: the first agent scores more than the second; both are written as on
                   the command line, like "mcts(simulations=50)"
    game           the position to start from, like "TicTacToe()"
    games, seed    as in `match_up`
    """

    better: str
    than: str
    game: str = "TicTacToe()"
    games: int = MIN_GAMES
    seed: int = 0

    def changed(self) -> list[str]:
        """Return the differences between the agents: "search", or names of options."""
        one, other = map(_settings, self._agents())
        return [name for name in {**one, **other} if one.get(name) != other.get(name)]

    def problems(self) -> list[str]:
        """Return the problems of the plan as sentences; [] if the plan is fair."""
        for name in ("better", "than", "game"):
            if not isinstance(text := getattr(self, name), str):
                return [f"{name} must be text, as on the command line; got {safe_repr(text)}."]
        try:
            agents, state = self._agents(), parse_game(self.game)
        except (TypeError, ValueError) as error:
            return [f"{error}."]
        return [*_complaints(self.changed(), agents, state), *_complaints_of_games(self.games)]

    def run(self, *, progress: Progress | None = None, stop: Stop | None = None) -> MatchUp:
        """Return the results; UnfairPlanError if the plan has a problem."""
        if problems := self.problems():
            raise UnfairPlanError(" ".join(problems))
        return match_up(
            *self._agents(),
            state=parse_game(self.game),
            games=self.games,
            seed=self.seed,
            progress=progress,
            stop=stop,
        )

    def __repr__(self) -> str:
        return (
            f"Claim: {self.better} scores more than {self.than}. From {self.game}, "
            f"{self.games:,} games, each agent first in half of them, seed {self.seed}."
        )

    def _agents(self) -> list[SearchAgent]:
        return [parse_agent(text) for text in (self.better, self.than)]


def _settings(agent: SearchAgent) -> dict[str, Any]:
    """Return the search of an agent and all its options, including those with default values."""
    quick = isinstance(agent.search, CompiledSearch)
    search = agent.search.search if isinstance(agent.search, CompiledSearch) else agent.search
    parameters = inspect.signature(search).parameters.values()
    usual = {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}
    return {"search": search, **usual, **agent.options, "machine code": quick}


def _complaints(
    changed: Sequence[str], agents: Sequence[SearchAgent], state: GameState
) -> Iterator[str]:
    if not changed:
        yield "Nothing differs between the two agents, so nothing is compared."
    given = [name for name in changed if any(name in each.options for each in agents)]
    if "search" in changed:
        if others := [name for name in given if name not in BUDGET_OPTIONS]:
            yield f"The search differs, and {' and '.join(others)} as well: change one thing only."
        yield from _complaints_of_work(agents, state)
    elif len(changed) > 1:
        yield f"{' and '.join(changed)} differ: change one thing only."
    if any("seconds" in agent.options for agent in agents):
        yield "Seconds depend on the machine: give budgets in simulations, nodes or depth."
    if not any("rng" in inspect.signature(agent.search).parameters for agent in agents):
        yield "Neither agent uses chance, so all games are two games, again and again."


def _complaints_of_work(agents: Sequence[SearchAgent], state: GameState) -> Iterator[str]:
    """Yield a problem if different searches do not generate about the same number of nodes."""
    made = [_work(agent, state) for agent in agents]
    if max(made) == inf:
        yield f"An agent makes more than {MAX_NODES:,} positions for a move: give a budget."
    elif max(made) > EQUAL_WORK * min(made):
        yield (
            f"The searches differ, so their budgets must be equal. But for the first move they "
            f"make {made[0]:,} and {made[1]:,} positions."
        )


def _work(agent: SearchAgent, state: GameState) -> float:
    try:
        return nodes_generated(agent.seeded(0), state, max_nodes=MAX_NODES)
    except TooManyVisitsError:
        return inf


def _complaints_of_games(games: int) -> Iterator[str]:
    if type(games) is not int or games < MIN_GAMES or games > MAX_GAMES or games % 2:
        low, high = wilson_interval(MIN_GAMES / 2, MIN_GAMES)
        yield (
            f"Plan an even number of games from {MIN_GAMES} to {MAX_GAMES:,}; "
            f"got {safe_repr(games)}. Even "
            f"with {MIN_GAMES} the interval is {100 * (high - low):.0f} points wide."
        )


@guarded
def check_experiment(plan: Any, results: Any, conclusion: Any) -> Feedback:
    """Return feedback on an experiment: its design, and whether the conclusion follows."""
    if plan is None:
        raise NotWrittenError("the plan is not written yet. Replace None by a Plan.")
    if not isinstance(plan, Plan):
        return Feedback(False, f"plan must be an `exercises.Plan(...)`; got {safe_repr(plan)}.")
    if complaints := plan.problems():
        return Feedback(False, " ".join(complaints))
    if not isinstance(results, MatchUp):
        return Feedback(
            False, f"results must be what `plan.run()` returns; got {safe_repr(results)}."
        )
    if fault := _other_than_planned(plan, results):
        return Feedback(False, fault)
    if conclusion not in CONCLUSIONS:
        return Feedback(
            False, f"conclusion must be one of {CONCLUSIONS}; got {safe_repr(conclusion)}."
        )
    right, why = conclusion_of(results)
    if conclusion != right:
        return Feedback(False, f"{why} So {conclusion!r} does not follow.")
    changed = plan.changed()
    named = "search" if "search" in changed else ", ".join(changed)
    return Feedback(True, f"one thing is changed ({named}). {why}")


def conclusion_of(results: MatchUp) -> tuple[str, str]:
    """Return the element of CONCLUSIONS that follows for the first agent, and the reason."""
    low, high = results.tally(0).interval
    found = f"The interval of {results.agents[0]} goes from {_percent(low)} to {_percent(high)} %"
    if low > 0.5:
        return "shown", f"{found}: all of it above 50 %."
    if high < 0.5:
        return "the opposite is shown", f"{found}: all of it below 50 %."
    return "not shown", f"{found}: 50 % is inside, so equal strength is possible."


def _other_than_planned(plan: Plan, results: MatchUp) -> str:
    """Return the difference between a plan and the experiment that was run; "" if there is none."""
    names = tuple(agent.name for agent in plan._agents())
    for what, planned, ran in (
        ("agents", names, results.agents),
        ("position", parse_game(plan.game), results.state),
        ("number of games", plan.games, results.games),
        ("seed", plan.seed, results.seed),
    ):
        if planned != ran:
            return f"the {what} of the results and of the plan differ: run the plan as it stands."
    if len(results.records) < results.games:
        return f"only {len(results.records)} of {results.games} games were played: play them all."
    return ""


REPLAYED_GAMES = 3  # games that are replayed for marking; which ones is unknown before
WRONG_GAME_MESSAGE = (
    "game {} of the results is not the one that this plan plays. Let `plan.run()` make the results."
)


@guarded
def replay_plan(plan: Any, results: Any, conclusion: Any) -> Feedback:
    """Return feedback on whether the results follow from the plan, by replaying some games."""
    if not isinstance(plan, Plan) or not isinstance(results, MatchUp) or plan.problems():
        return Feedback(True, "the check itself says what is wrong.")
    agents, state = plan._agents(), parse_game(plan.game)
    known = {record.game: record for record in results.records}
    header = configuration("match-up", agents, state, plan.games, plan.seed)
    for job in random.sample(Schedule(header, state).jobs({}), REPLAYED_GAMES):
        record, again = known.get(job.game), play_job(job, agents, state)
        if record is not None and _facts(record) != _facts(again):
            return Feedback(False, WRONG_GAME_MESSAGE.format(job.game))
    return Feedback(True, "the games that were played again are the same.")


def _facts(record: Any) -> tuple[Any, ...]:
    return record.seats, record.seed, record.actions, record.utilities


# Exercise 2: an agent for Connect Four

ROUNDS, GOAL = 200, 0.9
# The minimal number of wins whose whole interval is above the goal. An agent that chooses its
# column without looking at the board wins 86 % as O, so often 90 of 100 games.
NEEDED = next(won for won in range(ROUNDS) if wilson_interval(won, ROUNDS)[0] > GOAL)


@guarded
def check_beats_random(agent: Callable[..., Any]) -> Feedback:
    """Return feedback on an agent that must beat a random one, shown by 200 games in each seat."""
    moves: list[tuple[GameState, Any]] = []  # of the agent, with the positions before them
    for player in (0, 1):
        won = lost = 0
        # the rest need not be played if the result is decided
        while won < NEEDED and lost <= ROUNDS - NEEDED:
            result = _game_against_random(agent, player, won + lost, moves)
            won, lost = won + (result > 0), lost + (result <= 0)
        if won < NEEDED:
            message = (
                f"in seat {player} your agent won only {won} of {won + lost} games, and the "
                f"interval is above {GOAL:.0%} from {NEEDED} of {ROUNDS} on."
            ).replace("%", " %")
            missed = MissedTactics(moves)
            return Feedback(False, f"{message} {missed.advice()}", missed.position)
    return Feedback(True, f"at least {NEEDED} of {ROUNDS} games won in each seat.")


class MissedTactics:
    """The positions in which an agent did not take a win, or did not prevent a loss.

    moves  the positions in which it moved, with its actions
    """

    def __init__(self, moves: Iterable[tuple[GameState, Any]]) -> None:
        self.wins: list[GameState] = []
        self.threats: list[GameState] = []
        for state, action in moves:
            if winning := winning_actions(state):
                if action not in winning:
                    self.wins.append(state)
            elif (safe := safe_actions(state)) and action not in safe:
                self.threats.append(state)

    @property
    def position(self) -> GameState | None:
        """The first position to show, or None."""
        return next(iter([*self.wins, *self.threats]), None)

    def advice(self) -> str:
        """Return the most useful advice."""
        if wins := len(self.wins):
            return f"In {wins} of its positions it did not win at once; here is the first."
        if threats := len(self.threats):
            return (
                f"In {threats} of its positions it let the other player win at once, though "
                "another action prevents that; here is the first."
            )
        return "It takes wins and stops threats. Now prefer the columns in the middle."


def _game_against_random(
    agent: Callable[..., Any], player: int, game: int, moves: list[tuple[GameState, Any]]
) -> float:
    """Return the payoff of an agent in one game of Connect Four against a random one.

    The moves of the agent are added to `moves`.
    """
    rng = answer_key.rng(f"random player {player} {game}")
    state = ConnectFour()
    with seat(agent, game) as answer:
        while not state.is_terminal():
            if state.current_player == player:
                action = call_student(answer, Case((state,), None, "an action here", state), int)
                after = _after(state, action)
                moves.append((state, action))
                state = after
            else:
                state = state.successor(rng.choice(state.legal_actions()))
    return state.utility(player)


def _after(state: GameState, action: Any) -> Any:
    try:
        return state.successor(action)
    except IllegalActionError as error:
        raise WrongAnswerError(f"your agent answered {action!r}: {error}.", state) from error


# Exercise 3: why does agent Z forfeit?

AGENT_Z = str(Path(agent_z.__file__))
# In a check agent Z must not print; a tournament loads its file again.
vars(agent_z)["print"] = lambda *words: None


@guarded
def check_agent_z(position: Any, repaired: Callable[..., Any]) -> Feedback:
    """Return feedback on a position where agent Z forfeits, and on the repaired agent."""
    if position not in open_positions(TicTacToe()):
        words = "the position must be one of 3 x 3 tic-tac-toe in which somebody is to move"
        return Feedback(False, f"{words}; got {safe_repr(position)}.")
    if (answer := _answer_of_z(position)) is not None:
        words = f"agent Z answers {answer} here, and that is legal. Where has it no answer?"
        return Feedback(False, words, position, attempted=position != TicTacToe())
    award_credit(1 / 3)
    for state in open_positions(TicTacToe()):
        action = call_student(repaired, Case((state,), None, "an action here", state), int)
        _after(state, action)
        if (answer := _answer_of_z(state)) not in (None, action):
            words = f"here agent Z answers {answer} and your program {action}"
            return Feedback(False, f"{words}: change only what forfeits.", state)
    return Feedback(True, "Z has no answer there, and yours has a legal one in every position.")


def _answer_of_z(state: TicTacToe) -> int | None:
    """Return the action of agent Z; None if it raises."""
    try:
        return int(agent_z.agent(state))
    except StopIteration:
        return None
