/**
 * A policy gate as an interceptor of AGENT-HOOKS 0.1. It decides if a tool call may run, if its result may be used, and if the output of a run
 * may leave it.
 *
 * It converts the judgments of `gate/judgments.ts`, and imports no SDK.
 */
import { createJudgments, type GateCore } from "../gate/judgments.js";
import { textOf } from "../strict.js";
import type { GateOptions, Judge } from "../gate/types.js";
import { checkArguments, shortened } from "../usage.js";
import { contextIn } from "./context.js";
import { Sessions, type Session } from "./sessions.js";
import type { AgentContext, AgentInterceptor, HookToolCall, HookVerdict } from "./types.js";
import { allowed, denied, failed, ofCall, ofStep } from "./verdict.js";

export { AdjudicateError, type AnyErrorCode } from "../error.js";
export type * from "../gate/step.js";
export type * from "../gate/types.js";
export type * from "./types.js";

/**
 * Creates an interceptor. It reads policies and guardrails now, so their errors appear before an agent starts. The option `context` gets the
 * context of the interception.
 *
 * ```js
 * const interceptor = await createInterceptor(engine, {
 *   tools: { read_file: { changes: () => [] }, write_file: { changes: ({ path }) => [{ path, change: "modified" }] } },
 *   callPolicy: { policy: "house", version: "1.0.0", forbidden_paths: ["deploy/**"] },
 * });
 * const { decision } = await interceptor.intercept(context);
 * console.log(decision);
 * ```
 *
 * @param judge An engine, or a policy module.
 * @throws {AdjudicateError} `wrong_usage` for options that would have no effect; the error of the judge for an invalid policy.
 */
export async function createInterceptor(judge: Judge, options: GateOptions): Promise<AgentInterceptor> {
  checkArguments(arguments, 2, "an engine and options");
  const core = await createJudgments(judge, options);
  const sessions = new Sessions();
  const intercept = async (given: AgentContext): Promise<HookVerdict> => {
    try {
      return await verdictOn(core, sessions, contextIn(given));
    } catch (error) {
      return failed(error);
    }
  };
  return { intercept };
}

async function verdictOn(core: GateCore, sessions: Sessions, context: AgentContext): Promise<HookVerdict> {
  if (context.interception_point === "agent_startup") return started(core, sessions, context);
  if (context.interception_point === "agent_shutdown") {
    sessions.end(context);
    return allowed();
  }
  const session = sessions.get(context);
  if (session === undefined) {
    const message = `unknown session \`${shortened(context.session.id)}\`: its \`agent_startup\` did not reach this interceptor, or it has ended`;
    return denied("adjudicate:unknown_session", message);
  }
  return inSession(core, session, context);
}

/** Starts a session. The calls of unknown tools will be denied, so they are concerns. */
function started({ tools }: GateCore, sessions: Sessions, context: AgentContext): HookVerdict {
  sessions.start(context);
  const unknown = context.agent_init?.tools_registered.filter((name) => !tools.includes(name)) ?? [];
  return allowed(unknown.map((name) => ({ reason: "adjudicate:unknown_tool", message: `unknown tool \`${shortened(name)}\`: its calls are denied` })));
}

async function inSession(core: GateCore, session: Session, context: AgentContext): Promise<HookVerdict> {
  const { interception_point, response, tool_call, tool_result, target } = context;
  switch (interception_point) {
    case "input":
      session.takeInput();
      return allowed();
    case "post_model_call":
      session.takeResponse(String(response?.finish_reason));
      return allowed();
    case "pre_tool_call":
      return beforeCall(core, session, context, tool_call as HookToolCall);
    case "post_tool_call":
      session.takeResult(tool_call as HookToolCall, tool_result as NonNullable<typeof tool_result>, target);
      return ofStep(await core.judgeSteps(session.stepsWith(context)), false);
    case "output": {
      const steps = session.stepsWith(context);
      session.end();
      return ofStep(await core.judgeRun(steps), true);
    }
    default:
      return allowed();
  }
}

/** Judges a call. `target` is what the tool gets, and the arguments must be the same. */
async function beforeCall(core: GateCore, session: Session, context: AgentContext, call: HookToolCall): Promise<HookVerdict> {
  if (textOf(context.target, "target: ") !== textOf(call.args, "args: ")) {
    const message = "`target` differs from the arguments of the call, so it is unknown which the tool gets";
    session.takeCall(call, message);
    return denied("runtime_error:invalid_value", message);
  }
  const verdict = await core.judgeCall({ toolName: call.name, toolCallId: call.id, input: call.args }, context);
  session.takeCall(call, verdict.action === "allow" ? undefined : verdict.reason);
  return ofCall(verdict);
}
