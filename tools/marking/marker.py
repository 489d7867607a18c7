"""The marks of one hand-in: a student's process answers, the checks of the lesson judge here."""

import random
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path

from course.kit import guarded
from course.kit.blame import raised
from course.kit.catalogue import Exercise
from course.kit.feedback import Feedback
from course.kit.key import seeded
from tools.marking.link import Pupil, PupilError
from tools.marking.program import Asked, Cell, Names, UnreadableError, asked_of, prepared
from tools.marking.pupil import WITHOUT_RULES

MOST_CALLS = 3  # of a check in a notebook are tried, the last ones
CELL_SECONDS = 60.0  # of computing for a cell
MANY = 1000  # positions: with fewer their cost says nothing
COSTLY = 150  # microseconds of computing a position: an honest search with a heuristic takes 30
COSTS = (
    "{key}: it computes for {cost} microseconds a position. Is its heuristic slow, or does it "
    "search a board of its own?"
)
CALLS = "it uses {names} of the library, which the solution does not."
OWN = "Write it yourself: that is the exercise."


@dataclass(frozen=True)
class Verdict:
    """What a check said of an exercise.

    html, text  what the student may read
    cost        microseconds of computing a position, where positions are counted; 0 elsewhere
    """

    key: str
    title: str
    points: int
    most: int
    written: bool
    html: str
    text: str
    cost: int = 0


@dataclass
class Marks:
    """All verdicts on a hand-in, and sentences on what was odd about it.

    remarks  what the student may read
    worth    what is worth a look, for the instructor alone: no verdict, and no mark depends on it
    """

    verdicts: list[Verdict] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    worth: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        """The sum of the points."""
        return sum(verdict.points for verdict in self.verdicts)


def marked(
    content: bytes | None, notebook: str, seed: str, tree: Path, *, library: bool = True
) -> Marks:
    """Return the marks of a notebook.

    tree     holds the packages that its program may see
    library  whether functions of the library may do what an exercise asks for
    """
    try:
        cells, called = prepared(content, notebook)
    except UnreadableError as error:
        return unmarked(notebook, str(error), str(error))
    all_asked, found, marks = asked_of(notebook), dict[str, Verdict](), Marks()
    word = WITHOUT_RULES if any(asked.exercise.boards for asked in all_asked) else ""
    with closing(_Desk(cells, tree, word)) as desk:
        # Those before which the process loses the rules of the games come last.
        for asked in sorted(all_asked, key=lambda asked: asked.exercise.boards):
            key = asked.exercise.key
            random.seed(f"{seed} {key}")
            with seeded(seed):
                found[key] = replace(_verdict(asked.exercise, desk.feedback(asked)), cost=desk.cost)
    for asked in all_asked:
        if names := called.get(key := asked.exercise.key):
            words = CALLS.format(names=", ".join(f"`{name}`" for name in names))
            marks.worth.append(f"{key}: {words}")
            if found[key].points and not library:
                found[key] = _verdict(asked.exercise, Feedback(False, f"{words} {OWN}"))
    marks.verdicts = [found[asked.exercise.key] for asked in all_asked]
    marks.remarks += desk.remarks()
    marks.worth += desk.worth
    return marks


def unmarked(notebook: str, why: str, said: str = "there was nothing to mark.") -> Marks:
    """Return no points for anything, and why; `said` stands with each exercise."""
    nothing = _nothing(said)
    return Marks([_verdict(each.exercise, nothing) for each in asked_of(notebook)], [why])


def _nothing(why: str) -> Feedback:
    return Feedback(False, why, written=False)


def _verdict(exercise: Exercise, feedback: Feedback) -> Verdict:
    points = exercise.points if feedback.passed is True else round(exercise.points * feedback.part)
    html, text = feedback._repr_html_(), repr(feedback)
    return Verdict(
        exercise.key, exercise.title, points, exercise.points, feedback.written, html, text
    )


