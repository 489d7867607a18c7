"""Find the code to run in a submitted notebook, and the calls of checks in it.

The student's own call of a check names the functions to check.  If there is no call, the call in
the notebook of the course does.
"""

import ast
import json
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import arena
import gamelib
from arena.source import source_lines
from course.exercises.catalogue import Exercise, catalogue, exercise_of, solution_text
from tools.check_modules import ROOT
from tools.slicing import always_bound_names, bound_names, names_from_outside, slice_groups

MAX_CELL_CHARS = 100_000  # characters of code in a cell: Python needs a kilobyte for each of them
MAX_CODE_CHARS = 400_000  # characters of code in a notebook
RECURSION_LIMIT = 60_000  # calls inside each other: a long chain of `elif` is a deep tree


class UnreadableError(Exception):
    """A file is not a notebook that can be marked; the message says why."""


@dataclass(frozen=True)
class CheckCall:
    """The call of an exercise's check: the names of its arguments, and its options as values."""

    exercise: Exercise
    names: tuple[str, ...]
    options: dict[str, Any]


Names = tuple[str, ...]


@dataclass(frozen=True)
class CodeCell:
    """A code cell of a student's notebook.

    source           the code to run
    nodes            the statements of the cell
    check_arguments  exercise -> the arguments of each call of its check; their values are stored
                     after the cell has run
    by_student       whether the student wrote or changed the cell
    """

    name: str
    source: str
    nodes: list[ast.stmt]
    check_arguments: dict[str, list[Names]]
    by_student: bool


@cache
def check_calls(notebook: str) -> tuple[CheckCall, ...]:
    """Return the check calls of a notebook's exercises that give points; ValueError for none."""
    marked = [each for each in catalogue().values() if each.points]
    known = [each for each in marked if each.notebook == notebook]
    if not known:
        named = sorted({each.notebook for each in marked})
        raise ValueError(f"the notebooks with exercises are {', '.join(named)}; got {notebook!r}")
    cells, found = {cell.get("id"): _source(cell) for cell in blank_cells(notebook)}, []
    for exercise in known:
        call: Any = ast.parse(cells[exercise.cell]).body[-1]
        names = tuple(argument.id for argument in call.value.args)
        options = {option.arg: ast.literal_eval(option.value) for option in call.value.keywords}
        found.append(CheckCall(exercise, names, options))
    return tuple(found)


@cache
def blank_cells(notebook: str) -> list[dict[str, Any]]:
    """Return the code cells of a notebook of the course."""
    return read_code_cells((ROOT / "notebooks" / f"{notebook}.ipynb").read_bytes())


def read_code_cells(content: bytes) -> list[dict[str, Any]]:
    """Return the code cells of a file; UnreadableError if it is not a notebook."""
    if not content.strip():
        raise UnreadableError("The file is empty.")
    try:
        cells = json.loads(content)["cells"]
        found = [cell for cell in cells if cell["cell_type"] == "code"]
        lengths = [len(_source(cell)) for cell in found]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UnreadableError("The file is no notebook that Jupyter could read.") from None
    if not found:
        raise UnreadableError("The notebook has no cell with code.")
    if (total := sum(lengths)) > MAX_CODE_CHARS:
        words = (
            f"The notebook has {total:,} characters of code. At most {MAX_CODE_CHARS:,} are read."
        )
        raise UnreadableError(words)
    return found


