"""The checks of notebook 08: a heuristic and an agent for Connect Four, on a budget."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import cache, lru_cache
from inspect import signature
from random import Random
from typing import Any

from arena import Tally
from arena.sandbox.node_budget import BudgetExceededError
from course.exercises.answer_key import DEFAULT_SEED, current_seed, rng, seeded_cases
from course.exercises.check_runner import guarded, restart_time_limit
from course.exercises.error_report import name_of, safe_repr
from course.exercises.feedback import Case, Feedback, NotWrittenError, WrongAnswerError
from course.exercises.run_cases import call_student
from course.lessons.capstone.budget_match import BUDGET, BudgetMatch, move_with_count, play_match
from course.lessons.capstone.exact_positions import (
    count_optimal,
    exact_positions,
    expected_by_chance,
)
from course.lessons.capstone.reference_agents import LEVELS, centre
from course.lessons.capstone.winning_cells import is_playable, winning_cells
from course.lessons.minimax.check import REVERSED_MESSAGE, asymmetry_feedback, worth
from gamelib.agents import Agent, SearchAgent, agent_name
from gamelib.games import ConnectFour
from gamelib.search import alphabeta
from gamelib.state import Action

# Exercise 1: a heuristic


NO_THREATS_MESSAGE = (
    "Which empty cells would give X four in a row, and which O? `winning_cells(state, player)` "
    "tells."
)
NO_CENTRE_MESSAGE = "A disc in the middle column lies in more lines than one at the edge."
LEVEL_HEURISTIC_MESSAGE = (
    "these are the values of `deepening with centre`, an agent of this notebook. Write your own."
)
ASYMMETRY_MESSAGE = "Does a loop leave out a row or a column, or count a cell twice?"
# A better and a worse position for X; for O the colours are swapped.
PAIRS = (
    (
        "......./......./......./......./.O...../.OXXX.O",
        "......./......./......./......./.O...../XOX.X.O",
    ),
    (
        "......./......./......./......./......./...X..O",
        "......./......./......./......./......./X.....O",
    ),
)


@guarded
def check_four_heuristic(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `my_heuristic(state, player)` for Connect Four.

    It must return a number inside (-1, 1), the same for both players except for its sign, and the
    same for a mirror image.  It must prefer open threes and the middle.
    """
    known = (ConnectFour(), *(position.state for position in exact_positions()))
    states = [*known, *_drawn_states()]
    unfair = asymmetry_feedback(function, states)
    if unfair is not None:
        return unfair
    for state in states:
        if abs(worth(function, state, 0) - worth(function, _mirrored(state), 0)) > 1e-9:
            message = "this position and its mirror image are equally good, but not for you."
            return Feedback(False, f"{message} {ASYMMETRY_MESSAGE}", state)
    if all(worth(function, state, 0) == centre(state, 0) for state in states):
        return Feedback(False, LEVEL_HEURISTIC_MESSAGE)
    return _check_preferences(function)


@seeded_cases
def _drawn_states(rng: Random) -> Iterator[ConnectFour]:
    """Yield positions of random games."""
    for plies in range(6, 26):
        state = ConnectFour()
        while not state.is_terminal() and plies:
            state, plies = state.successor(rng.choice(state.legal_actions())), plies - 1
        yield state


def _mirrored(state: ConnectFour) -> ConnectFour:
    rows = "/".join(row[::-1] for row in str(state).replace(" ", "").split("\n"))
    return ConnectFour.parse(rows, current_player=state.current_player)


def _check_preferences(function: Callable[..., Any]) -> Feedback:
    for boards, hint in zip(PAIRS, (NO_THREATS_MESSAGE, NO_CENTRE_MESSAGE), strict=True):
        for player in (0, 1):
            states = [ConnectFour.parse(board, current_player=1) for board in boards]
            good, bad = map(_exchanged, states) if player else states
            more, less = worth(function, good, player), worth(function, bad, player)
            if more <= less:
                name = "XO"[player]
                message = f"{name} gets {more:.3g} here, and {less:.3g} in {bad!r}, which is worse."
                return Feedback(
                    False, f"{message} {REVERSED_MESSAGE if more < less else hint}", good
                )

    def best(state: ConnectFour) -> int:
        """Return the column after which the heuristic thinks best of the player who moves now."""
        mover = state.current_player
        return max(state.legal_actions(), key=lambda a: worth(function, state.successor(a), mover))

    found = count_optimal(best)
    return Feedback(
        True,
        "inside (-1, 1), antisymmetric, and the same for mirror images. Looking one ply ahead with "
        f"it finds an optimal column in {found} of {len(exact_positions())} positions; chance "
        "would "
        f"find {expected_by_chance():.0f}.",
    )