class _Desk:
    """A student's process, started again where the student's program has ended it."""

    def __init__(self, cells: list[Cell], tree: Path, word: str = "") -> None:
        self.cells, self.new = cells, partial(Pupil, tree, word)
        self.worth: list[str] = []
        self.cost = 0  # of a position in the last check, in microseconds
        self.errors: dict[str, str] = {}  # by cell
        self.told: set[str] = set()  # the cells whose errors stand in a verdict
        self.skipped: set[str] = set()
        self.pupil: Pupil | None = None

    def close(self) -> None:
        """End the process."""
        if self.pupil:
            self.pupil.terminate()

    def feedback(self, asked: Asked) -> Feedback:
        """Return what the check of an exercise says: of the last call of it that passes."""
        key = asked.exercise.key
        calls = [(cell.name, names) for cell in self.cells for names in cell.keep.get(key, ())]
        said: list[Feedback] = []
        for cell, names in calls[: -MOST_CALLS - 1 : -1] or [("", asked.names)]:
            said.append(self._said(asked, cell, names))
            if said[-1].passed is True:
                return said[-1]
        return max(said, key=lambda feedback: feedback.part)

    def _said(self, asked: Asked, cell: str, names: Names) -> Feedback:
        self.cost = 0
        try:
            pupil = self.ready()
        except PupilError as error:
            return Feedback(False, str(error))
        exercise = asked.exercise
        pupil.compute(exercise.seconds or guarded.LIMIT)
        pupil.begin(boards=exercise.boards)
        lesson = exercise.notebook.partition("_")[2]
        check = getattr(import_module(f"course.lessons.{lesson}.check"), exercise.check)
        try:
            missing, values = pupil.values(cell, names)
        except Exception as error:  # whatever it was, it was raised there
            return guarded.feedback_on(error)
        if missing:
            return self._missing(cell, missing)
        if exercise.before:
            module, _, name = exercise.before.partition(":")
            if not (first := getattr(import_module(module), name)(*values)):
                return first
        feedback: Feedback = check(*values, **asked.options)
        self.cost = (
            round(1e6 * pupil.cpu_seconds_since_limits() / pupil.made) if pupil.made >= MANY else 0
        )
        if self.cost > COSTLY:  # it shows rules of one's own
            self.worth.append(COSTS.format(key=exercise.key, cost=self.cost))
        return feedback

    def remarks(self) -> list[str]:
        """Return the errors of cells that a student wrote, as far as no verdict tells them."""
        own = {cell.name for cell in self.cells if cell.own} - self.told
        return [
            f"In the cell `{name}`: {what}" for name, what in self.errors.items() if name in own
        ]

    def _missing(self, cell: str, name: str) -> Feedback:
        """Return feedback on a name that a cell does not define; "" if no cell calls the check."""
        if not cell:
            return _nothing(f"the notebook has no cell for this exercise, and defines no `{name}`.")
        error = self.errors.get(cell, "")
        self.told.add(cell)
        why = f" {error[0].upper()}{error[1:]}" if error else ""
        return Feedback(False, f"its cell defines no `{name}`.{why}")

    def ready(self) -> Pupil:
        """Return a process in which the notebook has run."""
        if self.pupil and self.pupil.asked:  # a check was ended before it had its answer
            self.pupil.terminate()
        while self.pupil is None or not self.pupil.alive:
            self.pupil = self.new()
            if (ended := self._run(self.pupil)) is not None:
                self.skipped.add(ended)
        return self.pupil

    def _run(self, pupil: Pupil) -> str | None:
        """Run the cells; return the name of the one that has ended the process, if one has."""
        for cell in self.cells:
            if cell.name in self.skipped:
                continue
            pupil.compute(CELL_SECONDS)
            try:
                names = sorted({name for calls in cell.keep.values() for name in sum(calls, ())})
                pupil.ask("run", cell=cell.name, source=cell.source, keep=names)
            except PupilError as error:
                why = str(error).replace("the check was", "the cell was")
                self.errors.setdefault(cell.name, why)
                return cell.name
            except Exception as error:
                self.errors.setdefault(cell.name, f"the cell {raised(error)}"[:400])
        return None
