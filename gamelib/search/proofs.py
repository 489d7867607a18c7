"""Proofs in a search tree, for any number of players: score-bounded MCTS-Solver.

Every node keeps bounds: no player can get less than `low` or more than `high` from there, if all
play for their own payoff and are free to choose among equal ones.  The declared rule:

- The bounds of a finished game are its payoffs; before that, -1 and +1.
- The player to move is sure of the highest `low` of the children, and gets their highest `high` at
  most.
- The others get at least the lowest `low`, and at most the highest `high`, of the children that may
  be chosen: those whose `high`, for the player to move, is not below what that player is sure of.
- No two players together get more than 0, so the others get at most minus what the player to move
  is sure of.  That is so where one wins (+1) and the others lose (-1) or all draw (0), and in every
  zero-sum game of two.

A node is proven when `low` equals `high`.  An action is closed, and not selected any more, when
nothing below it can change what is known of the position.

Sources: Winands, Bjornsson and Saito, Monte-Carlo Tree Search Solver, 2008; Cazenave and Saffidine,
Score Bounded Monte-Carlo Tree Search, 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from gamelib.search.mcts_tree import Edge, Node
Vector = tuple[float, ...]


class Bounds(NamedTuple):
    """What each player gets at least and at most."""

    low: Vector
    high: Vector


@cache
def unproven_bounds(num_players: int) -> Bounds:
    """Return the bounds of a position of which nothing is known."""
    return Bounds((-1,) * num_players, (1,) * num_players)


def check_proofs(payoffs: Vector) -> None:
    """Raise a ValueError if two players together get more than 0: the rule would not be sound."""
    if sum(sorted(payoffs)[-2:]) > 0:
        as_where = "as where one player wins (+1) and the others lose (-1); here they are"
        needs = "payoffs of which no two sum to more than 0"
        raise ValueError(f"solver=True needs {needs}, {as_where} {payoffs}")


def prove(node: Node) -> None:
    """Pass the bounds of `node` on to the nodes above it, as far as they change."""
    changed = [node]
    for child in changed:  # it grows while it is gone through, up to the root
        for parent in child.parents:
            before = parent.bounds, parent.is_resolved
            parent.bounds = bounds_of(parent)
            parent.open_edges = [edge for edge in parent.edges if not is_closed(parent, edge)]
            if (parent.bounds, parent.is_resolved) != before:
                changed.append(parent)


def bounds_of(node: Node) -> Bounds:
    """Return the bounds of a node by the rule, from those of its children."""
    mover = node.player
    children = [bounds_along(node, edge) for edge in node.edges]
    sure = max(bounds.low[mover] for bounds in children)
    eligible = [bounds for bounds in children if bounds.high[mover] >= sure]
    if not node.expanded:
        eligible.append(unproven_bounds(len(node.bounds.low)))
    low = [min(payoffs) for payoffs in zip(*(bounds.low for bounds in eligible), strict=True)]
    high = [max(payoffs) for payoffs in zip(*(bounds.high for bounds in eligible), strict=True)]
    best = high[mover]
    high = [min(payoff, 0 - sure) for payoff in high]
    low[mover], high[mover] = sure, best
    return Bounds(tuple(low), tuple(high))


def bounds_along(node: Node, edge: Edge) -> Bounds:
    """Return the bounds of the position that an edge of `node` leads to."""
    bounds: Bounds = edge.node.bounds if edge.node else unproven_bounds(len(node.bounds.low))
    return bounds


def is_closed(node: Node, edge: Edge) -> bool:
    """Return whether nothing below `edge` can change what is known of `node`."""
    if edge.node and edge.node.is_resolved:
        return True
    sure, most = node.bounds.low[node.player], bounds_along(node, edge).high[node.player]
    # With two players what is equal for one is equal for the other, so a tie need not be searched.
    return most < sure or (most == sure and len(node.bounds.low) == 2)


def explain_proof(node: Node) -> str:
    """Return in words, for the player to move, what is proven of a node and why."""
    low, high = (float(payoffs[node.player]) for payoffs in node.bounds)
    if node.bounds == unproven_bounds(len(node.bounds.low)):
        return "nothing is proven"
    if not node.edges:
        return "the game is over"
    if high == -1:
        return "all replies lose"
    reply = max(node.edges, key=lambda edge: bounds_along(node, edge).low[node.player])
    if low == 1:
        return f"the reply {reply.action!r} wins" + ("" if reply.node.edges else " at once")
    does = "draws" if low == 0 else f"gets {low:g}"
    if low == high:
        return f"the reply {reply.action!r} {does}, and no reply does better"
    if low > -1:
        return f"the reply {reply.action!r} {does} at least"
    return f"no reply gets more than {high:g}"


def final_choice(
    visits: Sequence[float],
    means: Sequence[float],
    proven_values: Sequence[float],
    is_open: Sequence[bool],
    settled: bool,
) -> int | None:
    """Return which of a node's actions MCTS plays, by its place; None if none is worth it yet.

    The most visited open one, unless the player is sure of at least what the mean of that one
    estimates.  A proven loss is played only when all else is one, too.  Ties go to the first.

    visits, means  simulations through each action, and their mean reward, 0 to 1
    sure           the payoff, -1 to 1, that each makes sure of for the player to move
    is_open        whether proofs leave anything to learn below it
    settled        whether they leave nothing to learn about the node itself
    """
    places = range(len(visits))
    safe = max(places, key=lambda place: (proven_values[place], visits[place]), default=None)
    if safe is None or settled:
        return safe
    opened = [place for place in places if is_open[place]]
    favourite = max(opened, key=visits.__getitem__, default=None)
    if proven_values[safe] == -1 or (
        favourite is not None and 2 * means[favourite] - 1 > proven_values[safe]
    ):
        return favourite
    return safe
