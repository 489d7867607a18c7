"""Write the marks of a class: a table for a spreadsheet, a page per student, and an index."""

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from html import escape
from io import StringIO
from pathlib import Path
from statistics import mean

from arena.results.record_file import naming_file
from arena.results.table_format import FORMULAS
from course.exercises.feedback import markup_to_html
from tools.marking.marker import Marks
from tools.marking.roster import extra_columns

STYLE = Path(__file__).with_name("mark_reports.css").read_text(encoding="utf-8")
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but the newline and the tab
COST_HEADING = "microseconds a position"  # processor time, in exercises that count positions


@dataclass(frozen=True)
class Row:
    """The marks of a student, for the best submission.

    hand_in  the name that the platform gave to it
    late     how many days after the due date it came, begun ones counted; "" if not known
    """

    student: str
    file: str
    marks: Marks
    hand_in: str = ""
    late: str = ""

    @property
    def max_points(self) -> int:
        """The sum of the points of all exercises."""
        return sum(verdict.max_points for verdict in self.marks.results)

    @property
    def remarks(self) -> str:
        """The remarks for the instructor, who also reads the review notes."""
        worth = [f"Worth a look: {each}" for each in self.marks.review_notes]
        return " ".join([*self.marks.remarks, *worth])


def write_atomically(path: Path, text: str) -> None:
    """Write a file atomically: after a crash it is either the old one or the new one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = CONTROLS.sub("?", text)  # none of it may steer a terminal that shows the file
    part = path.with_name(path.name + ".part")
    with naming_file(path):
        # A student wrote some of the text, so it may have characters that cannot be encoded.
        part.write_text(text, encoding="utf-8", errors="backslashreplace")
    part.replace(path)


def write_reports(rows: Sequence[Row], notebook: str, out: Path) -> None:
    """Write the table, the pages and the index; keep columns that others added to the table."""
    names = page_names([row.student for row in rows])
    for row in rows:
        write_atomically(out / "pages" / names[row.student], _student_page(row, notebook))
    (head, *lines), (others, own) = _mark_table(rows), extra_columns(out / "marks.csv")
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*head, *others])
    for line in lines:
        writer.writerow([*line, *(own.get(line[0], {}).get(name, "") for name in others)])
    write_atomically(out / "marks.csv", text.getvalue())
    write_atomically(out / "index.html", _index_page(rows, notebook, names))


def page_names(students: Sequence[str]) -> dict[str, str]:
    """Return a unique file name for each student's page, of letters, digits, `_` and `-`."""
    plain = {student: re.sub(r"[^\w-]+", "_", student)[:60] for student in students}
    known = [name.casefold() for name in plain.values()]
    return {
        student: f"{name}.html"
        if name == student and known.count(name.casefold()) == 1
        else f"{name}-{sha256(student.encode('utf-8', 'replace')).hexdigest()[:8]}.html"
        for student, name in plain.items()
    }


def _mark_table(rows: Sequence[Row]) -> list[list[str]]:
    """Return the table of marks, its headings first."""
    verdicts = rows[0].marks.results if rows else []
    costly = [n for n in range(len(verdicts)) if any(row.marks.results[n].cost for row in rows)]
    costs = [f"{verdicts[n].key} {COST_HEADING}" for n in costly]
    keys = [verdict.key for verdict in verdicts]
    late = ["late days"] if any(row.late for row in rows) else []
    lines = [["student", "points", "of", *late, *keys, *costs, "file", "remarks"]]
    for row in rows:
        numbers = [
            row.marks.points,
            row.max_points,
            *(row.late for _ in late),
            *(verdict.points for verdict in row.marks.results),
        ]
        measured = [row.marks.results[n].cost for n in costly]
        cells = [*map(str, numbers), *(str(cost or "") for cost in measured)]
        words = [escape_formula(row.file), escape_formula(row.remarks)]
        lines.append([escape_formula(row.student), *cells, *words])
    return lines


def escape_formula(text: str) -> str:
    """Return a text that a spreadsheet does not evaluate as a formula."""
    return f"'{text}" if text.startswith(FORMULAS) else text


def _student_page(row: Row, notebook: str) -> str:
    title = f"{row.student}: {notebook}, {row.marks.points} of {row.max_points} points"
    parts = [f"<h1>{escape(title)}</h1>", f'<p class="file">{escape(row.file)}</p>']
    parts += [f"<p>{markup_to_html(remark)}</p>" for remark in row.marks.remarks]
    for verdict in row.marks.results:
        points = f"<small>{verdict.points} of {verdict.max_points} points</small>"
        parts.append(f"<h2>{escape(verdict.key)} {escape(verdict.title)} {points}</h2>")
        # A marked exercise is not tried again, so "Not yet" would be wrong.
        parts.append(verdict.html.replace("✗ Not yet:", "✗ Not right:", 1))
    return _document(title, parts)


def _index_page(rows: Sequence[Row], notebook: str, names: dict[str, str]) -> str:
    title = f"Marks of {notebook}"
    exercises = rows[0].marks.results if rows else []
    heads = [f"{escape(each.title)}<br>{each.key}:&nbsp;{each.max_points}" for each in exercises]
    lines = [_table_row("th", ["student", "points", *heads, "remarks"]), *_summary(rows)]
    for row in rows:
        link = f'<a href="pages/{names[row.student]}">{escape(row.student)}</a>'
        points = [str(each.points) for each in row.marks.results]
        for number, each in enumerate(row.marks.results):
            if each.cost:
                points[number] += f"<br><small>{each.cost} µs a position</small>"
        sums = f"<b>{row.marks.points}</b> of {row.max_points}"
        lines.append(_table_row("td", [link, sums, *points, markup_to_html(row.remarks)]))
    head = f"<h1>{title}</h1><p>{len(rows)} students. The same as a table: "
    head += '<a href="marks.csv">marks.csv</a>.</p>'
    return _document(title, [head, f"<table>{''.join(lines)}</table>"])


def _summary(rows: Sequence[Row]) -> list[str]:
    """Return two rows about the submissions: mean points, and the proportion with all points."""
    given = [row.marks for row in rows if row.file]
    if not given:
        return []
    columns = list(zip(*(marks.results for marks in given), strict=True))
    means = [mean(marks.points for marks in given)]
    means += [mean(verdict.points for verdict in column) for column in columns]
    full = [[marks.points == sum(v.max_points for v in marks.results) for marks in given]]
    full += [[verdict.points == verdict.max_points for verdict in column] for column in columns]
    return [
        _table_row(
            "td", [f"mean of {len(given)} submissions", *(f"{each:.1f}" for each in means), ""]
        ),
        _table_row("td", ["all points", *(f"{100 * mean(each):.0f} %" for each in full), ""]),
    ]


def _table_row(tag: str, cells: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>\n"


def _document(title: str, parts: Sequence[str]) -> str:
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    body = "\n".join(parts)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}<title>{escape(title)}</title>'
        f"<style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )
