// A board that plays and thinks, in a page without Python.  `Play` is the board with its players and
// its verdicts; `Thinker` asks a worker.

import { rules } from "./games.mjs";

const OPPONENTS = [  // name, search, options; only boards have alpha-beta
  ["MCTS, 10 simulations", "mcts", { simulations: 10 }],
  ["MCTS, 100 simulations", "mcts", { simulations: 100 }],
  ["MCTS, 1,000 simulations", "mcts", { simulations: 1000 }],
  ["MCTS, 20,000 simulations", "mcts", { simulations: 20000 }],
  ["MCTS, 200,000 simulations", "mcts", { simulations: 200000 }],
  ["alpha-beta, 2 plies", "board", { depth: 2 }],
  ["alpha-beta, 6 plies", "board", { depth: 6 }],
  ["alpha-beta, 10 plies", "board", { depth: 10 }],
  ["the exact solver", "solve", {}],
  ["another human", null, {}],
];
const USUAL = "MCTS, 20,000 simulations", WORDS = { 1: "wins", 0: "draws", "-1": "loses" };
const NAMES = { columns: ["Yellow", "Blue"], cells: ["X", "O"], nim: ["The first player", "The second player"] };

/** Return an element from HTML that this file has written. */
export function make(html) {
  const template = document.createElement("template");
  template.innerHTML = html.trim();
  return template.content.firstChild;
}

/** Return {table, library}, loaded once: what the page and all its workers know of the kernels. */
export const files = (async () => {
  const [table, library] = await Promise.all([fetch("engine.json").then(file => file.json()),
    fetch("kernels.wasm").then(file => file.arrayBuffer()).then(bytes => WebAssembly.compile(bytes))]);
  return { table, library };
})();

/** Asks a worker; a new question ends the one before. */
export class Thinker {
  constructor() {
    this.worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
    files.then(loaded => this.worker.postMessage(loaded));  // before any question, which waits for it
    this.asked = new Map();
    this.id = 0;
    this.worker.onmessage = ({ data }) => {
      const { known, done } = this.asked.get(data.id) ?? {};
      if ("known" in data) known?.(data.known);
      else {
        this.asked.delete(data.id);
        done?.(data);
      }
    };
    this.worker.onerror = event => this.broken?.(event.message ?? "the worker did not start");
  }

  /** Return a promise of {found, stopped, error}; `known` is told what is known meanwhile. */
  ask(question, known = null) {
    this.id += 1;
    const id = this.id;
    return new Promise(done => {
      this.asked.set(id, { known, done });
      files.then(() => this.worker.postMessage({ id, ...question }));
    });
  }

  stop() { files.then(() => this.worker.postMessage({ stop: true })); }  // after the question
}

/** Return the best actions of {action: [value, plies]}: the highest value, and soonest or latest. */
export const best = known => {
  const most = Math.max(...Object.values(known).map(([value]) => value));
  return Object.keys(known).filter(action => known[action][0] === most).map(Number);
};

/** Return a verdict in words: "wins in 7 plies". */
export const inWords = ([value, plies]) =>
  `${WORDS[value]}${plies === null ? "" : ` in ${plies} ${plies === 1 ? "ply" : "plies"}`}`;

