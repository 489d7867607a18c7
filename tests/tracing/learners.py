"""Programs of learners for the test of truth: each lesson's line, right and wrong in ten ways.

Each is made from text, because a recorder reads a program's source.  `PROGRAMS` has for each name
the program, its further arguments, the kind of positions that it can search, and the depth to which
it looks, if it has such a limit.
"""

import itertools
import linecache
from collections.abc import Callable
from textwrap import dedent
from typing import Any, NamedTuple

import gamelib


class Program(NamedTuple):
    """A program, its arguments behind the position, the positions it is for, and its depth."""

    run: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    positions: str = "two"
    depth: int | None = None


_numbers = itertools.count()
HEAD = "import random\nfrom math import inf, log, sqrt\nfrom gamelib.state import CHANCE\n"


def written(source: str, name: str) -> Callable[..., Any]:
    """Return a function of a text, whose source can be read as that of a notebook's cell."""
    text = HEAD + dedent(source)
    file = f"<learner {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(text, file, "exec"), names)
    return names[name]


PROGRAMS: dict[str, Program] = {}


def family(
    name: str,
    source: str,
    lines: list[Any],
    positions: str,
    *arguments: Any,
    depth: int | None = None,
) -> None:
    """Enter a program once for each way to fill its gap."""
    for number, line in enumerate(lines):
        gaps = line if isinstance(line, tuple) else (line,)
        text = source
        for gap in gaps:
            text = text.replace("___", gap, 1)
        PROGRAMS[f"{name} {number}"] = Program(written(text, name), arguments, positions, depth)


family(
    "my_value",
    """
    def my_value(state, player):
        if state.is_terminal():
            return state.utility(player)
        values = [my_value(state.successor(action), player) for action in state.legal_actions()]
        return ___
    """,
    [
        "max(values) if state.current_player == player else min(values)",
        "max(values)",
        "min(values)",
        "min(values) if state.current_player == player else max(values)",
        "max(values) if state.current_player == 0 else min(values)",
        "sum(values) / len(values)",
        "-max(values)",
        "values[0]",
        "values[-1]",
        "0.9 * (max(values) if state.current_player == player else min(values))",
        "sorted(values)[len(values) // 2]",
    ],
    "two",
    0,
)

family(
    "limited_minimax",
    """
    def limited_minimax(state, player, depth):
        if state.is_terminal():
            return ___
        if depth == 0:
            return ___
        values = [limited_minimax(state.successor(a), player, depth - 1)
                  for a in state.legal_actions()]
        return max(values) if ___ else min(values)
    """,
    [
        ("state.utility(player)", "0", "state.current_player == player"),
        ("state.utility(0)", "0", "state.current_player == player"),
        ("state.utility(player)", "0.0", "state.current_player == player"),
        ("10 * state.utility(player) - depth", "0", "state.current_player == player"),
        ("state.utility(player)", "0", "depth % 2 == 0"),
        ("state.utility(player)", "0", "state.current_player != player"),
        ("(10 - depth) * state.utility(player)", "0", "state.current_player == player"),
        ("1", "0", "state.current_player == player"),
    ],
    "two",
    0,
    2,
    depth=2,
)

family(
    "negamax",
    """
    def negamax(state):
        if state.is_terminal():
            return ___
        values = [___ for action in state.legal_actions()]
        return ___
    """,
    [
        ("state.utility(state.current_player)", "-negamax(state.successor(action))", "max(values)"),
        ("state.utility(0)", "-negamax(state.successor(action))", "max(values)"),
        (
            "-state.utility(state.current_player)",
            "-negamax(state.successor(action))",
            "max(values)",
        ),
        ("state.utility(state.current_player)", "negamax(state.successor(action))", "-max(values)"),
        ("state.utility(state.current_player)", "negamax(state.successor(action))", "max(values)"),
        ("state.utility(state.current_player)", "negamax(state.successor(action))", "-min(values)"),
        ("state.utility(state.current_player)", "-negamax(state.successor(action))", "min(values)"),
    ],
    "two",
)

