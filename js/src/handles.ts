/** The handles of the user's objects that the engine's memory holds. */
import { detached } from "./usage.js";

/** The handles of one kind of object. A handle must not refer to its object, because the garbage collector would then never free it. */
export class Handles<Handle extends { release(): void }> {
  readonly #kind: "envelope" | "policy";
  /** Objects that only inherit from one with a handle have none. */
  readonly #handles = new WeakMap<object, Handle>();
  /** Frees unreachable objects. It runs only if the caller returns to the event loop, so prefer `free`. */
  readonly #unreachable = new FinalizationRegistry<Handle>((handle) => {
    try {
      handle.release();
    } catch {
      // A trap. No call waits for an answer, and the next call gets a fresh instance.
    }
  });

  constructor(kind: "envelope" | "policy") {
    this.#kind = kind;
  }

  attach(owner: object, handle: Handle): void {
    this.#handles.set(owner, handle);
    this.#unreachable.register(owner, handle, owner);
  }

  /** Returns the handle of an object, and `undefined` for any other value. */
  of(owner: unknown): Handle | undefined {
    return typeof owner === "object" && owner !== null ? this.#handles.get(owner) : undefined;
  }

  /** @throws {AdjudicateError} `wrong_usage` if the method was not called on such an object. */
  for(owner: unknown, method: string): Handle {
    const handle = this.of(owner);
    if (handle === undefined) throw detached(this.#kind, method);
    return handle;
  }

  /** Frees an object. The handle stays attached, so that later calls report a freed object. */
  free(owner: object): void {
    const handle = this.for(owner, "free");
    this.#unreachable.unregister(owner);
    handle.release();
  }
}
