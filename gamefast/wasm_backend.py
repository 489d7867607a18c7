"""The kernels as WebAssembly, for Python in a browser tab, where Numba cannot compile anything.

`tools/site/wasm_kernels.py` builds one library from these sources, with Numba.  It has a function
for each kernel and each combination of argument types, which are part of its name.  Such a function
takes the address of a row of 64-bit numbers, replaces the first one by its result, and returns 0.
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
    """Return a function of the library; ImportError if there is none."""
    try:
        return getattr(ctypes.CDLL(str(LIBRARY)), name)
    except (OSError, AttributeError) as error:
        reason = "none can be loaded" if isinstance(error, OSError) else f"this one has no {name}"
        needs = f"needs a {LIBRARY.name} built from the same sources"
        raise ImportError(f"in a browser tab gamefast {needs}, but {reason}") from error


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a kernel, from its module, its function and its enclosed constants."""
    constants = [str(cell.cell_contents) for cell in function.__closure__ or ()]
    return ".".join([function.__module__.rpartition(".")[2], function.__name__, *constants])


def pack_arguments(arguments: Iterable[Any], kinds: list[str], numbers: list[float]) -> None:
    """Append the types of all arguments, and the numbers that a kernel reads for them."""
    for argument in arguments:
        if isinstance(argument, tuple):
            pack_arguments(argument, kinds, numbers)
        elif isinstance(argument, np.ndarray):
            array = argument.__array_interface__
            gaps = array["strides"] or ""
            kinds.append(f"{array['typestr'][1:]}x{argument.ndim}{gaps}")
            numbers += array["data"][0], *array["shape"]
        else:
            kinds.append(SCALARS[type(argument)])
            numbers += () if argument is None else (argument,)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the compiled `function`; a call raises ImportError for other argument types."""

    def call(*arguments: Any) -> int:
        kinds, numbers = [name_of(function)], list[float]()
        pack_arguments(arguments, kinds, numbers)
        layout = "".join("d" if type(number) is float else "q" for number in numbers)
        row = ctypes.create_string_buffer(struct.pack(layout, *numbers))
        if entry("_".join(kinds))(row):
            raise MemoryError(f"{function.__name__} has no memory left; search less deep")
        return ctypes.c_int64.from_buffer(row).value

    return call


def kernel_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` itself, because the compiled kernels contain it."""
    return function


inline_kernel_part = popcount = lowest_bit = fours = completing_four = prefetch = kernel_part
