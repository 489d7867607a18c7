"""The listing of one simulation of Monte Carlo tree search, for the stepper."""

from __future__ import annotations

from course.draw.source_listing import SourceListing
from course.tracing.events import Backpropagate, Draw, Event, Expand, Proof, Rollout, Select

# Each line with the kinds of events that it causes.
Line = tuple[str, tuple[type[Event], ...]]
SIMULATION: tuple[Line, ...] = (
    ("path = [root]", ()),
    ("while every action of the last node has been tried:", ()),
    ("    add the child with the highest score to path", (Select, Draw)),
    ("if an action of the last node has not been tried:", ()),
    ("    add a new node for it to path", (Expand,)),
    ("play at random from there to the end of the game", (Rollout,)),
    ("for node in path:", ()),
    ("    count a visit, and add the reward", (Backpropagate,)),
)
PROOF: tuple[Line, ...] = (
    ("for node in path, from the last one back to the root:", ()),
    ("    if one child is a win for the player to move,", ()),
    ("    or the results of all children are certain:", ()),
    ("        the result of node is certain, too", (Proof,)),
)


def mcts_listing(*, solver: bool) -> SourceListing:
    """Return the lines of one simulation, followed by the rule of proof if there is a solver."""
    lines = (*SIMULATION, *(PROOF if solver else ()))
    numbers = range(1, len(lines) + 1)
    return SourceListing("one simulation", "", tuple(text for text, _ in lines), tuple(numbers))


def mcts_line_of(event: Event | None) -> int | None:
    """Return the number of the line that causes an event; None if it has no line."""
    kinds = [causes for _, causes in (*SIMULATION, *PROOF)]
    return next((n for n, causes in enumerate(kinds, 1) if type(event) in causes), None)
