/** What was planned so far: the call of `deliberate`. */
export interface Ledger {
    /** What is to be achieved. */
    goal?: string;
    /** What bounds it. */
    constraints?: string[];
    /** What is known at the beginning. */
    initial_evidence?: string[];
    /** What may be used. */
    budgets?: PlanningBudgets;
    /** What may be used after all: a person said so. */
    overrides?: PlanningBudgets;
    /** The turns, in their order. */
    turns?: PlanningTurn[];
    /** The change of strategy, if there was one. */
    strategy_switches?: StrategySwitch[];
    /** The answers to questions. */
    answers?: QuestionAnswer[];
    /** What is checked without judgement. */
    checks?: PlanningChecks;
    /** How much is at risk. */
    risk?: PlanningRisk;
    /** The question that the agent would ask. */
    question?: PlanningQuestion;
    /** What the agent would do. */
    recommendation?: Recommendation;
    /** For editors: the JSON Schema of the document. It is ignored. */
    $schema?: string;
}

/** What a planning agent may use. */
export interface PlanningBudgets {
    /** Turns' iterations; 5 by default. */
    max_iterations?: number;
    /** Calls of subagents; 8 by default. */
    max_subagent_calls?: number;
    /** Milliseconds; 300,000 by default. */
    max_wall_time_ms?: number;
}

/** A turn of planning. */
export interface PlanningTurn {
    /** Its number, from 1. */
    n: number;
    /** What it used. */
    consumed?: Consumption;
    /** The evidence that it found. */
    evidence_ids?: string[];
    /** The files that it touched. */
    files?: string[];
    /** How it failed, if it did. */
    failure_signature?: string;
    /** What it asked. */
    queries?: PlanningQuery[];
    /** How sure the agent is, from 0 to 1. */
    confidence: number;
    /** How much is uncertain, from 0 on. */
    uncertainty: number;
    /** Which pieces of evidence still contradict each other. */
    conflicts_open?: string[];
    /** What is in the way. */
    blocker?: string;
    /** What it tried. */
    strategy?: string;
    /** What is to be explored: owed at turn 2. */
    exploration_plan?: unknown[];
    /** What may be used for it: owed at turn 2. */
    budget_allocation?: object;
    /** What was new: owed at turn 3. */
    novelty_check?: object;
}

/** What a turn used. */
export interface Consumption {
    /** Iterations; 1 by default. */
    iterations?: number;
    /** Calls of subagents. */
    subagent_calls?: number;
    /** Milliseconds. */
    wall_time_ms?: number;
}

/** Something that a turn asked. */
export interface PlanningQuery {
    /** What is asked. */
    key: string;
    /** Who is asked. */
    source: string;
    /** Whether what was found up to here was put together. */
    synthesis?: boolean;
}

/** A change of strategy. */
export interface StrategySwitch {
    /** After which turn. */
    after_turn: number;
    /** To what. */
    to: string;
    /** What it is to show. */
    hypothesis?: string;
}

/** An answer to a question. */
export interface QuestionAnswer {
    /** After which turn. */
    after_turn: number;
}

/** What is checked without judgement. */
export interface PlanningChecks {
    /** The files that must be there and are not. */
    required_files_missing?: string[];
    /** Whether there are tests to run. */
    tests_available?: boolean;
    /** What may not be read. */
    permission_denied?: string[];
}

/** How much is at risk. */
export interface PlanningRisk {
    /** So much. */
    level: number;
    /** More than this stops the planning. */
    threshold: number;
}

/** A question to a person. */
export interface PlanningQuestion {
    /** The question, with its one question mark. */
    text: string;
    /** What can be answered. */
    options?: string[];
    /** The type of the answer. */
    answer_type?: string;
    /** What the answer unblocks. */
    unblocks?: string;
    /** What one must know to answer. */
    context?: string;
}

/** What a planning agent would do. */
export interface Recommendation {
    /** What. */
    text: string;
    /** Whether the way is clear. */
    path_clear?: boolean;
    /** Whether what could go wrong is documented. */
    risks_documented?: boolean;
}

