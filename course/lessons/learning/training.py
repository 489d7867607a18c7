"""AlphaZero in small (Silver and others 2017): a net learns from the games that it plays."""

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
Game = Sequence[tuple[TicTacToe, Mapping[int, int]]]  # each position, and the visits of its cells
SIMULATIONS, C = 25, 0.75
GAMES = 48  # of a round
STEPS, BATCH, RATE = 150, 128, 0.2  # of learning, after each round
REPLAY_SIZE = 8000  # samples; the oldest are forgotten
SAMPLED_PLIES = 4  # plies of a game whose action is drawn by lot, by its visits
NOISE = 0.25  # of a prior at the root


class Sample(NamedTuple):
    """What a position of a game teaches: the visits of its cells, as shares, and the payoff."""

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
    """Return what PUCT finds with a net's opinions, in the place of priors and rollouts.

    `root` are other priors for the position that is searched.
    """

    def priors(node: TicTacToe) -> Mapping[int, float]:
        return root if root is not None and node == state else opinions[node].priors

    def evaluate(node: TicTacToe, player: int) -> float:
        value = opinions[node].value
        return value if player == node.current_player else -value

    return mcts(state, simulations=simulations, c=C, priors=priors, evaluate=evaluate, rng=0)


def prior_accuracy(opinions: NetOutputs) -> Share:
    """Return in how many positions the largest prior is of an optimal action; of how many."""
    return accuracy_of_choices(lambda state: argmax(opinions[state].priors))


def search_accuracy(opinions: NetOutputs, simulations: int = SIMULATIONS) -> Share:
    """Return in how many positions PUCT with these opinions is right; of how many."""
    return accuracy_of_choices(lambda s: puct_search(s, opinions, simulations=simulations).action)


def argmax(liked: Mapping[int, float]) -> int:
    """Return the action of the largest number, the first one of equals."""
    return max(liked, key=lambda action: liked[action])


class Training:
    """A net, the games that it learns from, and how good it has become.

    `round()` plays games and learns; `rounds` holds a row for each.  A round counts as a whole or
    not at all: one that is interrupted, or that makes weights of it that are no numbers, leaves
    everything as it was.  So who stops and goes on gets the same net as who never stops.
    """

    def __init__(self, seed: int = 0, *, rate: float = RATE) -> None:
        self.rng, self.rate = Random(seed), rate
        self.net = Net.drawn(self.rng)
        self.samples: list[Sample] = []
        self.rounds: list[dict[str, Any]] = []
        self.outputs: NetOutputs = self.net.outputs()
        self._note()

    def round(self, progress: Progress | None = None, stop: Stop | None = None) -> None:
        """Play games, and learn from them; SearchStopped if `stop` says so."""
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
        self.learn(net, samples, rng)
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
        """Return the priors of a root, with a part that is drawn by lot."""
        noise = [rng.expovariate(1) for _ in priors]
        mixed = zip(priors.items(), noise, strict=True)
        return {a: (1 - NOISE) * prior + NOISE * n / sum(noise) for (a, prior), n in mixed}

    def choose(self, visits: Mapping[int, int], ply: int, rng: Random) -> int:
        """Return the action to play: drawn by its visits at first, later the most visited."""
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

    def learn(self, net: Net, samples: Sequence[Sample], rng: Random) -> None:
        """Let the net learn from samples drawn by lot, each turned or mirrored by lot."""
        places = {state: number for number, state in enumerate(open_positions(START))}
        inputs = all_input_planes()[[places[sample.state] for sample in samples]]
        policies = np.array([sample.policy for sample in samples])
        values = np.array([sample.value for sample in samples], dtype=float)
        for _ in range(STEPS):
            drawn = [rng.randrange(len(samples)) for _ in range(BATCH)]
            cells = SYMMETRIES[rng.randrange(8)]
            both = np.hstack([cells, cells + 9])
            net.learn(inputs[drawn][:, both], policies[drawn][:, cells], values[drawn], self.rate)

    def _note(self) -> None:
        """Add a row: how many positions the net is right in, by its priors and by its values."""
        values = np.array([self.outputs[state].value for state in open_positions(START)])
        alone, of = prior_accuracy(self.outputs)
        row = {"games": GAMES * len(self.rounds), "by priors": alone}
        self.rounds.append({**row, "by values": accuracy_of_values(values)[0], "of": of})


_QUARTERS = [np.rot90(np.arange(9).reshape(3, 3), quarter) for quarter in range(4)]
# The eight ways to turn and mirror a board, each as the cell that comes to each.
SYMMETRIES = [each.ravel() for board in _QUARTERS for each in (board, board[:, ::-1])]


def all_symmetries(states: Iterable[TicTacToe]) -> set[TicTacToe]:
    """Return the positions, and all that they become when the board is turned or mirrored."""
    return {TicTacToe.parse(_turned(state, cells)) for state in states for cells in SYMMETRIES}


def _turned(state: TicTacToe, cells: Array) -> str:
    """Return the text of a board on which other cells have come to each place."""
    marks = "".join(str(state).split())
    return "/".join("".join(marks[cell] for cell in row) for row in cells.reshape(3, 3))
