"""`solve` as machine code."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from gamefast.connect_four import FourProver
from gamefast.games import check_supported, supports
from gamefast.nim import NimProver
from gamelib.games import Nim, TicTacToe
from gamelib.search import limits
from gamelib.search.result import SearchResult, Stats
from gamelib.search.solver import result_of
from gamelib.search.solver import solve as readable_solve
from gamelib.state import Action, GameState

# What `solve` asks of a game.  A score is + for a win of the player to move, the higher the sooner;
# - for a loss, the higher the later; 0 for a draw.
Prover = FourProver | NimProver
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
    started = time.perf_counter()
    if not supports(state):
        check_supported(False, state)
    limits.check_two_players(state, "solve")
    limits.check_not_over(state)
    too_large = type(state) is TicTacToe and state.rows * state.cols > MOST_CELLS
    if too_large or not state.max_utility:  # or nobody can win, which it knows without a search
        return readable_solve(state, only_value=only_value, progress=progress, stop=stop)
    watch = limits.watch_or_none(progress, stop)
    scores: dict[Action, int] = {}
    line: list[Action] = []

    def look() -> None:
        if watch and watch.due():
            best = limits.best_of(dict(sorted(scores.items())))
            watch(len(scores) / len(state.legal_actions()), best)

    prover: Prover = NimProver(state, look) if type(state) is Nim else FourProver(state, look)
    try:
        if only_value:
            action, score = prover.first_best()
            scores[action] = score
        else:
            prover.reply_scores(scores)
            prover.follow(max(scores.values()), line)
    except limits.SearchStopped:
        pass
    scores = dict(sorted(scores.items()))  # as `legal_actions` are
    action = limits.best_of(scores) if scores else state.legal_actions()[0]
    # Where every score is known, a stop has at most cut the line short.
    stopped = len(scores) < (1 if only_value else len(state.legal_actions()))
    known, stats = (state, action, scores, sign, prover.distance), made(Stats, nodes=prover.close())
    return result_of(*known, tuple(line), stats, stopped, started, partial(made, SearchResult))


def sign(score: int) -> int:
    """Return what a score says of the payoff."""
    return (score > 0) - (score < 0)


def made(kind: Any, /, **fields: Any) -> Any:
    """Return a frozen dataclass of these fields, without the time that a call of `kind` takes."""
    found = object.__new__(kind)
    vars(found).update(fields)
    return found
