"""Write the sheets and their key as HTML pages to print on A4 or Letter."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from tools.sheets.sheet_question import SheetQuestion, Topic

STYLE = Path(__file__).with_name("sheet_page.css")
# A text of at most this many characters goes next to a table, or a picture of at most this width.
MAX_NARROW_PIXELS, MAX_SHORT_CHARS = 400, 400


class Person(NamedTuple):
    """A student of a class: a number, and a name if it is known."""

    number: str
    name: str = ""


Sheet = tuple[Person, Sequence[tuple[Topic, SheetQuestion]]]


def sheets_page(sheets: Iterable[Sheet]) -> str:
    """Return the HTML page with all sheets; each sheet begins on a new page of paper."""
    return _page("Exercises on paper", [_sheet(*sheet) for sheet in sheets])


def key_page(sheets: Iterable[Sheet]) -> str:
    """Return the HTML page with all answers, for the instructor."""
    rows = [
        f"<tr><td>{escape(person.number)}</td><td>{escape(person.name)}</td>"
        f"<td>{escape(topic.title)}</td><td>{_answer_lines(question)}</td></tr>"
        for person, asked in sheets
        for topic, question in asked
    ]
    head = "<tr><th>number</th><th>name</th><th>question</th><th>answers</th></tr>"
    table = f"<table><thead>{head}</thead><tbody>{''.join(rows)}</tbody></table>"
    return _page("Answers", ["<h1>Answers, for the instructor</h1>", table])


def _answer_lines(question: SheetQuestion) -> str:
    pairs = question.answers.items()
    return "<br>".join(f"{_label(blank)} <b>{escape(answer)}</b>" for blank, answer in pairs)


def _label(blank: str) -> str:
    return escape(blank if blank.endswith("?") else f"{blank}:")


def _sheet(person: Person, asked: Sequence[tuple[Topic, SheetQuestion]]) -> str:
    parts = [_question(place, topic, question) for place, (topic, question) in enumerate(asked, 1)]
    name = f"<b>{escape(person.name)}</b>" if person.name else "Name: " + "_" * 30
    head = f"<header><span>{name}</span><span>{escape(person.number)}</span></header>"
    return f'<section class="sheet">{head}{"".join(parts)}</section>'


def _question(place: int, topic: Topic, question: SheetQuestion) -> str:
    paragraphs = "".join(f"<p>{escape(words)}</p>" for words in question.text)
    blanks = "".join(f"<span>{_label(blank)} <i></i></span>" for blank in question.answers)
    shown = question.picture or _table(question.table)
    few = " few" if len(question.answers) <= 2 else ""
    wide = re.search(r'width="([\d.]+)"', question.picture)
    narrow = not (wide and float(wide[1]) > MAX_NARROW_PIXELS)
    beside = " beside" if narrow and sum(map(len, question.text)) <= MAX_SHORT_CHARS else ""
    return (
        f'<div class="question{beside}"><h2>{place}. {escape(topic.title)}</h2>'
        f'<div class="shown">{shown}</div><div class="asked">{paragraphs}<div class="space"></div>'
        f'<div class="blanks{few}">{blanks}</div></div></div>'
    )


def _table(rows: Sequence[Sequence[str]]) -> str:
    if not rows:
        return ""
    head, *rest = rows
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
    lines += ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rest]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _page(title: str, parts: Iterable[str]) -> str:
    style = STYLE.read_text(encoding="utf-8")
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>\n{style}</style></head>\n"
        f"<body>{''.join(parts)}</body></html>\n"
    )
