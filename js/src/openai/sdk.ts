/**
 * The types of the OpenAI Agents SDK that this entry uses.
 *
 * They are structural, with the names of version 0.20. The SDK is not imported.
 */

/** The context of a run, which the SDK passes to its callbacks. */
export interface RunContext {
  /** Your own context of the run, which the option `context` of the gate reads. */
  readonly context?: unknown;
  /** Returns true for an approved call, false for a rejected one, and `undefined` without an answer. */
  isToolApproved?(approval: { toolName: string; callId: string }): boolean | undefined;
}

/** A function call of a model. */
export interface FunctionCall {
  /** The call's id. */
  readonly callId: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments, as JSON text. */
  readonly arguments: string;
}

/** The argument of a guardrail for the input of a tool. */
export interface ToolInputData {
  /** The context of the run. */
  readonly context: RunContext;
  /** The agent. */
  readonly agent?: unknown;
  /** The call that is about to run. */
  readonly toolCall: FunctionCall;
}

/** The answer of a guardrail for the input of a tool. It always has a behavior, because the SDK runs a call without one. */
export interface ToolInputAnswer {
  /** `allow` runs the call; `rejectContent` does not, and gives the message to the model. */
  readonly behavior: { type: "allow" } | { type: "rejectContent"; message: string };
  /** The verdict in short, for traces. */
  readonly outputInfo: { action: string; by: string; reason: string };
}

/** A guardrail for the input of a tool. */
export interface ToolInputGuardrail {
  /** The kind of guardrail. */
  readonly type: "tool_input";
  /** The name of the guardrail. */
  readonly name: string;
  /** Judges a call. */
  readonly run: (data: ToolInputData) => Promise<ToolInputAnswer>;
}

/** The argument of a guardrail for the output of an agent. */
export interface AgentOutputData {
  /** The context of the run. */
  readonly context: RunContext;
  /** The output of the agent. */
  readonly agentOutput?: unknown;
  /** The items of the run. */
  readonly details?: { readonly output?: readonly unknown[] };
}

/** The answer of a guardrail for the output of an agent. */
export interface AgentOutputAnswer {
  /** True ends the run with an error instead of its output. */
  readonly tripwireTriggered: boolean;
  /** The verdict in short. The SDK removes it from the error, so record verdicts with `onVerdict`. */
  readonly outputInfo: { action: string; asks: boolean; status: string | null; reason: string };
}

/** A guardrail for the output of an agent. */
export interface AgentOutputGuardrail {
  /** The name of the guardrail. */
  readonly name: string;
  /** Judges the run. */
  readonly execute: (data: AgentOutputData) => Promise<AgentOutputAnswer>;
}

/** Returns true if a call needs an approval by a human. */
export type NeedsApproval = (context: RunContext, input: unknown, callId?: string) => Promise<boolean>;

/** The fields of a function tool that a guard uses. */
export interface FunctionTool {
  /** The kind of tool. */
  readonly type: string;
  /** The name of the tool. */
  readonly name: string;
  /** The approval of the tool itself. */
  readonly needsApproval?: unknown;
  /** The guardrails of the tool itself. */
  readonly inputGuardrails?: readonly unknown[] | undefined;
}
