"""Audits: an agent plays a game again while its nodes are counted outside its process.

In an audit the process has no rules of the games.  `successor` sends a request to the parent, which
generates and counts the node, and the files of the games cannot be read.  The actions must be the
same, and so must the count.  If an agent has its own rules, these nodes are not counted, but the
seconds that it computes show them.
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

GAMES_PER_AUDIT = 25  # one of this number of games of an agent is played again
SLOWDOWN = 30  # the factor by which a move may take longer, because each node is requested


class AuditSampler:
    """A function that draws the games for audits at random, so that no agent can foresee them."""

    def __init__(self, games_per_agent: int) -> None:
        self._block = max(1, min(GAMES_PER_AUDIT, games_per_agent))
        self._remaining: dict[int, list[bool]] = {}

    def __call__(self, seats: tuple[int, ...]) -> tuple[int, ...]:
        """Return the players to audit in a game; each agent has one audit in a block of games."""
        for agent in seats:
            if not self._remaining.get(agent):
                block = [True] + [False] * (self._block - 1)
                self._remaining[agent] = SystemRandom().sample(block, self._block)
        return tuple(player for player, agent in enumerate(seats) if self._remaining[agent].pop())


def audit_player(
    agent: Any, seed: int, player: int, state: GameState, actions: Collection[Action], nodes: int
) -> str | None:
    """Return the difference when a player's part in a game is played again; "" if there is none.

    None if it cannot be played again, because nodes are not counted, or because the game is a
    textbook tree, which cannot be read without its rules.  `nodes` is the count of the player's own
    process.
    """
    limited = isinstance(agent, FileAgent) and agent.limits.budget is not None
    if not (limited and capabilities.can_start_processes()) or isinstance(state, GameTree):
        return None
    process, generated, differs = AuditProcess(agent, seed), 0, ""
    try:
        process.start()
        for ply, action in enumerate(actions, 1):
            if state.current_player == player and not differs:
                result = process.search_result(state)
                generated += result.stats.nodes
                if result.action != action:
                    differs = f"ply {ply} was {action!r}, and is {result.action!r} in the audit"
            state = state.successor(action)
    except ForfeitError as error:
        differs = f"it cannot play its game again: {to_one_line(str(error))}"
    finally:
        process.terminate()
    if differs or generated == nodes:
        return differs
    reported = f"its process reported {nodes:,} positions"
    return f"{reported}, but {generated:,} were counted from outside"


class AuditProcess(AgentProcess):
    """A worker process without rules of the games, for which the parent generates the nodes."""

    def __init__(self, agent: FileAgent, seed: int) -> None:
        process = ProcessHandle(FORKED_MODULE, "audit")
        process.request_handlers[SUCCESSOR_REQUEST] = self._answer_successor
        super().__init__(agent, seed, process)

    def _ask(self, request: dict[str, Any], complaint: str, seconds: float) -> dict[str, Any]:
        self._server = SuccessorServer(max(300, 2 * len(str(request.get("state", "")))))
        return super()._ask(request, complaint, SLOWDOWN * seconds if request else seconds)

    def search_result(self, state: GameState) -> SearchResult:
        """Return the agent's action, and the number of nodes that were generated here for it."""
        answer = super().search_result(state)
        return replace(answer, stats=replace(answer.stats, nodes=len(self._server.states)))

    def _answer_successor(self, question: Any) -> Any:
        max_nodes = self._agent.limits.budget or 0
        if len(self._server.states) >= max_nodes:
            raise NodeBudget(max_nodes).exceeded_error()
        return self._server.generate_successor(*question)
