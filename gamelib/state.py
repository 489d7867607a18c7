"""The interface between games and searches, and a check that a game keeps its rules."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

Action = Any  # hashable; every game chooses its own: an int, a tuple of ints, a string


class IllegalActionError(ValueError):
    """An action that the rules do not allow in this position."""


class GameState(ABC):
    """A position of a game: immutable and hashable.

    Players are 0, 1, ..., `num_players` - 1.  A game defines `num_players`, `current_player`
    (at terminal states too) and the four abstract methods; every search then works with it.
    """

    __slots__ = ()

    num_players: int
    current_player: int

    @abstractmethod
    def legal_actions(self) -> Sequence[Action]:
        """Return the actions of the player to move, in a fixed order; none at a terminal state."""

    @abstractmethod
    def successor(self, action: Action) -> Self:
        """Return the state after `action`; IllegalActionError if it is not legal."""

    @abstractmethod
    def is_terminal(self) -> bool:
        """Return whether the game is over."""

    @abstractmethod
    def utilities(self) -> tuple[float, ...]:
        """Return one payoff per player: +1 win, 0 draw, -1 loss; ValueError before the end."""

    def utility(self, player: int) -> float:
        """Return the payoff of one player at a terminal state."""
        return self.utilities()[player]

    def play(self, *actions: Action) -> Self:
        """Return the state after several actions, one after the other."""
        state = self
        for action in actions:
            state = state.successor(action)
        return state

    def _repr_svg_(self) -> str | None:
        # Jupyter asks for this.  It is the one arrow from the games to the drawings, taken late,
        # so that a game needs no graphics.
        from gamelib.draw import position_or_none

        return position_or_none(self)


class BrokenRuleError(Exception):
    """A rule of the interface that a game does not keep."""


@dataclass(frozen=True)
class GameReport:
    """What `check_game` found: true when no rule was broken; prints as a sentence."""

    game: str
    games: int
    positions: int
    broken_rule: str | None = None

    def __bool__(self) -> bool:
        return self.broken_rule is None

    def __repr__(self) -> str:
        seen = f"{self.games:,} random games, {self.positions:,} positions"
        if self.broken_rule is None:
            return f"{self.game} keeps the rules of the interface ({seen})."
        return f"{self.game} breaks a rule: {self.broken_rule}"


def check_game(
    state: GameState, *, games: int = 200, max_plies: int = 10_000, seed: int = 0
) -> GameReport:
    """Return a report on `games` random games from `state`: the first broken rule, in words.

    An exception that the game itself raises is not caught: its traceback shows the line.
    """
    rng = random.Random(seed)
    name = type(state).__name__
    positions = 0
    known_actions: dict[Action, None] = {}  # every action seen so far, to try where it is illegal
    try:
        for game in range(games):
            played = _checked_game(state, rng, max_plies, known_actions)
            positions += len(played)
            _check_nothing_changed(played)
    except BrokenRuleError as rule:
        return GameReport(name, game + 1, positions, str(rule))
    return GameReport(name, games, positions)


@dataclass(frozen=True)
class _Snapshot:
    """A state and what it answered when it was new."""

    state: GameState
    text: str
    key: int
    player: int
    actions: tuple[Action, ...]


def _checked_game(
    state: GameState, rng: random.Random, max_plies: int, known: dict[Action, None]
) -> list[_Snapshot]:
    """Return the snapshots of one random game, each state checked on the way."""
    num_players = _players_of(state)
    played = [_checked_state(state, num_players, rng, known)]
    while actions := played[-1].actions:
        if len(played) > max_plies:
            raise BrokenRuleError(f"a game does not end: {max_plies:,} actions played\n{state}")
        action = rng.choice(actions)
        child = state.successor(action)
        _check_successor(state, action, child)
        played.append(_checked_state(child, num_players, rng, known))
        state = child
    return played


def _players_of(state: GameState) -> int:
    _require(
        isinstance(state, GameState),
        f"a game is a subclass of GameState, not {type(state).__name__}",
    )
    count = state.num_players
    _require(
        type(count) is int and count >= 1,
        f"`num_players` is {count!r}; it must be an int, 1 or more",
    )
    return count


def _checked_state(
    state: GameState, num_players: int, rng: random.Random, known: dict[Action, None]
) -> _Snapshot:
    """Return a snapshot of `state` after asking it everything; BrokenRuleError names what is wrong."""
    where = f"\n{state}"
    player = state.current_player
    _require(
        state.num_players == num_players,
        f"`num_players` changed from {num_players} to {state.num_players!r} during a game{where}",
    )
    _require(
        type(player) is int and 0 <= player < num_players,
        f"`current_player` is {player!r}; players are 0 to {num_players - 1}{where}",
    )
    actions = tuple(state.legal_actions())
    _require(
        len(set(actions)) == len(actions),
        f"`legal_actions` names an action twice: {actions}{where}",
    )
    _require(
        tuple(state.legal_actions()) == actions,
        f"`legal_actions` gives another order when asked again{where}",
    )
    _require(
        state.is_terminal() is (not actions),
        f"`is_terminal` is {state.is_terminal()!r} with {len(actions)} legal actions; "
        f"a state is terminal (True) exactly when it has none{where}",
    )
    _check_utilities(state, num_players, where)
    known.update(dict.fromkeys(actions))
    _check_illegal(state, actions, rng, list(known), where)
    return _Snapshot(state, str(state), _hash(state), player, actions)


def _check_utilities(state: GameState, num_players: int, where: str) -> None:
    if state.is_terminal():
        payoffs = state.utilities()
        _require(
            isinstance(payoffs, tuple) and len(payoffs) == num_players,
            f"`utilities` is {payoffs!r}; it must be a tuple with one payoff for each of the "
            f"{num_players} players{where}",
        )
        _require(
            all(isinstance(payoff, int | float) for payoff in payoffs),
            f"`utilities` is {payoffs!r}; every payoff must be a number{where}",
        )
        return
    try:
        payoffs = state.utilities()
    except ValueError:
        return
    raise BrokenRuleError(
        f"`utilities` gives {payoffs!r} before the end; it must raise a ValueError{where}"
    )


def _check_illegal(
    state: GameState,
    legal: tuple[Action, ...],
    rng: random.Random,
    known: list[Action],
    where: str,
) -> None:
    """Try an action of other positions, and None, which no game allows."""
    for action in (rng.choice(known) if known else None, None):
        if action in legal:
            continue
        try:
            state.successor(action)
        except IllegalActionError:
            continue
        except Exception as error:
            raise BrokenRuleError(
                f"`successor({action!r})` is not legal and raises {type(error).__name__} "
                f"({error}); it must raise IllegalActionError{where}"
            ) from error
        raise BrokenRuleError(
            f"`successor({action!r})` is accepted, but {action!r} is not among the legal "
            f"actions {list(legal)}{where}"
        )


def _check_successor(state: GameState, action: Action, child: GameState) -> None:
    where = f"\n{state}"
    _require(
        isinstance(child, GameState),
        f"`successor({action!r})` returned {child!r}; it must return a new state{where}",
    )
    _require(
        child is not state,
        f"`successor({action!r})` returned the state itself; it must return a new one{where}",
    )
    try:
        again = state.successor(action)
    except IllegalActionError as error:
        raise BrokenRuleError(
            f"`successor({action!r})` is refused when it is called a second time ({error}); "
            f"`successor` must leave the old state as it is{where}"
        ) from error
    _require(
        child == again and _hash(child) == _hash(again),
        f"two calls of `successor({action!r})` give states that are not equal; "
        f"define `__eq__` and `__hash__`{where}",
    )


def _check_nothing_changed(played: list[_Snapshot]) -> None:
    """Ask every state of a finished game again: a state that shares a list with another has changed."""
    for old in played:
        state = old.state
        now = _Snapshot(
            state, str(state), _hash(state), state.current_player, tuple(state.legal_actions())
        )
        for field, name in (
            ("text", "text"),
            ("player", "`current_player`"),
            ("actions", "`legal_actions`"),
            ("key", "hash"),
        ):
            before, after = getattr(old, field), getattr(now, field)
            _require(
                before == after,
                f"a state changed after it was made: its {name} was\n{before}\nand is now\n{after}\n"
                f"`successor` must leave the old state as it is",
            )


def _hash(state: GameState) -> int:
    try:
        return hash(state)
    except TypeError as error:
        raise BrokenRuleError(f"a state must be hashable: {error}") from error


def _require(kept: bool, rule: str) -> None:
    if not kept:
        raise BrokenRuleError(rule)
