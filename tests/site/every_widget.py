"""Widgets in a browser's Python, driven without a browser, as one line of JSON.

python every_widget.py
"""

import asyncio
import json
import time

from arena import capabilities
from course import PlayBoard, Playground
from course.widgets.runner import NO_STOP_MESSAGE
from gamelib import ConnectFour, SearchAgent, TicTacToe, minimax

said = {}
loop = asyncio.get_event_loop()
board = PlayBoard(TicTacToe(), {1: SearchAgent(minimax)})
said["a game"] = [repr(board.click(action)) for action in (0, 8)]
said["actions"] = board.actions
playground = Playground(TicTacToe(), algorithm="alphabeta")
said["a run"] = playground.run().value


def turns(until, seconds=60):
    """Let the loop run until something is true; where it cannot, it is true at once."""
    end = time.monotonic() + seconds
    while not until() and time.monotonic() < end and capabilities.yield_to_browser():
        pass


def deaf(state):
    while True:
        pass


if capabilities.can_suspend():
    heard = []
    playground = Playground(ConnectFour(), algorithm="mcts")
    playground._form.choose("mcts", simulations=10_000_000, rollout="take a win")
    playground._on_run_click()

    def stop_once_it_has_begun():
        if "best so far" in playground._remark:
            heard.append(True)
            playground.runner.stop()
        else:
            loop.call_later(0.1, stop_once_it_has_begun)

    stop_once_it_has_begun()
    turns(lambda: not playground.runner.running)
    said["stopped"] = playground.result and 0 < playground.result.stats.simulations < 10_000_000
    said["heard"] = heard
    board = PlayBoard(TicTacToe(), {0: deaf})
    board._one_move()
    loop.call_later(0.5, board._stop)
    turns(lambda: not board.runner.running)
    said["a deaf agent"] = (board.actions, board._remark)
said["it cannot be stopped"] = NO_STOP_MESSAGE in playground._engine.value
print(json.dumps(said))
