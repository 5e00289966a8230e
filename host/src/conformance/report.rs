//! What came of checking a module.

use serde::Serialize;

use super::requirement::{ALL, Level, Requirement};

/// Whether a requirement is met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "outcome", content = "detail")]
pub enum Judgement {
    /// It is.
    Pass,
    /// It is not; what was seen.
    Fail(String),
    /// It does not apply, or could not be judged; why.
    NotApplicable(String),
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
    /// How many do not apply, or could not be judged.
    pub not_applicable: usize,
    /// All of them.
    pub findings: Vec<Finding>,
}

impl Report {
    /// The finding about a requirement, by its id.
    ///
    /// ```
    /// use adjudicate_host::{Host, Settings, conformance::{self, Judgement}};
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
                    Judgement::NotApplicable(_) => 0,
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
        let reason = match self.stopped_by {
            Some(id) => format!("not judged, since the module breaks `{id}`"),
            None => "there was nothing to judge".to_owned(),
        };
        let findings: Vec<_> = ALL
            .iter()
            .map(|requirement| {
                let noted = self.judged.iter().find(|(noted, _)| noted == requirement);
                let judgement = noted.map(|(_, judgement)| judgement.clone());
                Finding {
                    requirement: *requirement,
                    judgement: judgement.unwrap_or_else(|| Judgement::NotApplicable(reason.clone())),
                }
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
