"""A reader's own search, for the type checker, which knows the types of actions in every search."""

from random import Random
from typing import Any, Unpack, assert_type

import gamelib
from gamelib import (
    ConnectFour,
    GameState,
    Nim,
    SearchAgent,
    SearchResult,
    TicTacToe,
    check_game,
    mcts,
    minimax,
    play_game,
    random_agent,
    winning_actions,
)
from gamelib.search.callbacks import Callbacks
from gamelib.search.depth_first import DepthFirst, ValueAndLine
from gamelib.search.registry import register_search
from gamelib.state import ActionT
from tests.typed.domineering import Domineering
from tests.typed.sticks import Sticks


@register_search()
def plain_minimax(
    state: GameState[ActionT], *, depth: int | None = None, **signals: Unpack[Callbacks]
) -> SearchResult[ActionT]:
    """Return the best action of a game of two players."""
    return PlainMinimax(state, depth, **signals).run()


class PlainMinimax(DepthFirst):
    """Minimax, as CONTRIBUTING says that a search is written."""

    def value(self, state: GameState, ply: int) -> ValueAndLine:
        """Return the value for the player to move at the root, and the line to it."""
        self.nodes += 1
        if ply == self.depth or state.is_terminal():
            return self.leaf(state, ply, self.root_player)
        choose = max if state.current_player == self.root_player else min
        found = {a: self.value(state.successor(a), ply + 1) for a in self.actions(state)}
        best = choose(found, key=lambda action: found[action][0])
        return found[best][0], (best, found[best][1])


def first_or_random(state: GameState[ActionT], rng: Random) -> ActionT:
    """Return an action, as a rollout policy does."""
    winning = winning_actions(state)
    return winning[0] if winning else rng.choice(state.legal_actions())


def check_types(state: Domineering, nim: Nim, unknown: GameState) -> None:
    """Assert what a type checker knows of actions; nobody calls this."""
    assert_type(minimax(TicTacToe()).action, int)
    assert_type(gamelib.alphabeta(ConnectFour(), depth=4).line, tuple[int, ...])
    assert_type(plain_minimax(state).action, int)
    assert_type(plain_minimax(nim, depth=2).action, tuple[int, int])
    found = mcts(nim, simulations=9, rollout=first_or_random)
    assert_type(found.best_actions, tuple[tuple[int, int], ...])
    assert_type(SearchAgent(minimax)(state), int)
    game = play_game(random_agent(), random_agent(), state=nim)
    assert_type(game.actions, tuple[tuple[int, int], ...])
    assert_type(first_or_random(state, Random(0)), int)
    assert_type(minimax(Sticks()).action, int)
    assert_type(minimax(unknown).action, Any)
    assert_type(minimax(state.play(0, 1)).action, int)
    check_game(state)
