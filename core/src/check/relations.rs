//! What facts say of each other: as `evaluate/fact.rs` makes them, so they are for any evidence.

use super::{
    domain::add,
    env::Env,
    relate::{
        Outcome, at_most, edit, exclude, implies_items, is_known, is_positive, known_with, may_be_known,
        require, set_truth, truth,
    },
};
use crate::{logic::Number, policy::Fact};

/// How often the relations are gone through: what one finds out, another may use.
const ROUNDS: usize = 2;

/// What is known only of a diff that says which files changed.
const OF_FILES: &[Fact] =
    &[Fact::DiffPaths, Fact::DiffFiles, Fact::DiffCount, Fact::DiffForbidden, Fact::DiffProtected];
const DIFF: &[Fact] = &[
    Fact::DiffEmpty,
    Fact::DiffOpaque,
    Fact::DiffPaths,
    Fact::DiffFiles,
    Fact::DiffCount,
    Fact::DiffForbidden,
    Fact::DiffProtected,
    Fact::DiffInsertions,
    Fact::DiffDeletions,
    Fact::Contradictions,
];
const CHECKS: &[Fact] = &[
    Fact::Failures,
    Fact::ValidatorsPassing,
    Fact::ValidatorsFailing,
    Fact::ValidatorsTimedOut,
    Fact::ValidatorsCount,
    Fact::HarnessFailed,
    Fact::HarnessPasses,
];
const HARNESS: &[Fact] = &[
    Fact::HarnessPasses,
    Fact::HarnessPassed,
    Fact::HarnessFailed,
    Fact::HarnessSkipped,
    Fact::HarnessFlaky,
    Fact::HarnessFailing,
    Fact::HarnessGoldens,
    Fact::UxHigh,
    Fact::UxMedium,
    Fact::UxLow,
];
/// What is not said in every report.
const OF_SOME_HARNESSES: &[Fact] = &[Fact::HarnessSkipped, Fact::HarnessFlaky];
const REVIEW: &[Fact] = &[Fact::ReviewHigh, Fact::ReviewMedium, Fact::ReviewLow];
const HISTORY: &[Fact] = &[Fact::HistoryCount, Fact::HistoryLast, Fact::HistoryPartials, Fact::DiffImproved];

/// Narrows the facts by what they say of each other.
pub(super) fn propagate(env: &mut Env<'_>) -> Outcome {
    for _ in 0..ROUNDS {
        if env.asks_any(DIFF) {
            diff(env)?;
        }
        if env.asks_any(CHECKS) {
            checks(env)?;
        }
        if env.asks_any(HARNESS) || env.asks_any(&[Fact::HarnessPresent]) {
            harness(env)?;
        }
        if env.asks_any(REVIEW) || env.asks_any(&[Fact::ReviewPresent]) {
            known_with(env, Fact::ReviewPresent, true, REVIEW, &[])?;
        }
        if env.asks_any(HISTORY) {
            history(env)?;
        }
        if env.asks_any(&[Fact::EventsClasses])
            && env.asks_any(&[Fact::EventsViolations, Fact::EventsWarnings])
        {
            for events in [Fact::EventsViolations, Fact::EventsWarnings] {
                implies_items(env, events, Fact::EventsClasses)?;
            }
        }
        if env.asks_any(&[Fact::Contradictions]) {
            contradictions(env)?;
        }
    }
    Ok(())
}

