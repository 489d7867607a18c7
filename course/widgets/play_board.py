"""A game to play: every seat a human or an agent."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

from ipywidgets import HTML, Button, FloatProgress, HBox, Layout, ToggleButton

from course.draw.words import capital
from course.widgets.boards import ClickableBoard
from course.widgets.looks import Mark
from course.widgets.oracle import Verdict, best_actions, verdicts
from course.widgets.panel import Notice, Panel, error_text, marked_up, remark
from course.widgets.runner import DEAF, Outcome
from course.widgets.seats import Seats
from gamelib.agents import CHANGED, Agent, agent_name, facts, is_changed
from gamelib.search import safe_actions, two_step_wins, winning_actions
from gamelib.search.limits import Progress, Stop
from gamelib.search.registry import accepted
from gamelib.state import Action, GameState, check_state, from_numpy

Agents = Mapping[int, Agent | None]

PAUSE = 0.25  # seconds an agent's answer takes at least, so that a double click is no second action

PATIENCE = 8  # seconds to look for verdicts in the background


class PlayBoard(Panel):
    """A game to play by clicking.

    `agents` names who plays: `{1: agent}` gives seat 1 to an agent, a function that returns an
    action for a state; every other seat is a human.  The lists below the board give a seat to
    somebody else, as `seat(1, "minimax")` does.  From code, `click(action)` plays.
    """

    def __init__(self, state: GameState, agents: Agents | None = None) -> None:
        _check_agents(state, agents or {})
        self.agents: dict[int, Agent | None] = {
            player: (agents or {}).get(player) for player in range(state.num_players)
        }
        self._lock = threading.RLock()
        self._positions = [state]
        self._actions: list[Action] = []
        self._thinking = False
        self._watching = False
        self._known: Mapping[Action, Verdict] = {}
        self._board = ClickableBoard(state, self._clicked)
        self._status, self._remark, self._record = HTML(), Notice(), Notice()
        self._seats = Seats(state, self.agents, self._seat_chosen)
        super().__init__(
            *(self._status, self._board, self._controls(), self._seats),
            *(self._remark, self._record),
        )
        self._show()

    @property
    def state(self) -> GameState:
        """The position on the board."""
        return self._positions[-1]

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions played so far: `start.play(*actions)` is the position on the board."""
        return tuple(self._actions)

    def click(self, action: Action) -> GameState:
        """Play `action` for the player to move, let the agents answer, and return the position.

        IllegalActionError if the action is not legal.
        """
        self.wait()
        self._play(action, pause=0)
        self.wait()
        return self.state

    def start(self) -> GameState:
        """Let the agents move up to a human's turn or the end, and return the position."""
        self._watching = True
        self._go_on(pause=0)
        self.wait()
        return self.state

    def step(self) -> GameState:
        """Let the agent whose turn it is play one action, and return the position."""
        if not self._thinking and self._agent_to_move():
            self._watching = False
            self._think(pause=0)
        self.wait()
        return self.state

    def undo(self) -> None:
        """Take back the last action of a human, and what agents answered."""
        with self._lock:
            self._interrupt()
            while self._actions:
                self._actions.pop()
                self._positions.pop()
                if not self._agent_to_move() or not self._has_human():
                    break
            self._show()

    def restart(self) -> None:
        """Go back to the first position; a search under way is forgotten."""
        with self._lock:
            self._interrupt()
            del self._positions[1:], self._actions[:]
            self._show()

    def swap_sides(self) -> None:
        """Give every seat to the one who sat before it; the position stays."""
        with self._lock:
            self._interrupt()
            agents = list(self.agents.values())
            self.agents = dict(enumerate([agents[-1], *agents[:-1]]))
            self._show()

    def seat(self, player: int, agent: Agent | str | None) -> None:
        """Give a seat to an agent, or to one of the names in its list; None is a human."""
        chosen = self._seats[agent] if isinstance(agent, str) else agent
        _check_agents(self.state, {player: chosen})
        with self._lock:
            self._interrupt()
            self.agents[player] = chosen
            self._show()

    def hint(self) -> str:
        """Return which actions are best here, proven by a full search where that is possible."""
        self.wait()
        return self._hint_text(verdicts(self.state))

    def wait(self) -> None:
        """Return when no agent is thinking any more."""
        self.runner.wait()

    def state_text(self) -> str:
        """Return the position in one line."""
        return one_line(self.state)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        # The agents begin when the board is shown: what is shown does not depend on their speed.
        bundle = super()._repr_mimebundle_(**kwargs)
        if self._has_human():
            self._go_on(pause=PAUSE)
        return bundle

    def _controls(self) -> HBox:
        self._buttons = {
            name: Button(description=name, tooltip=tooltip)
            for name, tooltip in {
                "Undo": "Take back your last action",
                "Restart": "Begin a new game",
                "Swap sides": "Change seats",
                "Hint": "Show the best actions",
                "Next move": "Let the agent play one action",
                "Play on": "Let the agents play to the end",
                "Stop": "Stop the agent that is thinking",
            }.items()
        }
        self._verdicts = ToggleButton(
            description="Verdicts", tooltip="Mark every action as proven win, draw or loss"
        )
        for name, reaction in {
            "Undo": self._undo_and_go_on,
            "Restart": self._restart_and_go_on,
            "Swap sides": self._swap_and_go_on,
            "Hint": self._show_hint,
            "Next move": self._one_move,
            "Play on": self._play_on,
            "Stop": self._stop,
        }.items():
            self._buttons[name].on_click(lambda _, reaction=reaction: reaction())
        self._verdicts.observe(lambda _: self._show(), "value")
        self._progress = FloatProgress(min=0, max=1, layout=Layout(width="120px"))
        self._progress.add_class("gl-busy")
        stop = self._buttons["Stop"]
        others = [button for button in self._buttons.values() if button is not stop]
        row = HBox([*others, self._verdicts, stop, self._progress])
        row.add_class("gl-row")
        return row

    # --- playing ---

    def _clicked(self, action: Action) -> None:
        """React to a click in the browser: one that comes late or hits a taken cell is nothing."""
        with self._lock:
            if self._thinking or self._agent_to_move():
                return
            if action in self.state.legal_actions():
                self._play(action, pause=PAUSE)
            elif not self.state.is_terminal():
                self._say("note", f"{self.state.action_name(action)} cannot be played.")

    def _play(self, action: Action, pause: float) -> None:
        with self._lock:
            self._interrupt()
            self._add(action)
            self._show_next(pause)

    def _add(self, action: Action) -> None:
        self._positions.append(self.state.successor(action))
        self._actions.append(action)
        self._known = {}

    def _go_on(self, pause: float) -> bool:
        """Let the agent think whose turn it is, unless all wait for Next move; whether it does."""
        begins = not self._thinking and self._agent_to_move()
        begins = begins and (self._has_human() or self._watching)
        if begins:
            self._think(pause)
        return begins

    def _show_next(self, pause: float) -> None:
        """Show the position once: with the agent already thinking, if it is an agent's turn."""
        if not self._go_on(pause):
            self._show()

    def _think(self, pause: float) -> None:
        with self._lock:
            state, player = self.state, self.state.current_player
            agent = self.agents[player]
            assert agent is not None
            self._thinking, self._known = True, {}
            self._show()

            def work(progress: Progress, stop: Stop) -> Action:
                ready = time.monotonic() + pause
                action = ask(agent, state, progress, stop)
                while time.monotonic() < ready and not stop():
                    time.sleep(0.02)
                return action

            self.runner.start(
                work,
                on_progress=lambda share, best: setattr(self._progress, "value", share),
                on_end=lambda outcome: self._answered(outcome, pause),
            )

    def _answered(self, outcome: Outcome, pause: float) -> None:
        with self._lock:
            self._thinking = False
            try:
                if outcome.error is not None:
                    raise outcome.error
                if outcome.status == "done" or outcome.result is not None:
                    self._add(outcome.result)
            except BaseException as error:
                self._watching = False
                self._show()
                self._say("error", f"{self._seat()} failed. {error_text(error)}")
                return
            if outcome.status == "done":
                self._show_next(pause)
                return
            self._watching = False
            self._show()
            if outcome.result is None:
                text = f"{self._seat()} was stopped. Press Next move to ask it again."
                self._say("note", f"{text} {DEAF}" if outcome.late else text)

    def _interrupt(self) -> None:
        self.runner.discard()
        self._thinking = self._watching = False
        self._known = {}

    def _agent_to_move(self) -> bool:
        return not self.state.is_terminal() and bool(self.agents[self.state.current_player])

    def _has_human(self) -> bool:
        return any(agent is None for agent in self.agents.values())

    # --- reactions to buttons ---

    def _undo_and_go_on(self) -> None:
        self.undo()

    def _restart_and_go_on(self) -> None:
        self.restart()
        self._go_on(PAUSE)

    def _swap_and_go_on(self) -> None:
        self.swap_sides()
        self._go_on(PAUSE)

    def _seat_chosen(self, player: int, agent: Agent | None) -> None:
        self.seat(player, agent)
        self._go_on(PAUSE)

    def _one_move(self) -> None:
        with self._lock:
            if not self._thinking and self._agent_to_move():
                self._think(PAUSE)

    def _play_on(self) -> None:
        with self._lock:
            self._watching = True
            self._go_on(PAUSE)
            self._show()

    def _stop(self) -> None:
        self._watching = False
        self.runner.stop()

    def _show_hint(self) -> None:
        with self._lock:
            if not self._thinking and not self.state.is_terminal():
                self._look_up(lambda: self._say("note", self._hint_text(self._known or None)))

    def _look_up(self, then: Callable[[], object]) -> None:
        """Find the verdicts on this position in the background, then show them."""
        state = self.state

        def end(outcome: Outcome) -> None:
            with self._lock:
                if outcome.error is not None:
                    self._say("error", error_text(outcome.error))
                elif state is not self.state or self._thinking:
                    return
                elif outcome.status == "done":
                    self._known = outcome.result or {}
                    then()
                else:
                    self._say("note", "The solver was stopped. Ask again.")

        self.runner.start(
            lambda progress, stop: verdicts(state, progress, stop, patience=PATIENCE, partial=True),
            on_progress=lambda share, best: None,
            on_end=end,
        )

    def _hint_text(self, known: Mapping[Action, Verdict] | None) -> str:
        if self.state.is_terminal():
            return "The game is over."
        if known is None:
            two = self.state.num_players == 2
            why = "Too large to prove anything here." if two else "It depends on the others."
            return f"{why}  {self._guess()}"
        best = best_actions(known)
        result = known[best[0]].result
        if self._is_open(known) and result != "win":
            return f"Not everything is proven here.  {self._guess()}"
        if len(best) == len(self.state.legal_actions()):
            return f"Every action is a proven {result}."
        return f"Best, with a proven {result}: {self._names(best)}."

    def _is_open(self, known: Mapping[Action, Verdict]) -> bool:
        """Return whether an action that is not proven could be the best one."""
        return self.state.num_players == 2 and len(known) < len(self.state.legal_actions())

    def _guess(self) -> str:
        """Return what looking two moves ahead proves, if anything."""
        state, legal = self.state, self.state.legal_actions()
        if wins := winning_actions(state):
            return f"This wins at once: {self._names(wins)}."
        if wins := two_step_wins(state):
            return f"This wins with the next move, whatever the reply: {self._names(wins)}."
        if not (safe := safe_actions(state)):
            return "After every action another player can win."
        if len(safe) < len(legal):
            return f"Only this leaves no other player a win: {self._names(safe)}."
        return "Two moves ahead nothing is forced, so no action is named."

    def _names(self, actions: Iterable[Action]) -> str:
        return "; ".join(map(self.state.action_name, actions))

    # --- what is seen ---

    def _show(self) -> None:
        with self._lock:
            self._show_position()
            self._show_controls()
            wanted = self._verdicts.value and not self._thinking and not self.state.is_terminal()
            if wanted and not self._known:
                self._look_up(self._show_verdicts)

    def _show_position(self) -> None:
        state = self.state
        marks: dict[Action, Mark] = {}
        if self._verdicts.value and not self._thinking:
            marks = dict.fromkeys(state.legal_actions(), Mark("?"))
            marks.update({action: verdict.mark() for action, verdict in self._known.items()})
        last = self._actions[-1] if self._actions else None
        self._board.show(state, last=last, marks=marks, waiting=self._thinking)
        self._status.value = f'<div class="gl-status" role="status">{marked_up(self._turn())}</div>'
        self._remark.show("")
        played = ", ".join(repr(action) for action in self._actions)
        record = f"Record: <code>{marked_up(f'.play({played})')}</code>"
        self._record.show(record if self._actions else "")

    def _show_controls(self) -> None:
        self._seats.show(self.agents)
        human, more = self._has_human(), self._agent_to_move() and not self._thinking
        agents = any(self.agents.values())
        shown = {
            "Next move": more or not human,
            "Play on": not human,
            "Stop": agents,
            "Swap sides": agents,
        }
        for name, button in self._buttons.items():
            button.layout.display = "" if shown.get(name, True) else "none"
        self._buttons["Undo"].disabled = not self._actions
        self._buttons["Hint"].disabled = bool(self.state.is_terminal())  # numpy has its own
        self._buttons["Next move"].disabled = self._buttons["Play on"].disabled = not more
        self._buttons["Stop"].disabled = not self._thinking
        self._progress.value = 0
        self._progress.layout.display = "" if agents else "none"
        self._progress.layout.visibility = "visible" if self._thinking else "hidden"

    def _show_verdicts(self) -> None:
        if not self._known:
            self._say("note", self._hint_text(None))
            return
        self._show()
        if self._is_open(self._known):
            self._say("note", f"?: not proven in {PATIENCE} seconds.")

    def _say(self, kind: str, text: str) -> None:
        self._remark.show(remark(kind, text))

    def _turn(self) -> str:
        """Return in words what happens next."""
        if self.state.is_terminal():
            return f"Game over: {self.state.status()}."
        if self._thinking:
            return capital(f"{self._seat()} is thinking ...")
        if self._agent_to_move():
            return capital(f"{self._seat()} to move.")
        whose = capital(self.state.status())
        return f"{whose}: your turn." if any(self.agents.values()) else whose

    def _seat(self) -> str:
        """Return the player to move and the agent's name."""
        player = self.state.current_player
        agent = self.agents[player]
        name = self.state.player_name(player)
        return name if agent is None else f"{name} ({agent_name(agent)})"


