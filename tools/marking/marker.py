"""Mark one submission: the checks run in this process, the student's program in another one."""

import random
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path

from course.exercises import check_runner
from course.exercises.answer_key import use_seed
from course.exercises.catalogue import Exercise
from course.exercises.error_report import describe_error
from course.exercises.feedback import Feedback
from tools.marking.rpc_client import StudentProcess, StudentProcessError
from tools.marking.rpc_server import NO_RULES_MODE
from tools.marking.submission_code import (
    CheckCall,
    CodeCell,
    Names,
    UnreadableError,
    check_calls,
    prepare_submission,
)

MAX_CALLS = 3  # of a check in a notebook are tried, the last ones
CELL_SECONDS = 60.0  # of computing for a cell
MIN_POSITIONS_FOR_COST = 1000  # positions: with fewer their cost says nothing
COSTLY_MICROSECONDS = (
    150  # microseconds of computing a position: an honest search with a heuristic takes 30
)
COST_MESSAGE = (
    "{key}: it computes for {cost} microseconds a position. Is its heuristic slow, or does it "
    "search a board of its own?"
)
LIBRARY_CALL_MESSAGE = "it uses {names} of the library, which the solution does not."
WRITE_IT_YOURSELF_MESSAGE = "Write it yourself: that is the exercise."


@dataclass(frozen=True)
class ExerciseResult:
    """The result of the check of one exercise.

    html, text  the feedback for the student
    cost        microseconds of processor time per position; 0 if positions are not counted
    """

    key: str
    title: str
    points: int
    max_points: int
    attempted: bool
    html: str
    text: str
    cost: int = 0


@dataclass
class Marks:
    """All results of a submission, and sentences about it.

    remarks       sentences for the student
    review_notes  sentences for the instructor only, about things to look at; they change no mark
    """

    results: list[ExerciseResult] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    review_notes: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        """The sum of the points."""
        return sum(verdict.points for verdict in self.results)


def mark_submission(
    content: bytes, notebook: str, seed: str, packages: Path, *, library: bool = True
) -> Marks:
    """Return the marks of a notebook.

    packages  the folder with the packages that the student's program can import
    library   whether the program may call functions of the library that solve an exercise
    """
    try:
        cells, called = prepare_submission(content, notebook)
    except UnreadableError as error:
        return no_marks(notebook, str(error), str(error))
    all_asked, found, marks = check_calls(notebook), dict[str, ExerciseResult](), Marks()
    word = NO_RULES_MODE if any(asked.exercise.shows_boards for asked in all_asked) else ""
    with closing(_MarkingSession(cells, packages, word)) as session:
        # Exercises that show boards come last, because the process loses the rules before them.
        for asked in sorted(all_asked, key=lambda asked: asked.exercise.shows_boards):
            key = asked.exercise.key
            random.seed(f"{seed} {key}")
            with use_seed(seed):
                found[key] = replace(
                    _result(asked.exercise, session.feedback(asked)), cost=session.cost
                )
    for asked in all_asked:
        if names := called.get(key := asked.exercise.key):
            words = LIBRARY_CALL_MESSAGE.format(names=", ".join(f"`{name}`" for name in names))
            marks.review_notes.append(f"{key}: {words}")
            if found[key].points and not library:
                found[key] = _result(
                    asked.exercise, Feedback(False, f"{words} {WRITE_IT_YOURSELF_MESSAGE}")
                )
    marks.results = [found[asked.exercise.key] for asked in all_asked]
    marks.remarks += session.remarks()
    marks.review_notes += session.review_notes
    return marks


def no_marks(notebook: str, why: str, said: str = "there was nothing to mark.") -> Marks:
    """Return marks without points.

    why   the reason, as a remark
    said  the feedback on each exercise
    """
    nothing = _not_attempted(said)
    return Marks([_result(each.exercise, nothing) for each in check_calls(notebook)], [why])


def _not_attempted(why: str) -> Feedback:
    return Feedback(False, why, attempted=False)


def _result(exercise: Exercise, feedback: Feedback) -> ExerciseResult:
    points = (
        exercise.points
        if feedback.passed is True
        else round(exercise.points * feedback.partial_credit)
    )
    html, text = feedback._repr_html_(), repr(feedback)
    return ExerciseResult(
        exercise.key, exercise.title, points, exercise.points, feedback.attempted, html, text
    )


