"""Checks that a game keeps the rules of the interface, in single positions and in whole games."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gamelib.board_layout import Grid
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
    """Raise a BrokenRuleError unless each player gets a finite number within `max_utility`."""
    has_one_each = isinstance(payoffs, tuple) and len(payoffs) == state.num_players
    rule = ""
    if not (has_one_each and all(map(is_finite, payoffs))):
        must = f"a tuple of {state.num_players} finite numbers, one per player"
        rule = f"; it must be {must}"
    elif max(map(abs, payoffs)) > state.max_utility:
        rule = f", but `max_utility` is only {state.max_utility}; set it to the largest payoff"
    if rule:
        raise BrokenRuleError(f"`utilities` is {payoffs!r}{rule}\n{state}") from None


def check_state(state: object) -> None:
    """Raise a TypeError unless `state` is a position of a game."""
    if not isinstance(state, GameState):
        name = state.__name__ if isinstance(state, type) and issubclass(state, GameState) else ""
        got = f"the class {name}; write {name}() with brackets" if name else repr(state)
        advice = _how_to_derive(state if isinstance(state, type) else type(state))
        must = "state must be a position, such as TicTacToe()"
        raise TypeError(f"{must}; got {got}{'' if name else advice}") from None


def _how_to_derive(kind: type) -> str:
    """Return advice for a class that has most methods of a game but does not derive from it."""
    methods = ("legal_actions", "successor", "is_terminal", "utilities")
    missing = [f"{name}()" for name in methods if not callable(getattr(kind, name, None))]
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
        listed, probabilities = zip(*outcomes, strict=True)
    except (TypeError, ValueError):
        listed, probabilities = (), ()
    rule = ""
    if not listed:
        rule = "must be a pair (action, probability) for each legal action"
    elif list(listed) != actions:
        rule = f"must list the legal actions {actions}, in their order"
    elif not all(is_number(probability) and 0 < probability <= 1 for probability in probabilities):
        rule = "must have probabilities above 0 and at most 1"
    elif abs(sum(probabilities) - 1) > 1e-9:
        rule = f"must have probabilities that sum to 1; these sum to {float(sum(probabilities))!r}"
    if rule:
        returned = f"at a chance node `chance_outcomes` is {outcomes!r}"
        raise BrokenRuleError(f"{returned}; it {rule}\n{state}")


def check_interface(state: GameState, max_children: int | None = None, plies: int = 1) -> None:
    """Raise a BrokenRuleError if a position, or a successor within `plies` plies, breaks a rule.

    At most `max_children` successors of each position are checked, or all without it.
    """
    player, actions = getattr(state, "current_player", None), state.legal_actions()
    over, rule, number = state.is_terminal(), "", as_int(player)
    max_players = as_int(players := getattr(state, "num_players", None)) or 0
    # A wrapper around `successor` would count these nodes as the agent's.
    successor = getattr(type(state).successor, "__wrapped__", type(state).successor)
    if max_players < 1:
        rule = f"`num_players` is {players!r}; it must be an int, 1 or more"
    elif number == CHANCE and not over:
        check_chance(state)
    elif number is None or not 0 <= number < max_players:
        when, last = "when the game is over" if over else "before the end", max_players - 1
        rule = f"`current_player` is {player!r} {when}; it must always be a player, 0 to {last}"
    elif not isinstance(actions, Sequence):
        rule = f"`legal_actions` is {actions!r}; it must be a list, a tuple or a range"
    elif over is None:
        rule = "`is_terminal` is None; it must be True or False"
    elif plies and not (over or actions):
        raise no_actions_error(state)
    before = () if rule else tuple(actions[:1_000])  # some positions have a million
    check_hashable(before, "an action", state)
    for action in before[:max_children] if plies else ():
        child, then = successor(state, action), state.legal_actions()[:1_000]
        if not isinstance(child, GameState):
            rule = f"`successor({action!r})` returned {child!r}; it must return a new state"
        elif state.current_player != player or {*then} != {*before}:
            must = "copy a list first, because a new state must not share it with the old one"
            rule = f"`successor({action!r})` changed the position that it was called on; {must}"
        else:
            check_interface(child, max_children, plies - 1)
    if rule:
        raise BrokenRuleError(f"{rule}\n{state}")


def check_hashable(value: object, label: str, state: GameState) -> None:
    """Raise a BrokenRuleError, which calls the value `label`, unless a table can look it up."""
    try:
        hash(value)
    except TypeError as error:
        rule = f"{label} must be hashable, but Python says: {error}.  Use tuples instead of lists"
        also = "a class that defines `__eq__` must define `__hash__`, too"
        raise BrokenRuleError(f"{rule}; {also}\n{state}") from None


@dataclass(frozen=True)
class GameReport:
    """The result of `check_game`, which is true if no rule was broken, and prints as a sentence."""

    game: str
    games: int
    positions: int
    broken_rule: str | None = None

    def __bool__(self) -> bool:
        return self.broken_rule is None

    def __repr__(self) -> str:
        counts = f"{self.games:,} random games, {self.positions:,} positions"
        if self.broken_rule is None:
            return f"{self.game} keeps the rules of the interface ({counts})."
        return f"{self.game} breaks a rule: {self.broken_rule}"


def check_game(
    state: GameState, *, games: int = 200, max_plies: int = MAX_PLIES, seed: int = 0
) -> GameReport:
    """Return a report on `games` random games from `state`, with the first broken rule if any.

    An exception that the game raises in a legal call is not caught, so that its traceback shows
    the line of the error.

    >>> from gamelib import Nim, check_game
    >>> print(check_game(Nim((1, 2))))
    Nim keeps the rules of the interface (200 random games, 696 positions).
    """
    name = state.__name__ if isinstance(state, type) else type(state).__name__
    checker = _Checker(random.Random(seed), max_plies)
    try:
        if isinstance(state, type) and (missing := getattr(state, "__abstractmethods__", ())):
            names = ", ".join(f"`{name}`" for name in sorted(missing))
            raise BrokenRuleError(f"the class does not define {names}")
        if isinstance(state, type) or not isinstance(state, GameState):
            advice = _how_to_derive(state if isinstance(state, type) else type(state))
            must = "check_game needs a position of a game"
            raise BrokenRuleError(f"{must}; {name} is not one{advice}")
        check_interface(state, plies=0)
        for _ in range(games):
            checker.check_random_game(state)
    except BrokenRuleError as rule:
        return GameReport(name, checker.games, checker.positions, str(rule))
    return GameReport(name, checker.games, checker.positions)


_INVALID_ACTIONS = (None, -1, 1_000_000, "no such action")
_REPETITION_MESSAGE = (
    "so a search without a depth limit might never end.  A rule must end such a game, for example "
    "a count of actions in the state; if the two positions do differ, `__eq__` must say so"
)
_Snapshot = dict[str, Any]  # the values of a position's methods and attributes, by name


class _Checker:
    """Plays random games and raises BrokenRuleError at the first broken rule."""

    def __init__(self, rng: random.Random, max_plies: int) -> None:
        self.rng, self.max_plies = rng, max_plies
        self.games = self.positions = 0
        self.snapshots: dict[GameState, _Snapshot] = {}
        # By symmetry key: the facts that all positions with this key share, and one of them.
        self.symmetric: dict[Hashable, tuple[Any, GameState]] = {}
        # The actions of all positions, to be tried where they are not legal.
        self.known_actions: dict[Action, None] = {}

    def check_random_game(self, start: GameState) -> None:
        self.games += 1
        path = [(start, self.check_position(start, start.num_players))]
        plies: dict[GameState, int] = {}  # the ply of each position of this game
        while not path[-1][0].is_terminal():
            state, snapshot = path[-1]
            plies[state] = len(plies)
            if len(path) > self.max_plies:
                raise endless_game_error(state, self.max_plies)
            action = self.rng.choice(snapshot["legal_actions"])
            child = state.successor(action)
            if not isinstance(child, GameState) or child is state:
                returned = "the state itself" if child is state else repr(child)
                rule = f"`successor({action!r})` returned {returned}; it must return a new state"
                raise BrokenRuleError(rule)
            _check_unmodified(state, snapshot)
            path.append((child, self.check_position(child, start.num_players)))
            if child != (again := state.successor(action)) or hash(child) != hash(again):
                rule = f"two calls of `successor({action!r})` return states that are not equal"
                raise BrokenRuleError(f"{rule}; define `__eq__` and `__hash__`\n{child}")
            if child in plies:
                repeated = f"a position comes again after {len(plies) - plies[child]} actions"
                raise BrokenRuleError(f"{repeated}, {_REPETITION_MESSAGE}\n{child}")
        for state, snapshot in path:
            _check_unmodified(state, snapshot)
            _check_symmetry(state, self.symmetric)

    def check_position(self, state: GameState, num_players: int) -> _Snapshot:
        self.positions += 1
        if (players := state.num_players) != num_players:
            rule = f"`num_players` changed from {num_players} to {players!r} during a game"
            raise BrokenRuleError(f"{rule}; it must stay the same\n{state}")
        check_interface(state, plies=0)
        check_hashable(state, "a state", state)
        _check_grid(state)
        _check_actions(state)
        if state.is_terminal():
            check_payoffs(state.utilities(), state)
        else:
            early = "`utilities()` is called before the end of the game"
            _check_refused(ValueError, state.utilities, early, state)
        snapshot = _snapshot(state)
        self.known_actions.update(dict.fromkeys(snapshot["legal_actions"]))
        legal = snapshot["legal_actions"]
        for actions in (list(self.known_actions) or [None], _INVALID_ACTIONS):
            if (action := self.rng.choice(actions)) not in legal:
                called = f"`successor({action!r})` is called, but the legal actions are {legal}"
                illegal_call = partial(state.successor, action)
                _check_refused(IllegalActionError, illegal_call, called, state)
        before = self.snapshots.setdefault(state, snapshot)
        for name in ("current_player", "legal_actions"):
            if before[name] != snapshot[name]:
                differ = f"`{name}` is {before[name]!r} in one and {snapshot[name]!r} in the other"
                must = "`__eq__` must compare everything that the rules depend on"
                raise BrokenRuleError(f"two positions are equal, but {differ}; {must}\n{state}")
        return snapshot


def _check_grid(state: GameState) -> None:
    """Raise a BrokenRuleError unless `rows`, `cols` and `cell` describe a board of squares.

    The message does not show the position, because its text may come from the same methods.
    """
    if type(state).spots is not GameState.spots or not isinstance(state, Grid):
        return
    for name, size in (("rows", state.rows), ("cols", state.cols)):
        if (as_int(size) or 0) < 1:
            raise BrokenRuleError(f"`{name}` is {size!r}; it must be an int, 1 or more")
    for row in range(state.rows):
        for col in range(state.cols):
            piece = state.cell(row, col)
            if piece is None or (as_int(piece) is not None and 0 <= piece < state.num_players):
                continue
            player = f"the player whose piece is there, 0 to {state.num_players - 1}"
            must = f"it must be {player}, or None if the cell is empty"
            raise BrokenRuleError(f"`cell({row}, {col})` is {piece!r}; {must}")


def _check_actions(state: GameState) -> None:
    actions, over, rule = state.legal_actions(), to_python_action(state.is_terminal()), ""
    if len(set(actions)) != len(actions):
        rule = f"`legal_actions` lists an action twice: {list(actions)}"
    elif list(state.legal_actions()) != list(actions):
        rule = "`legal_actions` returns another order at its second call; it must stay the same"
    elif over is not (not actions):
        must = "it must be True if there are none, and False otherwise"
        rule = f"`is_terminal` is {over!r}, but there are {len(actions)} legal actions; {must}"
    if rule:
        raise BrokenRuleError(f"{rule}\n{state}")


def _check_refused(
    error: type[Exception], call: Callable[[], object], situation: str, state: GameState
) -> None:
    try:
        result = call()
    except error:
        return
    except NotImplementedError:  # a method that is not written yet breaks no rule
        raise
    except Exception as other:
        outcome = f"raises {type(other).__name__} ({other})"
    else:
        outcome = f"returns {result!r}"
    must = f"it must raise {error.__name__}"
    raise BrokenRuleError(f"{situation}: it {outcome}; {must}\n{state}")


def _check_unmodified(state: GameState, before: _Snapshot) -> None:
    for name, value in _snapshot(state).items():
        if before[name] != value:
            raise BrokenRuleError(
                f"`successor` changed the old state: its {name} was\n{before[name]}\nand is now\n"
                f"{value}\nCopy a list first, because the new state must not share it"
            )


def _check_symmetry(state: GameState, symmetric: dict[Hashable, Any]) -> None:
    if (key := state.symmetry_key()) is None:
        return
    check_hashable(key, "a symmetry key", state)
    check_interface(state)
    player, children = state.current_player, list(map(state.successor, state.legal_actions()))
    # Mirror images have mirror images as successors, the same number of each, and equal payoffs.
    shared = state.utility(player) if state.is_terminal() else None
    next_keys = Counter(
        (child.symmetry_key(), child.current_player == player) for child in children
    )
    before, other = symmetric.setdefault(key, ((shared, next_keys), state))
    if before != (shared, next_keys):
        rule = f"`symmetry_key` is equal for two positions that are not mirror images:\n{other}"
        raise BrokenRuleError(f"{rule}\nand\n{state}")


def _snapshot(state: GameState) -> _Snapshot:
    return {
        "text": str(state),
        "current_player": state.current_player,
        "legal_actions": list(state.legal_actions()),
        "hash": hash(state),
    }
