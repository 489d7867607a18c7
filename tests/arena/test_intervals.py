import pytest

from arena import wilson_interval


def test_ten_of_ten_leaves_room_below_one():
    # Limits of the score test for p = 1: low = n / (n + z^2).
    low, high = wilson_interval(10, 10)
    assert low == pytest.approx(10 / (10 + 1.959964**2), abs=1e-6)
    assert high == 1


def test_limits_are_where_the_score_test_just_rejects():
    low, high = wilson_interval(37, 100)
    for limit in (low, high):
        assert (0.37 - limit) ** 2 == pytest.approx(
            1.959964**2 * limit * (1 - limit) / 100, rel=1e-5
        )


def test_the_interval_is_mirrored_when_wins_and_losses_are():
    low, high = wilson_interval(3, 20)
    assert wilson_interval(17, 20) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize(("wins", "games"), [(1, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(wins, games):
    with pytest.raises(ValueError, match="wins"):
        wilson_interval(wins, games)
