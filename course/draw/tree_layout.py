"""Decide which nodes of a tree are drawn and which are folded, and describe the drawing as text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import islice
from weakref import WeakKeyDictionary

from course.draw.wording import (
    describe_cut,
    describe_proof,
    format_bound,
    format_line,
    format_path,
    format_value,
    mover,
    worth,
)
from course.tracing.events import Backpropagate, Return
from course.tracing.perspective import payoffs_of
from course.tracing.trace import Trace, TraceFrame
from course.tracing.visits import NodeInfo, Path, viewpoint
from gamelib.conformance import check_interface
from gamelib.state import GameState
from gamelib.svg.board import Viewport

MAX_CUTS_DRAWN = 12  # cuts that are named in the description
WHOLE = 64  # a tree with at most this number of nodes is complete, with nodes that were not visited
COLUMN = 95  # approximate width of one node in pixels, to estimate how many fit
# the side of a board in pixels, the space beside it, and how much wider a row of cells may be
BOARD, BOARD_GAP, MAX_STRETCH = 84, 26, 1.8
# The number of children that are drawn of a node, and of the current node, unless it is expanded.
MAX_CHILDREN_DRAWN, MAX_CURRENT_CHILDREN_DRAWN = 9, 4


@dataclass(eq=False)
class TreeItem:
    """One node of the drawing; `not_visited_reason` says why the search has not visited it."""

    path: Path
    state: GameState
    node: NodeInfo | None = None
    not_visited_reason: str = ""  # "", "waiting", "pruned", "folded"
    children: list[TreeItem] = field(default_factory=list)
    hidden: int = 0  # descendants that are not drawn
    head: str = ""
    lines: list[tuple[str, str]] = field(default_factory=list)  # text, colour
    x: float = 0
    y: float = 0
    width: float = 0
    height: float = 0

    def all_hidden(self) -> int:
        """Return the number of descendants that are not drawn, including those of its stub."""
        return self.hidden + sum(
            child.hidden for child in self.children if child.not_visited_reason == "folded"
        )

    def iter_items(self) -> Iterator[TreeItem]:
        """Yield this item and its descendants, parents first."""
        yield self
        for child in self.children:
            yield from child.iter_items()


class TreeSource:
    """The tree behind a drawing: the visited nodes, and those of the game that were not visited."""

    def __init__(self, shown: Trace | TraceFrame | GameState) -> None:
        """Take the trace, frame or position to draw; TypeError for anything else."""
        if isinstance(shown, Trace):
            shown = shown.at(len(shown))
        if not isinstance(shown, TraceFrame | GameState):
            raise TypeError(f"shown must be a Trace, a TraceFrame or a GameState; got {shown!r}")
        self.frame = moment = shown if isinstance(shown, TraceFrame) else None
        self.trace = shown.trace if isinstance(shown, TraceFrame) else Trace(shown)
        self.state, self.is_mcts = self.trace.state, self.trace.is_mcts
        self.depth = self.trace.options.get("depth")
        self.is_complete = moment is None or (not self.is_mcts and _is_small_search(self.trace))
        self.focus = None if moment is None or moment.is_last else moment.focus
        self.event = moment.event if moment else None
        self.root_player = viewpoint(self.state)
        self.line = moment.line() if moment else ()

    def returning_value(self) -> tuple[Path, str]:
        """Return the node whose value is being backed up, and the value; () and "" if none.

        In MCTS it is the amount that is added to the action that led to the node.
        """
        if self.frame is None or not self.focus:
            return (), ""
        event, node = self.event, self.frame.node(self.focus)
        if isinstance(event, Backpropagate):
            return self.focus, f"+{format_value(round(event.added[len(self.focus) - 1], 2))}"
        up = isinstance(event, Return)
        risen = format_bound(node.value, node.kind if node.sure else "exact")
        return (self.focus, risen) if up and node.value is not None else ((), "")

    def item(self, path: Path, state: GameState | None = None, ghost: str = "waiting") -> TreeItem:
        """Return the unopened item of a node; `ghost` is the reason if it was not visited."""
        state = state or self.state.play(*path)
        if self.frame is None:
            return TreeItem(path, state)
        if not self.frame.visits_of(path):
            return TreeItem(path, state, not_visited_reason=ghost)
        return TreeItem(path, state, self.frame.node(path))

    def children(self, item: TreeItem) -> list[TreeItem]:
        """Return the children of an item: visited, pruned and, in a small tree, not yet visited."""
        node = item.node
        if node and (node.leaf or (node.table and not node.best)):
            return []
        if self.depth is not None and len(item.path) >= self.depth:
            return []
        skipped = node.cut.skipped if node and node.cut else ()
        if self.is_complete:
            actions = list(item.state.legal_actions())
        elif self.frame and node:
            actions = [path[-1] for path in self.frame.children(item.path)] + list(skipped)
        else:
            actions = []
        cut = actions if item.not_visited_reason == "pruned" else skipped
        return [
            self.item((*item.path, a), item.state.successor(a), "pruned" if a in cut else "waiting")
            for a in actions
        ]

    def size(self, item: TreeItem) -> int:
        """Return the number of nodes that an unopened item represents, including itself."""
        return self.frame.size(item.path) if self.frame and item.node else 1


_SMALL: WeakKeyDictionary[Trace, bool] = WeakKeyDictionary()  # asked again for every frame


def _is_small_search(trace: Trace) -> bool:
    """Return whether the whole tree of a search has no more than WHOLE nodes."""
    if trace not in _SMALL:
        _SMALL[trace] = _is_small(trace.state, trace.options.get("depth"))
    return _SMALL[trace]


def _is_small(state: GameState, depth: int | None) -> bool:
    """Return whether the tree below `state` has no more than WHOLE nodes."""
    row, count, ply = [state], 1, 0
    while row and ply != depth:
        for node in row:
            # some methods were never called at terminal states, so they may be invalid there
            check_interface(node, plies=0)
        if count + sum(len(node.legal_actions()) for node in row) > WHOLE:
            return False
        row = [node.successor(action) for node in row for action in node.legal_actions()]
        count, ply = count + len(row), ply + 1
    return True


def fit_items(
    source: TreeSource, expanded: Collection[Path], width: int, boards: bool | None
) -> tuple[TreeItem, bool]:
    """Return the root of the items to draw, and whether nodes are drawn as boards."""
    root = _build_items(source, expanded, width // COLUMN)
    if not source.state.spots() or boards is False:
        return root, False
    leaves = sum(not item.children for item in root.iter_items())
    columns = int(width // (board_size(source.state)[0] + BOARD_GAP))
    if leaves <= columns:
        return root, True
    return (_build_items(source, expanded, columns), True) if boards else (root, False)


def board_size(state: GameState) -> tuple[float, float]:
    """Return the width and height of the picture of a position at a node, in pixels.

    It is a square, but a board that is over twice as wide as high, such as a row of cells, gets
    more width, because its cells would be too small to read.
    """
    frame = Viewport.around(state.spots())
    if frame.width <= 2 * frame.height:
        return BOARD, BOARD
    width = BOARD * min(MAX_STRETCH, frame.width / frame.height)
    return width, width * frame.height / frame.width


def _build_items(source: TreeSource, expanded: Collection[Path], columns: int) -> TreeItem:
    """Return the root of the items to draw.

    The path to the current node, the beginning of the best line, and the expanded nodes are always
    included.  The other nodes follow level by level while there is space.
    """
    opened = {tuple(path) for path in expanded}
    lead = source.line[:3] if source.focus is None else source.focus
    wanted = {path[:end] for path in (lead, *opened) for end in range(len(path))} | opened
    wanted.add(lead)
    fan = max(1, min(MAX_CHILDREN_DRAWN, columns // max(1, len(lead)) - 1))
    root = source.item(())

    def opens(item: TreeItem) -> int:
        """Open an item, and return the number of columns that this adds."""
        kept = children = source.children(item)
        if item.path not in opened:
            width = max(fan, MAX_CURRENT_CHILDREN_DRAWN) if item.path == lead else fan
            kept = _select_children(source, item, children, wanted, width)
        item.children = [*kept]
        if folded := sum(source.size(child) for child in children if child not in kept):
            path = (*item.path, "...")
            stub = TreeItem(path, item.state, not_visited_reason="folded", hidden=folded)
            item.children.append(stub)
        return max(0, len(item.children) - 1)

    room = WHOLE if source.is_complete else columns - 1
    room -= sum(opens(item) for item in root.iter_items() if item.path in wanted)
    row = [root]
    while row:
        for item in row:
            if item.path in wanted or item.not_visited_reason == "folded":
                continue
            children = source.children(item)
            if min(len(children), fan + 1) - 1 > room:
                item.hidden = source.size(item) - 1 if item.node else len(children)
            elif children:
                room -= opens(item)
        row = [child for item in row for child in item.children]
    return root


def _select_children(
    source: TreeSource, item: TreeItem, children: list[TreeItem], wanted: Collection[Path], fan: int
) -> list[TreeItem]:
    """Return the children to draw: all, or the first few with the wanted and the best one."""
    if source.is_complete or len(children) <= fan + 1:
        return children
    best = (*item.path, item.node.best) if item.node and item.node.best is not None else None
    must = [child for child in children if child.path in wanted or child.path == best]
    others = [child for child in children if child not in must]
    if source.is_mcts:
        others.sort(key=lambda child: -child.node.visits if child.node else 0)
    keep = must + others[: max(0, fan - len(must))]
    return [child for child in children if child in keep]


# --- the drawing as text ---


def sentence(source: TreeSource, item: TreeItem) -> str:
    """Return a description of a node: its path, player, value, and why it was cut."""
    where = format_path(item.path)
    who = "leaf" if item.state.is_terminal() else mover(source.trace, item.state)
    if item.not_visited_reason:
        ghost = "not visited: cut" if item.not_visited_reason == "pruned" else "not visited yet"
        return f"{where}, {who}: {ghost}"
    node = item.node
    if node is None:
        over = item.state.is_terminal() and payoffs_of(item.state)[0] == payoffs_of(item.state)[0]
        payoffs = f" {format_value(item.state.utilities())}" if over else ""
        return f"{where}, {who}{payoffs}"
    if source.is_mcts:
        return f"{where}, {who}: {_mcts_facts(node)}"
    facts = _value_of(source, node)
    if len(node.window) == 2:
        facts.append(f"alpha {format_value(node.window[0])}, beta {format_value(node.window[1])}")
    if node.best is not None and node.status != "cut":  # of the others nothing is known
        facts.append(f"best action {node.best}")
    if node.leaf and node.leaf.reason == "depth limit":
        facts.append("an estimate at the depth limit")
    if node.table and node.sure:
        facts.append(f"from the table {format_bound(node.table.value, node.table.kind)}")
    if node.cut:
        facts.append(f"cut: {node.cut.reason}" if node.cut.sound else node.cut.reason)
    if node.status == "open":
        facts.append("still open")
    return f"{where}, {who}: {'; '.join(facts)}"


def _value_of(source: TreeSource, node: NodeInfo) -> list[str]:
    """Return the value of a node, or the value that the program has returned, if any."""
    if node.value is None and source.trace.walks:
        return ["no value is shown"]
    if node.sure or node.value is None:
        return [f"value {format_bound(node.value, node.kind)}"]
    does = "has" if node.status == "open" else "returns"
    return [f"{source.trace.search} {does} {format_value(node.value)}"]


def _mcts_facts(node: NodeInfo) -> str:
    facts = ["1 visit" if node.visits == 1 else f"{node.visits:,} visits"]
    if node.mean is not None:
        facts.append(f"mean reward {node.mean:.2f} for {node.state.player_name(node.owner or 0)}")
    if node.proof:
        facts.append(f"{describe_proof(node)}: {node.proof.reason}")
    return "; ".join(facts)


def text_lines(source: TreeSource, item: TreeItem, depth: int = 0) -> Iterator[str]:
    """Yield an item and its descendants as indented lines."""
    indent = "  " * depth
    if item.not_visited_reason == "folded":
        yield f"{indent}+{item.hidden:,} more"
        return
    here = "  <- here" if item.path == source.focus else ""
    yield f"{indent}{sentence(source, item)}{here}"
    if item.hidden:
        yield f"{indent}  +{item.hidden:,} below"
    for child in item.children:
        yield from text_lines(source, child, depth + 1)


def description(source: TreeSource) -> str:
    """Return a description of the drawing in a few sentences."""
    moment = source.frame
    if moment is None:
        return "\n".join(text_lines(source, fit_items(source, (), 960, None)[0]))
    if not moment.known:
        return "Nothing has been visited yet."
    root = moment.node(())
    facts = _mcts_facts(root) if source.is_mcts else worth(root)
    parts = [f"{moment.known:,} nodes so far; the root: {facts}."]
    if source.line:
        parts.append(f"Best line: {format_line(source.line)}.")
    if source.focus is not None:
        parts.append(f"The search is at {format_path(source.focus)}.")
    cuts = [
        describe_cut(path, cut)
        for path, cut in islice(moment.trace.cuts().items(), MAX_CUTS_DRAWN)
        if moment.visits_of(path) and moment.node(path).cut
    ]
    return " ".join(parts + cuts)
