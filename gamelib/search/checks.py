"""What all searches check alike: their arguments, the values at their leaves, and when to stop."""

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


MOST_ACTIONS = 10_000_000  # of a position that is searched: more would fill the memory
WIN_SCORE = (
    1000  # quick_wins: a win n plies from the root scores WIN_SCORE - n, a loss n - WIN_SCORE
)


class TooDeepError(ValueError):
    """A line of the game goes on for longer than a search can follow it."""


class TooLargeError(ValueError):
    """A game has more positions than a search can remember."""


def as_rng(rng: random.Random | int | None) -> random.Random:
    """Return `rng` or, with that seed or None, a new source of chance; TypeError for all else.

    A generator of numpy draws the seed.
    """
    if isinstance(rng, random.Random):
        return rng
    if draw := getattr(rng, "integers", None):
        return random.Random(int(draw(1 << 62)))
    if rng is not None and as_int(rng) is None:
        raise TypeError(f"rng must be a random.Random, an int (a seed) or None; got {rng!r}")
    return random.Random(as_int(rng))


def check_searchable(state: GameState) -> None:
    """Raise a ValueError at a state without an action to choose: the game is over, or broken."""
    if state.is_terminal():
        raise ValueError(f"the game is over, so there is no action to choose:\n{state}")
    if state.current_player == CHANCE:
        must = "give the search the state after one of its outcomes"
        raise ValueError(f"chance moves here, so there is no action to choose: {must}\n{state}")
    if not type(state).__module__.startswith("gamelib."):  # those are right
        ours = type(state).successor.__module__.startswith("gamelib.")  # and counted
        check_interface(state, 1, 0 if ours else state.num_players)
    if len(actions := state.legal_actions()) > MOST_ACTIONS:
        has = f"this position has {len(actions):,} legal actions"
        raise TooLargeError(f"{has}; a search goes through {MOST_ACTIONS:,} at most:\n{state}")


def reject_chance(state: GameState) -> None:
    """Raise a ValueError at a chance node."""
    if state.current_player == CHANCE:
        others = "expectiminimax, star1 and mcts do"
        raise ValueError(f"this search knows no chance, and here chance moves; {others}:\n{state}")


def check_two_players(state: GameState, search: str) -> None:
    """Raise a ValueError unless the game has two players."""
    if state.num_players != 2:
        more = "For more players there are maxn, paranoid and mcts."
        has = f"this one has {state.num_players}"
        raise ValueError(f"{search} needs a game of two players; {has}. {more}")


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
    """Returns the payoffs of terminal states, and checks those that it has not met before."""

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
    """The payoffs of a zero-sum game of two players."""

    def __init__(self, quick_wins: bool = False) -> None:
        super().__init__()
        self._quick_wins = quick_wins

    def check(self, payoffs: Any, state: GameState) -> None:
        """Raise a ValueError unless they sum to 0 and, with `quick_wins`, are -1, 0 or +1."""
        check_payoffs(payoffs, state)
        here = f"the payoffs here are {payoffs}:\n{state}"
        if sum(payoffs):
            raise ValueError(f"this search needs a zero-sum game; {here}")
        if self._quick_wins and payoffs[0] not in (-1, 0, 1):
            raise ValueError(f"quick_wins needs payoffs -1, 0 and +1; {here}")


class PayoffBounds(NamedTuple):
    """What pruning must know of a game: no player gets less than `least`, no two more than `pair`.

    The defaults hold where one player wins (+1) and the others lose (-1), or all draw (0).
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
            here = f"these are {payoffs}:\n{state}"
            raise ValueError(f"prune is not sound here: it needs {needs} players; {here}")


def utilities_from_value(value: float, player: int, quick_wins: bool) -> tuple[float, float]:
    """Return the payoffs of players 0 and 1 where a search has proved `value` for `player`."""
    payoff = (value > 0) - (value < 0) if quick_wins else value
    return (payoff, 0 - payoff) if player == 0 else (0 - payoff, payoff)


def max_payoff(state: GameState) -> float:
    """Return the payoff that no guess is as good as: guesses stay inside it, or (-1, 1)."""
    return max(1, state.max_utility)


def checked_estimate(evaluate: Evaluate, state: GameState, player: int) -> float:
    """Return the heuristic value of `state` for `player`.

    ValueError if it is not inside (-1, 1), or the game's own `max_utility` where that is larger.
    """
    value = evaluate(state, player)
    sound = value.__class__ is float or is_number(value)
    if not sound and getattr(value, "size", 0) == 1:  # an array of numpy that holds one number
        value, sound = float(cast(Any, value).item()), True
    if not (sound and (-1 < value < 1 or abs(value) < state.max_utility)):
        name = getattr(evaluate, "__name__", repr(evaluate))
        most = max_payoff(state)
        returned = f"{name}(state, {player}) returned {value!r}; a heuristic must stay inside"
        why = f"({-most:g}, {most:g}), so that it never outweighs a win or a loss"
        raise ValueError(f"{returned} {why}.  The state was\n{state}")
    return value if isinstance(value, int | float | Fraction) else float(value)


def argmax(values: Mapping[Action, float]) -> Action:
    """Return the action of the highest value, the first among equals; None if there is none."""
    return max(values, key=values.__getitem__, default=None)


def too_deep_error(
    error: RecursionError, root: GameState, search: str
) -> TooDeepError | RecursionError:
    """Return an error that says why a search went too deep; `error` if another function did."""
    states = _states_of_recursion(error)
    if len(states) < sys.getrecursionlimit() // 10:  # a heuristic that calls itself, for instance
        return error
    if _come_again(states):
        why = "positions come again in it, and so a line may never end"
    else:
        why = f"a line goes on for more than {len(states)} plies"
    others = "Searches that look ahead only so far (depth=4), and mcts, can play it"
    return TooDeepError(f"this game is too long for {search}: {why}.  {others}:\n{root}")


def _states_of_recursion(error: RecursionError) -> list[GameState]:
    """Return the positions along the calls of that function of gamelib that called itself most.

    In each function of a search the position is called `state`.
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
    except (TypeError, RecursionError):  # of states that cannot be hashed
        return False


def flatten_line(line: tuple[Any, ...]) -> Line:
    """Return (a, b, c) for the nested pairs (a, (b, (c, ()))) that a search builds."""
    actions = []
    while line:
        action, line = line
        actions.append(action)
    return tuple(actions)
