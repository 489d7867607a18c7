"""Reference solutions of the exercises of notebook 11."""

from collections.abc import Sequence


def td_targets(values: Sequence[float], payoff: float) -> list[float]:
    """Return the target of each position of a game between two players who move in turn.

    `values` are those of the positions in order, each for its player to move; `payoff` is that of
    the player who would move at the end.  A value for the next player counts negatively for this
    one (Sutton and Barto, Reinforcement Learning, 2nd edition, section 6.1, for two players).
    """
    later = [*values[1:], payoff]
    return [-value for value in later]


def learnt(
    weights: Sequence[float], counts: Sequence[float], target: float, rate: float
) -> list[float]:
    """Return the weights after one step towards a target; the value is the sum of weight * count.

    Widrow and Hoff (1960): each weight changes in proportion to its count.
    """
    value = sum(weight * count for weight, count in zip(weights, counts, strict=True))
    step = rate * (target - value)
    return [weight + step * count for weight, count in zip(weights, counts, strict=True)]


def taught(
    game: Sequence[tuple[int, Sequence[int]]], utilities: Sequence[float]
) -> list[tuple[list[float], float]]:
    """Return the sample of each position of a game: the proportions of the visits, and a payoff.

    game       for each position the player to move, and the visits of each cell
    utilities  one payoff for each player; a position gets that of its player to move
    """
    samples = []
    for player, visits in game:
        policy = [n / sum(visits) for n in visits]
        samples.append((policy, utilities[player]))
    return samples
