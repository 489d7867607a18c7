"""A small bank of exam questions; their answers are computed by the library."""

from __future__ import annotations

import random
from collections.abc import Callable

from arena import wilson_interval
from course.draw import tree
from course.draw.words import in_words
from course.lessons.solver.reference import proven, proven_bounds
from course.lessons.variants.students import below, drawn, shuffled
from course.watch import record
from gamelib.games import GameTree, Nim, TicTacToe
from gamelib.picture import position
from gamelib.picture.svg import INK, LINE, MUTED, number, rect, svg, text
from gamelib.search import alphabeta, negamax, winning_actions
from tools.sheets.question import Question, Topic, labelled

UNKNOWN, BOUNDS = (
    "unknown",
    {"X wins": (1, 1), "draw": (0, 0), "O wins": (-1, -1), "unknown": (-1, 1)},
)
FULL, HALF = 100, 50  # percent


def counts(rng: random.Random) -> Question | None:
    """Return a question on nodes and positions: two plies of Nim."""
    state = Nim(tuple(shuffled(range(2, 9), rng)[:2]))
    children = [state.successor(action) for action in state.legal_actions()]
    grandchildren = [child.successor(a) for child in children for a in child.legal_actions()]
    return Question(
        (
            "Nim: a player takes any number of stones, at least one, from one heap. Heaps keep "
            "their places.",
            "How many nodes does the game tree have one ply below this position, and two plies "
            "below it? How many different positions are there two plies below it?",
        ),
        {
            "Nodes after one ply": str(len(children)),
            "Nodes after two plies": str(len(grandchildren)),
            "Positions after two plies": str(len(set(grandchildren))),
        },
        position(state),
    )


def payoffs(rng: random.Random) -> Question | None:
    """Return a question on the end of a game of three players."""
    state = TicTacToe(num_players=3)
    for cell in shuffled(range(9), rng)[:6]:
        if state.is_terminal():
            return None
        state = state.successor(cell)
    wins = winning_actions(state)
    if state.is_terminal() or len(wins) != 1:
        return None
    return Question(
        (
            "Tic-tac-toe for three players, X, O and A, who move in this order. Three in a row "
            "win. The winner gets 1, the others get -1.",
            "Which action ends the game at once? What are the payoffs of X, O and A then?",
        ),
        {"Action": str(wins[0]), "Payoffs": in_words(state.successor(wins[0]).utilities())},
        position(state),
    )


def signs(rng: random.Random) -> Question | None:
    """Return a question on negamax: what does it return at each node?"""
    leaves = shuffled([*range(-9, 0), *range(1, 10)], rng)
    state = GameTree([leaves[:3], leaves[3:5], leaves[5:8]])
    nodes = {"node 0": state.play(0), "node 1": state.play(1), "node 2": state.play(2)}
    answers = {f"At {name}": in_words(negamax(node).value) for name, node in nodes.items()}
    return Question(
        (
            "The numbers in the leaves are payoffs of max. Nodes are named by the branches that "
            "lead to them.",
            "What does negamax return at each inner node? It speaks for the player who moves "
            "there.",
        ),
        {**answers, "At the root": in_words(negamax(state).value)},
        tree(state, title="Max moves at the root"),
    )


def window(rng: random.Random) -> Question | None:
    """Return a question on the window: with which alpha and beta does the search come to a node?"""
    a, b, c, d, e, f, g, h = shuffled(range(1, 21), rng)[:8]
    state = GameTree([[[a, b], [c, d]], [[e, f], [g, h]]])
    trace = record(alphabeta, state)
    visit = next((visit for visit in trace.visits if visit.path == (1, 1)), None)
    if (
        visit is None
        or visit.window[0] < 0
        or visit.window[1] > max(map(abs, (a, b, c, d, e, f, g, h)))
    ):
        return None
    alpha, beta = visit.window
    return Question(
        (
            "Alpha-beta searches this tree from left to right.",
            "With which window does it come to the node 1 → 1: what are alpha and beta there? What "
            "is the value of the root?",
        ),
        {
            "Alpha": in_words(alpha),
            "Beta": in_words(beta),
            "Value of the root": in_words(alphabeta(state).value),
        },
        tree(state, title="Max moves at the root"),
    )


def order(rng: random.Random) -> Question | None:
    """Return a question on the order: how many leaves are read from each side?"""
    leaves = shuffled(range(1, 31), rng)
    nodes = [leaves[0:3], leaves[3:6], leaves[6:9]]
    there = alphabeta(GameTree(nodes)).stats.leaves
    back = alphabeta(GameTree([node[::-1] for node in nodes[::-1]])).stats.leaves
    if there == back:
        return None
    return Question(
        (
            "Alpha-beta searches this tree once from left to right, and once from right to left, "
            "at the root and at the nodes below it.",
            "How many leaves does it read each time?",
        ),
        {"From left to right": str(there), "From right to left": str(back)},
        tree(GameTree(nodes), title="Max moves at the root"),
    )


