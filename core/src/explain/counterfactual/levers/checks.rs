//! Levers of checks: validators, and the cases and remarks of the harness.

use alloc::{format, vec::Vec};

use adjudicate_lang::json::OwnedValue;

use super::{LeverSearch, MOST_CHOICES, SOME_VALIDATOR, Severity, Sort};
use crate::{
    documents::evidence::{CaseStatus, HarnessSummary},
    explain::counterfactual::{
        act::{Act, SUMMARY},
        instance::{fresh_names, instances},
        tests::restored,
        trees::report,
    },
};

impl LeverSearch<'_, '_, '_, '_> {
    pub(super) fn outcome(&mut self) {
        self.add(Act::Complete);
    }

    /// Adds a choice: the validator exits 0 in time.
    pub(super) fn pass(&mut self, id: &str) {
        if self.finder.facts.results().exit_codes().get(id) != Some(&0) {
            self.add(Act::Pass(id.into()));
        }
        if self.finder.facts.timeouts().contains(id) {
            self.add(Act::InTime(id.into()));
        }
    }

    /// Adds a choice for each validator that failed, is missing, or is named by the condition: it passes.
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

    /// Adds choices of new validators that pass: with names from the condition, or as many as it needs.
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
        self.add_new(Sort::Validator, exit_codes.len(), &|count| {
            fresh_names(SOME_VALIDATOR, count, &is_taken).into_iter().map(Act::Pass).collect()
        });
    }

    /// Adds a choice: there is a test report of the tree that is judged.
    fn report(&mut self) {
        if let Some(act) = report(self.finder.facts) {
            self.add(act);
        }
    }

    /// Adds choices in which cases pass, counts agree with them, or fewer cases are counted as flaky if none is listed.
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

    /// Adds choices in which new cases pass.
    pub(super) fn other_cases(&mut self) {
        let done = self.finder.done;
        let Some(report) = self.finder.facts.harness() else {
            let facts = self.finder.facts;
            return self.add_new(Sort::Case, 0, &|count| {
                report(facts).into_iter().chain((1..count).map(Act::AddCase)).collect()
            });
        };
        if report.cases.is_empty()
            && let Some(HarnessSummary { passed, .. }) = report.summary
        {
            let has_changed = self.finder.has_changed(Sort::Case);
            for more in self.numbers(Sort::Case).more_than(passed, has_changed) {
                self.add(counted("passed", passed.saturating_add(more)));
            }
            return;
        }
        let passed = report.cases.iter().filter(|case| case.status == CaseStatus::Passed).count();
        let new = (1..).map(Act::AddCase).filter(|act| !done.contains(act));
        self.add_new(Sort::Case, passed, &|count| new.clone().take(count).collect());
    }

    /// Adds choices in which the lost tests run again.
    pub(super) fn lost_tests(&mut self) {
        let facts = self.finder.facts;
        for tests in facts.shrunk_tests() {
            if let Some(acts) = restored(facts, tests) {
                self.choose(acts);
            }
        }
    }

    /// Adds choices in which remarks of one severity, or of any, are absent.
    pub(super) fn remarks(&mut self, severity: Option<Severity>) {
        if self.finder.facts.harness().is_none() {
            return self.report();
        }
        let remarks = with_severity(&self.finder.remarks, severity);
        self.some_of(Sort::Remark, &remarks);
    }
}

/// Returns the acts on items of a severity, or all acts.
pub(super) fn with_severity(acts: &[(Severity, Act)], severity: Option<Severity>) -> Vec<Act> {
    let wanted = acts.iter().filter(|(own, _)| severity.is_none_or(|severity| *own == severity));
    wanted.map(|(_, act)| act.clone()).collect()
}

/// Returns the act that sets a count of a report without listed cases.
fn counted(name: &str, count: u64) -> Act {
    Act::Set(format!("{SUMMARY}/{name}"), OwnedValue::count(count))
}
