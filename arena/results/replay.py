"""Stored games are believed as far as the rules of the game bear them out."""

from __future__ import annotations

from math import isfinite

from arena.results.games import GameRecord, forfeited, plain
from arena.results.schedule import dice_of
from gamelib.state import CHANCE, GameState, draw_outcome, is_number


def check_shape(record: GameRecord, agents: int) -> None:
    """Raise a ValueError unless there is an entry of the right kind for each player."""
    players = len(record.seats)
    entries = [record.utilities, record.counts, record.seconds, record.cpu]
    counts = [number for counts in record.counts for number in counts.values()]
    numbers: list[object] = [*counts, *record.utilities, *(n for e in entries[2:] for n in e)]
    if (
        not set(record.seats) <= set(range(agents))
        or any(len(entry) != players for entry in entries)
        or not all(is_number(number) and isfinite(number) for number in numbers)
    ):
        raise ValueError(f"game {record.game} has not one entry for each of its players")
    if record.actions[: len(record.opening)] != record.opening:
        raise ValueError(f"game {record.game} does not begin with its opening")


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
        elif ply > len(record.opening):
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


def _payoffs(record: GameRecord, end: GameState) -> tuple[float, ...]:
    """Return the payoffs by the rules; ValueError for a game that could not end like this."""
    forfeit = record.forfeit
    if forfeit is None:
        if not end.is_terminal():
            raise ValueError(f"game {record.game} is not over after ply {len(record.actions)}")
        return end.utilities()
    if not (isinstance(forfeit.reason, str) and forfeit.reason.strip()):
        raise ValueError(f"game {record.game}: {forfeit.reason!r} is no reason to forfeit")
    # Before the first move anybody may fail to start; later only who is to move can break a rule.
    started = len(record.actions) > len(record.opening)
    might = [end.current_player] if started else range(end.num_players)
    if end.is_terminal() or forfeit.player not in might:
        raise ValueError(f"game {record.game}: player {forfeit.player} cannot have forfeited there")
    return forfeited(forfeit.player, end.num_players)