ALPHABETA = """
    def my_alphabeta(state, player=0, alpha=-inf, beta=inf):
        if state.is_terminal():
            return state.utility(player)
        mine = state.current_player == player
        best = -inf if mine else inf
        for action in state.legal_actions():
            child = my_alphabeta(state.successor(action), player, alpha, beta)
            best = max(best, child) if mine else min(best, child)
            alpha, beta = ___
            if ___:
                break
        return best
    """
WINDOW = "(max(alpha, best), beta) if mine else (alpha, min(beta, best))"
family(
    "my_alphabeta",
    ALPHABETA,
    [
        (WINDOW, "beta <= alpha"),
        (WINDOW, "beta < alpha"),
        (WINDOW, "beta <= best"),
        (WINDOW, "alpha <= beta"),
        (WINDOW, "best <= alpha"),
        (WINDOW, "child <= alpha"),
        (WINDOW, "best < beta"),
        (WINDOW, "alpha <= best"),
        (WINDOW, "child <= beta"),
        (WINDOW, "beta <= child"),
        (WINDOW, "best == child"),
        ("(alpha, min(beta, best)) if mine else (max(alpha, best), beta)", "beta <= alpha"),
        ("(max(alpha, best), beta)", "beta <= alpha"),
    ],
    "two",
)

family(
    "negamax_cut",
    """
    def negamax_cut(state, alpha=-inf, beta=inf):
        if state.is_terminal():
            return state.utility(state.current_player)
        best = -inf
        for action in state.legal_actions():
            value = -negamax_cut(state.successor(action), ___)
            if value > best:
                best = value
                alpha = max(alpha, best)
            if ___:
                return best
        return best
    """,
    [
        ("-beta, -alpha", "alpha >= beta"),
        ("-alpha, -beta", "alpha >= beta"),
        ("-beta, -alpha", "best >= alpha"),
        ("-inf, -alpha", "best >= beta"),
        ("alpha, beta", "alpha >= beta"),
    ],
    "two",
)

family(
    "wins",
    """
    def wins(state):
        if state.is_terminal():
            return ___
        after = [wins(state.successor(action)) for action in state.legal_actions()]
        return ___
    """,
    [
        ("False", "not all(after)"),
        ("False", "any(not won for won in after)"),
        ("False", "False in after"),
        ("False", "all(after)"),
        ("False", "any(after)"),
        ("False", "not any(after)"),
        ("True", "not all(after)"),
        ("False", "after[0]"),
        ("False", "not after[0]"),
        ("False", "len(after) > 1"),
        ("False", "after.count(False) > after.count(True)"),
    ],
    "nim",
)

family(
    "can_win",
    """
    def can_win(state, player):
        if state.is_terminal():
            return state.utility(player) > 0
        for action in state.legal_actions():
            if can_win(state.successor(action), player) == (state.current_player == player):
                return state.current_player == player
        return ___
    """,
    ["state.current_player != player", "True", "False"],
    "small",
    0,
)

family(
    "my_vector",
    """
    def my_vector(state):
        if state.is_terminal():
            return state.utilities()
        vectors = [my_vector(state.successor(action)) for action in state.legal_actions()]
        return ___
    """,
    [
        "max(vectors, key=lambda payoffs: payoffs[state.current_player])",
        "max(vectors, key=lambda payoffs: payoffs[0])",
        "min(vectors, key=lambda payoffs: payoffs[state.current_player])",
        "max(vectors)",
        "max(vectors, key=sum)",
        "max(vectors, key=lambda payoffs: payoffs[-1])",
        "vectors[0]",
        "max(vectors, key=lambda payoffs: payoffs[(state.current_player + 1) % 3])",
        "tuple(map(max, zip(*vectors)))",
        "tuple(sum(column) / len(column) for column in zip(*vectors))",
    ],
    "three",
)

