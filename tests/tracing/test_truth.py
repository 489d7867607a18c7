"""Whatever the stepper says about a game is compared with a brute force that is written here.

Every sentence, label and drawn value of every step is taken: `pytest tests/tracing/test_truth.py`
looks at a sample; `TRUTH=all pytest -s tests/tracing/test_truth.py` at all programs and positions.
"""

import random
import re
from functools import lru_cache
from math import inf, isclose

import learners
import pytest
from brute_force import ALL, Tally, exact, late, named, read

from course.draw.wording import narration
from course.lessons.chance.check import random_chance_tree
from course.tracing import record
from course.tracing.trace import Timeline
from course.widgets.stepper_view import render_step
from gamelib import ConnectFour, GameTree, Nim, TicTacToe
from gamelib.state import CHANCE

# Of one program at one position; six of each of 116 programs have every kind of sentence.
MOST_MOMENTS = 10_000 if ALL else 6
TEXT = [[3, 12, 8], [2, 4, 6], [14, 5, 2]]


def random_tree(rng, height, width=3):
    if height == 0 or rng.random() < 0.15:
        return rng.randint(-9, 9)
    return [random_tree(rng, height - 1, width) for _ in range(rng.randint(2, width))]


def random_vectors(rng, height):
    if height == 0:
        return tuple(rng.randint(0, 9) for _ in range(3))
    return [random_vectors(rng, height - 1) for _ in range(rng.randint(2, 3))]


def positions():
    """Return twenty positions of every kind, the smallest first."""
    rng = random.Random(45)
    trees = [
        GameTree([TEXT, [[1, 0], 2]][0]),
        GameTree([[0, [1, 0]], 1]),
        GameTree([[0, 1], [[0, 1]]]),
    ]
    while len(trees) < 12:
        shape = random_tree(rng, rng.choice((2, 3)))
        if isinstance(shape, list):
            trees.append(GameTree(shape))
    boards = [late(TicTacToe(), rng, 3 + n % 2) for n in range(8)]
    even = [GameTree(TEXT)]
    while len(even) < 20:
        height = rng.choice((2, 3))
        even.append(GameTree(even_tree(rng, height)))
    heaps = [
        (1, 2),
        (1, 1),
        (2, 2),
        (2, 1),
        (1, 1, 1),
        (2, 3),
        (1, 3),
        (1, 1, 2),
        (3, 1),
        (2, 2, 1),
    ]
    nims = [Nim(heaps[n % 10], misere=False, max_take=None if n < 10 else 2) for n in range(20)]
    chance = []
    while len(chance) < 20:
        tree = random_chance_tree(rng, rng.choice((2, 3, 4)))
        if len(str(tree)) < 160:
            chance.append(tree)
    games = [late(TicTacToe(), rng, 4 + n % 2) for n in range(14)]
    games += [Nim((2, 3)), Nim((1, 2, 1)), *(late(ConnectFour(3, 3, 3), rng, 2) for _ in range(4))]
    return {
        "two": trees + boards,
        "alternating": even,
        "small": nims[:10] + boards + trees[1:3],
        "nim": nims,
        "three": [GameTree(random_vectors(rng, 2 + n % 2)) for n in range(20)],
        "chance": chance,
        "games": games,
    }


def even_tree(rng, height):
    if height == 0:
        return rng.randint(-9, 9)
    return [even_tree(rng, height - 1) for _ in range(rng.randint(2, 3))]


POSITIONS = positions()

# --- brute force ---


@lru_cache(50_000)
def vectors(state):
    """Return all vectors that MaxN may give, whichever of equal actions it takes."""
    if state.is_terminal():
        return frozenset([tuple(state.utilities())])
    below = [vectors(state.successor(a)) for a in state.legal_actions()]
    mover, found = state.current_player, set()
    for several in below:
        for vector in several:
            lows = [
                min(other[mover] for other in others) for others in below if others is not several
            ]
            if all(vector[mover] >= low for low in lows):
                found.add(vector)
    return frozenset(found)


