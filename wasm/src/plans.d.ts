/** A JSON Schema, draft-07 or 2020-12. */
export type JsonSchema = object | boolean;

/** A strict JSONLogic expression that gives true or false: one operator and its operands. */
export type Expression = object;

/** How much hangs on a constraint: `soft` costs score, `informational` is for the reader. */
export type ConstraintLevel =
    | "hard"
    | "soft"
    | "informational";

/** What every constraint and post-condition carries. */
export interface ConstraintMembers {
    /** Its name, which diagnostics carry; made from the expression where there is none. */
    constraintId?: string;
    /** What must hold, over the output. */
    expr: Expression;
    /** Why it is there, for the planner. */
    rationale?: string;
}

/** What must hold of an output beyond its shape. */
export interface Constraint extends ConstraintMembers {
    /** How much hangs on it. */
    level: ConstraintLevel;
}

/** What holds when a capability is done: a constraint, `hard` unless it says otherwise, or an expression alone. */
export type PostCondition = LevelledPostCondition | BareExpression;

/** A post-condition with a name, a level or a reason. */
export interface LevelledPostCondition extends ConstraintMembers {
    /** How much hangs on it; `hard` where it says nothing. */
    level?: ConstraintLevel;
}

/** An expression where a constraint could stand, too: no operator has the name of a constraint's member. */
export type BareExpression = {
    constraintId?: never;
    expr?: never;
    level?: never;
    rationale?: never;
    [operator: string]: unknown;
};

