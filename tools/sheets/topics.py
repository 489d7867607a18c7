"""The topics of the questions on paper, with answers that the library computes.

Some use the personal variants of `course.lessons.variants`; the others are for tests.
"""

import random

from arena import wilson_interval
from course import draw
from course.draw.wording import format_path, format_value
from course.lessons import variants
from course.lessons.mcts.check import UcbTable
from course.lessons.solver.reference import proven, proven_bounds
from course.lessons.variants.variant import below, shuffled
from course.lessons.variants.variant_kinds import WINNERS, Result, Simulation
from course.tracing import record
from gamelib.games import GameTree, Nim, TicTacToe, nim_sum
from gamelib.search import alphabeta, negamax, winning_actions
from gamelib.svg import board_svg
from gamelib.svg.primitives import INK, LINE, MUTED, format_number, rect, svg, text
from tools.sheets.sheet_question import TOPICS, SheetQuestion, labelled_tree, register_topic

__all__ = ["TOPICS"]

UNKNOWN = "unknown"
BOUNDS = {"X wins": (1, 1), "draw": (0, 0), "O wins": (-1, -1), UNKNOWN: (-1, 1)}
FULL, HALF = 100, 50  # percent


def for_max(state: GameTree) -> str:
    """Return the SVG of a tree of max and min."""
    return draw.tree(state, title="Max moves at the root")


@register_topic(lambda s: (variants.position_values(s), variants.position_values(f"{s} b")))
def paper(pair: tuple[TicTacToe, TicTacToe]) -> SheetQuestion:
    """Return the question: what is the value of each action in two positions?

    A single position is so small that its win, draw and loss can be in four orders only.  Two
    positions have sixteen combinations, so neighbours rarely get the same answers.
    """
    positions = dict(zip("AB", pair, strict=True))
    mover = positions["A"].player_name(positions["A"].current_player)
    return SheetQuestion(
        {
            f"{name}, action {action}": format_value(value)
            for name, state in positions.items()
            for action, value in variants.position_values.answers(state)[0].items()
        },
        "".join(map(board_svg, positions.values())),
        text_values={"mover": mover},
    )


@register_topic(variants.tree)
def tree(state: GameTree) -> SheetQuestion:
    """Return the question: what is the value of a tree, and which leaves does alpha-beta read?"""
    value, leaves = variants.tree.answers(state)
    return SheetQuestion([value, ", ".join(map(str, leaves))], for_max(state))


@register_topic(variants.ucb)
def ucb(table: UcbTable) -> SheetQuestion:
    """Return the question: what are the UCB scores of a table, and which action is selected?"""
    scores, best = variants.ucb.answers(table)
    rows = [(action, str(n), f"{total:g}") for action, (n, total) in table.items()]
    answers = [*(f"{score:.3f}" for score in scores.values()), best]
    return SheetQuestion(answers, table=(("action", "visits", "total reward"), *rows))


@register_topic(variants.simulation)
def simulation(drawn: Simulation) -> SheetQuestion:
    """Return the question: which path does a simulation take, and what do its nodes store then?"""
    path, after = variants.simulation.answers(drawn)
    labels = {node: f"{visits} | {total:g}" for node, (visits, total) in drawn.nodes.items()}
    held = [f"{visits} | {total:g}" for visits, total in after]
    shape = [[(0, 0, 0)] * 2] * 3  # with three payoffs, no node is drawn as max or min
    return SheetQuestion(
        [format_path(path).removeprefix("node "), *held],
        labelled_tree(shape, labels, title="visits | total reward"),
        text_values={"winner": WINNERS[drawn.payoff]},
    )


@register_topic(variants.heaps)
def heaps(state: Nim) -> SheetQuestion:
    """Return the question: which action wins in a position of Nim?"""
    ((heap, take),) = variants.heaps.answers(state)
    return SheetQuestion([nim_sum(state.heaps), take, heap], board_svg(state))


@register_topic(variants.three_players)
def three(state: GameTree) -> SheetQuestion:
    """Return the question: what do MaxN and Paranoid return for a tree of three players?"""
    picture = draw.tree(state, title="Player 0 moves at the root")
    return SheetQuestion(variants.three_players.answers(state), picture)


@register_topic(variants.match)
def match(results: dict[str, Result]) -> SheetQuestion:
    """Return the question: what are the intervals of two results, and what do they show?"""
    answers: list[str] = []
    for (low, high), shown in zip(*map(dict.values, variants.match.answers(results)), strict=True):
        answers += [f"{low:.1f} to {high:.1f} %", shown]
    rows = [(name, *map(str, result)) for name, result in results.items()]
    return SheetQuestion(answers, table=(("A against", "wins", "draws", "losses"), *rows))


