"""A widget to play a game, in which each seat is taken by a human or an agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain, count
from typing import Any

from ipywidgets import HTML, Box, Dropdown, HBox, ToggleButton, VBox

from course.widgets import oracle
from course.widgets.agent_choices import (
    kind_of,
    normalized_name,
    opponents,
    strength_of,
    strengths,
    with_strength,
)
from course.widgets.clickable_board import ClickableBoard
from course.widgets.controls import add_css_classes, button, row
from course.widgets.game_review import ReviewedMove, review, unjudged_moves
from course.widgets.game_session import Agents, GameSession, agent_action, check_agents
from course.widgets.oracle import SOLVE_SECONDS, ExactValues, Mark, UnsolvableError
from course.widgets.panel import (
    Panel,
    ProgressBar,
    click_time,
    display,
    error_text,
    markup_to_html,
    message_html,
)
from course.widgets.review_pane import ReviewPane
from course.widgets.runner import RunOutcome, Work
from gamelib.agents import Agent, SearchAgent
from gamelib.search.callbacks import Progress, Stop
from gamelib.state import Action, GameState

# the minimal time of an agent's move, so that a double click does not play a second action
PAUSE = 0.25


class PlayBoard(GameSession, Panel):
    """A game to play by clicking.

    `agents` maps seats to agents: `{1: agent}` gives seat 1 to an agent, which is a function that
    returns an action for a state.  Every other seat is a human's.  Chance moves are drawn
    automatically, with other dice in every game, and with the same dice after an undo.  The lists
    below the board change who plays a seat.  From code, `click(action)` plays.
    """

    css = ("play_board.css",)

    def __init__(self, state: GameState, agents: Agents | None = None) -> None:
        GameSession.__init__(self, state, agents)
        self._thinking = self._watching = False
        self._known: ExactValues = {}
        # time of the last click on a button; earlier clicks on squares are out of date
        self._reacted = 0.0
        self._remark = self._legend = ""
        self._board = ClickableBoard(state, self._clicked)
        self._words = HTML()
        self._seats = SeatControls(state, self.agents, self._seat_chosen)
        self._review = ReviewPane(self._go_back_to)
        hands = add_css_classes(VBox([self._controls(), self._seats]), "gl-hands")
        parts = [self._words, self._board, hands, self._review]
        play = add_css_classes(Box(parts), "gl-play")
        Panel.__init__(self, add_css_classes(Box([play]), "gl-container"))
        self._show()

    def click(self, action: Action) -> GameState:
        """Play `action` for the player to move, let the agents move, and return the position.

        IllegalActionError if the action is not legal.
        """
        self.wait()
        self._change(partial(self._add, action), pause=0)
        self.wait()
        return self.state

    def undo(self) -> None:
        """Take back the last action of a human, and the agents' replies."""
        self._change(self._take_back)

    def restart(self) -> None:
        """Begin a new game; a running search is discarded, and the score stays."""
        self._change(self._begin_again)

    def swap_sides(self) -> None:
        """Pass each seat on to the next player; the position stays."""
        self._change(self._swap_seats)

    def seat(self, player: int, agent: Agent | None) -> None:
        """Give a seat to an agent, or to a human with None; errors are those of `check_agents`."""
        check_agents(self.state, {player: agent})
        self._change(lambda: self.agents.update({player: agent}))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        # The agents begin only when the board is displayed, so that the display does not depend on
        # their speed.
        bundle = super()._repr_mimebundle_(**kwargs)
        if self.has_human and self.agent_to_move:
            self._go_on(PAUSE)
        return bundle

    def picture(self) -> str:
        """Return the board."""
        return self.state._repr_svg_() or ""

    def _controls(self) -> HBox:
        anew = "Begin again; the score stays"
        self._buttons = {
            name: button(name, partial(self._on_click, reaction), tooltip)
            for name, reaction, tooltip in (
                ("Undo", self.undo, "Take back your last action"),
                ("New game", partial(self._change, self._begin_again, PAUSE), anew),
                ("Swap sides", partial(self._change, self._swap_seats, PAUSE), "Change seats"),
                ("Hint", self._show_hint, "Show the best actions"),
                ("Review", self._review_game, "Show how each move changed the result"),
                ("Next move", self._one_move, "Let the agent play one action"),
                ("Play on", self._play_on, "Let the agents play to the end"),
                ("Stop", self._stop, "Stop the computation"),
            )
        }
        tip = "Mark every action as proven win, draw or loss"
        self._verdicts = ToggleButton(description="Verdicts", tooltip=tip)
        self._verdicts.observe(lambda _: self._show(), "value")
        self._progress = ProgressBar()
        *others, stop = self._buttons.values()
        return row(*others, self._verdicts, stop, self._progress)

    # --- playing ---

    def _clicked(self, action: Action) -> None:
        """Handle a click in the browser; a late click, or one on a taken cell, is ignored."""
        with self.runner.lock:
            if self._thinking or self.agent_to_move or click_time() < self._reacted:
                return
            if action in self.state.legal_actions():
                try:
                    self._change(partial(self._add, action), PAUSE)
                except Exception as error:  # an error of the game, which would otherwise be lost
                    self._show()
                    self._say("error", error_text(error))
            elif not self.state.is_terminal():
                self._say("note", f"{self.state.action_name(action)} cannot be played.")

    def _change(self, change: Callable[[], object], pause: float | None = None) -> None:
        """Change the game or its seats, after cancelling any computation for the old position.

        pause  the minimal time of the agent's move that follows; with None the agent does not begin
        """
        with self.runner.lock:
            self.runner.discard()
            self._thinking = self._watching = False
            self._known = {}
            if self._review.busy:
                self._review.end()
            change()
            if pause is None:
                self._show()
            else:
                self._go_on(pause)

    def _go_on(self, pause: float) -> None:
        """Let the agent to move think, unless it waits for "Next move", and show the position.

        The position is shown once; if it is an agent's turn, the agent is already thinking.
        """
        if self._thinking or not self.agent_to_move or not (self.has_human or self._watching):
            self._show()
        else:
            self._think(pause)

    def _think(self, pause: float) -> None:
        with self.runner.lock:
            state = self.state
            agent = self.agents[state.current_player]
            assert agent is not None
            self._thinking, self._known = True, {}
            self._show()

            def work(progress: Progress, stop: Stop) -> Action:
                ready = time.monotonic() + pause
                action = agent_action(agent, state, progress, stop)
                while time.monotonic() < ready and not stop():
                    time.sleep(0.02)
                return action

            end = partial(self._answered, pause)
            self.runner.start(work, on_progress=self._progress.set_progress, on_end=end)

    def _answered(self, pause: float, outcome: RunOutcome) -> None:
        self._thinking = False
        try:
            if outcome.error is not None:
                raise outcome.error
            if outcome.status == "done" or outcome.result is not None:
                self._add(outcome.result)
        except BaseException as error:
            self._watching = False
            self._show()
            self._say("error", f"{self.player_and_agent()} failed. {error_text(error)}")
            return
        self._watching &= outcome.status == "done"
        if outcome.status == "done":
            self._go_on(pause)
            return
        self._show()
        if outcome.result is None:
            text = f"{self.player_and_agent()} was stopped. Press Next move to ask it again."
            self._say("note", f"{text} {outcome.reason}".strip())

    # --- reactions to buttons ---

    def _on_click(self, reaction: Callable[[], object]) -> None:
        self._reacted = click_time()
        reaction()

    def _seat_chosen(self, player: int, agent: Agent | None) -> None:
        self._change(lambda: self.agents.update({player: agent}), PAUSE)

    def _one_move(self) -> None:
        with self.runner.lock:
            if not self._thinking and self.agent_to_move:
                self._think(PAUSE)

    def _play_on(self) -> None:
        with self.runner.lock:
            self._watching = True
            self._go_on(PAUSE)

    def _stop(self) -> None:
        self._watching = False
        self.runner.stop()

    def _show_hint(self) -> None:
        with self.runner.lock:
            state = self.state
            if self._known and not self.runner.running:
                self._say("note", oracle.hint_of(state, self._known))
            elif not self._thinking and not state.is_terminal():
                self._look(
                    lambda _, stop: oracle.best_action_hint(state, stop), partial(self._say, "note")
                )

    def _look_up(self) -> None:
        """Find the exact values of this position in the background, and show each once proven."""
        state = self.state

        def work(progress: Progress, stop: Stop) -> ExactValues | None:
            return oracle.exact_action_values(
                state, stop, patience=SOLVE_SECONDS, on_update=partial(progress, 0)
            )

        self._look(work, self._show_verdicts)

    def _look(self, work: Work, then: Callable[[Any], object]) -> None:
        """Run `work` on this position in the background, and pass its result to `then`."""

        def end(outcome: RunOutcome) -> None:
            self._show_controls()
            if isinstance(outcome.error, UnsolvableError):
                self._say("note", f"Nothing can be proven here: {outcome.error}")
            elif outcome.error is not None:
                self._say("error", error_text(outcome.error))
            elif outcome.status == "done":
                then(outcome.result)
            else:
                self._say("note", f"The solver was stopped. Ask again. {outcome.reason}".strip())

        with self.runner.lock:
            self.runner.start(work, on_progress=self._show_found_values, on_end=end)
            self._show_controls()

    def _show_found_values(self, share: float, known: ExactValues) -> None:
        self._known = known
        self._show_position()

    # --- the review of a game ---

    def _review_game(self) -> None:
        """Find out in the background how each move of this game changed the result."""
        with self.runner.lock:
            if not self.state.is_terminal() or not self._actions:
                return
            self._reviewed = [*self._positions], [*self._actions]
            self._review.begin(unjudged_moves(*self._reviewed))
            self.runner.start(
                partial(review, *self._reviewed),
                on_progress=self._show_reviewed,
                on_end=self._end_review,
            )
            self._show_controls()

    def _show_reviewed(self, share: float, moves: list[ReviewedMove]) -> None:
        self._progress.set_progress(share)
        self._review.show(moves)

    def _end_review(self, outcome: RunOutcome) -> None:
        if outcome.result is not None:
            self._review.show(outcome.result)
        self._review.end()
        self._show_controls()
        if outcome.error is not None:
            self._say("error", error_text(outcome.error))
        elif outcome.reason:
            self._say("note", outcome.reason)

    def _go_back_to(self, ply: int) -> None:
        """Show the position before a move of the reviewed game, whose moves stay listed."""
        self._reacted = click_time()
        positions, actions = self._reviewed
        self._change(lambda: self._set_line(positions[: ply + 1], actions[:ply]))
        verdict = self._review.moves[ply].verdict
        name, player = self.state.action_name(actions[ply]), self.state.current_player
        move = f"Move {ply + 1} ({self.state.player_name(player)}, {name}): {verdict}."
        advice = "Try another move."
        if self.agent_to_move:
            advice = "Press Next move to ask the agent again, or give its seat to a human."
        self._say("note", f"{move} {advice}")

    def _begin_again(self) -> None:
        super()._begin_again()
        self._review.clear()

    # --- display ---

    def _show(self) -> None:
        with self.runner.lock:
            self._remark = self._legend = ""
            self._show_board()
            self._show_controls()
            self._show_words()
            wanted = self._verdicts.value and not self._thinking and not self.state.is_terminal()
            if wanted and not self._known:
                self._look_up()

    def _show_position(self) -> None:
        self._show_board()
        self._show_words()

    def _show_board(self) -> None:
        state = self.state
        marks: dict[Action, Mark] = {}
        if self._verdicts.value and not self._thinking:
            marks = dict.fromkeys(state.legal_actions(), Mark("?"))
            marks |= {action: verdict.mark() for action, verdict in self._known.items()}
        last = self._actions[-1] if self._actions else None
        self._board.show(state, last=last, marks=marks, waiting=self._thinking)
        self.update_picture()

    def _show_words(self) -> None:
        """Show all texts in one message, sent after the board that they are about."""
        record = (
            f"<div>Record: <code>{markup_to_html(self.record)}</code></div>" if self.record else ""
        )
        score = message_html("score", self.score) if self.score else ""
        turn = markup_to_html(self.turn(self._thinking))
        self._words.value = (
            f'<div class="gl-status" role="status">{turn}</div>'
            f'<div class="gl-facts">{self._remark}{self._legend}{score}{record}</div>'
        )

    def _show_controls(self) -> None:
        self._seats.show(self.agents)
        human, can_move = self.has_human, self.agent_to_move and not self._thinking
        agents, busy = any(self.agents.values()), self._thinking or self.runner.running
        shown = {
            "Next move": can_move or not human,
            "Play on": not human,
            "Stop": agents or busy,
            "Swap sides": agents,
            "Review": self.state.is_terminal() and bool(self._actions),
        }
        for name, widget in self._buttons.items():
            display(widget, shown.get(name, True))
        self._buttons["Undo"].disabled = not self._actions
        # because numpy has a bool of its own
        self._buttons["Hint"].disabled = bool(self.state.is_terminal())
        self._buttons["Next move"].disabled = self._buttons["Play on"].disabled = not can_move
        self._buttons["New game"].button_style = "primary" if self.state.is_terminal() else ""
        self._buttons["Stop"].disabled = not busy
        self._progress.show(self._thinking or self._review.busy)

    def _show_verdicts(self, known: ExactValues | None) -> None:
        self._known = known or {}
        self._legend = message_html("note", oracle.legend(self.state, known))
        self._show_position()

    def _say(self, kind: str, text: str) -> None:
        self._remark = message_html(kind, text)
        self._show_words()


