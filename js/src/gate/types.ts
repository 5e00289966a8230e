/** The public types of all gates: their options, their judges and their verdicts. */
import type {
  Actions,
  ApplyGuardrailsCall,
  DiffFile,
  Envelope,
  Evaluation,
  Evidence,
  GuardrailAction,
  Outside,
  PathCase,
  PolicyDocument,
  Revision,
  RuntimePolicy,
  Status,
} from "../generated/types.js";
import type { Step, ToolCall } from "./step.js";

/** A value, or a promise of it. */
export type MaybePromise<Answer> = Answer | PromiseLike<Answer>;

/** A parsed policy, as `engine.policy` returns it. */
export interface ParsedPolicy {
  /** As `policy.evaluate`. */
  evaluate(envelope: Envelope): MaybePromise<Evaluation>;
  /** As `policy.refine`. */
  refine(envelope: Envelope, options?: { evaluation?: Evaluation | null }): MaybePromise<Revision>;
}

/**
 * The evaluator of a gate: an engine, a policy module, or any object with these methods. The gate checks each answer. An answer of unknown
 * form is an error.
 */
export interface Judge {
  /** As `engine.applyGuardrails`. */
  applyGuardrails(call: ApplyGuardrailsCall): MaybePromise<Actions>;
  /** As `engine.evaluate`. */
  evaluate(envelope: Envelope, options?: { policy?: PolicyDocument | null }): MaybePromise<Evaluation>;
  /** As `engine.refine`. */
  refine(envelope: Envelope, options?: { policy?: PolicyDocument | null; evaluation?: Evaluation | null }): MaybePromise<Revision>;
}

/** The rule of a gate for a tool. */
export interface ToolRule {
  /** The kind of node, which selectors of guardrails match as `kind`. Default: `tool`. */
  readonly kind?: string;
  /**
   * Returns the files that a call with this input changes; `[]` for none. Without this function the files are unknown, and a policy with
   * path lists asks a human. If it does not return a list, the gate denies the call.
   *
   * Set `kind: "directory"` for every directory, also for a deleted or renamed one. Without it, a deleted `deploy` still violates
   * `deploy/**`, but a deleted `certs` does not violate `*.pem`. A path outside of the workspace (`../x`, an absolute path, `~/x`, a backslash,
   * a URL) goes to the engine unchanged, and `outside` decides about it.
   */
  changes?(input: object): readonly DiffFile[];
}

/** The options of a gate. */
export interface GateOptions {
  /** The known tools. The gate denies calls of all others. */
  readonly tools: Readonly<Record<string, ToolRule>>;
  /**
   * The absolute path of the workspace, without `.` and `..`. Absolute paths below it that `changes` returns become relative. Guardrails see
   * `input` as the model wrote it. Paths are compared as text, after `.`, `..` and repeated slashes are resolved. Links are not resolved: for
   * a tool that follows links, return the target of the link from `changes`. Default: absolute paths stay, and the engine treats each as
   * outside of the workspace.
   */
  readonly root?: string | undefined;
  /**
   * The treatment of a changed path outside of the workspace. Default: `refuse`, which denies the call, and stops the run after a step that
   * changed such a path. `ask` asks a human if a policy lists paths. `allow` matches the path as if it were inside. The gate sets this field in
   * `callPolicy` and `stepPolicy` if they leave it out. A parsed policy has its own value, and the gate applies `refuse` in addition to it.
   */
  readonly outside?: Outside | undefined;
  /**
   * The comparison of letters in `root` and in the path lists of policies. Default: `sensitive`. Set `ascii_insensitive` on macOS and Windows.
   * The gate sets this field in `callPolicy` and `stepPolicy` if they leave it out. A parsed policy has its own value.
   */
  readonly path_case?: PathCase | undefined;
  /**
   * The guardrails. The gate evaluates the trigger `onStart` before a call, and `onNodeComplete`, `onValidationFail`, `onTimeout` and
   * `onMetricBelow` after a step. Conditions see `tool`, `input` and `context`; after a call also `output` or `error`. Selectors see the
   * tool's name as `capabilityId`, and its `kind`.
   */
  readonly guardrails?: readonly RuntimePolicy[] | undefined;
  /**
   * The policy for a call before it runs, on the files that it is going to change. No check and no review can have run yet. So the gate's
   * envelopes have `required_validators: []`, and a policy with the profile `oa06.1` needs `review: "optional"`.
   */
  readonly callPolicy?: PolicyDocument | ParsedPolicy | null | undefined;
  /**
   * The policy for a finished step. Without it, only the built-in rules apply. A step without the result of a check is `unchecked`, and the
   * run stops for a human. To go on, add exit codes with `evidence`, or set `required_validators: []` in this policy.
   */
  readonly stepPolicy?: PolicyDocument | ParsedPolicy | null | undefined;
  /** The run's id in envelopes. Default: `run`. */
  readonly runId?: string | undefined;
  /** Returns the `context` that conditions see before and after a call, from the run's context. Default: nothing. */
  context?(runtimeContext: unknown): unknown;
  /**
   * Returns the evidence of a step. `found` is the gate's evidence; add exit codes, claims, artifacts and approvals to it. Keep the artifacts of
   * `found`, because one of them is its list of failed calls. The list is not a review of the work. Give your own review its own
   * `artifact_ref`.
   */
  evidence?(found: Evidence, step: Step): Evidence;
  /** Returns metrics for `onMetricBelow`, in addition to those of the gate: `steps`, `calls`, `failed`, `denied` and tokens. */
  metrics?(steps: readonly Step[]): Readonly<Record<string, number>>;
  /**
   * Receives each verdict on a call and on a step once, even if several functions of the gate need it. Use it for records. The gate
   * ignores its errors. Verdicts are frozen.
   */
  onVerdict?(verdict: CallVerdict | StepVerdict): unknown;
}

