"""Best-reply search: one opponent in each round plays against the player to move.

Schadd and Winands (IEEE Transactions on Computational Intelligence and AI in Games 3, 2011) let
the other opponents pass, which few games allow.  This is BRS+, the variant that keeps to the rules
(Esser, Gras, Winands, Schadd and Lanctot, Computers and Games 2013), in which the opponents who do
not reply play the first action of the move ordering.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Self, Unpack

from gamelib.search.callbacks import Callbacks
from gamelib.search.checks import Evaluate, check_searchable
from gamelib.search.ordering import Order, validated_order
from gamelib.search.paranoid import paranoid
from gamelib.search.registry import register_search
from gamelib.search.result import SearchResult
from gamelib.state import Action, ActionT, GameState, Probability


@register_search(prunes=True, opponents="one", sort_key=9)
def best_reply(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    order: Order | None = None,
    prune: bool = True,
    **callbacks: Unpack[Callbacks],
) -> SearchResult[ActionT]:
    """Return the best action if, in each round, at most one opponent replies, as badly as possible.

    The value is at least that of Paranoid, and with two players it is that of minimax.  It is not
    guaranteed, because two opponents together may do more harm.

    depth     plies to search; at this depth, a node is worth `evaluate(state, player)`, or 0
    order     `order(state, actions)` returns the actions, likely ones first; an opponent who does
              not reply plays the first of them, or without `order` the first legal action
    prune     alpha-beta, as in `paranoid`

    >>> from gamelib import GameTree, best_reply
    >>> best_reply(GameTree([[(1, 2, 3), (4, 3, 2)], [(5, 1, 4), (0, 0, 9)]])).value
    1
    """
    check_searchable(state)
    game = _BestReplyGame(state, state.current_player, order and validated_order(order))
    inner = evaluate and wraps(evaluate)(lambda node, player: evaluate(node.state, player))
    return paranoid(game, depth=depth, evaluate=inner, prune=prune, **callbacks)


@dataclass(frozen=True, slots=True)
class _BestReplyGame(GameState):
    """The game in which at most one opponent replies between two moves of `root_player`.

    An opponent replies by any action but the first of the ordering.  After that, each of the other
    opponents has only the first action.
    """

    state: GameState
    root_player: int
    order: Order | None
    # The opponent who has replied since the last action of `root_player`.
    replying_player: int | None = None
    num_players = property(lambda self: self.state.num_players)
    current_player = property(lambda self: self.state.current_player)
    max_utility = property(lambda self: self.state.max_utility)
    has_chance = property(lambda self: self.state.has_chance)
    player_name = property(lambda self: self.state.player_name)

    def legal_actions(self) -> Sequence[Action]:
        actions = self.state.legal_actions()
        if (
            self.replying_player in (None, self.current_player)
            or self.current_player == self.root_player
        ):
            return actions
        return (self._ordered(actions),) if actions else ()

    def _ordered(self, actions: Sequence[Action]) -> Action:
        return self.order(self.state, actions)[0] if self.order else actions[0]

    def successor(self, action: Action) -> Self:
        replied, mover = self.replying_player, self.current_player
        if mover == self.root_player:
            replied = None
        elif replied is None and action != self._ordered(self.state.legal_actions()):
            replied = mover
        return replace(self, state=self.state.successor(action), replying_player=replied)

    def chance_outcomes(self) -> Sequence[tuple[Action, Probability]]:
        return self.state.chance_outcomes()

    def is_terminal(self) -> bool:
        return self.state.is_terminal()

    def utilities(self) -> tuple[float, ...]:
        return self.state.utilities()

    def __str__(self) -> str:
        return str(self.state)
