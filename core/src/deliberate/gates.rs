//! The gates in their order, and every number of PAO: one table.
//!
//! What a row looks at is in the file of its name; it reports reasons, and a row holds when there is one.

mod budgets;
mod commit;
mod escalation;
mod human;
mod novelty;
mod stagnation;

use alloc::vec::Vec;

use adjudicate_lang::Decimal;

use super::{
    budgets::{Amounts, PhaseBudget},
    duties::Duty,
    facts::Facts,
    reason::{Reason, Reporter},
};
use crate::words::words;

words! {
    /// What the agent is to do.
    Gate {
        /// Plan one more turn.
        Continue = "continue",
        /// Declare the strategy failed and take another one, of which there is one.
        Switch = "switch",
        /// Ask one blocking question and wait for its answer.
        Escalate = "escalate",
        /// Hand over the recommendation.
        Commit = "commit",
        /// End the planning.
        Stop = "stop",
    }
}

words! {
    /// Why the planning ends here, as a stop report says it.
    StopReason {
        /// The recommendation can be acted on.
        RecommendationReady = "recommendation_ready",
        /// Only an answer helps.
        BlockingQuestion = "blocking_question",
        /// Nothing is left of a budget.
        BudgetExhausted = "budget_exhausted",
        /// The other strategy did not help either.
        Stagnation = "stagnation",
        /// A person must decide or repair.
        HumanRequired = "human_required",
    }
}

/// A gate: what it looks at, and what comes of it.
pub(super) struct Row {
    check: fn(&Facts<'_, '_>, &mut Reporter<'_>),
    pub gate: Gate,
    /// There is a stop report where there is one of these.
    pub stop_reason: Option<StopReason>,
}

/// The first that holds decides.
const GATES: &[Row] = &[
    // The risk is over its threshold, a file is missing, there are no tests, a source may not be read.
    Row { check: human::check, gate: Gate::Stop, stop_reason: Some(StopReason::HumanRequired) },
    // Confident, the path is clear, the risks are documented, and nothing is open.
    Row { check: commit::check, gate: Gate::Commit, stop_reason: Some(StopReason::RecommendationReady) },
    // All of an overall budget was used.
    Row { check: budgets::check, gate: Gate::Stop, stop_reason: Some(StopReason::BudgetExhausted) },
    // Stagnation, for the first time and after a switch.
    Row { check: stagnation::before_switch, gate: Gate::Switch, stop_reason: None },
    Row { check: stagnation::after_switch, gate: Gate::Stop, stop_reason: Some(StopReason::Stagnation) },
    // The phase's cap, two turns of low novelty, no triad, a good question that nobody answered, evidence theater
    // without progress.
    Row { check: escalation::check, gate: Gate::Escalate, stop_reason: Some(StopReason::BlockingQuestion) },
    // One turn of low novelty, before any switch.
    Row { check: novelty::check, gate: Gate::Switch, stop_reason: None },
];

/// Where none of the gates holds.
const OTHERWISE: Row = Row { check: |_, _| {}, gate: Gate::Continue, stop_reason: None };

/// Every number of PAO.
pub(super) const NUMBERS: Numbers = Numbers {
    // What may be used: iterations, subagent calls, milliseconds.
    budgets: Amounts::new(5, 8, 300_000),
    // An override asks for at most so many times the iterations of the budget.
    most_of_iterations: 2,
    // What a switch adds to the budgets; iterations never.
    bonus: Amounts::new(0, 3, 120_000),
    // What may be used between a switch and the next answer.
    phase: PhaseBudget { iterations: 2, subagent_calls: 3 },
    // A recommendation is ready from this confidence on ...
    commit: Decimal::new(8, -1),
    // ... and premature, the best effort, below this one; provisional in between.
    provisional: Decimal::new(7, -1),
    // Stagnation is judged from the end of this turn on.
    stagnation_from_turn: 3,
    // So many equal failures, last turns without a new file, last gains that are each below the small gain.
    repeated_failures: 3,
    turns_without_files: 2,
    small_gains: 2,
    small_gain: Decimal::new(1, -1),
    // A turn from this one on that takes less than so much of the uncertainty is of low novelty; so many of them escalate.
    novelty_from_turn: 3,
    low_novelty_percent: 20,
    low_novelty_turns: 2,
    // So many last turns that gather evidence without a synthesis are theater.
    theater_turns: 2,
    // Progress is judged from this turn on: the first one has nothing to be compared with.
    progress_from_turn: 2,
    // By the end of which turn each duty is due; the triad is asked for, and no more, one turn earlier.
    duties: [
        (Duty::Triad, 2),
        (Duty::ExplorationPlan, 2),
        (Duty::BudgetAllocation, 2),
        (Duty::NoveltyCheck, 3),
    ],
    triad_warning_at_turn: 1,
};

/// What [`NUMBERS`] has.
pub(super) struct Numbers {
    pub budgets: Amounts,
    pub most_of_iterations: u64,
    pub bonus: Amounts,
    pub phase: PhaseBudget,
    pub commit: Decimal,
    pub provisional: Decimal,
    pub stagnation_from_turn: u64,
    pub repeated_failures: usize,
    pub turns_without_files: usize,
    pub small_gains: usize,
    pub small_gain: Decimal,
    pub novelty_from_turn: u64,
    pub low_novelty_percent: i128,
    pub low_novelty_turns: usize,
    pub theater_turns: usize,
    pub progress_from_turn: u64,
    pub duties: [(Duty, u64); 4],
    pub triad_warning_at_turn: u64,
}

/// The first gate that holds, and its reasons.
pub(super) fn decide(facts: &Facts<'_, '_>) -> (&'static Row, Vec<Reason>) {
    let mut reasons = Vec::new();
    for row in GATES {
        (row.check)(facts, &mut Reporter::new(&mut reasons));
        if !reasons.is_empty() {
            return (row, reasons);
        }
    }
    (&OTHERWISE, reasons)
}

/// Whether a gate may come with that reason for a stop, or with none.
pub(super) fn is_row(gate: Gate, stop_reason: Option<StopReason>) -> bool {
    let is_it = |row: &Row| row.gate == gate && row.stop_reason == stop_reason;
    GATES.iter().any(is_it) || is_it(&OTHERWISE)
}

#[cfg(test)]
mod tests {
    use super::{super::reason::ReasonCode, *};

