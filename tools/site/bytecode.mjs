// node bytecode.mjs PYODIDE FOLDER LEGACY: compile all programs below a folder; LEGACY, True or
// False: whether the bytecode is to stand in the place of its source.
const [pyodide, folder, legacy] = process.argv.slice(2);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${pyodide}/` });
python.mountNodeFS("/folder", folder);
// Unchecked: what a browser unpacks has other dates.  Docstrings stay: numpy cannot begin without.
python.runPython(`
import compileall, py_compile, warnings
warnings.simplefilter("ignore", SyntaxWarning)  # about programs of other packages
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir("/folder", quiet=2, stripdir="/folder", legacy=${legacy},
    invalidation_mode=unchecked)
`);
