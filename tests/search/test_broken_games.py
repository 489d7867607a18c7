"""Games that break a rule or have no end, in which every search ends with an error."""

import random
import sys
import time
from dataclasses import dataclass, replace
from functools import partial

import pytest
from random_trees import NO_CHANCE
from shared_list import SharesItsList

from gamelib import (
    GameState,
    GameTree,
    Nim,
    SearchTree,
    alphabeta,
    best_reply,
    centre_first,
    expectiminimax,
    iterative_deepening,
    lookahead,
    mcts,
    minimax,
    open_lines,
    play_game,
    random_agent,
    random_choice,
    solve,
    star1,
    take_a_win,
)
from gamelib.search.checks import TooDeepError, TooLargeError
from gamelib.search.mcts import principal_variation
from gamelib.search.mcts_tree import Edge, Node
from gamelib.search.rollouts import play_out, random_rollout
from gamelib.state import MAX_PLIES, BrokenRuleError
from tests.messages import names

STUCK = "not over, but has no legal action"


def mcts_(state, **options):
    return mcts(state, simulations=200, rng=0, **options)


def proving(state, **options):
    return mcts(state, simulations=200, solver=True, rng=0, **options)


EVERY = [*NO_CHANCE, mcts_, proving]
every_search = pytest.mark.parametrize("search", EVERY)


@dataclass(frozen=True)
class Sticks(GameState):
    """Take one or two; whoever takes the last wins.  Each game below breaks one method."""

    left: int = 5
    current_player: int = 0
    num_players = 2

    def legal_actions(self):
        return [take for take in (1, 2) if take <= self.left]

    def successor(self, action):
        return replace(self, left=self.left - action, current_player=1 - self.current_player)

    def is_terminal(self):
        return self.left == 0

    def utilities(self):
        return (-1, 1) if self.current_player == 0 else (1, -1)


class Forgets(Sticks):
    """Sticks in which a player must take two, so a last stick cannot be taken."""

    def legal_actions(self):
        return [2] if self.left >= 2 else []


@every_search
def test_nonterminal_state_without_actions_raises(search):
    with pytest.raises(BrokenRuleError, match=STUCK) as caught:
        search(Forgets())
    assert "Forgets(left=1, current_player=0)" in str(caught.value)


@pytest.mark.parametrize("search", [*EVERY, lookahead, random_choice])
def test_root_without_actions_raises(search):
    with pytest.raises(BrokenRuleError, match=STUCK):
        search(Forgets(1))


every_play = pytest.mark.parametrize(
    "play",
    [
        mcts_,
        lambda state: play_out(state, random_rollout, random.Random(0)),
        lambda state: play_out(state, take_a_win, random.Random(0)),
        lambda state: state.playout(random.Random(0)),
        lambda state: play_game(random_agent(1), random_agent(2), state=state),
    ],
)


@every_play
def test_playouts_without_actions_raise(play):
    with pytest.raises(BrokenRuleError, match=STUCK):
        play(Forgets())


# Games without an end


@dataclass(frozen=True)
class GoesRound(GameState):
    """Nothing ever ends it."""

    at: int = 0
    current_player: int = 0
    num_players = 2

    def legal_actions(self):
        return (1, 2)

    def successor(self, action):
        return replace(self, at=(self.at + action) % 5, current_player=1 - self.current_player)

    def is_terminal(self):
        return False

    def utilities(self):
        raise ValueError("not over")


class ReturnsItself(GoesRound):
    def successor(self, action):
        return self


ENDLESS = [GoesRound(), ReturnsItself()]
endless = pytest.mark.parametrize("game", ENDLESS, ids=lambda game: type(game).__name__)


@every_play
@endless
def test_endless_random_game_raises_with_its_plies(game, play):
    with pytest.raises(BrokenRuleError, match=f"{MAX_PLIES:,}"):
        play(game)


FULL = [search for search in NO_CHANCE if search is not iterative_deepening]
CORRIDOR = Nim((1000,), max_take=1)  # 1,000 plies, with one action each


