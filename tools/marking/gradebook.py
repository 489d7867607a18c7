"""Marks into the gradebook of nbgrader, where its exports and its feedback find them."""

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from tools.marking.mark_reports import Row

COURSE_ID = "games"  # as the configuration says that `tools/coursework.py release` writes


def enter_marks(rows: Sequence[Row], notebook: str, path: Path) -> None:
    """Enter the marks of a notebook, as the assignment of the same name.

    An assignment, or a cell of one, that is not there yet is made, as the release would.
    ImportError where nbgrader is not installed.
    """
    from nbgrader.api import Gradebook

    # A new gradebook is made by a program that nbgrader calls by its name.
    programs = [str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    os.environ["PATH"] = os.pathsep.join(programs)
    with Gradebook(f"sqlite:///{path.resolve()}", COURSE_ID) as book:
        book.update_or_create_assignment(notebook)
        book.update_or_create_notebook(notebook, notebook)
        for row in rows:
            book.update_or_create_student(row.student)
            for verdict in row.marks.results:
                name = f"{verdict.key.partition('/')[2]}-marks"
                book.update_or_create_grade_cell(
                    name, notebook, notebook, max_score=verdict.max_points, cell_type="code"
                )
        for row in rows:
            with warnings.catch_warnings():
                # nbgrader asks its database while it fills it, and means to: SQLAlchemy warns.
                warnings.filterwarnings("ignore", "Object of type <Submitted", RuntimeWarning)
                book.update_or_create_submission(notebook, row.student)
            for verdict in row.marks.results:
                name = f"{verdict.key.partition('/')[2]}-marks"
                grade = book.find_grade(name, notebook, notebook, row.student)
                grade.auto_score, grade.needs_manual_grade = verdict.points, False
            book.db.commit()
