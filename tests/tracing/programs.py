"""Programs that students write: right, wrong, odd in form; and some that fail."""

# ruff: noqa: E731
import functools
import random
import sys
from dataclasses import dataclass, field
from math import inf, log, sqrt

from gamelib import TicTacToe
from gamelib.state import CHANCE

BOARD = TicTacToe.parse("X.O/.X./O..", current_player=0)


# --- right ---


def minimax(state):
    if state.is_terminal():
        return state.utility(0)
    values = []
    for action in state.legal_actions():
        values.append(minimax(state.successor(action)))
    if state.current_player == 0:
        return max(values)
    return min(values)


def aima_value(state, player=0):
    """The dispatcher of many lecture notes: one function for each kind of node."""
    if state.is_terminal():
        return state.utility(player), None
    if state.current_player == player:
        return aima_max(state, player)
    return aima_min(state, player)


def aima_max(state, player):
    v, move = -inf, None
    for a in state.legal_actions():
        v2, _ = aima_value(state.successor(a), player)
        if v2 > v:
            v, move = v2, a
    return v, move


def aima_min(state, player):
    v, move = inf, None
    for a in state.legal_actions():
        v2, _ = aima_value(state.successor(a), player)
        if v2 < v:
            v, move = v2, a
    return v, move


lambdas = lambda s: (
    s.utility(s.current_player)
    if s.is_terminal()
    else max(-lambdas(s.successor(a)) for a in s.legal_actions())
)


def alphabeta(state, alpha=-inf, beta=inf):
    if state.is_terminal():
        return state.utility(0)
    if state.current_player == 0:
        best = -inf
        for action in state.legal_actions():
            best = max(best, alphabeta(state.successor(action), alpha, beta))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best
    best = inf
    for action in state.legal_actions():
        best = min(best, alphabeta(state.successor(action), alpha, beta))
        beta = min(beta, best)
        if alpha >= beta: break  # fmt: skip # noqa: E701
    return best


def fail_hard(*, state, alpha=-inf, beta=inf):
    if state.is_terminal():
        return state.utility(0)
    for action in state.legal_actions():
        value = fail_hard(state=state.successor(action), alpha=alpha, beta=beta)
        if state.current_player == 0:
            alpha = max(alpha, value)
        else:
            beta = min(beta, value)
        if alpha >= beta:
            return alpha if state.current_player == 0 else beta
    return alpha if state.current_player == 0 else beta


def fail_hard_by_name(state):
    return fail_hard(state=state)


def nested(state):
    def highest(s):
        if s.is_terminal():
            return s.utility(0)
        return max(lowest(s.successor(a)) for a in s.legal_actions())

    def lowest(s):
        if s.is_terminal():
            return s.utility(0)
        return min(highest(s.successor(a)) for a in s.legal_actions())

    return max(state.legal_actions(), key=lambda a: lowest(state.successor(a)))


class Walker:
    """A class whose position changes while it searches."""

    def __init__(self, state):
        self.state = state

    def value(self):
        here = self.state
        if here.is_terminal():
            return here.utility(0)
        values = []
        for action in here.legal_actions():
            self.state = here.successor(action)
            values.append(self.value())
        self.state = here
        return max(values) if here.current_player == 0 else min(values)


def walker(state):
    return Walker(state).value()


count = 0


def remembered(state, memory=None):
    memory = {} if memory is None else memory
    if state in memory:
        return memory[state]
    if state.is_terminal():
        memory[state] = state.utility(0)
        return memory[state]
    values = [remembered(state.successor(a), memory) for a in state.legal_actions()]
    memory[state] = max(values) if state.current_player == 0 else min(values)
    return memory[state]


def looks_ahead(state, depth=2):
    """Guess the leaves apart: many positions come twice, by another order of moves."""
    if state.is_terminal():
        return state.utility(0)
    children = [state.successor(action) for action in state.legal_actions()]
    values = [looks_ahead(child, depth - 1) if depth else guess(child) for child in children]
    return max(values) if state.current_player == 0 else min(values)


