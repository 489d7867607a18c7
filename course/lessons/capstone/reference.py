"""Reference solutions of the exercises of notebook 08."""

from course.lessons.capstone.budget_match import BUDGET
from course.lessons.capstone.winning_cells import is_playable, winning_cells
from gamelib.games import ConnectFour
from gamelib.search import centre_first, iterative_deepening, open_windows
from gamelib.state import Action


def my_heuristic(state: ConnectFour, player: int) -> float:
    """Return an evaluation of the position for `player`, a number inside (-1, 1)."""
    to_move = state.current_player
    mine, theirs = winning_cells(state, to_move), winning_cells(state, 1 - to_move)
    if any(is_playable(state, cell) for cell in mine):
        value = 0.98
    elif sum(is_playable(state, cell) for cell in theirs) > 1:
        value = -0.97
    else:
        # Row 0 is on top: rows 1, 3 and 5 are good for X, and rows 0, 2 and 4 for O.
        good = sum(row % 2 != to_move for row, _ in mine)
        bad = sum(row % 2 == to_move for row, _ in theirs)
        threats = good - bad
        lead = open_windows(state, to_move) + 0.3 * threats
        value = 0.9 * lead / (1 + abs(lead))
    return value if player == to_move else -value


def my_agent(state: ConnectFour) -> Action:
    """Return a column, within the budget."""
    result = iterative_deepening(
        state,
        nodes=BUDGET - 30,
        evaluate=my_heuristic,
        order=centre_first,
        quick_wins=True,
    )
    return result.action
