"""Put the solution of an exercise into its cell, as text.

The blank of a cell is a `raise NotImplementedError` at the end of a function, a line with three
dots in it, or a placeholder value.  With `marked=True` the solution is added above the blank, and
the comments that nbgrader looks for around it.  When nbgrader removes the solution, what remains is
the cell that students get.
"""

import ast
from typing import Any

from arena.source import indented, source_lines
from course.exercises.catalogue import Exercise, function_body, helpers

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
BLANK = "raise NotImplementedError"

Edit = tuple[
    int, int, list[str]
]  # first line, line after the last one, the lines that replace them


class BlankError(Exception):
    """The cell of an exercise has no blank into which the solution could go."""


def fill_blank(source: str, exercise: Exercise, *, marked: bool = False) -> str:
    """Return the source of a cell with its blank replaced by the solution of the exercise.

    marked  whether to keep the blank, and to put the solution between nbgrader's comments

    BlankError if the cell has no blank for the solution.
    """
    edits = [
        _fill_function(source, name, function_body(place, name), marked)
        for name, place in exercise.reference.items()
    ]
    edits += [_assign_value(source, name, value, marked) for name, value in exercise.answer.items()]
    if exercise.needs:
        edits.append(_insert_helpers(source, helpers(exercise), marked))
    lines = source_lines(source)
    for first, last, new in sorted(edits, reverse=True):
        lines[first:last] = new
    return "\n".join(lines)


def _fill_function(source: str, name: str, solution: str, marked: bool) -> Edit:
    """Return the edit that fills a function with the missing statements of its solution.

    If a line has three dots, the whole solution replaces the body.
    """
    node: Any = ast.parse(source)
    for part in name.split("."):
        node = _find_statement(node, part, (ast.FunctionDef, ast.ClassDef))
    *given, first = node.body
    if any(isinstance(part, ast.Constant) and part.value is ... for part in ast.walk(node)):
        first = node.body[ast.get_docstring(node) is not None]
    elif ast.unparse(first) != BLANK:
        raise BlankError(f"{name} must end with `{BLANK}` or have a line with three dots")
    else:
        solution = _missing_statements(solution, given, marked)
    margin = " " * first.col_offset
    new = source_lines(indented(solution, margin))
    if marked:  # the solution returns, so the blank below it is not reached
        blank = source_lines(source)[first.lineno - 1 : node.end_lineno]
        new = [f"{margin}{BEGIN}", *new, f"{margin}{END}", *blank]
    return first.lineno - 1, node.end_lineno, new


def _missing_statements(solution: str, given: list[ast.stmt], marked: bool) -> str:
    """Return the source of those statements of a solution that the cell does not contain yet."""
    statements = ast.parse(solution).body
    known = {ast.dump(node) for node in given}
    rest = [node for node in statements if ast.dump(node) not in known]
    lines = source_lines(solution)[rest[0].lineno - 1 :]
    if marked and not isinstance(rest[-1], ast.Return):
        lines.append("return")  # so that the blank below is not reached
    return "\n".join(lines)


def _assign_value(source: str, name: str, value: str, marked: bool) -> Edit:
    """Return the edit that assigns a value to a name, instead of the blank or after it."""
    node = _find_statement(ast.parse(source), name, (ast.Assign,))
    line = f"{name} = {value}"
    if marked:
        return node.end_lineno, node.end_lineno, [BEGIN, line, END]
    return node.lineno - 1, node.end_lineno, [line]


def _insert_helpers(source: str, sources: list[str], marked: bool) -> Edit:
    """Return the edit that puts helper functions above the first statement of the cell."""
    first = ast.parse(source).body[0].lineno - 1
    lines = source_lines("\n\n\n".join(sources))
    return first, first, [BEGIN, *lines, END] if marked else [*lines, "", ""]


def _find_statement(tree: ast.AST, name: str, kinds: tuple[type, ...]) -> Any:
    """Return the statement of one of these kinds that defines a name; BlankError if none does."""
    for node in ast.iter_child_nodes(tree):
        names = (
            [node.name] if hasattr(node, "name") else map(ast.unparse, getattr(node, "targets", []))
        )
        if isinstance(node, kinds) and name in names:
            return node
    raise BlankError(f"the cell must define the name {name}")
