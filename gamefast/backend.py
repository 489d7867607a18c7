"""What all kernels share: how they become machine code, and counting bits.

A kernel is a function that Numba turns into machine code, of ints of 64 bits, floats and arrays.
Long ones run in slices, so that Python can look at `stop` in between.
"""

import sys
from collections.abc import Callable
from typing import Any, cast

import numpy as np

if sys.platform == "emscripten":
    from gamefast.build_info import version  # noqa: I001
    from gamefast.wasm_backend import (
        completing_four, entry, fours, inline_kernel_part, kernel, kernel_part, lowest_bit,
        popcount, prefetch,
    )  # fmt: skip

    entry(f"version_{version()}")  # ImportError: the library is not there, or of other sources
else:
    from gamefast.numba_backend import (  # noqa: I001
        completing_four, fours, inline_kernel_part, kernel, kernel_part, lowest_bit, popcount,
        prefetch,
    )  # fmt: skip

__all__ = [
    "SLICE", "Array", "bind_kernel", "completing_four", "fours", "inline_kernel_part", "kernel",
    "kernel_part", "lowest_bit", "popcount", "prefetch",
]  # fmt: skip

Array = np.ndarray[Any, Any]
SLICE = 1 << 20  # nodes between two looks at `stop`: at most 0.03 s


def bind_kernel(kernel: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Call a kernel, and return what looks at no types of arguments when it is called again."""
    kernel(*arguments)
    if not (compiled := getattr(kernel, "compiled", None)):  # in a browser tab
        return kernel
    types = tuple(map(compiled.typeof_pyval, arguments))
    return cast(Callable[..., Any], compiled.overloads[types].entry_point)