class Truth(Tally):
    """Compares what is said of one search with the truth, and counts."""

    def __init__(self, trace, program):
        super().__init__()
        self.trace, self.program = trace, program

    def viewer(self, visit):
        return visit.perspective

    def values(self, state, visit):
        """Return the true value, and those at which a limited search may stop."""
        viewer = self.viewer(visit)
        if viewer is None or viewer == CHANCE:
            viewer = None
        if viewer is None:
            return None
        depths = [inf]
        if self.program.depth == -1:
            depths += range(5)
        elif self.program.depth is not None:
            depths += [self.program.depth - len(visit.path)]
        return [exact(state, viewer, depth) for depth in depths]

    def number_holds(self, text, state, visit):
        """Return whether a value as it is printed is true of a position."""
        match = re.fullmatch(r"(<~ |>~ |~ |≤ |≥ )?(.+)", text)
        sign, number = (match[1] or "").strip(), match[2]
        if number.startswith("("):
            given = tuple(map(read, number.strip("()").split(", ")))
            return sign == "~" or given in vectors(state)
        values = self.values(state, visit)
        if values is None:
            return False
        if number in ("True", "False"):
            return not sign and (values[0] > 0) == (number == "True")
        given = read(number)
        some = values[1:] or values
        if sign in ("~", "<~", ">~"):
            return any(compare(sign.strip("~"), given, value) for value in some)
        return compare({"≤": "<", "≥": ">"}.get(sign, ""), given, values[0])

    def best_holds(self, action, state, visit, among=None):
        """Return whether no other action is better for the player to move."""
        among = list(state.legal_actions()) if among is None else among
        mover = state.current_player
        if (
            isinstance(visit.returned[1].value if visit.returned else None, tuple)
            and visit.perspective is None
        ):
            mine = max(v[mover] for v in vectors(state.successor(action)))
            return all(
                mine >= min(v[mover] for v in vectors(state.successor(other))) for other in among
            )
        viewer = self.viewer(visit)
        if viewer is None:
            return False
        depths = [inf]
        if self.program.depth == -1:
            depths += range(4)
        elif self.program.depth is not None:
            depths += [self.program.depth - len(visit.path) - 1]
        sign = 1 if mover == self.player_of(visit) else -1
        return any(
            all(
                sign * exact(state.successor(action), self.player_of(visit), d)
                >= sign * exact(state.successor(other), self.player_of(visit), d)
                for other in among
            )
            for d in depths
        )

    def player_of(self, visit):
        return (
            self.trace.state.current_player if self.trace.is_mover_relative else visit.perspective
        )

    # --- sentences ---

    def sentence(self, moment, said):  # noqa: C901, PLR0912, PLR0915 (a case for each sentence)
        """Compare one sentence; what it has of numbers and reasons is read off its words."""
        path = moment.focus
        if path is None:
            return
        visit = moment.visits_of(path)
        state = visit.state
        said = said if said.startswith(f"{self.trace.search} ") else said[0].lower() + said[1:]
        if m := re.match(
            r"the root is worth ([^,.]*(?:\([^)]*\))?[^,]*?)(?:, and the best action is (.+))?\.$",
            said,
        ):
            number, _, whose = m[1].partition(" for ")
            other = visit.perspective not in (None, state.current_player)
            viewer = state.player_name(visit.perspective) if other else ""
            self.claim("whose", whose == viewer, said)
            self.claim("worth", self.number_holds(number, state, visit), said)
            if m[2]:
                self.claim("best", self.best_holds(named(state, m[2]), state, visit), said)
                answer = self.trace.answer
                if (
                    answer in (state.legal_actions())
                    and not isinstance(answer, bool)
                    and self.returns_action()
                ):
                    self.claim("answer", str(answer) == m[2], said)
        elif m := re.match(r"(.*) is (?:a leaf, )?(not )?a win for (.*?)([.,] .*)?\.$", said):
            player = next(p for p in (0, 1) if m[3] in (state.player_name(p), "max", "min"))
            if m[3] in ("max", "min"):
                player = visit.perspective
            self.claim("win", (exact(state, player) > 0) == (not m[2]), said)
            if best := re.search(r"the best action is (.+)", m[4] or ""):
                self.claim("best", self.best_holds(named(state, best[1]), state, visit), said)
        elif m := re.match(r"(.*) is a leaf, worth (.*?)(?: for (.*?))?(\. It goes.*)?\.$", said):
            self.claim("leaf", self.number_holds(m[2], state, visit), said)
        elif m := re.match(r"(?:node .*|the root) returns (.*) to (?:the root|node .*)\.$", said):
            if m[1].startswith(("≤", "≥", "~", "<", ">")):
                self.claim("bound", self.number_holds(m[1], state, visit), said)
            else:
                self.returned(visit, m[1], said)
        elif m := re.match(
            r"action (.*) is the best so far for (.*?): (.*?)(\. (?:Alpha|Beta).*)?\.?$", said
        ):
            self.best_so_far(moment, visit, m, said)
        elif m := re.match(r"(\S+) returns (.*?)\.$", said):
            self.returned(visit, m[2], said)
        elif m := re.match(r"(.*) plays (.+): its value, (.*), is the best\.$", said):
            root = self.trace.roots[0]
            action = named(root.state, m[2])
            self.claim("plays", self.best_holds(action, root.state, root), said)
            if root.perspective is None:
                mover = root.state.current_player
                holds = any(compare("", read(m[3]), v[mover]) for v in vectors(root.state))
            else:
                holds = self.number_holds(m[3], root.state, root)
            self.claim("worth", holds, said)
        elif m := re.match(r"(\S+) chooses action (.*?)\.$", said):
            self.claim("chooses", m[2] in str(self.trace.answer), said)
        elif said.startswith("cut: "):
            self.cut(visit, moment.event, said)
        elif "stops here" in said:
            cut = moment.event
            self.claim("stops", not cut.sound, said)
            if len(cut.skipped) and "still change" in said:
                self.claim("program", True, said)
        elif m := re.match(r"start at the root|go down to ", said):
            self.roles(moment, visit, said)
        elif m := re.match(r"the table knows (.*): (.*?)(\. It goes.*)?\.$", said):
            self.claim("table", self.number_holds(m[2], state, visit), said)
        elif re.match(r"(.*) is at the depth limit", said):
            m = re.search(r"says (?:~ )?(.*?)( for .*?)?(\. It goes.*)?\.$", said)
            self.returned(visit, m[1], said)
            self.claim("limit", self.program.depth is not None, said)
        elif m := re.match(
            r"the best that \S+ has so far at (.*) is (.*?)(\. (?:Alpha|Beta).*)?\.?$", said
        ):
            self.claim("program", True, said)
        elif m := re.match(r"at .* (\S+) returns (.*?)( to .*)?\.$", said):
            self.returned(visit, m[2], said)
        elif m := re.match(
            r"(.*) is the end of a game(, and \S+ returns (.*?)( to .*)?)?\.$", said
        ):
            self.claim("over", state.is_terminal(), said)
            if m[3]:
                self.returned(visit, m[3], said)
        elif re.match(
            r"a line runs|\S+ leaves |.* is left again|.* ends with an error|nothing has", said
        ):
            self.claim("program", True, said)
        else:
            self.claim("unknown sentence", False, said)

    def returns_action(self):
        visit = self.trace.roots[0]
        return visit.chosen is not None

    def returned(self, visit, text, said):
        """What a program is said to return is a part of what it returned."""
        value = visit.returned[1].value if visit.returned else visit.leaf[1].value
        raw = visit.call.returned
        whole = raw if isinstance(raw, tuple | list) else (raw,)
        own = value == raw or value in whole or visit.chosen is not None
        self.claim("program", own and spelt(value) == text.removeprefix("~ "), said)

    def best_so_far(self, moment, visit, match, said):
        state, action = visit.state, named(visit.state, match[1])
        done = {c.path[-1] for c in returned(visit, moment)}
        self.claim("best so far", self.best_holds(action, state, visit, done), said)
        number = match[3].rstrip(".")
        child = state.successor(action)
        if visit.perspective is not None and self.trace.is_mover_relative:
            holds = self.turned_holds(number, child, visit)
        else:
            holds = self.number_holds(number, child, visit_like(visit, action))
        self.claim("so far", holds, said)
        self.names(match[2], state, said)

    def turned_holds(self, number, child, visit):
        match = re.fullmatch(r"(<~ |>~ |~ |≤ |≥ )?(.+)", number)
        if match[2] in ("True", "False"):
            return (exact(child, visit.perspective) > 0) == (match[2] == "True")
        sign = (match[1] or "").strip()
        value = exact(child, visit.perspective)
        return "~" in sign or compare({"≤": "<", "≥": ">"}.get(sign, ""), read(match[2]), value)

    def names(self, who, state, said):
        """Compare a role with the player to move: max is the one whose values are shown."""
        visit = self.trace.visits[0]
        if m := re.fullmatch(r"(.*) \((max|min)\)", who):
            self.claim("role", m[1] == state.player_name(state.current_player), said)
            who = m[2]
        if (
            who in ("max", "min")
            and visit.perspective is not None
            and not self.trace.is_mover_relative
        ):
            mine = state.current_player == visit.perspective
            named_so = state.player_name(state.current_player) in ("max", "min")
            self.claim("role", (who == "max") == mine or named_so, said)

    def roles(self, moment, visit, said):
        if m := re.search(r": (.*?) to move", said):
            self.names(m[1], visit.state, said)

    def cut(self, visit, event, said):
        """A cut is right if the choice above is the same whatever is skipped is worth."""
        player = self.player_of(visit)
        skips = bool(event.skipped)
        if skips:
            bounded = "no payoff" in said or "whatever else" in said
            most = visit.state.max_utility if bounded else 1000
            both = {self.root_with(visit, extreme, player) for extreme in (-most, most)}
            asked = re.search(r"not asked for (more|less) than (\S+)\.", said)
            if asked:
                edges = {abs(edge) for edge in self.root_of(visit).window}
                self.claim("asked", abs(read(asked[2])) in edges, said)
            else:
                self.claim("cut", len(both) == 1, said)
        if m := re.search(r"this node is at (most|least) (\S+?)(?: for (\S+?))?,", said):
            sign = "<" if m[1] == "most" else ">"
            mine = exact(visit.state, visit.perspective, self.rest(visit))
            self.claim("cut reason", compare(sign, read(m[2]), mine), said)
        if m := re.search(r"(?:has|have|held to) (\S+) elsewhere", said):
            self.claim("elsewhere", self.elsewhere(visit, read(m[1]), player), said)

    def root_of(self, visit):
        return self.root_of(visit.parent) if visit.parent else visit

    def rest(self, visit):
        return inf if self.program.depth in (None, -1) else self.program.depth - len(visit.path)

    def elsewhere(self, visit, number, player):
        """Whether a player has a number at a node above, by an action that came before."""
        mine = visit.state.current_player == player
        if self.trace.is_mover_relative and not mine:
            number = -number
        below, found = visit, []
        while below.parent:
            above = below.parent
            if (above.state.current_player == player) != mine:
                others = [c for c in above.children if c.number < below.number]
                found += [exact(c.state, player, self.rest(c)) for c in others]
            below = above
        return any(number >= value if mine else number <= value for value in found)

    def root_with(self, visit, extreme, player):
        """Return the root's value if all that a node has skipped is worth this."""
        skipped, path = visit.cut[1].skipped, visit.path

        def value(state, at, depth):
            if at[: len(path)] == path and at[len(path) : len(path) + 1] in [(a,) for a in skipped]:
                return extreme
            if at != path[: len(at)] or state.is_terminal() or depth == 0:
                return exact(state, player, depth)
            values = {
                a: value(state.successor(a), (*at, a), depth - 1) for a in state.legal_actions()
            }
            if state.current_player == CHANCE:
                return sum(chance * values[a] for a, chance in state.chance_outcomes())
            return (max if state.current_player == player else min)(values.values())

        depth = inf if self.program.depth in (None, -1) else self.program.depth
        return value(self.trace.state, (), depth)

    # --- drawn ---

    def drawing(self, moment, svg):
        """Compare the numbers in the nodes, the titles of nodes, and the thick line."""
        for path_text, value, title in re.findall(
            r'<g class="node" data-path="([^"]*)"[^>]*?data-value="([^"]*)"[^>]*>\n<title>([^<]*)',
            svg,
        ):
            path = self.path(path_text)
            visit = moment.visits_of(path)
            if not value or visit is None:
                continue
            value = value.replace("&lt;", "<").replace("&gt;", ">")
            self.drawn(moment, visit, value, title)
        best = re.findall(r'<g class="edge" data-path="([^"]*)" data-kind="best"', svg)
        for path_text in best:
            path = self.path(path_text)
            above = moment.visits_of(path[:-1])
            done = None
            if moment.node(path[:-1]).status == "open":
                done = {c.path[-1] for c in taken(above, moment)}
            self.claim("line", self.best_holds(path[-1], above.state, above, done), f"line {path}")

    def legend(self, svg, legend):
        """Compare each sign that the legend explains with the signs in the drawing."""
        values = re.findall(r'data-value="([^"]+)"', svg)
        drawn = {
            "a value is for the player to move there": bool(values),
            "thick: best line": 'data-kind="best"' in svg,
            "dashed and crossed: cut, not visited": 'data-kind="cut"' in svg,
            "~ it rests on an estimate": any("~" in value for value in values),
            "not shown to be right": any(value.startswith("→") for value in values),
        }
        for sign, shown in drawn.items():
            if sign in legend:
                self.claim("legend", shown, f"{sign} is explained, but not drawn")

    def path(self, text):
        state, path = self.trace.state, []
        for part in text.split("/") if text else []:
            action = named(state, part)
            path.append(action)
            state = state.successor(action)
        return tuple(path)

    def drawn(self, moment, visit, value, title):
        if value.startswith("→"):
            self.claim("arrow", True, value)
            return
        if moment.node(visit.path).status == "open":
            done = taken(visit, moment)
            if done and not any("~" in value for _ in (0,)):
                self.claim("open", self.partly(visit, done, value), f"{visit.path} {value} {title}")
            return
        self.claim(
            "drawn", self.number_holds(value, visit.state, visit), f"{visit.path} {value} {title}"
        )
        for m in re.finditer(r"; best action ([^;]*)", title):
            self.claim(
                "title", self.best_holds(named(visit.state, m[1]), visit.state, visit), title
            )

    def partly(self, visit, done, value):
        """Whether a number is the best of some children."""
        sign = value[0] if value[0] in "≤≥" else ""
        mover = visit.state.current_player
        given = value.lstrip("≤≥ ")
        if given.startswith("("):
            vector = tuple(map(read, given.strip("()").split(", ")))
            return any(vector in vectors(c.state) for c in done)
        if visit.perspective is None:
            return False
        turned = self.trace.is_mover_relative
        player = visit.perspective
        values = [exact(c.state, player, self.rest(c)) for c in done]
        true = max(values) if mover == player or turned else min(values)
        if given in ("True", "False"):
            return (true > 0) == (given == "True")
        return compare({"≤": "<", "≥": ">"}.get(sign, ""), read(given), true)


