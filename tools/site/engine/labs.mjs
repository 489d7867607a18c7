// A playground and two labs for the position on a board: depth against nodes, and simulations
// against what is chosen.  Every chart draws itself while the searches run.

import { Thinker, best, files, make, pick, seed, inWords } from "./play.mjs";

const RUNS = 40, SIMULATIONS = [10, 30, 100, 300, 1000, 3000, 10000, 30000], MOST_NODES = 3e7;
const WIDE = 560, HIGH = 260, LEFT = 74, BELOW = 44;
const whole = number => Math.round(number).toLocaleString("en");

/** A place with a question, buttons to run and to stop it, and what it finds. */
class Lab {
  constructor(root, play, title, task) {
    Object.assign(this, { play, thinker: new Thinker(), stopped: false });
    this.root = make(`<section class="gt-lab"><h3>${title}</h3><p>${task}</p>
      <div class="gt-row gt-controls"></div><p class="gt-note" role="status"></p><div class="gt-found"></div></section>`);
    root.append(this.root);
    [this.controls, this.note, this.found] = ["controls", "note", "found"].map(part => this.root.querySelector(`.gt-${part}`));
  }

  button(name, does) {
    const button = make(`<button type="button">${name}</button>`);
    button.onclick = does;
    this.controls.append(button);
    return button;
  }

  /** Run a piece of work for the position on the board; only one at a time. */
  async run(work) {
    const { state, key, game } = this.play;
    if (game.isOver(state)) return this.say("This game is over: undo, or begin a new one.");
    this.stopped = false;
    this.go.disabled = true;
    this.halt.disabled = false;
    try { await work({ key, state }, game); } catch (error) { this.say(`${error}`); }
    this.go.disabled = false;
    this.halt.disabled = true;
  }

  buttons(name, work) {
    this.go = this.button(name, () => this.run(work));
    this.halt = this.button("Stop", () => { this.stopped = true; this.thinker.stop(); });
    this.halt.disabled = true;
  }

  async ask(question, known = null) {
    const answer = await this.thinker.ask(question, known);
    if (answer.error) throw answer.error;
    return answer;
  }

  say(text) { this.note.textContent = text; }

  /** Return what is proven of the position, found by the exact solver. */
  async exact(question) {
    const { found, stopped } = await this.ask({ ...question, search: "solve", options: {} });
    return stopped ? null : found;
  }
}

/** One search at a time, and a table of what each has cost. */
export class Playground extends Lab {
  constructor(root, play) {
    super(root, play, "Playground", "Search the position on the board.  What does each control cost?");
    this.algorithm = this.control("Algorithm", `<select><option value="mcts">MCTS</option>
      <option value="alphabeta">alpha-beta</option><option value="minimax">minimax</option></select>`);
    this.depth = this.control("depth", `<input type="number" min="1" max="42" value="5">`);
    this.simulations = this.control("simulations", `<input type="number" min="1" max="300000" value="3000">`);
    this.c = this.control("c", `<input type="number" min="0" max="10" step="0.1" value="1.4">`);
    this.buttons("Run", (question, game) => this.search(question, game));
    this.found.innerHTML = `<div class="gt-scroll"><table><thead><tr><th>search</th><th>action</th><th>value</th>
      <th>nodes</th><th>leaves</th><th>cutoffs</th><th>exact</th></tr></thead><tbody></tbody></table></div>`;
    this.algorithm.onchange = () => this.fit();
    this.fit();
  }

  control(name, html) {
    const label = make(`<label>${name} ${html}</label>`);
    this.controls.append(label);
    return label.firstElementChild;
  }

  /** Show the controls that the algorithm has. */
  fit() {
    const isTree = this.algorithm.value === "mcts";
    this.depth.parentElement.hidden = isTree;
    this.simulations.parentElement.hidden = this.c.parentElement.hidden = !isTree;
  }

