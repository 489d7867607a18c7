"""Run the benchmarks of this folder, or those named: `python -m tools.benchmarks growth`.

A benchmark is a file with a function `main()` that prints its table.  `peers` compares all programs
and writes docs/speed.md.  Without a name, all benchmarks run except for the longest.
"""

import sys
from importlib import import_module
from pathlib import Path

FILES = sorted(path for path in Path(__file__).parent.glob("*.py") if path.name != "__main__.py")
NAMES = [path.stem for path in FILES if "\ndef main(" in path.read_text(encoding="utf-8")]
LONG = {"kernel_memory", "latency", "solved_boards", "training_curves"}  # minutes, or more


def run(names: list[str]) -> None:
    if unknown := sorted(set(names) - set(NAMES)):
        raise SystemExit(f"the benchmarks are {', '.join(NAMES)}; got {', '.join(unknown)}")
    if not names:
        names = [name for name in NAMES if name not in LONG]
        print(f"All benchmarks, except for the long ones: {', '.join(sorted(LONG))}.")
    for name in names:
        print(f"\n# {name}", flush=True)
        import_module(f"tools.benchmarks.{name}").main()


if __name__ == "__main__":
    run(sys.argv[1:])
