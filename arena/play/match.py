"""One game between agents, which is measured, and which ends if an agent breaks a rule."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import replace
from time import perf_counter
from typing import Any

from arena.results.game_records import (
    COUNTS,
    Forfeit,
    GameRecord,
    Job,
    forfeit_utilities,
    to_json_action,
)
from arena.results.schedule import dice_rng, seat_seed
from arena.sandbox.audit import audit_player
from arena.sandbox.forfeits import ForfeitError, safe_repr, short_message, to_one_line
from gamelib.agents import (
    MUTATION_MESSAGE,
    Agent,
    SearchAgent,
    has_changed,
    snapshot,
    validated_action,
)
from gamelib.conformance import check_payoffs
from gamelib.search import SearchResult
from gamelib.search.callbacks import Stop
from gamelib.search.rollouts import sample_outcome
from gamelib.state import (
    CHANCE,
    MAX_PLIES,
    Action,
    GameState,
    IllegalActionError,
    endless_game_error,
    to_python_action,
)

Agents = Sequence[Agent] | Mapping[int, Agent]  # by their indices


class GameStopped(Exception):  # noqa: N818 - a signal like StopIteration, not an error
    """The exception of `play_job` if `stop` returns true; the game does not count then."""


@contextmanager
def seat(agent: Agent, seed: int) -> Iterator[Callable[[Any], Action]]:
    """Yield the function that plays one game for an agent; its random numbers come from `seed`.

    If the agent has a method `for_game(seed)`, it returns a context manager that yields the
    function, and that is open during the game.  A search gets the seed as `rng`.  For any other
    function the module `random` is seeded, and its state is restored after the game.

    The function gets a state and returns an action.  If it has a method `search_result`, this is
    called instead, and the counts of the result are recorded.
    """
    if hasattr(agent, "for_game"):
        with agent.for_game(seed) as player:
            yield player
    elif isinstance(agent, SearchAgent):
        yield agent.seeded(seed)
    else:
        before = random.getstate()
        random.seed(seed)
        try:
            yield agent
        finally:
            random.setstate(before)


def play_job(job: Job, agents: Agents, state: GameState, stop: Stop | None = None) -> GameRecord:
    """Return the record of one game from `state`, played by the `agents` in `job.seats`.

    The agents begin after the opening of the job.  An agent forfeits if it raises any exception,
    `sys.exit` included, returns an illegal action, or changes the state that it is given.
    KeyboardInterrupt is not caught.  GameStopped is raised soon after `stop` returns true, and
    BrokenRuleError if the game does not end, or if its payoffs are invalid.
    """
    sides, actions = [_PlayerSession(agents[index]) for index in job.seats], [*job.opening]
    dice, forfeit, player = dice_rng(job.seed), None, 0
    with ExitStack() as stack:
        try:
            for player, side in enumerate(sides):
                side.answer = stack.enter_context(seat(side.agent, seat_seed(job.seed, player)))
            state = deep_copy(state).play(*job.opening)  # a copy, because the next game needs it
            while not state.is_terminal():
                if len(actions) == MAX_PLIES:
                    raise endless_game_error(state)
                if state.current_player == CHANCE:
                    action = sample_outcome(state, dice)
                    state = state.successor(action)
                else:
                    player = state.current_player
                    action, state = sides[player].move(state, stop)
                actions.append(action)
            check_payoffs(utilities := to_python_action(state.utilities()), state)
        except ForfeitError as offence:
            forfeit = Forfeit(player, to_one_line(str(offence)))
            utilities = forfeit_utilities(player, len(sides))
    return GameRecord(
        **vars(job) | {"opening": tuple(map(to_json_action, job.opening))},
        actions=tuple(map(to_json_action, actions)),
        utilities=utilities,
        forfeit=forfeit,
        counts=tuple(side.counts for side in sides),
        seconds=tuple(round(side.seconds, 6) for side in sides),
        cpu=tuple(round(getattr(side.answer, "cpu", 0.0), 6) for side in sides),
    )


def replay_for_audit(
    record: GameRecord, agents: Agents, start: GameState, players: Collection[int]
) -> GameRecord:
    """Return the record of a game with audits of these players, whose moves are played again."""
    audits: list[str | None] = [None] * len(record.seats)
    start, actions = start.play(*record.opening), record.actions[len(record.opening) :]
    for player in players:
        agent, seed = agents[record.seats[player]], seat_seed(record.seed, player)
        nodes = record.counts[player]["nodes"]
        audits[player] = audit_player(agent, seed, player, start, actions, nodes)
    return replace(record, audit=tuple(audits)) if players else record


def deep_copy(state: GameState) -> GameState:
    """Return a copy of a position, for agents that may modify it."""
    if isinstance(state, tuple):  # it cannot be modified
        return state
    # The contents are a dict of the attributes, or a pair of it and a dict of the slots.
    contents: Any = object.__getstate__(state)
    copied = object.__new__(type(state))
    for part in contents if isinstance(contents, tuple) else (contents,):
        for name, value in (part or {}).items():
            is_mutable = type(value).__hash__ is None
            object.__setattr__(copied, name, deepcopy(value) if is_mutable else value)
    return copied


class _PlayerSession:
    """One player during a game: its agent, and the cost of its moves so far.

    It raises a ForfeitError for an offence of the agent.  Any other error is the fault of the game
    or of this machine.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent, self.counts, self.seconds = agent, dict.fromkeys(COUNTS, 0), 0.0
        self.answer: Any = None  # until the agent has started

    def move(self, state: GameState, stop: Stop | None) -> tuple[Action, GameState]:
        if stop and stop():
            raise GameStopped
        before, started = snapshot(state), perf_counter()
        try:
            action = validated_action(self._action(state, stop))
        except (ForfeitError, KeyboardInterrupt):
            raise
        except BaseException as error:  # any exception of an agent is its own fault
            raise ForfeitError(_reason(error)) from error
        finally:
            self.seconds += perf_counter() - started
        if stop and stop():  # checked first, because the result of a stopped search must not count
            raise GameStopped
        if has_changed(state, before):
            raise ForfeitError(MUTATION_MESSAGE)
        state = _successor(state, action)
        self.counts["moves"] += 1
        return action, state

    def _action(self, state: GameState, stop: Stop | None) -> Action:
        if not hasattr(self.answer, "search_result"):
            return self.answer(state)
        stoppable = {"stop": stop} if stop and isinstance(self.answer, SearchAgent) else {}
        result: SearchResult = self.answer.search_result(state, **stoppable)
        for name in COUNTS[1:]:
            self.counts[name] += getattr(result.stats, name)
        return result.action


def _successor(state: GameState, action: Action) -> GameState:
    """Return the state after `action`; ForfeitError if it is not legal.

    An error of a legal action is the fault of the game, not of the agent.
    """
    try:
        return state.successor(action)
    except IllegalActionError as error:
        raise ForfeitError(f"returned {safe_repr(action)}: {short_message(error)}") from error
    except Exception as error:
        if action in state.legal_actions():
            raise
        raise ForfeitError(f"returned {safe_repr(action)}, which is not a legal action") from error


def _reason(error: BaseException) -> str:
    if isinstance(error, SystemExit):
        return "called sys.exit"
    text = short_message(error)
    return f"raised {type(error).__name__}{': ' if text else ''}{text}"
