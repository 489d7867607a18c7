"""The games and the searches of a course in adversarial search; needs nothing but Python."""

from typing import Any

from gamelib import moved
from gamelib.agents import (
    PlayedGame,
    SearchAgent,
    lookahead_agent,
    minimax_agent,
    play_game,
    random_agent,
)
from gamelib.check import check_game
from gamelib.compiled.fast import fast
from gamelib.games import (
    GAMES,
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
    SEARCHES,
    Bound,
    PayoffBounds,
    SearchResult,
    SearchTree,
    Stats,
    Table,
    alphabeta,
    best_reply,
    centre_first,
    forces_win,
    hurt_the_leader,
    iterative_deepening,
    lines_heuristic,
    lookahead,
    maxn,
    mcts,
    minimax,
    negamax,
    open_lines,
    open_windows,
    paranoid,
    preferred,
    random_choice,
    random_rollout,
    safe_actions,
    solve,
    take_a_win,
    two_step_wins,
    windows_heuristic,
    winning_actions,
)
from gamelib.state import Action, GameState, IllegalActionError
from gamelib.trace import Trace, record

__all__ = [
    "COUNTING",
    "Action",
    "Bound",
    "ConnectFour",
    "GameState",
    "GameTree",
    "IllegalActionError",
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
    "alphabeta",
    "best_reply",
    "centre_first",
    "check_game",
    "fast",
    "forces_win",
    "from_json",
    "grundy",
    "hurt_the_leader",
    "iterative_deepening",
    "lines_heuristic",
    "lookahead",
    "lookahead_agent",
    "maxn",
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
    "solve",
    "take_a_win",
    "two_step_wins",
    "windows_heuristic",
    "winning_actions",
]


moved.put_up()


def __getattr__(name: str) -> Any:
    # What is not named above has a file of its own in gamelib/games or gamelib/search.
    for table in (GAMES, SEARCHES):
        if name in table:
            return table[name]
    if name in moved.PLACES:
        raise ImportError(f"{name} has moved: from {moved.PLACES[name]} import {name}")
    raise AttributeError(f"module 'gamelib' has no attribute {name!r}")