family(
    "my_expected",
    """
    def my_expected(state, player):
        if state.is_terminal():
            return state.utility(player)
        if state.current_player == CHANCE:
            return ___
        best = max if state.current_player == player else min
        return best(my_expected(state.successor(a), player) for a in state.legal_actions())
    """,
    [
        "sum(p * my_expected(state.successor(a), player) for a, p in state.chance_outcomes())",
        "sum(my_expected(state.successor(a), player) for a, p in state.chance_outcomes())",
        "max(my_expected(state.successor(a), player) for a, p in state.chance_outcomes())",
        "min(my_expected(state.successor(a), player) for a, p in state.chance_outcomes())",
        "my_expected(state.successor(0), player)",
        "sum(my_expected(state.successor(a), player) for a, p in state.chance_outcomes())"
        " / len(state.chance_outcomes())",
        "sum(p * my_expected(state.successor(a), 1 - player) for a, p in state.chance_outcomes())",
        "-sum(p * my_expected(state.successor(a), player) for a, p in state.chance_outcomes())",
        "max(p * my_expected(state.successor(a), player) for a, p in state.chance_outcomes())",
        "0",
    ],
    "chance",
    0,
)

PROGRAMS["dispatcher"] = Program(
    written(
        """
        def value(state, player=0):
            if state.is_terminal():
                return state.utility(player), None
            run_slice = highest if state.current_player == player else lowest
            return run_slice(state, player)

        def highest(state, player):
            v, move = -inf, None
            for a in state.legal_actions():
                v2, _ = value(state.successor(a), player)
                if v2 > v:
                    v, move = v2, a
            return v, move

        def lowest(state, player):
            v, move = inf, None
            for a in state.legal_actions():
                v2, _ = value(state.successor(a), player)
                if v2 < v:
                    v, move = v2, a
            return v, move
        """,
        "value",
    )
)
CS50 = """
    def minimax(state):
        if state.current_player == 0:
            return max(state.legal_actions(), key=lambda a: ___(state.successor(a)))
        return min(state.legal_actions(), key=lambda a: ___(state.successor(a)))

    def max_value(state):
        if state.is_terminal():
            return state.utility(0)
        v = -inf
        for a in state.legal_actions():
            v = max(v, ___(state.successor(a)))
        return v

    def min_value(state):
        if state.is_terminal():
            return state.utility(0)
        v = inf
        for a in state.legal_actions():
            v = min(v, ___(state.successor(a)))
        return v
    """
family(
    "minimax",
    CS50,
    [
        ("min_value", "max_value", "min_value", "max_value"),
        ("max_value", "max_value", "min_value", "max_value"),
        ("min_value", "max_value", "max_value", "max_value"),
        ("min_value", "min_value", "min_value", "min_value"),
    ],
    "alternating",
)
PROGRAMS["two functions, cuts"] = Program(
    written(
        """
        def search(state, alpha=-inf, beta=inf):
            run_slice = maxv if state.current_player == 0 else minv
            return run_slice(state, alpha, beta)

        def maxv(state, alpha, beta):
            if state.is_terminal():
                return state.utility(0)
            v = -inf
            for a in state.legal_actions():
                v = max(v, minv(state.successor(a), alpha, beta))
                if v >= beta:
                    return v
                alpha = max(alpha, v)
            return v

        def minv(state, alpha, beta):
            if state.is_terminal():
                return state.utility(0)
            v = inf
            for a in state.legal_actions():
                v = min(v, maxv(state.successor(a), alpha, beta))
                if v >= alpha:
                    return v
                beta = min(beta, v)
            return v
        """,
        "search",
    ),
    positions="alternating",
)
PROGRAMS["other names"] = Program(
    written(
        """
        def ab(s, low=-inf, high=inf):
            if s.is_terminal():
                return s.utility(0)
            top = s.current_player == 0
            for a in s.legal_actions():
                v = ab(s.successor(a), low, high)
                low, high = (max(low, v), high) if top else (low, min(high, v))
                if low >= high:
                    break
            return low if top else high
        """,
        "ab",
    )
)
PROGRAMS["scout"] = Program(
    written(
        """
        def scout(state, alpha=-inf, beta=inf):
            if state.is_terminal():
                return state.utility(state.current_player)
            first = True
            for a in state.legal_actions():
                child = state.successor(a)
                if first:
                    v = -scout(child, -beta, -alpha)
                else:
                    v = -scout(child, -alpha - 1, -alpha)
                    if alpha < v < beta:
                        v = -scout(child, -beta, -alpha)
                first = False
                alpha = max(alpha, v)
                if alpha >= beta:
                    break
            return alpha
        """,
        "scout",
    ),
    positions="alternating",
)
for number, key in enumerate(
    ("state", "str(state)", "(state, state.current_player)", "len(str(state))")
):
    PROGRAMS[f"memo {number}"] = Program(
        written(
            f"""
            def memo(state, known=None):
                known = {{}} if known is None else known
                if {key} in known:
                    return known[{key}]
                if state.is_terminal():
                    return state.utility(0)
                values = [memo(state.successor(a), known) for a in state.legal_actions()]
                best = max(values) if state.current_player == 0 else min(values)
                known[{key}] = best
                return best
            """,
            "memo",
        )
    )

