"""Trainings for labs 11B to 11D; each differs from `Training` in one place."""

from collections.abc import Mapping, Sequence
from random import Random

from course.lessons.learning.training import Game, Sample, Training


class OneSideTraining(Training):
    """A training whose samples are made in another way than in `Training`."""

    def make_samples(self, game: Game, utilities: Sequence[float]) -> list[Sample]:
        """Return a sample for each position of a game that ended with these payoffs."""
        samples = []
        for state, visits in game:
            policy = [visits.get(cell, 0) / sum(visits.values()) for cell in range(9)]
            samples.append(Sample(state, policy, utilities[0]))
        return samples


class ChampionTraining(Training):
    """A training whose samples are made in another way than in `Training`."""

    def make_samples(self, game: Game, utilities: Sequence[float]) -> list[Sample]:
        """Return a sample for each position of a game that ended with these payoffs."""
        samples = []
        for state, visits in game:
            policy = [visits.get(cell, 0) / sum(visits.values()) for cell in range(9)]
            if utilities[state.current_player] == 1:
                samples.append(Sample(state, policy, 1))
        return samples


class SteadyTraining(Training):
    """A training whose games are played in another way than in `Training`."""

    def add_noise(self, priors: Mapping[int, float], rng: Random) -> Mapping[int, float]:
        """Return the priors of a root."""
        return priors

    def choose(self, visits: Mapping[int, int], ply: int, rng: Random) -> int:
        """Return the action to play."""
        return max(visits, key=lambda action: visits[action])
