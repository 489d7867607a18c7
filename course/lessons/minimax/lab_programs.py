"""A search, a heuristic and a rule for labs 2C and 2E, for tic-tac-toe on 3 x 3 cells."""

from course.lessons.framework.lab_programs import LINES
from gamelib.games import TicTacToe
from gamelib.state import Action


def stones_in_lines(state: TicTacToe, player: int) -> list[int]:
    """Return how many stones a player has in each line in which nobody else has one."""
    owners = [state.cell(row, col) for row in range(3) for col in range(3)]
    lines = [[owners[cell] for cell in line] for line in LINES]
    return [line.count(player) for line in lines if line.count(player) + line.count(None) == 3]


def generous_points(state: TicTacToe, player: int) -> float:
    """Return 10 for two in an open line and 1 for one, less what the opponent has."""
    points = [0, 1, 10, 10]
    mine = sum(points[stones] for stones in stones_in_lines(state, player))
    theirs = sum(points[stones] for stones in stones_in_lines(state, 1 - player))
    return mine - theirs


def generous_minimax(state: TicTacToe, depth: int) -> Action:
    """Return the best action `depth` plies ahead, whatever numbers the heuristic returns."""
    me = state.current_player

    def value(state: TicTacToe, depth: int) -> float:
        if state.is_terminal():
            return state.utility(me)
        if depth == 0:
            return generous_points(state, me)
        choose = max if state.current_player == me else min
        return choose(value(state.successor(a), depth - 1) for a in state.legal_actions())

    return max(state.legal_actions(), key=lambda action: value(state.successor(action), depth - 1))


def two_step_win(state: TicTacToe) -> Action | None:
    """Return an action after which two in an open line remain, whatever the reply; None if none."""
    player = state.current_player
    for action in state.legal_actions():
        after = state.successor(action)
        replies = [after.successor(reply) for reply in after.legal_actions()]
        if replies and all(2 in stones_in_lines(reply, player) for reply in replies):
            return action
    return None