VALUE = """
    def value(s, d, me):
        if s.is_terminal():
            return s.utility(me)
        if d == 0:
            return 0
        values = [value(s.successor(a), d - 1, me) for a in s.legal_actions()]
        return max(values) if s.current_player == me else min(values)
    """
DEEPER = [
    """
    def deepen(s):
        for d in (1, 2):
            me = s.current_player
            move = max(s.legal_actions(), key=lambda a: value(s.successor(a), d - 1, me))
        return move
    """,
    """
    def deepen(s):
        for d in (1, 2, 3):
            best, move = -inf, None
            for a in s.legal_actions():
                v = value(s.successor(a), d - 1, s.current_player)
                if v > best:
                    best, move = v, a
        return move
    """,
    """
    def deepen(s):
        for d in range(4):
            v = value(s, d, s.current_player)
        return v
    """,
    """
    def deepen(s):
        guess, me = 0, s.current_player
        for d in (1, 2):
            moves = {a: value(s.successor(a), d, me) for a in s.legal_actions()}
            move = max(moves, key=moves.get)
        return move, moves[move]
    """,
]
for number, loop in enumerate(DEEPER):
    PROGRAMS[f"deepen {number}"] = Program(
        written(dedent(VALUE) + dedent(loop), "deepen"), (), "two", -1
    )
PROGRAMS["aspiration"] = Program(
    written(
        dedent(ALPHABETA.replace("___", WINDOW, 1).replace("___", "beta <= alpha"))
        + dedent(
            """
            def aspire(state):
                guess, wide = 0, 1
                while True:
                    v = my_alphabeta(state, 0, guess - wide, guess + wide)
                    if guess - wide < v < guess + wide:
                        return v
                    wide *= 4
            """
        ),
        "aspire",
    )
)

# --- Monte Carlo searches ---

TREE_SEARCH = """
    class Node:
        def __init__(self, state, parent=None, action=None):
            self.state, self.parent, self.action = state, parent, action
            self.children, self.n, self.w = [], 0, 0.0
            self.untried = list(state.legal_actions())

        def ucb(self):
            return self.w / self.n + sqrt(2 * log(self.parent.n) / self.n)

    def best_child(node):
        return max(node.children, key=Node.ucb)

    def tree_policy(node):
        while not node.state.is_terminal():
            if node.untried:
                return expand(node)
            node = best_child(node)
        return node

    def expand(node):
        action = node.untried.pop()
        child = Node(node.state.successor(action), node, action)
        node.children.append(child)
        return child

    def rollout(state, rng):
        while not state.is_terminal():
            state = state.successor(rng.choice(state.legal_actions()))
        return state.utility(0)

    def backpropagate(node, reward):
        while node:
            node.n += 1
            node.w += reward if node.parent and node.parent.state.current_player == 0 else -reward
            node = node.parent

    def search(state, simulations=20):
        rng, root = random.Random(1), Node(state)
        for _ in range(simulations):
            leaf = tree_policy(root)
            backpropagate(leaf, rollout(leaf.state, rng))
        return ___
    """
