"""Store marks in the gradebook of nbgrader, from which nbgrader exports them."""

import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

from tools.marking.mark_reports import Row

COURSE_ID = "games"  # as in the configuration that `tools/coursework.py release` writes


def enter_marks(rows: Sequence[Row], notebook: str, path: Path) -> None:
    """Store the marks of a notebook under the assignment with the same name.

    Missing assignments and cells are created, as nbgrader's release does.  ImportError if nbgrader
    is not installed.
    """
    from nbgrader.api import Gradebook

    # nbgrader creates a new gradebook with a program that must be on the PATH.
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
                # nbgrader intentionally queries its database while it fills it; SQLAlchemy warns.
                warnings.filterwarnings("ignore", "Object of type <Submitted", RuntimeWarning)
                book.update_or_create_submission(notebook, row.student)
            for verdict in row.marks.results:
                name = f"{verdict.key.partition('/')[2]}-marks"
                grade = book.find_grade(name, notebook, notebook, row.student)
                grade.auto_score, grade.needs_manual_grade = verdict.points, False
            book.db.commit()
