"""The algorithms as pseudocode, and which line runs when a search announces an event."""

from __future__ import annotations

from dataclasses import dataclass

from gamelib.search.events import (
    Backpropagate,
    Cut,
    Enter,
    Event,
    Expand,
    Improve,
    Leaf,
    Proof,
    Return,
    Select,
    Simulate,
    TableHit,
)
from gamelib.search.trace import Trace


@dataclass(frozen=True)
class Pseudocode:
    """Lines of pseudocode, each with the name of the event during which it runs, or ""."""

    name: str
    lines: tuple[tuple[str, str], ...]

    @property
    def text(self) -> tuple[str, ...]:
        """The lines without the events."""
        return tuple(line for line, _ in self.lines)

    def running(self, event: Event | None) -> int | None:
        """Return the number of the line that runs, from 0; None before the first event."""
        name = _name(event)
        events = [event for _, event in self.lines]
        return events.index(name) if name in events else None


def _name(event: Event | None) -> str:
    names = {
        Enter: "enter",
        Improve: "improve",
        Cut: "cut",
        TableHit: "table",
        Return: "return",
        Select: "select",
        Expand: "expand",
        Simulate: "simulate",
        Backpropagate: "backpropagate",
        Proof: "proof",
    }
    if isinstance(event, Leaf):
        return event.reason
    return names.get(type(event), "")


MINIMAX = Pseudocode(
    "minimax",
    (
        ("minimax(state):", "enter"),
        ("    if the game is over: return the utility for max", "game over"),
        ("    if the depth is reached: return evaluate(state)", "depth limit"),
        ("    for each action:", ""),
        ("        v = minimax(successor(state, action))", ""),
        ("        keep v if it is the best so far:", ""),
        ("            highest at a max node, lowest at a min node", "improve"),
        ("    return the best v", "return"),
    ),
)

NEGAMAX = Pseudocode(
    "negamax",
    (
        ("negamax(state):", "enter"),
        ("    if the game is over: return the utility for who moves", "game over"),
        ("    if the depth is reached: return evaluate(state)", "depth limit"),
        ("    for each action:", ""),
        ("        v = - negamax(successor(state, action))", ""),
        ("        keep v if it is the highest so far", "improve"),
        ("    return the highest v", "return"),
    ),
)

ALPHABETA = Pseudocode(
    "alpha-beta",
    (
        ("alphabeta(state, alpha, beta):", "enter"),
        ("    if the game is over: return the utility for max", "game over"),
        ("    if the depth is reached: return evaluate(state)", "depth limit"),
        ("    if the table settles it: return what it knows", "table"),
        ("    for each action:", ""),
        ("        v = alphabeta(successor, alpha, beta)", ""),
        ("        keep v if it is the best so far;", ""),
        ("            max raises alpha to it, min lowers beta to it", "improve"),
        ("        if beta <= alpha: break", "cut"),
        ("    return the best v", "return"),
    ),
)

MAXN = Pseudocode(
    "MaxN",
    (
        ("maxn(state):", "enter"),
        ("    if the game is over: return the utilities of all players", "game over"),
        ("    if the depth is reached: return evaluate(state) for each", "depth limit"),
        ("    for each action:", ""),
        ("        vector = maxn(successor(state, action))", ""),
        ("        keep the vector if the mover's own entry is higher", "improve"),
        ("        if no other action can matter: break", "cut"),
        ("    return the best vector", "return"),
    ),
)

PARANOID = Pseudocode(
    "Paranoid",
    (
        ("paranoid(state, alpha, beta):", "enter"),
        ("    if the game is over: return the utility for me", "game over"),
        ("    if the depth is reached: return evaluate(state, me)", "depth limit"),
        ("    for each action:", ""),
        ("        v = paranoid(successor, alpha, beta)", ""),
        ("        keep v if it is the best so far:", ""),
        ("            highest if I move, lowest if anybody else moves", "improve"),
        ("        if beta <= alpha: break", "cut"),
        ("    return the best v", "return"),
    ),
)

MCTS = Pseudocode(
    "MCTS",
    (
        ("while there is budget:", ""),
        ("    select: from the root down, always the action with", ""),
        ("        the highest mean + c sqrt(ln N / n)", "select"),
        ("    expand: add the first untried action to the tree", "expand"),
        ("    simulate: play to the end at random", "simulate"),
        ("    backpropagate: along the path, one visit more, and", ""),
        ("        the reward of the player who chose each action", "backpropagate"),
        ("play the action with the most visits", ""),
    ),
)

MCTS_SOLVER = Pseudocode(
    "MCTS-Solver",
    (
        ("while there is budget and the root is not proven:", ""),
        ("    select: from the root down, among actions not proven,", ""),
        ("        the highest mean + c sqrt(ln N / n)", "select"),
        ("    expand: add the first untried action to the tree", "expand"),
        ("    simulate: play to the end at random", "simulate"),
        ("    prove: a node with a winning action is won;", ""),
        ("        one whose actions are all proven has the best of them", "proof"),
        ("    backpropagate: along the path, one visit more, and", ""),
        ("        the reward of the player who chose each action", "backpropagate"),
        ("play a proven win, else the action with the most visits", ""),
    ),
)

_OF_SEARCH = {
    "minimax": MINIMAX,
    "negamax": NEGAMAX,
    "alphabeta": ALPHABETA,
    "iterative_deepening": ALPHABETA,
    "maxn": MAXN,
    "paranoid": PARANOID,
    "best_reply": PARANOID,
}


def pseudocode(trace: Trace) -> Pseudocode:
    """Return the pseudocode of the search in a trace; of the nearest one for a learner's own."""
    if trace.is_mcts:
        return MCTS_SOLVER if trace.options.get("solver") else MCTS
    if trace.search in _OF_SEARCH:
        return _OF_SEARCH[trace.search]
    windows = bool(trace.visits) and len(trace.visits[0].window) == 2
    return ALPHABETA if windows else MINIMAX
