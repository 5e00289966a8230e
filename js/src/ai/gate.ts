/** A gate as its users see it: how it is made, and what it says. */
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
import type { NextStep, PolicyClient, PreparedStep, Step, ToolApproval, ToolApprovalRequest, ToolCall } from "./sdk.js";

/** At once, or later. */
export type MaybeLater<Answer> = Answer | PromiseLike<Answer>;

/** A policy that is parsed already, as `engine.policy` gives it. */
export interface ParsedPolicy {
  /** As `policy.evaluate`. */
  evaluate(envelope: Envelope): MaybeLater<Evaluation>;
  /** As `policy.refine`. */
  refine(envelope: Envelope, options?: { evaluation?: Evaluation | null }): MaybeLater<Revision>;
}

/**
 * Who judges: an engine, a policy module, also one with a deadline, or whatever else has these methods. What it answers is
 * checked, for a gate opens to nothing that it does not know.
 */
export interface Judge {
  /** As `engine.applyGuardrails`. */
  applyGuardrails(call: ApplyGuardrailsCall): MaybeLater<Actions>;
  /** As `engine.evaluate`. */
  evaluate(envelope: Envelope, options?: { policy?: PolicyDocument | null }): MaybeLater<Evaluation>;
  /** As `engine.refine`. */
  refine(envelope: Envelope, options?: { policy?: PolicyDocument | null; evaluation?: Evaluation | null }): MaybeLater<Revision>;
}

/** What a gate knows of a tool. */
export interface ToolRule {
  /** What sort of node it is for the `kind` of guardrails' selectors. Default: `tool`. */
  readonly kind?: string;
  /**
   * The files that a call changes, seen from its input; `[]` for a tool that changes none. Without this function the files are
   * unknown, and a policy with path lists asks a human. The gate denies a call where this function returns no list.
   *
   * For every directory, say `kind: "directory"`, also for one that is deleted or renamed. Without it, a deleted `deploy` still violates
   * `deploy/**`, but a deleted `certs` is not seen to hold `*.pem`. A path that leads out of the workspace (`../x`, an absolute path,
   * `~/x`, a backslash, a URL) goes to the engine as it is, and `outside` says what becomes of it.
   */
  changes?(input: object): readonly DiffFile[];
}

/** How a gate is made. */
export interface GateOptions {
  /** The tools that there are. A call of any other is denied. */
  readonly tools: Readonly<Record<string, ToolRule>>;
  /**
   * The absolute path of the workspace, without `.` and `..`: absolute paths below it that `changes` returns become relative to
   * it; guardrails see `input` as the model wrote it. Paths are compared as text, after `.`, `..` and repeated slashes are resolved.
   * Links are not, so for a tool that follows links `changes` must return the path behind the link. Default: absolute paths stay, and
   * the engine treats each as outside of the workspace.
   */
  readonly root?: string | undefined;
  /**
   * What becomes of a changed path outside of the workspace: `refuse` denies the call, and stops the run after a step that did it all the same;
   * `ask` asks a human where a policy lists paths; `allow` matches the path as if it were inside. This is the field of the same name of
   * `callPolicy` and `stepPolicy` where they leave it out. A parsed policy has its own, and with `refuse` such paths are refused
   * before it has a say. Default: `refuse`.
   */
  readonly outside?: Outside | undefined;
  /**
   * How `root` and the path lists of `callPolicy` and `stepPolicy` compare letters: the field of the same name where they leave
   * it out. Say `ascii_insensitive` on macOS and Windows. A parsed policy has its own. Default: `sensitive`.
   */
  readonly path_case?: PathCase | undefined;
  /**
   * Guardrails. Those that wait for `onStart` are asked before a call, those that wait for `onNodeComplete`, `onValidationFail`,
   * `onTimeout` and `onMetricBelow` after a step. Conditions see `tool` and `input`, before a call also `context`, and of one
   * that is over `output` or `error`; selectors see the tool's name as `capabilityId` and its kind.
   */
  readonly guardrails?: readonly RuntimePolicy[] | undefined;
  /**
   * Judges the files that a call is going to change, before the call runs. Before a call nothing has been checked or reviewed:
   * the gate's envelopes say `required_validators: []`, and a policy under `oa06.1` says `review: "optional"`.
   */
  readonly callPolicy?: PolicyDocument | ParsedPolicy | null | undefined;
  /**
   * Judges a finished step; without it the built-in rules do. A step without the result of a check is `unchecked`, and the run
   * stops for a human. To go on, add exit codes with `evidence`, or say `required_validators: []` in this policy.
   */
  readonly stepPolicy?: PolicyDocument | ParsedPolicy | null | undefined;
  /** The run's id in envelopes. Default: `run`. */
  readonly runId?: string | undefined;
  /** What conditions see, before a call, as `context` of the run's context. Default: nothing. */
  context?(runtimeContext: unknown): unknown;
  /**
   * Returns the evidence of a step: `found`, what the gate has found, with exit codes, claims, artifacts and approvals added.
   * Keep the artifacts of `found`: its list of failed calls is one of them. That list is no review of the work; a review of your
   * own has an `artifact_ref` of its own.
   */
  evidence?(found: Evidence, step: Step): Evidence;
  /** What `onMetricBelow` sees beside what the gate counts: `steps`, `calls`, `failed`, `denied` and tokens. */
  metrics?(steps: readonly Step[]): Readonly<Record<string, number>>;
  /**
   * Told each verdict of a call, of `stopWhen` and of `judgeSteps`, for records; not what `prepareStep` found meanwhile. What it throws
   * changes nothing, and a verdict cannot be written to.
   */
  onVerdict?(verdict: CallVerdict | StepVerdict): unknown;
}