class SeatControls(VBox):
    """A row for each seat: who plays it, and how strong it is.

    `on_choice(player, agent)` is called when another agent or a human is chosen.
    """

    def __init__(
        self,
        state: GameState,
        agents: Mapping[int, Agent | None],
        on_choice: Callable[[int, Agent | None], object],
    ) -> None:
        self._state, self._on_choice = state, on_choice
        self._names = opponents(state)
        self._tuned: dict[Agent, str] = {}  # agents whose strength was chosen here -> their name
        default_names = {normalized_name(name): name for name in self._names}
        # an agent of this game replaces the default one of the same name
        for agent in agents.values():
            if (
                name := default_names.pop(normalized_name(kind_of(agent)), None)
            ) and agent is not None:
                self._names[name] = agent
            self._name(agent)
        self.lists = [Dropdown(description=f"{state.player_name(p)} is") for p in agents]
        self.strengths = [Dropdown(description="with") for _ in agents]
        super().__init__([row(*pair) for pair in zip(self.lists, self.strengths, strict=True)])
        self.add_class("gl-seats")
        self.show(agents)
        for widgets, react in (
            (self.lists, self._seated),
            (self.strengths, self._on_strength_change),
        ):
            for player, widget in enumerate(widgets):
                widget.observe(partial(react, player), "value")

    def show(self, agents: Mapping[int, Agent | None]) -> None:
        """Show who plays each seat; an agent that is new is added to all lists."""
        self._told = False
        self._agents = dict(agents)
        names = [self._name(agent) for agent in agents.values()]
        rows = zip(names, agents.values(), self.lists, self.strengths, strict=True)
        for name, agent, choice, strength in rows:
            if len(choice.options) != len(self._names):
                choice.options = list(self._names)
            choice.value = name
            offered = tuple(strengths(agent))
            if strength.options != offered:
                strength.options = offered
            if isinstance(agent, SearchAgent) and offered:
                strength.value = strength_of(agent)
            display(strength, bool(offered))
        self._told = True

    def _name(self, agent: Agent | None) -> str:
        for name, agent_of_name in self._names.items():
            if agent_of_name is agent:
                return name
        if isinstance(agent, SearchAgent) and agent in self._tuned:
            return self._tuned[agent]
        first = kind_of(agent)
        names = chain([first], (f"{first} ({number})" for number in count(2)))
        name = next(candidate for candidate in names if candidate not in self._names)
        self._names[name] = agent
        return name

    def _seated(self, player: int, change: Any) -> None:
        if self._told:
            self._on_choice(player, self._names[change.new])

    def _on_strength_change(self, player: int, change: Any) -> None:
        agent = self._agents[player]
        if self._told and isinstance(agent, SearchAgent):
            tuned = with_strength(agent, **strengths(agent)[change.new])
            self._tuned[tuned] = self._name(agent)  # it has the same name in the lists
            self._on_choice(player, tuned)
