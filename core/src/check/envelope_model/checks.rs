//! Generates validators, and the report of a harness.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::json::OwnedValue;

use super::{EVIDENCE, EnvelopeModel, set_exit};
use crate::{check::model_values::MOST_ITEMS, policy::Fact};

const REPORT: &str = "harness_report";
const BASELINE: &str = "baseline";
const SUITE: &str = r#"{"suite_id":"suite","cases":[],"summary":{}}"#;
const REMARK: &str = r#"{"severity":"","area":"area","description":"description"}"#;

impl EnvelopeModel<'_, '_> {
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
                set_exit(&mut self.envelope, id, exit);
            }
        }
        for id in timed_out {
            self.envelope.add(&[EVIDENCE, "validation", "timeouts"], OwnedValue::Text(id));
        }
        self.set_texts(&[EVIDENCE, "required_validators"], Fact::ValidatorsMissing)
    }

    pub(super) fn harness(&mut self) -> Option<()> {
        if self.truth(Fact::HarnessPresent) != Some(true) {
            return Some(());
        }
        self.set(&[EVIDENCE, REPORT], OwnedValue::from_json(SUITE));
        let passes = u64::from(self.truth(Fact::HarnessPasses) == Some(true));
        let passed = self.least(Fact::HarnessPassed).max(passes);
        let failing = self.texts(Fact::HarnessFailing, &[])?;
        let compared = self.least(Fact::TestsKnown) + self.least(Fact::TestsNewFailures);
        let repeated = self.least(Fact::HarnessRepeats).min(1);
        let failed = self.least(Fact::HarnessFailed).max(failing.len() as u64).max(compared).max(repeated);
        let skipped = self.least(Fact::HarnessSkipped).max(self.least(Fact::TestsSkippedNow));
        let flaky = self.least(Fact::HarnessFlaky);
        let is_any = passed + failed + skipped + flaky > 0;
        let unlisted = failed.saturating_sub(failing.len() as u64);
        self.baseline(&failing);
        for id in failing {
            self.case(REPORT, id, "failed");
        }
        for (count, status) in
            [(passed, "passed"), (unlisted, "failed"), (skipped, "skipped"), (flaky, "flaky")]
        {
            for number in 1..=count {
                self.case(REPORT, format!("{status}-{number}"), status);
            }
        }
        let is_listed = [Fact::HarnessSkipped, Fact::HarnessFlaky, Fact::TestsLost]
            .iter()
            .any(|fact| self.known(*fact).is_some());
        if !is_any && is_listed {
            self.case(REPORT, "skipped-1".into(), "skipped");
        }
        for (name, count) in [("passed", passed), ("failed", failed), ("flaky", flaky)] {
            self.set(&[EVIDENCE, REPORT, "summary", name], OwnedValue::count(count));
        }
        // Remarks on the user's experience.
        for (fact, severity) in [(Fact::UxHigh, "high"), (Fact::UxMedium, "medium"), (Fact::UxLow, "low")] {
            for _ in 0..self.least(fact) {
                let mut remark = OwnedValue::from_json(REMARK);
                remark.set(&["severity"], OwnedValue::text(severity));
                self.envelope.add(&[EVIDENCE, REPORT, "ux_flags"], remark);
            }
        }
        self.set_texts(&[EVIDENCE, REPORT, "proposed_goldens"], Fact::HarnessGoldens)
    }

    /// Adds a baseline in which the first failures are known, if the policy compares tests.
    fn baseline(&mut self, failing: &[String]) {
        if self.known(Fact::TestsLost).is_none() {
            return;
        }
        self.set(&[EVIDENCE, BASELINE, "exit_codes"], OwnedValue::Object(Vec::new()));
        // It counts as no test, and makes the list one that has cases.
        self.case(BASELINE, "skipped-before".into(), "skipped");
        let unlisted = (1..).map(|number| format!("failed-{number}"));
        let failed = failing.iter().cloned().chain(unlisted);
        for id in (0..self.least(Fact::TestsKnown)).zip(failed).map(|(_, id)| id) {
            self.case(BASELINE, id, "failed");
        }
        let skipped = self.least(Fact::TestsSkippedNow);
        for number in 1..=skipped {
            self.case(BASELINE, format!("skipped-{number}"), "passed");
        }
        for number in skipped + 1..=self.least(Fact::TestsLost) {
            self.case(BASELINE, format!("lost-{number}"), "passed");
        }
    }

    fn case(&mut self, of: &str, id: String, status: &str) {
        let mut case = OwnedValue::Null;
        case.set(&["id"], OwnedValue::Text(id));
        case.set(&["status"], OwnedValue::text(status));
        self.envelope.add(&[EVIDENCE, of, "cases"], case);
    }
}
