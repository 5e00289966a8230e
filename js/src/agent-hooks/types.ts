/** The types of AGENT-HOOKS 0.1 that this entry uses: what a host sends at an interception point, and the verdict. */

/** A position in the loop of an agent. */
export type InterceptionPoint =
  | "agent_startup"
  | "input"
  | "pre_model_call"
  | "post_model_call"
  | "pre_tool_call"
  | "post_tool_call"
  | "output"
  | "agent_shutdown";

/** The call of a tool. */
export interface HookToolCall {
  /** The call's id. */
  readonly id: string;
  /** The name of the tool. */
  readonly name: string;
  /** The arguments. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** The data of a host at an interception point. The host may send more fields. */
export interface AgentContext {
  /** The version of the contract: `agent-hooks/0.1`. */
  readonly spec: string;
  /** The position in the loop. */
  readonly interception_point: InterceptionPoint;
  /** The time, in UTC. */
  readonly timestamp: string;
  /** The number of the interception in its session. */
  readonly sequence: number;
  /** The agent. */
  readonly agent: { readonly id: string; readonly framework: string };
  /** The session. */
  readonly session: { readonly id: string };
  /** The value that the action uses or has made. At `pre_tool_call` the arguments, at `post_tool_call` the result. */
  readonly target: unknown;
  /** The registered tools, at `agent_startup`. */
  readonly agent_init?: { readonly tools_registered: readonly string[] };
  /** The response of the model, at `post_model_call`. */
  readonly response?: { readonly content?: unknown; readonly tool_calls: readonly unknown[]; readonly finish_reason: string };
  /** The call, at `pre_tool_call` and `post_tool_call`. */
  readonly tool_call?: HookToolCall;
  /** The result, at `post_tool_call`. */
  readonly tool_result?: { readonly value: unknown; readonly is_error: boolean; readonly duration_ms?: number };
}

/** A concern that does not block the action. */
export interface HookWarning {
  /** The stable reason, for programs. */
  readonly reason: string;
  /** The text, for humans and the model. */
  readonly message: string;
}

/** The verdict of an interceptor. The host must not carry out a denied action. */
export interface HookVerdict {
  /** `allow` lets the action proceed, `deny` does not. The interceptor never transforms. */
  readonly decision: "allow" | "deny";
  /** The stable reason of a denial: `adjudicate:...`, or `runtime_error:...` with the code of an error. */
  readonly reason?: string;
  /** The reason and the alternative, for humans and the model. */
  readonly message?: string;
  /** Present on a denial that a human may lift. */
  readonly approval?: Readonly<Record<string, never>>;
  /** The concerns. */
  readonly warnings?: readonly HookWarning[];
  /** The SHA-256 of the evaluation as JSON text, if a policy decided. */
  readonly evidence?: { readonly artefact: string };
}

/** An interceptor of AGENT-HOOKS. */
export interface AgentInterceptor {
  /**
   * Returns the verdict at an interception point. It never throws or rejects, and a failure is a denial.
   *
   * ```js
   * const { decision, reason, message } = await interceptor.intercept(context);
   * console.log(decision, reason ?? "", message ?? "");
   * ```
   */
  readonly intercept: (context: AgentContext) => Promise<HookVerdict>;
}
