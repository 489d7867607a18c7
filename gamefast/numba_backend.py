"""The Numba backend, which compiles the kernels and stores them on disk; they release the GIL."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from functools import wraps
from threading import current_thread, main_thread
from typing import Any, ClassVar, cast

from gamefast.build_info import INSTALL

try:
    import numba
    from numba.core import cgutils, event, types
    from numba.core.cgutils import ir
    from numba.extending import intrinsic

    from gamefast.stored_code import KernelCache
except Exception as error:
    missing = isinstance(error, ModuleNotFoundError)
    state = "is not installed" if missing else "does not work"
    what = f"{state} ({type(error).__name__}: {error})"
    raise ImportError(f"gamefast needs Numba, which {what}; {INSTALL}") from error

_config: Any = numba.config
if _config.DISABLE_JIT:
    raise ImportError("gamefast needs Numba, which NUMBA_DISABLE_JIT=1 switches off; unset it")
# Of every compiled function.  No program in C calls one, and the code for that takes a tenth of the
# time of a compilation.
OPTIONS: Any = {"error_model": "numpy", "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` compiled when it is first called, and stored; ImportError if that fails."""
    compiled: Any = numba.njit(function, nogil=True, **OPTIONS)
    compiled._cache = KernelCache(function)  # what `cache=True` does with Numba's own class

    @wraps(function)
    def call(*arguments: Any) -> Any:
        try:
            return compiled(*arguments)
        except Exception as error:
            if tuple(map(compiled.typeof_pyval, arguments)) in compiled.overloads:
                raise  # it is compiled, and has raised an error itself
            reason = f"{type(error).__name__}: {error}"
            raise ImportError(f"{function.__name__} cannot be compiled: {reason}") from error

    call.compiled = compiled  # type: ignore[attr-defined] # see `bind_kernel`
    return call


def kernel_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` compiled for use in kernels, which contain it, so it is not stored."""
    return numba.njit(function, **OPTIONS)


def inline_kernel_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return `function` inlined in kernels, because a call counts references to its arrays.

    Code that checks every index is for tests, and is compiled in three quarters of the time without
    copies of such a function.
    """
    inline = "never" if _config.BOUNDSCHECK else "always"
    return numba.njit(function, inline=inline, **OPTIONS)


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
            print("gamefast: compiling, once; about a minute for all ...", file=sys.stderr)

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
