"""The games of OpenSpiel (Lanctot et al., arXiv 1908.09453), where that package is installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from functools import cache
from typing import Any, Self

from gamelib.state import GameState, IllegalActionError

COLOURS = re.compile(r"\x1b\[[\d;]*m")  # of a terminal; some games print with them


class OpenSpiel(GameState):
    """A position of a game of OpenSpiel: `OpenSpiel("breakthrough(rows=5,columns=5)")`.

    name     the game with its parameters, as OpenSpiel's `load_game` reads it
    actions  what has been played, by OpenSpiel's numbers, outcomes of chance included

    Players move in turn and see everything; chance may move, too.  Payoffs are OpenSpiel's
    `returns`; where they can lie outside -1 to +1, they are divided by the largest there can be.

    Two positions are equal when the same actions led to them: rules may look back, as where a
    repetition ends a game of chess, and no board shows that.  So no position comes again, and a
    transposition table finds nothing.  OpenSpiel's `serialize` tells positions apart in this way.
    """

    __slots__ = ("_legal", "_state", "current_player", "has_chance", "name", "num_players")
    _state: Any  # of OpenSpiel; nobody changes it

    def __init__(self, name: str, actions: Iterable[int] = ()) -> None:
        if not isinstance(name, str):
            raise TypeError(f'name must be a text such as "hex(board_size=4)"; got {name!r}')
        game = _load(name)
        self.name, self.num_players = str(game), game.num_players()
        self.has_chance = game.get_type().chance_mode.name != "DETERMINISTIC"
        self._go_to(game.new_initial_state())
        for action in actions:
            self._go_to(self.successor(action)._state)

    def _go_to(self, state: Any) -> None:
        self._state, self._legal = state, tuple(state.legal_actions())
        self.current_player = state.current_player()  # -1 is chance, there and here
        if state.is_chance_node():
            self._legal = tuple(action for action, _ in self.chance_outcomes())
        elif (
            state.is_terminal()
        ):  # OpenSpiel has no player there; here it is whose turn it would be
            movers = [turn.player for turn in state.full_history() if turn.player >= 0]
            self.current_player = (movers[-1] + 1) % self.num_players if movers else 0

    def legal_actions(self) -> tuple[int, ...]:
        """Return the numbers of the actions, or of the outcomes where chance moves."""
        return self._legal

    def chance_outcomes(self) -> tuple[tuple[int, float], ...]:
        """Return the outcomes where chance moves, each with its probability."""
        return tuple(outcome for outcome in self._state.chance_outcomes() if outcome[1] > 0)

    def successor(self, action: int) -> Self:
        """Return the position after an action."""
        if type(action) is not int or action not in self._legal:
            return self._after(action)
        child = object.__new__(type(self))
        child.has_chance, child.name = self.has_chance, self.name
        child.num_players = self.num_players
        child._go_to(self._state.child(action))
        return child

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return bool(self._state.is_terminal())

    def utilities(self) -> tuple[float, ...]:
        """Return the payoffs, between -1 and +1."""
        if not self.is_terminal():
            raise ValueError(f"the game is not over, so nobody has a payoff yet:\n{self}")
        game = self._state.get_game()
        most = max(1, -game.min_utility(), game.max_utility())
        payoffs = [payoff / most for payoff in self._state.returns()]
        return tuple(int(payoff) if payoff.is_integer() else payoff for payoff in payoffs)

    def action_name(self, action: int) -> str:
        """Return what OpenSpiel calls an action here: "a5b4"; its number, where it is not legal."""
        if action not in self._legal:
            return str(action)
        return str(self._state.action_to_string(self.current_player, action)).strip()

    def _key(self) -> tuple[str, tuple[int, ...]]:
        return self.name, tuple(self._state.history())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, OpenSpiel) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __str__(self) -> str:
        return COLOURS.sub("", str(self._state)).rstrip()

    def __repr__(self) -> str:
        name, actions = self._key()
        return f"{type(self).__name__}({name!r}{f', {list(actions)}' if actions else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._key()

    def to_json(self) -> dict[str, Any]:
        """Return the game's name and what has been played, ready for `json.dumps`."""
        name, actions = self._key()
        return {"game": type(self).__name__, "name": name, "actions": list(actions)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the position that `to_json` wrote."""
        return cls(data["name"], data["actions"])

    def _illegal(self, action: object) -> IllegalActionError:
        some = ", ".join(f"{each} ({self.action_name(each)})" for each in self._legal[:12])
        must = f"the actions are {some}{', ...' if len(self._legal) > 12 else ''}"
        return IllegalActionError(f"{must if some else 'the game is over'}; got {action!r}")


@cache
def _load(name: str) -> Any:
    """Return OpenSpiel's game of that name; ValueError if there is none, or none for a search."""
    try:
        import pyspiel
    except ImportError as error:
        raise ImportError("OpenSpiel is missing; `pip install open_spiel` installs it") from error
    kind, known = name.partition("(")[0].strip(), pyspiel.registered_names()
    if kind not in known:
        alike = " or ".join(get_close_matches(kind, known, 3, 0.5))
        raise ValueError(f"OpenSpiel has no game {kind!r}{alike and f'; did you mean {alike}?'}")
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
