/** Access to the WebAssembly memories inside of the package. Runs in Node and in a page. */

/** Returns an engine and the memory of its instance. */
export function observed(create) {
  const watch = watchMemories();
  try {
    const engine = create();
    return { engine, memory: watch.living().at(-1) };
  } finally {
    watch.stop();
  }
}

/** Tracks the memories of all later instances. `living` are those that are not collected yet. */
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
  return { living, bytes: () => living().reduce((sum, { buffer }) => sum + buffer.byteLength, 0), stop: () => (WebAssembly.Instance = Instance) };
}
