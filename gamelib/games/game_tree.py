"""Textbook trees: games given by the values of their leaves."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from reprlib import repr as brief
from typing import Any, Self

from gamelib.state import CHANCE, GameState, is_finite, is_number, to_python_action

TOO_DEEP = "the tree has too many levels to be read; it may have about three hundred"


class _Branches(tuple[Any, ...]):
    """The children of an inner node; a plain tuple has the payoffs of a leaf."""


class Chance(_Branches):
    """A chance node of a `GameTree`, such as `Chance((0.9, 2), (0.1, [3, 1]))`.

    Its arguments are pairs (probability, branch).  If a third is written `Fraction(1, 3)`, the
    values of searches are exact.

    >>> from gamelib import Chance, GameTree
    >>> GameTree(Chance((0.25, 8), (0.75, 4))).chance_outcomes()
    ((0, 0.25), (1, 0.75))
    """

    probabilities: tuple[Any, ...]

    def __new__(cls, *branches: tuple[Any, Any]) -> Self:
        """Return the node; ValueError unless the probabilities are above 0 and sum to 1."""
        if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in branches):
            must = "a chance node needs pairs (probability, branch)"
            raise TypeError(f"{must}, as in Chance((0.9, 2), (0.1, [3, 1])); got {branches!r}")
        node = super().__new__(cls, (branch for _, branch in branches))
        node.probabilities = tuple(probability for probability, _ in branches)
        all_positive = all(is_number(chance) and chance > 0 for chance in node.probabilities)
        if not all_positive or abs(sum(map(float, node.probabilities)) - 1) > 1e-9:
            must = "probabilities must be above 0 and sum to 1"
            raise ValueError(f"{must}; got {', '.join(map(str, node.probabilities))}")
        return node


class _TreeRules:
    """The data that all nodes of one tree share."""

    def __init__(self, tree: _Branches, players: tuple[int, ...], num_players: int) -> None:
        self.tree, self.players, self.num_players = tree, players, num_players
        self.max_payoff = max(1, *(abs(payoff) for leaf in _leaves(tree) for payoff in leaf))
        text = _text(tree)
        self.has_chance = "{" in text
        zero_sum = num_players == 2 and not any(map(sum, _leaves(tree)))
        self.names = ("max", "min") if zero_sum else ()
        self.key = (text if self.has_chance else tree, players)
        self.hash = hash(self.key)


class GameTree(GameState[int]):
    """A node of a textbook tree.  An action is the number of a branch, from 0, left to right.

    `GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])` is the root of a tree of nine leaves.  A leaf is
    a number, which is player 0's payoff in a zero-sum game of two players, or a tuple with one
    payoff per player.  `players` lists the player to move at depth 0, 1, ..., and is repeated in
    deeper trees; without it the players move in turn.  A `Chance` does not use up a turn.  Two
    nodes are equal if they are at the same place in equal trees.

    >>> from gamelib import GameTree
    >>> tree = GameTree([[3, 5], [2, 9]])
    >>> tree.play(1, 0).utilities()
    (2, -2)
    """

    __slots__ = (
        "_node",
        "_shared",
        "_turn",
        "current_player",
        "max_utility",
        "num_players",
        "path",
    )
    _shared: _TreeRules
    _node: Any
    num_players: int
    current_player: int
    path: tuple[int, ...]  # the branches from the root to this node

    def __init__(self, tree: Sequence[Any], players: Sequence[int] | None = None) -> None:
        if not isinstance(tree, list | _Branches):
            raise TypeError(f"a tree is a list of branches; got {tree!r}")
        try:
            branches = _freeze(tree)
        except RecursionError:
            raise ValueError(TOO_DEEP) from None
        sizes = {len(leaf) for leaf in _leaves(branches)}
        if len(sizes) != 1:
            raise ValueError(f"every leaf needs the same number of payoffs; got {sorted(sizes)}")
        num_players = sizes.pop()
        if num_players < 2:
            raise ValueError("a leaf needs the payoffs of at least 2 players; got 1")
        turns = tuple(players) if players is not None else tuple(range(num_players))
        if not turns or any(type(p) is not int or not 0 <= p < num_players for p in turns):
            raise ValueError(f"players must name players 0 to {num_players - 1}; got {players!r}")
        self._set_node(_TreeRules(branches, turns, num_players), branches, (), 0)

    def _set_node(self, shared: _TreeRules, node: Any, path: tuple[int, ...], turn: int) -> None:
        self._shared, self._node, self.path = shared, node, path
        self.num_players, self.max_utility = shared.num_players, shared.max_payoff
        self._turn, mover = turn, shared.players[turn % len(shared.players)]
        self.current_player = CHANCE if node.__class__ is Chance else mover

    def legal_actions(self) -> range:
        """Return the numbers of the branches, left to right; none at a leaf."""
        return range(len(self._node)) if isinstance(self._node, _Branches) else range(0)

    def successor(self, action: int) -> Self:
        """Return the node at the end of a branch."""
        node = self._node
        branches = len(node) if isinstance(node, _Branches) else 0
        if type(action) is not int or not 0 <= action < branches:
            return self._retry_with_python_action(action, "the number of a branch")
        child = object.__new__(type(self))
        turn = self._turn + (self.current_player != CHANCE)
        child._set_node(self._shared, node[action], (*self.path, action), turn)
        return child

    def chance_outcomes(self) -> tuple[tuple[int, Any], ...]:
        """Return the branches of a chance node with their probabilities."""
        return tuple(enumerate(self._node.probabilities)) if isinstance(self._node, Chance) else ()

    @property
    def has_chance(self) -> bool:
        """Whether there is a chance node in the tree."""
        return self._shared.has_chance

    def is_terminal(self) -> bool:
        """Return whether this node is a leaf."""
        return not isinstance(self._node, _Branches)

    def utilities(self) -> tuple[float, ...]:
        """Return the payoffs of a leaf, one per player."""
        if isinstance(self._node, _Branches):
            raise ValueError(f"an inner node has no payoffs: {self}")
        return tuple(self._node)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GameTree):
            return NotImplemented
        return self.path == other.path and self._shared.key == other._shared.key

    def __hash__(self) -> int:
        return hash((self.path, self._shared.hash))

    def __str__(self) -> str:
        return _text(self._node)

    def __repr__(self) -> str:
        return f"GameTree({self}, {'leaf' if self.is_terminal() else self.status()})"

    def player_name(self, player: int) -> str:
        """Return "max" or "min" in a zero-sum tree of two players, else "player 0", ..."""
        named = self._shared.names and player != CHANCE
        return self._shared.names[player] if named else super().player_name(player)

    @classmethod
    def parse(cls, text: str, *, players: Sequence[int] | None = None) -> Self:
        """Return the root of a tree written as "[3 12 8] [2 4 6]"; a leaf "(1 2 3)" has payoffs.

        A chance node is written "{0.9: 2 0.1: [3 1]}".
        """
        if not isinstance(text, str):
            raise TypeError(f'a tree is text like "[3 12 8] [2 4 6]"; got {text!r}')
        tokens = re.findall(r"[\[\](){}]|[^\s,:\[\](){}]+:?", text)
        try:
            nodes = _parse_nodes(iter(tokens), end=None)
        except RecursionError:
            raise ValueError(TOO_DEEP) from None
        alone = len(nodes) == 1 and isinstance(nodes[0], list | Chance)
        return cls(nodes[0] if alone else nodes, players)

    def to_json(self) -> dict[str, Any]:
        """Return the node as plain data, ready for `json.dumps`."""
        tree = {"tree": _text(self._shared.tree), "players": list(self._shared.players)}
        return {"game": "GameTree", **tree, "path": list(self.path)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the node of which `to_json` returned `data`; ValueError for other data."""
        named = isinstance(data, Mapping) and all(
            key in data for key in ("tree", "players", "path")
        )
        if not named or not all(isinstance(data[key], list) for key in ("players", "path")):
            must = "data must be a dict that a position's to_json() returned"
            raise ValueError(f"{must}; got {brief(data)}")
        return cls.parse(data["tree"], players=data["players"]).play(*data["path"])

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_json, (self.to_json(),)


