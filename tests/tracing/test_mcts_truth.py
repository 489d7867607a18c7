"""What the stepper says about the library's `mcts` is compared with a ledger kept here.

Every sentence and drawn number of every step is taken.  The ledger counts visits and rewards from
the actions alone, and proven results are compared with a brute force.
"""

import re
from collections import Counter
from math import log, sqrt
from random import Random

import pytest
from brute_force import ALL, Tally, exact, late, named, read

from course.draw.wording import format_path, narration
from course.tracing import record
from course.tracing.trace import Timeline
from course.widgets.stepper_view import render_step
from gamelib import ConnectFour, GameTree, Nim, TicTacToe, mcts
from gamelib.state import CHANCE

NODE = re.compile(
    r'<g class="node" data-path="([^"]*)"[^>]*?data-value="([^"]*)"[^>]*>\n<title>([^<]*)'
)
EXPANDS = r"Expand: (?:action (.*) at (.*) has not|at .* chance has drawn (.*), which)"
ROLLS_OUT = r"Rollout, action (\d+) of (\d+): (.*) plays (.*?)\.(?: The game is over: (.*)\.)?$"
COUNTS = r"Backpropagate (.*): (.*) counts (.*) for (.*); n = (.*), mean (.*)\.$"
PLAYS = r"(.*) plays (.*?)(?:, the most visited: (\d+) of (\d+) simulations|\. Proven: (.*))\.$"
REWARDS = re.compile(r"([\d.]+) for ([^,]+?)(?=,| and|:|$)")


class Ledger(Tally):
    """Visits and rewards of every node, counted from the actions of the simulations."""

    def __init__(self, state, solver):
        super().__init__()
        self.root, self.solver = state, solver
        self.visits, self.totals, self.proven = Counter(), Counter(), set()
        self.tree, self.path = {()}, ()
        self.payoffs = None

    def owner(self, path):
        """Return the player whose rewards a node counts: the last one who moved on the way."""
        movers = [self.root.play(*path[:n]).current_player for n in range(len(path))]
        chosen = [player for player in movers if player != CHANCE]
        return chosen[-1] if chosen else self.root.current_player

    def who(self, name):
        names = [self.root.player_name(player) for player in range(self.root.num_players)]
        return names.index(name) if name in names else None

    # --- sentences ---

    def sentence(self, frame, said):
        kinds = {
            r"Nothing has happened": self.begins,
            EXPANDS: self.expands,
            r"Select: at .*?, action (\S+|\(.*?\)) has the highest score, (.*) \+ (.*) = (.*)\.$": (
                self.selects
            ),
            r"At (.*) chance moves: (.*) is drawn, probability (.*)\.$": self.draws,
            ROLLS_OUT: self.rolls_out,
            r"The game is over: (.*)\.$": self.is_over,
            COUNTS: self.counts,
            r"Proven at (.*?): (.*)\. Why: ": self.proves,
            PLAYS: self.plays,
        }
        for pattern, compare in kinds.items():
            if match := re.match(pattern, said):
                compare(frame, match, said)
                return
        self.claim("unknown sentence", False, said)

    def begins(self, frame, match, said):
        self.claim("begins", frame.step == 0, said)

    def expands(self, frame, match, said):
        path = frame.focus
        action = named(self.root.play(*path[:-1]), match[1] or match[3])
        new = path not in self.tree and path[:-1] in self.tree
        self.claim("expands", new and path[-1] == action, said)
        self.claim("where", match[2] in (None, format_path(path[:-1])), said)
        self.tree.add(path)
        self.path = path

    def selects(self, frame, match, said):
        self.path = path = frame.focus
        above, state = path[:-1], self.root.play(*path[:-1])
        self.claim("selects", named(state, match[1]) == path[-1], said)
        scores = {}
        for action in state.legal_actions():
            child = (*above, action)
            if child in self.proven:
                continue
            visits = self.visits[child]
            self.claim("all tried", visits > 0, said)
            if visits:
                bonus = sqrt(2) * sqrt(log(self.visits[above]) / visits)
                scores[action] = self.totals[child] / visits, bonus
        mean, bonus = scores[path[-1]]
        shown = [read(match[place]) for place in (2, 3, 4)]
        right = (mean, bonus, mean + bonus)
        self.claim(
            "score", all(abs(a - b) < 0.006 for a, b in zip(shown, right, strict=True)), said
        )
        best = max(map(sum, scores.values()))
        self.claim("highest", mean + bonus > best - 1e-9, said)

    def draws(self, frame, match, said):
        self.path = path = frame.focus
        chances = dict(self.root.play(*path[:-1]).chance_outcomes())
        self.claim("draws", abs(chances[path[-1]] - read(match[3])) < 0.006, said)

    def rolls_out(self, frame, match, said):
        number, length = int(match[1]), int(match[2])
        actions = frame.event.actions
        state = self.root.play(*self.path, *actions[: number - 1])
        action = named(state, match[4])
        self.claim("plays", action == actions[number - 1], said)
        names = [state.player_name(p) for p in range(state.num_players)]
        mover = "chance" if state.current_player == CHANCE else names[state.current_player]
        self.claim("mover", mover == match[3], said)
        self.claim("length", length == len(actions), said)
        if match[5]:
            self.ends(state.successor(action), match[5], said)

    def is_over(self, frame, match, said):
        self.ends(self.root.play(*self.path), match[1], said)

    def ends(self, state, outcome, said):
        self.claim("over", state.is_terminal(), said)
        self.payoffs = state.utilities()
        self.outcome(self.payoffs, outcome, said)

    def outcome(self, payoffs, outcome, said):
        """Compare "X wins", "draw", "X gets 0 or more" or "1 for X and -1 for O" with payoffs."""
        if outcome == "draw":
            holds = not any(payoffs)
        elif m := re.fullmatch(r"(.*) wins(?:, .*)?", outcome):
            holds = payoffs[self.who(m[1])] == 1
        elif m := re.fullmatch(r"(.*) gets (.*?)(?: or (more|less))?", outcome):
            mine, bound = payoffs[self.who(m[1])], read(m[2])
            holds = mine >= bound if m[3] == "more" else mine <= bound if m[3] else mine == bound
        else:
            pairs = REWARDS.findall(outcome.replace("-", "")) or [("nan", "")]
            holds = all(abs(payoffs[self.who(name)]) == read(number) for number, name in pairs)
        self.claim("outcome", holds, said)

    def counts(self, frame, match, said):
        path = frame.focus
        rewards = {self.who(name): read(number) for number, name in REWARDS.findall(match[1])}
        right = {player: (payoff + 1) / 2 for player, payoff in enumerate(self.payoffs)}
        self.claim("rewards", rewards == right, said)
        owner, added = self.owner(path), read(match[3])
        self.claim("owner", self.who(match[4]) == owner, said)
        allowed = {right[owner]}
        if self.solver:
            allowed.add((exact(self.root.play(*path), owner) + 1) / 2)
        self.claim("counts", added in allowed, said)
        self.claim("node", match[2] == format_path(path), said)
        self.visits[path] += 1
        self.totals[path] += added
        mean = self.totals[path] / self.visits[path]
        self.claim("n", int(match[5].replace(",", "")) == self.visits[path], said)
        self.claim("mean", abs(read(match[6]) - mean) < 0.006, said)

    def proves(self, frame, match, said):
        path = frame.focus
        self.claim("node", match[1] == format_path(path), said)
        self.proven.add(path)
        self.exact_outcome(self.root.play(*path), match[2], said)

    def exact_outcome(self, state, outcome, said):
        values = [exact(state, player) for player in range(state.num_players)]
        self.outcome(values, outcome, said)

    def plays(self, frame, match, said):
        action = named(self.root, match[2])
        mover = self.root.player_name(self.root.current_player)
        self.claim("mover", match[1].lower() == mover.lower(), said)
        self.claim("answer", action == frame.trace.answer.action, said)
        if match[5]:
            self.exact_outcome(self.root.successor(action), match[5], said)
            return
        most = max(self.visits[(a,)] for a in self.root.legal_actions())
        self.claim("most visited", int(match[3]) == self.visits[(action,)] == most, said)
        self.claim("simulations", int(match[4]) == self.visits[()], said)

    # --- drawn ---

    def drawing(self, svg):
        """Compare the mean in each node, and its visits and proven result in its title."""
        for text, value, title in NODE.findall(svg):
            state, path = self.root, []
            for part in text.split("/") if text else []:
                path.append(named(state, part))
                state = state.successor(path[-1])
            visits, total = self.visits[tuple(path)], self.totals[tuple(path)]
            if value and visits:
                self.claim("drawn", abs(read(value) - total / visits) < 0.006, title)
            if m := re.search(r": (\d+) visits?; mean reward (\S+) for ([^;]+)", title):
                owner = self.owner(tuple(path))
                right = int(m[1]) == visits and abs(read(m[2]) - total / visits) < 0.006
                self.claim("title", right and self.who(m[3]) == owner, title)
            if m := re.search(r"; ([^;:]*(?:wins|draw|gets [^:]*)): ", title):
                self.exact_outcome(state, m[1], title)


