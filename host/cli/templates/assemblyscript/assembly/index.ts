/**
 * A cost cap: a run that has spent more than its cap goes to a human.
 *
 * Your program reports the cost in whole cents, in the evidence: `"x-cost": {"spent_cents": 1250, "cap_cents": 1000}`.
 * If the cost is missing or malformed, it is unknown, and a human decides.
 *
 * The module never names a next step and does not check whether tests ran. Run it in addition to the engine (`--restrict`),
 * which does both.
 */
import { Fault, Json, read } from "./json";

const EVALUATE = 1;
/** The largest input: 8 MiB. */
const LONGEST_INPUT: u32 = 8 << 20;
/** The reply record, followed by the reply, which is short. */
const RECORD = memory.data(8);
const REPLY_BYTES: i32 = 2048;
const REPLY = memory.data(REPLY_BYTES);

/** The version of the interface. */
export function adjudicate_abi_1(): i32 {
  return 0;
}

/** Allocates a buffer for an input. 0 means that the input is too large. */
export function adjudicate_alloc(length: u32): usize {
  return length > LONGEST_INPUT ? 0 : heap.alloc(length + 1);
}

/** Answers a call. Returns the address of the reply record. */
export function adjudicate_call(operation: i32, address: usize, length: i32): usize {
  const reply = operation == EVALUATE ? evaluate(address, length) : failed("unsupported_operation", "evaluate only", "");
  const size = String.UTF8.byteLength(reply);
  if (size > REPLY_BYTES) unreachable();
  String.UTF8.encodeUnsafe(changetype<usize>(reply), reply.length, REPLY);
  store<u32>(RECORD, <u32>REPLY);
  store<u32>(RECORD, size, 4);
  // The reply is outside of the heap, so the heap can be reset for the next call.
  heap.reset();
  return RECORD;
}

function evaluate(address: usize, length: i32): string {
  const fault = new Fault();
  const call = read(address, length, fault);
  if (call === null) return failed(fault.code, fault.message, fault.path);
  const wrapped = call.member("envelope");
  const envelope = wrapped === null ? call : wrapped;
  if (envelope.member("allowed_next_steps") === null) return missing("allowed_next_steps");
  const evidence = envelope.member("evidence");
  if (evidence === null) return missing("evidence");
  const cost = evidence.member("x-cost");
  const spent = amount(cost, "spent_cents");
  const cap = amount(cost, "cap_cents");
  if (spent < 0 || cap < 0) return objection("it is not known what the run has spent", "provide_evidence", "");
  if (spent <= cap) return answer("success", "", "");
  const numbers = ',"expected":' + cap.toString() + ',"actual":' + spent.toString();
  return objection("the run has spent more than its cap", "needs_approval", numbers);
}

/** Returns a whole number of 0 or more; -1 if there is none. */
function amount(cost: Json | null, name: string): i64 {
  if (cost === null) return -1;
  const value = cost.member(name);
  return value === null ? -1 : value.amount();
}

/** Returns the answer that sends the run to a human. */
function objection(summary: string, resolution: string, numbers: string): string {
  const finding =
    '{"rule":"cost-cap","status":"needs_human","flag":"over_budget","blocker":"over_budget","severity":"medium","summary":"' +
    summary +
    '","evidence_ref":"/evidence/x-cost"' +
    numbers +
    ',"resolution":{"kind":"' +
    resolution +
    '","hint":"ask the owner of the budget"}}';
  const blocker =
    '{"code":"over_budget","summary":"' + summary + '","evidence_ref":"/evidence/x-cost","severity":"medium"}';
  return answer("needs_human", blocker, finding);
}

function answer(status: string, blocker: string, finding: string): string {
  return (
    '{"ok":{"decision":{"status":"' +
    status +
    '","next_step":null,"fix_instructions":null,"blockers":[' +
    blocker +
    '],"risk_flags":[' +
    (finding == "" ? "" : '"over_budget"') +
    ']},"findings":[' +
    finding +
    '],"loop":{"consecutive_partials":0,"review_completed":false,"refinement":{"cap":1,"spent":0,"requested":false},"escalation":null},"policy":null}}'
  );
}

function missing(name: string): string {
  return failed("missing_field", "missing field `" + name + "`", "/" + name);
}

/** The texts must have no character that JSON escapes. */
function failed(code: string, message: string, path: string): string {
  return '{"error":{"code":"' + code + '","message":"' + message + '","path":"' + path + '"}}';
}

/** Replaces the import that AssemblyScript has for aborts: an abort is a trap. */
export function abort(_message: usize, _file: usize, _line: u32, _column: u32): void {
  unreachable();
}
