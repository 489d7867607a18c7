// The kernels of gamefast, called without Python.  All that this file knows of them is the table
// that the build writes, engine.json: the name of each kernel, and its arguments in their order.

const ARRAYS = { i8: BigInt64Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, b1: Uint8Array,
  f8: Float64Array, f4: Float32Array };
const PAGE = 65536, STACK = 1 << 19, MOST_PAGES = 16384;  // bytes; 1 GB

/** Return the kernels for one game of the table. */
export async function engine(table, library, key) {
  const memory = new WebAssembly.Memory({ initial: 256, maximum: MOST_PAGES });
  let top = 2 * STACK;
  const room = bytes => {
    const at = (top + 63) & ~63;
    top = at + bytes;
    const missing = top - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE));
    return at;
  };
  const fixed = value => new WebAssembly.Global({ value: "i32" }, value);
  const open = value => new WebAssembly.Global({ value: "i32", mutable: true }, value);
  const never = name => () => { throw new Error(`a kernel asked for ${name}`); };
  const env = {
    memory, malloc: room, free() {}, log: Math.log, log10: Math.log10,
    logf: number => Math.fround(Math.log(number)),
    __indirect_function_table: new WebAssembly.Table({ initial: 64, element: "anyfunc" }),
    __stack_pointer: open(STACK), __memory_base: fixed(STACK), __table_base: fixed(0),
    nextafter: never("nextafter"), PyErr_SetString: never("an exception"),
  };
  const offsets = { PyExc_RuntimeError: open(0) };
  const made = await WebAssembly.instantiate(library, { env, "GOT.mem": offsets });
  const instance = made.instance ?? made;  // of bytes, or of a module that is compiled
  if (!(table.version in instance.exports)) {
    throw new Error("The kernels are of other sources than engine.json: build the site anew.");
  }
  instance.exports.__wasm_apply_data_relocs?.();

  /** Run a function; what it takes of the memory is given back, but for what a kernel leaves. */
  const lent = run => {
    const before = top;
    try { return run(); } finally { top = before; }
  };
  const calls = new Map();
  const kernel = name => {
    const template = table.games[key].calls[name];
    if (!template) throw new Error(`no kernel ${name} for ${key}`);
    if (!calls.has(name)) calls.set(name, new Call(instance, memory, room, lent, template));
    return calls.get(name);
  };
  return { kernel, constants: table.constants };
}

/** One kernel, with places for its arguments, which keep what is put there. */
class Call {
  constructor(instance, memory, room, lent, { symbol, slots }) {
    this.run = instance.exports[symbol];
    if (!this.run) throw new Error(`the library has no ${symbol}`);
    Object.assign(this, { memory, room, lent, slots: new Map() });
    let place = 0;
    for (const [name, kind, value, content] of slots) {
      const isArray = Array.isArray(value);
      const slot = { kind, place, isArray };
      this.slots.set(name, slot);
      place += isArray ? 1 + value.length : 1;
      if (!isArray) slot.value = value;
      else {
        this.resize(name, value);
        const bytes = this.bytes(slot);
        if (content) bytes.set(Uint8Array.from(atob(content), letter => letter.charCodeAt(0)));
        else bytes.fill(0);
      }
    }
    this.row = room(8 * place);
  }

  /** Give an array another shape; what it held is copied as far as there is room. */
  resize(name, shape) {
    const slot = this.slots.get(name), old = slot.shape && this.bytes(slot).slice();
    slot.shape = shape;
    slot.size = slot.kind.SIZE ?? ARRAYS[slot.kind].BYTES_PER_ELEMENT;
    slot.at = this.room(Math.max(slot.size * count(shape), 8));
    if (old) this.bytes(slot).set(old.subarray(0, slot.size * count(shape)));
  }

  bytes({ at, size, shape }) {
    return new Uint8Array(this.memory.buffer, at, size * count(shape));
  }

  /** Return an array as it is now; it is to be asked for again after a call. */
  array(name) {
    const { kind, at, shape } = this.slots.get(name);
    return new ARRAYS[kind](this.memory.buffer, at, count(shape));
  }

  /** Return a function that reads, or writes, a field of one row of an array of records. */
  records(name) {
    const { kind, at } = this.slots.get(name), view = new DataView(this.memory.buffer);
    const ways = { i4: ["getInt32", "setInt32"], i2: ["getInt16", "setInt16"],
      i1: ["getInt8", "setInt8"] };
    return (row, field, value) => {
      const [offset, type] = kind[field], place = at + row * kind.SIZE + offset;
      if (value === undefined) return view[ways[type][0]](place, true);
      view[ways[type][1]](place, value, true);
      return value;
    };
  }

  /** Call the kernel with other numbers than the last time, and return what it returns. */
  with(numbers = {}) {
    for (const [name, value] of Object.entries(numbers)) {
      if (!this.slots.has(name)) throw new Error(`the kernel has no argument ${name}`);
      this.slots.get(name).value = value;
    }
    return this.lent(() => {
      const view = new DataView(this.memory.buffer);
      for (const { kind, place, isArray, value, at, shape } of this.slots.values()) {
        const here = this.row + 8 * place;
        if (kind === "d") view.setFloat64(here, value, true);
        else view.setBigInt64(here, BigInt(isArray ? at : value), true);
        if (isArray) shape.forEach((size, axis) =>
          view.setBigInt64(here + 8 + 8 * axis, BigInt(size), true));
      }
      if (this.run(this.row)) throw new Error("a kernel has no room");
      return Number(new DataView(this.memory.buffer).getBigInt64(this.row, true));
    });
  }
}

const count = shape => shape.reduce((product, size) => product * size, 1);
