"""The kernels by Numba: how they are compiled and kept on disk.  They release the GIL."""

from __future__ import annotations

import getpass
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import wraps
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, ClassVar, cast

from gamefast.build_info import SOURCES, version

try:
    import numba
    from numba.core import caching, cgutils, event, types
    from numba.core.cgutils import ir
    from numba.extending import intrinsic
except Exception as error:
    why = f"which is missing here, or does not work: {type(error).__name__}: {error}"
    how = 'python -m pip install "adversarial-search-course[fast]", or `make fast` in its folder'
    both = f"{why}.  To install it: {how}.  Everything else works without it"
    raise ImportError(f"gamefast needs Numba, {both}") from error

_config: Any = numba.config
_Locator: Any = caching._CacheLocator
if _config.DISABLE_JIT:
    raise ImportError("gamefast needs Numba, which NUMBA_DISABLE_JIT=1 switches off")
# Machine code that checks every index, by NUMBA_BOUNDSCHECK=1, is never taken for the other.
FOLDERS = "checked-*" if _config.BOUNDSCHECK else "kernels-*"
CACHED_GLOB = "*/*.nbc"  # the files of Numba in such a folder
CACHE_HEADROOM_BYTES = 4 << 20  # bytes: more than all machine code takes


def _cache_candidates() -> Iterator[Path]:
    """Yield where machine code may be kept, the best place first."""
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR)
    yield SOURCES / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    home = home or os.path.expanduser("~/.cache")
    if not home.startswith("~"):  # not every user has a home
        yield Path(home) / "gamefast"
    user = getattr(os, "getuid", getpass.getuser)()  # nor a name
    with suppress(OSError):
        own = Path(tempfile.gettempdir()) / f"gamefast-{user}"
        if not own.exists() or own.stat().st_uid in (user, 0):  # another user might have made it
            yield own


def cache_folder() -> Path | None:
    """Return the folder of the machine code for these sources, or None where there is none.

    The best place where some is ready is read, whether more can be written there or not; else the
    best that can be written is begun.  The kernels contain each other, so a change in one file
    makes all of them obsolete: a new folder takes the place of those of other sources.
    """
    folders = [place / FOLDERS.replace("*", version()) for place in _cache_candidates()]
    if ready := next((folder for folder in folders if any(folder.glob(CACHED_GLOB))), None):
        return ready
    for folder in folders:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(bytes(CACHE_HEADROOM_BYTES))
            for other in set(folder.parent.glob(FOLDERS)) - {folder}:
                shutil.rmtree(other, ignore_errors=True)
            return folder
    return None


FOLDER = cache_folder()


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` as machine code, compiled when first called (or ImportError) and kept."""
    # Numba takes no folder that cannot be written, and this one may hold all that is needed.
    given, check = _config.CACHE_DIR, _Locator.ensure_cache_path
    _config.CACHE_DIR, _Locator.ensure_cache_path = str(FOLDER), lambda locator: None
    try:
        compiled = numba.njit(function, nogil=True, cache=bool(FOLDER), error_model="numpy")
    finally:
        _config.CACHE_DIR, _Locator.ensure_cache_path = given, check

    @wraps(function)
    def call(*arguments: Any) -> Any:
        try:
            return compiled(*arguments)
        except OSError as error:  # it is made, but cannot be kept
            print(f"gamefast: not kept for another session: {error}", file=sys.stderr)
        except Exception:  # what was kept is damaged
            if tuple(map(compiled.typeof_pyval, arguments)) in compiled.overloads:
                raise  # it was the machine code itself that failed
            for path in FOLDER.glob(CACHED_GLOB[:-1] + "?") if FOLDER else ():
                with suppress(OSError):
                    path.unlink()
        try:
            return compiled(*arguments)
        except Exception as error:
            raise ImportError(f"no machine code: {type(error).__name__}: {error}") from error

    call.compiled = compiled  # type: ignore[attr-defined] # see `bind_kernel`
    return call


def kernel_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` for use in kernels, which contain it: from the disk it could not be."""
    return numba.njit(function, error_model="numpy")


def inline_kernel_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` to be written out in kernels: a call counts references to its arrays."""
    return numba.njit(function, error_model="numpy", inline="always")


