"""Independent programs agree: OpenSpiel on the rules, and others on values and trees.

BitBully is asked in `tests/gamefast`, whose answers are those of `gamelib.solve`.
"""

import random
from itertools import islice

import pytest

from gamefast import mcts
from gamelib import ConnectFour, Nim, TicTacToe, alphabeta, solve
from tools.benchmarks import peer_programs, peers
from tools.benchmarks.peer_tables import COMPILED, Program, Sample, Workload, lost

POSITIONS = 1000


@pytest.fixture(scope="module")
def pyspiel():
    return pytest.importorskip("pyspiel", reason="OpenSpiel is not installed")


def nim(heaps, misere):
    """Return our game, OpenSpiel's name of it, and OpenSpiel's number of one of our actions."""
    name = f"nim(pile_sizes={';'.join(map(str, heaps))},is_misere={misere})"
    return Nim(heaps, misere=misere), name, lambda action: (action[1] - 1) * len(heaps) + action[0]


GAMES = [
    (TicTacToe(), "tic_tac_toe", int),
    (ConnectFour(), "connect_four", int),
    *(
        nim(heaps, misere)
        for heaps in ((1, 3, 5, 7), (3, 4, 5), (2, 2, 2, 2), (0, 9))
        for misere in (False, True)
    ),
]
every_game = pytest.mark.parametrize(("start", "name", "number"), GAMES, ids=[g[1] for g in GAMES])


def both(pyspiel, start, name, number):
    """Yield our position and OpenSpiel's, along random games without end."""
    rng = random.Random(0)
    game = pyspiel.load_game(name)
    while True:
        state, peer = start, game.new_initial_state()
        yield state, peer
        while not state.is_terminal():
            action = rng.choice(state.legal_actions())
            state = state.successor(action)
            peer.apply_action(number(action))
            yield state, peer


@every_game
def test_game_rules_agree_with_openspiel(pyspiel, start, name, number):
    for state, peer in islice(both(pyspiel, start, name, number), POSITIONS):
        assert state.is_terminal() == peer.is_terminal(), state
        assert sorted(map(number, state.legal_actions())) == sorted(peer.legal_actions()), state
        if state.is_terminal():
            assert list(state.utilities()) == peer.returns(), state
        else:
            assert state.current_player == peer.current_player(), state


@pytest.mark.parametrize(
    ("name", "state", "depth", "search"),
    [
        ("alphabeta_search", TicTacToe(), None, alphabeta),
        ("alphabeta_cutoff_search", ConnectFour(), 3, alphabeta),
        ("alphabeta_cutoff_search", ConnectFour(), 6, alphabeta),
    ],
)
def test_aima3_searches_visit_the_same_nodes(name, state, depth, search):
    pytest.importorskip("aima3", reason="aima3 is not installed")
    _, nodes = peer_programs.aima(name, depth)
    assert nodes == search(state, depth=depth).stats.nodes


class Walked:
    """A state of OpenSpiel that counts the actions played below it."""

    def __init__(self, state, counter):
        self.state, self.counter = state, counter

    def __getattr__(self, name):
        return getattr(self.state, name)

    def clone(self):
        return Walked(self.state.clone(), self.counter)

    def apply_action(self, action):
        self.counter.append(action)
        self.state.apply_action(action)


@pytest.mark.parametrize(("which", "depth"), [(0, 9), (1, 8)])
def test_openspiel_alpha_beta_visits_the_same_nodes(pyspiel, which, depth):
    search = pytest.importorskip("open_spiel.python.algorithms.minimax").alpha_beta_search
    start, name, _ = GAMES[which]
    game, actions = pyspiel.load_game(name), []
    state = Walked(game.new_initial_state(), actions)
    value, action = search(game, state, value_function=lambda _: 0, maximum_depth=depth)
    result = alphabeta(start, depth=depth)
    assert (value, action) == (result.value, result.action)
    assert len(actions) + 1 == result.stats.nodes


def test_easyai_finds_the_same_values():
    pytest.importorskip("easyAI", reason="easyAI is not installed")
    draw = solve(TicTacToe(), only_value=True).value
    for table in (False, True):
        search, _ = peer_programs.easy_ai("TicTacToe", 9, table=table)
        assert search() == draw
    for depth in (1, 3, 5):
        result = alphabeta(ConnectFour(), depth=depth)
        search, nodes = peer_programs.easy_ai("ConnectFour", depth)
        assert (search(), nodes) == (result.value, result.stats.nodes)


def taking(seconds, *, proven=True):
    """Return a measure of a program that takes so long in every round."""
    return lambda _: Sample(seconds, 1, proven=proven)


def test_page_says_where_others_are_faster():
    programs = [
        Program(COMPILED, taking(2)),
        Program("fast", taking(1)),
        Program("slow", taking(3)),
        Program("limit", taking(1)),
        Program("gave up", taking(1, proven=False)),
    ]
    work = Workload("tea", "cup", programs)
    work.run()
    rows = lost([work], ["limit"]).splitlines()[2:]
    assert rows == ["| tea | fast | 0.50 | 0.50 |"]


def test_page_is_not_replaced_by_a_poorer_one(monkeypatch, tmp_path, capsys):
    work = Workload("tea", "cup", [Program(COMPILED, taking(2)), Program("absent", None)])
    monkeypatch.setattr(peers, "all_workloads", lambda: [work])
    monkeypatch.setattr(peers.gamefast, "warm", lambda: None)
    monkeypatch.setattr(peers, "PAGE", tmp_path / "speed.md")
    with pytest.raises(SystemExit, match="absent"):
        peers.main()
    assert not peers.PAGE.exists()


@pytest.mark.parametrize("state", [TicTacToe(), ConnectFour()], ids=["tic-tac-toe", "four"])
def test_search_in_c_spreads_its_visits_as_ours(state):
    try:
        uct = peer_programs.c_reference().uct
    except ImportError:
        pytest.skip("there is no C compiler")
    number, seeds = 50_000, range(5)
    theirs = [uct(isinstance(state, ConnectFour), number, seed) for seed in seeds]
    ours = [max(mcts(state, simulations=number, rng=seed).visits.values()) for seed in seeds]
    assert abs(sum(theirs) - sum(ours)) < 0.1 * sum(ours)
