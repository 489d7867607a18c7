"""The results of searches: the chosen action, values and bounds, and counts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from operator import add
from typing import Any, Generic, Literal, Self, get_args

from gamelib.state import ActionT

Kind = Literal["exact", "upper", "lower", "estimate", "upper estimate", "lower estimate"]
BOUND_KINDS: tuple[Kind, ...] = get_args(Kind)
SIGNS = dict(zip(BOUND_KINDS, ("=", "<=", ">=", "~", "<~", ">~"), strict=True))
# The kind of a value that becomes an estimate, because some values below it are estimates.
ESTIMATED_KINDS = dict(zip(BOUND_KINDS[:3], BOUND_KINDS[3:], strict=True))
LINE_LENGTH = 79
MAX_DENOMINATOR = 999  # of a fraction that is printed as one
COUNTING = (
    "A node is one visited state, the root included; a repeated visit counts again. "
    "A leaf is a node where the game is over, an evaluation one where the depth limit is reached."
)


def kind_for_window(value: float, alpha: float, beta: float, strict: bool = False) -> Kind:
    """Return the kind of a fail-soft value that a search with this window has returned."""
    if value < alpha or (value == alpha and not strict):
        return "upper"
    if value > beta or (value == beta and not strict):
        return "lower"
    return "exact"


# The constructor that is generated for a frozen dataclass calls a function for each field.  For a
# result that takes longer than to solve a late position.  So `Bound`, `Stats` and `SearchResult`
# write their own, which fills the dict of attributes, one by one because `update` would need a
# second dict.
@dataclass(frozen=True, init=False)
class Bound:
    """A bound of a value, which is exactly, at most (upper) or at least (lower) `value`.

    It is proven, unless it comes from an estimate: a mean of simulations, or the estimate of a
    heuristic, or 0 without one, at the depth limit.  These kinds are printed with "~".

    >>> from gamelib import Bound
    >>> print(Bound(3, "exact"), Bound(2, "upper"))
    = 3 <= 2
    """

    value: float
    kind: Kind = "exact"

    def __init__(self, value: float, kind: Kind = "exact") -> None:
        fields = self.__dict__
        fields["value"] = value
        fields["kind"] = kind

    def __repr__(self) -> str:
        return f"{SIGNS[self.kind]} {_short(self.value)}"


@dataclass(frozen=True, init=False)
class Stats:
    """The counts of one search; the repr leaves out those that are 0.  See `COUNTING`.

    A cutoff is a node at which an action reached a bound of the window, as in the book's
    pseudocode.  If it was the last action, there was nothing left to cut.
    """

    nodes: int = 0
    leaves: int = 0
    evaluations: int = 0
    cutoffs: int = 0
    table_hits: int = 0
    simulations: int = 0
    tree_nodes: int = 0
    depth: int = 0

    def __init__(
        self,
        nodes: int = 0,
        leaves: int = 0,
        evaluations: int = 0,
        cutoffs: int = 0,
        table_hits: int = 0,
        simulations: int = 0,
        tree_nodes: int = 0,
        depth: int = 0,
    ) -> None:
        fields = self.__dict__
        fields["nodes"] = nodes
        fields["leaves"] = leaves
        fields["evaluations"] = evaluations
        fields["cutoffs"] = cutoffs
        fields["table_hits"] = table_hits
        fields["simulations"] = simulations
        fields["tree_nodes"] = tree_nodes
        fields["depth"] = depth

    def __add__(self, other: Stats) -> Stats:
        return Stats(*map(add, vars(self).values(), vars(other).values()))

    def __repr__(self) -> str:
        counts = {name: n for name, n in dataclasses.asdict(self).items() if n}
        return f"Stats({', '.join(f'{name}={n:,}' for name, n in counts.items())})"


@dataclass(frozen=True, init=False)
class SearchResult(Generic[ActionT]):
    """The result of a search, and its cost.

    action     the chosen action, one of the legal ones
    value      for the player to move at the root; None if the search has no value
    kind       whether `value` is exact, a bound or an estimate: the `kind` of a `Bound`
    values     a `Bound` for each root action that was searched
    utilities  the payoff of each player, if they are proven
    vectors    a value per player for each root action (MaxN); left out of repr
    line       the principal variation, from the root on
    distance   plies from the root to the end of the game with best play; None in a draw (solve)
    distances  the same for each root action (solve)
    visits     visits of each root action (MCTS)
    stats      counts; the same for every run with the same seed
    stopped    whether the search was stopped before its end, with its best result so far
    seconds    wall-clock time; left out of repr and equality
    """

    # The defaults are those of the constructor.  The attributes of the class are `_UnreadField`s.
    action: ActionT
    value: float | None
    values: Mapping[ActionT, Bound]
    utilities: tuple[float, ...] | None
    vectors: Mapping[ActionT, tuple[float, ...]] = field(repr=False)
    line: tuple[ActionT, ...]
    distance: int | None
    distances: Mapping[ActionT, int | None]
    visits: Mapping[ActionT, int] | None
    stats: Stats
    stopped: bool
    kind: Kind
    seconds: float = field(compare=False, repr=False)

    def __init__(  # noqa: PLR0913 (one for each field)
        self,
        action: ActionT,
        value: float | None = None,
        values: Mapping[ActionT, Bound] | None = None,
        utilities: tuple[float, ...] | None = None,
        vectors: Mapping[ActionT, tuple[float, ...]] | None = None,
        line: tuple[ActionT, ...] = (),
        distance: int | None = None,
        distances: Mapping[ActionT, int | None] | None = None,
        visits: Mapping[ActionT, int] | None = None,
        stats: Stats = Stats(),
        stopped: bool = False,
        kind: Kind = "exact",
        seconds: float = 0.0,
    ) -> None:
        fields = self.__dict__
        fields["action"] = action
        fields["value"] = value
        fields["values"] = {} if values is None else values
        fields["utilities"] = utilities
        fields["vectors"] = {} if vectors is None else vectors
        fields["line"] = line
        fields["distance"] = distance
        fields["distances"] = {} if distances is None else distances
        fields["visits"] = visits
        fields["stats"] = stats
        fields["stopped"] = stopped
        fields["kind"] = kind
        fields["seconds"] = seconds

    @classmethod
    def deferred(
        cls,
        action: ActionT,
        seconds: float,
        read: Callable[..., Mapping[str, Any]],
        *arguments: Any,
    ) -> Self:
        """Return a result with this action and time; its other fields are those of `read(...)`.

        `read` returns a new dict with all fields except `seconds`.
        They are read when one of them is first looked at, because to convert the arrays of a
        compiled search takes longer than a small search, and many callers need only the action.
        """
        result = object.__new__(cls)
        fields = result.__dict__
        fields["action"] = action
        fields["seconds"] = seconds
        fields["_read"] = read, arguments
        return result

    def __getstate__(self) -> dict[str, Any]:
        # A copy, also that of another process, has all fields.
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    @property
    def best_actions(self) -> tuple[ActionT, ...]:
        """The actions known to be best, whose value is proven to be that of the position.

        There are none if that value is an estimate or a bound.  After a full minimax, or with
        `all_best`, these are all the best actions.
        """
        best = Bound(self.value) if self.value is not None and self.kind == "exact" else None
        return tuple(action for action, bound in self.values.items() if bound == best)

    def __repr__(self) -> str:
        return f"SearchResult({', '.join(self._fields())})"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        # Jupyter calls this.  Each field has its own line if they do not fit in one line.
        text = repr(self)
        if len(text) > LINE_LENGTH:
            fields = "".join(f"    {field},\n" for field in self._fields())
            text = f"SearchResult(\n{fields})"
        printer.text(text)

    def _fields(self) -> list[str]:
        fields = [f"action={self.action!r}"]
        proven = self.kind == "exact"
        signs = {} if proven else {"value": f" {SIGNS[self.kind]} "}
        for name in ("value", "values", "utilities", "line", "distance", "distances", "visits"):
            content = getattr(self, name)
            if repr(content) not in ("None", "()", "{}"):  # numpy cannot compare arrays with ()
                text = _short(content) if name == "value" else repr(content)
                fields.append(f"{name}{signs.get(name, '=')}{text}")
        fields.append(f"stats={self.stats!r}")
        if self.stopped:
            fields.append("stopped=True")
        return fields


class _UnreadField:
    """A field of a result, as long as the result has no such attribute of its own.

    It is faster than `__getattr__`, which Python calls only after it has raised an error.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, result: SearchResult | None, owner: object) -> Any:
        if result is None:
            return self
        fields = result.__dict__
        if "_read" not in fields:
            raise AttributeError(f"this result has no {self.name!r}, since it is being made")
        read, arguments = fields["_read"]
        found = read(*arguments)
        found["seconds"] = fields["seconds"]
        # One step, because another thread may do the same.
        object.__setattr__(result, "__dict__", found)
        return found[self.name]


for _field in dataclasses.fields(SearchResult):
    setattr(SearchResult, _field.name, _UnreadField(_field.name))


def _short(value: float) -> str:
    """Return an int or a short fraction in full, anything else with four digits; never "-0"."""
    long = isinstance(value, Fraction) and value.denominator > MAX_DENOMINATOR
    return f"{float(value) + 0:.4g}" if isinstance(value, float) or long else str(value)
