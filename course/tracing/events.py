"""The events of a search: one stream for all algorithms.

The events are derived from a record.  Every `Enter` has its `Return` or its `Raise`, unless the
record ends before; the events between them happened inside that node.
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

    `perspective` is the player for whom the values of this node are: in minimax the player at the
    root, in negamax the player to move.  It is None if the values have an entry for every player,
    or if nothing is known.
    """

    state: GameState
    action: Action
    window: tuple[float, ...] = ()
    perspective: int | None = None


@dataclass(frozen=True, slots=True)
class Leaf:
    """The search does not expand this node; `reason` says why it has a value."""

    value: Value
    reason: Literal["game over", "depth limit"]


@dataclass(frozen=True, slots=True)
class Improve:
    """`action` is the best so far at this node, with this value; `window` is the current window."""

    action: Action
    value: Value
    window: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Cut:
    """The rest of this node is skipped, because its value has reached `limit`.

    Alpha-beta also reports, and counts, a cut at the last action, when no action is left to skip.
    `window` has the program's alpha and beta.  If the cut is not `sound`, it is not shown to be
    safe, and the `reason` only says what the program does.
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
    """A line of a program that does not search a tree has run; there is nothing else to show."""


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
    """A game played out from the new node, and its payoffs; no actions if they were estimated."""

    actions: tuple[Action, ...]
    utilities: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Backpropagate:
    """Every action along `path` gets one more visit; `rewards` has the reward of each player.

    `added` has the amount added to each action: the reward of the player who chose it, or the value
    that proofs give it instead.
    """

    path: tuple[Action, ...]
    rewards: tuple[float, ...]
    added: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Proof:
    """Proofs have settled the node at the end of `path`, so nothing below it is searched again.

    `bounds` are the guaranteed and the possible payoffs of every player; `reason` is a sentence for
    the player to move there.
    """

    path: tuple[Action, ...]
    bounds: Bounds
    reason: str


Event = Any  # one of the classes of this file
