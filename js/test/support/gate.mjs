/** The options of gates, and untrusted judges, for the tests. */

/** Forbidden files, and files that need a human. */
export const CALL_POLICY = { policy: "calls", version: "1.0.0", forbidden_paths: ["deploy/**"], protected_paths: ["db/**"] };

/** The fields of a policy for steps without checks or reviews. */
const UNCHECKED = { required_validators: [], review: "optional" };

/** A bounded revision loop: one refinement, then a human. */
export const STEP_POLICY = { policy: "steps", version: "1.0.0", profile: "oa06.1", forbidden_paths: ["deploy/**"], ...UNCHECKED };

/** A policy without rules that allows unchecked steps. */
export const PLAIN_POLICY = { policy: "plain", version: "1.0.0", ...UNCHECKED };

export const GUARDRAILS = [
  {
    id: "no_push",
    trigger: { kind: "onStart", selector: { capabilityId: "shell" }, condition: { starts_with: [{ var: "input.command" }, "git push"] } },
    action: { type: "fail", message: "pushing is done by people" },
  },
  {
    id: "ask_before_removal",
    trigger: { kind: "onStart", selector: { capabilityId: "shell" }, condition: { starts_with: [{ var: "input.command" }, "rm "] } },
    action: { type: "hitl", rationale: "something is removed" },
  },
  {
    id: "secret_seen",
    trigger: { kind: "onNodeComplete", condition: { in: ["PRIVATE KEY", { var: "output" }] } },
    action: { type: "fail", message: "a key was read" },
  },
];

export const TOOLS = {
  read_file: { kind: "read", changes: () => [] },
  write_file: { kind: "write", changes: ({ path }) => [{ path, change: "modified" }] },
  shell: { kind: "shell", changes: () => [] },
};

export const OPTIONS = { tools: TOOLS, guardrails: GUARDRAILS, callPolicy: CALL_POLICY };

/** A judge that answers as the engine until `fail` is called, and then throws the error. */
export function failingJudge(engine, error = new WebAssembly.RuntimeError("unreachable")) {
  let isBroken = false;
  const method = (name) => (...given) => {
    if (isBroken) throw error;
    return engine[name](...given);
  };
  const judge = { applyGuardrails: method("applyGuardrails"), evaluate: method("evaluate"), refine: method("refine") };
  return { judge, fail: () => (isBroken = true) };
}

let calls = 0;

/** A call of a tool. */
export function call(toolName, input) {
  return { toolName, toolCallId: `call_${++calls}`, input };
}

/** A finished step with these parts. */
export function step(content, finishReason = "tool-calls") {
  return { finishReason, content };
}

/** The parts of a call with a result. */
export function done(toolCall, output) {
  return [{ type: "tool-call", ...toolCall }, { type: "tool-result", ...toolCall, output }];
}

/** The parts of a call that failed. */
export function failed(toolCall, message) {
  return [{ type: "tool-call", ...toolCall }, { type: "tool-error", ...toolCall, error: new Error(message) }];
}

/** The tools of a run, which an SDK's function makes of a name and a function, and the calls that ran. */
export function toolbox(make) {
  const ran = [];
  const write = ({ path }) => {
    if (path === "full") throw new Error("disk full");
    return "written";
  };
  const acts = { read_file: ({ path }) => `text of ${path}`, write_file: write, shell: () => "ok", mail: () => "ok" };
  const tools = Object.entries(acts).map(([name, act]) => make(name, async (input) => (ran.push([name, input]), act(input))));
  return { ran, tools };
}

/** Options of a gate that denies every call after `close`. */
export function closing() {
  let closed = false;
  const condition = { "==": [{ var: "context.closed" }, true] };
  const guardrails = [{ id: "closed", trigger: { kind: "onStart", condition }, action: { type: "fail", message: "closed" } }, ...GUARDRAILS];
  return { options: { guardrails, context: () => ({ closed }) }, close: () => (closed = true) };
}

/** Options of a gate that asks a human if a result goes to a guest. */
export const FOR_GUESTS = {
  guardrails: [
    {
      id: "guests",
      trigger: { kind: "onNodeComplete", condition: { "==": [{ var: "context.role" }, "guest"] } },
      action: { type: "hitl", rationale: "a guest reads this" },
    },
  ],
  stepPolicy: PLAIN_POLICY,
  context: (runtimeContext) => ({ role: runtimeContext?.role ?? "unknown" }),
};
