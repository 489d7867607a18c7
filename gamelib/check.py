"""A check that a game keeps the rules of the interface."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gamelib.state import Action, GameState, IllegalActionError


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

    An exception that the game itself raises in a legal call is not caught: its traceback shows the
    line.
    """
    name = state.__name__ if isinstance(state, type) else type(state).__name__
    checker = _Checker(random.Random(seed), max_plies)
    try:
        _check_kind(state)
        for _ in range(games):
            checker.check_a_game(state)
    except BrokenRuleError as rule:
        return GameReport(name, checker.games, checker.positions, str(rule))
    return GameReport(name, checker.games, checker.positions)


_STRANGE_ACTIONS = (None, -1, 1_000_000, "no such action")

_Answers = dict[str, Any]  # what a position says of itself: question -> answer


class _Checker:
    """Plays random games and raises BrokenRuleError at the first rule that does not hold."""

    def __init__(self, rng: random.Random, max_plies: int) -> None:
        self.rng, self.max_plies = rng, max_plies
        self.games = self.positions = 0
        self.seen: dict[GameState, _Answers] = {}
        self.known_actions: dict[Action, None] = {}  # of all positions, to try where not legal

    def check_a_game(self, start: GameState) -> None:
        self.games += 1
        path = [(start, self.check_position(start, start.num_players))]
        plies: dict[GameState, int] = {}  # when each position of this game was there
        while not path[-1][0].is_terminal():
            state, answers = path[-1]
            plies[state] = len(plies)
            if len(path) > self.max_plies:
                raise BrokenRuleError(
                    f"a game does not end: {self.max_plies:,} actions were played\n{state}"
                )
            action = self.rng.choice(answers["legal_actions"])
            child = _new_successor(state, action)
            _check_unchanged(state, answers)
            path.append((child, self.check_position(child, start.num_players)))
            _check_equal(child, state.successor(action), action)
            _check_new(child, plies)
        for state, answers in path:
            _check_unchanged(state, answers)

    def check_position(self, state: GameState, num_players: int) -> _Answers:
        self.positions += 1
        _check_players(state, num_players)
        _check_actions(state)
        _check_utilities(state, num_players)
        answers = _answers(state)
        self.known_actions.update(dict.fromkeys(answers["legal_actions"]))
        for actions in (list(self.known_actions) or [None], _STRANGE_ACTIONS):
            _check_refused(state, self.rng.choice(actions))
        self.check_equal_positions(state, answers)
        return answers

    def check_equal_positions(self, state: GameState, answers: _Answers) -> None:
        before = self.seen.setdefault(state, answers)
        for question in ("current_player", "legal_actions"):
            _require(
                before[question] == answers[question],
                f"two positions are equal, but `{question}` is {before[question]!r} in one and "
                f"{answers[question]!r} in the other; `__eq__` must compare all that matters",
                state,
            )


def _check_kind(state: object) -> None:
    if isinstance(state, type):
        missing = sorted(getattr(state, "__abstractmethods__", ()))
        raise BrokenRuleError(
            f"the class does not define {', '.join(f'`{name}`' for name in missing)}"
            if missing
            else f"check_game needs a position, {state.__name__}(...), not the class"
        )
    _require(
        isinstance(state, GameState),
        f"a game is a subclass of GameState; {type(state).__name__} is not",
    )
    players = getattr(state, "num_players", None)
    _require(
        type(players) is int and players >= 1,
        f"`num_players` is {players!r}; it must be an int, 1 or more",
    )


def _check_players(state: GameState, num_players: int) -> None:
    _require(
        state.num_players == num_players,
        f"`num_players` changed from {num_players} to {state.num_players!r} during a game",
        state,
    )
    player = getattr(state, "current_player", None)
    when = "when the game is over" if state.is_terminal() else "before the end"
    _require(
        type(player) is int and 0 <= player < num_players,
        f"`current_player` is {player!r} {when}; players are 0 to {num_players - 1}, always",
        state,
    )


