"""`solve` as machine code."""

from __future__ import annotations

import time
from functools import cache

from gamefast.connect_four import FourProver
from gamefast.games import check_supported, is_solved
from gamefast.nim import NimProver
from gamelib.games import Nim, TicTacToe
from gamelib.search import limits
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.search.solver import solve as readable_solve
from gamelib.state import Action, GameState

# What `solve` asks of a game.  A score is + for a win of the player to move, the higher the sooner;
# - for a loss, the higher the later; 0 for a draw.
Prover = FourProver | NimProver
BOUNDS = {value: Bound(value) for value in (-1, 0, 1)}
MOST_CELLS = 32  # of tic-tac-toe, for two of them to be the bits of an int


def solve(
    state: GameState,
    *,
    only_value: bool = False,
    progress: limits.Progress | None = None,
    stop: limits.Stop | None = None,
) -> SearchResult:
    """Return the exact value and distance of every action: what `gamelib.solve` returns.

    The action wins soonest, draws, or loses latest: the first of them.  It visits fewer nodes.

    only_value  find the value, distance and first action of the position, and no others
    """
    check_supported(is_solved(state), state)
    limits.check_two_players(state, "solve")
    limits.check_not_over(state)
    started = time.perf_counter()
    too_large = isinstance(state, TicTacToe) and state.rows * state.cols > MOST_CELLS
    if too_large or not state.max_utility:  # or nobody can win, which it knows without a search
        return readable_solve(state, only_value=only_value, progress=progress, stop=stop)
    watch = limits.watch_or_none(progress, stop)
    scores: dict[Action, int] = {}

    @cache
    def best(_known: int) -> Action:  # anew only when more is known: Nim has thousands of actions
        return limits.best_of(_in_order(scores))

    def look() -> None:
        if watch:
            watch(len(scores) / len(state.legal_actions()), best(len(scores)))

    prover: Prover = NimProver(state, look) if isinstance(state, Nim) else FourProver(state, look)
    line: limits.Line = ()
    stopped = False
    try:
        if only_value:
            scores.update([prover.first_best()])
        else:
            prover.reply_scores(scores)
            line = prover.line(max(scores.values()))
    except limits.SearchStopped:
        stopped = True
    return _result(state, prover, scores, line, stopped, time.perf_counter() - started)


def _in_order(scores: dict[Action, int]) -> dict[Action, int]:
    return dict(sorted(scores.items()))  # in these games `legal_actions` are sorted


def _result(
    state: GameState,
    prover: Prover,
    scores: dict[Action, int],
    line: limits.Line,
    stopped: bool,
    seconds: float,
) -> SearchResult:
    scores = _in_order(scores)
    action = limits.best_of(scores) if scores else state.legal_actions()[0]
    distances = {action: prover.distance(score) for action, score in scores.items()}
    values = {action: BOUNDS[(score > 0) - (score < 0)] for action, score in scores.items()}
    value = values[action].value if scores else None
    return SearchResult(
        action=action,
        value=value,
        kind="lower" if stopped else "exact",
        values=values,
        utilities=None
        if value is None or stopped
        else limits.two_utilities(value, state.current_player, quick_wins=False),
        line=line or (action,),
        distance=distances.get(action),
        distances=distances,
        stats=Stats(nodes=prover.nodes),
        stopped=stopped,
        seconds=seconds,
    )
