"""What all kernels share: how they become machine code, and counting bits.

A kernel is a function that Numba turns into machine code, of ints of 64 bits, floats and arrays.
Long ones run in slices, so that Python can look at `stop` in between.
"""

import os
import sys
from typing import Any

import numpy as np

from gamelib.state import whole

if sys.platform == "emscripten":
    from gamefast.sources import version  # noqa: I001
    from gamefast.wasm import (
        completing_four, entry, fours, inlined, kernel, lowest_bit, part, popcount, prefetch,
    )  # fmt: skip

    entry(f"version_{version()}")  # ImportError: the library is not there, or of other sources
else:
    from gamefast.native import (  # noqa: I001
        completing_four, fours, inlined, kernel, lowest_bit, part, popcount, prefetch,
    )  # fmt: skip

__all__ = [
    "SLICE", "Array", "check_workers", "completing_four", "fours", "inlined", "kernel",
    "lowest_bit", "part", "popcount", "prefetch",
]  # fmt: skip

Array = np.ndarray[Any, Any]
SLICE = 1 << 20  # nodes between two looks at `stop`: at most 0.03 s


def check_workers(workers: int | None) -> int:
    """Return how many threads are asked for; ValueError unless it is 1 or more, and possible."""
    most = 1 if sys.platform == "emscripten" else min(os.cpu_count() or 1, 2)
    if workers is None:
        return most
    if whole(workers) is None or workers < 1:
        raise ValueError(f"workers must be an int, 1 or more, or None; got {workers!r}")
    if workers > 1 and sys.platform == "emscripten":
        raise ValueError(f"workers must be 1 in a browser tab, which has no threads; got {workers}")
    return workers
