"""Drawings of trees: they show exactly what the search did, to everybody, the same every time."""

import re
import subprocess
import sys
from functools import partial
from itertools import pairwise, product
from xml.etree import ElementTree

import pytest
from textbook import BINARY, HAND, THREE, TREE

from course import draw
from course.draw import tree as tree_function
from course.draw.tree import tree_drawing
from course.draw.tree_layout import board_size
from course.draw.wording import describe_proof, proven_kind
from course.tracing import record
from gamelib import GameTree, Nim, TicTacToe, alphabeta, maxn, mcts, minimax, negamax, paranoid
from tests.messages import names

tree_module = sys.modules[tree_function.__module__]

A = "\N{GREEK SMALL LETTER ALPHA}"
SVG = "{http://www.w3.org/2000/svg}"
OTHER = GameTree([[3, 12, 8], [5, 4, 6], [14, 1, 11]])
TREES = [TREE, OTHER, GameTree([[10], [10, 0]]), BINARY]


def parse(drawing):
    return ElementTree.fromstring(drawing)


def groups(drawing, kind):
    """Return the nodes or edges of a drawing by path."""
    found = [group for group in parse(drawing).iter(f"{SVG}g") if group.get("class") == kind]
    return {path_of(group): group for group in found}


def path_of(group):
    key = group.get("data-path")
    return tuple(int(part) if part.isdigit() else part for part in key.split("/")) if key else ()


def texts(element):
    return [text.text for text in element.iter(f"{SVG}text")]


STATE = TicTacToe.parse("X../.O./...")
DRAWINGS = {
    "plain": lambda: draw.tree(TREE),
    "minimax": lambda: draw.tree(record(minimax, TREE).at(12)),
    "alphabeta": lambda: draw.tree(record(alphabeta, BINARY)),
    "negamax": lambda: draw.tree(record(negamax, TREE)),
    "maxn": lambda: draw.tree(record(maxn, THREE)),
    "paranoid": lambda: draw.tree(record(paranoid, THREE)),
    "mcts": lambda: draw.tree(record(mcts, STATE, simulations=60, rng=0)),
    "solver": lambda: draw.tree(record(mcts, HAND, simulations=60, rng=0, solver=True)),
    "boards": lambda: draw.tree(record(minimax, HAND)),
    "folded": lambda: draw.tree(record(alphabeta, STATE).at(500)),
    "nim": lambda: draw.tree(record(minimax, Nim([1, 2]))),
    "labels": lambda: tree_drawing(TREE, labels={(): "A"}, cut_edges=[(1, 1)]).svg,
}


def test_drawing_is_independent_of_hash_seed() -> None:
    code = (
        "from gamelib import *; from course import draw, record; import hashlib;"
        "state = TicTacToe.parse('X../.O./...');"
        "text = draw.tree(record(mcts, state, simulations=60, rng=0, solver=True));"
        "text += draw.tree(record(alphabeta, state, table=True).at(400));"
        "print(hashlib.sha256(text.encode()).hexdigest())"
    )
    run = partial(subprocess.run, [sys.executable, "-c", code], capture_output=True, check=True)
    first, second = (run(env={"PYTHONHASHSEED": seed}).stdout for seed in ("0", "1"))
    assert first == second


@pytest.mark.parametrize("tree", TREES, ids=str)
def test_cuts_are_drawn_with_reasons(tree) -> None:
    trace = record(alphabeta, tree)
    edges, nodes = (groups(draw.tree(trace), kind) for kind in ("edge", "node"))
    crossed = {path for path, edge in edges.items() if edge.find(f"{SVG}path") is not None}
    assert crossed == set(trace.pruned())
    for path in crossed:
        assert edges[path].get("data-kind") == "cut"
        assert edges[path].find(f"{SVG}line").get("stroke-dasharray")
    for path, node in nodes.items():
        cut = trace.cuts().get(path)
        named = [text for text in texts(node) if text.startswith("cut: ")]
        assert len(named) == bool(cut and cut.skipped)
        assert not cut or cut.reason in node.find(f"{SVG}title").text


