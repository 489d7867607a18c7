"""Paths as short text, the same in every drawing, table and sentence."""

from __future__ import annotations

from gamelib.state import Action


def line_in_words(actions: tuple[Action, ...]) -> str:
    """Return actions one after the other: "1 → 0"."""
    return " → ".join(map(str, actions))


def path_in_words(path: tuple[Action, ...]) -> str:
    """Return "the root", or the actions that lead to a node: "node 1 → 0"."""
    return f"node {line_in_words(path)}" if path else "the root"


def capital(sentence: str) -> str:
    """Return a sentence with its first letter in upper case."""
    return sentence[:1].upper() + sentence[1:]
