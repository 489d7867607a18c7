"""What all kernels share: how they are compiled and kept on disk, and counting bits.

A kernel is a function that Numba turns into machine code.  Kernels take ints of 64 bits, floats and
numpy arrays, and release the GIL.  Long ones run in slices and keep what they need in arrays, so
that Python can look after the interface, and at `stop`, in between.
"""

from __future__ import annotations

import getpass
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

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

Array = np.ndarray[Any, Any]
_config: Any = numba.config
SOURCES = Path(__file__).parent
FOLDERS = "kernels-*"
SLICE = 1 << 20  # nodes between two looks at `stop`: less than 0.1 s


def _places() -> Iterator[Path]:
    """Yield where machine code may be kept, the best place first."""
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR)
    yield SOURCES / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    yield (Path(home) if home else Path.home() / ".cache") / "gamelib"
    yield Path(tempfile.gettempdir()) / f"gamelib-{getpass.getuser()}"


def cache_folder() -> Path:
    """Return the folder of the machine code: the first that can be written, for these sources.

    The kernels contain each other, so a change in one file makes all of them obsolete: a new folder
    takes the place of those of other sources.
    """
    sources = b"".join(path.read_bytes() for path in sorted(SOURCES.glob("*.py")))
    name = FOLDERS.replace("*", hashlib.sha256(sources).hexdigest()[:16])
    for place in _places():
        folder = place / name
        try:
            is_new = not folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                pass
        except OSError:
            continue
        for other in place.glob(FOLDERS) if is_new else ():
            if other != folder:
                shutil.rmtree(other, ignore_errors=True)
        return folder
    raise OSError(f"no folder can be written for the machine code: {[*map(str, _places())]}")


FOLDER = cache_folder()


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as machine code, compiled when it is first called and kept on disk."""
    given, _config.CACHE_DIR = _config.CACHE_DIR, str(FOLDER)
    try:
        compiled: Callable[..., Any] = numba.njit(
            function, nogil=True, cache=True, error_model="numpy"
        )
    finally:
        _config.CACHE_DIR = given
    return compiled


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` for use in kernels, which contain it; it is not kept by itself.

    Of what comes from the disk a compiler knows too little to build it into something else.
    """
    small: Callable[..., Any] = numba.njit(function, error_model="numpy")
    return small


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` for use in kernels, written out where it is used.

    That is for functions of arrays: a call counts references to each of them, which takes longer
    than a short function.
    """
    body: Callable[..., Any] = numba.njit(function, error_model="numpy", inline="always")
    return body


class _Announcer(event.Listener):
    """Says once in a process that a compiler is at work, so that nobody wonders."""

    def __init__(self) -> None:
        self.quiet = False

    def on_start(self, event: Any) -> None:
        if not self.quiet and event.data["dispatcher"].__module__.startswith("gamelib."):
            self.quiet = True
            print(
                "gamelib.compiled: compiling, once; some seconds for a search, 30 for all ...",
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
