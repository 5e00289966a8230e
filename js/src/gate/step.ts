/**
 * The types of tool calls and steps that every gate judges.
 *
 * They have the form of the Vercel AI SDK (versions 5 to 7). Entries for other SDKs convert theirs to it.
 */

/** A tool call of a model. */
export interface ToolCall {
  /** The name of the tool, as the model knows it. */
  readonly toolName: string;
  /** The call's id. */
  readonly toolCallId: string;
  /** The input of the tool. */
  readonly input?: unknown;
}

/** A part of a step: a call, its result, its error, an approval, text. */
export interface StepPart {
  /** The kind of part: `tool-call`, `tool-result`, `tool-error`, `tool-approval-request`, `text`, ... */
  readonly type: string;
  /** The id of the call that it belongs to. */
  readonly toolCallId?: string;
  /** The name of the tool. */
  readonly toolName?: string;
  /** The input of the tool. */
  readonly input?: unknown;
  /** The output of the tool. */
  readonly output?: unknown;
  /** The error of the tool. */
  readonly error?: unknown;
  /** True if a later part has more of the result. */
  readonly preliminary?: boolean | undefined;
  /** The call, if the part is about its approval. */
  readonly toolCall?: ToolCall;
  /** True if the approval came without a human. */
  readonly isAutomatic?: boolean | undefined;
  /** True if the call was approved. */
  readonly approved?: boolean;
  /** The reason why the call was not approved. */
  readonly reason?: string | undefined;
}

/** A finished step. */
export interface Step {
  /** The reason why the model ended: `stop`, `tool-calls`, `length`, ... */
  readonly finishReason: string;
  /** The parts of the step. */
  readonly content: readonly StepPart[];
  /** The tokens of the step, if the SDK counts them. */
  readonly usage?: unknown;
  /** The durations of its calls, if the SDK measures them. */
  readonly performance?: unknown;
  /** The context of the run, which the option `context` of a gate reads. */
  readonly runtimeContext?: unknown;
}
