"""The personal variants of `course.lessons.variants`, as questions."""

from __future__ import annotations

from course.draw import tree
from course.draw.words import capital, in_words, path_in_words
from course.lessons import variants
from course.lessons.mcts.check import UcbTable, ucb_scores
from course.lessons.variants.alpha_beta import leaves_read, root_value
from course.lessons.variants.experiments import conclusion, intervals
from course.lessons.variants.mcts import WINNERS, counts_after, selected
from course.lessons.variants.minimax import paper_values
from course.lessons.variants.multiplayer import maxn_vector, sure_value
from gamelib.games import nim_sum, nim_winning_actions
from gamelib.picture import position
from tools.sheets.question import Question, Topic, labelled

UCB = "UCB1: mean + c · √(ln N / n), c = √2; N are the visits of the parent, n those of the child."
WILSON = (
    "With p, the share of the points, n games and z = 1.96, the middle of the interval is "
    "(p + z² / 2n) / (1 + z² / n). From there it goes up and down by "
    "z / (1 + z² / n) · √(p (1 - p) / n + z² / 4n²)."
)


def paper(student: str) -> Question:
    """Return two positions: what is each action worth?

    A tree so small can have its win, its draw and its loss in four orders only; two of them have
    sixteen, so that neighbours seldom share them.
    """
    positions = {"A": variants.paper(student), "B": variants.paper(f"{student} b")}
    mover = positions["A"].player_name(positions["A"].current_player)
    return Question(
        (
            f"Four in a line win: in a row, a column or a diagonal. {mover} moves, in A, the "
            "left board, and in B, the right one.",
            f"What is each action worth for {mover}, if both play best: 1 (a win), 0 (a draw) or "
            "-1 (a loss)? An action is named by the number of its cell.",
        ),
        {
            f"{name}, action {action}": in_words(value)
            for name, state in positions.items()
            for action, value in paper_values(state).items()
        },
        "".join(map(position, positions.values())),
    )


def alphabeta(student: str) -> Question:
    """Return a tree: its value, and the leaves that are read?"""
    nodes = variants.branches(student)
    leaves = [leaf for read in leaves_read(nodes) for leaf in read]
    return Question(
        (
            "Alpha-beta searches this tree from left to right.",
            "What is the value of the root? Which leaves does alpha-beta read, in which order?",
        ),
        {"Value of the root": in_words(root_value(nodes)), "Leaves": ", ".join(map(str, leaves))},
        tree(variants.tree(student), title="Max moves at the root"),
    )


def heaps(student: str) -> Question:
    """Return heaps: which action wins?"""
    state = variants.heaps(student)
    ((heap, take),) = nim_winning_actions(state)
    return Question(
        (
            "Nim. A player takes any number of stones, at least one, from one heap. Who takes the "
            "last stone wins.",
            "Which action wins? There is one.",
        ),
        {
            "Nim-sum": str(nim_sum(state.heaps)),
            "Take": str(take),
            "from heap": str(heap),
        },
        position(state),
    )


def ucb(student: str) -> Question:
    """Return a table: what are the scores, and which action is selected?"""
    table: UcbTable = variants.ucb(student)
    scores = ucb_scores(table=table)
    rows = [(action, str(n), f"{total:g}") for action, (n, total) in table.items()]
    return Question(
        (
            "A node of a search tree has three children. Selection compares their scores.",
            UCB,
            "Compute the scores, to three digits after the point. Which action is selected?",
        ),
        {
            **{f"Score of {action}": f"{score:.3f}" for action, score in scores.items()},
            "Selected": max(scores, key=scores.__getitem__),
        },
        table=(("action", "visits", "total reward"), *rows),
    )


def simulation(student: str) -> Question:
    """Return a search tree: where does selection go, and what do the nodes hold after it?"""
    drawn = variants.simulation(student)
    path = selected(drawn.nodes)
    labels = {node: f"{visits} | {total:g}" for node, (visits, total) in drawn.nodes.items()}
    shape = [[(0, 0, 0)] * 2] * 3  # of three payoffs, so that nobody is max or min
    names = [path_in_words(path[:ply]) for ply in range(len(path) + 1)]
    blanks = ["the root", "the node below it", "the next one", "the new node"]
    held = [f"{visits} | {total:g}" for visits, total in counts_after(drawn)]
    return Question(
        (
            "In each node: its visits | the total reward of the player who moved to it. X moves at "
            "the root, then O.",
            f"Selection goes down to a node without children. {UCB}",
            "Below that node one new node is added. The rollout begins there, and ends: "
            f"{WINNERS[drawn.payoff]}.",
            "Which path does selection take? What do the nodes on the way hold after "
            "backpropagation?",
        ),
        {
            "Path": names[-1].removeprefix("node "),
            **{capital(b): h for b, h in zip(blanks, held, strict=True)},
        },
        labelled(shape, labels, title="visits | total reward"),
    )


def three(student: str) -> Question:
    """Return a tree of three players: what do MaxN and Paranoid say?"""
    state = variants.three(student)
    return Question(
        (
            "Three players move in turn. In each leaf: the payoffs of players 0, 1 and 2.",
            "Which vector does MaxN back up to the root? Which payoff is player 0 sure of, if the "
            "others play against player 0 (Paranoid)?",
        ),
        {
            "MaxN's vector": in_words(maxn_vector(state)),
            "Paranoid's value": in_words(sure_value(state)),
        },
        tree(state, title="Player 0 moves at the root"),
    )


def match(student: str) -> Question:
    """Return two results: what are the intervals, and what is shown?"""
    results = variants.match(student)
    answers = {}
    for name, (low, high) in intervals(results).items():
        answers[f"Against {name}"] = f"{low:.1f} to {high:.1f} %"
        answers[f"A stronger than {name}?"] = conclusion((low, high))
    rows = [(name, *map(str, result)) for name, result in results.items()]
    return Question(
        (
            "Agent A has played against B and against C. A win is one point, a draw half a point.",
            WILSON,
            "Compute the 95 % interval of A's share against each of them, in percent, to one digit "
            'after the point. What follows for "A is stronger": shown, not shown, or the opposite '
            "is shown?",
        ),
        answers,
        table=(("A against", "wins", "draws", "losses"), *rows),
    )


VARIANTS = {
    "paper": Topic("Minimax on paper", "02", paper),
    "tree": Topic("Alpha-beta", "03", alphabeta),
    "ucb": Topic("UCB scores", "04", ucb),
    "simulation": Topic("One simulation", "04", simulation),
    "heaps": Topic("Nim", "05", heaps),
    "three": Topic("Three players", "06", three),
    "match": Topic("Two match-ups", "07", match),
}
