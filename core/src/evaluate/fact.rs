//! The value of each fact in an evaluation; `policy/fact.rs` has their meanings.

use alloc::{vec, vec::Vec};

use adjudicate_lang::{
    Error, Steps,
    logic::{Number, Value},
    order,
};

use super::{
    approvals::missing_approvals,
    diff::ChangedFile,
    events::{EventClass, classify},
    facts::Facts,
    progress::{has_improved, refinements},
};
use crate::{
    codes::{Severity, Status},
    documents::evidence::{CaseStatus, DiffFile, HarnessReport, HarnessSummary},
    policy::Fact,
};

/// The cost of an item in a list, in steps.
const ITEM: usize = 64;
/// The additional cost of a changed file, which is an object. It bounds the memory of their list to about 64 MiB.
const FILE: usize = 7 * ITEM;

/// The value of a fact; unknown if the evidence does not have it.
///
/// # Errors
///
/// When the budget runs out.
pub(crate) fn value<'a>(fact: Fact, facts: &'a Facts<'a>, steps: &mut Steps) -> Result<Value<'a>, Error> {
    let value = match fact {
        Fact::Intent => facts.intent().map(|intent| intent.as_str()).into(),
        Fact::Claims => facts.claims().map(|claims| texts(claims.iter().map(|claim| claim.as_str()))).into(),
        Fact::Outcome => facts.evidence().validation.mechanical_outcome.as_str().into(),
        Fact::DiffEmpty
        | Fact::DiffOpaque
        | Fact::DiffPaths
        | Fact::DiffFiles
        | Fact::DiffCount
        | Fact::DiffForbidden
        | Fact::DiffProtected
        | Fact::DiffInsertions
        | Fact::DiffDeletions => {
            if fact == Fact::DiffFiles && facts.names_each_file() {
                steps.spend(facts.changed().files().len() * FILE)?;
            }
            diff_value(fact, facts)
        }
        Fact::DiffImproved => {
            let latest = facts.evaluations().next().map(|(_, latest, _)| latest);
            steps.spend(
                latest.map_or(0, |latest| latest.diff_summary.len()) + facts.changed().files().len(),
            )?;
            latest.map(|latest| has_improved(facts, latest)).into()
        }
        Fact::Failures => number(facts.failures()),
        Fact::ValidatorsPassing => texts(facts.passing_validators()),
        Fact::ValidatorsFailing => texts(facts.failed_validators().iter().map(|validator| validator.id)),
        Fact::ValidatorsTimedOut => texts(facts.timeouts().iter().copied()),
        Fact::ValidatorsMissing => texts(facts.missing_validators().into_iter().map(|(_, id)| id)),
        Fact::ValidatorsCount => {
            let timed_out = facts.timeouts().iter();
            let exit_codes = facts.results().exit_codes();
            let others = timed_out.filter(|id| !exit_codes.contains_key(*id)).count();
            number((exit_codes.len() + others) as u64)
        }
        Fact::HarnessRepeats => facts.harness().map(|_| repeats(facts, steps)).transpose()?.flatten().into(),
        Fact::HarnessPresent => facts.harness().is_some().into(),
        Fact::HarnessPasses
        | Fact::HarnessPassed
        | Fact::HarnessFailed
        | Fact::HarnessSkipped
        | Fact::HarnessFlaky
        | Fact::HarnessFailing
        | Fact::HarnessGoldens
        | Fact::UxHigh
        | Fact::UxMedium
        | Fact::UxLow => facts.harness().map(|report| harness_value(fact, facts, report)).into(),
        Fact::TestsKnown | Fact::TestsNewFailures | Fact::TestsLost | Fact::TestsSkippedNow => {
            tests_value(fact, facts).into()
        }
        Fact::ArtifactsMissing => texts(facts.missing_artifacts().iter().map(|missing| missing.wanted)),
        Fact::ApprovalsMissing => {
            // Required approvals are looked up among the granted ones.
            steps.spend(facts.granted().len() * ITEM)?;
            texts(missing_approvals(facts).map(|missing| missing.item))
        }
        Fact::ApprovalsGranted => each_once(facts.granted().iter().copied()),
        Fact::ReviewPresent => facts.results().review().is_some().into(),
        Fact::ReviewHigh => issues(facts, Severity::High),
        Fact::ReviewMedium => issues(facts, Severity::Medium),
        Fact::ReviewLow => issues(facts, Severity::Low),
        Fact::EventsClasses => {
            let events = facts.evidence().policy_events.iter();
            each_once(events.map(|event| event.split_once(':').map_or(*event, |(class, _)| class)))
        }
        Fact::EventsViolations => events(facts, EventClass::Violation),
        Fact::EventsWarnings => events(facts, EventClass::Warning),
        Fact::HistoryCount => number(facts.evaluations().count() as u64),
        Fact::HistoryLast => facts.evaluations().next().map(|(_, _, status)| status.as_str()).into(),
        Fact::HistoryPartials => {
            let partials = facts.evaluations().take_while(|(_, _, status)| *status == Status::Partial);
            number(partials.count() as u64)
        }
        Fact::HistoryFlags => {
            each_once(facts.history().0.iter().flat_map(|entry| &entry.risk_flags).copied())
        }
        Fact::RefinementCap => number(refinements(facts).1),
        Fact::RefinementSpent => number(refinements(facts).0),
        Fact::Contradictions => {
            let looked_at = facts.failed_validators().len() + facts.missing_artifacts().len();
            steps.spend(looked_at * ITEM)?;
            texts(facts.contradictions())
        }
    };
    steps.spend(value.len() * ITEM)?;
    Ok(value)
}