fn diff(env: &mut Env<'_>) -> Outcome {
    let policy_paths: &[Fact] = match (env.has_paths(Fact::DiffForbidden), env.has_paths(Fact::DiffProtected))
    {
        (true, true) => OF_FILES,
        (true, false) => &[Fact::DiffPaths, Fact::DiffFiles, Fact::DiffCount, Fact::DiffForbidden],
        (false, true) => &[Fact::DiffPaths, Fact::DiffFiles, Fact::DiffCount, Fact::DiffProtected],
        (false, false) => &[Fact::DiffPaths, Fact::DiffFiles, Fact::DiffCount],
    };
    known_with(env, Fact::DiffOpaque, false, policy_paths, &[])?;
    let lines = [Fact::DiffInsertions, Fact::DiffDeletions];
    known_with(env, Fact::DiffOpaque, false, &lines, &lines)?;
    if truth(env, Fact::DiffOpaque) == Some(true) {
        set_truth(env, Fact::DiffEmpty, false)?;
    }
    for lines in lines {
        if is_known(env, lines) && edit(env, lines, |lines| lines.range.is_positive())? {
            set_truth(env, Fact::DiffEmpty, false)?;
        }
    }
    if truth(env, Fact::DiffEmpty) == Some(true) {
        set_truth(env, Fact::DiffOpaque, false)?;
        for list in [Fact::DiffPaths, Fact::DiffFiles, Fact::DiffForbidden, Fact::DiffProtected] {
            edit(env, list, |list| list.list.length.at_most(&Number::ZERO, true))?;
        }
        for number in [Fact::DiffCount, Fact::DiffInsertions, Fact::DiffDeletions] {
            edit(env, number, |number| number.range.at_most(&Number::ZERO, true))?;
        }
    }
    if truth(env, Fact::DiffOpaque) != Some(false) {
        return Ok(());
    }
    // From here on it is known what changed.
    if truth(env, Fact::DiffEmpty) == Some(false) {
        let one = Number::from(1_u64);
        edit(env, Fact::DiffCount, |count| count.range.at_least(&one, true))?;
        edit(env, Fact::DiffFiles, |files| files.list.length.at_least(&one, true))?;
    }
    let count = edit(env, Fact::DiffCount, |count| count.range.clone())?;
    edit(env, Fact::DiffPaths, |paths| paths.list.length.meet(&count))?;
    let length = edit(env, Fact::DiffPaths, |paths| paths.list.length.clone())?;
    edit(env, Fact::DiffCount, |count| count.range.meet(&length))?;
    // A path with two changes is two files.
    at_most(env, Fact::DiffCount, Fact::DiffFiles)?;
    for under in [Fact::DiffForbidden, Fact::DiffProtected] {
        at_most(env, under, Fact::DiffCount)?;
        implies_items(env, under, Fact::DiffPaths)?;
        let has = edit(env, under, |under| under.list.has.clone())?;
        edit(env, Fact::DiffPaths, |paths| add(&mut paths.list.has, &has))?;
    }
    let files = edit(env, Fact::DiffFiles, |files| files.list.length.clone())?;
    if files.is_positive() || is_positive(env, Fact::DiffCount)? {
        set_truth(env, Fact::DiffEmpty, false)?;
    } else if files.is_zero() || edit(env, Fact::DiffCount, |count| count.range.is_zero())? {
        set_truth(env, Fact::DiffEmpty, true)?;
    }
    Ok(())
}

fn checks(env: &mut Env<'_>) -> Outcome {
    use Fact::{Failures, ValidatorsCount, ValidatorsFailing, ValidatorsPassing, ValidatorsTimedOut};
    at_most(env, ValidatorsTimedOut, ValidatorsFailing)?;
    let timed_out = edit(env, ValidatorsTimedOut, |list| list.list.has.clone())?;
    edit(env, ValidatorsFailing, |list| add(&mut list.list.has, &timed_out))?;
    at_most(env, ValidatorsFailing, Failures)?;
    at_most(env, ValidatorsFailing, ValidatorsCount)?;
    at_most(env, ValidatorsPassing, ValidatorsCount)?;
    // A validator either passed or failed.
    for (list, other) in [(ValidatorsPassing, ValidatorsFailing), (ValidatorsFailing, ValidatorsPassing)] {
        let has = edit(env, list, |list| list.list.has.clone())?;
        edit(env, other, |other| add(&mut other.list.lacks, &has))?;
    }
    if is_known(env, Fact::HarnessFailed) {
        at_most(env, Fact::HarnessFailed, Failures)?;
    }
    Ok(())
}

