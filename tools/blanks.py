"""The holes in the cell of an exercise, and the solution put into them: text in, text out.

A hole is the `raise NotImplementedError` that ends a function, a line of it with three dots, or a
value that stands for one to be found.  With `marked`, nbgrader's marks stand around what is put in,
and the blank is kept: when nbgrader takes the solution out, what is left is the cell as students
get it.
"""

import ast
from typing import Any

from arena.source import indented, source_lines
from course.exercises.catalogue import Exercise, function_body, helpers

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
BLANK = "raise NotImplementedError"

Edit = tuple[int, int, list[str]]  # first line, line after the last one, lines instead


class BlankError(Exception):
    """A cell without the hole that a solution is for."""


def fill_blank(source: str, exercise: Exercise, *, marked: bool = False) -> str:
    """Return the source of a cell with the solution of its exercise in it."""
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
    """Return how to fill a function: with what its solution has and the cell has not.

    Where lines have three dots, that is the whole solution.
    """
    node: Any = ast.parse(source)
    for part in name.split("."):
        node = _find_statement(node, part, (ast.FunctionDef, ast.ClassDef))
    *given, first = node.body
    if any(isinstance(part, ast.Constant) and part.value is ... for part in ast.walk(node)):
        first = node.body[ast.get_docstring(node) is not None]
    elif ast.unparse(first) != BLANK:
        raise BlankError(f"{name} does not end with `{BLANK}`, and has no three dots")
    else:
        solution = _missing_statements(solution, given, marked)
    margin = " " * first.col_offset
    new = source_lines(indented(solution, margin))
    if marked:  # below what returns, the blank is not reached
        blank = source_lines(source)[first.lineno - 1 : node.end_lineno]
        new = [f"{margin}{BEGIN}", *new, f"{margin}{END}", *blank]
    return first.lineno - 1, node.end_lineno, new


def _missing_statements(solution: str, given: list[ast.stmt], marked: bool) -> str:
    """Return the statements of a solution after those that the cell gives, its docstring aside."""
    statements = ast.parse(solution).body
    known = {ast.dump(node) for node in given}
    rest = [node for node in statements if ast.dump(node) not in known]
    lines = source_lines(solution)[rest[0].lineno - 1 :]
    if marked and not isinstance(rest[-1], ast.Return):
        lines.append("return")  # so that the blank below is not reached
    return "\n".join(lines)


def _assign_value(source: str, name: str, value: str, marked: bool) -> Edit:
    """Return how to give a value to a name: in the place of the blank, or after it."""
    node = _find_statement(ast.parse(source), name, (ast.Assign,))
    line = f"{name} = {value}"
    if marked:
        return node.end_lineno, node.end_lineno, [BEGIN, line, END]
    return node.lineno - 1, node.end_lineno, [line]


def _insert_helpers(source: str, sources: list[str], marked: bool) -> Edit:
    """Return how to put what a solution needs above the first function of the cell."""
    first = ast.parse(source).body[0].lineno - 1
    lines = source_lines("\n\n\n".join(sources))
    return first, first, [BEGIN, *lines, END] if marked else [*lines, "", ""]


def _find_statement(tree: ast.AST, name: str, kinds: tuple[type, ...]) -> Any:
    """Return the statement of one of these kinds that gives something to a name."""
    for node in ast.iter_child_nodes(tree):
        names = (
            [node.name] if hasattr(node, "name") else map(ast.unparse, getattr(node, "targets", []))
        )
        if isinstance(node, kinds) and name in names:
            return node
    raise BlankError(f"the cell gives nothing to the name {name}")