/** What is to become of a call that is about to run. */
export interface CallVerdict {
  /** Which of the two kinds of verdict this is. */
  readonly about: "call";
  /** Whether it runs, does not, or waits for a person. */
  readonly action: "allow" | "deny" | "ask";
  /** Who said so: nobody, the list of tools, a guardrail, the policy; or nobody could, for something failed. */
  readonly by: "nobody" | "tools" | "guardrail" | "policy" | "fault";
  /** Why, and what to do instead: for the model, or for the person who is asked. Empty where the call runs. */
  readonly reason: string;
  /** The call. */
  readonly toolCall: ToolCall;
  /** What the guardrails answered, `emit` among them, which is the caller's to do. */
  readonly actions: readonly GuardrailAction[];
  /** What the policy answered, where it was asked. */
  readonly evaluation: Evaluation | null;
  /** What failed, where something did. */
  readonly error?: unknown;
}

/** What is to become of a run after a step. */
export interface StepVerdict {
  /** Which of the two kinds of verdict this is. */
  readonly about: "step";
  /** Whether it goes on, goes on being told what to do otherwise, or stops. */
  readonly action: "continue" | "feedback" | "stop";
  /** Who said so. */
  readonly by: "guardrail" | "policy" | "fault";
  /** Whether it stops because a person has to look at it. */
  readonly asks: boolean;
  /** The status of the decision; null where there is none, for something failed. */
  readonly status: Status | null;
  /** Why; for feedback, what the model is told. Empty where the run goes on. */
  readonly reason: string;
  /** What the guardrails answered, `emit` among them. */
  readonly actions: readonly GuardrailAction[];
  /** The evaluation of the step. */
  readonly evaluation: Evaluation | null;
  /** What failed, where something did. */
  readonly error?: unknown;
}

/** A tool, as far as a guard looks at it. */
export interface GuardedTool {
  /** Runs it. */
  execute?: unknown;
  /** Whether a person is asked before. */
  needsApproval?: unknown;
}

/**
 * A policy gate for an agent's run. All of its functions may be taken off it; it keeps nothing of a run, so one gate serves
 * many at a time. None of them throws or rejects, but for the client, and no failure lets a call run.
 */
export interface Gate {
  /**
   * Judges a call that is about to run.
   *
   * ```js
   * const { action, reason } = await gate.judgeCall({ toolName: "write_file", toolCallId: "1", input: { path: "a.txt" } });
   * ```
   */
  readonly judgeCall: (toolCall: ToolCall, runtimeContext?: unknown) => Promise<CallVerdict>;
  /**
   * Judges the last of a run's steps, in the light of those before it.
   *
   * ```js
   * const { steps } = result;
   * const verdict = await gate.judgeSteps(steps);
   * console.log(verdict.action, verdict.status, verdict.reason);
   * ```
   */
  readonly judgeSteps: (steps: readonly Step[]) => Promise<StepVerdict>;
  /**
   * `toolApproval` of `generateText`, `streamText` and agents (AI SDK 7). What the gate allows, a tool's own `needsApproval` is
   * asked about as well.
   *
   * ```js
   * const { toolApproval } = gate;
   * const { text } = await generateText({ model, tools, toolApproval, prompt });
   * ```
   */
  readonly toolApproval: (request: ToolApprovalRequest) => Promise<ToolApproval>;
  /**
   * A condition for `stopWhen`: true where the run has to stop. It takes the place of the SDK's own limit of steps, so keep one.
   *
   * ```js
   * const { toolApproval, stopWhen } = gate;
   * const { steps } = await generateText({ model, tools, toolApproval, stopWhen: [isStepCount(20), stopWhen], prompt });
   * ```
   */
  readonly stopWhen: (given: { readonly steps: readonly Step[] }) => Promise<boolean>;
  /**
   * `prepareStep`: tells the model what to do otherwise. Where the run should have stopped and did not, it takes the tools away.
   *
   * ```js
   * const { toolApproval, prepareStep, stopWhen } = gate;
   * const { text } = await generateText({ model, tools, toolApproval, prepareStep, stopWhen, prompt });
   * ```
   */
  readonly prepareStep: <Message>(next: NextStep<Message>) => Promise<PreparedStep<Message> | undefined>;
  /**
   * The same tools behind the gate, for SDKs without `toolApproval` (AI SDK 5 and 6): `needsApproval` asks where the gate does,
   * and `execute` refuses with `call_denied`. A result that comes in pieces comes in one.
   *
   * ```js
   * const tools = gate.guard({ write_file: { execute: async ({ path }) => `wrote ${path}` } });
   * ```
   */
  readonly guard: <Tools extends Readonly<Record<string, GuardedTool>>>(tools: Tools) => Tools;
  /**
   * The gate as a policy client. `adjudicate/call` answers `{ decision: "allow" | "deny" | "requires-approval", reason }` for
   * `{ tool: { name }, args, runtimeContext }`, `adjudicate/tools` answers `{ tools }`, the names of those that there are. Any
   * other path is `wrong_usage`, which clients read as no.
   *
   * ```js
   * const { decision } = await gate.client.evaluate("adjudicate/call", { tool: { name: "rm" }, args: {} });
   * ```
   */
  readonly client: PolicyClient;
}
