"""Values, paths and cuts as short text, the same in every drawing, table and sentence."""

from __future__ import annotations

from math import inf

from gamelib.search import result
from gamelib.search.events import Cut
from gamelib.search.result import Kind
from gamelib.state import Action
from gamelib.trace.trace import Trace
from gamelib.trace.visits import Path

SIGNS = {kind: f"{sign} " for kind, sign in result.SIGNS.items()}
SIGNS |= {"exact": "", "upper": "≤ ", "lower": "≥ "}


def in_words(value: object) -> str:
    """Return a value as text: "3", "0.25", "∞", "(1, 2, 3)", and "?" for None."""
    if value is None:
        return "?"
    if isinstance(value, tuple):
        return f"({', '.join(map(in_words, value))})"
    if value in (inf, -inf):
        return "∞" if value == inf else "-∞"
    if isinstance(value, int | float):
        return f"{value + 0:.4g}" if isinstance(value, float) else str(value)
    return str(value)


def bound_in_words(value: object, kind: Kind) -> str:
    """Return "3", "≤ 3" or "≥ 3"; with an estimate behind it "~ 3", "<~ 3" or ">~ 3"."""
    return f"{SIGNS[kind]}{in_words(value)}"


def line_in_words(actions: tuple[Action, ...]) -> str:
    """Return actions one after the other: "1 → 0"."""
    return " → ".join(map(str, actions))


def path_in_words(path: tuple[Action, ...]) -> str:
    """Return "the root", or the actions that lead to a node: "node 1 → 0"."""
    return f"node {line_in_words(path)}" if path else "the root"


def capital(sentence: str) -> str:
    """Return a sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]


def why_cut(trace: Trace, path: Path) -> str:
    """Return why a search did not visit `path`, or skipped the rest of it, in words."""
    path, cuts = tuple(path), trace.cuts()
    if path in cuts:
        return cut_in_words(path, cuts[path])
    for length in range(len(path)):
        cut = cuts.get(path[:length])
        if cut is not None and path[length] in cut.skipped:
            return cut_in_words(path[:length], cut)
    if path in set(trace.visited()):
        return f"Not cut: the search visited {path_in_words(path)}, and skipped nothing there."
    raise ValueError(f"{path!r} is not a path of this search; the paths are tuples of actions")


def cut_in_words(path: Path, cut: Cut) -> str:
    """Return one sentence: which node is cut, what it has reached, and why that is enough."""
    skipped = ", ".join(map(str, cut.skipped))
    rest = f" Not visited: {skipped}." if skipped else " Nothing was left to visit."
    return f"Cut at {path_in_words(path)}: {cut.reason}.{rest}"
