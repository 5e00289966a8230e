/** A look at the memory of an engine that the package keeps to itself. */

/** An engine with the memory that its instance was made with. */
export function observed(create) {
  const { Instance } = WebAssembly;
  let memory;
  WebAssembly.Instance = class extends Instance {
    constructor(...parameters) {
      super(...parameters);
      memory = this.exports.memory;
    }
  };
  try {
    return { engine: create(), memory };
  } finally {
    WebAssembly.Instance = Instance;
  }
}
