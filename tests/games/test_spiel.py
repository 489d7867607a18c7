"""OpenSpiel's games are played as OpenSpiel plays them, and ours equal its own."""

import json
import pickle
import random
import sys
from copy import deepcopy

import numpy
import pytest

from gamelib import IllegalActionError, check_game
from gamelib.games import ConnectFour, TicTacToe, from_json, spiel
from gamelib.games.spiel import OpenSpiel
from gamelib.search import expectiminimax
from tests.messages import names

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")

CHANCES = ["backgammon", "einstein_wurfelt_nicht", "pig(winscore=20)"]
NAMES = [
    *("amazons", "breakthrough(rows=5,columns=5)", "chess", "clobber(rows=4,columns=4)"),
    *("connect_four", "dots_and_boxes", "go(board_size=5)", "havannah(board_size=3)"),
    *("hex(board_size=5)", "mancala", "nim", "othello", "tic_tac_toe", "y(board_size=4)"),
    *CHANCES,
]
BREAKTHROUGH = "breakthrough(rows=4,columns=4)"
KNOWN = {*pyspiel.registered_names()}  # an older OpenSpiel has fewer
each_game = pytest.mark.parametrize("name", [n for n in NAMES if n.partition("(")[0] in KNOWN])


def named(peer):
    """Return OpenSpiel's numbers of the legal actions, by OpenSpiel's names of them."""
    player, numbers = peer.current_player(), peer.legal_actions()
    return {peer.action_to_string(player, number).strip(): number for number in numbers}


def random_game(name, seed):
    """Yield a position of ours and of OpenSpiel's after each action of a random game."""
    rng, state = random.Random(seed), OpenSpiel(name)
    peer = pyspiel.load_game(name).new_initial_state()
    yield state, peer
    while not peer.is_terminal():
        number = rng.choice(peer.legal_actions())
        state = state.successor(peer.action_to_string(peer.current_player(), number).strip())
        peer.apply_action(number)
        yield state, peer


def assert_alike(state, peer):
    """Assert that a position answers each question as OpenSpiel does."""
    assert state.is_terminal() == peer.is_terminal()
    assert list(state.legal_actions()) == list(named(peer))
    assert len(state.legal_actions()) == len(peer.legal_actions())
    if peer.is_terminal():
        assert list(state.utilities()) == peer.returns()
        return
    assert state.current_player == peer.current_player()
    if peer.is_chance_node():
        chances = dict(peer.chance_outcomes())
        peers = [(name, chances[number]) for name, number in named(peer).items()]
        assert list(state.chance_outcomes()) == peers


def assert_given_back(state):
    """Assert that a position comes back from whatever stores it."""
    for copy in (
        pickle.loads(pickle.dumps(state)),
        deepcopy(state),
        from_json(json.loads(json.dumps(state.to_json()))),
        eval(repr(state)),
    ):
        assert (copy, hash(copy), repr(copy)) == (state, hash(state), repr(state))


@each_game
def test_random_games_equal_openspiel(name):
    assert OpenSpiel(name).has_chance == (name in CHANCES)
    for state, peer in random_game(name, seed=0):
        assert_alike(state, peer)
        assert state.spiel().history() == peer.history()
        if len(peer.history()) < 30:
            assert OpenSpiel.from_spiel(peer) == state
            for action, number in ({} if peer.is_terminal() else named(peer)).items():
                assert state.successor(number) == state.successor(action)
    assert_given_back(state)


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig(winscore=20)"])
def test_openspiel_games_pass_check_game(name):
    report = check_game(OpenSpiel(name), games=2)
    assert report, report


def test_expectiminimax_finds_known_value_of_dice():
    # In Pig up to 4 points, with a die of 3 faces, and no more than 7 rolls and decisions.
    state = OpenSpiel("pig(winscore=4,diceoutcomes=3,horizon=7)")
    peer = pytest.importorskip("open_spiel.python.algorithms.minimax").expectiminimax
    same, _ = peer(pyspiel.load_game(state.name).new_initial_state(), 100, lambda _: 0, 0)
    assert expectiminimax(state).value == pytest.approx(same, abs=1e-12)
    assert 0 < same < 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("breakthru", r"OpenSpiel has no game 'breakthru'; it has 2048, .*, breakthrough, "),
        ("kuhn_poker", "can play kuhn_poker, because it hides"),
        ("goofspiel", "can play goofspiel, because its players do not move in turn"),
        ("stones_and_gems", "can play stones_and_gems, because it does not give the probabilities"),
        ("nfg_game", "OpenSpiel cannot load 'nfg_game': "),
        ("misere", "OpenSpiel cannot load 'misere': .*game"),
    ],
)
def test_unsupported_openspiel_game_raises_with_reason(name, message):
    with pytest.raises(ValueError, match=message):
        OpenSpiel(name)


