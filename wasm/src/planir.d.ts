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
    /** Any other field. It is carried, and is not part of the hash. */
    [name: string]: unknown;
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
    /** Any other field. It is carried, and is not part of the hash. */
    [name: string]: unknown;
}

/** How it is seen that a plan was carried out. */
export interface VerificationStrategy {
    /** What to run. */
    commands: string[];
    /** What counts as success. */
    success_criteria: string;
    /** How often it may be repeated, 0 to 255. */
    max_retries: number;
    /** Any other field. It is carried, and is not part of the hash. */
    [name: string]: unknown;
}

/** The forms of plans that are known. */
export type PlanFormat = "adjutant" | "autopilot" | "plan_graph" | "planir";

/** A plan as some planner wrote it. */
export type PlannerOutput = Subtask[] | Subtasks | AutopilotPlan | GraphOfSteps | PlanIrDraft;

/** A plan of subtasks. */
export interface Subtasks {
    /** The subtasks, in their order, or the same list as JSON text. */
    subtasks: Subtask[] | string;
    /** How sure the planner is, from 0 to 1. */
    confidence?: number;
    /** Whatever else there is: it is kept. */
    [name: string]: unknown;
}

/** A part of such a plan. */
export interface Subtask {
    /** Its id. */
    id?: string;
    /** `read`, `edit` or `bash`. */
    action: string;
    /** The file that it reads or edits, or what `bash` is run on. */
    target?: string;
    /** What is to be done. */
    instruction?: string;
    /** Whatever else there is: it is kept. */
    [name: string]: unknown;
}

/** A plan of an Autopilot. */
export interface AutopilotPlan {
    /** What the planner found before it planned. */
    analysis?: string;
    /** The steps, each a text, or a line of a text. */
    implementation_steps: string[] | string;
    /** How it is seen that they were done. */
    test_strategy?: string;
    /** How hard it is. */
    estimated_complexity?: string;
    /** How sure the planner is, from 0 to 1. */
    confidence?: number;
    /** Whatever else there is: it is kept. */
    [name: string]: unknown;
}

/** A graph of steps. */
export interface GraphOfSteps {
    /** The steps. */
    nodes: GraphStep[];
    /** Which comes after which. */
    edges: GraphEdge[];
    /** Whatever else there is: it is kept. */
    [name: string]: unknown;
}

/** A step of such a graph. */
export interface GraphStep {
    /** Its id. */
    nodeId?: string;
    /** Who does it. */
    capabilityId?: string;
    /** What it is; `validation` makes it a step that verifies. */
    kind?: string;
    /** What it is called. */
    label?: string;
    /** Why it is there. */
    rationale?: string;
    /** Whatever else there is: it is kept. */
    [name: string]: unknown;
}

/** That a step comes after another. */
export interface GraphEdge {
    /** The id of the earlier one. */
    from: string;
    /** The id of the later one. */
    to: string;
    /** Whatever else there is: it is kept. */
    [name: string]: unknown;
}

/** A plan in its canonical form, in which words may be spelled otherwise and ids may be none. */
export interface PlanIrDraft {
    /** What the planner found before it planned. */
    analysis: string;
    /** The steps, in their order. */
    steps: PlanStepDraft[];
    /** How it is seen that the plan was carried out. */
    verification_strategy: VerificationStrategy;
    /** How hard it is, also `simple`, `VeryHigh` and the like. */
    complexity: string;
    /** How sure the planner is, from 0 to 1. */
    confidence: number;
    /** Any other field. It is carried, and is not part of the hash. */
    [name: string]: unknown;
}

/** A step of it. */
export interface PlanStepDraft {
    /** Its id; one that is none is replaced. */
    id: string;
    /** What is to be done. */
    description: string;
    /** What it is for. */
    intent: string;
    /** The files that it is expected to touch. */
    target_files: string[];
    /** The ids of the steps that come before it. */
    depends_on: string[];
    /** How often it may be tried, 1 to 255. */
    max_iterations: number;
    /** Any other field. It is carried, and is not part of the hash. */
    [name: string]: unknown;
}

/** How a plan is hashed. */
export type HashMode = "canonical" | "serde_f32_compat";

