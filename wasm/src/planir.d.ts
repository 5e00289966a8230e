/** What a step of a plan is for. */
export type StepIntent = "investigate" | "modify" | "verify" | "synthesize";

/** How hard a plan is. */
export type Complexity = "low" | "medium" | "high" | "very_high";

/** A plan in its canonical form, PlanIR. */
export interface PlanIr {
    /** What the planner found before it planned. */
    analysis: string;
    /** The steps, in their order. */
    steps: PlanStep[];
    /** How it is seen that the plan was carried out. */
    verification_strategy: VerificationStrategy;
    /** How hard it is. */
    complexity: Complexity;
    /** How sure the planner is, from 0 to 1. */
    confidence: number;
}

/** A step of a plan. */
export interface PlanStep {
    /** By which replays and receipts refer to it: `[A-Za-z0-9][A-Za-z0-9._-]*`, once in a plan. */
    id: string;
    /** What is to be done. */
    description: string;
    /** What it is for. */
    intent: StepIntent;
    /** The files that it is expected to touch. */
    target_files: string[];
    /** The ids of the steps that come before it. */
    depends_on: string[];
    /** How often it may be tried, 1 to 255. */
    max_iterations: number;
}

/** How it is seen that a plan was carried out. */
export interface VerificationStrategy {
    /** What to run. */
    commands: string[];
    /** What counts as success. */
    success_criteria: string;
    /** How often it may be repeated, 0 to 255. */
    max_retries: number;
}

/** The forms of plans that are known. */
export type PlanFormat = "adjutant" | "autopilot" | "plan_graph" | "planir";

/** How a plan is hashed. */
export type HashMode = "canonical" | "serde_f32_compat";

/** A call of `normalize_plan`. */
export interface NormalizePlanCall {
    /** The plan, in any form that is known. */
    plan: object;
    /** Which one; else its members tell. */
    format?: PlanFormat;
    /** How it is hashed; `canonical`, where it says nothing. */
    hash_mode?: HashMode;
}

/** The answer of `normalize_plan`. */
export interface NormalizedPlan {
    /** The plan in its canonical form; what has no place there is in `x-source`, at the plan or at the step. */
    plan: PlanIr;
    /** `sha256:` and the hash of the plan, without what is kept aside. */
    plan_hash: string;
    /** What was made of the plan. */
    adapter: AdapterReport;
}

/** How a plan came to its canonical form. */
export interface AdapterReport {
    /** The form that it had. */
    format: PlanFormat;
    /** Whether its members told; else the call said so. */
    detected: boolean;
    /** Where the steps were, a JSON Pointer into the plan as it was given. */
    items: string;
    /** The values that the plan as it was given does not have, in the order of the canonical form. */
    inferred: InferredValue[];
    /** What was kept aside. */
    kept: KeptValue[];
}

/** A value that the plan as it was given does not have in that place, or has in other words. */
export interface InferredValue {
    /** Where it is in the canonical form. */
    path: string;
    /** The value. */
    value: string | number | [];
    /** Why. */
    reason: InferenceReason;
    /** Where what it was made of is in the plan as it was given. */
    source?: string;
    /** What is there. */
    given?: string;
}

/** Why a value was inferred. */
export type InferenceReason =
    | "default"
    | "derived"
    | "alias"
    | "invalid_id"
    | "repeated_id";

/** What was kept aside of the plan as it was given. */
export interface KeptValue {
    /** Where it is in the canonical form. */
    path: string;
    /** Where it was. */
    source: string;
}

/** A call of `verify_replay`. */
export interface VerifyReplayCall {
    /** The plan, in its canonical form. */
    plan: PlanIr;
    /** What happened in the run, in its order. */
    events: ReplayEvent[];
    /** The receipt of the run; all but the hash is passed over. */
    receipt?: { plan_hash?: string; [name: string]: unknown };
    /** How many tests failed. */
    tests?: FailingTests;
}

/** How many tests failed before a plan was carried out, and after. */
export interface FailingTests {
    /** Before. */
    failing_before: number;
    /** After. */
    failing_after: number;
}

/** An event of a run: its kind is `event`, or `type` in logs that have their times in `ts`. What else it says is passed over. */
export interface ReplayEvent {
    /** Its kind: `PlanStart`, `ToolCall`, `ToolResult` or `StepComplete`. */
    event?: string;
    /** The same. */
    type?: string;
    /** How many steps the plan is said to have, when it starts. */
    step_count?: number;
    /** The hash that it is said to have. */
    plan_hash?: string;
    /** The id of a call, and of its result. */
    id?: string;
    /** The step that a call is made for, or that has ended. */
    step_id?: string;
    /** How often the step was tried. */
    iterations?: number;
    /** Whatever else it says. */
    [name: string]: unknown;
}

/** The answer of `verify_replay`. */
export interface ReplayReport {
    /** Whether the run is one of the plan. */
    linked: boolean;
    /** What speaks against it. */
    findings: ReplayFinding[];
    /** The hash of the plan, in the mode of the claims, else in the canonical one. */
    plan_hash: string;
    /** The mode of the hash that is claimed, null if none is or none is the plan's. */
    hash_mode: Nullable<HashMode>;
    /** How many fewer tests fail, null where nothing is said of tests. */
    verification_delta: Nullable<number>;
}

/** Something that keeps a run from being one of its plan. */
export interface ReplayFinding {
    /** What it is. */
    code: ReplayCode;
    /** Where, a JSON Pointer into the call. */
    path: string;
    /** In which event, counted from 1. */
    line?: number;
    /** What it is, in words. */
    message: string;
}

/** What can keep a run from being one of its plan. */
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
    | "iterations_exceeded";
