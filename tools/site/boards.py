"""Games to play without a kernel: all positions that can come up, with the agents' answers."""

import re
from html import escape
from typing import Any

from course import PlayBoard
from course.widgets.oracle import Mark, verdicts
from course.widgets.play import Play, ask
from course.widgets.reel import Reel
from course.widgets.tree_pane import place
from gamelib import GameState
from gamelib.picture import position
from gamelib.picture.board import Frame
from gamelib.state import Action

MOST_POSITIONS = 6_000  # tic-tac-toe has 5,478


def game(board: PlayBoard) -> dict[str, Any] | None:
    """Return a game as a table of its positions; None for one that has too many, or no picture.

    `next` holds, for each position, the numbers of those to which its actions lead, in the order
    of its buttons; where an agent moves there is one number and no button.
    """
    start = board.state
    if not start.spots() or _is_large(start):
        return None
    scratch = Play(start, board.agents)
    kept, following = Reel(), []
    numbers = {(start, None): 0}
    todo: list[tuple[GameState, Action | None, int]] = [(start, None, -1)]
    for state, last, parent in todo:  # grows while it is read
        agent = None if state.is_terminal() else board.agents[state.current_player]
        actions = state.legal_actions()
        number = kept.add(_parts(scratch, state, last, bool(agent)), parent)
        if agent:
            actions = [ask(agent, state, lambda *_: None, lambda: False)]
        targets = []
        for action in actions:
            after = state.successor(action), action if agent else None
            if after not in numbers:
                numbers[after] = len(numbers)
                todo.append((*after, number))
            targets.append(numbers[after])
        following.append(targets)
    return kept.data | {"next": following}


def _is_large(start: GameState) -> bool:
    """Return whether more positions can come up than a table is made of."""
    found, todo = {start}, [start]
    for state in todo:  # grows while it is read
        fresh = {state.successor(action) for action in state.legal_actions()} - found
        found |= fresh
        todo += fresh
        if len(found) > MOST_POSITIONS:
            return True
    return False


def _parts(scratch: Play, state: GameState, last: Action | None, waits: bool) -> list[str]:
    """Return what is said, the picture, and the buttons over it and below it."""
    scratch._positions = [state]
    said, picture = scratch.turn(), position(state, last=last)
    if waits or state.is_terminal():
        return [escape(said), picture, "", ""]
    spots, legal = state.spots(), list(state.legal_actions())
    marks, frame, size = _marks(state), Frame.around(spots), _size(picture)
    over = "".join(
        f'<button type="button" data-n="{legal.index(spot.action)}" title="{escape(spot.in_words)}"'
        f' style="{place(frame.box(spot), *size)}">{marks[spot.action]}</button>'
        for spot in spots
        if spot.action in legal and (spot.empty or spot.number)  # a numbered piece can be taken
    )
    placed = {spot.action for spot in spots}
    below = "".join(
        f'<button type="button" data-n="{number}">{escape(state.action_name(action))}'
        f"{marks[action]}</button>"
        for number, action in enumerate(legal)
        if action not in placed
    )
    return [escape(said), picture, over, below]


def _marks(state: GameState) -> dict[Action, str]:
    """Return what is proven of each action, to be shown when it is asked for."""
    known = verdicts(state) or {}
    marks = {
        action: known[action].mark() if action in known else Mark("?")
        for action in state.legal_actions()
    }
    return {
        action: f'<span class="gl-mark gl-mark-{mark.kind}">{escape(mark.text)}</span>'
        for action, mark in marks.items()
    }


def _size(picture: str) -> tuple[float, float]:
    """Return the width and the height of a drawing."""
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', picture)
    assert found
    return float(found[1]), float(found[2])
