"""The labs of the lessons, each of which is an experiment with controls and a chart."""

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
# Makes a search and the options of each row from the values of the controls.
Settings = Callable[..., tuple[Search, Mapping[Any, Mapping[str, Any]]]]

BUDGETS = (20, 100, 500, 2000, 10_000)
RUNS = (20, 50, 100, 200, 500)
MAX_DEPTH = 13  # by then tic-tac-toe and Nim (3, 4, 5) have ended
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
    """Return the lab on depth and cost: the nodes of minimax and alpha-beta, or other searches.

    Without `evaluate`, every game that is cut off by the depth limit counts 0; such ties make cuts
    frequent.
    """
    named = _named(positions)
    searches = searches or {"minimax": minimax, "alpha-beta": alphabeta}
    names = list(searches)
    prompt = (
        f"At the largest depth, by what factor does {names[0]} visit more nodes than {names[-1]}?"
    )
    if len(names) == 1:
        prompt = f"One ply deeper, by what factor does {names[0]} visit more nodes?"
    return _lab(
        "Depth against cost",
        named,
        partial(_depths, searches, evaluate),
        {"depth": slider("depth", 1, MAX_DEPTH, depth), **_search_controls(named, searches)},
        ask=(Predict(prompt, kind="magnitude"), partial(_times_as_many, names)),
        chart=lambda rows, former: charts.nodes_by_depth(
            _curves(rows), _curves(former), names=names
        ),
        note=COUNTING,
    )


def _search_controls(
    named: Mapping[str, GameState], searches: Mapping[str, Search]
) -> dict[str, Any]:
    """Return the controls of the searches: which of them run, the order of actions, a table."""
    controls = {name: checkbox(name, True) for name in searches if len(searches) > 1}
    options = {option for search in searches.values() for option in parameters(search)}
    if "order" in options:
        controls["order"] = dropdown("order", orders(next(iter(named.values()))))
    if "table" in options:
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
    """Return the nodes that each ticked search visits, one row for each depth."""
    chosen = {name: search for name, search in searches.items() if ticked.get(name, True)}
    if not chosen:
        raise ControlsError(f"nothing to count: tick a search, {' or '.join(searches)}")
    options = {"evaluate": evaluate, "order": orders(state)[order], "table": table or None}
    runs = [(ply, name) for ply in range(1, depth + 1) for name in chosen]
    rows: Rows = [{"depth": ply} for ply in range(1, depth + 1)]
    poller = Poller(progress, stop)
    for done, (ply, name) in enumerate(runs):
        poller(done / len(runs), None)

        def part(share: float, best: Any, done: int = done) -> None:
            progress((done + share) / len(runs), None)

        search_options = {"depth": ply, **supported_options(chosen[name], **options)}
        fast = fastest(chosen[name], state, **search_options)
        rows[ply - 1][name] = run_search(fast, state, search_options, part, stop).stats.nodes
    return rows


def _times_as_many(names: Sequence[str], rows: Rows) -> float | None:
    more, fewer = rows[-1].get(names[0]), rows[-1].get(names[-1])
    if len(names) == 1:
        fewer = rows[-2][names[0]] if len(rows) > 1 else None
    return float(f"{more / fewer:.3g}") if more and fewer else None


def stability_lab(
    positions: Positions, *, programs: Mapping[str, Callable[..., Any]] | None = None
) -> Lab:
    """Return the lab on simulations and stability: do runs agree, and are they right?

    programs  name -> a search, or a class like `PlainMCTS`; by default only `mcts`
    """
    searches = {name: search_of(each) for name, each in (programs or {"mcts": mcts}).items()}
    controls = {
        **({"program": dropdown("program", searches)} if len(searches) > 1 else {}),
        "simulations": selection_slider("simulations up to", BUDGETS, BUDGETS[-1]),
        "c": slider("c", 0, 5, 2**0.5, 0.1),
        "solver": checkbox("solver"),
    }

    def settings(
        *, simulations: int, c: float, solver: bool, program: str = next(iter(searches))
    ) -> tuple[Search, Mapping[Any, Any]]:
        if solver and "solver" not in parameters(searches[program]):
            raise ControlsError(f"the program {program!r} has no solver: switch it off")
        options = {"c": c, **supported_options(searches[program], solver=solver or None)}
        budgets = [n for n in BUDGETS if n <= simulations]
        return searches[program], {n: {"simulations": n, **options} for n in budgets}

    words = "Simulations against stability", "the most simulations"
    return _choices_lab(words, positions, controls, settings)