def _check_actions(state: GameState) -> None:
    actions, over = state.legal_actions(), state.is_terminal()
    _require(
        isinstance(actions, Sequence),
        f"`legal_actions` is {actions!r}; it must be a list, a tuple or a range",
        state,
    )
    for action in actions:
        _hash(action, "an action")
    _require(
        len(set(actions)) == len(actions),
        f"`legal_actions` names an action twice: {list(actions)}",
        state,
    )
    _require(
        list(state.legal_actions()) == list(actions),
        "`legal_actions` gives another order when it is asked again",
        state,
    )
    _require(
        over is (not actions),
        f"`is_terminal` is {over!r} and there are {len(actions)} legal actions; "
        "it must be True where there is none, and False elsewhere",
        state,
    )


def _check_utilities(state: GameState, num_players: int) -> None:
    if not state.is_terminal():
        _check_raises(
            ValueError, state.utilities, "`utilities()` is asked before the end of the game", state
        )
        return
    payoffs = state.utilities()
    _require(
        isinstance(payoffs, tuple)
        and len(payoffs) == num_players
        and all(isinstance(payoff, int | float) for payoff in payoffs),
        f"`utilities` is {payoffs!r}; it must be a tuple of {num_players} numbers, one per player",
        state,
    )


def _check_refused(state: GameState, action: Action) -> None:
    legal = list(state.legal_actions())
    if action not in legal:
        _check_raises(
            IllegalActionError,
            lambda: state.successor(action),
            f"`successor({action!r})` is called, which is not among the legal actions {legal}",
            state,
        )


def _check_raises(
    error: type[Exception], call: Callable[[], object], situation: str, state: GameState
) -> None:
    name = error.__name__
    try:
        result = call()
    except error:
        return
    except NotImplementedError:  # a method that is still to be written breaks no rule yet
        raise
    except Exception as other:
        raise BrokenRuleError(
            f"{situation}: it raises {type(other).__name__} ({other}); it must raise {name}"
            f"\n{state}"
        ) from other
    raise BrokenRuleError(f"{situation}: it returns {result!r}; it must raise {name}\n{state}")


def _new_successor(state: GameState, action: Action) -> GameState:
    child = state.successor(action)
    _require(
        isinstance(child, GameState) and child is not state,
        f"`successor({action!r})` returned "
        f"{'the state itself' if child is state else repr(child)}; it must return a new state",
    )
    return child


def _check_equal(child: GameState, again: GameState, action: Action) -> None:
    _require(
        child == again and _hash(child) == _hash(again),
        f"two calls of `successor({action!r})` give states that are not equal; "
        "define `__eq__` and `__hash__`",
        child,
    )


def _check_new(child: GameState, plies: dict[GameState, int]) -> None:
    _require(
        child not in plies,
        f"a position comes again, {len(plies) - plies.get(child, 0)} actions after it was there: a "
        "search without a depth would go round for ever.  A rule must end such a game, say by a "
        "count of actions in the state; if the two positions do differ, `__eq__` must say so",
        child,
    )


def _check_unchanged(state: GameState, before: _Answers) -> None:
    for question, answer in _answers(state).items():
        _require(
            before[question] == answer,
            f"`successor` changed the old state: its {question} was\n{before[question]}\n"
            f"and is now\n{answer}\nA new state must not share a list with the old one",
        )


def _answers(state: GameState) -> _Answers:
    return {
        "text": str(state),
        "current_player": state.current_player,
        "legal_actions": list(state.legal_actions()),
        "hash": _hash(state),
    }


def _hash(value: object, what: str = "a state") -> int:
    try:
        return hash(value)
    except TypeError as error:
        raise BrokenRuleError(f"{what} must be hashable: {error}") from error


def _require(kept: bool, rule: str, state: GameState | None = None) -> None:
    if not kept:
        raise BrokenRuleError(rule if state is None else f"{rule}\n{state}")
