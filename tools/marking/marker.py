"""Mark one submission: the checks run in this process, the student's program in another one."""

import random
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

from course.exercises import check_runner
from course.exercises.answer_key import use_seed
from course.exercises.catalogue import Exercise
from course.exercises.error_report import describe_error
from course.exercises.feedback import Feedback
from course.lessons.capstone.check import agent_with_same_moves
from tools.marking.rpc_client import CALL_CPU_SECONDS, StudentProcess, StudentProcessError
from tools.marking.rpc_server import NO_RULES_MODE
from tools.marking.submission_code import (
    CheckCall,
    CodeCell,
    Names,
    UnreadableError,
    check_calls,
    library_names,
    prepare_submission,
    solution_names,
)

MAX_CALLS = 3  # of a check in a notebook are tried, the last ones
CELL_SECONDS = 60.0  # of computing for a cell
# Seconds of a hand-in that may be lost on programs that do not end.  What does not end gets half of
# what is left of them, so that something is left for the other exercises.
MAX_LOST_SECONDS, MIN_LEFT_SECONDS = 60.0, 2.0
MAX_PAUSE_SHARE = 0.4  # of a move's computing: in a search the longest pause is a tenth
MIN_POSITIONS_FOR_COST = 1000  # positions: with fewer their cost says nothing
COSTLY_MICROSECONDS = (
    150  # microseconds of computing a position: an honest search with a heuristic takes 30
)
COST_MESSAGE = (
    "{key}: it computes for {cost} microseconds a position. Is its heuristic slow, or does it "
    "search a board of its own?"
)
PAUSE_MESSAGE = (
    "{key}: in half of its moves, {share} % or more of the computing lies between two positions "
    "that it asks for. Does it search a board of its own?"
)
SAME_MOVES_MESSAGE = (
    "{key}: it plays exactly as `{agent}` of the notebook, with the same number of positions for "
    "each move."
)
ENDLESS_MESSAGE = (
    "`{name}` did not come to an end in exercise {key}, so it was not asked again here."
)
UNWRITTEN_MESSAGE = (
    "{names} was handed in as it is in the notebook, without a program. If your course takes late "
    "hand-ins, you can write it and hand the notebook in again."
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
    content: bytes,
    notebook: str,
    seed: str,
    packages: Path,
    *,
    library: bool = True,
    report: Callable[[ExerciseResult], object] = lambda result: None,
) -> Marks:
    """Return the marks of a notebook.

    packages  the folder with the packages that the student's program can import
    library   whether the program may call functions of the library that solve an exercise
    report    is called with each result as soon as there is one
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
            random.seed(f"{seed} {asked.exercise.key}")
            with use_seed(seed):
                result = _result(asked.exercise, session.feedback(asked))
            if words := _library_words(asked.exercise, called, session.library):
                marks.review_notes.append(f"{asked.exercise.key}: {words}")
                if result.points and not library:
                    feedback = Feedback(False, f"{words} {WRITE_IT_YOURSELF_MESSAGE}")
                    result = _result(asked.exercise, feedback)
            found[asked.exercise.key] = replace(result, cost=session.cost)
            report(found[asked.exercise.key])
    marks.results = [found[asked.exercise.key] for asked in all_asked]
    marks.remarks += session.remarks()
    marks.review_notes += session.review_notes
    return marks


def prepare_checks(notebook: str, seed: str) -> None:
    """Prepare all checks of a notebook, so that the forks of this process need not do it.

    This draws their questions, and reads the solutions and the names of the library.  The checks
    get a program that is not written, so they ask it only their first question.
    """

    def not_written(*arguments: Any) -> None:
        raise NotImplementedError

    with use_seed(seed):
        for asked in check_calls(notebook):
            _ask_check(asked, [not_written] * len(asked.names))
            solution_names(asked.exercise)
    library_names()


def _library_words(exercise: Exercise, called: dict[str, list[str]], ran: Sequence[str]) -> str:
    """Return what a program of an exercise uses of the library, in words; "" if it may.

    called  the names in its text, by exercise
    ran     the names of the code that has run
    """
    allowed = solution_names(exercise)
    names = [*called.get(exercise.key, ()), *(name for name in ran if name not in allowed)]
    if exercise.library or not names:
        return ""
    listed = ", ".join(f"`{name}`" for name in dict.fromkeys(names))
    return LIBRARY_CALL_MESSAGE.format(names=listed)


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


def _ask_check(asked: CheckCall, values: Sequence[Any]) -> Feedback:
    """Return what the check of an exercise says, or the check that must pass before it."""
    exercise = asked.exercise
    if exercise.prerequisite:
        module, _, name = exercise.prerequisite.partition(":")
        first: Feedback = getattr(import_module(module), name)(*values)
        if not first:
            return first
    lesson = exercise.notebook.partition("_")[2]
    check = getattr(import_module(f"course.lessons.{lesson}.check"), exercise.check)
    feedback: Feedback = check(*values, **asked.options)
    return feedback


class _MarkingSession:
    """A student's process, which is restarted if the student's program ends it."""

    def __init__(self, cells: list[CodeCell], packages: Path, mode: str = "") -> None:
        self.cells, self.start_process = cells, partial(StudentProcess, packages, mode)
        self.review_notes: list[str] = []
        self.cost = 0  # of a position in the last check, in microseconds
        self.library: list[str] = []  # what of it has run in the last exercise
        self.lost_seconds = 0.0  # on what did not end
        self.endless: dict[str, str] = {}  # the names of functions -> where they did not end
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
        self.library = []
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
        # A match has its own limit, since it asks many short questions.
        most = exercise.seconds or self._limit(check_runner.CPU_SECONDS)
        process.set_cpu_limit(most, call_seconds=self._limit(CALL_CPU_SECONDS))
        process.reset(shows_boards=exercise.shows_boards, watch=not exercise.library)
        try:
            missing, values = process.read_values(cell, names)
        except Exception as error:  # the student's program raised it
            return check_runner.feedback_on(error)
        if missing:
            return self._missing_name_feedback(cell, missing)
        called = str(getattr(values[0], "__name__", "")) if values else ""
        if self.endless.get(called, exercise.key) != exercise.key:
            words = ENDLESS_MESSAGE.format(name=called, key=self.endless[called])
            return Feedback(False, words)
        feedback = _ask_check(asked, values)
        if process.lost_seconds:
            self.lost_seconds += process.lost_seconds
            self.endless[called] = exercise.key
        self.library = list(process.library)
        self._note_odd_computing(exercise, process)
        if feedback.attempted:
            return feedback
        unwritten = " and ".join(f"`{name}`" for name in names)
        return replace(feedback, message=UNWRITTEN_MESSAGE.format(names=unwritten))

    def _limit(self, seconds: float) -> float:
        """Return how many seconds a part may have that has `seconds` if nothing was lost yet."""
        left = max(MAX_LOST_SECONDS - self.lost_seconds, MIN_LEFT_SECONDS)
        return min(seconds, left / 2)

    def _note_odd_computing(self, exercise: Exercise, process: StudentProcess) -> None:
        """Note what shows that an agent is not the student's, or searches a board of its own."""
        notes, key = self.review_notes, exercise.key
        if process.generated >= MIN_POSITIONS_FOR_COST:
            self.cost = round(1e6 * process.cpu_seconds_since_limits() / process.generated)
        if self.cost > COSTLY_MICROSECONDS:
            notes.append(COST_MESSAGE.format(key=key, cost=self.cost))
        if process.longest_pauses and (share := median(process.longest_pauses)) > MAX_PAUSE_SHARE:
            notes.append(PAUSE_MESSAGE.format(key=key, share=round(100 * share)))
        if agent := agent_with_same_moves(process.moves):
            notes.append(SAME_MOVES_MESSAGE.format(key=key, agent=agent))

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
            process.set_cpu_limit(self._limit(CELL_SECONDS))
            try:
                names = sorted(
                    {name for calls in cell.check_arguments.values() for name in sum(calls, ())}
                )
                process.send_request("run", cell=cell.name, source=cell.source, keep=names)
            except StudentProcessError as error:
                why = str(error).replace("the check was", "the cell was")
                self.errors.setdefault(cell.name, why)
                self.lost_seconds += process.lost_seconds
                return cell.name
            except Exception as error:
                self.errors.setdefault(cell.name, f"the cell {describe_error(error)}"[:400])
        return None
