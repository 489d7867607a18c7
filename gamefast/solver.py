"""`solve` as machine code."""

from __future__ import annotations

import time
from typing import Any

from gamefast.connect_four import FourProver
from gamefast.games import check_supported, is_board, supports
from gamelib.games import TicTacToe
from gamelib.search import limits
from gamelib.search.result import Bound, SearchResult, Stats
from gamelib.search.solver import solve as readable_solve
from gamelib.state import Action, GameState

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
    Positions of Nim are few, and its table is that of `gamelib`.

    only_value  find the value, distance and first action of the position, and no others
    """
    started = time.perf_counter()
    if not supports(state):
        check_supported(False, state)
    limits.check_two_players(state, "solve")
    limits.check_not_over(state)
    fits = type(state) is not TicTacToe or state.rows * state.cols <= MOST_CELLS
    # Where nobody can win, it knows that without a search.
    if not (is_board(state) and fits and state.max_utility):
        return readable_solve(state, only_value=only_value, progress=progress, stop=stop)
    watch = limits.watch_or_none(progress, stop)
    scores: dict[Action, int] = {}
    line: list[Action] = []

    def look() -> None:
        if watch and watch.due():
            best = limits.best_of(dict(sorted(scores.items())))
            watch(len(scores) / len(state.legal_actions()), best)

    prover = FourProver(state, look)
    try:
        if only_value:
            action, score = prover.first_best()
            scores[action] = score
        else:
            prover.reply_scores(scores)
            prover.follow(max(scores.values()), line)
    except limits.SearchStopped:
        pass
    known = 1 if only_value else len(state.legal_actions())
    return _result(state, prover, scores, line, len(scores) < known, started)


def _result(
    state: GameState, prover: FourProver, scores: dict[Action, int], line: list[Action],
    stopped: bool, started: float,
) -> SearchResult:  # fmt: skip
    """Return what is known.  Where that is every score, a stop has at most cut the line short."""
    scores = dict(sorted(scores.items()))  # as `legal_actions` are
    action = limits.best_of(scores) if scores else state.legal_actions()[0]
    values = {action: BOUNDS[(score > 0) - (score < 0)] for action, score in scores.items()}
    distances = {action: prover.distance(score) for action, score in scores.items()}
    value = values[action].value if scores else None
    utilities = None
    if value is not None and not stopped:
        utilities = limits.two_utilities(value, state.current_player, quick_wins=False)
    found: SearchResult = _made(
        SearchResult,
        action=action,
        value=value,
        kind="lower" if stopped else "exact",
        values=values,
        utilities=utilities,
        vectors={},
        line=tuple(line) or (action,),
        distance=distances.get(action),
        distances=distances,
        stats=_made(Stats, nodes=prover.close()),
        stopped=stopped,
        seconds=time.perf_counter() - started,
    )
    return found


def _made(kind: Any, /, **fields: Any) -> Any:
    """Return a frozen dataclass of these fields, without the time that a call of `kind` takes."""
    made = object.__new__(kind)
    vars(made).update(fields)
    return made
