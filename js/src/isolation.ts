/**
 * Runs a module in its own worker, with a deadline for each call.
 *
 * Calls run one at a time. If a call takes too long, its worker is ended, and the next call starts a new one.
 */
import { AdjudicateError } from "./error.js";
import { own } from "./own.js";
import { startThread, type Thread } from "./thread.js";
import { wrongUsage } from "./usage.js";
import type { WorkerRequest, WorkerReply } from "./worker.js";

/** A compiled module, and the worker that runs it. */
export class Isolation {
  readonly #module: WebAssembly.Module;
  readonly #deadline: number;
  readonly #url: string | undefined;
  #thread: Promise<Thread> | undefined;
  /** Settles when all calls so far have ended. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Rejects the current call. */
  #abandon: ((error: AdjudicateError) => void) | undefined;
  #isOver = false;

  /** @param deadline In milliseconds. */
  constructor(module: WebAssembly.Module, deadline: number, url: string | undefined) {
    this.#module = module;
    this.#deadline = deadline;
    this.#url = url;
  }

  async minorVersion(): Promise<number> {
    const reply = await this.#send({ minorVersion: true }, "the start of the module");
    return reply.minorVersion ?? Number.NaN;
  }

  async reply(operation: number, input: Uint8Array, outputLimit: number): Promise<Uint8Array> {
    const reply = await this.#send({ operation, input, outputLimit }, "the call");
    return reply.reply ?? new Uint8Array();
  }

  /** Ends the worker. Open calls are rejected. */
  end(): void {
    this.#isOver = true;
    this.#abandon?.(disposed());
    this.#drop();
  }

  #send(message: WorkerRequest, what: string): Promise<WorkerReply> {
    const reply = this.#queue.then(() => this.#exchange(message, what));
    this.#queue = reply.catch(() => undefined);
    return reply;
  }

  async #exchange(message: WorkerRequest, what: string): Promise<WorkerReply> {
    if (this.#isOver) throw disposed();
    const thread = await (this.#thread ??= this.#start());
    // The module may have been disposed of during the start.
    if (this.#isOver) throw disposed();
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      thread.keepAlive(true);
      return await new Promise<WorkerReply>((resolve, reject) => {
        this.#abandon = reject;
        thread.onFault = (error) => (this.#drop(), reject(error));
        thread.onReply = (message) => {
          const reply = own(message);
          if (reply.fault) reject(new AdjudicateError(reply.fault.code, reply.fault.message));
          else resolve(reply);
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
      thread.keepAlive(false);
    }
  }

  async #start(): Promise<Thread> {
    try {
      const thread = await startThread(this.#url);
      if (this.#isOver) thread.end();
      thread.post({ module: this.#module });
      // A fault between calls rejects no call.
      thread.onFault = () => this.#drop();
      thread.keepAlive(false);
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

/** Returns the error of a call after `dispose`. */
export function disposed(): AdjudicateError {
  return wrongUsage("the module has been disposed of");
}