def test_windows_and_bounds_of_textbook_tree() -> None:
    nodes = groups(draw.tree(record(alphabeta, TREE)), "node")
    assert texts(nodes[()]) == ["3", f"{A}=3 β=∞"]
    assert texts(nodes[(0,)]) == ["3", f"{A}=-∞ β=3"]
    assert texts(nodes[(1,)]) == ["≤ 2", f"{A}=3 β=2", f"cut: 2 ≤ {A}=3"]
    assert texts(nodes[(2,)]) == ["≤ 2", f"{A}=3 β=2"]


def test_best_line_is_thick() -> None:
    trace = record(alphabeta, BINARY)
    edges = groups(draw.tree(trace), "edge")
    best = {path for path, edge in edges.items() if edge.get("data-kind") == "best"}
    line = trace.result.line
    assert best == {line[:length] for length in range(1, len(line) + 1)}
    widths = {p: float(e.find(f"{SVG}line").get("stroke-width")) for p, e in edges.items()}
    plain = [width for path, width in widths.items() if path not in best]
    assert min(widths[path] for path in best) > 2 * max(plain)


def test_max_points_up_and_min_down() -> None:
    nodes = groups(draw.tree(TREE), "node")

    def points(path):
        polygon = nodes[path].find(f"{SVG}polygon").get("points").split()
        return [float(point.split(",")[1]) for point in polygon]

    assert points(())[0] < points(())[1]
    assert points((0,))[0] > points((0,))[1]
    assert nodes[(0, 0)].find(f"{SVG}polygon") is None


def test_colour_is_never_the_only_sign() -> None:
    drawing = draw.tree(record(alphabeta, TREE).at(20))
    legend = " ".join(texts(parse(drawing)))
    for word in ("△ max", "▽ min", "□ leaf", "thick: best line", "crossed: cut", "dotted: not"):
        assert word in legend


def test_drawing_of_step_shows_only_its_knowledge() -> None:
    nodes = groups(draw.tree(record(minimax, TREE).at(12)), "node")
    status = {path: node.get("data-status") for path, node in nodes.items()}
    known = [path for path in status if status[path] != "waiting"]
    assert known == [(), (0,), (0, 0), (0, 1), (0, 2)]
    assert status[(0,)] == "open"


def test_mcts_tree_shows_visits_means_and_proofs() -> None:
    trace = record(mcts, HAND, simulations=30, rng=1, solver=True)
    end, nodes = trace.at(len(trace)), groups(draw.tree(trace), "node")
    for path, node in nodes.items():
        known = end.node(path)
        assert {f"{known.mean:.2f}", f"n = {known.visits}"} <= {*texts(node)}
        if known.proof:
            kind, words = {1: ("win", "X wins"), 0: ("draw", "draw"), -1: ("loss", "O wins")}[
                known.proof.bounds.low[0]
            ]
            assert (proven_kind(known, 0), describe_proof(known)) == (kind, words)
            assert words in texts(node)
    assert "X wins" in texts(nodes[()])
    with_boards, without = (tree_drawing(end, boards=boards) for boards in (True, False))
    assert "green: X wins, proven" in without.legend
    assert "green:" not in with_boards.legend  # boards have no tint


def test_estimate_has_sign_and_legend() -> None:
    drawing = draw.tree(record(minimax, GameTree([[3, [4, 5]], [2, 1]]), depth=2))
    nodes = groups(drawing, "node")
    assert "~ 0" in texts(nodes[(0, 1)])
    assert "~ 1" in texts(nodes[()])
    assert "3" in texts(nodes[(0, 0)])
    assert "~ it rests on an estimate" in " ".join(texts(parse(drawing)))
    assert "rests on an estimate" not in draw.tree(record(minimax, GameTree([[3, 4], [2, 1]])))


def test_nodes_name_players() -> None:
    three = TicTacToe(2, 2, 2, num_players=3)
    for search, state, name in ((minimax, HAND, "O (min)"), (paranoid, three, "A (min)")):
        assert name in texts(parse(draw.tree(record(search, state))))


