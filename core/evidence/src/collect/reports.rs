//! Reports of validators become cases, issues and coverage.

use alloc::{collections::BTreeSet, format, string::String, vec::Vec};

use adjudicate_core::{
    document::Extra,
    evaluate::CaseStatus,
    json::{self, OwnedValue},
    owned::{Case, HarnessReport, HarnessSummary},
};

use super::{
    bounds::{Budget, MAX_CASE_BYTES, MAX_COVERAGE_BYTES, MAX_ITEMS, UncollectedList},
    configuration::OwnedValidator,
    repro,
    review::{ReportTrees, Reviews},
};
use crate::{Error, Format, Reading, TestReport, detect, formats::read_text};

/// The contents of all reports so far.
#[derive(Default)]
pub(super) struct Reports {
    cases: Vec<Case>,
    /// The trees of the cases.
    trees: ReportTrees,
    coverage: Option<OwnedValue>,
    pub(super) reviews: Reviews,
}

/// A report and the validator that wrote it.
pub(super) struct ReportText<'a> {
    pub(super) validator: &'a OwnedValidator,
    /// The path below the root, or `standard output`.
    pub(super) name: &'a str,
    /// The path of an artifact that has the report.
    pub(super) artifact: &'a str,
    pub(super) text: &'a str,
    /// The configured format.
    pub(super) format: Option<&'a str>,
    /// The tree on which the validator ran.
    pub(super) tree: Option<&'a str>,
    /// True if the validator ended. Otherwise its passed cases are no evidence, and its report need not be complete.
    pub(super) is_ended: bool,
}

impl ReportText<'_> {
    fn description(&self) -> String {
        format!("report `{}` of `{}`", self.name, self.validator.id)
    }

    fn read(&self, root: &str) -> Result<Reading, Error> {
        let format = match self.format {
            Some(name) => Format::parse(name)?,
            None => detect(self.name, self.text.as_bytes()).ok_or_else(|| {
                let message =
                    "unknown or ambiguous report format; to choose one, set `format` of the validator";
                Error::new(crate::codes::INVALID_VALUE, message)
            })?,
        };
        let mut reading = read_text(format, self.text)?;
        if let (Reading::Tests(tests), Some(folder)) = (&mut reading, &self.validator.folder) {
            tests.ran_in(folder);
        }
        Ok(reading.relative_to(root))
    }
}

/// The numbers of cases that an envelope does not list.
#[derive(Clone, Copy)]
pub(super) struct CasesLeftOut {
    /// Those that passed or were skipped.
    pub all: u64,
    pub passed: u64,
}

impl Reports {
    /// Adds a report. An unreadable or incomplete one becomes an item of `uncollected`.
    pub(super) fn add(&mut self, report: &ReportText<'_>, root: &str, uncollected: &mut UncollectedList) {
        let reading = match report.read(root) {
            Ok(reading) => reading,
            // The validator is among the timeouts, or is uncollected itself.
            Err(_) if !report.is_ended => return,
            Err(error) => return uncollected.add(&report.description(), error.message()),
        };
        if let Some(reason) = reading.incomplete().filter(|_| report.is_ended) {
            uncollected.add(&report.description(), reason);
        }
        match reading {
            Reading::Tests(tests) => self.add_cases(tests, report),
            Reading::Review(review) => {
                self.reviews.add_report(
                    review,
                    report.artifact,
                    report.tree,
                    &report.description(),
                    uncollected,
                );
            }
            Reading::Coverage(_) if self.coverage.is_some() => {
                uncollected
                    .add(&report.description(), "there is another coverage report; merge them into one");
            }
            Reading::Coverage(coverage) => {
                let value = coverage.to_value();
                match json::write(&value).len() <= MAX_COVERAGE_BYTES {
                    true => self.coverage = Some(value),
                    false => uncollected.add(&report.description(), "the coverage lists too many files"),
                }
            }
        }
    }

