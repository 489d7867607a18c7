"""A made-up class from hand-out to marks and the class's page: what each step takes, in minutes.

`python -m benchmarks classroom`; the class hands in notebook 02: solved, with the mistakes that the
checks know, blank, half done, and broken in all the ways that a folder of hand-ins has.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tools"), *(str(ROOT / "tests" / room) for room in ("marking", "glance"))]

import classroom as records  # noqa: E402
import coursework  # noqa: E402
from handins import handed_in, mistaken, with_solution  # noqa: E402

from tools import distribution  # noqa: E402
from tools.glance import __main__ as glance  # noqa: E402
from tools.marking import command  # noqa: E402

NOTEBOOK, STUDENTS = "02_minimax", 120
SOLVED = 0.5  # of the class
LOOP = "def limited_minimax(state, player, depth):\n    while True:\n        pass\n"
END = "import os\nos._exit(0)\n"


def hand_out(folder: Path) -> None:
    """Write what students get: the notebooks, and the package without solutions."""
    assert coursework.main(["student", "--jobs", str(os.cpu_count()), str(folder)]) == 0
    distribution.main([str(folder)])


def hand_ins() -> Iterator[tuple[str, bytes]]:
    """Yield what a class hands in, again and again: what it is, and the file."""
    halves = {cell: with_solution(NOTEBOOK, cell) for cell in ("e1", "e2")}
    others = [
        *((f"mistake in {cell}", {**halves, cell: text}) for cell, _, text in mistaken(NOTEBOOK)),
        ("half done", halves),
        ("a loop", {**halves, "e1": LOOP}),
        ("an end of the process", {"e1": END, **halves}),
    ]
    notebooks = [(kind, handed_in(NOTEBOOK, cells)) for kind, cells in others]
    notebooks += [("blank", handed_in(NOTEBOOK)), ("empty file", b""), ("no notebook", b"{")]
    yield from cycle(notebooks)


def write_class(folder: Path) -> None:
    """Write the hand-ins of a class, a folder for each student."""
    solved = int(SOLVED * STUDENTS)
    right = ("solved", handed_in(NOTEBOOK, solved=True))
    every = [right] * solved + list(islice(hand_ins(), STUDENTS - solved))
    for number, (_, content) in enumerate(every):
        place = folder / f"student{number:03}" / f"{NOTEBOOK}.ipynb"
        place.parent.mkdir(parents=True)
        place.write_bytes(with_record(content, number))
    kinds = Counter(kind for kind, _ in every)
    print(", ".join(f"{number} {kind}" for kind, number in kinds.items()))


def with_record(content: bytes, number: int) -> bytes:
    """Return a hand-in with the record of one of a made-up class: so none is a copy, either."""
    try:
        notebook = json.loads(content)
    except ValueError:
        return content
    notebook["cells"] += records.notebook(number)["cells"]
    return json.dumps(notebook).encode()


def mark_class(folder: Path, out: Path) -> None:
    """Mark a class."""
    rows = command.mark(folder, NOTEBOOK, "a word of the lecturer", out, os.cpu_count() or 1)
    print("points:", dict(sorted(Counter(row.marks.points for row in rows).items())))


def timed(what: str, step: Callable[..., Any], *arguments: Any) -> None:
    """Run a step, and print its minutes by the clock and of computing."""
    since, used = time.monotonic(), computed()
    step(*arguments)
    minutes = (time.monotonic() - since) / 60
    print(f"{what}: {minutes:.1f} minutes, {(computed() - used) / 60:.1f} of computing", flush=True)


def computed() -> float:
    """Return the seconds that this process and those that have ended have computed."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in both)


def main() -> None:
    """Print the minutes of each step."""
    with TemporaryDirectory() as place:
        folder, out = Path(place, "in"), Path(place, "out")
        page = ["--out", str(Path(place, "class.html"))]
        steps: list[tuple[str, Callable[..., Any], tuple[Any, ...]]] = [
            ("hand-out", hand_out, (Path(place, "student"),)),
            ("the class hands in", write_class, (folder,)),
            ("marks", mark_class, (folder, out)),
            ("marks once more, nothing new", mark_class, (folder, out)),
            ("the class's page", glance.main, ([str(folder), *page],)),
        ]
        for what, step, arguments in steps:
            timed(what, step, *arguments)


if __name__ == "__main__":  # the workers that mark import this module, too
    main()
