"""The state of a game with its players, without widgets: actions, whose turn it is, and the score.

This module does not depend on a board or on threads: `GameSession(TicTacToe())` needs no widgets.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from copy import deepcopy
from random import Random

from course.draw.wording import capital
from course.exercises.validation import validated, validated_successor
from course.widgets.agent_choices import display_name, kind_of
from gamelib.agents import MUTATION_MESSAGE, Agent, has_changed, snapshot, validated_action
from gamelib.conformance import check_state
from gamelib.search.callbacks import Progress, Stop
from gamelib.search.registry import supported_options
from gamelib.search.rollouts import sample_outcome
from gamelib.state import CHANCE, Action, GameState

Agents = Mapping[int, Agent | None]
DRAWN = "drawn"


class GameSession:
    """A game and its players: `agents` maps seats to agents, and every other seat is a human's.

    Chance moves are drawn automatically, with other dice in every game, and with the same dice
    after an undo.
    """

    def __init__(self, state: GameState, agents: Agents | None = None) -> None:
        check_agents(state, agents or {})
        self._game = 0
        self.agents = dict.fromkeys(range(state.num_players)) | dict(agents or {})
        self._positions = [state]
        self._actions: list[Action] = []
        # Of each finished game, the winner and the sentence at its end.
        self._ended: list[tuple[str, str]] = []
        self._roll()

    @property
    def state(self) -> GameState:
        """The position on the board."""
        return self._positions[-1]

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions so far: `start.play(*actions)` is the position on the board."""
        return tuple(self._actions)

    # --- changes ---

    def _add(self, action: Action) -> None:
        self._place_action(action)
        self._roll()
        if self.state.is_terminal():
            self._ended.append((self._winner(), self._end()))

    def _place_action(self, action: Action) -> None:
        self._positions.append(validated(validated_successor(self.state, action)))
        self._actions.append(action)

    def _roll(self) -> None:
        while self.state.current_player == CHANCE:
            # Seeded by the ply, so that nobody gets other dice by taking moves back.
            self._place_action(
                sample_outcome(self.state, Random(f"0/{self._game}/{len(self._actions)}"))
            )

    def _take_back(self) -> None:
        """Take back the last action of a human, and the replies of agents and dice."""
        if self._actions and self.state.is_terminal():
            self._ended.pop()
        while self._actions:
            self._actions.pop()
            self._positions.pop()
            rolls = self.state.current_player == CHANCE
            if not rolls and not (self.agent_to_move and self.has_human):
                break
        self._roll()

    def _set_line(self, positions: list[GameState], actions: list[Action]) -> None:
        """Show the last of some earlier `positions` of this game, and take back what followed."""
        if self._actions and self.state.is_terminal():
            self._ended.pop()
        self._positions, self._actions = positions, actions

    def _begin_again(self) -> None:
        del self._positions[1:], self._actions[:]
        self._game += 1
        self._roll()

    def _swap_seats(self) -> None:
        agents = list(self.agents.values())
        self.agents = dict(enumerate([agents[-1], *agents[:-1]]))

    # --- texts ---

    @property
    def agent_to_move(self) -> bool:
        """Whether it is an agent's turn."""
        agent = self.agents.get(self.state.current_player)
        return not self.state.is_terminal() and agent is not None

    @property
    def has_human(self) -> bool:
        """Whether a human plays any seat."""
        return any(agent is None for agent in self.agents.values())

    def turn(self, thinking: bool = False) -> str:
        """Return a sentence about what happens next."""
        if self.state.is_terminal():
            # The result stays that of the players who played, even if they change seats now.
            return self._ended[-1][1] if self._actions else self._end()
        if thinking:
            return capital(f"{self.player_and_agent()} is thinking ...")
        if self.agent_to_move:
            return capital(f"{self.player_and_agent()} to move.")
        status = capital(self.state.status())
        return f"{status}: your turn." if any(self.agents.values()) else status

    def _end(self) -> str:
        """Return a sentence about the result, addressed to the only human if there is one."""
        payoffs, status = self.state.utilities(), self.state.status()
        humans = [player for player, agent in self.agents.items() if agent is None]
        if len(humans) != 1 or not any(payoffs):
            return f"Game over: {status}."
        payoff = payoffs[humans[0]]
        return "You won." if payoff == max(payoffs) else f"You lost: {status}."

    def _winner(self) -> str:
        """Return the winner of the last game, named as in the score."""
        payoffs = self.state.utilities()
        best = [player for player, payoff in enumerate(payoffs) if payoff == max(payoffs)]
        return self._score_name(best[0]) if len(best) == 1 else DRAWN

    def _score_name(self, player: int) -> str:
        """Return the name of a player in the score, which follows the agent and not the seat."""
        agent, name = self.agents[player], self.state.player_name(player)
        if agent is None:
            return "you" if list(self.agents.values()).count(None) == 1 else name
        names = [display_name(other) for other in self.agents.values() if other]
        agent_name = display_name(agent)
        return f"{agent_name} as {name}" if names.count(agent_name) > 1 else agent_name

    @property
    def score(self) -> str:
        """The number of games that each player has won; "" before the first has ended."""
        wins = Counter(winner for winner, _ in self._ended)
        players = dict.fromkeys(
            [*map(self._score_name, self.agents), *sorted(wins.keys() - {DRAWN})]
        )
        counts = ", ".join(f"{name} {wins[name]}" for name in [*players, DRAWN])
        return f"Games: {counts}." if wins else ""

    @property
    def record(self) -> str:
        """The call that plays these actions again; "" if there are none."""
        arguments = ", ".join(map(repr, self._actions))
        return f".play({arguments})" if arguments else ""

    def player_and_agent(self) -> str:
        """Return the player to move and the agent's name."""
        player = self.state.current_player
        agent, name = self.agents.get(player), self.state.player_name(player)
        return name if agent is None else f"{name} ({kind_of(agent)})"

    def state_text(self) -> str:
        """Return the position in one line."""
        return one_line(self.state)


def agent_action(agent: Agent, state: GameState, progress: Progress, stop: Stop) -> Action:
    """Return the agent's action; `progress` and `stop` are passed on if it supports them.

    ValueError if the agent mutates the state, of which it gets a copy.
    """
    copied, original = deepcopy(state), snapshot(state)
    action = validated_action(
        agent(copied, **supported_options(agent, progress=progress, stop=stop))
    )
    if has_changed(copied, original):
        raise ValueError(f"It {MUTATION_MESSAGE}.")
    return action


def one_line(state: GameState) -> str:
    """Return a position in one line that is the same in every run of a program."""
    text = repr(state)
    if " at 0x" in text:  # a class that does not define a repr
        return f"{type(state).__name__}: {' / '.join(str(state).split())}"
    name = type(state).__name__
    return f"{name}: {text[len(name) + 1 : -1]}" if text.startswith(f"{name}(") else text


def check_agents(state: GameState, agents: Agents) -> None:
    """Raise a TypeError or ValueError for an unknown seat or an invalid agent."""
    check_state(state)
    validated(state)
    if not isinstance(agents, Mapping):
        raise TypeError(f"agents must be like {{1: agent}}; got {agents!r}")
    for player, agent in agents.items():
        if type(player) is not int or not 0 <= player < state.num_players:
            seats = f"seats from 0 to {state.num_players - 1}"
            raise ValueError(f"agents must name {seats}; got {player!r}")
        if agent is not None and not callable(agent):
            name = f"the agent of seat {player}"
            raise TypeError(f"{name} must be a function of a state; got {agent!r}")
