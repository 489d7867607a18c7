"""One question on a sheet, and the kinds of questions there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from course.draw import tree
from course.draw.words import path_in_words
from gamelib.games import GameTree
from gamelib.state import Action


@dataclass(frozen=True)
class Question:
    """One question as it is printed, and its answers.

    text     what is asked, in paragraphs
    answers  what is to be filled in -> the right answer
    picture  an SVG, or nothing
    table    rows of cells, the first one their names, or nothing
    """

    text: tuple[str, ...]
    answers: dict[str, str]
    picture: str = ""
    table: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class Topic:
    """A kind of question: its title, the notebook that it belongs to, and how one is drawn.

    draw  returns the question of a student, the same for the same number
    """

    title: str
    notebook: str
    draw: Callable[[str], Question]


class Duel(GameTree):
    """A tree in which X and O move in turn."""

    __slots__ = ()

    def player_name(self, player: int) -> str:
        """Return X or O."""
        return "XO"[player]


def labelled(
    shape: Sequence[object], labels: Mapping[tuple[Action, ...], str], *, title: str
) -> str:
    """Return a tree of X and O with these texts in its nodes; its description says the same."""
    picture = tree(Duel(shape, players=(0, 1)), labels=labels, title=title)
    said = "; ".join(f"{path_in_words(path)}: {label}" for path, label in labels.items())
    return re.sub("<desc>.*?</desc>", f"<desc>{escape(said)}</desc>", picture, flags=re.DOTALL)