/// A count as a value.
pub(super) fn number<'v>(count: u64) -> Value<'v> {
    Value::Number(Number::from(count))
}

fn diff_value<'a>(fact: Fact, facts: &'a Facts<'a>) -> Value<'a> {
    let changed = facts.changed();
    let files = changed.files();
    match fact {
        Fact::DiffEmpty => changed.is_empty().into(),
        Fact::DiffOpaque => changed.is_opaque().into(),
        Fact::DiffForbidden if facts.knows_forbidden() => {
            each_once(facts.forbidden_files().map(|file| &*file.path))
        }
        Fact::DiffProtected if facts.knows_protected() => {
            each_once(facts.protected_files().map(|file| &*file.path))
        }
        Fact::DiffForbidden | Fact::DiffProtected => Value::Unknown,
        Fact::DiffCount if changed.is_opaque() || facts.names_each_file() => {
            changed.count().map_or(Value::Unknown, number)
        }
        _ if !facts.names_each_file() => Value::Unknown,
        Fact::DiffInsertions => lines(facts, |file| file.insertions),
        Fact::DiffDeletions => lines(facts, |file| file.deletions),
        Fact::DiffFiles => Value::list(files.iter().map(changed_file).collect()),
        _ => each_once(files.iter().map(|file| &*file.path)),
    }
}

fn harness_value<'a>(fact: Fact, facts: &'a Facts<'a>, report: &'a HarnessReport<'a>) -> Value<'a> {
    let listed = !report.cases.is_empty();
    let counted = |count: fn(HarnessSummary) -> u64| {
        report.summary.map_or(Value::Unknown, |summary| number(count(summary)))
    };
    let remarks =
        |severity| number(report.ux_flags.iter().filter(|remark| remark.severity == severity).count() as u64);
    match fact {
        Fact::HarnessPasses => facts.harness_outcome().into(),
        Fact::HarnessPassed if listed => number(report.count(CaseStatus::Passed)),
        Fact::HarnessPassed => counted(|summary| summary.passed),
        Fact::HarnessFailed | Fact::HarnessFailing if !listed && report.summary.is_none() => Value::Unknown,
        Fact::HarnessFailed => number(facts.failed_cases().len() as u64),
        Fact::HarnessSkipped if listed => number(report.count(CaseStatus::Skipped)),
        Fact::HarnessSkipped => Value::Unknown,
        Fact::HarnessFlaky if listed => number(report.count(CaseStatus::Flaky)),
        Fact::HarnessFlaky => report.summary.and_then(|summary| summary.flaky).map_or(Value::Unknown, number),
        Fact::HarnessFailing => texts(facts.failed_cases().iter().filter_map(|failed| Some(failed.case?.id))),
        Fact::UxHigh => remarks(Severity::High),
        Fact::UxMedium => remarks(Severity::Medium),
        Fact::UxLow => remarks(Severity::Low),
        _ => texts(report.proposed_goldens.iter().copied()),
    }
}

