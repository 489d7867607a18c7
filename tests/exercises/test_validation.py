"""A learner's game with a mistake: every widget says which, and keeps the position it had."""

from fractions import Fraction

import pytest
from shared_list import SharesItsList

from course import FillInTree, PlayBoard, Playground, SearchStepper, seats_lab, stability_lab
from course.lessons.framework.check import Sticks
from course.widgets.oracle import best_action_hint
from gamelib import alphabeta, mcts, minimax, paranoid, random_agent
from gamelib.state import BrokenRuleError
from tests.messages import names


def wrong(**methods):
    return type("Wrong", (Sticks,), methods)


def after(state, action, player=None):
    """Return the position after an action, with `player` to move if one is given."""
    mover = 1 - state.current_player
    return type(state)(state.sticks - action, mover if player is None else player)


NO_CHILD = wrong(successor=lambda s, n: None if s.sticks - n == 1 else after(s, n))
UNORDERED = [
    (lambda s: [[n] for n in (1, 2)], "an action must be hashable: unhashable type: 'list'"),
    (lambda s: {1, 2}, "`legal_actions` is {1, 2}; it must be a list, a tuple or a range"),
    (lambda s: (n for n in (1, 2)), "`legal_actions` is <generator"),
]
ONES_TO_CLICK = [
    (NO_CHILD, "successor returned None; it must return a new state"),
    (wrong(successor=lambda s, n: s), "` returned the state itself; it must return a new state"),
    (
        wrong(successor=lambda s, n: after(s, n, 2 if s.sticks == 3 else None)),
        "`current_player` is 2",
    ),
    (wrong(utilities=lambda s: 1), "`utilities` is 1; it must be a tuple of 2 numbers"),
    (wrong(utilities=lambda s: None), "`utilities` is None; it must be a tuple of 2 numbers"),
]
WRONG = [*ONES_TO_CLICK, *((wrong(legal_actions=f), said) for f, said in UNORDERED)]


def play_to_the_end(state) -> None:
    """Play, and see that a board keeps the position that it had before the mistake."""
    board = PlayBoard(state)
    for _ in range(4):
        before = board.state, board.actions
        try:
            board.click(1)
        except BrokenRuleError:
            assert (board.state, board.actions) == before
            board.restart()
            assert board.state is state
            raise


@pytest.mark.parametrize(("game", "said"), WRONG, ids=lambda it: str(it)[:40])
@pytest.mark.parametrize(
    "widget", [FillInTree, play_to_the_end, lambda it: Playground(it).run("minimax")]
)
def test_widget_names_broken_rule_of_game(widget, game, said) -> None:
    with pytest.raises(BrokenRuleError, match=names(said)):
        widget(game(3))


@pytest.mark.parametrize("game", [game for game, _ in ONES_TO_CLICK])
def test_play_board_shows_broken_rule_after_click(game) -> None:
    board = PlayBoard(game(5))
    for _ in range(5):
        board._clicked(1)
    assert "gl-error" in board._remark
    assert "BrokenRuleError" in board._remark


@pytest.mark.parametrize("payoffs", [(1,), [1, -1], 1, None, (float("nan"),) * 2])
def test_seats_lab_rejects_invalid_payoffs(payoffs) -> None:
    odd = wrong(utilities=lambda state: payoffs)
    with pytest.raises(BrokenRuleError, match=r"`utilities` .* 2"):
        seats_lab(odd(3), {"random": random_agent(1)}, games=20).run()


def test_unhashable_state_is_playable_but_not_solvable() -> None:
    no_hash = wrong(__hash__=None)
    board = PlayBoard(no_hash(3))
    board.click(1)
    said = "a state must be hashable: unhashable type: 'Wrong'"
    with pytest.raises(BrokenRuleError, match=names(said)):
        best_action_hint(board.state)
    with pytest.raises(BrokenRuleError, match=names(said)):
        stability_lab(no_hash(3)).run()


@pytest.mark.parametrize(
    "widget", [Playground, PlayBoard, best_action_hint], ids=["playground", "board", "hint"]
)
def test_mutating_successor_raises_and_leaves_position_unchanged(widget) -> None:
    state = SharesItsList([None] * 4)
    with pytest.raises(BrokenRuleError, match=r"`successor\(0\)` changed the position"):
        widget(state)
    assert state.cells == [None] * 4


def test_unwritten_successor_does_not_prevent_display() -> None:
    class Unwritten(Sticks):
        def successor(self, action):
            raise NotImplementedError

    assert PlayBoard(Unwritten(3)).state == Unwritten(3)


def test_stepper_rejects_legal_actions_none_at_terminal_state() -> None:
    none_at_the_end = wrong(legal_actions=lambda s: Sticks.legal_actions(s) if s.sticks else None)
    with pytest.raises(BrokenRuleError, match=names("`legal_actions` is None; it must be a list")):
        SearchStepper(minimax, none_at_the_end(3))


class Halves(Sticks):
    """Its payoffs are fractions, which Python 3.11 does not print as decimals."""

    def utilities(self):
        return tuple(Fraction(payoff, 2) for payoff in super().utilities())


@pytest.mark.parametrize("search", [alphabeta, paranoid, mcts])
def test_payoffs_may_be_fractions(search) -> None:
    options = {"simulations": 60, "solver": True, "rng": 0} if search is mcts else {}
    stepper = SearchStepper(search, Halves(4), **options)
    stepper.last()
    assert stepper.trace.result.value in (Fraction(1, 2), Fraction(-1, 2))
    assert Playground(Halves(4)).run(search.__name__).action in (1, 2, 3)
    assert best_action_hint(Halves(4))


class Words(Sticks):
    """Its actions are of several kinds, which have no order."""

    def legal_actions(self):
        return [n for n, size in ((1, 1), ("two", 2)) if size <= self.sticks]

    def successor(self, action):
        return type(self)(self.sticks - {1: 1, "two": 2}[action], 1 - self.current_player)


def test_fill_in_tree_accepts_actions_without_order() -> None:
    values = FillInTree(Words(3))
    values.fill(dict.fromkeys(values.paths, 7))
    assert "not 7" in values.check().message
    cuts = FillInTree(Words(3), cuts=True)
    cuts.mark(("two",), (1,))
    assert "Node 1 is visited" in cuts.check().message
