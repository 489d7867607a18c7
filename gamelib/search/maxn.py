"""MaxN: every player maximizes their own payoff (Luckhardt and Irani, AAAI 1986)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import Any, NamedTuple, Unpack

from gamelib.search.depth_first import NO_LINE, DepthFirst, Found, NestedLine, Window
from gamelib.search.events import Callbacks, Cut, shown
from gamelib.search.limits import Evaluate, estimate
from gamelib.search.registry import described
from gamelib.search.result import Kind, SearchResult
from gamelib.state import Action, GameState

Vector = tuple[float, ...]  # one payoff per player
NOTHING: Vector = ()
TieRule = Callable[[Vector, int], float]


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

    def check(self, payoffs: Vector, state: GameState) -> None:
        """Raise a ValueError if the payoffs, or estimates, of `state` are outside these bounds."""
        first, second = sorted(payoffs, reverse=True)[:2]
        if first + second > self.pair or min(payoffs) < self.least:
            needs = f"payoffs of at least {self.least} each and at most {self.pair} for any two"
            here = f"these are {payoffs}:\n{state}"
            raise ValueError(f"prune is not sound here: it needs {needs} players; {here}")


def hurt_the_leader(payoffs: Vector, player: int) -> float:
    """Return how low the best of the other players stays: a tie rule for `maxn`."""
    return -max(payoff for other, payoff in enumerate(payoffs) if other != player)


@described(place=7)
def maxn(
    state: GameState,
    *,
    depth: int | None = None,
    evaluate: Evaluate | None = None,
    ties: TieRule | None = None,
    prune: bool | PayoffBounds = False,
    **callbacks: Unpack[Callbacks],
) -> SearchResult:
    """Return the best action if every player plays for their own payoff, any number of players.

    `utilities` of the result is the vector backed up to the root, `vectors` has one for each root
    action, and `values` are those of the player to move.

    depth     look so many plies ahead; there `evaluate(state, player)` estimates for each player
    ties      among vectors equal for the player to move, the highest `ties(vector, player)` is
              chosen; the first action if that is equal too, or without a rule
    prune     cut what cannot change the result (Korf, Artificial Intelligence 48, 1991): True for
              win, draw and loss payoffs, `PayoffBounds` for others.  ValueError at a leaf outside
              the bounds, and together with `ties`, which may prefer an equal vector that was cut
    """
    if prune and ties:
        raise ValueError("prune is sound for the first action among equals only; leave out ties")
    search = (PrunedMaxN if prune else MaxN)(state, depth, evaluate, **callbacks)
    search.ties = ties
    if isinstance(prune, PayoffBounds):
        search.bounds = prune
    return search.run(search.value)


class MaxN(DepthFirst):
    """Everybody maximizes their own entry of a vector: what each player gets."""

    ties: TieRule | None = None
    bounds = PayoffBounds()  # on which pruning relies
    final = DepthFirst.checked_payoffs
    most = inf  # other players choose among guesses, even where one gets all

    def __init__(self, root: GameState, *options: Any, **callbacks: Unpack[Callbacks]) -> None:
        super().__init__(root, *options, **callbacks)
        self.vectors: dict[Action, Vector] = {}  # of the root actions
        self.unknown = (0,) * root.num_players

    @shown
    def value(self, state: GameState, action: Action, ply: int) -> Found:
        """Return what each player gets from `state`, and the line that leads to it."""
        self.nodes += 1
        actions = state.legal_actions()
        if not actions or ply == self.depth:
            return self.leaf(state, action, ply, None)
        if self.heard:
            self.enter(state, action, ply, None)
        mover = state.current_player
        vector, line = NOTHING, NO_LINE
        for action in actions:
            child, rest = self.value(state.successor(action), action, ply + 1)
            if ply == 0:
                self.note(action, child, rest)
            if not line or self.prefers(mover, child, vector):
                vector, line = child, (action, rest)
                self.improve(action, vector)
        return self.leave(vector, line) if self.heard else (vector, line)

    @staticmethod
    def guess(evaluate: Evaluate, state: GameState, *_: Any) -> Vector:
        """Return an estimate for everybody."""
        return tuple(estimate(evaluate, state, player) for player in range(state.num_players))

    def note(self, action: Action, vector: Vector, rest: NestedLine, kind: Kind = "exact") -> None:
        """Write down the vector of a root action; an upper bound for who moves is its payoff."""
        self.vectors[action] = vector
        super().note(action, vector[self.me], rest, kind)

    def prefers(self, mover: int, one: Vector, other: Vector) -> bool:
        """Return whether `one`, found later, is chosen by the mover in place of `other`."""
        if one[mover] != other[mover] or self.ties is None:
            return one[mover] > other[mover]
        return self.ties(one, mover) > self.ties(other, mover)

    def favourite(self) -> Action:
        """Return the best root action so far; None if there is none."""
        best = None
        for action in self.lines:
            if best is None or self.prefers(self.me, self.vectors[action], self.vectors[best]):
                best = action
        return best

    def payoffs(self, action: Action) -> Vector:
        """Return what every player gets after an action."""
        return self.vectors[action]

    def result(self) -> SearchResult:
        """Return what is known, with the vectors of the root actions that were not cut."""
        return replace(super().result(), vectors={a: self.vectors[a] for a in self.lines})


class PrunedMaxN(MaxN):
    """MaxN with immediate and shallow pruning."""

    def __init__(self, *arguments: Any, **callbacks: Unpack[Callbacks]) -> None:
        super().__init__(*arguments, **callbacks)
        self.checked: set[Vector] = set()
        self.upper: dict[Action, float] = {}  # for the mover, of the root actions that were cut

    @shown
    def value(self, state: GameState, action: Action, ply: int, limit: float = inf) -> Found:
        """Return what each player gets from `state`, and the line that leads to it.

        Once the mover can have `limit` here, the player before has something as good elsewhere.
        """
        self.nodes += 1
        actions = state.legal_actions()
        if not actions or ply == self.depth:
            return self.leaf(state, action, ply, None, (limit,))
        if self.heard:
            self.enter(state, action, ply, None, (limit,))
        mover, best = state.current_player, -inf
        vector, line = NOTHING, NO_LINE
        for branch in actions:
            successor = state.successor(branch)
            # Two payoffs of one and the same player have no common bound.
            reply_limit = self.bounds.pair - best if successor.current_player != mover else inf
            child, rest = self.value(successor, branch, ply + 1, reply_limit)
            if ply == 0:
                self.note(branch, child, rest)
            if child[mover] > best:
                best, vector, line = child[mover], child, (branch, rest)
                self.improve(branch, vector)
                if best >= limit or best >= self.bounds.most:
                    self.cut_vector(mover, branch, vector, limit, actions)
                    if ply == 1 and best < self.bounds.most:
                        self.upper[action] = self.bounds.pair - best
                    break
        return self.leave(vector, line) if self.heard else (vector, line)

    def leaf(
        self, state: GameState, action: Action, ply: int, viewer: int | None, window: Window = ()
    ) -> Found:
        """Return what everybody gets at a leaf; ValueError if that is outside the bounds."""
        vector, line = super().leaf(state, action, ply, viewer, window)
        if vector not in self.checked:
            self.bounds.check(vector, state)
            self.checked.add(vector)
        return vector, line

    def note(self, action: Action, vector: Vector, rest: NestedLine, kind: Kind = "exact") -> None:
        """Write down the vector of a root action, or the bound that a cut leaves of it."""
        super().note(action, vector, rest, "upper" if action in self.upper else kind)
        if action in self.upper:
            self.values[action] = replace(self.values[action], value=self.upper[action])

    def cut_vector(
        self, mover: int, action: Action, vector: Vector, limit: float, actions: Sequence[Action]
    ) -> None:
        """Count a cut after `action`, which brings the mover enough, and say why."""
        self.cutoffs += 1
        if not self.events:
            return
        name, best = self.root.player_name(mover), vector[mover]
        if best >= self.bounds.most:
            limit, reason = self.bounds.most, f"nobody can get more than {self.bounds.most}"
        else:
            rest = f"which leaves the player before at most {self.bounds.pair - best}"
            reason = f"{name} can have {best} here, {rest}: no more than an earlier action gives"
        skipped = tuple(actions[actions.index(action) + 1 :])
        self.events(Cut(action, vector, limit, skipped, reason))