/// The number of evaluations, this one included, in which the case failed that failed most often. `None` if some failures have no name.
fn repeats<'v>(facts: &Facts<'_>, steps: &mut Steps) -> Result<Option<Value<'v>>, Error> {
    let failed = facts.failed_cases();
    if failed.iter().any(|failed| failed.case.is_none()) {
        return Ok(None);
    }
    let mut times = vec![1_u64; failed.len()];
    for (_, entry, status) in facts.evaluations() {
        let Some(blockers) = &entry.blockers else {
            if status == Status::Success {
                continue;
            }
            return Ok(None);
        };
        steps.spend((blockers.len() + failed.len()) * ITEM)?;
        let items = order::names(blockers.iter().map(|blocker| blocker.item));
        for (times, failed) in times.iter_mut().zip(failed) {
            *times += u64::from(items.contains(&*failed.item));
        }
    }
    Ok(Some(number(times.into_iter().max().unwrap_or_default())))
}

/// A number of cases, compared with the baseline; `None` if a side lists no cases.
fn tests_value<'a>(fact: Fact, facts: &Facts<'_>) -> Option<Value<'a>> {
    let comparison = facts.comparison()?;
    let lost = comparison.lost?;
    let known = comparison.known.len() as u64;
    Some(number(match fact {
        Fact::TestsKnown => known,
        Fact::TestsNewFailures => facts.failed_cases().len() as u64 - known,
        Fact::TestsLost => lost.all,
        _ => lost.skipped,
    }))
}

/// `{path, change}`; without `change` if it is unknown, because nothing unknown is inside a value.
fn changed_file<'a>(file: &'a ChangedFile<'a>) -> Value<'a> {
    let path = Some(("path".into(), Value::from(&*file.path)));
    let change = file.change.map(|change| ("change".into(), Value::from(change.as_str())));
    Value::object(path.into_iter().chain(change).collect())
}

/// The number of added or deleted lines in all files of a typed diff, if every file has it.
fn lines<'v>(facts: &Facts<'_>, of_file: impl Fn(&DiffFile<'_>) -> Option<u64>) -> Value<'v> {
    let files = facts.evidence().diff.as_ref().map(|diff| &diff.files);
    let sum = files
        .and_then(|files| files.iter().map(of_file).try_fold(0_u64, |sum, lines| sum.checked_add(lines?)));
    sum.map_or(Value::Unknown, number)
}

/// The number of review issues of a severity.
fn issues<'v>(facts: &Facts<'_>, severity: Severity) -> Value<'v> {
    let issues = facts.results().review().map(|review| review.issues.iter());
    let counted = issues.map(|issues| issues.filter(|issue| issue.severity == severity).count());
    counted.map_or(Value::Unknown, |count| number(count as u64))
}

/// The events of a class, each once.
fn events<'a>(facts: &Facts<'a>, class: EventClass<'_>) -> Value<'a> {
    let events = facts.evidence().policy_events.iter().copied();
    each_once(events.filter(|event| classify(event) == class))
}

fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> Value<'a> {
    let texts: Vec<Value<'a>> = texts.into_iter().map(Value::Text).collect();
    // Most lists are empty, and an empty one needs no allocation.
    if texts.is_empty() { Value::List(&[]) } else { Value::list(texts) }
}

fn each_once<'a>(texts: impl Iterator<Item = &'a str>) -> Value<'a> {
    self::texts(order::without_repeats(texts.collect(), Ord::cmp))
}
