/**
 * The types of the Vercel AI SDK that this entry uses.
 *
 * They are structural, with the names of versions 5 to 7. The SDK is not imported, so any version, and any other SDK of the same shape, fits.
 */
import type { Step, ToolCall } from "../gate/step.js";

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
