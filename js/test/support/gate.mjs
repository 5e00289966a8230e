/** A gate for the tests, and judges that are not to be trusted. */

/** Files that nobody may touch, and files that take a person. */
export const CALL_POLICY = { policy: "calls", version: "1.0.0", forbidden_paths: ["deploy/**"], protected_paths: ["db/**"] };

/** What a policy says that judges steps between which nobody runs checks or reviews. */
const UNCHECKED = { required_validators: [], review: "optional" };

/** A bounded revision loop: one refinement, then a person. */
export const STEP_POLICY = { policy: "steps", version: "1.0.0", profile: "oa06.1", forbidden_paths: ["deploy/**"], ...UNCHECKED };

/** Nothing but the built-in rules, with steps that nobody checks. */
export const PLAIN_POLICY = { policy: "plain", version: "1.0.0", ...UNCHECKED };

export const GUARDRAILS = [
  {
    id: "no_push",
    trigger: {
      kind: "onStart",
      selector: { capabilityId: "shell" },
      condition: { starts_with: [{ var: "input.command" }, "git push"] },
    },
    action: { type: "fail", message: "pushing is done by people" },
  },
  {
    id: "ask_before_removal",
    trigger: {
      kind: "onStart",
      selector: { capabilityId: "shell" },
      condition: { starts_with: [{ var: "input.command" }, "rm "] },
    },
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

let calls = 0;

/** A call of a tool. */
export function call(toolName, input) {
  return { toolName, toolCallId: `call_${++calls}`, input };
}

/** A finished step with these parts. */
export function step(content, finishReason = "tool-calls") {
  return { finishReason, content };
}

/** The parts of a call that was answered. */
export function done(toolCall, output) {
  return [
    { type: "tool-call", ...toolCall },
    { type: "tool-result", ...toolCall, output },
  ];
}

/** The parts of a call that failed. */
export function failed(toolCall, message) {
  return [
    { type: "tool-call", ...toolCall },
    { type: "tool-error", ...toolCall, error: new Error(message) },
  ];
}
