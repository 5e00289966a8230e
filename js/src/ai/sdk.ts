/**
 * What this entry knows of agent SDKs: the shape of what they hand over and of what they expect.
 *
 * Structural on purpose. The names are those of the Vercel AI SDK (versions 5 to 7), which is not imported, so no version of
 * it is asked for, and whatever has the same shape will do.
 */

/** A tool call that a model asks for. */
export interface ToolCall {
  /** The tool, by the name that the model knows. */
  readonly toolName: string;
  /** The call's id. */
  readonly toolCallId: string;
  /** What the tool is to be given. */
  readonly input?: unknown;
}

/** What `toolApproval` is told of a call. */
export interface ToolApprovalRequest {
  /** The call that is about to run. */
  readonly toolCall: ToolCall;
  /** The run's tools, which may ask for an approval themselves. */
  readonly tools?: unknown;
  /** What tools are given as their context, by name. */
  readonly toolsContext?: unknown;
  /** The conversation so far. */
  readonly messages?: unknown;
  /** The context that the run was started with. */
  readonly runtimeContext?: unknown;
}

/** What `toolApproval` answers: it is never without an opinion, for that would let the call run. */
export interface ToolApproval {
  /** Whether the call runs, is denied, or waits for a person. */
  readonly type: "approved" | "denied" | "user-approval";
  /** Why: for the model where it is denied, for the person where one is asked. */
  readonly reason?: string;
}

/** One part of what a step was made of: a call, its result, its error, an approval, text. */
export interface StepPart {
  /** What it is: `tool-call`, `tool-result`, `tool-error`, `tool-approval-request`, `text`, ... */
  readonly type: string;
  /** The id of the call that it belongs to. */
  readonly toolCallId?: string;
  /** The name of the tool. */
  readonly toolName?: string;
  /** What the tool was given. */
  readonly input?: unknown;
  /** What the tool answered. */
  readonly output?: unknown;
  /** What the tool threw. */
  readonly error?: unknown;
  /** Whether more of the result was to come. */
  readonly preliminary?: boolean | undefined;
  /** The call, where the part is about its approval. */
  readonly toolCall?: ToolCall;
  /** Whether nobody was asked. */
  readonly isAutomatic?: boolean | undefined;
  /** What became of it. */
  readonly approved?: boolean;
  /** Why. */
  readonly reason?: string | undefined;
}

/** A step that is finished. */
export interface Step {
  /** Why the model ended: `stop`, `tool-calls`, `length`, ... */
  readonly finishReason: string;
  /** What the step was made of. */
  readonly content: readonly StepPart[];
  /** How many tokens it took, where the SDK counts them. */
  readonly usage?: unknown;
  /** How long its calls took, where the SDK measures it. */
  readonly performance?: unknown;
}

/** A message of the user's, which is how the model is told what to do otherwise. */
export interface UserMessage {
  /** Whose it is. */
  readonly role: "user";
  /** What it says. */
  readonly content: string;
}

/** What `prepareStep` is told. */
export interface NextStep<Message> {
  /** The steps so far. */
  readonly steps: readonly Step[];
  /** What the model is going to be sent. */
  readonly messages: readonly Message[];
}

/** What `prepareStep` answers: other messages, and no tools where the run should have been stopped. */
export interface PreparedStep<Message> {
  /** What the model is sent instead. */
  messages: (Message | UserMessage)[];
  /** Which tools it may call: none. */
  activeTools?: never[];
}

/**
 * What judges for `@ai-sdk/policy-opa` and those who took its shape over: a path that names the question, what is asked, and
 * an answer that they know how to read.
 */
export interface PolicyClient {
  /** Answers a question. */
  evaluate<Input = unknown, Answer = unknown>(path: string, input: Input): Promise<Answer>;
}