@pytest.mark.parametrize("search", FULL)
def test_very_long_line_raises_too_deep(search):
    with pytest.raises(TooDeepError, match="too long"):
        search(CORRIDOR)


def test_deepening_returns_best_when_too_deep():
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(350)  # so that it is soon there
    try:
        result = iterative_deepening(CORRIDOR)
    finally:
        sys.setrecursionlimit(usual)
    assert (result.action, result.stopped) == ((0, 1), True)
    assert result.stats.depth > 100


@endless
@pytest.mark.parametrize("search", FULL)
def test_full_search_with_repeated_positions_raises(search, game):
    with pytest.raises(TooDeepError, match="positions come again"):
        search(game)


def test_depth_limit_with_repeated_positions_raises():
    with pytest.raises(TooDeepError, match="positions come again"):
        lookahead(ReturnsItself())


def test_unhashable_positions_still_raise_too_deep():
    class Unhashable(GoesRound):
        __hash__ = None

    with pytest.raises(TooDeepError, match="line"):
        minimax(Unhashable())


@endless
def test_deepening_stops_in_an_endless_game(game):
    assert iterative_deepening(game, seconds=0.1).action == 1


def test_recursion_error_of_heuristic_propagates():
    def endless(state, player):
        return endless(state, player)

    with pytest.raises(RecursionError):
        minimax(GoesRound(), depth=2, evaluate=endless)


def test_mcts_line_ends_at_repeated_position():
    here, there = Node(GoesRound(0)), Node(GoesRound(1))
    for node, other in ((here, there), (there, here)):
        edge = Edge(1, node.player)
        edge.node, edge.visits = other, 1
        node.add_edge(0, edge)
    assert principal_variation(here) == (1, 1)


def test_mcts_sharing_repeated_positions_raises_or_stops():
    options = {"share": True, "rng": 0, "evaluate": lambda state, player: 0}
    with pytest.raises(ValueError, match="share=True"):
        mcts(GoesRound(), simulations=1000, **options)
    assert mcts(GoesRound(), simulations=10**6, stop=lambda: True, **options).stopped


class Slow(GoesRound):
    """Ten thousand plies of this take twenty seconds."""

    def successor(self, action):
        time.sleep(0.002)
        return super().successor(action)


@pytest.mark.parametrize("rollout", [None, random_rollout, take_a_win], ids=["", "random", "win"])
def test_mcts_polls_clock_and_stop_during_playouts(rollout):
    tree, stops = SearchTree(), iter([False, False, True])
    options = {"rollout": rollout, "tree": tree, "rng": 0}
    cut = mcts(Slow(), seconds=0.05, **options)
    assert (cut.action in (1, 2), cut.stopped, cut.stats.simulations) == (True, False, 0)
    assert mcts(Slow(), simulations=5, stop=lambda: next(stops), **options).stopped
    assert [row.mean for row in tree.table()] == [None, None]


class EndsLater(Slow):
    """It is endless until the test says otherwise."""

    endless = True

    def legal_actions(self):
        return () if self.is_terminal() else (1, 2)

    def is_terminal(self):
        return not self.endless and self.at == 4

    def utilities(self):
        return 1, -1


def test_tree_with_interrupted_simulation_is_replaced(monkeypatch):
    tree = SearchTree()
    mcts(EndsLater(), seconds=0, tree=tree)
    mcts(EndsLater(), simulations=1, stop=iter([False, True]).__next__, tree=tree, rng=0)
    cut = tree.root
    monkeypatch.setattr(EndsLater, "endless", False)
    mcts(EndsLater(), simulations=3, tree=tree, rng=0)
    assert tree.root is not cut
    assert tree.root.visits == 3


# Payoffs that are none


PAYOFFS = [
    *((float("nan"), float("nan")), (float("inf"), -float("inf")), ("won", "lost"), [1, -1]),
    *((1,), (1, 0, -1), 1, None, (True, False), (None, None), (10**400, -(10**400))),
]
every_paid = pytest.mark.parametrize("search", [*EVERY, lookahead, expectiminimax, star1])


