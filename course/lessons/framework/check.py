"""The exercises of notebook 01: checks, reference solutions, and the mistakes they recognise."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from course.kit.asking import ask, check_cases
from course.kit.blame import name_of, raised
from course.kit.feedback import Case, Feedback, NotWrittenError, WrongAnswerError
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.lessons.framework.specimens import PlainTicTacToe, ThriftyTicTacToe
from gamelib.check import check_game
from gamelib.games import Nim, TicTacToe
from gamelib.state import GameState, IllegalActionError

# Exercise 1: a game of your own


@dataclass(frozen=True)
class Sticks(GameState):
    """The game of section 4: take 1, 2 or 3 sticks in turn; who takes the last stick wins."""

    sticks: int = 7
    current_player: int = 0
    num_players = 2

    def legal_actions(self) -> Sequence[int]:
        """Return 1, 2 and 3, as far as there are sticks."""
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


class MisereSticks(Sticks):
    """Take 1, 3 or 4 sticks in turn; who takes the last stick loses."""

    def legal_actions(self) -> list[int]:
        """Return 1, 3 and 4, as far as there are sticks."""
        return [take for take in (1, 3, 4) if take <= self.sticks]

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player to move, who did not take the last stick."""
        if not self.is_terminal():
            raise ValueError("nobody has a payoff before the end")
        return (1, -1) if self.current_player == 0 else (-1, 1)


STICKS_MISTAKES = mistakes("framework", "misere_sticks", MisereSticks)


@guarded
def check_misere_sticks(game: type[GameState]) -> Feedback:
    """Return feedback on a student's class: the interface, then all states from 12 sticks."""
    if not isinstance(game, type):
        return Feedback(False, "give the class itself, without brackets: `MisereSticks`.")
    try:
        start = _start(game)
        report = check_game(start, games=50, max_plies=50)
        feedback = _compare_sticks(start) if report else Feedback(False, str(report))
    except NotImplementedError:
        blank = f"{game.__name__} is not written yet: a method is still missing."
        raise NotWrittenError(blank) from None
    if feedback:
        return feedback
    facts = _facts(game)
    hints = (hint for hint, mistake in STICKS_MISTAKES.items() if _facts(mistake) == facts)
    return Feedback(False, f"{feedback.message} {next(hints, '')}".strip())


def _start(game: Any) -> Any:
    """Return the first state of a student's class, with 12 sticks."""
    try:
        return game(12)
    except TypeError as error:
        raise WrongAnswerError(f"{name_of(game)}(12), 12 sticks, {raised(error)}") from error


def _compare_sticks(start: Any) -> Feedback:
    """Return feedback on the first state, from `start` on, that differs from the right game."""
    pairs, seen = [(start, MisereSticks(12))], {MisereSticks(12)}
    while pairs:
        mine, right = pairs.pop()
        where = f"with {right.sticks} sticks, player {right.current_player} to move"
        if sorted(got := list(mine.legal_actions())) != (want := right.legal_actions()):
            return Feedback(False, f"{where}, the legal actions are {want}; your class has {got}.")
        if right.is_terminal() and (got_pay := mine.utilities()) != right.utilities():
            want_pay = right.utilities()
            return Feedback(False, f"{where}, the payoffs are {want_pay}; yours: {got_pay}.")
        for action in want:
            child = right.successor(action)
            if child not in seen:
                seen.add(child)
                pairs.append((mine.successor(action), child))
    return Feedback(True, f"the rules are right in all {len(seen)} states from 12 sticks.")


def _facts(game: Any) -> list[Any]:
    """Return what a class says of all states up to 12 sticks; an error for one that has no such."""

    def payoffs_or_none(state: GameState) -> Any:
        try:
            return state.utilities()
        except ValueError:
            return None

    try:
        states = [game(sticks, player) for sticks in range(13) for player in (0, 1)]
        return [(list(state.legal_actions()), payoffs_or_none(state)) for state in states]
    except Exception as error:
        return [error]


# Exercise 2: positions at a ply


def positions_at(state: GameState, ply: int) -> int:
    """Return the number of different positions after `ply` actions."""
    layer = {state}
    for _ in range(ply):
        layer = {child.successor(a) for child in layer for a in child.legal_actions()}
    return len(layer)


POSITIONS_MISTAKES = mistakes("framework", "positions_at", positions_at)


@guarded
def check_positions_at(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `positions_at(state, ply)`."""
    return check_cases(
        function,
        _positions_cases(),
        POSITIONS_MISTAKES,
        kind=int,
        success="right in all {cases} cases: tic-tac-toe, a 4 x 3 board, three players, Nim.",
    )


def _positions_cases() -> Iterator[Case]:
    starts = (TicTacToe(), TicTacToe(4, 3), TicTacToe(2, 3, 2, num_players=3), Nim((1, 2, 3)))
    for state in starts:
        for ply in range(6):
            plies = "1 ply" if ply == 1 else f"{ply} plies"
            words = f"the number of positions {plies} after {state!r}"
            yield Case((state, ply), positions_at(state, ply), words, state)


# Exercise 3: payoffs for any number of players


def payoffs(winner: int | None, num_players: int) -> tuple[int, ...]:
    """Return +1 for the winner and -1 for everybody else; 0 for all if nobody has won."""
    if winner is None:
        return (0,) * num_players
    return tuple(1 if player == winner else -1 for player in range(num_players))


PAYOFFS_MISTAKES = mistakes("framework", "payoffs", payoffs)


@guarded
def check_payoffs(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `payoffs(winner, num_players)`."""
    cases = [
        Case((winner, n), payoffs(winner, n), f"the payoffs of {n} players when {who} has won")
        for n in (2, 3, 6)
        for winner, who in [(None, "nobody"), *((i, f"player {i}") for i in range(n))]
    ]
    return check_cases(
        function, cases, PAYOFFS_MISTAKES, kind=tuple, success="right in all {cases} cases."
    )


# Exercise 4: an invariant that finds shared boards


def leaves_alone(state: GameState, action: Any) -> bool:
    """Return whether `successor` leaves the old state as it was."""
    before = str(state), list(state.legal_actions())
    state.successor(action)
    return (str(state), list(state.legal_actions())) == before


LEAVES_ALONE_MISTAKES = mistakes("framework", "leaves_alone", leaves_alone)


@guarded
def check_leaves_alone(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `leaves_alone(state, action)`."""
    games: tuple[Callable[[], GameState], ...] = (PlainTicTacToe, TicTacToe, ThriftyTicTacToe)
    asked = [(name, _verdict(name, function)) for name in games]
    for game, answer in asked:
        if answer != (right := game is not ThriftyTicTacToe):
            words = f"asked for whether {name_of(game)} is left alone, expected {right}"
            hints = (
                hint
                for hint, mistake in LEAVES_ALONE_MISTAKES.items()
                if all(mistake(game(), 4) == answer for game, answer in asked)
            )
            return Feedback(False, f"{words}, got {answer}. {next(hints, '')}".strip(), game())
    return Feedback(True, f"right for {len(games)} games, one of which shares its board.")


def _verdict(game: Callable[[], GameState], function: Callable[..., Any]) -> Any:
    """Return what a function says of a game, from a new position: the wrong one changes."""
    return ask(function, Case((game(), 4), None, f"whether {name_of(game)} is left alone"), bool)
