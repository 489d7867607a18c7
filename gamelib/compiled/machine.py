"""What all kernels share: how they are compiled and kept on disk, and counting bits.

A kernel is a function that Numba turns into machine code.  Kernels take ints of 64 bits, floats and
numpy arrays, and release the GIL.  Long ones run in slices and keep what they need in arrays, so
that Python can look after the interface, and at `stop`, in between.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

try:
    import numba
    from numba.core import event, types
    from numba.extending import intrinsic
except ImportError as error:
    raise ImportError(
        "gamelib.compiled needs Numba, which is not installed: python -m pip install "
        '"gamelib[fast]", or `make fast` in the folder of the course.  '
        "Everything else works without it"
    ) from error

SLICE = 1 << 20  # nodes between two looks at `stop`: less than 0.1 s


def _choose_cache() -> None:
    """Let Numba keep machine code where it can write, in the worst case only for a while.

    It does so beside the source or, where that is read-only, in the user's cache folder.
    """
    config: Any = numba.config
    package, home = Path(__file__).parent, Path.home()
    if config.CACHE_DIR or os.access(package, os.W_OK) or os.access(home, os.W_OK):
        return
    config.CACHE_DIR = str(Path(tempfile.gettempdir()) / f"gamelib-{os.getuid()}")


_choose_cache()


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as machine code, compiled when it is first called and kept on disk."""
    compiled: Callable[..., Any] = numba.njit(function, nogil=True, cache=True, error_model="numpy")
    return compiled


class _Announcer(event.Listener):
    """Says once in a process that a compiler is at work, so that nobody wonders."""

    def __init__(self) -> None:
        self.quiet = False

    def on_start(self, event: Any) -> None:
        if not self.quiet and event.data["dispatcher"].__module__.startswith("gamelib."):
            self.quiet = True
            print(
                "gamelib.compiled: translating to machine code, some seconds, this once ...",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass


announcer = _Announcer()
event.register("numba:compile", announcer)  # type: ignore[no-untyped-call]


def _popcount(typing_context: Any, bits: Any) -> Any:
    def count(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), count


def _lowest_bit(typing_context: Any, bits: Any) -> Any:
    def number(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return types.int64(types.int64), number


# In kernels only: how many bits of an int are 1, and the number of the lowest one of them.
popcount = cast(Callable[[int], int], intrinsic(_popcount))
lowest_bit = cast(Callable[[int], int], intrinsic(_lowest_bit))
