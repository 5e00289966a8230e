/** A look at the memories of WebAssembly that the package keeps to itself. Runs in Node and in a page. */

/** An engine with the memory that its instance was made with. */
export function observed(create) {
  const watch = watchMemories();
  try {
    const engine = create();
    return { engine, memory: watch.living().at(-1) };
  } finally {
    watch.stop();
  }
}

/** Watches the memories of all instances that are made from now on: `living` are those that nobody has collected. */
export function watchMemories() {
  const { Instance } = WebAssembly;
  let seen = [];
  WebAssembly.Instance = class extends Instance {
    constructor(...parameters) {
      super(...parameters);
      if (this.exports.memory !== undefined) seen.push(new WeakRef(this.exports.memory));
    }
  };
  const living = () => {
    seen = seen.filter((memory) => memory.deref() !== undefined);
    return seen.map((memory) => memory.deref());
  };
  return {
    living,
    bytes: () => living().reduce((sum, { buffer }) => sum + buffer.byteLength, 0),
    stop: () => (WebAssembly.Instance = Instance),
  };
}
