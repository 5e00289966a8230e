//! Validators, and the report of a harness.

use alloc::{format, string::String, vec::Vec};

use super::{Draft, EVIDENCE};
use crate::{
    check::{pick::MOST_ITEMS, tree::Tree},
    policy::Fact,
};

impl Draft<'_, '_> {
    pub(super) fn validators(&mut self) -> Option<()> {
        let timed_out = self.texts(Fact::ValidatorsTimedOut, &[])?;
        let mut failing = self.texts(Fact::ValidatorsFailing, &[])?;
        let mut passing = self.texts(Fact::ValidatorsPassing, &["test", "lint", "build"])?;
        failing.retain(|id| !timed_out.contains(id));
        let in_harness = self.least(Fact::HarnessFailed);
        let wanted = self.least(Fact::Failures).saturating_sub(in_harness);
        let fill = |list: &mut Vec<String>, others: usize, wanted: u64, name: &str| {
            for number in 1..=MOST_ITEMS {
                if (list.len() + others) as u64 >= wanted {
                    break;
                }
                list.push(format!("{name}-{number}"));
            }
        };
        fill(&mut failing, timed_out.len(), wanted, "check");
        let results = self.least(Fact::ValidatorsCount);
        fill(&mut passing, failing.len() + timed_out.len(), results, "passing");
        for (ids, exit) in [(&passing, 0), (&failing, 1)] {
            for id in ids {
                self.set(&[EVIDENCE, "validation", "exit_codes", id], Tree::count(exit));
            }
        }
        for id in timed_out {
            self.tree.add(&[EVIDENCE, "validation", "timeouts"], id.into());
        }
        let missing = self.texts(Fact::ValidatorsMissing, &[])?;
        if !missing.is_empty() {
            self.set(&[EVIDENCE, "required_validators"], Tree::texts(missing));
        }
        Some(())
    }

    pub(super) fn harness(&mut self) -> Option<()> {
        if self.truth(Fact::HarnessPresent) != Some(true) {
            return Some(());
        }
        let report = [EVIDENCE, "harness_report"];
        let mut cases = Vec::new();
        let mut case = |id: String, status: &str| {
            cases.push(Tree::object([("id", id.into()), ("status", status.into())]));
        };
        let passes = u64::from(self.truth(Fact::HarnessPasses) == Some(true));
        let passed = self.least(Fact::HarnessPassed).max(passes);
        let failing = self.texts(Fact::HarnessFailing, &[])?;
        let failed = self.least(Fact::HarnessFailed).max(failing.len() as u64);
        let counts = [
            (passed, "passed"),
            (failed.saturating_sub(failing.len() as u64), "failed"),
            (self.least(Fact::HarnessSkipped), "skipped"),
            (self.least(Fact::HarnessFlaky), "flaky"),
        ];
        let flaky = self.least(Fact::HarnessFlaky);
        failing.into_iter().for_each(|id| case(id, "failed"));
        for (count, status) in counts {
            (1..=count).for_each(|number| case(format!("{status}-{number}"), status));
        }
        let is_listed =
            [Fact::HarnessSkipped, Fact::HarnessFlaky].iter().any(|fact| self.known(*fact).is_some());
        if cases.is_empty() && is_listed {
            cases.push(Tree::object([("id", "skipped-1".into()), ("status", "skipped".into())]));
        }
        let summary = Tree::object([
            ("passed", Tree::count(passed)),
            ("failed", Tree::count(failed)),
            ("flaky", Tree::count(flaky)),
        ]);
        self.set(
            &report,
            Tree::object([("suite_id", "suite".into()), ("cases", Tree::List(cases)), ("summary", summary)]),
        );
        self.remarks();
        let goldens = self.texts(Fact::HarnessGoldens, &[])?;
        if !goldens.is_empty() {
            self.set(&[EVIDENCE, "harness_report", "proposed_goldens"], Tree::texts(goldens));
        }
        Some(())
    }

    /// Remarks on the user's experience.
    fn remarks(&mut self) {
        for (fact, severity) in [(Fact::UxHigh, "high"), (Fact::UxMedium, "medium"), (Fact::UxLow, "low")] {
            for _ in 0..self.least(fact) {
                let flag = Tree::object([
                    ("severity", severity.into()),
                    ("area", "area".into()),
                    ("description", "description".into()),
                ]);
                self.tree.add(&[EVIDENCE, "harness_report", "ux_flags"], flag);
            }
        }
    }
}
