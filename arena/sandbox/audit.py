"""Audits: an agent plays a game again, and its positions are counted where it cannot reach.

In an audit its process has no rules: `successor` asks the parent, who makes the position and counts
it, and the files of the games cannot be read.  The actions must be the same, and so must the count.
Rules that an agent brings itself are counted nowhere; the seconds that it computes show them.
"""

from collections.abc import Collection
from dataclasses import replace
from random import SystemRandom
from typing import Any

from arena import capabilities
from arena.sandbox.file_agent import AgentProcess, FileAgent
from arena.sandbox.forfeits import ForfeitError, to_one_line
from arena.sandbox.node_budget import SUCCESSOR_REQUEST, NodeBudget, SuccessorServer
from arena.sandbox.process_handle import ProcessHandle
from arena.sandbox.spawn import FORKED_MODULE
from gamelib.games import GameTree
from gamelib.search.result import SearchResult
from gamelib.state import Action, GameState

GAMES_PER_AUDIT = 25  # of so many games of an agent one is played again
SLOWDOWN = 30  # so much longer than in play may a move take, since each position is asked for


class AuditSampler:
    """Draws the games that are played again, by a chance that no agent can foresee."""

    def __init__(self, games_per_agent: int) -> None:
        self._block = max(1, min(GAMES_PER_AUDIT, games_per_agent))
        self._remaining: dict[int, list[bool]] = {}

    def __call__(self, seats: tuple[int, ...]) -> tuple[int, ...]:
        """Return whose part in a game is played again: for each agent one game of a block."""
        for agent in seats:
            if not self._remaining.get(agent):
                block = [True] + [False] * (self._block - 1)
                self._remaining[agent] = SystemRandom().sample(block, self._block)
        return tuple(player for player, agent in enumerate(seats) if self._remaining[agent].pop())


def audit_player(
    agent: Any, seed: int, player: int, state: GameState, actions: Collection[Action], nodes: int
) -> str | None:
    """Return what differs when a player's part in a game is played again: "" for nothing.

    None if it cannot be: where positions are not counted, or in a textbook tree, which cannot be
    read without its rules.  `nodes` is how many positions the player's own process has counted.
    """
    limited = isinstance(agent, FileAgent) and agent.limits.budget is not None
    if not (limited and capabilities.can_start_processes()) or isinstance(state, GameTree):
        return None
    process, generated, differs = AuditProcess(agent, seed), 0, ""
    try:
        process.start()
        for ply, action in enumerate(actions, 1):
            if state.current_player == player and not differs:
                found = process.search_result(state)
                generated += found.stats.nodes
                if found.action != action:
                    differs = f"ply {ply} was {action!r}, and is {found.action!r} when asked again"
            state = state.successor(action)
    except ForfeitError as error:
        differs = f"it cannot play its game again: {to_one_line(str(error))}"
    finally:
        process.terminate()
    if differs or generated == nodes:
        return differs
    return f"its process says that it made {nodes:,} positions; counted from outside: {generated:,}"


class AuditProcess(AgentProcess):
    """A child process that has no rules; this end has them, and counts."""

    def __init__(self, agent: FileAgent, seed: int) -> None:
        process = ProcessHandle(FORKED_MODULE, "audit")
        process.request_handlers[SUCCESSOR_REQUEST] = self._answer_successor
        super().__init__(agent, seed, process)

    def _ask(self, request: dict[str, Any], complaint: str, seconds: float) -> dict[str, Any]:
        self._maker = SuccessorServer(max(300, 2 * len(str(request.get("state", "")))))
        return super()._ask(request, complaint, SLOWDOWN * seconds if request else seconds)

    def search_result(self, state: GameState) -> SearchResult:
        """Return the agent's action, and how many positions were made here to find it."""
        answer = super().search_result(state)
        return replace(answer, stats=replace(answer.stats, nodes=len(self._maker.states)))

    def _answer_successor(self, question: Any) -> Any:
        most = self._agent.limits.budget or 0
        if len(self._maker.states) >= most:
            raise NodeBudget(most).exceeded_error()
        return self._maker.generate_successor(*question)
