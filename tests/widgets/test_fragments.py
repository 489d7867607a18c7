"""Widgets on a page without a kernel: what is said there is what the widget says."""

import json
import re
from fractions import Fraction
from html import unescape

import pytest

from course import FillInTree, PlayBoard
from course.draw.wording import capital
from course.exercises.lesson_data import quiz_names
from course.exercises.state_space import open_positions
from course.exercises.tree_exercises import check_cuts
from course.widgets.quiz import quiz
from gamelib import Chance, ConnectFour, GameTree, Nim, SearchAgent, TicTacToe, mcts, minimax
from gamelib.agents import random_agent
from tools.site import fragments, tree_widgets

TREES = {
    "textbook": GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]),
    "of three plies": GameTree([[[4, 9], [1, 6]], [[8, 3], [5, 7]]]),
    "a board": TicTacToe.parse("O.X / XX. / OO."),
    "three players": GameTree([[(1, 2, 3), (4, 2, 1)], [(6, 1, 2), (7, 4, -1)]]),
    "Nim": Nim((1, 2)),
    "chance": GameTree([Chance((Fraction(1, 4), [2, 4]), (Fraction(3, 4), [-1, 5])), 0]),
}
CUTS = {
    "textbook": TREES["textbook"],
    "deep": GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]]),
    "nothing is cut": GameTree([[1, 2], [3, 4]]),
    "one cut": GameTree([[3, 5], [2, 9]]),
}


def said(widget):
    return unescape(re.sub("<[^>]*>", "", widget._feedback.value))


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_replies_to_value_question(tree):
    empty = FillInTree(tree)
    fields = tree_widgets.value_tree(empty)["fields"]
    for path, field in zip(empty._fields, fields, strict=True):
        widget = FillInTree(tree)
        for parts, _, hint, answer in field["replies"]:
            widget._tried.clear()  # as if this were the first answer
            given = ", ".join(parts)
            wrong = ", ".join(["98765"] * len(parts))
            shown = f"({given})" if len(parts) > 1 else f"{float(given):.4g}"
            for value, reply in ((given, hint), (wrong, ""), (given, answer)):
                widget.fill({path: value})
                widget.check()
                assert reply.replace("{}", shown) in said(widget)


@pytest.mark.parametrize("tree", TREES.values(), ids=TREES)
def test_right_values_get_right_reply(tree):
    data, widget = tree_widgets.value_tree(FillInTree(tree)), FillInTree(tree)
    for known, (path, field) in enumerate(zip(widget._fields, data["fields"], strict=True), 1):
        widget.fill({path: ", ".join(field["right"])})
        widget.check()
        assert data["sums"][known] in said(widget)
    assert widget.check()


@pytest.mark.parametrize("tree", CUTS.values(), ids=CUTS)
def test_replies_to_cut_question(tree):
    data = tree_widgets.cut_tree(FillInTree(tree, cuts=True))
    paths = {branch["key"]: branch for branch in data["branches"]}
    toggles = FillInTree(tree, cuts=True)._toggles
    right = [path for path in toggles if paths[key(path)]["cut"]]
    for path in toggles:
        branch = paths[key(path)]
        marked = [p for p in right if p != path] if branch["cut"] else [path]
        if not marked or branch["replies"] is None:
            continue
        hint, answer = branch["replies"]
        widget = FillInTree(tree, cuts=True)
        widget.mark(*marked)
        widget.check()
        assert hint in said(widget)
        assert answer == capital(check_cuts(tree, widget.marked).message)
    widget = FillInTree(tree, cuts=True)
    if right:
        widget.check()
        assert data["none"] in said(widget)
    widget.mark(*right)
    assert widget.check()
    assert data["all"] in said(widget)


def key(path):
    return "/".join(map(str, path))


@pytest.mark.parametrize("name", quiz_names())
def test_replies_to_each_choice(name):
    shown = data_of(fragments.quiz_fragment(quiz(name)))
    for choice, (right, reply) in shown["replies"].items():
        again = quiz(name)
        answers = [list(again.answers)[int(number)] for number in choice.split(",")]
        assert unescape(re.sub("</?code>", "`", reply)) == str(again.answer(*answers))
        assert right == again.correct


def data_of(fragment):
    return json.loads(re.search("<script[^>]*>(.*)</script>", fragment, re.S)[1])


def test_page_plays_like_agent_in_every_position():
    early, nims = TicTacToe().play(4, 0), [Nim((3, 4)), Nim((10,), max_take=2)]
    for game in (early, *nims, Nim((1, 2, 4), misere=True)):
        actions, agent = game.legal_actions(), SearchAgent(minimax)
        asked = open_positions(game)
        if isinstance(game, TicTacToe):
            asked = [game, *asked[20::20]]
        found = fragments.agent_answers(agent, asked)
        assert found == {fragments.position_key(s): [actions.index(agent(s))] for s in asked}


def test_random_agent_has_several_actions():
    start = Nim((10,), max_take=2)
    found = fragments.agent_answers(random_agent(seed=1), open_positions(start))
    assert [0, 1] in found.values()
    assert {tuple(seen) for key, seen in found.items() if key.startswith("1 ")} == {(0,)}


def test_board_fragment_names_players():
    agent = SearchAgent(minimax)
    shown = data_of(fragments.board_fragment(PlayBoard(Nim((10,), max_take=2), agents={0: agent})))
    assert (shown["game"], shown["agent"]["seat"]) == ("nim-2", 0)
    assert "minimax" in shown["agent"]["name"]
    for_two = data_of(fragments.board_fragment(PlayBoard(Nim((1, 2, 4), misere=True))))
    assert {*for_two.values()} >= {"nim-misere", "another human"}


def test_large_game_needs_kernels():
    agents = {1: SearchAgent(mcts, seconds=1)}
    assert {*data_of(fragments.board_fragment(PlayBoard(ConnectFour(), agents)))} == {
        "game",
        "picture",
    }
    assert "PlayBoard needs Python" in fragments.board_fragment(
        PlayBoard(ConnectFour(7, 8), agents)
    )


def test_unwritten_agent_needs_python():
    def mine(state):
        raise NotImplementedError

    assert "needs Python" in fragments.board_fragment(PlayBoard(TicTacToe(), agents={1: mine}))
