"""One question on a sheet, and the kinds of questions there are."""

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

    answers  what is to be filled in -> the right answer; or the answers alone, in the order of the
             blanks in topics.toml
    picture  an SVG, or nothing
    table    rows of cells, the first one their names, or nothing
    said     what its text leaves open
    text     what is asked, in paragraphs; it stands in topics.toml
    """

    answers: Any
    picture: str = ""
    table: tuple[tuple[str, ...], ...] = ()
    text_values: Mapping[str, str] = field(default_factory=dict)
    text: tuple[str, ...] = ()


@dataclass(frozen=True)
class Topic:
    """A kind of question: its title, the notebook that it belongs to, and how one is drawn.

    draw  returns the question of a student, the same for the same number
    """

    title: str
    notebook: str
    draw: Callable[[str], SheetQuestion]


TOPIC_TEXTS = tomllib.loads(Path(__file__).with_name("topics.toml").read_text(encoding="utf-8"))
TOPICS: dict[str, Topic] = {}


def register_topic(
    draw_variant: Callable[[str], Any] | None = None,
) -> Callable[[MakeQuestion], MakeQuestion]:
    """Enter a function in TOPICS, under its own name: it returns a question.

    It is given what `draw_variant` draws for a student; without `draw_variant`, a source of chance
    of the student's own, and again until it returns no None: then what it has drawn is as hard as
    all.
    """

    def enter(ask: MakeQuestion) -> MakeQuestion:
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

    return enter


class XOTree(GameTree):
    """A tree in which X and O move in turn."""

    __slots__ = ()

    def player_name(self, player: int) -> str:
        """Return X or O."""
        return "XO"[player]


def labelled_tree(
    shape: Sequence[object], labels: Mapping[tuple[Action, ...], str], *, title: str
) -> str:
    """Return a tree of X and O with these texts in its nodes; its description says the same."""
    picture = tree(XOTree(shape, players=(0, 1)), labels=labels, title=title)
    said = "; ".join(f"{format_path(path)}: {label}" for path, label in labels.items())
    return re.sub("<desc>.*?</desc>", f"<desc>{escape(said)}</desc>", picture, flags=re.DOTALL)
