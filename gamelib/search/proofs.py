"""Proofs in a search tree: MCTS-Solver (Winands et al. 2008), for any number of players.

The declared rule.  Every player plays for their own payoff; among equal ones they may choose any.
A proven node knows its `outcomes`: the payoff vectors that can follow, one unless somebody is free
to choose between equals.

- The outcome of a finished game is its payoffs.
- The player to move has a child where they win (+1) whatever follows: its outcomes are the node's.
- All children are proven: the player gets at least the best of what each child makes sure of;
  every outcome of a child that gives them so much can follow.

The second point needs that a win of one player is a loss (-1) of all the others, so that no other
winning child has an outcome that differs; a payoff of +1 beside another one is an error.  With two
players and a zero-sum game this is the usual rule, and the outcomes are always one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gamelib.search.tree import Edge, Node

Vector = tuple[float, ...]
Outcomes = frozenset[Vector]


def sure_payoff(outcomes: Outcomes, player: int) -> float:
    """Return what a player gets from these outcomes at least."""
    return min(payoffs[player] for payoffs in outcomes)


def outcomes_of(node: Node) -> Outcomes | None:
    """Return what follows from the proven children of a node by the rule; None: not proven yet."""
    player = node.player
    proven: list[Outcomes] = [
        edge.node.outcomes for edge in node.edges if edge.node and edge.node.outcomes
    ]
    if not proven:
        return None
    best = max(proven, key=lambda outcomes: sure_payoff(outcomes, player))
    sure = sure_payoff(best, player)
    if sure == 1:
        return best
    if node.open or not node.expanded:
        return None
    return frozenset(v for outcomes in proven for v in outcomes if v[player] >= sure)


def check_win(payoffs: Vector) -> None:
    """Raise a ValueError if one player wins (+1) and another one does not lose (-1)."""
    if 1 in payoffs and sorted(payoffs)[-2] > -1:
        raise ValueError(
            "the proofs of solver=True need that a player's win (+1) is a loss (-1) of all the "
            f"others; here the payoffs are {payoffs}"
        )


def prove(node: Node) -> list[Node]:
    """Pass the proof of `node` on to its parents, as far as it goes; return all proven nodes."""
    proven = [node]
    for child in proven:
        for parent in child.parents:
            parent.open = [edge for edge in parent.open if edge.node is not child]
            if parent.outcomes is None and (outcomes := outcomes_of(parent)) is not None:
                parent.outcomes = outcomes
                proven.append(parent)
    return proven


def reason(node: Node) -> str:
    """Return in words why a node is proven."""
    outcomes = node.outcomes
    if outcomes is None:
        return "not proven"
    if not node.edges:
        return "the game is over"
    sure = sure_payoff(outcomes, node.player)
    if sure == -1:
        return "all replies lose"
    reply = next(edge for edge in node.edges if _makes_sure_of(edge, sure))
    if sure == 1:
        at_once = " at once" if not reply.node.edges else ""
        return f"the reply {reply.action!r} wins{at_once}"
    name = "draws" if sure == 0 else f"gets {sure:g}"
    return f"all replies are proven, and the best, {reply.action!r}, {name}"


def _makes_sure_of(edge: Edge, payoff: float) -> bool:
    outcomes = edge.node.outcomes if edge.node else None
    return outcomes is not None and sure_payoff(outcomes, edge.player) == payoff
