"""The exercises of notebook 01: checks, reference solutions, and the mistakes they recognise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from gamelib.exercises.feedback import Case, Feedback, WrongAnswerError, ask, check_cases
from gamelib.exercises.specimens.games import PlainTicTacToe, ThriftyTicTacToe
from gamelib.games import Nim, TicTacToe
from gamelib.state import GameState, IllegalActionError, check_game

# Exercise 1: a game of your own


@dataclass(frozen=True)
class MisereSticks(GameState):
    """Take 1, 3 or 4 sticks in turn; who takes the last stick loses."""

    sticks: int = 7
    current_player: int = 0
    num_players = 2

    def legal_actions(self) -> list[int]:
        """Return 1, 3 and 4, as far as there are sticks."""
        return [take for take in (1, 3, 4) if take <= self.sticks]

    def successor(self, action: int) -> MisereSticks:
        """Return the state with `action` sticks fewer, the other player to move."""
        if action not in self.legal_actions():
            raise IllegalActionError(f"take one of {self.legal_actions()}; got {action!r}")
        return replace(self, sticks=self.sticks - action, current_player=1 - self.current_player)

    def is_terminal(self) -> bool:
        """Return whether no stick is left."""
        return self.sticks == 0

    def utilities(self) -> tuple[int, int]:
        """Return +1 for the player to move, who did not take the last stick."""
        if not self.is_terminal():
            raise ValueError("nobody has a payoff before the end")
        return (1, -1) if self.current_player == 0 else (-1, 1)


def check_misere_sticks(game: type[GameState]) -> Feedback:
    """Return feedback on a student's class: the interface, then all states from 12 sticks."""
    if not isinstance(game, type):
        return Feedback(False, "give the class itself, without brackets: `MisereSticks`.")
    try:
        start: Any = game(12)  # type: ignore[call-arg]
        report = check_game(start, games=50)
        if not report:
            return Feedback(False, str(report))
        return _compare_sticks(start, MisereSticks(12))
    except NotImplementedError:
        return Feedback(False, f"{game.__name__} is not written yet: a method is still missing.")
    except Exception as error:
        return Feedback(False, f"{game.__name__} raised {type(error).__name__}: {error}")


def _compare_sticks(start: Any, right: MisereSticks) -> Feedback:
    """Return feedback on the first state, from `start` on, that differs from the right game."""
    pairs, seen = [(start, right)], {right}
    while pairs:
        mine, right = pairs.pop()
        where = f"with {right.sticks} sticks, player {right.current_player} to move"
        if sorted(got := list(mine.legal_actions())) != (want := right.legal_actions()):
            return Feedback(False, f"{where}, the legal actions are {want}; your class has {got}.")
        if right.is_terminal() and (got_pay := mine.utilities()) != right.utilities():
            want_pay = right.utilities()
            hint = " Who took the last stick? That player loses."
            return Feedback(False, f"{where}, the payoffs are {want_pay}; yours: {got_pay}.{hint}")
        for action in want:
            child = right.successor(action)
            if child not in seen:
                seen.add(child)
                pairs.append((mine.successor(action), child))
    return Feedback(True, f"the rules are right in all {len(seen)} states from 12 sticks.")


# Exercise 2: positions at a ply


def positions_at(state: GameState, ply: int) -> int:
    """Return the number of different positions after `ply` actions."""
    layer = {state}
    for _ in range(ply):
        layer = {child.successor(a) for child in layer for a in child.legal_actions()}
    return len(layer)


def _layers(state: GameState, ply: int, kind: type) -> list[Any]:
    layers: list[Any] = [kind([state])]
    for _ in range(ply):
        layers.append(kind(s.successor(a) for s in layers[-1] for a in s.legal_actions()))
    return layers


