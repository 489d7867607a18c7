"""The games of OpenSpiel (Lanctot et al., arXiv 1908.09453), where that package is installed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import Any, Self

from gamelib.games.connect_four import ConnectFour
from gamelib.games.tictactoe import TicTacToe
from gamelib.state import GameState, IllegalActionError


class OpenSpiel(GameState[str]):
    """A position of a game of OpenSpiel: `OpenSpiel("breakthrough(rows=5,columns=5)")`.

    The name is one that OpenSpiel's `load_game` reads; `actions` have been played since the start,
    outcomes of chance included.  An action is what OpenSpiel calls it, "a5b4"; `successor` takes
    its number, too.  `spiel()` and `from_spiel` go to OpenSpiel's own state and back.  Players move
    in turn and see everything; chance may move, too.  Payoffs are OpenSpiel's `returns`, divided by
    the largest that there can be where that is above 1.

    Two positions are equal when the same actions led to them: rules may look back, as where a
    repetition ends a game of chess, and no board shows that (OpenSpiel's `serialize` agrees).  So
    no position comes again, and a transposition table finds nothing.
    """

    num_players: int
    current_player: int
    has_chance = False  # each position knows it for itself

    def __init__(self, name: str, actions: Iterable[str] = ()) -> None:
        game, self.actions = _load(str(name)), tuple(map(str, actions))
        self.name, self.num_players = str(game), game.num_players()
        self.has_chance = game.get_type().chance_mode.name != "DETERMINISTIC"
        self._load_state()

    @cached_property
    def _state(self) -> Any:  # of OpenSpiel; nobody changes it
        state = _load(self.name).new_initial_state()
        for action in self.actions:
            self._numbers = _actions_by_name(state)
            if action not in self._numbers:
                legal = ", ".join(self._numbers)
                raise IllegalActionError(f"the actions are {legal}; got {action!r}")
            state.apply_action(self._numbers[action])
        return state

    def _load_state(self) -> None:
        self._numbers, self.current_player = (
            _actions_by_name(self._state),
            self._state.current_player(),
        )
        if self._state.is_terminal():  # OpenSpiel names nobody; here it is whose turn it would be
            movers = [-1, *(turn.player for turn in self._state.full_history() if turn.player >= 0)]
            self.current_player = (movers[-1] + 1) % self.num_players

    def spiel(self) -> Any:
        """Return a copy of OpenSpiel's own state: what its bots and searches take."""
        return self._state.clone()

    @classmethod
    def from_spiel(cls, state: Any) -> Self:
        """Return the position of a state of OpenSpiel."""
        position = cls(str(state.get_game()))
        for action in state.history():
            position = position.successor(action)
        return position

    def legal_actions(self) -> tuple[str, ...]:
        """Return the actions, or the outcomes where chance moves."""
        return tuple(self._numbers)

    def chance_outcomes(self) -> tuple[tuple[str, float], ...]:
        """Return the outcomes where chance moves, each with its probability."""
        chances = dict(self._state.chance_outcomes())
        return tuple((name, chances[number]) for name, number in self._numbers.items())

    def successor(self, action: str | int) -> Self:
        """Return the position after an action, given by its name or by OpenSpiel's number."""
        action = self.action_named(action)
        if type(action) is not str or action not in self._numbers:
            return self._retry_with_python_action(action, "what OpenSpiel calls it, or its number")
        child = object.__new__(type(self))
        vars(child).update(vars(self))
        child._state = self._state.child(self._numbers[action])
        child.actions = (*self.actions, action)
        child._load_state()
        return child

    def action_named(self, action: Any) -> Any:
        """Return the name of a legal action for OpenSpiel's number of it; all else as it is."""
        if type(action) is not int:
            return action
        return next((name for name, number in self._numbers.items() if number == action), action)

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
        from html import escape  # its table of entities takes long to load

        return f"<pre>{escape(str(self))}</pre>"

    def to_json(self) -> dict[str, Any]:
        """Return the game's name and what has been played, ready for `json.dumps`."""
        return {"game": type(self).__name__, "name": self.name, "actions": list(self.actions)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the position that `to_json` wrote."""
        return cls(data["name"], data["actions"])


def _actions_by_name(state: Any) -> dict[str, int]:
    player, numbers = state.current_player(), state.legal_actions()
    named = {state.action_to_string(player, number).strip(): number for number in numbers}
    assert len(named) == len(numbers), f"two actions have one name: {', '.join(named)}"
    return named


@cache
def _load(name: str) -> Any:
    """Return OpenSpiel's game of that name; ValueError if there is none, or none for a search."""
    try:
        import pyspiel
    except ImportError as error:
        raise ImportError("OpenSpiel is missing; `pip install open_spiel` installs it") from error
    if name.partition("(")[0].strip() not in (known := pyspiel.registered_names()):
        raise ValueError(f"OpenSpiel has no game {name!r}; it has {', '.join(known)}")
    try:
        game = pyspiel.load_game(name)  # its error says which parameters there are
    except Exception as error:  # of games of a file, or of another game that is not named, too
        raise ValueError(f"OpenSpiel cannot load {name!r}: {error}") from error
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


def spiel_state(state: GameState) -> Any:
    """Return OpenSpiel's state of a position of its games, of tic-tac-toe or of Connect Four.

    Ours keep no history: stones that could have led here are played once more.  ValueError for
    another game, and where the game is over.
    """
    if isinstance(state, OpenSpiel):
        return state.spiel()
    size = getattr(state, "rows", 0), getattr(state, "cols", 0), getattr(state, "k", 0)
    name = {(TicTacToe, 3, 3, 3): "tic_tac_toe", (ConnectFour, 6, 7, 4): "connect_four"}.get(
        (type(state), *size)
    )
    if not name or state.num_players != 2 or state.is_terminal():
        takes = "OpenSpiel(...), TicTacToe() and ConnectFour() of the usual size, before their end"
        raise ValueError(f"a bot of OpenSpiel can be handed {takes}; got {state!r}")
    found = _load(name).new_initial_state()
    for action in _order(state):
        found.apply_action(action)
    if found.current_player() != state.current_player:
        raise ValueError(f"player {state.current_player} cannot be to move after so many stones")
    return found


def spiel_agent(bot: Any) -> Callable[[GameState], Any]:
    """Return an agent that plays what a bot of OpenSpiel, such as its `MCTSBot`, does."""

    def agent(state: GameState) -> Any:
        number = int(bot.step(spiel_state(state)))
        return state.action_named(number) if isinstance(state, OpenSpiel) else number

    agent.__name__ = type(bot).__name__
    return agent


def _order(state: Any) -> list[int]:
    """Return actions, in turns, after which the stones stand as they do here."""
    rows, cols = range(state.rows), range(state.cols)
    # What lies on each other, the lowest first: in tic-tac-toe one stone at most.
    piles = [[state.cell(row, col) for row in reversed(rows)] for col in cols]
    if isinstance(state, TicTacToe):
        piles = [[state.cell(row, col)] for row in rows for col in cols]
    piles = [[owner for owner in pile if owner is not None] for pile in piles]
    seen: set[tuple[int, ...]] = set()

    def after(heights: tuple[int, ...], played: list[int]) -> list[int] | None:
        if len(played) == sum(map(len, piles)):
            return played
        for action, pile in enumerate(piles):
            height = heights[action]
            raised = (*heights[:action], height + 1, *heights[action + 1 :])
            fits = height < len(pile) and pile[height] == len(played) % 2
            if fits and raised not in seen:
                seen.add(raised)
                if found := after(raised, [*played, action]):
                    return found
        return None

    if (found := after((0,) * len(piles), [])) is None:
        raise ValueError(f"no game of two who move in turn leads here:\n{state}")
    return found