export class Play {
  /**
   * root    an element; games  those of engine.json
   * agent   {name, seat, answers}: a program that is known by what it does in each position
   * against  the name of an opponent
   * memory  {read, write} for the game that is played; without it the game is forgotten
   */
  constructor(root, games, { game: key = "connect-four", agent, against, memory } = {}) {
    const opponents = agent ? [[agent.name, "answers", agent.answers], ...OPPONENTS] : OPPONENTS;
    const usual = agent?.name ?? against ?? USUAL;
    Object.assign(this, { root, games, opponents, memory, agent, verdicts: false });
    const kept = memory?.read() ?? {};
    this.seat = kept.seat ?? (agent?.seat === 0 ? 1 : 0);
    this.opponent = kept.opponent ?? opponents.findIndex(([name]) => name === usual);
    this.thinker = new Thinker();
    this.prover = new Thinker();
    this.thinker.broken = this.prover.broken = why => this.say(`The machine code failed: ${why}.`);
    root.classList.add("gt-play");
    root.append(make(`<div class="gt-board"></div>`), make(`<div class="gt-side">
      <p class="gt-status" role="status"></p><p class="gt-verdict" role="status"></p>
      <p class="gt-legend" hidden>+ wins, = draws, - loses, in so many plies, by best play.</p>
      <div class="gt-row gt-buttons"></div><div class="gt-row gt-controls"></div>
      <div class="gt-bars" aria-hidden="true"></div></div>`));
    for (const part of ["board", "status", "verdict", "legend", "bars", "buttons", "controls"]) {
      this[part] = root.querySelector(`.gt-${part}`);
    }
    const choices = Object.entries(games).filter(([id]) => !agent || id === key);
    const chosen = kept.key in games ? kept.key : key;
    this.control("Game", choices.map(([id, { name }]) => [id, name]), chosen, value => this.begin(value));
    this.against = this.control("Against", [], "", value => { this.opponent = Number(value); this.turn(); });
    for (const [name, does, title] of [
      ["Undo", () => this.undo(), "Take back your last action"],
      ["New game", () => this.begin(this.key), "Begin again"],
      ["Swap sides", () => { this.seat = 1 - this.seat; this.turn(); }, "Let the other one move for you"],
      ["Hint", () => this.hint(), "Show one best action"],
      ["Verdicts", () => this.toggle(), "Mark every action as proven win, draw or loss, and in how many plies"],
      ["Stop", () => this.thinker.stop(), "End the search, and play its best action so far"],
    ]) this.button(name, does, title);
    this.begin(chosen, kept.actions);
  }

  control(name, choices, value, change) {
    const label = make(`<label>${name} <select></select></label>`), select = label.querySelector("select");
    this.fill(select, choices, value);
    select.onchange = () => change(select.value);
    this.controls.append(label);
    return select;
  }

  fill(select, choices, value) {
    select.replaceChildren(...choices.map(([id, name]) => new Option(name, id, false, `${id}` === `${value}`)));
  }

  button(name, does, title) {
    const button = make(`<button type="button" title="${title}">${name}</button>`);
    button.onclick = does;
    this.buttons.append(button);
    this[name.split(" ")[0].toLowerCase() + "Button"] = button;
  }

  begin(key, actions = []) {
    this.prover.stop();
    const isNew = key !== this.key;
    Object.assign(this, { key, game: rules(this.games[key]), known: new Map(), proofs: new Map(),
      chain: Promise.resolve(), judged: null, solved: null, actions: [] });
    this.past = [this.game.start];
    for (const action of actions) {
      if (this.game.legal(this.state).includes(action)) this.move(action);
    }
    if (isNew) {
      const fits = this.opponents.map((row, at) => [at, row[0], row[1]])
        .filter(([, , search]) => search !== "board" || this.game.kind !== "nim");
      if (!fits.some(([at]) => at === this.opponent)) [[this.opponent]] = fits;
      this.fill(this.against, fits, this.opponent);
    }
    this.verdict.textContent = "";
    this.turn();
  }

  get state() { return this.past.at(-1); }
  get isOver() { return this.game.isOver(this.state); }
  move(action) {
    this.past.push(this.game.play(this.state, action));
    this.actions.push(action);
  }
  isHuman(state) { return !this.opponents[this.opponent][1] || state.player === this.seat; }
  who(player) {
    const name = NAMES[this.game.kind][player];
    return this.opponents[this.opponent][1] ? `${name} (${player === this.seat ? "you" : "the program"})` : name;
  }
  say(text) { this.status.textContent = text; }

  /** Go on from the position on the board: draw it, and let the program move if it is its turn. */
  turn() {
    this.thinker.stop();
    if (this.solved && !this.isAsked(this.solved)) this.prover.stop();
    this.hinted = null;
    this.bars.replaceChildren();
    this.draw();
    this.memory?.write({ key: this.key, seat: this.seat, opponent: this.opponent, actions: this.actions });
    this.stopButton.disabled = true;
    this.undoButton.disabled = !this.past.slice(0, -1).some(state => this.isHuman(state));
    if (this.isOver) return this.end();
    const state = this.state;
    if (this.isHuman(state)) {
      this.say(`${this.who(state.player)}: ${this.past.length > 1 ? "your turn" : "begin where you like"}.`);
      this.prove(state);
    } else this.think(state);
  }

  end() {
    const result = this.game.result(this.state);
    this.say(result === "draw" ? "A draw." : `${this.who(result)} wins.`);
  }

