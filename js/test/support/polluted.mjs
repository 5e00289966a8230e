/** Prototypes with members that nobody put into an option or a document, as a careless merge of JSON leaves them behind. */
import { envelope } from "./envelope.mjs";

/** Runs a function while a prototype has these members; with an answer that comes later, until it is there. */
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

/** A value for each name that is worse than none: a policy that allows, an answer that is a success, a check that passed. */
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
    ...{ forbidden_paths: ["**"], protected_paths: ["**"], rules: [], events: [], plan: {}, state: {}, previous: {} },
  };
}

/** All of these names with the same value. */
export const each = (names, value) => Object.fromEntries(names.map((name) => [name, value]));

/** A document with a member that is named like the way to its prototype, as `JSON.parse` gives it. */
export const withProto = (document, member) => Object.assign(JSON.parse(`{"__proto__":${JSON.stringify(member)}}`), document);

/** An options object that counts how often each member is read. */
export function counting(options) {
  const reads = {};
  const get = (target, key, receiver) => {
    if (Object.hasOwn(target, key)) reads[key] = (reads[key] ?? 0) + 1;
    return Reflect.get(target, key, receiver);
  };
  return { reads, options: new Proxy(options, { get }) };
}