def returned(visit, moment):
    return [c for c in visit.children if c.returned and c.returned[0] <= moment.step]


def taken(visit, moment):
    """Return the children that a node has had time to count: not the one that returns now."""
    done = returned(visit, moment)
    return done[:-1] if done and done[-1].path == moment.focus else done


def visit_like(visit, action):
    return next(c for c in reversed(visit.children) if c.path[-1] == action)


def spelt(value):
    from course.draw.wording import format_value

    return format_value(value)


def compare(sign, given, true):
    if sign == "<":
        return true <= given + 1e-3
    if sign == ">":
        return true >= given - 1e-3
    return isclose(given, true, abs_tol=1e-3, rel_tol=1e-3)


def truth_of(program, state, most=MOST_MOMENTS):
    """Return the statements of all steps of a program at one position."""
    trace = record(program.run, state, *program.arguments)
    truth, film = Truth(trace, program), Timeline(trace)
    steps = range(len(film))
    if len(film) > most:
        steps = sorted({*random.Random(1).sample(steps, most - 1), len(film) - 1})
    for index in steps:
        moment = film[index]
        truth.sentence(moment, narration(moment))
        shown = render_step(moment)
        truth.drawing(moment, shown.stage.svg)
        truth.legend(shown.stage.svg, shown.legend)
    return truth


def cases():
    for name, program in learners.PROGRAMS.items():
        places = POSITIONS[program.positions]
        yield name, places if ALL else places[:1] + random.Random(name).sample(places[1:], 1)


@pytest.mark.parametrize(("name", "places"), [pytest.param(*case, id=case[0]) for case in cases()])
def test_all_statements_about_game_are_true(name, places) -> None:
    truths = [truth_of(learners.PROGRAMS[name], place) for place in places]
    false = [(place, *wrong) for place, t in zip(places, truths, strict=True) for wrong in t.false]
    if ALL:
        print(f"{name}: {sum(t.count for t in truths)} statements, {len(false)} false")
    assert false == []
