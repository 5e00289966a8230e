//! Reviews, and what came before.

use alloc::{format, vec::Vec};

use super::{Draft, EVIDENCE};
use crate::{
    check::{pick::number, tree::Tree},
    logic::Number,
    policy::Fact,
};

impl Draft<'_, '_> {
    pub(super) fn review(&mut self) {
        if self.truth(Fact::ReviewPresent) != Some(true) {
            return;
        }
        let mut issues = Vec::new();
        for (fact, severity) in
            [(Fact::ReviewHigh, "high"), (Fact::ReviewMedium, "medium"), (Fact::ReviewLow, "low")]
        {
            for number in 1..=self.least(fact) {
                let edit = ["target", "action", "rationale"].map(|name| (name, Tree::from(name)));
                issues.push(Tree::object([
                    ("id", format!("{severity}-{number}").into()),
                    ("summary", "an issue".into()),
                    ("severity", severity.into()),
                    ("edit", Tree::object(edit)),
                ]));
            }
        }
        let review = Tree::object([("artifact_ref", "review.md".into()), ("issues", Tree::List(issues))]);
        self.set(&[EVIDENCE, "review"], review);
    }

    pub(super) fn history(&mut self) -> Option<()> {
        let partials = self.least(Fact::HistoryPartials);
        let last = self.known(Fact::HistoryLast).and_then(|last| last.texts.only.clone()?.first().copied());
        let is_latest_asked = last.is_some() || self.known(Fact::DiffImproved).is_some();
        let wanted = self.least(Fact::HistoryCount).max(partials).max(is_latest_asked.into());
        let flags = self.texts(Fact::HistoryFlags, &[])?;
        let mut entries = Vec::new();
        for number in 1..=wanted {
            let is_partial = number > wanted - partials.min(wanted);
            let status = match last {
                Some(last) if number == wanted => last,
                _ if is_partial => "partial",
                _ => "success",
            };
            entries.push(Tree::object([
                ("step_id", "evaluate".into()),
                ("opcode", "EVALUATE".into()),
                ("status", status.into()),
                ("diff_summary", "".into()),
                ("risk_flags", Tree::List(Vec::new())),
                ("blocker_codes", Tree::List(Vec::new())),
            ]));
        }
        if let Some(latest) = entries.last_mut()
            && let Some(improved) = self.truth(Fact::DiffImproved)
        {
            // More failures than there can be now, or none to get rid of.
            latest.set(&["failures"], Tree::count(if improved { 1_000_000 } else { 0 }));
        }
        if !flags.is_empty() {
            entries.insert(
                0,
                Tree::object([
                    ("step_id", "work".into()),
                    ("opcode", "RUN_AGENT".into()),
                    ("outcome", "completed".into()),
                    ("diff_summary", "".into()),
                    ("risk_flags", Tree::texts(flags)),
                    ("blocker_codes", Tree::List(Vec::new())),
                ]),
            );
        }
        if !entries.is_empty() {
            self.set(&["evaluate_history"], Tree::List(entries));
        }
        self.refinement();
        Some(())
    }

    fn refinement(&mut self) {
        let cap = self.known(Fact::RefinementCap).map(|cap| number(&cap.range));
        let spent = self.known(Fact::RefinementSpent).map(|spent| number(&spent.range));
        if cap.is_some() || spent.is_some() {
            self.set(&["refinement", "spent"], Tree::Number(spent.unwrap_or(Number::ZERO)));
            if let Some(cap) = cap {
                self.set(&["refinement", "cap"], Tree::Number(cap));
            }
        }
    }
}
