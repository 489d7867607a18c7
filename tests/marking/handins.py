"""Notebooks to mark, made from the course's own."""

import csv
import json
import os
from functools import cache
from pathlib import Path

from tools import coursework
from tools.blanks import fill_blank
from tools.marking import __main__ as command
from tools.marking import marker

SHORT = "04_mcts"  # the quickest to mark, and the one whose programs change what they are given


@cache
def _notebook(notebook, solved):
    """Return a notebook of the course as JSON, which is quick to read again."""
    path = Path(coursework.NOTEBOOKS) / f"{notebook}.ipynb"
    return json.dumps(
        coursework.with_solutions(path) if solved else coursework.blank_notebook(path)
    )


def handed_in(notebook, cells=None, *, solved=False, before=()):
    """Return the bytes of a notebook: some cells changed, new ones before the exercises."""
    data = json.loads(_notebook(notebook, solved))
    for cell in data["cells"]:
        cell["source"] = (cells or {}).get(cell["id"], cell["source"])
    new = [
        {"cell_type": "code", "id": f"new{n}", "metadata": {}, "outputs": [], "source": text}
        for n, text in enumerate(before)
    ]
    first = min(n for n, cell in enumerate(data["cells"]) if cell["id"] in ("e1", *(cells or {})))
    data["cells"][first:first] = new
    return json.dumps(data).encode()


def only(monkeypatch, *cells):
    """Mark these exercises alone."""
    asked = marker.check_calls
    kept = lambda notebook: tuple(a for a in asked(notebook) if a.exercise.cell in cells)  # noqa: E731
    monkeypatch.setattr(marker, "check_calls", kept)


@cache
def with_solution(notebook, exercise):
    """Return the cell of an exercise with its solution."""
    path = Path(coursework.NOTEBOOKS) / f"{notebook}.ipynb"
    known = {each.cell: each for each in coursework.exercises_of(path)}
    return fill_blank(
        coursework.cell_of(coursework.blank_notebook(path), known[exercise]).source, known[exercise]
    )


def written(folder, files):
    """Write the hand-ins of students, by name, into a folder, and return it."""
    for student, content in files.items():
        place = os.path.join(os.fsencode(folder), os.fsencode(student))
        os.makedirs(place)
        with open(os.path.join(place, f"{SHORT}.ipynb".encode()), "wb") as file:
            file.write(content)
    return folder


def run(folder, out, *words):
    """Mark a folder by the command, and return its exit status."""
    order = [str(folder), "--notebook", SHORT, "--seed", "x", "--out", str(out), "--workers", "1"]
    return command.main([*order, *words])


def rows(out):
    """Return the rows of the table of marks by student."""
    with (out / "marks.csv").open(encoding="utf-8") as file:
        return {row["student"]: row for row in csv.DictReader(file)}
