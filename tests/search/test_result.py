import copy
import dataclasses
import pickle

import numpy
import pytest
from IPython.lib.pretty import pretty

from gamelib import Bound, SearchResult, Stats, TicTacToe, maxn, minimax, paranoid
from tests.messages import names


def test_short_result_prints_on_one_line():
    result = SearchResult(action=1, stats=Stats(nodes=3))
    assert pretty(result) == repr(result) == "SearchResult(action=1, stats=Stats(nodes=3))"


def test_long_result_prints_one_line_per_field():
    lines = pretty(minimax(TicTacToe.parse("O.X/XX./OO."))).splitlines()
    assert lines[0] == "SearchResult("
    assert "    values={1: = -1, 5: = 1, 8: = 0}," in lines


def test_seconds_are_not_printed_or_compared():
    one, other = SearchResult(action=1, seconds=0.25), SearchResult(action=1, seconds=7.5)
    assert one == other
    assert "0.25" not in repr(one) + pretty(one)


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (Bound(0), "= 0"),
        (Bound(0.25, "upper"), "<= 0.25"),
        (Bound(-1, "lower"), ">= -1"),
        (Bound(12_345), "= 12345"),
        (Bound(-0.0), "= 0"),
        (Bound(1 / 3), "= 0.3333"),
    ],
)
def test_bound_prints_its_sign(bound, text):
    assert repr(bound) == text


@pytest.mark.parametrize("search", [minimax, maxn, paranoid])
def test_result_prints_numpy_payoffs(search):
    class Counted(TicTacToe):
        def utilities(self):
            return tuple(numpy.array(super().utilities()))

    state = Counted().play(0, 4, 1, 2, 6)
    assert "value=0, values={3: = 0," in repr(search(state))


def test_deferred_result_is_read_once_when_looked_at():
    reads = []

    def read():
        reads.append(1)
        return vars(SearchResult(action=2, value=1, visits={2: 5}, seconds=9.0))

    result = SearchResult.deferred(2, 0.5, read)
    assert (result.action, result.seconds, reads) == (2, 0.5, [])
    assert (result.value, result.visits, result.seconds) == (1, {2: 5}, 0.5)
    assert len(reads) == 1


@pytest.mark.parametrize("copied", [copy.copy, lambda one: pickle.loads(pickle.dumps(one))])
def test_copy_of_deferred_result_has_all_fields(copied):
    whole = SearchResult(action=2, value=1, line=(2, 3))
    twin = copied(SearchResult.deferred(2, 0.5, lambda: dict(vars(whole))))
    assert (twin, twin.seconds, repr(twin)) == (whole, 0.5, repr(whole))


def test_deferred_result_lists_all_fields_unread():
    result = SearchResult.deferred(2, 0.5, lambda: pytest.fail("it was read"))
    assert {field.name for field in dataclasses.fields(SearchResult)} <= {*dir(result)}


def test_misspelt_field_of_deferred_result_raises():
    result = SearchResult.deferred(2, 0.5, vars, SearchResult(action=2))
    with pytest.raises(AttributeError, match=names("visit")):
        _ = result.visit
