"""The questions on a sheet, and the registry of their topics."""

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any, TypeVar

from course.draw import tree
from course.draw.wording import format_path, format_value
from course.lessons.variants.variant import drawn
from gamelib.games import GameTree
from gamelib.state import Action

MakeQuestion = TypeVar("MakeQuestion", bound=Callable[[Any], Any])


@dataclass(frozen=True)
class SheetQuestion:
    """One question as it is printed, and its answers.

    answers      the label of each blank -> the correct answer; or only the answers, in the order of
                 the blanks in topics.toml
    picture      an SVG, or ""
    table        rows of cells, of which the first has the headings; or ()
    text_values  the values of the placeholders in the text
    text         the paragraphs of the question, from topics.toml
    """

    answers: Any
    picture: str = ""
    table: tuple[tuple[str, ...], ...] = ()
    text_values: Mapping[str, str] = field(default_factory=dict)
    text: tuple[str, ...] = ()


@dataclass(frozen=True)
class Topic:
    """A kind of question, with its title and the notebook to which it belongs.

    draw  a function that returns the question for a student number, always the same one
    """

    title: str
    notebook: str
    draw: Callable[[str], SheetQuestion]


TOPIC_TEXTS = tomllib.loads(Path(__file__).with_name("topics.toml").read_text(encoding="utf-8"))
TOPICS: dict[str, Topic] = {}


def register_topic(
    draw_variant: Callable[[str], Any] | None = None,
) -> Callable[[MakeQuestion], MakeQuestion]:
    """Return a decorator that adds a function to TOPICS, under the name of the function.

    The function returns a question.  Its argument is the variant that `draw_variant` returns for a
    student number.  Without `draw_variant`, the argument is a random number generator, seeded by
    the student number, and the function is called until it does not return None.  So it can reject
    questions that are too easy or too hard.
    """

    def register(ask: MakeQuestion) -> MakeQuestion:
        name, words = ask.__name__, TOPIC_TEXTS[ask.__name__]

        def draw(student: str) -> SheetQuestion:
            question = ask(draw_variant(student)) if draw_variant else drawn(name, student, ask)
            text = tuple(paragraph.format(**question.text_values) for paragraph in words["text"])
            answers = question.answers
            if "blanks" in words:
                answers = dict(zip(words["blanks"], map(format_value, answers), strict=True))
            return replace(question, answers=answers, text=text)

        TOPICS[name] = Topic(words["title"], words["notebook"], draw)
        return ask

    return register


class XOTree(GameTree):
    """A game tree whose players are X and O."""

    __slots__ = ()

    def player_name(self, player: int) -> str:
        """Return X or O."""
        return "XO"[player]


def labelled_tree(
    shape: Sequence[object], labels: Mapping[tuple[Action, ...], str], *, title: str
) -> str:
    """Return the SVG of a tree with these texts in its nodes and in its description."""
    picture = tree(XOTree(shape, players=(0, 1)), labels=labels, title=title)
    said = "; ".join(f"{format_path(path)}: {label}" for path, label in labels.items())
    return re.sub("<desc>.*?</desc>", f"<desc>{escape(said)}</desc>", picture, flags=re.DOTALL)
