"""The stored growth of alpha-beta's cost is what the searches of today cost."""

import csv

import pytest

from tools.benchmarks import growth


@pytest.fixture(scope="module")
def stored():
    with growth.GROWTH.open(encoding="utf-8") as file:
        return {row["depth"]: row for row in csv.DictReader(file)}


def test_knuth_moore_minimum_matches_known_trees():
    # 2 x 2 leaves: 3 must be looked at; 3 x 3 x 3: 9 + 3 - 1.
    assert growth.knuth_moore(2, 2) == 3
    assert growth.knuth_moore(3, 3) == 11
    assert growth.knuth_moore(1, 5) == 5


def test_stored_growth_matches_the_searches(stored):
    for row in growth.rows(range(4, 8), natural_up_to=7):
        assert {name: f"{n:,}" for name, n in row.items()} == stored[f"{row['depth']}"]


def test_ordering_and_table_go_below_the_minimum(stored):
    for depth, most in (("8", 0.5), ("12", 0.2)):
        last, least = (int(stored[depth][n].replace(",", "")) for n in (growth.LAST, "minimum"))
        assert last <= most * least
