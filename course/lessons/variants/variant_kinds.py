"""The kinds of variants, in the order of the notebooks: how they are drawn, and their answers."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any

from course.draw.wording import format_path
from course.exercises.visit_counter import Path
from course.lessons.experiments.check import CONCLUSIONS
from course.lessons.mcts import check as mcts
from course.lessons.mcts.check import UcbTable, ucb1, ucb_scores
from course.lessons.mcts.reference import backpropagate
from course.lessons.multiplayer.reference import my_vector
from course.lessons.solver.check import NIM
from course.lessons.variants.variant import AnswerPart, Variant, below, shuffled
from gamelib.games import GameTree, Nim, TicTacToe, nim_winning_actions
from gamelib.state import Action, GameState

# Notebook 02: a position on paper


def _position(rng: random.Random) -> TicTacToe | None:
    """Return a position if it has a win, a draw and a loss, and every mistake shows."""
    position = TicTacToe(4, 4, 4)
    for cell in shuffled(position.legal_actions(), rng)[3:]:
        if position.is_terminal():
            return None
        position = position.successor(cell)
    if position.is_terminal() or set(paper_values(position).values()) != {-1, 0, 1}:
        return None
    return position if position_values.shows_mistakes(position) else None


def paper_values(position: TicTacToe) -> dict[Action, float]:
    """Return the value of each action for the player to move."""
    player = position.current_player

    def value(state: TicTacToe) -> float:
        if state.is_terminal():
            return state.utility(player)
        values = [value(state.successor(action)) for action in state.legal_actions()]
        return max(values) if state.current_player == player else min(values)

    return {action: value(position.successor(action)) for action in position.legal_actions()}


position_values = Variant("paper", _position, (AnswerPart("table of values", paper_values),))

# Notebook 03: a tree for alpha-beta from left to right

Branches = tuple[tuple[int, ...], ...]


def _tree(rng: random.Random) -> GameTree | None:
    """Return a tree if one node is cut after one leaf, one after two, and another raises alpha.

    Its leaves are 12 different numbers from 1 to 40.  Every mistake must show.
    """
    found = shuffled(range(1, 41), rng)[:12]
    nodes = tuple(tuple(found[start : start + 3]) for start in range(0, 12, 3))
    lengths = [len(leaves) for leaves in leaves_read(nodes)]
    if sorted(lengths[1:]) != [1, 2, 3] or root_value(nodes) != min(nodes[lengths.index(3, 1)]):
        return None
    state = GameTree([list(leaves) for leaves in nodes])
    return state if tree.shows_mistakes(state) else None


def branches(state: GameTree) -> Branches:
    """Return the leaves of a tree, by min node."""
    nodes = [state.successor(action) for action in state.legal_actions()]
    return tuple(tuple(int(n.successor(a).utility(0)) for a in n.legal_actions()) for n in nodes)


def root_value(nodes: Branches) -> float:
    """Return the value of the root."""
    return max(map(min, nodes))


def leaves_read(nodes: Branches) -> list[tuple[int, ...]]:
    """Return the leaves that alpha-beta reads in each node."""
    read: list[tuple[int, ...]] = []
    alpha = -1.0
    for leaves in nodes:
        cut = next((n for n, leaf in enumerate(leaves, 1) if leaf <= alpha), len(leaves))
        read.append(leaves[:cut])
        if cut == len(leaves):
            alpha = max(alpha, min(leaves))
    return read


def _in_order(program: Callable[[Branches], Branches], state: GameTree) -> list[int]:
    return [leaf for leaves in program(branches(state)) for leaf in leaves]


tree = Variant(
    "tree",
    _tree,
    (
        AnswerPart("value", root_value, ask=lambda program, state: program(branches(state))),
        AnswerPart(
            "list of the leaves that are read",
            leaves_read,
            ask=_in_order,
            same=lambda given, right: set(given) == set(right),  # all leaves differ
        ),
    ),
)

# Notebook 04: UCB scores

LEAD = 0.05  # of the highest UCB score, so that nobody fails because of rounding


def _table(rng: random.Random) -> UcbTable | None:
    visits = shuffled(range(2, 12), rng)[:3]
    table = {name: (n, (1 + below(2 * n - 1, rng)) / 2) for name, n in zip("xyz", visits)}  # noqa: B905
    return table if 10 <= sum(visits) <= 20 and _decides(table) else None


def _decides(table: UcbTable) -> bool:
    """Return whether the scores decide, and neither the means nor the visits alone do."""
    second, first = sorted(ucb_scores(table=table).values())[-2:]
    best = selected_action(table)
    means = {action: total / visits for action, (visits, total) in table.items()}
    return (
        first - second >= LEAD
        and means[best] < max(means.values())
        and table[best][0] > min(visits for visits, _ in table.values())
        and ucb.shows_mistakes(table)
        and sorted(table.values()) != sorted(mcts.UCB_TABLE.values())  # solved in the notebook
    )


def selected_action(table: UcbTable) -> str:
    """Return the action with the highest UCB score."""
    scores = ucb_scores(table=table)
    return max(scores, key=lambda action: scores[action])


def _near_scores(given: Mapping[str, Any], right: Mapping[str, float]) -> bool:
    return given.keys() == right.keys() and all(
        abs(given[action] - right[action]) <= mcts.TOLERANCE for action in right
    )


SCORES = AnswerPart(
    "table of the scores", ucb1, mcts.UCB_MISTAKES, ask=ucb_scores, same=_near_scores
)
ucb = Variant("ucb", _table, (SCORES, AnswerPart("action to select", selected_action)))

# Notebook 04: one simulation

Counts = tuple[int, float]  # visits, total reward
Statistics = Mapping[Path, Counts]

WINNERS = {1: "X wins", -1: "O wins"}


@dataclass(frozen=True)
class Simulation:
    """A tree of X, who moves at the root, and O, and the result of the next rollout.

    nodes   path of a node -> its visits, and the total reward of the player who moved to it
    payoff  of X: 1 or -1; not 0, because a draw would not show whose rewards they are
    """

    nodes: Statistics
    payoff: int

    def __repr__(self) -> str:
        lines = [
            f"{format_path(path)}: {visits} visits, total {total:g}"
            for path, (visits, total) in self.nodes.items()
        ]
        return "\n".join([*lines, f"the rollout ends: {WINNERS[self.payoff]}"])


def _simulation(rng: random.Random) -> Simulation | None:
    """Return a tree if the scores lead clearly on both plies, and each mistake shows."""
    drawn = Simulation(_statistics(rng), 2 * below(2, rng) - 1)
    if not 14 <= drawn.nodes[()][0] <= 20:  # most are not, and the rest takes longer
        return None
    path = selected(drawn.nodes)
    clear = all(_lead(drawn.nodes, path[:ply]) >= LEAD for ply in range(len(path)))
    return drawn if clear and WAY.shows_mistakes(drawn) else None


def _statistics(rng: random.Random) -> dict[Path, Counts]:
    """Return a tree whose counts are consistent, as if a search had built it."""
    nodes: dict[Path, Counts] = {(): (0, 0)}
    for branch in range(3):
        children: dict[Path, Counts] = {}
        for twig in range(2):
            visits = 1 + below(4, rng)
            children[branch, twig] = (visits, below(2 * visits + 1, rng) / 2)
        nodes[(branch,)] = _above(children, 1, below(3, rng) / 2)
        nodes |= children
    return nodes | {(): _above(_children(nodes, ()), 0, 0)}


def _children(nodes: Statistics, parent: Path) -> Statistics:
    return {path: counts for path, counts in nodes.items() if path and path[:-1] == parent}


def _above(children: Statistics, visits: int, total: float) -> Counts:
    """Return the counts of a node: those of its own first rollout, and of its children's."""
    for n, rewards in children.values():
        visits, total = visits + n, total + n - rewards
    return visits, total


