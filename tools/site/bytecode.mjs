// node bytecode.mjs PYODIDE FOLDER LEVEL: compile all programs below a folder.
const [pyodide, folder, level] = process.argv.slice(2);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${pyodide}/` });
python.mountNodeFS("/folder", folder);
// Unchecked: what a browser unpacks has other dates.  Level 2 leaves out docstrings, a third of it.
python.runPython(`
import compileall, py_compile
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir("/folder", quiet=2, stripdir="/folder", optimize=${level},
    legacy=${level} == 2, invalidation_mode=unchecked)
`);
