"""The checks of the exercises of notebook 04; the solutions are in `reference.py`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, isclose, log, sqrt
from random import Random
from typing import Any

from course.draw.wording import format_path
from course.exercises.answer_key import FROM_REFERENCE, AnswerKey, rounded_answer, seeded_cases
from course.exercises.check_runner import award_credit, guarded
from course.exercises.error_report import safe_repr
from course.exercises.feedback import Case, Feedback, WrongAnswerError
from course.exercises.mistakes import Mistakes
from course.exercises.run_cases import NUMBER, make_check
from gamelib.games.game_tree import GameTree
from gamelib.games.nim import Nim
from gamelib.games.tictactoe import TicTacToe
from gamelib.state import Action, GameState, is_number

# Section 2: the score of an arm


def ucb1(w: float, n: int, N: int, c: float) -> float:  # noqa: N803, as in the formula
    """Return the UCB1 score of an action: its mean reward plus c sqrt(ln N / n)."""
    return w / n + c * sqrt(log(N) / n)


@seeded_cases
def _score_cases(rng: Random) -> Iterator[Case]:
    asked: list[tuple[int, int, int, float]] = [
        (1, 2, 10, 1),
        (3, 5, 10, 1),
        (0, 1, 2, 2),
        (2, 3, 50, 0),
    ]
    for _ in range(20):
        n = rng.randint(2, 40)
        asked.append((rng.randint(1, n), n, n + rng.randint(1, 60), rng.choice((0.3, 1.5, 5))))
    for w, n, coins, c in asked:
        yield Case(
            (w, n, coins, c),
            FROM_REFERENCE,
            f"the score with w = {w}, n = {n}, N = {coins}, c = {c}",
        )


check_score = make_check(
    AnswerKey("mcts", ucb1, _score_cases, view=rounded_answer), NUMBER, "check_score"
)


# Exercise 1: backpropagation with one number that changes sign


@dataclass
class PathNode:
    """A node on the path of a simulation; `total` belongs to the player who moved to it."""

    visits: int = 0
    total: float = 0.0


SAME_LIST = (
    "your program changes the list `path` itself. Change only the nodes in it: `reversed(path)` "
    "goes from the last node to the first and leaves the list as it is."
)


def _observed(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns the changes by `function`: (visits, total), root first."""

    def observed(before: Sequence[tuple[int, float]], payoff: float) -> tuple[Any, ...]:
        path = [PathNode(visits, total) for visits, total in before]
        given = [*path]
        function(given, payoff)
        if [*map(id, given)] != [*map(id, path)]:
            raise WrongAnswerError(SAME_LIST)
        return tuple((node.visits, node.total) for node in path)

    observed.__name__ = getattr(function, "__name__", "your function")
    return observed


@seeded_cases
def _backup_cases(rng: Random) -> Iterator[Case]:
    paths = [((0, 0.0),), ((4, 2.5), (2, 1.5)), ((9, 4.0), (5, 3.0), (1, 0.0))]
    paths.append(((9, 5.5), (6, 2.0), (3, 2.0), (0, 0.0)))
    for length in (2, 3, 4, 5):
        visits = sorted((rng.randrange(40) for _ in range(length)), reverse=True)
        paths.append(tuple((n, rng.randint(0, 2 * n) / 2) for n in visits))
    for before in paths:
        for payoff in (1, -1, 0):
            words = (
                f"(visits, total) of each node, root first, after a simulation with payoff "
                f"{payoff} for the player to move at the last node; before it {list(before)}"
            )
            yield Case((before, payoff), FROM_REFERENCE, words)


BACKUP = AnswerKey("mcts", "backpropagate", _backup_cases, view=_observed)

check_backpropagate = make_check(BACKUP, tuple)


# Exercise 2: UCB by hand

UcbTable = Mapping[str, tuple[int, float]]  # action -> (visits, total reward)

UCB_TABLE: UcbTable = {"x": (5, 3.5), "y": (3, 2.0), "z": (2, 0.5)}
TOLERANCE = 0.0011  # three digits after the point, rounded or truncated
TOO_COARSE = 0.011  # two digits

UCB_MISTAKES = Mistakes("mcts", "ucb_score", ucb1)


def ucb_scores(score: Callable[..., float] = ucb1, table: UcbTable = UCB_TABLE) -> dict[str, float]:
    """Return the score of every action of a table with c = sqrt 2, by `ucb1` or another rule."""
    coins = sum(visits for visits, _ in table.values())
    return {each: score(total, n, coins, sqrt(2)) for each, (n, total) in table.items()}


