"""Stored games are believed as far as the rules of the game bear them out."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from arena.results.schedule import dice_of
from gamelib.state import CHANCE, Action, GameState, draw_outcome, is_number

if TYPE_CHECKING:
    from arena.results.records import GameRecord


def plain(action: Action) -> Action:
    """Return the action as it comes back from JSON; as its text, if JSON has no such thing."""
    if action is None or isinstance(action, bool | int | float | str):
        return action
    return tuple(map(plain, action)) if isinstance(action, tuple) else repr(action)


def forfeited(player: int, num_players: int) -> tuple[float, ...]:
    """Return the payoffs when a player forfeits: -1, and +1 for the other; 0 for several others."""
    others = 1 if num_players == 2 else 0
    return tuple(-1 if each == player else others for each in range(num_players))


def check_shape(record: GameRecord, agents: int) -> None:
    """Raise a ValueError unless there is an entry of the right kind for each player."""
    players = len(record.seats)
    none = (0,) * players  # as in older files
    entries = [record.utilities, record.counts, record.seconds]
    entries += [record.strikes or none, record.cpu or none]
    counts = [number for counts in record.counts for number in counts.values()]
    numbers: list[object] = [*counts, *record.utilities, *(n for e in entries[2:] for n in e)]
    if (
        not set(record.seats) <= set(range(agents))
        or any(len(entry) != players for entry in entries)
        or not all(is_number(number) and isfinite(number) for number in numbers)
    ):
        raise ValueError(f"game {record.game} has not one entry for each of its players")


def check_played(record: GameRecord, state: GameState) -> None:
    """Raise a ValueError unless the payoffs of a game follow from its actions, by the rules."""
    moves, dice = [0] * state.num_players, dice_of(record.seed)
    for ply, stored in enumerate(record.actions, 1):
        legal = state.legal_actions()
        action = stored if stored in legal else next((a for a in legal if plain(a) == stored), None)
        if action not in legal:
            raise ValueError(f"game {record.game}: {stored!r} is no legal action at ply {ply}")
        if state.current_player == CHANCE:
            if action != draw_outcome(state, dice):
                rolled = f"its seed does not roll {stored!r} at ply {ply}"
                raise ValueError(f"game {record.game}: {rolled}")
        else:
            moves[state.current_player] += 1
        state = state.successor(action)
    due = _payoffs(record, state)
    if record.utilities != due:
        raise ValueError(
            f"game {record.game}: its payoffs are {record.utilities}, by the rules {due}"
        )
    counted = [counts.get("moves") for counts in record.counts]
    if counted != moves:
        raise ValueError(f"game {record.game} counts {counted} moves; there were {moves}")
    if any(late > made for late, made in zip(record.strikes, moves, strict=False)):
        raise ValueError(f"game {record.game} has more slow moves, {record.strikes}, than moves")


def _payoffs(record: GameRecord, end: GameState) -> tuple[float, ...]:
    """Return the payoffs by the rules; ValueError for a game that could not end like this."""
    forfeit = record.forfeit
    if forfeit is None:
        if not end.is_terminal():
            raise ValueError(f"game {record.game} is not over after ply {len(record.actions)}")
        return end.utilities()
    if not (isinstance(forfeit.reason, str) and forfeit.reason.strip()):
        raise ValueError(f"game {record.game}: {forfeit.reason!r} is no reason to forfeit")
    # Before the first ply anybody may fail to start; later only who is to move can break a rule.
    might = range(end.num_players) if not record.actions else [end.current_player]
    if end.is_terminal() or forfeit.player not in might:
        raise ValueError(f"game {record.game}: player {forfeit.player} cannot have forfeited there")
    return forfeited(forfeit.player, end.num_players)
