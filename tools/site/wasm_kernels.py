"""Compile the kernels of `gamefast` to WebAssembly, for Python in a browser tab.

    library = build(folder)  # only the wheel of the site contains it

Numba must be installed; a linker is downloaded.  The build takes a minute, and one more if
`python -m gamefast` has not been run.  A library of the same sources is not built again.  A script
that calls `build` needs `if __name__ == "__main__":`, because `build` starts processes.

`gamefast/wasm_backend.py` loads the library, and describes how its functions are named and called.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from gamefast.build_info import version
from gamefast.wasm_backend import name_of, pack_arguments
from tools.site import downloads

HERE = Path(__file__).parent
BUILD_FILES = [HERE / name for name in ("wasm_kernels.py", "wasm32.py", "runtime.c")]
ZIG = "ziglang==0.17.1"  # on PyPI; only its C compiler and its linker are used
# The features that every browser with Pyodide supports.
FEATURES = "bulk_memory", "mutable_globals", "nontrapping_fptoint", "sign_ext"


def build(folder: Path) -> Path:
    """Return the path of the library in `folder`, after building it if necessary."""
    made_of = version().encode() + b"".join(path.read_bytes() for path in BUILD_FILES)
    library = folder / f"kernels-{hashlib.sha256(made_of).hexdigest()[:16]}.so"
    if not library.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as build_folder:
            recorded = run_in_new_process("gamefast", record_calls)
            run_in_new_process("tools.site.wasm32", make_objects, recorded, Path(build_folder))
            os.replace(link_library([*recorded], Path(build_folder)), library)
    return library


def run_in_new_process(module: str, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function in a new process that first imports a module, and return its result."""
    with ProcessPoolExecutor(1, get_context("spawn"), import_module, (module,)) as pool:
        return pool.submit(function, *arguments).result()


def observe_calls(on_call: Callable[[Callable[..., Any], str, tuple[Any, ...]], object]) -> None:
    """Make each kernel call `on_call(function, name in the library, arguments)` first.

    This function must run before the modules with the kernels are imported.
    """
    from gamefast import backend

    native = backend.kernel

    def watched(function: Callable[..., Any]) -> Callable[..., Any]:
        kernel, name = native(function), name_of(function)

        def call(*arguments: Any) -> Any:
            kinds = [name]
            pack_arguments(arguments, kinds, [])
            on_call(function, "_".join(kinds), arguments)
            return kernel(*arguments)

        return call

    backend.kernel = watched


def record_calls() -> dict[str, tuple[str, tuple[Any, ...]]]:
    """Return name in the library -> (name of the kernel, types of its arguments).

    The names are those of all kernels that the searches call natively.
    """
    import numba

    found = {}

    def note(function: Callable[..., Any], symbol: str, arguments: tuple[Any, ...]) -> None:
        found[symbol] = name_of(function), tuple(map(numba.typeof, arguments))

    observe_calls(note)
    import_module("gamefast.compiled").warm()
    return dict(sorted(found.items()))


def make_objects(recorded: dict[str, tuple[str, tuple[Any, ...]]], folder: Path) -> None:
    """Write an object file for each recorded call to a folder."""
    from tools.site import wasm32

    objects = wasm32.object_files(recorded, [f"+{name.replace('_', '-')}" for name in FEATURES])
    for number, made in enumerate(objects):
        (folder / f"{number:02}.o").write_bytes(made)


def link_library(names: list[str], folder: Path) -> Path:
    """Link all object files in a folder, and return the library.

    It exports these names and its version.  Pyodide provides the missing functions, such as
    `malloc` and `log`.
    """
    mark, cpu = f"version_{version()}", "+".join(["mvp", *FEATURES])
    zig = [sys.executable, str(downloads.install_package("zig", ZIG) / "ziglang")]
    objects = sorted(folder.glob("*.o"))
    runtime, library = folder / "runtime.o", folder / "kernels.so"
    compile_c = ["cc", "-target", "wasm32-freestanding", f"-mcpu={cpu}", "-fPIC", "-O2"]
    source = ["-c", str(HERE / "runtime.c"), f"-DVERSION={mark}", "-o", str(runtime)]
    subprocess.run([*zig, *compile_c, *source], check=True)
    shared = ["wasm-ld", "-shared", "--experimental-pic", "--unresolved-symbols=import-dynamic"]
    exports = [f"--export={name}" for name in [*names, mark]]
    small = ["-O3", "--strip-all", "--no-entry"]
    subprocess.run([*zig, *shared, *small, *exports, *objects, runtime, "-o", library], check=True)
    return library