# Exercise 2: an agent that keeps the budget


OVER_BUDGET_MESSAGE = (
    "Search less deep; or search deeper step by step, catch BudgetExceededError, and return the "
    "best action of the last search that ended."
)
TOO_SHALLOW_MESSAGE = (
    "Why stop there? Search one ply deeper, and again, as long as the budget lasts."
)
MISSED_WIN_MESSAGE = (
    "Does the search look one ply ahead at least, and ask whether the game has ended?"
)
MISSED_THREAT_MESSAGE = (
    "A search of two plies sees the reply. Is the opponent's best action the worst one for you?"
)
ONE_SEAT_MESSAGE = (
    "It does so only as {seat}. Does your agent always take the view of one player? "
    "`state.current_player` tells for whom it moves."
)
TACTICS_OF_A_KIND = 8  # wins that an agent is asked for, and blocks


@dataclass(frozen=True)
class _Tactic:
    """A position in which one column wins immediately, or is the only one that prevents a loss."""

    state: ConnectFour
    column: int
    wins: bool


@cache
def tactics() -> tuple[_Tactic, ...]:
    """Return positions with one forced action: wins and blocks, for both players.

    A block does not only delay the loss, according to the values of `exact_positions`.  No other
    column wins within five plies.
    """
    found: dict[bool, list[_Tactic]] = {True: [], False: []}
    for position in exact_positions():
        if min(map(len, found.values())) >= TACTICS_OF_A_KIND:
            break
        if position.value >= 0:  # a lost position has no block that saves it
            after = position.state.successor(position.optimal[0])
            for reply in after.legal_actions():
                if (tactic := _tactic(after.successor(reply))) and _is_alone(tactic):
                    found[tactic.wins].append(tactic)
                    break
    return tuple(
        _Tactic(_exchanged(tactic.state) if number % 2 else tactic.state, tactic.column, wins)
        for wins, known in found.items()
        for number, tactic in enumerate(known[:TACTICS_OF_A_KIND])
    )


def _tactic(state: ConnectFour) -> _Tactic | None:
    """Return the win, or otherwise the block, if there is exactly one."""
    mover = state.current_player
    for player in (mover, 1 - mover):
        cells = [cell for cell in winning_cells(state, player) if is_playable(state, cell)]
        if cells:
            return _Tactic(state, cells[0][1], player == mover) if len(cells) == 1 else None
    return None


def _is_alone(tactic: _Tactic) -> bool:
    """Return whether no other column wins within five plies."""
    state = tactic.state
    others = [column for column in state.legal_actions() if column != tactic.column]
    return all((alphabeta(state.successor(c), depth=4).value or 0) > -1 for c in others)


def _exchanged(state: ConnectFour) -> ConnectFour:
    """Return the position with the colours of both players swapped."""
    board = str(state).replace(" ", "").translate(str.maketrans("XO", "OX"))
    return ConnectFour.parse(board, current_player=1 - state.current_player)


@guarded
def check_agent(agent: Callable[..., Any]) -> Feedback:
    """Return feedback on an agent for Connect Four that may generate 300 nodes for each move.

    It must return legal columns within the budget, take a win, prevent a loss, and use its budget.
    """
    entry = _CheckedAgent(agent)
    answers = [(tactic, entry(tactic.state)) for tactic in _turned_tactics()]
    for wins in (True, False):
        asked = [(tactic, column) for tactic, column in answers if tactic.wins == wins]
        if missed := [(t, column) for t, column in asked if column != t.column]:
            return _missed(missed, len(asked))
    entry.made.clear()  # a win or a block may be found with few nodes
    for state in _exact_states():
        entry(state)
    mean = sum(entry.made) / len(entry.made)
    if mean < BUDGET / 2:
        return Feedback(
            False,
            f"it makes {mean:.0f} of {BUDGET} positions for a move on average. "
            f"{TOO_SHALLOW_MESSAGE}",
        )
    return Feedback(
        True,
        f"legal, in time for every win and every block, and within the budget: {mean:.0f} "
        f"positions for a move on average, {max(entry.made)} at most.",
    )


@seeded_cases
def _turned_tactics(rng: Random) -> Iterator[_Tactic]:
    """Yield the tactics, some of them mirrored."""
    for tactic in tactics():
        if rng.random() < 0.5:
            yield tactic
        else:
            yield _Tactic(_mirrored(tactic.state), 6 - tactic.column, tactic.wins)


