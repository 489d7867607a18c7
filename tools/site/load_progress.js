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
  const fetchOnce = self.fetch.bind(self), failed = response => !response.ok;
  /** Ask for a file, and read a program of WebAssembly to its end. */
  async function fetchWhole(what, ...options) {
    const response = await fetchOnce(what, ...options);
    if (!/\.wasm$/.test(response.url) || !response.ok) return response;
    // Pyodide would wait forever for the rest of a file that was cut short.
    const program = await response.arrayBuffer();
    // A server that does not know WebAssembly sends another type, which browsers refuse.
    return new Response(program, { headers: { "Content-Type": "application/wasm" } });
  }
  self.fetch = fetchAgain(fetchWhole, tell, failed);
  // For the image, because Python can start without it.
  const tellSpare = (fault, file) => tell(fault === "file" ? "spare" : fault, file);
  const askedSpare = fetchAgain(fetchOnce, tellSpare, failed);
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
  const loadPyodide = self.loadPyodide;
  /** Return the content of a file of the image of Python, which tools/site/python_image.py writes. */
  async function unpacked(file) {
    const { body } = await askedSpare(root + file);
    return new Response(body.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  /** Start Python from its image. */
  async function fromImage() {
    const memory = unpacked("Suspending" in WebAssembly ? IMAGE.suspending : IMAGE.plain);
    const all = unpacked(IMAGE.files);
    let packages = [];
    const fsInit = async FS => {
      const files = new Uint8Array(await all), [length] = new Uint32Array(files.buffer, 0, 1);
      let sizes = null, at = 4 + length;
      [packages, sizes] = JSON.parse(new TextDecoder().decode(files.subarray(4, at)));
      for (const [path, size] of sizes) {
        FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
        FS.writeFile(path, files.subarray(at, at += size), { canOwn: true });
      }
    };
    let made = null;
    // Pyodide begins at once, and waits for its memory and files itself.  What Python's memory holds
    // of Pyodide are functions, and only their names are in the image.
    const _snapshotDeserializer = name => (...given) => made[name](...given);
    made = await loadPyodide({ indexURL: root, fsInit, _loadSnapshot: memory, _snapshotDeserializer });
    for (const name of packages) made.loadedPackages[name] = "default channel";
    made.runPython("import kernel_startup; kernel_startup.wake()");
    made.runPython("import piplite.piplite"); // while the page is not ready
    return made;
  }
  /** Start Python without its image, which takes three times as long. */
  async function fromWheels() {
    const made = await loadPyodide({ indexURL: root, packages: PACKAGES });
    const plain = name => name.toLowerCase().replaceAll("_", "-");
    // Pyodide reports a wheel that cannot be loaded in the console alone.
    const loaded = Object.keys(made.loadedPackages).map(plain);
    const missing = PACKAGES.map(plain).filter(name => !loaded.includes(name));
    if (missing.length) throw new Error(`${missing[0]} is not loaded`);
    return made;
  }
  const python = fromImage().catch(error => {
    console.warn(error);
    return fromWheels();
  });
  python.catch(({ name, message }) => {
    const refused = /unsafe-eval|Content Security Policy/.test(message) || name === "EvalError";
    tell(refused ? "policy" : "python", `${name}: ${message}`);
  });
  self.importScripts = (...files) => files.some(file => file.endsWith("/pyodide.js")) || load(...files);
  self.loadPyodide = () => python;
}
