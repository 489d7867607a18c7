"""Simple searches for any number of players: a random choice, and a look at two moves ahead."""

from __future__ import annotations

import random
import time

from gamelib.conformance import check_state
from gamelib.search.checks import PayoffChecker, as_rng, check_searchable
from gamelib.search.registry import register_search
from gamelib.search.result import SearchResult, Stats
from gamelib.search.rollouts import sample_outcome
from gamelib.state import CHANCE, Action, ActionT, GameState, no_actions_error


@register_search(chance=True, sort_key=11)
def random_choice(
    state: GameState[ActionT], *, rng: random.Random | int | None = None
) -> SearchResult[ActionT]:
    """Return a random legal action, or at a chance node an outcome drawn with its probability."""
    if state.current_player == CHANCE:
        action = sample_outcome(state, as_rng(rng))
    else:
        check_searchable(state)
        action = as_rng(rng).choice(state.legal_actions())
    return SearchResult(action, line=(action,), stats=Stats(nodes=1))


@register_search(chance=True, sort_key=10)
def lookahead(
    state: GameState[ActionT], *, rng: random.Random | int | None = None
) -> SearchResult[ActionT]:
    """Return the action that these rules choose, in this order.

    1. Take the first action that wins immediately.
    2. Discard the actions that let another player win with the next move, if others are left.
    3. Of the remaining actions, take the first that is certain to win in two moves.
    4. Otherwise take one of the remaining actions at random.

    >>> from gamelib import TicTacToe, lookahead
    >>> lookahead(TicTacToe.parse("O.X / XX. / OO."), rng=0).action
    5
    """
    check_searchable(state)
    started = time.perf_counter()
    chance = as_rng(rng)
    ahead = _ForcedWins(state)
    if certain := ahead.wins(turns=0) or ahead.wins(turns=1):
        action = certain[0]  # a certain win in two moves does not let another player win before
    else:
        action = chance.choice(ahead.safe() or state.legal_actions())
    seconds = time.perf_counter() - started
    return SearchResult(action, line=(action,), stats=Stats(nodes=ahead.nodes), seconds=seconds)


def winning_actions(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions that win immediately."""
    return _ForcedWins(state).wins(turns=0)


def safe_actions(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions after which no other player is sure to win with their next move."""
    return _ForcedWins(state).safe()


def two_step_wins(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions that win immediately, or with the player's next move after any replies.

    A reply that wins first, or that leaves no winning move, rules an action out.
    """
    return _ForcedWins(state).wins(turns=1)


class _ForcedWins:
    """The wins that can be forced from `state` within two moves; it counts the visited states."""

    def __init__(self, state: GameState) -> None:
        check_state(state)
        self.state, self.root_player, self.nodes = state, state.current_player, 1
        self.utilities = PayoffChecker().checked_utilities

    def wins(self, turns: int) -> tuple[Action, ...]:
        """Return the actions that win within `turns` more moves of the player."""
        return tuple(
            action
            for action in self.state.legal_actions()
            if self.wins_within(self.state.successor(action), self.root_player, turns)
        )

    def safe(self) -> tuple[Action, ...]:
        """Return the actions after which no other player can force a win with one move."""
        others = [player for player in range(self.state.num_players) if player != self.root_player]
        return tuple(
            action
            for action in self.state.legal_actions()
            if not any(self.wins_within(self.state.successor(action), p, turns=1) for p in others)
        )

    def wins_within(self, state: GameState, player: int, turns: int) -> bool:
        """Return whether `player` wins within `turns` of their moves, whatever the others play."""
        self.nodes += 1
        if state.is_terminal():
            return self.utilities(state)[player] > 0
        if turns == 0:
            return False
        if not (actions := state.legal_actions()):
            raise no_actions_error(state)
        mine = state.current_player == player
        return (any if mine else all)(
            self.wins_within(state.successor(action), player, turns - mine) for action in actions
        )
