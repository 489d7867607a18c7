// Before the program of Python's worker, which the page begins before it has made itself: Python
// is loaded at once, and is there when the program asks for it.  Only the worker knows how many
// bytes it has loaded, and says so.
if (typeof document === "undefined") {
  new PerformanceObserver(list => {
    const channel = new BroadcastChannel("python-loads");
    for (const { decodedBodySize } of list.getEntries()) channel.postMessage(decodedBodySize);
  }).observe({ type: "resource", buffered: true });
  const load = importScripts, root = `${location.href.split("/extensions/")[0]}/static/pyodide/`;
  load(`${root}pyodide.js`);
  const python = loadPyodide({ indexURL: root, packages: PACKAGES }).then(async made => {
    await made.runPythonAsync("import IPython.core.interactiveshell, IPython.core.completer");
    return made;
  });
  self.importScripts = (...files) => files.some(file => file.endsWith("/pyodide.js")) || load(...files);
  self.loadPyodide = () => python;
}