def positions():
    """Return ten positions, with and without chance, for two and for three players."""
    rng = Random(45)
    return [
        GameTree([[1, -1], [0, 1]]),
        GameTree([[[1, 0], [0, 1]], [[-1, 1], [0, 0]]]),
        GameTree.parse("1 {0.5: [0 -1] 0.5: 1}"),
        GameTree.parse("[{0.25: 1 0.75: [-1 0]} 0]"),
        Nim((1, 2)),
        Nim((2, 2)),
        Nim((1, 2), num_players=3),
        late(TicTacToe(), rng, 4),
        late(TicTacToe(), rng, 5),
        late(ConnectFour(3, 3, 3), rng, 3),
    ]


def ledger_of(state, *, solver):
    ledger = Ledger(state, solver)
    film = Timeline(record(mcts, state, simulations=40, solver=solver, rng=1))
    for index in range(len(film)):
        ledger.sentence(film[index], narration(film[index]))
        if index % 5 == 0 or index == len(film) - 1:
            frame = film[index]
            if frame.part == frame.parts - 1 or frame.is_last:
                ledger.drawing(render_step(frame).stage.svg)
    return ledger


def cases():
    """Yield positions by number, and with proofs where the brute force gives one value a player."""
    for number, state in enumerate(positions()):
        yield number, False
        if state.num_players == 2 and not state.has_chance:
            yield number, True


@pytest.mark.parametrize(("number", "solver"), [*cases()])
def test_all_statements_about_simulations_are_true(number, solver):
    ledger = ledger_of(positions()[number], solver=solver)
    if ALL:
        print(f"mcts {number}: {ledger.count} statements, {len(ledger.false)} false")
    assert ledger.false == []
    assert ledger.kinds["mean"] > 10 or solver