/** The answer of `deliberate`. */
export interface Deliberation {
    /** What the agent is to do. */
    gate: PlanningGate;
    /** Why. */
    reasons: PlanningReason[];
    /** How the planning stagnates. */
    triggers: StagnationTrigger[];
    /** What is owed. */
    duties: PlanningDuty[];
    /** What is left of the budgets. */
    budgets_left: BudgetsLeft;
    /** What is told where the planning ends. */
    stop_report?: StopReport;
    /** What the question is like, if there is one. */
    question_verdict?: QuestionVerdict;
}

/** What a planning agent is to do. */
export type PlanningGate =
    | "continue"
    | "switch"
    | "escalate"
    | "commit"
    | "stop";

/** A reason of a gate. */
export interface PlanningReason {
    /** Which one. */
    code: PlanningReasonCode;
    /** What it says, in words. */
    message: string;
    /** What it is about, a JSON Pointer into the ledger. */
    path: string;
}

/** The reasons of gates. */
export type PlanningReasonCode =
    | "risk_over_threshold"
    | "required_files_missing"
    | "tests_unavailable"
    | "permission_denied"
    | "recommendation_ready"
    | "iterations_exhausted"
    | "subagent_calls_exhausted"
    | "wall_time_exhausted"
    | "question_owed"
    | "best_effort"
    | "provisional"
    | "repeated_failure"
    | "no_new_files"
    | "confidence_plateau"
    | "redundant_queries"
    | "phase_iterations_exhausted"
    | "phase_calls_exhausted"
    | "low_novelty_repeated"
    | "triad_missing"
    | "question_open"
    | "low_novelty"
    | "triad_due";

/** How planning stagnates. */
export type StagnationTrigger =
    | "repeated_failure"
    | "no_new_files"
    | "confidence_plateau"
    | "redundant_queries";

/** What the agent owes. */
export type PlanningDuty =
    | "triad"
    | "exploration_plan"
    | "budget_allocation"
    | "novelty_check";

/** What is left, never below 0. */
export interface BudgetsLeft {
    /** Iterations. */
    iterations: number;
    /** Calls of subagents. */
    subagent_calls: number;
    /** Milliseconds. */
    wall_time_ms: number;
}

/** What is told where the planning ends. */
export interface StopReport {
    /** Why it ends. */
    stop_reason: StopReason;
    /** How sure the agent was. */
    confidence: number;
    /** The evidence that was found. */
    evidence_summary: string[];
    /** What is still uncertain. */
    uncertainties_remaining: string[];
    /** What to do about it. */
    next_actions: string[];
    /** What was used. */
    budget_consumed: BudgetConsumed;
}

/** Why planning ends. */
export type StopReason =
    | "recommendation_ready"
    | "blocking_question"
    | "budget_exhausted"
    | "stagnation"
    | "human_required";

/** What was used of each budget. */
export interface BudgetConsumed {
    /** Iterations. */
    iterations: SpentBudget;
    /** Calls of subagents. */
    subagent_calls: SpentBudget;
    /** Milliseconds. */
    wall_time_ms: SpentBudget;
}

/** What was used of a budget. */
export interface SpentBudget {
    /** So much. */
    used: number;
    /** Of so much. */
    max: number;
}

/** What a question is like. */
export interface QuestionVerdict {
    /** Whether it is one question. */
    singular: QualityVerdict;
    /** Whether a person can answer it with a fact. */
    answerable: QualityVerdict;
    /** Whether its answer lets the planning go on. */
    blocking: QualityVerdict;
    /** Whether it says what one must know to answer it. */
    contextual: QualityVerdict;
}

/** Whether a question is what it must be. */
export interface QualityVerdict {
    /** Whether it is. */
    met: boolean;
    /** Why. */
    reason: QualityReason;
}

/** Why a question is what it must be, or is not. */
export type QualityReason =
    | "one_question_mark"
    | "no_question_mark"
    | "several_question_marks"
    | "answer_declared"
    | "answer_undeclared"
    | "unblocks_declared"
    | "unblocks_undeclared"
    | "context_given"
    | "context_missing";
