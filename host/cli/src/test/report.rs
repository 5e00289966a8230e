//! Running tests, and what came of it.

use std::time::{Duration, Instant};

use adjudicate_core::{
    Error, Policy,
    check::{Difference, Mismatch, NoDecision},
    evaluate::{Envelope, Facts, evaluate},
    json::{self, Limits},
};
use serde::Serialize;

use super::{case::Case, coverage::Coverage, suite::Suite};
use crate::layout;

/// What came of all tests.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) passed: usize,
    pub(super) failed: usize,
    /// The coverage that every policy must have, in percent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) min_coverage: Option<u8>,
    pub(super) policies: Vec<PolicyReport>,
}

/// What came of the tests under one policy.
#[derive(Debug, Serialize)]
pub(super) struct PolicyReport {
    pub(super) file: String,
    pub(super) policy: String,
    pub(super) version: String,
    pub(super) tests: Vec<TestReport>,
    pub(super) coverage: Coverage,
}

/// What came of one test.
#[derive(Debug, Serialize)]
pub(super) struct TestReport {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) passed: bool,
    /// Why the input got no answer, where the test does not expect that error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<NoDecision>,
    /// Where the answer is not what was expected.
    pub(super) differences: Vec<Difference>,
    #[serde(skip)]
    pub(super) took: Duration,
}

impl Report {
    /// Runs all tests, in their order.
    ///
    /// # Errors
    ///
    /// None that the engine can make: only an answer that is no JSON.
    pub(super) fn run(suite: &Suite, min_coverage: Option<u8>) -> Result<Self, Error> {
        let mut policies = Vec::new();
        for subject in &suite.subjects {
            let mut coverage = Coverage::of(&subject.policy);
            let tests =
                subject.tests.iter().map(|test| TestReport::run(test, &subject.policy, &mut coverage));
            policies.push(PolicyReport {
                file: subject.file.clone(),
                policy: subject.policy.name().to_owned(),
                version: subject.policy.version().to_owned(),
                tests: tests.collect::<Result<_, _>>()?,
                coverage,
            });
        }
        let tests = || policies.iter().flat_map(|policy| &policy.tests);
        let passed = tests().filter(|test| test.passed).count();
        Ok(Self { passed, failed: tests().count() - passed, min_coverage, policies })
    }

    /// Whether some tests ran, all passed, and they cover what they must.
    pub(super) fn is_good(&self) -> bool {
        self.passed > 0
            && self.failed == 0
            && self.policies.iter().all(|policy| !self.is_under_covered(policy))
    }

    /// Whether the tests of a policy cover less than is asked for.
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

/// What the policy makes of an envelope.
fn answer(envelope: &str, policy: &Policy, coverage: &mut Coverage) -> Result<String, Error> {
    let tape = json::read(envelope.as_bytes(), Limits::DOCUMENT)?;
    let envelope = Envelope::from_tape(&tape)?;
    let facts = Facts::new(&envelope, tape.root(), Some(policy))?;
    let evaluation = evaluate(&facts);
    coverage.add(evaluation.decision.status, &facts.conditions());
    Ok(layout::json(&evaluation))
}
