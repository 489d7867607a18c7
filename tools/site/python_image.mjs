// node python_image.mjs PYODIDE FILES OUT IMPORTS: write the memory of a Python that has run the
// statements IMPORTS and has started the kernel of a notebook, for `_loadSnapshot` of Pyodide.
// FILES is the root of the files of its packages.
import { writeFileSync } from "node:fs";

const [pyodide, files, out, imports] = process.argv.slice(2);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const fsInit = (FS, { sitePackages }) => {
  for (const place of [sitePackages, "/etc"]) {
    FS.mkdirTree(place);
    FS.mount(FS.filesystems.NODEFS, { root: files + place }, place);
  }
};
process.on("uncaughtException", error => {
  // Not the error itself: it shows the whole of Pyodide's program, on one line.
  console.error(error?.type ?? "", String(error?.message ?? error).slice(-3000));
  process.exit(1);
});
const python = await loadPyodide({
  indexURL: `${pyodide}/`, fsInit, _makeSnapshot: true,
  _sysExecutable: "./this.program", // as in a browser, and no path of this machine
});
python.globals.set("imports", imports);
python.runPython(`
import gc, sys, types
sys.dont_write_bytecode = True
# IPython needs sqlite3, which is a library and so is not loaded here, only to store a history, and
# this kernel stores none.  A notebook that imports sqlite3 gets the real one.
sys.modules["sqlite3"] = stand_in = types.ModuleType("sqlite3")
stand_in.Connection = stand_in.DatabaseError = Exception
stand_in.IntegrityError = stand_in.OperationalError = Exception
import IPython.core.history
del sys.modules["sqlite3"]
import ipywidgets, pyodide_kernel
if "kernel_startup" not in pyodide_kernel.ipython_shell.extension_manager.loaded:
    raise ImportError("IPython has not loaded the extension kernel_startup")
absent = dict.fromkeys(["numpy", "matplotlib"])  # they are loaded when a notebook needs them
sys.modules.update(absent)
with pyodide_kernel.ipython_shell.builtin_trap:  # as in a cell: the course looks for IPython
    for statement in imports.splitlines():
        try:
            exec(statement, {})
        except ImportError:
            pass
for name in absent:
    del sys.modules[name]
del absent, imports, name, stand_in, statement
sys.dont_write_bytecode = False
gc.collect()
`);
// What Python holds of JavaScript is found again by its name, which is of Pyodide.
const own = Object.getOwnPropertyNames(python).map(name => [python[name], name]);
const names = new Map([...own, [python, ""]]);
for (const name of Object.keys(python.loadedPackages)) delete python.loadedPackages[name];
const serializer = held => {
  if (!names.has(held)) throw new Error(`Python must not hold ${held} in its first memory`);
  return names.get(held);
};
writeFileSync(out, python.makeMemorySnapshot({ serializer }));
