//! Failing checks: failed validators and harness cases, with the evidence for fixing them.

use alloc::{
    borrow::Cow,
    collections::BTreeMap,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{
    Error, Steps,
    json::Pointer,
    order::{self, SortedSet},
    paths::normalize,
};

use super::{baseline::Comparison, results::Results};
use crate::{
    codes,
    documents::{
        evidence::{Case, CaseStatus, Evidence},
        finding::Shown,
    },
};

/// The most failures that a harness may count without listing them. Each becomes a finding, and a number in a report must not
/// produce an answer of any size.
const MAX_UNLISTED_FAILURES: u64 = 1_000;

/// A failed validator: it exited non-zero, or it timed out.
#[derive(Clone, Debug)]
pub(crate) struct FailingValidator<'a> {
    /// The validator.
    pub id: &'a str,
    /// Its exit code, unless it timed out without one.
    pub exit: Option<i64>,
    /// True if it timed out.
    pub timed_out: bool,
    /// Its index among the timeouts, if only the timeout shows the failure.
    pub timeout: Option<u32>,
    /// An artifact that is named after it.
    pub artifact: Option<&'a str>,
    /// True if it failed in the same way on the base revision, and the policy accepts that.
    pub is_excused: bool,
}

impl<'a> FailingValidator<'a> {
    /// The pointer to the failure. Built on demand, because an answer lists only the first of many.
    pub(super) fn pointer(&self) -> String {
        match self.timeout {
            Some(index) => Pointer::new("/evidence/validation/timeouts").index(index as usize),
            None => Pointer::new("/evidence/validation/exit_codes").key(self.id),
        }
        .into_string()
    }

    /// The failure as a clause.
    pub(super) fn describe(&self) -> String {
        // Joining short texts takes half of the time of formatting them.
        match self.exit {
            _ if self.timed_out => ["`", self.id, "` timed out"].concat(),
            Some(exit) => ["`", self.id, "` exited ", &exit.to_string()].concat(),
            None => ["`", self.id, "` failed"].concat(),
        }
    }

    /// The value to show as actual.
    pub(super) fn shown(&self) -> Shown<'a> {
        match self.exit {
            Some(exit) if !self.timed_out => exit.into(),
            _ => "timeout".into(),
        }
    }
}

/// A failed case, or a failure that the harness counts without listing it.
#[derive(Clone, Debug)]
pub(crate) struct FailingCase<'a> {
    /// The case, if it is listed.
    pub case: Option<&'a Case<'a>>,
    /// The case's id, numbered if it repeats.
    pub item: Cow<'a, str>,
    /// A command that reproduces the failure.
    pub repro: Option<&'a str>,
    /// The pointer to the failure.
    pub pointer: String,
    /// True if it failed on the base revision, too, and the policy accepts that.
    pub is_known: bool,
}

/// The failed validators: by exit code, then those that only timed out.
pub(super) fn failed_validators<'a>(
    evidence: &Evidence<'a>,
    results: &Results<'a>,
    comparison: Option<&Comparison<'a>>,
    steps: &mut Steps,
) -> Result<Vec<FailingValidator<'a>>, Error> {
    let timeouts = results.timeouts();
    let exits = || results.exit_codes().iter().filter(|(_, exit)| **exit != 0);
    let mut failing = Vec::with_capacity(exits().count() + timeouts.len());
    for (id, exit) in exits() {
        let timed_out = timeouts.contains(id);
        failing.push(FailingValidator {
            id,
            exit: Some(*exit),
            timed_out,
            timeout: None,
            artifact: None,
            is_excused: comparison.is_some_and(|comparison| comparison.excused.contains(*id)),
        });
    }
    let listed = evidence.validation.timeouts.iter().zip(0_u32..);
    let listed = listed.filter(|(id, _)| timeouts.contains(**id)).collect();
    for (id, index) in order::without_repeats(listed, |(left, _), (right, _)| left.cmp(right)) {
        let exit = results.exit_codes().get(id).copied();
        if exit.is_none_or(|exit| exit == 0) {
            failing.push(FailingValidator {
                id,
                exit,
                timed_out: true,
                timeout: Some(index),
                artifact: None,
                is_excused: false,
            });
        }
    }
    name_artifacts(&mut failing, &evidence.artifacts, steps)?;
    Ok(failing)
}