@guarded
def check_ucb(scores: Mapping[str, Any], selected: Any) -> Feedback:
    """Return feedback on the UCB scores of `UCB_TABLE`, to three digits, and on the choice.

    scores    {"x": score, "y": score, "z": score}; `...` stands for a blank
    selected  the action that is selected next
    """
    table = UCB_TABLE
    if not isinstance(scores, Mapping):
        words = (
            f"give the scores as {{action: score}}, with a number each; got {safe_repr(scores)}."
        )
        return Feedback(False, words)
    blank = [action for action in table if scores.get(action) in (..., None)]
    if blank:
        words = f"no score yet for {', '.join(blank)}."
        return Feedback(False, words, attempted=len(blank) < len(table))
    odd = [action for action in table if not is_number(scores[action])]
    if odd:
        return Feedback(False, f"a score is a number; {odd[0]} has {safe_repr(scores[odd[0]])}.")
    right = ucb_scores(table=table)
    wrong = [action for action in table if not _near(scores[action], right[action])]
    if wrong:
        message = f"the score of {wrong[0]} is not {scores[wrong[0]]}. {_ucb_hint(table, scores)}"
        return Feedback(False, message.strip())
    award_credit(1 / 2)
    best = max(right, key=right.__getitem__)
    if selected in (..., None):
        return Feedback(False, "the scores are right. Which action is selected?")
    if selected != best:
        words = f"the scores are right, but {safe_repr(selected)} has not the highest one."
        return Feedback(False, words)
    words = f"{best} has neither the best mean nor the fewest visits, but the highest sum."
    return Feedback(True, f"right to three digits after the point. {words}")


def _ucb_hint(table: UcbTable, scores: Mapping[str, Any]) -> str:
    for hint, mistake in UCB_MISTAKES.items():
        wrong = ucb_scores(mistake, table)
        if all(_near(scores[action], value) for action, value in wrong.items()):
            return hint
    right = ucb_scores(table=table)
    if all(_near(scores[action], value, TOO_COARSE) for action, value in right.items()):
        return "That is nearly right, but give three digits after the point."
    return ""


def _near(given: float, value: float, tolerance: float = TOLERANCE) -> bool:
    return isclose(given, value, rel_tol=0, abs_tol=tolerance)


# Exercise 3: select and expand in one loop


@dataclass
class TreeNode:
    """A node of a search tree; `total` sums the rewards of the player who moved to it."""

    state: GameState
    visits: int = 0
    total: float = 0.0
    children: dict[Action, TreeNode] = field(default_factory=dict)

    def add(self, action: Action) -> TreeNode:
        """Return a new child of this node; ValueError if the action has one."""
        if action in self.children:
            raise ValueError(f"action must be one without a child; got {action!r}")
        self.children[action] = TreeNode(self.state.successor(action))
        return self.children[action]


Recipe = tuple[GameState, int, int, float, float]  # state, simulations, seed, c, first


@lru_cache(maxsize=256)  # more than the questions for one seed
def _grown(state: GameState, simulations: int, seed: int, c: float, first: float) -> TreeNode:
    """Return a tree as after some simulations, with random paths and rewards.

    With an infinite `first`, no child has a second visit before all have one, as in a search.
    """
    root, rng = TreeNode(state), Random(seed)
    for _ in range(simulations):
        path = [root]
        while actions := list(path[-1].state.legal_actions()):
            node = path[-1]
            untried = [action for action in actions if action not in node.children]
            action = rng.choice(untried if untried and first == inf else actions)
            path.append(node.children.get(action) or node.add(action))
            if action in untried:
                break
        reward, mover = rng.choice((0, 0.5, 1)), root.state.current_player
        for node in path:
            node.visits += 1
            node.total += reward if mover == root.state.current_player else 1 - reward
            mover = node.state.current_player
    return root


def _copy(node: TreeNode) -> TreeNode:
    """Return a copy of a tree; the states are the same, because they never change."""
    children = {action: _copy(child) for action, child in node.children.items()}
    return TreeNode(node.state, node.visits, node.total, children)


