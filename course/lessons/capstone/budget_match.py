"""Connect Four on a budget: moves and matches in which the positions that agents make are counted.

The count is that of the class tournament, without a process for each agent: calls of `successor`.
"""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from arena import Tally
from arena.play.match import seat
from arena.results.statistics import MIN_GAMES_FOR_VERDICT
from arena.sandbox.file_agent import AgentProcess
from arena.sandbox.node_budget import NodeBudget
from gamelib.agents import Agent, agent_name, play_game
from gamelib.games import ConnectFour
from gamelib.search.callbacks import Progress, SearchStopped, Stop
from gamelib.search.checks import check_count
from gamelib.state import Action

BUDGET = 300  # positions for a move
MAX_GAMES = 1000  # two from each opening, and there are 568 openings


class _ThreadBudget(NodeBudget, threading.local):
    """A budget for each thread of its own: a match may run in one, and a check in another."""


class CountedConnectFour(ConnectFour):
    """A position whose successors are counted; else like the others, and equal to them."""

    __slots__ = ()
    playout = ConnectFour.playout  # `NodeBudget.instrument` looks for it in the class itself

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ConnectFour)
            and self._occupied == other._occupied
            and self._mine == other._mine
            and self.current_player == other.current_player
            and self._rules is other._rules
        )

    __hash__ = ConnectFour.__hash__


CountedConnectFour.__name__ = "ConnectFour"  # as it prints
_METER = _ThreadBudget(BUDGET)
_METER.instrument(CountedConnectFour)


def count_node() -> None:
    """Count a position that somebody else has made; BudgetExceededError if it is one too many."""
    _METER.count_node()


def move_with_count(
    agent: Agent, state: ConnectFour, *, budget: int | None = BUDGET
) -> tuple[Action, int]:
    """Return an agent's action and the number of positions it made to find it.

    BudgetExceededError from inside the agent when it makes more than `budget`; None allows any
    number.  Counted are calls of `successor`, those of a search included.
    """
    check_count("budget", budget)
    if isinstance(agent, AgentProcess):  # it has a budget of its own, and counts itself
        result = agent.search_result(state)
        return result.action, result.stats.nodes
    _METER.max_nodes = math.inf if budget is None else budget
    position = CountedConnectFour.parse(str(state), **state.parse_options())
    with _METER.one_move():
        action = agent(position)
    return action, _METER.generated


@cache
def openings(count: int, seed: int) -> tuple[ConnectFour, ...]:
    """Return positions after four random stones, no two the same or mirror images."""
    rng, found = Random(seed), dict[int, ConnectFour]()
    while len(found) < count:
        state = ConnectFour().play(*(rng.randrange(7) for _ in range(4)))
        found.setdefault(state.symmetry_key(), state)
    return tuple(found.values())


@dataclass(frozen=True)
class BudgetMatch:
    """The results of a match; prints as sentences.

    agents     their names
    seed       from which the openings were drawn
    payoffs    of the first agent, in pairs of games from the same opening: as X, then as O
    positions  for both agents, how many they made for each of their moves
    """

    agents: tuple[str, str]
    seed: int
    payoffs: tuple[int, ...]
    positions: tuple[tuple[int, ...], tuple[int, ...]]

    def tally(self, seat: int | None = None) -> Tally:
        """Return the results of the first agent, in all its games or in one seat."""
        payoffs = self.payoffs if seat is None else self.payoffs[seat::2]
        return Tally.from_payoffs(payoffs)

    @property
    def better(self) -> bool | None:
        """True if the first agent is shown to be better, False if weaker, None if neither is."""
        tally = self.tally()
        return True if tally.better else False if tally.interval[1] < 0.5 else None

    @property
    def share(self) -> str:
        """The share of the points and its interval, in words."""
        tally = self.tally()
        low, high = tally.interval
        return (
            f"{100 * tally.share:.1f} % of the points in {tally.games} games, "
            f"95 % interval {100 * low:.1f} to {100 * high:.1f} %."
        )

    @property
    def verdict(self) -> str:
        """What that shows, and why."""
        if self.better is None and self.tally().interval[0] > 0.5:
            return f"Better: not shown by fewer than {MIN_GAMES_FOR_VERDICT} games."
        return {
            True: "Better: shown, since the whole interval is above 50 %.",
            False: "Weaker: shown, since the whole interval is below 50 %.",
            None: "Better or weaker: not shown, since 50 % is inside the interval.",
        }[self.better]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for the first agent over all games, and one for each seat: a table."""
        rows = []
        for name, place in (("both", None), ("X", 0), ("O", 1)):
            tally = self.tally(place)
            low, high = tally.interval
            counts = {"games": tally.games, **vars(tally), "share": tally.share}
            rows.append({"seat": name, **counts, "low": low, "high": high})
        return rows

    def __repr__(self) -> str:
        first, second = (f"{100 * self.tally(seat).share:.1f} %" for seat in (0, 1))
        made = [
            f"{sum(counts) / len(counts):,.0f} on average, {max(counts):,} at most ({name})"
            for name, counts in zip(self.agents, self.positions, strict=True)
        ]
        return (
            f"{self.agents[0]} against {self.agents[1]}, openings of seed {self.seed}\n"
            f"{self.share}\n{self.verdict}\nAs X {first}, as O {second}.\n"
            f"Positions for a move: {'; '.join(made)}."
        )


def play_match(
    agent: Agent,
    other: Agent,
    *,
    games: int = 40,
    seed: int = 0,
    progress: Progress | None = None,
    stop: Stop | None = None,
) -> BudgetMatch:
    """Return the results of a match from random openings; each is played twice, seats swapped.

    Both agents have the same budget for each move.  What an agent raises ends the match.  The same
    seed draws the same openings, and gives agents with chance the same chance.

    games     an even number, 1,000 at most
    progress  called after each pair of games with the share done and the payoffs of this pair
    stop      asked before each pair; true ends the match, and the pairs so far are the result
    """
    _check_numbers(games, seed)
    payoffs: list[int] = []
    counts: tuple[list[int], list[int]] = ([], [])
    for number, opening in enumerate(openings(games // 2, seed)):
        if stop and stop():
            break
        for player in (0, 1):
            rng = Random(f"{seed} {number} {player}")  # of the chance that the agents have
            with seat(agent, rng.getrandbits(32)) as one, seat(other, rng.getrandbits(32)) as two:
                sides = [_counting(one, counts[0]), _counting(two, counts[1])]
                sides = sides if player == 0 else sides[::-1]
                payoffs.append(int(play_game(*sides, state=opening).utilities[player]))
        if progress:
            progress(len(payoffs) / games, tuple(payoffs[-2:]))
    if not payoffs:
        raise SearchStopped
    names = (agent_name(agent), agent_name(other))
    return BudgetMatch(names, seed, tuple(payoffs), (tuple(counts[0]), tuple(counts[1])))


def _check_numbers(games: int, seed: int) -> None:
    if type(games) is not int or games % 2 or not 2 <= games <= MAX_GAMES:
        raise ValueError(
            f"games must be an even int, 2 to {MAX_GAMES:,}, for each opening is played in both "
            f"seats; got {games!r}"
        )
    if type(seed) is not int:
        raise ValueError(f"seed must be an int, such as your student number; got {seed!r}")


def _counting(agent: Callable[[Any], Action], made: list[int]) -> Agent:
    """Return an agent that moves within the budget, and adds to `made` what each move took."""

    def counting(state: ConnectFour) -> Action:
        action, positions = move_with_count(agent, state)
        made.append(positions)
        return action

    counting.__name__ = agent_name(agent)
    return counting
