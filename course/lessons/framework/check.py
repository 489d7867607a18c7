"""The checks of the exercises of notebook 01; the solutions are in `reference.py`."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from random import Random
from typing import Any, Self

from course.exercises.answer_key import FROM_REFERENCE, AnswerKey, seeded_cases
from course.exercises.check_runner import guarded
from course.exercises.error_report import describe_error, name_of
from course.exercises.feedback import Case, Feedback, NotWrittenError, WrongAnswerError
from course.exercises.run_cases import call_student, make_check, with_hint
from course.lessons.framework.lab_programs import ALIKE, ThriftyTicTacToe
from gamelib.conformance import check_game
from gamelib.games import Nim, TicTacToe
from gamelib.state import GameState, IllegalActionError

# Exercise 1: a game of your own


@dataclass(frozen=True)
class Sticks(GameState):
    """The game of section 3: take 1, 2 or 3 sticks in turn; whoever takes the last stick wins."""

    sticks: int = 7
    current_player: int = 0
    num_players = 2

    def legal_actions(self) -> Sequence[int]:
        """Return 1, 2 and 3, up to the number of sticks."""
        return range(1, min(3, self.sticks) + 1)

    def successor(self, action: int) -> Self:
        """Return the state with `action` sticks fewer, the other player to move."""
        if action not in self.legal_actions():
            raise IllegalActionError(f"take one of {self.legal_actions()}; got {action!r}")
        return replace(self, sticks=self.sticks - action, current_player=1 - self.current_player)

    def is_terminal(self) -> bool:
        """Return whether no stick is left."""
        return self.sticks == 0

    def utilities(self) -> tuple[int, int]:
        """Return -1 for the player to move, who did not take the last stick."""
        if not self.is_terminal():
            raise ValueError("nobody has a payoff before the end")
        return (-1, 1) if self.current_player == 0 else (1, -1)


Place = tuple[int, int]  # the number of sticks, and the player to move


@seeded_cases
def _places(rng: Random) -> Iterator[Case]:
    """Yield all places with 12 sticks or fewer, and those of a game with many more."""
    places = [(sticks, player) for sticks in range(13) for player in (0, 1)]
    sticks, player = rng.randrange(100, 200), 0
    while sticks > 12:
        places.append((sticks, player))
        sticks, player = sticks - rng.choice((1, 3, 4)), 1 - player
    for place in places:
        yield Case(place, FROM_REFERENCE, "the legal actions and the payoffs")


def _facts(game: Any) -> Callable[[int, int], Any]:
    """Return a function of a place that returns the legal actions and the payoffs of a class.

    Payoffs before the end are left out, because the check of the interface covers them.
    """

    def facts(sticks: int, player: int) -> Any:
        state = game(sticks, player)
        return list(state.legal_actions()), None if sticks else state.utilities()

    return facts


RULES_RIGHT_MESSAGE = "your rules are right. But a game must keep the interface as well."
EARLY_PAYOFFS_MESSAGE = "Before the end there are no payoffs: raise a ValueError, as `Sticks` does."
STICKS = AnswerKey("framework", "MisereSticks", _places, view=_facts, group="misere_sticks")


@guarded
def check_misere_sticks(game: type[GameState]) -> Feedback:
    """Return feedback on a student's class: the rules, from 12 sticks on, then the interface."""
    if not isinstance(game, type):
        return Feedback(False, "give the class itself, without brackets: `MisereSticks`.")
    try:
        feedback = _compare_sticks(game)
        report = check_game(_start(game, 12), games=50, max_plies=50) if feedback else None
    except NotImplementedError:
        blank = f"{game.__name__} is not written yet: a method is still missing."
        raise NotWrittenError(blank) from None
    if report:
        return feedback
    if report is not None:
        early = EARLY_PAYOFFS_MESSAGE if "before the end" in str(report) else ""
        return Feedback(False, f"{RULES_RIGHT_MESSAGE} {report} {early}".strip())
    return with_hint(feedback, STICKS.hint(_facts_or_none(game)))


def _start(game: Any, sticks: int) -> Any:
    """Return the first state of a student's class with this number of sticks."""
    try:
        return game(sticks)
    except TypeError as error:
        words = f"{name_of(game)}({sticks}), {sticks} sticks, {describe_error(error)}"
        raise WrongAnswerError(words) from error


