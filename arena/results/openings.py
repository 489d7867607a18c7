"""Openings: positions after a few plies, so that agents without chance play more than two games."""

from __future__ import annotations

from collections.abc import Hashable
from random import Random

from gamelib.games import ConnectFour, GameTree, Nim, TicTacToe, nim_winning_actions
from gamelib.search import solve, winning_actions
from gamelib.state import Action, GameState

Opening = tuple[Action, ...]

MAX_TURNS = 3  # of each player: an opening is no whole game
TRIES_PER_OPENING = 20  # for each opening that is wanted, until its plies are held to be too few
MAX_FREE_CELLS = 10  # of a board that is solved in a moment
MAX_TREE_CHARS = 5_000  # characters of a textbook tree that is


def openings(state: GameState, number: int, rng: Random) -> list[Opening]:
    """Return openings from `state`: legal actions drawn by lot, no two to the same position.

    Each player has made as few moves as there are so many openings for; where not even three moves
    have that many, there are fewer.  Mirror images count as the same.  Left out are positions in
    which somebody can win at once, and those that theory values otherwise than `state`, where it
    does (see `theory`).  A game with dice has the opening without a ply: no two are alike anyhow.
    """
    best: list[Opening] = []
    for turns in range(1, 1 if state.has_chance else MAX_TURNS + 1):
        found = _draw_openings(state, turns * state.num_players, number, rng)
        best = max(best, found, key=len)
        if len(best) == number:
            break
    return best or [()]


def _draw_openings(state: GameState, plies: int, number: int, rng: Random) -> list[Opening]:
    seen, found = set[Hashable](), list[Opening]()
    for _ in range(TRIES_PER_OPENING * number):
        position, actions = state, list[Action]()
        while len(actions) < plies and not position.is_terminal():
            actions.append(rng.choice(position.legal_actions()))
            position = position.successor(actions[-1])
        key = position.symmetry_key() or position
        if (
            key not in seen
            and len(found) < number
            and not position.is_terminal()
            and not winning_actions(position)
            and theory(position) in (None, theory(state))
        ):
            found.append(tuple(actions))
        seen.add(key)
    return found


def theory(state: GameState) -> tuple[float, ...] | None:
    """Return the payoff of each player under best play; None where it is not known cheaply.

    Known are Nim, small boards, textbook trees, and the empty board of Connect Four, each with two
    players.  Which ones does not depend on the machine.

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