def proofs(rng: random.Random) -> Question | None:
    """Return a question on proofs: what is known of the nodes above what is known?"""
    results = list(BOUNDS)
    below_it = [[results[below(4, rng)] for _ in range(size)] for size in (2, 3, 2)]
    nodes = [proven("O", leaves) for leaves in below_it]
    bounds = [proven_bounds("O", [BOUNDS[leaf] for leaf in leaves]) for leaves in below_it]
    root = proven("X", nodes)
    known = [*zip(nodes, bounds, strict=True), (root, proven_bounds("X", bounds))]
    # What bounds would prove beyond the four results is no question here.
    if any((low == high) != (result != UNKNOWN) for result, (low, high) in known):
        return None
    if len({*nodes}) < 3 or UNKNOWN not in nodes:
        return None
    labels = {
        (branch, twig): leaf.replace(UNKNOWN, "?")
        for branch, leaves in enumerate(below_it)
        for twig, leaf in enumerate(leaves)
    }
    names = ["node 0", "node 1", "node 2", "the root"]
    return Question(
        (
            "X moves at the root, O below it. In each leaf stands what is proven of it; of a leaf "
            "with a question mark nothing is.",
            "What is proven of each other node: X wins, O wins, draw, or is it unknown?",
        ),
        {f"Of {name}": result for name, result in zip(names, [*nodes, root], strict=True)},
        labelled([[(0, 0)] * len(leaves) for leaves in below_it], labels, title="What is proven"),
    )


def intervals(rng: random.Random) -> Question | None:
    """Return a question on a chart of intervals: what is shown?"""
    bars = {}
    verdicts: dict[str, list[str]] = {"stronger": [], "weaker": [], "neither": []}
    games = 0
    for name in "ABCDE":
        games = (100, 200, 400)[below(3, rng)]
        low, high = (
            FULL * end for end in wilson_interval(games * (30 + below(41, rng)) // FULL, games)
        )
        if min(abs(low - HALF), abs(high - HALF)) < 2:  # the chart must show it
            return None
        bars[name] = games, low, high
        verdicts["stronger" if low > HALF else "weaker" if high < HALF else "neither"].append(name)
    if not all(verdicts.values()):
        return None
    return Question(
        (
            "Five agents have played against the same opponent. The bars are the 95 % intervals of "
            "their shares of the points.",
            "Which agents are shown to be stronger than the opponent, which weaker, and of which "
            "is nothing shown? About how many games would E need for an interval half as wide?",
        ),
        {
            "Stronger": ", ".join(verdicts["stronger"]),
            "Weaker": ", ".join(verdicts["weaker"]),
            "Nothing shown": ", ".join(verdicts["neither"]),
            "Games for E": f"{4 * games:,}",
        },
        chart(bars),
    )


def chart(bars: dict[str, tuple[int, float, float]]) -> str:
    """Return an SVG of intervals, in percent, around a dashed line at 50 %."""
    left, unit, row = 150, 5, 34
    bottom = 30 + row * len(bars)
    parts: list[str] = []

    def line(x: float, style: str) -> str:
        ends = f'x1="{number(x)}" y1="24" x2="{number(x)}" y2="{bottom}"'
        return f"<line {ends} {style}/>"

    for share in range(0, FULL + 1, 10):
        x = left + unit * share
        dashed = f'stroke="{INK}" stroke-width="2" stroke-dasharray="6 4"'
        parts.append(line(x, dashed if share == HALF else f'stroke="{LINE}" stroke-width="0.6"'))
        parts.append(text(x, bottom + 14, f"{share} %", size=13, colour=MUTED))
    for place, (name, (games, low, high)) in enumerate(bars.items()):
        y = 30 + row * place
        parts.append(text(20, y + 14, f"{name}, {games} games", size=15, anchor="start"))
        parts.append(rect(left + unit * low, y + 6, unit * (high - low), 16, f'fill="{INK}"'))
    said = "Intervals: " + ", ".join(
        f"{n} {low:.0f} to {high:.0f} %" for n, (_, low, high) in bars.items()
    )
    return svg(
        left + unit * FULL + 40, bottom + 34, parts, title="95 % intervals", description=said
    )


def _kind(title: str, notebook: str, make: Callable[[random.Random], Question | None]) -> Topic:
    return Topic(title, notebook, lambda student: drawn(make.__name__, student, make))


EXAM = {
    "counts": _kind("Nodes and positions", "01", counts),
    "payoffs": _kind("The end of a game", "01", payoffs),
    "signs": _kind("Negamax", "02", signs),
    "window": _kind("Alpha and beta", "03", window),
    "order": _kind("The order of the branches", "03", order),
    "proofs": _kind("What is proven", "05", proofs),
    "intervals": _kind("Five intervals", "07", intervals),
}
