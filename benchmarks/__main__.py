"""Run every benchmark of this folder, or those named: `python -m benchmarks minimax`.

A benchmark is a file with a function `main()` that prints its table.
"""

import sys
from importlib import import_module
from pathlib import Path

FILES = sorted(path for path in Path(__file__).parent.glob("*.py") if path.name != "__main__.py")
NAMES = [path.stem for path in FILES if "\ndef main(" in path.read_text(encoding="utf-8")]


def run(names: list[str]) -> None:
    if unknown := sorted(set(names) - set(NAMES)):
        raise SystemExit(f"no benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    for name in names or NAMES:
        print(f"\n# {name}")
        import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    run(sys.argv[1:])
