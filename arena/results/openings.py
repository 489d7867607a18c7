"""Openings of a few plies, with which deterministic agents play more than two different games."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

from gamelib.games import ConnectFour, GameTree, Nim, TicTacToe, nim_winning_actions
from gamelib.search import solve, winning_actions
from gamelib.state import Action, GameState

Opening = tuple[Action, ...]

MAX_TURNS = 3  # of each player, because an opening is not a whole game
TRIES_PER_OPENING = 20  # until a number of plies is considered too small
MAX_FREE_CELLS = 10  # of a board that can be solved in a moment
MAX_TREE_CHARS = 5_000  # of a textbook tree that can be solved in a moment


def openings(state: GameState, number: int, rng: Random) -> list[Opening]:
    """Return openings of random legal actions from `state`, no two to the same position.

    Each player makes as few moves as are needed for `number` openings; if three moves are not
    enough, there are fewer openings.  Mirror images count as the same position.  Positions in which
    a player can win immediately are left out, and so are positions with another value by `theory`
    than `state`.  A game with dice has only the opening without a ply, because its games differ
    anyway.
    """
    best: list[Opening] = []
    for turns in range(1, 1 if state.has_chance else MAX_TURNS + 1):
        drawn = _draw_openings(state, turns * state.num_players, number, rng)
        best = max(best, drawn, key=len)
        if len(best) == number:
            break
    return best or [()]


def _draw_openings(state: GameState, plies: int, number: int, rng: Random) -> list[Opening]:
    visited, drawn, value = set[Hashable](), list[Opening](), theory(state)
    for _ in range(TRIES_PER_OPENING * number):
        position, actions = state, list[Action]()
        while len(actions) < plies and not position.is_terminal():
            actions.append(rng.choice(position.legal_actions()))
            position = position.successor(actions[-1])
        key = position.symmetry_key() or position
        if (
            key not in visited
            and not position.is_terminal()
            and not winning_actions(position)
            and theory(position) in (None, value)
        ):
            drawn.append(tuple(actions))
            if len(drawn) == number:
                break
        visited.add(key)
    return drawn


def theory(state: GameState) -> tuple[float, ...] | None:
    """Return the payoff of each player under best play; None if it is not known cheaply.

    It is known for Nim, small boards, textbook trees and the empty board of Connect Four, each with
    two players.  The limits do not depend on the machine.

    Source: Allis, A knowledge-based approach of Connect-Four, 1988, for its empty board.
    """
    if state.num_players != 2:
        return None
    if state.is_terminal():
        return state.utilities()
    if type(state) is Nim:
        mover_wins = bool(nim_winning_actions(state))
        return (1, -1) if mover_wins == (state.current_player == 0) else (-1, 1)
    if type(state) is ConnectFour and state == ConnectFour():
        return 1, -1
    if not _is_small(state):
        return None
    try:
        return solve(state, only_value=True).utilities
    except ValueError:  # a textbook tree that is not zero-sum
        return None


def _is_small(state: GameState) -> bool:
    if isinstance(state, TicTacToe | ConnectFour):
        cells = [(row, col) for row in range(state.rows) for col in range(state.cols)]
        return sum(state.cell(*cell) is None for cell in cells) <= MAX_FREE_CELLS
    return isinstance(state, GameTree) and len(str(state)) <= MAX_TREE_CHARS
