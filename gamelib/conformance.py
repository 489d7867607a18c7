"""Checks that a game keeps the rules of the interface: of what it answers, and of whole games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gamelib.state import (
    CHANCE,
    MAX_PLIES,
    Action,
    BrokenRuleError,
    GameState,
    IllegalActionError,
    as_int,
    endless_game_error,
    is_finite,
    is_number,
    no_actions_error,
    to_python_action,
    wrong_player,
)


def check_payoffs(payoffs: Any, state: GameState) -> None:
    """Raise a BrokenRuleError unless each player gets a finite number, within `max_utility`."""
    right = isinstance(payoffs, tuple) and len(payoffs) == state.num_players
    rule = ""
    if not (right and all(map(is_finite, payoffs))):
        must = f"a tuple of {state.num_players} numbers, one per player, all of them finite"
        rule = f"; it must be {must}"
    elif max(map(abs, payoffs)) > state.max_utility:
        rule = f", and `max_utility` {state.max_utility} is less"
    if rule:
        raise BrokenRuleError(f"`utilities` is {payoffs!r}{rule}\n{state}") from None


def check_state(state: object) -> None:
    """Raise a TypeError unless `state` is a position of a game."""
    if not isinstance(state, GameState):
        name = state.__name__ if isinstance(state, type) and issubclass(state, GameState) else ""
        got = f"the class {name}: its brackets are missing, {name}()" if name else repr(state)
        advice = _how_to_derive(state if isinstance(state, type) else type(state))
        must = "state must be a position, such as TicTacToe()"
        raise TypeError(f"{must}; got {got}{'' if name else advice}") from None


def _how_to_derive(kind: type) -> str:
    """Return what a class must say to be a game, if it has most of the methods of one."""
    asked = ("legal_actions", "successor", "is_terminal", "utilities")
    missing = [f"{name}()" for name in asked if not callable(getattr(kind, name, None))]
    if len(missing) > 1 or issubclass(kind, GameState):
        return ""
    lacks = f", and give it {missing[0]}" if missing else ""
    name = kind.__name__
    derive = f"write `from gamelib import GameState` and `class {name}(GameState):`"
    return f". {name} looks like a game, but does not derive from GameState: {derive}{lacks}"


def check_chance(state: GameState) -> None:
    """Raise a BrokenRuleError unless a chance node has outcomes whose probabilities sum to 1."""
    if state.is_terminal():
        raise wrong_player(state)
    outcomes, actions = state.chance_outcomes(), list(state.legal_actions())
    try:
        drawn, chances = zip(*outcomes, strict=True)
    except (TypeError, ValueError):
        drawn, chances = (), ()
    rule = ""
    if not drawn:
        rule = "must be a pair (action, probability) for each legal action"
    elif list(drawn) != actions:
        rule = f"must name the legal actions {actions}, in their order"
    elif not all(is_number(chance) and 0 < chance <= 1 for chance in chances):
        rule = "must have probabilities above 0 and at most 1"
    elif abs(sum(chances) - 1) > 1e-9:
        rule = f"must have probabilities that sum to 1; these sum to {float(sum(chances))!r}"
    if rule:
        here = f"at a chance node `chance_outcomes` is {outcomes!r}"
        raise BrokenRuleError(f"{here}; it {rule}\n{state}")


def check_interface(state: GameState, max_children: int | None = None, plies: int = 1) -> None:
    """Raise a BrokenRuleError where a position, or one of its first successors, answers wrongly."""
    player, actions = getattr(state, "current_player", None), state.legal_actions()
    over, rule, number = state.is_terminal(), "", as_int(player)
    most_players = as_int(players := getattr(state, "num_players", None)) or 0
    successor = getattr(type(state).successor, "__wrapped__", type(state).successor)  # uncounted
    if most_players < 1:
        rule = f"`num_players` is {players!r}; it must be an int, 1 or more"
    elif number == CHANCE and not over:
        check_chance(state)
    elif number is None or not 0 <= number < most_players:
        when, last = "when the game is over" if over else "before the end", most_players - 1
        rule = f"`current_player` is {player!r} {when}; players are 0 to {last}, always"
    elif not isinstance(actions, Sequence):
        rule = f"`legal_actions` is {actions!r}; it must be a list, a tuple or a range"
    elif over is None:
        rule = "`is_terminal` is None; it must be True or False"
    elif plies and not (over or actions):
        raise no_actions_error(state)
    before = () if rule else tuple(actions[:1_000])  # some have a million
    check_hashable(before, "an action", state)
    for action in before[:max_children] if plies else ():
        child, then = successor(state, action), state.legal_actions()[:1_000]
        if not isinstance(child, GameState):
            rule = f"`successor({action!r})` returned {child!r}; it must return a new state"
        elif state.current_player != player or {*then} != {*before}:
            must = "a new state must not share a list with the old one, say: copy it first"
            rule = f"`successor({action!r})` changed the position that it was asked about; {must}"
        else:
            check_interface(child, max_children, plies - 1)
    if rule:
        raise BrokenRuleError(f"{rule}\n{state}")


def check_hashable(thing: object, what: str, state: GameState) -> None:
    """Raise a BrokenRuleError unless a state, or what it answers, can be looked up in a table."""
    try:
        hash(thing)
    except TypeError as error:
        rule = f"{what} must be hashable: {error}.  A tuple is, a list is not; and a class with"
        raise BrokenRuleError(f"{rule} `__eq__` needs `__hash__`, too\n{state}") from None


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
    state: GameState, *, games: int = 200, max_plies: int = MAX_PLIES, seed: int = 0
) -> GameReport:
    """Return a report on `games` random games from `state`: the first broken rule, in words.

    An exception that the game raises in a legal call is not caught: its traceback shows the line.
    """
    name = state.__name__ if isinstance(state, type) else type(state).__name__
    checker = _Checker(random.Random(seed), max_plies)
    try:
        if isinstance(state, type) and (missing := getattr(state, "__abstractmethods__", ())):
            names = ", ".join(f"`{name}`" for name in sorted(missing))
            raise BrokenRuleError(f"the class does not define {names}")
        if isinstance(state, type) or not isinstance(state, GameState):
            advice = _how_to_derive(state if isinstance(state, type) else type(state))
            raise BrokenRuleError(f"check_game needs a position of a game; {name} is none{advice}")
        check_interface(state, plies=0)
        for _ in range(games):
            checker.check_random_game(state)
    except BrokenRuleError as rule:
        return GameReport(name, checker.games, checker.positions, str(rule))
    return GameReport(name, checker.games, checker.positions)


_INVALID_ACTIONS = (None, -1, 1_000_000, "no such action")
_REPETITION_MESSAGE = (
    "it was there: a search without a depth would go round for ever.  A rule must end such a game, "
    "say by a count of actions in the state; if the two positions do differ, `__eq__` must say so"
)
_Answers = dict[str, Any]  # what a position says of itself: question -> answer


class _Checker:
    """Plays random games and raises BrokenRuleError at the first rule that does not hold."""

    def __init__(self, rng: random.Random, max_plies: int) -> None:
        self.rng, self.max_plies = rng, max_plies
        self.games = self.positions = 0
        self.seen: dict[GameState, _Answers] = {}
        self.alike: dict[Hashable, tuple[Any, GameState]] = {}  # by symmetry key: what they share
        self.known_actions: dict[Action, None] = {}  # of all positions, to try where not legal

    def check_random_game(self, start: GameState) -> None:
        self.games += 1
        path = [(start, self.check_position(start, start.num_players))]
        plies: dict[GameState, int] = {}  # when each position of this game was there
        while not path[-1][0].is_terminal():
            state, answers = path[-1]
            plies[state] = len(plies)
            if len(path) > self.max_plies:
                raise endless_game_error(state, self.max_plies)
            action = self.rng.choice(answers["legal_actions"])
            child = state.successor(action)
            if not isinstance(child, GameState) or child is state:
                returned = "the state itself" if child is state else repr(child)
                rule = f"`successor({action!r})` returned {returned}; it must return a new state"
                raise BrokenRuleError(rule)
            _check_unmodified(state, answers)
            path.append((child, self.check_position(child, start.num_players)))
            if child != (again := state.successor(action)) or hash(child) != hash(again):
                rule = f"two calls of `successor({action!r})` give states that are not equal"
                raise BrokenRuleError(f"{rule}; define `__eq__` and `__hash__`\n{child}")
            if child in plies:
                again = f"a position comes again, {len(plies) - plies[child]} actions after"
                raise BrokenRuleError(f"{again} {_REPETITION_MESSAGE}\n{child}")
        for state, answers in path:
            _check_unmodified(state, answers)
            _check_symmetry(state, self.alike)

    def check_position(self, state: GameState, num_players: int) -> _Answers:
        self.positions += 1
        if (players := state.num_players) != num_players:
            rule = f"`num_players` changed from {num_players} to {players!r} during a game"
            raise BrokenRuleError(f"{rule}\n{state}")
        check_interface(state, plies=0)
        check_hashable(state, "a state", state)
        _check_actions(state)
        if state.is_terminal():
            check_payoffs(state.utilities(), state)
        else:
            early = "`utilities()` is asked before the end of the game"
            _check_refused(ValueError, state.utilities, early, state)
        answers = _snapshot(state)
        self.known_actions.update(dict.fromkeys(answers["legal_actions"]))
        legal = answers["legal_actions"]
        for actions in (list(self.known_actions) or [None], _INVALID_ACTIONS):
            if (action := self.rng.choice(actions)) not in legal:
                asked = f"`successor({action!r})` is called, which is not among the legal actions"
                refused = partial(state.successor, action)
                _check_refused(IllegalActionError, refused, f"{asked} {legal}", state)
        before = self.seen.setdefault(state, answers)
        for question in ("current_player", "legal_actions"):
            if before[question] != answers[question]:
                differ = f"`{question}` is {before[question]!r} in one and {answers[question]!r}"
                rule = f"two positions are equal, but {differ} in the other; `__eq__` must compare"
                raise BrokenRuleError(f"{rule} all that matters\n{state}")
        return answers


def _check_actions(state: GameState) -> None:
    actions, over, rule = state.legal_actions(), to_python_action(state.is_terminal()), ""
    if len(set(actions)) != len(actions):
        rule = f"`legal_actions` names an action twice: {list(actions)}"
    elif list(state.legal_actions()) != list(actions):
        rule = "`legal_actions` gives another order when it is asked again"
    elif over is not (not actions):
        must = "it must be True where there is none, and False elsewhere"
        rule = f"`is_terminal` is {over!r} and there are {len(actions)} legal actions; {must}"
    if rule:
        raise BrokenRuleError(f"{rule}\n{state}")


def _check_refused(
    error: type[Exception], call: Callable[[], object], situation: str, state: GameState
) -> None:
    try:
        result = call()
    except error:
        return
    except NotImplementedError:  # a method that is still to be written breaks no rule yet
        raise
    except Exception as other:
        what = f"raises {type(other).__name__} ({other})"
    else:
        what = f"returns {result!r}"
    must = f"it must raise {error.__name__}"
    raise BrokenRuleError(f"{situation}: it {what}; {must}\n{state}")


def _check_unmodified(state: GameState, before: _Answers) -> None:
    for question, answer in _snapshot(state).items():
        if before[question] != answer:
            raise BrokenRuleError(
                f"`successor` changed the old state: its {question} was\n{before[question]}\n"
                f"and is now\n{answer}\nA new state must not share a list with the old one"
            )


def _check_symmetry(state: GameState, alike: dict[Hashable, Any]) -> None:
    if (key := state.symmetry_key()) is None:
        return
    check_hashable(key, "a symmetry key", state)
    check_interface(state)
    player, children = state.current_player, list(map(state.successor, state.legal_actions()))
    # Mirror images lead to mirror images, as many of each, and end with the same payoff.
    shared = state.utility(player) if state.is_terminal() else None
    led_to = Counter((child.symmetry_key(), child.current_player == player) for child in children)
    before, other = alike.setdefault(key, ((shared, led_to), state))
    if before != (shared, led_to):
        rule = f"`symmetry_key` is equal for two positions that are no mirror images:\n{other}"
        raise BrokenRuleError(f"{rule}\nand\n{state}")


def _snapshot(state: GameState) -> _Answers:
    return {
        "text": str(state),
        "current_player": state.current_player,
        "legal_actions": list(state.legal_actions()),
        "hash": hash(state),
    }