/** A call of `normalize_plan`. */
export interface NormalizePlanCall {
    /** The plan, in any form that is known. */
    plan: PlannerOutput;
    /** Which one; else its members tell. */
    format?: PlanFormat;
    /** How it is hashed; `canonical`, where it says nothing. */
    hash_mode?: HashMode;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** The answer of `normalize_plan`. */
export interface NormalizedPlan {
    /** The plan in its canonical form; what has no place there is in `x-source`, at the plan or at the step. */
    plan: PlanIr;
    /** `sha256:` and the hash of the plan, without what is kept aside. */
    plan_hash: string;
    /** What was made of the plan. */
    adapter: AdapterReport;
    /** The event that begins a log of the plan. */
    plan_start: PlanStartEvent;
    /** Counts about the plan. */
    quality: PlanQuality;
}

/** The event that begins a log of a plan, ready to be logged. */
export interface PlanStartEvent {
    /** Its kind. */
    event: "PlanStart";
    /** The hash of the plan, in the mode of the call. */
    plan_hash: string;
    /** The number of steps. */
    step_count: number;
}

/** Counts about a plan. They are data for comparisons, not a verdict. */
export interface PlanQuality {
    /** The number of steps. */
    steps: number;
    /** The number of steps that a `verify` step depends on, directly or through others. */
    verified_steps: number;
    /** The number of steps without any dependency in either direction; 0 in a plan of one step. */
    orphan_steps: number;
    /** The number of steps in the longest chain of dependencies. */
    longest_path: number;
    /** The number of different texts in all `target_files`. */
    files: number;
    /** Whether there is a `verify` step or a command. */
    has_verification: boolean;
    /** The confidence of the plan. */
    confidence: number;
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
    /** The place of its origin in the plan as it was given; absent where the origin is inside of a JSON text. */
    source?: string;
    /** The text of its origin. */
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
    /** The log of the run, in its order. A log that begins with a `ReplayHeader` may hold events of any kind. */
    events: ReplayEvent[] | [ReplayHeader, ...CarriedEvent[]];
    /** The receipt of the run. */
    receipt?: Receipt;
    /** How many tests failed. */
    tests?: FailingTests;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** What the receipt of a run claims. */
export interface Receipt {
    /** The hash of the plan. */
    plan_hash?: string;
    /** How many fewer tests fail, an integer. */
    verification_delta?: number;
    /** An object may claim `verification_delta`; anything else is carried. */
    verification?: unknown;
    /** The calls of the log, in any order, once each. */
    tool_calls?: ReceiptCall[];
    /** Any other field is carried. */
    [name: string]: unknown;
}

/** A call that a receipt lists. */
export interface ReceiptCall {
    /** The id of the call. */
    id: string;
    /** The step that it was made for. */
    step_id: string;
    /** Any other field is carried. */
    [name: string]: unknown;
}

/** How many tests failed before a plan was carried out, and after. */
export interface FailingTests {
    /** Before. */
    failing_before: number;
    /** After. */
    failing_after: number;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** An event of a run. Its kind is `event`, or `type` in logs that have their times in `ts`; what else it says is passed over. */
export type ReplayEvent = EventOf<"event"> | EventOf<"type">;

/** An event whose kind is in that member. */
export type EventOf<Tag extends "event" | "type"> =
    | (Record<Tag, "PlanStart"> & PlanStarted)
    | (Record<Tag, "ToolCall"> & ToolCalled)
    | (Record<Tag, "ToolResult"> & ToolAnswered)
    | (Record<Tag, "StepComplete"> & StepCompleted)
    | (Record<Tag, SessionEvent> & CarriedEvent);

/** The event that says that a log may hold events of any kind. It comes first. */
export type ReplayHeader =
    | (Record<"event", "ReplayHeader"> & CarriedEvent)
    | (Record<"type", "ReplayHeader"> & CarriedEvent);

/** An event that is carried. */
export interface CarriedEvent {
    /** The delta that it claims, an integer. */
    verification_delta?: number;
    /** Whatever else it says. */
    [name: string]: unknown;
}

/** The kinds of events that tell of the session around a plan, in logs that have times. */
export type SessionEvent =
    | "ReplayHeader"
    | "SessionStart"
    | "Verification"
    | "Payment"
    | "RuntimeEvent"
    | "SessionEnd";

/** The plan starts. */
export interface PlanStarted {
    /** How many steps it is said to have. */
    step_count: number;
    /** The hash that it is said to have. */
    plan_hash?: string;
    /** The delta that it claims, an integer. */
    verification_delta?: number;
    /** Whatever else it says. */
    [name: string]: unknown;
}

/** A tool is called. */
export interface ToolCalled {
    /** The call's id. */
    id: string;
    /** The step that it is made for. */
    step_id: string;
    /** The delta that it claims, an integer. */
    verification_delta?: number;
    /** Whatever else it says. */
    [name: string]: unknown;
}

/** A call has ended. */
export interface ToolAnswered {
    /** The call's id. */
    id: string;
    /** The delta that it claims, an integer. */
    verification_delta?: number;
    /** Whatever else it says. */
    [name: string]: unknown;
}

/** A step has ended. */
export interface StepCompleted {
    /** The step's id. */
    step_id: string;
    /** How often it was tried. */
    iterations: number;
    /** The delta that it claims, an integer. */
    verification_delta?: number;
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
    | "iterations_exceeded"
    | "delta_mismatch"
    | "receipt_step_unknown"
    | "receipt_call_mismatch";
