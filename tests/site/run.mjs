// node run.mjs PYODIDE COURSE FOLDER PROGRAM: run a program in Pyodide with the course in COURSE.
const [pyodide, course, folder, program] = process.argv.slice(2);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${pyodide}/` });
await python.loadPackage(["numpy"], { messageCallback: () => {} });
python.mountNodeFS("/course", course);
python.mountNodeFS("/folder", folder);
python.globals.set("program", program);
await python.runPythonAsync(`
import runpy, sys
sys.path[:0] = ["/course", "/folder"]
sys.dont_write_bytecode = True
runpy.run_path("/folder/" + program, run_name="__main__")
`);
