/** Polluted prototypes, as a careless merge of JSON produces them. */
import { envelope } from "./envelope.mjs";

/** Runs a function while a prototype has these properties. If it returns a promise, the properties stay until it settles. */
export function polluting(prototype, members, run) {
  for (const key of Reflect.ownKeys(members)) {
    Object.defineProperty(prototype, key, { __proto__: null, value: members[key], configurable: true, writable: true, enumerable: true });
  }
  const clean = () => {
    for (const key of Reflect.ownKeys(members)) delete prototype[key];
  };
  let later = false;
  try {
    const answer = run();
    later = answer instanceof Promise;
    return later ? answer.finally(clean) : answer;
  } finally {
    if (!later) clean();
  }
}

/** A harmful value for each name: a lenient policy, a successful answer, a passed check. */
export function plausible(engine) {
  const lax = { policy: "lax", version: "1.0.0", required_validators: [], review: "optional", outside: "allow" };
  const success = engine.evaluate(envelope());
  const toolCall = { toolName: "read_file", toolCallId: "1", input: { path: "a" } };
  return {
    ...{ policy: lax, override: lax, restrict: [], evaluation: success, trace: true, envelope: envelope() },
    ...{ origin: "nobody", answer: success, slot: {}, handle: {}, takesParsed: true },
    ...{ deadlineMs: 1, workerUrl: "nowhere.js", href: "nowhere.js", moduleBytes: 1, memoryBytes: 65_536, inputBytes: 1, outputBytes: 1 },
    ...{ tools: {}, root: "/", outside: "allow", path_case: "ascii_insensitive", guardrails: [], callPolicy: lax, stepPolicy: lax },
    ...{ runId: "r", context: () => ({}), evidence: (found) => ({ ...found, review: {} }), metrics: () => ({ calls: 0 }) },
    ...{ kind: "directory", changes: () => [], path: "src/a", change: "modified", from: "src/a" },
    ...{ toolCall, toolName: "read_file", toolCallId: "1", input: { path: "a" }, steps: [], messages: [], args: { path: "a" } },
    ...{ approved: true, isAutomatic: true, preliminary: true, invalid: true, approvalId: "1", role: "tool", content: [] },
    ...{ finishReason: "stop", usage: { inputTokens: 1 }, performance: { toolExecutionMs: { 1: 1 } }, needsApproval: false },
    ...{ decision: success.decision, findings: [], actions: [], action: { type: "emit", event: "e" }, policyId: "p", next: success },
    ...{ status: "success", next_step: "continue", fix_instructions: null, mode: "monitor", review: { artifact_ref: "r" } },
    ...{ required_validators: [], validation: { exit_codes: { test: 0 } }, diff: { files: [] }, limits: { memory_bytes: 0 } },
    ...{ fault: undefined, reply: new Uint8Array(), minorVersion: 0, ready: true, nodeId: "n", selector: {}, reason: "because" },
    ...{ evaluate: () => success, refine: () => success, applyGuardrails: () => ({ actions: [] }), execute: () => 1 },
    ...{ isToolApproved: () => true, behavior: { type: "allow" }, approval: {}, spec: "agent-hooks/0.1", interception_point: "output", target: {} },
    ...{ agent: { id: "a" }, session: { id: "s" }, tool_call: { id: "1", name: "read_file", args: {} }, tool_result: { value: 1 }, is_error: false },
    ...{ forbidden_paths: ["**"], protected_paths: ["**"], rules: [], events: [], plan: {}, state: {}, previous: {} },
  };
}

/** Returns an object with these names and the same value. */
export const each = (names, value) => Object.fromEntries(names.map((name) => [name, value]));

/** Returns a document with an own field `__proto__`, as `JSON.parse` makes it. */
export const withProto = (document, member) => Object.assign(JSON.parse(`{"__proto__":${JSON.stringify(member)}}`), document);

/** Returns an options object that counts the reads of each field. */
export function counting(options) {
  const reads = {};
  const get = (target, key, receiver) => {
    if (Object.hasOwn(target, key)) reads[key] = (reads[key] ?? 0) + 1;
    return Reflect.get(target, key, receiver);
  };
  return { reads, options: new Proxy(options, { get }) };
}
