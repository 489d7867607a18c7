"""Proofs in a search tree, for any number of players: score-bounded MCTS-Solver.

Every node has bounds.  No player can get less than `low` or more than `high` there, if all players
maximize their own payoff and may choose freely among equal ones.  The rule is:

- The bounds of a terminal node are its payoffs; the bounds of a new node are -1 and +1.
- The player to move gets at least the highest `low`, and at most the highest `high`, of the
  children.
- Each other player gets at least the lowest `low`, and at most the highest `high`, of the children
  that may be chosen.  These are the children whose `high` for the player to move is not below the
  payoff that this player is sure to get.
- No two players together get more than 0, so each other player gets at most minus the payoff that
  the player to move is sure to get.  This is true if one player wins (+1) and the others lose (-1),
  or all draw (0), and in every zero-sum game of two players.

A node is proven if `low` equals `high`.  An action is closed, and no longer selected, if nothing
below it can change the bounds of the position.

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
    """The least and the largest payoff that each player can get."""

    low: Vector
    high: Vector


@cache
def unproven_bounds(num_players: int) -> Bounds:
    """Return the bounds of a position about which nothing is known."""
    return Bounds((-1,) * num_players, (1,) * num_players)


def check_proofs(payoffs: Vector) -> None:
    """Raise a ValueError if two players together get more than 0, because the rule would fail."""
    if sum(sorted(payoffs)[-2:]) > 0:
        example = "as if one player wins (+1) and the others lose (-1)"
        needs = "payoffs of which no two sum to more than 0"
        raise ValueError(f"solver=True needs {needs}, {example}; got {payoffs}, so leave it out")


def prove(node: Node) -> None:
    """Propagate the bounds of `node` to its ancestors, as far as they change."""
    changed = [node]
    for child in changed:  # the list grows during the loop, up to the root
        for parent in child.parents:
            before = parent.bounds, parent.is_resolved
            parent.bounds = bounds_of(parent)
            parent.open_edges = [edge for edge in parent.edges if not is_closed(parent, edge)]
            if (parent.bounds, parent.is_resolved) != before:
                changed.append(parent)


def bounds_of(node: Node) -> Bounds:
    """Return the bounds of a node by the rule, from the bounds of its children."""
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
    """Return whether nothing below `edge` can change the bounds of `node`."""
    if edge.node and edge.node.is_resolved:
        return True
    sure, most = node.bounds.low[node.player], bounds_along(node, edge).high[node.player]
    # With two players, a tie for one is a tie for the other, so it does not have to be searched.
    return most < sure or (most == sure and len(node.bounds.low) == 2)


def explain_proof(node: Node) -> str:
    """Return a text that says what is proven about a node for the player to move, and why."""
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
    outcome = "draws" if low == 0 else f"gets {low:g}"
    if low == high:
        return f"the reply {reply.action!r} {outcome}, and no reply does better"
    if low > -1:
        return f"the reply {reply.action!r} {outcome} at least"
    return f"no reply gets more than {high:g}"


def final_choice(
    visits: Sequence[float],
    means: Sequence[float],
    proven_values: Sequence[float],
    is_open: Sequence[bool],
    settled: bool,
) -> int | None:
    """Return the index of the action that MCTS plays; None if no action is worth playing yet.

    It is the most visited open action, unless another one guarantees at least the estimate of that
    action.  A proven loss is played only if all other actions are proven losses, too.  Ties go to
    the first.

    visits, means  the simulations through each action, and their mean reward, 0 to 1
    proven_values  the payoff, -1 to 1, that each action guarantees to the player to move
    is_open        whether there is something left to learn below each action
    settled        whether there is nothing left to learn about the node itself
    """
    indices = range(len(visits))
    safe = max(indices, key=lambda index: (proven_values[index], visits[index]), default=None)
    if safe is None or settled:
        return safe
    opened = [index for index in indices if is_open[index]]
    favourite = max(opened, key=visits.__getitem__, default=None)
    if proven_values[safe] == -1 or (
        favourite is not None and 2 * means[favourite] - 1 > proven_values[safe]
    ):
        return favourite
    return safe