def ask(agent: Agent, state: GameState, progress: Progress, stop: Stop) -> Action:
    """Return the agent's action; one that takes `progress` and `stop` is given them.

    ValueError if the agent changes the state that it is given, a copy.
    """
    handed, before = deepcopy(state), facts(state)
    action = from_numpy(agent(handed, **accepted(agent, progress=progress, stop=stop)))
    if is_changed(handed, before):
        raise ValueError(f"It {CHANGED}.")
    return action


def one_line(state: GameState) -> str:
    """Return a position in one line, the same in every run of a program."""
    text = repr(state)
    if " at 0x" in text:  # a class without a repr of its own
        return f"{type(state).__name__}: {' / '.join(str(state).split())}"
    name = type(state).__name__
    return f"{name}: {text[len(name) + 1 : -1]}" if text.startswith(f"{name}(") else text


def _check_agents(state: GameState, agents: Agents) -> None:
    check_state(state)
    if not isinstance(agents, Mapping):
        raise TypeError(f"agents must be like {{1: agent}}; got {agents!r}")
    for player, agent in agents.items():
        if type(player) is not int or not 0 <= player < state.num_players:
            raise ValueError(
                f"agents must name seats from 0 to {state.num_players - 1}; got {player!r}"
            )
        if agent is not None and not callable(agent):
            raise TypeError(
                f"the agent of seat {player} must be a function of a state; got {agent!r}"
            )