def _lead(nodes: Statistics, parent: Path) -> float:
    """Return the lead of the best child of a node."""
    children = _children(nodes, parent).values()
    second, first = sorted(ucb_score(*counts, nodes[parent][0]) for counts in children)[-2:]
    return first - second


def ucb_score(visits: int, total: float, all_visits: int) -> float:
    """Return the UCB1 score of a child for c = sqrt 2."""
    return ucb1(total, visits, all_visits, sqrt(2))


def selected(nodes: Statistics) -> Path:
    """Return the path of the node at which selection ends, before a new one is added below it."""
    path: Path = ()
    while children := _children(nodes, path):
        scores = {child: ucb_score(*nodes[child], nodes[path][0]) for child in children}
        path = max(scores, key=lambda child: scores[child])
    return path


def counts_after(backup: Callable[..., None], drawn: Simulation) -> list[Counts]:
    """Return (visits, total) of each node of the simulation, from the root to the new node."""
    path = selected(drawn.nodes)
    way = [mcts.PathNode(*drawn.nodes[path[:ply]]) for ply in range(len(path) + 1)]
    way.append(mcts.PathNode())
    mover_is_x = len(way) % 2 == 1  # the player to move at the last node
    backup(way, drawn.payoff if mover_is_x else -drawn.payoff)
    return [(node.visits, node.total) for node in way]


WAY = AnswerPart(
    "path of selection",
    selected,
    ask=lambda program, drawn: program(drawn.nodes),
    same=lambda given, right: tuple(given) == right,
)
COUNTS_AFTER_BACKUP = AnswerPart(
    "list of the counts",
    backpropagate,
    mcts.BACKUP.mistakes(),
    ask=counts_after,
    same=lambda given, right: [tuple(pair) for pair in given] == right,
)
simulation = Variant("simulation", _simulation, (WAY, COUNTS_AFTER_BACKUP))

# Notebook 05: heaps with one winning action


