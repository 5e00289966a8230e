//! The codes of the reasons of a gate: one table with their gates, messages and remedies.

use adjudicate_lang::document::Document;
use serde::Serialize;

use super::{Gate, StopReason};

/// The next action that a stop report lists for a reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Remedy {
    /// None of its own.
    Nothing,
    /// To act on the recommendation.
    Recommendation,
    /// To ask the question of the ledger, or to find one.
    Question,
    /// To follow this instruction.
    Do(&'static str),
}

use Remedy::{Do, Nothing, Question, Recommendation};

/// Declares the reasons: code, gates (with the stop reason of each), message and remedy. A reason without gates [may be a
/// warning](ReasonCode::is_warning).
macro_rules! reasons {
    ($($name:ident [$($gate:ident $($stop:ident)?),*] $message:literal, $remedy:expr;)+) => {
        /// The code of a reason, from a closed list; the texts never change once released.
        ///
        /// ```
        /// use adjudicate_core::deliberate::ReasonCode;
        /// assert_eq!(ReasonCode::BestEffort.as_str(), "best_effort");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Document, Serialize)]
        #[document(name = "PlanningReasonCode")]
        #[serde(rename_all = "snake_case")]
        #[non_exhaustive]
        pub enum ReasonCode { $(#[doc = $message] $name,)+ }

        impl ReasonCode {
            /// Returns the message, in one line.
            #[must_use]
            pub const fn message(self) -> &'static str {
                match self { $(Self::$name => $message,)+ }
            }

            pub(crate) const fn remedy(self) -> Remedy {
                match self { $(Self::$name => $remedy,)+ }
            }

            /// The gates of the reason, each with its stop reason.
            pub(crate) const fn gates(self) -> &'static [(Gate, Option<StopReason>)] {
                match self { $(Self::$name => &[$((Gate::$gate, reasons!(@ $($stop)?))),*],)+ }
            }
        }
    };
    (@ $stop:ident) => { Some(StopReason::$stop) };
    (@) => { None };
}

reasons! {
    RiskOverThreshold [Stop HumanRequired]
        "the risk is over its threshold", Do("have a human decide whether to take the risk");
    RequiredFilesMissing [Stop HumanRequired]
        "required files are missing", Do("provide the files that are missing");
    TestsUnavailable [Stop HumanRequired]
        "there are no tests to run", Do("make the tests available");
    PermissionDenied [Stop HumanRequired]
        "permission to read sources was denied", Do("grant the permissions that were denied");
    RecommendationReady [Commit RecommendationReady]
        "the recommendation is ready: confidence is 0.8 or more, and nothing is open", Recommendation;
    IterationsExhausted [Stop BudgetExhausted]
        "all iterations are used", Do("answer the question, or allow more iterations by an override");
    SubagentCallsExhausted [Stop BudgetExhausted]
        "all subagent calls are used", Do("allow more subagent calls by an override");
    WallTimeExhausted [Stop BudgetExhausted]
        "all time is used", Do("allow more time by an override");
    RepeatedFailure [Switch, Stop Stagnation]
        "the same failure came three times", Do("find out why the same failure comes back");
    NoNewFiles [Switch, Stop Stagnation]
        "the last two turns touched no new files", Do("name sources that were not read yet");
    ConfidencePlateau [Switch, Stop Stagnation]
        "confidence rose by less than 0.1 twice in a row", Do("name evidence that would raise the confidence");
    RedundantQueries [Switch, Stop Stagnation]
        "several sources got the same query without a synthesis in between", Do("write a synthesis before the next query");
    BlockingQuestionOwed [Stop BudgetExhausted, Stop Stagnation]
        "a blocking question about the remaining uncertainty is due", Question;
    BestEffort [Stop BudgetExhausted]
        "confidence is below 0.7: the recommendation is only a best effort", Nothing;
    Provisional [Stop BudgetExhausted]
        "confidence is 0.7 or more: a recommendation is provisional", Nothing;
    PhaseIterationsExhausted [Escalate BlockingQuestion]
        "both iterations after the switch of strategy are used", Question;
    PhaseCallsExhausted [Escalate BlockingQuestion]
        "all three subagent calls after the switch of strategy are used", Question;
    LowNoveltyRepeated [Escalate BlockingQuestion]
        "two turns in a row reduced the uncertainty by less than 20 %", Question;
    TriadMissing [Escalate BlockingQuestion]
        "goal, constraints and initial evidence were due by the end of turn 2", Do("state the goal, its constraints and the initial evidence");
    QuestionOpen [Escalate BlockingQuestion]
        "a blocking question waits for its answer", Question;
    LowNovelty [Switch]
        "the turn reduced the uncertainty by less than 20 %", Nothing;
    NoProgress []
        "the turn made no progress: nothing in it is new, more certain, settled or unblocked", Nothing;
    EvidenceTheater []
        "two turns in a row gathered evidence without a synthesis", Question;
    InvestigatedBeforeTriad []
        "the agent investigated before it stated goal, constraints and initial evidence", Nothing;
    AllocationOverBudget []
        "the budget allocation exceeds a budget", Nothing;
    UntypedPlan []
        "a step of the exploration plan is plain text: name its tool or agent and its action", Nothing;
    PrematureRecommendation []
        "confidence is below 0.7: the recommendation is premature", Nothing;
    DecisionDisagrees []
        "the decision of the turn differs from the gate", Nothing;
    TriadDue []
        "goal, constraints and initial evidence are due by the end of turn 2", Nothing;
    ConflictOpen []
        "the confidence would commit, and a conflict is open", Nothing;
}
