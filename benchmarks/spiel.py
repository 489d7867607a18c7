"""Games of OpenSpiel by way of gamelib: 200 random games of each, compared with OpenSpiel itself.

Every position is asked all questions of the interface, and so is a state of OpenSpiel in which the
same actions were applied.  `check_game` plays 200 games of its own besides.  Chess takes longest,
for the names of its actions.
"""

from __future__ import annotations

import sys
from random import Random
from time import process_time

from gamelib import OpenSpiel, check_game

GAMES = 200
NAMES = (
    *("amazons", "breakthrough(rows=5,columns=5)", "chess", "clobber(rows=5,columns=5)"),
    *("connect_four", "dots_and_boxes", "go(board_size=5)", "havannah(board_size=4)"),
    *("hex(board_size=5)", "lines_of_action", "mancala", "nim", "nine_mens_morris", "othello"),
    *("tic_tac_toe", "y(board_size=5)"),
    *("einstein_wurfelt_nicht", "pig(winscore=20)"),  # with chance
)


def called(peer, number: int) -> str:
    """Return what OpenSpiel calls an action."""
    return peer.action_to_string(peer.current_player(), number).strip()


def compare(state: OpenSpiel, peer) -> None:
    """Raise an AssertionError unless a position answers as OpenSpiel does."""
    assert state.is_terminal() == peer.is_terminal()
    assert list(state.legal_actions()) == [called(peer, each) for each in peer.legal_actions()]
    assert len({*state.legal_actions()}) == len(peer.legal_actions())
    if peer.is_terminal():
        assert list(state.utilities()) == peer.returns()  # none of these games pays more than 1
        return
    assert state.current_player == peer.current_player()
    if peer.is_chance_node():
        chances = [(called(peer, each), chance) for each, chance in peer.chance_outcomes()]
        assert list(state.chance_outcomes()) == chances


def play(name: str, games: int) -> tuple[int, int]:
    """Return how many positions were compared, and the most actions of a game."""
    import pyspiel

    positions = longest = 0
    for seed in range(games):
        rng, state = Random(seed), OpenSpiel(name)
        peer = pyspiel.load_game(name).new_initial_state()
        compare(state, peer)
        while not peer.is_terminal():
            number = rng.choice(peer.legal_actions())
            state = state.successor(called(peer, number))
            peer.apply_action(number)
            compare(state, peer)
        plies = len(peer.history())
        positions, longest = positions + plies + 1, max(longest, plies)
    return positions, longest


def main() -> None:
    for name in NAMES:
        started = process_time()
        positions, longest = play(name, GAMES)
        report = check_game(OpenSpiel(name), games=GAMES)
        taken = process_time() - started
        said = f"{positions:7,} positions, {longest:4} actions at most, {taken:6.1f} s"
        print(f"{name:32} {said}; {report}", flush=True)
        if not report:
            sys.exit(1)
