"""The interface between games and everything else: five questions, and a list of extras."""

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
    # Python has defaults of type variables from 3.13 on; type checkers bring this module along.
    from typing_extensions import TypeVar

    ActionT = TypeVar("ActionT", default=Any)
else:
    from typing import TypeVar

    ActionT = TypeVar("ActionT")
CHANCE = -1  # the current player where no player moves, but chance does
Probability = float | Fraction
MAX_PLIES = 10_000  # of a game: one that is not over then has no end
PLIES_PER_POLL = 16  # of a random game, between two looks at the clock


class IllegalActionError(ValueError):
    """An action that the rules do not allow in this position."""


class BrokenRuleError(ValueError):
    """A rule of the interface that a game does not keep."""


class GameState(ABC, Generic[ActionT]):
    """A position of a game: immutable and hashable.

    Players are 0, 1, ..., `num_players` - 1.  A game defines `num_players`, `current_player`
    (at terminal states too) and the four abstract methods; everything then works with it.
    Where chance moves, say at the roll of a die, `current_player` is CHANCE: the actions are the
    outcomes, and `chance_outcomes` says how probable they are.

    Type checkers know the actions of a `GameState[int]`, and so those that a search chooses for it.
    Of a plain `GameState` they may be anything.
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
        payoffs = self.utilities()
        if as_int(player) not in range(len(payoffs)):
            must = f"player must be an int from 0 to {len(payoffs) - 1}"
            raise ValueError(f"{must}; got {player!r}")
        return payoffs[player]

    def _retry_with_python_action(self, action: Action, kind: str, known: range = range(0)) -> Self:
        """Return the state after an action that numpy has named; IllegalActionError for others.

        An action is of this `kind`, in words; those in `known` are, though not always legal.
        """
        if (own := to_python_action(action)) is not action:
            return self.successor(own)
        if self.is_terminal():
            raise IllegalActionError(f"{action!r}: the game is over ({self.status()})")
        listed = f", and legal are {self.legal_actions()}" if action in known else ""
        raise IllegalActionError(f"an action is {kind}; got {action!r}{listed}")

    def play(self, *actions: ActionT) -> Self:
        """Return the state after several actions, one after the other."""
        state = self
        for action in actions:
            state = state.successor(action if action.__class__ is int else to_python_action(action))
        return state

    # What a game may offer besides.  Everything has an answer here that is right for any game, so
    # a game overrides what it can say better.
    examples: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Positions to begin with: what a list of games calls them, and the constructor's options."""

    rollouts: ClassVar[Mapping[str, Callable[[Any, Random], Action]]] = {}
    """Rollout policies for MCTS that suit this game only, by what a list calls them."""

    def chance_outcomes(self) -> Sequence[tuple[ActionT, Probability]]:
        """Return (action, probability) for each outcome at a chance node, in the order of actions.

        It is asked where `current_player` is CHANCE, and nowhere else.  Probabilities are above 0
        and sum to 1; values are exact where they are `fractions.Fraction`s.
        """
        return ()

    @property
    def has_chance(self) -> bool:
        """Whether chance moves somewhere in this game."""
        return type(self).chance_outcomes is not GameState.chance_outcomes

    max_utility: float = 1
    """No player gets more than this, or less than its negative, and heuristics stay inside it.

    Searches rely on it, and refuse payoffs beyond it.
    """

    marks: ClassVar[str] = ""
    """What the players are called, a letter each; without it, "player 0", "player 1", ..."""

    def spots(self) -> Sequence[Spot]:
        """Return the places of the board, in the order of the keyboard; none without a board.

        From them come the picture, the board to click on, the names of actions and the text for
        screen readers.  A game with `rows`, `cols` and `cell(row, col)` is a grid of squares.
        """
        return grid(self, self.winning_line()) if isinstance(self, Grid) else ()

    def winning_line(self) -> Collection[Any]:
        """Return the cells of a grid that won, by number or as (row, column); empty before."""
        return ()

    def action_name(self, action: ActionT) -> str:
        """Return an action in words: the name of its spot, else as it is printed."""
        spot = action_spot(self.spots()).get(action)
        return spot.name if spot else str(action)

    def player_name(self, player: int) -> str:
        """Return what a player is called: its mark, or "player 0"; CHANCE is "chance"."""
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
        """Return what equal positions share with their mirror images; None: nothing is known."""
        return None

    def playout(self, rng: Random) -> tuple[float, ...]:
        """Return the payoffs of a random game from here; a faster way draws the same from `rng`."""
        return random_playout(self, rng)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the position that prints as `text`; ValueError for a text that shows none.

        An option, such as the player to move, is called like the attribute that answers it.
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
        """Return the position that `to_json` wrote; ValueError for what it never wrote."""
        if not isinstance(data, Mapping) or "text" not in data:
            raise ValueError(f"a position is read from what its to_json() gave; got {brief(data)}")
        options = {name: value for name, value in data.items() if name not in ("game", "text")}
        parse: Callable[..., Self] = cls.parse
        return parse(data["text"], **options)

    def __repr__(self) -> str:
        held: Any = object.__getstate__(self)  # a dict of attributes, or that and one of slots
        named = {**(held[0] or {}), **held[1]} if isinstance(held, tuple) else held or {}
        facts = ", ".join(f"{name}={value!r}" for name, value in named.items())
        return f"{type(self).__name__}({facts})"

    def _repr_svg_(self) -> str | None:
        # Jupyter asks for this.  It is the one arrow from the games to the drawings, taken late,
        # so that a game needs no graphics.
        from gamelib.svg import state_svg

        return state_svg(self)