  async search(question, game) {
    const { WIN_SCORE } = (await files).table.constants.limits;
    const name = this.algorithm.value, whole_ = field => Math.floor(Number(field.value));
    const options = name === "mcts"
      ? { simulations: clamp(whole_(this.simulations), 1, 300000), c: clamp(Number(this.c.value), 0, 10), seed: seed() }
      : { depth: clamp(whole_(this.depth), 1, 42), prune: name === "alphabeta" };
    if (name !== "mcts" && game.kind === "nim") return this.say("On this page alpha-beta plays boards only.");
    this.say("It searches.");
    const { found, stopped } = await this.ask({ ...question, search: name === "mcts" ? "mcts" : "board", options });
    if (!found || !game.legal(question.state).includes(found.action)) return this.say("Stopped before there was an answer.");
    this.say(stopped ? "Stopped: this is what it knew." : "");
    const text = name === "mcts" ? `MCTS, ${whole(options.simulations)} simulations, c = ${options.c}`
      : `${name === "minimax" ? "minimax" : "alpha-beta"}, depth ${options.depth}`;
    const row = name === "mcts"
      ? [text, game.name(found.action), `${(2 * found.means[found.action] - 1).toFixed(2)}`, whole(found.treeNodes), "", ""]
      : [text, game.name(found.action), value(found.values[found.action], WIN_SCORE), whole(found.nodes), whole(found.leaves), whole(found.cutoffs)];
    const line = make(`<table><tbody><tr>${row.map(cell => `<td>${cell}</td>`).join("")}<td>…</td></tr></tbody></table>`).querySelector("tr");
    this.found.querySelector("tbody").prepend(line);
    const known = await this.exact(question);
    line.lastElementChild.textContent = known
      ? `${best(known).includes(found.action) ? "✓" : "✗"} ${inWords(known[found.action])}` : "not asked to the end";
  }
}

const clamp = (number, least, most) => Math.min(Math.max(number || 0, least), most);

/** Return a value of alpha-beta in words; a win now is worth `most`, and less by one a ply. */
const value = (number, most) => (Math.abs(number) > 1
  ? `${number > 0 ? "win" : "loss"} in ${most - Math.abs(number)}` : number === 0 ? "0" : number.toFixed(2));

/** How many nodes minimax and alpha-beta visit, depth by depth. */
export class DepthLab extends Lab {
  constructor(root, play) {
    super(root, play, "Depth against nodes",
      "Guess first: by how much does one ply more multiply the nodes, with cuts and without?");
    this.buttons("Measure", (question, game) => this.measure(question, game));
  }

  async measure(question, game) {
    if (game.kind === "nim") return this.say("Choose a board above: here Nim has no alpha-beta.");
    const rows = { minimax: [], "alpha-beta": [] }, most = Math.min(game.cells - question.state.count, 16);
    for (const [name, prune] of [["alpha-beta", true], ["minimax", false]]) {
      for (let depth = 1; depth <= most && !this.stopped; depth++) {
        this.say(`${name}, depth ${depth}`);
        const { found, stopped } = await this.ask({ ...question, search: "board", options: { depth, prune } });
        if (stopped) break;
        rows[name].push(found.nodes);
        this.draw(rows);
        const [before, now] = rows[name].slice(-2);
        if (now * (now / before || 8) > MOST_NODES) break;
      }
    }
    const both = Math.min(...Object.values(rows).map(row => row.length));
    const share = both && rows["alpha-beta"][both - 1] / rows.minimax[both - 1];
    this.say(both ? `At depth ${both} alpha-beta visits ${whole(rows["alpha-beta"][both - 1])} of the
      ${whole(rows.minimax[both - 1])} nodes of minimax: ${(100 * share).toPrecision(2)} %.` : "Stopped.");
  }

  draw(rows) {
    const most = Math.max(...Object.values(rows).map(row => row.length));
    const top = Math.log10(Math.max(...Object.values(rows).flat(), 10));
    const x = depth => LEFT + (WIDE - LEFT - 100) * (depth - 1) / Math.max(most - 1, 1);
    const y = nodes => HIGH - BELOW - (HIGH - BELOW - 16) * Math.log10(nodes) / top;
    const ticks = Array.from({ length: Math.floor(top) + 1 }, (_, power) =>
      `<line class="gt-grid" x1="${LEFT}" x2="${WIDE - 100}" y1="${y(10 ** power)}" y2="${y(10 ** power)}"/>
       <text x="${LEFT - 8}" y="${y(10 ** power) + 4}" text-anchor="end">${whole(10 ** power)}</text>`);
    const depths = Array.from({ length: most }, (_, at) =>
      `<text x="${x(at + 1)}" y="${HIGH - BELOW + 18}" text-anchor="middle">${at + 1}</text>`);
    const lines = Object.entries(rows).map(([name, nodes], number) => nodes.length ? `<polyline class="gt-line gt-line-${number}"
       points="${nodes.map((count, at) => `${x(at + 1)},${y(count)}`).join(" ")}"/>
       ${nodes.map((count, at) => `<circle class="gt-dot-${number}" r="4" cx="${x(at + 1)}" cy="${y(count)}"><title>depth ${at + 1}: ${whole(count)} nodes</title></circle>`).join("")}
       <text x="${x(nodes.length) + 10}" y="${y(nodes.at(-1)) + 4}">${name}</text>` : "");
    const said = Object.entries(rows).map(([name, nodes]) => `${name}: ${nodes.map(whole).join(", ")}`).join("; ");
    this.found.innerHTML = svg(`Nodes by depth. ${said}`, [...ticks, ...depths, ...lines,
      `<text x="${(WIDE - 30) / 2}" y="${HIGH - 6}" text-anchor="middle">depth in plies; nodes on a logarithmic axis</text>`].join(""));
  }
}

