/**
 * A module in a worker of its own, with a deadline for each call.
 *
 * Owns the order of calls, one at a time, and the end of those that take too long: the worker is ended with them, and the next
 * call has a new one.
 */
import { AdjudicateError } from "./error.js";
import { own } from "./own.js";
import { startThread, type Thread } from "./thread.js";
import { wrongUsage } from "./usage.js";
import type { Message, Said } from "./worker.js";

/** A compiled module, and the worker that runs it. */
export class Isolation {
  readonly #module: WebAssembly.Module;
  readonly #deadline: number;
  readonly #url: string | undefined;
  #thread: Promise<Thread> | undefined;
  /** Settled when nothing is asked any more. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Ends the call that is being made. */
  #abandon: ((error: AdjudicateError) => void) | undefined;
  #isOver = false;

  /** @param deadline In milliseconds. */
  constructor(module: WebAssembly.Module, deadline: number, url: string | undefined) {
    this.#module = module;
    this.#deadline = deadline;
    this.#url = url;
  }

  async minorVersion(): Promise<number> {
    const said = await this.#ask({ minorVersion: true }, "the start of the module");
    return said.minorVersion ?? Number.NaN;
  }

  async reply(operation: number, input: Uint8Array, outputLimit: number): Promise<Uint8Array> {
    const said = await this.#ask({ operation, input, outputLimit }, "the call");
    return said.reply ?? new Uint8Array();
  }

  /** Ends the worker; calls that wait for an answer get none. */
  end(): void {
    this.#isOver = true;
    this.#abandon?.(disposed());
    this.#drop();
  }

  #ask(message: Message, what: string): Promise<Said> {
    const said = this.#queue.then(() => this.#exchange(message, what));
    this.#queue = said.catch(() => undefined);
    return said;
  }

  async #exchange(message: Message, what: string): Promise<Said> {
    if (this.#isOver) throw disposed();
    const thread = await (this.#thread ??= this.#start());
    // It may have been disposed of meanwhile.
    if (this.#isOver) throw disposed();
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      thread.hold(true);
      return await new Promise<Said>((resolve, reject) => {
        this.#abandon = reject;
        thread.onFault = (error) => (this.#drop(), reject(error));
        thread.onSaid = (message) => {
          const said = own(message);
          if (said.fault) reject(new AdjudicateError(said.fault.code, said.fault.message));
          else resolve(said);
        };
        timer = setTimeout(() => {
          this.#drop();
          reject(new AdjudicateError("module_deadline", `${what} took longer than ${this.#deadline} ms`));
        }, this.#deadline);
        thread.post(message);
      });
    } finally {
      clearTimeout(timer);
      this.#abandon = undefined;
      thread.hold(false);
    }
  }

  async #start(): Promise<Thread> {
    try {
      const thread = await startThread(this.#url);
      if (this.#isOver) thread.end();
      thread.post({ module: this.#module });
      // Between calls.
      thread.onFault = () => this.#drop();
      thread.hold(false);
      return thread;
    } catch (thrown) {
      this.#thread = undefined;
      throw thrown;
    }
  }

  #drop(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.then((thread) => thread.end()).catch(() => undefined);
  }
}

/** The error of a call of a module that is not there any more. */
export function disposed(): AdjudicateError {
  return wrongUsage("the module has been disposed of");
}
