//! Fix instructions, derived from the evidence alone (docs/reference/rules.md).

use alloc::{
    borrow::ToOwned as _,
    format,
    string::{String, ToString as _},
    vec::Vec,
};

use adjudicate_lang::{order, paths::Glob};

use super::{
    baseline::ShrunkTests,
    checks::{FailingCase, FailingValidator},
    collected::CollectedFindings,
    facts::Facts,
    results::ResultSource,
};
use crate::{
    bounds::{MAX_LISTED, first, left_out},
    codes::{RuleCode, Status},
    documents::{
        evidence::CaseStatus,
        finding::Finding,
        fix::{FixEdit, FixInstructions, Verification},
    },
};

/// The fix instructions, if some finding calls for a fix and none forbids it.
pub(super) fn fix_instructions<'a>(
    facts: &'a Facts<'a>,
    found: &CollectedFindings<'a>,
) -> Option<FixInstructions<'a>> {
    let findings = &found.findings;
    let any = |status| findings.iter().any(|finding| finding.status == status);
    if !any(Status::Partial) || any(Status::Blocked) || any(Status::Unsafe) {
        return None;
    }
    Some(FixInstructions {
        objective: objective(found),
        constraints: constraints(facts),
        edits: edits(facts, findings),
        verification: verification(facts),
    })
}

/// The objective, from the findings that call for a fix.
fn objective(found: &CollectedFindings<'_>) -> String {
    let fixable = || found.findings.iter().filter(|finding| finding.status == Status::Partial);
    let mut text = String::new();
    for (code, goal) in GOALS {
        let of_goal = || fixable().filter(|finding| finding.code() == *code);
        if of_goal().next().is_none() {
            continue;
        }
        if !text.is_empty() {
            text.push_str("; ");
        }
        text.push_str(goal);
        if !goal.ends_with(": ") {
            continue;
        }
        for (place, finding) in of_goal().take(MAX_LISTED).enumerate() {
            text.push_str(if place == 0 { "`" } else { ", `" });
            text.push_str(&finding.item);
            text.push('`');
        }
        let unlisted = found.unlisted().filter(|finding| Some(finding.code) == *code);
        let unlisted = unlisted.filter(|finding| finding.status == Status::Partial).count();
        let more = of_goal().skip(MAX_LISTED).count() + unlisted;
        if more > 0 {
            text.push_str(&format!(", {more} more"));
        }
    }
    text
}

/// The goals: the rule of the findings that call for it, and its text. A text that ends in a colon is followed by their items.
const GOALS: &[(Option<RuleCode>, &str)] = &[
    (Some(RuleCode::ValidationFailed), "make these checks pass: "),
    (Some(RuleCode::ReviewIssue), "resolve these review issues: "),
    (Some(RuleCode::StaleEvidence), "get these results of the tree that is judged: "),
    (Some(RuleCode::TestsShrunk), "restore these tests: "),
    (Some(RuleCode::TranscriptMismatch), "make the change that was claimed"),
    (Some(RuleCode::EmptyDiff), "make the change that the step was for"),
    (Some(RuleCode::Interrupted), "run the step again to its end"),
    (None, "resolve what these rules find: "),
];

/// The constraints: files that the policy shields, and checks that already pass.
fn constraints(facts: &Facts<'_>) -> Vec<String> {
    let policy = facts.policy();
    // Most lines are short, so formatting them would take longer than the rest.
    let forbidden =
        policy.forbidden_paths().iter().map(|glob| ["do not change `", glob.text(), "`"].concat());
    let protected = policy.protected_paths().iter().map(Glob::text);
    let protected = protected.map(|path| ["do not change `", path, "` without an approval"].concat());
    let allowed = policy.allowed_paths().map(|allowed| match allowed {
        [] => "change no file".to_owned(),
        allowed => {
            let listed = allowed.iter().map(|glob| ["`", glob.text(), "`"].concat());
            "change only files under ".to_owned() + &some(listed, ", ")
        }
    });
    let known = facts.known_failures();
    let known =
        known.map(|known| ["`", known.id, "` needs no mending: it failed before the change"].concat());
    let passing = facts.passing_validators().map(|id| ["keep `", id, "` passing"].concat());
    let cases = facts.harness().and_then(|harness| {
        let suite = harness.suite_id.map_or("the harness".into(), |id| ["`", id, "`"].concat());
        match harness.count(CaseStatus::Passed) {
            0 => None,
            1 => Some(["keep the passing case of ", &suite, " passing"].concat()),
            cases => {
                Some(["keep the ", &cases.to_string(), " passing cases of ", &suite, " passing"].concat())
            }
        }
    });
    let all = forbidden.chain(protected).chain(allowed).chain(passing).chain(cases).chain(known);
    without_repeats(all, |left| left_out(left, "constraints"))
}

/// One edit for each failing validator, failing case, file whose tests are gone, review issue with an edit, and policy rule with an edit.
fn edits<'a>(facts: &'a Facts<'a>, findings: &[Finding<'a>]) -> Vec<FixEdit<'a>> {
    let validators = facts.failing_validators().map(validator_edit);
    let cases = facts.failing_cases().filter_map(case_edit);
    let tests = facts.shrunk_tests().iter().filter_map(tests_edit);
    let issues = facts.counted_issues().filter_map(|(_, issue)| issue.edit);
    let issues = issues.map(FixEdit::from);
    let rules = findings.iter().filter(|finding| finding.status == Status::Partial);
    let rules = rules.filter_map(|finding| rule_edit(facts, finding));
    without_repeats(validators.chain(cases).chain(tests).chain(issues).chain(rules), edits_omitted)
}

