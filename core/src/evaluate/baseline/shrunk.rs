//! Tests that are gone, and that nothing accounts for: one item for each file, or for each id without a file.

use alloc::{borrow::Cow, boxed::Box, collections::BTreeMap, string::String, vec::Vec};
use core::cmp::Ordering;

use adjudicate_lang::{
    Error, Steps,
    json::Pointer,
    order::{self, SortedSet},
    paths::{Glob, Path},
};

use super::{
    cases::{ComparedCase, file_of},
    lost::LostCase,
};
use crate::{
    documents::{
        evidence::{Baseline, Case, CaseStatus, Evidence, HarnessReport, HarnessSummary},
        outcome::Outcome,
    },
    evaluate::{diff::Changed, results::Results},
    policy::Policy,
};

/// The approval of all lost tests; followed by `:` and an item, that of one file or id.
const TESTS_REMOVED: &str = "tests_removed";

/// Tests that are gone.
#[derive(Clone, Debug)]
pub(crate) struct ShrunkTests<'a> {
    /// The path of the file, the id of the case, or `harness_report`.
    pub item: Cow<'a, str>,
    /// The pointer to the first of them.
    pub pointer: String,
    /// The number of cases that ran on the base revision.
    pub expected: u64,
    /// The number of cases of these that run now.
    pub actual: u64,
    /// The cases that are gone: the index in the baseline, and the id after the change. None if the baseline only counts.
    pub cases: Vec<(usize, Cow<'a, str>)>,
    /// The ids of the cases to restore, each once.
    pub to_restore: Vec<&'a str>,
}

/// The tests of the base revision, and those that run now.
pub(super) struct ComparedTests<'c, 'a> {
    pub evidence: &'a Evidence<'a>,
    pub baseline: &'a Baseline<'a>,
    /// The report, unless there is none.
    pub report: Option<&'a HarnessReport<'a>>,
    pub before: &'c [ComparedCase<'a>],
    pub lost: &'c [LostCase<'c, 'a>],
}

impl<'a> ComparedTests<'_, 'a> {
    /// The tests that are gone: files by path, then ids.
    pub(super) fn shrunk(
        &self,
        results: &Results<'a>,
        changed: &Changed<'a>,
        policy: &Policy,
        steps: &mut Steps,
    ) -> Result<Vec<ShrunkTests<'a>>, Error> {
        let granted = self.evidence.approvals.as_ref().map_or(&[][..], |approvals| &approvals.granted);
        if granted.contains(&TESTS_REMOVED) {
            return Ok(Vec::new());
        }
        if self.before.is_empty() {
            return Ok(self.by_sums().into_iter().collect());
        }
        let mut accounts = Accounts::new(granted, changed, policy, steps)?;
        let mut open = Vec::new();
        for lost in self.lost {
            if !accounts.cover(lost, steps)? {
                open.push(lost);
            }
        }
        if open.is_empty() {
            return Ok(Vec::new());
        }
        order::sort_by_u32(&mut open, |lost| lost.index as u32, |_, _| Ordering::Equal);
        if self.report.is_none_or(|report| report.cases.is_empty()) {
            let expected = self.before.iter().filter(|case| case.is_run()).count() as u64;
            let cases = open.iter().map(|lost| lost.named()).collect();
            return Ok(Vec::from([ShrunkTests { cases, ..self.whole(expected, 0) }]));
        }
        Ok(self.by_item(&open, results))
    }

    /// The whole report, if the baseline only counts, and counts more.
    fn by_sums(&self) -> Option<ShrunkTests<'a>> {
        let expected = sum(self.baseline.summary?);
        let actual = self.report.map_or(0, |report| {
            let listed = report.cases.len() as u64 - report.count(CaseStatus::Skipped);
            let counted = report.summary.map(sum);
            match report.cases.is_empty() {
                true => counted.unwrap_or_default(),
                false => counted.map_or(listed, |counted| counted.min(listed)),
            }
        });
        (actual < expected).then(|| self.whole(expected, actual))
    }

    fn whole(&self, expected: u64, actual: u64) -> ShrunkTests<'a> {
        let pointer = if self.report.is_some() { "/evidence/harness_report" } else { "/evidence/baseline" };
        ShrunkTests {
            item: "harness_report".into(),
            pointer: pointer.into(),
            expected,
            actual,
            cases: Vec::new(),
            to_restore: Vec::new(),
        }
    }

    /// One item for each file, then one for each id without a file.
    fn by_item(&self, open: &[&LostCase<'_, 'a>], results: &Results<'a>) -> Vec<ShrunkTests<'a>> {
        // A run that was killed, or a validator that was late, lost its tests without any edit.
        let outcome = self.evidence.validation.mechanical_outcome;
        let is_killed = !matches!(outcome, Outcome::Completed | Outcome::Error);
        let mut items: BTreeMap<Item<'_>, ShrunkTests<'a>> = BTreeMap::new();
        for lost in open {
            let tests = items.entry(item(lost.file, lost.case)).or_insert_with(|| ShrunkTests {
                item: lost.file.cloned().unwrap_or(Cow::Borrowed(lost.case.id)),
                pointer: Pointer::new("/evidence/baseline/cases").index(lost.index).into_string(),
                expected: 0,
                actual: 0,
                cases: Vec::new(),
                to_restore: Vec::new(),
            });
            tests.cases.push(lost.named());
            let is_late = lost.case.validator.is_some_and(|validator| results.timeouts().contains(validator));
            if !is_killed && !is_late {
                tests.to_restore.push(lost.case.id);
            }
        }
        for case in self.before.iter().filter(|case| case.is_run()) {
            if let Some(tests) = items.get_mut(&item(case.file.as_ref(), case.case)) {
                tests.expected += 1;
                tests.actual += 1;
            }
        }
        for lost in self.lost {
            if let Some(tests) = items.get_mut(&item(lost.file, lost.case)) {
                tests.actual -= 1;
            }
        }
        let once = |tests: ShrunkTests<'a>| ShrunkTests {
            to_restore: order::without_repeats(tests.to_restore, Ord::cmp),
            ..tests
        };
        items.into_values().map(once).collect()
    }
}

