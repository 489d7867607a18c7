"""Honest hand-ins of every notebook: solutions get all points, blanks none, mistakes their hints.

`python -m benchmarks honest_marks`; some minutes.  With three seeds, and so with other questions.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tools"), str(ROOT / "tests" / "marking")]

from handins import handed_in, mistaken  # noqa: E402

from course.kit.catalogue import catalogue  # noqa: E402
from tools.marking import marker  # noqa: E402
from tools.marking.marker import asked_of, marked  # noqa: E402
from tools.marking.tree import make  # noqa: E402

SEEDS = ("one", "two", "three")
NOTEBOOKS = list(dict.fromkeys(exercise.notebook for exercise in catalogue().values()))


def check(notebook: str, packages: Path) -> str:
    """Return what was marked of a notebook; AssertionError where a mark is not what it must be."""
    for seed in SEEDS:
        marks = marked(handed_in(notebook, solved=True), notebook, seed, packages)
        assert marks.points == 10, marks
    assert marked(handed_in(notebook), notebook, SEEDS[0], packages).points == 0
    known = mistaken(notebook)
    for cell, hint, source in known:
        content = handed_in(notebook, {cell: source}, solved=True)
        said = marked_alone(content, notebook, cell, packages)
        assert said.points == 0, said
        assert hint in said.text, (hint, said.text)
    return f"{len(SEEDS)} solved, 1 blank, {len(known)} mistakes with their hints"


def marked_alone(content: bytes, notebook: str, cell: str, packages: Path) -> marker.Verdict:
    """Return the verdict on one exercise of a notebook."""
    one = tuple(each for each in asked_of(notebook) if each.exercise.cell == cell)
    with patch.object(marker, "asked_of", lambda name: one):
        return marked(content, notebook, SEEDS[0], packages).verdicts[0]


def main() -> None:
    """Print a line for each notebook."""
    with TemporaryDirectory() as place:
        packages = make(Path(place))
        for notebook in NOTEBOOKS:
            print(f"{notebook}: {check(notebook, packages)}", flush=True)


if __name__ == "__main__":
    main()