@register_topic()
def counts(rng: random.Random) -> SheetQuestion | None:
    """Return the question: how many nodes and positions do two plies of Nim have?"""
    state = Nim(tuple(shuffled(range(2, 9), rng)[:2]))
    children = [state.successor(action) for action in state.legal_actions()]
    grandchildren = [child.successor(a) for child in children for a in child.legal_actions()]
    found = (children, grandchildren, set(grandchildren))
    return SheetQuestion(map(len, found), board_svg(state))


@register_topic()
def payoffs(rng: random.Random) -> SheetQuestion | None:
    """Return the question: which action wins a game of three players, with which payoffs?"""
    state = TicTacToe(num_players=3)
    for cell in shuffled(range(9), rng)[:6]:
        if state.is_terminal():
            return None
        state = state.successor(cell)
    wins = winning_actions(state)
    if state.is_terminal() or len(wins) != 1:
        return None
    return SheetQuestion([wins[0], state.successor(wins[0]).utilities()], board_svg(state))


@register_topic()
def signs(rng: random.Random) -> SheetQuestion | None:
    """Return the question: what does negamax return at each node?"""
    leaves = shuffled([*range(-9, 0), *range(1, 10)], rng)
    state = GameTree([leaves[:3], leaves[3:5], leaves[5:8]])
    nodes = [*map(state.play, range(3)), state]
    return SheetQuestion([negamax(node).value for node in nodes], for_max(state))


@register_topic()
def window(rng: random.Random) -> SheetQuestion | None:
    """Return the question: with which alpha and beta does alpha-beta search a node?"""
    numbers = shuffled(range(1, 21), rng)[:8]
    a, b, c, d, e, f, g, h = numbers
    state = GameTree([[[a, b], [c, d]], [[e, f], [g, h]]])
    windows = {visit.path: visit.window for visit in record(alphabeta, state).visits}
    alpha, beta = windows.get((1, 1), (-1, 0))
    if alpha < 0 or beta > max(numbers):
        return None
    return SheetQuestion([alpha, beta, alphabeta(state).value], for_max(state))


@register_topic()
def order(rng: random.Random) -> SheetQuestion | None:
    """Return the question: how many leaves does alpha-beta read from each side?"""
    leaves = shuffled(range(1, 31), rng)
    nodes = [leaves[0:3], leaves[3:6], leaves[6:9]]
    trees = GameTree(nodes), GameTree([node[::-1] for node in nodes[::-1]])
    there, back = (alphabeta(state).stats.leaves for state in trees)
    return None if there == back else SheetQuestion([there, back], for_max(trees[0]))


@register_topic()
def proofs(rng: random.Random) -> SheetQuestion | None:
    """Return the question: what do some known leaves prove about the nodes above them?"""
    results = list(BOUNDS)
    below_it = [[results[below(4, rng)] for _ in range(size)] for size in (2, 3, 2)]
    nodes = [proven("O", leaves) for leaves in below_it]
    bounds = [proven_bounds("O", [BOUNDS[leaf] for leaf in leaves]) for leaves in below_it]
    root = proven("X", nodes)
    known = [*zip(nodes, bounds, strict=True), (root, proven_bounds("X", bounds))]
    # Reject a tree about which bounds prove more than the four results do.
    if any((low == high) != (result != UNKNOWN) for result, (low, high) in known):
        return None
    if len({*nodes}) < 3 or UNKNOWN not in nodes:
        return None
    labels = {
        (branch, twig): leaf.replace(UNKNOWN, "?")
        for branch, leaves in enumerate(below_it)
        for twig, leaf in enumerate(leaves)
    }
    return SheetQuestion(
        [*nodes, root],
        labelled_tree(
            [[(0, 0)] * len(leaves) for leaves in below_it], labels, title="What is proven"
        ),
    )


@register_topic()
def intervals(rng: random.Random) -> SheetQuestion | None:
    """Return the question: which differences does a chart of intervals show?"""
    bars = {}
    verdicts: dict[str, list[str]] = {"stronger": [], "weaker": [], "neither": []}
    for name in "ABCDE":
        games = (100, 200, 400)[below(3, rng)]
        share = wilson_interval(games * (30 + below(41, rng)) // FULL, games)
        low, high = (FULL * end for end in share)
        if min(abs(low - HALF), abs(high - HALF)) < 2:  # too close to 50 % to see in the chart
            return None
        bars[name] = games, low, high
        verdicts["stronger" if low > HALF else "weaker" if high < HALF else "neither"].append(name)
    if not all(verdicts.values()):
        return None
    return SheetQuestion([*map(", ".join, verdicts.values()), f"{4 * bars['E'][0]:,}"], chart(bars))


def chart(bars: dict[str, tuple[int, float, float]]) -> str:
    """Return the SVG of intervals in percent, with a dashed line at 50 %.

    bars  name -> (number of games, lower bound, upper bound)
    """
    left, unit, row = 150, 5, 34
    bottom = 30 + row * len(bars)
    parts: list[str] = []

    def line(x: float, style: str) -> str:
        ends = f'x1="{format_number(x)}" y1="24" x2="{format_number(x)}" y2="{bottom}"'
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
