"""The searches as machine code, for Connect Four, tic-tac-toe and Nim: same calls, same results.

Numba makes the machine code when a search is first called, and keeps it on disk.
`python -m gamelib.compiled` does that for all searches at once.  In a browser tab it is there.
"""

import hashlib
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["alphabeta", "mcts", "minimax", "playouts", "solve", "warm"]

SOURCES = Path(__file__).parent
LIBRARY = SOURCES / "kernels.so"  # the machine code for a browser tab


def __getattr__(name: str) -> Any:
    """Return a search.  The first one loads Numba, which takes a second: so none does before."""
    if name not in __all__:
        raise AttributeError(f"module 'gamelib.compiled' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module("gamelib.compiled.searches"), name)
    return found


def version() -> str:
    """Return a name of these sources: kernels contain each other, so all change with one file."""
    sources = b"".join(path.read_bytes() for path in sorted(SOURCES.glob("*.py")))
    return hashlib.sha256(sources).hexdigest()[:16]