def _walked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that returns the nodes on `function`'s path, and which of them are new."""

    def walked(*recipe: Any) -> tuple[str, ...] | None:
        root = _copy(_grown(*recipe))
        before = {id(node): (node.visits, node.total) for _, node in _nodes_by_path(root)}
        path = function(root, *recipe[-2:])
        if path is None:
            return None
        names = {id(node): format_path(place) for place, node in _nodes_by_path(root)}
        if not isinstance(path, list) or not all(id(node) in names for node in path):
            given = (
                f"return the list of the nodes of the path, all in the tree; got {safe_repr(path)}."
            )
            raise WrongAnswerError(given)
        now = {id(node): (node.visits, node.total) for _, node in _nodes_by_path(root)}
        if any(counts != before.get(each, (0, 0)) for each, counts in now.items()):
            raise WrongAnswerError("leave `visits` and `total` as they are; counting comes later.")
        marks = ["" if id(node) in before else " (new)" for node in path]
        walk = [names[id(node)] + mark for node, mark in zip(path, marks, strict=True)]
        beside = names.keys() - before.keys() - {id(node) for node in path}
        return (*walk, *(f"not on the path: {names[node]} (new)" for node in beside))

    walked.__name__ = getattr(function, "__name__", "your function")
    return walked


class TreeText:
    """A search tree as a drawing in text: a line for each node, with its visits and its total."""

    def __init__(self, root: TreeNode) -> None:
        self.root = root

    def _repr_svg_(self) -> None:
        """Return None: the text is the drawing."""

    def __str__(self) -> str:
        rows = []
        for path, node in _nodes_by_path(self.root):
            name = f"{'    ' * len(path)}{f'action {path[-1]}' if path else 'root'}"
            visits = f"{node.visits} visit{'' if node.visits == 1 else 's'}"
            rows.append((name, f"{visits}, total {node.total:g}"))
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:{width}}  {counts}" for name, counts in rows)


def _nodes_by_path(
    node: TreeNode, path: tuple[Action, ...] = ()
) -> Iterator[tuple[tuple[Action, ...], TreeNode]]:
    """Yield each node of a tree with its path, parents first."""
    yield path, node
    for action, child in node.children.items():
        yield from _nodes_by_path(child, (*path, action))


def _size(root: TreeNode) -> int:
    return sum(1 for _ in _nodes_by_path(root))


@seeded_cases
def _walk_cases(rng: Random) -> Iterator[Case]:
    small, deep = GameTree([[1, -1], 0]), GameTree([[[1, 0], [0, 1]], [[-1, 1], [0, 0]]])
    end, seeds = TicTacToe.parse("O.X/XX./OO."), iter(rng.sample(range(10**9), 199))
    recipes: list[Recipe] = [
        *[(small, n, 0, sqrt(2), inf) for n in (0, 1, 2, 3, 5, 8, 13)],
        *[(deep, 10 * n, next(seeds), sqrt(2), inf) for n in range(1, 9)],
        *[(deep, 6, next(seeds), 0.5, 0.7) for _ in range(12)],
        # where the difference between ln 3 and ln 4 decides
        *[(small, 3, next(seeds), 1.53, inf) for _ in range(12)],
        *[(deep, 30, next(seeds), rng.uniform(0.1, 2), inf) for _ in range(40)],
        *[(Nim((2, 2)), 25, next(seeds), 1, 0.9) for _ in range(6)],
        *[(end, 12, next(seeds), sqrt(2), 1.4) for _ in range(6)],
    ]
    # The smallest tree that shows a mistake is the easiest to follow.
    grown = sorted(
        ((_grown(*recipe), recipe) for recipe in recipes), key=lambda pair: _size(pair[0])
    )
    for root, recipe in grown:
        c, first = recipe[-2:]
        words = f"the path with c = {c:.2f} and first = {first}, in the tree below"
        yield Case(recipe, FROM_REFERENCE, words, TreeText(root))


check_select_and_expand = make_check(
    AnswerKey("mcts", "select_and_expand", _walk_cases, view=_walked), tuple
)


# Exercise 4: three players


@seeded_cases
def _credit_cases(rng: Random) -> Iterator[Case]:
    paths: list[tuple[tuple[int, ...], tuple[int, ...]]] = [
        ((0, 1), (1, -1)),
        ((0, 1, 2), (1, -1, -1)),
        ((0, 1, 2, 0), (-1, 1, -1)),
        ((2, 0, 1, 2), (0, 0, 0)),
        ((0, 0, 2, 1), (-1, -1, 1)),
        ((0, 1, 0, 1), (1, -1)),
    ]
    for players in (3, 4):
        for length in (4, 5, 5, 6, 7):
            to_move = tuple(rng.randrange(players) for _ in range(length))
            paths.append((to_move, tuple(rng.choice((-1, 0, 1)) for _ in range(players))))
    for to_move, utilities in paths:
        words = f"the rewards along nodes where {to_move} move, at the end the payoffs {utilities}"
        yield Case((to_move, utilities), FROM_REFERENCE, words)


check_rewards_along = make_check(AnswerKey("mcts", "rewards_along", _credit_cases), list)
