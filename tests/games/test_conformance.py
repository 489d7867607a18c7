"""The rules of the interface, in each example of `gamelib.games` and the configurations below."""

import json
import pickle
import random
from collections import Counter

import numpy
import pytest

from gamelib import IllegalActionError, check_game
from gamelib.games import EXAMPLES, ConnectFour, GameTree, Nim, TicTacToe, from_json
from gamelib.search import random_choice
from gamelib.state import to_python_action

# A start of each configuration, and the nodes of its tree at ply 0, 1, 2, ... (perft).
GAMES = {
    "tic-tac-toe": (TicTacToe(), [1, 9, 72, 504, 3024, 15120]),
    "tic-tac-toe 2x2, three players": (TicTacToe(2, 2, 2, 3), [1, 4, 12, 24, 24, 0]),
    "tic-tac-toe 1x3, k=2": (TicTacToe(1, 3, 2), [1, 3, 6, 6, 0]),
    "tic-tac-toe 4x3, k=3": (TicTacToe(4, 3, 3), [1, 12, 132, 1320, 11880]),
    "tic-tac-toe 5x5, six players": (TicTacToe(5, 5, 4, 6), [1, 25, 600, 13800]),
    "tic-tac-toe, k=1": (TicTacToe(3, 2, 1), [1, 6, 0]),
    "a textbook tree": (GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), [1, 3, 9, 0]),
    "a tree of unequal depths": (GameTree([7, [1, [2, 3]]]), [1, 2, 2, 2, 0]),
    "a tree with a second move": (GameTree([[1, 2], [3, 4]], players=[0, 0]), [1, 2, 4, 0]),
    "a tree of three players": (GameTree.parse("[(1 2 3)(4 2 1)] [(6 1 2)]"), [1, 2, 3, 0]),
    "connect four": (ConnectFour(), [1, 7, 49, 343, 2401]),
    "connect four 4x4, k=3": (ConnectFour(4, 4, 3), [1, 4, 16, 64]),
    "nim": (Nim((1, 2)), [1, 3, 5, 3, 0]),
    "nim, misere, at most two": (Nim((3, 2), max_take=2, misere=True), [1, 4]),
    "nim, three players": (Nim((1, 2), num_players=3), [1, 3, 5, 3, 0]),
    "nim, many players": (Nim(num_players=6, max_take=2), [1, 7]),
}

STARTS = {**{name: start for name, (start, _) in GAMES.items()}, **EXAMPLES}
STARTS = {name: start if name in GAMES else start() for name, start in STARTS.items()}
OURS = [start for start, _ in GAMES.values()]
every_game = pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)


def perft(state, plies):
    """Return the number of nodes of the tree at depth `plies`."""
    if plies == 0:
        return 1
    return sum(perft(state.successor(action), plies - 1) for action in state.legal_actions())


def random_game(start, seed):
    """Return the positions of a random game, the first and the last included."""
    positions, rng = [start], random.Random(seed)
    while not positions[-1].is_terminal():
        action = random_choice(positions[-1], rng=rng).action
        positions.append(positions[-1].successor(action))
    return positions


@every_game
def test_games_pass_check_game(start):
    report = check_game(start, games=30)
    assert report, report


@pytest.mark.parametrize(("start", "counts"), GAMES.values(), ids=GAMES)
def test_game_trees_have_known_sizes(start, counts):
    assert [perft(start, ply) for ply in range(len(counts))] == counts


@every_game
def test_equal_positions_have_equal_trees(start):
    # Each ply once with every path of its own, once with equal positions counted together.
    layer = Counter({start: 1})
    for ply in range(20):
        if layer.total() > 5000:
            break
        assert layer.total() == perft(start, ply)
        children = Counter()
        for state, paths in layer.items():
            for action in state.legal_actions():
                children[state.successor(action)] += paths
        layer = children


@every_game
def test_json_and_pickle_restore_positions(start):
    for state in random_game(start, seed=1):
        copies = [pickle.loads(pickle.dumps(state))]
        if state.to_json() is not None:
            copies.append(from_json(json.loads(json.dumps(state.to_json()))))
        for copy in copies:
            assert (copy, hash(copy), repr(copy)) == (state, hash(state), repr(state))


@every_game
def test_positions_are_unequal_to_other_values(start):
    assert start != "a position"
    assert start != None  # noqa: E711 - it is the comparison that is tested


@every_game
@pytest.mark.parametrize("action", [None, "3", 3.0, True, -1, 99, (0,), (0, 0), [0], {}])
def test_illegal_action_raises(start, action):
    if action in start.legal_actions() and type(action) not in (bool, float):
        pytest.skip("it is an action of this game")
    with pytest.raises(IllegalActionError) as caught:
        start.successor(action)
    assert repr(action) in str(caught.value)


@every_game
def test_numpy_action_is_accepted(start):
    for action in start.legal_actions():
        chosen = numpy.random.default_rng(0).choice([action])  # of a tuple: an array
        assert start.play(chosen) == start.successor(action)
        if start in OURS:  # others may leave it to `play`
            assert start.successor(chosen) == start.successor(action)
        assert to_python_action(chosen) == action
        assert type(to_python_action(chosen)) is type(action)


@pytest.mark.parametrize(("start", "counts"), GAMES.values(), ids=GAMES)
@pytest.mark.parametrize("action", [numpy.bool_(True), numpy.float64(0), numpy.int64(99)], ids=repr)
def test_numpy_float_action_raises(start, counts, action):
    with pytest.raises(IllegalActionError):
        start.successor(action)


@pytest.mark.parametrize(
    ("game", "same"),
    [
        (lambda n: TicTacToe(n(3), n(4), n(3), n(2)), TicTacToe(3, 4, 3, 2)),
        (lambda n: ConnectFour(n(4), n(5), n(4)), ConnectFour(4, 5, 4)),
        (lambda n: Nim(numpy.array([3, 4]), n(2), num_players=n(3)), Nim((3, 4), 2, num_players=3)),
        (lambda n: GameTree([n(3), [n(1), n(2)]]), GameTree([3, [1, 2]])),
    ],
)
def test_constructors_accept_numpy_numbers(game, same):
    assert repr(game(numpy.int64)) == repr(same)
    assert game(numpy.int64).to_json() == same.to_json()


@every_game
def test_positions_have_a_picture_in_jupyter(start):
    svg = start._repr_svg_() or "its text"
    assert svg.startswith("<svg" if start.spots() else ("<svg", "its text"))
