"""The backend of all kernels: the decorators that compile them, and functions that count bits.

A kernel is a function of 64-bit ints, floats and arrays that Numba compiles.  Long kernels run in
slices, so that Python can check `stop` in between.
"""

import sys
from collections.abc import Callable
from typing import Any, cast

if sys.platform == "emscripten":
    from gamefast.build_info import version  # noqa: I001
    from gamefast.wasm_backend import (
        completing_four, entry, fours, inline_kernel_part, kernel, kernel_part, lowest_bit,
        popcount, prefetch,
    )  # fmt: skip

    entry(f"version_{version()}")  # ImportError if there is no library of the same sources
else:
    from gamefast.numba_backend import (  # noqa: I001
        completing_four, fours, inline_kernel_part, kernel, kernel_part, lowest_bit, popcount,
        prefetch,
    )  # fmt: skip

import numpy as np

__all__ = [
    "SLICE", "Array", "bind_kernel", "completing_four", "fours", "inline_kernel_part", "kernel",
    "kernel_part", "lowest_bit", "popcount", "prefetch",
]  # fmt: skip

Array = np.ndarray[Any, Any]
SLICE = 1 << 20  # nodes between two checks of `stop`, at most 0.03 s


def bind_kernel(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Call a kernel, and return a function that calls it again without checking argument types."""
    kernel(*arguments)
    if not (compiled := getattr(kernel, "compiled", None)):  # in a browser tab
        return kernel
    types = tuple(map(compiled.typeof_pyval, arguments))
    return cast(Callable[..., Any], compiled.overloads[types].entry_point)
