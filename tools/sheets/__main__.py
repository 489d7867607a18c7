"""Write a sheet with exercises on paper for each student of a class, and the key.

    python -m tools.sheets class.csv --exercise tree,heaps --out build/sheets
    python -m tools.sheets class.csv --exercise signs,proofs --seed "a secret" --out build/exam

Each line of the class list has a student number and, if you like, a name: "s1234567, Ada Lovelace".
"""

import argparse
import csv
import sys
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

from tools.sheets.sheet_page import Person, Sheet, key_page, sheets_page
from tools.sheets.topics import TOPICS

HEADERS = {"number", "student", "student number", "id", "id number", "username"}


class ClassListError(ValueError):
    """A class list cannot be used; the message names the line and the reason."""


def main(arguments: list[str] | None = None) -> int:
    """Write the sheets and the key and return 0; print an error and return 1 otherwise."""
    options = _parser().parse_args(arguments)
    names = [name.strip() for name in options.exercise.split(",")]
    try:
        if unknown := [name for name in names if name not in TOPICS]:
            raise ClassListError(f"the exercises are {', '.join(TOPICS)}; got {', '.join(unknown)}")
        people = class_list(options.people)
    except (ClassListError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    sheets = [draw_sheet(person, names, options.seed) for person in people]
    options.out.mkdir(parents=True, exist_ok=True)
    for file, page in (("sheets.html", sheets_page(sheets)), ("key.html", key_page(sheets))):
        (options.out / file).write_text(page, encoding="utf-8")
    with (options.out / "key.csv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["number", "name", "question", "blank", "answer"])
        for person, asked in sheets:
            for topic, question in asked:
                for answer in question.answers.items():
                    rows.writerow([*person, topic.title, *answer])
    print(f"{len(sheets)} sheets in {options.out}: print sheets.html; keep key.html and key.csv")
    return 0


def _parser() -> argparse.ArgumentParser:
    topics = "\n".join(
        f"  {name:<12}{topic.notebook}  {topic.title}" for name, topic in TOPICS.items()
    )
    parser = argparse.ArgumentParser(
        prog="python -m tools.sheets",
        description=__doc__,
        epilog=f"exercises, and the notebooks that they belong to:\n{topics}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("people", type=Path, metavar="CLASS_LIST", help="one line per student")
    parser.add_argument("--exercise", required=True, metavar="NAMES", help="separated by commas")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="the folder to write to"
    )
    parser.add_argument("--seed", default="", help="any text; each seed gives new questions")
    return parser


def class_list(path: Path) -> list[Person]:
    """Return the students of a file that has a number, and perhaps a name, in each line.

    The columns are separated by commas, semicolons or tabs.  ClassListError if two students have
    the same number, or if there are none.
    """
    text = path.read_text(encoding="utf-8-sig")
    delimiter = next((sign for sign in ";\t" if sign in text), ",")
    people: dict[str, Person] = {}
    for line, cells in enumerate(csv.reader(StringIO(text, newline=""), delimiter=delimiter), 1):
        number, *rest = [cell.strip() for cell in cells] or [""]
        if not number or number.startswith("#") or (not people and number.lower() in HEADERS):
            continue
        if number.lower() in people:
            raise ClassListError(f"{path}, line {line}: {number} was there before; delete one line")
        people[number.lower()] = Person(number, " ".join(filter(None, rest)))
    if not people:
        raise ClassListError(f"{path} names no student; write a student number in each line")
    return list(people.values())


def draw_sheet(person: Person, names: Sequence[str], seed: str) -> Sheet:
    """Return the sheet of a student; each seed gives different questions."""
    number = f"{seed} {person.number}" if seed else person.number
    return person, [(TOPICS[name], TOPICS[name].draw(number)) for name in names]


if __name__ == "__main__":
    sys.exit(main())
