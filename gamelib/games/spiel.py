"""The games of OpenSpiel (Lanctot et al., arXiv 1908.09453), where that package is installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from random import Random
from typing import Any, Self

from gamelib.state import GameState, IllegalActionError, random_playout


class OpenSpiel(GameState):
    """A position of a game of OpenSpiel: `OpenSpiel("breakthrough(rows=5,columns=5)")`.

    name     the game with its parameters, as OpenSpiel's `load_game` reads it
    actions  what has been played, outcomes of chance included

    An action is what OpenSpiel calls it: "a5b4".  Players move in turn and see everything; chance
    may move, too.  Payoffs are OpenSpiel's `returns`, divided by the largest if that is above 1.

    Two positions are equal when the same actions led to them: rules may look back, as where a
    repetition ends a game of chess, and no board shows that.  OpenSpiel's `serialize` does so,
    too.  So no position comes again, and a transposition table finds nothing.
    """

    _state: Any  # of OpenSpiel; nobody changes it

    def __init__(self, name: str, actions: Iterable[str] = ()) -> None:
        if not isinstance(name, str):
            raise TypeError(f'name must be a text such as "hex(board_size=4)"; got {name!r}')
        game = _load(name)
        self.name, self.num_players = str(game), game.num_players()
        self.has_chance = game.get_type().chance_mode.name != "DETERMINISTIC"
        self._go_to(game.new_initial_state(), ())
        for action in actions:
            self._go_to((child := self.successor(action))._state, child.actions)

    def _go_to(self, state: Any, actions: tuple[str, ...]) -> None:
        self._state, self.actions = state, actions
        player, numbers = state.current_player(), state.legal_actions()
        names = [state.action_to_string(player, number).strip() for number in numbers]
        self._numbers = dict(zip(names, numbers, strict=True))
        if len(self._numbers) < len(names):
            raise ValueError(f"two actions of {self.name} have one name: {names}")
        if state.is_terminal():  # OpenSpiel names nobody; here it is whose turn it would be
            movers = [-1, *(turn.player for turn in state.full_history() if turn.player >= 0)]
            player = (movers[-1] + 1) % self.num_players
        self.current_player = player  # -1 is chance, there and here

    def legal_actions(self) -> tuple[str, ...]:
        """Return the actions, or the outcomes where chance moves."""
        return tuple(self._numbers)

    def chance_outcomes(self) -> tuple[tuple[str, float], ...]:
        """Return the outcomes where chance moves, each with its probability."""
        chances = dict(self._state.chance_outcomes())
        return tuple((name, chances[number]) for name, number in self._numbers.items())

    def successor(self, action: str) -> Self:
        """Return the position after an action."""
        if type(action) is not str or action not in self._numbers:
            return self._after(action)
        child = object.__new__(type(self))
        vars(child).update(vars(self))
        child._go_to(self._state.child(self._numbers[action]), (*self.actions, action))
        return child

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return bool(self._state.is_terminal())

    def utilities(self) -> tuple[float, ...]:
        """Return the payoffs, between -1 and +1."""
        if not self.is_terminal():
            raise ValueError(f"the game is not over, so nobody has a payoff yet:\n{self}")
        return _payoffs(self._state)

    def playout(self, rng: Random) -> tuple[float, ...]:
        """Return the payoffs of a random game from here, in one state of OpenSpiel."""
        if self.has_chance:
            return random_playout(self, rng)
        state = self._state.clone()
        while numbers := state.legal_actions():
            state.apply_action(numbers[int(rng.random() * len(numbers))])
        return _payoffs(state)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpiel) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.name, self.actions))

    def __str__(self) -> str:
        return re.sub(r"\x1b\[[\d;]*m", "", str(self._state)).rstrip()  # no terminal's colours

    def __repr__(self) -> str:
        played = f", {list(self.actions)}" if self.actions else ""
        return f"{type(self).__name__}({self.name!r}{played})"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def to_json(self) -> dict[str, Any]:
        """Return the game's name and what has been played, ready for `json.dumps`."""
        return {"game": type(self).__name__, "name": self.name, "actions": list(self.actions)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the position that `to_json` wrote."""
        return cls(data["name"], data["actions"])

    def _illegal(self, action: object) -> IllegalActionError:
        legal = ", ".join(self._numbers) or "none: the game is over"
        return IllegalActionError(f"the actions are {legal}; got {action!r}")


def _payoffs(final: Any) -> tuple[float, ...]:
    game = final.get_game()
    most = max(1, -game.min_utility(), game.max_utility())
    payoffs = [payoff / most for payoff in final.returns()]
    return tuple(int(payoff) if payoff.is_integer() else payoff for payoff in payoffs)


@cache
def _load(name: str) -> Any:
    """Return OpenSpiel's game of that name; ValueError if there is none, or none for a search."""
    try:
        import pyspiel
    except ImportError as error:
        raise ImportError("OpenSpiel is missing; `pip install open_spiel` installs it") from error
    kind, known = name.partition("(")[0].strip(), pyspiel.registered_names()
    if kind not in known:
        raise ValueError(f"OpenSpiel has no game {kind!r}; it has {', '.join(known)}")
    try:
        game = pyspiel.load_game(name)
    except pyspiel.SpielError as error:
        raise ValueError(f"OpenSpiel cannot set up {name!r}: {error}") from None
    facts = game.get_type()
    if facts.dynamics.name != "SEQUENTIAL":
        why = "its players do not move one after the other"
    elif facts.information.name != "PERFECT_INFORMATION":
        why = "something in it is hidden from a player"
    elif facts.chance_mode.name == "SAMPLED_STOCHASTIC":
        why = "its chance does not say how probable its outcomes are"
    else:
        return game
    raise ValueError(f"no search here can play {name}: {why}")