@seeded_cases
def _exact_states(rng: Random) -> Iterator[ConnectFour]:
    """Yield 20 positions with many discs, half of them for O."""
    for number, position in enumerate(rng.sample(exact_positions(), 20)):
        yield _exchanged(position.state) if number % 2 else position.state


def _missed(missed: list[tuple[_Tactic, int]], asked: int) -> Feedback:
    """Return feedback on wins or blocks that an agent does not play."""
    tactic, column = missed[0]
    mover, other = ("X", "O") if tactic.state.current_player == 0 else ("O", "X")
    what = f"{mover} wins" if tactic.wins else f"{mover} must stop {other}"
    message = f"{what} with column {tactic.column}, and your agent plays {column}."
    seats = {t.state.current_player for t, _ in missed}
    if len(seats) == 1 and 4 * len(missed) >= asked:
        hint = ONE_SEAT_MESSAGE.format(seat=other)
    else:
        hint = MISSED_WIN_MESSAGE if tactic.wins else MISSED_THREAT_MESSAGE
    return Feedback(False, f"{message} {hint}", tactic.state)


class _CheckedAgent:
    """A student's agent in a check, with checks of its actions, its time and its nodes."""

    def __init__(self, agent: Callable[..., Any]) -> None:
        if agent is None:
            raise NotWrittenError("the entry is still None. Put the name of your agent there.")
        self.agent, self.name = agent, name_of(agent)
        self.made: list[int] = []
        self.seconds = math.inf  # CPU time that is left for all moves together

    def __call__(self, state: ConnectFour) -> int:
        """Return the agent's column; WrongAnswerError with a tutor's words if it has none."""
        restart_time_limit()
        before = time.thread_time()  # CPU time, because the machine may be busy
        _, made = move_with_count(self._answer, state)
        self.made.append(made)
        self.seconds -= time.thread_time() - before
        if self.seconds < 0:
            raise WrongAnswerError(
                f"the match was ended after {len(self.made)} moves. {TOO_SLOW_MESSAGE}"
            )
        return self._column

    def _answer(self, state: ConnectFour) -> int:
        words = f"its move as {'XO'[state.current_player]} here"
        try:
            self._column = int(call_student(self.agent, Case((state,), None, words, state), int))
        except WrongAnswerError as error:
            if isinstance(error.__cause__, BudgetExceededError):
                raise WrongAnswerError(f"{error} {OVER_BUDGET_MESSAGE}", state) from error
            raise
        if self._column not in state.legal_actions():
            raise WrongAnswerError(
                f"{self.name} answered {safe_repr(self._column)}; the open columns are "
                f"{', '.join(map(str, state.legal_actions()))}. It was asked for {words}.",
                state,
            )
        return self._column


# Exercises 3 to 5: the match

TOO_WEAK_MESSAGE = (
    "Is a sign wrong? What is good for `player` must be near +1, also when the opponent is to move."
)
UNEQUAL_SEATS_MESSAGE = "As {seat} it does much worse: does it always take the view of one player?"
TOO_SLOW_MESSAGE = (
    "Your agent computes too long. Does the heuristic loop over all cells? `winning_cells` "
    "and `open_windows` are quick, `state.cell` in a loop is slow."
)
SECONDS = 1.0  # CPU time for each game; the agents of the levels need a tenth of it
TOO_FEW_GAMES_MESSAGE = (
    "Perhaps it is better, and these games are too few. Decide on a larger number, and then run "
    "once: `games=200`."
)
IMPROVE_MESSAGE = "Change one thing, and measure again."
UNFINISHED_MESSAGE = (
    "{played} of {games} games were played, and the others cannot change the verdict. "
)
DECIDED_EARLY_MESSAGE = (
    "{played} of {games} games were played: that is clear already (99.9 %, not only 95 %). "
)
# A match may end early if the difference exceeds this number of standard errors after this number
# of games. With so strict a bound, checking after each pair of games changes fewer than 1 verdict
# in 200; the tests show this.
# Source: Haybittle, British Journal of Radiology 44 (1971), 793-797; Peto et al. (1976).
CLEAR_ERRORS, CLEAR_GAMES = 3.29, 20
MARKED_GAMES = 200  # the minimum for a mark, because with 40 games luck decides too often


