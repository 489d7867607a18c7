"""The interface of games: the methods that every game has, and the extras that it may have."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from inspect import signature
from math import isfinite
from numbers import Integral, Real
from random import Random
from reprlib import repr as brief
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeGuard

from gamelib.board_layout import Grid, Spot, action_spot, grid

Action = Any  # hashable; every game chooses its own: an int, a tuple of ints, a string
if TYPE_CHECKING:
    # Type variables have defaults from Python 3.13 on; type checkers come with this module.
    from typing_extensions import TypeVar

    ActionT = TypeVar("ActionT", default=Any)
else:
    from typing import TypeVar

    ActionT = TypeVar("ActionT")
CHANCE = -1  # the current player at a chance node
Probability = float | Fraction
MAX_PLIES = 10_000  # of a game; a longer one counts as endless
PLIES_PER_POLL = 16  # of a random game, between two checks of the clock


class IllegalActionError(ValueError):
    """An action that the rules do not allow in this position."""


class BrokenRuleError(ValueError):
    """The error for a game that breaks a rule of the interface."""


class GameState(ABC, Generic[ActionT]):
    """A position of a game: immutable and hashable.

    Players are 0, 1, ..., `num_players` - 1.  A game defines `num_players`, `current_player`
    (at terminal states too) and the four abstract methods.  Then everything works with it.
    At a chance node, such as the roll of a die, `current_player` is CHANCE.  Then the actions are
    the outcomes, and `chance_outcomes` returns their probabilities.

    The actions of a `GameState[int]` are ints, so type checkers know that a search returns an int.
    The actions of a plain `GameState` may have any type.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # for a type checker: a game may define either as an attribute or a property

        @property
        def num_players(self) -> int:
            """The number of players."""

        @property
        def current_player(self) -> int:
            """The player to move, or CHANCE."""

    else:  # a property here would be taken for the default of a dataclass's field
        num_players: int
        current_player: int

    @abstractmethod
    def legal_actions(self) -> Sequence[ActionT]:
        """Return the actions of the player to move, in a fixed order; none at a terminal state."""

    @abstractmethod
    def successor(self, action: ActionT) -> Self:
        """Return the state after `action`; IllegalActionError if it is not legal."""

    @abstractmethod
    def is_terminal(self) -> bool:
        """Return whether the game is over."""

    @abstractmethod
    def utilities(self) -> tuple[float, ...]:
        """Return one payoff per player: +1 win, 0 draw, -1 loss; ValueError before the end."""

    def utility(self, player: int) -> float:
        """Return the payoff of one player at a terminal state."""
        payoffs, number = self.utilities(), as_int(player)
        if number is None or not 0 <= number < len(payoffs):
            must = f"player must be an int from 0 to {len(payoffs) - 1}"
            raise ValueError(f"{must}; got {player!r}")
        return payoffs[number]

    def _retry_with_python_action(self, action: Action, kind: str, known: range = range(0)) -> Self:
        """Return the state after an action in numpy's numbers; IllegalActionError for all others.

        The error describes an action by `kind`.  An action in `known` is of this kind, but not
        always legal, so for such an action the error lists the legal ones.
        """
        if (converted := to_python_action(action)) is not action:
            return self.successor(converted)
        if self.is_terminal():
            over = f"the game is over ({self.status()})"
            raise IllegalActionError(f"{action!r} is not legal, because {over}")
        legal = f"; the legal actions are {self.legal_actions()}" if action in known else ""
        raise IllegalActionError(f"an action is {kind}; got {action!r}{legal}")

    def play(self, *actions: ActionT) -> Self:
        """Return the state after several actions in turn."""
        state = self
        for action in actions:
            state = state.successor(action if action.__class__ is int else to_python_action(action))
        return state

    # The extras of a game.  Each has a default that is right for any game, so a game overrides
    # only those that it can do better.
    examples: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """The start positions: their names in a list of games, and the constructor's options."""

    rollouts: ClassVar[Mapping[str, Callable[[Any, Random], Action]]] = {}
    """Rollout policies of MCTS for this game only, by their names in a list."""

    def chance_outcomes(self) -> Sequence[tuple[ActionT, Probability]]:
        """Return (action, probability) for each outcome at a chance node, in the order of actions.

        It is called only if `current_player` is CHANCE.  Probabilities are above 0 and sum to 1.
        If they are `fractions.Fraction`s, the values of searches are exact.
        """
        return ()

    @property
    def has_chance(self) -> bool:
        """Whether this game has chance nodes."""
        return type(self).chance_outcomes is not GameState.chance_outcomes

    max_utility: float = 1
    """The largest payoff, and the negative of the smallest; heuristics stay inside these bounds.

    Searches rely on it and raise an error for payoffs beyond it.
    """

    marks: ClassVar[str] = ""
    """The marks of the players, a letter each; without it, they are "player 0", "player 1", ..."""

    def spots(self) -> Sequence[Spot]:
        """Return the spots of the board, in the order of the Tab key; none without a board.

        They define the picture, the clickable board, the names of actions and the text for screen
        readers.  A game with `rows`, `cols` and `cell(row, col)`, which returns the player whose
        piece is there or None, is a grid of squares.
        """
        return grid(self, self.winning_line()) if isinstance(self, Grid) else ()

    def winning_line(self) -> Collection[Any]:
        """Return the cells that won on a grid, by number or as (row, column); empty if none did."""
        return ()

    def action_name(self, action: ActionT) -> str:
        """Return the name of an action: the name of its spot, or else the action as text."""
        spot = action_spot(self.spots()).get(action)
        return spot.name if spot else str(action)

    def player_name(self, player: int) -> str:
        """Return the name of a player: its mark, or "player 0"; CHANCE is "chance"."""
        if player == CHANCE:
            return "chance"
        return self.marks[player] if player < len(self.marks) else f"player {player}"

    def status(self) -> str:
        """Return whose turn it is or how the game ended: "X to move", "draw", "player 1 won"."""
        if not self.is_terminal():
            return f"{self.player_name(self.current_player)} to move"
        payoffs = self.utilities()
        winners = [player for player, payoff in enumerate(payoffs) if payoff == max(payoffs)]
        return f"{' and '.join(map(self.player_name, winners))} won" if any(payoffs) else "draw"

    def symmetry_key(self) -> Hashable | None:
        """Return a key that mirror images of a position share; None if the game has no such key."""
        return None

    def playout(self, rng: Random) -> tuple[float, ...]:
        """Return the payoffs of a random game from here.

        A game may override it with a faster method that draws the same numbers from `rng`.
        """
        return random_playout(self, rng)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the position that prints as `text`; ValueError if there is none.

        An option, such as the player to move, has the name of the attribute with its value.
        """
        raise ValueError(f"{cls.__name__} cannot read a position from text")

    def parse_options(self) -> dict[str, Any]:
        """Return the options with which `parse` reads this position from its text."""
        _, *names = signature(type(self).parse).parameters
        return {name: getattr(self, name) for name in names if hasattr(self, name)}

    def to_json(self) -> dict[str, Any] | None:
        """Return the position as plain data; None for a game that cannot parse its text."""
        if type(self).parse.__qualname__ == "GameState.parse":
            return None
        return {"game": type(self).__name__, "text": str(self), **self.parse_options()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the position of which `to_json` returned `data`; ValueError for other data."""
        if not isinstance(data, Mapping) or "text" not in data:
            must = "data must be a dict that a position's to_json() returned"
            raise ValueError(f"{must}; got {brief(data)}")
        options = {name: value for name, value in data.items() if name not in ("game", "text")}
        parse: Callable[..., Self] = cls.parse
        return parse(data["text"], **options)

    def __repr__(self) -> str:
        # The contents are a dict of the attributes, or a pair of it and a dict of the slots.
        contents: Any = object.__getstate__(self)
        if isinstance(contents, tuple):
            contents = {**(contents[0] or {}), **contents[1]}
        facts = ", ".join(f"{name}={value!r}" for name, value in (contents or {}).items())
        return f"{type(self).__name__}({facts})"

    def _repr_svg_(self) -> str | None:
        # Jupyter calls these two methods.  They have the only imports from the games to the
        # drawings, inside, so that a game can be used without graphics.
        from gamelib.svg import state_svg

        return state_svg(self)

    def _repr_html_(self) -> str | None:
        from gamelib.svg.primitives import image_html

        drawing = self._repr_svg_()
        return drawing and image_html(drawing)


