"""Best-reply search: one opponent in each round plays against the player to move.

Schadd and Winands (IEEE Transactions on Computational Intelligence and AI in Games 3, 2011) let
the other opponents pass, which few games allow.  Here is the variant that keeps to the rules (BRS+;
Esser, Gras, Winands, Schadd and Lanctot, Computers and Games 2013): opponents who do not reply play
the first action of the move ordering.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Self, Unpack

from gamelib.search.limits import Evaluate, Signals, check_not_over
from gamelib.search.ordering import Order, checked
from gamelib.search.paranoid import paranoid
from gamelib.search.registry import described
from gamelib.search.result import SearchResult
from gamelib.state import Action, ActionT, GameState, Probability


@described(prunes=True, opponents="one", place=9)
def best_reply(
    state: GameState[ActionT],
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    order: Order | None = None,
    prune: bool = True,
    **signals: Unpack[Signals],
) -> SearchResult[ActionT]:
    """Return the best action if in each round at most one opponent replies, as badly as can be.

    The value is never below Paranoid's, and with two players it is minimax's.  It is no guarantee:
    two opponents together may do more harm.

    depth     look so many plies ahead; there `evaluate(state, player)` estimates, or 0 stands
    order     `order(state, actions)` returns the actions, likely ones first; an opponent who does
              not reply plays the first of them; without it, the first legal action
    prune     alpha-beta, as in `paranoid`
    """
    check_not_over(state)
    game = _Round(state, state.current_player, order and checked(order))
    own = evaluate and wraps(evaluate)(lambda node, player: evaluate(node.state, player))
    return paranoid(game, depth=depth, evaluate=own, prune=prune, **signals)


@dataclass(frozen=True, slots=True)
class _Round(GameState):
    """The game in which at most one opponent replies between two moves of `me`.

    To reply is to depart from the first action of the ordering; the others then have one action.
    """

    state: GameState
    me: int
    order: Order | None
    replied: int | None = None  # the opponent who has, since the last action of `me`
    num_players = property(lambda self: self.state.num_players)
    current_player = property(lambda self: self.state.current_player)
    max_utility = property(lambda self: self.state.max_utility)
    has_chance = property(lambda self: self.state.has_chance)
    player_name = property(lambda self: self.state.player_name)

    def legal_actions(self) -> Sequence[Action]:
        actions = self.state.legal_actions()
        if self.replied in (None, self.current_player) or self.current_player == self.me:
            return actions
        return (self._default(actions),) if actions else ()

    def _default(self, actions: Sequence[Action]) -> Action:
        return self.order(self.state, actions)[0] if self.order else actions[0]

    def successor(self, action: Action) -> Self:
        replied, mover = self.replied, self.current_player
        if mover == self.me:
            replied = None
        elif replied is None and action != self._default(self.state.legal_actions()):
            replied = mover
        return replace(self, state=self.state.successor(action), replied=replied)

    def chance_outcomes(self) -> Sequence[tuple[Action, Probability]]:
        return self.state.chance_outcomes()

    def is_terminal(self) -> bool:
        return self.state.is_terminal()

    def utilities(self) -> tuple[float, ...]:
        return self.state.utilities()

    def __str__(self) -> str:
        return str(self.state)
