// What stands above a notebook in a tab: the way back, and a word and a bar until Python is there.
// What is run meanwhile waits for it.  Python's worker says on the channel what it has loaded.
"use strict";

{
  const { megabytes, worker } = document.currentScript.dataset, root = new URL("../../", location);
  // Python begins now, beside the page: this is its worker, which the kernel asks for much later.
  if (!crossOriginIsolated) {
    const file = new URL(`run/${worker}`, root).href, Usual = Worker, python = new Usual(file);
    window.Worker = new Proxy(Usual, { construct(_, [url, ...more]) {
      if (!`${url}`.startsWith(file)) return new Usual(url, ...more);
      window.Worker = Usual;
      return python;
    } });
  }
  const name = new URLSearchParams(location.search).get("path")?.replace(/\.ipynb.*$/, "");
  const strip = document.createElement("nav");
  strip.id = "course-strip";
  strip.innerHTML = `<style>
    #course-strip { position: fixed; inset: 0 0 auto 0; height: 30px; z-index: 9; display: flex; gap: 16px;
      align-items: center; padding: 0 10px; background: #00598a; color: #ffffff; overflow: hidden;
      font: 14px/30px system-ui, "DejaVu Sans", sans-serif; white-space: nowrap; }
    #course-strip a { color: inherit; }
    #course-strip progress { flex: 0 1 160px; min-width: 40px; }
    #main { top: 30px !important; height: calc(100% - 30px) !important; } </style>
    <a href="${root}">All lessons</a> ${name ? `<a href="${new URL(`${name}.html`, root)}">Read</a>` : ""}
    <a href="${new URL("glossary.html", root)}" target="_blank">Glossary</a>
    <span role="status"></span><progress max="${megabytes}"></progress>`;
  const said = strip.querySelector("span"), bar = strip.querySelector("progress");
  const put = () => document.body.prepend(strip);
  if (document.body) put(); else addEventListener("DOMContentLoaded", put);

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
    said.textContent = text || `Python is loading: ${loaded.toFixed(0)} of ${megabytes} MB. ${later}`;
  };
  new PerformanceObserver(list => {
    list.getEntries().forEach(entry => { here += entry.decodedBodySize; });
    if (!ready) say();
  }).observe({ type: "resource", buffered: true });
  new BroadcastChannel("python-loads").onmessage = ({ data }) => { there += data; if (!ready) say(); };
  say();

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
    bar.hidden = true;
    catchUp(execute);
    goToSection(); // after it: a cell that is run comes into view
  }, 50);

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
