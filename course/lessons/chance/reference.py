"""Reference solutions of the exercises of notebook 09."""

from collections.abc import Sequence

from gamelib.state import CHANCE, Action, GameState


def my_expected(state: GameState, player: int) -> float:
    """Return the expected payoff of `player`, if both play best."""
    if state.is_terminal():
        return state.utility(player)
    if state.current_player == CHANCE:
        return sum(p * my_expected(state.successor(a), player) for a, p in state.chance_outcomes())
    best = max if state.current_player == player else min
    return best(my_expected(state.successor(a), player) for a in state.legal_actions())


def expected_value(state: GameState, player: int) -> float:
    """Return the expected payoff of `player` with best play by both."""
    if state.is_terminal():
        return state.utility(player)
    if state.current_player == CHANCE:
        return sum(
            chance * expected_value(state.successor(outcome), player)
            for outcome, chance in state.chance_outcomes()
        )
    values = [expected_value(state.successor(action), player) for action in state.legal_actions()]
    return max(values) if state.current_player == player else min(values)


def drawn(outcomes: Sequence[tuple[Action, float]], number: float) -> Action:
    """Return the outcome that a random number from 0 to 1, 1 excluded, selects."""
    for outcome, chance in outcomes:
        if number < chance:
            return outcome
        number -= chance
    return outcomes[-1][0]


def mean_limits(
    chances: Sequence[float], known: Sequence[float], least: float, most: float
) -> tuple[float, float]:
    """Return the two limits of the mean if the values of the first outcomes are known."""
    sure = sum(chance * value for chance, value in zip(chances, known, strict=False))
    rest = sum(chances[len(known) :])
    return sure + rest * least, sure + rest * most


def child_window(
    chances: Sequence[float],
    known: Sequence[float],
    alpha: float,
    beta: float,
    least: float,
    most: float,
) -> tuple[float, float]:
    """Return the window of the first outcome with an unknown value (Ballard 1983: Star1).

    If its value is outside this window, the mean is outside alpha to beta for any values of the
    others.
    """
    sure = sum(chance * value for chance, value in zip(chances, known, strict=False))
    own, rest = chances[len(known)], sum(chances[len(known) + 1 :])
    return (alpha - sure - rest * most) / own, (beta - sure - rest * least) / own