/** What MCTS chooses in many runs, by the number of simulations, beside what is optimal. */
export class StabilityLab extends Lab {
  constructor(root, play) {
    super(root, play, "Simulations against stability",
      `Guess first: in how many of ${RUNS} runs does MCTS choose an optimal action, with 10 simulations, with 1,000?`);
    this.buttons("Measure", (question, game) => this.measure(question, game));
  }

  async measure(question, game) {
    this.say("The exact solver looks first.");
    const known = await this.exact(question);
    if (!known) return this.say("Stopped.");
    const good = best(known), rows = [], chance = good.length / game.legal(question.state).length;
    for (const simulations of SIMULATIONS) {
      const counts = {};
      for (let run = 0; run < RUNS && !this.stopped; run++) {
        const options = { simulations, seed: seed(), step: 1e6 };
        const { found, stopped } = await this.ask({ ...question, search: "mcts", options });
        if (stopped) break;
        counts[found.action] = (counts[found.action] ?? 0) + 1;
        if (run === RUNS - 1) rows.push([simulations, counts]);
      }
      this.say(`${whole(simulations)} simulations`);
      this.draw(rows, good, chance, game);
      if (this.stopped) return this.say("Stopped.");
    }
    const hits = rows.map(([, counts]) => good.reduce((sum, action) => sum + (counts[action] ?? 0), 0));
    this.say(`Optimal: ${good.map(action => game.name(action)).join(", ")} (${inWords(known[pick(known)])}).
      Chosen in ${hits[0]} of ${RUNS} runs with ${SIMULATIONS[0]} simulations, in ${hits.at(-1)} with ${whole(SIMULATIONS.at(-1))};
      random moves would do so in ${Math.round(100 * chance)} %.`);
  }

  draw(rows, good, chance, game) {
    const step = (WIDE - LEFT - 20) / SIMULATIONS.length, top = 16, base = HIGH - BELOW;
    const y = share => base - (base - top) * share;
    const bars = rows.map(([simulations, counts], number) => {
      const order = Object.keys(counts).map(Number).sort((a, b) => good.includes(b) - good.includes(a) || counts[b] - counts[a]);
      let below = 0;
      const parts = order.map(action => {
        const from = below / RUNS;
        below += counts[action];
        return `<rect class="${good.includes(action) ? "gt-good" : "gt-bad"}" x="${LEFT + number * step + 4}" width="${step - 8}"
          y="${y(below / RUNS)}" height="${y(from) - y(below / RUNS)}"><title>${game.name(action)}: ${counts[action]} of ${RUNS}</title></rect>`;
      });
      return `${parts.join("")}<text x="${LEFT + (number + 0.5) * step}" y="${base + 18}" text-anchor="middle">${whole(simulations)}</text>`;
    });
    const ticks = [0, 0.5, 1].map(share => `<line class="gt-grid" x1="${LEFT}" x2="${WIDE - 20}" y1="${y(share)}" y2="${y(share)}"/>
      <text x="${LEFT - 8}" y="${y(share) + 4}" text-anchor="end">${100 * share} %</text>`);
    const dice = `<line class="gt-chance" x1="${LEFT}" x2="${WIDE - 20}" y1="${y(chance)}" y2="${y(chance)}"/>`;
    this.found.innerHTML = svg(`Share of ${RUNS} runs by action; optimal ones below`, [...ticks, ...bars, dice,
      `<text x="${WIDE / 2}" y="${HIGH - 6}" text-anchor="middle">simulations; green: optimal, dashed line: random moves</text>`].join(""));
  }
}

const svg = (said, inner) =>
  `<svg viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-label="${said}" class="gt-chart">${inner}</svg>`;
