/**
 * One instance of a policy module, and a call into it: the dynamic half of the binary interface.
 *
 * Every address comes from the module and is checked before it is used; its memory may have moved whenever it ran. This
 * file also runs in the worker that calls with a deadline are made in, so it knows nothing of the engine.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import type { ErrorCode } from "./generated/types.js";

/** The exports that a call uses; that they are there, and of these types, was checked before the module was compiled. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly adjudicate_abi_1: () => number;
  readonly adjudicate_alloc: (length: number) => number;
  readonly adjudicate_call: (operation: number, address: number, length: number) => number;
  readonly _initialize?: () => void;
}

/**
 * What the module says is the minor version of the interface that it speaks.
 *
 * @throws {AdjudicateError} when it cannot be started, or traps.
 */
export function minorVersionOf(module: WebAssembly.Module): number {
  const { adjudicate_abi_1 } = start(module);
  return run("`adjudicate_abi_1`", adjudicate_abi_1);
}

/**
 * Asks a fresh instance; the reply's bytes, as a copy.
 *
 * @throws {AdjudicateError} with a code for each way to fail.
 */
export function replyOf(
  module: WebAssembly.Module,
  operation: number,
  input: Uint8Array,
  outputLimit: number,
): Uint8Array<ArrayBuffer> {
  const { memory, adjudicate_alloc, adjudicate_call } = start(module);
  // Never ask for no room at all: 0 bytes may well be at address 0, which means refusal.
  const room = Math.max(input.length, 1);
  const address = run("`adjudicate_alloc`", () => adjudicate_alloc(room)) >>> 0;
  if (address === 0) throw fault("module_alloc_refused", `the module refused to make room for ${room} bytes of input`);
  stretch(memory, "`adjudicate_alloc` gave room", address, input.length).set(input);
  const record = run("`adjudicate_call`", () => adjudicate_call(operation, address, input.length)) >>> 0;
  const { buffer, byteOffset } = stretch(memory, "the reply record is", record, 8);
  const fields = new DataView(buffer, byteOffset, 8);
  const length = fields.getUint32(4, true);
  if (length > outputLimit) {
    throw fault("module_output_too_large", `the module's reply has ${length} bytes, the limit is ${outputLimit}`);
  }
  return stretch(memory, "the reply is", fields.getUint32(0, true), length).slice();
}

function start(module: WebAssembly.Module): Exports {
  let exports: Exports;
  try {
    exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  } catch (thrown) {
    // There is no start function, so what traps is the filling of its memory and its table.
    const code = thrown instanceof WebAssembly.RuntimeError ? "module_trap" : "host_fault";
    throw fault(code, `the module could not be instantiated: ${reasonOf(thrown)}`, thrown);
  }
  const { _initialize } = exports;
  if (_initialize !== undefined) run("`_initialize`", _initialize);
  return exports;
}

/** Runs code of the module's. Addresses that it gives are unsigned, and JavaScript has them signed: that is the caller's to mend. */
function run<Result>(during: string, code: () => Result): Result {
  try {
    return code();
  } catch (thrown) {
    if (thrown instanceof WebAssembly.RuntimeError) {
      throw fault("module_trap", `${during} trapped: ${reasonOf(thrown)}`, thrown);
    }
    // V8 and JavaScriptCore throw the one, SpiderMonkey the other.
    if (thrown instanceof RangeError || (thrown instanceof Error && thrown.name === "InternalError")) {
      throw fault("module_stack", `${during} exhausted its stack, by recursion for instance`, thrown);
    }
    throw fault("host_fault", `${during} failed: ${reasonOf(thrown)}`, thrown);
  }
}

/** A stretch of the memory as it is now. */
function stretch(memory: WebAssembly.Memory, what: string, address: number, length: number): Uint8Array<ArrayBuffer> {
  const buffer = memory.buffer as ArrayBuffer;
  const size = buffer.byteLength;
  if (address + length <= size) return new Uint8Array(buffer, address, length);
  const message = `${what} at ${address}, ${length} bytes long, outside of the memory of ${size} bytes`;
  throw fault("module_bad_pointer", message);
}

function fault(code: ErrorCode, message: string, cause?: unknown): AdjudicateError {
  return new AdjudicateError(code, message, "", cause === undefined ? undefined : { cause });
}
