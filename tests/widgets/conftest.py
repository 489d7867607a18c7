"""Widgets on a machine that is busy with other tests: who listens to Stop is always waited for."""

import comm
import pytest
from ipywidgets import Widget
from ipywidgets.widgets import widget as widget_module
from textbook import BINARY, HAND, THREE, TREE

from course import SearchStepper
from course.widgets import runner
from course.widgets.runner import SearchRunner
from gamefast.fast import is_available
from gamelib import (
    ConnectFour,
    GameTree,
    Nim,
    TicTacToe,
    alphabeta,
    best_reply,
    centre_first,
    iterative_deepening,
    maxn,
    mcts,
    minimax,
    negamax,
    open_windows,
    paranoid,
)

compiled = pytest.mark.skipif(not is_available(), reason="Numba is not installed")

EARLY = TicTacToe.parse("X.O/.X./O..", current_player=0)
FOUR = ConnectFour(3, 4, 3)

STEPPERS = {
    "minimax": (minimax, TREE, {}),
    "minimax on a board": (minimax, HAND, {}),
    "minimax, a heuristic": (minimax, FOUR, {"depth": 3, "evaluate": open_windows}),
    "negamax": (negamax, BINARY, {}),
    "alphabeta": (alphabeta, TREE, {}),
    "alphabeta, deep": (alphabeta, BINARY, {}),
    "alphabeta, strict": (alphabeta, GameTree([[10], [10, 0]]), {"strict": True}),
    "alphabeta on a board": (alphabeta, EARLY, {}),
    "alphabeta, ordered": (alphabeta, FOUR, {"depth": 4, "order": centre_first}),
    "alphabeta, a table": (alphabeta, EARLY, {"table": True}),
    "deepening": (iterative_deepening, BINARY, {"depth": 3}),
    "maxn": (maxn, THREE, {}),
    "paranoid": (paranoid, THREE, {}),
    "best reply": (best_reply, Nim([2, 1], num_players=3), {}),
    "nim": (alphabeta, Nim([1, 2]), {}),
    "mcts": (mcts, HAND, {"simulations": 40, "rng": 1}),
    "mcts, the solver": (mcts, HAND, {"simulations": 40, "rng": 1, "solver": True}),
    "mcts, no exploration": (mcts, HAND, {"simulations": 40, "rng": 2, "c": 0}),
    "mcts, much exploration": (mcts, EARLY, {"simulations": 60, "rng": 3, "c": 9}),
    "mcts on connect four": (mcts, ConnectFour(), {"simulations": 60, "rng": 4}),
    "mcts for three": (mcts, Nim([2, 2, 1], num_players=3), {"simulations": 50, "rng": 5}),
    "mcts, a wide board": (mcts, TicTacToe(), {"simulations": 60, "rng": 6}),
    "mcts, nim with proofs": (mcts, Nim([1, 2]), {"simulations": 50, "rng": 1, "solver": True}),
}


def stepper_of(name, **options):
    """Return one of the steppers above."""
    search, state, more = STEPPERS[name]
    return SearchStepper(search, state, **(more | options))


def asked(board, button):
    """Press Hint or Verdicts on a board, and wait for what comes of it."""
    if button == "Verdicts":
        board._verdicts.value = True
    else:
        board._buttons[button].click()
    board.wait()
    return board


def first(state):
    return state.legal_actions()[0]


async def later(state):
    return first(state)


def live_widgets() -> int:
    return len(widget_module._instances)


def turned(lab, **knobs) -> None:
    """Turn knobs, and wait for what comes of it."""
    for name, value in knobs.items():
        lab.controls[name].value = value
        lab.runner.wait()


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """Let no search that listens count as one that does not, however late it gets its turn."""
    monkeypatch.setattr(SearchRunner, "STOP_SECONDS", 60)
    monkeypatch.setattr(runner, "ANSWER", 60)


real_open = Widget.open


def open_without_state(self):
    """Open a widget, without the state that a browser would receive."""
    if self.comm is None:
        self.comm = comm.create_comm(target_name="jupyter.widget")


@pytest.fixture(autouse=True)
def unseen(request, monkeypatch):
    """Collect no first state of a widget, which takes four fifths of the time to create it.

    The tests that ask for `seen` or for messages collect it, and `test_sent_state.py` that of every
    public widget.  Later changes are sent as always.
    """
    if not {"seen", "messages_of"} & {*request.fixturenames}:
        monkeypatch.setattr(Widget, "open", open_without_state)


@pytest.fixture
def seen():
    """Create widgets as for a browser, with all their parts."""


@pytest.fixture
def impatient(patient, monkeypatch):
    """Wait only a moment for a search that does not listen."""
    monkeypatch.setattr(SearchRunner, "STOP_SECONDS", 0.3)


@pytest.fixture
def messages_of(monkeypatch):
    """Return a function that does something, and returns what went to the browser meanwhile.

    These are pairs (widget, keys); of a widget that is new, all of its keys.
    """
    sent = []
    opened = Widget.open

    def begin(self):
        sent.append((self, sorted(self.keys)))
        opened(self)

    def send(self, message, buffers=None):
        sent.append((self, sorted(message.get("state", {}))))

    def done(action):
        sent.clear()
        action()
        return sent[:]

    monkeypatch.setattr(Widget, "_send", send)
    monkeypatch.setattr(Widget, "open", begin)
    return done
