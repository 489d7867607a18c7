"""Put small faults into a copy of the course, one at a time, and count how many the tests find.

    python -m tools.mutation_testing gamelib -- tests/search tests/games        # 40 faults, seed 0
    python -m tools.mutation_testing gamelib gamefast --number 100 --seed 3 --list left.txt -- tests

To compare two versions of the tests, use the same seed: for the same code it draws the same faults.
"""

import argparse
import ast
import copy
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ROOT = Path.cwd()
TEST_SECONDS = 300  # for the tests of one fault
COPIED_FOLDERS = ("gamelib", "gamefast", "arena", "course", "tools", "tests", "docs", "notebooks")
SWAPPED_OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.And: ast.Or,
    ast.Or: ast.And, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip


def possible_mutations(tree: ast.Module) -> Iterator[tuple[ast.AST, str, object]]:
    """Yield (node, name of a field, new value of the field) for each possible fault."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPPED_OPERATORS:
            yield node, "ops", [SWAPPED_OPERATORS[type(node.ops[0])](), *node.ops[1:]]
        elif isinstance(node, ast.BinOp | ast.BoolOp) and type(node.op) in SWAPPED_OPERATORS:
            yield node, "op", SWAPPED_OPERATORS[type(node.op)]()
        elif isinstance(node, ast.Constant) and type(node.value) is bool:
            yield node, "value", not node.value
        elif isinstance(node, ast.Constant) and type(node.value) is int:
            yield node, "value", node.value + 1
        elif isinstance(node, ast.If | ast.IfExp | ast.While):
            yield node, "test", ast.UnaryOp(ast.Not(), copy.copy(node.test))
        elif isinstance(node, ast.Return) and node.value is not None:
            yield node, "value", ast.Constant(None)


def mutation_sites(paths: list[str]) -> list[tuple[str, int]]:
    """Return (file, number of the fault in it) for every possible fault in some files."""
    files = [
        file for path in paths for file in sorted((ROOT / path).rglob("*.py")) or [ROOT / path]
    ]
    names = [str(file.relative_to(ROOT)) for file in files]
    return [
        (name, number)
        for name in names
        for number, _ in enumerate(possible_mutations(ast.parse((ROOT / name).read_text())))
    ]


def mutated_source(source: str, number: int) -> tuple[str, str]:
    """Return a program with one fault in it, and the number and the text of the faulty line."""
    tree = ast.parse(source)
    node, field, value = list(possible_mutations(tree))[number]
    setattr(node, field, value)
    line = getattr(node, "lineno", 1)
    first, _, _ = ast.unparse(node).partition("\n")
    text = f"{line}: {first}"
    return ast.unparse(ast.fix_missing_locations(tree)), text


def is_killed(copied: Path, tests: list[str]) -> bool:
    """Return whether a test fails, or takes longer than TEST_SECONDS, in the copy."""
    options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "tests.quick_start")
    command = [sys.executable, "-m", "pytest", *options, *tests]
    there = {**os.environ, "PYTHONPATH": str(copied)}
    try:
        run = subprocess.run(
            command, cwd=copied, capture_output=True, timeout=TEST_SECONDS, env=there
        )
    except subprocess.TimeoutExpired:
        return True
    return run.returncode != 0


def main() -> None:
    """Try the faults that the command line asks for, and print each one that no test finds."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutation_testing", description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--list", type=Path, help="write the faults that no test finds to this file"
    )
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options, tests = parser.parse_args(sys.argv[1:cut]), sys.argv[cut + 1 :]
    every = mutation_sites(options.paths)
    drawn = random.Random(options.seed).sample(every, min(options.number, len(every)))
    left = []
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder)
        for name in COPIED_FOLDERS:
            shutil.copytree(ROOT / name, copied / name, symlinks=True)
        for file in ROOT.glob("*.*l"):
            shutil.copy(file, copied)
        if is_killed(copied, tests):
            sys.exit("The tests fail without any fault. Repair them first.")
        for count, (name, number) in enumerate(drawn, 1):
            source = (copied / name).read_text()
            text, line = mutated_source(source, number)
            (copied / name).write_text(text)
            if not is_killed(copied, tests):
                left.append(f"{name}\t{number}\t{line}")
                print(f"not found: {name}:{line}", flush=True)
            (copied / name).write_text(source)
            print(f"{count - len(left)} of {count} found", end="\r", file=sys.stderr)
    print(f"{len(drawn) - len(left)} of {len(drawn)} faults found ({', '.join(tests)})")
    if options.list:
        options.list.write_text("".join(f"{row}\n" for row in left))


if __name__ == "__main__":
    main()
