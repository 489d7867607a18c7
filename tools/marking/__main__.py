"""Mark what a class handed in: a table, and a page for each student.

python -m tools.marking SUBMISSIONS --notebook 02_minimax --seed WORD --out FOLDER
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.cli import available_cpus
from arena.progress_line import progress_line
from arena.sandbox.containment import contained
from tools.marking import student_packages
from tools.marking.mark_reports import Row, escape_formula, write_atomically, write_reports
from tools.marking.marker import ExerciseResult, Marks, no_marks
from tools.marking.marking_pool import UNFINISHED_MESSAGE, MarkingJob, mark_all
from tools.marking.roster import Roster, extra_columns
from tools.marking.submission_code import check_calls
from tools.submissions import Submission, find_submissions

NOTHING_SUBMITTED_MESSAGE = "Nothing was handed in."
NOT_IN_ROSTER_MESSAGE = "this name is not in the list of the class."
MAX_MARKED_FILES = 5  # files of a student that are marked: each may take a minute
MAX_NAMED_FILES = 10  # files that are named where a student handed in none that can be marked
STORED_MARKS_FOLDER = ".done"  # the folder of what was marked, beside the pages


def main(arguments: Sequence[str] | None = None) -> int:
    """Return 0 when everything is marked, 1 where a word or a file is not as it must be."""
    options = _options(arguments)
    try:
        check_calls(options.notebook)
        if options.out.exists() and not options.out.is_dir():
            raise ValueError(f"--out must be a folder; {options.out} is a file")
        rows = mark_class(options)
        if options.gradebook:
            from tools.marking.gradebook import enter_marks

            enter_marks(rows, options.notebook, options.gradebook)
    except (OSError, ValueError, ImportError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on where it was.", file=sys.stderr)
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
        description="Mark what a class handed in. Stop it as you like: the same command goes on.",
    )
    add = parser.add_argument
    add("submissions", type=Path, help="a folder, or a zip archive")
    add("--notebook", required=True, help="which one, like 02_minimax")
    text = "any word of yours: the questions come from it, so keep it to yourself"
    add("--seed", required=True, help=text)
    add("--out", required=True, type=Path, help="the folder for marks and pages")
    text = "the students, a row each: who handed in nothing gets a row, too"
    add("--class", dest="students", type=Path, metavar="CLASS.csv", help=text)
    text = "no points for a program that calls a search or a theorem of the library instead"
    add("--no-library", action="store_true", help=text)
    add("--workers", type=int, default=available_cpus(), help="processes")
    add("--gradebook", type=Path, help="enter the marks into nbgrader's, too")
    options = parser.parse_args(arguments)
    if options.workers < 1:
        parser.error(f"--workers must be 1 or more; got {options.workers}")
    return options


def mark_class(options: argparse.Namespace) -> list[Row]:
    """Mark everything that is there and not marked yet; return a row for each student."""
    notebook, out = options.notebook, options.out
    _claim_folder(out, notebook)
    roll, (_, noted) = Roster(options.students), extra_columns(out / "marks.csv")
    found = [
        replace(each, student=roll.find_student(each.student))
        for each in find_submissions(options.submissions)
    ]
    jobs = _marking_jobs(found, notebook, options.seed, not options.no_library)
    known = {job.digest: stored for job in jobs if (stored := _load_stored(out, job))}
    left = list({job.digest: job for job in jobs if job.digest not in known}.values())
    before = sum(job.digest in known for job in jobs)
    students = len({job.student for job in jobs})
    print(f"{len(jobs)} hand-ins of {notebook} by {students} students, ", end="")
    print(f"{before} of them marked before.")
    known |= _mark_and_store(left, options.seed, out, options.workers) if left else {}
    rows = _student_rows(found, [(job, known[job.digest]) for job in jobs], notebook, roll)
    there = {escape_formula(row.student) for row in rows}
    rows += [
        Row(student, "", no_marks(notebook, NOTHING_SUBMITTED_MESSAGE))
        for student in dict.fromkeys([*roll.students, *noted])
        if student not in there
    ]
    rows.sort(key=lambda row: row.student.casefold())
    write_reports(rows, notebook, out)
    return rows


def _mark_and_store(
    left: Sequence[MarkingJob], seed: str, out: Path, workers: int
) -> dict[str, Marks]:
    """Mark and store hand-ins; return their marks by digest."""
    print("\n".join(contained()), flush=True)
    known = {}
    with TemporaryDirectory(prefix="marking-") as folder:
        packages = student_packages.write_packages(Path(folder))
        with progress_line(len(left), "hand-ins") as update:
            for job, marks in mark_all(left, seed, packages, workers):
                if UNFINISHED_MESSAGE not in marks.remarks:  # the same command tries it again
                    write_atomically(_stored_path(out, job), json.dumps(asdict(marks)))
                known[job.digest] = marks
                update(len(known), False)
    return known


def _claim_folder(out: Path, notebook: str) -> None:
    """Raise a ValueError if a folder has the marks of another notebook, which would be lost."""
    claim = out / STORED_MARKS_FOLDER / "notebook"
    if claim.exists() and (other := claim.read_text(encoding="utf-8")) != notebook:
        raise ValueError(f"{out} has the marks of {other}; those of {notebook} need another folder")
    write_atomically(claim, notebook)


def _marking_jobs(
    found: Sequence[Submission], notebook: str, seed: str, library: bool
) -> list[MarkingJob]:
    """Return the hand-ins of a notebook; a file whose name says nothing is looked into.

    Of a student who handed in many files those with the plainest names are taken.
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
    except (OSError, ValueError, KeyError, TypeError):  # not there, or a file that was cut
        return None


def _student_rows(
    found: Sequence[Submission],
    marked: Sequence[tuple[MarkingJob, Marks]],
    notebook: str,
    roll: Roster,
) -> list[Row]:
    """Return a row for each student, the best hand-in for those who gave several."""
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
        if roll.students and student not in roll.students:
            marks = replace(marks, review_notes=[NOT_IN_ROSTER_MESSAGE, *marks.review_notes])
        rows.append(Row(student, file, marks))
    return rows


if __name__ == "__main__":
    sys.exit(main())
