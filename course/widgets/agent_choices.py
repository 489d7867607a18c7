"""The agents that can be chosen for a seat, by name, with their strengths."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from copy import copy
from typing import Any

from course.exercises.error_report import name_of
from course.widgets.oracle import affordable_depth
from gamefast.fast import Search, empty_tree, fastest
from gamelib.agents import Agent, SearchAgent, agent_name, lookahead_agent, random_agent
from gamelib.games import ConnectFour, TicTacToe
from gamelib.search import SEARCHES, SearchResult, lines_heuristic, mcts, windows_heuristic
from gamelib.search.callbacks import Progress, Stop
from gamelib.search.checks import Evaluate
from gamelib.search.registry import parameters, search_info
from gamelib.state import Action, GameState

HUMAN = "human"
# searched in about a second by the readable and by the compiled searches
NODES, FAST_NODES = 600_000, 3_000_000
PRUNED = 1.25  # alpha-beta visits about n nodes of a tree of n ** 1.25 nodes (Pearl 1982)
SIMULATIONS = 1000
MAX_REPLIES = 2  # between two moves of an agent, because all replies are tried to find them
A_SECOND, NO_LIMIT = "about a second", "no limit"
# The options that make a search stronger, and the values to choose from.
BUDGETS: dict[str, tuple[float, ...]] = {
    "depth": tuple(range(1, 13)),
    "simulations": (10, 30, 100, 300, 1000, 10_000, 100_000),
    "seconds": (0.5, 1, 2, 5, 10),
}


def opponents(state: GameState) -> dict[str, Agent | None]:
    """Return name -> agent for all that can play a game; None is a human.

    The searches use the depth that takes about a second in the current position, until another
    strength is chosen.
    """
    two_player, with_dice, multiplayer = (
        ("minimax", "alpha-beta"),
        ("expectiminimax", "star1"),
        ("maxn", "paranoid"),
    )
    names = multiplayer if state.num_players > 2 else with_dice if state.has_chance else two_player
    return {
        HUMAN: None,
        "random": random_agent(),
        "look-ahead": lookahead_agent(),
        **{
            name: SearchAgent(TimeLimitedSearch(SEARCHES[normalized_name(name)]), name)
            for name in names
        },
        "MCTS": SearchAgent(GameFollowingMcts(), "MCTS", simulations=SIMULATIONS),
    }


class TimeLimitedSearch:
    """The fastest version of a search, to a depth that takes about a second."""

    def __init__(self, search: Search) -> None:
        self.search, self.__name__ = search, name_of(search)  # named in errors

    def __call__(
        self,
        state: GameState,
        *,
        depth: int | None = None,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> SearchResult:
        """Return the result of the search, to `depth` if that is given."""
        evaluate = heuristic_for(state)
        play = fastest(self.search, state, evaluate=evaluate)
        if depth is None:
            nodes = NODES if play is self.search else FAST_NODES
            size = nodes ** (PRUNED if search_info(self.search).prunes else 1)
            depth = affordable_depth(state, size)
        return play(state, depth=depth, evaluate=evaluate, progress=progress, stop=stop)


class GameFollowingMcts:
    """The fastest `mcts`, which keeps what it knows of a game from one move to the next.

    Kept is the part of its last tree below the new position, with all visits and means.  A new tree
    begins if nothing is known of that position, or if it does not follow from the last one by the
    chosen action and a move of each opponent, as after an undo, or in a game with dice.  Each seat
    has a tree of its own.
    """

    __name__ = "mcts"  # named in errors

    def __init__(self) -> None:
        # By player: the position after the last move, and what was known of it.
        self._known: dict[int, tuple[GameState, Any]] = {}

    def __call__(
        self,
        state: GameState,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        progress: Progress | None = None,
        stop: Stop | None = None,
    ) -> SearchResult:
        """Return the result of the search, whose visits include those of earlier moves."""
        search, player = fastest(mcts, state), state.current_player
        tree = self._tree_at(state) or empty_tree(search)
        budget = {"simulations": simulations, "seconds": seconds}
        result = search(state, **budget, tree=tree, progress=progress, stop=stop)
        with suppress(KeyError):  # a search that is stopped at once has tried nothing
            self._known[player] = state.successor(result.action), tree.after(result.action)
        return result

    def _tree_at(self, state: GameState) -> Any:
        """Return the tree of a position that opponents have reached; None if nothing is known."""
        before, tree = self._known.pop(state.current_player, (state, None))
        plies = min(state.num_players - 1, MAX_REPLIES)
        actions = None if tree is None else actions_between(before, state, plies)
        with suppress(KeyError):  # nobody has tried this action
            for action in actions or ():
                tree = tree.after(action)
            return None if actions is None else tree
        return None


def actions_between(before: GameState, state: GameState, plies: int) -> tuple[Action, ...] | None:
    """Return actions that lead from one position to another; None if more than `plies` would."""
    if before == state:
        return ()
    for action in before.legal_actions() if plies else ():
        rest = actions_between(before.successor(action), state, plies - 1)
        if rest is not None:
            return (action, *rest)
    return None


def with_strength(agent: SearchAgent, **options: Any) -> SearchAgent:
    """Return a copy of a search agent with other options, named after its new strength."""
    tuned = copy(agent)
    tuned.options = {**agent.options, **options}
    tuned.name = ", ".join([kind_of(agent), *filter(None, [strength_of(tuned)])])
    return tuned


def kind_of(agent: Agent | None) -> str:
    """Return the name of an agent in the lists, without its strength."""
    if agent is None:
        return HUMAN
    name = agent_name(agent)
    return re.split(r"[(,]", name)[0] if strengths(agent) else name


def display_name(agent: Agent) -> str:
    """Return the name of an agent on a board: a search has its kind and its strength."""
    if not isinstance(agent, SearchAgent) or not strengths(agent):
        return agent_name(agent)
    return f"{kind_of(agent)} ({strength_of(agent)})"


def normalized_name(name: str) -> str:
    """Return a name without hyphens in lower case: the same for "alpha-beta" and "alphabeta"."""
    return name.replace("-", "").lower()


def strengths(agent: Agent | None) -> dict[str, dict[str, Any]]:
    """Return name of a strength -> options, for each strength that an agent can have."""
    if not isinstance(agent, SearchAgent):
        return {}
    taken = BUDGETS.keys() & parameters(agent.search)
    no_limit = dict.fromkeys(taken)
    choices = [{**no_limit, name: n} for name in BUDGETS if name in taken for n in BUDGETS[name]]
    default = [no_limit] if isinstance(agent.search, TimeLimitedSearch) else []
    current = {name: agent.options.get(name) for name in taken}
    offered = [*default, *choices] if current in [*default, *choices] else [current, *choices]
    return {_strength(agent, options): options for options in offered if taken}


def strength_of(agent: SearchAgent) -> str:
    """Return the name of an agent's strength."""
    return _strength(agent, {name: agent.options.get(name) for name in BUDGETS})


def _strength(agent: SearchAgent, options: Mapping[str, Any]) -> str:
    formats = {"depth": "depth {}", "simulations": "{:,} simulations", "seconds": "{:g} s"}
    words = [formats[name].format(value) for name, value in options.items() if value is not None]
    return ", ".join(words) or (
        A_SECOND if isinstance(agent.search, TimeLimitedSearch) else NO_LIMIT
    )


def heuristic_for(state: GameState) -> Evaluate | None:
    """Return the heuristic that suits a game; None if there is none."""
    if isinstance(state, ConnectFour):
        return windows_heuristic()
    if isinstance(state, TicTacToe):
        return lines_heuristic() if state.rows * state.cols <= 16 else windows_heuristic()
    return None
