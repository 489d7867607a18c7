// The searches of gamefast, slice by slice, so that one can look on and stop them.  Each is a
// generator: it yields what is known so far, and returns the result.  Same seed, same visits as in
// Python; `Searches.seed` says which number stands for a seed.

const FIRST_NODES = 1 << 22, MOST_NODES = 1 << 25, MOST_LOGS = 1 << 20;
const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const power = number => 2 ** Math.ceil(Math.log2(number));

export class Searches {
  constructor(engine, game, openings) {
    Object.assign(this, { engine, game, openings, is: engine.constants, logged: 0, scores: new Map() });
  }

  // MCTS -------------------------------------------------------------------------------------

  /** Yield and return {visits, means, simulations, action} by action, of `simulations` in all. */
  *mcts(state, { simulations, c = Math.SQRT2, seed = 0n, step = 2000 }) {
    const { SIMULATIONS, SEED, PLAYER, POSITION, FULL, NO_MOVE } = this.is.mcts_kernels;
    const call = this.engine.kernel("mcts_kernels.search");
    let room = power(Math.min(Math.max(4 * simulations, 1 << 10), FIRST_NODES));
    const widen = () => {
      call.resize("tree.terms", [room, 2]);
      call.resize("tree.nodes", [room]);
    };
    if (call.slots.get("tree.nodes").shape[0] < room) widen();
    room = call.slots.get("tree.nodes").shape[0];
    this.logs(call, Math.min(power(simulations + 1), MOST_LOGS));
    const registers = call.array("tree.registers");
    registers.fill(0n);  // so that the kernel begins a tree
    registers[SEED] = seed;
    registers[PLAYER] = BigInt(state.player);
    registers.set((state.heaps ?? state.stones).map(BigInt), POSITION);
    for (let done = 0; done < simulations;) {
      const most = Math.min(simulations, done + step);
      const why = call.with({ c, simulations: most, grow: room < MOST_NODES });
      if (why === NO_MOVE) throw new Error("MCTS found no action to try: please report this");
      if (why === FULL) {
        room *= 2;
        widen();
        continue;
      }
      done = Number(call.array("tree.registers")[SIMULATIONS]);
      if (done < simulations) yield this.favourites(call, done);
    }
    return this.favourites(call, simulations);
  }

  /** Write the square roots of the logarithms of so many numbers, as Python's table has them. */
  logs(call, size) {
    if (this.logged >= size) return;
    this.logged = size;
    call.resize("tree.logs", [size]);
    const logs = call.array("tree.logs");
    for (let n = 0; n < size; n++) logs[n] = Math.sqrt(Math.log(Math.max(n, 1)));
  }

  favourites(call, simulations) {
    const nodes = call.records("tree.nodes"), visits = {}, means = {};
    const first = nodes(0, "first"), end = first + nodes(0, "legal");
    for (let edge = first; edge < end; edge++) {
      if (nodes(edge, "tried") < 0) continue;
      const action = nodes(edge, "action");
      visits[action] = nodes(edge, "visits");
      means[action] = nodes(edge, "total") / (2 * visits[action]);
    }
    const best = Object.keys(visits).reduce((one, other) => (visits[other] > visits[one] ? other : one));
    const treeNodes = Number(call.array("tree.registers")[this.is.mcts_kernels.SIZE]);
    return { visits, means, simulations, treeNodes, action: Number(best) };
  }

  // Minimax and alpha-beta -------------------------------------------------------------------

  /** Yield and return {action, values, nodes, leaves, cutoffs}; a value is exact or a bound. */
  *board(state, { prune = true, depth = null, quick = true, slice = 1 << 18 }) {
    const { KIND, EXACT, NODES, INNER, EVALUATIONS, CUTOFFS } = this.is.alphabeta_kernels;
    const call = this.engine.kernel(`alphabeta_kernels.search.${prune ? "True" : "False"}`);
    const { WIN_SCORE } = this.is.limits, most = this.game.cells + 1;
    const mine = state.stones[state.player], taken = state.stones[0] | state.stones[1];
    const given = { mine, taken, depth: Math.min(depth ?? most, most), most_nodes: slice,
      "win.0": quick ? WIN_SCORE - 1 : 1, "win.1": quick ? 1 : 0 };
    const order = this.game.legal(state);
    const known = () => {
      const registers = call.array("work.registers"), roots = call.array("work.roots");
      const worth = call.array("work.root_values"), width = call.slots.get("work.roots").shape[1];
      const [nodes, inner, evaluations, cutoffs] =
        [NODES, INNER, EVALUATIONS, CUTOFFS].map(place => Number(registers[place]));
      const values = {}, bounds = {};
      order.forEach((action, number) => {
        const kind = Number(roots[number * width + KIND]);
        if (kind) (kind === EXACT ? values : bounds)[action] = worth[number];
      });
      const tried = Object.keys(values);
      const best = tried.reduce((one, other) => (values[other] > values[one] ? other : one), tried[0]);
      return { values, bounds, action: Number(best ?? order[0]), nodes: nodes + 1,
        leaves: nodes - inner - evaluations, evaluations, cutoffs };
    };
    for (let begin = true; !call.with({ ...given, begin }); begin = false) yield known();
    return known();
  }

