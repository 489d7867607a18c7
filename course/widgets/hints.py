"""Which actions are best here, in words: proven where that is possible, else what is forced."""

from __future__ import annotations

from collections.abc import Iterable

from course.draw.words import action_names
from course.widgets.oracle import RESULTS, Known, RefusedError, best_actions, verdicts
from gamelib.search import safe_actions, two_step_wins, winning_actions
from gamelib.search.limits import Progress, Stop
from gamelib.state import Action, GameState

PATIENCE = 8  # seconds to look for verdicts in the background
MOST_LINES = 1_000_000  # of three moves, to look at all of them in a second or two


def hint(state: GameState, progress: Progress | None = None, stop: Stop | None = None) -> str:
    """Return which actions are best, after a search of some seconds."""
    if state.is_terminal():
        return "The game is over."
    try:
        known = verdicts(state, progress, stop, patience=PATIENCE, tell=lambda known: None)
    except RefusedError as error:
        return f"Nothing can be proven here: {error}  {_guess(state)}"
    if stop and stop():
        return "The solver was stopped. Ask again."
    return hint_of(state, known)


def hint_of(state: GameState, known: Known | None) -> str:
    """Return which actions are best, where so much is known for certain."""
    if known is None:
        two = state.num_players == 2
        why = "Too large to prove anything here." if two else "It depends on the others."
        return f"{why}  {_guess(state)}"
    best = best_actions(known)
    if is_open(state, known) and known[best[0]].value < 1:
        return f"Not everything is proven here.  {_guess(state)}"
    every = len(best) == len(state.legal_actions())
    names = "every action" if every else _names(state, best)
    return f"Proven: {known[best[0]].result(state)} after {names}."


def legend(state: GameState, known: Known | None) -> str:
    """Return what the verdicts on a board mean; why there are none, if there are none."""
    if not known:
        return hint_of(state, None)
    found, me = known.values(), state.player_name(state.current_player)
    said = f"Proven, for {me}"
    if any(verdict.distance is not None for verdict in found):
        said += "; a number counts the plies to the end"
    elif any(verdict.value not in RESULTS for verdict in found):
        average = " on average, with best play" * state.has_chance
        said += f"; a number is what {me} gets{average}"
    late = f"  ?: not proven in {PATIENCE} seconds." if is_open(state, known) else ""
    return f"{said}.{late}"


def is_open(state: GameState, known: Known) -> bool:
    """Return whether an action that is not proven could be the best one."""
    return state.num_players == 2 and len(known) < len(state.legal_actions())


def _guess(state: GameState) -> str:
    """Return what looking two moves ahead proves, if anything."""
    legal = state.legal_actions()
    if wins := winning_actions(state):
        return f"This wins at once: {_names(state, wins)}."
    if len(legal) ** 3 > MOST_LINES:
        return "It has too many actions to look two moves ahead, so none is named."
    if wins := two_step_wins(state):
        return f"This wins with the next move, whatever the reply: {_names(state, wins)}."
    if not (safe := safe_actions(state)):
        return "After every action another player can win."
    if len(safe) < len(legal):
        return f"Only this leaves no other player a win: {_names(state, safe)}."
    return "Two moves ahead nothing is forced, so no action is named."


def _names(state: GameState, actions: Iterable[Action]) -> str:
    return "; ".join(action_names(state, actions))
