"""easyAI, a package of pure Python: its Negamax on its own games, which it gives as examples.

Its search has alpha-beta pruning always, and a table if one is handed over.  A win one ply sooner
is worth more to it, so that fewer values tie than in a search for win, draw or loss: where lines of
different lengths win, it walks a larger tree.
"""

try:
    from easyAI import Negamax
    from easyAI.AI.TranspositionTable import TranspositionTable
    from easyAI.games import ConnectFour, TicTacToe

    INSTALLED = True
except ImportError:
    INSTALLED = False


class Tabled:
    """What a table asks of a game, which these examples leave to their reader."""

    def ttentry(self) -> tuple[int, tuple[int, ...]]:
        return self.current_player, tuple(self.board)


class Counting:
    """Counts the moves that the search makes: the nodes below the root."""

    moves = 0

    def make_move(self, move: int) -> None:
        Counting.moves += 1
        super().make_move(move)


def tictactoe(*, table: bool = False, count: bool = False) -> tuple[float, int]:
    """Return (value for player 1, nodes if they are to be counted) of the empty board."""
    return _search(TicTacToe, 9, table, count)


def connect_four(depth: int, *, count: bool = False) -> tuple[float, int]:
    """Return (value for player 1, nodes if they are to be counted) of the empty board."""
    return _search(ConnectFour, depth, False, count)


def _search(game: type, depth: int, table: bool, count: bool) -> tuple[float, int]:
    bases = (*[Tabled] * table, *[Counting] * count, game)
    Counting.moves = 0
    search = Negamax(depth, tt=TranspositionTable() if table else None)
    search(type(game.__name__, bases, {})([None, None]))
    return search.alpha, Counting.moves + 1
