/** A strict TypeScript user's code with the interceptor of AGENT-HOOKS. Compiled, never run. */
import { createInterceptor } from "adjudicate/agent-hooks";
import type { AgentContext, AgentInterceptor, HookVerdict, InterceptionPoint } from "adjudicate/agent-hooks";
import type { Engine } from "adjudicate";

declare const engine: Engine;
declare const context: AgentContext;

export async function hook(): Promise<string> {
  const interceptor: AgentInterceptor = await createInterceptor(engine, { tools: { read_file: { changes: () => [] } } });
  const { decision, reason, message, warnings, approval }: HookVerdict = await interceptor.intercept(context);
  if (decision === "deny") return approval === undefined ? `${reason}: ${message}` : "needs human review";
  return (warnings ?? []).map((warning) => warning.message).join("\n");
}

// @ts-expect-error: an unknown point
export const point: InterceptionPoint = "before_tool";
