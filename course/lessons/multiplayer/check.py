"""The exercises of notebook 06: checks, reference solutions, and the mistakes they recognise."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from itertools import permutations, product
from math import inf
from typing import Any

from arena.results.statistics import wilson_interval
from course.draw.words import path_in_words, why_not_visited
from course.kit.asking import ask, check_cases
from course.kit.blame import name_of, shown
from course.kit.feedback import Case, Feedback, WrongAnswerError
from course.kit.guarded import guarded
from course.kit.mistakes import mistakes
from course.kit.tables import tables
from course.kit.visits import Path, Visits
from gamelib.agents import Agent, SearchAgent, play_game
from gamelib.games import GameTree, TicTacToe
from gamelib.search import hurt_the_leader, maxn, mcts, paranoid
from gamelib.state import GameState
from gamelib.trace import record

Vector = tuple[float, ...]
NUMBER = (int, float)

# Positions and trees for the labs


def played_positions(state: GameState, plies: int, number: int, *, seed: int = 0) -> list[Any]:
    """Return `number` different open positions, each after `plies` random actions from `state`.

    ValueError if so many cannot be found.
    """
    rng = random.Random(seed)
    found: dict[GameState, None] = {}
    for _ in range(100 * number):
        if len(found) == number:
            break
        position = state
        for _ in range(plies):
            if position.is_terminal():
                break
            position = position.successor(rng.choice(position.legal_actions()))
        if not position.is_terminal():
            found[position] = None
    if len(found) < number:
        raise ValueError(f"number: only {len(found)} positions were found; {number} are too many")
    return list(found)


def sharing_tree(
    seed: int, num_players: int, *, branching: int = 3, depth: int = 6, coins: int = 20
) -> GameTree:
    """Return a random tree in whose leaves the players share `coins`; each gets 0 or more."""
    rng = random.Random(f"{seed} {num_players} {branching} {depth} {coins}")

    def node(height: int) -> Any:
        if height:
            return [node(height - 1) for _ in range(branching)]
        cuts = sorted(rng.randint(0, coins) for _ in range(num_players - 1))
        return tuple(b - a for a, b in zip([0, *cuts], [*cuts, coins], strict=True))

    return GameTree(node(depth))


def best_first(tree: GameTree, *, against: int | None = None) -> GameTree:
    """Return the same tree, with the branch that is chosen at each node as the first one there.

    MaxN chooses; with `against` Paranoid does, where all the others play against that player.  The
    other branches follow in the order in which they would be chosen.
    """

    def worth(mover: int, payoffs: Vector) -> float:
        if against is None:
            return payoffs[mover]
        return payoffs[against] if mover == against else -payoffs[against]

    def ordered(node: GameTree) -> tuple[Vector, Any]:
        """Return what is backed up to a node, and its branches in their new order."""
        if node.is_terminal():
            return node.utilities(), node.utilities()
        children = [ordered(node.successor(branch)) for branch in node.legal_actions()]
        children.sort(key=lambda child: worth(node.current_player, child[0]), reverse=True)
        return children[0][0], [branches for _, branches in children]

    return GameTree(ordered(tree)[1])


TREES = (
    GameTree.parse("[[(1 2 3)(4 2 1)] [(6 1 2)(7 4 -1)]] [[(5 -1 -1)(-1 5 2)] [(7 7 -1)(5 4 5)]]"),
    GameTree.parse("[(6 5 0)(0 4 6)] [(3 2 5)(2 1 7)]"),
    GameTree.parse("[[(2 6 1)(2 3 4)] [(1 8 4)(9 0 4)]] [(2 7 3)(3 7 9)(0 1 12)]"),
    GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]]),
    GameTree([[[3, 9], [10, 6]], [[4, 7], [0, 5]]], players=(0, 0, 1)),
)
BOARDS = ("AA.X/O.O./AXXO", "OAXA/OOAX/X...", "X.OX/O.OA/X.AA", "..OO/OXXA/XAA.", "XOA./O.XA/.AXO")


def _states() -> list[GameState]:
    two = [TicTacToe.parse("O.X/XX./OO."), TicTacToe.parse("X.O/.X./O..")]
    return [*TREES, *(TicTacToe.parse(board, num_players=3) for board in BOARDS), *two]


# Lab 6D: many games in each of the six seatings

SEATED: Mapping[str, Agent] = {
    "maxn": SearchAgent(maxn, depth=4),
    "paranoid": SearchAgent(paranoid, depth=4),
    "mcts": SearchAgent(mcts, simulations=200, rng=1),
}


def seat_games(seating: Sequence[str], openings: Sequence[GameState]) -> str:
    """Return who wins the game from each opening: X, O, A, or "-" for a draw."""
    games = [play_game(*(SEATED[name] for name in seating), state=state) for state in openings]
    return "".join(winning_mark(game.utilities) for game in games)


def winning_mark(payoffs: Vector) -> str:
    """Return the mark of the one player of three who has won; "-" where nobody has."""
    return "XOA"[payoffs.index(1)] if 1 in payoffs else "-"


def seat_table() -> str:
    """Return the stored games as text: how many of them each agent wins in each seating.

    Beside the wins of mcts stands the 95 % interval of its share (Wilson 1927); below, its wins in
    the three rotations of each order.
    """
    lines = ["seats X, O, A             games  maxn  paranoid  mcts   share of mcts, 95 %"]
    after: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for seats, games in tables("multiplayer", "seats").items():
        order = seats.split()
        wins = {name: games.count("XOA"[order.index(name)]) for name in SEATED}
        before = order[order.index("mcts") - 1]
        after[before] += wins["mcts"]
        total[before] += len(games)
        low, high = wilson_interval(wins["mcts"], len(games))
        lines.append(
            f"{', '.join(order):<25} {len(games):>5} {wins['maxn']:>5} {wins['paranoid']:>9} "
            f"{wins['mcts']:>5}   {low:.0%} to {high:.0%}"
        )
    for name in after:
        lines.append(f"mcts right after {name:<8} {total[name]:>5} {after[name]:>21}")
    return "\n".join(lines)


# Exercise 1: MaxN with a depth limit


def limited_maxn(state: GameState, depth: int) -> Vector:
    """Return the payoffs that MaxN backs up, looking `depth` plies ahead; unknown is 0 for all."""
    if state.is_terminal():
        return state.utilities()
    if depth == 0:
        return (0,) * state.num_players
    vectors = [limited_maxn(state.successor(a), depth - 1) for a in state.legal_actions()]
    return max(vectors, key=lambda vector: vector[state.current_player])


MAXN_MISTAKES = mistakes("multiplayer", "limited_maxn", limited_maxn)


@guarded
def check_limited_maxn(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `limited_maxn(state, depth)`."""
    return check_cases(
        function,
        _maxn_cases(),
        MAXN_MISTAKES,
        kind=tuple,
        success="right in all {cases} cases: trees and boards, two and three players, depths 1 "
        "to 4.",
    )


