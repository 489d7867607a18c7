"""Honest hand-ins of every notebook: solutions get all points, blanks none, mistakes their hints.

`python -m benchmarks honest_marks`; some minutes.  With three seeds, and so with other questions.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tools"), str(ROOT / "tests" / "marking")]

from handins import handed_in, mistaken  # noqa: E402

from course.kit.catalogue import catalogue  # noqa: E402
from tools.marking.marker import marked  # noqa: E402
from tools.marking.tree import make  # noqa: E402

SEEDS = ("one", "two", "three")
NOTEBOOKS = list(dict.fromkeys(exercise.notebook for exercise in catalogue().values()))


def check(notebook: str, packages: Path) -> str:
    """Return what was marked of a notebook; AssertionError where a mark is not what it must be."""
    for seed in SEEDS:
        marks = marked(handed_in(notebook, solved=True), notebook, seed, packages)
        assert marks.points == 10, marks
    assert marked(handed_in(notebook), notebook, SEEDS[0], packages).points == 0
    left, found = mistaken(notebook), 0
    while left:  # one mistake of each exercise in one hand-in
        now = {cell: (hint, source) for cell, hint, source in reversed(left)}
        left = [each for each in left if (each[1], each[2]) not in now.values()]
        sources = {cell: source for cell, (_, source) in now.items()}
        said = marked(handed_in(notebook, sources), notebook, SEEDS[0], packages)
        for verdict in said.verdicts:
            hint, _ = now.get(verdict.key.partition("/")[2], ("", ""))
            assert verdict.points == 0, verdict
            assert hint in verdict.text, (hint, verdict.text)
        found += len(now)
    return f"{len(SEEDS)} solved, 1 blank, {found} mistakes with their hints"


def main() -> None:
    """Print a line for each notebook."""
    with TemporaryDirectory() as place:
        packages = make(Path(place))
        for notebook in NOTEBOOKS:
            print(f"{notebook}: {check(notebook, packages)}", flush=True)


if __name__ == "__main__":
    main()
