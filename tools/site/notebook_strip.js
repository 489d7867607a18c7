// What stands above a notebook in a tab: the way back, and a word and a bar until Python is there.
// What is run meanwhile waits for it.  Python's worker says on the channel what it has loaded.
"use strict";

{
  const { megabytes, worker, later } = document.currentScript.dataset, root = new URL("../../", location);

  // For each fault: what a student reads, and what the publisher of the site can do.
  const FAULTS = {
    again: file => [`${file} could not be loaded, and is asked for again.`, ""],
    file: file => [`${file} could not be loaded. Reload this page; if that does not help, try another network.`,
      `check that the server sends ${file}.`],
    spare: file => [`${file} could not be loaded. The lesson can run without it, but it begins later.`,
      `check that the server sends ${file}.`],
    policy: rule => ["This site's security policy stops a part of this page, so the lesson cannot be run here as it should. You can read it.",
      `the header Content-Security-Policy must allow script-src 'self' 'unsafe-inline' 'unsafe-eval',
      style-src 'self' 'unsafe-inline' and img-src 'self' data:; ${rule}.`],
    python: reason => ["Python could not be started. Reload this page, or use a recent Chrome, Edge or Firefox.", reason],
    storage: () => ["This browser stores nothing for this page, so your work is lost when you close it. Download it before: File → Download.",
      "a page inside a frame of another site may not store anything; let students open it directly."],
    full: () => ["The storage of this browser is full, so what you do now is lost when you close this page. Download it before: File → Download. Then make room on the disk, or delete the data of other pages.", ""],
    files: () => [isSecureContext
      ? "Lessons run, but input() and files do not work, because this browser has blocked a service worker. Allow it, or leave private browsing."
      : "Lessons run, but input() and files do not work, because the address of this page does not begin with https.",
      "serve the site by https, with run/service-worker.js as JavaScript."],
  };
  const box = document.createElement("div"), seen = new Set();
  let failed = false; // whether Python will not be there
  let missing = ""; // the file that Python or the page seemed to need
  box.id = "course-fault";
  box.setAttribute("role", "alert");
  /** Show a fault at the bottom of the page, once; a repeated request disappears when it succeeds. */
  function report(fault, detail = "") {
    const [student, publisher] = FAULTS[fault](detail);
    box.querySelector(".again")?.remove();
    if (fault !== "again" && seen.has(fault) || fault === "python" && seen.has("file")) return;
    seen.add(fault);
    if (fault === "file") missing = detail;
    const refused = fault === "policy" && detail.includes("script-src");
    if ((["file", "python"].includes(fault) || refused) && !ready) {
      failed = true;
      say("Python has not been loaded.");
    }
    const line = document.createElement("p");
    line.className = fault;
    line.textContent = publisher ? `${student} (For the publisher of this site: ${publisher})` : student;
    box.append(line);
  }

  const fetchOnce = window.fetch.bind(window);
  window.fetch = fetchAgain(fetchOnce, report, response => response.status >= 500);
  addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
    report("policy", `it has refused ${blockedURI || "a program"} by ${effectiveDirective}`);
  });
  // A file of JupyterLite itself: the page begins again, twice, because its programs cannot.
  addEventListener("error", ({ target }) => {
    const file = target.tagName === "SCRIPT" && target.src ? new URL(target.src).pathname.split("/").pop() : null;
    if (!file) return;
    const key = "course-began-again", times = Number(new URLSearchParams(location.hash.slice(1)).get(key) ?? 0);
    if (ready || times >= 2) return void report("file", file);
    report("again", file);
    setTimeout(() => { location.hash = `${key}=${times + 1}`; location.reload(); }, 1000 * 3 ** times);
  }, true);
  /** Store as much as a notebook needs; fails if this browser stores nothing, or nothing more. */
  const tryToStore = () => new Promise((done, fail) => {
    const NAME = "course-stores", BYTES = 100_000;
    localStorage.setItem(NAME, "1");
    const opening = indexedDB.open(NAME);
    opening.onupgradeneeded = () => opening.result.createObjectStore(NAME);
    opening.onerror = () => fail(opening.error);
    opening.onsuccess = () => {
      const writing = opening.result.transaction(NAME, "readwrite");
      writing.oncomplete = done;
      writing.onabort = () => fail(writing.error);
      writing.objectStore(NAME).put("x".repeat(BYTES), NAME);
    };
  });
  /** Return whether JupyterLite must have its files in memory; what was stored before is kept. */
  async function needsMemory() {
    try { await tryToStore(); } catch (error) {
      report(error?.name === "QuotaExceededError" ? "full" : "storage");
      const kept = await window.indexedDB?.databases().catch(() => null) ?? [];
      return !kept.some(({ name }) => name.startsWith("JupyterLite Storage"));
    }
    return false;
  }
  const inMemory = needsMemory(), fetchFile = window.fetch;
  window.fetch = async (what, ...options) => {
    const answer = await fetchFile(what, ...options);
    if (!answer.ok || !/\/jupyter-lite\.json($|\?)/.test(answer.url) || !await inMemory) return answer;
    const drivers = ["memoryStorageDriver"], settings = await answer.json();
    const memory = { enableMemoryStorage: true, contentsStorageDrivers: drivers, settingsStorageDrivers: drivers };
    settings["jupyter-config-data"] = { ...settings["jupyter-config-data"], ...memory };
    return new Response(JSON.stringify(settings));
  };
  addEventListener("load", async () => {
    const registered = () => navigator.serviceWorker?.getRegistration(new URL("run/", root)).catch(() => null);
    for (let seconds = 0; seconds < 20; seconds++) {
      if (await registered()) return;
      await new Promise(done => { setTimeout(done, 1000); });
    }
    if (!seen.has("policy")) report("files");
  });
  // On a page that headers isolate from other hosts, the kernel would choose a worker in which no
  // cell ends.  The plain one works there, too.
  Object.defineProperty(window, "crossOriginIsolated", { value: false, configurable: true });
  // Python begins now, beside the page: this is its worker, which the kernel asks for much later.
  const file = new URL(`run/${worker}`, root).href, Usual = Worker, python = new Usual(file);
  python.addEventListener("error", () => report("file", file.split("/").pop()));
  window.Worker = new Proxy(Usual, { construct(_, [url, ...more]) {
    if (!`${url}`.startsWith(file)) return new Usual(url, ...more);
    window.Worker = Usual;
    return python;
  } });
  const name = new URLSearchParams(location.search).get("path")?.replace(/\.ipynb.*$/, "");
  const strip = document.createElement("nav");
  strip.id = "course-strip";
  strip.innerHTML = `<style>
    #course-strip { position: fixed; inset: 0 0 auto 0; height: 30px; z-index: 9; display: flex; gap: 16px;
      align-items: center; padding: 0 10px; background: #00598a; color: #ffffff; overflow: hidden;
      font: 14px/30px system-ui, "DejaVu Sans", sans-serif; white-space: nowrap; }
    #course-strip a { color: inherit; }
    #course-strip progress { flex: 0 1 160px; min-width: 40px; }
    #course-fault { position: fixed; inset: auto 0 0 0; z-index: 9; background: #ffe9d6; color: #1a1a1a;
      font: 14px/1.4 system-ui, "DejaVu Sans", sans-serif; padding: 0 10px; max-height: 40%; overflow: auto; }
    #course-fault p { margin: 6px 0; }
    #main { top: 30px !important; height: calc(100% - 30px) !important; } </style>
    <a href="${root}">All lessons</a> ${name ? `<a href="${new URL(`${name}.html`, root)}">Read</a>` : ""}
    <a href="${new URL("glossary.html", root)}" target="_blank">Glossary</a>
    <span role="status"></span><progress max="${megabytes}"></progress>`;
  const said = strip.querySelector("span"), bar = strip.querySelector("progress");
  const put = () => document.body.prepend(strip, box);
  if (document.body) put(); else addEventListener("DOMContentLoaded", put);

  const pythonFiles = []; // their addresses
  const waiting = []; // cells and commands that are to run
  let app = null, ready = false, here = 0, there = 0; // bytes of the page, and of Python
  const panel = () => app?.shell.currentWidget;
  const kernel = () => panel()?.sessionContext?.session?.kernel;
  // Until its file is there, a notebook shows a cell that is no part of it.
  const active = () => panel()?.context?.isReady ? panel().content.activeCell : null;
  const say = (text = "") => {
    const later = waiting.length ? `What you have run (${waiting.length}) follows.` : "";
    const loaded = Math.min((here + there) / 1e6, megabytes);
    bar.value = loaded;
    bar.hidden = ready || failed;
    if (failed && !text) return;
    said.textContent = text || `Python is loading: ${loaded.toFixed(0)} of ${megabytes} MB. ${later}`;
  };
  new PerformanceObserver(list => {
    list.getEntries().forEach(entry => { here += entry.decodedBodySize; });
    if (!ready) say();
  }).observe({ type: "resource", buffered: true });
  new BroadcastChannel("python-loads").onmessage = ({ data }) => {
    if (data.fault) return void report(data.fault, data.detail);
    there += data.size;
    pythonFiles.push(data.name);
    if (!ready) say();
  };
  say();

  const LONG_SECONDS = 20;
  const RUNS = /^(notebook:run|runmenu:)/, INTERRUPT = /interrupt/;
  /** Let commands that run cells wait for Python, and say what Interrupt does here. */
  function guard() {
    const { commands } = app, execute = commands.execute.bind(commands);
    commands.execute = (id, given) => {
      if (INTERRUPT.test(id)) {
        say("Interrupt does nothing in a browser tab: use Kernel → Restart Kernel. Your text stays.");
        return Promise.resolve();
      }
      if (ready || !RUNS.test(id) || !panel()?.content?.activeCell) return execute(id, given);
      const { content } = panel(), cell = active(), one = !/all|above|below/.test(id);
      if (!cell) return Promise.resolve(); // the key was counted
      waiting.push([id, one && cell]);
      if (one && cell.model.type === "code") cell.setPrompt("*");
      if (/next|runmenu:run$/.test(id)) content.activeCellIndex += 1;
      say();
      return Promise.resolve();
    };
    return execute;
  }

  /** Run what was asked for while Python was loading, in its order. */
  function catchUp(execute) {
    const { content } = panel();
    for (const [id, cell] of waiting.splice(0)) {
      const at = content.activeCellIndex;
      if (cell) content.activeCellIndex = content.widgets.indexOf(cell);
      execute(cell ? "notebook:run-cell" : id);
      if (cell) content.activeCellIndex = at;
    }
  }

  /** Go to the section that the address names, as the pages to read name theirs. */
  function goToSection() {
    const slug = text => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
    const { content } = panel(), wanted = decodeURIComponent(location.hash.slice(1));
    const at = content.widgets.findIndex(({ model }) => wanted && model.type === "markdown"
      && slug(model.sharedModel.getSource().match(/^## (.*)$/m)?.[1] ?? "") === wanted);
    if (at >= 0) {
      content.activeCellIndex = at;
      content.scrollToItem(at, "start");
    }
  }

  let busy = 0; // seconds
  /** Say what a student can do if Python computes for long, and nothing more after a restart. */
  function watchKernel() {
    const before = busy;
    busy = kernel()?.status === "busy" ? busy + 1 : 0;
    if (busy >= LONG_SECONDS) {
      say(`Python has been computing for ${busy} seconds. To stop it: Kernel → Restart Kernel. Your text stays.`);
    } else if (before >= LONG_SECONDS || kernel()?.status === "restarting") say(" ");
  }

  const sources = cells => JSON.stringify(cells.map(cell => [cell.id, [cell.source].flat().join("")]));
  /** Return the site's own copy of this notebook as it is now; null if it cannot be had. */
  async function published() {
    const url = new URL(`run/files/${name}.ipynb`, root).href;
    // The service worker answers with the copy that it keeps, which may be an old one.
    const store = await window.caches?.open("precache").catch(() => null);
    const kept = await store?.match(url);
    await store?.delete(url);
    const answer = await fetchOnce(url, { cache: "no-cache" }).catch(() => null);
    const newest = answer?.ok ? answer.clone() : kept; // offline, the old one is kept
    if (newest) await store?.put(url, newest);
    return answer?.ok ? answer.json() : null;
  }

  /** Let a notebook that was run but not changed follow a new version of the site. */
  async function followVersion() {
    const { context } = panel(), key = `course-version:${name}`;
    const newest = name && await published();
    if (!newest) return; // offline, or a notebook of the student's
    const now = sources(newest.cells), mine = sources(context.model.toJSON().cells);
    let seen = null;
    try { seen = localStorage.getItem(key); } catch { return; }
    if (mine === now || seen === null) return void localStorage.setItem(key, now);
    if (seen === now) return; // the student has changed it
    if (mine === seen) {
      localStorage.setItem(key, now);
      await app.serviceManager.contents.delete(context.path); // only the copy of this browser
      location.reload();
    } else say("This lesson has a new version. To get it, rename your copy, and open the lesson again.");
  }

  /** Store the files of this page and of its widgets, so that it can be opened without a network. */
  async function storeForOffline() {
    const store = await window.caches?.open("precache").catch(() => null);
    const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
    // The programs of widgets are loaded when the first one is shown, which may be then.
    const widgets = later.split(" ").map(file => new URL(`run/${file}`, root).href);
    for (const url of [location.href.split("#")[0], ...loaded, ...pythonFiles, ...widgets]) {
      if (!store || !url.startsWith(new URL("run/", root).href) || url.includes("/api/service")) continue;
      if (!await store.match(url)) await store.add(url).catch(() => {});
    }
  }

  let execute = null, early = 0; // how often Shift+Enter was pressed before there was a cell
  addEventListener("keydown", ({ key, shiftKey }) => {
    if (key === "Enter" && shiftKey && !active()) early += 1;
  }, true);
  const watch = setInterval(() => {
    app ??= window.jupyterapp ?? null;
    if (app && !execute) execute = guard();
    for (; early && execute && active(); early--) {
      app.commands.execute("notebook:run-cell-and-select-next");
    }
    if (!execute || !["idle", "busy"].includes(kernel()?.status)) return;
    clearInterval(watch);
    ready = true;
    say(" ");
    box.querySelector(".again")?.remove();
    if (seen.delete("file")) { // so it was not needed
      box.querySelector(".file").remove();
      report("spare", missing);
    }
    setInterval(watchKernel, 1000);
    followVersion();
    storeForOffline();
    catchUp(execute);
    goToSection(); // after it: a cell that is run comes into view
  }, 50);

  // The way out of a notebook saves first, and does not wait for long.
  strip.addEventListener("click", async event => {
    const link = event.target.closest("a:not([target])");
    if (!link || !panel()?.context?.model?.dirty) return;
    event.preventDefault();
    await Promise.race([app.commands.execute("docmanager:save"), new Promise(done => { setTimeout(done, 5000); })]);
    location.assign(link.href);
  });
  // A link to another notebook opens in this tab, the glossary as a page in one of its own.
  addEventListener("click", async event => {
    const [, file] = event.target.closest?.("a")?.href?.match(/(\w+)\.(?:ipynb|md)\b/) ?? [];
    if (!file || !event.target.closest(".jp-Notebook")) return;
    event.preventDefault();
    event.stopPropagation();
    if (file === "glossary") return void open(new URL("glossary.html", root));
    await app.commands.execute("docmanager:save");
    location.assign(`?path=${file}.ipynb`);
  }, true);
}