def test_openspiel_game_is_accepted_as_name():
    assert OpenSpiel(pyspiel.load_game("hex")) == OpenSpiel("hex")
    with pytest.raises(ValueError, match=names("OpenSpiel has no game '3'")):
        OpenSpiel(3)


def test_illegal_past_actions_raise():
    with pytest.raises(IllegalActionError, match=r"o.0,1., .*'o.0,0.'"):
        OpenSpiel("tic_tac_toe", ["x(0,0)", "o(0,0)"])


def test_changing_copied_state_keeps_position():
    state = OpenSpiel("tic_tac_toe")
    state.spiel().apply_action(4)
    assert state == OpenSpiel("tic_tac_toe")
    with pytest.raises(IllegalActionError, match="got 9"):
        state.successor(9)


@pytest.mark.parametrize("start", [TicTacToe(), ConnectFour()])
def test_spiel_state_converts_our_positions(start):
    rng = random.Random(1)
    for _ in range(40):
        state = start
        for _ in range(rng.randrange(24)):
            after = state.successor(rng.choice(state.legal_actions()))
            state = state if after.is_terminal() else after
        peer = spiel.spiel_state(state)
        assert peer.current_player() == state.current_player
        assert peer.legal_actions() == list(state.legal_actions())
        cells = [state.cell(*divmod(n, state.cols)) for n in range(state.rows * state.cols)]
        marks = "".join(".xo"[1 + (-1 if owner is None else owner)] for owner in cells)
        assert str(peer).replace("\n", "") == marks


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (ConnectFour(5, 5), "a bot of OpenSpiel plays .* got ConnectFour"),
        (TicTacToe(num_players=3), "a bot of OpenSpiel plays .* got TicTacToe"),
        (ConnectFour().play(0, 1, 0, 1, 0, 1, 0), "before their end"),
        (
            TicTacToe.parse("XXO / ... / ...", current_player=0),
            "player 0 cannot be the player",
        ),
        (TicTacToe.parse("OO. / ... / ...", current_player=0), "no game of two players"),
    ],
)
def test_spiel_state_of_unsupported_position_raises(state, message):
    with pytest.raises(ValueError, match=message):
        spiel.spiel_state(state)


def test_missing_openspiel_raises_with_install_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    spiel._load.cache_clear()
    with pytest.raises(ImportError, match=names("OpenSpiel is missing; `pip install open_spiel`")):
        OpenSpiel("tic_tac_toe")


def test_numpy_text_is_accepted_as_action():
    state = OpenSpiel("tic_tac_toe")
    child = state.successor(numpy.random.default_rng(0).choice(state.legal_actions()))
    assert type(child.actions[0]) is str
    assert child == state.successor(child.actions[0])


def test_large_payoffs_are_scaled():
    state = OpenSpiel("cliff_walking(horizon=3)", ["LEFT"] * 3)
    assert state.is_terminal()
    (payoff,) = state.utilities()
    assert -1 <= payoff < 0
    assert payoff * -state._state.get_game().min_utility() == state._state.returns()[0]


def test_repeated_board_is_another_position():
    # Knights go out and back: the board is the first one, and the third time ends the game.
    start, state = OpenSpiel("chess"), OpenSpiel("chess")
    for name in ("Nf3", "Nf6", "Ng1", "Ng8") * 2:
        before, state = state, state.successor(name)
    assert str(state).split()[0] == str(start).split()[0]
    assert state.is_terminal()
    assert not before.is_terminal()
    assert state != start


def test_same_actions_give_equal_positions():
    one, two = OpenSpiel(BREAKTHROUGH), OpenSpiel("breakthrough(columns=4,rows=4)")
    for action in random.Random(1).sample(one.legal_actions(), 2):
        assert one.successor(action) == two.successor(action)
    assert len({one, two}) == 1
    assert one != OpenSpiel("breakthrough(rows=5,columns=4)")
    assert one != "a position"


def test_text_has_no_colour_codes():
    assert "\x1b" in str(pyspiel.load_game("twixt").new_initial_state())
    assert "\x1b" not in str(OpenSpiel("twixt"))


def test_jupyter_shows_escaped_text():
    assert OpenSpiel("tic_tac_toe")._repr_html_() == "<pre>...\n...\n...</pre>"