fn harness(env: &mut Env<'_>) -> Outcome {
    known_with(env, Fact::HarnessPresent, true, HARNESS, OF_SOME_HARNESSES)?;
    if truth(env, Fact::HarnessPresent) != Some(true) {
        return Ok(());
    }
    at_most(env, Fact::HarnessFailing, Fact::HarnessFailed)?;
    let one = Number::from(1_u64);
    match truth(env, Fact::HarnessPasses) {
        Some(true) => {
            edit(env, Fact::HarnessPassed, |passed| passed.range.at_least(&one, true))?;
            edit(env, Fact::HarnessFailed, |failed| failed.range.at_most(&Number::ZERO, true))?;
        }
        Some(false) if is_positive(env, Fact::HarnessPassed)? => {
            edit(env, Fact::HarnessFailed, |failed| failed.range.at_least(&one, true))?;
        }
        Some(false) if edit(env, Fact::HarnessFailed, |failed| failed.range.is_zero())? => {
            edit(env, Fact::HarnessPassed, |passed| passed.range.at_most(&Number::ZERO, true))?;
        }
        Some(false) => {}
        None => {
            if is_positive(env, Fact::HarnessFailed)?
                || edit(env, Fact::HarnessPassed, |passed| passed.range.is_zero())?
            {
                set_truth(env, Fact::HarnessPasses, false)?;
            }
        }
    }
    Ok(())
}

fn history(env: &mut Env<'_>) -> Outcome {
    let of_latest = [Fact::HistoryLast, Fact::DiffImproved];
    let one = Number::from(1_u64);
    if edit(env, Fact::HistoryCount, |count| count.range.is_zero())? {
        for fact in of_latest {
            exclude(env, fact)?;
        }
    } else if is_positive(env, Fact::HistoryCount)? {
        for fact in of_latest {
            require(env, fact)?;
        }
    }
    for fact in of_latest {
        if is_known(env, fact) {
            edit(env, Fact::HistoryCount, |count| count.range.at_least(&one, true))?;
        } else if !may_be_known(env, fact) {
            edit(env, Fact::HistoryCount, |count| count.range.at_most(&Number::ZERO, true))?;
        }
    }
    at_most(env, Fact::HistoryPartials, Fact::HistoryCount)?;
    if is_positive(env, Fact::HistoryPartials)? {
        edit(env, Fact::HistoryLast, |last| last.one_of(&["partial"]))?;
    } else if edit(env, Fact::HistoryPartials, |partials| partials.range.is_zero())? {
        edit(env, Fact::HistoryLast, |last| last.texts.not.push("partial"))?;
    }
    if !is_known(env, Fact::HistoryLast) {
        return Ok(());
    }
    let only = edit(env, Fact::HistoryLast, |last| last.texts.only.clone().unwrap_or_default())?;
    if only == ["partial"] {
        edit(env, Fact::HistoryPartials, |partials| partials.range.at_least(&one, true))?;
    } else if !only.contains(&"partial") {
        edit(env, Fact::HistoryPartials, |partials| partials.range.at_most(&Number::ZERO, true))?;
    }
    Ok(())
}

fn contradictions(env: &mut Env<'_>) -> Outcome {
    let has = edit(env, Fact::Contradictions, |list| list.list.has.clone())?;
    let one = Number::from(1_u64);
    for rule in has {
        match rule {
            "transcript_mismatch" => {
                set_truth(env, Fact::DiffEmpty, true)?;
                require(env, Fact::Claims)?;
            }
            "error_but_changed" => {
                set_truth(env, Fact::DiffEmpty, false)?;
                require(env, Fact::Claims)?;
                edit(env, Fact::Claims, |claims| add(&mut claims.list.has, &["error_reported"]))?;
            }
            "unsupported_claim" => {
                require(env, Fact::Claims)?;
                edit(env, Fact::Claims, |claims| add(&mut claims.list.has, &["tests_passed"]))?;
                edit(env, Fact::ValidatorsCount, |count| count.range.at_most(&Number::ZERO, true))?;
            }
            "missing_artifact" => {
                edit(env, Fact::ArtifactsMissing, |list| list.list.length.at_least(&one, true))?;
            }
            _ => {}
        }
    }
    Ok(())
}