def random_playout(
    state: GameState,
    rng: Random,
    poll: Callable[[], Any] | None = None,
    deterministic: bool | None = None,
) -> tuple[float, ...]:
    """Return the payoffs of a random game; `look` is called now and then: it may end a long one.

    `deterministic` says that the game has no chance; without it, the state is asked.
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
    """Return an outcome of a chance node, drawn by its probability."""
    left, outcomes = rng.random(), state.chance_outcomes()
    for outcome, probability in outcomes:
        left -= float(probability)
        if left < 0:
            return outcome
    return outcomes[-1][0]  # the probabilities sum to a little less than 1


def to_python_action(action: Action) -> Action:
    """Return an action in Python's own numbers, where it came in numpy's: its 4 is the action 4."""
    if isinstance(action, tuple) and any(hasattr(part, "tolist") for part in action):
        return tuple(map(to_python_action, action))
    own = action.tolist() if hasattr(action, "tolist") else action
    return tuple(own) if own is not action and isinstance(own, list) else own


def is_number(value: object) -> TypeGuard[float]:
    """Return whether `value` is a real number, such as an int or a float; True is none."""
    # To ask for Real takes ten times as long as the usual answer.
    return type(value) in (int, float) or (isinstance(value, Real) and not isinstance(value, bool))


def is_finite(value: object) -> TypeGuard[float]:
    """Return whether `value` is a real number that a float can hold: no infinity, not 10 ** 400."""
    try:
        return is_number(value) and isfinite(value)
    except OverflowError:
        return False


def as_int(value: object) -> int | None:
    """Return an integer as an int; None for anything else, such as True and 1.0."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else None


def no_actions_error(state: GameState) -> BrokenRuleError:
    """Return the error of a position where a player should move, and has no legal action."""
    if state.is_terminal():
        return wrong_player(state)
    must = "`is_terminal` must be True there, as on a full board that nobody has won"
    return BrokenRuleError(f"a position is not over, and has no legal action: {must}\n{state}")


def wrong_player(state: GameState) -> BrokenRuleError:
    """Return the error of a position whose `current_player` is not one of the players."""
    when = "when the game is over" if state.is_terminal() else "before the end"
    rule = f"`current_player` is {state.current_player!r} {when}"
    return BrokenRuleError(f"{rule}; players are 0 to {state.num_players - 1}, always\n{state}")


def poll_playout(state: GameState, plies: int, look: Callable[[], object] | None) -> int:
    """Call `look` in the middle of a random game; return at which ply to do that again."""
    if look:
        look()
    if plies >= MAX_PLIES:
        raise endless_game_error(state)
    return min(plies + PLIES_PER_POLL, MAX_PLIES)


def endless_game_error(state: GameState, plies: int = MAX_PLIES) -> BrokenRuleError:
    """Return the error of a game that goes on and on."""
    must = "A rule must end it, say by a count of actions in the state"
    return BrokenRuleError(f"a game does not end: {plies:,} actions were played.  {must}\n{state}")
