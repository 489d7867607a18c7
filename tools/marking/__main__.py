"""Mark the submissions of a class, and write a table and a page for each student.

python -m tools.marking SUBMISSIONS --notebook 02_minimax --seed WORD --out FOLDER
"""

import argparse
import json
import re
import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.cli import add_cluster_option, available_cpus, open_executor
from arena.progress_line import progress_line
from arena.sandbox.containment import contained
from tools.marking import student_packages
from tools.marking.cluster_pool import mark_on_executor
from tools.marking.mark_reports import Row, escape_formula, write_atomically, write_reports
from tools.marking.marker import ExerciseResult, Marks, no_marks
from tools.marking.marking_pool import KILLED_NOTE, MarkingJob, mark_all
from tools.marking.platforms import write_platform_files
from tools.marking.roster import Roster, extra_columns
from tools.marking.submission_code import check_calls
from tools.submissions import Submission, find_submissions

NOTHING_SUBMITTED_MESSAGE = "Nothing was handed in."
NOT_IN_ROSTER_MESSAGE = "this name is not in the list of the class."
MAX_MARKED_FILES = 5  # files of one student that are marked, because each may take a minute
MAX_NAMED_FILES = 10  # files that a remark names if none of them can be marked
# Canvas says of a file that it is late, but neither when it came nor by how much.
LATE_FILE, LATE_BY_CANVAS = re.compile(r"[^\W_]+_LATE_\d+_\d+_"), "1 or more"
STORED_MARKS_FOLDER = ".done"  # the folder with the stored marks, next to the pages


def main(arguments: Sequence[str] | None = None) -> int:
    """Mark the class and return 0; print an error and return 1 for a wrong option or file."""
    options = _options(arguments)
    try:
        check_calls(options.notebook)
        if options.out.exists() and not options.out.is_dir():
            raise ValueError(f"--out must be a folder; {options.out} is a file")
        rows = mark_class(options)
        if options.gradebook:
            from tools.marking.gradebook import enter_marks

            enter_marks(rows, options.notebook, options.gradebook)
    except OSError as error:
        # of many files that cannot be copied, the first
        print(error.args[0][0][-1] if isinstance(error, shutil.Error) else error, file=sys.stderr)
        if (options.out / STORED_MARKS_FOLDER).is_dir():
            kept = "What has been marked is kept. When this is mended,"
            print(f"{kept} run the same command again to continue.", file=sys.stderr)
        return 1
    except (ValueError, ImportError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again to continue.", file=sys.stderr)
        return 130
    none = sum(not row.file for row in rows)
    without = f", {none} of them without {options.notebook}" if none else ""
    print(
        f"{len(rows)} students{without}: {options.out / 'index.html'}, {options.out / 'marks.csv'}"
    )
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tools.marking",
        description="Mark the submissions of a class. If you stop it, the same command continues.",
    )
    add = parser.add_argument
    add("submissions", type=Path, help="a folder, or a zip archive")
    add("--notebook", required=True, help="the notebook to mark, like 02_minimax")
    text = "any secret word, which determines the questions"
    add("--seed", required=True, help=text)
    add("--out", required=True, type=Path, help="the folder for marks and pages")
    text = "the list of students, one per row; students without a submission get a row, too"
    add("--class", dest="students", type=Path, metavar="CLASS.csv", help=text)
    text = "when it was due, like 2026-11-20T23:59, to count late days in Moodle's worksheet"
    add("--due", type=datetime.fromisoformat, metavar="TIME", help=text)
    text = "give no points to a program that calls a search or a theorem of the library"
    add("--no-library", action="store_true", help=text)
    add("--workers", type=int, default=available_cpus(), help="the number of processes")
    add_cluster_option(parser)
    add("--gradebook", type=Path, help="also store the marks in this gradebook of nbgrader")
    options = parser.parse_args(arguments)
    if options.workers < 1:
        parser.error(f"--workers must be 1 or more; got {options.workers}")
    return options


def mark_class(options: argparse.Namespace) -> list[Row]:
    """Mark all submissions that are not marked yet, write the reports, and return their rows."""
    notebook, out = options.notebook, options.out
    _claim_folder(out, notebook)
    roster, (_, noted) = Roster(options.students), extra_columns(out / "marks.csv")
    found = [
        replace(each, student=roster.find_student(each.student))
        for each in find_submissions(options.submissions)
    ]
    jobs = _marking_jobs(found, notebook, options.seed, not options.no_library)
    known = {job.digest: stored for job in jobs if (stored := _load_stored(out, job))}
    left = list({job.digest: job for job in jobs if job.digest not in known}.values())
    before = sum(job.digest in known for job in jobs)
    students = len({job.student for job in jobs})
    print(f"{len(jobs)} submissions of {notebook} by {students} students, ", end="")
    print(f"{before} of them marked before.")
    if left:
        with open_executor(options.cluster) as executor:
            known |= _mark_and_store(left, options, executor)
    marked = [(job, known[job.digest]) for job in jobs]
    rows = _student_rows(found, marked, notebook, roster, options.due)
    there = {escape_formula(row.student) for row in rows}
    rows += [
        Row(student, "", no_marks(notebook, NOTHING_SUBMITTED_MESSAGE))
        for student in dict.fromkeys([*roster.students, *noted])
        if student not in there
    ]
    rows.sort(key=lambda row: row.student.casefold())
    write_reports(rows, notebook, out)
    write_platform_files(rows, roster, notebook, out)
    return rows