def counted(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        wrapper.calls += 1
        return function(*args, **kwargs)

    wrapper.calls = 0
    return wrapper


@counted
def decorated(state):
    if state.is_terminal():
        return state.utility(0)
    choose = max if state.current_player == 0 else min
    return choose([decorated(state.successor(a)) for a in state.legal_actions()])


def values_of(state):
    for action in state.legal_actions():
        yield generated(state.successor(action))


def generated(state):
    if state.is_terminal():
        return state.utility(0)
    return max(values_of(state)) if state.current_player == 0 else min(values_of(state))


def maxn(state):
    if state.is_terminal():
        return state.utilities()
    best = None
    for action in state.legal_actions():
        vector = maxn(state.successor(action))
        if best is None or vector[state.current_player] > best[state.current_player]:
            best = vector
    return best


def can_win(state, player=0):
    if state.is_terminal():
        return state.utility(player) > 3
    combine = any if state.current_player == player else all
    return combine(can_win(state.successor(a), player) for a in state.legal_actions())


def expected(state):
    if state.is_terminal():
        return state.utility(0)
    if state.current_player == CHANCE:
        return sum(p * expected(state.successor(a)) for a, p in state.chance_outcomes())
    choose = max if state.current_player == 0 else min
    return choose(expected(state.successor(a)) for a in state.legal_actions())


def guess(state):
    return state.utility(0) if state.is_terminal() else 0


def sorted_first(state, alpha=-inf, beta=inf):
    """Looks at every successor before it visits the best ones first."""
    if state.is_terminal():
        return state.utility(0)
    mine = state.current_player == 0
    order = sorted(state.legal_actions(), key=lambda a: guess(state.successor(a)), reverse=mine)
    best = -inf if mine else inf
    for action in order:
        value = sorted_first(state.successor(action), alpha, beta)
        best = max(best, value) if mine else min(best, value)
        if mine:
            alpha = max(alpha, best)
        else:
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


def greedy(state):
    return max(state.legal_actions(), key=lambda a: guess(state.successor(a)))


# --- wrong: they run to the end ---


def wrong_limit(state, alpha=-inf, beta=inf):
    """Never lowers beta."""
    if state.is_terminal():
        return state.utility(0)
    best = -inf if state.current_player == 0 else inf
    for action in state.legal_actions():
        value = wrong_limit(state.successor(action), alpha, beta)
        best = max(best, value) if state.current_player == 0 else min(best, value)
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


# --- own MCTS ---


@dataclass
class Leaf:
    state: object
    visits: int = 0
    total: float = 0
    kids: dict = field(default_factory=dict)


def mcts(state, simulations=20):
    """Select, expand, roll out and backpropagate as functions of a node of its own."""
    rng, root = random.Random(1), Leaf(state)
    for _ in range(simulations):
        simulate(root, rng)
    return max(root.kids, key=lambda a: root.kids[a].visits)


def simulate(node, rng):
    if node.state.is_terminal():
        reward = node.state.utility(0)
    elif len(node.kids) < len(node.state.legal_actions()):
        action = node.state.legal_actions()[len(node.kids)]
        node.kids[action] = Leaf(node.state.successor(action))
        reward = simulate_leaf(node.kids[action], rng)
    else:
        child = max(
            node.kids.values(), key=lambda c: c.total / c.visits + sqrt(log(node.visits) / c.visits)
        )
        reward = simulate(child, rng)
    node.visits += 1
    node.total += reward
    return reward


def simulate_leaf(node, rng):
    state = node.state
    while not state.is_terminal():
        state = state.successor(rng.choice(state.legal_actions()))
    node.visits += 1
    node.total += state.utility(0)
    return state.utility(0)


def flat_monte_carlo(state, games=3):
    """A loop without recursion."""
    rng, best, chosen = random.Random(0), -inf, None
    for action in state.legal_actions():
        total = 0
        for _ in range(games):
            game = state.successor(action)
            while not game.is_terminal():
                game = game.successor(rng.choice(game.legal_actions()))
            total += game.utility(0)
        if total > best:
            best, chosen = total, action
    return chosen


# --- they fail ---


def loops_in_one_line(state):
    while True: pass  # fmt: skip  # noqa: E701


def loops_in_a_helper(state):
    def spin(n):
        while n:
            n += 1

    return spin(1)


def loops_and_catches(state):
    global count
    while True:
        try:
            loops_and_catches(state.successor(0))
        except:  # noqa: E722
            count = 0


def same_position(state):
    if state.is_terminal():
        return state.utility(0)
    return max(same_position(state) for a in state.legal_actions())


def divides(state):
    if state.is_terminal():
        return 1 / (state.utility(0) - 8)
    return max(divides(state.successor(a)) for a in state.legal_actions())


def catches(state):
    """An error that the program itself catches."""
    if state.is_terminal():
        return 1 / (state.utility(0) - 8)
    values = []
    for a in state.legal_actions():
        try:
            values.append(catches(state.successor(a)))
        except ZeroDivisionError:
            values.append(0)
    return max(values) if state.current_player == 0 else min(values)


def returns_text(state):
    if state.is_terminal():
        return str(state.utility(0))
    return max(returns_text(state.successor(a)) for a in state.legal_actions())


def changes_position(state):
    object.__setattr__(state, "current_player", 1 - state.current_player)
    if state.is_terminal():
        return state.utility(0)
    return max(changes_position(state.successor(a)) for a in state.legal_actions())


def leaves(state):
    sys.exit("enough")


def stops(state):
    raise KeyboardInterrupt
