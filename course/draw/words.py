"""Values as short text, the same in every drawing, table and sentence."""

from __future__ import annotations

from math import inf

from gamelib.search.result import Kind

SIGNS = {"exact": "", "upper": "≤ ", "lower": "≥ ", "estimate": "≈ "}


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
    """Return "3", "≤ 3" or "≥ 3"."""
    return f"{SIGNS[kind]}{in_words(value)}"