def _mark_and_store(
    left: Sequence[MarkingJob], options: argparse.Namespace, executor: Executor | None
) -> dict[str, Marks]:
    """Mark submissions, here or by an executor, store their marks, and return digest -> marks."""
    print("\n".join(contained()), flush=True)
    known = {}
    with progress_line(len(left), "submissions") as update:
        for job, marks in _marked(left, options, executor):
            if KILLED_NOTE not in marks.review_notes:  # else the next run marks it
                write_atomically(_stored_path(options.out, job), json.dumps(asdict(marks)))
            known[job.digest] = marks
            update(len(known), False)
    return known


def _marked(
    left: Sequence[MarkingJob], options: argparse.Namespace, executor: Executor | None
) -> Iterator[tuple[MarkingJob, Marks]]:
    """Yield each submission with its marks, made by the executor or, without one, here."""
    if executor:
        yield from mark_on_executor(left, options.seed, executor)
        return
    with TemporaryDirectory(prefix="marking-") as folder:
        packages = student_packages.write_packages(Path(folder), left[0].notebook)
        yield from mark_all(left, options.seed, packages, options.workers)


def _claim_folder(out: Path, notebook: str) -> None:
    """Raise a ValueError if a folder has the marks of another notebook, which would be lost."""
    claim = out / STORED_MARKS_FOLDER / "notebook"
    if claim.exists() and (other := claim.read_text(encoding="utf-8")) != notebook:
        raise ValueError(f"{out} has the marks of {other}; those of {notebook} need another folder")
    write_atomically(claim, notebook)


def _marking_jobs(
    found: Sequence[Submission], notebook: str, seed: str, library: bool
) -> list[MarkingJob]:
    """Return the submissions of a notebook; files without its name are found by their imports.

    If a student submitted many files, those with the shortest names are marked.
    """
    sign = f"course.lessons.{notebook.partition('_')[2]} import".encode()
    version, jobs, marked = student_packages.version(), [], Counter[str]()
    for each in sorted(found, key=lambda each: (each.student, len(each.file))):
        content = each.content
        if content is None or marked[each.student] >= MAX_MARKED_FILES:
            continue
        if each.notebook == notebook or (not each.notebook and sign in content):
            key = json.dumps([version, notebook, seed, library]).encode() + content
            digest = sha256(key).hexdigest()
            marked[each.student] += 1
            jobs.append(MarkingJob(each.student, each.file, notebook, content, library, digest))
    return jobs


def _stored_path(out: Path, job: MarkingJob) -> Path:
    return out / STORED_MARKS_FOLDER / f"{job.digest}.json"


def _load_stored(out: Path, job: MarkingJob) -> Marks | None:
    try:
        data = json.loads(_stored_path(out, job).read_text(encoding="utf-8"))
        return Marks(**data | {"results": [ExerciseResult(**each) for each in data["results"]]})
    except (OSError, ValueError, KeyError, TypeError):  # missing, or incomplete
        return None


def _student_rows(
    found: Sequence[Submission],
    marked: Sequence[tuple[MarkingJob, Marks]],
    notebook: str,
    roster: Roster,
    due: datetime | None,
) -> list[Row]:
    """Return a row for each student, with the best submission of those who have several."""
    rows = []
    for student in dict.fromkeys(each.student for each in found):
        files = [each for each in found if each.student == student]
        own = [(job, marks) for job, marks in marked if job.student == student]
        problems = [f"`{each.file}`: {each.problem}" for each in files if each.problem]
        if own:
            job, marks = max(own, key=lambda pair: pair[1].points)
            file, given = job.file, len([each for each in files if each.notebook == notebook])
        else:
            names = [each.file for each in files[:MAX_NAMED_FILES]]
            names += [f"and {len(files) - len(names):,} more"] if len(files) > len(names) else []
            why = f"No {notebook} that can be read was handed in. There is: {', '.join(names)}."
            file, given, marks = "", 0, no_marks(notebook, why)
        remarks = problems[:MAX_NAMED_FILES] + marks.remarks
        if len(own) > 1:
            many = f"{max(given, len(own))} files were handed in"
            many += f", and {len(own)} of them were marked" if given > len(own) else ""
            remarks.insert(0, f"{many}; the best counts, {file}.")
        marks = replace(marks, remarks=remarks)
        if roster.students and student not in roster.students:
            marks = replace(marks, review_notes=[NOT_IN_ROSTER_MESSAGE, *marks.review_notes])
        days = roster.late_days(student, due)
        late = "" if days is None else str(days)
        if not late and any(LATE_FILE.match(each.hand_in) for each in files):
            late = LATE_BY_CANVAS
        rows.append(Row(student, file, marks, files[0].hand_in, late))
    return rows


if __name__ == "__main__":
    sys.exit(main())
