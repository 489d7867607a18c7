"""EinStein würfelt nicht! compared with OpenSpiel, and special cases of its rules."""

import random
import re

import pytest

from gamelib import CHANCE, EinStein
from gamelib.svg import board_svg

RANDOM_GAMES, POSITIONS = 30, 60


@pytest.fixture(scope="module")
def pyspiel():
    return pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


def ours(peer):
    """Return our position of one of OpenSpiel's, whose black goes where our X does."""
    names = re.findall(r"\|(..)\|", str(peer))
    text = " ".join("." if name == "__" else name.upper() for name in names)
    rows = [" ".join(text.split()[start : start + 5]) for start in range(0, 25, 5)]
    rolls = peer.full_history()[2:]  # without the two set-ups
    mover = (1, 0)[len(rolls) // 2 % 2]
    die = rolls[-1].action + 1 if len(rolls) % 2 else 0
    board = "/".join(rows).translate(str.maketrans("BW", "XO"))
    return EinStein.parse(board, mover=mover, die=die, stones=6)


def peer_games(pyspiel):
    """Yield OpenSpiel's positions of random games without end, from the first roll on."""
    rng, game = random.Random(0), pyspiel.load_game("einstein_wurfelt_nicht")
    while True:
        peer = game.new_initial_state()
        while not peer.is_terminal():
            peer.apply_action(rng.choice(peer.legal_actions()))
            if len(peer.full_history()) >= 2:
                yield peer


def steps_of(peer):
    """Return OpenSpiel's actions after our names for them, (from, to)."""
    ahead = {"down": 5, "right": 1, "diag": 6, "up": -5, "left": -1}
    cells = re.findall(r"\|(..)\|", str(peer))
    steps = {}
    for action in peer.legal_actions():
        name, way = peer.action_to_string(peer.current_player(), action).rstrip("*").split("-")
        cell = cells.index(name.lower())
        by = -6 if way == "diag" and name[0] == "W" else ahead[way]
        steps[cell, cell + by] = action
    return steps


def test_random_games_equal_openspiel(pyspiel):
    ended = 0
    for peer in peer_games(pyspiel):
        state = ours(peer)
        assert state.is_terminal() == peer.is_terminal()
        if peer.is_terminal():
            assert state.utilities() == tuple(peer.returns())
            ended += 1
            if ended == RANDOM_GAMES:
                return
        elif peer.is_chance_node():
            assert state.current_player == CHANCE
            assert [a - 1 for a, _ in state.chance_outcomes()] == peer.legal_actions()
        else:
            assert state.current_player == peer.current_player()
            steps = steps_of(peer)
            assert set(state.legal_actions()) == set(steps)
            for step, action in steps.items():
                assert state.successor(step) == ours(peer.child(action))


def test_pieces_start_in_their_corners():
    assert str(EinStein(3, 3)) == "X1 X2 .\nX3 .  O3\n.  O2 O1"
    assert str(EinStein()).split("\n")[0] == "X1 X2 X4 .  ."


def test_player_who_rolls_also_moves():
    state = EinStein(3, 3)
    assert (state.current_player, state.status()) == (CHANCE, "X rolls the die")
    rolled = state.successor(2)
    assert (rolled.current_player, rolled.status()) == (0, "X to move, rolled 2")
    assert rolled.successor((1, 4)).status() == "O rolls the die"


def test_missing_piece_allows_next_higher_or_lower():
    state = EinStein.parse("X1 . . . / . X4 . . / . . . X5 / . . O1 .", die=3, stones=5)
    assert {start for start, _ in state.legal_actions()} == {0, 5}
    highest = EinStein.parse("X1 . . / . X2 . / . . O3", die=3)
    assert {start for start, _ in highest.legal_actions()} == {4}


def test_step_takes_any_piece():
    state = EinStein.parse("X1 X2 . / . . . / . O1 .", die=1)
    assert str(state.successor((0, 1))) == ".  X1 .\n.  .  .\n.  O1 ."


def test_far_corner_or_last_piece_wins():
    corner = EinStein.parse(". . . / . X1 O2 / . . O1", die=1).play((4, 8))
    assert (corner.utilities(), corner.status()) == ((1, -1), "X won")
    taken = EinStein.parse("X1 . . / . O1 . / . . .", mover=1, die=1).play((4, 0))
    assert taken.utilities() == (-1, 1)
    last = EinStein.parse("X1 O1 . / . . . / . . .", die=1).play((0, 1))
    assert last.utilities() == (1, -1)


def test_cell_plays_the_only_step_ending_there():
    state = EinStein.parse("X1 . X3 / . . . / . . O2", die=2, stones=3)
    ends = [None, (0, 1), None, (0, 3), (0, 4), (2, 5)]
    assert [spot.action for spot in state.spots()][:6] == ends
    taking = EinStein.parse("X1 O1 . / . . . / . . O2", die=1)
    assert [spot.action for spot in taking.spots()][:5] == [None, (0, 1), None, (0, 3), (0, 4)]


def test_picture_shows_piece_numbers():
    drawing = board_svg(EinStein(3, 3).successor(2))
    assert ">X3<" in drawing
    assert "row 1: X1 X2 empty" in drawing
    assert "X to move, rolled 2" in drawing
