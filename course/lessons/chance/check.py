"""The checks of the exercises of notebook 09; the solutions are in `reference.py`."""

from collections.abc import Iterator
from random import Random
from typing import Any

from course.exercises.answer_key import (
    FROM_REFERENCE,
    AnswerKey,
    cached_answer,
    rounded_answer,
    seeded_cases,
)
from course.exercises.feedback import Case
from course.exercises.run_cases import NUMBER, make_check
from course.exercises.shrinking import MAX_LEAVES, size
from gamelib.games import Chance, EinStein, GameTree
from gamelib.state import CHANCE, GameState

SHARES = ((0.5, 0.5), (0.25, 0.75), (0.75, 0.25), (0.25, 0.25, 0.5), (0.5, 0.125, 0.375))
TREES = (
    GameTree.parse("{0.5: 3 0.5: -1} 0"),
    GameTree.parse("[{0.25: 8 0.75: 4} 6] [{0.5: 2 0.5: 9} 7]"),
    GameTree.parse("{0.75: [4 2] 0.25: [8 -8]} {0.5: [0 6] 0.5: [3 5]}"),
    GameTree.parse("{0.5: {0.25: 4 0.75: 0} 0.5: [2 6]} 1"),
    GameTree.parse("1 {0.5: [0 -8] 0.5: 8}"),
)


def random_chance_tree(rng: Random, height: int = 4) -> GameTree:
    """Return a tree of numbers in which every second row consists of chance nodes."""

    def node(height: int) -> Any:
        if height == 0 or (height == 1 and rng.random() < 0.3):
            return rng.randint(-8, 8)
        if height % 2:
            return Chance(*((chance, node(height - 1)) for chance in rng.choice(SHARES)))
        return [node(height - 1) for _ in range(rng.randint(2, 3))]

    return GameTree(node(height))


def late_boards(rng: Random, count: int) -> Iterator[GameState]:
    """Yield positions of EinStein with a die of two faces, late in random games.

    Their trees are small, so that they are searched quickly.
    """
    while count:
        path: list[GameState] = [EinStein(3, 2)]
        while not path[-1].is_terminal():
            path.append(path[-1].successor(rng.choice(path[-1].legal_actions())))
        if late := [state for state in path[-5:-1] if size(state)[0] < MAX_LEAVES]:
            yield late[0]
            count -= 1


# Exercise 1: expectiminimax


@seeded_cases
def _value_cases(rng: Random) -> Iterator[Case]:
    trees: list[GameState] = [*TREES, *(random_chance_tree(rng) for _ in range(12))]
    boards = [*late_boards(rng, 6)]
    for state in (*trees, *(tree.play(0) for tree in trees[:6]), *boards):
        for player in (0, 1):
            yield _value_case(state, player)


def _value_case(state: GameState, player: int) -> Case:
    words = f"the expected value of {state!r} for {state.player_name(player)}"
    return Case((state, player), rounded_answer(exact_value)(state, player), words, state)


VALUE = AnswerKey("chance", "expected_value", _value_cases, view=rounded_answer, make=_value_case)

check_my_expected = make_check(VALUE, NUMBER, "check_my_expected")

check_expected_value = make_check(VALUE, NUMBER)


# Exercise 2: draw an outcome


@seeded_cases
def _drawn_cases(rng: Random) -> Iterator[Case]:
    dice: list[Any] = [tuple(zip("abc", share, strict=False)) for share in SHARES]
    for outcomes in (*dice, tuple((face, 0.25) for face in (1, 2, 3, 4))):
        ends = [0.0]
        for _, chance in outcomes:
            ends.append(ends[-1] + chance)
        for number in (*ends[:-1], 0.999, *(rng.random() for _ in range(6))):
            words = f"the outcome of {list(outcomes)} for the number {number:g}"
            yield Case((list(outcomes), number), FROM_REFERENCE, words)


check_drawn = make_check(AnswerKey("chance", "drawn", _drawn_cases), (int, str))


# Exercise 3: the limits of a mean


@seeded_cases
def _limits_cases(rng: Random) -> Iterator[Case]:
    for chances in (*SHARES, (0.25,) * 4):
        for seen in range(len(chances) + 1):
            least, most = rng.choice([(-1, 1), (-8, 8), (0, 4), (-2, 10)])
            known = [rng.randint(least, most) for _ in range(seen)]
            words = f"the limits of the mean with the chances {list(chances)}, when {known} is "
            words += f"known, and the rest lies between {least} and {most}"
            yield Case((list(chances), known, least, most), FROM_REFERENCE, words)


check_mean_limits = make_check(
    AnswerKey("chance", "mean_limits", _limits_cases, view=rounded_answer), tuple
)


# Exercise 4: the window of an outcome


@seeded_cases
def _window_cases(rng: Random) -> Iterator[Case]:
    for chances in (*SHARES, (0.25,) * 4):
        for seen in range(len(chances)):
            least, most = rng.choice([(-1, 1), (-8, 8), (0, 4), (-2, 10)])
            known = [rng.randint(least, most) for _ in range(seen)]
            alpha = rng.randint(least, most - 1)
            asked = (list(chances), known, alpha, rng.randint(alpha + 1, most), least, most)
            words = "the window of the next outcome with (chances, known, alpha, beta, least, most)"
            yield Case(asked, FROM_REFERENCE, f"{words} = {asked}")


check_child_window = make_check(
    AnswerKey("chance", "child_window", _window_cases, view=rounded_answer), tuple
)


@cached_answer
def exact_value(state: GameState, player: int) -> Any:
    """Return the expected payoff of `player` with best play by both: the program of section 3."""
    if state.is_terminal():
        return state.utility(player)
    children = [(action, state.successor(action)) for action in state.legal_actions()]
    if state.current_player == CHANCE:
        chances: dict[Any, Any] = dict(state.chance_outcomes())
        return sum(chances[action] * exact_value(child, player) for action, child in children)
    choose = max if state.current_player == player else min
    return choose(exact_value(child, player) for _, child in children)
