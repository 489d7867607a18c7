"""A picture of a tree in words: a sentence for each node, and a description of the whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from course.draw.tree_items import Item, Source, fitted
from course.draw.words import (
    bound_in_words,
    cut_in_words,
    in_words,
    line_in_words,
    path_in_words,
    proof_in_words,
)
from course.watch.visits import NodeFacts

MOST_CUTS = 12  # told in the description


def sentence(source: Source, item: Item) -> str:
    """Return one line on a node: where, whose, what it is worth, and why it was cut."""
    where = path_in_words(item.path)
    who = "leaf" if item.state.is_terminal() else source.player(item.state)
    if item.ghost:
        ghost = "not visited: cut" if item.ghost == "pruned" else "not visited yet"
        return f"{where}, {who}: {ghost}"
    node = item.node
    if node is not None and source.is_mcts:
        return f"{where}, {who}: {_mcts_facts(node)}"
    if node is None:
        worth = f" {in_words(item.state.utilities())}" if item.state.is_terminal() else ""
        return f"{where}, {who}{worth}"
    facts = [f"value {bound_in_words(node.value, node.kind)}"]
    if len(node.window) == 2:
        facts.append(f"alpha {in_words(node.window[0])}, beta {in_words(node.window[1])}")
    if node.best is not None:
        facts.append(f"best action {node.best}")
    if node.leaf and node.leaf.reason == "depth limit":
        facts.append("an estimate at the depth limit")
    if node.table:
        facts.append(f"from the table {bound_in_words(node.table.value, node.table.kind)}")
    if node.cut:
        facts.append(f"cut: {node.cut.reason}")
    if node.status == "open":
        facts.append("still open")
    return f"{where}, {who}: {'; '.join(facts)}"


def _mcts_facts(node: NodeFacts) -> str:
    """Return visits, mean reward and proof of a node."""
    facts = [f"{node.visits:,} visit{'s' * (node.visits != 1)}"]
    if node.mean is not None:
        facts.append(f"mean reward {node.mean:.2f} for {node.state.player_name(node.owner or 0)}")
    if node.proof:
        facts.append(f"{proof_in_words(node)}: {node.proof.reason}")
    return "; ".join(facts)


def text_lines(source: Source, item: Item, depth: int = 0) -> Iterator[str]:
    """Yield an item and all below it, a line each, indented."""
    indent = "  " * depth
    if item.ghost == "folded":
        yield f"{indent}+{item.hidden:,} more"
        return
    here = "  <- here" if item.path == source.focus else ""
    yield f"{indent}{sentence(source, item)}{here}"
    if item.hidden:
        yield f"{indent}  +{item.hidden:,} below"
    for child in item.children:
        yield from text_lines(source, child, depth + 1)


def description(source: Source) -> str:
    """Return what a drawing shows, in a few sentences."""
    moment = source.moment
    if moment is None:
        return "\n".join(text_lines(source, fitted(source, (), 960, None)[0]))
    if not moment.known:
        return "Nothing has been visited yet."
    root = moment.node(())
    worth = _mcts_facts(root) if source.is_mcts else bound_in_words(root.value, root.kind)
    parts = [f"{moment.known:,} nodes so far; the root: {worth}."]
    if source.line:
        parts.append(f"Best line: {line_in_words(source.line)}.")
    if source.focus is not None:
        parts.append(f"The search is at {path_in_words(source.focus)}.")
    cuts = [
        cut_in_words(path, cut)
        for path, cut in islice(moment.trace.cuts().items(), MOST_CUTS)
        if moment.visits_of(path) and moment.node(path).cut
    ]
    return " ".join(parts + cuts)
