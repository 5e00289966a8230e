/** The handles of the objects of a class: each one holds memory of the engine. */

/**
 * The handle of each object of a class.
 *
 * A handle must not refer to its object, because the garbage collector would then never free the memory.
 */
export class Handles<Handle extends { release(): void }> {
  readonly #handles = new WeakMap<object, Handle>();
  /** Frees the memory of unreachable objects. It runs only if the caller returns to the event loop, so prefer `free`. */
  readonly #unreachable = new FinalizationRegistry<Handle>((handle) => {
    try {
      handle.release();
    } catch {
      // A trap. No call waits for an answer, and the next call gets a fresh instance.
    }
  });

  attach(object: object, handle: Handle): void {
    this.#handles.set(object, handle);
    this.#unreachable.register(object, handle, object);
  }

  /** Returns the handle of an object, and `undefined` for any other value. Objects that only inherit from one have none. */
  of(value: unknown): Handle | undefined {
    return typeof value === "object" && value !== null ? this.#handles.get(value) : undefined;
  }

  /** Releases the handle of an object. It stays attached, so that later calls report that it has been freed. */
  free(object: object, handle: Handle): void {
    this.#unreachable.unregister(object);
    handle.release();
  }
}