    fn add_cases(&mut self, tests: TestReport, report: &ReportText<'_>) {
        let validator = report.validator;
        let command = validator.command().to_line();
        self.trees.add(report.tree);
        for case in tests.cases {
            if !report.is_ended && matches!(case.status, CaseStatus::Passed | CaseStatus::Skipped) {
                continue;
            }
            let template = validator.repro.as_deref();
            let filled = template.and_then(|template| repro::fill(template, &case));
            // Only a failure needs its command, and cases are many.
            let is_failure = matches!(case.status, CaseStatus::Failed | CaseStatus::Flaky);
            let repro = is_failure.then(|| filled.as_deref().unwrap_or(&command));
            let one = TestReport { cases: Vec::from([case]), ..TestReport::default() };
            self.cases.extend(one.into_harness_cases(&validator.id, repro));
        }
    }

    /// Returns the report of the cases that an envelope lists, the coverage, and the numbers of cases that are left out.
    pub(super) fn into_parts(
        self,
        uncollected: &mut UncollectedList,
    ) -> (Option<HarnessReport>, Option<OwnedValue>, Reviews, CasesLeftOut) {
        let counted = summary(&self.cases);
        let (cases, left_out) = bounded(self.cases, uncollected);
        // Counts and cases must agree.
        let listed = summary(&cases);
        let left_out = CasesLeftOut { all: left_out as u64, passed: counted.passed - listed.passed };
        // Failures that are not listed are uncollected, and an envelope can count few of them.
        let summary = Some(listed).filter(|listed| listed.failed == counted.failed);
        let tree = self.trees.into_tree();
        let report = (!cases.is_empty()).then(|| HarnessReport {
            cases: Some(cases),
            summary,
            tree,
            ..HarnessReport::default()
        });
        (report, self.coverage, self.reviews, left_out)
    }
}

/// Returns as many cases as an envelope lists, in their order: failed and flaky ones, one passed case of each validator, then the
/// others. The number is that of the others that are left out.
fn bounded(cases: Vec<Case>, uncollected: &mut UncollectedList) -> (Vec<Case>, usize) {
    let mut budget = Budget::new(MAX_ITEMS, MAX_CASE_BYTES);
    let mut passing = BTreeSet::new();
    let ranks: Vec<u8> = cases.iter().map(|case| rank(case, &mut passing)).collect();
    drop(passing);
    let mut is_listed: Vec<bool> = Vec::new();
    is_listed.resize(cases.len(), false);
    let mut left_out = [0_usize; 3];
    for wanted in 0..3_u8 {
        for ((case, rank), is_listed) in cases.iter().zip(&ranks).zip(&mut is_listed) {
            if *rank == wanted {
                *is_listed = budget.take(json::write(case).len());
                if let Some(count) = left_out.get_mut(usize::from(wanted)).filter(|_| !*is_listed) {
                    *count += 1;
                }
            }
        }
    }
    let [failed, passing, others] = left_out;
    if failed > 0 {
        let reason = format!("an envelope cannot list {failed} more failed or flaky cases");
        uncollected.add("cases of reports", &reason);
    }
    let listed = cases.into_iter().zip(is_listed).filter_map(|(case, is_listed)| is_listed.then_some(case));
    (listed.collect(), passing + others)
}

fn rank<'a>(case: &'a Case, passing: &mut BTreeSet<Option<&'a str>>) -> u8 {
    match case.status {
        CaseStatus::Failed | CaseStatus::Flaky => 0,
        CaseStatus::Passed if passing.insert(case.validator.as_deref()) => 1,
        CaseStatus::Passed | CaseStatus::Skipped => 2,
    }
}

/// Counts cases by their status. Skipped cases are in none of the sums.
fn summary(cases: &[Case]) -> HarnessSummary {
    let count = |status| cases.iter().filter(|case| case.status == status).count() as u64;
    HarnessSummary {
        passed: count(CaseStatus::Passed),
        failed: count(CaseStatus::Failed),
        flaky: Some(count(CaseStatus::Flaky)),
        duration_ms: None,
        extra: Extra::new(),
    }
}
