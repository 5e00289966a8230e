//! Generates reviews, and the history of earlier steps.

use alloc::{format, vec::Vec};

use adjudicate_lang::json::OwnedValue;

use super::{EVIDENCE, EnvelopeModel};
use crate::{check::model_values::number_value, documents::policy::ReviewRequirement, policy::Fact};

const REVIEW: &str = r#"{"artifact_ref":"review.md","issues":[]}"#;
const ISSUE: &str = r#"{"id":"","summary":"an issue","severity":"",
"edit":{"target":"target","action":"action","rationale":"rationale"}}"#;
const EVALUATED: &str = r#"{"step_id":"evaluate","opcode":"EVALUATE","status":"success","diff_summary":"",
"risk_flags":[],"blocker_codes":[]}"#;
const WORKED: &str = r#"{"step_id":"work","opcode":"RUN_AGENT","outcome":"completed","diff_summary":"",
"risk_flags":[],"blocker_codes":[]}"#;

const FAILED: &str = "validation_failed";

/// Adds a review without issues, and its artifact.
pub(super) fn add_review(envelope: &mut OwnedValue) {
    envelope.set(&[EVIDENCE, "review"], OwnedValue::from_json(REVIEW));
    envelope.add(&[EVIDENCE, "artifacts"], OwnedValue::text("review.md"));
}

impl EnvelopeModel<'_, '_> {
    pub(super) fn review(&mut self) {
        let is_asked = self.policy.review() != ReviewRequirement::Optional;
        if !self.truth(Fact::ReviewPresent).unwrap_or(is_asked) {
            return;
        }
        add_review(&mut self.envelope);
        for (fact, severity) in
            [(Fact::ReviewHigh, "high"), (Fact::ReviewMedium, "medium"), (Fact::ReviewLow, "low")]
        {
            for number in 1..=self.least(fact) {
                let mut issue = OwnedValue::from_json(ISSUE);
                issue.set(&["id"], OwnedValue::Text(format!("{severity}-{number}")));
                issue.set(&["severity"], OwnedValue::text(severity));
                self.envelope.add(&[EVIDENCE, "review", "issues"], issue);
            }
        }
    }

    pub(super) fn history(&mut self) -> Option<()> {
        let partials = self.least(Fact::HistoryPartials);
        let last = self.known(Fact::HistoryLast).and_then(|last| last.texts.only.as_ref()?.first().copied());
        let needs_latest = last.is_some() || self.known(Fact::DiffImproved).is_some();
        let repeats = self.least(Fact::HarnessRepeats).saturating_sub(1);
        let wanted = self.least(Fact::HistoryCount).max(partials).max(repeats).max(needs_latest.into());
        let failing = self.texts(Fact::HarnessFailing, &[])?;
        let repeated = failing.first().map_or("failed-1", |id| id);
        let flags = self.texts(Fact::HistoryFlags, &[])?;
        let mut entries = Vec::new();
        if !flags.is_empty() {
            let mut entry = OwnedValue::from_json(WORKED);
            entry.set(&["risk_flags"], OwnedValue::texts(flags));
            entries.push(entry);
        }
        for number in 1..=wanted {
            let is_partial = number > wanted - partials.min(wanted);
            let status = match last {
                Some(last) if number == wanted => last,
                _ if is_partial => "partial",
                _ => "success",
            };
            let mut entry = OwnedValue::from_json(EVALUATED);
            entry.set(&["status"], OwnedValue::text(status));
            if let (true, Some(improved)) = (number == wanted, self.truth(Fact::DiffImproved)) {
                // More failures than any evidence has now, or none left to fix.
                entry.set(&["failures"], OwnedValue::count(if improved { 1_000_000 } else { 0 }));
            }
            if number <= repeats {
                let blocker = ["code", "item"].into_iter().zip([FAILED, repeated]);
                let blocker = blocker.map(|(name, text)| (name.into(), OwnedValue::text(text))).collect();
                entry.add(&["blockers"], OwnedValue::Object(blocker));
                entry.add(&["blocker_codes"], OwnedValue::text(FAILED));
            }
            entries.push(entry);
        }
        if !entries.is_empty() {
            self.set(&["evaluate_history"], OwnedValue::List(entries));
        }
        self.refinement();
        Some(())
    }

    fn refinement(&mut self) {
        let [spent, cap] = [Fact::RefinementSpent, Fact::RefinementCap]
            .map(|fact| self.known(fact).map(|domain| number_value(&domain.range)));
        if spent.is_some() || cap.is_some() {
            self.set(&["refinement", "spent"], spent.unwrap_or_else(|| OwnedValue::count(0)));
        }
        if let Some(cap) = cap {
            self.set(&["refinement", "cap"], cap);
        }
    }
}
