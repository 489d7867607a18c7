"""Draw game trees as SVG and as text: windows, bounds, cuts with reasons, and the best line."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any
from weakref import WeakKeyDictionary

from course.draw.tree_layout import (
    WHOLE,
    TreeItem,
    TreeSource,
    board_size,
    description,
    fit_items,
    sentence,
    text_lines,
)
from course.draw.wording import (
    RETURNS,
    describe_proof,
    format_bound,
    format_path,
    format_value,
    mover,
    proven_kind,
    worth,
)
from course.tracing.events import Backpropagate
from course.tracing.perspective import payoffs_of
from course.tracing.trace import Trace, TraceFrame
from course.tracing.visits import NodeInfo, Path, viewpoint
from gamelib.state import CHANCE, GameState
from gamelib.svg.board import TINTS, board_svg
from gamelib.svg.primitives import INK, LINE, MUTED, PAPER, Svg, format_number, rect, svg, text

BEST_COLOUR, CUT_COLOUR, CURRENT_COLOUR, PATH_COLOUR = "#0072B2", "#8F3600", "#FFF3C4", "#E69F00"
ROLES = {"△": "max", "▽": "min", "○": "chance"}
ALPHA, BETA = "\N{GREEK SMALL LETTER ALPHA}", "\N{GREEK SMALL LETTER BETA}"
FILLS = {
    "max": "#DCEBF7",
    "min": "#FBE5D6",
    "chance": "#EDE4F3",
    "leaf": "#F4F4F4",
    "ghost": PAPER,
    "here": CURRENT_COLOUR,
}

WIDTH = 960  # in pixels, the default width of a drawing
MARGIN, ROW_GAP, COLUMN_GAP, LINE_HEIGHT, GAP = 18, 46, 14, 19, 3


def tree(
    shown: Trace | TraceFrame | GameState,
    *,
    labels: Mapping[Path, str] | None = None,
    title: str | None = None,
) -> Svg:
    """Return an SVG of a game tree, or of a recorded search at its end or at a step, `at(step)`.

    A large tree is folded.

    labels  path -> text to write into a node instead of its value and everything else known about
            it
    title   the heading; by default it names the search
    """
    source = TreeSource(shown)
    if source.frame is None and source.state.player_name(source.state.current_player) == "min":
        # Without a search, values are for player 0, as in the text of the tree.
        source.trace.perspective = source.root_player = 0
    return _TreePainter(source, *fit_items(source, (), WIDTH, None), labels or {}).draw(title)


@dataclass(frozen=True)
class TreeDrawing:
    """A tree without heading and legend: its SVG, its size in pixels, and the places of its parts.

    boxes         left, top, width and height of every node, and of every stub of folded nodes
    heads         the centre of the text in each node, x and y
    edges         the two ends of the edge to each node, x1, y1, x2 and y2
    current_box   the box of the current node; None if it is not drawn
    legend        the meaning of the signs in the drawing
    folded        node -> number of its descendants that are not drawn
    """

    svg: Svg
    width: float
    height: float
    boxes: dict[Path, tuple[float, float, float, float]]
    heads: dict[Path, tuple[float, float]]
    edges: dict[Path, tuple[float, float, float, float]]
    current_box: tuple[float, float, float, float] | None
    legend: str
    folded: dict[Path, int]


def tree_drawing(
    shown: TraceFrame | GameState,
    *,
    expanded: Collection[Path] = (),
    boards: bool | None = None,
    labels: Mapping[Path, str] | None = None,
    cut_edges: Collection[Path] = (),
    covered: bool = False,
    width: int = WIDTH,
) -> TreeDrawing:
    """Return the drawing of the tree of a frame or of a game.

    If the final tree is drawn without folding, all frames have its size and its places of the
    nodes.

    expanded   paths of nodes to open with all their children; the rest of a large tree is folded
    boards     whether to draw each node as a small board; by default if the game has one and it
               fits
    labels     path -> text to write into a node instead of everything known about it
    cut_edges  paths of nodes whose edge is drawn as cut, whether the search cut it or not
    covered    whether to hide the payoffs of leaves that the search has not visited
    width      the approximate width in pixels; a large tree is folded to fit
    """
    source = TreeSource(shown)
    root, with_boards = fit_items(source, expanded, width, boards)
    picture = _TreePainter(
        source, root, with_boards, labels or {}, cut_edges=cut_edges, covered=covered
    )
    if source.frame and (source.is_complete or len(source.trace.visits) <= WHOLE):
        final = _final_places(source.trace, frozenset(map(tuple, expanded)), width, boards)
        picture.copy_positions(final)
    return picture.to_tree_drawing()


@dataclass(frozen=True)
class _Places:
    """The places of the nodes in a drawing, by path, and the ends of its rows and of itself."""

    nodes: dict[Path, tuple[float, float]]
    tops: list[float]
    right: float
    bottom: float


# All frames of a trace have the same boards and the places of its end, which are drawn only once.
_BOARDS: WeakKeyDictionary[Trace, dict[Path, str]] = WeakKeyDictionary()
_FINAL_PLACES: WeakKeyDictionary[Trace, dict[Any, _Places | None]] = WeakKeyDictionary()


def _final_places(
    trace: Trace, expanded: frozenset[Path], width: int, boards: bool | None
) -> _Places | None:
    """Return the places in the drawing of the whole search; None if a part of it is folded."""
    known, key = _FINAL_PLACES.setdefault(trace, {}), (expanded, width, boards)
    if key not in known:
        end = TreeSource(trace)
        root, with_boards = fit_items(end, expanded, width, boards)
        drawn = _TreePainter(end, root, with_boards, {}, roomy=True)
        nodes = {item.path: (item.x, item.y) for item in drawn.items}
        whole = not any(item.hidden for item in drawn.items)
        known[key] = _Places(nodes, drawn.tops, drawn.right, drawn.bottom) if whole else None
    return known[key]


def tree_text(
    shown: Trace | TraceFrame | GameState,
    *,
    expanded: Collection[Path] = (),
    boards: bool | None = None,
    width: int = WIDTH,
) -> str:
    """Return the contents of `tree_drawing` as indented lines, one for each node."""
    source = TreeSource(shown)
    root, _ = fit_items(source, expanded, width, boards)
    return "\n".join(text_lines(source, root))


class _TreePainter:
    """One drawing of a tree: its items, their places, and the parts of the SVG."""

    def __init__(
        self,
        source: TreeSource,
        root: TreeItem,
        boards: bool,
        labels: Mapping[Path, str],
        *,
        cut_edges: Collection[Path] = (),
        covered: bool = False,
        roomy: bool = False,
    ) -> None:
        self.source, self.root, self.boards, self.labels = source, root, boards, labels
        self.trace = source.trace
        self.board_width, self.board_height = board_size(source.state) if boards else (0.0, 0.0)
        self.covered, self.roomy = covered, roomy  # with space for the widest window
        self.cut_edges = {tuple(path) for path in cut_edges}
        self.way, self.risen = source.frame.path if source.frame else (), source.returning_value()
        self.items = list(root.iter_items())
        for item in self.items:
            self._measure(item)
        self.tops: list[float] = []
        self.names: list[str] = []
        self.right = self.bottom = 0.0
        self._place()
        self.line = source.line
        for path in labels:
            if source.frame and self.line[: len(path)] == path:
                # the line below a hidden node would reveal its value
                self.line = self.line[: len(path)]

    def copy_positions(self, end: _Places | None) -> None:
        """Copy the place of every node from another drawing, if that one shows all of them."""
        if end is None or any(item.path not in end.nodes for item in self.items):
            return
        for item in self.items:
            item.x, item.y = end.nodes[item.path]
        self.tops, self.right, self.bottom = end.tops, end.right, end.bottom
        self.names += [""] * (len(self.tops) - len(self.names))

    def _measure(self, item: TreeItem) -> None:
        """Set the texts of an item, and the space that they need."""
        if item.not_visited_reason == "folded":
            item.head, item.height = f"+{item.hidden:,} more", 30
            item.width = _text_width(item.head, 15)
            return
        item.head = self.labels.get(item.path, self._head(item))
        item.lines = [] if self._is_hidden(item) else list(self._lines(item))
        if self.boards:
            shape, item.height = self.board_width, self.board_height + 24
        elif self._is_triangle(item):
            shape, item.height = _triangle_width(item.head), 46
        else:
            shape, item.height = _box_width(item.head), 34
        if item.lines and not self.boards:
            item.height += GAP
        texts = [_text_width(line, 15) for line, _ in item.lines]
        if self.roomy and item.node and item.node.window and not item.node.leaf:
            texts.append(_text_width(f"{ALPHA}=-∞ {BETA}=∞", 15))
        item.width = max([shape, *texts])
        item.height += LINE_HEIGHT * len(item.lines)

    def _is_hidden(self, item: TreeItem) -> bool:
        """Return whether a label replaces what the search knows about a node."""
        return item.node is not None and item.path in self.labels

    def _head(self, item: TreeItem) -> str:
        """Return the text inside a node: its value or bound, if there is one yet."""
        node = item.node
        if node is None:
            covered = self.covered or not item.state.is_terminal()
            known = not covered and payoffs_of(item.state)[0] == payoffs_of(item.state)[0]
            return format_value(self._payoff(item.state)) if known else ""
        if self.source.is_mcts:
            return "" if node.mean is None else f"{node.mean:.2f}"
        return "" if node.value is None else worth(node)

    def _payoff(self, state: GameState) -> Any:
        payoffs, one_view = state.utilities(), self.trace.is_root_relative
        if not one_view and (len(payoffs) != 2 or payoffs[0] != -payoffs[1]):
            return payoffs
        own = self.trace.is_mover_relative and not one_view
        return payoffs[viewpoint(state) if own else self.source.root_player]

    def _lines(self, item: TreeItem) -> Iterator[tuple[str, str]]:
        """Yield the texts below a node, with their colours."""
        node = item.node
        if node is not None:
            if self.source.is_mcts:
                yield f"n = {node.visits:,}", INK
            if node.proof:
                yield describe_proof(node), INK
            if len(node.window) == 2 and not node.leaf:
                alpha, beta = map(format_value, node.window)
                yield f"{ALPHA}={alpha} {BETA}={beta}", INK
            if node.table and node.sure:
                yield f"table: {format_bound(node.table.value, node.table.kind)}", INK
            if node.leaf and node.leaf.reason == "depth limit":
                yield "estimate", MUTED
            if node.cut and node.cut.skipped:
                yield self._cut_text(node), CUT_COLOUR
        if item.hidden:
            yield f"+{item.hidden:,} below", MUTED

    def _cut_text(self, node: NodeInfo) -> str:
        """Return the reason of a cut in signs, as value and alpha, or as value and beta."""
        assert node.cut
        if not node.cut.sound:
            window = zip((ALPHA, BETA), map(format_value, node.cut.window), strict=False)
            return " ".join(["stops here:", *(f"{name}={limit}" for name, limit in window)])
        value, limit = node.cut.value, format_value(node.cut.limit)
        if isinstance(value, tuple):
            return f"cut: {format_value(value[node.state.current_player])} ≥ {limit}"
        role = self.trace.role(node.state)
        if role == "chance":
            return f"cut: {format_bound(node.value, node.kind)}"
        sign = f"≤ {ALPHA}" if role == "min" else f"≥ {BETA}"
        return f"cut: {format_value(value)} {sign}={limit}"

    def _is_triangle(self, item: TreeItem) -> bool:
        state = item.state
        if self.source.is_mcts or state.is_terminal() or state.current_player == CHANCE:
            return False
        two = state.num_players == 2 or bool(self.trace.role(state))
        return two and not (item.node and item.node.leaf)

    def middle(self, item: TreeItem) -> float:
        """Return the y coordinate of the centre of the text in a node."""
        if self.boards:
            return item.y + self.board_height + 13
        if not self._is_triangle(item):
            return item.y + 17
        return item.y + (15 if self.trace.role(item.state) == "min" else 31)

    def _place(self) -> None:
        """Set the place of every item: children side by side, their parent above their middle."""
        depth = max(len(item.path) for item in self.items)
        rows = [[i for i in self.items if len(i.path) == d] for d in range(depth + 1)]
        y = MARGIN + 30.0
        for row in rows:
            self.tops.append(y)
            for item in row:
                item.y = y
            y += max(item.height for item in row) + ROW_GAP
        self.names = [self._row_name(row) for row in rows]
        left = MARGIN + max((_text_width(name, 16) + 24 for name in self.names if name), default=0)
        self.right = _place_subtree(self.root, left)
        self.bottom = y - ROW_GAP

    def _row_name(self, row: list[TreeItem]) -> str:
        """Return the player to move in a row of nodes, if it is the same in all of them, or ""."""
        states = [item.state for item in row if item.not_visited_reason != "folded"]
        inner = {mover(self.trace, state) for state in states if not state.is_terminal()}
        return inner.pop() if len(inner) == 1 else ""

    def draw(self, title: str | None) -> Svg:
        """Return the whole SVG."""
        heading, parts = title or self._title(), self._parts()
        parts.append(text(MARGIN, MARGIN + 6, heading, size=16, bold=True, anchor="start"))
        width = max(self.right + MARGIN, 1.1 * _text_width(heading, 16) + 2 * MARGIN)
        y = self.bottom + 28
        for line in _wrap_text(self._legend(), width - 2 * MARGIN):
            parts.append(text(MARGIN, y, line, size=14, colour=MUTED, anchor="start"))
            y += LINE_HEIGHT
        return svg(width, y - 1, parts, title=heading, description=self._description(heading))

    def to_tree_drawing(self) -> TreeDrawing:
        """Return the drawing without heading and legend, with the places of its nodes."""
        top = self.tops[0] - MARGIN
        width, height = self.right + MARGIN, self.bottom + MARGIN - top
        heading, parts = self._title(), "\n".join(self._parts())
        moved = f'<g transform="translate(0 {format_number(-top)})">\n{parts}\n</g>'
        drawing = svg(width, height, [moved], title=heading, description=self._description(heading))
        boxes = {i.path: (i.x - i.width / 2, i.y - top, i.width, i.height) for i in self.items}
        heads = {i.path: (i.x, self.middle(i) - top) for i in self.items}
        here = boxes.get(self.source.focus or ())  # before the first event, the root
        nodes = [item for item in self.items if item.not_visited_reason != "folded"]
        hidden = {item.path: item.all_hidden() for item in nodes if item.all_hidden()}
        legend = " · ".join(self._legend())
        ends = {
            child.path: (item.x, item.y + item.height - top, child.x, child.y - top)
            for item in self.items
            for child in item.children
        }
        return TreeDrawing(drawing, width, height, boxes, heads, ends, here, legend, hidden)

    def _parts(self) -> list[str]:
        """Return the player to move in each row, the edges, and the nodes on top of them."""
        parts = [
            text(MARGIN, top + 22, name, size=16, colour=MUTED, bold=True, anchor="start")
            for top, name in zip(self.tops, self.names, strict=True)
            if name
        ]
        for item in self.items:
            parts += [self._edge(item, child) for child in item.children]
        return parts + [self._node(item) for item in self.items]

    def _description(self, heading: str) -> str:
        hides = any(map(self._is_hidden, self.items))
        return heading if hides else description(self.source)

    def _title(self) -> str:
        name, moment = type(self.source.state).__name__, self.source.frame
        if moment is None:
            return f"Tree of {name}"
        return f"{moment.trace.search} on {name}, step {moment.step} of {len(moment.trace)}"

    def _legend(self) -> list[str]:
        name = self.source.state.player_name(self.source.root_player)
        mcts, shapes = self.source.is_mcts, not self.boards
        nodes = [item.node for item in self.items if item.node]
        proven = mcts and shapes and any(node.proof for node in nodes)
        ghosts = {item.not_visited_reason for item in self.items}
        if mcts:  # the sign of chance is also needed with boards
            chance = any(item.state.current_player == CHANCE for item in self.items)
            roles = {"○ chance": chance}
        else:
            there = {self.trace.role(item.state) for item in self.items}
            roles = {f"{sign} {role}": shapes and role in there for sign, role in ROLES.items()}
        with_value = [node for node in nodes if node.value is not None]
        relative = self.trace.is_mover_relative and bool(with_value)
        unsure = not all(node.sure for node in with_value)
        signs = roles | {
            "in a node: mean reward of the player who moved to it": mcts,
            f"at the root: of {name}": mcts,
            "n: visits, and the width of an edge": mcts,
            f"green: {name} wins, proven": proven,
            "yellow: draw": proven,
            f"red: {name} loses": proven,
            "□ leaf": shapes and not mcts,
            "a value is for the player to move there": relative,
            "blue: best line" if mcts else "thick: best line": bool(self.line),
            "orange, with arrows: this simulation": bool(self.way),
            "~ it rests on an estimate": any("estimate" in node.kind for node in nodes),
            "dashed and crossed: cut, not visited": "pruned" in ghosts or bool(self.cut_edges),
            "dotted: not visited yet": "waiting" in ghosts,
            f"{RETURNS} what {self.trace.search} returns, not shown to be right": unsure,
        }
        return [words for words, holds in signs.items() if holds]

    def _edge(self, parent: TreeItem, child: TreeItem) -> str:
        x1, y1, x2, y2 = parent.x, parent.y + parent.height, child.x, child.y

        def at(share: float) -> tuple[float, float]:
            return x1 + share * (x2 - x1), y1 + share * (y2 - y1)

        start = f'x1="{format_number(x1)}" y1="{format_number(y1)}"'
        ends = f'<line {start} x2="{format_number(x2)}" y2="{format_number(y2)}"'
        kind, style = self._edge_style(parent, child)
        parts = [f'<g class="edge" data-path="{_key(child.path)}" data-kind="{kind}">']
        on_way = bool(self.way) and child.path == self.way[: len(child.path)]
        risen, value = self.risen
        rises = value and child.path == risen
        if on_way or rises:
            wide = 9 + self._edge_width(child)
            parts.append(
                f'{ends} class="way" stroke="{PATH_COLOUR}" stroke-width="{format_number(wide)}"/>'
            )
        parts.append(f"{ends} {style}/>")
        if kind == "cut":
            parts.append(_cross(*at(0.42)))
        if child.not_visited_reason != "folded":
            name = str(child.path[-1])
            if parent.state.current_player == CHANCE:
                name += f": {format_value(dict(parent.state.chance_outcomes())[child.path[-1]])}"
            parts.append(_text_with_halo(*at(0.78 if kind == "cut" else 0.6), name, right=x2 >= x1))
        if on_way or rises:
            rising = rises or isinstance(self.source.event, Backpropagate)
            parts.append(_arrow(*at(0.28), *at(0 if rising else 1)))
        if rises:
            parts.append(_chip(*at(0.28), value, right=x2 < x1))
        return "\n".join([*parts, "</g>"])

    def _edge_style(self, parent: TreeItem, child: TreeItem) -> tuple[str, str]:
        """Return the name and the stroke of an edge: in the best line, cut, or not visited."""
        if child.path == self.line[: len(child.path)] and not child.not_visited_reason:
            wide = self._edge_width(child) if self.source.is_mcts else 6
            return "best", f'stroke="{BEST_COLOUR}" stroke-width="{format_number(max(2.5, wide))}"'
        if child.path in self.cut_edges or child.not_visited_reason == "pruned":
            top = child.path in self.cut_edges or parent.not_visited_reason != "pruned"
            style = f'stroke="{MUTED}" stroke-width="1.8" stroke-dasharray="7 5"'
            return "cut" if top else "pruned", style
        if child.not_visited_reason:
            return (
                child.not_visited_reason,
                f'stroke="{LINE}" stroke-width="1.5" stroke-dasharray="2 5"',
            )
        return "plain", f'stroke="{INK}" stroke-width="{format_number(self._edge_width(child))}"'

    def _edge_width(self, child: TreeItem) -> float:
        """Return the width of an edge, which in MCTS shows its fraction of the visits."""
        if not self.source.is_mcts or child.node is None or self.root.node is None:
            return 1.8
        return 1 + 12 * child.node.visits / max(1, self.root.node.visits)

    def _node(self, item: TreeItem) -> str:
        if item.not_visited_reason == "folded":
            label = text(item.x, item.y + 14, item.head, size=15, colour=MUTED)
            return f'<g class="folded" data-path="{_key(item.path)}">{label}</g>'
        colour = MUTED if item.not_visited_reason and item.path not in self.labels else INK
        said = format_path(item.path) if self._is_hidden(item) else sentence(self.source, item)
        # Attributes for tests and scripts.
        data = {"path": _key(item.path), "status": item.not_visited_reason or "tree"}
        if item.node:
            window = "" if self._is_hidden(item) else " ".join(map(format_value, item.node.window))
            data |= {"status": item.node.status, "value": item.head, "window": window}
        facts = " ".join(f'data-{name}="{escape(str(fact))}"' for name, fact in data.items())
        parts = [f'<g class="node" {facts}>', f"<title>{escape(said)}</title>"]
        if item.path == self.source.focus:
            style = f'rx="8" fill="{CURRENT_COLOUR}" stroke="{INK}" stroke-width="3"'
            left, top = item.x - item.width / 2 - 6, item.y - 8
            parts.append(rect(left, top, item.width + 12, item.height + 14, style))
        outline = f'stroke="{LINE if item.not_visited_reason else INK}"'
        parts.append((self._board if self.boards else self._shape)(item, outline))
        if item.head:
            y = self.middle(item)
            parts.append(text(item.x, y, item.head, size=18, colour=colour, bold=True))
        top = item.y + item.height - LINE_HEIGHT * len(item.lines) + LINE_HEIGHT / 2
        for index, (line, ink) in enumerate(item.lines):
            parts.append(text(item.x, top + LINE_HEIGHT * index, line, size=15, colour=ink))
        return "\n".join([*parts, "</g>"])

    def _shape(self, item: TreeItem, outline: str) -> str:
        """Return a triangle for max and min, an ellipse for chance, and a box for other nodes."""
        x, y, ghost = item.x, item.y, item.not_visited_reason and FILLS["ghost"]
        outline += ' stroke-width="2"'
        if ghost:
            outline += ' stroke-dasharray="5 4"'
        if self._is_triangle(item):
            half, up = _triangle_width(item.head) / 2, self.trace.role(item.state) != "min"
            tip, base = (y, y + 46) if up else (y + 46, y)
            fill = ghost or FILLS["max" if up else "min"]
            corners = ((x, tip), (x - half, base), (x + half, base))
            points = " ".join(f"{format_number(a)},{format_number(b)}" for a, b in corners)
            return f'<polygon points="{points}" fill="{fill}" {outline} stroke-linejoin="round"/>'
        half = _box_width(item.head) / 2
        if item.state.current_player == CHANCE:
            centre = f'cx="{format_number(x)}" cy="{format_number(y + 17)}"'
            centre += f' rx="{format_number(half + 4)}" ry="19"'
            return f'<ellipse {centre} fill="{ghost or FILLS["chance"]}" {outline}/>'
        fill = ghost or FILLS["leaf"]
        if item.node and item.node.proof:
            fill = TINTS[proven_kind(item.node, self.source.root_player)]
        rounded = 0 if item.state.is_terminal() else 12
        return rect(x - half, y, 2 * half, 34, f'rx="{rounded}" fill="{fill}" {outline}')

    def _board(self, item: TreeItem, outline: str) -> str:
        width, height = self.board_width, self.board_height
        boards = _BOARDS.setdefault(self.trace, {})
        if item.path not in boards:
            boards[item.path] = board_svg(item.state, plain=True)
        x, board = item.x - width / 2, boards[item.path]
        style = f'rx="6" fill="{PAPER}" {outline} stroke-width="1.5"'
        if item.not_visited_reason:
            style += ' stroke-dasharray="5 4"'
        card = rect(x, item.y, width, height, style)
        return f"{card}\n{embed_svg(board, x, item.y, width, height)}"


def _wrap_text(words: list[str], room: float) -> list[str]:
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]} · {word}" if lines else word
        if lines and 0.95 * _text_width(longer, 14) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _place_subtree(item: TreeItem, left: float) -> float:
    """Place an item and its descendants from `left` on; return their right end."""
    right = left
    for child in item.children:
        right = _place_subtree(child, right) + COLUMN_GAP
    right = right - COLUMN_GAP if item.children else left
    if right - left < item.width:
        for below in item.iter_items():  # the item itself is placed below
            below.x += (item.width - (right - left)) / 2
        right = left + item.width
    first, last = (item.children[0].x, item.children[-1].x) if item.children else (left, right)
    item.x = min(max((first + last) / 2, left + item.width / 2), right - item.width / 2)
    return right


def _triangle_width(content: str) -> float:
    return max(54, 2.1 * _text_width(content, 18))


def _box_width(content: str) -> float:
    return max(36, _text_width(content, 18) + 14)


def _text_width(content: str, size: float) -> float:
    return 0.58 * size * len(content)


def _key(path: Path) -> str:
    return escape("/".join(map(str, path)))


def _cross(x: float, y: float) -> str:
    a, b, c, d = (format_number(v) for v in (x - 8, x + 8, y - 8, y + 8))
    return f'<path d="M{a} {c}L{b} {d}M{b} {c}L{a} {d}" stroke="{CUT_COLOUR}" stroke-width="3.5"/>'


def _arrow(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return an arrowhead around the point (x1, y1), in the direction of (x2, y2)."""
    far = max(1.0, ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5)
    dx, dy = (x2 - x1) / far, (y2 - y1) / far
    x, y = x1 + 7 * dx, y1 + 7 * dy
    left, right = (
        f"{format_number(x - 13 * dx + side * dy)} {format_number(y - 13 * dy - side * dx)}"
        for side in (-9, 9)
    )
    look = f'fill="{INK}" stroke="{PAPER}" stroke-width="1.5"'
    return (
        f'<path class="arrow" d="M{left}L{format_number(x)} {format_number(y)}L{right}Z" {look}/>'
    )


