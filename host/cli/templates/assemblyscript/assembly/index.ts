/**
 * A cost cap: a run that has spent more than it may goes to a person.
 *
 * The kernel says what was spent, in whole cents: `"x-cost": {"spent_cents": 1250, "cap_cents": 1000}` in the evidence. Where it
 * does not say so, or not so that it can be read, nobody knows, and unknown is never let pass.
 *
 * The module has an objection or it has none, so it is one to stand beside others (`--restrict`): it names no next step.
 * Whether anything was checked is for the engine beside it to ask.
 */
import { Fault, Json, read } from "./json";

const EVALUATE = 1;
/** How long an input may be: 8 MiB. */
const LONGEST_INPUT: u32 = 8 << 20;
/** The reply record, and behind it the reply, which is short. */
const RECORD = memory.data(8);
const REPLY_BYTES: i32 = 2048;
const REPLY = memory.data(REPLY_BYTES);

/** The version of the interface. */
export function adjudicate_abi_1(): i32 {
  return 0;
}

/** Makes room for an input; 0 refuses. */
export function adjudicate_alloc(length: u32): usize {
  return length > LONGEST_INPUT ? 0 : heap.alloc(length + 1);
}

/** Answers a call; the result is the address of the reply record. */
export function adjudicate_call(operation: i32, address: usize, length: i32): usize {
  const reply = operation == EVALUATE ? evaluate(address, length) : failed("unsupported_operation", "evaluate only", "");
  const size = String.UTF8.byteLength(reply);
  if (size > REPLY_BYTES) unreachable();
  String.UTF8.encodeUnsafe(changetype<usize>(reply), reply.length, REPLY);
  store<u32>(RECORD, <u32>REPLY);
  store<u32>(RECORD, size, 4);
  // The reply lies in its own place, so whatever the call made can be forgotten: the next one begins anew.
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

/** A whole number of 0 or more; -1 where there is none. */
function amount(cost: Json | null, name: string): i64 {
  if (cost === null) return -1;
  const value = cost.member(name);
  return value === null ? -1 : value.amount();
}

/** The answer of a policy that sends the run to a person. */
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

/** What is told here has no character that JSON escapes. */
function failed(code: string, message: string, path: string): string {
  return '{"error":{"code":"' + code + '","message":"' + message + '","path":"' + path + '"}}';
}

/** In place of the import that AssemblyScript has for it: what cannot go on is a trap. */
export function abort(_message: usize, _file: usize, _line: u32, _column: u32): void {
  unreachable();
}