/** What an output must be. */
export interface OutputContract {
    /** Its shape. */
    schema: JsonSchema;
    /** For whoever makes it; `variantPath` is a JSON Pointer to the list of variants in the output. */
    hints?: OutputHints;
    /** What must hold beyond that. */
    constraints?: Constraint[];
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** Hints of a contract: names are free. */
export type OutputHints = {
    variantPath?: string;
    [name: string]: unknown;
};

/** What is to be done, and what must be true of the result. */
export interface TaskEnvelope {
    /** What is to be done, in words. */
    objective: string;
    /** What there is to begin with: nodes may take members of these names. */
    inputs?: object;
    /** What the result must be. */
    outputContract: OutputContract;
    /** How it is to be planned, and watched while it runs. */
    policies?: TaskPolicies;
    /** More constraints of the result; they come after those of the contract. */
    constraints?: Constraint[];
    /** For the planner. */
    specialInstructions?: Notes;
    /** The caller's. */
    metadata?: object;
    /** The caller's. */
    goal_condition?: unknown;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** The policies of a task. */
export interface TaskPolicies {
    /** What the planner is told. */
    planner?: PlannerPolicy;
    /** Guardrails for the run: read for what is wrong with them, and not applied here. */
    runtime?: RuntimePolicy[];
}

/** What a planner is told: names are free. How many variants it is asked for is held against the contract's schema. */
export type PlannerPolicy = {
    variantCount?: number;
    topology?: { variantCount?: number; [name: string]: unknown };
    [name: string]: unknown;
};

/** How a planner would do a task. */
export interface PlanGraph {
    /** Its version; 1 where it says nothing. */
    planVersion?: number;
    /** The uses of capabilities. */
    nodes: PlanNode[];
    /** What comes before what. */
    edges: PlanEdge[];
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** One use of a capability. What it does not say of itself is its capability's. */
export interface PlanNode {
    /** Its name. */
    nodeId: string;
    /** Who does it. */
    capabilityId?: string;
    /** What sort of node it is: a `validation` node enforces constraints on what it takes. */
    kind?: string;
    /** The facets that it takes. */
    inputFacets?: string[];
    /** The facets that it gives. */
    outputFacets?: string[];
    /** The facets, or members of the output, that it says it gives. */
    provides?: string[];
    /** The ids of the constraints that it says it enforces. */
    enforces?: string[];
    /** What is true of what it gives. */
    contract?: OutputContract;
    /** For people. */
    label?: string;
    /** For people. */
    rationale?: string;
}

/** That one node comes before another. */
export interface PlanEdge {
    /** The earlier one. */
    from: string;
    /** The later one. */
    to: string;
    /** For people. */
    reason?: string;
}

/** What some agent or tool can do. */
export interface Capability {
    /** Its name. */
    capabilityId: string;
    /** Its version. */
    version?: string;
    /** What sort of node it makes. */
    kind?: string;
    /** Whether it can be used: only `active` can, and what says nothing. */
    status?: string;
    /** The facets that it takes. */
    inputFacets?: string[];
    /** The facets that it gives. */
    outputFacets?: string[];
    /** What must be true of what it takes. */
    inputContract?: OutputContract;
    /** What is true of what it gives. */
    outputContract?: OutputContract;
    /** What holds when it is done. */
    postConditions?: PostCondition[];
}

/** Which way a facet goes. */
export type FacetDirection =
    | "input"
    | "output"
    | "bidirectional";

/** A part that inputs and outputs are made of. */
export interface Facet {
    /** Its name. */
    name: string;
    /** What its value is. */
    schema: JsonSchema;
    /** Which way it goes. */
    direction: FacetDirection;
    /** The member that holds it; its name where it says nothing. */
    propertyKey?: string;
    /** Whether a node that takes it cannot do without it; true where it says nothing. */
    requiredByDefault?: boolean;
}

/** A whole call of `validate_plan`. */
export interface ValidatePlanCall {
    /** What is to be done. */
    task: TaskEnvelope;
    /** How a planner would do it. */
    plan: PlanGraph;
    /** Who can do what. */
    capabilities: Capability[];
    /** The catalog of facets; without it facets are not looked up. */
    facets?: Facet[];
    /** The payload of an earlier answer: an accepted plan is then answered by `plan_updated`, with the changes since. */
    previous?: PreviousPayload;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** What a validator found of something. */
export type DiagnosticStatus =
    | "unsatisfied"
    | "unknown"
    | "satisfied";

/** Why. */
export type DiagnosticCause =
    | "missing_producer"
    | "missing_enforcer"
    | "schema_incompatible"
    | "unsatisfied_soft"
    | "advisory";

/** What one validator says about a plan or an output. */
export interface PlanDiagnostic {
    /** How much hangs on it. */
    severity: ConstraintLevel;
    /** What was found. */
    status: DiagnosticStatus;
    /** The constraint, as people read it. */
    constraint?: string;
    /** The constraint's id. */
    constraintId?: string;
    /** The node at fault. */
    nodeId?: string;
    /** The capability at fault. */
    capabilityId?: string;
    /** Why. */
    cause: DiagnosticCause;
    /** What would help, a line for each way. */
    suggestion?: string;
    /** Whatever else is known. */
    details?: PlanDetails;
}

/**
 * Details of a diagnostic: names are free. Those of this engine have a `code`; other producers choose theirs. Where there are more than
 * 100,000 diagnostics, one with the code `diagnostics_omitted` has in `count` (a number) how many are left out.
 */
export type PlanDetails = {
    code?: PlanCode | "diagnostics_omitted" | (string & {});
    [name: string]: unknown;
};

/** What this engine finds, more finely than the five causes say. */
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

/** A whole call of `merge_diagnostics`. */
export interface MergeDiagnosticsCall {
    /** What validators said, in any order. */
    diagnostics: PlanDiagnostic[];
    /** How much constraints weigh in the score. */
    weights?: Weights;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** How much a constraint weighs, a number of 0 or more. */
export interface Weights {
    /** A hard one; 1 where it says nothing. */
    hard?: number;
    /** A soft one; 0.5 where it says nothing. */
    soft?: number;
}

/** What becomes of what the diagnostics are about. */
export type BundleStatus =
    | "accepted"
    | "accepted_with_findings"
    | "rejected";

/** Merged diagnostics, and what follows from them. */
export interface Bundle {
    /** What becomes of what they are about. */
    status: BundleStatus;
    /** Which part of what weighs is satisfied, from 0 to 1. */
    satisfactionScore: number;
    /** The hard ones. */
    failures: PlanDiagnostic[];
    /** The soft ones. */
    warnings: PlanDiagnostic[];
    /** The informational ones. */
    infos: PlanDiagnostic[];
}

/** The complete answer of `validate_plan`; `event` tells which. */
export type PlanAnswer = PlanGenerated | PlanUpdated | PlanRejected;

/** The plan can do what the task asks. */
export interface PlanGenerated {
    /** What a controller emits. */
    event: "plan_generated";
    /** What it carries. */
    payload: PlanGeneratedPayload;
}

/** The plan can do what the task asks, and the call had the payload of an earlier answer. */
export interface PlanUpdated {
    /** What a controller emits. */
    event: "plan_updated";
    /** What it carries. */
    payload: PlanUpdatedPayload;
}

/** The plan cannot do what the task asks, or nobody can tell whether it can. */
export interface PlanRejected {
    /** What a controller emits. */
    event: "plan_rejected";
    /** What it carries. */
    payload: PlanRejectedPayload;
}

/** What every payload carries. */
export interface PlanPayload extends Bundle {
    /** The score of each constraint of the task, in the order of declaration. */
    constraintScores: ConstraintScore[];
}

/** Whether a plan can satisfy a constraint. */
export interface ConstraintScore {
    /** The constraint's id; made from the expression where it has none. */
    constraintId: string;
    /** The level that the constraint declares. */
    severity: ConstraintLevel;
    /** 1 if the plan can satisfy it, 0 if it cannot or was not judged; null for informational ones. */
    score: number | null;
}

/** An accepted plan, and what is left to say about it. */
export interface PlanGeneratedPayload extends PlanPayload {
    /** The plan's version. */
    planVersion: number;
    /** The plan's nodes, in its order. */
    nodes: TrimmedNode[];
    /** Nothing hard stands against it. */
    status: Exclude<BundleStatus, "rejected">;
}

/** An accepted plan, and how its findings differ from those of the earlier answer. */
export interface PlanUpdatedPayload extends PlanGeneratedPayload {
    /** Findings of the earlier answer that are gone. */
    resolved: PlanDiagnostic[];
    /** Findings that the earlier answer did not have. */
    introduced: PlanDiagnostic[];
    /** How many findings are in both answers. */
    unchanged: number;
}

/** What stands against a plan. */
export interface PlanRejectedPayload extends PlanPayload {
    /** Something hard does. */
    status: "rejected";
}

/** The payload of an earlier answer, whichever event it was of. */
export interface PreviousPayload extends Bundle {
    /** As in {@link PlanPayload}. */
    constraintScores?: ConstraintScore[];
    /** As in {@link PlanGeneratedPayload}. */
    planVersion?: number;
    /** As in {@link PlanGeneratedPayload}. */
    nodes?: TrimmedNode[];
    /** As in {@link PlanUpdatedPayload}. */
    resolved?: PlanDiagnostic[];
    /** As in {@link PlanUpdatedPayload}. */
    introduced?: PlanDiagnostic[];
    /** As in {@link PlanUpdatedPayload}. */
    unchanged?: number;
}

/** What a controller needs to know of a node. */
export interface TrimmedNode {
    /** Its name. */
    nodeId: string;
    /** Who does it. */
    capabilityId?: string;
    /** What it gives, as it says or as follows from its facets and contract. */
    provides: string[];
    /** The ids of the constraints that it enforces, as it says or as follows. */
    enforces: string[];
}

/** A whole call of `observe_output`. */
export interface ObserveOutputCall {
    /** What the output must be. */
    outputContract: OutputContract;
    /** The output, whatever it is. */
    output: unknown;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** The complete answer of `observe_output`: what the contract says of an output that is there. */
export interface Observation extends Bundle {
    /** The score, by the name that it has after a run. */
    observedSatisfaction: number;
}
