"""Choosing by chance, and by looking a move or two ahead; for any number of players."""

from __future__ import annotations

import random
import time

from gamelib.check import check_state
from gamelib.search.limits import Payoffs, as_rng, check_not_over
from gamelib.search.registry import described
from gamelib.search.result import SearchResult, Stats
from gamelib.search.rollouts import roll
from gamelib.state import CHANCE, Action, ActionT, GameState, not_over


@described(chance=True, place=11)
def random_choice(
    state: GameState[ActionT], *, rng: random.Random | int | None = None
) -> SearchResult[ActionT]:
    """Return one of the legal actions, each as likely as the others; an outcome by its chance."""
    if state.current_player == CHANCE:
        action = roll(state, as_rng(rng))
    else:
        check_not_over(state)
        action = as_rng(rng).choice(state.legal_actions())
    return SearchResult(action, line=(action,), stats=Stats(nodes=1))


@described(chance=True, place=10)
def lookahead(
    state: GameState[ActionT], *, rng: random.Random | int | None = None
) -> SearchResult[ActionT]:
    """Return an action by the first of these rules that leaves one.

    1. Take the first win.
    2. Leave out what lets another player win with the next move, if anything else is left;
    3. of the rest, take the first win in two moves that is certain;
    4. else any of the rest, by chance.
    """
    check_not_over(state)
    started = time.perf_counter()
    chance = as_rng(rng)
    ahead = _Lookahead(state)
    if certain := ahead.wins(turns=0) or ahead.wins(turns=1):
        action = certain[0]  # a win in two moves that is certain gives nobody else one
    else:
        action = chance.choice(ahead.safe() or state.legal_actions())
    seconds = time.perf_counter() - started
    return SearchResult(action, line=(action,), stats=Stats(nodes=ahead.nodes), seconds=seconds)


def winning_actions(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions that win at once."""
    return _Lookahead(state).wins(turns=0)


def safe_actions(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions after which no other player is sure of a win with the next own move."""
    return _Lookahead(state).safe()


def two_step_wins(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions that win at once or with the player's next move, whatever the replies.

    A reply that wins first, or leaves nothing to win with, rules an action out.
    """
    return _Lookahead(state).wins(turns=1)


class _Lookahead:
    """What can be forced from `state` within a move or two; counts the states it visits."""

    def __init__(self, state: GameState) -> None:
        check_state(state)
        self.state, self.me, self.nodes = state, state.current_player, 1
        self.utilities = Payoffs().of

    def wins(self, turns: int) -> tuple[Action, ...]:
        """Return the actions that win within `turns` more moves of the player's own."""
        return tuple(
            action
            for action in self.state.legal_actions()
            if self.wins_within(self.state.successor(action), self.me, turns)
        )

    def safe(self) -> tuple[Action, ...]:
        """Return the actions after which nobody else can force a win with one own move."""
        others = [player for player in range(self.state.num_players) if player != self.me]
        return tuple(
            action
            for action in self.state.legal_actions()
            if not any(self.wins_within(self.state.successor(action), p, turns=1) for p in others)
        )

    def wins_within(self, state: GameState, player: int, turns: int) -> bool:
        """Return whether `player` wins within `turns` own moves, whatever the others play."""
        self.nodes += 1
        if state.is_terminal():
            return self.utilities(state)[player] > 0
        if turns == 0:
            return False
        if not (actions := state.legal_actions()):
            raise not_over(state)
        mine = state.current_player == player
        return (any if mine else all)(
            self.wins_within(state.successor(action), player, turns - mine) for action in actions
        )