def _maxn_cases() -> Iterator[Case]:
    for state in _states():
        for depth in (1, 2, 3, 4):
            words = f"the vector of {state!r}, {depth} plies ahead"
            yield Case((state, depth), limited_maxn(state, depth), words, state)


# Exercise 2: Paranoid with alpha-beta


def sure_value(state: GameState, player: int, alpha: float = -inf, beta: float = inf) -> float:
    """Return what `player` is sure of if all others join against them, cutting on beta <= alpha."""
    if state.is_terminal():
        return state.utility(player)
    mine = state.current_player == player
    best = -inf if mine else inf
    for action in state.legal_actions():
        found = sure_value(state.successor(action), player, alpha, beta)
        best = max(best, found) if mine else min(best, found)
        alpha, beta = (max(alpha, best), beta) if mine else (alpha, min(beta, best))
        if beta <= alpha:
            break
    return best


SURE_MISTAKES = mistakes("multiplayer", "sure_value", sure_value)
CUT_MISTAKES = mistakes("multiplayer", "sure_value_cuts", sure_value)


@guarded
def check_sure_value(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `sure_value(state, player, alpha=-inf, beta=inf)`.

    First all values must be right; then it may visit no more nodes than alpha-beta does.
    """
    feedback = check_cases(
        function, _sure_cases(), SURE_MISTAKES, kind=NUMBER, success="all {cases} values are right"
    )
    if not feedback:
        return feedback
    mine, right = _visited(function), _visited(sure_value)
    nodes, enough = sum(map(len, mine)), sum(map(len, right))
    if nodes <= enough:
        return Feedback(True, f"{feedback.message}, with {nodes:,} nodes; all of them are needed.")
    hint = next((hint for hint, program in CUT_MISTAKES.items() if _visited(program) == mine), "")
    message = f"{feedback.message}, but you visit {nodes:,} nodes; {enough:,} are enough."
    needless, state = _needless(mine, right)
    return Feedback(False, " ".join(filter(None, (message, needless, hint))), state)


def _sure_cases() -> Iterator[Case]:
    trees = [sharing_tree(seed, 3, depth=4) for seed in range(10)]
    for state in (*_states(), *trees):
        for player in range(state.num_players):
            words = f"the value of {state!r} that player {player} is sure of"
            yield Case((state, player), sure_value(state, player), words, state)


def _visited(function: Callable[..., float]) -> list[list[Path]]:
    """Return the nodes that a program visits in each case."""
    paths = []
    for case in _sure_cases():
        visits = Visits(case.arguments[0], most=10_000)
        ask(function, replace(case, arguments=(visits.root, *case.arguments[1:])), NUMBER)
        paths.append(visits.paths)
    return paths


def _needless(mine: list[list[Path]], right: list[list[Path]]) -> tuple[str, GameState | None]:
    """Return why the first node that alpha-beta leaves out needs no visit, and in which tree.

    Only trees that Paranoid looks at from the root's view are told of.
    """
    for case, paths, needed in zip(_sure_cases(), mine, right, strict=True):
        state, player = case.arguments
        extra = [path for path in paths if path not in needed]
        # Sorted paths go from left to right, as the recorded search does: its reasons fit.
        if extra and player == state.current_player and paths == sorted(paths):
            why = why_not_visited(record(paranoid, state), extra[0])
            return f"In {state!r} {path_in_words(extra[0])} needs no visit. {why}", state
    return "", None


# Exercise 3: a tie rule, and a test for tie rules

Rule = Callable[[Vector, int], float]


RULE_MISTAKES = mistakes("multiplayer", "hurt_the_leader", hurt_the_leader)


@guarded
def check_tie_rule(rule: Callable[..., Any], test: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's tie rule `rule(vector, player)`, and on a test for it.

    `test(rule)` must be True for a rule that hurts the leader, and False for every wrong one.
    """
    ask(rule, Case(((3, 9, 1), 0), None, "a number for the vector (3, 9, 1), player 0"), NUMBER)
    feedback = check_cases(
        _preference(rule),
        _rule_cases(),
        {hint: _preference(mistake) for hint, mistake in RULE_MISTAKES.items()},
        kind=str,
        success="the rule is right for {cases} pairs of vectors",
    )
    return _check_test(test, feedback.message) if feedback else feedback


def _preference(rule: Callable[..., Any]) -> Callable[[Vector, Vector, int], str]:
    """Return a function that says which of two vectors a rule prefers."""

    @wraps(rule)
    def preference(first: Vector, second: Vector, player: int) -> str:
        scores = _number(rule, first, player), _number(rule, second, player)
        return "first" if scores[0] > scores[1] else "second" if scores[0] < scores[1] else "equal"

    return preference


def _number(rule: Callable[..., Any], vector: Vector, player: int) -> float:
    """Return the number that a rule gives to a vector."""
    words = f"a number for the vector {vector}, player {player}"
    return float(ask(rule, Case((vector, player), None, words), NUMBER))


def _rule_cases() -> Iterator[Case]:
    right = _preference(hurt_the_leader)
    for player, own in product(range(3), (0, 2, 5)):
        vectors = [(*rest[:player], own, *rest[player:]) for rest in product(range(4), repeat=2)]
        # 7 = 4 + 3: the vectors of a pair differ in both payoffs of the others.
        for first, second in zip(vectors, [*vectors[7:], *vectors[:7]], strict=True):
            words = f"which vector player {player} should choose, {first} or {second}"
            yield Case((first, second, player), right(first, second, player), words)


def _check_test(test: Callable[..., Any], message: str) -> Feedback:
    name = name_of(test)
    try:
        if not ask(test, Case((hurt_the_leader,), True, "the verdict on a right rule"), bool):
            return Feedback(False, f"{message}, but {name} says False for a right rule.")
        for hint, mistake in RULE_MISTAKES.items():
            if ask(test, Case((mistake,), False, "the verdict on a wrong rule"), bool):
                return Feedback(
                    False,
                    f"{message}, but {name} says True for a wrong rule. What is wrong with it: "
                    f"{hint} Which two vectors would show it?",
                )
    except WrongAnswerError as problem:
        return Feedback(False, f"{message}, but: {problem}")
    return Feedback(True, f"{message}, and {name} finds all {len(RULE_MISTAKES)} wrong ones.")


def tie_test(rule: Rule) -> bool:
    """Return whether a rule hurts the leader: the reference solution of the second part."""
    return (
        rule((9, 4, 4), 0) > rule((9, 6, 1), 0)
        and rule((3, 9, 8), 1) > rule((9, 9, 0), 1)
        and rule((5, 2, 9), 2) == rule((1, 5, 9), 2)
    )


# Exercise 4: a fair schedule of seatings


def schedule(agents: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return all orders of the agents: each in each seat, each after each other, equally often."""
    return list(permutations(agents))


@guarded
def check_schedule(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `schedule(agents)`, for two, three and four agents.

    Each agent must sit in each seat equally often, and move right after each other one equally
    often.
    """
    games = []
    for agents in ("AB", "ABC", "ABCD"):
        case = Case((list(agents),), None, f"a schedule for the agents {', '.join(agents)}")
        seatings = ask(function, case, (list, tuple))
        if fault := _schedule_fault(agents, seatings):
            return Feedback(False, f"{case.words}: {fault}")
        games.append(len(seatings))
    listed = f"{games[0]}, {games[1]} and {games[2]}"
    return Feedback(True, f"fair for two, three and four agents, with {listed} games.")


def _schedule_fault(agents: str, seatings: Sequence[Any]) -> str:
    """Return what is unfair about the seatings, or an empty string."""
    if not seatings:
        return "there is no game in it."
    for seating in seatings:
        if not isinstance(seating, list | tuple) or sorted(map(str, seating)) != list(agents):
            return f"in every game each agent has one seat; got {shown(seating)}."
    seats = Counter((agent, seat) for seating in seatings for seat, agent in enumerate(seating))
    options = [(agent, seat) for agent in agents for seat in range(len(agents))]
    most, least = max(options, key=lambda o: seats[o]), min(options, key=lambda o: seats[o])
    if seats[most] != seats[least]:
        return (
            f"{_times(most, seats)}, but {_times(least, seats)}. The seat alone can decide a game."
        )
    after = Counter(
        pair for seating in seatings for pair in zip(seating, _turned(seating), strict=True)
    )
    pairs = list(permutations(agents, 2))
    most_pair, least_pair = max(pairs, key=lambda p: after[p]), min(pairs, key=lambda p: after[p])
    if after[most_pair] != after[least_pair]:
        return (
            f"the seats are fair, but {most_pair[1]} moves right after {most_pair[0]} "
            f"{after[most_pair]} times, and {least_pair[1]} after {least_pair[0]} "
            f"{after[least_pair]} times. Who sits before you can decide a game, too."
        )
    return ""


def _turned(seating: Sequence[Any]) -> list[Any]:
    return [*seating[1:], seating[0]]


def _times(option: tuple[str, int], seats: Counter[tuple[str, int]]) -> str:
    return f"{option[0]} has seat {option[1]} in {seats[option]} games"