def _source(cell: dict[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def prepare_submission(
    content: bytes, notebook: str
) -> tuple[list[CodeCell], dict[str, list[str]]]:
    """Return the cells to run, in their order, and exercise -> the library functions that it calls.

    UnreadableError if the file is not a notebook, or nested more deeply than Python can read.
    """
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
    try:
        known = {_source(cell).strip() for cell in blank_cells(notebook)}
        parts, all_asked = [], check_calls(notebook)
        for number, cell in enumerate(read_code_cells(content), 1):
            source, nodes = _as_python(_source(cell))
            called = [part for node in nodes for part in ast.walk(node) if _called_name(part)]
            calls = {
                asked.exercise.key: _calls_among(called, asked, all_asked) for asked in all_asked
            }
            keep = {key: names for key, names in calls.items() if names}
            own = _source(cell).strip() not in known
            name = str(cell.get("id") or f"cell {number}")[:40]
            parts.append(CodeCell(name, source, nodes, keep, own))
        for asked in all_asked:  # without any call, the cell with the exercise's id counts as one
            if not any(asked.exercise.key in part.check_arguments for part in parts):
                ends = [part for part in parts if part.name == asked.exercise.cell]
                if ends:
                    ends[-1].check_arguments[asked.exercise.key] = [asked.names]
        return _cells_to_run(parts, notebook), _library_calls(parts, notebook)
    except (RecursionError, MemoryError):
        raise UnreadableError("The notebook has a cell that is nested too deeply.") from None
    finally:
        sys.setrecursionlimit(limit)


def _cells_to_run(parts: list[CodeCell], notebook: str) -> list[CodeCell]:
    """Return the cells that the student changed or added, without their calls of checks.

    The other cells contain only the statements that these cells need, or that define what is
    checked.  A cell of the notebook is not needed for a name that a student's cell itself defines.
    """
    found_keys = {key for part in parts for key in part.check_arguments}
    all_asked = check_calls(notebook)
    wanted = {n for each in all_asked if each.exercise.key not in found_keys for n in each.names}
    kept: set[ast.stmt] = set()
    for part in parts:
        checked = {name for calls in part.check_arguments.values() for name in sum(calls, ())}
        nodes = [node for node in part.nodes if not _is_check(node)]
        if not part.by_student:
            (needed,) = slice_groups([nodes], checked)
            nodes = [node for node in needed if node in nodes]  # imports are wanted by their names
        kept.update(nodes)
        bound = {name for node in nodes for name in always_bound_names(node)}
        wanted |= names_from_outside(nodes) | (checked - bound)
    groups = slice_groups([part.nodes for part in parts], wanted, kept)
    found = []
    for part, group in zip(parts, groups, strict=True):
        text = ast.unparse(ast.Module(group, []))
        if part.by_student:
            text = _without_checks(part.source, part.nodes)
        if text.strip() or part.check_arguments:
            found.append(replace(part, source=text))
    return found


def _as_python(source: str) -> tuple[str, list[ast.stmt]]:
    """Return the source of a cell as plain Python, without IPython's commands, and its statements.

    `%%time` and `%%capture` are removed, so that the names in the cell can be found.
    """
    if len(source) > MAX_CELL_CHARS:
        words = f"{len(source):,} characters are too many for a cell"
        return f"raise SyntaxError({words!r})", []
    if source.lstrip().startswith(("%%time", "%%capture")):
        source = "\n" + source.lstrip().partition("\n")[2]
    try:
        return source, ast.parse(source).body
    except (SyntaxError, ValueError):
        from IPython.core.inputtransformer2 import TransformerManager

        with suppress(Exception):  # a cell that cannot be parsed runs unchanged, and fails
            source = TransformerManager().transform_cell(source)
            return source, ast.parse(source).body
    except (RecursionError, MemoryError):
        return "raise SyntaxError('too many brackets')", []
    return source, []


def _without_checks(source: str, nodes: list[ast.stmt]) -> str:
    """Return a cell with `...` instead of the calls of checks, which run in the marker.

    All other statements keep their lines, so that errors name the lines of the student's cell.
    """
    lines = source_lines(source)
    for node in reversed(nodes):  # so that the columns of the others stay right
        if _is_check(node):
            first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
            before = lines[first].encode()[: node.col_offset].decode()  # columns are in bytes
            after = lines[last].encode()[node.end_col_offset :].decode()
            lines[first] = before
            lines[first + 1 : last + 1] = [""] * (last - first)
            lines[last] += f"...{after}"
    return "\n".join(lines)


def _is_check(node: ast.stmt) -> bool:
    """Return whether a statement is the call of a check, which runs in the marker."""
    return isinstance(node, ast.Expr) and _called_name(node.value).startswith("check_")


def _called_name(node: ast.AST) -> str:
    """Return the name of the called function, without its module; "" if it is not a call."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name)) | ast.Call(func=ast.Name(id=name)):
            return name
    return ""


def _library_calls(parts: list[CodeCell], notebook: str) -> dict[str, list[str]]:
    """Return exercise -> the library functions that its program uses and its solution does not.

    Exercises that allow the library are left out.
    """
    imports: list[list[ast.stmt]] = [
        [node for node in part.nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        for part in parts
    ]
    own = [part for part in parts if part.by_student]
    found = {}
    for asked in check_calls(notebook):
        exercise = asked.exercise
        names = [
            asked.names,
            *(each for part in own for each in part.check_arguments.get(exercise.key, ())),
        ]
        groups = slice_groups([*imports, *(part.nodes for part in own)], set(sum(names, ())))
        used = [node for group in groups for node in group]
        defined = {
            name
            for node in used
            if not isinstance(node, ast.ImportFrom)
            for name in bound_names(node)
        }
        called = (_names_read(used) & library_names()) - defined - solution_names(exercise)
        if called and not exercise.library:
            found[exercise.key] = sorted(called)
    return found


def solution_names(exercise: Exercise) -> frozenset[str]:
    """Return the names that the solution of an exercise reads: these may be used."""
    return _solution_names(exercise.key)


@cache
def _solution_names(key: str) -> frozenset[str]:
    return frozenset(_names_read([ast.parse(solution_text(exercise_of(key)))]))


def _names_read(nodes: Iterable[ast.AST]) -> set[str]:
    """Return all names that some code reads: plain names, attributes, and imported names."""
    parts = [part for node in nodes for part in ast.walk(node)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    names |= {part.attr for part in parts if isinstance(part, ast.Attribute)}
    return names | {part.name for part in parts if isinstance(part, ast.alias)}


@cache
def library_names() -> frozenset[str]:
    """Return the names of the functions of `gamelib` and `arena`: searches, theorems, counts."""
    return frozenset(
        name
        for package in (gamelib, arena)
        for name in package.__all__
        if callable(thing := getattr(package, name)) and not isinstance(thing, type)
    )


def _calls_among(
    called: Iterable[ast.AST], asked: CheckCall, all_asked: Iterable[CheckCall]
) -> list[Names]:
    """Return the arguments of each call of an exercise's check among some calls."""
    check, options = asked.exercise.check, asked.options
    others = [each.options for each in all_asked if each.exercise.check == check]
    # These options distinguish the exercise from others with the same check.
    tell = [n for n in options if any(other.get(n) != options[n] for other in others)]
    found: list[Names] = []
    for call in called:
        if not isinstance(call, ast.Call) or _called_name(call) != check:
            continue
        given = [each.id for each in call.args if isinstance(each, ast.Name)]
        said = {each.arg: ast.unparse(each.value) for each in call.keywords}
        fits = len(given) == len(call.args) == len(asked.names)
        if fits and all(said.get(name) == repr(options[name]) for name in tell):
            found.append(tuple(given))
    return list(dict.fromkeys(found))
