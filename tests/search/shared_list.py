"""A game with the commonest slip of all, for the tests that must find it."""

from gamelib import GameState


class SharesItsList(GameState):
    """The commonest slip of all: the new state gets the list of the old one, changed."""

    num_players = 2

    def __init__(self, cells, current_player=0):
        self.cells, self.current_player = cells, current_player

    def legal_actions(self):
        return [cell for cell, owner in enumerate(self.cells) if owner is None]

    def successor(self, action):
        self.cells[action] = self.current_player
        return SharesItsList(self.cells, 1 - self.current_player)

    def is_terminal(self):
        return None not in self.cells

    def utilities(self):
        return (0, 0)
