"""A multi-armed bandit: each arm pays one coin or none, with an unknown probability."""

import random
from collections.abc import Iterable
from math import inf, log, sqrt

from gamelib.search.mcts_tree import Ucb
from gamelib.state import as_int, is_number

PAYOUT_PROBABILITIES = (0.3, 0.5, 0.6)


class Arms:
    """The arms of a bandit, with their visits and rewards so far.

    `pull` draws one number from `rng`, and the arm pays if it is below the arm's probability.  So
    the same seed and the same pulls give the same rewards.  ValueError for invalid probabilities.
    """

    def __init__(self, probabilities: Iterable[float], rng: random.Random) -> None:
        values = tuple(probabilities) if isinstance(probabilities, Iterable) else ()
        if len(values) < 2 or not all(is_number(p) and 0 <= p <= 1 for p in values):
            raise ValueError(
                f"probabilities must be two or more numbers from 0 to 1; got {probabilities!r}"
            )
        self.probabilities, self._rng = values, rng
        self.visits, self.totals = [0] * len(values), [0] * len(values)

    def pull(self, arm: int) -> int:
        """Return the reward of one pull of an arm, 1 or 0; ValueError for an unknown arm."""
        if as_int(arm) not in range(len(self.probabilities)):
            raise ValueError(f"arm must be from 0 to {len(self.probabilities) - 1}; got {arm!r}")
        reward = int(self._rng.random() < self.probabilities[arm])
        self.visits[arm] += 1
        self.totals[arm] += reward
        return reward

    def rows(self, c: float) -> list[Ucb]:
        """Return both terms of the UCB1 score of each arm (Auer, Cesa-Bianchi and Fischer 2002).

        N is the number of all pulls so far; an arm without a pull has an infinite score.
        """
        coins = sum(self.visits)
        return [
            Ucb(arm, n, total / n, c * sqrt(log(coins) / n)) if n else Ucb(arm, 0, None, inf)
            for arm, (n, total) in enumerate(zip(self.visits, self.totals, strict=True))
        ]

    def ucb1(self, c: float) -> int:
        """Return the arm with the highest UCB1 score, the first of several; see `rows`."""
        if 0 in self.visits:
            return self.visits.index(0)
        known, totals = log(sum(self.visits)), zip(self.visits, self.totals, strict=True)
        scores = [total / n + c * sqrt(known / n) for n, total in totals]
        return scores.index(max(scores))

    @property
    def regret(self) -> float:
        """The expected loss of these pulls, in coins, compared with always pulling the best arm."""
        best = max(self.probabilities)
        return sum(n * (best - p) for n, p in zip(self.visits, self.probabilities, strict=True))
