"""Choosing by chance, and by looking a move or two ahead; for any number of players."""

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
    """Return one of the legal actions, each as likely as the others; an outcome by its chance."""
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
    """Return an action by the first of these rules that leaves one.

    1. Take the first win.
    2. Leave out what lets another player win with the next move, if anything else is left;
    3. of the rest, take the first win in two moves that is certain;
    4. else any of the rest, by chance.
    """
    check_searchable(state)
    started = time.perf_counter()
    chance = as_rng(rng)
    ahead = _ForcedWins(state)
    if certain := ahead.wins(turns=0) or ahead.wins(turns=1):
        action = certain[0]  # a win in two moves that is certain gives nobody else one
    else:
        action = chance.choice(ahead.safe() or state.legal_actions())
    seconds = time.perf_counter() - started
    return SearchResult(action, line=(action,), stats=Stats(nodes=ahead.nodes), seconds=seconds)


def winning_actions(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions that win at once."""
    return _ForcedWins(state).wins(turns=0)


def safe_actions(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions after which no other player is sure of a win with the next own move."""
    return _ForcedWins(state).safe()


def two_step_wins(state: GameState[ActionT]) -> tuple[ActionT, ...]:
    """Return the actions that win at once or with the player's next move, whatever the replies.

    A reply that wins first, or leaves nothing to win with, rules an action out.
    """
    return _ForcedWins(state).wins(turns=1)


class _ForcedWins:
    """What can be forced from `state` within a move or two; counts the states it visits."""

    def __init__(self, state: GameState) -> None:
        check_state(state)
        self.state, self.root_player, self.nodes = state, state.current_player, 1
        self.utilities = PayoffChecker().checked_utilities

    def wins(self, turns: int) -> tuple[Action, ...]:
        """Return the actions that win within `turns` more moves of the player's own."""
        return tuple(
            action
            for action in self.state.legal_actions()
            if self.wins_within(self.state.successor(action), self.root_player, turns)
        )

    def safe(self) -> tuple[Action, ...]:
        """Return the actions after which nobody else can force a win with one own move."""
        others = [player for player in range(self.state.num_players) if player != self.root_player]
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
            raise no_actions_error(state)
        mine = state.current_player == player
        return (any if mine else all)(
            self.wins_within(state.successor(action), player, turns - mine) for action in actions
        )
