//! Lookups in a ledger: its turns, strategies and questions, and pointers to them.

use alloc::{format, string::String};

use super::question::is_singular_and_blocking;
use crate::documents::ledger::{
    Amounts, BudgetAllocation, ExplorationItem, Ledger, NoveltyCheck, Question, Turn,
};

impl<'a> Ledger<'a> {
    /// Returns which parts of the triad are present: goal, constraints and initial evidence.
    pub(super) fn triad(&self) -> [bool; 3] {
        let has_goal = self.goal.is_some_and(|goal| !goal.trim().is_empty());
        [has_goal, !self.constraints.is_empty(), !self.initial_evidence.is_empty()]
    }

    /// Returns the pointer to the first part of the triad that is missing.
    pub(super) fn triad_path(&self) -> &'static str {
        let names = ["/goal", "/constraints", "/initial_evidence"];
        let missing = names.into_iter().zip(self.triad()).find(|(_, is_there)| !is_there);
        missing.map_or("", |(name, _)| name)
    }

    /// Returns the number of the last turn before the last answer.
    pub(super) fn answered(&self) -> Option<u64> {
        self.answers.iter().map(|answer| answer.after_turn).max()
    }

    /// Returns the budgets with their overrides.
    pub(super) fn limits(&self) -> Amounts {
        let (budgets, overrides) = (self.budgets, self.overrides);
        Amounts::new(
            overrides.max_iterations.unwrap_or(budgets.max_iterations),
            overrides.max_subagent_calls.unwrap_or(budgets.max_subagent_calls),
            overrides.max_wall_time_ms.unwrap_or(budgets.max_wall_time_ms).0,
        )
    }

    /// Returns the index of the last turn for which `find` returns something, and its result.
    pub(super) fn last_turn_with<T>(&self, find: impl Fn(&Turn<'a>) -> Option<T>) -> Option<(usize, T)> {
        self.turns.iter().enumerate().rev().find_map(|(place, turn)| Some((place, find(turn)?)))
    }

    /// Returns true if there is evidence, initial or of a turn.
    pub(super) fn has_evidence(&self) -> bool {
        !self.initial_evidence.is_empty() || self.turns.iter().any(|turn| !turn.evidence_ids.is_empty())
    }

    /// Returns the number of the last turn, 0 without turns.
    pub(super) fn last_number(&self) -> u64 {
        self.turns.len() as u64
    }

    /// Returns the pointer to a field of the turn with that index.
    pub(super) fn path(turn: usize, field: &str) -> String {
        format!("/turns/{turn}/{field}")
    }

    /// Returns the pointer to a field of the last turn, or to the turns if there are none.
    pub(super) fn last_path(&self, field: &str) -> String {
        match self.turns.len().checked_sub(1) {
            Some(last) => Self::path(last, field),
            None => "/turns".into(),
        }
    }

    /// Returns the pointer to the last turn, or to the turns if there are none.
    pub(super) fn last_turn_path(&self) -> String {
        match self.turns.len().checked_sub(1) {
            Some(last) => format!("/turns/{last}"),
            None => "/turns".into(),
        }
    }

    /// Returns the open question, if it is singular and blocking.
    pub(super) fn blocking_question(&self) -> Option<&Question<'a>> {
        self.open_question().filter(|question| is_singular_and_blocking(question))
    }

    /// Returns the question, unless it was answered at the last turn or later.
    pub(super) fn open_question(&self) -> Option<&Question<'a>> {
        let is_answered = self.answered().is_some_and(|turn| turn >= self.last_number());
        self.question.as_ref().filter(|_| !is_answered)
    }
}

impl Turn<'_> {
    /// Returns true if the turn gathers evidence: it calls a subagent or has a query.
    pub(super) const fn gathers(&self) -> bool {
        self.consumed.subagent_calls > 0 || !self.queries.is_empty()
    }

    /// Returns true if the turn puts evidence together.
    pub(super) fn synthesizes(&self) -> bool {
        self.synthesis || self.queries.iter().any(|query| query.synthesis)
    }

    /// Returns the index of the first step of the exploration plan that is plain text.
    pub(super) fn untyped_step(&self) -> Option<usize> {
        self.exploration_plan.iter().position(|item| matches!(item, ExplorationItem::Text(_)))
    }
}

impl BudgetAllocation {
    /// Returns true if no share is set aside.
    pub(super) const fn is_empty(&self) -> bool {
        let Self { max_iterations, max_subagent_calls, max_wall_time_ms, estimated_wall_time } = self;
        max_iterations.is_none()
            && max_subagent_calls.is_none()
            && max_wall_time_ms.is_none()
            && estimated_wall_time.is_none()
    }
}

impl NoveltyCheck {
    /// Returns true if the check has no field.
    pub(super) const fn is_empty(&self) -> bool {
        let Self { new_information, uncertainty_reduction, confidence_level, continue_decision } = self;
        new_information.is_none()
            && uncertainty_reduction.is_none()
            && confidence_level.is_none()
            && continue_decision.is_none()
    }
}
