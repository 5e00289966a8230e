//! What came of checking a module.

use serde::Serialize;

use crate::requirement::{ALL, Level, Requirement};

/// Whether a requirement is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "detail")]
pub enum Judgement {
    /// It is.
    Pass,
    /// It is not; what was seen.
    Fail(String),
    /// It does not apply to this module; why.
    NotApplicable(String),
    /// Nothing that the module did shows whether it is; why.
    NotJudged(String),
    /// It was not looked at, for the check ended before, at a requirement that is not met; which one.
    NotReached(String),
}

/// A requirement, and whether it is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What is asked.
    #[serde(flatten)]
    pub requirement: Requirement,
    /// Whether it is so.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// What came of checking a module: a finding for each requirement, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Whether every requirement is met that must be.
    pub conforms: bool,
    /// How many requirements are met.
    pub passed: usize,
    /// How many are not, those that only should be among them.
    pub failed: usize,
    /// How many do not apply.
    pub not_applicable: usize,
    /// How many could not be judged, or were not reached.
    pub not_judged: usize,
    /// All of them.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The finding about a requirement, by its id.
    ///
    /// ```
    /// use adjudicate_conformance::{self as conformance, Judgement};
    /// use adjudicate_sandbox::{Host, Settings};
    /// let report = conformance::check(&Host::new(Settings::default())?, b"no module")?;
    /// let finding = report.finding("module.valid").ok_or("no such requirement")?;
    /// assert!(!report.conforms && matches!(finding.judgement, Judgement::Fail(_)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn finding(&self, id: &str) -> Option<&Finding> {
        self.findings.iter().find(|finding| finding.requirement.id == id)
    }
}

/// A report in the making. Of one requirement the first failure is kept, and a failure over any pass.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    judged: Vec<(Requirement, Judgement)>,
    /// The first requirement whose failure kept others from being judged.
    stopped_by: Option<&'static str>,
}

impl Sheet {
    pub(super) fn pass(&mut self, requirement: Requirement) {
        self.note(requirement, Judgement::Pass);
    }

    pub(super) fn fail(&mut self, requirement: Requirement, detail: impl Into<String>) {
        self.note(requirement, Judgement::Fail(shorten(&detail.into())));
    }

    pub(super) fn skip(&mut self, requirement: Requirement, reason: &str) {
        self.note(requirement, Judgement::NotApplicable(reason.to_owned()));
    }

    /// Says why it is not judged, unless it was.
    pub(super) fn leave(&mut self, requirement: Requirement, reason: &str) {
        self.note(requirement, Judgement::NotJudged(reason.to_owned()));
    }

    /// Passes, or fails with what is wrong.
    pub(super) fn judge(&mut self, requirement: Requirement, outcome: Result<(), String>) {
        match outcome {
            Ok(()) => self.pass(requirement),
            Err(detail) => self.fail(requirement, detail),
        }
    }

    /// Fails what keeps the rest from being judged.
    pub(super) fn stop(&mut self, requirement: Requirement, detail: impl Into<String>) {
        self.stopped_by.get_or_insert(requirement.id);
        self.fail(requirement, detail);
    }

    pub(super) const fn is_stopped(&self) -> bool {
        self.stopped_by.is_some()
    }

    fn note(&mut self, requirement: Requirement, judgement: Judgement) {
        match self.judged.iter_mut().find(|(noted, _)| *noted == requirement) {
            None => self.judged.push((requirement, judgement)),
            Some((_, noted)) => {
                let graver = |judgement: &Judgement| match judgement {
                    Judgement::NotApplicable(_) | Judgement::NotJudged(_) | Judgement::NotReached(_) => 0,
                    Judgement::Pass => 1,
                    Judgement::Fail(_) => 2,
                };
                if graver(&judgement) > graver(noted) {
                    *noted = judgement;
                }
            }
        }
    }

    pub(super) fn finish(self) -> Report {
        let unnoted = match self.stopped_by {
            Some(id) => Judgement::NotReached(format!("the check ends at `{id}`, which the module breaks")),
            None => Judgement::NotJudged("there was nothing to judge".to_owned()),
        };
        let findings: Vec<_> = ALL
            .iter()
            .map(|requirement| {
                let noted = self.judged.iter().find(|(noted, _)| noted == requirement);
                let judgement = noted.map(|(_, judgement)| judgement.clone());
                Finding { requirement: *requirement, judgement: judgement.unwrap_or_else(|| unnoted.clone()) }
            })
            .collect();
        let count = |is: fn(&Judgement) -> bool| findings.iter().filter(|one| is(&one.judgement)).count();
        let fails = |one: &Finding| {
            one.requirement.level == Level::Must && matches!(one.judgement, Judgement::Fail(_))
        };
        Report {
            conforms: !findings.iter().any(fails),
            passed: count(|judgement| matches!(judgement, Judgement::Pass)),
            failed: count(|judgement| matches!(judgement, Judgement::Fail(_))),
            not_applicable: count(|judgement| matches!(judgement, Judgement::NotApplicable(_))),
            not_judged: count(|judgement| {
                matches!(judgement, Judgement::NotJudged(_) | Judgement::NotReached(_))
            }),
            findings,
        }
    }
}

/// What is seen may come from the module, and be as long as it likes.
fn shorten(detail: &str) -> String {
    const LONGEST: usize = 500;
    match detail.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", detail.get(..end).unwrap_or_default()),
        None => detail.to_owned(),
    }
}
