//! Runs tests, and reports their results.

use std::time::{Duration, Instant};

use adjudicate_core::{
    Error, Policy,
    check::{Difference, Mismatch, NoDecision},
    document::Describe,
    evaluate::{Envelope, Judged, evaluate},
    json::{self, ReadLimits},
};
use serde::Serialize;

use super::{case::Case, coverage::Coverage, suite::Suite};
use crate::layout;

/// The report of all tests.
#[derive(Debug, Describe, Serialize)]
pub(crate) struct SuiteReport {
    /// The number of tests that passed.
    pub(super) passed: usize,
    /// The number of tests that failed.
    pub(super) failed: usize,
    /// The coverage that every policy must have, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_coverage: Option<u8>,
    /// The results for each policy.
    pub(super) policies: Vec<PolicyReport>,
}

/// The results of the tests of one policy.
#[derive(Debug, Describe, Serialize)]
pub(super) struct PolicyReport {
    /// The file of the policy.
    pub(super) file: String,
    /// The name of the policy.
    pub(super) policy: String,
    /// The version of the policy.
    pub(super) version: String,
    /// The results of the tests, in their order.
    pub(super) tests: Vec<TestReport>,
    /// The rules and statuses that the tests cover.
    pub(super) coverage: Coverage,
}

/// The result of one test.
#[derive(Debug, Describe, Serialize)]
pub(super) struct TestReport {
    /// The name of the test.
    pub(super) name: String,
    /// The file of the test.
    pub(super) file: String,
    /// True if the answer meets the expectation.
    pub(super) passed: bool,
    /// The error instead of an answer, unless the test expects that error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<NoDecision>,
    /// The differences between the answer and the expectation.
    pub(super) differences: Vec<Difference>,
    #[serde(skip)]
    pub(super) took: Duration,
}

impl SuiteReport {
    /// Runs all tests, in their order.
    ///
    /// # Errors
    ///
    /// An answer that is not JSON, which the engine never writes.
    pub(super) fn run(suite: &Suite, min_coverage: Option<u8>) -> Result<Self, Error> {
        let mut policies = Vec::new();
        for policy_tests in &suite.policies {
            let mut coverage = Coverage::new(&policy_tests.policy);
            let tests = policy_tests
                .tests
                .iter()
                .map(|test| TestReport::run(test, &policy_tests.policy, &mut coverage));
            policies.push(PolicyReport {
                file: policy_tests.file.clone(),
                policy: policy_tests.policy.name().to_owned(),
                version: policy_tests.policy.version().to_owned(),
                tests: tests.collect::<Result<_, _>>()?,
                coverage,
            });
        }
        let tests = || policies.iter().flat_map(|policy| &policy.tests);
        let passed = tests().filter(|test| test.passed).count();
        Ok(Self { passed, failed: tests().count() - passed, min_coverage, policies })
    }

    /// Returns true if tests ran, all passed, and the coverage is sufficient.
    pub(super) fn is_good(&self) -> bool {
        self.passed > 0
            && self.failed == 0
            && self.policies.iter().all(|policy| !self.is_under_covered(policy))
    }

    /// Returns true if the coverage of a policy is below the minimum.
    pub(super) fn is_under_covered(&self, policy: &PolicyReport) -> bool {
        self.min_coverage.is_some_and(|least| policy.coverage.percent() < usize::from(least))
    }
}

impl TestReport {
    fn run(test: &Case, policy: &Policy, coverage: &mut Coverage) -> Result<Self, Error> {
        let began = Instant::now();
        let answer = answer(&test.input, policy, coverage).unwrap_or_else(|error| error.to_json());
        let mismatch = Mismatch::find(&test.expect, &answer)?;
        let passed = mismatch.is_none();
        let (error, differences) =
            mismatch.map_or_else(Default::default, |found| (found.error, found.differences));
        Ok(Self {
            name: test.name.clone(),
            file: test.file.clone(),
            passed,
            error,
            differences,
            took: began.elapsed(),
        })
    }
}

/// Evaluates an envelope, and counts the conditions of the rules.
fn answer(envelope: &str, policy: &Policy, coverage: &mut Coverage) -> Result<String, Error> {
    let tape = json::read(envelope.as_bytes(), ReadLimits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = Judged::new(&envelope, Some(policy))?;
    let evaluation = evaluate(&facts);
    coverage.add(evaluation.decision.status, &facts.conditions());
    Ok(layout::json(&evaluation))
}