  // Exact values -----------------------------------------------------------------------------

  /** Yield and return {action: [value for the player to move, plies to the end]}. */
  *solve(state) {
    const known = this.opened(state);
    if (known) return known;
    return this.game.kind === "nim" ? this.solveNim(state) : yield* this.solveBoard(state);
  }

  *solveBoard(state) {
    const { BEGIN_ALL, CONTINUE, SCORE, UNKNOWN } = this.is.solver_kernels;
    const call = this.engine.kernel("solver_kernels.solve"), { cells } = this.game;
    const mine = state.stones[state.player], taken = state.stones[0] | state.stones[1];
    const given = { mine, taken, most_nodes: 1 << 16 };
    const known = () => {
      const registers = call.array("work.registers");
      return Object.fromEntries(this.game.legal(state)
        .map(action => [action, Number(registers[SCORE + action])])
        .filter(([, score]) => score !== UNKNOWN)
        .map(([action, score]) => [action, this.verdict(score, cells - state.count)]));
    };
    for (let task = BEGIN_ALL; !call.with({ ...given, task }); task = CONTINUE) yield known();
    return known();
  }

  /** Return the value and the plies to the end of a score: the winner moves last. */
  verdict(score, free) {
    if (score === 0) return [0, null];
    return [Math.sign(score), free + 1 - 2 * Math.abs(score) + (free + (score < 0)) % 2];
  }

  solveNim(state) {
    return Object.fromEntries(this.game.legal(state).map(action => {
      const [value, plies] = this.scoreNim(this.game.play(state, action));
      return [action, [-value, plies + 1]];
    }));
  }

  /** Return the value of a position for the player to move, and the plies to the end. */
  scoreNim(state) {
    const { game, scores } = this, key = game.key(state);
    if (game.isOver(state)) return [game.result(state) === state.player ? 1 : -1, 0];
    if (!scores.has(key)) {  // the soonest win, or the latest loss
      const replies = Object.values(this.solveNim(state));
      scores.set(key, replies.reduce((one, other) => (other[0] / other[1] > one[0] / one[1] ? other : one)));
    }
    return scores.get(key);
  }

  /** Return the exact values of the first positions of Connect Four, which take long to search. */
  opened(state) {
    const { rows, cols, kind } = this.game, { stones, lowest, scores } = this.openings;
    if (kind !== "columns" || rows !== 6 || cols !== 7 || state.count >= stones) return null;
    this.first ??= openingScores(this.game, stones, [...scores].map(d => DIGITS.indexOf(d) + lowest));
    return Object.fromEntries(this.game.legal(state).map(action =>
      [action, this.verdict(-this.first.get(mirrorKey(this.game, this.game.play(state, action))),
        this.game.cells - state.count)]));
  }
}

/** Return what a position has in common with its mirror image. */
function mirrorKey(game, { stones, player }) {
  const text = columns => columns.map(column => column.map(bit =>
    (stones[player] & bit ? "x" : stones[1 - player] & bit ? "o" : ".")).join("")).join("");
  const columns = game.bits[0].map((_, col) => game.bits.map(row => row[col]));
  const [one, other] = [text(columns), text(columns.reverse())];
  return one < other ? one : other;
}

/** Return the scores of all positions with few stones; of the last ones they are given. */
function openingScores(game, stones, last) {
  const layers = [new Map([[mirrorKey(game, game.start), game.start]])];
  for (let count = 0; count < stones; count++) {
    const layer = new Map();
    for (const state of layers.at(-1).values()) {
      for (const action of game.legal(state)) {
        const after = game.play(state, action), key = mirrorKey(game, after);
        if (!layer.has(key)) layer.set(key, after);
      }
    }
    layers.push(layer);
  }
  const scores = new Map([...layers.pop().keys()].map((key, number) => [key, last[number]]));
  for (const layer of layers.reverse()) {
    for (const [key, state] of layer) {
      const replies = game.legal(state).map(a => -scores.get(mirrorKey(game, game.play(state, a))));
      scores.set(key, Math.max(...replies));
    }
  }
  return scores;
}