def exploration_lab(positions: Positions) -> Lab:
    """Return the lab on the exploration constant c."""
    controls = {"simulations": selection_slider("simulations", (20, 100, 500, 1000, 2000), 500)}

    def settings(*, simulations: int) -> tuple[Search, Mapping[Any, Any]]:
        return mcts, {round(c, 2): {"c": c, "simulations": simulations} for c in CONSTANTS}

    words = "The exploration constant", "the largest c"
    return _choices_lab(words, positions, controls, settings, runs=100, per="c")


def rollouts_lab(positions: Positions, *, simulations: int = 100) -> Lab:
    """Return the lab on rollouts: random ones, ones that take a win, and those of the game."""
    controls = {"simulations": selection_slider("simulations", (20, 50, 100, 500), simulations)}
    first, *others = _named(positions).values()
    same = all(type(state) is type(first) for state in others)
    rollouts = {"random": None, "take a win": take_a_win, **(first.rollouts if same else {})}

    def settings(*, simulations: int) -> tuple[Search, Mapping[Any, Any]]:
        return mcts, {
            name: {"simulations": simulations, "rollout": rollout}
            for name, rollout in rollouts.items()
        }

    words = "Rollouts", f"the rollout '{list(rollouts)[-1]}'"
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
    """Return a lab of repeated MCTS; `settings` makes the options of each row from the controls."""
    title, last = words  # the title, and the name of the last row in the question

    def experiment(
        state: GameState, *, runs: int, progress: Progress, stop: Stop, **values: Any
    ) -> Rows:
        search, rows_options = settings(**values)
        options = {
            name: value
            for row_options in rows_options.values()
            for name, value in row_options.items()
        }
        quick = fastest(search, state, **options)
        return mcts_choices(
            state, rows_options, search=quick, runs=runs, progress=progress, stop=stop
        )

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
    """Return the lab on the solver: how many simulations does a proof need?"""
    named = _named(positions)
    first = next(iter(named))
    choices = {fastest(mcts, state, solver=True) for state in named.values()}
    search = next(iter(choices)) if len(choices) == 1 else mcts

    def proofs(*, progress: Progress, seed: int, **options: Any) -> Rows:
        """Return a row for each position: the simulations to a proof, and the values."""
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
    """Return the lab on the seats: how often does the first player win against an equal?"""
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
    """Return, by agent, the proportion of games that each seat wins, with Wilson's intervals."""
    rows: Rows = []
    poller = Poller(progress, stop)
    for done, (name, agent) in enumerate(agents.items()):
        if isinstance(agent, SearchAgent):  # compiled, if available
            agent = copy(agent)
            agent.search = fastest(agent.search, state, **agent.options)
        wins: Counter[int | None] = Counter()
        for game in range(games):
            poller((done + game / games) / len(agents), None)
            payoffs = play_game(*[agent] * state.num_players, state=validated(state)).utilities
            check_payoffs(payoffs, state)
            wins[next((player for player, payoff in enumerate(payoffs) if payoff > 0), None)] += 1
        ends = {
            f"{state.player_name(player)} wins": wins[player] for player in range(state.num_players)
        }
        row: Row = {"agent": name, "games": games}
        for end, n in {**ends, "draws": wins[None]}.items():
            row |= with_interval(end, n / games, charts.wilson(n, games))
        rows.append(row)
    return rows


# --- shared by the labs ---


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
    """Return a lab whose experiment takes a position; a control chooses one of several."""

    def run(*, position: str = next(iter(named)), **values: Any) -> Rows:
        return experiment(named[position], **values)

    position_control = {"position": dropdown("position", named)} if len(named) > 1 else {}
    return Lab(title, run, {**position_control, **controls}, positions=named, **more)


def _curves(rows: Rows) -> dict[str, dict[int, int]]:
    """Return {search: {depth: nodes}} from the rows of the depth lab."""
    names = [name for name in (rows[0] if rows else ()) if name != "depth"]
    return {name: {row["depth"]: row[name] for row in rows} for name in names}
