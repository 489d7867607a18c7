"""Find the statements of a program that define some names (a program slice).

Only names at the top level are followed, in the source code.  A statement that changes an object
without naming it, for example by `setattr`, is not found.
"""

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import TypeGuard


def slice_groups(
    groups: Sequence[list[ast.stmt]], wanted: set[str], kept: Collection[ast.stmt] = ()
) -> list[list[ast.stmt]]:
    """Return the statements of each group that the wanted names depend on.

    A statement is needed if it defines or changes a wanted name; then all names that it reads are
    wanted, too.  Imports keep only the names that are needed.  The statements in `kept` are
    returned in any case, and what they read is not added to the wanted names.
    """
    statements, wanted = [node for group in groups for node in group], set(wanted)
    modules = {name for node in statements if _is_import(node) for name in bound_names(node)}
    gives = {node: bound_names(node) | (mutated_names(node) - modules) for node in statements}
    left = {node for node in statements if node not in kept}
    while needed := {node for node in left if wanted & gives[node]}:
        wanted.update(*map(read_names, needed))
        left -= needed
    return [
        [_narrow_import(node, wanted) for node in group if node in kept or wanted & gives[node]]
        for group in groups
    ]


def names_from_outside(nodes: Iterable[ast.stmt], bound: Iterable[str] = ()) -> set[str]:
    """Return the names that some statements read, except those that they have bound before.

    A name counts as bound after a statement that binds it in any case, but not after a branch or
    a loop.  What a function reads, it reads later, when its own name is bound.

    bound  the names that are bound at the start
    """
    outside, bound = set[str](), set(bound)
    for node in nodes:
        outside |= _names_read_first(node, bound) - bound
        bound |= always_bound_names(node)
    return outside


def always_bound_names(node: ast.stmt) -> set[str]:
    """Return the names that a statement binds in any case."""
    match node:
        case ast.Assign(targets=targets):
            return {name for target in targets for name in bound_names(target)}
        case ast.Import() | ast.ImportFrom() | ast.FunctionDef() | ast.ClassDef():
            return bound_names(node)
    return set()


def _names_read_first(node: ast.stmt, bound: set[str]) -> set[str]:
    """Return the names that a statement reads before it binds them; some of them may be bound."""
    match node:
        case ast.Assign(targets=targets, value=value):
            return _names_in([value, *map(_read_part, targets)])
        case ast.FunctionDef(name=name, body=body):
            around = [part for part in ast.iter_child_nodes(node) if part not in body]
            return _names_in(around) | (read_names(node) - {name})
        case ast.For(target=target, iter=values, body=body, orelse=other):
            inside = names_from_outside(body, bound | bound_names(target))
            return (
                inside | _names_in([values, _read_part(target)]) | names_from_outside(other, bound)
            )
        case (
            ast.If(test=test, body=body, orelse=other)
            | ast.While(test=test, body=body, orelse=other)
        ):
            inside = names_from_outside(body, bound) | names_from_outside(other, bound)
            return inside | read_names(test)
    return read_names(node)


def _read_part(target: ast.expr) -> ast.expr:
    """Return the part of an assignment's target that is read: none of a plain name."""
    match target:
        case ast.Name():
            return ast.Constant(None)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return ast.Tuple([*map(_read_part, parts)])
        case ast.Starred(value=part):
            return _read_part(part)
    return target


def bound_names(node: ast.AST) -> set[str]:
    """Return the names that a statement binds in its own scope."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Import(names=aliases) | ast.ImportFrom(names=aliases):
            return {(alias.asname or alias.name).partition(".")[0] for alias in aliases}
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            return {name}
        case ast.Lambda() | ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return set()
    return {name for child in ast.iter_child_nodes(node) for name in bound_names(child)}


def read_names(node: ast.AST) -> set[str]:
    """Return the free names of a statement, including those of the functions in it."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda():
            inner = node.body if isinstance(node.body, list) else [node.body]
            own = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
            own |= {name for each in inner for name in bound_names(each)}
            shared = {name for part in ast.walk(node) if _is_shared(part) for name in part.names}
            around = [part for part in ast.iter_child_nodes(node) if part not in inner]
            return _names_in(around) | (_names_in(inner) - (own - shared))
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            own = {name for each in node.generators for name in bound_names(each.target)}
            return _names_in(ast.iter_child_nodes(node)) - own
    return _names_in(ast.iter_child_nodes(node))


def _names_in(nodes: Iterable[ast.AST]) -> set[str]:
    return {name for node in nodes for name in read_names(node)}


def _is_shared(node: ast.AST) -> TypeGuard[ast.Global | ast.Nonlocal]:
    return isinstance(node, ast.Global | ast.Nonlocal)


def mutated_names(node: ast.AST) -> set[str]:
    """Return the names whose objects a statement changes: `x[0] = 1`, `x.y = 1`, `x.append(1)`."""
    parts: list[ast.AST] = [
        part
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute | ast.Subscript) and not isinstance(part.ctx, ast.Load)
    ]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        parts.append(node.value.func)
    return set(filter(None, map(_root, parts)))


def _root(node: ast.AST) -> str:
    """Return the name at the beginning of `x.y[0].z`; "" for a name alone, or anything else."""
    inner = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        inner = inner.value
    return inner.id if isinstance(inner, ast.Name) and inner is not node else ""


def _is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def _narrow_import(node: ast.stmt, wanted: set[str]) -> ast.stmt:
    """Return an import with its wanted names only; return any other statement unchanged."""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        return node
    aliases = [each for each in node.names if bound_names(ast.Import(names=[each])) & wanted]
    return ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "names": aliases}), node)
