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
from gamelib.trace.trace import Trace


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
        return events.index(name) if name and name in events else None


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
        ("  if game over: return the utility for max", "game over"),
        ("  if depth reached: return evaluate(state)", "depth limit"),
        ("  for each action:", ""),
        ("    v = minimax(successor(state, action))", ""),
        ("    max keeps the highest v, min the lowest", "improve"),
        ("  return the v kept", "return"),
    ),
)

NEGAMAX = Pseudocode(
    "negamax",
    (
        ("negamax(state):", "enter"),
        ("  if game over: return the mover's utility", "game over"),
        ("  if depth reached: return evaluate(state)", "depth limit"),
        ("  for each action:", ""),
        ("    v = -negamax(successor(state, action))", ""),
        ("    keep the highest v", "improve"),
        ("  return the v kept", "return"),
    ),
)

ALPHABETA = Pseudocode(
    "alpha-beta",
    (
        ("alphabeta(state, alpha, beta):", "enter"),
        ("  if game over: return the utility for max", "game over"),
        ("  if depth reached: return evaluate(state)", "depth limit"),
        ("  if the table settles it: return its value", "table"),
        ("  for each action:", ""),
        ("    v = alphabeta(successor, alpha, beta)", ""),
        ("    max keeps the highest v and raises alpha,", "improve"),
        ("    min keeps the lowest and lowers beta", ""),
        ("    if beta <= alpha: break", "cut"),
        ("  return the v kept", "return"),
    ),
)

MAXN = Pseudocode(
    "MaxN",
    (
        ("maxn(state):", "enter"),
        ("  if game over: return everybody's utility", "game over"),
        ("  if depth reached: return the estimates", "depth limit"),
        ("  for each action:", ""),
        ("    vector = maxn(successor(state, action))", ""),
        ("    keep the vector best for who moves here", "improve"),
        ("    if no other action can matter: break", "cut"),
        ("  return the vector kept", "return"),
    ),
)

PARANOID = Pseudocode(
    "Paranoid",
    (
        ("paranoid(state, alpha, beta):", "enter"),
        ("  if game over: return my utility", "game over"),
        ("  if depth reached: return evaluate(state, me)", "depth limit"),
        ("  for each action:", ""),
        ("    v = paranoid(successor, alpha, beta)", ""),
        ("    I keep the highest v and raise alpha,", "improve"),
        ("    all others the lowest, and lower beta", ""),
        ("    if beta <= alpha: break", "cut"),
        ("  return the v kept", "return"),
    ),
)

MCTS = Pseudocode(
    "MCTS",
    (
        ("while there is budget:", ""),
        ("  select: go down from the root by the highest", "select"),
        ("    mean + c sqrt(ln N / n)", ""),
        ("  expand: add the first untried action", "expand"),
        ("  simulate: play to the end at random", "simulate"),
        ("  backpropagate: along the path, one visit more", "backpropagate"),
        ("    and the reward of who chose each action", ""),
        ("play the action with the most visits", ""),
    ),
)

MCTS_SOLVER = Pseudocode(
    "MCTS-Solver",
    (
        ("while budget is left and the root not proven:", ""),
        ("  select: go down from the root by the highest", "select"),
        ("    mean + c sqrt(ln N / n) if not yet proven", ""),
        ("  expand: add the first untried action", "expand"),
        ("  simulate: play to the end at random", "simulate"),
        ("  prove: won if one action wins; the best of", "proof"),
        ("    all actions if every one of them is proven", ""),
        ("  backpropagate: along the path, one visit more", "backpropagate"),
        ("    and the reward of who chose each action", ""),
        ("play a proven win, else the most visits", ""),
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
