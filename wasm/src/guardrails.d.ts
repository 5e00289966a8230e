/** A policy that watches a run, and never changes its plan. */
export interface RuntimePolicy {
    /** Its name: counters go by it. */
    id: string;
    /** Whether it counts; true where it says nothing. */
    enabled?: boolean;
    /** When it fires. */
    trigger: Trigger;
    /** What must hold of the event's output too; beside a condition of the trigger both must. */
    condition?: Condition;
    /** What is to be done then. */
    action: Action;
}

/** Whether something holds: a strict JSONLogic expression, or true or false. */
export type Condition = Expression | boolean;

/** What happened, and what a guardrail waits for. */
export type TriggerKind =
    | "onStart"
    | "onNodeComplete"
    | "onValidationFail"
    | "onPostConditionFailed"
    | "onTimeout"
    | "onMetricBelow"
    | "manual";

/** When a guardrail fires; `kind` tells which. */
export type Trigger = EventTrigger | TimeoutTrigger | MetricTrigger;

/** What every trigger carries. */
export interface TriggerMembers {
    /** The nodes that it waits for; any, where it says nothing. */
    selector?: NodeSelector;
    /** What must hold of the event's output. */
    condition?: Condition;
    /** The same as `nodeId` in the selector. */
    nodeId?: string;
}

/** Waits for an event, and no more. */
export interface EventTrigger extends TriggerMembers {
    /** Which one. */
    kind: Exclude<TriggerKind, "onTimeout" | "onMetricBelow">;
}

/** Waits until time has gone by. */
export interface TimeoutTrigger extends TriggerMembers {
    /** Time went by. */
    kind: "onTimeout";
    /** How much: it fires at so many milliseconds, and after. */
    ms: number;
}

/** Waits until a metric is too low. */
export interface MetricTrigger extends TriggerMembers {
    /** A metric was measured. */
    kind: "onMetricBelow";
    /** Which one. */
    metric: string;
    /** It fires below that, and not at it. */
    threshold: number;
}

/** What a node is, or must be; what is not said may be anything. */
export interface NodeSelector {
    /** Its name in the plan. */
    nodeId?: string;
    /** What sort of node it is. */
    kind?: string;
    /** Who does it. */
    capabilityId?: string;
}

/** What is to be done; `type` tells which. None of them changes the plan. */
export type Action = RetryAction | PauseAction | HitlAction | ReplanAction | FailAction | EmitAction;

/** Do it again. */
export interface RetryAction {
    /** Do it again. */
    type: "retry";
    /** So often at most; a person is asked after that. */
    maxAttempts: number;
}

/** Wait. */
export interface PauseAction {
    /** Wait. */
    type: "pause";
    /** Why. */
    reason: string;
}

/** Ask a person. */
export interface HitlAction {
    /** Ask a person. */
    type: "hitl";
    /** Why. */
    rationale: string;
    /** What a yes leads to: an action, or the name of one that the caller knows. */
    approveAction?: Action | string;
    /** What a no leads to. */
    rejectAction?: Action | string;
}

/** Ask for another plan. */
export interface ReplanAction {
    /** Ask for another plan. */
    type: "replan";
    /** Why. */
    rationale?: string;
}

/** End the run. */
export interface FailAction {
    /** End the run. */
    type: "fail";
    /** Why. */
    message: string;
}

/** Tell somebody, and go on. */
export interface EmitAction {
    /** Tell somebody, and go on. */
    type: "emit";
    /** The name of what is emitted. */
    event: string;
    /** What it carries. */
    payload?: unknown;
}

/** What happened in a run. */
export interface GuardrailEvent {
    /** What sort of event it is. */
    kind: TriggerKind;
    /** The node that it happened to. */
    node?: NodeSelector;
    /** What came out, which conditions are about. */
    output?: unknown;
    /** How many milliseconds have gone by. */
    elapsedMs?: number;
    /** What was measured, by name. */
    metrics?: Record<string, number>;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** What the caller has counted and measured before the event. */
export interface RunState {
    /** How often each policy has been retried, by its id. */
    retries?: Record<string, number>;
    /** What was measured, by name; the event's own come first. */
    metrics?: Record<string, number>;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** A whole call of `apply_guardrails`. */
export interface ApplyGuardrailsCall {
    /** The guardrails. */
    policies: RuntimePolicy[];
    /** What happened. */
    event: GuardrailEvent;
    /** What is known of the run. */
    state?: RunState;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** The complete answer of `apply_guardrails`: what fires, in the order of the policies. */
export interface Actions {
    /** What is to be done; those after a terminal one are listed all the same. */
    actions: GuardrailAction[];
    /** What the event `policy_triggered` carries, one for each action. */
    payloads: PolicyTriggered[];
}

/** What is to be done about an event. */
export interface GuardrailAction {
    /** The policy that fires. */
    policyId: string;
    /** What is to be done. */
    action: Action;
    /** Whether the run stops for it. */
    terminal: boolean;
    /** Why a person is asked in place of what the policy says. */
    reason?: ActionReason;
}

/** Why a person is asked: whatever cannot be decided fails closed. */
export type ActionReason =
    | "retries_exhausted"
    | "condition_undecided"
    | "metric_missing"
    | "elapsed_missing";

/** That a policy has fired. */
export interface PolicyTriggered {
    /** Which one. */
    policyId: string;
    /** Its trigger, in the one form that it has whatever the policy's. */
    trigger: Trigger;
    /** What is to be done. */
    action: Action;
    /** The same as informational advice for the planner: it names the node of the event, and merges with a plan's diagnostics. */
    diagnostic: PlanDiagnostic;
}