def random_playout(
    state: GameState,
    rng: Random,
    poll: Callable[[], Any] | None = None,
    deterministic: bool | None = None,
) -> tuple[float, ...]:
    """Return the payoffs of a random game; `poll` is called regularly, and may end it by an error.

    `deterministic` says that the game has no chance nodes; without it, `has_chance` is used.
    """
    draw, plies, due = rng.random, 0, PLIES_PER_POLL
    deterministic = not state.has_chance if deterministic is None else deterministic
    while actions := state.legal_actions():
        if plies == due:
            due = poll_playout(state, plies, poll)
        plies += 1
        if deterministic or state.current_player != CHANCE:
            state = state.successor(actions[int(draw() * len(actions))])
        else:
            state = state.successor(draw_outcome(state, rng))
    if not state.is_terminal():
        raise no_actions_error(state)
    return state.utilities()


def draw_outcome(state: GameState[ActionT], rng: Random) -> ActionT:
    """Return an outcome of a chance node, drawn with its probability."""
    left, outcomes = rng.random(), state.chance_outcomes()
    for outcome, probability in outcomes:
        left -= float(probability)
        if left < 0:
            return outcome
    return outcomes[-1][0]  # the probabilities sum to a little less than 1


def to_python_action(action: Action) -> Action:
    """Return an action with Python's numbers in place of numpy's, whose 4 is the action 4, too."""
    if isinstance(action, tuple) and any(hasattr(part, "tolist") for part in action):
        return tuple(map(to_python_action, action))
    converted = action.tolist() if hasattr(action, "tolist") else action
    is_array = converted is not action and isinstance(converted, list)
    return tuple(converted) if is_array else converted


