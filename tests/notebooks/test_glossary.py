"""The glossary has every term that a notebook defines, and says where the term is explained."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.messages import broken

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
ROW = re.compile(r"^\| (?!word \|)([^|]+) \| [^|]+ \| ([^|]+) \|$", re.MULTILINE)
PLACE = re.compile(r"(\d\d), (?:section (\d+)|(at home))")
HEADING = re.compile(r"^## ", re.MULTILINE)
# A term is bold where it is defined: after an article or "called", or before a verb or a colon.
TERM = r"\*\*([A-Za-z][\w -]+)\*\*"
DEFINITION = re.compile(
    rf"(?:\b[Aa]n? |\b[Tt]he |called (?:an? |the )?){TERM}"
    rf"|^(?:- )?(?:A |An |The )?{TERM}(?:,? (?:is|are|searches|remembers|computes)\b|:)"
    rf"|^\| {TERM} \|",
    re.MULTILINE,
)
# Bold for stress, after one of these words.
STRESSED = {
    *(
        "answer at any time",
        "bug",
        "different",
        "difference",
        "even",
        "largest",
        "mean",
        "most visited",
    ),
    *("new", "nothing makes sense", "odd", "player who moves along it", "result", "same mistakes"),
    *("smallest", "visits", "with chance", "you want the old text of a cell back"),
}


def rows() -> list[tuple[list[str], str]]:
    """Return the names of each term, and the cell that says where it is explained."""
    text = (NOTEBOOKS / "glossary.md").read_text(encoding="utf-8")
    return [(plain(names).split(", "), places) for names, places in ROW.findall(text)]


def plain(text: str) -> str:
    """Return a text in lower case without marks of Markdown, its white space made single."""
    return " ".join(re.sub(r"[*`]", "", text).lower().split())


@cache
def prose(number: str) -> str:
    """Return the text cells of a notebook, given by its number."""
    [path] = NOTEBOOKS.glob(f"{number}_*.ipynb")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


def section(number: str, title: str) -> str:
    """Return the text of the section of a notebook whose heading begins with this title."""
    parts = HEADING.split(prose(number))[1:]
    return next((part for part in parts if part.lower().startswith(title)), "")


def lost_places() -> Iterator[str]:
    """Yield what is wrong with the places of the glossary."""
    for names, places in rows():
        if PLACE.sub("", places).strip("; "):
            yield f"{names[0]}: {places!r} is not a place, such as '04, section 2' or '05, at home'"
        for number, digits, home in PLACE.findall(places):
            text = plain(section(number, home or f"{digits} "))
            if not any(name in text for name in names):
                yield f"{names[0]}: {number}, {home or f'section {digits}'} does not have the word"


def test_glossary_names_sections_that_have_the_term() -> None:
    rule = "Name the section that explains the term, or use the term there:"
    assert not (lost := list(lost_places())), broken(rule, lost)


def test_defined_terms_are_in_the_glossary() -> None:
    known = {name for names, _ in rows() for name in names}
    missing = []
    for path in sorted(NOTEBOOKS.glob("[0-9]*.ipynb")):
        for found in DEFINITION.findall(prose(path.stem[:2])):
            term = re.sub("^an? ", "", plain("".join(found)))
            if not {term, term.removesuffix("s")} & (known | STRESSED):
                missing.append(f"{path.stem[:2]}: {term}")
    rule = "Put these terms into notebooks/glossary.md; if the bold type is for stress, STRESSED:"
    assert not missing, broken(rule, missing)


def test_definitions_are_recognized() -> None:
    examples = {
        "A **leaf** is a node.": "leaf",
        "This is called **backing up**.": "backing up",
        "**Alpha** is a bound.": "Alpha",
        "| **tie** | two vectors |": "tie",
        "It has **stress** only.": "",
    }
    for text, term in examples.items():
        assert "".join("".join(found) for found in DEFINITION.findall(text)) == term
