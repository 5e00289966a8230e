//! Reasons: one table of what a gate can say, with what to do about it.

use alloc::{string::String, vec::Vec};

use adjudicate_lang::json::object::Members;

use super::gates::{Gate, StopReason};
use crate::words::words;

/// What a stop report tells to do about a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing that another reason does not tell.
    Nothing,
    /// Act on the recommendation.
    Recommendation,
    /// Ask the question of the ledger, or find one.
    Question,
    /// This.
    Do(&'static str),
}
use Remedy::{Do, Nothing, Question, Recommendation};

/// Declares the reasons: their code, the gates that give them (and the report's reason for a stop), what they say, what to do.
/// One without gates [may be a warning](ReasonCode::is_warning).
macro_rules! reasons {
    ($($name:ident = $text:literal [$($gate:ident $($stop:ident)?),*] $message:literal, $remedy:expr;)+) => {
        words! {
            /// Why a gate holds, from a closed list; the texts never change once released.
            ///
            /// ```
            /// use adjudicate_core::deliberate::ReasonCode;
            /// assert_eq!(ReasonCode::BestEffort.as_str(), "best_effort");
            /// ```
            #[non_exhaustive]
            ReasonCode { $(#[doc = $message] $name = $text,)+ }
        }

        impl ReasonCode {
            /// What it says, in one line.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self { $(Self::$name => $message,)+ }
            }

            pub(super) const fn remedy(self) -> Remedy {
                match self { $(Self::$name => $remedy,)+ }
            }

            /// The gates that give it, each with its reason for a stop.
            const fn gates(self) -> &'static [(Gate, Option<StopReason>)] {
                match self { $(Self::$name => &[$((Gate::$gate, reasons!(@ $($stop)?))),*],)+ }
            }
        }
    };
    (@ $stop:ident) => { Some(StopReason::$stop) };
    (@) => { None };
}

reasons! {
    RiskOverThreshold = "risk_over_threshold" [Stop HumanRequired]
        "the risk is over its threshold", Do("let a person decide whether the risk is taken");
    RequiredFilesMissing = "required_files_missing" [Stop HumanRequired]
        "required files are missing", Do("provide the files that are missing");
    TestsUnavailable = "tests_unavailable" [Stop HumanRequired]
        "there are no tests to run", Do("make the tests available");
    PermissionDenied = "permission_denied" [Stop HumanRequired]
        "sources may not be read", Do("grant the permissions that were denied");
    RecommendationReady = "recommendation_ready" [Commit RecommendationReady]
        "the recommendation can be acted on: confidence is 0.8 or more, and nothing is open", Recommendation;
    IterationsExhausted = "iterations_exhausted" [Stop BudgetExhausted]
        "all iterations are used", Do("answer the question, or allow more iterations by an override");
    SubagentCallsExhausted = "subagent_calls_exhausted" [Stop BudgetExhausted]
        "all subagent calls are used", Do("allow more subagent calls by an override");
    WallTimeExhausted = "wall_time_exhausted" [Stop BudgetExhausted]
        "all of the time is used", Do("allow more time by an override");
    RepeatedFailure = "repeated_failure" [Switch, Stop Stagnation]
        "the same failure came three times", Do("find out why the same failure comes back");
    NoNewFiles = "no_new_files" [Switch, Stop Stagnation]
        "the last two turns touched no new files", Do("name sources that have not been looked at");
    ConfidencePlateau = "confidence_plateau" [Switch, Stop Stagnation]
        "confidence rose by less than 0.1 twice in a row", Do("say what would make the recommendation more certain");
    RedundantQueries = "redundant_queries" [Switch, Stop Stagnation]
        "the same was asked of several sources with no synthesis in between", Do("put together what was found before more is asked");
    BlockingQuestionOwed = "blocking_question_owed" [Stop BudgetExhausted, Stop Stagnation]
        "a blocking question is owed that says what remains uncertain", Question;
    BestEffort = "best_effort" [Stop BudgetExhausted]
        "confidence is below 0.7: a recommendation is no more than the best that there is", Nothing;
    Provisional = "provisional" [Stop BudgetExhausted]
        "confidence is 0.7 or more: a recommendation is provisional", Nothing;
    PhaseIterationsExhausted = "phase_iterations_exhausted" [Escalate BlockingQuestion]
        "the two iterations that a switch of strategy allows are used", Question;
    PhaseCallsExhausted = "phase_calls_exhausted" [Escalate BlockingQuestion]
        "the three subagent calls that a switch of strategy allows are used", Question;
    LowNoveltyRepeated = "low_novelty_repeated" [Escalate BlockingQuestion]
        "two turns in a row took less than 20 % of the uncertainty", Question;
    TriadMissing = "triad_missing" [Escalate BlockingQuestion]
        "goal, constraints and initial evidence were due by the end of turn 2", Do("state the goal, its constraints and the initial evidence");
    QuestionOpen = "question_open" [Escalate BlockingQuestion]
        "a blocking question waits for its answer", Question;
    LowNovelty = "low_novelty" [Switch]
        "the turn took less than 20 % of the uncertainty", Nothing;
    NoProgress = "no_progress" []
        "the turn made no progress: nothing in it is new, more certain, settled or unblocked", Nothing;
    EvidenceTheater = "evidence_theater" []
        "two turns in a row gathered evidence without a synthesis", Question;
    InvestigatedBeforeTriad = "investigated_before_triad" []
        "the agent investigated before it stated goal, constraints and initial evidence", Nothing;
    AllocationOverBudget = "allocation_over_budget" []
        "the budget allocation exceeds a budget", Nothing;
    UntypedPlan = "untyped_plan" []
        "a step of the exploration plan is plain text: name its tool or agent and its action", Nothing;
    PrematureRecommendation = "premature_recommendation" []
        "confidence is below 0.7: the recommendation is premature", Nothing;
    DecisionDisagrees = "decision_disagrees" []
        "the turn decided otherwise than the gate", Nothing;
    TriadDue = "triad_due" []
        "goal, constraints and initial evidence are due by the end of turn 2", Nothing;
}

