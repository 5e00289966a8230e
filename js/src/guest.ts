/**
 * Calls a policy module in a new instance: the dynamic half of the binary interface.
 *
 * Addresses from the module are untrusted, so each one is checked before use. The memory is read again after every call, because the
 * module may have grown it. This file also runs in the worker, so it must not import the engine.
 */
import { AdjudicateError, reasonOf } from "./error.js";
import type { ErrorCode } from "./generated/types.js";

/** The exports that a call uses. `structure.ts` checked their presence and their types before the module was compiled. */
interface Exports {
  readonly memory: WebAssembly.Memory;
  readonly adjudicate_abi_1: () => number;
  readonly adjudicate_alloc: (length: number) => number;
  readonly adjudicate_call: (operation: number, address: number, length: number) => number;
  readonly _initialize?: () => void;
}

/**
 * Returns the minor version of the interface, as the module reports it.
 *
 * @throws {AdjudicateError} if the module cannot be instantiated, or traps.
 */
export function minorVersionOf(module: WebAssembly.Module): number {
  const { adjudicate_abi_1 } = start(module);
  return run("`adjudicate_abi_1`", adjudicate_abi_1);
}

/**
 * Calls a new instance, and returns a copy of the reply's bytes.
 *
 * @throws {AdjudicateError} with a code of its own for each kind of failure.
 */
export function replyOf(
  module: WebAssembly.Module,
  operation: number,
  input: Uint8Array,
  outputLimit: number,
): Uint8Array<ArrayBuffer> {
  const { memory, adjudicate_alloc, adjudicate_call } = start(module);
  // An allocation of 0 bytes may be at address 0, which means failure. So at least one byte is requested.
  const size = Math.max(input.length, 1);
  const address = run("`adjudicate_alloc`", () => adjudicate_alloc(size)) >>> 0;
  if (address === 0) throw fault("module_alloc_refused", `the module cannot allocate ${size} bytes for the input`);
  viewOf(memory, "`adjudicate_alloc` returned an allocation", address, input.length).set(input);
  const record = run("`adjudicate_call`", () => adjudicate_call(operation, address, input.length)) >>> 0;
  const { buffer, byteOffset } = viewOf(memory, "the reply record is", record, 8);
  const fields = new DataView(buffer, byteOffset, 8);
  const length = fields.getUint32(4, true);
  if (length > outputLimit) {
    throw fault("module_output_too_large", `the module's reply has ${length} bytes, the limit is ${outputLimit}`);
  }
  return viewOf(memory, "the reply is", fields.getUint32(0, true), length).slice();
}

function start(module: WebAssembly.Module): Exports {
  let exports: Exports;
  try {
    exports = new WebAssembly.Instance(module, {}).exports as unknown as Exports;
  } catch (thrown) {
    // Modules have no start function, so only the initialization of the memory and the table can trap.
    const code = thrown instanceof WebAssembly.RuntimeError ? "module_trap" : "host_fault";
    throw fault(code, `the module could not be instantiated: ${reasonOf(thrown)}`, thrown);
  }
  const { _initialize } = exports;
  if (_initialize !== undefined) run("`_initialize`", _initialize);
  return exports;
}

/** Runs code of the module. Addresses are unsigned, but JavaScript returns them signed; the caller converts them. */
function run<Result>(during: string, code: () => Result): Result {
  try {
    return code();
  } catch (thrown) {
    if (thrown instanceof WebAssembly.RuntimeError) {
      throw fault("module_trap", `${during} trapped: ${reasonOf(thrown)}`, thrown);
    }
    // V8 and JavaScriptCore throw a `RangeError`, SpiderMonkey an `InternalError`.
    if (thrown instanceof RangeError || (thrown instanceof Error && thrown.name === "InternalError")) {
      throw fault("module_stack", `${during} exhausted its stack, for example by recursion`, thrown);
    }
    throw fault("host_fault", `${during} failed: ${reasonOf(thrown)}`, thrown);
  }
}

/** Returns a view of a range of the current memory. */
function viewOf(memory: WebAssembly.Memory, what: string, address: number, length: number): Uint8Array<ArrayBuffer> {
  const buffer = memory.buffer as ArrayBuffer;
  const size = buffer.byteLength;
  if (address + length <= size) return new Uint8Array(buffer, address, length);
  const message = `${what} at ${address}, ${length} bytes long, outside of the memory of ${size} bytes`;
  throw fault("module_bad_pointer", message);
}

function fault(code: ErrorCode, message: string, cause?: unknown): AdjudicateError {
  return new AdjudicateError(code, message, "", cause === undefined ? undefined : { cause });
}
