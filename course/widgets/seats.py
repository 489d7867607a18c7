"""Who sits where: for each seat of a game a list of a human and several agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ipywidgets import Dropdown, HBox

from course.widgets.oracle import estimated_nodes
from gamelib.agents import Agent, SearchAgent, agent_name, lookahead_agent, random_agent
from gamelib.compiled.fast import fastest
from gamelib.games import ConnectFour, TicTacToe
from gamelib.search import (
    SearchResult,
    alphabeta,
    lines_heuristic,
    maxn,
    mcts,
    minimax,
    paranoid,
    windows_heuristic,
)
from gamelib.search.limits import Evaluate, Progress, Stop
from gamelib.state import GameState

HUMAN = "human"
NODES, FAST_NODES = 600_000, 3_000_000  # searched in about a second, the second as machine code
PRUNED = 1.25  # of a tree of n ** 1.25 nodes alpha-beta visits about n (Pearl 1982)
SIMULATIONS = 1000
MANY_SIMULATIONS = 100_000
DEEPEST = 30


def opponents(state: GameState) -> dict[str, Agent | None]:
    """Return who can sit at a game, by name; None is a human.

    The searches look as far ahead as takes about a second in the position they are asked about.
    """
    two = {"minimax": within(minimax), "alpha-beta": within(alphabeta, prunes=True)}
    more = {"maxn": within(maxn), "paranoid": within(paranoid, prunes=True)}
    searches = two if state.num_players == 2 else more
    strong: dict[str, Agent | None] = {}
    if (quick := fastest(mcts, state)) is not mcts:
        name = f"MCTS {MANY_SIMULATIONS:,}"
        strong[name] = SearchAgent(quick, name, simulations=MANY_SIMULATIONS)
    return {
        HUMAN: None,
        "random": random_agent(),
        "look-ahead": lookahead_agent(),
        **{name: SearchAgent(search, name) for name, search in searches.items()},
        "MCTS": SearchAgent(mcts, "MCTS", simulations=SIMULATIONS),
        **strong,
    }


def within(
    search: Callable[..., SearchResult], nodes: float | None = None, *, prunes: bool = False
) -> Callable[..., Any]:
    """Return the search as fast as it is there, to a depth at which it visits about so many nodes.

    Without `nodes`, so many as take about a second.
    """

    def limited(
        state: GameState, *, progress: Progress | None = None, stop: Stop | None = None
    ) -> SearchResult:
        evaluate = heuristic_for(state)
        play = fastest(search, state, evaluate=evaluate)
        visited = nodes or (NODES if play is search else FAST_NODES)
        depth = affordable_depth(state, visited**PRUNED if prunes else visited)
        return play(state, depth=depth, evaluate=evaluate, progress=progress, stop=stop)

    return limited


def affordable_depth(state: GameState, nodes: float) -> int | None:
    """Return the largest depth at which the tree has `nodes` at most; None if all of it has."""
    if estimated_nodes(state) <= nodes:
        return None
    depth = 1
    while depth < DEEPEST and estimated_nodes(state, depth + 1, probes=20) <= nodes:
        depth += 1
    return depth


def heuristic_for(state: GameState) -> Evaluate | None:
    """Return the heuristic that suits a game; None if there is none."""
    if isinstance(state, ConnectFour):
        return windows_heuristic()
    if isinstance(state, TicTacToe):
        return lines_heuristic() if state.rows * state.cols <= 16 else windows_heuristic()
    return None


class Seats(HBox):
    """A list for each seat; `on_choice(player, agent)` is called when somebody else sits down."""

    def __init__(
        self,
        state: GameState,
        agents: Mapping[int, Agent | None],
        on_choice: Callable[[int, Agent | None], object],
    ) -> None:
        self._names = opponents(state)
        for agent in agents.values():
            self._name(agent)
        self._lists = [Dropdown(description=f"{state.player_name(p)} is") for p in agents]
        super().__init__(self._lists)
        self.add_class("gl-row")
        self.add_class("gl-seats")
        self.show(agents)
        self._told = True
        for player, choice in enumerate(self._lists):
            choice.observe(
                lambda change, player=player: self._chosen(player, change.new, on_choice), "value"
            )

    def __getitem__(self, name: str) -> Agent | None:
        """Return who has this name; ValueError if nobody has it."""
        if name not in self._names:
            raise ValueError(f"agent must be one of {', '.join(self._names)}; got {name!r}")
        return self._names[name]

    def show(self, agents: Mapping[int, Agent | None]) -> None:
        """Show who sits where; an agent that is new to the lists is added to all of them."""
        self._told = False
        chosen = [self._name(agent) for agent in agents.values()]
        for choice, name in zip(self._lists, chosen, strict=True):
            if len(choice.options) != len(self._names):
                choice.options = list(self._names)
            choice.value = name
        self._told = True

    def _name(self, agent: Agent | None) -> str:
        """Return the name of an agent in the lists."""
        for name, known in self._names.items():
            if known is agent:
                return name
        name = first = HUMAN if agent is None else agent_name(agent)
        number = 1
        while name in self._names:
            number += 1
            name = f"{first} ({number})"
        self._names[name] = agent
        return name

    def _chosen(self, player: int, name: str, on_choice: Callable[..., object]) -> None:
        if self._told:
            on_choice(player, self._names[name])
