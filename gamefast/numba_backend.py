"""The Numba backend, which compiles the kernels and stores them on disk; they release the GIL."""

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
    missing = isinstance(error, ModuleNotFoundError)
    state = "is not installed" if missing else "does not work"
    what = f"{state} ({type(error).__name__}: {error})"
    how = 'python -m pip install "adversarial-search-course[fast]" (`make fast` in a checkout)'
    raise ImportError(
        f"gamefast needs Numba, which {what}; install the extra `fast`: {how}"
    ) from error

_config: Any = numba.config
_Locator: Any = caching._CacheLocator
if _config.DISABLE_JIT:
    raise ImportError("gamefast needs Numba, which NUMBA_DISABLE_JIT=1 switches off; unset it")
# Code that checks every index, by NUMBA_BOUNDSCHECK=1, has its own folder.
FOLDERS = "checked-*" if _config.BOUNDSCHECK else "kernels-*"
CACHED_GLOB = "*/*.nbc"  # the files of Numba in such a folder
CACHE_HEADROOM_BYTES = 4 << 20  # more than the code of all kernels


def _cache_candidates() -> Iterator[Path]:
    """Yield the folders where compiled code may be stored, the best one first."""
    if _config.CACHE_DIR:
        yield Path(_config.CACHE_DIR)
    yield SOURCES / "__pycache__"
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    home = home or os.path.expanduser("~/.cache")
    if not home.startswith("~"):  # not every user has a home
        yield Path(home) / "gamefast"
    user = getattr(os, "getuid", getpass.getuser)()  # not every user has a name
    with suppress(OSError):
        temporary = Path(tempfile.gettempdir()) / f"gamefast-{user}"
        if not temporary.exists() or temporary.stat().st_uid in (user, 0):  # not another user's
            yield temporary


def cache_folder() -> Path | None:
    """Return the folder for the compiled code of these sources; None if none can be written.

    The best folder that already has some code is used, even if it cannot be written.  Otherwise the
    best folder that can be written is created.  The kernels contain each other, so a change in one
    file makes all of them obsolete, and a new folder replaces those of other sources.
    """
    folders = [parent / FOLDERS.replace("*", version()) for parent in _cache_candidates()]
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
    """Return `function` compiled when it is first called, and stored; ImportError if that fails."""
    # Numba does not accept a folder that cannot be written, but this one may have all the code.
    original_folder, check = _config.CACHE_DIR, _Locator.ensure_cache_path
    _config.CACHE_DIR, _Locator.ensure_cache_path = str(FOLDER), lambda locator: None
    try:
        compiled = numba.njit(function, nogil=True, cache=bool(FOLDER), error_model="numpy")
    finally:
        _config.CACHE_DIR, _Locator.ensure_cache_path = original_folder, check

    @wraps(function)
    def call(*arguments: Any) -> Any:
        try:
            return compiled(*arguments)
        except OSError as error:  # it is compiled, but cannot be stored
            message = f"gamefast: the compiled code is not stored for the next session: {error}"
            print(message, file=sys.stderr)
        except Exception:  # the stored code is damaged
            if tuple(map(compiled.typeof_pyval, arguments)) in compiled.overloads:
                raise  # it is not damaged, but has raised an error itself
            for path in FOLDER.glob(CACHED_GLOB[:-1] + "?") if FOLDER else ():
                with suppress(OSError):
                    path.unlink()
        try:
            return compiled(*arguments)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
            raise ImportError(f"{function.__name__} cannot be compiled: {reason}") from error

    call.compiled = compiled  # type: ignore[attr-defined] # see `bind_kernel`
    return call


def kernel_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` compiled for use in kernels, which contain it, so it is not stored."""
    return numba.njit(function, error_model="numpy")


def inline_kernel_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` inlined in kernels, because a call counts references to its arrays."""
    return numba.njit(function, error_model="numpy", inline="always")


class _CompileNotice(event.Listener):
    """A listener that prints a notice at the first compilation, and keeps Ctrl-C working.

    LLVM would ignore Ctrl-C otherwise.
    """

    quiet = interrupted = False
    # The original handlers of Ctrl-C, a stack because compilers run inside each other.
    original_handlers: ClassVar[list[Any]] = []

    def on_start(self, event: Any) -> None:
        if current_thread() is main_thread() and callable(signal.getsignal(signal.SIGINT)):
            self.original_handlers.append(signal.signal(signal.SIGINT, self.on_interrupt))
        if not self.quiet and event.data["dispatcher"].__module__.startswith("gamefast."):
            self.quiet = True
            print("gamefast: compiling, once; 30 seconds for all ...", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        if current_thread() is main_thread() and self.original_handlers:
            signal.signal(signal.SIGINT, self.original_handlers.pop())
            if self.interrupted:
                self.interrupted = False
                raise KeyboardInterrupt

    def on_interrupt(self, *number_and_frame: Any) -> None:
        self.interrupted = True
        self.original_handlers[0](*number_and_frame)
        self.interrupted = False  # the handler did not raise an exception


event.register("numba:compile", _CompileNotice())  # type: ignore[no-untyped-call]


def _bit_intrinsic(code: Callable[..., Any]) -> Callable[[int], int]:
    def typed(typing_context: Any, bits: Any) -> Any:
        def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return code(builder, *arguments)

        return types.int64(types.int64), call

    return cast(Callable[[int], int], intrinsic(typed))


# For kernels only: the number of bits of an int that are 1, and the index of the lowest of them.
popcount = _bit_intrinsic(lambda builder, bits: builder.ctpop(bits))
lowest_bit = _bit_intrinsic(lambda builder, bits: builder.cttz(bits, cgutils.true_bit))


WORD = ir.IntType(64)
WORDS = ir.VectorType(WORD, 4)


def _in_four_directions(code: Callable[[Any, Any, Any], Any]) -> Callable[[int, int], int]:
    """Return a function of the stones and stride of a board that runs `code` in four directions.

    `code` gets a vector with the stones four times, and a vector with the step in each direction.
    """

    def typed(typing_context: Any, stones: Any, stride: Any) -> Any:
        def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            def vector(*values: Any) -> Any:
                result = ir.Constant(WORDS, ir.Undefined)
                for index, value in enumerate(values):
                    result = builder.insert_element(result, value, ir.Constant(WORD, index))
                return result

            stones, stride = arguments
            one = ir.Constant(WORD, 1)
            steps = vector(one, builder.sub(stride, one), stride, builder.add(stride, one))
            cells = code(builder, vector(*[stones] * 4), steps)
            kind, name = ir.FunctionType(WORD, [WORDS]), "llvm.vector.reduce.or.v4i64"
            return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [cells])

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


# For kernels only: the first stones of four in a row; the cells that would complete four in a row.
fours = _in_four_directions(_fours)
completing_four = _in_four_directions(_completing)


@intrinsic
def prefetch(typing_context: Any, array: Any, row: Any) -> Any:
    """Prefetch a row that will be read soon; it does not have to exist.  For kernels only."""

    def call(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        number, address = ir.IntType(32), cgutils.voidptr_t
        data = context.make_array(array)(context, builder, arguments[0]).data
        pointer = builder.bitcast(builder.gep(data, [arguments[1]]), address)
        kind = ir.FunctionType(ir.VoidType(), [address, number, number, number])
        fetch = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch")
        # 0 is for reading, 3 for all caches, and 1 for data.
        builder.call(fetch, [pointer, *(ir.Constant(number, flag) for flag in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), call