class _MarkingSession:
    """A student's process, which is restarted if the student's program ends it."""

    def __init__(self, cells: list[CodeCell], packages: Path, mode: str = "") -> None:
        self.cells, self.start_process = cells, partial(StudentProcess, packages, mode)
        self.review_notes: list[str] = []
        self.cost = 0  # of a position in the last check, in microseconds
        self.errors: dict[str, str] = {}  # by cell
        self.explained_cells: set[str] = set()  # cells whose errors the feedback mentions
        self.skipped: set[str] = set()
        self.process: StudentProcess | None = None

    def close(self) -> None:
        """End the process."""
        if self.process:
            self.process.terminate()

    def feedback(self, asked: CheckCall) -> Feedback:
        """Return the feedback on an exercise: of the last call that passes, or else of the best."""
        key = asked.exercise.key
        calls = [
            (cell.name, names) for cell in self.cells for names in cell.check_arguments.get(key, ())
        ]
        said: list[Feedback] = []
        for cell, names in calls[: -MAX_CALLS - 1 : -1] or [("", asked.names)]:
            said.append(self._feedback_of_call(asked, cell, names))
            if said[-1].passed is True:
                return said[-1]
        return max(said, key=lambda feedback: feedback.partial_credit)

    def _feedback_of_call(self, asked: CheckCall, cell: str, names: Names) -> Feedback:
        self.cost = 0
        try:
            process = self.ensure_process()
        except StudentProcessError as error:
            return Feedback(False, str(error))
        exercise = asked.exercise
        process.set_cpu_limit(exercise.seconds or check_runner.CPU_SECONDS)
        process.reset(shows_boards=exercise.shows_boards)
        lesson = exercise.notebook.partition("_")[2]
        check = getattr(import_module(f"course.lessons.{lesson}.check"), exercise.check)
        try:
            missing, values = process.read_values(cell, names)
        except Exception as error:  # the student's program raised it
            return check_runner.feedback_on(error)
        if missing:
            return self._missing_name_feedback(cell, missing)
        if exercise.prerequisite:
            module, _, name = exercise.prerequisite.partition(":")
            if not (first := getattr(import_module(module), name)(*values)):
                return first
        feedback: Feedback = check(*values, **asked.options)
        self.cost = (
            round(1e6 * process.cpu_seconds_since_limits() / process.generated)
            if process.generated >= MIN_POSITIONS_FOR_COST
            else 0
        )
        if self.cost > COSTLY_MICROSECONDS:  # perhaps the program has its own copy of the rules
            self.review_notes.append(COST_MESSAGE.format(key=exercise.key, cost=self.cost))
        return feedback

    def remarks(self) -> list[str]:
        """Return the errors of the student's cells that no feedback mentions."""
        own = {cell.name for cell in self.cells if cell.by_student} - self.explained_cells
        return [
            f"In the cell `{name}`: {what}" for name, what in self.errors.items() if name in own
        ]

    def _missing_name_feedback(self, cell: str, name: str) -> Feedback:
        """Return feedback on a name that a cell does not define; "" if no cell calls the check."""
        if not cell:
            return _not_attempted(
                f"the notebook has no cell for this exercise, and defines no `{name}`."
            )
        error = self.errors.get(cell, "")
        self.explained_cells.add(cell)
        why = f" {error[0].upper()}{error[1:]}" if error else ""
        return Feedback(False, f"its cell defines no `{name}`.{why}")

    def ensure_process(self) -> StudentProcess:
        """Return a process in which the notebook has run."""
        if self.process and self.process.is_waiting:  # a check ended before it received its answer
            self.process.terminate()
        while self.process is None or not self.process.alive:
            self.process = self.start_process()
            if (ended := self._run_cells(self.process)) is not None:
                self.skipped.add(ended)
        return self.process

    def _run_cells(self, process: StudentProcess) -> str | None:
        """Run the cells; return the name of the cell that ended the process, or None."""
        for cell in self.cells:
            if cell.name in self.skipped:
                continue
            process.set_cpu_limit(CELL_SECONDS)
            try:
                names = sorted(
                    {name for calls in cell.check_arguments.values() for name in sum(calls, ())}
                )
                process.send_request("run", cell=cell.name, source=cell.source, keep=names)
            except StudentProcessError as error:
                why = str(error).replace("the check was", "the cell was")
                self.errors.setdefault(cell.name, why)
                return cell.name
            except Exception as error:
                self.errors.setdefault(cell.name, f"the cell {describe_error(error)}"[:400])
        return None
