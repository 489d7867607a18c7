"""The kernels as WebAssembly, where Python runs in a browser tab: there Numba compiles nothing.

`tools/site/wasm_kernels.py` makes one library of these sources, by Numba.
It holds a function for each
kernel and all types of its arguments, which are in its name.  Such a function takes the address of
a row of numbers of 64 bits, puts its result in the place of the first, and returns 0.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from gamefast.build_info import LIBRARY

SCALARS = {int: "i", bool: "b", float: "d", type(None): "n"}


@cache
def entry(name: str) -> Callable[..., int]:
    """Return a function of the library; ImportError if it is not there."""
    try:
        return getattr(ctypes.CDLL(str(LIBRARY)), name)
    except (OSError, AttributeError) as error:
        why = "none can be loaded" if isinstance(error, OSError) else f"this one has no {name}"
        needs = f"needs a {LIBRARY.name} made of the same sources"
        raise ImportError(f"in a browser tab gamefast {needs}; {why}") from error


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a kernel: its module, its own, and the constants that it encloses."""
    constants = [str(cell.cell_contents) for cell in function.__closure__ or ()]
    return ".".join([function.__module__.rpartition(".")[2], function.__name__, *constants])


def pack_arguments(arguments: Iterable[Any], kinds: list[str], numbers: list[float]) -> None:
    """Append the types of all arguments, and the numbers that a kernel reads of them."""
    for each in arguments:
        if isinstance(each, tuple):
            pack_arguments(each, kinds, numbers)
        elif isinstance(each, np.ndarray):
            array = each.__array_interface__
            gaps = array["strides"] or ""
            kinds.append(f"{array['typestr'][1:]}x{each.ndim}{gaps}")
            numbers += array["data"][0], *array["shape"]
        else:
            kinds.append(SCALARS[type(each)])
            numbers += () if each is None else (each,)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as machine code; ImportError where there is none for its arguments."""

    def call(*arguments: Any) -> int:
        kinds, numbers = [name_of(function)], list[float]()
        pack_arguments(arguments, kinds, numbers)
        layout = "".join("d" if type(number) is float else "q" for number in numbers)
        row = ctypes.create_string_buffer(struct.pack(layout, *numbers))
        if entry("_".join(kinds))(row):
            raise MemoryError(f"{function.__name__} has no room")
        return ctypes.c_int64.from_buffer(row).value

    return call


def kernel_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function`: the kernels contain it."""
    return function


inline_kernel_part = popcount = lowest_bit = fours = completing_four = prefetch = kernel_part
