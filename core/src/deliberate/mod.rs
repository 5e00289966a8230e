//! Planning gates: decide when a planning agent continues, switches its strategy, asks, commits or stops
//! (docs/reference/planning-gates.md).
//!
//! ```text
//! ledger JSON -> Ledger -> LedgerFacts (budgets, triggers, duties) -> the first gate of the table that holds -> warnings -> Deliberation
//! ```
//!
//! This module reads ledgers of turns, and computes remaining budgets, signs of stagnation, open duties and the stop report. The
//! gates and their order are in one table, `gates.rs`, and their numbers in another, `numbers.rs`. Turns, calls and
//! milliseconds are counted by the caller, and no text of a ledger is interpreted.

mod answer;
mod budgets;
mod commitment;
mod contract;
mod duties;
mod facts;
mod gates;
mod history;
mod novelty;
mod numbers;
mod progress;
mod question;
mod readiness;
mod reason;
mod report;
mod stagnation;
mod warnings;

pub use answer::{deliberate, deliberate_text};
pub use budgets::Budget;
pub use contract::check_deliberation;

pub use crate::documents::{
    deliberation::{
        BudgetConsumed, BudgetsLeft, Deliberation, Duty, Gate, NewBudget, PhaseBudget, PlanningReason,
        QualityReason, QualityVerdict, QuestionQuality, QuestionVerdict, Readiness, ReasonCode,
        ReportedQuestion, ReportedRecommendation, SpentBudget, StagnationTrigger, StopReason, StopReport,
        SwitchDeclaration,
    },
    ledger::{
        Amounts, BudgetAllocation, Budgets, Checks, Confidence, ContinueDecision, Duration, ExplorationItem,
        ExplorationStep, Hypothesis, Ledger, Milliseconds, NewInformation, NoveltyCheck, Overrides, Query,
        Question, QuestionAnswer, Recommendation, Risk, StatedDecision, StrategySwitch, StrategySwitches,
        Turn, TurnNumber, UncertaintyReduction,
    },
};
