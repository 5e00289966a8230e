//! The answer of `deliberate`, as foreign engines must give it too (docs/reference/planning-gates.md).

mod reason;

use alloc::{borrow::Cow, string::String, vec::Vec};

use adjudicate_lang::{
    document::{Document, Id, Magnitude},
    json::{self, Nullable},
};
use serde::Serialize;

pub use self::reason::ReasonCode;
pub(crate) use self::reason::Remedy;

/// The answer to a ledger: what the agent is to do, and why.
#[derive(Clone, Debug, Document, Serialize)]
#[document(expecting = "an object")]
pub struct Deliberation<'a> {
    /// The gate: what the agent is to do.
    pub gate: Gate,
    /// The reasons of the gate, and warnings, which did not decide it.
    pub reasons: Vec<PlanningReason<'a>>,
    /// The signs of stagnation, each once, in their order.
    pub triggers: Vec<StagnationTrigger>,
    /// The duties that are due and open, each once, in their order.
    pub duties: Vec<Duty>,
    /// The rest of each budget. The bonus of a switch that is called for here is not in it.
    pub budgets_left: BudgetsLeft,
    /// The switch of strategy that the gate `switch` calls for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub switch: Option<SwitchDeclaration<'a>>,
    /// The report to the one who takes over, if there is a reason to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_report: Option<StopReport<'a>>,
    /// The verdicts on the question of the ledger, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question_verdict: Option<QuestionVerdict>,
}

impl Deliberation<'_> {
    /// Returns the reason to end the planning, if the gate ends it.
    #[must_use]
    pub fn stop_reason(&self) -> Option<StopReason> {
        self.stop_report.as_ref().map(|report| report.stop_reason)
    }

    /// Returns the answer as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        json::write(self)
    }
}

/// A reason of a gate, or a warning.
#[derive(Clone, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object")]
pub struct PlanningReason<'a> {
    /// The code, from a closed list.
    pub code: ReasonCode,
    /// The reason in one line.
    pub message: Id<'a>,
    /// JSON Pointer into the ledger, to the evidence of the reason or to the place where something is missing.
    pub path: Cow<'a, str>,
}

/// The rest of each budget.
#[derive(Clone, Copy, Debug, Document, Serialize)]
#[document(expecting = "an object")]
pub struct BudgetsLeft {
    /// The number of iterations.
    pub iterations: u64,
    /// The number of subagent calls.
    pub subagent_calls: u64,
    /// The time in milliseconds.
    pub wall_time_ms: u64,
    /// The rest of the phase after a switch, until an answer lifts its cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseBudget>,
}

/// The declaration that a strategy failed.
#[derive(Clone, Debug, Document, Serialize)]
#[document(expecting = "an object")]
pub struct SwitchDeclaration<'a> {
    /// The first of `triggers`, else `low_novelty`.
    pub trigger: &'a str,
    /// The strategy that failed: the last one of the ledger; null if no turn names one.
    pub current_strategy: Nullable<&'a str>,
    /// The budget of the next strategy.
    pub new_budget: NewBudget,
}

/// The budget of a strategy after a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(name = "PhaseBudget", expecting = "an object")]
pub struct NewBudget {
    /// The number of iterations.
    pub max_iterations: u64,
    /// The number of subagent calls.
    pub max_subagent_calls: u64,
}

/// The report at the end of a planning session.
#[derive(Clone, Debug, Document, Serialize)]
#[document(expecting = "an object")]
pub struct StopReport<'a> {
    /// The reason of the stop.
    pub stop_reason: StopReason,
    /// The confidence of the last turn, 0 without turns.
    pub confidence: Magnitude,
    /// The evidence ids, and the sources that were asked.
    pub evidence_summary: Vec<Id<'a>>,
    /// The open conflicts, the blocker and the open question.
    pub uncertainties_remaining: Vec<Id<'a>>,
    /// The actions that the reasons ask for.
    pub next_actions: Vec<Id<'a>>,
    /// The used part of each budget.
    pub budget_consumed: BudgetConsumed<'a>,
    /// The recommendation of the ledger, null if it has none.
    pub recommendation: Nullable<ReportedRecommendation<'a>>,
    /// The question of the ledger, null if it has none.
    pub question: Nullable<ReportedQuestion<'a>>,
}

/// The used part of each budget.
#[derive(Clone, Debug, Document, Serialize)]
#[document(expecting = "an object")]
pub struct BudgetConsumed<'a> {
    /// Iterations since the last answer.
    pub iterations: SpentBudget<'a>,
    /// Subagent calls of the whole session.
    pub subagent_calls: SpentBudget<'a>,
    /// Milliseconds of the whole session.
    pub wall_time: SpentBudget<'a>,
}

/// The used part of a budget.
#[derive(Clone, Debug, Document, Serialize)]
#[document(expecting = "an object")]
pub struct SpentBudget<'a> {
    /// The used number.
    pub used: u64,
    /// The budget.
    pub max: u64,
    /// Both as text, for example `3/5`.
    pub text: Cow<'a, str>,
}

