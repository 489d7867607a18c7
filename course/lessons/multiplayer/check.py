"""The checks of the exercises of notebook 06, and trees for its labs.

The solutions are in `reference.py`.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from itertools import permutations, product
from math import inf, sqrt
from random import Random
from statistics import mean, stdev
from string import ascii_uppercase
from typing import Any

from arena.results.statistics import NORMAL_95, wilson_interval
from course.draw.wording import format_path, format_value, why_not_visited
from course.exercises.answer_key import FROM_REFERENCE, AnswerKey, seeded_cases, without_answers
from course.exercises.check_runner import award_credit, guarded
from course.exercises.error_report import name_of, safe_repr
from course.exercises.feedback import Case, Feedback, WrongAnswerError
from course.exercises.lesson_data import load_tables
from course.exercises.run_cases import (
    NUMBER,
    call_and_count,
    call_student,
    check_cases,
    first_wrong_feedback,
    make_check,
    with_hint,
)
from course.exercises.tree_exercises import check_leaf
from course.exercises.visit_counter import RECALLED_MESSAGE, Path, visit_count
from course.tracing import record
from gamelib.games import GameTree, TicTacToe
from gamelib.search import hurt_the_leader, maxn, paranoid
from gamelib.state import GameState

Vector = tuple[float, ...]

# Positions and trees for the labs


def played_positions(state: GameState, plies: int, number: int, *, seed: int = 0) -> list[Any]:
    """Return `number` different open positions, each after `plies` random actions from `state`.

    ValueError if there are too few.
    """
    rng = Random(seed)
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
        raise ValueError(
            f"number must be at most {len(found)}, because no more were found; got {number}"
        )
    return list(found)


def sharing_tree(
    seed: int, num_players: int, *, branching: int = 3, depth: int = 6, coins: int = 20
) -> GameTree:
    """Return a random tree in whose leaves the players share `coins`; each gets 0 or more."""
    rng = Random(f"{seed} {num_players} {branching} {depth} {coins}")

    def node(height: int) -> Any:
        if height:
            return [node(height - 1) for _ in range(branching)]
        cuts = sorted(rng.randint(0, coins) for _ in range(num_players - 1))
        return tuple(b - a for a, b in zip([0, *cuts], [*cuts, coins], strict=True))

    return GameTree(node(depth))


def best_first(tree: GameTree, *, against: int | None = None) -> GameTree:
    """Return the same tree, with the chosen branch of each node as its first one.

    MaxN chooses; with `against`, Paranoid does, where all others play against that player.  The
    other branches follow in the order in which they would be chosen.
    """

    def worth(mover: int, payoffs: Vector) -> float:
        if against is None:
            return payoffs[mover]
        return payoffs[against] if mover == against else -payoffs[against]

    def ordered(node: GameTree) -> tuple[Vector, Any]:
        """Return the vector that is backed up to a node, and its branches in their new order."""
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


# Lab 6D: games in each of the six seatings


def seat_table() -> str:
    """Return the stored games as text: the wins of each agent in each seating.

    The wins of mcts have the 95 % interval of their share (Wilson 1927).  Below are its wins in the
    three rotations of each order, and their difference in pairs, by opening.
    """
    lines = ["seats X, O, A             games  maxn  paranoid  mcts   share of mcts, 95 %"]
    after: dict[str, list[list[bool]]] = {}
    for seats, games in load_tables("multiplayer", "seats").items():
        order = seats.split()
        wins = {name: games.count("XOA"[order.index(name)]) for name in order}
        won = [game == "XOA"[order.index("mcts")] for game in games]
        after.setdefault(order[order.index("mcts") - 1], []).append(won)
        low, high = wilson_interval(wins["mcts"], len(games))
        lines.append(
            f"{', '.join(order):<25} {len(games):>5} {wins['maxn']:>5} {wins['paranoid']:>9} "
            f"{wins['mcts']:>5}   {low:.0%} to {high:.0%}"
        )
    shares = {}
    for name, rows in after.items():
        shares[name] = [sum(won) / len(rows) for won in zip(*rows, strict=True)]  # by opening
        games, wins_of_mcts = len(rows) * len(rows[0]), sum(map(sum, rows))
        lines.append(f"mcts right after {name:<8} {games:>5} {wins_of_mcts:>21}")
    one, two = shares.values()
    gaps = [a - b for a, b in zip(one, two, strict=True)]
    middle, margin = mean(gaps), NORMAL_95 * stdev(gaps) / sqrt(len(gaps))
    lines.append(
        f"difference {middle:+.1%}, 95 %: {middle - margin:+.1%} to {middle + margin:+.1%}"
    )
    return "\n".join(lines)


# Section 2: one leaf is changed


def brings_seven(tree: GameTree) -> Feedback:
    """Return feedback on whether player 0 gets 7 in the tree of section 2, one leaf changed."""
    vector: Any = maxn(tree).utilities
    found = f"the vector of the root is {format_value(vector)}."
    return check_leaf(tree, TREES[0], found, reached=vector[0] == 7)


# Section 2: one line of MaxN


@seeded_cases
def _vector_cases(rng: Random) -> Iterator[Case]:
    yield from map(_vector_case, _vector_states(rng))


def _vector_states(rng: Random) -> list[Any]:
    seeds = rng.sample(range(10**9), 4)
    trees = [sharing_tree(seed, 3, branching=2, depth=3, coins=9) for seed in seeds]
    lead = GameTree.parse("(5 9 9) (4 0 0)")  # a larger payoff, or a larger lead
    # Each tie in both orders: any other rule than "the first" prefers one of the two.
    tied = [GameTree([*pair]) for pair in permutations([(2, 0, 0), (2, 0, 1), (2, 1, 0)], 2)]
    return [*_states(), lead, *tied, *trees, *_drawn_boards(rng, 3)]


def _vector_case(state: GameState) -> Case:
    return Case((state,), _vector(state), f"the vector of {state!r}", state)


def _vector(state: GameState, depth: int | None = None) -> Any:
    """Return the library's vector of a state, terminal or not; at the depth limit all are 0."""
    if state.is_terminal():
        return state.utilities()
    if depth == 0:
        return tuple(0 for _ in range(state.num_players))
    found = maxn(state, depth=depth)
    return found.vectors[found.action]


