"""A game to play: every seat a human or an agent."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any

from ipywidgets import HTML, HBox, ToggleButton, VBox

from course.draw.words import capital
from course.kit.sound import after, sound
from course.widgets.boards import ClickableBoard
from course.widgets.hints import PATIENCE, hint, hint_of, is_open
from course.widgets.knobs import busy_bar, button, classed, row, side_by_side
from course.widgets.looks import Mark
from course.widgets.oracle import Known, RefusedError, verdicts
from course.widgets.panel import Notice, Panel, error_text, marked_up, remark, sent
from course.widgets.runner import Outcome
from course.widgets.seats import Seats, called, kind_of
from gamelib.agents import CHANGED, Agent, answered, facts, is_changed
from gamelib.check import check_state
from gamelib.search.limits import Progress, Stop
from gamelib.search.registry import accepted
from gamelib.search.rollouts import roll
from gamelib.state import CHANCE, Action, GameState, whole

Agents = Mapping[int, Agent | None]

DRAWN = "drawn"
PAUSE = 0.25  # seconds an agent's answer takes at least, so that a double click is no second action


class PlayBoard(Panel):
    """A game to play by clicking.

    `agents` names who plays: `{1: agent}` gives seat 1 to an agent, a function that returns an
    action for a state; every other seat is a human.  Where chance moves, the dice roll by
    themselves, from the seed `dice`: every game has others, and what is taken back comes again.
    With `dice=None` a click chooses what is rolled.  The lists below the board give a seat to
    somebody else, as `seat(1, "minimax", depth=3)` does.  From code, `click(action)` plays.
    """

    def __init__(
        self, state: GameState, agents: Agents | None = None, *, dice: int | None = 0
    ) -> None:
        _check_agents(state, agents or {})
        if dice is not None and whole(dice) is None:
            raise TypeError(f"dice must be a seed, an int, or None: chosen by hand; got {dice!r}")
        self.dice, self._game = dice, 0
        self.agents: dict[int, Agent | None] = {
            player: (agents or {}).get(player) for player in range(state.num_players)
        }
        self._lock = threading.RLock()
        self._positions = [state]
        self._actions: list[Action] = []
        self._thinking = self._watching = self._looking = False
        self._known: Known = {}
        self._reacted = 0.0  # when the latest button was clicked: squares clicked before are late
        self._roll()
        self._ended: list[str] = []  # for each game that was played to its end: who won
        self._board = ClickableBoard(state, self._clicked)
        self._status = HTML()
        self._score, self._remark, self._record = Notice(), Notice(), Notice()
        self._legend = Notice()  # of the verdicts: it takes no room from what else is to be said
        self._seats = Seats(state, self.agents, self._seat_chosen)
        notices = self._remark, self._legend, self._score, self._record
        beside = classed(VBox([self._controls(), self._seats, *notices]), "gl-rest")
        super().__init__(row(self._status, self._progress), side_by_side(self._board, beside))
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
            if self._actions and self.state.is_terminal():
                self._ended.pop()
            while self._actions:
                self._actions.pop()
                self._positions.pop()
                rolls = self.dice is not None and self.state.current_player == CHANCE
                if not rolls and not (self._agent_to_move() and self._has_human()):
                    break
            self._roll()
            self._show()

    def restart(self) -> None:
        """Begin a new game; a search under way is forgotten, and the score stays."""
        with self._lock:
            self._interrupt()
            del self._positions[1:], self._actions[:]
            self._game += 1
            self._roll()
            self._show()

    def swap_sides(self) -> None:
        """Give every seat to the one who sat before it; the position stays."""
        with self._lock:
            self._interrupt()
            agents = list(self.agents.values())
            self.agents = dict(enumerate([agents[-1], *agents[:-1]]))
            self._show()

    def seat(self, player: int, agent: Agent | str | None, **strength: Any) -> None:
        """Give a seat to an agent, or to one of the names in its list; None is a human.

        What is given besides, `depth`, `simulations`, `seconds` or `engine`, a search is to use.
        """
        chosen = self._seats[agent] if isinstance(agent, str) else agent
        _check_agents(self.state, {player: chosen})
        chosen = self._seats.tuned(chosen, **strength) if strength else chosen
        with self._lock:
            self._interrupt()
            self.agents[player] = chosen
            self._show()

    def hint(self) -> str:
        """Return which actions are best here, proven by a full search where that is possible."""
        self.wait()
        return hint(self.state)

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
            name: button(name, partial(self._react, reaction), tooltip)
            for name, reaction, tooltip in (
                ("Undo", self.undo, "Take back your last action"),
                ("New game", partial(self._then_on, self.restart), "Begin again; the score stays"),
                ("Swap sides", partial(self._then_on, self.swap_sides), "Change seats"),
                ("Hint", self._show_hint, "Show the best actions"),
                ("Next move", self._one_move, "Let the agent play one action"),
                ("Play on", self._play_on, "Let the agents play to the end"),
                ("Stop", self._stop, "Stop what is computing"),
            )
        }
        self._verdicts = ToggleButton(
            description="Verdicts", tooltip="Mark every action as proven win, draw or loss"
        )
        self._verdicts.observe(lambda _: self._show(), "value")
        self._progress = busy_bar()
        self._progress.layout.width = "120px"
        *others, stop = self._buttons.values()
        return row(*others, self._verdicts, stop)

    # --- playing ---

    def _clicked(self, action: Action) -> None:
        """React to a click in the browser: one that comes late or hits a taken cell is nothing."""
        with self._lock:
            if self._thinking or self._agent_to_move() or sent() < self._reacted:
                return
            if action in self.state.legal_actions():
                try:
                    self._play(action, pause=PAUSE)
                except Exception as error:  # of the game: nobody would see it otherwise
                    self._show()
                    self._say("error", error_text(error))
            elif not self.state.is_terminal():
                self._say("note", f"{self.state.action_name(action)} cannot be played.")

    def _play(self, action: Action, pause: float) -> None:
        with self._lock:
            self._interrupt()
            self._add(action)
            self._show_next(pause)

    def _add(self, action: Action) -> None:
        self._positions.append(sound(after(self.state, action)))
        self._actions.append(action)
        self._known = {}
        self._roll()
        if self.state.is_terminal():
            self._ended.append(self._winner())

    def _roll(self) -> None:
        """Let chance move, unless that is chosen by hand."""
        while self.dice is not None and self.state.current_player == CHANCE:
            # By the ply, so that nobody gets other dice by taking back.
            seed = f"{self.dice}/{self._game}/{len(self._actions)}"
            self._actions.append(roll(self.state, Random(seed)))
            self._positions.append(sound(after(self.state, self._actions[-1])))

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
                self._say("note", f"{text} {outcome.why}".strip())

    def _interrupt(self) -> None:
        self.runner.discard()
        self._thinking = self._watching = self._looking = False
        self._known = {}

    def _agent_to_move(self) -> bool:
        agent = self.agents.get(self.state.current_player)
        return not self.state.is_terminal() and agent is not None

    def _has_human(self) -> bool:
        return any(agent is None for agent in self.agents.values())

    # --- reactions to buttons ---

    def _react(self, reaction: Callable[[], object]) -> None:
        self._reacted = sent()
        reaction()

    def _then_on(self, change: Callable[[], None]) -> None:
        change()
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
            if self._known and not self._looking:
                self._say("note", hint_of(self.state, self._known))
            elif not self._thinking and not self.state.is_terminal():
                state = self.state
                self._look(
                    lambda progress, stop: hint(state, progress, stop), partial(self._say, "note")
                )

    def _look_up(self) -> None:
        """Find the verdicts on this position in the background, and show each once proven."""
        state = self.state

        def found(known: Known) -> None:
            with self._lock:
                if self._looking and state is self.state:
                    self._known = known
                    self._show_position()

        self._look(
            lambda progress, stop: verdicts(state, progress, stop, patience=PATIENCE, tell=found),
            self._show_verdicts,
        )

    def _look(self, work: Callable[[Progress, Stop], Any], then: Callable[[Any], object]) -> None:
        """Find something out about this position in the background, and tell it `then`."""
        state = self.state
        self._looking = True
        self._show_controls()

        def end(outcome: Outcome) -> None:
            with self._lock:
                if state is not self.state or self._thinking:
                    return
                self._looking = False
                self._show_controls()
                if isinstance(outcome.error, RefusedError):
                    self._say("note", f"Nothing can be proven here: {outcome.error}")
                elif outcome.error is not None:
                    self._say("error", error_text(outcome.error))
                elif outcome.status == "done":
                    then(outcome.result)
                else:
                    self._say("note", f"The solver was stopped. Ask again. {outcome.why}".strip())

        self.runner.start(work, on_progress=lambda share, best: None, on_end=end)

    # --- what is seen ---

    def _show(self) -> None:
        with self._lock:
            self._show_position()
            self._show_controls()
            self._remark.show("")
            self._legend.show("")
            wanted = self._verdicts.value and not self._thinking and not self.state.is_terminal()
            if wanted and not self._known:
                self._look_up()

    def _show_position(self) -> None:
        state = self.state
        marks: dict[Action, Mark] = {}
        if self._verdicts.value and not self._thinking:
            marks = dict.fromkeys(state.legal_actions(), Mark("?"))
            marks.update({action: verdict.mark() for action, verdict in self._known.items()})
        last = self._actions[-1] if self._actions else None
        self._board.show(state, last=last, marks=marks, waiting=self._thinking)
        self._status.value = f'<div class="gl-status" role="status">{marked_up(self._turn())}</div>'
        played = ", ".join(repr(action) for action in self._actions)
        record = f"Record: <code>{marked_up(f'.play({played})')}</code>"
        self._record.show(record if self._actions else "")
        self._score.show(remark("score", self._score_text()) if self._ended else "")

    def _show_controls(self) -> None:
        self._seats.show(self.agents)
        human, more = self._has_human(), self._agent_to_move() and not self._thinking
        agents, busy = any(self.agents.values()), self._thinking or self._looking
        shown = {
            "Next move": more or not human,
            "Play on": not human,
            "Stop": agents or busy,
            "Swap sides": agents,
        }
        for name, each in self._buttons.items():
            each.layout.display = "" if shown.get(name, True) else "none"
        self._buttons["Undo"].disabled = not self._actions
        self._buttons["Hint"].disabled = bool(self.state.is_terminal())  # numpy has its own
        self._buttons["Next move"].disabled = self._buttons["Play on"].disabled = not more
        self._buttons["New game"].button_style = "primary" if self.state.is_terminal() else ""
        self._buttons["Stop"].disabled = not busy
        self._progress.value = 0
        self._progress.layout.display = "" if agents or busy else "none"
        self._progress.layout.visibility = "visible" if self._thinking else "hidden"

    def _show_verdicts(self, known: Known | None) -> None:
        self._known = known or {}
        if not known:
            self._legend.show(remark("note", hint_of(self.state, None)))
            return
        self._show_position()
        name = self.state.player_name(self.state.current_player)
        legend = f"Proven, for {name}; a number counts the plies to the end."
        late = f"  ?: not proven in {PATIENCE} seconds." if is_open(self.state, known) else ""
        self._legend.show(remark("note", legend + late))

    def _say(self, kind: str, text: str) -> None:
        self._remark.show(remark(kind, text))

    def _turn(self) -> str:
        """Return in words what happens next."""
        if self.state.is_terminal():
            return self._end()
        if self._thinking:
            return capital(f"{self._seat()} is thinking ...")
        if self._agent_to_move():
            return capital(f"{self._seat()} to move.")
        whose = capital(self.state.status())
        return f"{whose}: your turn." if any(self.agents.values()) else whose

    def _end(self) -> str:
        """Return in words how the game ended, to the only human if there is one."""
        payoffs, how = self.state.utilities(), self.state.status()
        humans = [player for player, agent in self.agents.items() if agent is None]
        if len(humans) != 1 or not any(payoffs):
            return f"Game over: {how}."
        mine = payoffs[humans[0]]
        return "You won." if mine == max(payoffs) else f"You lost: {how}."

    def _winner(self) -> str:
        """Return whose win the last game was, as the score calls them."""
        payoffs = self.state.utilities()
        best = [player for player, payoff in enumerate(payoffs) if payoff == max(payoffs)]
        return self._called(best[0]) if len(best) == 1 else DRAWN

    def _called(self, player: int) -> str:
        """Return what the score calls a player: it goes with who sits there, not with the seat."""
        agent, name = self.agents[player], self.state.player_name(player)
        if agent is None:
            return "you" if list(self.agents.values()).count(None) == 1 else name
        alike = [
            other for other in self.agents.values() if other and called(other) == called(agent)
        ]
        return f"{called(agent)} as {name}" if len(alike) > 1 else called(agent)

    def _score_text(self) -> str:
        won = Counter(self._ended)
        players = dict.fromkeys([*map(self._called, self.agents), *sorted(won.keys() - {DRAWN})])
        return f"Games: {', '.join(f'{n} {won[n]}' for n in [*players, DRAWN])}."

    def _seat(self) -> str:
        """Return the player to move and the agent's name."""
        player = self.state.current_player
        agent = self.agents.get(player)
        name = self.state.player_name(player)
        return name if agent is None else f"{name} ({kind_of(agent)})"


def ask(agent: Agent, state: GameState, progress: Progress, stop: Stop) -> Action:
    """Return the agent's action; one that takes `progress` and `stop` is given them.

    ValueError if the agent changes the state that it is given, a copy.
    """
    handed, before = deepcopy(state), facts(state)
    action = answered(agent(handed, **accepted(agent, progress=progress, stop=stop)))
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
    sound(state)
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
