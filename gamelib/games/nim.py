"""Nim: players take stones from heaps, and whoever takes the last stone wins (misere: loses)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache, partial, reduce
from operator import attrgetter, xor
from random import Random
from typing import Any, ClassVar, NamedTuple, Self

from gamelib.board_layout import MARKS, Spot
from gamelib.games.board_text import check_size, rules_property
from gamelib.state import GameState, as_int

NimAction = tuple[int, int]
Heaps = tuple[int, ...]
_MAX_HEAPS, _MAX_STONES = 50, 1000  # stones of all heaps, because each stone is an action
_STONE = 34 / 76  # the height of a stone, in cells
_new = object.__new__
_state_key = attrgetter("heaps", "current_player", "_rules")


class Rules(NamedTuple):
    """The rules that all positions of one configuration share."""

    max_take: int | None
    misere: bool
    num_players: int
    take_limit: int  # `max_take`, or more than any heap has


@lru_cache(maxsize=2048)
def _actions_of(heaps: Heaps, take_limit: int) -> tuple[NimAction, ...]:
    sizes = enumerate(min(size, take_limit) for size in heaps)
    return tuple((heap, take) for heap, size in sizes for take in range(1, size + 1))


@cache
def _payoffs(rules: Rules, taker: int) -> tuple[int, ...]:
    last = -1 if rules.misere else 1  # for the player who takes the last stone
    return tuple(last if player == taker else -last for player in range(rules.num_players))


class Nim(GameState[NimAction]):
    """A position of Nim.  An action is (heap, take): heaps are numbered from 0, take is 1 or more.

    The player who takes the last stone wins, and all others lose.  In misere Nim that player alone
    loses, and all others win.  In a position that was set up without stones, the player before the
    one to move counts as the one who took the last stone.

    >>> from gamelib import Nim
    >>> Nim((1, 2)).legal_actions()
    ((0, 1), (1, 1), (1, 2))
    >>> Nim((1, 2)).play((1, 2), (0, 1)).utilities()
    (-1, 1)
    """

    __slots__ = ("_rules", "current_player", "heaps")
    marks, max_utility = MARKS, 1
    examples: ClassVar = {
        "Nim 1 2 3": {"heaps": (1, 2, 3)},
        "Nim 3 4 5": {"heaps": (3, 4, 5)},
        "Nim 1 3 5 7": {},
        "Nim 1 2 4, misere": {"heaps": (1, 2, 4), "misere": True},
        "Nim 10, take 1 or 2": {"heaps": (10,), "max_take": 2},
    }
    _rules: Rules
    heaps: Heaps
    current_player: int

    def __init__(
        self,
        heaps: Iterable[int] = (1, 3, 5, 7),
        max_take: int | None = None,
        misere: bool = False,
        num_players: int = 2,
    ) -> None:
        self.heaps = _checked_heaps(heaps)
        if max_take is not None and (as_int(max_take) or 0) < 1:
            raise ValueError(f"max_take must be an int, 1 or more, or None; got {max_take!r}")
        if type(misere) is not bool:
            raise ValueError(f"misere must be True or False; got {misere!r}")
        num_players = check_size("num_players", num_players, 2, len(MARKS))
        self._rules = Rules(as_int(max_take), misere, num_players, as_int(max_take) or _MAX_STONES)
        self.current_player = 0

    def legal_actions(self) -> tuple[NimAction, ...]:
        """Return every (heap, take), by heap and then by take; none when all stones are gone."""
        return _actions_of(self.heaps, self._rules.take_limit)

    def successor(self, action: NimAction) -> Self:
        """Return the position after the player to move has taken stones from one heap."""
        rules, heaps = self._rules, self.heaps
        try:
            heap, take = action
            left = heaps[heap] - take
            legal = heap >= 0 < take <= rules.take_limit and left >= 0
        except (TypeError, ValueError, IndexError):
            legal = False
        if not (legal and heap.__class__ is take.__class__ is int and action.__class__ is tuple):
            has = f"a heap from 0 to {len(heaps) - 1}, and 1 or more of its stones"
            return self._retry_with_python_action(action, f"(heap, take), two ints: {has}")
        child = _new(self.__class__)
        child._rules = rules
        child.heaps = (*heaps[:heap], left, *heaps[heap + 1 :])
        child.current_player = (self.current_player + 1) % rules.num_players
        return child

    def is_terminal(self) -> bool:
        """Return whether all stones are gone."""
        return not any(self.heaps)

    def utilities(self) -> tuple[int, ...]:
        """Return +1 or -1 for the player who took the last stone, the opposite for the others."""
        if any(self.heaps):
            raise ValueError(f"the game is not over, so nobody has a payoff yet: {self!r}")
        rules = self._rules
        return _payoffs(rules, (self.current_player - 1) % rules.num_players)

    num_players: int = rules_property("num_players", "The number of players.")
    max_take: int | None = rules_property(
        "max_take", "The largest number of stones that an action may take; None for any number."
    )
    misere: bool = rules_property("misere", "Whether the player who takes the last stone loses.")

    @property
    def winner(self) -> int | None:
        """The player who has won; None before the end, and if several have won."""
        if any(self.heaps):
            return None
        payoffs = self.utilities()
        return payoffs.index(1) if payoffs.count(1) == 1 else None

    def spots(self) -> list[Spot]:
        """Return the stones, heap by heap from the top; a stone plays taking it and all above."""
        # The ground is at y = 0, so that a stone keeps its place if stones above it are taken.
        spots = [Spot(0, 0, "", shape="line", width=len(self.heaps), height=0.04)]
        legal, stone = set(self.legal_actions()), partial(Spot, shape="stone", height=_STONE)
        for heap, size in enumerate(self.heaps):
            for take in range(1, size + 1):
                name, action = f"{take} from heap {heap}", (heap, take)
                title = f"take {name}" if action in legal else f"stone {take} of heap {heap}"
                place = (heap, (take - size - 1) * _STONE, name, action)
                spots.append(stone(*place, text=str(take), title=title))
        for heap, size in enumerate(self.heaps):
            name, text = f"heap {heap} has {size}", f"heap {heap}\n{size}"
            spots.append(Spot(heap, 0.1, name, shape="label", text=text, height=0.18))
        return spots

    def action_name(self, action: NimAction) -> str:
        """Return the name of an action, such as "3 from heap 0"."""
        is_legal = action in self.legal_actions()
        return f"{action[1]} from heap {action[0]}" if is_legal else str(action)

    def symmetry_key(self) -> Heaps:
        """Return the heaps sorted by size, because their order does not matter."""
        return tuple(sorted(filter(None, self.heaps)))

    def __eq__(self, other: Any) -> bool:
        return type(other) is type(self) and bool(_state_key(self) == _state_key(other))

    def __hash__(self) -> int:
        return hash((self.heaps, self.current_player))

    def __str__(self) -> str:
        return " ".join(map(str, self.heaps))

    def __repr__(self) -> str:
        rules = [f", take at most {self.max_take}"] if self.max_take else []
        rules += [", misere"] if self.misere else []
        return f"{type(self).__name__}({self}{''.join(rules)}, {self.status()})"

    def status(self) -> str:
        """Return whose turn it is, or how the game ended: "X to move", "O won", "A lost"."""
        several = self.is_terminal() and self.winner is None
        return f"{MARKS[self.current_player - 1]} lost" if several else super().status()

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        max_take: int | None = None,
        misere: bool = False,
        num_players: int = 2,
        current_player: int = 0,
    ) -> Self:
        """Return the position with the heaps that `text` names, like "1 3 5 7" or "1, 3, 5, 7"."""
        numbers = re.split(r"[\s,]+", text.strip()) if isinstance(text, str) else [""]
        if not all(map(str.isdecimal, numbers)):
            raise ValueError(f'text must be numbers, like "1 3 5 7"; got {text!r}')
        state = cls(map(int, numbers), max_take, misere, num_players)
        state.current_player = check_size("current_player", current_player, 0, num_players - 1)
        return state


def _checked_heaps(heaps: Iterable[int]) -> Heaps:
    if isinstance(heaps, str) or not isinstance(heaps, Iterable):
        raise TypeError(f"heaps must be a sequence of ints, like (1, 3, 5, 7); got {heaps!r}")
    sizes = tuple(heaps)
    if not 1 <= len(sizes) <= _MAX_HEAPS:
        raise ValueError(f"heaps must be 1 to {_MAX_HEAPS} numbers; got {len(sizes)}")
    stones = tuple(check_size("a heap", size, 0, _MAX_STONES) for size in sizes)
    check_size("the sum of the heaps", sum(stones), 0, _MAX_STONES)
    return stones


def nim_sum(heaps: Iterable[int]) -> int:
    """Return the exclusive or of the heaps; 0 exactly if the player to move loses normal Nim.

    Source: Bouton, Nim, a game with a complete mathematical theory, 1901.

    >>> from gamelib import nim_sum
    >>> nim_sum((1, 2, 3))
    0
    """
    return reduce(xor, heaps, 0)


def grundy(heap: int, max_take: int | None = None) -> int:
    """Return the Grundy value of one heap: the size of an equivalent heap in unlimited Nim.

    Source: Grundy, Mathematics and games, 1939.  With `max_take` k it is heap mod (k + 1).

    >>> from gamelib import grundy
    >>> grundy(7, max_take=3)
    3
    """
    return heap if max_take is None else heap % (max_take + 1)


def nim_winning_actions(state: Nim) -> tuple[NimAction, ...]:
    """Return the actions that win by theory, in `legal_actions` order; none in a lost position.

    ValueError unless there are two players.  Source for misere: Berlekamp, Conway and Guy, Winning
    Ways, chapter 13.

    >>> from gamelib import Nim, nim_winning_actions
    >>> nim_winning_actions(Nim((1, 2, 4)))
    ((2, 1),)
    """
    if state.num_players != 2:
        raise ValueError(f"the theory is for two players; this game has {state.num_players}")
    return _winning_actions(state.heaps, state.max_take, state.misere)


@lru_cache(maxsize=2048)  # rollouts come to the same positions again and again
def _winning_actions(heaps: Heaps, max_take: int | None, misere: bool) -> tuple[NimAction, ...]:
    winning, worth = list[NimAction](), [grundy(heap, max_take) for heap in heaps]
    total, large = nim_sum(worth), sum(value > 1 for value in worth)
    for heap, size in enumerate(heaps):
        # `left` is the Grundy value that the heap must have after a winning action.  Misere Nim is
        # played like normal Nim until no heap is worth more than 1.  From then on, an odd number of
        # heaps is lost, not an even one.
        left = total ^ worth[heap] ^ (misere and large == (worth[heap] > 1))
        take = size - left if max_take is None else (size - left) % (max_take + 1)
        if 0 < take <= size and (max_take is None or left <= max_take):
            winning.append((heap, take))
    return tuple(winning)


def nim_sum_rollout(state: Nim, rng: Random) -> NimAction:
    """Return a winning action, or a random one if there is none; a rollout policy for `mcts`."""
    actions = nim_winning_actions(state) or state.legal_actions()
    return actions[int(rng.random() * len(actions))]


Nim.rollouts = {"by the nim-sum": nim_sum_rollout}