def ending_with(payoffs):
    return type("Paying", (Sticks,), {"utilities": lambda self: payoffs})(1)


@every_paid
@pytest.mark.parametrize("payoffs", PAYOFFS, ids=lambda payoffs: repr(payoffs)[:20])
def test_invalid_payoffs_raise_in_every_search(search, payoffs):
    with pytest.raises(BrokenRuleError, match=names("it must be a tuple of 2 numbers")) as caught:
        search(ending_with(payoffs))
    assert f"`utilities` is {payoffs!r}" in str(caught.value)


@every_paid
def test_payoffs_above_max_utility_raise(search):
    with pytest.raises(BrokenRuleError, match=r"\(3, -3\).*`max_utility` is only 1"):
        search(ending_with((3, -3)))


# Heuristics


def test_estimate_outside_max_utility_raises():
    tree = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    assert tree.max_utility == 14
    assert alphabeta(tree, depth=1, evaluate=lambda state, player: 13.5).value == 13.5
    assert best_reply(tree, depth=1, evaluate=lambda state, player: 13.5).value == 13.5
    with pytest.raises(ValueError, match=r"heuristic .*\(-14, 14\)"):
        alphabeta(tree, depth=1, evaluate=lambda state, player: 14)


# Answers that are none


def spoilt(current_player=0, **answers):
    """Return Sticks with another first player, and other answers."""
    kept = {"__annotations__": {"current_player": object}, "current_player": current_player}
    return dataclass(frozen=True)(type("Spoilt", (Sticks,), kept | answers))


def counts_from_one(self, action):
    return replace(self, left=self.left - action, current_player=3 - self.current_player)


class LateGenerator(Sticks):
    """Sticks with an iterator as its actions near the end."""

    def legal_actions(self):
        return super().legal_actions() if self.left > 2 else iter(())


class LateNone(Sticks):
    def successor(self, action):
        child = super().successor(action)
        return child if child.left > 1 else None


def plays_o(self, action):
    return replace(self, current_player="O")


SPOILT = [
    (
        spoilt(1, successor=counts_from_one),
        "`current_player` is 2 before the end",
    ),
    (spoilt("X", successor=plays_o), "`current_player` is 'X' before the end"),
    (spoilt(successor=lambda self, action: None), "`successor(1)` returned None; it must return a"),
    (
        spoilt(legal_actions=lambda self: None),
        "`legal_actions` is None; it must be a list, a tuple",
    ),
    (spoilt(legal_actions=lambda self: iter([1, 2])), "`legal_actions` is <list_iterator object"),
    (spoilt(is_terminal=lambda self: None), "`is_terminal` is None; it must be True or False"),
]


@pytest.mark.parametrize("search", [*EVERY, lookahead, random_choice])
@pytest.mark.parametrize(("game", "said"), SPOILT)
def test_invalid_game_values_raise_in_every_search(search, game, said):
    assert search(Sticks()).action in (1, 2)
    with pytest.raises(BrokenRuleError, match=names(said)) as caught:
        search(game())
    assert "Spoilt(left=" in str(caught.value)  # the position


@pytest.mark.parametrize("search", NO_CHANCE)
def test_successor_returning_none_late_raises(search):
    with pytest.raises(BrokenRuleError, match=r"`successor\(\d\)` returned None"):
        search(LateNone())


@pytest.mark.parametrize("search", [search for search in EVERY if search is not solve])
def test_late_generator_of_actions_raises(search):
    with pytest.raises(BrokenRuleError, match="`legal_actions`"):
        search(LateGenerator())


@pytest.mark.parametrize("rollout", [None, take_a_win, lambda state, rng: 1])
@pytest.mark.parametrize("solver", [False, True])
def test_successor_returning_none_in_rollout_raises(rollout, solver):
    options = {"rollout": rollout, "solver": solver}
    with pytest.raises(BrokenRuleError, match=r"`successor.* None"):
        mcts(LateNone(12), simulations=50, rng=0, **options)


