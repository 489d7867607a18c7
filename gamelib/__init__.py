"""Games and searches for a course in adversarial search.

Importing this package loads the games and the searches only.  The arena, the drawings and the
widgets load when one of their names is first used, so that a plain import stays fast and needs no
graphics.
"""

from importlib import import_module
from typing import Any

from gamelib.agents import (
    PlayedGame,
    SearchAgent,
    lookahead_agent,
    minimax_agent,
    play_game,
    random_agent,
)
from gamelib.games import (
    ConnectFour,
    GameTree,
    Nim,
    TicTacToe,
    from_json,
    grundy,
    nim_sum,
    nim_sum_rollout,
    nim_winning_actions,
)
from gamelib.search import (
    COUNTING,
    Bound,
    PayoffBounds,
    SearchResult,
    SearchTree,
    Stats,
    Table,
    Trace,
    against,
    alphabeta,
    best_reply,
    centre_first,
    favour,
    forces_win,
    hurt_the_leader,
    iterative_deepening,
    lines_heuristic,
    lookahead,
    maxn,
    maxn_outcomes,
    mcts,
    minimax,
    negamax,
    open_lines,
    open_windows,
    paranoid,
    preferred,
    random_choice,
    random_rollout,
    record,
    safe_actions,
    security_values,
    solve,
    take_a_win,
    two_step_wins,
    windows_heuristic,
    winning_actions,
)
from gamelib.state import Action, GameState, IllegalActionError, check_game

_LATE = {
    "FillInTree": "gamelib.widgets",
    "ForfeitError": "gamelib.arena",
    "GameRecord": "gamelib.arena",
    "Lab": "gamelib.widgets",
    "MatchUp": "gamelib.arena",
    "PlayBoard": "gamelib.widgets",
    "Playground": "gamelib.widgets",
    "Predict": "gamelib.widgets",
    "Quiz": "gamelib.widgets",
    "SearchStepper": "gamelib.widgets",
    "depth_cost": "gamelib.widgets",
    "depth_lab": "gamelib.widgets",
    "exploration_lab": "gamelib.widgets",
    "match_up": "gamelib.arena",
    "mcts_choices": "gamelib.widgets",
    "proof_cost": "gamelib.widgets",
    "quiz": "gamelib.widgets",
    "rollouts_lab": "gamelib.widgets",
    "seat_shares": "gamelib.widgets",
    "seats_lab": "gamelib.widgets",
    "solver_lab": "gamelib.widgets",
    "stability_lab": "gamelib.widgets",
    "wilson_interval": "gamelib.arena",
}

__all__ = [
    "COUNTING",
    "Action",
    "Bound",
    "ConnectFour",
    "ForfeitError",
    "GameRecord",
    "GameState",
    "GameTree",
    "IllegalActionError",
    "MatchUp",
    "Nim",
    "PayoffBounds",
    "PlayedGame",
    "SearchAgent",
    "SearchResult",
    "SearchTree",
    "Stats",
    "Table",
    "TicTacToe",
    "Trace",
    "against",
    "alphabeta",
    "best_reply",
    "centre_first",
    "check_game",
    "favour",
    "forces_win",
    "from_json",
    "grundy",
    "hurt_the_leader",
    "iterative_deepening",
    "lines_heuristic",
    "lookahead",
    "lookahead_agent",
    "match_up",
    "maxn",
    "maxn_outcomes",
    "mcts",
    "minimax",
    "minimax_agent",
    "negamax",
    "nim_sum",
    "nim_sum_rollout",
    "nim_winning_actions",
    "open_lines",
    "open_windows",
    "paranoid",
    "play_game",
    "preferred",
    "random_agent",
    "random_choice",
    "random_rollout",
    "record",
    "safe_actions",
    "security_values",
    "solve",
    "take_a_win",
    "two_step_wins",
    "wilson_interval",
    "windows_heuristic",
    "winning_actions",
]


def __getattr__(name: str) -> Any:
    if name in _LATE:
        return getattr(import_module(_LATE[name]), name)
    raise AttributeError(f"module 'gamelib' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])
