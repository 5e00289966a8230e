/** A strict TypeScript user's code with the gate. Compiled, never run. */
import { AdjudicateError, createGate } from "adjudicate/ai";
import type { CallVerdict, Gate, GateOptions, Judge, PolicyClient, StepVerdict, ToolApproval } from "adjudicate/ai";
import type { Engine, IsolatedModule, Policy, PolicyModule } from "adjudicate";

type Equal<Left, Right> = (<T>() => T extends Left ? 1 : 2) extends <T>() => T extends Right ? 1 : 2 ? true : false;
function assertType<_ extends true>(): void {}

declare const engine: Engine;
declare const here: PolicyModule;
declare const there: IsolatedModule;
declare const policy: Policy;

export const judges: Judge[] = [engine, here, there];

export const options: GateOptions = {
  root: "/home/me/project",
  tools: { read_file: { kind: "read", changes: () => [] }, write_file: { changes: ({ path }: { path: string }) => [{ path, change: "modified" }] } },
  guardrails: [{ id: "g", trigger: { kind: "onStart" }, condition: true, action: { type: "hitl", rationale: "r" } }],
  callPolicy: policy,
  stepPolicy: { policy: "p", version: "1.0.0" },
  evidence: (found, step) => ({ ...found, artifacts: [...found.artifacts, step.finishReason] }),
  onVerdict: (verdict) => (verdict.about === "call" ? verdict.toolCall.toolName : verdict.status),
};

export async function ask(): Promise<string> {
  const gate: Gate = await createGate(engine, options);
  const client: PolicyClient = gate.client;
  const { decision } = await client.evaluate<unknown, { decision: string }>("adjudicate/call", {});
  const verdict: CallVerdict = await gate.judgeCall({ toolName: "read_file", toolCallId: "1" });
  const last: StepVerdict = await gate.judgeSteps([{ finishReason: "stop", content: [{ type: "text" }] }]);
  assertType<Equal<Awaited<ReturnType<Gate["toolApproval"]>>, ToolApproval>>();
  assertType<Equal<CallVerdict["action"], "allow" | "deny" | "ask">>();
  assertType<Equal<StepVerdict["action"], "continue" | "feedback" | "stop">>();
  if (verdict.error instanceof AdjudicateError) return verdict.error.path;
  return `${decision} ${last.evaluation?.decision.status}`;
}

// @ts-expect-error: tools must be named
void createGate(engine, {});
// @ts-expect-error: a parsed policy is not a judge
void createGate(policy, { tools: {} });
// @ts-expect-error: an unknown option
void createGate(engine, { tools: {}, policy: { policy: "p", version: "1.0.0" } });
// @ts-expect-error: a root is a path
void createGate(engine, { tools: {}, root: new URL("file:///home/me/project") });
// @ts-expect-error: a change has a kind
void createGate(engine, { tools: { a: { changes: () => [{ path: "a" }] } } });