    /// Messages are whole sentences, so numbers stand in them again.
    #[test]
    fn messages_say_the_numbers_of_the_table() {
        let is_tenths = |number: Decimal, tenths| number == Decimal::new(tenths, -1);
        let PhaseBudget { iterations, subagent_calls } = NUMBERS.phase;
        let is_low = NUMBERS.low_novelty_percent == 20;
        let is_triad_due = NUMBERS.duties.contains(&(Duty::Triad, 2));
        let table = [
            (ReasonCode::RecommendationReady, "0.8 or more", is_tenths(NUMBERS.commit, 8)),
            (ReasonCode::BestEffort, "below 0.7", is_tenths(NUMBERS.provisional, 7)),
            (ReasonCode::Provisional, "0.7 or more", is_tenths(NUMBERS.provisional, 7)),
            (ReasonCode::RepeatedFailure, "three times", NUMBERS.repeated_failures == 3),
            (ReasonCode::NoNewFiles, "last two turns", NUMBERS.turns_without_files == 2),
            (ReasonCode::ConfidencePlateau, "less than 0.1", is_tenths(NUMBERS.small_gain, 1)),
            (ReasonCode::ConfidencePlateau, "twice", NUMBERS.small_gains == 2),
            (ReasonCode::PhaseIterationsExhausted, "two iterations", iterations == 2),
            (ReasonCode::PhaseCallsExhausted, "three subagent calls", subagent_calls == 3),
            (ReasonCode::LowNoveltyRepeated, "two turns", NUMBERS.low_novelty_turns == 2),
            (ReasonCode::LowNoveltyRepeated, "less than 20 %", is_low),
            (ReasonCode::LowNovelty, "less than 20 %", is_low),
            (ReasonCode::EvidenceTheater, "two turns", NUMBERS.theater_turns == 2),
            (ReasonCode::PrematureRecommendation, "below 0.7", is_tenths(NUMBERS.provisional, 7)),
            (ReasonCode::TriadMissing, "end of turn 2", is_triad_due),
            (ReasonCode::TriadDue, "end of turn 2", is_triad_due),
        ];
        for (code, told, is_so) in table {
            assert!(is_so && code.message().contains(told), "{told}");
        }
        for code in ReasonCode::ALL {
            let has_number = code.message().contains(|c: char| c.is_ascii_digit());
            assert!(!has_number || table.iter().any(|(known, _, _)| known == code), "{}", code.message());
        }
    }
}
