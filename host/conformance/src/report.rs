//! The report of a check.

use adjudicate_core::document::{Describe, Type};
use serde::{Serialize, Serializer};

use crate::requirement::{ALL, Requirement, RequirementLevel};

/// The result for a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequirementResult {
    /// The module meets it.
    Pass,
    /// The module breaks it: the observation.
    Fail(String),
    /// It does not apply to this module: the reason.
    NotApplicable(String),
    /// The module's behavior does not show it: the reason.
    NotJudged(String),
    /// The check ended before it: the requirement that ended the check.
    NotReached(String),
}

/// A requirement with its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The requirement.
    pub requirement: Requirement,
    /// The result.
    pub result: RequirementResult,
}

/// A requirement with its result, as JSON.
#[derive(Describe, Serialize)]
#[document(name = "Finding")]
struct FindingFields<'a> {
    /// The stable id of the requirement.
    id: &'static str,
    /// The weight of the requirement.
    level: RequirementLevel,
    /// The section of `docs/reference/abi.md` with the rule.
    section: &'static str,
    /// The rule, in a sentence.
    sentence: &'static str,
    /// The result.
    outcome: RequirementOutcome,
    /// The observation or the reason. A module that meets the requirement has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<&'a str>,
}

/// The kind of a result.
#[derive(Clone, Copy, Describe, Serialize)]
#[serde(rename_all = "snake_case")]
enum RequirementOutcome {
    /// The module meets the requirement.
    Pass,
    /// The module breaks it.
    Fail,
    /// It does not apply to this module.
    NotApplicable,
    /// The module's behavior does not show it.
    NotJudged,
    /// The check ended before it.
    NotReached,
}

impl Serialize for Finding {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Requirement { id, level, section, sentence } = self.requirement;
        let (outcome, detail) = match &self.result {
            RequirementResult::Pass => (RequirementOutcome::Pass, None),
            RequirementResult::Fail(detail) => (RequirementOutcome::Fail, Some(detail.as_str())),
            RequirementResult::NotApplicable(reason) => {
                (RequirementOutcome::NotApplicable, Some(reason.as_str()))
            }
            RequirementResult::NotJudged(reason) => (RequirementOutcome::NotJudged, Some(reason.as_str())),
            RequirementResult::NotReached(reason) => (RequirementOutcome::NotReached, Some(reason.as_str())),
        };
        FindingFields { id, level, section, sentence, outcome, detail }.serialize(serializer)
    }
}

impl Describe for Finding {
    fn describe() -> Type {
        FindingFields::describe()
    }
}

/// The report of a check: a finding for each requirement, in order.
#[derive(Clone, Debug, PartialEq, Eq, Describe, Serialize)]
pub struct ConformanceReport {
    /// True if the module meets every `must` requirement.
    pub conforms: bool,
    /// The number of met requirements.
    pub passed: usize,
    /// The number of broken requirements, including `should` requirements.
    pub failed: usize,
    /// The number of requirements that do not apply.
    pub not_applicable: usize,
    /// The number of requirements that were not judged or not reached.
    pub not_judged: usize,
    /// All findings.
    pub findings: Vec<Finding>,
}

impl ConformanceReport {
    /// The finding of a requirement, by its id.
    ///
    /// ```
    /// use adjudicate_conformance::{self as conformance, RequirementResult};
    /// use adjudicate_sandbox::{Host, HostSettings};
    /// let report = conformance::check(&Host::new(HostSettings::default())?, b"no module")?;
    /// let finding = report.finding("module.valid").ok_or("no such requirement")?;
    /// assert!(!report.conforms && matches!(finding.result, RequirementResult::Fail(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn finding(&self, id: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.requirement.id == id)
    }
}

/// A report in progress. It keeps the first failure of each requirement, and a failure overrides a pass.
#[derive(Debug, Default)]
pub(super) struct ReportBuilder {
    judged: Vec<(Requirement, RequirementResult)>,
    /// The first requirement whose failure ended the check.
    stopped_by: Option<&'static str>,
}

impl ReportBuilder {
    pub(super) fn pass(&mut self, requirement: Requirement) {
        self.note(requirement, RequirementResult::Pass);
    }

    pub(super) fn fail(&mut self, requirement: Requirement, detail: impl Into<String>) {
        self.note(requirement, RequirementResult::Fail(shorten(&detail.into())));
    }

    pub(super) fn skip(&mut self, requirement: Requirement, reason: &str) {
        self.note(requirement, RequirementResult::NotApplicable(reason.to_owned()));
    }

    /// Notes why a requirement is not judged, unless it was judged.
    pub(super) fn not_judged(&mut self, requirement: Requirement, reason: &str) {
        self.note(requirement, RequirementResult::NotJudged(reason.to_owned()));
    }

    /// Notes a pass or a failure.
    pub(super) fn judge(&mut self, requirement: Requirement, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.pass(requirement),
            Err(detail) => self.fail(requirement, detail),
        }
    }

    /// Notes a failure that ends the check.
    pub(super) fn stop(&mut self, requirement: Requirement, detail: impl Into<String>) {
        self.stopped_by.get_or_insert(requirement.id);
        self.fail(requirement, detail);
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped_by.is_some()
    }

    fn note(&mut self, requirement: Requirement, result: RequirementResult) {
        match self.judged.iter_mut().find(|(noted, _)| *noted == requirement) {
            None => self.judged.push((requirement, result)),
            Some((_, noted)) => {
                let rank = |result: &RequirementResult| match result {
                    RequirementResult::NotApplicable(_)
                    | RequirementResult::NotJudged(_)
                    | RequirementResult::NotReached(_) => 0,
                    RequirementResult::Pass => 1,
                    RequirementResult::Fail(_) => 2,
                };
                if rank(&result) > rank(noted) {
                    *noted = result;
                }
            }
        }
    }

    pub(super) fn finish(self) -> ConformanceReport {
        let unnoted = match self.stopped_by {
            Some(id) => {
                RequirementResult::NotReached(format!("the check ends at `{id}`, which the module breaks"))
            }
            None => RequirementResult::NotJudged("the module's behavior does not show it".to_owned()),
        };
        let findings: Vec<_> = ALL
            .iter()
            .map(|requirement| {
                let noted = self.judged.iter().find(|(noted, _)| noted == requirement);
                let result = noted.map(|(_, result)| result.clone());
                Finding { requirement: *requirement, result: result.unwrap_or_else(|| unnoted.clone()) }
            })
            .collect();
        let count =
            |is: fn(&RequirementResult) -> bool| findings.iter().filter(|one| is(&one.result)).count();
        let fails = |one: &Finding| {
            one.requirement.level == RequirementLevel::Must
                && matches!(one.result, RequirementResult::Fail(_))
        };
        ConformanceReport {
            conforms: !findings.iter().any(fails),
            passed: count(|result| matches!(result, RequirementResult::Pass)),
            failed: count(|result| matches!(result, RequirementResult::Fail(_))),
            not_applicable: count(|result| matches!(result, RequirementResult::NotApplicable(_))),
            not_judged: count(|result| {
                matches!(result, RequirementResult::NotJudged(_) | RequirementResult::NotReached(_))
            }),
            findings,
        }
    }
}

/// Shortens details, because they may quote any text of the module.
fn shorten(detail: &str) -> String {
    const LONGEST: usize = 500;
    match detail.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", detail.get(..end).unwrap_or_default()),
        None => detail.to_owned(),
    }
}