def _compare_sticks(game: Any) -> Feedback:
    """Return feedback on the first place that differs from the right game, from 12 sticks on."""
    right = {case.arguments: case.expected for case in STICKS.cases()}
    most, seen = max(right)[0], set[Place]()
    for sticks in (12, most):
        pairs = [(_start(game, sticks), (sticks, 0))]
        while pairs:
            mine, place = pairs.pop()
            if place in right and place not in seen:
                seen.add(place)
                if fault := _sticks_fault(mine, place, right[place]):
                    return Feedback(False, fault)
                after = [(place[0] - action, 1 - place[1]) for action in right[place][0]]
                children = map(mine.successor, right[place][0])
                pairs += zip(children, after, strict=True)
    words = f"from 12 sticks, and in a game with {most}"
    return Feedback(True, f"the rules are right in all {len(seen)} states {words}.")


def _sticks_fault(mine: Any, place: Place, right: tuple[list[int], Any]) -> str:
    """Return a sentence about the difference of a state from the right facts, or ""."""
    sticks, player = place
    number = "1 stick" if sticks == 1 else f"{sticks} sticks"
    where, (actions, payoffs) = f"with {number}, player {player} to move", right
    if sorted(got := list(mine.legal_actions())) != actions:
        return f"{where}, the legal actions are {actions}; your class has {got}."
    if not actions and (got_pay := mine.utilities()) != payoffs:
        return f"{where}, the payoffs are {payoffs}; yours: {got_pay}."
    return ""


def _facts_or_none(game: Any) -> list[Any]:
    """Return the facts of a class about all places; [] if it raises."""
    try:
        return [_facts(game)(*case.arguments) for case in STICKS.cases()]
    except Exception:
        return []


# Exercise 2: positions at a ply


@seeded_cases
def _positions_cases(rng: Random) -> Iterator[Case]:
    starts: list[GameState] = [TicTacToe(), TicTacToe(4, 3), TicTacToe(2, 3, 2, num_players=3)]
    starts += [Nim((1, 2, 3)), *(Nim([rng.randint(1, 5) for _ in range(3)]) for _ in range(3))]
    for state in starts:
        # With one more ply, a list without the test for equal positions would pass only on a fast
        # machine.
        for ply in range(5):
            plies = "1 ply" if ply == 1 else f"{ply} plies"
            words = f"the number of positions {plies} after {state!r}"
            yield Case((state, ply), FROM_REFERENCE, words, state)


check_positions_at = make_check(AnswerKey("framework", "positions_at", _positions_cases), int)


# Exercise 3: payoffs for any number of players


@seeded_cases
def _payoffs_cases(rng: Random) -> Iterator[Case]:
    for n in (2, 3, 6, *(rng.randint(7, 12) for _ in range(3))):
        winners = range(n) if n < 7 else [rng.randrange(n)]
        for winner, who in [(None, "nobody"), *((i, f"player {i}") for i in winners)]:
            yield Case(
                (winner, n), FROM_REFERENCE, f"the payoffs of {n} players when {who} has won"
            )


check_payoffs = make_check(AnswerKey("framework", "payoffs", _payoffs_cases), tuple)


# Exercise 4: an invariant that detects shared boards

GAMES: dict[str, Any] = {name: game for game, name in ALIKE.items()} | {"TicTacToe": TicTacToe}


@seeded_cases
def _shared_cases(rng: Random) -> Iterator[Case]:
    """Yield each game before its first action, and in a random position, in random order."""
    asked: list[tuple[str, tuple[int, ...], int]] = [(name, (), 4) for name in GAMES]
    for name in GAMES:
        *before, action = rng.sample(range(9), 4)
        asked.append((name, tuple(before), action))
    rng.shuffle(asked)
    for name, played, action in asked:
        words = f"whether {name} is left alone by the action {action}"
        right = name != ThriftyTicTacToe.__name__
        yield Case((name, played, action), right, words, TicTacToe().play(*played))


def _of_new_positions(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a game's name and actions, which builds a new position for each call.

    The buggy game mutates its positions.
    """

    @wraps(function)
    def verdict(name: str, before: Sequence[int], action: int) -> Any:
        state = GAMES[name]().play(*before)
        words = f"whether {name} is left alone by the action {action}"
        return call_student(function, Case((state, action), None, words, state), bool)

    return verdict


check_leaves_alone = make_check(
    AnswerKey("framework", "leaves_alone", _shared_cases, view=_of_new_positions), bool
)
