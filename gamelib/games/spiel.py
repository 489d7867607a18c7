"""The games of OpenSpiel (Lanctot et al., arXiv 1908.09453), if that package is installed."""

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

    `name` is a name that OpenSpiel's `load_game` accepts; `actions` have been played since the
    start, outcomes of chance included.  An action is OpenSpiel's name of it, such as "a5b4";
    `successor` also accepts its number.  `spiel()` and `from_spiel` convert to OpenSpiel's state
    and back.  The players move in turn and see everything; there may be chance nodes.  Payoffs are
    OpenSpiel's `returns`, divided by the largest possible payoff if it is above 1.

    Two positions are equal if the same actions led to them, because rules may depend on the past,
    which no board shows: in chess, for example, a repetition ends the game.  (OpenSpiel's
    `serialize` compares in the same way.)  So no position comes again, and a transposition table
    finds nothing.
    """

    num_players: int
    current_player: int
    has_chance = False  # the default for type checkers; each position sets its own

    def __init__(self, name: str, actions: Iterable[str] = ()) -> None:
        game, self.actions = _load(str(name)), tuple(map(str, actions))
        self.name, self.num_players = str(game), game.num_players()
        self.has_chance = game.get_type().chance_mode.name != "DETERMINISTIC"
        self._load_state()

    @cached_property
    def _state(self) -> Any:  # OpenSpiel's state, which must never be changed
        state = _load(self.name).new_initial_state()
        for action in self.actions:
            self._numbers = _actions_by_name(state)
            if action not in self._numbers:
                legal = ", ".join(self._numbers)
                raise IllegalActionError(f"the legal actions are {legal}; got {action!r}")
            state.apply_action(self._numbers[action])
        return state

    def _load_state(self) -> None:
        self._numbers, self.current_player = (
            _actions_by_name(self._state),
            self._state.current_player(),
        )
        if self._state.is_terminal():  # OpenSpiel names no player, so take whose turn it would be
            movers = [-1, *(turn.player for turn in self._state.full_history() if turn.player >= 0)]
            self.current_player = (movers[-1] + 1) % self.num_players

    def spiel(self) -> Any:
        """Return a copy of OpenSpiel's own state, as its bots and searches take it."""
        return self._state.clone()

    @classmethod
    def from_spiel(cls, state: Any) -> Self:
        """Return the position of a state of OpenSpiel."""
        position = cls(str(state.get_game()))
        for action in state.history():
            position = position.successor(action)
        return position

    def legal_actions(self) -> tuple[str, ...]:
        """Return the actions, or the outcomes at a chance node."""
        return tuple(self._numbers)

    def chance_outcomes(self) -> tuple[tuple[str, float], ...]:
        """Return the outcomes of a chance node, each with its probability."""
        probabilities = dict(self._state.chance_outcomes())
        return tuple((name, probabilities[number]) for name, number in self._numbers.items())

    def successor(self, action: str | int) -> Self:
        """Return the position after an action, given by its name or by OpenSpiel's number."""
        action = self.action_named(action)
        if type(action) is not str or action not in self._numbers:
            return self._retry_with_python_action(action, "OpenSpiel's name of it, or its number")
        child = object.__new__(type(self))
        vars(child).update(vars(self))
        child._state = self._state.child(self._numbers[action])
        child.actions = (*self.actions, action)
        child._load_state()
        return child

    def action_named(self, action: Any) -> Any:
        """Return the name of the legal action with OpenSpiel's number; anything else unchanged."""
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
        largest = max(1, -game.min_utility(), game.max_utility())
        payoffs = [payoff / largest for payoff in self._state.returns()]
        return tuple(int(payoff) if payoff.is_integer() else payoff for payoff in payoffs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OpenSpiel) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash((self.name, self.actions))

    def __str__(self) -> str:
        return re.sub(r"\x1b\[[\d;]*m", "", str(self._state)).rstrip()  # without colour codes

    def __repr__(self) -> str:
        played = f", {list(self.actions)}" if self.actions else ""
        return f"{type(self).__name__}({self.name!r}{played})"

    def _repr_html_(self) -> str:
        from html import escape  # imported here, because its table of entities loads slowly

        return f"<pre>{escape(str(self))}</pre>"

    def to_json(self) -> dict[str, Any]:
        """Return the name of the game and the actions played, ready for `json.dumps`."""
        return {"game": type(self).__name__, "name": self.name, "actions": list(self.actions)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the position of which `to_json` returned `data`."""
        return cls(data["name"], data["actions"])


def _actions_by_name(state: Any) -> dict[str, int]:
    player, numbers = state.current_player(), state.legal_actions()
    by_name = {state.action_to_string(player, number).strip(): number for number in numbers}
    assert len(by_name) == len(numbers), f"two actions have the same name: {', '.join(by_name)}"
    return by_name


@cache
def _load(name: str) -> Any:
    """Return OpenSpiel's game of that name; ValueError if unknown or unplayable."""
    try:
        import pyspiel
    except ImportError as error:
        raise ImportError("OpenSpiel is missing; `pip install open_spiel` installs it") from error
    if name.partition("(")[0].strip() not in (names := pyspiel.registered_names()):
        raise ValueError(f"OpenSpiel has no game {name!r}; it has {', '.join(names)}")
    try:
        game = pyspiel.load_game(name)  # its error lists the parameters of the game
    except Exception as error:  # of any type, because some games need a file or another game
        raise ValueError(f"OpenSpiel cannot load {name!r}: {error}") from error
    game_type = game.get_type()
    if game_type.dynamics.name != "SEQUENTIAL":
        reason = "its players do not move in turn"
    elif game_type.information.name != "PERFECT_INFORMATION":
        reason = "it hides something from a player"
    elif game_type.chance_mode.name == "SAMPLED_STOCHASTIC":
        reason = "it does not give the probabilities of its outcomes"
    else:
        return game
    raise ValueError(f"no search here can play {name}, because {reason}; choose another game")


def spiel_state(state: GameState) -> Any:
    """Return OpenSpiel's state for a position of its games, of tic-tac-toe or of Connect Four.

    Our positions have no history, so some actions that lead to the position are played again.
    ValueError for another game, and if the game is over.
    """
    if isinstance(state, OpenSpiel):
        return state.spiel()
    size = getattr(state, "rows", 0), getattr(state, "cols", 0), getattr(state, "k", 0)
    name = {(TicTacToe, 3, 3, 3): "tic_tac_toe", (ConnectFour, 6, 7, 4): "connect_four"}.get(
        (type(state), *size)
    )
    if not name or state.num_players != 2 or state.is_terminal():
        games = "OpenSpiel(...), TicTacToe() and ConnectFour() of the usual size"
        raise ValueError(f"a bot of OpenSpiel plays {games}, before their end; got {state!r}")
    spiel = _load(name).new_initial_state()
    for action in _actions_leading_to(state):
        spiel.apply_action(action)
    if spiel.current_player() != state.current_player:
        mover = f"player {state.current_player} cannot be the player to move"
        raise ValueError(f"{mover} after this number of stones:\n{state}")
    return spiel


def spiel_agent(bot: Any) -> Callable[[GameState], Any]:
    """Return an agent that plays the actions of a bot of OpenSpiel, such as its `MCTSBot`."""

    def agent(state: GameState) -> Any:
        number = int(bot.step(spiel_state(state)))
        return state.action_named(number) if isinstance(state, OpenSpiel) else number

    agent.__name__ = type(bot).__name__
    return agent


def _actions_leading_to(state: Any) -> list[int]:
    """Return actions of players who move in turn that lead to the stones of a position."""
    rows, cols = range(state.rows), range(state.cols)
    # The stones of each column, lowest first; in tic-tac-toe each cell has a pile of at most one.
    piles = [[state.cell(row, col) for row in reversed(rows)] for col in cols]
    if isinstance(state, TicTacToe):
        piles = [[state.cell(row, col)] for row in rows for col in cols]
    piles = [[owner for owner in pile if owner is not None] for pile in piles]
    visited: set[tuple[int, ...]] = set()

    def extend(heights: tuple[int, ...], played: list[int]) -> list[int] | None:
        if len(played) == sum(map(len, piles)):
            return played
        for action, pile in enumerate(piles):
            height = heights[action]
            raised = (*heights[:action], height + 1, *heights[action + 1 :])
            fits = height < len(pile) and pile[height] == len(played) % 2
            if fits and raised not in visited:
                visited.add(raised)
                if actions := extend(raised, [*played, action]):
                    return actions
        return None

    if (actions := extend((0,) * len(piles), [])) is None:
        raise ValueError(f"no game of two players who move in turn leads to this:\n{state}")
    return actions
