"""The mini-labs of the lessons: each is an experiment, its controls, and a chart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any

from course.draw import charts
from course.exercises.validation import validated
from course.widgets.controls import checkbox, dropdown, selection_slider, slider
from course.widgets.lab import ControlsError, Lab
from course.widgets.quiz import Predict
from course.widgets.repeated_mcts import Row, Rows, mcts_choices, search_of, with_interval
from course.widgets.search_form import DEFAULT_ORDER, orders, run_search
from gamefast.fast import Search, fastest
from gamelib.agents import Agent, SearchAgent, play_game
from gamelib.conformance import check_payoffs, check_state
from gamelib.search import COUNTING, alphabeta, mcts, minimax, take_a_win
from gamelib.search.callbacks import Poller, Progress, Stop
from gamelib.search.checks import Evaluate
from gamelib.search.registry import parameters, supported_options
from gamelib.state import GameState

Positions = GameState | Mapping[str, GameState]
# Makes of controls a search, and the options of each row.
Settings = Callable[..., tuple[Search, Mapping[Any, Mapping[str, Any]]]]

BUDGETS = (20, 100, 500, 2000, 10_000)
RUNS = (20, 50, 100, 200, 500)
MAX_DEPTH = 13  # tic-tac-toe and Nim 3 4 5 have ended by then
PROOFS = (100, 1000, 10_000, 100_000)
CONSTANTS = (0.0, 0.2, 0.5, 1.0, 2**0.5, 2.0, 5.0)
OTHER_RANDOM_GAMES_MESSAGE = (
    "Machine code searches where it can. It draws its random numbers from another generator than "
    "the readable search, so the numbers of both differ, by chance only."
)
AGREEMENT_MESSAGE = (
    "Agreement: the share of the runs that choose the most frequent action. Optimal: the share "
    "that choose an action that is optimal for certain; such actions are blue and dotted. Value: "
    "what a run finds for the player to move, from -1, a loss, to 1, a win: the median of the "
    "runs, and the ends of the middle 90 % of them. Tree nodes: of one run, the mean of all. "
)


def depth_lab(
    positions: Positions,
    searches: Mapping[str, Search] | None = None,
    *,
    depth: int = 5,
    evaluate: Evaluate | None = None,
) -> Lab:
    """Return the lab of depth against cost: the nodes of minimax and alpha-beta, or other searches.

    Without `evaluate` every game that the limit cuts short counts 0; such ties make cuts cheap.
    """
    named = _named(positions)
    searches = searches or {"minimax": minimax, "alpha-beta": alphabeta}
    names = list(searches)
    asked = f"At the largest depth: {names[0]} visits how many times as many nodes as {names[-1]}?"
    if len(names) == 1:
        asked = f"One ply deeper: how many times as many nodes does {names[0]} visit?"
    return _lab(
        "Depth against cost",
        named,
        partial(_depths, searches, evaluate),
        {"depth": slider("depth", 1, MAX_DEPTH, depth), **_search_controls(named, searches)},
        ask=(Predict(asked, kind="magnitude"), partial(_times_as_many, names)),
        chart=lambda rows, former: charts.nodes_by_depth(_curves(rows), _curves(former)),
        note=COUNTING,
    )


def _search_controls(
    named: Mapping[str, GameState], searches: Mapping[str, Search]
) -> dict[str, Any]:
    """Return the controls of the searches: which ones, in which order, with a table."""
    controls = {name: checkbox(name, True) for name in searches if len(searches) > 1}
    known = {option for search in searches.values() for option in parameters(search)}
    if "order" in known:
        controls["order"] = dropdown("order", orders(next(iter(named.values()))))
    if "table" in known:
        controls["table"] = checkbox("transposition table")
    return controls


def _depths(
    searches: Mapping[str, Search],
    evaluate: Evaluate | None,
    state: GameState,
    *,
    depth: int,
    progress: Progress,
    stop: Stop,
    order: str = DEFAULT_ORDER,
    table: bool = False,
    **ticked: bool,
) -> Rows:
    """Return the nodes that each search visits of those that are ticked, one row for each depth."""
    chosen = {name: search for name, search in searches.items() if ticked.get(name, True)}
    if not chosen:
        raise ControlsError(f"nothing to count: tick a search, {' or '.join(searches)}")
    options = {"evaluate": evaluate, "order": orders(state)[order], "table": table or None}
    runs = [(ply, name) for ply in range(1, depth + 1) for name in chosen]
    rows: Rows = [{"depth": ply} for ply in range(1, depth + 1)]
    watch = Poller(progress, stop)
    for done, (ply, name) in enumerate(runs):
        watch(done / len(runs), None)

        def part(share: float, best: Any, done: int = done) -> None:
            progress((done + share) / len(runs), None)

        given = {"depth": ply, **supported_options(chosen[name], **options)}
        fast = fastest(chosen[name], state, **given)
        rows[ply - 1][name] = run_search(fast, state, given, part, stop).stats.nodes
    return rows


def _times_as_many(names: Sequence[str], rows: Rows) -> float | None:
    more, fewer = rows[-1].get(names[0]), rows[-1].get(names[-1])
    if len(names) == 1:
        fewer = rows[-2][names[0]] if len(rows) > 1 else None
    return float(f"{more / fewer:.3g}") if more and fewer else None


def stability_lab(
    positions: Positions, *, programs: Mapping[str, Callable[..., Any]] | None = None
) -> Lab:
    """Return the lab of simulations against stability: do runs agree, and are they right?

    `programs` are searches, or classes like `PlainMCTS`, by name; without them it is `mcts`.
    """
    tried = {name: search_of(each) for name, each in (programs or {"mcts": mcts}).items()}
    controls = {
        **({"program": dropdown("program", tried)} if len(tried) > 1 else {}),
        "simulations": selection_slider("simulations up to", BUDGETS, BUDGETS[-1]),
        "c": slider("c", 0, 5, 2**0.5, 0.1),
        "solver": checkbox("solver"),
    }

    def settings(
        *, simulations: int, c: float, solver: bool, program: str = next(iter(tried))
    ) -> tuple[Search, Mapping[Any, Any]]:
        if solver and "solver" not in parameters(tried[program]):
            raise ControlsError(f"the program {program!r} has no solver: switch it off")
        options = {"c": c, **supported_options(tried[program], solver=solver or None)}
        budgets = [n for n in BUDGETS if n <= simulations]
        return tried[program], {n: {"simulations": n, **options} for n in budgets}

    words = "Simulations against stability", "the most simulations"
    return _choices_lab(words, positions, controls, settings)


def exploration_lab(positions: Positions) -> Lab:
    """Return the lab of the exploration constant c."""
    controls = {"simulations": selection_slider("simulations", (20, 100, 500, 1000, 2000), 500)}

    def settings(*, simulations: int) -> tuple[Search, Mapping[Any, Any]]:
        return mcts, {round(c, 2): {"c": c, "simulations": simulations} for c in CONSTANTS}

    words = "The exploration constant", "the largest c"
    return _choices_lab(words, positions, controls, settings, runs=100, per="c")


def rollouts_lab(positions: Positions, *, simulations: int = 100) -> Lab:
    """Return the lab of rollouts: random ones, ones that take a win, and those of the game."""
    controls = {"simulations": selection_slider("simulations", (20, 50, 100, 500), simulations)}
    first, *others = _named(positions).values()
    same = all(type(state) is type(first) for state in others)
    rollouts = {"random": None, "take a win": take_a_win, **(first.rollouts if same else {})}

    def settings(*, simulations: int) -> tuple[Search, Mapping[Any, Any]]:
        return mcts, {n: {"simulations": simulations, "rollout": r} for n, r in rollouts.items()}

    words = "Rollouts", "the last kind of rollout"
    return _choices_lab(words, positions, controls, settings, per="rollouts")


def _choices_lab(
    words: tuple[str, str],
    positions: Positions,
    controls: Mapping[str, Any],
    settings: Settings,
    *,
    runs: int = 50,
    per: str = "simulations",
) -> Lab:
    """Return a lab of repeated MCTS; `settings` makes of the controls what differs between rows.

    `words` are its title, and what its question calls the last row.
    """
    title, last = words

    def experiment(
        state: GameState, *, runs: int, progress: Progress, stop: Stop, **values: Any
    ) -> Rows:
        search, tried = settings(**values)
        options = {name: value for each in tried.values() for name, value in each.items()}
        quick = fastest(search, state, **options)
        return mcts_choices(state, tried, search=quick, runs=runs, progress=progress, stop=stop)

    def of_100(rows: Rows) -> float | None:
        return None if rows[-1]["optimal"] is None else round(100 * rows[-1]["optimal"])

    return _lab(
        title,
        _named(positions),
        experiment,
        {**controls, "runs": selection_slider("runs", RUNS, runs)},
        ask=(Predict(f"Of 100 runs with {last}, how many choose an optimal action?"), of_100),
        chart=lambda rows, former: charts.choices(rows, former, per=per),
        note=AGREEMENT_MESSAGE + OTHER_RANDOM_GAMES_MESSAGE,
    )


def solver_lab(positions: Positions) -> Lab:
    """Return the lab of the solver: how many simulations does a proof need?"""
    named = _named(positions)
    first = next(iter(named))
    choices = {fastest(mcts, state, solver=True) for state in named.values()}
    search = next(iter(choices)) if len(choices) == 1 else mcts

    def proofs(*, progress: Progress, seed: int, **options: Any) -> Rows:
        """Return the simulations to a proof, a row for each position, and the values."""
        rows, watch = [], Poller(progress, options["stop"])
        for done, (name, state) in enumerate(named.items()):
            watch(done / len(named), None)
            solver = search(state, solver=True, rng=seed, **options)
            row = {"position": name, "simulations": solver.stats.simulations}
            row |= {"proven": solver.utilities is not None, "value": solver.value}
            plain = search(state, rng=seed, **options).value
            rows.append(row | {"value without solver": plain})
        return rows

    return Lab(
        "Simulations to a proof",
        proofs,
        {
            "simulations": selection_slider("simulations up to", PROOFS, 10_000),
            "share": checkbox("equal positions share a node"),
            "seed": slider("seed", 0, 19, 0),
        },
        ask=(
            Predict(f"How many simulations until {first} is proven?", kind="magnitude"),
            lambda rows: int(rows[0]["simulations"]) if rows[0]["proven"] else None,
        ),
        chart=charts.proofs,
        note=OTHER_RANDOM_GAMES_MESSAGE,
        positions=named,
    )


def seats_lab(positions: Positions, agents: Mapping[str, Agent], *, games: int = 200) -> Lab:
    """Return the lab of the seats: how often does the first player win when equals play?"""
    named, first = _named(positions), next(iter(agents))
    opens = next(iter(named.values())).player_name(0)
    return _lab(
        "Seats",
        named,
        partial(_shares, agents),
        {"games": selection_slider("games", (20, 200, 1000), games)},
        ask=(
            Predict(f"{first} in every seat: of 100 games, how many does {opens} win?"),
            lambda rows: round(100 * rows[0][f"{opens} wins"]),
        ),
        chart=charts.outcomes,
    )


def _shares(
    agents: Mapping[str, Agent], state: GameState, *, games: int, progress: Progress, stop: Stop
) -> Rows:
    """Return the shares of the games that each seat wins, with Wilson's intervals, by agent."""
    rows: Rows = []
    watch = Poller(progress, stop)
    for done, (name, agent) in enumerate(agents.items()):
        if isinstance(agent, SearchAgent):  # as machine code, where it is there
            agent = copy(agent)
            agent.search = fastest(agent.search, state, **agent.options)
        wins: Counter[int | None] = Counter()
        for game in range(games):
            watch((done + game / games) / len(agents), None)
            payoffs = play_game(*[agent] * state.num_players, state=validated(state)).utilities
            check_payoffs(payoffs, state)
            wins[next((p for p, payoff in enumerate(payoffs) if payoff > 0), None)] += 1
        ends = {f"{state.player_name(p)} wins": wins[p] for p in range(state.num_players)}
        row: Row = {"agent": name, "games": games}
        for end, n in {**ends, "draws": wins[None]}.items():
            row |= with_interval(end, n / games, charts.wilson(n, games))
        rows.append(row)
    return rows


# --- what they share ---


def _named(positions: Positions) -> dict[str, GameState]:
    if isinstance(positions, Mapping):
        named = dict(positions)
    else:
        named = {type(positions).__name__: positions}
    for state in named.values():
        check_state(state)
    return named


def _lab(
    title: str,
    named: Mapping[str, GameState],
    experiment: Callable[..., Rows],
    controls: Mapping[str, Any],
    **more: Any,
) -> Lab:
    """Return a lab whose experiment takes a position; of several a control chooses one."""

    def run(*, position: str = next(iter(named)), **values: Any) -> Rows:
        return experiment(named[position], **values)

    where = {"position": dropdown("position", named)} if len(named) > 1 else {}
    return Lab(title, run, {**where, **controls}, positions=named, **more)


def _curves(rows: Rows) -> dict[str, dict[int, int]]:
    """Return {search: {depth: nodes}} of the rows of the depth lab."""
    names = [name for name in (rows[0] if rows else ()) if name != "depth"]
    return {name: {row["depth"]: row[name] for row in rows} for name in names}