family(
    "search",
    TREE_SEARCH,
    [
        "max(root.children, key=lambda c: c.n).action",
        "max(root.children, key=lambda c: c.w / c.n).action",
        "best_child(root).action",
        "max(root.children, key=lambda c: c.n).n",
    ],
    "games",
)
DICTS = """
    def tree_search(state, simulations=20):
        N, W, rng = {}, {}, random.Random(1)
        def visit(s):
            if s.is_terminal():
                return -s.utility(s.current_player)
            if s not in N:
                N[s], W[s] = {a: 0 for a in s.legal_actions()}, {a: 0.0 for a in s.legal_actions()}
                return ___
            total = sum(N[s].values()) + 1
            a = max(s.legal_actions(), key=lambda a: W[s][a] / (N[s][a] or 1)
                    + sqrt(log(total + 1) / (1 + N[s][a])))
            v = visit(s.successor(a))
            N[s][a] += 1
            W[s][a] += v
            return -v
        for _ in range(simulations):
            visit(state)
        return max(N[state], key=N[state].get)
    """
family("tree_search", DICTS, ["0", "rng.choice((-1, 0, 1))"], "games")
FLAT = """
    def flat(state):
        rng, me = random.Random(2), state.current_player
        def game(s):
            if s.is_terminal():
                return s.utility(me)
            return game(s.successor(rng.choice(s.legal_actions())))
        def mean(s):
            return sum(game(s) for _ in range(5)) / 5
        return ___
    """
family(
    "flat",
    FLAT,
    [
        "max(state.legal_actions(), key=lambda a: mean(state.successor(a)))",
        "max(mean(state.successor(a)) for a in state.legal_actions())",
        "max((mean(state.successor(a)), a) for a in state.legal_actions())",
    ],
    "games",
)
RECURSIVE = """
    class Kid:
        def __init__(self, state):
            self.state, self.kids, self.n, self.w = state, {}, 0, 0

    def uct(state, simulations=20):
        rng, root = random.Random(1), Kid(state)
        for _ in range(simulations):
            simulate(root, rng)
        return ___

    def simulate(node, rng):
        if node.state.is_terminal():
            r = node.state.utility(0)
        elif len(node.kids) < len(node.state.legal_actions()):
            a = node.state.legal_actions()[len(node.kids)]
            node.kids[a] = Kid(node.state.successor(a))
            r = playout(node.kids[a].state, rng)
            node.kids[a].n += 1
            node.kids[a].w += r
        else:
            kids = node.kids.values()
            r = simulate(max(kids, key=lambda k: k.w / k.n + sqrt(log(node.n) / k.n)), rng)
        node.n += 1
        node.w += r
        return r

    def playout(state, rng):
        if state.is_terminal():
            return state.utility(0)
        return playout(state.successor(rng.choice(state.legal_actions())), rng)
    """
family(
    "uct",
    RECURSIVE,
    ["max(root.kids, key=lambda a: root.kids[a].n)", "root.w / root.n", "root"],
    "games",
)


# The library's own searches, whose values are taken as they are.
for search, kind in [
    (gamelib.minimax, "two"),
    (gamelib.negamax, "two"),
    (gamelib.alphabeta, "two"),
    (gamelib.iterative_deepening, "games"),
    (gamelib.solve, "small"),
    (gamelib.maxn, "three"),
    (gamelib.paranoid, "small"),
    (gamelib.expectiminimax, "chance"),
    (gamelib.star1, "chance"),
]:
    limit = -1 if search is gamelib.iterative_deepening else None
    PROGRAMS[f"library {search.__name__}"] = Program(search, (), kind, limit)

# Iterative deepening whose last line returns an action: 0 is an action and a value, too.
family(
    "deepen",
    """
    def value(state, depth, player):
        if state.is_terminal():
            return state.utility(player)
        if depth == 0:
            return 0
        values = [value(state.successor(a), depth - 1, player) for a in state.legal_actions()]
        return max(values) if state.current_player == player else min(values)


    def deepen(state):
        player, legal = state.current_player, state.legal_actions()
        for depth in (1, 2, 3):
            ___
        return action
    """,
    [
        "action = max(legal, key=lambda a: value(state.successor(a), depth - 1, player))",
        "action = min(legal, key=lambda a: value(state.successor(a), depth - 1, player))",
        "action = max((value(state.successor(a), depth - 1, player), a) for a in legal)[1]",
    ],
    "games",
    depth=-1,
)