@guarded
def check_capstone(
    agent: Callable[..., Any], *, level: int, games: int = 40, seed: int = 0
) -> Feedback:
    """Return feedback on a match of an agent against the reference agent of a level.

    Each opening is played twice, with seats swapped; both sides have the same budget.  The level is
    reached if the whole 95 % interval of the share of the points is above one half.  A match ends
    early if the remaining games cannot change that, or if the result is clear to 99.9 %.

    level  1, 2 or 3: see `LEVELS`
    games  an even number; more games make the interval narrower
    seed   draws the openings; a student number gives personal openings

    For marking, the seed of all questions draws the openings, and at least `MARKED_GAMES` are
    played.
    """
    if current_seed() != DEFAULT_SEED:
        games, seed = max(games, MARKED_GAMES), rng("openings").getrandbits(32)
    if type(level) is not int or not 1 <= level <= len(LEVELS):
        raise ValueError(f"level must be 1, 2 or 3; got {level!r}")
    entry, opponent = _CheckedAgent(agent), _opponents()[level - 1]
    entry.seconds = SECONDS * games
    payoffs: list[int] = []
    match = play_match(
        entry,
        opponent,
        games=games,
        seed=seed,
        progress=lambda share, pair: payoffs.extend(pair),
        stop=lambda: bool(why_over(payoffs, games)),
    )
    found = f"{why_over(payoffs, games)}{match.share} {match.verdict}{_advice(match)}"
    return Feedback(match.better is True, f"Level {level}, {agent_name(opponent)}: {found}")


class _MemoAgent:
    """An agent with a cache of its actions, because in a class it meets many positions again.

    It keeps to the budget by itself, so its nodes are not counted.
    """

    def __init__(self, agent: SearchAgent) -> None:
        self.name, self.known = agent.name, lru_cache(maxsize=20_000)(agent)

    def for_game(self, seed: int) -> AbstractContextManager[Agent]:
        """Return the agent for one game, which is this one, because it is deterministic."""
        return nullcontext(self)

    def __call__(self, state: ConnectFour) -> Action:
        """Return the agent's action."""
        return self.known(ConnectFour.parse(str(state), **state.parse_options()))


@cache
def _opponents() -> tuple[Agent, ...]:
    """Return the agents of the levels; the deterministic ones have a cache."""
    return tuple(
        agent if "rng" in signature(agent.search).parameters else _MemoAgent(agent)
        for agent in LEVELS
    )


MIN_SAME_MOVES = 10  # moves that must be the same before two agents are


def agent_with_same_moves(moves: Sequence[tuple[ConnectFour, Action, int]]) -> str:
    """Return the agent of the levels that plays the same moves, or "".

    moves  position, action, and how many positions were made to find it; agents with chance are
           left out, since they do not play the same moves twice
    """
    for agent in LEVELS if len(moves) >= MIN_SAME_MOVES else ():
        if "rng" not in signature(agent.search).parameters and all(
            move_with_count(agent, state) == (action, made) for state, action, made in moves
        ):
            return agent.name
    return ""


def why_over(payoffs: Sequence[int], games: int) -> str:
    """Return why the remaining games need not be played; "" if they must, or if none is left."""
    wins, draws, losses = (payoffs.count(payoff) for payoff in (1, 0, -1))
    played, left = len(payoffs), games - len(payoffs)
    worst, best = (
        Tally(wins + more, draws, losses + left - more).interval[0] for more in (0, left)
    )
    if left <= 0:
        return ""
    if worst > 0.5 or best <= 0.5:
        return UNFINISHED_MESSAGE.format(played=played, games=games)
    if played >= CLEAR_GAMES and abs(wins - losses) > CLEAR_ERRORS * math.sqrt(played):
        return DECIDED_EARLY_MESSAGE.format(played=played, games=games)
    return ""


def _advice(match: BudgetMatch) -> str:
    """Return a tutor's advice on a match that was not won clearly; "" if it was."""
    if match.better:
        return ""
    as_x, as_o, made = match.tally(0).share, match.tally(1).share, match.positions[0]
    if abs(as_x - as_o) > 0.5:
        return " " + UNEQUAL_SEATS_MESSAGE.format(seat="O" if as_x > as_o else "X")
    if sum(made) / len(made) < BUDGET / 2:
        return f" It makes {sum(made) / len(made):.0f} positions for a move. {TOO_SHALLOW_MESSAGE}"
    if match.better is False:
        return f" {TOO_WEAK_MESSAGE}"
    return f" {TOO_FEW_GAMES_MESSAGE if match.tally().share > 0.5 else IMPROVE_MESSAGE}"
