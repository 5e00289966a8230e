//! Excused validators: those that failed on the base revision in the same way, with known failures alone.

use alloc::collections::BTreeMap;

use adjudicate_lang::order::{self, SortedSet};

use crate::{
    documents::evidence::{Baseline, Case, CaseStatus},
    evaluate::results::Results,
};

/// The failed cases of a validator.
#[derive(Clone, Copy, Default)]
struct FailedCases {
    now: i64,
    known: i64,
    before: i64,
}

/// The validators that failed with known cases alone. `known` are the indices of known cases among those that are reported.
pub(super) fn validators<'a>(
    baseline: &Baseline<'a>,
    reported: &[Case<'a>],
    results: &Results<'a>,
    known: &[usize],
) -> SortedSet<&'a str> {
    let mut excused = SortedSet::new();
    if known.is_empty() {
        return excused;
    }
    let is_named = reported.iter().chain(&baseline.cases).any(|case| case.validator.is_some());
    let now = order::names(results.exit_codes().keys().chain(results.timeouts().iter()).copied());
    let before = order::names(baseline.exit_codes.keys().chain(&baseline.timeouts).copied());
    // Cases that name no validator are those of the only one.
    if !is_named && (now.len() != 1 || before.len() != 1) {
        return excused;
    }
    let is_failed = |case: &Case<'_>| case.status == CaseStatus::Failed;
    let mut failed: BTreeMap<Option<&str>, FailedCases> = BTreeMap::new();
    for (index, case) in reported.iter().enumerate().filter(|(_, case)| is_failed(case)) {
        let own = failed.entry(case.validator).or_default();
        own.now += 1;
        own.known += i64::from(known.binary_search(&index).is_ok());
    }
    for case in baseline.cases.iter().filter(|case| is_failed(case)) {
        failed.entry(case.validator).or_default().before += 1;
    }
    for (id, exit) in results.exit_codes().iter() {
        let base = baseline.exit_codes.get(id).copied().unwrap_or_default();
        let is_late = results.timeouts().contains(*id) || baseline.timeouts.contains(id);
        let own = failed.get(&is_named.then_some(*id)).copied().unwrap_or_default();
        let counts_failures = *exit == own.now && base == own.before;
        if *exit != 0
            && base != 0
            && !is_late
            && own.known > 0
            && own.known == own.now
            && (*exit == base || counts_failures)
        {
            excused.insert(*id);
        }
    }
    excused
}
