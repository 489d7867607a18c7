"""What all kernels share: how they become machine code, and counting bits.

A kernel is a function that Numba turns into machine code, of ints of 64 bits, floats and arrays.
Long ones run in slices, so that Python can look at `stop` in between.
"""

import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np

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
    "SLICE", "Array", "completing_four", "direct", "fours", "inlined", "kernel",
    "lowest_bit", "part", "popcount", "prefetch",
]  # fmt: skip

Array = np.ndarray[Any, Any]
SLICE = 1 << 20  # nodes between two looks at `stop`: at most 0.03 s


def direct(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Call a kernel, and return what looks at no types of arguments when it is called again."""
    kernel(*arguments)
    if not (compiled := getattr(kernel, "compiled", None)):  # in a browser tab
        return kernel
    types = tuple(map(compiled.typeof_pyval, arguments))
    return cast(Callable[..., Any], compiled.overloads[types].entry_point)