def _chip(x: float, y: float, content: str, *, right: bool) -> str:
    """Return a value that is being backed up, next to its edge."""
    wide = _text_width(content, 17) + 14
    left = x + 12 if right else x - 12 - wide
    box = f'rx="12" fill="{CURRENT_COLOUR}" stroke="{INK}" stroke-width="2"'
    label = text(left + wide / 2, y, content, size=17, bold=True)
    return f'<g class="risen">{rect(left, y - 13, wide, 26, box)}{label}</g>'


def _text_with_halo(x: float, y: float, content: str, *, right: bool) -> str:
    """Return a text next to a point, with a halo that keeps it readable on lines."""
    anchor = "start" if right else "end"
    label = text(x + (6 if right else -6), y, content, size=14, colour=MUTED, anchor=anchor)
    halo = f'<text stroke="{PAPER}" stroke-width="4" paint-order="stroke"'
    return label.replace("<text", halo, 1)


def embed_svg(drawing: str, x: float, y: float, width: float, height: float) -> str:
    """Return a drawing made by `svg` as a part of another: scaled to a box, without its card."""
    box = re.search('viewBox="([^"]*)"', drawing)
    if box is None:
        raise ValueError(f"drawing must be an SVG with a viewBox; got {drawing[:60]!r}")
    parts = drawing.split("\n")[4:-1]
    corner = f'x="{format_number(x)}" y="{format_number(y)}"'
    place = f'{corner} width="{format_number(width)}" height="{format_number(height)}"'
    return "\n".join([f'<svg {place} viewBox="{box[1]}">', *parts, "</svg>"])
