//! The comparison of the results with those on the base revision: failures that were there before, and tests that are gone
//! (docs/reference/rules.md).

mod cases;
mod excused;
mod known;
mod lost;
mod renames;
mod shrunk;

use alloc::vec::Vec;

use adjudicate_lang::{
    Error, Steps,
    order::{self, SortedSet},
};

use self::renames::Renames;
use super::{diff::Changed, results::Results};
use crate::{
    documents::evidence::{Baseline, CaseStatus, Evidence, HarnessReport},
    policy::Policy,
};

pub(crate) use shrunk::ShrunkTests;

/// The results of one envelope, compared with those of its baseline.
#[derive(Clone, Debug)]
pub(crate) struct Comparison<'a> {
    /// The reason why the baseline excuses nothing.
    pub fault: Option<BaselineFault>,
    /// The indices of the known failed cases of the report, in order.
    pub known: Vec<usize>,
    /// The validators that failed with known cases alone, if the policy accepts them.
    pub excused: SortedSet<&'a str>,
    /// The numbers of cases that no longer run and that are skipped now. `None` if a side lists no cases.
    pub lost: Option<LostCounts>,
    /// The tests that are gone, and that nothing accounts for.
    pub shrunk: Vec<ShrunkTests<'a>>,
}

/// The numbers of cases of the baseline that do not run now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LostCounts {
    pub all: u64,
    /// Those that are skipped now.
    pub skipped: u64,
}

/// The reason why a baseline excuses nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BaselineFault {
    /// It is one of the tree that is judged, although files changed.
    OfJudgedTree,
    /// It names no tree, and the policy asks for trees.
    WithoutTree,
}

impl<'a> Comparison<'a> {
    /// Compares the results with the baseline, if there is one.
    pub(super) fn new(
        evidence: &'a Evidence<'a>,
        results: &Results<'a>,
        changed: &Changed<'a>,
        policy: &Policy,
        steps: &mut Steps,
    ) -> Result<Option<Self>, Error> {
        let Some(baseline) = &evidence.baseline else { return Ok(None) };
        let renames = Renames::new(changed.renames(), steps)?;
        let before = cases::sorted(&baseline.cases, Some(&renames), steps)?;
        let report = results.harness();
        let reported = report.map_or(&[][..], |report| &report.cases);
        let now = cases::sorted(reported, None, steps)?;
        let (mut known, mut lost) = (Vec::new(), Vec::new());
        cases::in_pairs(&before, &now, |before, now| {
            known::add(before, now, &mut known);
            lost::add(before, now, &mut lost);
        });
        order::sort_by_u32(&mut known, |index| *index as u32, Ord::cmp);
        let fault = BaselineFault::of(evidence, baseline, changed, policy);
        if fault.is_some() || !report.is_some_and(lists_all_failures) {
            known.clear();
        }
        let is_stale = report.is_none() && evidence.harness_report.as_ref().is_some();
        let is_listed = !before.is_empty() && !now.is_empty();
        let counts = is_listed.then(|| LostCounts {
            all: lost.len() as u64,
            skipped: lost.iter().filter(|lost| lost.is_skipped).count() as u64,
        });
        let tests = shrunk::ComparedTests { evidence, baseline, report, before: &before, lost: &lost };
        Ok(Some(Self {
            fault,
            excused: match policy.accepts_known_failures() {
                true => excused::validators(baseline, reported, results, &known),
                false => SortedSet::new(),
            },
            lost: counts,
            shrunk: if is_stale { Vec::new() } else { tests.shrunk(results, changed, policy, steps)? },
            known,
        }))
    }
}

/// Returns true if a report counts its failures, and lists each of them.
fn lists_all_failures(report: &HarnessReport<'_>) -> bool {
    report.summary.is_some_and(|summary| summary.failed == report.count(CaseStatus::Failed))
}

impl BaselineFault {
    fn of(
        evidence: &Evidence<'_>,
        baseline: &Baseline<'_>,
        changed: &Changed<'_>,
        policy: &Policy,
    ) -> Option<Self> {
        if baseline.tree.is_none() && policy.requires_tree() {
            return Some(Self::WithoutTree);
        }
        let is_judged = baseline.tree.is_some() && baseline.tree == evidence.tree;
        (is_judged && !changed.is_empty()).then_some(Self::OfJudgedTree)
    }
}