def is_number(value: object) -> TypeGuard[float]:
    """Return whether `value` is a real number, such as an int or a float; True is not one."""
    # The check for Real takes ten times as long as the first one, which is usually enough.
    return type(value) in (int, float) or (isinstance(value, Real) and not isinstance(value, bool))


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether `value` is a finite real number that fits in a float, unlike 10 ** 400."""
    try:
        return is_number(value) and isfinite(value)
    except OverflowError:
        return False


def as_int(value: object) -> int | None:
    """Return an integer as an int; None for anything else, such as True and 1.0."""
    if type(value) is int:  # the usual answer: to ask for Integral takes ten times as long
        return value
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None


def no_actions_error(state: GameState) -> BrokenRuleError:
    """Return the error for a position that is not over but has no legal action."""
    if state.is_terminal():
        return wrong_player(state)
    must = "`is_terminal` must be True there, as on a full board that nobody has won"
    return BrokenRuleError(f"a position is not over, but has no legal action; {must}\n{state}")


def wrong_player(state: GameState) -> BrokenRuleError:
    """Return the error for a position whose `current_player` is not one of the players."""
    when = "when the game is over" if state.is_terminal() else "before the end"
    rule = f"`current_player` is {state.current_player!r} {when}"
    must = f"it must always be a player, 0 to {state.num_players - 1}"
    return BrokenRuleError(f"{rule}; {must}\n{state}")


def poll_playout(state: GameState, plies: int, poll: Callable[[], object] | None) -> int:
    """Call `poll` during a random game, and return the ply of the next call."""
    if poll:
        poll()
    if plies >= MAX_PLIES:
        raise endless_game_error(state)
    return min(plies + PLIES_PER_POLL, MAX_PLIES)


def endless_game_error(state: GameState, plies: int = MAX_PLIES) -> BrokenRuleError:
    """Return the error for a game that does not end."""
    must = "A rule must end it, for example a count of actions in the state"
    return BrokenRuleError(f"a game is not over after {plies:,} actions.  {must}\n{state}")
