//! Failing checks: validators and harness cases that failed, and what is known of how to fix them.

use alloc::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
    vec::Vec,
};

use super::{
    evidence::{Case, CaseStatus, Evidence},
    finding::Shown,
};
use crate::{codes::ErrorCode, error::Error, json::Pointer, paths::normalize, steps::Steps};

/// How many failures a harness may count without listing them: each is a finding of its own, and a number in a
/// report must not make an answer of any size.
const MAX_UNLISTED_FAILURES: u64 = 1_000;

/// A validator that failed: it exited non-zero, or it timed out.
#[derive(Clone, Debug)]
pub(crate) struct FailingValidator<'a> {
    /// The validator.
    pub id: &'a str,
    /// Its exit code, unless it timed out without one.
    pub exit: Option<i64>,
    /// Whether it ran out of time.
    pub timed_out: bool,
    /// Where the evidence says so.
    pub pointer: String,
    /// An artifact that is named after it.
    pub artifact: Option<&'a str>,
}

impl<'a> FailingValidator<'a> {
    /// What happened, as a clause.
    pub(super) fn describe(&self) -> String {
        match self.exit {
            _ if self.timed_out => format!("`{}` timed out", self.id),
            Some(exit) => format!("`{}` exited {exit}", self.id),
            None => format!("`{}` failed", self.id),
        }
    }

    /// What is shown as the actual value.
    pub(super) fn shown(&self) -> Shown<'a> {
        match self.exit {
            Some(exit) if !self.timed_out => exit.into(),
            _ => "timeout".into(),
        }
    }
}

/// A case that failed, or a failure that the harness counts without listing it.
#[derive(Clone, Debug)]
pub(crate) struct FailingCase<'a> {
    /// The case's id, if it is listed.
    pub id: Option<&'a str>,
    /// The case's id, numbered where it repeats.
    pub item: Cow<'a, str>,
    /// What reproduces it.
    pub repro: Option<&'a str>,
    /// Where the evidence says so.
    pub pointer: String,
}

/// The validators that failed: by exit code, then those that only timed out.
pub(super) fn failing_validators<'a>(
    evidence: &Evidence<'a>,
    timeouts: &BTreeSet<&str>,
    steps: &mut Steps,
) -> Result<Vec<FailingValidator<'a>>, Error> {
    let validation = &evidence.validation;
    let mut failing: Vec<FailingValidator<'a>> = Vec::new();
    for (id, exit) in validation.exit_codes.iter().filter(|(_, exit)| **exit != 0) {
        let pointer = Pointer::new("/evidence/validation/exit_codes").key(id).into_string();
        let timed_out = timeouts.contains(id);
        failing.push(FailingValidator { id, exit: Some(*exit), timed_out, pointer, artifact: None });
    }
    let mut seen = BTreeSet::new();
    for (index, id) in validation.timeouts.iter().enumerate() {
        let exit = validation.exit_codes.get(id).copied();
        if seen.insert(*id) && exit.is_none_or(|exit| exit == 0) {
            let pointer = Pointer::new("/evidence/validation/timeouts").index(index).into_string();
            failing.push(FailingValidator { id, exit, timed_out: true, pointer, artifact: None });
        }
    }
    for validator in &mut failing {
        for artifact in &evidence.artifacts {
            if names(artifact, validator.id, steps)? {
                validator.artifact = Some(artifact);
                break;
            }
        }
    }
    Ok(failing)
}

/// Whether a path contains an id as a whole segment or stem, or delimited by `.`, `-` or `_`.
fn names(path: &str, id: &str, steps: &mut Steps) -> Result<bool, Error> {
    steps.spend(path.len() + 1)?;
    let path = normalize(path);
    let (path, id) = (path.as_bytes(), id.as_bytes());
    let is_boundary = |byte: &u8| matches!(byte, b'/' | b'.' | b'-' | b'_');
    let Some(first) = id.first() else { return Ok(false) };
    let mut at_start = true;
    for (at, byte) in path.iter().enumerate() {
        if at_start && byte == first {
            steps.spend(id.len())?;
            let rest = path.get(at..).and_then(|rest| rest.strip_prefix(id));
            if rest.is_some_and(|rest| rest.first().is_none_or(is_boundary)) {
                return Ok(true);
            }
        }
        at_start = is_boundary(byte);
    }
    Ok(false)
}

/// The cases that failed, then one for each failure that is counted and not listed.
pub(super) fn failing_cases<'a>(evidence: &'a Evidence<'a>) -> Result<Vec<FailingCase<'a>>, Error> {
    let Some(report) = evidence.harness_report.as_ref() else { return Ok(Vec::new()) };
    let is_failed = |(_, case): &(usize, &'a Case<'a>)| case.status == CaseStatus::Failed;
    let failed: Vec<(usize, &Case<'_>)> = report.cases.iter().enumerate().filter(is_failed).collect();
    let unlisted = report.summary.failed.saturating_sub(failed.len() as u64);
    let pointer = "/evidence/harness_report/summary/failed";
    if unlisted > MAX_UNLISTED_FAILURES {
        let message =
            format!("{unlisted} failures are counted and not listed, the limit is {MAX_UNLISTED_FAILURES}");
        return Err(Error::new(ErrorCode::LimitExceeded, message).at(pointer));
    }
    let items = numbered(failed.iter().map(|(_, case)| case.id));
    let listed = failed.iter().zip(items).map(|((index, case), item)| FailingCase {
        id: Some(case.id),
        item,
        repro: case.repro.filter(|repro| !repro.trim().is_empty()),
        pointer: Pointer::new("/evidence/harness_report/cases").index(*index).into_string(),
    });
    let unlisted = (1..=unlisted).map(|number| FailingCase {
        id: None,
        item: format!("unlisted#{number}").into(),
        repro: None,
        pointer: pointer.into(),
    });
    Ok(listed.chain(unlisted).collect())
}

/// The ids as items: the n-th repeat of an id is `id#n`.
pub(super) fn numbered<'a>(ids: impl Iterator<Item = &'a str>) -> Vec<Cow<'a, str>> {
    let mut repeats = BTreeMap::new();
    ids.map(|id| {
        let repeat = repeats.entry(id).and_modify(|count| *count += 1_u64).or_default();
        match *repeat {
            0 => Cow::Borrowed(id),
            n => Cow::Owned(format!("{id}#{n}")),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifact_names() {
        for (path, id, expected) in [
            ("logs/pytest.log", "pytest", true),
            ("logs/pytest/out.txt", "pytest", true),
            ("logs/unit-pytest_report.xml", "pytest", true),
            ("logs/pytester.log", "pytest", false),
            ("logs/mypytest.log", "pytest", false),
            ("logs/cargo-test.log", "cargo-test", true),
            ("./pytest", "pytest", true),
            ("a/xpytest/pytest", "pytest", true),
            ("aaa.aa", "aa", true),
            ("-a", "-a", true),
            ("x-a", "-a", false),
            ("logs/x.log", "", false),
            ("ci/lint/out", "ci/lint", true),
        ] {
            assert_eq!(names(path, id, &mut Steps::default()), Ok(expected), "{path} {id}");
        }
    }

    #[test]
    fn repeats_are_numbered() {
        let items = numbered(["a", "b", "a", "a"].into_iter());
        assert_eq!(items, ["a", "b", "a#1", "a#2"]);
    }
}
