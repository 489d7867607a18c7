"""A bandit: arms that pay one coin or none, each with a chance that nobody is told."""

import random
from collections.abc import Iterable
from math import inf, log, sqrt

from gamelib.search.mcts_tree import Ucb
from gamelib.state import as_int, is_number

PAYOUT_PROBABILITIES = (0.3, 0.5, 0.6)


class Arms:
    """What the arms of a bandit have paid so far.

    `pull` draws one number from `rng`, below the chance of the arm if it pays; so the same seed and
    the same pulls bring the same coins.
    """

    def __init__(self, probabilities: Iterable[float], rng: random.Random) -> None:
        known = tuple(probabilities) if isinstance(probabilities, Iterable) else ()
        if len(known) < 2 or not all(is_number(p) and 0 <= p <= 1 for p in known):
            raise ValueError(
                f"chances must be two or more numbers from 0 to 1; got {probabilities!r}"
            )
        self.probabilities, self._rng = known, rng
        self.visits, self.totals = [0] * len(known), [0] * len(known)

    def pull(self, arm: int) -> int:
        """Return what a coin in this arm brings, 1 or 0; ValueError for an arm there is not."""
        if as_int(arm) not in range(len(self.probabilities)):
            raise ValueError(f"arm must be from 0 to {len(self.probabilities) - 1}; got {arm!r}")
        reward = int(self._rng.random() < self.probabilities[arm])
        self.visits[arm] += 1
        self.totals[arm] += reward
        return reward

    def rows(self, c: float) -> list[Ucb]:
        """Return both terms of the UCB1 score of each arm (Auer, Cesa-Bianchi and Fischer 2002).

        N counts all coins so far; an arm without a coin has an infinite score.
        """
        coins = sum(self.visits)
        return [
            Ucb(arm, n, total / n, c * sqrt(log(coins) / n)) if n else Ucb(arm, 0, None, inf)
            for arm, (n, total) in enumerate(zip(self.visits, self.totals, strict=True))
        ]

    def ucb1(self, c: float) -> int:
        """Return the arm with the highest UCB1 score, the first of several."""
        scores = [row.score for row in self.rows(c)]
        return scores.index(max(scores))

    @property
    def regret(self) -> float:
        """How many coins fewer these pulls bring, on average, than the best arm every time."""
        best = max(self.probabilities)
        return sum(n * (best - p) for n, p in zip(self.visits, self.probabilities, strict=True))