NoHash = spoilt(__hash__=None)
ListsItsKey = spoilt(symmetry_key=lambda self: [self.left])
ListsActions = spoilt(legal_actions=lambda self: [[1], [2]])


@pytest.mark.parametrize(
    ("search", "game", "said"),
    [
        (solve, NoHash, "a state must be hashable, but its type is not: 'Spoilt'"),
        (iterative_deepening, NoHash, "a state must be hashable"),
        (partial(alphabeta, table=True), NoHash, "a state must be hashable"),
        (partial(mcts_, share=True), NoHash, "a state must be hashable"),
        (solve, ListsItsKey, "a symmetry key must be hashable"),
        *[(each, ListsActions, "an action must be hashable") for each in EVERY],
    ],
)
def test_unhashable_keys_raise_where_needed(search, game, said):
    with pytest.raises(BrokenRuleError, match=names(said)):
        search(game())


def test_minimax_accepts_unhashable_states():
    assert minimax(NoHash()).action == 2


@pytest.mark.parametrize("search", [*EVERY, lookahead])
def test_successor_modifying_its_state_raises(search):
    with pytest.raises(BrokenRuleError, match=r"`successor\(0\)` changed the position"):
        search(SharesItsList([None] * 4))


@every_paid
def test_too_many_actions_raise_with_their_number(search):
    unbounded = spoilt(legal_actions=lambda self: range(1, 10**12 + 1))
    with pytest.raises(TooLargeError, match="1,000,000,000,000"):
        search(unbounded(10**13), **({} if search is lookahead else {"stop": lambda: True}))


@every_search
def test_game_without_players_raises(search):
    nobody = spoilt(num_players=0)
    with pytest.raises(ValueError, match=r"`num_players` is 0|has 0"):
        search(nobody())
    with pytest.raises(BrokenRuleError, match=names("`num_players` is 0; it must be 1 or more")):
        play_game(state=nobody())


def test_default_text_shows_attributes():
    assert str(SharesItsList([None, 1])) == "SharesItsList(cells=[None, 1], current_player=0)"


def test_attribute_error_of_game_propagates():
    class Misspelt(Sticks):
        def legal_actions(self):
            return [self.lef] if self.left < 3 else super().legal_actions()

    with pytest.raises(AttributeError, match=names("no attribute 'lef'")):
        minimax(Misspelt())


@pytest.mark.parametrize(
    ("search", "options", "said"),
    [
        (minimax, {"depth": 1, "evaluate": open_lines}, "OpenLines.* is made for other games: Nim"),
        (alphabeta, {"order": centre_first}, "centre_first is made for other games: Nim has no c"),
    ],
)
def test_function_for_another_game_raises(search, options, said):
    with pytest.raises(TypeError, match=said):
        search(Nim((2, 2)), **options)


def test_attribute_error_of_own_heuristic_propagates():
    with pytest.raises(AttributeError, match=names("no attribute 'cell'")):
        minimax(Nim((2, 2)), depth=1, evaluate=lambda state, player: state.cell(0, 0))


# A game that answers in another way each time


class Shuffles(Sticks):
    def legal_actions(self):
        return random.sample(super().legal_actions(), len(super().legal_actions()))


class RandomHash(Sticks):
    __hash__ = lambda self: random.getrandbits(60)  # noqa: E731


@pytest.mark.parametrize("game", [Shuffles, RandomHash])
def test_changing_game_raises_broken_rule(game):
    said = "`legal_actions` or the hash of a position changes"
    with pytest.raises(BrokenRuleError, match=said):
        play_game(random_agent(1), random_agent(2), state=game(100))


def test_error_with_many_actions_is_reported_quickly():
    asked = []

    class Wide(Sticks):
        def legal_actions(self):
            return range(1, self.left + 1)

        def successor(self, action):
            asked.append(action)
            return super().successor(action)

    with pytest.raises(ZeroDivisionError):
        minimax(Wide(5000), depth=1, evaluate=lambda state, player: 1 // 0)
    assert len(asked) < 500