check_my_vector = make_check(
    AnswerKey("multiplayer", "my_vector", _vector_cases, make=_vector_case), tuple
)


# Exercise 1: MaxN with a depth limit


@seeded_cases
def _maxn_cases(rng: Random) -> Iterator[Case]:
    for state in _vector_states(rng):
        for depth in (1, 2, 3, 4):
            yield _maxn_case(state, depth)


def _maxn_case(state: GameState, depth: int) -> Case:
    """Return a question; at the depth limit every player has 0."""
    plies = "1 ply" if depth == 1 else f"{depth} plies"
    return Case(
        (state, depth), _vector(state, depth), f"the vector of {state!r}, {plies} ahead", state
    )


def _drawn_boards(rng: Random, number: int) -> list[Any]:
    """Return positions of three players with about four empty cells."""
    board = TicTacToe(3, 4, 3, num_players=3)
    return played_positions(board, 8, number, seed=rng.randrange(10**9))


check_limited_maxn = make_check(
    AnswerKey("multiplayer", "limited_maxn", _maxn_cases, make=_maxn_case), tuple
)


# Exercise 2: Paranoid with alpha-beta


# A cut at a node of another player, and one at a node of `player`; a larger tree may have neither.
_CUTS = [GameTree([(0, 0, 0), [(0, 0, 0)] * 2]), GameTree([[[(0, 0, 0), [(0, 0, 0), (0, 0, 1)]]]])]


@seeded_cases
def _sure_cases(rng: Random) -> Iterator[Case]:
    trees = [
        sharing_tree(seed, 3, depth=4) for seed in (*range(5), *rng.sample(range(5, 10**9), 7))
    ]
    for state in (*_CUTS, *_states(), *trees, *_drawn_boards(rng, 3)):
        for player in range(state.num_players):
            yield _sure_case(state, player)


def _sure_case(state: GameState, player: int) -> Case:
    words = f"the value of {state!r} that player {player} is sure of"
    return Case((state, player), _sure(state, player), words, state)


def _sure_right(arguments: tuple[Any, ...], answer: Any) -> Any:
    """Return the correct value; None if the answer is correct or a bound on it."""
    state, player = arguments[:2]
    alpha, beta = arguments[2:] or (-inf, inf)
    value = _sure(state, player)
    low, high = answer <= alpha and value <= answer, answer >= beta and value >= answer
    return None if answer == value or low or high else value


