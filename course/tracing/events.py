"""What a program did, step by step: one stream of events for all algorithms.

They are read off a record.  Every `Enter` has its `Return`, or its `Raise`, unless the record ends
before; what stands between happened inside that node.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from gamelib.search.mcts_tree import Ucb
from gamelib.search.proofs import Bounds
from gamelib.search.result import Kind
from gamelib.state import Action, GameState

Value = float | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Enter:
    """The search visits `state`, reached by `action` (None at the root), with its window.

    `perspective` is the player for whom the values of this node are: always the root's in minimax,
    who moves in negamax.  None where everybody has an entry in them, or where nothing is said.
    """

    state: GameState
    action: Action
    window: tuple[float, ...] = ()
    perspective: int | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """The search looks no further here; `reason` says why it knows the value."""

    value: Value
    reason: Literal["game over", "depth limit"]


@dataclass(frozen=True, slots=True)
class Improve:
    """`action` is the best so far at this node, with this value; the window is now this one."""

    action: Action
    value: Value
    window: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """The rest of this node is skipped: its value has reached `limit`, so it cannot be chosen.

    Alpha-beta announces, and counts, a cut at the last action too, where nothing is left to skip.
    `window` is what the program itself holds for alpha and beta.  If the cut is not `sound`, it is
    not shown that nothing is lost by it, and the `reason` says only what the program does.
    """

    action: Action
    value: Value
    limit: float
    skipped: tuple[Action, ...]
    reason: str
    window: tuple[float, ...] = field(default=(), compare=False)
    sound: bool = True


@dataclass(frozen=True, slots=True)
class TableHit:
    """The value, or a bound on it, was found in the transposition table."""

    value: float
    kind: Kind


@dataclass(frozen=True, slots=True)
class Return:
    """The search leaves the node it entered last, and returns this value to the parent."""

    value: Value


@dataclass(frozen=True, slots=True)
class Raise:
    """An error ends this node."""

    error: str


@dataclass(frozen=True, slots=True)
class RunLine:
    """A line has run of a program that goes down no tree: there is nothing else to show of it."""


@dataclass(frozen=True, slots=True)
class Select:
    """MCTS goes one step down the tree, to `action`; `table` has a row for every legal action."""

    action: Action
    table: tuple[Ucb, ...]


@dataclass(frozen=True, slots=True)
class Draw:
    """MCTS goes one step down from a chance node, to an outcome drawn by its probability."""

    action: Action
    probability: float


@dataclass(frozen=True, slots=True)
class Expand:
    """MCTS adds the node `state`, reached by `action`, to its tree."""

    action: Action
    state: GameState


@dataclass(frozen=True, slots=True)
class Rollout:
    """A game played out from the new node, and its payoffs; no actions if they were evaluated."""

    actions: tuple[Action, ...]
    utilities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Backpropagate:
    """Every action along `path` has one more visit; `rewards` is what it brought, per player.

    `added` is what each action was credited with: the reward of the player who chose it, or what
    proofs say in its place.
    """

    path: tuple[Action, ...]
    rewards: tuple[float, ...]
    added: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """Proofs have settled the node at the end of `path`: nothing below it is searched any more.

    `bounds` are what every player gets at least and at most; `reason` is in words, for the player
    to move there.
    """

    path: tuple[Action, ...]
    bounds: Bounds
    reason: str


Event = Any  # one of the classes of this file
