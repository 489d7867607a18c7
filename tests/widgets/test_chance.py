"""Chance in the widgets: dice that roll by themselves or by hand, means on trees and in words."""

import re

from course import FillInTree, PlayBoard, Playground, SearchStepper
from course.draw.wording import narration
from course.exercises.tree_exercises import check_values
from course.widgets.oracle import best_action_hint
from course.widgets.stepper_model import with_leaf
from gamelib import CHANCE, EinStein, GameTree, SearchAgent, mcts, star1

PAPER = GameTree.parse("{1/2: [2 4] 1/2: [-1 5]} {0.75: [0 3] 0.25: [8 9]}")


def played(board: PlayBoard) -> tuple:
    """Return the actions of a game in which the first action is always clicked."""
    while not board.state.is_terminal():
        board.click(board.state.legal_actions()[0])
    return board.actions


def test_dice_roll_automatically_and_repeat_after_undo() -> None:
    board, other = PlayBoard(EinStein(3, 3)), PlayBoard(EinStein(3, 3))
    before, first = board.state, board.state.legal_actions()[0]
    assert before.current_player != CHANCE
    after = board.click(first)
    board.undo()
    assert board.state == before
    assert board.click(first) == after
    assert played(board) == played(other)


def test_new_game_has_other_dice() -> None:
    board = PlayBoard(EinStein())
    rolls = set()
    for _ in range(30):
        board.restart()
        rolls.add(board.actions)
    assert len(rolls) == 6


def test_agent_is_called_only_at_its_moves() -> None:
    asked = []

    def agent(state):
        asked.append(state.current_player)
        return state.legal_actions()[0]

    board = PlayBoard(EinStein(3, 3), agents={1: agent})
    played(board)
    assert set(asked) == {1}
    board.undo()
    assert board.state.current_player == 0


def test_hint_names_action_with_highest_mean() -> None:
    state = EinStein.parse("X1 . . / . X2 O2 / . . O1", die=1)
    assert best_action_hint(state) == "Proven: X gets -0.5 after X1 to cell 3."


def test_only_searches_supporting_chance_are_offered() -> None:
    board = PlayBoard(EinStein(3, 3), agents={1: SearchAgent(star1, depth=3)})
    offered = {*board._seats._names}
    assert {"expectiminimax", "star1", "MCTS"} <= offered
    assert not {"minimax", "alpha-beta"} & offered
    ground = Playground(EinStein(3, 2).successor(1))
    names = {*ground._form.choice.options}
    assert {"expectiminimax", "star1", "mcts"} <= names
    assert not {"minimax", "alphabeta", "solve", "maxn"} & names
    assert ground.run(algorithm="star1").value == ground.run(algorithm="expectiminimax").value


def test_fill_in_tree_judges_means_as_fractions() -> None:
    right = {(0, 0): 2, (0, 1): -1, (1, 0): 0, (1, 1): 8, (0,): "1/2", (1,): 2, (): 2}
    quiz = FillInTree(PAPER)
    quiz.fill(right)
    assert quiz.check()
    for wrong, said in [("4", "plain average"), ("8", "nobody chooses"), ("9", "How probable")]:
        quiz = FillInTree(PAPER)
        quiz.fill(right | {(1,): wrong})
        assert said in quiz.check().message
    found = check_values(PAPER, right | {(0,): 0.5, (1,): 3})
    assert "0.75 · 0 + 0.25 · 8 is 2" in found.message


def test_mcts_step_names_chance_outcome() -> None:
    stepper = SearchStepper(mcts, EinStein(3, 2).successor(1), simulations=60, rng=1)
    said = " ".join(narration(stepper.timeline[step]) for step in range(len(stepper.timeline)))
    assert "chance has drawn 1, which joins the tree" in said
    assert "is drawn, probability 0.5" in said


def test_leaf_below_chance_node_can_be_changed() -> None:
    changed = with_leaf(PAPER, (1, 1, 0), 0)
    assert str(changed) == "[{1/2: [2 4] 1/2: [-1 5]} {0.75: [0 3] 0.25: [0 9]}]"
    below = with_leaf(PAPER.play(0), (1, 1), 7)
    assert (below.current_player, below.play(0).current_player) == (CHANCE, 1)


def test_fraction_on_square_stays_on_one_line() -> None:
    ground = Playground(EinStein.parse("X1 . . / . X2 O2 / . . O1", die=1))
    ground.run(algorithm="star1")
    style = ground._board._style.value
    assert "-1\N{FRACTION SLASH}2" in style
    assert not re.search("content: [^;]*-12", style)  # a half is no twelve
