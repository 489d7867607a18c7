"""Solutions of the exercises of notebook 11, which the checks compare with."""

from collections.abc import Sequence


def td_targets(values: Sequence[float], payoff: float) -> list[float]:
    """Return the target of each position of a game; two players in turn.

    `values` are of the positions from first to last, each for the player to move there; `payoff` is
    of the player who would be to move at the end.  What is good for the next player is bad for this
    one (Sutton and Barto, Reinforcement Learning, 2nd edition, section 6.1, for two players).
    """
    later = [*values[1:], payoff]
    return [-value for value in later]


def learnt(
    weights: Sequence[float], counts: Sequence[float], target: float, rate: float
) -> list[float]:
    """Return the weights after one step towards a target; the value is the sum of weight * count.

    Widrow and Hoff (1960): each weight moves by its share in the error.
    """
    value = sum(weight * count for weight, count in zip(weights, counts, strict=True))
    step = rate * (target - value)
    return [weight + step * count for weight, count in zip(weights, counts, strict=True)]


def taught(
    game: Sequence[tuple[int, Sequence[int]]], utilities: Sequence[float]
) -> list[tuple[list[float], float]]:
    """Return what each position of a game teaches: the shares of the visits, and a payoff.

    game       of each position the player to move, and the visits of each cell
    utilities  at the end of the game, one per player; a position gets that of its player to move
    """
    samples = []
    for player, visits in game:
        policy = [n / sum(visits) for n in visits]
        samples.append((policy, utilities[player]))
    return samples