/// The file of a case, or else its id, in the order of findings.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Item<'i> {
    File(&'i str),
    Id(&'i str),
}

fn item<'i>(file: Option<&'i Cow<'_, str>>, case: &Case<'i>) -> Item<'i> {
    file.map_or(Item::Id(case.id), |file| Item::File(file))
}

/// The number of tests that ran.
fn sum(summary: HarnessSummary) -> u64 {
    let flaky = summary.flaky.unwrap_or_default();
    summary.passed.saturating_add(summary.failed).saturating_add(flaky)
}

/// The reasons for which tests may be gone.
struct Accounts<'c> {
    policy: &'c Policy,
    /// The approved files and ids.
    approved: SortedSet<&'c str>,
    /// The files that the diff names as deleted; none if the tests of no file may go.
    deleted: SortedSet<&'c str>,
    /// For each pair of the policy, the names that deleted sources have. Filled when they are needed.
    names: Vec<SortedSet<Box<str>>>,
    /// For each deleted file, true if its tests may go.
    files: BTreeMap<String, bool>,
}

impl<'c> Accounts<'c> {
    fn new(
        granted: &[&'c str],
        changed: &'c Changed<'_>,
        policy: &'c Policy,
        steps: &mut Steps,
    ) -> Result<Self, Error> {
        steps.spend(granted.len() + changed.files().len())?;
        let approved = granted.iter().filter_map(|grant| {
            grant.strip_prefix(TESTS_REMOVED)?.strip_prefix(':').filter(|item| !item.is_empty())
        });
        Ok(Self {
            policy,
            approved: order::names(approved),
            deleted: match policy.tests_may_go().is_empty() && policy.test_sources().is_empty() {
                true => SortedSet::new(),
                false => changed.deleted(),
            },
            names: Vec::new(),
            files: BTreeMap::new(),
        })
    }

    /// Returns true if something accounts for a lost case.
    fn cover(&mut self, lost: &LostCase<'_, '_>, steps: &mut Steps) -> Result<bool, Error> {
        if self.approved.contains(lost.case.id)
            || lost.file.is_some_and(|file| self.approved.contains(&**file))
        {
            return Ok(true);
        }
        for pattern in self.policy.unstable_ids() {
            if pattern.matches(lost.case.id, steps)? {
                return Ok(true);
            }
        }
        if !lost.is_absent || self.deleted.is_empty() {
            return Ok(false);
        }
        let Some(file) = file_of(lost.case).filter(|file| self.deleted.contains(&**file)) else {
            return Ok(false);
        };
        if let Some(known) = self.files.get(&*file) {
            return Ok(*known);
        }
        let may_go = self.may_go(&file, steps)?;
        self.files.insert(file.into_owned(), may_go);
        Ok(may_go)
    }

    /// Returns true if the tests of a deleted file may go with it.
    fn may_go(&mut self, file: &str, steps: &mut Steps) -> Result<bool, Error> {
        let path = Path::split(file);
        let matches = |glob: &Glob, steps: &mut Steps| glob.matches(&path, steps);
        for glob in self.policy.tests_may_go() {
            if matches(glob, steps)? {
                return Ok(true);
            }
        }
        for (index, pair) in self.policy.test_sources().iter().enumerate() {
            if self.names.len() == index {
                self.names.push(pair.names_of_sources(self.deleted.iter().copied(), steps)?);
            }
            let names = pair.test.names(file, steps)?;
            if self.names.get(index).is_some_and(|sources| !names.is_disjoint(sources)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