POSITIONS_MISTAKES: dict[str, Callable[[GameState, int], int]] = {
    "Your program counts paths, not positions. Put the states of a ply into a set.": (
        lambda state, ply: len(_layers(state, ply, list)[-1])
    ),
    "Your program counts all positions up to this ply. Only those of this ply are asked for.": (
        lambda state, ply: sum(map(len, _layers(state, ply, set)))
    ),
    "Your program is one ply short.": lambda state, ply: (
        len(_layers(state, ply, set)[-2]) if ply else 0
    ),
    "Your program goes one ply too far.": lambda state, ply: positions_at(state, ply + 1),
    "Your program leaves out positions in which the game is over. They are positions too.": (
        lambda state, ply: sum(not s.is_terminal() for s in _layers(state, ply, set)[-1])
    ),
}


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
            words = f"the number of positions {ply} plies after {state!r}"
            yield Case((state, ply), positions_at(state, ply), words, state)


# Exercise 3: payoffs for any number of players


def payoffs(winner: int | None, num_players: int) -> tuple[int, ...]:
    """Return +1 for the winner and -1 for everybody else; 0 for all if nobody has won."""
    if winner is None:
        return (0,) * num_players
    return tuple(1 if player == winner else -1 for player in range(num_players))


PAYOFFS_MISTAKES: dict[str, Callable[[int | None, int], tuple[int, ...]]] = {
    "The losers get -1 in this course, not 0: a loss must be worse than a draw.": (
        lambda winner, n: tuple(int(player == winner) for player in range(n))
    ),
    "In a draw everybody gets 0. Is `winner is None` handled first?": (
        lambda winner, n: tuple(1 if player == winner else -1 for player in range(n))
    ),
    "`if winner` is False for player 0. Write `if winner is None`.": (
        lambda winner, n: payoffs(winner or None, n)
    ),
    "Your answer has two payoffs. There is one for each player.": (
        lambda winner, n: payoffs(winner, n)[:2]
    ),
    "+1 and -1 stand the wrong way round.": (
        lambda winner, n: tuple(-value for value in payoffs(winner, n))
    ),
}


def check_payoffs(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `payoffs(winner, num_players)`."""
    cases = [
        Case((winner, n), payoffs(winner, n), f"the payoffs of {n} players when {words}")
        for n in (2, 3, 6)
        for winner, words in [
            (None, "nobody has won"),
            *((player, f"player {player} has won") for player in range(n)),
        ]
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


LEAVES_ALONE_MISTAKES: dict[str, Callable[[GameState, Any], bool]] = {
    "Your function says True even for a game that changes the old state. Keep what it answered "
    "before, `before = str(state)`, and compare after `successor`.": (lambda state, action: True),
    "Your function says False even for a game that keeps the rule. Is the new state compared "
    "instead of the old one?": (lambda state, action: False),
    "Your function says the opposite: True when the state has changed.": (
        lambda state, action: not leaves_alone(state, action)
    ),
}


def check_leaves_alone(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `leaves_alone(state, action)`."""
    games = [(PlainTicTacToe, True), (TicTacToe, True), (ThriftyTicTacToe, False)]
    for game, right in games:
        case = Case((game(), 4), right, f"whether {game.__name__} is left alone")
        try:
            answer = ask(function, case, bool)
        except WrongAnswerError as problem:
            return Feedback(False, str(problem))
        if answer != right:
            fitting = (h for h, f in LEAVES_ALONE_MISTAKES.items() if _finds_the_same(f, function))
            message = f"asked for {case.words}, expected {right}, got {answer}."
            return Feedback(False, f"{message} {next(fitting, '')}".strip())
    return Feedback(True, f"right for {len(games)} games, one of which shares its board.")


def _finds_the_same(mistake: Callable[..., bool], function: Callable[..., bool]) -> bool:
    """Return whether two functions agree on a game that keeps the rule and one that does not."""
    games = (PlainTicTacToe, ThriftyTicTacToe)  # made anew each time: the second one changes
    return all(mistake(game(), 4) == function(game(), 4) for game in games)
