"""Exercises on paper: each key is computed again, by brute force, from the printed question."""

import math
import re
from collections import Counter
from functools import cache
from itertools import product
from operator import itemgetter

import pytest

from tools.sheets.topics import TOPICS as KINDS

STUDENTS = [f"s{number}" for number in range(12)]
LINES_3 = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
ROWS_4 = [tuple(range(start, start + 4)) for start in range(0, 16, 4)]
LINES_4 = [*ROWS_4, *zip(*ROWS_4, strict=True), (0, 5, 10, 15), (3, 6, 9, 12)]


@cache
def drawn(name, student):
    return KINDS[name].draw(student)


def each(name, students=STUDENTS):
    """Yield the questions of some students."""
    return (drawn(name, student) for student in students)


def numbers(text):
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", text)]


def nodes_of(question):
    """Return the text in each node of a drawn tree, by its path; "" where it is blank."""
    found = {}
    drawn = re.findall(r'<g class="node" data-path="([^"]*)"(.*?)</g>', question.picture, re.DOTALL)
    for path, body in drawn:
        text = re.findall(r"<text[^>]*>([^<]*)</text>", body)
        found[tuple(map(int, filter(None, path.split("/"))))] = text[0] if text else ""
    return found


def tree_of(question):
    """Return a drawn tree as nested lists of the texts in its leaves."""
    nodes = nodes_of(question)

    def below(path):
        children = sorted(node for node in nodes if node and node[:-1] == path)
        return [below(child) for child in children] if children else nodes[path]

    return below(())


def as_numbers(node):
    return [as_numbers(child) for child in node] if isinstance(node, list) else int(node)


def search(node, alpha=-math.inf, beta=math.inf, mine=True, path=()):
    """Return the value by alpha-beta, the leaves that it reads, and its windows by path."""
    windows = {path: (alpha, beta)}
    if not isinstance(node, list):
        return node, [node], windows
    best, read = -math.inf if mine else math.inf, []
    for branch, child in enumerate(node):
        found, more, inner = search(child, alpha, beta, not mine, (*path, branch))
        read += more
        windows |= inner
        best = max(best, found) if mine else min(best, found)
        alpha, beta = (max(alpha, best), beta) if mine else (alpha, min(beta, best))
        if beta <= alpha:
            break
    return best, read, windows


def boards_of(question):
    """Return the cells of each drawn board, from its description."""
    for said in re.findall("<desc>(.*?)</desc>", question.picture):
        rows = [row.partition(": ")[2].rstrip(".").split() for row in said.split(";")]
        yield ["" if cell == "empty" else cell for row in rows for cell in row]


def heaps_of(question):
    return tuple(map(int, re.findall(r"has (\d+)", question.picture)))


def has_line(cells, mark, lines):
    return any(all(cells[cell] == mark for cell in line) for line in lines)


def worth(cells, mover, mark="O"):
    """Return what a position of four in a line is worth for the owner of `mark`."""
    for each_mark, result in ((mark, 1), ("XO"[mark == "X"], -1)):
        if has_line(cells, each_mark, LINES_4):
            return result
    if "" not in cells:
        return 0
    choose = max if mover == mark else min
    other = "XO"[mover == "X"]
    free = [cell for cell, held in enumerate(cells) if not held]
    return choose(worth([*cells[:c], mover, *cells[c + 1 :]], other) for c in free)


def key_of_paper(question):
    right = {
        f"{name}, action {cell}": str(worth([*board[:cell], "O", *board[cell + 1 :]], "X"))
        for name, board in zip("AB", boards_of(question), strict=True)
        for cell, held in enumerate(board)
        if not held
    }
    assert [*question.answers] == [*right]
    return [*right.values()]


def test_paper_values_vary_between_students():
    keys = Counter(tuple(question.answers.values()) for question in each("paper", range(1, 241)))
    assert len(keys) == 16
    assert max(keys.values()) < 240 / 8


def key_of_tree(question):
    best, read, _ = search(as_numbers(tree_of(question)))
    return [str(best), ", ".join(map(str, read))]


@cache
def loses(heaps):
    """Return whether whoever moves at sorted heaps loses, by the rules alone."""
    return not any(
        loses(tuple(sorted([*heaps[:place], left, *heaps[place + 1 :]])))
        for place, size in enumerate(heaps)
        for left in range(size)
    )


def key_of_heaps(question):
    heaps = heaps_of(question)
    ((take, heap),) = [
        (size - left, place)
        for place, size in enumerate(heaps)
        for left in range(size)
        if loses(tuple(sorted([*heaps[:place], left, *heaps[place + 1 :]])))
    ]
    bits = [sum(size >> bit & 1 for size in heaps) % 2 << bit for bit in range(5)]
    return [str(sum(bits)), str(take), str(heap)]


def score(visits, total, parent):
    return total / visits + math.sqrt(2 * math.log(parent) / visits)


def key_of_ucb(question):
    rows = {action: (int(n), float(total)) for action, n, total in question.table[1:]}
    parent = sum(n for n, _ in rows.values())
    scores = {action: score(n, total, parent) for action, (n, total) in rows.items()}
    return [*(f"{found:.3f}" for found in scores.values()), max(scores, key=scores.get)]


def key_of_simulation(question):
    nodes = {path: numbers(text) for path, text in nodes_of(question).items()}
    path, held = (), [nodes[()]]
    while children := [node for node in nodes if node and node[:-1] == path]:
        parent = nodes[path][0]
        path = max(children, key=lambda node: score(*nodes[node], parent))
        held.append(nodes[path])
    held.append([0, 0])
    x_wins = "X wins" in question.text[2]
    for ply, node in enumerate(held):
        moved_there_and_won = x_wins if ply % 2 else not x_wins
        node[0], node[1] = node[0] + 1, node[1] + moved_there_and_won
    return [" → ".join(map(str, path)), *held]


