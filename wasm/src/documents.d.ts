/** The action of a guardrail; `type` says which. None of them changes the plan. */
export type Action = RetryAction | PauseAction | HitlAction | ReplanAction | FailAction | EmitAction;

/** The node runs again. After that many times, a human is asked. */
export interface RetryAction {
    /** The word that tells this form from the others. */
    readonly type: "retry";
    /** The most attempts, for example `2`. */
    readonly maxAttempts: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The run waits. */
export interface PauseAction {
    /** The word that tells this form from the others. */
    readonly type: "pause";
    /** The reason, for humans. */
    readonly reason: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A human is asked. */
export interface HitlAction {
    /** The word that tells this form from the others. */
    readonly type: "hitl";
    /** The reason, for the human. */
    readonly rationale: string;
    /** The action after a yes: an action, or a name that the caller knows. */
    readonly approveAction?: string | Action;
    /** The action after a no: an action, or a name that the caller knows. */
    readonly rejectAction?: string | Action;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The planner makes another plan. */
export interface ReplanAction {
    /** The word that tells this form from the others. */
    readonly type: "replan";
    /** The reason, for the planner. */
    readonly rationale?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The run fails. */
export interface FailAction {
    /** The word that tells this form from the others. */
    readonly type: "fail";
    /** The reason, for humans. */
    readonly message: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** An event is emitted, and the run goes on. */
export interface EmitAction {
    /** The word that tells this form from the others. */
    readonly type: "emit";
    /** The name of the event, for example `run_announced`. */
    readonly event: string;
    /** The payload of the event: any value. */
    readonly payload?: unknown;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The reason why a human is asked instead of the guardrail's own action.
 * - `retries_exhausted`: The retries are used up.
 * - `condition_undecided`: The condition cannot be decided.
 * - `metric_missing`: The metric is missing.
 * - `elapsed_missing`: The elapsed time is missing.
 */
export type ActionReason =
    | "retries_exhausted"
    | "condition_undecided"
    | "metric_missing"
    | "elapsed_missing";

/** The answer of `apply_guardrails`: the guardrails that fire, in their order. */
export interface Actions {
    /** The actions. Those behind a terminal one are listed, too. */
    actions: GuardrailAction[];
    /** The payloads of the event `policy_triggered`, one for each action. */
    payloads: PolicyTriggered[];
}

/** The report of an adapter: how a plan came to its canonical form. */
export interface AdapterReport {
    /** The form of the source. */
    format: PlanFormat;
    /** True if the form was detected by the fields of the source, false if the call named it. */
    detected: boolean;
    /** JSON Pointer to the steps in the source. */
    items: string;
    /** The values that the source does not have, in the order of the plan. */
    inferred: InferredValue[];
    /** The fields of the source that are kept aside. */
    kept: KeptValue[];
}

/** A call of `apply_guardrails`. */
export interface ApplyGuardrailsCall {
    /** The guardrails, in the order of the answer. */
    readonly policies: readonly RuntimePolicy[];
    /** The event. */
    readonly event: GuardrailEvent;
    /** The numbers that the caller has counted and measured before. */
    readonly state?: RunState;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** Approvals required and granted. */
export interface Approvals {
    /** The required approvals. */
    readonly required: readonly string[];
    /** The granted approvals. */
    readonly granted: readonly string[];
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A plan of an Autopilot. Other fields are kept. */
export interface AutopilotPlan {
    /** The findings of the planner before it planned. */
    readonly analysis?: string;
    /** The steps: texts, or the lines of one text. */
    readonly implementation_steps: string | readonly string[];
    /** The way to verify that the steps were done. */
    readonly test_strategy?: string;
    /** The complexity of the plan, for example `medium` or `easy`. */
    readonly estimated_complexity?: string;
    /** The confidence of the planner, from 0 to 1. */
    readonly confidence?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** The results of the same checks on the base revision: the state before the change. */
export interface Baseline {
    /** The tree of the base revision. */
    readonly tree?: Tree;
    /** The exit code of each validator, by its id. */
    readonly exit_codes: Readonly<Record<string, number>>;
    /**
     * The validators that reached their time limit.
     * @defaultValue `[]`
     */
    readonly timeouts?: readonly string[];
    /**
     * The cases that are listed.
     * @defaultValue `[]`
     */
    readonly cases?: readonly Case[];
    /** The counts. */
    readonly summary?: HarnessSummary;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The shares of the budgets that a turn sets aside. A share above its budget does not do the duty. */
export interface BudgetAllocation {
    /** The number of iterations. */
    readonly max_iterations?: number;
    /** The number of subagent calls. */
    readonly max_subagent_calls?: number;
    /** The time in milliseconds. */
    readonly max_wall_time_ms?: number;
    /** The time in minutes, or with a unit, for example `2.5 min` or `90 seconds`. */
    readonly estimated_wall_time?: number | string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The used part of each budget. */
export interface BudgetConsumed {
    /** Iterations since the last answer. */
    iterations: SpentBudget;
    /** Subagent calls of the whole session. */
    subagent_calls: SpentBudget;
    /** Milliseconds of the whole session. */
    wall_time: SpentBudget;
}

/** The rest of each budget. */
export interface BudgetsLeft {
    /** The number of iterations. */
    iterations: number;
    /** The number of subagent calls. */
    subagent_calls: number;
    /** The time in milliseconds. */
    wall_time_ms: number;
    /** The rest of the phase after a switch, until an answer lifts its cap. */
    phase?: PhaseLeft;
}

/** The answer of `merge_diagnostics`: merged diagnostics, their status and their score. */
export interface Bundle {
    /** The status, which follows from the findings. */
    status: BundleStatus;
    /** The satisfaction score, for example `0.75`. */
    satisfactionScore: number;
    /** The hard findings, merged. */
    failures: PlanDiagnostic[];
    /** The soft findings, merged. */
    warnings: PlanDiagnostic[];
    /** The informational findings, merged. */
    infos: PlanDiagnostic[];
}

/**
 * The status of a plan or an output. The order is that of severity.
 * - `accepted`: There are no findings.
 * - `accepted_with_findings`: A soft or informational constraint is not satisfied, or there is advice.
 * - `rejected`: A hard constraint is not satisfied, or nothing shows whether it is.
 */
export type BundleStatus =
    | "accepted"
    | "accepted_with_findings"
    | "rejected";

/** The abilities of an agent or a tool. */
export interface Capability {
    /** The id, for example `PublishAgent.post`. No other capability of the list has it. */
    readonly capabilityId: string;
    /** The version, for example `1.2.0`. */
    readonly version?: string;
    /** The kind of its nodes, for example `validation`. */
    readonly kind?: string;
    /** The status. Nodes can use a capability without a status, or with the status `active`. */
    readonly status?: string;
    /**
     * The facets that its nodes take.
     * @defaultValue `[]`
     */
    readonly inputFacets?: readonly string[];
    /**
     * The facets that its nodes give.
     * @defaultValue `[]`
     */
    readonly outputFacets?: readonly string[];
    /** The contract of its input. */
    readonly inputContract?: OutputContract;
    /** The contract of its output. */
    readonly outputContract?: OutputContract;
    /**
     * The conditions that hold after its nodes.
     * @defaultValue `[]`
     */
    readonly postConditions?: readonly PostCondition[];
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** An event that says nothing about the plan. */
export interface CarriedEvent {
    /** The claimed delta, an integer: how many fewer tests fail. */
    readonly verification_delta?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** One case of a harness report. */
export interface Case {
    /** The id of the case. */
    readonly id: string;
    /** The kind of the case. */
    readonly kind?: string;
    /** The result. */
    readonly status: CaseStatus;
    /** The validator that ran it. */
    readonly validator?: string;
    /** A command that reproduces the result. A blank one counts as absent. */
    readonly repro?: string;
    /** Observations. The engine does not read them. */
    readonly observations?: string | readonly string[];
    /**
     * Artifacts of the case.
     * @defaultValue `[]`
     */
    readonly artifacts?: readonly string[];
    /** The file that has the case, for example `tests/test_login.py`. */
    readonly file?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The result of one case. */
export interface ReportCase {
    /** The names of suite, class and case, joined by `/`, as far as the format has them. */
    id: string;
    /** The status. Of several results with one id, the worst counts: failed, then flaky, passed, skipped. */
    status: CaseStatus;
    /** The first line of the failure, or the reason of a skipped case. */
    message?: string;
    /** The file that has the case, as the report names it. A failure can be at a place in another file. */
    file?: string;
    /** The place of the case or of its failure. */
    location?: ReportLocation;
    /** The duration in milliseconds; the sum of all results with this id. */
    duration_ms?: number;
}

/**
 * The result of a case.
 * - `passed`: The case passed.
 * - `failed`: The case failed.
 * - `skipped`: The case did not run.
 * - `flaky`: The case passed in some runs and failed in others. It counts as neither.
 */
export type CaseStatus =
    | "passed"
    | "failed"
    | "skipped"
    | "flaky";

/**
 * The change of a file.
 * - `added`: The file is new.
 * - `modified`: The file has other content.
 * - `deleted`: The file is deleted.
 * - `renamed`: The file has another path.
 */
export type Change =
    | "added"
    | "modified"
    | "deleted"
    | "renamed";

/** The answer of `check_policy`. */
export interface CheckAnswer {
    /** The findings, in the order of their paths. */
    findings: CheckFinding[];
}

/**
 * A call of `check_policy`. It has at least one of `policy`, `outputContract` and `policies`, unless a policy is
 * configured.
 */
export type CheckPolicyCall = {
    /** The policy to check. */
    readonly policy?: PolicyDocument;
    /** An output contract to check. */
    readonly outputContract?: OutputContract;
    /** Guardrails to check. */
    readonly policies?: readonly RuntimePolicy[];
    /** The URL of a JSON Schema, for editors. It is ignored. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
} & (
    | { readonly policy: PolicyDocument }
    | { readonly outputContract: OutputContract }
    | { readonly policies: readonly RuntimePolicy[] }
);

/**
 * A claim of an agent about its own work.
 * - `implemented`: The agent added something.
 * - `fixed`: The agent fixed something.
 * - `tests_passed`: The tests passed.
 * - `error_reported`: The agent reports an error.
 * - `no_change_needed`: There was nothing to change.
 */
export type Claim =
    | "implemented"
    | "fixed"
    | "tests_passed"
    | "error_reported"
    | "no_change_needed";

/**
 * The complexity of a plan.
 * - `low`: Little.
 * - `medium`: Some.
 * - `high`: Much.
 * - `very_high`: Very much.
 */
export type Complexity =
    | "low"
    | "medium"
    | "high"
    | "very_high";

/**
 * A condition in JSONLogic: an object whose only field is an operator, or true or false. For example `{">": [{"var":
 * "facts.diff.count"}, 40]}`.
 */
export type Condition = Expression | boolean;

/** The finding of a rule that fires. */
export interface Consequence {
    /** The status that the rule calls for: any but `success`. */
    readonly status: Exclude<Status, "success">;
    /** The risk flag that the rule raises. */
    readonly flag?: string;
    /** The blocker that the rule raises, if it calls for `blocked` or worse. */
    readonly blocker?: RuleBlocker;
    /** The summary of the finding, in one line. */
    readonly summary: string;
    /** The act that resolves the finding; without it, the `action` of `fix`, or one that follows from the status. */
    readonly resolution?: RuleResolution;
    /** The edit for the fix instructions, if the rule calls for `partial`. */
    readonly fix?: RuleFix;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A constraint of a contract. */
export interface Constraint {
    /** Its id, for example `min_qa`. No other constraint of the task has it. The default is made from the expression. */
    readonly constraintId?: string;
    /** The condition, for example `{">=": [{"var": "qaFindings.overallScore"}, 0.8]}`. */
    readonly expr: ConstraintExpression;
    /** The level. */
    readonly level: ConstraintLevel;
    /** The reason for the constraint, for humans. */
    readonly rationale?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A condition over the result: an object in JSONLogic. */
export type ConstraintExpression = Exclude<Condition, boolean>;

/**
 * The level of a constraint and of a diagnostic. The hardest comes first.
 * - `hard`: The constraint must hold: a plan that does not satisfy it is rejected.
 * - `soft`: The constraint should hold: the score is lower without it.
 * - `informational`: The constraint has no effect on the status or the score.
 */
export type ConstraintLevel =
    | "hard"
    | "soft"
    | "informational";

/** The score of a constraint in a payload. */
export interface ConstraintScore {
    /** The id of the constraint. */
    constraintId: string;
    /** The level of the constraint. */
    severity: ConstraintLevel;
    /** The score, 1 or 0; null if the constraint is informational. */
    score: Nullable<number>;
}

/** A number for each budget: the iterations, the subagent calls and the milliseconds that a turn used. */
export interface Consumption {
    /**
     * The number of iterations, 1 by default.
     * @defaultValue `1`
     */
    readonly iterations?: number;
    /**
     * The number of subagent calls, 0 by default.
     * @defaultValue `0`
     */
    readonly subagent_calls?: number;
    /**
     * The time in milliseconds, 0 by default. Part of a millisecond counts as a whole one.
     * @defaultValue `0`
     */
    readonly wall_time_ms?: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The decision of an agent at the end of a turn.
 * - `continue`: Plan one more turn.
 * - `switch`: Take another strategy.
 * - `escalate`: Ask a human.
 * - `commit`: Hand over the recommendation.
 */
export type ContinueDecision =
    | "continue"
    | "switch"
    | "escalate"
    | "commit";

/** The coverage of a run, in total and per file. */
export interface ReportCoverage {
    /** The lines of all files. */
    lines: CoverageCount;
    /** The branches of all files. */
    branches: CoverageCount;
    /** The functions of all files. */
    functions: CoverageCount;
    /** The files, in the order of their paths. */
    files: FileCoverage[];
    /** The reason why the report cannot be complete, for example because the last record did not end. */
    incomplete?: string;
}

/** A number of lines, branches or functions, as JSON. */
export interface CoverageCount {
    /** All. */
    found: number;
    /** Those that the run reached. */
    hit: number;
    /** The share that the run reached, in percent: at most two decimals, rounded down. Absent if there is nothing to reach. */
    percent?: number;
}

/** The answer to a ledger: what the agent is to do, and why. */
export interface Deliberation {
    /** The gate: what the agent is to do. */
    gate: PlanningGate;
    /** The reasons of the gate, and warnings, which did not decide it. */
    reasons: PlanningReason[];
    /** The signs of stagnation, each once, in their order. */
    triggers: StagnationTrigger[];
    /** The duties that are due and open, each once, in their order. */
    duties: PlanningDuty[];
    /** The rest of each budget. The bonus of a switch that is called for here is not in it. */
    budgets_left: BudgetsLeft;
    /** The switch of strategy that the gate `switch` calls for. */
    switch?: SwitchDeclaration;
    /** The report to the one who takes over, if there is a reason to stop. */
    stop_report?: StopReport;
    /** The verdicts on the question of the ledger, if it has one. */
    question_verdict?: QuestionVerdict;
}

/**
 * The cause of a diagnostic, in the order of the source.
 * - `missing_producer`: No node produces what is needed.
 * - `missing_enforcer`: No node enforces the constraint.
 * - `schema_incompatible`: Parts of the plan, its schemas or its policies contradict each other.
 * - `unsatisfied_soft`: A soft constraint is not satisfied.
 * - `advisory`: Advice for the planner.
 */
export type DiagnosticCause =
    | "missing_producer"
    | "missing_enforcer"
    | "schema_incompatible"
    | "unsatisfied_soft"
    | "advisory";

/**
 * The result of a validator. The worst comes first.
 * - `unsatisfied`: The requirement does not hold.
 * - `unknown`: No evidence shows whether the requirement holds.
 * - `satisfied`: The requirement holds.
 */
export type DiagnosticStatus =
    | "unsatisfied"
    | "unknown"
    | "satisfied";

/** A typed diff. */
export interface Diff {
    /** The files that changed. */
    readonly files: readonly DiffFile[];
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** One changed file, or a directory of which only the name is known. A rename has the name it had in `from`. */
export type DiffFile = {
    /** The path, for example `src/lib.rs`. */
    readonly path: string;
    /** The change. */
    readonly change: Change;
    /** The earlier path, which a rename needs. It counts as a changed path. */
    readonly from?: string;
    /**
     * The kind of the path: a directory stands for files that are not listed. A path that ends in `/`, and the root, is always
     * a directory.
     */
    readonly kind?: FileKind;
    /** The number of added lines. */
    readonly insertions?: number;
    /** The number of deleted lines. */
    readonly deletions?: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
} & (
    | { readonly change: "renamed"; readonly from: string }
    | { readonly change: Exclude<Change, "renamed">; readonly from?: string }
);

/** A change that a review asks for. */
export interface Edit {
    /** The place to change, for example `src/lib.rs`. */
    readonly target: string;
    /** The change. */
    readonly action: string;
    /** The reason for the change. */
    readonly rationale: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The engine that a module is built on. */
export interface EngineLabel {
    /** The engine's name. */
    readonly name: string;
    /** The engine's version. */
    readonly version: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** Summary of an earlier step, with either `status` or `outcome`. EVALUATE entries have a `status`. */
export type Entry = {
    /** The step, for example `implement`. */
    readonly step_id: string;
    /** The opcode of the step. */
    readonly opcode: Opcode;
    /** The decision of an EVALUATE step. */
    readonly status?: Status;
    /** The end of the process of another step: completed, failed, or killed. */
    readonly outcome?: Outcome;
    /** The diff after the step, as git prints it. */
    readonly diff_summary: string;
    /** The flags that were raised. */
    readonly risk_flags: readonly string[];
    /** The codes of the blockers. */
    readonly blocker_codes: readonly string[];
    /** The blockers with the items at fault, if the program keeps them: more exact than `blocker_codes`. */
    readonly blockers?: readonly EntryBlocker[];
    /** The number of failed checks, if the program keeps it. */
    readonly failures?: number;
    /** True if the evidence of an EVALUATE step held a review, if the program keeps it. */
    readonly reviewed?: boolean;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
} & (
    | { readonly status: Status; readonly outcome?: never }
    | { readonly status?: never; readonly outcome: Outcome }
) & (
    | { readonly opcode: "EVALUATE"; readonly status: Status }
    | { readonly opcode: Exclude<Opcode, "EVALUATE">; readonly status?: Status }
);

/** One blocker of an earlier step. */
export interface EntryBlocker {
    /** The blocker's code. */
    readonly code: string;
    /** The id, path, event or approval at fault. */
    readonly item: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The input of an EVALUATE step. */
export interface Envelope {
    /** The current run, for example `run-42`. */
    readonly run_id: string;
    /** The workflow that the run follows, for example `release`. */
    readonly workflow_id: string;
    /** The EVALUATE step itself, for example `evaluate`. */
    readonly step_id: string;
    /** The prompt of the step, `id.vN`, for example `release-evaluator.v3`. */
    readonly evaluate_prompt: PromptReference;
    /** The steps that may come next, in the workflow's order of preference, for example `publish`. */
    readonly allowed_next_steps: readonly string[];
    /** Summaries of the latest steps, oldest first. */
    readonly provenance_window: readonly Entry[];
    /** The evidence of the current step. */
    readonly evidence: Evidence;
    /** Earlier EVALUATE results, oldest first. If present, also if empty, they replace the window for all counting. */
    readonly evaluate_history?: readonly Entry[];
    /**
     * The numbers of refinements that were allowed and spent. Without it, none is spent; under the profile `oa06.1` the
     * history is counted.
     */
    readonly refinement?: Refinement;
    /**
     * The opcodes and roles of the allowed next steps, by step id. Entries of other steps are ignored.
     * @defaultValue `{}`
     */
    readonly steps?: Readonly<Record<string, StepInfo>>;
    /** For editors: the JSON Schema of the document. It is ignored, whatever it is. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** An error, with the next errors of the same document. */
export interface ErrorObject {
    /** The stable code, for example `missing_field`. */
    code: ErrorCode;
    /** The reason, for humans. */
    message: string;
    /** JSON Pointer into the document at fault. */
    path: string;
    /** The next errors, in document order. */
    others?: WitnessError[];
}

/** The reply to a call that has no answer. */
export interface ErrorReply {
    /** The first error. */
    error: ErrorObject;
}

/** A call of `evaluate`. */
export interface EvaluateCall {
    /** The evidence of the step. */
    readonly envelope: Envelope;
    /** The active policy, or null for none. */
    readonly policy?: Nullable<PolicyDocument>;
    /** The URL of a JSON Schema, for editors. It is ignored. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The evidence of the step that is evaluated. */
export interface Evidence {
    /** The statements of the agent or the validators: lines such as `intent: fix`, or JSON. Prose is no claim. */
    readonly transcript_summary: string;
    /** The diff, as git prints it: `git status`, `git diff` and most of their formats. An empty text says that nothing changed. */
    readonly workspace_diff_summary: string;
    /** The results of the validators. */
    readonly validation: Validation;
    /** The parsed report of a test harness. */
    readonly harness_report?: Nullable<HarnessReport>;
    /** The artifacts that there are, for example `test.log`. */
    readonly artifacts: readonly string[];
    /** Signals of the kernel, `class` or `class:detail`, for example `warning:budget`. */
    readonly policy_events: readonly string[];
    /** The purpose of the step. It replaces the intent in the transcript. */
    readonly step_intent?: Intent;
    /** The claims of the agent. They replace the claims in the transcript. An empty list says that nothing is claimed. */
    readonly claims?: readonly Claim[];
    /**
     * Paths or globs that must be among the artifacts. A path is met by a file of that very path, a glob by a file that it
     * matches. Files below a match count only where the entry ends in `/` or has a segment `**`.
     * @defaultValue `[]`
     */
    readonly required_artifacts?: readonly Pattern[];
    /** Validators that must have a result. An empty list says that no check is required. */
    readonly required_validators?: readonly string[];
    /** The diff as a list of files. It replaces the summary. */
    readonly diff?: Diff;
    /** The result of a review. */
    readonly review?: Review;
    /** Approvals required and granted. */
    readonly approvals?: Approvals;
    /**
     * Evidence that could not be collected. Each distinct `what` calls for a human.
     * @defaultValue `[]`
     */
    readonly uncollected?: readonly Uncollected[];
    /** The tree that is judged. A result of another tree is stale, and no result. */
    readonly tree?: Tree;
    /** The results of the same checks on the base revision. */
    readonly baseline?: Baseline;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A call of `explain`. */
export interface ExplainCall {
    /** The evidence of the step. */
    readonly envelope: Envelope;
    /** The active policy, or null for none. */
    readonly policy?: Nullable<PolicyDocument>;
    /**
     * True if the answer lists every rule.
     * @defaultValue `false`
     */
    readonly trace?: boolean;
    /** The URL of a JSON Schema, for editors. It is ignored. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A step of an exploration plan: a tool or an agent, and its action. */
export type ExplorationStep = {
    /** The tool, for example `grep`. */
    readonly tool?: string;
    /** The agent, instead of a tool. */
    readonly agent?: string;
    /** The action of the tool or the agent, for example `find all callers of login`. */
    readonly action: string;
    /** The result that the step should have. */
    readonly expects?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
} & (
    | { readonly tool: string; readonly agent?: never }
    | { readonly tool?: never; readonly agent: string }
);

/** The operators of strict JSONLogic. */
export type OperatorName =
    | "var"
    | "missing"
    | "missing_some"
    | "if"
    | "?:"
    | "and"
    | "or"
    | "!"
    | "!!"
    | "=="
    | "==="
    | "!="
    | "!=="
    | "<"
    | "<="
    | ">"
    | ">="
    | "between"
    | "+"
    | "-"
    | "*"
    | "/"
    | "%"
    | "max"
    | "min"
    | "map"
    | "filter"
    | "reduce"
    | "all"
    | "none"
    | "some"
    | "merge"
    | "in"
    | "cat"
    | "substr"
    | "log"
    | "length"
    | "starts_with"
    | "ends_with"
    | "glob"
    | "regex";

/**
 * An operation in strict JSONLogic: an object whose only field is an operator, with its operands. Fields whose names begin
 * with `x-` are ignored.
 */
export type Expression = {
    [Name in OperatorName]: { readonly [Operator in Name]: unknown } & { readonly [extension: `x-${string}`]: unknown };
}[OperatorName];

/**
 * Evidence that no command of a repository shows, for one collection. Fields whose names begin with `x-` become fields of
 * the envelope, where declared inputs and conditions of policies read them.
 */
export interface ExternalEvidence {
    /** Approvals required and granted, for example by the reviewers of a pull request. */
    readonly approvals?: Approvals;
    /**
     * Signals of the program that runs the agent, `class` or `class:detail`, for example `warning:budget`.
     * @defaultValue `[]`
     */
    readonly policy_events?: readonly string[];
    /** Fields whose names begin with `x-`, for the `evidence` of the envelope. */
    readonly evidence?: ExternalFields;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** Fields whose names begin with `x-`, for the `evidence` of an envelope. */
export interface ExternalFields {
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A facet: a part of inputs and outputs. */
export interface Facet {
    /** The name, for example `copyVariants`. No other facet of the list has it. */
    readonly name: string;
    /** A JSON Schema of the value. */
    readonly schema: JsonSchema;
    /** The direction. */
    readonly direction: FacetDirection;
    /** The field that holds the facet. The default is its name. */
    readonly propertyKey?: string;
    /**
     * True if a node that takes the facet needs it. The default is true.
     * @defaultValue `true`
     */
    readonly requiredByDefault?: boolean;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The direction of a facet.
 * - `input`: Nodes take it.
 * - `output`: Nodes give it.
 * - `bidirectional`: Nodes take it and give it.
 */
export type FacetDirection =
    | "input"
    | "output"
    | "bidirectional";

/** The numbers of tests that failed before and after the plan was carried out. */
export interface FailingTests {
    /** The number of failing tests before. */
    readonly failing_before: number;
    /** The number of failing tests after. */
    readonly failing_after: number;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The coverage of one file. */
export interface FileCoverage {
    /** The path of the file, as the report has it. */
    path: string;
    /** The lines. */
    lines: CoverageCount;
    /** The branches. */
    branches: CoverageCount;
    /** The functions. */
    functions: CoverageCount;
}

/**
 * The kind of a changed path.
 * - `file`: A file.
 * - `directory`: A directory whose files are not listed.
 */
export type FileKind =
    | "file"
    | "directory";

/** An edge of a graph, from a step to one that comes after it. Other fields are kept. */
export interface GraphEdge {
    /** The id of the earlier step. */
    readonly from: string;
    /** The id of the later step. */
    readonly to: string;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A graph of steps. Other fields are kept. */
export interface GraphOfSteps {
    /** The steps. */
    readonly nodes: readonly GraphStep[];
    /** The order of the steps. */
    readonly edges: readonly GraphEdge[];
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A step of a graph. Other fields are kept. */
export interface GraphStep {
    /** The id of the step. */
    readonly nodeId?: string;
    /** The capability that does the step. */
    readonly capabilityId?: string;
    /** The kind of the step. A step of the kind `validation` verifies. */
    readonly kind?: string;
    /** The name of the step. */
    readonly label?: string;
    /** The reason for the step. */
    readonly rationale?: string;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** The action of a guardrail that fires. */
export interface GuardrailAction {
    /** The id of the guardrail. */
    policyId: string;
    /** The action. */
    action: Action;
    /** True if the run stops for it. */
    terminal: boolean;
    /** The reason why a human is asked instead of the guardrail's own action. */
    reason?: ActionReason;
}

/** An event of a run. */
export interface GuardrailEvent {
    /** The kind of the event. */
    readonly kind: TriggerKind;
    /** The node at which it happened. */
    readonly node?: NodeSelector;
    /** The output, which conditions are about: any value. */
    readonly output?: unknown;
    /** The time since the start, in milliseconds, for example `1500`. */
    readonly elapsedMs?: number;
    /** The metrics by name, for example `{"coverage": 0.8}`. They replace those of the state. */
    readonly metrics?: Readonly<Record<string, number>>;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The report of a test harness. Every field is optional. */
export interface HarnessReport {
    /** The id of the suite. */
    readonly suite_id?: string;
    /** The version of the suite. */
    readonly version?: string;
    /** The time of the report. The engine does not read it. */
    readonly generated_at?: string;
    /**
     * The cases that are listed.
     * @defaultValue `[]`
     */
    readonly cases?: readonly Case[];
    /** The counts. Without them only the listed cases count. */
    readonly summary?: HarnessSummary;
    /**
     * Remarks on the user's experience: facts for policies, with no status of their own.
     * @defaultValue `[]`
     */
    readonly ux_flags?: readonly UxFlag[];
    /**
     * Goldens that the harness proposes to replace. Any of them calls for a human.
     * @defaultValue `[]`
     */
    readonly proposed_goldens?: readonly string[];
    /** The tree on which the harness ran. */
    readonly tree?: Tree;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The counts of a harness report. */
export interface HarnessSummary {
    /** The number of cases that passed. */
    readonly passed: number;
    /** The number of cases that failed. */
    readonly failed: number;
    /** The number of flaky cases. */
    readonly flaky?: number;
    /** The duration of the suite in milliseconds, also with a fraction. The engine does not read it. */
    readonly duration_ms?: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The mode of a plan's hash.
 * - `canonical`: The confidence is the number that it is read as.
 * - `serde_f32_compat`: The confidence was kept as a 32-bit float and widened to write it, as an older program did.
 */
export type HashMode =
    | "canonical"
    | "serde_f32_compat";

/**
 * The reason for a value that the source does not have there.
 * - `default`: The source has no value.
 * - `derived`: The value is from a field that is something else first.
 * - `alias`: The source has another word for the value.
 * - `invalid_id`: The source has text that is no step id.
 * - `repeated_id`: An earlier step has the id.
 */
export type InferenceReason =
    | "default"
    | "derived"
    | "alias"
    | "invalid_id"
    | "repeated_id";

/** A value that the source does not have in that place, or has in other words. */
export interface InferredValue {
    /** JSON Pointer into the plan. */
    path: string;
    /** The value. */
    value: unknown;
    /** The reason for the value. */
    reason: InferenceReason;
    /** JSON Pointer into the source, to the origin of the value. It is absent if the origin is inside of a JSON text. */
    source?: string;
    /** The text of the origin. */
    given?: string;
}

/**
 * The purpose of a step.
 * - `implement`: The step adds something.
 * - `fix`: The step fixes something.
 * - `review`: The step reviews.
 * - `investigate`: The step investigates.
 * - `document`: The step documents.
 * - `other`: Another purpose.
 */
export type Intent =
    | "implement"
    | "fix"
    | "review"
    | "investigate"
    | "document"
    | "other";

/** A JSON Schema of draft-07 or 2020-12. */
export type JsonSchema = object | boolean;

/** A field of the source that is kept aside. */
export interface KeptValue {
    /** JSON Pointer into the plan. */
    path: string;
    /** JSON Pointer into the source. */
    source: string;
}

/**
 * The treatment of failures that the baseline has, too.
 * - `refuse`: They are failures like any other.
 * - `accept`: They are listed, and are no failures.
 */
export type KnownFailures =
    | "refuse"
    | "accept";

/** The work of a planning agent so far, and its limits. */
export interface Ledger {
    /**
     * The goal of the planning, for example `move sessions to Redis`. Together with `constraints` and `initial_evidence` it is
     * the triad, which is due by the end of turn 2. Blank text is no goal.
     */
    readonly goal?: string;
    /**
     * The constraints of the solution, for example `no downtime`.
     * @defaultValue `[]`
     */
    readonly constraints?: readonly string[];
    /**
     * Ids of the evidence that exists before the first turn.
     * @defaultValue `[]`
     */
    readonly initial_evidence?: readonly string[];
    /** The budgets of the whole session. */
    readonly budgets?: PlanningBudgets;
    /** Replacements of single budgets. */
    readonly overrides?: PlanningOverrides;
    /**
     * The turns, in order.
     * @defaultValue `[]`
     */
    readonly turns?: readonly PlanningTurn[];
    /** The switch of strategy, as a list of at most one entry. */
    readonly strategy_switches?: readonly StrategySwitch[];
    /**
     * The answers to questions, each with the turn in `after_turn`. The latest counts.
     * @defaultValue `[]`
     */
    readonly answers?: readonly QuestionAnswer[];
    /** The results of deterministic checks. */
    readonly checks?: PlanningChecks;
    /** The risk of going on. */
    readonly risk?: PlanningRisk;
    /** The question that the agent would ask a human. */
    readonly question?: PlanningQuestion;
    /** The recommendation of the agent. */
    readonly recommendation?: Recommendation;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A post-condition that is not an expression alone. */
export interface LevelledPostCondition {
    /** Its id, for example `reviewed`. No other post-condition of the capability has it. */
    readonly constraintId?: string;
    /** The condition, for example `{"var": "reviewed"}`. */
    readonly expr: ConstraintExpression;
    /**
     * The level.
     * @defaultValue `"hard"`
     */
    readonly level?: ConstraintLevel;
    /** The reason for the post-condition, for humans. */
    readonly rationale?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A place in a source file, as the report names it. */
export interface ReportLocation {
    /** The path of the file. */
    file: string;
    /** The line. The first line of a file is 1. */
    line?: number;
}

/** The manifest of a module (docs/reference/modules.md). */
export interface ModuleManifest {
    /** The major version of the interface. */
    readonly abi: 1;
    /** The module's name, for humans. Two modules may have the same name. */
    readonly name: string;
    /** The module's version. */
    readonly version: string;
    /** The purpose of the module. */
    readonly description?: string;
    /** The module's license. */
    readonly license?: string;
    /** The operations of the module: at least one, each once. */
    readonly operations: OperationList;
    /** The engine that the module contains, if any. */
    readonly engine?: EngineLabel;
    /** The policy that is embedded in the module, if any. */
    readonly policy?: PolicyLabel;
    /** The needs of the module. */
    readonly limits?: ModuleNeeds;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A call of `merge_diagnostics`. */
export interface MergeDiagnosticsCall {
    /** The diagnostics, in any order. */
    readonly diagnostics: readonly PlanDiagnostic[];
    /** The weights of constraints in the score. */
    readonly weights?: Weights;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The needs of a module. A host with lower limits does not load it. */
export interface ModuleNeeds {
    /** Fuel for one call. */
    readonly fuel?: number;
    /** Bytes of linear memory. */
    readonly memory_bytes?: number;
    /** Bytes of input. */
    readonly input_bytes?: number;
    /** Bytes of a reply. */
    readonly output_bytes?: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The properties of a node, or those that a node must have. An absent field stands for any value. */
export interface NodeSelector {
    /** The id of the node in the plan, for example `publish-1`. */
    readonly nodeId?: string;
    /** The kind of the node, for example `validation`. */
    readonly kind?: string;
    /** The id of its capability, for example `PublishAgent.post`. */
    readonly capabilityId?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A call of `normalize_plan`. */
export interface NormalizePlanCall {
    /** The form of the plan. Without it, the fields of the plan tell. */
    readonly format?: PlanFormat;
    /** The plan, in any form that is known. */
    readonly plan: PlannerOutput;
    /**
     * The mode of the hash, `canonical` by default.
     * @defaultValue `"canonical"`
     */
    readonly hash_mode?: HashMode;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The answer of `normalize_plan`. */
export interface NormalizedPlan {
    /**
     * The plan in its canonical form. Fields of the source that have no place there are in `x-source`, at the plan or at the
     * step.
     */
    plan: PlanIr;
    /** `sha256:` and the hash of the plan, without the fields that are kept aside. */
    plan_hash: string;
    /** The report of the adapter. */
    adapter: AdapterReport;
    /** The event that begins a log of the plan. */
    plan_start: PlanStartEvent;
    /** Counts about the plan. */
    quality: PlanQuality;
}

/** The result of a novelty check. */
export interface NoveltyCheck {
    /** True or `yes` if the turns so far brought new information, else false or `no`. */
    readonly new_information?: boolean | "yes" | "no";
    /** The reduction of the uncertainty, as a number or a percentage like `40%`. */
    readonly uncertainty_reduction?: number | string;
    /** The confidence, from 0 to 1. */
    readonly confidence_level?: number;
    /** The decision of the agent at the end of the turn. It may stand in the turn instead. */
    readonly continue_decision?: ContinueDecision;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The answer of `observe_output`: the diagnostics of an output, their status and their score. */
export interface Observation {
    /** The status, which follows from the findings. */
    status: BundleStatus;
    /** The satisfaction score, for example `0.75`. */
    satisfactionScore: number;
    /** The hard findings, merged. */
    failures: PlanDiagnostic[];
    /** The soft findings, merged. */
    warnings: PlanDiagnostic[];
    /** The informational findings, merged. */
    infos: PlanDiagnostic[];
    /** The same as the satisfaction score. */
    observedSatisfaction: number;
}

/** A call of `observe_output`. */
export interface ObserveOutputCall {
    /** The contract of the output. */
    readonly outputContract: OutputContract;
    /** The output: any value. */
    readonly output: unknown;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The effect of a rule's condition that is unknown.
 * - `escalate`: A human is asked, because the evidence for the condition is missing.
 * - `fire`: The rule fires as if the condition held.
 * - `ignore`: The rule finds nothing.
 */
export type OnUnknown =
    | "escalate"
    | "fire"
    | "ignore";

/**
 * The six opcodes of a workflow step.
 * - `RUN_AGENT`: An agent works.
 * - `RUN_VALIDATION`: Validators run.
 * - `EVALUATE`: The evaluator decides.
 * - `GATE`: A human decides.
 * - `ROLLBACK`: The workspace rolls back to an earlier state.
 * - `STOP`: The run ends.
 */
export type Opcode =
    | "RUN_AGENT"
    | "RUN_VALIDATION"
    | "EVALUATE"
    | "GATE"
    | "ROLLBACK"
    | "STOP";

/** The operations of a module: at least one, each once. */
export type OperationList = readonly OperationName[];

/**
 * The end of a step's process, whatever its checks found.
 * - `completed`: It ran to its end.
 * - `error`: It failed.
 * - `killed_timeout`: It was killed at its time limit.
 * - `killed_idle`: It was killed for doing nothing.
 * - `killed_policy`: It was killed for breaking a policy.
 */
export type Outcome =
    | "completed"
    | "error"
    | "killed_timeout"
    | "killed_idle"
    | "killed_policy";

/** An output contract: the results that are accepted. */
export interface OutputContract {
    /** A JSON Schema of the result. */
    readonly schema: JsonSchema;
    /** Hints for planners. */
    readonly hints?: OutputHints;
    /**
     * The constraints on the result beyond its schema.
     * @defaultValue `[]`
     */
    readonly constraints?: readonly Constraint[];
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** Hints for planners: any fields. The engine reads one of them. */
export interface OutputHints {
    /** The place of the list of variants in the result, a JSON Pointer such as `/copyVariants`. */
    readonly variantPath?: string;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/**
 * The treatment of changed paths that lie outside of the workspace: absolute paths, for example, or `../x`.
 * - `ask`: If the policy lists paths, a human decides (`unknown_evidence`). No pattern is matched against these paths.
 * - `refuse`: Each of these paths is a violation, whether the policy lists paths or not.
 * - `allow`: The paths are matched in normal form, as if they were inside: `/deploy/x` as `deploy/x`.
 */
export type Outside =
    | "ask"
    | "refuse"
    | "allow";

/** The thresholds of a policy. */
export interface Parameters {
    /** A human decides after this number of `partial` results in a row; at least 1. */
    readonly partial_threshold?: number;
    /** A human decides when the same blocker comes this often; at least 2. */
    readonly blocker_repeat?: number;
    /** The number of refinements that are allowed. */
    readonly refinement_cap?: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The comparison of letters in a list of paths.
 * - `sensitive`: `A` and `a` differ.
 * - `ascii_insensitive`: `A` and `a` are the same, and so on to `Z`; letters beyond ASCII differ.
 */
export type PathCase =
    | "sensitive"
    | "ascii_insensitive";

/**
 * A path or a glob, for example `src/**\/*.rs`. `*` and `?` match within a segment, `**` matches any number of segments,
 * and `{a,b}` lists alternatives. An entry that ends in `/` matches everything in the directory. Braces must pair.
 */
export type Pattern = string;

/** The budget of a strategy after a switch. */
export interface PhaseBudget {
    /** The number of iterations. */
    max_iterations: number;
    /** The number of subagent calls. */
    max_subagent_calls: number;
}

/** The budget of the phase after a switch of strategy, or the rest of it. */
export interface PhaseLeft {
    /** The number of iterations. */
    iterations: number;
    /** The number of subagent calls. */
    subagent_calls: number;
}

/** The answer of `validate_plan`: an event and its payload. */
export type PlanAnswer = PlanGenerated | PlanRejected | PlanUpdated;

/** The plan is accepted. */
export interface PlanGenerated {
    /** The word that tells this form from the others. */
    event: "plan_generated";
    /** The findings and the nodes. */
    payload: PlanGeneratedPayload;
}

/** The plan is rejected. */
export interface PlanRejected {
    /** The word that tells this form from the others. */
    event: "plan_rejected";
    /** The findings. */
    payload: PlanRejectedPayload;
}

/** The plan is accepted, and the call has an earlier answer. */
export interface PlanUpdated {
    /** The word that tells this form from the others. */
    event: "plan_updated";
    /** The findings, the nodes, and the changes since the earlier answer. */
    payload: PlanUpdatedPayload;
}

/**
 * Everything else that is known of a finding. Findings of the engine have a `code`; other producers choose their own.
 * Beyond 100,000 findings, the code `diagnostics_omitted` has in `count` how many are left out.
 */
export type PlanDetails = {
    readonly code?: PlanCode | "diagnostics_omitted" | (string & Record<never, never>);
    readonly [name: string]: unknown;
};

/** A diagnostic as it is declared. */
export interface PlanDiagnostic {
    /** The level of the constraint, or of the finding. */
    readonly severity: ConstraintLevel;
    /** The result. */
    readonly status: DiagnosticStatus;
    /** The constraint as humans read it, for example `qaFindings.overallScore >= 0.8`. */
    readonly constraint?: string;
    /** The id of the constraint, for example `min_qa`. */
    readonly constraintId?: string;
    /** The id of the node at fault, for example `publish-1`. */
    readonly nodeId?: string;
    /** The id of the capability at fault, for example `PublishAgent.post`. */
    readonly capabilityId?: string;
    /** The cause. */
    readonly cause: DiagnosticCause;
    /** The ways to fix it, one a line. */
    readonly suggestion?: string;
    /** Everything else that is known; `code` says which check found it. */
    readonly details?: PlanDetails;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** An edge of a plan: one node comes before another. */
export interface PlanEdge {
    /** The id of the earlier node. */
    readonly from: string;
    /** The id of the later node. */
    readonly to: string;
    /** The reason for the order, for humans. */
    readonly reason?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The form of a plan.
 * - `adjutant`: Subtasks, `{id, action, target, instruction}` each: a list of them, or an object with the list, or its
 * JSON text, as `subtasks`.
 * - `autopilot`: An object with `implementation_steps`, a list of texts or lines.
 * - `plan_graph`: A plan graph of `nodes` and `edges`.
 * - `planir`: PlanIR itself.
 */
export type PlanFormat =
    | "adjutant"
    | "autopilot"
    | "plan_graph"
    | "planir";

/** The payload of the event `plan_generated`. */
export interface PlanGeneratedPayload {
    /** The version of the plan. */
    planVersion: number;
    /** The nodes of the plan, in its order. */
    nodes: TrimmedNode[];
    /** The status, which follows from the findings. */
    status: Exclude<BundleStatus, "rejected">;
    /** The satisfaction score, for example `0.75`. */
    satisfactionScore: number;
    /** The hard findings, merged. */
    failures: PlanDiagnostic[];
    /** The soft findings, merged. */
    warnings: PlanDiagnostic[];
    /** The informational findings, merged. */
    infos: PlanDiagnostic[];
    /** The score of each constraint of the task, in the order of declaration. */
    constraintScores: ConstraintScore[];
}

/** A plan: nodes and the edges between them. */
export interface PlanGraph {
    /**
     * The version of the plan. The default is 1.
     * @defaultValue `1`
     */
    readonly planVersion?: number;
    /** The nodes. */
    readonly nodes: readonly PlanNode[];
    /** The order of the nodes. */
    readonly edges: readonly PlanEdge[];
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A plan in its canonical form, PlanIR. Other fields are carried and are not part of the hash. */
export interface PlanIr {
    /** The findings of the planner before it planned. */
    readonly analysis: string;
    /** The steps, in order, at most 100000. */
    readonly steps: readonly PlanStep[];
    /** The way to verify that the plan was carried out. */
    readonly verification_strategy: VerificationStrategy;
    /** The complexity of the whole plan. */
    readonly complexity: Complexity;
    /** The confidence of the planner, from 0 to 1. */
    readonly confidence: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A plan in its canonical form, PlanIR. Other fields are carried and are not part of the hash. */
export interface PlanIrDraft {
    /** The findings of the planner before it planned. */
    readonly analysis: string;
    /** The steps, in order, at most 100000. */
    readonly steps: readonly PlanStepDraft[];
    /** The way to verify that the plan was carried out. */
    readonly verification_strategy: VerificationStrategy;
    /** The complexity of the whole plan. */
    readonly complexity: string;
    /** The confidence of the planner, from 0 to 1. */
    readonly confidence: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A node of a plan: one use of a capability. */
export interface PlanNode {
    /** The id of the node, for example `publish-1`. */
    readonly nodeId: string;
    /** The id of the capability that the node uses, for example `PublishAgent.post`. */
    readonly capabilityId?: string;
    /** The kind of the node, for example `validation`. The default is the kind of the capability. */
    readonly kind?: string;
    /** The facets that the node takes. The default is the list of the capability. */
    readonly inputFacets?: readonly string[];
    /** The facets that the node gives. The default is the list of the capability. */
    readonly outputFacets?: readonly string[];
    /** The facets or fields of the result that the node declares to give. */
    readonly provides?: readonly string[];
    /** The ids of the constraints that the node declares to enforce. */
    readonly enforces?: readonly string[];
    /** The contract of the node's output. */
    readonly contract?: OutputContract;
    /** The name of the node, for humans. */
    readonly label?: string;
    /** The reason for the node, for humans. */
    readonly rationale?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** Counts about a plan. They are data for comparisons, not a verdict. */
export interface PlanQuality {
    /** The number of steps. */
    steps: number;
    /** The number of steps that a `verify` step depends on, directly or through others. */
    verified_steps: number;
    /** The number of steps without a dependency in either direction; 0 in a plan of one step. */
    orphan_steps: number;
    /** The number of steps in the longest chain of dependencies. */
    longest_path: number;
    /** The number of different texts in all `target_files`. */
    files: number;
    /** True if there is a `verify` step or a command. */
    has_verification: boolean;
    /** The confidence of the plan. */
    confidence: number;
}

/** The payload of the event `plan_rejected`. */
export interface PlanRejectedPayload {
    /** The status, which follows from the findings. */
    status: "rejected";
    /** The satisfaction score, for example `0.75`. */
    satisfactionScore: number;
    /** The hard findings, merged. */
    failures: PlanDiagnostic[];
    /** The soft findings, merged. */
    warnings: PlanDiagnostic[];
    /** The informational findings, merged. */
    infos: PlanDiagnostic[];
    /** The score of each constraint of the task, in the order of declaration. */
    constraintScores: ConstraintScore[];
}

/** The event that begins a log of a plan, ready to be logged. */
export interface PlanStartEvent {
    /** The kind of the event. */
    event: PlanStartKind;
    /** The hash of the plan, in the mode of the call. */
    plan_hash: string;
    /** The number of steps. */
    step_count: number;
}

/**
 * The kind of the event that begins a log.
 * - `PlanStart`: The plan starts.
 */
export type PlanStartKind =
    | "PlanStart";

/** The plan starts. */
export interface PlanStarted {
    /** The claimed number of steps. */
    readonly step_count: number;
    /** The claimed hash of the plan. */
    readonly plan_hash?: string;
    /** The claimed delta, an integer: how many fewer tests fail. */
    readonly verification_delta?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A step of a plan. Other fields are carried and are not part of the hash. */
export interface PlanStep {
    /** The id, by which replays and receipts refer to the step: `[A-Za-z0-9][A-Za-z0-9._-]*`, once in a plan. */
    readonly id: string;
    /** The work of the step, for example `fix the loop in the parser`. */
    readonly description: string;
    /** The intent of the step. */
    readonly intent: StepIntent;
    /** The files that the step is expected to touch. */
    readonly target_files: readonly string[];
    /** The ids of the steps that come before the step. */
    readonly depends_on: readonly string[];
    /** The largest number of times that the step may be tried, from 1 to 255. */
    readonly max_iterations: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A step of a plan. Other fields are carried and are not part of the hash. */
export interface PlanStepDraft {
    /** The id, by which replays and receipts refer to the step: `[A-Za-z0-9][A-Za-z0-9._-]*`, once in a plan. */
    readonly id: string;
    /** The work of the step, for example `fix the loop in the parser`. */
    readonly description: string;
    /** The intent of the step. */
    readonly intent: string;
    /** The files that the step is expected to touch. */
    readonly target_files: readonly string[];
    /** The ids of the steps that come before the step. */
    readonly depends_on: readonly string[];
    /** The largest number of times that the step may be tried, from 1 to 255. */
    readonly max_iterations: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** The payload of the event `plan_updated`. */
export interface PlanUpdatedPayload {
    /** The version of the plan. */
    planVersion: number;
    /** The nodes of the plan, in its order. */
    nodes: TrimmedNode[];
    /** The status, which follows from the findings. */
    status: Exclude<BundleStatus, "rejected">;
    /** The satisfaction score, for example `0.75`. */
    satisfactionScore: number;
    /** The hard findings, merged. */
    failures: PlanDiagnostic[];
    /** The soft findings, merged. */
    warnings: PlanDiagnostic[];
    /** The informational findings, merged. */
    infos: PlanDiagnostic[];
    /** The score of each constraint of the task, in the order of declaration. */
    constraintScores: ConstraintScore[];
    /** The findings of the earlier answer that are no longer there. */
    resolved: PlanDiagnostic[];
    /** The findings that the earlier answer did not have. */
    introduced: PlanDiagnostic[];
    /** The number of findings that are in both answers. */
    unchanged: number;
}

/** A plan in a form that an adapter knows. */
export type PlannerOutput = Subtasks | readonly Subtask[] | AutopilotPlan | GraphOfSteps | PlanIrDraft;

/** The policy for the planner: any fields. The engine reads the number of variants. */
export interface PlannerPolicy {
    /** The number of variants that the planner must produce, for example `2`. */
    readonly variantCount?: number;
    /** The topology of the plan: any value. If it is an object, the engine reads the number of variants. */
    readonly topology?: Nullable<PlannerTopology | string | number | boolean | readonly unknown[]>;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A topology that is an object. */
export interface PlannerTopology {
    /** The number of variants that the planner must produce, for example `2`. */
    readonly variantCount?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** The budgets of a planning session. */
export interface PlanningBudgets {
    /**
     * The number of iterations, 5 by default. An answer starts the count again.
     * @defaultValue `5`
     */
    readonly max_iterations?: number;
    /**
     * The number of subagent calls, 8 by default.
     * @defaultValue `8`
     */
    readonly max_subagent_calls?: number;
    /**
     * The time in milliseconds, 300000 by default.
     * @defaultValue `300000`
     */
    readonly max_wall_time_ms?: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The results of deterministic checks. Each failed check stops the planning. */
export interface PlanningChecks {
    /**
     * Required files that do not exist.
     * @defaultValue `[]`
     */
    readonly required_files_missing?: readonly string[];
    /** False if there are no tests to run. */
    readonly tests_available?: boolean;
    /**
     * Sources that the agent may not read.
     * @defaultValue `[]`
     */
    readonly permission_denied?: readonly string[];
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * A duty of the agent, due by the end of a turn.
 * - `triad`: State the goal, the constraints and the initial evidence.
 * - `exploration_plan`: Plan the exploration, step by step.
 * - `budget_allocation`: Divide the budgets.
 * - `novelty_check`: Check if the turns so far brought anything new.
 */
export type PlanningDuty =
    | "triad"
    | "exploration_plan"
    | "budget_allocation"
    | "novelty_check";

/**
 * The next act of the agent.
 * - `continue`: Plan one more turn.
 * - `switch`: Declare the strategy failed and take another one, of which there is one.
 * - `escalate`: Ask one blocking question and wait for its answer.
 * - `commit`: Hand over the recommendation.
 * - `stop`: End the planning.
 */
export type PlanningGate =
    | "continue"
    | "switch"
    | "escalate"
    | "commit"
    | "stop";

/** Replacements of single budgets. */
export interface PlanningOverrides {
    /** The number of iterations, at most twice that of `budgets`. */
    readonly max_iterations?: number;
    /** The number of subagent calls. */
    readonly max_subagent_calls?: number;
    /** The time in milliseconds. */
    readonly max_wall_time_ms?: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A query, which is redundant if another source was asked before and there was no synthesis in between. */
export interface PlanningQuery {
    /** The subject of the query, for example `session lifetime`. */
    readonly key: string;
    /** The source, for example `grep`. */
    readonly source: string;
    /**
     * True if the query puts together the evidence so far.
     * @defaultValue `false`
     */
    readonly synthesis?: boolean;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A question to a human. */
export interface PlanningQuestion {
    /** The question, with exactly one question mark. */
    readonly text: string;
    /**
     * The answers to choose from.
     * @defaultValue `[]`
     */
    readonly options?: readonly string[];
    /**
     * The type of the answer, for example `boolean`. With `text` any text is an answer, which makes a question less
     * answerable.
     */
    readonly answer_type?: string;
    /** The work that waits for the answer. */
    readonly unblocks?: string;
    /** The facts that a human needs to answer. */
    readonly context?: string;
    /**
     * Tools that could answer the question. With them, the planning need not wait for a human.
     * @defaultValue `[]`
     */
    readonly answerable_by?: readonly string[];
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A reason of a gate, or a warning. */
export interface PlanningReason {
    /** The code, from a closed list. */
    code: PlanningReasonCode;
    /** The reason in one line. */
    message: string;
    /** JSON Pointer into the ledger, to the evidence of the reason or to the place where something is missing. */
    path: string;
}

/**
 * The code of a reason, from a closed list; the texts never change once released.
 * - `risk_over_threshold`: the risk is over its threshold
 * - `required_files_missing`: required files are missing
 * - `tests_unavailable`: there are no tests to run
 * - `permission_denied`: permission to read sources was denied
 * - `recommendation_ready`: the recommendation is ready: confidence is 0.8 or more, and nothing is open
 * - `iterations_exhausted`: all iterations are used
 * - `subagent_calls_exhausted`: all subagent calls are used
 * - `wall_time_exhausted`: all time is used
 * - `repeated_failure`: the same failure came three times
 * - `no_new_files`: the last two turns touched no new files
 * - `confidence_plateau`: confidence rose by less than 0.1 twice in a row
 * - `redundant_queries`: several sources got the same query without a synthesis in between
 * - `blocking_question_owed`: a blocking question about the remaining uncertainty is due
 * - `best_effort`: confidence is below 0.7: the recommendation is only a best effort
 * - `provisional`: confidence is 0.7 or more: a recommendation is provisional
 * - `phase_iterations_exhausted`: both iterations after the switch of strategy are used
 * - `phase_calls_exhausted`: all three subagent calls after the switch of strategy are used
 * - `low_novelty_repeated`: two turns in a row reduced the uncertainty by less than 20 %
 * - `triad_missing`: goal, constraints and initial evidence were due by the end of turn 2
 * - `question_open`: a blocking question waits for its answer
 * - `low_novelty`: the turn reduced the uncertainty by less than 20 %
 * - `no_progress`: the turn made no progress: nothing in it is new, more certain, settled or unblocked
 * - `evidence_theater`: two turns in a row gathered evidence without a synthesis
 * - `investigated_before_triad`: the agent investigated before it stated goal, constraints and initial evidence
 * - `allocation_over_budget`: the budget allocation exceeds a budget
 * - `untyped_plan`: a step of the exploration plan is plain text: name its tool or agent and its action
 * - `premature_recommendation`: confidence is below 0.7: the recommendation is premature
 * - `decision_disagrees`: the decision of the turn differs from the gate
 * - `triad_due`: goal, constraints and initial evidence are due by the end of turn 2
 * - `conflict_open`: the confidence would commit, and a conflict is open
 */
export type PlanningReasonCode =
    | "risk_over_threshold"
    | "required_files_missing"
    | "tests_unavailable"
    | "permission_denied"
    | "recommendation_ready"
    | "iterations_exhausted"
    | "subagent_calls_exhausted"
    | "wall_time_exhausted"
    | "repeated_failure"
    | "no_new_files"
    | "confidence_plateau"
    | "redundant_queries"
    | "blocking_question_owed"
    | "best_effort"
    | "provisional"
    | "phase_iterations_exhausted"
    | "phase_calls_exhausted"
    | "low_novelty_repeated"
    | "triad_missing"
    | "question_open"
    | "low_novelty"
    | "no_progress"
    | "evidence_theater"
    | "investigated_before_triad"
    | "allocation_over_budget"
    | "untyped_plan"
    | "premature_recommendation"
    | "decision_disagrees"
    | "triad_due"
    | "conflict_open";

/** The risk of going on. Above the threshold, a human decides. */
export interface PlanningRisk {
    /** The risk, on any scale. */
    readonly level: number;
    /** The highest risk that the agent may take, on the same scale. */
    readonly threshold: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** One turn of a planning session. */
export interface PlanningTurn {
    /** The number of the turn: its place in the list, from 1. */
    readonly n: number;
    /** The budgets that the turn used. */
    readonly consumed?: Consumption;
    /**
     * Ids of the evidence that the turn gathered.
     * @defaultValue `[]`
     */
    readonly evidence_ids?: readonly string[];
    /**
     * The files that the turn looked at.
     * @defaultValue `[]`
     */
    readonly files?: readonly string[];
    /** A text that is the same for the same failure, for example `E0308 src/auth.rs`. */
    readonly failure_signature?: string;
    /**
     * The queries of the turn, in order.
     * @defaultValue `[]`
     */
    readonly queries?: readonly PlanningQuery[];
    /** The confidence in the recommendation, from 0 to 1. */
    readonly confidence: number;
    /** The uncertainty that remains, at least 0, on one scale for the whole session. */
    readonly uncertainty: number;
    /**
     * Conflicts in the evidence that are open.
     * @defaultValue `[]`
     */
    readonly conflicts_open?: readonly string[];
    /** The obstacle to the work, if there is one. */
    readonly blocker?: string;
    /** The strategy of the turn. Blank text is no strategy. */
    readonly strategy?: string;
    /**
     * Hypotheses that the turn falsified.
     * @defaultValue `[]`
     */
    readonly falsified?: readonly string[];
    /**
     * True if the turn puts the evidence together.
     * @defaultValue `false`
     */
    readonly synthesis?: boolean;
    /** The decision of the agent at the end of the turn. It may stand in `novelty_check` instead. */
    readonly continue_decision?: ContinueDecision;
    /**
     * The steps of the exploration, due by the end of turn 2.
     * @defaultValue `[]`
     */
    readonly exploration_plan?: readonly (string | ExplorationStep)[];
    /** The shares of the budgets, due by the end of turn 2. */
    readonly budget_allocation?: BudgetAllocation;
    /** The answer to "did the turns so far bring anything new?", due by the end of turn 3. */
    readonly novelty_check?: NoveltyCheck;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A policy document; only `policy` and `version` are required. */
export interface PolicyDocument {
    /** The policy's name, for example `release-gate`. */
    readonly policy: string;
    /** The version of the policy, for example `1.0.0`. */
    readonly version: string;
    /**
     * The source document whose loop rules apply.
     * @defaultValue `"oa06"`
     */
    readonly profile?: Profile;
    /** A description for humans. */
    readonly description?: string;
    /** The thresholds. */
    readonly parameters?: Parameters;
    /**
     * The treatment of changed paths outside of the workspace.
     * @defaultValue `"ask"`
     */
    readonly outside?: Outside;
    /**
     * The comparison of letters in all patterns over paths. Set `ascii_insensitive` for workspaces on macOS and Windows, where
     * `Deploy/x` is the same file as `deploy/x`.
     * @defaultValue `"sensitive"`
     */
    readonly path_case?: PathCase;
    /**
     * Files that must not change: a change is a `policy_violation`.
     * @defaultValue `[]`
     */
    readonly forbidden_paths?: readonly Pattern[];
    /**
     * Files that change only with an approval (rule `approval`).
     * @defaultValue `[]`
     */
    readonly protected_paths?: readonly Pattern[];
    /** The only files that may change. An empty list allows no change. */
    readonly allowed_paths?: readonly Pattern[];
    /**
     * Artifacts that every step must leave, in addition to those that the envelope requires. `report.md` is a file at the root
     * of the workspace, `site/` is one in the folder, and a pattern that begins with `**` is met in any folder.
     * @defaultValue `[]`
     */
    readonly required_artifacts?: readonly Pattern[];
    /**
     * The validators of which every step must have a result, in addition to those that the envelope requires. An empty list
     * says that no check is required.
     */
    readonly required_validators?: readonly string[];
    /**
     * True if every result needs the tree that it is about, and the evidence the tree that is judged.
     * @defaultValue `false`
     */
    readonly require_tree?: boolean;
    /**
     * The treatment of failures that the baseline has, too.
     * @defaultValue `"refuse"`
     */
    readonly known_failures?: KnownFailures;
    /**
     * Test files whose tests may go with them, for example `tests/legacy/**`.
     * @defaultValue `[]`
     */
    readonly tests_may_go?: readonly Pattern[];
    /**
     * The sources of test files: the tests of a deleted file may go if its source is deleted, too.
     * @defaultValue `[]`
     */
    readonly test_sources?: readonly TestSource[];
    /**
     * Patterns over ids of cases that come and go, for example `*[0x*]`.
     * @defaultValue `[]`
     */
    readonly unstable_ids?: readonly Pattern[];
    /** The successes that need a review: by default `first` under `oa06.1`, `optional` under `oa06`. */
    readonly review?: ReviewRequirement;
    /** Patterns over step ids, by the role they give. */
    readonly routes?: Routes;
    /**
     * A JSON Schema of the `x-` fields of the envelope that the conditions read, for example `{"properties": {"x-coverage":
     * {"type": "object", "properties": {"lines": {"type": "number"}}}}}`. It describes an object that has only the `x-` fields
     * of the envelope's root. A field that breaks it is unknown to the conditions and calls for a human.
     */
    readonly inputs?: object;
    /**
     * The rules of the policy.
     * @defaultValue `[]`
     */
    readonly rules?: readonly RuleDocument[];
    /**
     * Tests of the policy.
     * @defaultValue `[]`
     */
    readonly tests?: readonly TestDocument[];
    /** For editors: the JSON Schema of the document. It is ignored, whatever it is. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The policy document that is baked into a module. */
export interface PolicyLabel {
    /** The policy's name. */
    readonly name: string;
    /** The policy's version. */
    readonly version: string;
    /** The digest of the document. */
    readonly digest: string;
    /** The ids of its rules. */
    readonly rules: readonly string[];
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The payload of the event `policy_triggered`. */
export interface PolicyTriggered {
    /** The id of the guardrail. */
    policyId: string;
    /** Its trigger, in the form that does not depend on how the guardrail writes it. */
    trigger: Trigger;
    /** The action. */
    action: Action;
    /** The same as advice for the planner: informational, and with the node of the event. */
    diagnostic: PlanDiagnostic;
    /** Extensions: carried, and ignored by the engine. */
    [extension: `x-${string}`]: unknown;
}

/** A condition that holds after a node: an object with the condition in `expr`, or the condition alone. */
export type PostCondition = LevelledPostCondition | ConstraintExpression;

/** The payload of `plan_generated`, `plan_rejected` or `plan_updated`. The first five fields are in every payload. */
export interface PreviousPayload {
    /** The hard findings. */
    readonly failures: readonly PlanDiagnostic[];
    /** The soft findings. */
    readonly warnings: readonly PlanDiagnostic[];
    /** The informational findings. */
    readonly infos: readonly PlanDiagnostic[];
    /** The status. */
    readonly status: BundleStatus;
    /** The satisfaction score. */
    readonly satisfactionScore: number;
    /** The scores of the constraints. */
    readonly constraintScores?: readonly PreviousScore[];
    /** The version of the plan. */
    readonly planVersion?: number;
    /** The nodes of the plan. */
    readonly nodes?: readonly TrimmedNode[];
    /** The findings that were resolved then. */
    readonly resolved?: readonly PlanDiagnostic[];
    /** The findings that were introduced then. */
    readonly introduced?: readonly PlanDiagnostic[];
    /** The number of the other findings. */
    readonly unchanged?: number;
}

/** The score of a constraint in an earlier payload. */
export interface PreviousScore {
    /** The id of the constraint. */
    readonly constraintId: string;
    /** The level of the constraint. */
    readonly severity: ConstraintLevel;
    /** The score: any value. */
    readonly score: unknown;
}

/**
 * The source document whose loop rules apply.
 * - `oa06`: The evaluator contract.
 * - `oa06.1`: The evaluator contract with the bounded revision loop.
 */
export type Profile =
    | "oa06"
    | "oa06.1";

/** A prompt reference, `id.vN`, for example `release-evaluator.v3`. */
export type PromptReference = `${string}.v${number}`;

/**
 * The reason of a verdict on a question.
 * - `one_question_mark`: Its text has exactly one question mark.
 * - `no_question_mark`: Its text asks nothing.
 * - `several_question_marks`: Its text asks several things.
 * - `coordinated_questions`: Its text joins a second question to the first, as in `, and what`.
 * - `answer_declared`: It has options to choose from, or says what type its answer has.
 * - `answer_undeclared`: It has no options and does not say what type its answer has.
 * - `free_text`: It has no options, and any text is an answer.
 * - `unblocks_declared`: It says what its answer unblocks.
 * - `unblocks_undeclared`: It does not say what its answer unblocks.
 * - `answerable_by_tools`: Tools could answer it, so the planning need not wait for a human.
 * - `context_given`: It comes with its context.
 * - `context_missing`: It comes without context.
 */
export type QualityReason =
    | "one_question_mark"
    | "no_question_mark"
    | "several_question_marks"
    | "coordinated_questions"
    | "answer_declared"
    | "answer_undeclared"
    | "free_text"
    | "unblocks_declared"
    | "unblocks_undeclared"
    | "answerable_by_tools"
    | "context_given"
    | "context_missing";

/** The verdict on one quality of a question. */
export interface QualityVerdict {
    /** True if the question has the quality. */
    met: boolean;
    /** The reason of the verdict. */
    reason: QualityReason;
}

/** An answer to a question. */
export interface QuestionAnswer {
    /** The number of the last turn before the answer, 0 before the first turn. */
    readonly after_turn: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The verdicts on a question. */
export interface QuestionVerdict {
    /** The verdict whether the question is one question. */
    singular: QualityVerdict;
    /** The verdict whether a human can answer it with a fact. */
    answerable: QualityVerdict;
    /** The verdict whether the planning needs the answer. */
    blocking: QualityVerdict;
    /** The verdict whether the question has its context. */
    contextual: QualityVerdict;
}

/** The content of a report, as JSON: one of the three fields is present. */
export type Reading = {
    /** The cases of a test report. */
    tests?: ReportTests;
    /** The issues of a SARIF log. */
    review?: ReportReview;
    /** The counts of a coverage report, in the form of `x-coverage` in an envelope. */
    coverage?: ReportCoverage;
} & (
    | { tests: ReportTests; review?: never; coverage?: never }
    | { tests?: never; review: ReportReview; coverage?: never }
    | { tests?: never; review?: never; coverage: ReportCoverage }
);

/** The claims of a session's receipt. Other fields are carried. */
export interface Receipt {
    /** The hash of the plan. */
    readonly plan_hash?: string;
    /** The delta, an integer: how many fewer tests fail. */
    readonly verification_delta?: number;
    /** The verification: any value. An object may claim a `verification_delta`. */
    readonly verification?: Nullable<VerificationClaim | string | number | boolean | readonly unknown[]>;
    /** The calls of the log, in any order, once each. */
    readonly tool_calls?: readonly ReceiptCall[];
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A call that a receipt lists. Other fields are carried. */
export interface ReceiptCall {
    /** The id of the call. */
    readonly id: string;
    /** The step that the call was made for. */
    readonly step_id: string;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** The recommendation of the agent. */
export interface Recommendation {
    /** The recommendation. */
    readonly text: string;
    /**
     * True if the way to carry it out is known.
     * @defaultValue `false`
     */
    readonly path_clear?: boolean;
    /**
     * True if its risks are written down.
     * @defaultValue `false`
     */
    readonly risks_documented?: boolean;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The label of a recommendation in a stop report.
 * - `best_effort`: Confidence is below 0.7: the recommendation is premature, the best that there is.
 * - `provisional`: Confidence is 0.7 or more and below 0.8.
 * - `ready`: Confidence is 0.8 or more.
 */
export type RecommendationLabel =
    | "best_effort"
    | "provisional"
    | "ready";

/** A call of `refine`. */
export interface RefineCall {
    /** The evidence of the step. */
    readonly envelope: Envelope;
    /** The active policy, or null for none. */
    readonly policy?: Nullable<PolicyDocument>;
    /** The evaluation of the same envelope under the same policy. Any other is refused. */
    readonly evaluation?: Evaluation;
    /** The URL of a JSON Schema, for editors. It is ignored. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** Refinements allowed and spent. */
export interface Refinement {
    /** The number of allowed refinements. It can only lower the cap of the policy. */
    readonly cap?: number;
    /** The number of refinements that were made. */
    readonly spent: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The code of a difference between a replay and its plan, in the order of findings with one path.
 * The texts never change once released; new codes may come.
 * - `findings_omitted`: There are more findings than are listed.
 * - `no_plan_start`: The replay never says that the plan starts.
 * - `repeated_plan_start`: The replay says again that the plan starts.
 * - `step_count_mismatch`: The plan has another number of steps than the replay says.
 * - `plan_hash_mismatch`: The plan has the claimed hash in neither mode.
 * - `mixed_hash_modes`: The claimed hash is the plan's, but of another mode than the first one that is.
 * - `unknown_step`: The plan has no such step.
 * - `repeated_call`: A call of that id was made before.
 * - `call_without_result`: The replay has no result of the call.
 * - `result_before_call`: The result comes before its call.
 * - `result_without_call`: The replay has no call that it is the result of.
 * - `repeated_result`: The call had a result before.
 * - `iterations_exceeded`: The step took more iterations than the plan allows.
 * - `delta_mismatch`: The tests give another delta than the one that is claimed.
 * - `receipt_step_unknown`: A call of the receipt is for a step that the plan does not have.
 * - `receipt_call_mismatch`: The log or the receipt lacks a call of the other, or the receipt lists a call twice.
 */
export type ReplayCode =
    | "findings_omitted"
    | "no_plan_start"
    | "repeated_plan_start"
    | "step_count_mismatch"
    | "plan_hash_mismatch"
    | "mixed_hash_modes"
    | "unknown_step"
    | "repeated_call"
    | "call_without_result"
    | "result_before_call"
    | "result_without_call"
    | "repeated_result"
    | "iterations_exceeded"
    | "delta_mismatch"
    | "receipt_step_unknown"
    | "receipt_call_mismatch";

/**
 * The events of a run, in order. The kind of each event is in its field `event`, or in `type` if no event has `event`. The
 * kinds `PlanStart`, `ToolCall`, `ToolResult` and `StepComplete` say something about the plan.
 */
export type ReplayEvents = readonly ReplayEvent[] | readonly [ReplayHeader, ...CarriedEvent[]];

/** An event of a run. Its kind is in `event`, or in `type` in logs that have their times in `ts`. */
export type ReplayEvent = EventOf<"event"> | EventOf<"type">;

/** An event whose kind is in the field `Tag`. */
export type EventOf<Tag extends "event" | "type"> =
    | ({ readonly [Name in Tag]: "PlanStart" } & PlanStarted)
    | ({ readonly [Name in Tag]: "ToolCall" } & ToolCalled)
    | ({ readonly [Name in Tag]: "ToolResult" } & ToolAnswered)
    | ({ readonly [Name in Tag]: "StepComplete" } & StepCompleted)
    | ({ readonly [Name in Tag]: SessionEvent } & CarriedEvent);

/** The event that allows a log to have events of any kind. It comes first. */
export type ReplayHeader = ({ readonly event: "ReplayHeader" } | { readonly type: "ReplayHeader" }) & CarriedEvent;

/** The kinds of events that say nothing about the plan, in logs that have times. */
export type SessionEvent =
    | "ReplayHeader"
    | "SessionStart"
    | "Verification"
    | "Payment"
    | "RuntimeEvent"
    | "SessionEnd";

/** A difference between a run and its plan. */
export interface ReplayFinding {
    /** The code, from a closed list. */
    code: ReplayCode;
    /** JSON Pointer into the call. */
    path: string;
    /** The number of the event, from 1. */
    line?: number;
    /** The difference in one line. */
    message: string;
}

/** The answer of `verify_replay`. */
export interface ReplayReport {
    /** True if the run is one of the plan: there are no findings. */
    linked: boolean;
    /** The differences between the run and the plan. */
    findings: ReplayFinding[];
    /** The hash of the plan, in the mode of the claims, else in the canonical one. */
    plan_hash: string;
    /** The mode of the first claimed hash that is right; null if none is claimed or none is right. */
    hash_mode: Nullable<HashMode>;
    /** The decrease of the number of failing tests, an integer; null without numbers of tests. */
    verification_delta: Nullable<number>;
}

/**
 * The format of a report.
 * - `junit`: JUnit XML. Every writer has its own dialect; none of them has a standard.
 * - `ctrf`: The Common Test Report Format, one JSON object.
 * - `tap`: The Test Anything Protocol, versions 13 and 14.
 * - `libtest`: The JSON events of libtest (nightly) and of nextest (`libtest-json-plus`), one a line.
 * - `go-test`: The JSON events of `go test -json`, one a line.
 * - `jest`: The JSON results of jest and vitest, one object.
 * - `sarif`: SARIF 2.1.0, the results of analysis tools.
 * - `lcov`: LCOV tracefiles, the coverage of lines, branches and functions.
 */
export type ReportFormat =
    | "junit"
    | "ctrf"
    | "tap"
    | "libtest"
    | "go-test"
    | "jest"
    | "sarif"
    | "lcov";

/** One result of an analysis tool. */
export interface ReportIssue {
    /** The rule and the place, for example `no-eval:src/a.js:3`. */
    id: string;
    /** The severity: high for the level `error`, medium for `warning`, low for `note`. */
    severity: Severity;
    /** The first line of the message. */
    message: string;
    /** The place. */
    location?: ReportLocation;
    /** The fix that the tool suggests. */
    edit?: ReportEdit;
}

/** A question in a stop report. */
export interface ReportedQuestion {
    /** The text of the ledger. */
    text: string;
    /** The verdicts of the answer. */
    verdict: QuestionVerdict;
}

/** A recommendation in a stop report. */
export interface ReportedRecommendation {
    /** The text of the ledger. */
    text: string;
    /** The label, by the confidence of the last turn. */
    label: RecommendationLabel;
}

/**
 * The kind of act that resolves a finding.
 * - `after_fix`: A change to the work.
 * - `needs_approval`: The approval of a human.
 * - `retry`: The same step again.
 * - `provide_evidence`: More or other evidence.
 * - `terminal`: No act of the run resolves the finding.
 */
export type ResolutionKind =
    | "after_fix"
    | "needs_approval"
    | "retry"
    | "provide_evidence"
    | "terminal";

/** The result of a review. */
export interface Review {
    /** The artifact that has the review, for example `review.md`. */
    readonly artifact_ref: string;
    /** The issues that the review found. */
    readonly issues: readonly ReviewIssue[];
    /** The tree that was reviewed. */
    readonly tree?: Tree;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** An issue that a review found. */
export interface ReviewIssue {
    /** The id of the issue. */
    readonly id: string;
    /** The issue in one line. */
    readonly summary: string;
    /** The severity. */
    readonly severity: Severity;
    /** The artifact or the JSON Pointer that shows the issue. */
    readonly evidence_ref?: Nullable<string>;
    /** The change that fixes the issue. */
    readonly edit?: Edit;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The issues of one SARIF log, and the number of results that are not issues. */
export interface ReportReview {
    /** The issues, in the order of the log. Ids are unique. */
    issues: ReportIssue[];
    /** The reason why the log cannot be complete, for example because the tool failed. */
    incomplete?: string;
    /** The number of suppressed results. */
    suppressed: number;
    /** The number of results that the baseline has, too (`unchanged`), or that no longer occur (`absent`). */
    in_baseline: number;
    /** The number of results of level `none`, for example of rules that hold. */
    without_level: number;
}

/**
 * The successes that need a review.
 * - `required`: Every success needs a review in its own evidence.
 * - `first`: Every success needs a review since the last success, in its own or in an earlier EVALUATE step.
 * - `optional`: No success needs a review.
 */
export type ReviewRequirement =
    | "required"
    | "first"
    | "optional";

/**
 * The role of a step in routing.
 * - `forward`: The step continues the work.
 * - `fix`: The step fixes findings.
 * - `gate`: The step asks a human.
 * - `rollback`: The step undoes the work.
 * - `stop`: The step ends the run.
 */
export type Role =
    | "forward"
    | "fix"
    | "gate"
    | "rollback"
    | "stop";

/** Patterns over step ids, by the role they give. */
export interface Routes {
    /**
     * Steps that continue the work, for example `publish*`.
     * @defaultValue `[]`
     */
    readonly forward?: readonly Pattern[];
    /**
     * Steps that fix the work.
     * @defaultValue `[]`
     */
    readonly fix?: readonly Pattern[];
    /**
     * Steps that ask a human.
     * @defaultValue `[]`
     */
    readonly gate?: readonly Pattern[];
    /**
     * Steps that undo the work.
     * @defaultValue `[]`
     */
    readonly rollback?: readonly Pattern[];
    /**
     * Steps that end the run.
     * @defaultValue `[]`
     */
    readonly stop?: readonly Pattern[];
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The blocker of a rule. */
export interface RuleBlocker {
    /** A stable code. */
    readonly code: string;
    /** The severity of the blocker and of the finding. */
    readonly severity: Severity;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A rule of a policy. */
export interface RuleDocument {
    /** The rule's name, as findings carry it: not empty, unique, no built-in rule's, and not `findings_omitted`. */
    readonly id: RuleName;
    /** A description for humans. */
    readonly description?: string;
    /** The condition under which the rule fires: a logic expression over `input`, `facts` and `parameters`. */
    readonly when: Condition;
    /** The finding of the rule when it fires. */
    readonly then: Consequence;
    /**
     * The effect of a condition that is unknown.
     * @defaultValue `"escalate"`
     */
    readonly on_unknown?: OnUnknown;
    /**
     * The mode of the rule: its findings count, or are only reported.
     * @defaultValue `"enforce"`
     */
    readonly mode?: RuleMode;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A change that a rule asks for. */
export interface RuleFix {
    /** The place to change. */
    readonly target: string;
    /** The change. */
    readonly action: string;
    /** The reason for the change. */
    readonly rationale: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The mode of a rule: its findings count, or are only reported.
 * - `enforce`: The findings count.
 * - `monitor`: The findings are reported and change nothing.
 */
export type RuleMode =
    | "enforce"
    | "monitor";

/** A name that no built-in rule has, for example `coverage-dropped`. */
export type RuleName = string;

/** The act that resolves the finding of a rule. */
export interface RuleResolution {
    /** The kind of act. */
    readonly kind: ResolutionKind;
    /** The act in one line. */
    readonly hint: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The numbers that the caller has counted and measured before the event. */
export interface RunState {
    /** The number of retries of each guardrail, by its id. */
    readonly retries?: Readonly<Record<string, number>>;
    /** The metrics by name, for example `{"coverage": 0.8}`. */
    readonly metrics?: Readonly<Record<string, number>>;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A policy that watches a run, and never changes its plan. */
export interface RuntimePolicy {
    /** Its name, for example `qa_runtime_guardrail`. Counters use it. No other guardrail of the list has it. */
    readonly id: string;
    /**
     * False turns the guardrail off. The default is true.
     * @defaultValue `true`
     */
    readonly enabled?: boolean;
    /** The events at which it fires. */
    readonly trigger: Trigger;
    /**
     * A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. If the trigger has a condition,
     * too, both must hold.
     */
    readonly condition?: Condition;
    /** The action when it fires. */
    readonly action: Action;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * A severity.
 * - `low`: Worth knowing; it stops nothing.
 * - `medium`: It blocks the next step.
 * - `high`: It must not pass.
 */
export type Severity =
    | "low"
    | "medium"
    | "high";

/** The used part of a budget. */
export interface SpentBudget {
    /** The used number. */
    used: number;
    /** The budget. */
    max: number;
    /** Both as text, for example `3/5`. */
    text: string;
}

/**
 * A sign that an agent goes round in circles.
 * - `repeated_failure`: The same failure came three times.
 * - `no_new_files`: The last two turns touched no file that no turn before them had touched.
 * - `confidence_plateau`: Confidence rose by less than 0.1, twice in a row.
 * - `redundant_queries`: The same was asked of two sources, and nothing was put together in between.
 */
export type StagnationTrigger =
    | "repeated_failure"
    | "no_new_files"
    | "confidence_plateau"
    | "redundant_queries";

/**
 * The status of a decision. The order is the precedence: the greatest status that a finding calls for wins.
 * - `success`: No rule found a problem.
 * - `partial`: Something failed, and the evidence shows how to fix it.
 * - `blocked`: There is no safe way forward.
 * - `needs_human`: A human must decide.
 * - `unsafe`: The state cannot be trusted.
 */
export type Status =
    | "success"
    | "partial"
    | "blocked"
    | "needs_human"
    | "unsafe";

/** A step has ended. */
export interface StepCompleted {
    /** The id of the step. */
    readonly step_id: string;
    /** The number of times that the step was tried. */
    readonly iterations: number;
    /** The claimed delta, an integer: how many fewer tests fail. */
    readonly verification_delta?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** The opcode and role of an allowed next step. */
export interface StepInfo {
    /** The opcode of the step. */
    readonly opcode?: Opcode;
    /** The role it plays, whatever its opcode and name. */
    readonly role?: Role;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The intent of a step.
 * - `investigate`: Find something out.
 * - `modify`: Change something.
 * - `verify`: Check something.
 * - `synthesize`: Put together the findings of other steps.
 */
export type StepIntent =
    | "investigate"
    | "modify"
    | "verify"
    | "synthesize";

/**
 * The reason of a stop, as a stop report states it.
 * - `recommendation_ready`: The recommendation can be acted on.
 * - `blocking_question`: Only an answer helps.
 * - `budget_exhausted`: Nothing is left of a budget.
 * - `stagnation`: The other strategy did not help either.
 * - `human_required`: A human must decide or repair.
 */
export type StopReason =
    | "recommendation_ready"
    | "blocking_question"
    | "budget_exhausted"
    | "stagnation"
    | "human_required";

/** The report at the end of a planning session. */
export interface StopReport {
    /** The reason of the stop. */
    stop_reason: StopReason;
    /** The confidence of the last turn, 0 without turns. */
    confidence: number;
    /** The evidence ids, and the sources that were asked. */
    evidence_summary: string[];
    /** The open conflicts, the blocker and the open question. */
    uncertainties_remaining: string[];
    /** The actions that the reasons ask for. */
    next_actions: string[];
    /** The used part of each budget. */
    budget_consumed: BudgetConsumed;
    /** The recommendation of the ledger, null if it has none. */
    recommendation: Nullable<ReportedRecommendation>;
    /** The question of the ledger, null if it has none. */
    question: Nullable<ReportedQuestion>;
}

/** A switch of strategy. */
export interface StrategySwitch {
    /** The number of the last turn with the old strategy, 0 before the first turn. */
    readonly after_turn: number;
    /** The new strategy. It differs from the old one in more than case and white space. */
    readonly to: string;
    /** The hypothesis that the new strategy tests. It is not blank. */
    readonly hypothesis: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A subtask. Other fields are kept. */
export interface Subtask {
    /** The id of the subtask. */
    readonly id?: string;
    /** The action: `read`, `edit` or `bash`. */
    readonly action: string;
    /** The file that is read or edited, or the argument of `bash`. */
    readonly target?: string;
    /** The work of the subtask. */
    readonly instruction?: string;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A plan of subtasks. Other fields are kept. */
export interface Subtasks {
    /** The subtasks, in order, or the same list as JSON text. */
    readonly subtasks: string | readonly Subtask[];
    /** The confidence of the planner, from 0 to 1. */
    readonly confidence?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A change that fixes an issue. */
export interface ReportEdit {
    /** The place to change, for example `src/a.js:3`. */
    target: string;
    /** The change, for example ``replace line 3 by `x` ``. */
    action: string;
    /** The description of the fix, or the message of the issue. */
    rationale: string;
}

/** The declaration that a strategy failed. */
export interface SwitchDeclaration {
    /** The first of `triggers`, else `low_novelty`. */
    trigger: string;
    /** The strategy that failed: the last one of the ledger; null if no turn names one. */
    current_strategy: Nullable<string>;
    /** The budget of the next strategy. */
    new_budget: PhaseBudget;
}

/** A task: the objective, and the contract of its result. */
export interface TaskEnvelope {
    /** The objective, for example `two LinkedIn posts for the launch`. */
    readonly objective: string;
    /** The inputs by name: any values. */
    readonly inputs?: object;
    /** The contract of the result. */
    readonly outputContract: OutputContract;
    /** Policies for the planner and for the run. */
    readonly policies?: TaskPolicies;
    /**
     * More constraints on the result.
     * @defaultValue `[]`
     */
    readonly constraints?: readonly Constraint[];
    /** Instructions for the planner. */
    readonly specialInstructions?: string | readonly string[];
    /** Any fields, for the planner. */
    readonly metadata?: object;
    /** Any value, for the planner. */
    readonly goal_condition?: unknown;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The policies of a task. */
export interface TaskPolicies {
    /** The policy for the planner. */
    readonly planner?: PlannerPolicy;
    /**
     * The guardrails of the run. They are only checked here: none of them may change the plan.
     * @defaultValue `[]`
     */
    readonly runtime?: readonly RuntimePolicy[];
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A test of a policy. */
export interface TestDocument {
    /** The name: unique, and not empty. */
    readonly name: string;
    /** The envelope that is evaluated, an object. */
    readonly input: object;
    /**
     * The expected part of the answer, an object: see `differences`. A test whose input gets no answer fails with the error,
     * unless this is `{"error": {...}}` and the error has these fields.
     */
    readonly expect: object;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The cases of one test report. */
export interface ReportTests {
    /** The cases, in the order of the report. Ids are unique. */
    cases: ReportCase[];
    /**
     * The reason why the report cannot be complete, for example because a suite did not end. A report with a reason is never
     * evidence of success, whatever its cases say.
     */
    incomplete?: string;
    /** The number of lines that are not a part of the report, for example output of the tests. */
    unread_lines: number;
}

/**
 * The path of a test file, and the path of the source that it tests. `{name}` stands once in each, for the same text: one
 * or more whole segments, or a part of one.
 */
export interface TestSource {
    /** The path of the test file, for example `tests/test_{name}.py`. */
    readonly test: Pattern;
    /** The path of the source, for example `src/{name}.py`. */
    readonly source: Pattern;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A call has ended. */
export interface ToolAnswered {
    /** The id of the call. */
    readonly id: string;
    /** The claimed delta, an integer: how many fewer tests fail. */
    readonly verification_delta?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A tool is called. */
export interface ToolCalled {
    /** The id of the call. */
    readonly id: string;
    /** The step that the call is made for. */
    readonly step_id: string;
    /** The claimed delta, an integer: how many fewer tests fail. */
    readonly verification_delta?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** The id of a tree: of the files that a result is about, for example `git:4b825dc642cb6eb9a060e54bf8d69288fbee4904`. */
export type Tree = string;

/** The events at which a guardrail fires; `kind` says which. */
export type Trigger = OnStartTrigger | OnNodeCompleteTrigger | OnValidationFailTrigger | OnPostConditionFailedTrigger | OnTimeoutTrigger | OnMetricBelowTrigger | ManualTrigger;

/** The run began. */
export interface OnStartTrigger {
    /** The word that tells this form from the others. */
    readonly kind: "onStart";
    /** The nodes at which it fires. The default is every node, and events without one. */
    readonly selector?: NodeSelector;
    /** A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. */
    readonly condition?: Condition;
    /** The same as `nodeId` in `selector`. */
    readonly nodeId?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A node has completed. */
export interface OnNodeCompleteTrigger {
    /** The word that tells this form from the others. */
    readonly kind: "onNodeComplete";
    /** The nodes at which it fires. The default is every node, and events without one. */
    readonly selector?: NodeSelector;
    /** A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. */
    readonly condition?: Condition;
    /** The same as `nodeId` in `selector`. */
    readonly nodeId?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** An output breaks its contract. */
export interface OnValidationFailTrigger {
    /** The word that tells this form from the others. */
    readonly kind: "onValidationFail";
    /** The nodes at which it fires. The default is every node, and events without one. */
    readonly selector?: NodeSelector;
    /** A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. */
    readonly condition?: Condition;
    /** The same as `nodeId` in `selector`. */
    readonly nodeId?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A post-condition of a node does not hold. */
export interface OnPostConditionFailedTrigger {
    /** The word that tells this form from the others. */
    readonly kind: "onPostConditionFailed";
    /** The nodes at which it fires. The default is every node, and events without one. */
    readonly selector?: NodeSelector;
    /** A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. */
    readonly condition?: Condition;
    /** The same as `nodeId` in `selector`. */
    readonly nodeId?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** Time has passed. */
export interface OnTimeoutTrigger {
    /** The word that tells this form from the others. */
    readonly kind: "onTimeout";
    /** The nodes at which it fires. The default is every node, and events without one. */
    readonly selector?: NodeSelector;
    /** A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. */
    readonly condition?: Condition;
    /** The same as `nodeId` in `selector`. */
    readonly nodeId?: string;
    /** The least time, in milliseconds, for example `30000`. */
    readonly ms: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A metric was measured. */
export interface OnMetricBelowTrigger {
    /** The word that tells this form from the others. */
    readonly kind: "onMetricBelow";
    /** The nodes at which it fires. The default is every node, and events without one. */
    readonly selector?: NodeSelector;
    /** A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. */
    readonly condition?: Condition;
    /** The same as `nodeId` in `selector`. */
    readonly nodeId?: string;
    /** The name of the metric, for example `coverage`. */
    readonly metric: string;
    /** The guardrail fires below this value, not at it. */
    readonly threshold: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A human asked for it. */
export interface ManualTrigger {
    /** The word that tells this form from the others. */
    readonly kind: "manual";
    /** The nodes at which it fires. The default is every node, and events without one. */
    readonly selector?: NodeSelector;
    /** A condition over the output of the event, for example `{"<": [{"var": "score"}, 0.8]}`. */
    readonly condition?: Condition;
    /** The same as `nodeId` in `selector`. */
    readonly nodeId?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/**
 * The kind of an event, and of the trigger that waits for it.
 * - `onStart`: The run began.
 * - `onNodeComplete`: A node has completed.
 * - `onValidationFail`: An output breaks its contract.
 * - `onPostConditionFailed`: A post-condition of a node does not hold.
 * - `onTimeout`: Time has passed.
 * - `onMetricBelow`: A metric was measured.
 * - `manual`: A human asked for it.
 */
export type TriggerKind =
    | "onStart"
    | "onNodeComplete"
    | "onValidationFail"
    | "onPostConditionFailed"
    | "onTimeout"
    | "onMetricBelow"
    | "manual";

/** A node of a payload. */
export interface TrimmedNode {
    /** The id of the node. */
    readonly nodeId: string;
    /** The id of its capability. */
    readonly capabilityId?: string;
    /** The fields that it gives. */
    readonly provides: readonly string[];
    /** The ids of the constraints that it enforces. */
    readonly enforces: readonly string[];
}

/** Evidence that could not be collected. */
export interface Uncollected {
    /** The evidence, for example `coverage`. */
    readonly what: string;
    /** The reason, for example `the report is missing`. */
    readonly reason: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A remark on the user's experience. */
export interface UxFlag {
    /** The severity. */
    readonly severity: Severity;
    /** The area of the product. */
    readonly area: string;
    /** The remark. */
    readonly description: string;
    /** The artifact or the JSON Pointer that shows it. */
    readonly evidence_ref?: Nullable<string>;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A call of `validate_plan`. */
export interface ValidatePlanCall {
    /** The task. */
    readonly task: TaskEnvelope;
    /** The plan for the task. */
    readonly plan: PlanGraph;
    /** The capabilities that nodes of the plan can use. */
    readonly capabilities: readonly Capability[];
    /** The catalog of facets, the parts of inputs and outputs. Without a catalog, each facet is a field of the same name. */
    readonly facets?: readonly Facet[];
    /** The payload of an earlier answer for this task. With it, an accepted plan gives the event `plan_updated`. */
    readonly previous?: PreviousPayload;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The results of the validators. Other fields are carried and ignored, unless their name is close to one of these. */
export interface Validation {
    /** The end of the step's process: completed, failed, or killed. */
    readonly mechanical_outcome: Outcome;
    /** The exit code of each validator, by its id. */
    readonly exit_codes: Readonly<Record<string, number>>;
    /** The validators that reached their time limit. They failed, with or without an exit code. */
    readonly timeouts: readonly string[];
    /**
     * The tree of the result of each validator, by its id.
     * @defaultValue `{}`
     */
    readonly trees?: Readonly<Record<string, Tree>>;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A call, its answer and their digests. */
export interface Verdict {
    /** The version of this format: 1. */
    readonly verdict: 1;
    /** The operation of the call. */
    readonly operation: OperationName;
    /** The input of the call, without the policy if `policy` is present. */
    readonly input: unknown;
    /** The policy document of the call. */
    readonly policy?: unknown;
    /** The module that answered. */
    readonly module: VerdictModule;
    /** The answer. */
    readonly answer: unknown;
    /** The digests of the parts before redaction. */
    readonly digests: VerdictDigests;
    /**
     * The patterns of the redacted values. A redacted verdict cannot be recomputed.
     * @defaultValue `[]`
     */
    readonly redacted?: readonly string[];
    /** The signature over all other fields. */
    readonly signature?: VerdictSignature;
}

/** The SHA-256 of the canonical JSON of each part. The fields are in the order of canonical JSON. */
export interface VerdictDigests {
    /** The digest of the answer. */
    readonly answer: string;
    /** The digest of the input. */
    readonly input: string;
    /** The digest of the policy, if the verdict has one. */
    readonly policy?: string;
}

/** The module that answered. The fields are in the order of canonical JSON. */
export interface VerdictModule {
    /** The SHA-256 of its bytes. The built-in engine has none: each build of one version gives the same answers. */
    readonly digest?: string;
    /** The name in its manifest, or `adjudicate` for the built-in engine. */
    readonly name: string;
    /** The version in its manifest, or that of the built-in engine. */
    readonly version: string;
}

/** A signature of a verdict. */
export interface VerdictSignature {
    /** The public key: `ed25519:` and 64 hexadecimal digits. */
    readonly key: string;
    /** The signature: 128 hexadecimal digits. */
    readonly bytes: string;
}

/** The verification of a session. Other fields are carried. */
export interface VerificationClaim {
    /** The delta, an integer: how many fewer tests fail. */
    readonly verification_delta?: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** The way to verify that a plan was carried out. Other fields are carried and are not part of the hash. */
export interface VerificationStrategy {
    /** The commands to run, for example `cargo test`. */
    readonly commands: readonly string[];
    /** The result that counts as success. */
    readonly success_criteria: string;
    /** The largest number of times that verification may be repeated, from 0 to 255. */
    readonly max_retries: number;
    /** Any other field. */
    readonly [name: string]: unknown;
}

/** A call of `verify_replay`. */
export interface VerifyReplayCall {
    /** The plan in its canonical form. */
    readonly plan: PlanIr;
    /** The log of the run, in order. A log that begins with a `ReplayHeader` may hold events of any kind. */
    readonly events: ReplayEvents;
    /** The receipt of the run. */
    readonly receipt?: Receipt;
    /** The numbers of failing tests. */
    readonly tests?: FailingTests;
    /** The URL of the JSON Schema of the document, for editors. The reader ignores it. */
    readonly $schema?: string;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** The weights of constraints. */
export interface Weights {
    /** The weight of a hard constraint. The default is 1. */
    readonly hard?: number;
    /** The weight of a soft constraint. The default is 0.5. */
    readonly soft?: number;
    /** Extensions: carried, and ignored by the engine. */
    readonly [extension: `x-${string}`]: unknown;
}

/** A value that may be null. */
export type Nullable<T> = T | null;

/** The codes of the findings of the engine about plans, outputs and events. */
export type PlanCode =
    | "empty_plan"
    | "duplicate_node"
    | "unknown_edge_end"
    | "cycle"
    | "incomplete_node"
    | "unknown_capability"
    | "inactive_capability"
    | "isolated_node"
    | "invalid_schema"
    | "unknown_facet"
    | "facet_direction"
    | "unsupplied_input"
    | "uncovered_output"
    | "missing_producer"
    | "undecided_variable"
    | "missing_enforcer"
    | "constraint_met"
    | "variant_count"
    | "unchecked_variant_count"
    | "impossible_output"
    | "unsatisfiable_constraint"
    | "conflicting_constraints"
    | "schema_violation"
    | "constraint_holds"
    | "constraint_broken"
    | "undecided_constraint"
    | "policy_triggered";

/** The name of an operation. */
export type OperationName =
    | "evaluate"
    | "refine"
    | "validate_plan"
    | "merge_diagnostics"
    | "observe_output"
    | "apply_guardrails"
    | "normalize_plan"
    | "verify_replay"
    | "deliberate"
    | "check_policy"
    | "explain"
    | "facts";

/** The inputs of the operations. */
export interface Calls {
    /** The input of `evaluate`: a call, or an envelope alone. */
    evaluate: EvaluateCall | Envelope;
    /** The input of `refine`. */
    refine: RefineCall;
    /** The input of `validate_plan`. */
    validate_plan: ValidatePlanCall;
    /** The input of `merge_diagnostics`. */
    merge_diagnostics: MergeDiagnosticsCall;
    /** The input of `observe_output`. */
    observe_output: ObserveOutputCall;
    /** The input of `apply_guardrails`. */
    apply_guardrails: ApplyGuardrailsCall;
    /** The input of `normalize_plan`. */
    normalize_plan: NormalizePlanCall;
    /** The input of `verify_replay`. */
    verify_replay: VerifyReplayCall;
    /** The input of `deliberate`: the work of a planning agent so far, and its limits. */
    deliberate: Ledger;
    /** The input of `check_policy`. */
    check_policy: CheckPolicyCall;
    /** The input of `explain`: a call, or an envelope alone. */
    explain: ExplainCall | Envelope;
    /** The input of `evaluate`: a call, or an envelope alone. */
    facts: EvaluateCall | Envelope;
}

/** The answers of the operations. */
export interface Answers {
    /** The answer of `evaluate`: the decision, its reasons, and the state of the loop. */
    evaluate: Evaluation;
    /** The answer of `refine`: the refinement package, events, and parts of the next envelope. */
    refine: Revision;
    /** The answer of `validate_plan`: an event with its payload. */
    validate_plan: PlanAnswer;
    /** The answer of `merge_diagnostics`: a status, a score, and the findings. */
    merge_diagnostics: Bundle;
    /** The answer of `observe_output`: a bundle, and the score of the output. */
    observe_output: Observation;
    /** The answer of `apply_guardrails`: the actions, and the payloads of their events. */
    apply_guardrails: Actions;
    /** The answer of `normalize_plan`: the plan, its hash, and a report. */
    normalize_plan: NormalizedPlan;
    /** The answer of `verify_replay`: whether the run is one of the plan. */
    verify_replay: ReplayReport;
    /** The answer of `deliberate`: the gate, and its reasons. */
    deliberate: Deliberation;
    /** The answer of `check_policy`: the static findings about a policy. */
    check_policy: CheckAnswer;
    /** The answer of `explain`: reasons, and changes that lead to `success`. */
    explain: Explanation;
    /** The answer of `facts`: the values that the conditions of a policy see. */
    facts: KnownFacts;
}