/** The verdict on a call before it runs. */
export interface CallVerdict {
  /** The kind of the verdict. */
  readonly about: "call";
  /** `allow` runs the call, `deny` does not, `ask` waits for a human. */
  readonly action: "allow" | "deny" | "ask";
  /**
   * The source of the verdict: the list of tools, a guardrail, the policy, or a failure (`fault`). `default` means that none of them objected,
   * so the gate allows the call.
   */
  readonly by: "default" | "tools" | "guardrail" | "policy" | "fault";
  /** The reason, and the alternative, for the model or for the human. Empty if the call runs. */
  readonly reason: string;
  /** The call. */
  readonly toolCall: ToolCall;
  /** The actions of the guardrails. Carry out `emit` yourself. */
  readonly actions: readonly GuardrailAction[];
  /** The evaluation, if the gate asked the policy. */
  readonly evaluation: Evaluation | null;
  /** The error, if something failed. */
  readonly error?: unknown;
}

/** The verdict on a run after a step. */
export interface StepVerdict {
  /** The kind of the verdict. */
  readonly about: "step";
  /** `continue` goes on, `feedback` goes on with instructions for the model, `stop` ends the run. */
  readonly action: "continue" | "feedback" | "stop";
  /** The source of the verdict. */
  readonly by: "guardrail" | "policy" | "fault";
  /** True if the run stops for a human review. */
  readonly asks: boolean;
  /** The status of the decision; null if something failed. */
  readonly status: Status | null;
  /** The reason. For feedback, the message to the model. Empty if the run goes on. */
  readonly reason: string;
  /** The actions of the guardrails, `emit` included. */
  readonly actions: readonly GuardrailAction[];
  /** The evaluation of the step. */
  readonly evaluation: Evaluation | null;
  /** The error, if something failed. */
  readonly error?: unknown;
}

/** The functions that all gates have. You can detach them. No function throws or rejects, and no failure lets a call run. */
export interface Judgments {
  /**
   * Judges a call before it runs.
   *
   * ```js
   * const { action, reason } = await gate.judgeCall({ toolName: "write_file", toolCallId: "1", input: { path: "a.txt" } });
   * ```
   */
  readonly judgeCall: (toolCall: ToolCall, runtimeContext?: unknown) => Promise<CallVerdict>;
  /**
   * Judges the last step of a run, with the steps before it as its history.
   *
   * ```js
   * const { steps } = result;
   * const verdict = await gate.judgeSteps(steps);
   * console.log(verdict.action, verdict.status, verdict.reason);
   * ```
   */
  readonly judgeSteps: (steps: readonly Step[]) => Promise<StepVerdict>;
}
