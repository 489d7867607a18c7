// Before the program of Python's worker, which the page begins before it has made itself: Python
// is loaded at once, and is there when the program asks for it.  Only the worker knows how many
// bytes it has loaded, and what went wrong, and says so.
if (typeof document === "undefined") {
  const channel = new BroadcastChannel("python-loads");
  const tell = (fault, detail) => channel.postMessage({ fault, detail });
  new PerformanceObserver(list => {
    for (const { name, decodedBodySize } of list.getEntries()) {
      channel.postMessage({ name, size: decodedBodySize });
    }
  }).observe({ type: "resource", buffered: true });
  const asked = fetchAgain(self.fetch.bind(self), tell, response => !response.ok);
  self.fetch = async (what, ...options) => {
    const response = await asked(what, ...options);
    // A server that does not know WebAssembly sends another type, which browsers refuse.
    if (!/\.wasm$/.test(response.url) || !response.ok) return response;
    return new Response(response.body, { headers: { "Content-Type": "application/wasm" } });
  };
  const loadOnce = importScripts, root = `${location.href.split("/extensions/")[0]}/static/pyodide/`;
  const load = (...files) => {
    for (const seconds of [1, 3, 9, null]) {
      try { return loadOnce(...files); } catch (error) {
        if (seconds === null || error.name !== "NetworkError") {
          tell("file", files[0].split("/").pop());
          throw error;
        }
        tell("again", files[0].split("/").pop());
        // A worker cannot wait for a promise here.
        for (const end = Date.now() + 1000 * seconds; Date.now() < end;);
      }
    }
  };
  self.importScripts = load;
  load(`${root}pyodide.js`);
  const plain = name => name.toLowerCase().replaceAll("_", "-");
  const python = loadPyodide({ indexURL: root, packages: PACKAGES }).then(async made => {
    // Pyodide reports a wheel that cannot be loaded in the console alone.
    const loaded = Object.keys(made.loadedPackages).map(plain);
    const missing = PACKAGES.map(plain).filter(name => !loaded.includes(name));
    if (missing.length) throw new Error(`${missing[0]} is not loaded`);
    await made.runPythonAsync("import IPython.core.interactiveshell, IPython.core.completer");
    return made;
  });
  python.catch(({ name, message }) => {
    const refused = /unsafe-eval|Content Security Policy/.test(message) || name === "EvalError";
    tell(refused ? "policy" : "python", `${name}: ${message}`);
  });
  self.importScripts = (...files) => files.some(file => file.endsWith("/pyodide.js")) || load(...files);
  self.loadPyodide = () => python;
}