/// The edit of a finding's policy rule, if it has one.
pub(crate) fn rule_edit<'a>(facts: &'a Facts<'a>, finding: &Finding<'_>) -> Option<FixEdit<'a>> {
    let fix = finding.policy_rule(facts.policy())?.fix()?;
    Some(FixEdit {
        target: (&*fix.target).into(),
        action: (&*fix.action).into(),
        rationale: (&*fix.rationale).into(),
    })
}

pub(crate) fn validator_edit<'a>(validator: &'a FailingValidator<'a>) -> FixEdit<'a> {
    let action =
        if validator.timed_out { "make the validator end in time" } else { "make the validator exit 0" };
    let rationale = match validator.artifact {
        Some(artifact) => [&*validator.describe(), "; its output is in `", artifact, "`"].concat(),
        None => validator.describe(),
    };
    FixEdit { target: validator.id.into(), action: action.into(), rationale: rationale.into() }
}

/// The edit for a failing case; an unlisted failure has none.
pub(crate) fn case_edit<'a>(case: &'a FailingCase<'a>) -> Option<FixEdit<'a>> {
    let rationale = match case.repro {
        Some(repro) => ["the case failed; `", repro, "` reproduces it"].concat(),
        None => "the case failed".into(),
    };
    Some(FixEdit {
        target: case.case?.id.into(),
        action: "make the case pass".into(),
        rationale: rationale.into(),
    })
}

/// The most ids in one text.
const SOME: usize = 20;

/// The first texts with a separator, and the number of others.
fn some(texts: impl Iterator<Item = String>, separator: &str) -> String {
    let mut texts = texts.peekable();
    let mut first: Vec<String> = texts.by_ref().take(SOME).collect();
    let more = texts.count();
    if more > 0 {
        first.push(format!("{more} more"));
    }
    first.join(separator)
}

/// The edit that restores tests, unless no edit took them away.
pub(crate) fn tests_edit<'a>(tests: &'a ShrunkTests<'a>) -> Option<FixEdit<'a>> {
    if tests.to_restore.is_empty() {
        return None;
    }
    let ids = tests.to_restore.iter().map(|id| ["`", id, "`"].concat());
    let ShrunkTests { expected, actual, .. } = tests;
    Some(FixEdit {
        target: (&*tests.item).into(),
        action: ["restore ", &some(ids, ", ")].concat().into(),
        rationale: format!("{actual} of {expected} tests still run").into(),
    })
}

/// The signal of a validator that passes.
const ZERO: &str = "exit code 0";

/// One check for each failing validator and failing case.
fn verification<'a>(facts: &'a Facts<'a>) -> Vec<Verification<'a>> {
    let failing = facts.failing_validators().map(|validator| validator.id);
    let stale = facts.results().stale().iter().filter_map(|stale| match stale.source {
        ResultSource::Validator(id) => Some(id),
        ResultSource::Harness | ResultSource::Review => None,
    });
    let validators = failing.chain(stale);
    let validators = validators.map(|command| Verification { command, expected_signal: ZERO.into() });
    let cases = facts.failing_cases().filter_map(|case| {
        let expected_signal = ["case `", case.case?.id, "` passes"].concat();
        Some(Verification { command: case.repro?, expected_signal })
    });
    without_repeats(validators.chain(cases), checks_omitted)
}

/// One check for each validator that passes now.
pub(crate) fn passing_checks<'a>(facts: &'a Facts<'a>) -> Vec<Verification<'a>> {
    let validators = facts.passing_validators();
    without_repeats(
        validators.map(|command| Verification { command, expected_signal: ZERO.into() }),
        checks_omitted,
    )
}

/// The first values in order, each once, and an entry for those left out.
fn without_repeats<T: Ord>(values: impl Iterator<Item = T>, omitted: impl FnOnce(usize) -> T) -> Vec<T> {
    let (listed, left) = first(values);
    let mut listed = order::without_repeats(listed, Ord::cmp);
    listed.extend((left > 0).then(|| omitted(left)));
    listed
}

/// The edit for those that are left out.
pub(super) fn edits_omitted<'a>(count: usize) -> FixEdit<'a> {
    FixEdit {
        target: "edits_omitted".into(),
        action: "make the edits that are listed, and evaluate again".into(),
        rationale: left_out(count, "edits").into(),
    }
}

/// The check for those that are left out.
pub(super) fn checks_omitted<'a>(count: usize) -> Verification<'a> {
    Verification { command: "checks_omitted", expected_signal: left_out(count, "checks") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_that_calls_for_a_fix_has_an_objective() {
        for code in RuleCode::ALL {
            let row = code.row();
            let is_partial = row.status == Status::Partial || row.alternative == Some(Status::Partial);
            // It reports that no fix step is allowed, so there is nothing to instruct.
            if is_partial && *code != RuleCode::NoFixStep {
                let mut found = CollectedFindings::default();
                found.findings.push(Finding::new(*code, Status::Partial, String::new(), ""));
                assert!(!objective(&found).is_empty(), "{code:?}");
            }
        }
    }
}