def key_of_three(question):
    def by_maxn(node, player=0):
        if not isinstance(node, list):
            return numbers(node)
        found = [by_maxn(child, (player + 1) % 3) for child in node]
        return sorted(found, key=itemgetter(player))[-1]

    def least(node, player=0):
        if not isinstance(node, list):
            return numbers(node)[0]
        found = sorted(least(child, (player + 1) % 3) for child in node)
        return found[-1] if player == 0 else found[0]

    tree = tree_of(question)
    return [by_maxn(tree), [least(tree)]]


def ends(share, games):
    """Return the interval of a share: the truths from which it is 1.96 standard errors away."""

    def end(inside, outside):
        for _ in range(60):
            middle = (inside + outside) / 2
            error = 1.959964 * math.sqrt(middle * (1 - middle) / games)
            inside, outside = (
                (middle, outside) if abs(share - middle) <= error else (inside, middle)
            )
        return 100 * inside

    return end(share, 0), end(share, 1)


def verdict(low, high):
    return "shown" if low > 50 else "the opposite is shown" if high < 50 else "not shown"


def key_of_match(question):
    right = []
    for _, *row in question.table[1:]:
        wins, draws, losses = map(int, row)
        games = wins + draws + losses
        interval = ends((wins + draws / 2) / games, games)
        right += [interval, verdict(*interval)]
    return right


def key_of_counts(question):
    def after(heaps):
        a, b = heaps
        return [(left, b) for left in range(a)] + [(a, left) for left in range(b)]

    one = after(heaps_of(question))
    two = [child for heaps in one for child in after(heaps)]
    return [str(len(one)), str(len(two)), str(len({*two}))]


def key_of_payoffs(question):
    (cells,) = boards_of(question)
    assert sorted(filter(None, cells)) == ["A", "A", "O", "O", "X", "X"]  # X is to move
    (win,) = [
        cell
        for cell in range(9)
        if not cells[cell] and has_line([*cells[:cell], "X", *cells[cell + 1 :]], "X", LINES_3)
    ]
    return [str(win), "(1, -1, -1)"]


def key_of_signs(question):
    nodes = as_numbers(tree_of(question))
    return [*(str(-min(leaves)) for leaves in nodes), str(max(map(min, nodes)))]


def key_of_window(question):
    best, _, windows = search(as_numbers(tree_of(question)))
    return [*map(str, windows[1, 1]), str(best)]


def key_of_order(question):
    nodes = as_numbers(tree_of(question))
    back = [leaves[::-1] for leaves in nodes[::-1]]
    return [str(len(search(tree)[1])) for tree in (nodes, back)]


def key_of_proofs(question):
    results = {"X wins": 1, "draw": 0, "O wins": -1}
    tree = tree_of(question)
    unknown = sum(leaf == "?" for leaves in tree for leaf in leaves)
    possible = [set() for _ in [*tree, "the root"]]
    for guesses in product(results.values(), repeat=unknown):
        left = iter(guesses)
        found = [min(results[f] if f in results else next(left) for f in fs) for fs in tree]
        for seen, number in zip(possible, [*found, max(found)], strict=True):
            seen.add(number)
    words = {number: word for word, number in results.items()}
    return ["unknown" if len(seen) > 1 else words[min(seen)] for seen in possible]


def key_of_intervals(question):
    bars = re.findall(
        r'<rect x="([\d.]+)" y="[\d.]+" width="([\d.]+)" height="16"', question.picture
    )
    games = [int(found) for found in re.findall(r"[A-E], (\d+) games", question.picture)]
    verdicts = []
    for (left, width), n in zip(bars, games, strict=True):
        low = (float(left) - 150) / 5
        high = low + float(width) / 5
        assert any(ends(wins / n, n) == pytest.approx((low, high), abs=0.01) for wins in range(n))
        verdicts.append(verdict(low, high))
    named = [
        ", ".join(name for name, v in zip("ABCDE", verdicts, strict=True) if v == wanted)
        for wanted in ("shown", "the opposite is shown", "not shown")
    ]
    return [*named, f"{4 * games[-1]:,}"]


SLOW = {"heaps": 3, "intervals": 6}


@pytest.mark.parametrize("name", KINDS)
def test_key_matches_the_printed_question(name):
    for question in each(name, STUDENTS[: SLOW.get(name)]):
        key = globals()[f"key_of_{name}"](question)
        for answer, right in zip(question.answers.values(), key, strict=True):
            exact = isinstance(right, str)
            assert right == answer if exact else numbers(answer) == pytest.approx(right, abs=0.06)


def test_each_lesson_has_a_question_with_picture():
    with_picture = {kind.notebook for name, kind in KINDS.items() if drawn(name, "s1").picture}
    assert with_picture == {f"{number:02}" for number in range(1, 8)}


@pytest.mark.parametrize("name", KINDS)
def test_questions_differ_by_student_and_are_repeatable(name):
    questions = list(each(name))
    assert len({(str(question.picture), question.table) for question in questions}) >= 10
    assert KINDS[name].draw(STUDENTS[0]) == questions[0]


@pytest.mark.parametrize("name", KINDS)
def test_question_has_picture_or_table_without_answer(name):
    for question in each(name, STUDENTS[:4]):
        assert bool(question.picture) != bool(question.table)
        assert all(blank and answer for blank, answer in question.answers.items())
        if name not in ("simulation", "proofs"):  # their nodes are given, the leaves or the counts
            inner = [text for path, text in nodes_of(question).items() if path in ((), (0,), (1,))]
            assert not any(inner)
