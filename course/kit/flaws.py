"""What is wrong with each specimen: for teachers, and for checks after a student's attempt."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Flaw:
    """The flaw of one specimen.

    lab     the mini-lab that it belongs to
    line    the line of its source that is wrong
    repair  what should stand there; None where more than a line must change
    reason  why
    """

    lab: str
    line: str
    repair: str | None
    reason: str


FLAWS = {
    "TrustingTicTacToe": Flaw(
        "1C",
        "if type(action) is not int or action > 8:",
        "if type(action) is not int or action not in self.legal_actions():",
        "Only the upper end is checked: a taken cell is overwritten, -1 is the last cell, "
        "and the game goes on after its end.",
    ),
    "PoliteConnectFour": Flaw(
        "1C",
        "if type(action) is not int or action > 3:",
        "if type(action) is not int or action not in self.legal_actions():",
        "A full column drops no stone and still passes the turn; -1 is the last column.",
    ),
    "HastyTicTacToe": Flaw(
        "1C",
        "return (-1, 1) if self.current_player == 0 else (1, -1)",
        'return (1, -1) if self.has_line("X") else (-1, 1)',
        "The winner is taken to be whoever is not to move.  A board that was set up, with the same "
        "three in a row, can have either player to move.",
    ),
    "ThriftyTicTacToe": Flaw(
        "1C",
        'self.cells[action] = "XO"[self.current_player]\n'
        "        return type(self)(self.cells, 1 - self.current_player)",
        "cells = list(self.cells)\n"
        '        cells[action] = "XO"[self.current_player]\n'
        "        return type(self)(cells, 1 - self.current_player)",
        "All positions of a game share one list, so a search changes the board it came from.",
    ),
    "reluctant_points": Flaw(
        "2A",
        "return mine - theirs",
        "return (mine - theirs) / 100",
        "Two in an open line is worth 10, a win is worth 1: having a threat beats winning.",
    ),
    "two_step_win": Flaw(
        "2C",
        "if replies and all(2 in stones_in_lines(reply, mover) for reply in replies):",
        "if replies and all(\n"
        "            2 in stones_in_lines(reply, mover) and not reply.is_terminal()"
        " for reply in replies\n"
        "        ):",
        "It never asks whether the reply ends the game: the opponent may win first.",
    ),
    "hopeful_points": Flaw(
        "2D",
        "return (8 * mine - 9 * theirs + 3 * centre) / 100",
        "return (8 * mine - 8 * theirs + 3 * centre - 3 * (state.cell(1, 1) == 1 - player)) / 100",
        "What is good for one player is not as bad for the other, so -value is not the opponent's "
        "value: negamax takes it for that.",
    ),
    "fair_choice": Flaw(
        "3B",
        "scores[action] = -_window_value(state.successor(action), -inf, -alpha)",
        "scores[action] = -_window_value(state.successor(action), -inf, inf)",
        "After the first action a score equal to the best is a bound: the action may be worse.",
    ),
    "remembered_value": Flaw(
        "3D",
        "table[state] = best",
        "if alpha < best < beta:\n            table[state] = best",
        "After a cut, best is only a bound; it is stored as if it were exact.",
    ),
    "SteadfastMCTS": Flaw(
        "4A",
        "node.total += self.reward(utilities[self.root.chooser])",
        "node.total += self.reward(utilities[node.chooser])",
        "Every node stores the root player's rewards, so the opponent is expected to help.",
    ),
    "WinnerMCTS": Flaw(
        "4C",
        "return 1 if utility == 1 else 0",
        "return (utility + 1) / 2",
        "A draw brings as little as a loss.",
    ),
    "GrandMCTS": Flaw(
        "4C",
        "return 100 * utility",
        "return (utility + 1) / 2",
        "c = sqrt 2 is made for rewards from 0 to 1.  Beside rewards of 100 the bonus is nothing.",
    ),
    "proud_paranoid": Flaw(
        "6A",
        "return 1 if state.utility(me) == 1 else -1",
        "return state.utility(me)",
        "A draw scores like a loss, so a losing action is as good as one that draws.",
    ),
    "proof": Flaw(
        "6",
        'if "loss" in replies:',
        None,
        "With two players the next player's loss is my win.  With three, another may have won: "
        "a proof must keep the payoffs of all players, and the mover looks up their own.",
    ),
}
