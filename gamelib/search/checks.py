"""The checks that all searches share: of arguments, payoffs, estimates and too deep recursions."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Mapping
from fractions import Fraction
from traceback import walk_tb
from types import CodeType
from typing import Any, NamedTuple, cast

from gamelib.conformance import check_interface, check_payoffs
from gamelib.state import CHANCE, Action, GameState, as_int, is_finite, is_number

Evaluate = Callable[[Any, int], float]
Line = tuple[Action, ...]

MAX_ACTIONS = 10_000_000  # of a position that is searched; more would fill the memory
# With quick_wins, a win n plies from the root scores WIN_SCORE - n, and a loss n - WIN_SCORE.
WIN_SCORE = 1000


class TooDeepError(ValueError):
    """The error for a game with a line that is too long for a search to follow."""


class TooLargeError(ValueError):
    """The error for a game with more positions than a search can store."""


def as_rng(rng: random.Random | int | None) -> random.Random:
    """Return `rng`, or a new random.Random with that seed; TypeError for anything else.

    If `rng` is a generator of numpy, it draws the seed.
    """
    if isinstance(rng, random.Random):
        return rng
    if draw := getattr(rng, "integers", None):
        return random.Random(int(draw(1 << 62)))
    if rng is not None and as_int(rng) is None:
        raise TypeError(f"rng must be a random.Random, an int (a seed) or None; got {rng!r}")
    return random.Random(as_int(rng))


def check_searchable(state: GameState) -> None:
    """Raise a ValueError if there is no action to choose, or if the game breaks a rule."""
    if state.is_terminal():
        raise ValueError(f"the game is over, so there is no action to choose:\n{state}")
    if state.current_player == CHANCE:
        must = "give the search the state after one of its outcomes"
        raise ValueError(f"chance moves here, so there is no action to choose; {must}\n{state}")
    if not type(state).__module__.startswith("gamelib."):  # games of gamelib are tested
        is_tested = type(state).successor.__module__.startswith("gamelib.")
        check_interface(state, 1, 0 if is_tested else state.num_players)
    if len(actions := state.legal_actions()) > MAX_ACTIONS:
        has = f"this position has {len(actions):,} legal actions"
        raise TooLargeError(f"{has}; a search can try at most {MAX_ACTIONS:,}:\n{state}")


def reject_chance(state: GameState) -> None:
    """Raise a ValueError at a chance node."""
    if state.current_player == CHANCE:
        others = "use expectiminimax, star1 or mcts"
        raise ValueError(f"this search does not support chance nodes; {others}:\n{state}")


def check_two_players(state: GameState, search: str) -> None:
    """Raise a ValueError unless the game has two players."""
    if state.num_players != 2:
        has = f"this one has {state.num_players}"
        others = "For more players use maxn, paranoid or mcts."
        raise ValueError(f"{search} needs a game of two players; {has}. {others}")


def check_count(name: str, value: object) -> int | None:
    """Return `value` as an int, or None; ValueError unless it is an integer, 1 or more, or None."""
    number = None if value is None else as_int(value)
    if value is not None and (number is None or number < 1):
        raise ValueError(f"{name} must be an int, 1 or more, or None; got {value!r}")
    return number


def check_seconds(value: object) -> None:
    """Raise a ValueError unless `value` is None or a number, 0 or more."""
    if value is not None and not (is_number(value) and value >= 0):
        raise ValueError(f"seconds must be a number, 0 or more, or None; got {value!r}")


def check_c(c: object) -> None:
    """Raise a ValueError unless `c` is a number, 0 or more."""
    if not (is_finite(c) and c >= 0):
        raise ValueError(f"c must be a number, 0 or more; got {c!r}")


class PayoffChecker:
    """A function for the payoffs of terminal states, which checks payoffs when they are new."""

    def __init__(self) -> None:
        self._checked: set[tuple[float, ...]] = set()

    def checked_utilities(self, state: GameState) -> tuple[float, ...]:
        """Return the payoff of every player at a terminal state."""
        payoffs = state.utilities()
        if type(payoffs) is not tuple or payoffs not in self._checked:
            self.check(payoffs, state)
            self._checked.add(payoffs)
        return payoffs

    def check(self, payoffs: Any, state: GameState) -> None:
        """Raise an error if the search cannot use these payoffs."""
        check_payoffs(payoffs, state)


class ZeroSumChecker(PayoffChecker):
    """A checker of the payoffs of a zero-sum game of two players."""

    def __init__(self, quick_wins: bool = False) -> None:
        super().__init__()
        self._quick_wins = quick_wins

    def check(self, payoffs: Any, state: GameState) -> None:
        """Raise a ValueError unless they sum to 0 and, with `quick_wins`, are -1, 0 or +1."""
        check_payoffs(payoffs, state)
        wrong = ""  # to print the board takes longer than a small search: only for an error
        if sum(payoffs):
            wrong = "this search needs a zero-sum game"
        elif self._quick_wins and payoffs[0] not in (-1, 0, 1):
            wrong = "quick_wins needs payoffs -1, 0 and +1"
        if wrong:
            raise ValueError(f"{wrong}; the payoffs here are {payoffs}:\n{state}")


class PayoffBounds(NamedTuple):
    """Bounds for pruning: no player gets less than `least`, and no two together more than `pair`.

    The defaults are right if one player wins (+1) and the others lose (-1), or all draw (0).
    """

    pair: float = 0
    least: float = -1

    @classmethod
    def of_sum(cls, total: float, *, least: float, num_players: int) -> PayoffBounds:
        """Return the bounds that follow if the payoffs of all players sum to at most `total`."""
        return cls(total - (num_players - 2) * least, least)

    @property
    def most(self) -> float:
        """The most that one player can get, since another gets at least `least`."""
        return self.pair - self.least

    def check(self, payoffs: tuple[float, ...], state: GameState) -> None:
        """Raise a ValueError if the payoffs, or estimates, of `state` are outside these bounds."""
        first, second = sorted(payoffs, reverse=True)[:2]
        if first + second > self.pair or min(payoffs) < self.least:
            needs = f"payoffs of at least {self.least} each and at most {self.pair} for any two"
            must = f"these are {payoffs}, so give wider PayoffBounds, or leave it out:\n{state}"
            raise ValueError(f"prune is not sound here, because it needs {needs} players; {must}")


def utilities_from_value(value: float, player: int, quick_wins: bool) -> tuple[float, float]:
    """Return the payoffs of players 0 and 1 if a search has proved `value` for `player`."""
    payoff = (value > 0) - (value < 0) if quick_wins else value
    return (payoff, 0 - payoff) if player == 0 else (0 - payoff, payoff)


def max_payoff(state: GameState) -> float:
    """Return the payoff that every estimate stays below: `max_utility`, but at least 1."""
    return max(1, state.max_utility)


def checked_estimate(evaluate: Evaluate, state: GameState, player: int) -> float:
    """Return the estimate of `evaluate` for `player` in `state`.

    ValueError if it is not inside (-1, 1), or inside the game's `max_utility` if that is larger.
    """
    value = evaluate(state, player)
    is_valid = value.__class__ is float or is_number(value)
    if not is_valid and getattr(value, "size", 0) == 1:  # a numpy array of one number
        value, is_valid = float(cast(Any, value).item()), True
    if not (is_valid and (-1 < value < 1 or abs(value) < state.max_utility)):
        name = getattr(evaluate, "__name__", repr(evaluate))
        bound = max_payoff(state)
        returned = f"{name}(state, {player}) returned {value!r}; a heuristic must stay inside"
        limits = f"({-bound:g}, {bound:g}), so that it never outweighs a win or a loss"
        raise ValueError(f"{returned} {limits}.  The state was\n{state}")
    return value if isinstance(value, int | float | Fraction) else float(value)


def argmax(values: Mapping[Action, float]) -> Action:
    """Return the action with the highest value, the first among equals; None if there is none."""
    return max(values, key=values.__getitem__, default=None)


def too_deep_error(
    error: RecursionError, root: GameState, search: str
) -> TooDeepError | RecursionError:
    """Return an error that explains why a search went too deep; `error` if it was another function.

    A heuristic may call itself, too.
    """
    states = _states_of_recursion(error)
    if len(states) < sys.getrecursionlimit() // 10:
        return error
    if _come_again(states):
        reason = "positions come again, so a line may never end"
    else:
        reason = f"a line has more than {len(states)} plies"
    others = "Use a depth limit, such as depth=4, or mcts"
    return TooDeepError(f"this game is too long for {search}, because {reason}.  {others}:\n{root}")


def _states_of_recursion(error: RecursionError) -> list[GameState]:
    """Return the positions along the calls of the function of gamelib that called itself most.

    Every function of a search has its position in a variable `state`.
    """
    states_by_code: dict[CodeType, list[GameState]] = {}
    for frame, _ in walk_tb(error.__traceback__):
        in_gamelib = frame.f_globals["__name__"].startswith("gamelib.")
        if in_gamelib and "state" in frame.f_locals:
            states_by_code.setdefault(frame.f_code, []).append(frame.f_locals["state"])
    return max(states_by_code.values(), key=len, default=[])


def _come_again(states: list[GameState]) -> bool:
    """Return whether some of the positions are equal; False if they cannot be compared."""
    try:
        return len(set(states)) < len(states)
    except (TypeError, RecursionError):  # the states cannot be hashed
        return False


def flatten_line(line: tuple[Any, ...]) -> Line:
    """Return (a, b, c) for the nested pairs (a, (b, (c, ()))) that a search builds."""
    actions = []
    while line:
        action, line = line
        actions.append(action)
    return tuple(actions)
