"""Compare the speed of our searches with that of other programs, in one run.

`python -m tools.benchmarks peers` prints the tables and writes them to docs/speed.md.  It takes
some minutes, during which nothing else should run on the machine.

In every round each program works once, so that a busy machine slows all of them equally, and a
ratio is computed for each round.  Times are processor times of this process.  Compiled code is
compiled before the first round.  The reference program in C needs a C compiler, `cc`.  If a program
is missing, the tables are only printed, because docs/speed.md compares all; `make peers` installs
them.
"""

import csv
import os
import platform
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import gamefast
from tools.benchmarks.peer_tables import (
    COMPILED,
    READABLE,
    Workload,
    lost,
    markdown,
    section,
    summary,
)
from tools.benchmarks.peer_workloads import (
    AIMA,
    BITBULLY,
    EASY_AI,
    NAMES,
    OPEN_SPIEL,
    OPEN_SPIEL_C,
    C,
    all_workloads,
)

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/speed.md"
LATENCY, SOLVED_BOARDS, GROWTH = map(
    Path(__file__).with_name, ("latency.csv", "solved_boards.csv", "growth.csv")
)


def stored_table(path: Path) -> str:
    """Return the Markdown table in a CSV file, whose first row has the headings."""
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    return markdown(head, rows)


def store_table(path: Path, rows: Sequence[Sequence[object]]) -> None:
    """Write a table, headings first, to a CSV file, and replace it in docs/speed.md."""
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)
    PAGE.write_text(quote(PAGE.read_text(encoding="utf-8"), stored_table(path), path.stem), "utf-8")


def versions() -> str:
    found = [f"Python {platform.python_version()}"]
    for name in ("numba", "open_spiel", "easyAI", "aima3", "bitbully"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            found.append(f"{name} not installed")
    load = f"load {os.getloadavg()[0]:.1f} at the end" if hasattr(os, "getloadavg") else ""
    return f"{', '.join(found)}; {os.cpu_count()} processors; {load}"


def page(works: Sequence[Workload]) -> str:
    """Return the text of docs/speed.md."""
    sections = "\n".join(section(work, works[:place]) for place, work in enumerate(works))
    return f"""# How fast the searches are

Written by `python -m tools.benchmarks peers`, all in one run. {versions()}.

**What is compared.** {COMPILED} is compiled code for three games that are written by hand:
tic-tac-toe of any size, Connect Four and Nim. OpenSpiel's C++ plays more than a hundred games
through one interface, so part of its time is the price of being general. For every other game we
have only {READABLE}, in plain Python, which takes several times as long as OpenSpiel's C++: compare
the two columns in the rows of MCTS below.

## Where others are faster

A ratio is the time of the other program, divided by that of the fastest of ours. These are all rows
with a ratio below 1, except for those of the program in C, which is there as a limit.

{lost(works, [C])}

## How we measure

In every round each program works once, in turn, and we take the ratios of that round. So a slow
moment of the machine affects all programs, and the ratios are more reliable than the times. We
measure the processor time of one process on one core. Compilation is not included.

- **ratio**: the time of a program, divided by that of the fastest of ours. Below 1, it is faster.
  There is the ratio of the totals and the median of the rounds, with a 95 % interval from
  resampling the rounds, or with the least and the largest of fewer than 20 rounds. An interval is
  about the rounds of this run. Another machine, or another version, may give a ratio outside it.
- **{COMPILED}** and **{READABLE}**: this course, with Numba and in plain Python.
- **{C}**: `tools/benchmarks/c_reference.c`, compiled for this machine. For minimax and alpha-beta
  it is the physical limit; for MCTS it is a plain program of one page.
- **{OPEN_SPIEL_C}** and **{OPEN_SPIEL}**: its searches in C++ and in Python, from its wheel.
  Minimax and alpha-beta exist only in Python, but the states are always in C++.
- **{EASY_AI}**: its Negamax, on its own example games.
- **{AIMA}**: the code of Russell and Norvig's book, from PyPI.
- **{BITBULLY}**: a solver for Connect Four, in C++.

## All at once

The median time of the fastest of ours, and the median ratios of all programs (after that of the
totals, if there are many rounds). An empty cell means that the program does not offer this, or that
we have not measured it.

{summary(works, NAMES)}

## One by one

A note is below the first table to which it applies.

{sections}
## What a student waits for

In JupyterLab in a real browser, each notebook was opened and run by *Run all*, and timed by the
clock. `python -m tools.benchmarks latency` makes `tools/benchmarks/latency.csv`.

<!-- latency -->
{stored_table(LATENCY)}
<!-- end of latency -->

## Boards of Connect Four

The boards were solved from the start, with 4 in a row, in seconds of one processor. `python -m
tools.benchmarks solved_boards` makes `tools/benchmarks/solved_boards.csv`. *As known* means as in
John Tromp's table of outcomes (tromp.github.io/c4/c4.html).

<!-- solved_boards -->
{stored_table(SOLVED_BOARDS)}
<!-- end of solved_boards -->

## How the tree grows

The table counts the leaves of alpha-beta on the empty Connect Four board, with a heuristic, by
depth; the minimum is that of Knuth and Moore. The last line is the mean factor per ply between the
first and the last even depth. `tools/benchmarks/growth.py` explains and makes `growth.csv`.

<!-- growth -->
{stored_table(GROWTH)}
<!-- end of growth -->
"""


def quote(text: str, table: str, name: str) -> str:
    """Return the text with a table between the two comments that name it.

    ValueError unless the comments occur once.
    """
    marked = re.compile(f"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    quoted, times = marked.subn(lambda found: f"{found[1]}{table}\n{found[2]}", text)
    if times != 1:
        raise ValueError(f"the text must have the comments <!-- {name} --> once; it has {times}")
    return quoted


def main() -> None:
    gamefast.warm()
    works = all_workloads()
    for work in works:
        work.run()
        print(f"\n{section(work)}", flush=True)
    print(summary(works, NAMES))
    missing = {one.name for work in works for one in work.programs if one.measure is None}
    if missing:
        names = ", ".join(sorted(missing))
        raise SystemExit(f"docs/speed.md stays as it was, without a comparison with: {names}")
    PAGE.write_text(page(works), encoding="utf-8")
