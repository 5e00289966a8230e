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
    /** The strategy that it follows. */
    strategy?: string;
    /** The hypotheses that it falsified. */
    falsified?: string[];
    /** Whether it put the evidence so far together; it ends evidence theater, not redundant queries. */
    synthesis?: boolean;
    /** The agent's own decision, here or in `novelty_check`. */
    continue_decision?: ContinueDecision;
    /** The steps to explore: owed at turn 2. A step that is plain text is reported as `untyped_plan`. */
    exploration_plan?: (string | TypedStep)[];
    /** The budgets that it sets aside: owed at turn 2, within the budgets. */
    budget_allocation?: BudgetAllocation;
    /** What was new: owed at turn 3. */
    novelty_check?: NoveltyCheck;
}

/** A step of an exploration plan that says whether a tool or an agent takes it. */
export type TypedStep = ExplorationStep & ({ tool: string; agent?: never } | { agent: string; tool?: never });

/** A step of an exploration plan. It has `tool` or `agent`, not both. */
export interface ExplorationStep {
    /** The tool to call. */
    tool?: string;
    /** The subagent to call. */
    agent?: string;
    /** What the tool or the agent does. */
    action: string;
    /** The information that is expected. */
    expects?: string;
}

/** The budgets that a turn sets aside. */
export interface BudgetAllocation {
    /** Iterations. */
    max_iterations?: number;
    /** Calls of subagents. */
    max_subagent_calls?: number;
    /** Milliseconds. */
    max_wall_time_ms?: number;
    /** Minutes, or text like `3 minutes`, `2.5 min`, `90 seconds` or `500 ms`. */
    estimated_wall_time?: number | string;
}

/** What was new after a turn, as the agent sees it. */
export interface NoveltyCheck {
    /** Whether there was new information. */
    new_information?: boolean | "yes" | "no";
    /** By how much uncertainty was reduced: a number, or text like `40%`. */
    uncertainty_reduction?: number | string;
    /** How sure the agent is, from 0 to 1. */
    confidence_level?: number;
    /** The agent's own decision. */
    continue_decision?: ContinueDecision;
}

/** The agent's own decision at the end of a turn. */
export type ContinueDecision =
    | "continue"
    | "switch"
    | "escalate"
    | "commit";

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
    /** The new strategy, another one than before. */
    to: string;
    /** What the new strategy tests; not blank. */
    hypothesis: string;
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
    /** The type of the answer; `text` does not make a question answerable. */
    answer_type?: string;
    /** What the answer unblocks. */
    unblocks?: string;
    /** What one must know to answer. */
    context?: string;
    /** Tools that could answer it, so that it is not blocking. */
    answerable_by?: string[];
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
    /**
     * Why, then warnings, which did not decide the gate. The codes from `no_progress` on are warnings, except that
     * `no_progress` and `evidence_theater` together are a reason to `escalate`.
     */
    reasons: PlanningReason[];
    /** How the planning stagnates. */
    triggers: StagnationTrigger[];
    /** What is owed. */
    duties: PlanningDuty[];
    /** What is left of the budgets. */
    budgets_left: BudgetsLeft;
    /** The switch of strategy that the gate calls for. */
    switch?: SwitchDeclaration;
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
    /** What is left of the phase after a switch of strategy, until an answer lifts its cap. */
    phase?: PhaseLeft;
}

/** What is left of a phase, never below 0. */
export interface PhaseLeft {
    /** Iterations. */
    iterations: number;
    /** Calls of subagents. */
    subagent_calls: number;
}

/** A switch of strategy that the gate calls for. */
export interface SwitchDeclaration {
    /** The first of `triggers`, else low novelty. */
    trigger: StagnationTrigger | "low_novelty";
    /** The strategy that failed, the last one that a turn names. */
    current_strategy: Nullable<string>;
    /** What the next strategy may use. */
    new_budget: PhaseBudget;
}

/** What a strategy may use after a switch. */
export interface PhaseBudget {
    /** Iterations. */
    max_iterations: number;
    /** Calls of subagents. */
    max_subagent_calls: number;
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
    /** The recommendation of the ledger. */
    recommendation: Nullable<ReportedRecommendation>;
    /** The question of the ledger. */
    question: Nullable<ReportedQuestion>;
}

/** A recommendation in a stop report. */
export interface ReportedRecommendation {
    /** What the agent recommends. */
    text: string;
    /** How far it can be relied on: below 0.7, below 0.8, and from 0.8 on. */
    label: RecommendationLabel;
}

/** How far a recommendation can be relied on. */
export type RecommendationLabel =
    | "best_effort"
    | "provisional"
    | "ready";

/** A question in a stop report. */
export interface ReportedQuestion {
    /** The question. */
    text: string;
    /** What the question is like. */
    verdict: QuestionVerdict;
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
    wall_time: SpentBudget;
}

/** What was used of a budget. */
export interface SpentBudget {
    /** So much. */
    used: number;
    /** Of so much. */
    max: number;
    /** Both numbers, as in `3/5`. */
    text: string;
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
    | "coordinated_questions"
    | "answer_declared"
    | "answer_undeclared"
    | "free_text"
    | "unblocks_declared"
    | "unblocks_undeclared"
    | "answerable_by_tools"
    | "context_given"
    | "context_missing";