def _heaps(rng: random.Random) -> Nim | None:
    """Return heaps if there is one winning action, and no mistake leads to it."""
    sizes = tuple(shuffled(range(1, 21), rng)[:4])
    best = nim_winning_actions(Nim(sizes))
    if len(best) != 1 or sizes[best[0][0]] == max(sizes) or best[0][1] < 2:
        return None
    found = any(mistake(sizes) == best[0] for mistake in NIM.mistakes().values())
    return None if found else Nim(sizes)


ACTION = AnswerPart(
    "winning action",
    lambda sizes: nim_winning_actions(Nim(sizes))[0],
    NIM.mistakes(),
    ask=lambda program, state: program(state.heaps),
)
heaps = Variant("heaps", _heaps, (ACTION,))

# Notebook 06: a tree of three players, read by MaxN and by Paranoid


def _three(rng: random.Random) -> GameTree | None:
    """Return a tree if MaxN and Paranoid choose different branches, and every mistake shows."""
    entries = [shuffled(range(1, 13), rng)[:8] for _ in range(3)]
    a, b, c, d, e, f, g, h = zip(*entries, strict=True)
    state = GameTree([[[a, b], [c, d]], [[e, f], [g, h]]])
    vector, sure = three_players.answers(state)
    children = [state.successor(branch) for branch in state.legal_actions()]
    liked = [my_vector(child) == vector for child in children]
    if liked == [sure_value(child) == sure for child in children]:
        return None
    return state if three_players.shows_mistakes(state) else None


def sure_value(state: GameState) -> float:
    """Return the guaranteed payoff of player 0 against all others: Paranoid's value."""
    if state.is_terminal():
        return state.utility(0)
    choose = max if state.current_player == 0 else min
    return choose(sure_value(state.successor(action)) for action in state.legal_actions())


MAXN = AnswerPart("vector of MaxN", my_vector, same=lambda given, right: tuple(given) == right)
three_players = Variant("three", _three, (MAXN, AnswerPart("value of Paranoid", sure_value)))

# Notebook 07: the conclusions from two match-ups

Result = tuple[int, int, int]  # wins, draws and losses of agent A
Interval = tuple[float, float]
EQUAL = 50.0  # percent
TOLERANCE = 0.11  # percentage points: one digit, rounded or truncated
FEW, MANY = range(60, 101, 10), range(300, 501, 20)  # games


def _match(rng: random.Random) -> dict[str, Result] | None:
    names, results = shuffled("BC", rng), {}
    for name, sizes in zip(names, (FEW, MANY), strict=True):
        games = sizes[below(len(sizes), rng)]
        draws = 4 + below(games // 4, rng)
        wins = below(games - draws + 1, rng)
        results[name] = wins, draws, games - draws - wins
    return dict(sorted(results.items())) if _is_as_hard(*results.values()) else None


def _is_as_hard(few: Result, many: Result) -> bool:
    """Return whether only the smaller difference, from the many games, is shown.

    Every wrong interval must show.
    """
    (low, high), (other_low, other_high) = share_interval(*few), share_interval(*many)
    differences = abs(_share(few) - EQUAL), abs(_share(many) - EQUAL)
    return (
        low + 1 < EQUAL < high - 1
        and (other_low > EQUAL + 1 or other_high < EQUAL - 1)
        and differences[0] > differences[1] + 1
        and INTERVALS.shows_mistakes({"few": few})
    )


def _share(result: Result) -> float:
    wins, draws, losses = result
    return 100 * (wins + draws / 2) / (wins + draws + losses)


def share_interval(wins: int, draws: int, losses: int) -> Interval:
    """Return the 95 % interval of a share of the points, in percent (Wilson 1927)."""
    games = wins + draws + losses
    share, z = (wins + draws / 2) / games, 1.96
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    margin = z / (1 + z * z / games) * sqrt(share * (1 - share) / games + (z / 2 / games) ** 2)
    return 100 * (middle - margin), 100 * (middle + margin)


def conclusion(*result: int) -> str:
    """Return the element of CONCLUSIONS that follows for "A is stronger"."""
    low, high = share_interval(*result)
    shows, shows_nothing, shows_the_opposite = CONCLUSIONS
    return shows if low > EQUAL else shows_the_opposite if high < EQUAL else shows_nothing


def _each(program: Callable[..., Any], results: Mapping[str, Result]) -> dict[str, Any]:
    return {name: program(*result) for name, result in results.items()}


def _near_intervals(given: Mapping[str, Any], right: Mapping[str, Interval]) -> bool:
    """Return whether both ends are within the tolerance, for each opponent."""
    pairs = [pair for name in right for pair in zip(given[name], right[name], strict=True)]
    return given.keys() == right.keys() and all(abs(a - b) <= TOLERANCE for a, b in pairs)


INTERVALS = AnswerPart("pair of intervals", share_interval, ask=_each, same=_near_intervals)
match = Variant(
    "match", _match, (INTERVALS, AnswerPart("pair of conclusions", conclusion, ask=_each))
)
