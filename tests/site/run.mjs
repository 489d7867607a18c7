// node run.mjs PYODIDE COURSE FOLDER PROGRAM [PACKAGE ...]: run a program in Pyodide with the course
// in COURSE, and with numpy and the packages as far as this Pyodide has them.
import { readFileSync } from "node:fs";
const [pyodide, course, folder, program, ...packages] = process.argv.slice(2);
const lock = JSON.parse(readFileSync(`${pyodide}/pyodide-lock.json`, "utf8"));
const there = ["numpy", ...packages].filter((name) => name in lock.packages);
const { loadPyodide } = await import(`${pyodide}/pyodide.mjs`);
const python = await loadPyodide({ indexURL: `${pyodide}/` });
await python.loadPackage(there, { messageCallback: () => {} });
python.mountNodeFS("/course", course);
python.mountNodeFS("/folder", folder);
python.globals.set("program", program);
try {
await python.runPythonAsync(`
import runpy, sys
sys.path[:0] = ["/course", "/folder"]
sys.dont_write_bytecode = True
runpy.run_path("/folder/" + program, run_name="__main__")
`);
} catch (error) {
  // Not the error itself: it shows the whole of Pyodide's program, on one line.
  console.error(String(error.message ?? error).slice(-3000));
  process.exit(1);
}
