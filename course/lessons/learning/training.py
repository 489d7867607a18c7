"""AlphaZero on a small scale (Silver and others 2017): a net learns from its own games."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from course.exercises.state_space import open_positions
from course.lessons.learning.accuracy import (
    START,
    Array,
    Share,
    accuracy_of_choices,
    accuracy_of_values,
    all_input_planes,
)
from course.lessons.learning.net import Net, NetOutput
from gamelib.games import TicTacToe
from gamelib.search import SearchResult, mcts
from gamelib.search.callbacks import Progress, SearchStopped, Stop

NetOutputs = Mapping[TicTacToe, NetOutput]
Game = Sequence[tuple[TicTacToe, Mapping[int, int]]]  # (position, visits of its cells) of each ply
SIMULATIONS, C = 25, 0.75
GAMES = 48  # in a round
STEPS, BATCH, RATE = 150, 128, 0.2  # of gradient descent, after each round
REPLAY_SIZE = 8000  # samples; the oldest ones are dropped
# plies at the start of a game whose action is drawn at random, weighted by visits
SAMPLED_PLIES = 4
NOISE = 0.25  # the part of noise in a prior at the root


class Sample(NamedTuple):
    """The training data of a position: the visits of its cells, as proportions, and the payoff."""

    state: TicTacToe
    policy: list[float]
    value: float


def puct_search(
    state: TicTacToe,
    opinions: NetOutputs,
    *,
    simulations: int = SIMULATIONS,
    root: Mapping[int, float] | None = None,
) -> SearchResult:
    """Return the result of PUCT with a net's outputs instead of priors and rollouts.

    `root` are other priors for the position that is searched.
    """

    def priors(node: TicTacToe) -> Mapping[int, float]:
        return root if root is not None and node == state else opinions[node].priors

    def evaluate(node: TicTacToe, player: int) -> float:
        value = opinions[node].value
        return value if player == node.current_player else -value

    return mcts(state, simulations=simulations, c=C, priors=priors, evaluate=evaluate, rng=0)


def prior_accuracy(opinions: NetOutputs) -> Share:
    """Return (right, all): the decisive positions in which the largest prior is optimal."""
    return accuracy_of_choices(lambda state: argmax(opinions[state].priors))


def search_accuracy(opinions: NetOutputs, simulations: int = SIMULATIONS) -> Share:
    """Return (right, all): the decisive positions in which PUCT with these outputs is optimal."""
    return accuracy_of_choices(lambda s: puct_search(s, opinions, simulations=simulations).action)


def argmax(liked: Mapping[int, float]) -> int:
    """Return the action with the largest number, the first of equals."""
    return max(liked, key=lambda action: liked[action])


class Training:
    """A net, the games that it learns from, and its accuracy after each round.

    `round()` plays games and learns; `rounds` has a row for each.  A round is atomic: if it is
    interrupted, or if it makes weights that are not numbers, everything stays as it was.  So a
    training that is stopped and continued gives the same net as one that is never stopped.
    """

    def __init__(self, seed: int = 0, *, rate: float = RATE) -> None:
        self.rng, self.rate = Random(seed), rate
        self.net = Net.drawn(self.rng)
        self.samples: list[Sample] = []
        self.rounds: list[dict[str, Any]] = []
        self.outputs: NetOutputs = self.net.outputs()
        self._note()

    def round(self, progress: Progress | None = None, stop: Stop | None = None) -> None:
        """Play games, and learn from them; SearchStopped if `stop` returns true."""
        rng, samples = Random(), [*self.samples]
        rng.setstate(self.rng.getstate())
        for game in range(GAMES):
            if stop and stop():
                raise SearchStopped
            if progress:
                progress(game / GAMES, None)
            samples += self.play(rng)
        samples = samples[-REPLAY_SIZE:]
        net = self.net.copy()
        self.learn(net, samples, rng, stop)
        opinions = net.outputs()
        self.net, self.samples, self.rng, self.outputs = net, samples, rng, opinions
        self._note()

    def curves(self) -> dict[str, dict[int, float]]:
        """Return {measure: {games: share of positions}}, for `charts.learning`."""
        names, rows = ("by priors", "by values"), self.rounds
        return {name: {row["games"]: row[name] / row["of"] for row in rows} for name in names}

    def play(self, rng: Random) -> list[Sample]:
        """Return the samples of a game of the net against itself."""
        state, found = START, []
        while not state.is_terminal():
            root = self.add_noise(self.outputs[state].priors, rng)
            visits = puct_search(state, self.outputs, root=root).visits or {}
            found.append((state, visits))
            state = state.successor(self.choose(visits, len(found), rng))
        return self.make_samples(found, state.utilities())

    def add_noise(self, priors: Mapping[int, float], rng: Random) -> Mapping[int, float]:
        """Return the priors of a root with random noise added."""
        noise = [rng.expovariate(1) for _ in priors]
        mixed = zip(priors.items(), noise, strict=True)
        return {a: (1 - NOISE) * prior + NOISE * n / sum(noise) for (a, prior), n in mixed}

    def choose(self, visits: Mapping[int, int], ply: int, rng: Random) -> int:
        """Return the action to play: at first drawn by its visits, later the most visited."""
        if ply <= SAMPLED_PLIES:
            return rng.choices([*visits], [*visits.values()])[0]
        return argmax(visits)

    def make_samples(self, game: Game, utilities: Sequence[float]) -> list[Sample]:
        """Return a sample for each position of a game that ended with these payoffs."""
        samples = []
        for state, visits in game:
            policy = [visits.get(cell, 0) / sum(visits.values()) for cell in range(9)]
            samples.append(Sample(state, policy, utilities[state.current_player]))
        return samples

    def learn(
        self, net: Net, samples: Sequence[Sample], rng: Random, stop: Stop | None = None
    ) -> None:
        """Train the net on random samples, each randomly rotated or mirrored."""
        places = {state: number for number, state in enumerate(open_positions(START))}
        inputs = all_input_planes()[[places[sample.state] for sample in samples]]
        policies = np.array([sample.policy for sample in samples])
        values = np.array([sample.value for sample in samples], dtype=float)
        for _ in range(STEPS):
            if stop and stop():
                raise SearchStopped
            drawn = [rng.randrange(len(samples)) for _ in range(BATCH)]
            cells = SYMMETRIES[rng.randrange(8)]
            both = np.hstack([cells, cells + 9])
            net.learn(inputs[drawn][:, both], policies[drawn][:, cells], values[drawn], self.rate)

    def _note(self) -> None:
        """Add a row with the accuracy of the net, by its priors and by its values."""
        values = np.array([self.outputs[state].value for state in open_positions(START)])
        alone, of = prior_accuracy(self.outputs)
        row = {"games": GAMES * len(self.rounds), "by priors": alone}
        self.rounds.append({**row, "by values": accuracy_of_values(values)[0], "of": of})


_QUARTERS = [np.rot90(np.arange(9).reshape(3, 3), quarter) for quarter in range(4)]
# The eight rotations and reflections of a board, as the old cell of each new one.
SYMMETRIES = [each.ravel() for board in _QUARTERS for each in (board, board[:, ::-1])]


def all_symmetries(states: Iterable[TicTacToe]) -> set[TicTacToe]:
    """Return the positions with all their rotations and reflections."""
    different = set(states)  # games meet the first positions again and again
    return {TicTacToe.parse(_turned(state, cells)) for state in different for cells in SYMMETRIES}


def _turned(state: TicTacToe, cells: Array) -> str:
    """Return the text of a board with its cells permuted."""
    marks = "".join(str(state).split())
    return "/".join("".join(marks[cell] for cell in row) for row in cells.reshape(3, 3))