class _CompileNotice(event.Listener):
    """Says once in a process that a compiler is at work; hears Ctrl-C, which LLVM would swallow."""

    quiet = interrupted = False
    usual: ClassVar[list[Any]] = []  # handlers of Ctrl-C, while compilers work inside each other

    def on_start(self, event: Any) -> None:
        if current_thread() is main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.usual.append(signal.signal(signal.SIGINT, self.hear))
        if not self.quiet and event.data["dispatcher"].__module__.startswith("gamefast."):
            self.quiet = True
            print("gamefast: compiling, once; 30 seconds for all ...", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        if current_thread() is main_thread() and self.usual:
            signal.signal(signal.SIGINT, self.usual.pop())
            if self.interrupted:
                self.interrupted = False
                raise KeyboardInterrupt

    def hear(self, *number_and_frame: Any) -> None:
        self.interrupted = True
        self.usual[0](*number_and_frame)
        self.interrupted = False  # it has raised nothing


event.register("numba:compile", _CompileNotice())  # type: ignore[no-untyped-call]


def _bit_intrinsic(code: Callable[..., Any]) -> Callable[[int], int]:
    def typed(typing_context: Any, bits: Any) -> Any:
        def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return code(builder, *arguments)

        return types.int64(types.int64), call

    return cast(Callable[[int], int], intrinsic(typed))


# In kernels only: how many bits of an int are 1, and the number of the lowest one of them.
popcount = _bit_intrinsic(lambda builder, bits: builder.ctpop(bits))
lowest_bit = _bit_intrinsic(lambda builder, bits: builder.cttz(bits, cgutils.true_bit))


WORD = ir.IntType(64)
WORDS = ir.VectorType(WORD, 4)


def _in_four_directions(code: Callable[[Any, Any, Any], Any]) -> Callable[[int, int], int]:
    """Return a function of stones and the stride of a board: `code` in all four directions at once.

    `code` is given the stones four times over, in a vector, and the step in each direction.
    """

    def typed(typing_context: Any, stones: Any, stride: Any) -> Any:
        def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def vector(*values: Any) -> Any:
                made = ir.Constant(WORDS, ir.Undefined)
                for place, value in enumerate(values):
                    made = builder.insert_element(made, value, ir.Constant(WORD, place))
                return made

            stones, stride = arguments
            one = ir.Constant(WORD, 1)
            steps = vector(one, builder.sub(stride, one), stride, builder.add(stride, one))
            found = code(builder, vector(*[stones] * 4), steps)
            kind, name = ir.FunctionType(WORD, [WORDS]), "llvm.vector.reduce.or.v4i64"
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [found])

        return types.int64(types.int64, types.int64), call

    return cast(Callable[[int, int], int], intrinsic(typed))


def _fours(builder: Any, stones: Any, steps: Any) -> Any:
    pairs = builder.and_(stones, builder.lshr(stones, steps))
    return builder.and_(pairs, builder.lshr(pairs, builder.add(steps, steps)))


def _completing(builder: Any, stones: Any, steps: Any) -> Any:
    both, either, shl, shr = builder.and_, builder.or_, builder.shl, builder.lshr
    twice = builder.add(steps, steps)
    thrice = builder.add(steps, twice)
    up, down = shl(stones, steps), shr(stones, steps)
    above = both(both(up, shl(stones, twice)), either(shl(stones, thrice), down))
    below = both(both(down, shr(stones, twice)), either(shr(stones, thrice), up))
    return either(above, below)


# In kernels only: the first stones of four in a row; the cells that would complete four in a row.
fours = _in_four_directions(_fours)
completing_four = _in_four_directions(_completing)


@intrinsic
def prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """Ask for a row that will be read soon; it need not exist.  In kernels only."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, address = ir.IntType(32), cgutils.voidptr_t
        data = context.make_array(array)(context, builder, arguments[0]).data
        place = builder.bitcast(builder.gep(data, [arguments[1]]), address)
        kind = ir.FunctionType(ir.VoidType(), [address, number, number, number])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch")
        # To read it, in all caches, and it is data.
        builder.call(fetch, [place, *(ir.Constant(number, what) for what in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), call
