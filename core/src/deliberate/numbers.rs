//! The numbers of the planning gates (docs/reference/planning-gates.md): one table.

use adjudicate_lang::Decimal;

use crate::documents::{
    deliberation::{Duty, NewBudget},
    ledger::Amounts,
};

/// All numbers except the budgets, whose defaults are in the document of the ledger.
pub(super) const NUMBERS: PlanningNumbers = PlanningNumbers {
    // The bonus of a switch; it adds no iterations.
    bonus: Amounts::new(0, 3, 120_000),
    // The cap between a switch and the next answer.
    phase: NewBudget { max_iterations: 2, max_subagent_calls: 3 },
    // A recommendation is ready from this confidence on.
    commit: Decimal::new(8, -1),
    // Below this one it is premature, and provisional in between.
    provisional: Decimal::new(7, -1),
    // Stagnation is judged from the end of this turn on.
    stagnation_from_turn: 3,
    // The number of equal failures, of last turns without a new file, and of last gains below `small_gain`.
    repeated_failures: 3,
    turns_without_files: 2,
    small_gains: 2,
    small_gain: Decimal::new(1, -1),
    // From this turn on, a turn is of low novelty if it reduces uncertainty by less than this share. So many in a row escalate.
    novelty_from_turn: 3,
    low_novelty_percent: 20,
    low_novelty_turns: 2,
    // The number of last turns that gather evidence without a synthesis: evidence theater.
    theater_turns: 2,
    // Progress is judged from this turn on, because the first turn has no predecessor.
    progress_from_turn: 2,
    // The turn by whose end each duty is due. The triad is already recommended one turn earlier.
    duties: [
        (Duty::Triad, 2),
        (Duty::ExplorationPlan, 2),
        (Duty::BudgetAllocation, 2),
        (Duty::NoveltyCheck, 3),
    ],
    triad_warning_at_turn: 1,
};

/// The type of [`NUMBERS`].
pub(super) struct PlanningNumbers {
    pub bonus: Amounts,
    pub phase: NewBudget,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::deliberation::ReasonCode;

    /// Messages repeat the numbers, because they are complete sentences.
    #[test]
    fn messages_say_the_numbers_of_the_table() {
        let is_tenths = |number: Decimal, tenths| number == Decimal::new(tenths, -1);
        let NewBudget { max_iterations, max_subagent_calls } = NUMBERS.phase;
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
            (ReasonCode::PhaseIterationsExhausted, "both iterations", max_iterations == 2),
            (ReasonCode::PhaseCallsExhausted, "all three subagent calls", max_subagent_calls == 3),
            (ReasonCode::LowNoveltyRepeated, "two turns", NUMBERS.low_novelty_turns == 2),
            (ReasonCode::LowNoveltyRepeated, "less than 20 %", is_low),
            (ReasonCode::LowNovelty, "less than 20 %", is_low),
            (ReasonCode::EvidenceTheater, "two turns", NUMBERS.theater_turns == 2),
            (ReasonCode::PrematureRecommendation, "below 0.7", is_tenths(NUMBERS.provisional, 7)),
            (ReasonCode::TriadMissing, "end of turn 2", is_triad_due),
            (ReasonCode::TriadDue, "end of turn 2", is_triad_due),
        ];
        for (code, text, is_so) in table {
            assert!(is_so && code.message().contains(text), "{text}");
        }
        for code in ReasonCode::ALL {
            let has_number = code.message().contains(|c: char| c.is_ascii_digit());
            assert!(!has_number || table.iter().any(|(known, _, _)| known == code), "{}", code.message());
        }
    }
}
