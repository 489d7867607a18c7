"""Compile the kernels with Numba for the target wasm32.

Importing this module changes the target of Numba in the whole process, before any kernel is
compiled.  Pointers have 32 bits on this target.  Lengths, indices and other native integers keep 64
bits, so that all numbers are the same as natively.
"""

import pkgutil
from collections.abc import Callable, Iterator
from importlib import import_module
from inspect import isfunction
from typing import Any

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba import types
from numba.core import codegen, cpu
from numba.core.compiler_lock import global_compiler_lock
from numba.np.arrayobj import populate_array

import gamefast
from gamefast.wasm_backend import name_of

TRIPLE = "wasm32-unknown-emscripten"
NUMBER, STATUS = ir.IntType(64), ir.IntType(32)
NO_WRAPPERS = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # Python never calls kernels


class Codegen(codegen.AOTCPUCodegen):
    """Code generator for wasm32."""

    features = ""

    def _init(self, module: Any) -> None:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
        target = llvm.Target.from_triple(TRIPLE)
        self._tm = target.create_target_machine(opt=3, features=self.features, reloc="pic")
        self._tm_features = self.features
        self._target_data = self._tm.target_data
        self._data_layout = str(self._target_data)
        self._loopvect, self._opt_level = False, 0

    def _create_empty_module(self, name: str) -> Any:
        module = super()._create_empty_module(name)
        module.triple = TRIPLE
        return module


class Context(cpu.CPUContext):
    """What Numba knows of its target."""

    def init(self) -> None:
        """Set the target."""
        self.is32bit = False  # divisions of 64 bits need no help
        self._internal_codegen = Codegen("kernels")

    def get_executable(self, *compiled: Any) -> Any:
        """Return no function: none can run here."""
        return [].append  # but the key of each must be a builtin of its own


cpu.CPUContext = Context


def kernels() -> Iterator[Callable[..., Any]]:
    """Yield the functions that are kernels, as they were before Numba took them."""
    for found in pkgutil.iter_modules(gamefast.__path__, "gamefast."):
        if not found.name.endswith("__main__"):
            for value in vars(import_module(found.name)).values():
                if isfunction(function := getattr(value, "__wrapped__", None)):
                    yield function


@global_compiler_lock
def object_files(
    recorded: dict[str, tuple[str, tuple[Any, ...]]], features: list[str]
) -> list[bytes]:
    """Return an object file for each (name of a kernel, types of its arguments)."""
    Codegen.features = ",".join(features)
    functions = {name_of(function): function for function in kernels()}
    found = []
    for symbol, (name, arguments) in recorded.items():
        made = numba.njit(functions[name], error_model="numpy", **NO_WRAPPERS)
        made.compile(arguments)
        found.append(entry_object(made.overloads[arguments], symbol))
    return found


def entry_object(kernel: Any, symbol: str) -> bytes:
    """Return the object file of a function that reads its arguments from a row of numbers."""
    context, described = kernel.target_context, kernel.fndesc
    library = context.codegen().create_library(symbol)
    module = library.create_ir_module(symbol)
    function = ir.Function(module, ir.FunctionType(STATUS, [NUMBER.as_pointer()]), symbol)
    builder = ir.IRBuilder(function.append_basic_block())
    read = ArgumentReader(context, builder, function.args[0])
    status, result = context.call_conv.call_function(
        builder,
        context.declare_function(module, described),
        described.restype,
        described.argtypes,
        [read.value(kind) for kind in described.argtypes],
    )
    if described.restype == types.boolean:
        result = builder.zext(result, NUMBER)
    if described.restype != types.none:
        builder.store(result, function.args[0])
    builder.ret(status.code)
    library.add_ir_module(module)
    library.add_linking_library(kernel.library)
    library.finalize()
    return strip_library(library, symbol).emit_native_object()


def strip_library(library: Any, symbol: str) -> Any:
    """Return a library without the code that `symbol` does not need."""
    module = library._final_module
    for defined in (*module.functions, *module.global_variables):
        if not defined.is_declaration and defined.name != symbol:
            defined.linkage = "internal"
    library._optimize_final_module()
    return library


class ArgumentReader:
    """Reader of the arguments that `gamefast.wasm_backend.pack_arguments` packs into a row."""

    def __init__(self, context: Any, builder: Any, row: Any) -> None:
        self.context, self.builder, self.row, self.index = context, builder, row, 0

    def number(self) -> Any:
        """Return the next number."""
        place = self.builder.gep(self.row, [NUMBER(self.index)])
        self.index += 1
        return self.builder.load(place)

    def value(self, kind: Any) -> Any:
        """Return the next argument, which has this type."""
        if isinstance(kind, types.BaseTuple):
            return self.context.make_tuple(self.builder, kind, [self.value(one) for one in kind])
        if isinstance(kind, types.Array):
            return self.array(kind)
        if kind == types.none:
            return self.context.get_dummy_value()
        if kind == types.boolean:
            return self.builder.trunc(self.number(), ir.IntType(1))
        return self.builder.bitcast(self.number(), self.context.get_value_type(kind))

    def array(self, kind: Any) -> Any:
        """Return the next argument, a contiguous array."""
        array = self.context.make_array(kind)(self.context, self.builder)
        data = self.builder.inttoptr(self.number(), array.data.type)
        shape = [self.number() for _ in range(kind.ndim)]
        size = NUMBER(self.context.get_abi_sizeof(self.context.get_data_type(kind.dtype)))
        strides = [size]
        for length in shape[:0:-1]:
            strides.insert(0, self.builder.mul(strides[0], length))
        populate_array(array, data, shape, strides, size, None)
        return array._getvalue()
