"""A walk through two games in step, up to the first difference between them."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gamelib.conformance import check_state
from gamelib.state import MAX_PLIES, Action, GameState

MAX_POSITIONS = 6_000  # near the start, all of them; then random games go further
RANDOM_GAMES = 300
Pair = tuple[GameState, GameState, tuple[Action, ...]]  # and the actions that lead there


@dataclass(frozen=True)
class GameComparison:
    """The result of `same_game`, which is true without a difference, and prints as a sentence."""

    positions: int
    difference: str | None = None

    def __bool__(self) -> bool:
        return self.difference is None

    def __repr__(self) -> str:
        if self.difference is None:
            return f"No difference in {self.positions:,} positions."
        return self.difference


def same_game(mine: GameState, ours: GameState, *, seed: int = 0) -> GameComparison:
    """Return the first difference between two games, as in `same_game(MyGame(), TicTacToe())`.

    Both games are played in step, first through all positions near the start, then in random games.
    The comparison covers the player to move, the legal actions, the end of the game, and the
    payoffs.  Actions that are not equal are paired by their order.  TypeError for anything but
    positions.

    >>> from gamelib import Nim, same_game
    >>> print(same_game(Nim((1, 2)), Nim((1, 2), misere=True)))
    After (0, 1), (1, 2), yours says O has won, and ours X has won.
    0 0
    """
    check_state(mine)
    check_state(ours)
    if mine.num_players != ours.num_players:
        counts = f"{mine.num_players} players in yours, {ours.num_players} in ours"
        return GameComparison(1, f"The games differ before the first action: {counts}.")
    positions = 0
    for one, other, path in _pairs(mine, ours, random.Random(seed)):
        positions += 1
        if said := _difference(one, other):
            when = f"After {_listed(path)}" if path else "In the first position"
            return GameComparison(positions, f"{when}, {said}.\n{other}")
    return GameComparison(positions)


def _pairs(mine: GameState, ours: GameState, rng: random.Random) -> Iterator[Pair]:
    """Yield pairs of positions that should be the same, those near the start first."""
    waiting, seen = deque[Pair]([(mine, ours, ())]), {ours}
    while waiting and len(seen) <= MAX_POSITIONS:
        pair = waiting.popleft()
        yield pair
        for child in _children(pair):
            if child[1] not in seen:
                seen.add(child[1])
                waiting.append(child)
    for _ in range(RANDOM_GAMES if waiting else 0):
        pair = mine, ours, ()
        while len(pair[2]) < MAX_PLIES and (children := list(_children(pair))):
            pair = rng.choice(children)
            yield pair


def _children(pair: Pair) -> Iterator[Pair]:
    one, other, path = pair
    if not other.is_terminal():
        for action, own in _paired(one, other):
            yield one.successor(own), other.successor(action), (*path, action)


def _paired(one: GameState, other: GameState) -> list[tuple[Action, Action]]:
    """Return pairs of the legal actions of two positions, by equality or else by their order."""
    mine, ours = list(one.legal_actions()), list(other.legal_actions())
    if {*map(repr, mine)} == {*map(repr, ours)}:
        by_text = {repr(action): action for action in mine}
        return [(action, by_text[repr(action)]) for action in ours]
    return list(zip(ours, mine, strict=False))


def _difference(one: GameState, other: GameState) -> str:
    """Describe the difference between two positions; "" if there is none."""
    mine, ours = bool(one.is_terminal()), other.is_terminal()
    if mine != ours:
        over, goes_on = ("yours", "ours") if mine else ("ours", "yours")
        ended = one if mine else other
        result = _result(tuple(ended.utilities()), other)
        return f"{over} says that the game is over ({result}), and {goes_on} that it goes on"
    if ours:
        given, right = tuple(one.utilities()), tuple(other.utilities())
        if given != right:
            return f"yours says {_result(given, other)}, and ours {_result(right, other)}"
        return ""
    if one.current_player != other.current_player:
        return f"player {one.current_player} moves in yours, player {other.current_player} in ours"
    return _differing_actions(list(one.legal_actions()), list(other.legal_actions()))


def _differing_actions(mine: list[Any], ours: list[Any]) -> str:
    alike = {*map(repr, mine)} & {*map(repr, ours)}
    if not alike and len(mine) == len(ours):
        return ""  # two ways to name the same
    less = [action for action in ours if repr(action) not in alike]
    more = [action for action in mine if repr(action) not in alike]
    parts = [f"ours alone allows {_listed(less)}"] if less else []
    parts += [f"yours alone allows {_listed(more)}"] if more else []
    return " and ".join(parts)


def _result(payoffs: tuple[float, ...], state: GameState) -> str:
    best = [player for player, payoff in enumerate(payoffs) if payoff == max(payoffs)]
    if len(best) == 1 and state.num_players == 2 and sum(payoffs) == 0:
        return f"{state.player_name(best[0])} has won"
    is_draw = len(best) == len(payoffs) and not any(payoffs)
    return "a draw" if is_draw else f"payoffs {payoffs}"


def _listed(actions: Any) -> str:
    return ", ".join(map(str, actions))
