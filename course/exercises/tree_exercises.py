"""Trees that students fill in by hand: random trees, and checks that name the first wrong node."""

import random
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from typing import Any

from course.draw.wording import capital, format_path, format_value, join_with_and, mover
from course.exercises.feedback import Feedback
from course.exercises.validation import validated, validated_successor
from course.exercises.visit_counter import Path
from course.tracing.trace import Trace, TraceFrame, record
from gamelib.games.game_tree import GameTree
from gamelib.search.alphabeta import alphabeta
from gamelib.search.expectiminimax import expectiminimax
from gamelib.search.maxn import maxn
from gamelib.search.minimax import minimax
from gamelib.state import CHANCE, GameState

TEXTBOOK = GameTree([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
MAX_INNER_NODES = 40  # the inner nodes that a student may be asked to fill in
# All payoffs are far below or far above 0, so a search that begins with -1000 or 1000 is wrong
# here. Payoffs up to 9 * FAR are exact even in a program that computes with numpy's float32.
FAR = 10**6
FAR_TREES = (
    GameTree([[-9 * FAR, -7 * FAR], [-8 * FAR, -6 * FAR]]),
    GameTree([[9 * FAR, 7 * FAR], [8 * FAR, 6 * FAR]]),
)


def random_tree(
    seed: int,
    *,
    branching: int | tuple[int, int] = (2, 3),
    depth: int = 2,
    values: tuple[int, int] = (0, 20),
    num_players: int = 2,
) -> GameTree:
    """Return a random tree; the same seed gives the same tree.

    branching    the number of children of every inner node, or its minimum and maximum
    depth        the plies from the root to every leaf
    values       the lowest and the highest value of a leaf
    num_players  for more than two players a leaf has a payoff for each

    ValueError for a value that is out of range.

    >>> from course import random_tree
    >>> random_tree(seed=1, branching=2, depth=2).play(0, 1).utilities()
    (10, -10)
    """
    min_children, max_children = (
        branching if isinstance(branching, tuple) else (branching, branching)
    )
    _check_between("branching", min_children, 1, 9)
    _check_between("branching", max_children, min_children, 9)
    _check_between("depth", depth, 1, 6)
    _check_between("num_players", num_players, 2, 6)
    if not all(type(value) is int for value in values) or values[0] > values[-1]:
        raise ValueError(f"values must be two ints, the lower one first; got {values!r}")
    rng = random.Random(f"{seed} {min_children} {max_children} {depth} {values} {num_players}")

    def node(height: int) -> Any:
        if height == 0:
            payoffs = [rng.randint(*values) for _ in range(num_players)]
            return payoffs[0] if num_players == 2 else tuple(payoffs)
        return [node(height - 1) for _ in range(rng.randint(min_children, max_children))]

    return GameTree(node(depth))


def uneven_tree(seed: int, *, depth: int = 4, values: tuple[int, int] = (-2, 2)) -> GameTree:
    """Return a random tree whose leaves are at different depths; the same seed, the same tree.

    Equal subtrees are frequent, and they occur with either player to move.

    depth   the maximal number of plies from the root to a leaf
    values  the lowest and the highest value of a leaf
    """
    rng = random.Random(f"uneven {seed} {depth} {values}")

    def node(height: int) -> Any:
        if height == 0 or (height < depth and rng.random() < 0.3):
            return rng.randint(*values)
        return [node(height - 1) for _ in range(rng.randint(1, 3))]

    return GameTree(node(depth))


def inner_nodes(tree: GameState) -> list[Path]:
    """Return the paths of the inner nodes, level by level, from left to right.

    ValueError for a tree that has no inner node, or more than `MAX_INNER_NODES`.
    """
    nodes: list[tuple[Path, GameState]] = [((), validated(tree))]
    paths: list[Path] = []
    for path, state in nodes:  # the list grows during the loop
        if not state.is_terminal() and len(paths) <= MAX_INNER_NODES:
            paths.append(path)
            actions = state.legal_actions()
            nodes += [
                ((*path, action), validated(validated_successor(state, action)))
                for action in actions
            ]
    if not 1 <= len(paths) <= MAX_INNER_NODES:
        number = "none" if not paths else "more"
        raise ValueError(
            f"tree must have 1 to {MAX_INNER_NODES} inner nodes, so that it can be filled in; "
            f"this one has {number}"
        )
    return paths


@dataclass(frozen=True)
class TreeFeedback(Feedback):
    """Feedback on a tree: the message contains the answer, `hint` only says where to look.

    path  the wrong node, or the branch to it; None if everything is right
    """

    path: Path | None = None
    hint: str = ""


def check_leaf(tree: GameTree, before: GameTree, found: str, *, reached: bool) -> Feedback:
    """Return feedback on a tree in which a student was asked to change one leaf.

    before   the tree as it was given
    found    the result of the change, as text
    reached  whether this result is the one that was asked for
    """
    leaves, old_leaves = (dict(_leaves(game_tree)) for game_tree in (tree, before))
    if leaves == old_leaves:
        words = "click a leaf in the tree above, type a number, and press Enter."
        return Feedback(False, words, attempted=False)
    if leaves.keys() != old_leaves.keys():
        return Feedback(False, "that is another tree. Run the cell above again.")
    changed = [path for path in old_leaves if leaves[path] != old_leaves[path]]
    if len(changed) > 1:
        words = f"{len(changed)} leaves are changed. Run the cell above again, and change one."
        return Feedback(False, words)
    here = f"with {format_value(leaves[changed[0]])} at {format_path(changed[0])}"
    return Feedback(reached, f"{here}, {found}")


def _leaves(tree: GameTree) -> Iterator[tuple[Path, Any]]:
    """Yield the path and the value of each leaf."""
    if tree.is_terminal():
        payoffs = tree.utilities()
        yield tree.path, payoffs if tree.num_players > 2 else payoffs[0]
    for action in tree.legal_actions():
        yield from _leaves(tree.successor(action))


def check_values(tree: GameState, values: Mapping[Path, Any]) -> TreeFeedback:
    """Return feedback on the values of the inner nodes, with the first wrong one and the reason.

    values  path -> value for max, or a vector if there are more than two players

    Children are checked before their parents, so that an error is named where it was made.  Nodes
    without a value are counted, but not named.
    """
    if not values:
        words = "enter a value first. Begin with a node whose children are all leaves."
        return TreeFeedback(False, words, attempted=False)
    trace = value_trace(tree)
    paths, end = inner_nodes(tree), trace.at(len(trace))
    for path in children_first(paths):
        if path in values and not _equal(values[path], end.node(path).value):
            return _value_fault(end, path, values[path])
    if missing := len(set(paths) - set(values)):
        words = f"of {len(paths)} values {missing} {'is' if missing == 1 else 'are'} missing."
        return TreeFeedback(False, f"what you have entered is right; {words}")
    root = format_value(end.node(()).value)
    return TreeFeedback(True, f"all {len(paths)} values are right; the root is worth {root}.")


def value_trace(tree: GameState) -> Trace:
    """Return the trace of the search that computes the values of a tree."""
    two_player_search = expectiminimax if tree.has_chance else minimax
    return record(two_player_search if tree.num_players == 2 else maxn, tree)


def children_first(paths: Collection[Path]) -> list[Path]:
    """Return the paths in the order in which values are backed up: children before parents."""
    return sorted(paths, key=lambda path: -len(path))  # stable, so each level keeps its order


def _value_fault(end: TraceFrame, path: Path, given: Any) -> TreeFeedback:
    fault = f"{_named(path)}: not {format_value(given)}."
    other = _other_rule(end, path, given)
    asks = "Who moves here, and what does that player choose from?"
    if end.node(path).state.current_player == CHANCE:
        asks = "Chance moves here, and nobody chooses. How probable is each outcome?"
    hint = other or asks
    return TreeFeedback(
        False, f"{fault} {_rule(end, path)} {other}".strip(), path=path, hint=f"{fault} {hint}"
    )


def _rule(end: TraceFrame, path: Path) -> str:
    """Return how the value of a node follows from its children, and the value."""
    node = end.node(path)
    values = [end.node(child).value for child in end.children(path)]
    who = capital(mover(end.trace, node.state))
    if isinstance(node.value, tuple):
        player = node.state.current_player
        mine = join_with_and(
            format_value(value[player]) for value in values if isinstance(value, tuple)
        )
        looks = f"{who} looks at entry {player} of each vector ({mine}) and takes the whole vector"
        return f"{looks} {format_value(node.value)}."
    if end.trace.role(node.state) == "chance":
        probabilities = [
            format_value(probability) for _, probability in node.state.chance_outcomes()
        ]
        parts = zip(probabilities, map(format_value, values), strict=True)
        sums = " + ".join(f"{probability} · {value}" for probability, value in parts)
        return f"Chance moves here: {sums} is {format_value(node.value)}."
    which = "highest" if end.trace.role(node.state) == "max" else "lowest"
    among = join_with_and(map(format_value, values))
    return f"{who} moves here and takes the {which} of {among}: {format_value(node.value)}."


def _other_rule(end: TraceFrame, path: Path, given: Any) -> str:
    """Return for which rule the given value would be right, if for any."""
    values = [end.node(child).value for child in end.children(path)]
    numbers = [
        float(value) for value in values if not isinstance(value, tuple) and value is not None
    ]
    if isinstance(given, tuple) or not numbers:
        return ""
    average = isclose(given, sum(numbers) / len(numbers), abs_tol=0.01)
    if end.trace.role(end.node(path).state) == "chance":
        if average:
            return "Yours is the plain average: are all outcomes equally probable?"
        return "Yours is one outcome's value, but nobody chooses here." if given in numbers else ""
    if given in (min(numbers), max(numbers)):
        return "Yours is what the other player would take."
    if average:
        return "Yours is the average, but nobody here moves at random."
    return "" if given in numbers else "No child has this value."


def check_cuts(tree: GameState, cut: Collection[Path]) -> TreeFeedback:
    """Return feedback on the cuts that a student marked, with the first wrong branch.

    cut  the paths of the children that are not visited; nodes below a cut need not be marked

    Alpha-beta visits children from left to right and cuts if beta <= alpha.  A branch that is
    marked but not cut is named before one that is missing.
    """
    trace = record(alphabeta, tree)
    pruned = set(trace.pruned())
    marked = {tuple(path) for path in cut}
    if pruned and not marked:
        return TreeFeedback(False, "mark a cut first: choose the edge above it.", attempted=False)
    every = sorted(marked | pruned, key=lambda path: _place(tree, path))
    asked = [p for p in every if not any(p[:length] in pruned for length in range(len(p)))]
    for path in asked:
        if path not in pruned:
            hint = f"{_named(path)} is visited. What are max and min sure of before it?"
            sure = "Max is sure of alpha, and min is sure of beta."
            said = f"{_named(path)} is visited: {why_visited(trace, path)} {sure}"
            return TreeFeedback(False, said, path=path, hint=hint)
    for path in asked:
        if path not in marked:
            hint = "your marks are right, but there is more. Where else can nothing change?"
            said = f"{_named(path)} is cut, but not marked: {trace.cuts()[path[:-1]].reason}."
            return TreeFeedback(False, said, path=path, hint=hint)
    nodes = 1 + sum(len(tree.play(*path).legal_actions()) for path in inner_nodes(tree))
    said = f"alpha-beta visits {len(trace.visits)} of {nodes} nodes, as you say."
    return TreeFeedback(True, said)


def _place(tree: GameState, path: Path) -> list[int]:
    """Return the index of each action of a path, because actions may not be comparable."""
    return [tree.play(*path[:ply]).legal_actions().index(action) for ply, action in enumerate(path)]


def _named(path: Path) -> str:
    return capital(format_path(path))


def why_visited(trace: Trace, path: Path) -> str:
    """Return the window with which the search comes to a node."""
    visit = next(visit for visit in trace.visits if visit.path == path)
    alpha, beta = map(format_value, visit.window)
    return f"there alpha is {alpha} and beta is {beta}, so it can still change what is chosen."


def _equal(given: Any, value: Any) -> bool:
    pair = [part if isinstance(part, tuple) else (part,) for part in (given, value)]
    return len(pair[0]) == len(pair[1]) and all(
        isclose(a, b, abs_tol=1e-4) for a, b in zip(*pair, strict=True)
    )


def _check_between(name: str, value: object, low: int, high: int) -> None:
    if type(value) is not int or not low <= value <= high:
        raise ValueError(f"{name} must be an int from {low} to {high}; got {value!r}")