  /** Return a promise of what is exact of a position, one position after the other. */
  prove(state) {
    if (!this.proofs.has(state)) {
      this.chain = this.chain.then(() => this.solve(state));
      this.proofs.set(state, this.chain);
    }
    return this.proofs.get(state);
  }

  /** Return whether somebody still asks about a position: it is there, or its action was the last. */
  isAsked(state) { return state === this.state || state === this.judged; }

  async solve(state) {
    if (!this.isAsked(state)) return this.proofs.delete(state) && null;
    this.solved = state;
    const question = { key: this.key, state, search: "solve", options: {} };
    const { found, stopped, error } = await this.prover.ask(question, known => {
      if (state === this.state) this.marks(known);
    });
    this.solved = null;
    if (error) this.say(error);
    if (error || stopped) return this.proofs.delete(state) && null;
    this.known.set(state, found);
    if (state === this.state) this.marks(found);
    return found;
  }

  async think(state) {
    const [, search, given] = this.opponents[this.opponent];
    this.say(`${this.who(state.player)} thinks.`);
    this.stopButton.disabled = false;
    const options = search === "mcts" ? { ...given, seed: seed() } : given;
    const { found, error } = search === "answers" ? await this.answer(given[this.game.key(state)])
      : await this.thinker.ask({ key: this.key, state, search, options },
        known => { if (state === this.state) this.show(known); });
    if (error) return this.say(error);
    if (state !== this.state || this.isHuman(state)) return;
    const chosen = (search === "solve" ? pick(found) : found.action) ?? this.game.legal(state)[0];
    this.move(chosen);
    this.turn();
    this.show(found);
  }

  /** Return one of the actions that a program was seen to choose; which, is chance. */
  async answer(seen) {
    await new Promise(go => setTimeout(go, 400));  // so that one sees its move
    return { found: { action: seen[Math.floor(Math.random() * seen.length)] } };
  }

  /** Show the visits and means of the actions as they grow. */
  show({ visits, means }) {
    if (!visits) return;
    const most = Math.max(...Object.values(visits));
    const head = make(`<div class="gt-bar"><span></span><span></span><b>visits, mean</b></div>`);
    this.bars.replaceChildren(head, ...Object.entries(visits).sort((one, other) => other[1] - one[1]).slice(0, 8)
      .map(([action, count]) => make(`<div class="gt-bar"><span>${this.game.name(action)}</span>
        <i style="width: ${(100 * count / most).toFixed(1)}%"></i>
        <b>${count.toLocaleString("en")}, ${(2 * means[action] - 1).toFixed(2)}</b></div>`)));
  }

  act(action) {
    const state = this.state;
    if (this.isOver || !this.isHuman(state) || !this.game.legal(state).includes(action)) return;
    this.judged = state;
    this.move(action);
    this.judge(state, action);
    this.turn();
  }

  /** Say what the exact solver thinks of an action, once it knows. */
  async judge(state, action) {
    const say = text => { if (state === this.judged) this.verdict.textContent = text; };
    const name = this.game.name(action);
    if (!this.known.has(state)) say(`The exact solver looks at ${name}.`);
    const known = await this.prove(state);
    if (!known) return;
    const [value] = known[action], good = best(known);
    if (good.includes(action)) return say(`✓ ${name} ${inWords(known[action])}: nothing is better.`);
    const names = good.slice(0, 3).map(one => this.game.name(one)).join(", ");
    const had = known[good[0]][0] > 0 ? "a win" : "a draw";
    say(`✗ ${name} ${WORDS[value]}. You had ${had}: ${names}.`);
  }

  undo() {
    do {
      this.past.pop();
      this.actions.pop();
    } while (this.past.length > 1 && !this.isHuman(this.state));
    this.verdict.textContent = "";
    this.judged = null;
    this.turn();
  }

  async hint() {
    const state = this.state;
    if (this.isOver || !this.isHuman(state)) return;
    this.say("The exact solver looks for a best action.");
    const known = await this.prove(state);
    if (!known || state !== this.state) return;
    this.hinted = pick(known);
    this.say(`Hint: ${this.game.name(this.hinted)} ${inWords(known[this.hinted])}.`);
    this.draw();
  }

  toggle() {
    this.verdicts = !this.verdicts;
    this.verdictsButton.setAttribute("aria-pressed", this.verdicts);
    this.legend.hidden = !this.verdicts;
    this.marks();
  }