def test_nodes_are_boards_if_space_allows() -> None:
    trace = record(minimax, HAND)
    assert len(list(parse(draw.tree(trace)).iter(f"{SVG}svg"))) > 5
    small = tree_drawing(trace.at(len(trace)), boards=False).svg
    assert len(list(parse(small).iter(f"{SVG}svg"))) == 1
    crowded = draw.tree(record(alphabeta, TicTacToe(), depth=3))
    assert len(list(parse(crowded).iter(f"{SVG}svg"))) == 1


def test_wide_tree_is_folded_with_counts() -> None:
    wide = GameTree([list(range(20)) for _ in range(20)])
    trace = record(minimax, wide)
    staged = tree_drawing(trace.at(len(trace)))
    hidden, drawn = staged.folded, len(groups(staged.svg, "node"))
    assert drawn + sum(hidden.values()) == 421
    assert any(re.fullmatch(r"\+\d+ more", text) for text in texts(parse(draw.tree(trace))))


def test_current_node_is_always_drawn() -> None:
    trace = record(alphabeta, TicTacToe.parse("X../.O./..."))
    for step in range(1, len(trace), 97):
        moment = trace.at(step)
        assert moment.focus in groups(draw.tree(moment), "node")


def test_nodes_do_not_overlap() -> None:
    for drawing in (draw.tree(record(alphabeta, BINARY)), draw.tree(record(maxn, THREE))):
        boxes: dict[float, list[tuple[float, float]]] = {}
        for node in groups(drawing, "node").values():
            rect = node.find(f"{SVG}rect")
            if rect is not None:
                x, width = float(rect.get("x")), float(rect.get("width"))
                boxes.setdefault(float(rect.get("y")), []).append((x, x + width))
        for row in boxes.values():
            row.sort()
            assert all(left[1] < right[0] for left, right in pairwise(row))


def test_tree_text_has_line_for_each_node() -> None:
    trace = record(alphabeta, TREE)
    lines = draw.tree_text(trace).split("\n")
    assert len(lines) == 13
    assert lines[0] == "the root, max: value 3; alpha 3, beta ∞; best action 0"
    assert "    node 1 → 1, leaf: not visited: cut" in lines


def test_learner_text_is_escaped() -> None:
    drawing = draw.tree(TREE, labels={(0,): "<script>alert(1)</script>"}, title="<b>&")
    assert "<script>" not in drawing
    assert "<script>alert(1)</script>" in texts(groups(drawing, "node")[(0,)])
    assert parse(drawing).find(f"{SVG}title").text == "<b>&"


@pytest.mark.parametrize("shown", [3, None, "tree", [1, 2]])
def test_drawing_of_other_type_raises(shown) -> None:
    with pytest.raises(
        TypeError, match=names("shown must be a Trace, a TraceFrame or a GameState")
    ):
        draw.tree(shown)


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("name", DRAWINGS)
def test_drawing_is_well_formed_with_readable_text(name) -> None:
    drawing = DRAWINGS[name]()
    root = parse(drawing)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title").text
    assert len(root.find(f"{SVG}desc").text) > 20
    inks = set(re.findall(r'<text[^>]* fill="(#\w+)"', drawing))
    papers = {tree_module.PAPER, *tree_module.FILLS.values(), tree_module.CURRENT_COLOUR}
    papers |= set(tree_module.TINTS.values())
    assert min(contrast(ink, paper) for ink, paper in product(inks, papers)) >= 4.5


@pytest.mark.parametrize("cols", [5, 7, 9])
def test_cells_of_a_row_can_be_read(cols):
    row = TicTacToe(1, cols, 3)
    width, height = board_size(row)
    assert width / cols > 15
    assert height < width / 3  # without empty space above and below
    late = row.play(*range(cols - 2))
    assert f'width="{width:g}" height="{height:.4g}' in tree_function(record(minimax, late))
