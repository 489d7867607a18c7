"""The errors of each game, with a row for each call, its error and the facts in its message."""

import pytest

from gamelib import Chance, ConnectFour, EinStein, GameTree, IllegalActionError, Nim, TicTacToe
from gamelib import nim_winning_actions as winning
from tests.messages import names

T, C, N, E, G = TicTacToe, ConnectFour, Nim, EinStein, GameTree
TREE, HEAPS = G([[3, 12, 8], [2, 4, 6], [14, 5, 2]]), N((1, 0, 5, 7), max_take=3)
ROLLED = E(3, 3).successor(1)
NAN = float("nan")

# Positions as text, and set-ups: a ValueError.
SET_UPS = [
    (lambda: T.parse("XX./X../..."), "unequal numbers of stones (X 3, O 0)"),
    (lambda: T.parse("XX/X"), "equal lengths"),
    (lambda: T.parse("X?./.../..."), "marks XO and '.'; got ['?']"),
    (lambda: T.parse("XXX/OOO/..."), "only one player can have 3 in a row"),
    (lambda: T.parse(""), "cols must be"),
    (lambda: C.parse("X../...", k=2), "hang in the air: row 0, column 0"),
    (lambda: C.parse(".../XX.", k=2), "cannot tell whose turn"),
    (lambda: C.parse("XXOO/XXOO", k=2), "only one player can have 2 in a row"),
    *[(lambda n=n: N.parse(n), "text must be numbers") for n in ("", "1 x", "-1", "1.5", None, 7)],
    (lambda: E.parse("X1 . / . O1 ."), "a square"),
    (lambda: E.parse("X1 Y2 / . O1"), "a square"),
    (lambda: E.parse("X1 X1 / . ."), "twice"),
    (lambda: E.parse(". . / . ."), "both players have won, or there is no stone"),
    (lambda: E.parse("X1 . / O1 .", die=2), "die must be"),
    (lambda: E.parse("X3 . / O1 .", stones=2), "stones must be"),
    (lambda: E.parse("X1 . / O1 .", mover=2), "mover must be"),
    *[(lambda data=data: T.from_json(data), "to_json() returned") for data in (None, [], "x", {})],
    (lambda: G.parse("[3 4"), "closing ']' is missing"),
    (lambda: G.parse("[3 4]]"), "']' without its opening bracket"),
    (lambda: G.parse("[3 four]"), "four"),
    (lambda: G.parse("[[]]"), "at least one leaf"),
    (lambda: T(0, 3), "rows must be an int from 1 to 50; got 0"),
    (lambda: T(3, 51), "cols must be an int from"),
    (lambda: T(3, 3, 51), "k must be an int from"),
    (lambda: T(3, 3, 3, 7), "num_players must be an int from"),
    (lambda: T(True, 3), "rows must be an int from"),
    (lambda: C(6.0, 7, 4), "rows must be an int from 1 to"),
    (lambda: C(6, 0, 4), "cols must be an int from 1 to"),
    (lambda: C(6, 7, 51), "k must be an int from 1 to"),
    (lambda: N(()), "heaps must be 1 to 50 numbers; got 0"),
    (lambda: N((1, -1)), "a heap must be an int from 0 to 1000; got -1"),
    (lambda: N((500, 501)), "the sum of the heaps must be an int from 0 to 1000; got 1001"),
    (lambda: N(max_take=0), "max_take must be an int, 1 or more, or None; got 0"),
    (lambda: N(misere=1), "misere must be True or False; got 1"),
    (lambda: N(num_players=7), "num_players must be an int from 2 to 6; got 7"),
    (lambda: winning(N(num_players=3)), "the theory is for two players; this game has 3"),
    *[(lambda p=p: Chance((p, 1), (1, 2)), "above 0 and sum to 1") for p in (0, 0.5, -1)],
    (lambda: G([[1, (1, 2, 3)]]), "same number of payoffs; got [2, 3]"),
    (lambda: G([[(1,), (2,)]]), "at least 2 players; got 1"),
    *[
        (lambda p=p: G([[1, 2]], players=p), "players must name players 0 to 1")
        for p in ([], [2], [-1], [0, True], ["0"])
    ],
    *[
        (lambda cell=cell: C().cell(*cell), "rows 0 to 5 and columns 0 to 6")
        for cell in ((6, 0), (0, 7), (-1, 0), (0, -1))
    ],
]
# What is of another kind: a TypeError.
KINDS = [
    *[(lambda heaps=heaps: N(heaps), "heaps must be a sequence of ints") for heaps in (7, "135")],
    *[(lambda tree=tree: G(tree), "a tree is a list") for tree in (3, (1, 2), "[3 4]", None)],
    *[
        (lambda leaf=leaf: G([[1, leaf]]), "a leaf must be a finite number")
        for leaf in ("x", True, NAN)
    ],
    (lambda: G([[1, 10**400]]), "an inner node a list; got 100000000000000000..."),
]
IN_NIM = [(3, 0), (3, -1), (3, 8), (1, 1), (4, 1), (-1, 1), (2, 4), (0, 1, 1), (0, True)]
IN_NIM += [(False, 1), (0, 1.0), (0.0, 1), ("0", 1), [0, 1], "01"]
# Positions, actions that are none there, and what is said: an IllegalActionError.
ACTIONS = [
    (T().play(0), [0], "an int from 0 to 8; got 0; the legal actions are (1, 2, 3, 4, 5, 6, 7, 8)"),
    (T.parse("XXX/OO./..."), [5], "5 is not legal, because the game is over (X won)"),
    (T(), [9], "an int from 0 to 8; got 9"),
    (C().play(3, 3, 3, 3, 3, 3), [3], "got 3; the legal actions are (0, 1, 2, 4, 5, 6)"),
    (HEAPS, IN_NIM, "an action is (heap, take), two ints: a heap from 0 to 3, and 1 or more"),
    (N((1,)).play((0, 1)), [(0, 1)], "the game is over (X won)"),
    (E(), [0, 7, 1.0, True, "1", None], "an action is a roll"),
    (ROLLED, [1, (0, 0), (0, 8), (True, 3), "0", (0,), None], "an action is (from, to)"),
    (TREE, [3, -1, 1.0, True, "1", None], "an action is the number of a branch; got "),
]


@pytest.mark.parametrize(("call", "said"), SET_UPS)
def test_invalid_set_up_raises_value_error(call, said):
    with pytest.raises(ValueError, match=names(said)):
        call()


@pytest.mark.parametrize(("call", "said"), KINDS)
def test_wrong_type_raises_type_error(call, said):
    with pytest.raises(TypeError, match=names(said)):
        call()


@pytest.mark.parametrize(("state", "actions", "said"), ACTIONS)
def test_illegal_action_raises_with_legal_actions(state, actions, said):
    for action in actions:
        with pytest.raises(IllegalActionError, match=names(said)):
            state.successor(action)