  /** Mark the actions with what is proven of them. */
  marks(known = this.known.get(this.state) ?? {}) {
    for (const button of this.board.querySelectorAll("[data-action]")) {
      const mark = button.querySelector(".gt-mark"), verdict = known[button.dataset.action];
      const isLegal = !button.disabled && this.verdicts && !this.isOver;
      mark.className = `gt-mark ${isLegal && verdict ? `gt-${WORDS[verdict[0]]}` : ""}`;
      mark.textContent = !isLegal ? "" : verdict ? `${"-=+"[verdict[0] + 1]}${verdict[1] ?? ""}` : "?";
      mark.title = verdict && isLegal ? inWords(verdict) : "";
    }
  }

  draw() {
    // Who plays by keyboard stays where they were, also while the program moves.
    const active = document.activeElement;
    if (this.board.contains(active)) this.focused = active.dataset.action;
    else if (active !== document.body) this.focused = null;
    const { kind } = this.game;
    this.won = kind === "nim" ? 0n : this.game.line(this.state);
    this.legal = !this.isOver && this.isHuman(this.state) ? this.game.legal(this.state) : [];
    this.board.dataset.kind = kind;
    this.board.style.setProperty("--cols", this.game.cols ?? 1);
    this.board.style.setProperty("--rows", this.game.rows ?? 1);
    this.board.replaceChildren(...(kind === "nim" ? this.heaps() : kind === "columns" ? this.columns()
      : this.cells()));
    this.marks();
    if (this.focused) this.board.querySelector(`[data-action="${this.focused}"]:not(:disabled)`)?.focus();
  }

  /** Return a button for an action, whose label says what stands there. */
  place(action, said, inner) {
    const isOpen = this.legal.includes(action);
    const button = make(`<button type="button" data-action="${action}" aria-label="${said}"
      class="${action === this.hinted ? "gt-hint" : ""}" ${isOpen ? "" : "disabled"}>${inner}<span class="gt-mark"></span></button>`);
    button.onclick = () => this.act(action);
    return button;
  }

  /** Return what a cell shows: its owner, and whether it is the last one or in the line that won. */
  spot(bit) {
    const { stones, last } = this.state, owner = stones.findIndex(mine => mine & bit);
    const isLast = last !== null && (last & bit) !== 0n, isWon = (this.won & bit) !== 0n;
    return `<span class="gt-spot gt-owner-${owner} ${isLast ? "gt-last" : ""} ${isWon ? "gt-won" : ""}"></span>`;
  }

  columns() {
    const { bits, cols } = this.game, names = NAMES.columns;
    return Array.from({ length: cols }, (_, col) => {
      const column = bits.map(row => row[col]);
      const stones = column.map(bit => this.state.stones.findIndex(mine => mine & bit)).filter(one => one >= 0);
      const said = `column ${col}: ${stones.reverse().map(one => names[one]).join(", ") || "empty"}`;
      return this.place(col, said, column.map(bit => this.spot(bit)).join(""));
    });
  }

  cells() {
    return this.game.bits.flat().map((bit, cell) => {
      const owner = this.state.stones.findIndex(mine => mine & bit);
      return this.place(cell, `cell ${cell}: ${NAMES.cells[owner] ?? "empty"}`, this.spot(bit));
    });
  }

  heaps() {
    return this.state.heaps.map((held, heap) => {
      const row = make(`<div class="gt-heap" role="group" aria-label="heap ${heap}: ${held}"></div>`);
      for (let stone = 0; stone < held; stone++) {
        const take = held - stone, said = `take ${take} from heap ${heap}`;
        const action = this.game.actions.findIndex(one => one[0] === heap && one[1] === take);
        row.append(this.place(action, said, `<span class="gt-stone"></span>`));
      }
      return row;
    });
  }
}

/** Return the best action of what is proven: a win as soon, a loss as late as possible. */
export function pick(known) {
  const good = best(known);
  if (!good.length) return undefined;
  const sign = known[good[0]][0];
  return good.reduce((one, other) => (sign * (known[other][1] ?? 0) < sign * (known[one][1] ?? 0) ? other : one));
}

/** Return a number of 64 bits by chance. */
export const seed = () => crypto.getRandomValues(new BigInt64Array(1))[0];
