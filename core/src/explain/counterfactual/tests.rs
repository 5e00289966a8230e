//! Acts that restore tests that are gone.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::json::OwnedValue;

use super::act::{Act, SUMMARY};
use crate::{
    documents::evidence::CaseStatus,
    evaluate::{Facts, ShrunkTests},
};

/// The most tests that are restored at once.
const MOST: usize = 256;

/// The acts after which tests run again, unless there are too many.
pub(super) fn restored(facts: &Facts<'_>, tests: &ShrunkTests<'_>) -> Option<Vec<Act>> {
    let report = facts.harness();
    let report_acts = || report.is_none().then_some(Act::Report);
    if tests.cases.is_empty() {
        let missing = tests.expected - tests.actual;
        if let Some(summary) =
            report.filter(|report| report.cases.is_empty()).and_then(|report| report.summary)
        {
            let passed = summary.passed.saturating_add(missing);
            return Some(Vec::from([Act::Set(format!("{SUMMARY}/passed"), OwnedValue::count(passed))]));
        }
        let missing = usize::try_from(missing).ok().filter(|missing| *missing <= MOST)?;
        // A new report has one case.
        let new = missing.saturating_sub(usize::from(report.is_none()));
        return Some(report_acts().into_iter().chain((1..=new).map(Act::AddCase)).collect());
    }
    if tests.cases.len() > MOST {
        return None;
    }
    let cases = report.map_or(&[][..], |report| &report.cases);
    let mut skipped: Vec<usize> = Vec::new();
    let mut acts: Vec<Act> = report_acts().into_iter().collect();
    for (index, id) in &tests.cases {
        let validator = facts.evidence().baseline.as_ref()?.cases.get(*index)?.validator;
        let same = cases.iter().enumerate().find(|(place, case)| {
            case.status == CaseStatus::Skipped
                && case.id == *id
                && case.validator == validator
                && !skipped.contains(place)
        });
        acts.push(match same {
            Some((place, _)) => {
                skipped.push(place);
                Act::PassCase(place)
            }
            None => Act::RestoreCase(*index, String::from(&**id)),
        });
    }
    Some(acts)
}
