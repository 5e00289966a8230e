//! Levers of checks: validators, and the cases and remarks of the harness.

use alloc::{format, vec::Vec};

use super::{LeverSearch, MOST_CHOICES, SOME_VALIDATOR, Severity, Sort};
use crate::{
    documents::evidence::{CaseStatus, HarnessSummary},
    explain::counterfactual::{
        act::{Act, SUMMARY, Scalar},
        instance::{fresh_names, instances},
        tests::restored,
        trees::report,
    },
};

impl LeverSearch<'_, '_, '_, '_> {
    pub(super) fn outcome(&mut self) {
        self.add(Act::Complete);
    }

    /// The validator exits 0 in time.
    pub(super) fn pass(&mut self, id: &str) {
        if self.finder.facts.results().exit_codes().get(id) != Some(&0) {
            self.add(Act::Pass(id.into()));
        }
        if self.finder.facts.timeouts().contains(id) {
            self.add(Act::InTime(id.into()));
        }
    }

    /// The validators that failed, that are missing, or that the condition names.
    pub(super) fn validators(&mut self) {
        let failing = self.finder.facts.failing_validators().map(|validator| validator.id);
        for id in failing {
            if self.is_full() {
                return;
            }
            self.pass(id);
        }
        for place in 0..self.finder.missing.len().min(MOST_CHOICES) {
            if let Some(id) = self.finder.missing.get(place) {
                self.pass(id);
            }
        }
        self.constants.texts().for_each(|id| self.pass(id));
    }

    /// New validators: with names from the condition, or as many as it needs.
    pub(super) fn other_validators(&mut self) {
        for pattern in self.constants.patterns() {
            // No name of a validator has directories.
            let pattern = pattern.trim_start_matches("**/").replace("**", "*");
            instances(&pattern, SOME_VALIDATOR).iter().for_each(|id| self.pass(id));
        }
        let (facts, ranges) = (self.finder.facts, self.finder.ranges);
        let exit_codes = facts.results().exit_codes();
        let is_taken =
            |id: &str| exit_codes.contains_key(id) || facts.timeouts().contains(id) || ranges.knows(id);
        self.come(Sort::Validator, exit_codes.len(), &|count| {
            fresh_names(SOME_VALIDATOR, count, &is_taken).into_iter().map(Act::Pass).collect()
        });
    }

    /// There is a report that counts.
    fn report(&mut self) {
        if let Some(act) = report(self.finder.facts) {
            self.add(act);
        }
    }

    /// Cases pass, counts agree, and no flaky case is only counted.
    pub(super) fn cases(&mut self) {
        let Some(report) = self.finder.facts.harness() else { return self.report() };
        let open = core::mem::take(&mut self.finder.open_cases);
        self.some_of(Sort::Case, &open);
        self.finder.open_cases = open;
        self.add(Act::Count);
        if report.cases.is_empty()
            && let Some(flaky) = report.summary.and_then(|summary| summary.flaky)
        {
            for fewer in self.numbers(Sort::Case).fewer_than(flaky) {
                self.add(counted("flaky", flaky - fewer));
            }
        }
    }

    /// New cases pass.
    pub(super) fn other_cases(&mut self) {
        let done = self.finder.done;
        let Some(report) = self.finder.facts.harness() else {
            let facts = self.finder.facts;
            return self.come(Sort::Case, 0, &|count| {
                report(facts).into_iter().chain((1..count).map(Act::AddCase)).collect()
            });
        };
        if report.cases.is_empty()
            && let Some(HarnessSummary { passed, .. }) = report.summary
        {
            let have_come = self.finder.have_come(Sort::Case);
            for more in self.numbers(Sort::Case).more_than(passed, have_come) {
                self.add(counted("passed", passed.saturating_add(more)));
            }
            return;
        }
        let passed = report.cases.iter().filter(|case| case.status == CaseStatus::Passed).count();
        let new = (1..).map(Act::AddCase).filter(|act| !done.contains(act));
        self.come(Sort::Case, passed, &|count| new.clone().take(count).collect());
    }

    /// The tests that are gone run again.
    pub(super) fn lost_tests(&mut self) {
        let facts = self.finder.facts;
        for tests in facts.shrunk_tests() {
            if let Some(acts) = restored(facts, tests) {
                self.choose(acts);
            }
        }
    }

    /// Remarks of one severity, or all, are absent.
    pub(super) fn remarks(&mut self, severity: Option<Severity>) {
        if self.finder.facts.harness().is_none() {
            return self.report();
        }
        let remarks = with_severity(&self.finder.remarks, severity);
        self.some_of(Sort::Remark, &remarks);
    }
}

/// The acts on items of a severity, or on all.
pub(super) fn with_severity(acts: &[(Severity, Act)], severity: Option<Severity>) -> Vec<Act> {
    let wanted = acts.iter().filter(|(own, _)| severity.is_none_or(|severity| *own == severity));
    wanted.map(|(_, act)| act.clone()).collect()
}

/// A count of a report without listed cases.
fn counted(name: &str, count: u64) -> Act {
    Act::Set(format!("{SUMMARY}/{name}"), Scalar::Number(format!("{count}")))
}
