"""The registry of searches, and the metadata that it returns."""

import random
from functools import partial

import pytest

from gamelib import (
    Chance,
    GameTree,
    SearchAgent,
    TicTacToe,
    alphabeta,
    best_reply,
    maxn,
    minimax,
)
from gamelib.search import SEARCHES
from gamelib.search.registry import parameters, search_info, supported_options

ORDER = (
    "minimax negamax alphabeta iterative_deepening mcts solve maxn paranoid best_reply lookahead "
    "random_choice"
)


def test_searches_keep_course_order():
    assert " ".join(SEARCHES).startswith(ORDER)  # new ones come after them


@pytest.mark.parametrize("name", ORDER.split())
def test_unknown_option_raises_with_known_options(name):
    with pytest.raises(TypeError, match=rf"{name} .*\bdept\b"):
        SEARCHES[name](TicTacToe(), dept=2)


def test_signature_lists_callbacks_by_name():
    assert {"progress", "stop"} <= parameters(minimax)
    assert "depth" in parameters(partial(minimax, depth=3))


def test_supported_options_drops_unknown_options():
    def own(state, stop=None):
        return state.legal_actions()[0]

    assert supported_options(own, stop=bool, progress=print) == {"stop": bool}
    assert supported_options(own, stop=None) == {}
    assert supported_options(minimax, stop=bool, progress=print) == {
        "stop": bool,
        "progress": print,
    }
    assert SearchAgent(own).search_result(TicTacToe(), stop=bool) == 0


def test_partial_search_has_info_of_search():
    assert search_info(partial(alphabeta, depth=4)).prunes
    assert search_info(best_reply).prunes
    assert not search_info(maxn).prunes
    assert not search_info(random.choice).prunes


@pytest.mark.parametrize("name", SEARCHES)
def test_info_says_which_searches_accept_chance(name):
    search, state = SEARCHES[name], GameTree([Chance((0.5, 1), (0.5, [0, -1])), 0])
    if search_info(search).chance:
        assert search(state, **supported_options(search, simulations=9)).action in (0, 1)
    else:
        with pytest.raises(ValueError, match="chance"):
            search(state)