/// Gives each validator the first artifact with its id in the path. The id must be a whole segment or stem, or be delimited by `.`,
/// `-` or `_`.
fn name_artifacts<'a>(
    failing: &mut [FailingValidator<'a>],
    artifacts: &[&'a str],
    steps: &mut Steps,
) -> Result<(), Error> {
    if artifacts.is_empty() {
        return Ok(());
    }
    // Sorted by id. An empty id is in no path.
    let mut by_id: Vec<&mut FailingValidator<'a>> = failing.iter_mut().collect();
    order::sort_by(&mut by_id, |left, right| left.id.cmp(right.id));
    let mut lengths = SortedSet::new();
    by_id.iter().filter(|validator| !validator.id.is_empty()).for_each(|one| lengths.insert(one.id.len()));
    let mut left = by_id.iter().filter(|validator| !validator.id.is_empty()).count();
    for artifact in artifacts {
        if left == 0 {
            break;
        }
        steps.spend(artifact.len() + 1)?;
        let path = normalize(artifact);
        let path = path.as_bytes();
        let starts = path.iter().enumerate().filter(|(_, byte)| is_boundary(byte)).map(|(at, _)| at + 1);
        for rest in core::iter::once(0).chain(starts).filter_map(|start| path.get(start..)) {
            steps.spend(lengths.len())?;
            for part in lengths.iter().map_while(|length| rest.get(..*length)) {
                if rest.get(part.len()).is_none_or(is_boundary) {
                    steps.spend(part.len())?;
                    let at = by_id.binary_search_by(|validator| validator.id.as_bytes().cmp(part));
                    if let Some(validator) = at.ok().and_then(|at| by_id.get_mut(at))
                        && validator.artifact.is_none()
                    {
                        validator.artifact = Some(*artifact);
                        left -= 1;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns true if a byte delimits an id in a path.
const fn is_boundary(byte: &u8) -> bool {
    matches!(byte, b'/' | b'.' | b'-' | b'_')
}

/// The failed cases, then one entry for each failure that is counted and not listed.
pub(super) fn failed_cases<'a>(
    results: &Results<'a>,
    known: &[usize],
) -> Result<Vec<FailingCase<'a>>, Error> {
    let Some(report) = results.harness() else { return Ok(Vec::new()) };
    let is_failed = |(_, case): &(usize, &'a Case<'a>)| case.status == CaseStatus::Failed;
    let failed: Vec<(usize, &Case<'_>)> = report.cases.iter().enumerate().filter(is_failed).collect();
    let counted = report.summary.map_or(0, |summary| summary.failed);
    let unlisted = counted.saturating_sub(failed.len() as u64);
    let pointer = "/evidence/harness_report/summary/failed";
    if unlisted > MAX_UNLISTED_FAILURES {
        let message =
            format!("{unlisted} failures are counted and not listed, the limit is {MAX_UNLISTED_FAILURES}");
        return Err(Error::new(codes::LIMIT_EXCEEDED, message).within("envelope").at(pointer));
    }
    let items = numbered(failed.iter().map(|(_, case)| case.id));
    let listed = failed.iter().zip(items).map(|((index, case), item)| FailingCase {
        case: Some(case),
        item,
        repro: case.repro.filter(|repro| !repro.trim().is_empty()),
        pointer: Pointer::new("/evidence/harness_report/cases").index(*index).into_string(),
        is_known: known.binary_search(index).is_ok(),
    });
    let unlisted = (1..=unlisted).map(|number| FailingCase {
        case: None,
        item: format!("unlisted#{number}").into(),
        repro: None,
        pointer: pointer.into(),
        is_known: false,
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
            let validator = FailingValidator {
                id,
                exit: Some(1),
                timed_out: false,
                timeout: None,
                artifact: None,
                is_excused: false,
            };
            let (mut failing, artifacts) = ([validator], [path]);
            name_artifacts(&mut failing, &artifacts, &mut Steps::default()).unwrap();
            assert_eq!(failing[0].artifact.is_some(), expected, "{path} {id}");
        }
    }

    #[test]
    fn each_has_the_first_artifact_of_its_name() {
        let validator = |id| FailingValidator {
            id,
            exit: Some(1),
            timed_out: false,
            timeout: None,
            artifact: None,
            is_excused: false,
        };
        let mut failing = ["test", "cargo-test", "lint", "none"].map(validator);
        let artifacts = ["logs/cargo-test.log", "logs/test.log", "lint/test.log"];
        name_artifacts(&mut failing, &artifacts, &mut Steps::default()).unwrap();
        let named = failing.map(|validator| validator.artifact);
        assert_eq!(named, [Some(artifacts[0]), Some(artifacts[0]), Some(artifacts[2]), None]);
    }

    #[test]
    fn repeats_are_numbered() {
        let items = numbered(["a", "b", "a", "a"].into_iter());
        assert_eq!(items, ["a", "b", "a#1", "a#2"]);
    }
}
