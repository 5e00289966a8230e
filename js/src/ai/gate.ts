/** The functions of a gate for the Vercel AI SDK. */
import type { Judgments } from "../gate/types.js";
import type { NextStep, PolicyClient, PreparedStep, ToolApproval, ToolApprovalRequest } from "./sdk.js";
import type { Step } from "../gate/step.js";

/** The fields of a tool that a guard uses. */
export interface GuardedTool {
  /** The function that runs the tool. */
  execute?: unknown;
  /** True, or a function that returns true, if the tool needs an approval by a human. */
  needsApproval?: unknown;
}

/**
 * A policy gate for the runs of agents. You can detach its functions. A gate keeps no state of a run, so one gate serves many runs at the
 * same time. Except for the client and `after`, no function throws or rejects. No failure lets a call run.
 */
export interface Gate extends Judgments {
  /**
   * Returns the gate for a run that continues after these steps, for example after an approval. Its history begins with them, so a retry
   * still counts, and the guardrails and policies see the earlier decisions.
   *
   * ```js
   * const { steps } = result;
   * const { toolApproval, prepareStep, stopWhen } = gate.after(steps);
   * ```
   *
   * @throws {AdjudicateError} `wrong_usage` if the argument is not a list.
   */
  readonly after: (steps: readonly Step[]) => Gate;
  /**
   * `toolApproval` of `generateText`, `streamText` and agents (AI SDK 7). If the gate allows a call, the tool's own `needsApproval`
   * decides too.
   *
   * ```js
   * const { toolApproval } = gate;
   * const { text } = await generateText({ model, tools, toolApproval, prompt });
   * ```
   */
  readonly toolApproval: (request: ToolApprovalRequest) => Promise<ToolApproval>;
  /**
   * A condition for `stopWhen`: true if the run must stop. It replaces the SDK's own limit of steps, so keep one.
   *
   * ```js
   * const { toolApproval, stopWhen } = gate;
   * const { steps } = await generateText({ model, tools, toolApproval, stopWhen: [isStepCount(20), stopWhen], prompt });
   * ```
   */
  readonly stopWhen: (given: { readonly steps: readonly Step[] }) => Promise<boolean>;
  /**
   * `prepareStep`: adds feedback for the model as a message. If the run goes on although it should stop, it removes the tools.
   *
   * ```js
   * const { toolApproval, prepareStep, stopWhen } = gate;
   * const { text } = await generateText({ model, tools, toolApproval, prepareStep, stopWhen, prompt });
   * ```
   */
  readonly prepareStep: <Message>(next: NextStep<Message>) => Promise<PreparedStep<Message> | undefined>;
  /**
   * Wraps tools, for SDKs without `toolApproval` (AI SDK 5 and 6). `needsApproval` returns true if the gate asks, and `execute` throws
   * `call_denied` for a denied call. A streamed result is returned as one value.
   *
   * ```js
   * const tools = gate.guard({ write_file: { execute: async ({ path }) => `wrote ${path}` } });
   * ```
   */
  readonly guard: <Tools extends Readonly<Record<string, GuardedTool>>>(tools: Tools) => Tools;
  /**
   * The gate as a policy client. The path `adjudicate/call` takes `{ tool: { name }, args, runtimeContext }` and returns
   * `{ decision: "allow" | "deny" | "requires-approval", reason }`. The path `adjudicate/tools` returns `{ tools }`, the names of the known tools.
   * Any other path throws `wrong_usage`, which clients treat as a denial.
   *
   * ```js
   * const { decision } = await gate.client.evaluate("adjudicate/call", { tool: { name: "rm" }, args: {} });
   * ```
   */
  readonly client: PolicyClient;
}