/// A recommendation in a stop report.
#[derive(Clone, Copy, Debug, Document, Serialize)]
#[document(expecting = "an object")]
pub struct ReportedRecommendation<'a> {
    /// The text of the ledger.
    pub text: &'a str,
    /// The label, by the confidence of the last turn.
    pub label: Readiness,
}

/// A question in a stop report.
#[derive(Clone, Copy, Debug, Document, Serialize)]
#[document(expecting = "an object")]
pub struct ReportedQuestion<'a> {
    /// The text of the ledger.
    pub text: &'a str,
    /// The verdicts of the answer.
    pub verdict: QuestionVerdict,
}

/// The verdicts on a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object")]
pub struct QuestionVerdict {
    /// The verdict whether the question is one question.
    pub singular: QualityVerdict,
    /// The verdict whether a human can answer it with a fact.
    pub answerable: QualityVerdict,
    /// The verdict whether the planning needs the answer.
    pub blocking: QualityVerdict,
    /// The verdict whether the question has its context.
    pub contextual: QualityVerdict,
}

/// The verdict on one quality of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(expecting = "an object")]
pub struct QualityVerdict {
    /// True if the question has the quality.
    pub met: bool,
    /// The reason of the verdict.
    pub reason: QualityReason,
}

impl QuestionVerdict {
    /// Returns the verdicts in the order of [`QuestionQuality`].
    #[must_use]
    pub const fn all(&self) -> [QualityVerdict; 4] {
        [self.singular, self.answerable, self.blocking, self.contextual]
    }
}

/// The next act of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(name = "PlanningGate")]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// Plan one more turn.
    Continue,
    /// Declare the strategy failed and take another one, of which there is one.
    Switch,
    /// Ask one blocking question and wait for its answer.
    Escalate,
    /// Hand over the recommendation.
    Commit,
    /// End the planning.
    Stop,
}

/// The reason of a stop, as a stop report states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The recommendation can be acted on.
    RecommendationReady,
    /// Only an answer helps.
    BlockingQuestion,
    /// Nothing is left of a budget.
    BudgetExhausted,
    /// The other strategy did not help either.
    Stagnation,
    /// A human must decide or repair.
    HumanRequired,
}

/// A duty of the agent, due by the end of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(name = "PlanningDuty")]
#[serde(rename_all = "snake_case")]
pub enum Duty {
    /// State the goal, the constraints and the initial evidence.
    Triad,
    /// Plan the exploration, step by step.
    ExplorationPlan,
    /// Divide the budgets.
    BudgetAllocation,
    /// Check if the turns so far brought anything new.
    NoveltyCheck,
}

/// The budget of the phase after a switch of strategy, or the rest of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Document, Serialize)]
#[document(name = "PhaseLeft", expecting = "an object")]
pub struct PhaseBudget {
    /// The number of iterations.
    pub iterations: u64,
    /// The number of subagent calls.
    pub subagent_calls: u64,
}

/// A sign that an agent goes round in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StagnationTrigger {
    /// The same failure came three times.
    RepeatedFailure,
    /// The last two turns touched no file that no turn before them had touched.
    NoNewFiles,
    /// Confidence rose by less than 0.1, twice in a row.
    ConfidencePlateau,
    /// The same was asked of two sources, and nothing was put together in between.
    RedundantQueries,
}

/// A quality that a blocking question must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionQuality {
    /// One question.
    Singular,
    /// A human can answer it with a fact.
    Answerable,
    /// Its answer lets the planning go on.
    Blocking,
    /// It says what one must know to answer it.
    Contextual,
}

/// The reason of a verdict on a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(name = "QualityReason")]
#[serde(rename_all = "snake_case")]
pub enum QualityReason {
    /// Its text has exactly one question mark.
    OneQuestionMark,
    /// Its text asks nothing.
    NoQuestionMark,
    /// Its text asks several things.
    SeveralQuestionMarks,
    /// Its text joins a second question to the first, as in `, and what`.
    CoordinatedQuestions,
    /// It has options to choose from, or says what type its answer has.
    AnswerDeclared,
    /// It has no options and does not say what type its answer has.
    AnswerUndeclared,
    /// It has no options, and any text is an answer.
    FreeText,
    /// It says what its answer unblocks.
    UnblocksDeclared,
    /// It does not say what its answer unblocks.
    UnblocksUndeclared,
    /// Tools could answer it, so the planning need not wait for a human.
    AnswerableByTools,
    /// It comes with its context.
    ContextGiven,
    /// It comes without context.
    ContextMissing,
}

/// The label of a recommendation in a stop report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
#[document(name = "RecommendationLabel")]
#[serde(rename_all = "snake_case")]
pub enum Readiness {
    /// Confidence is below 0.7: the recommendation is premature, the best that there is.
    BestEffort,
    /// Confidence is 0.7 or more and below 0.8.
    Provisional,
    /// Confidence is 0.8 or more.
    Ready,
}