def _sure(state: GameState, player: int) -> float:
    """Return the guaranteed payoff of a player against all others, without cuts."""
    if state.is_terminal():
        return state.utility(player)
    choose = max if state.current_player == player else min
    return choose(_sure(state.successor(action), player) for action in state.legal_actions())


SURE = AnswerKey("multiplayer", "sure_value", _sure_cases, make=_sure_case)
SURE_NODES = AnswerKey(
    "multiplayer",
    "sure_value",
    without_answers(_sure_cases),
    view=visit_count,
    group="sure_value_cuts",
    make=_sure_case,
)


@guarded
def check_sure_value(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `sure_value(state, player, alpha=-inf, beta=inf)`.

    First all values must be right; then it may in no tree visit more nodes than alpha-beta does.
    """
    success = "all {cases} values are right"
    feedback = check_cases(function, SURE, kind=NUMBER, success=success, right=_sure_right)
    if not feedback:
        return feedback
    cases = SURE_NODES.cases()

    def again(case: Case) -> tuple[Path, ...]:
        return call_and_count(function, case, NUMBER, max_nodes=10_000)[1]

    visited = [again(case) for case in cases]
    if recalled := sum(len(paths) < 2 for paths in visited):
        return Feedback(False, RECALLED_MESSAGE.format(count=recalled))
    nodes, enough = sum(map(len, visited)), sum(case.expected for case in cases)
    if all(len(paths) <= case.expected for case, paths in zip(cases, visited, strict=True)):
        return Feedback(True, f"{feedback.message}, with {nodes:,} nodes; all of them are needed.")
    message = f"{feedback.message}, but you visit {nodes:,} nodes; {enough:,} are enough."
    given = zip(cases, visited, strict=True)
    found = first_wrong_feedback(SURE_NODES, given, _needless, again)
    fault = Feedback(False, "") if found is None else found
    fault = replace(fault, message=f"{message} {fault.message}".strip())
    return with_hint(fault, SURE_NODES.hint([len(paths) for paths in visited]))


def _needless(case: Case, paths: tuple[Path, ...]) -> str:
    """Return why the first node that alpha-beta prunes needs no visit; "" if there is none.

    Only trees in which `player` moves at the root are explained.
    """
    state, player = case.arguments
    # Sorted paths go from left to right, like the recorded search, so its reasons apply.
    if player != state.current_player or [*paths] != sorted(paths):
        return ""
    trace = record(paranoid, state)
    needed = set(trace.visited())
    extra = next((path for path in paths if path not in needed), None)
    if extra is None:
        return ""
    return f"In {state!r} {format_path(extra)} needs no visit. {why_not_visited(trace, extra)}"


# Exercise 3: a tie rule, and a test for tie rules

Rule = Callable[[Vector, int], float]


@guarded
def check_tie_rule(rule: Callable[..., Any], test: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's tie rule `rule(vector, player)`, and on a test for it.

    `test(rule)` must be True for a rule that hurts the leader, and False for every wrong one.
    """
    call_student(
        rule, Case(((3, 9, 1), 0), None, "a number for the vector (3, 9, 1), player 0"), NUMBER
    )
    success = "the rule is right for {cases} pairs of vectors"
    feedback = check_cases(rule, RULE, kind=str, success=success)
    if not feedback:
        return feedback
    award_credit(1 / 2)
    return _check_test(test, feedback.message)


def _preference(rule: Callable[..., Any]) -> Callable[[Vector, Vector, int], str]:
    """Return a function that returns which of two vectors a rule prefers."""

    @wraps(rule)
    def preference(first: Vector, second: Vector, player: int) -> str:
        scores = _number(rule, first, player), _number(rule, second, player)
        return "first" if scores[0] > scores[1] else "second" if scores[0] < scores[1] else "equal"

    return preference


def _number(rule: Callable[..., Any], vector: Vector, player: int) -> float:
    """Return the number that a rule gives to a vector."""
    words = f"a number for the vector {vector}, player {player}"
    return float(call_student(rule, Case((vector, player), None, words), NUMBER))


@seeded_cases
def _rule_cases(rng: Random) -> Iterator[Case]:
    asked: list[tuple[Vector, Vector, int]] = []
    for player, own in product(range(3), (0, 2, 5)):
        vectors = [(*rest[:player], own, *rest[player:]) for rest in product(range(4), repeat=2)]
        # Shifted by 7 = 4 + 3, the vectors of a pair differ in both payoffs of the others.
        pairs = zip(vectors, [*vectors[7:], *vectors[:7]], strict=True)
        asked += [(*pair, player) for pair in pairs]
    for number in (3, 4) * 20:
        player, own = rng.randrange(number), rng.randrange(10)
        rests = [[rng.randrange(10) for _ in range(number - 1)] for _ in range(2)]
        one, other = ((*rest[:player], own, *rest[player:]) for rest in rests)
        asked.append((one, other, player))
    for first, second, player in asked:
        words = f"which vector player {player} should choose, {first} or {second}"
        yield Case((first, second, player), FROM_REFERENCE, words)


# A function of the library, so it is not secret. The wrong rules are passed to a student's test.
RULE = AnswerKey("multiplayer", hurt_the_leader, _rule_cases, view=_preference)


@seeded_cases
def _rules_to_test(rng: Random) -> list[tuple[Rule, str]]:
    """Return each wrong rule with its hint, and the right one equally often, in random order.

    A test that relies on the order, or on chance, will probably fail.
    """
    wrong = [(rule, hint) for hint, rule in RULE.mistakes().items()]
    right: list[tuple[Rule, str]] = [(hurt_the_leader, "")]
    asked = wrong + right * max(1, len(wrong))
    rng.shuffle(asked)
    return asked


def _check_test(test: Callable[..., Any], message: str) -> Feedback:
    name = name_of(test)
    try:
        for rule, hint in _rules_to_test():
            words = "the verdict on a wrong rule" if hint else "the verdict on a right rule"
            if call_student(test, Case((_nameless(rule),), not hint, words), bool) == (not hint):
                continue
            if not hint:
                return Feedback(False, f"{message}, but {name} says False for a right rule.")
            return Feedback(
                False,
                f"{message}, but {name} says True for a wrong rule. What is wrong with it: "
                f"{hint} Which two vectors would show it?",
            )
    except WrongAnswerError as problem:
        return Feedback(False, f"{message}, but: {problem}")
    return Feedback(True, f"{message}, and {name} finds all {len(RULE.mistakes())} wrong ones.")


def _nameless(rule: Rule) -> Rule:
    """Return a new function that behaves like a rule and has another name."""

    def rule_to_test(payoffs: Vector, player: int) -> float:
        return rule(payoffs, player)

    return rule_to_test


# Exercise 4: a fair schedule of seatings


@seeded_cases
def _schedule_cases(rng: Random) -> Iterator[Case]:
    for number in (2, 3, 4):
        agents = sorted(rng.sample(ascii_uppercase, number))
        yield Case((agents,), None, f"a schedule for the agents {', '.join(agents)}")


@guarded
def check_schedule(function: Callable[..., Any]) -> Feedback:
    """Return feedback on a student's `schedule(agents)`, for two, three and four agents.

    Each agent must play each seat equally often, and move right after each other one equally often.
    """
    games = []
    for case in _schedule_cases():
        (agents,) = case.arguments
        seatings = call_student(function, replace(case, arguments=([*agents],)), (list, tuple))
        if fault := _schedule_fault(agents, seatings):
            return Feedback(False, f"{case.prompt}: {fault}")
        games.append(len(seatings))
    listed = f"{games[0]}, {games[1]} and {games[2]}"
    return Feedback(True, f"fair for two, three and four agents, with {listed} games.")


def _schedule_fault(agents: list[str], seatings: Sequence[Any]) -> str:
    """Return a sentence about an unfairness of the seatings, or ""."""
    if not seatings:
        return "there is no game in it."
    for seating in seatings:
        if not isinstance(seating, list | tuple) or sorted(map(str, seating)) != agents:
            return f"in every game each agent has one seat; got {safe_repr(seating)}."
    held = Counter((agent, seat) for seats in seatings for seat, agent in enumerate(seats))
    options = [(agent, seat) for agent in agents for seat in range(len(agents))]
    most, least = max(options, key=lambda o: held[o]), min(options, key=lambda o: held[o])
    if held[most] != held[least]:
        return f"{_times(most, held)}, but {_times(least, held)}. The seat alone can decide a game."
    after = Counter(
        pair for seats in seatings for pair in zip(seats, [*seats[1:], seats[0]], strict=True)
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


def _times(option: tuple[str, int], held: Counter[tuple[str, int]]) -> str:
    return f"{option[0]} has seat {option[1]} in {held[option]} games"
