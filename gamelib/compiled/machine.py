"""What all kernels share: how they become machine code, and counting bits.

A kernel is a function that Numba turns into machine code, of ints of 64 bits, floats and arrays.
Long ones run in slices, so that Python can look at `stop` in between.
"""

import sys
from typing import Any

import numpy as np

if sys.platform == "emscripten":
    from gamelib.compiled import version
    from gamelib.compiled.wasm import entry, inlined, kernel, lowest_bit, part, popcount

    entry(f"version_{version()}")  # ImportError: the library is not there, or of other sources
else:
    from gamelib.compiled.native import inlined, kernel, lowest_bit, part, popcount

__all__ = ["SLICE", "Array", "inlined", "kernel", "lowest_bit", "part", "popcount"]

Array = np.ndarray[Any, Any]
SLICE = 1 << 20  # nodes between two looks at `stop`: at most 0.03 s
