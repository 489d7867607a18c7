"""A game and who plays it: what was played, whose turn it is, who won how often.

Nothing here knows how a board looks, or who thinks in which thread: `GameSession(TicTacToe())`
needs no widgets.
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
    """A game to play: `agents` names who sits where, and every other seat is a human.

    Where chance moves, the dice roll by themselves: every game has others, and what is taken back
    comes again.
    """

    def __init__(self, state: GameState, agents: Agents | None = None) -> None:
        check_agents(state, agents or {})
        self._game = 0
        self.agents = dict.fromkeys(range(state.num_players)) | dict(agents or {})
        self._positions = [state]
        self._actions: list[Action] = []
        self._ended: list[str] = []  # for each game that was played to its end: who won
        self._roll()

    @property
    def state(self) -> GameState:
        """The position on the board."""
        return self._positions[-1]

    @property
    def actions(self) -> tuple[Action, ...]:
        """The actions played so far: `start.play(*actions)` is the position on the board."""
        return tuple(self._actions)

    # --- what changes it ---

    def _add(self, action: Action) -> None:
        self._place_action(action)
        self._roll()
        if self.state.is_terminal():
            self._ended.append(self._winner())

    def _place_action(self, action: Action) -> None:
        self._positions.append(validated(validated_successor(self.state, action)))
        self._actions.append(action)

    def _roll(self) -> None:
        while self.state.current_player == CHANCE:
            # By the ply, so that nobody gets other dice by taking back.
            self._place_action(
                sample_outcome(self.state, Random(f"0/{self._game}/{len(self._actions)}"))
            )

    def _take_back(self) -> None:
        """Take back the last action of a human, and what agents and dice answered."""
        if self._actions and self.state.is_terminal():
            self._ended.pop()
        while self._actions:
            self._actions.pop()
            self._positions.pop()
            rolls = self.state.current_player == CHANCE
            if not rolls and not (self.agent_to_move and self.has_human):
                break
        self._roll()

    def _begin_again(self) -> None:
        del self._positions[1:], self._actions[:]
        self._game += 1
        self._roll()

    def _swap_seats(self) -> None:
        agents = list(self.agents.values())
        self.agents = dict(enumerate([agents[-1], *agents[:-1]]))

    # --- what there is to say ---

    @property
    def agent_to_move(self) -> bool:
        """Whether it is an agent's turn."""
        agent = self.agents.get(self.state.current_player)
        return not self.state.is_terminal() and agent is not None

    @property
    def has_human(self) -> bool:
        """Whether a human sits in any seat."""
        return any(agent is None for agent in self.agents.values())

    def turn(self, thinking: bool = False) -> str:
        """Return in words what happens next."""
        if self.state.is_terminal():
            return self._end()
        if thinking:
            return capital(f"{self.player_and_agent()} is thinking ...")
        if self.agent_to_move:
            return capital(f"{self.player_and_agent()} to move.")
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
        return self._score_name(best[0]) if len(best) == 1 else DRAWN

    def _score_name(self, player: int) -> str:
        """Return what the score calls a player: it goes with who sits there, not with the seat."""
        agent, name = self.agents[player], self.state.player_name(player)
        if agent is None:
            return "you" if list(self.agents.values()).count(None) == 1 else name
        names = [display_name(other) for other in self.agents.values() if other]
        own = display_name(agent)
        return f"{own} as {name}" if names.count(own) > 1 else own

    @property
    def score(self) -> str:
        """Who won how many games; "" before the first has ended."""
        won = Counter(self._ended)
        players = dict.fromkeys(
            [*map(self._score_name, self.agents), *sorted(won.keys() - {DRAWN})]
        )
        counts = ", ".join(f"{name} {won[name]}" for name in [*players, DRAWN])
        return f"Games: {counts}." if won else ""

    @property
    def record(self) -> str:
        """The call that plays these actions again; "" where there are none."""
        played = ", ".join(map(repr, self._actions))
        return f".play({played})" if played else ""

    def player_and_agent(self) -> str:
        """Return the player to move and the agent's name."""
        player = self.state.current_player
        agent, name = self.agents.get(player), self.state.player_name(player)
        return name if agent is None else f"{name} ({kind_of(agent)})"

    def state_text(self) -> str:
        """Return the position in one line."""
        return one_line(self.state)


def agent_action(agent: Agent, state: GameState, progress: Progress, stop: Stop) -> Action:
    """Return the agent's action; one that takes `progress` and `stop` is given them.

    ValueError if the agent changes the state that it is given, a copy.
    """
    handed, before = deepcopy(state), snapshot(state)
    action = validated_action(
        agent(handed, **supported_options(agent, progress=progress, stop=stop))
    )
    if has_changed(handed, before):
        raise ValueError(f"It {MUTATION_MESSAGE}.")
    return action


def one_line(state: GameState) -> str:
    """Return a position in one line, the same in every run of a program."""
    text = repr(state)
    if " at 0x" in text:  # a class without a repr of its own
        return f"{type(state).__name__}: {' / '.join(str(state).split())}"
    name = type(state).__name__
    return f"{name}: {text[len(name) + 1 : -1]}" if text.startswith(f"{name}(") else text


def check_agents(state: GameState, agents: Agents) -> None:
    """Raise a TypeError or ValueError for a seat or an agent that there is not."""
    check_state(state)
    validated(state)
    if not isinstance(agents, Mapping):
        raise TypeError(f"agents must be like {{1: agent}}; got {agents!r}")
    for player, agent in agents.items():
        if type(player) is not int or not 0 <= player < state.num_players:
            seats = f"seats from 0 to {state.num_players - 1}"
            raise ValueError(f"agents must name {seats}; got {player!r}")
        if agent is not None and not callable(agent):
            whose = f"the agent of seat {player}"
            raise TypeError(f"{whose} must be a function of a state; got {agent!r}")