impl ReasonCode {
    /// Whether a gate may have it.
    pub(super) fn is_of(self, gate: Gate, stop_reason: Option<StopReason>) -> bool {
        self.gates().is_empty() || self.gates().contains(&(gate, stop_reason))
    }

    /// Returns whether it decided nothing in an answer with this gate and these reasons.
    ///
    /// `no_progress` and `evidence_theater` are warnings at every gate, with one exception: together they are a reason to
    /// escalate.
    ///
    /// ```
    /// use adjudicate_core::deliberate::{Gate, ReasonCode::{EvidenceTheater, NoProgress, UntypedPlan}};
    /// assert!(EvidenceTheater.is_warning(Gate::Escalate, &[EvidenceTheater]));
    /// assert!(!EvidenceTheater.is_warning(Gate::Escalate, &[NoProgress, EvidenceTheater, UntypedPlan]));
    /// assert!(UntypedPlan.is_warning(Gate::Escalate, &[NoProgress, EvidenceTheater, UntypedPlan]));
    /// ```
    #[must_use]
    pub fn is_warning(self, gate: Gate, reasons: &[Self]) -> bool {
        let theater = [Self::NoProgress, Self::EvidenceTheater];
        let is_theater = gate == Gate::Escalate && theater.iter().all(|code| reasons.contains(code));
        self.gates().is_empty() && !(is_theater && theater.contains(&self))
    }
}

/// Why a gate holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    code: ReasonCode,
    path: String,
}

impl Reason {
    /// What it is, from a closed list.
    #[must_use]
    pub const fn code(&self) -> ReasonCode {
        self.code
    }

    /// JSON Pointer into the ledger, to what shows it or what is missing.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.path
    }

    /// `{code, message, path}`, the members that an error has.
    pub(super) fn write(&self, out: &mut String) {
        let mut members = Members::open(out);
        members.text("code", Some(self.code.as_str()));
        members.text("message", Some(self.code.message()));
        members.text("path", Some(&self.path));
        members.close();
    }
}

/// Where a gate puts its reasons.
pub(super) struct Reporter<'r>(&'r mut Vec<Reason>);

impl<'r> Reporter<'r> {
    pub(super) const fn new(reasons: &'r mut Vec<Reason>) -> Self {
        Self(reasons)
    }

    pub(super) fn at(&mut self, path: impl Into<String>, code: ReasonCode) {
        self.0.push(Reason { code, path: path.into() });
    }

    /// Whether nothing was reported so far.
    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
