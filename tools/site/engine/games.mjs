// The rules of the games that a page plays.  A board's stones are the bits of BigInts, one for each
// player; Nim has its heaps.  Positions are never changed.

/** Return the rules of a game of engine.json. */
export const rules = shape => (shape.kind === "nim" ? new Nim(shape) : new Board(shape));

class Board {
  constructor({ kind, rows, cols, bits, lines }) {
    Object.assign(this, { kind, rows, cols, lines: lines.map(BigInt), cells: rows * cols });
    this.bits = bits.map(row => row.map(bit => 1n << BigInt(bit)));
    this.all = this.bits.flat().reduce((all, bit) => all | bit, 0n);
    this.start = { player: 0, stones: [0n, 0n], count: 0, last: null };
  }

  /** Return the bit that an action takes, or 0n. */
  cell({ stones: [first, second] }, action) {
    const taken = first | second;
    const places = this.kind === "columns" ? this.bits.map(row => row[action]).reverse()
      : [this.bits.flat()[action]];
    return places.find(bit => bit && !(taken & bit)) ?? 0n;
  }

  /** Return the winning line of a position that is won. */
  line({ stones }) {
    return this.lines.find(line => stones.some(mine => (mine & line) === line)) ?? 0n;
  }

  isOver(state) {
    return this.line(state) !== 0n || (state.stones[0] | state.stones[1]) === this.all;
  }

  result(state) {
    const line = this.line(state);
    return line ? state.stones.findIndex(mine => (mine & line) === line) : "draw";
  }

  legal(state) {
    if (this.isOver(state)) return [];
    const actions = Array.from({ length: this.kind === "columns" ? this.cols : this.cells },
      (_, action) => action);
    return actions.filter(action => this.cell(state, action));
  }

  play(state, action) {
    const cell = this.cell(state, action), stones = [...state.stones];
    stones[state.player] |= cell;
    return { player: 1 - state.player, stones, count: state.count + 1, last: cell };
  }

  /** Return a position as text, as `course/widgets` says it to a page. */
  key({ stones }) {
    return this.bits.flat().map(bit => stones.findIndex(mine => mine & bit) + 1).join("");
  }

  name(action) {
    return this.kind === "columns" ? `column ${action}` : `cell ${action}`;
  }
}

class Nim {
  constructor({ kind, heaps, takes, misere }) {
    Object.assign(this, { kind, heaps, actions: takes, misere });
    this.start = { player: 0, heaps, count: 0, last: null };
  }

  isOver({ heaps }) {
    return heaps.every(heap => heap === 0);
  }

  result({ player }) {
    return this.misere ? player : 1 - player;  // this one did not take the last stone
  }

  legal({ heaps }) {
    return this.actions.flatMap(([heap, take], action) => (take <= heaps[heap] ? [action] : []));
  }

  play(state, action) {
    const [heap, take] = this.actions[action];
    const heaps = state.heaps.map((held, number) => (number === heap ? held - take : held));
    return { player: 1 - state.player, heaps, count: state.count + 1, last: heap };
  }

  key({ heaps, player }) {
    return `${heaps.join(" ")} ${player}`;
  }

  name(action) {
    const [heap, take] = this.actions[action];
    return `take ${take} from heap ${heap}`;
  }
}
