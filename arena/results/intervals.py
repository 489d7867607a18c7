"""Results of many games: how sure are they?"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson_interval(wins: float, games: int, *, confidence: float = 0.95) -> tuple[float, float]:
    """Return (low, high), the Wilson score interval of the share of wins.

    ValueError unless 0 <= wins <= games, games >= 1 and 0 < confidence < 1.
    Source: Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
    """
    if not (games >= 1 and 0 <= wins <= games):
        raise ValueError(
            f"wins must be from 0 to games, games 1 or more; got {wins!r} of {games!r}"
        )
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1; got {confidence!r}")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share = wins / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    margin = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + z * z / (4 * games**2))
    return max(0.0, middle - margin), min(1.0, middle + margin)