def _freeze(node: Any) -> Any:
    """Return a tree of nested lists as nested tuples; a number n becomes the payoffs (n, -n)."""
    if isinstance(node, Chance):
        return Chance(*zip(node.probabilities, map(_freeze, node), strict=True))
    if isinstance(node, list | _Branches):
        if not node:
            raise ValueError("a branch must have at least one leaf; got []")
        return _Branches(_freeze(child) for child in node)
    payoffs = node if isinstance(node, tuple) else (node, -node) if is_number(node) else ()
    if payoffs and all(map(is_finite, payoffs)):
        return tuple(map(to_python_action, payoffs))
    raise TypeError(
        "a leaf must be a finite number or a tuple of them, and an inner node a list; "
        f"got {brief(node)}"
    )


def _leaves(node: Any) -> list[tuple[float, ...]]:
    if isinstance(node, _Branches):
        return [leaf for child in node for leaf in _leaves(child)]
    return [node]


def _text(node: Any) -> str:
    if isinstance(node, Chance):
        branches = zip(node.probabilities, map(_text, node), strict=True)
        return f"{{{' '.join(f'{chance}: {branch}' for chance, branch in branches)}}}"
    if isinstance(node, _Branches):
        return f"[{' '.join(_text(child) for child in node)}]"
    if len(node) == 2 and node[0] == -node[1]:
        return str(node[0])
    return f"({' '.join(map(str, node))})"


def _number(token: str) -> float | Fraction:
    if token.lstrip("+-").isdecimal():
        return int(token)
    return Fraction(token) if "/" in token else float(token)


def _parse_nodes(tokens: Iterator[str], end: str | None) -> list[Any]:
    """Return the nodes up to the bracket `end`, and consume their tokens."""
    nodes: list[Any] = []
    for token in tokens:
        if token == end:
            return nodes
        if token == "[":
            nodes.append(_parse_nodes(tokens, "]"))
        elif token == "(":
            nodes.append(tuple(_parse_nodes(tokens, ")")))
        elif token == "{":
            parts = _parse_nodes(tokens, "}")
            nodes.append(Chance(*zip(parts[::2], parts[1::2], strict=True)))
        elif token in "])}":
            raise ValueError(f"there is a {token!r} without its opening bracket")
        else:
            nodes.append(_number(token.removesuffix(":")))
    if end is not None:
        raise ValueError(f"a closing {end!r} is missing")
    return nodes
