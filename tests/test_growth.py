"""The stored growth of alpha-beta's cost is what the searches of today cost."""

import csv

import pytest

from tools.benchmarks import growth


@pytest.fixture(scope="module")
def stored():
    with growth.GROWTH.open(encoding="utf-8") as file:
        return {row["depth"]: row for row in csv.DictReader(file)}


def test_the_minimum_is_that_of_knuth_and_moore():
    # 2 x 2 leaves: 3 must be looked at; 3 x 3 x 3: 9 + 3 - 1.
    assert growth.knuth_moore(2, 2) == 3
    assert growth.knuth_moore(3, 3) == 11
    assert growth.knuth_moore(1, 5) == 5


def test_the_stored_figures_are_still_right(stored):
    for row in growth.rows(range(4, 8), natural_up_to=7):
        assert {name: f"{n:,}" for name, n in row.items()} == stored[f"{row['depth']}"]


def test_ordering_a_table_and_deepening_go_below_the_minimum(stored):
    for depth, most in (("8", 0.5), ("12", 0.2)):
        last, least = (int(stored[depth][n].replace(",", "")) for n in (growth.LAST, "minimum"))
        assert last <= most * least
