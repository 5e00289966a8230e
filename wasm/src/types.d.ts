/** A member that may be null, which means the same as leaving it out. */
export type Nullable<T> = T | null;

/** An integer with a least value. */
export type AtLeast = number;

/** A path, or a pattern over paths or step ids: `**`, `*`, `?`, `{a,b}`. */
export type Pattern = string;

/** A prompt reference, `id.vN`. */
export type PromptReference = string;

/** A semantic version, `1.2.3`. */
export type Version = string;

/** A part of a document that is carried along, never read. */
export type IgnoredAny = unknown;

/** One remark or several. */
export type Notes = string | string[];

/** A value as a finding shows it. */
export type Shown = number | string | string[];

/** One step of the provenance window or of the history. It ended with a status, or else with an outcome. */
export type Entry = EntryMembers & (
    | { opcode: Opcode; status: Status; outcome?: never }
    | { opcode: Exclude<Opcode, "EVALUATE">; status?: never; outcome: Outcome }
);

/** What every entry carries. */
export interface EntryMembers {
    /** The step. */
    step_id: string;
    /** What it changed, as git prints it. */
    diff_summary: string;
    /** The flags that were raised. */
    risk_flags: string[];
    /** The codes of its blockers. */
    blocker_codes: string[];
    /** The blockers with the items at fault, which tells two of one code apart. Without it, blockers are compared by their codes, which is stricter. */
    blockers?: EntryBlocker[];
    /** How many checks failed. */
    failures?: number;
    /** Whether the evidence of an EVALUATE step held a review. */
    reviewed?: boolean;
}

/** One changed file, or a directory of which only the name is known. A rename has the name it had in `from`. */
export type DiffFile = DiffFileMembers & (
    | { change: "renamed"; from: string }
    | { change: Exclude<Change, "renamed">; from?: string }
);

/** What every changed file carries. */
export interface DiffFileMembers {
    /** Its path. One that ends in `/`, and the root, is a directory whatever `kind` says. */
    path: string;
    /** What the path names. */
    kind?: FileKind;
    /** Lines that came. */
    insertions?: number;
    /** Lines that went. */
    deletions?: number;
}

/** A whole call of `evaluate` in one document. */
export interface EvaluateCall {
    /** The envelope. */
    envelope: Envelope;
    /** The policy document. */
    policy?: Nullable<PolicyDocument>;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** A whole call of `refine` in one document. */
export interface RefineCall {
    /** The envelope. */
    envelope: Envelope;
    /** The policy document. */
    policy?: Nullable<PolicyDocument>;
    /** The envelope's evaluation, where the caller has it: one that says something else is refused. */
    evaluation?: Evaluation;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** A whole call of `check_policy`: at least one of what it can check. */
export type CheckPolicyCall = CheckPolicyMembers &
    ({ policy: PolicyDocument } | { outputContract: OutputContract } | { policies: RuntimePolicy[] });

/** What `check_policy` can check. */
export interface CheckPolicyMembers {
    /** The policy document. */
    policy?: PolicyDocument;
    /** What an output must be. */
    outputContract?: OutputContract;
    /** Policies that watch a run. */
    policies?: RuntimePolicy[];
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** An output that shows what was found about an output contract. */
export interface OutputWitness {
    /** An output that the schema allows. */
    output: unknown;
}

/** A whole call of `explain` in one document. */
export interface ExplainCall {
    /** The envelope. */
    envelope: Envelope;
    /** The policy document. */
    policy?: Nullable<PolicyDocument>;
    /** Whether every rule is to be shown, its verdict and its inputs. */
    trace?: boolean;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** The complete answer of `check_policy`. */
export interface CheckAnswer {
    /** What is wrong with the policy, in the order of the paths. */
    findings: CheckFinding[];
}

/** What each operation is called with. */
export interface Calls {
    evaluate: Envelope | EvaluateCall;
    refine: RefineCall;
    validate_plan: ValidatePlanCall;
    merge_diagnostics: MergeDiagnosticsCall;
    observe_output: ObserveOutputCall;
    apply_guardrails: ApplyGuardrailsCall;
    normalize_plan: NormalizePlanCall;
    verify_replay: VerifyReplayCall;
    deliberate: Ledger;
    check_policy: CheckPolicyCall;
    explain: Envelope | ExplainCall;
}

/** What each operation answers. */
export interface Answers {
    evaluate: Evaluation;
    refine: Revision;
    validate_plan: PlanAnswer;
    merge_diagnostics: Bundle;
    observe_output: Observation;
    apply_guardrails: Actions;
    normalize_plan: NormalizedPlan;
    verify_replay: ReplayReport;
    deliberate: Deliberation;
    check_policy: CheckAnswer;
    explain: Explanation;
}

/** That there is no answer, as every face of adjudicate prints it. */
export interface ErrorReply {
    /** Why. */
    error: { code: ErrorCode; message: string; path: string };
}

/** What one envelope of a batch came to: an evaluation, or the error that is its own. */
export type BatchItem = { ok: Evaluation; error?: never } | (ErrorReply & { ok?: never });

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
    | "explain";
