/**
 * The types of agent SDKs that this entry uses.
 *
 * They are structural, with the names of the Vercel AI SDK (versions 5 to 7). The SDK is not imported, so any version, and any other SDK
 * of the same shape, fits.
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

/** The request of `toolApproval` for a call. */
export interface ToolApprovalRequest {
  /** The call that is about to run. */
  readonly toolCall: ToolCall;
  /** The run's tools, which may ask for an approval themselves. */
  readonly tools?: unknown;
  /** The contexts of tools, by name. */
  readonly toolsContext?: unknown;
  /** The conversation so far. */
  readonly messages?: unknown;
  /** The context of the run. */
  readonly runtimeContext?: unknown;
}

/** The answer of `toolApproval`. It is never undefined, because that would let the call run. */
export interface ToolApproval {
  /** `approved` runs the call, `denied` does not, `user-approval` waits for a human. */
  readonly type: "approved" | "denied" | "user-approval";
  /** The reason: for the model if the call is denied, for the human if an approval is needed. */
  readonly reason?: string;
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
  /** The reason. */
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
}

/** A message with the role of the user. The gate gives feedback to the model in such a message. */
export interface UserMessage {
  /** The role. */
  readonly role: "user";
  /** The text. */
  readonly content: string;
}

/** The argument of `prepareStep`. */
export interface NextStep<Message> {
  /** The steps so far. */
  readonly steps: readonly Step[];
  /** The messages for the model. */
  readonly messages: readonly Message[];
}

/** The answer of `prepareStep`: other messages, and no tools if the run should have stopped. */
export interface PreparedStep<Message> {
  /** The messages that the model gets instead. */
  messages: (Message | UserMessage)[];
  /** The tools that the model may call: none. */
  activeTools?: never[];
}

/**
 * The policy client of `@ai-sdk/policy-opa` and of packages with the same interface: it evaluates an input at a path.
 */
export interface PolicyClient {
  /** Evaluates the input at a path. */
  evaluate<Input = unknown, Answer = unknown>(path: string, input: Input): Promise<Answer>;
}
