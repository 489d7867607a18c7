"""Widgets in a browser's Python, driven without a browser, as one line of JSON.

python every_widget.py
"""

import asyncio
import json
import time

from arena import here
from course import PlayBoard, Playground, quiz
from course.widgets.runner import NO_STOP
from gamelib import ConnectFour, TicTacToe, mcts, minimax

said = {}
loop = asyncio.get_event_loop()
board = PlayBoard(TicTacToe(), {1: minimax})
said["a game"] = [repr(board.click(action)) for action in (0, 8)]
said["actions"] = board.actions
playground = Playground(TicTacToe(), algorithm="alphabeta")
said["a run"] = playground.run().value
said["a quiz"] = type(quiz("minimax")).__name__


def turns(until, seconds=60):
    """Let the loop run until something is true; where it cannot, it is true at once."""
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end and here.turn():
        pass


def deaf(state):
    while True:
        pass


if here.turns():
    heard = []
    playground = Playground(ConnectFour(), algorithm="mcts")
    playground.choose("mcts", simulations=10_000_000, engine="readable")
    playground._clicked_run()
    loop.call_later(0.4, lambda: heard.append(playground._progress.value > 0))
    loop.call_later(0.5, playground._stop)
    turns(lambda: not playground.runner.running)
    said["stopped"] = 0 < playground.result.stats.simulations < 10_000_000
    said["heard"] = heard
    board = PlayBoard(TicTacToe(), {0: deaf, 1: mcts})
    board._one_move()
    loop.call_later(0.5, board._stop)
    turns(lambda: not board.runner.running)
    said["a deaf agent"] = (board.actions, board._remark.value)
said["it cannot be stopped"] = NO_STOP in playground._engine.value
print(json.dumps(said))
