"""Count the nodes that a search program visits, by a state that records every query."""

from collections.abc import Callable, Collection, Hashable, Sequence
from functools import wraps
from typing import Any, Self

from course.exercises.feedback import WrongAnswerError
from gamelib.board_layout import Spot
from gamelib.conformance import check_state
from gamelib.state import Action, GameState

Path = tuple[Action, ...]
RECALLED_MESSAGE = (
    "all answers are right, but in {count} of the positions your program looks at no action, so it "
    "remembers answers of an earlier run. Search each time, without a cache."
)


class TooManyVisitsError(WrongAnswerError):
    """A program visits more nodes than it is allowed to."""


class VisitCounter:
    """Counts the nodes that a program visits: pass it `visits.root` instead of the state.

    A node counts as visited at its first query, other than for the player to move.  Generating a
    successor is not a visit yet.  A successor that is generated and queried again is visited again.

    paths      the visited nodes, as paths from the root, in order, with repeated visits
    generated  the number of successors generated
    max_nodes  the number of visits allowed; one more raises TooManyVisitsError

    >>> from course import VisitCounter
    >>> from gamelib import GameTree, minimax
    >>> visits = VisitCounter(GameTree([[3, 5], [2, 9]]))
    >>> minimax(visits.root).value, len(visits.paths)
    (3, 7)
    """

    def __init__(self, state: GameState, *, max_nodes: int = 1_000_000) -> None:
        check_state(state)
        self.paths: list[Path] = []
        self.generated = 0
        self.max_nodes = max_nodes
        self.root: Any = CountingState(state, self, ())

    @property
    def nodes(self) -> int:
        """The number of visits; repeated visits are counted again."""
        return len(self.paths)

    def add(self, path: Path) -> None:
        """Record one visit; TooManyVisitsError if there are already `max_nodes`."""
        if len(self.paths) >= self.max_nodes:
            raise TooManyVisitsError(f"more than {self.max_nodes:,} nodes are visited")
        self.paths.append(path)


def visited_paths(program: Callable[..., Any]) -> Callable[..., tuple[Path, ...]]:
    """Return a function that returns the paths of the nodes that `program` visits."""

    @wraps(program)
    def paths(state: GameState, *others: Any) -> tuple[Path, ...]:
        visits = VisitCounter(state)
        program(visits.root, *others)
        return tuple(visits.paths)

    return paths


def visit_count(program: Callable[..., Any]) -> Callable[..., int]:
    """Return a function that returns the number of nodes that `program` visits."""

    @wraps(program)
    def count(*arguments: Any) -> int:
        return len(visited_paths(program)(*arguments))

    return count


class CountingState(GameState):
    """A state that delegates to another one, and reports each visit to a `VisitCounter`."""

    __slots__ = ("_path", "_seen", "_state", "_visits", "current_player", "max_utility",
        "num_players")  # fmt: skip
    num_players: int
    current_player: int

    def __init__(self, state: GameState, visits: VisitCounter, path: Path) -> None:
        self._state, self._visits, self._path = state, visits, path
        self._seen, self.max_utility = False, state.max_utility
        self.num_players, self.current_player = state.num_players, state.current_player

    # These are the five methods that a search calls; each call is a visit.

    def legal_actions(self) -> Sequence[Action]:
        """Return the legal actions of the state."""
        return (self._state if self._seen else self._count_visit()).legal_actions()

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return (self._state if self._seen else self._count_visit()).is_terminal()

    def utilities(self) -> tuple[float, ...]:
        """Return the payoffs of the state."""
        return (self._state if self._seen else self._count_visit()).utilities()

    def symmetry_key(self) -> Hashable | None:
        """Return the key that the state shares with its mirror images."""
        return self._count_visit().symmetry_key()

    def successor(self, action: Action) -> Self:
        """Return the successor, which reports to the same `VisitCounter`."""
        state = self._state if self._seen else self._count_visit()
        child = type(self)(state.successor(action), self._visits, (*self._path, action))
        self._visits.generated += 1
        return child

    def _unvisited_successor(self, action: Action) -> GameState:
        """Return the successor of the wrapped state, which is neither counted nor visited."""
        return self._state.successor(action)

    # `gamelib.conformance` looks here for the function that a counting one wraps.
    successor.__wrapped__ = _unvisited_successor  # type: ignore[attr-defined]

    def _count_visit(self) -> GameState:
        """Return the wrapped state; from now on this node counts as visited."""
        if not self._seen:
            self._visits.add(self._path)
            self._seen = True
        return self._state

    # GameState defines these for every game, so `__getattr__` never sees them.

    def spots(self) -> Sequence[Spot]:
        """Return the spots of the board."""
        return self._count_visit().spots()

    def winning_line(self) -> Collection[Any]:
        """Return the cells of the winning line."""
        return self._count_visit().winning_line()

    def action_name(self, action: Action) -> str:
        """Return the name of an action."""
        return self._count_visit().action_name(action)

    def player_name(self, player: int) -> str:
        """Return the name of a player."""
        return self._count_visit().player_name(player)

    def status(self) -> str:
        """Return whose turn it is or how the game ended."""
        return self._count_visit().status()

    def to_json(self) -> dict[str, Any] | None:
        """Return the position as plain data."""
        return self._count_visit().to_json()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # copy and Jupyter look for such names
            raise AttributeError(name)
        return getattr(self._count_visit(), name)

    def __eq__(self, other: object) -> bool:
        # A cache from an earlier run must not answer for a state of this run.
        return (
            isinstance(other, CountingState)
            and self._visits is other._visits
            and self._state == other._state
        )

    def __hash__(self) -> int:
        return hash(self._state)

    def __str__(self) -> str:
        return str(self._state)

    def __repr__(self) -> str:
        return repr(self._state)

    def _repr_svg_(self) -> str | None:
        return self._state._repr_svg_()
