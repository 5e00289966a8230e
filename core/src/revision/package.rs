//! The refinement package: typed instructions for one refinement step (docs/reference/loop.md).
//!
//! It combines the fix instructions, the findings that call for a fix, and typed fields of the evidence behind them.

use alloc::vec::Vec;

use adjudicate_lang::order;

use crate::{
    codes::{RuleCode, Severity, Status},
    documents::{
        evaluation::Evaluation,
        finding::Finding,
        fix::FixEdit,
        revision::{RefinementIssue, RefinementPackage},
    },
    evaluate::{Facts, case_edit, passing_checks, rule_edit, tests_edit, validator_edit},
};

/// The package of an evaluation that calls for a fix.
pub(super) fn package<'a>(
    facts: &'a Facts<'a>,
    evaluation: &'a Evaluation<'a>,
) -> Option<RefinementPackage<'a>> {
    let fix = evaluation.decision.fix_instructions.as_ref()?;
    // Each has one finding, in this order: no other finding concerns checks and reviews when a fix is called for.
    let (mut checks, mut reviewed) = (checks(facts), reviewed(facts));
    let mut tests = facts.shrunk_tests().iter();
    let mut artifact_refs = Vec::new();
    let fixable = evaluation.findings.iter();
    let fixable = fixable.filter(|finding| finding.counts() && finding.status == Status::Partial);
    let is_review = |finding: &Finding<'_>| finding.code() == Some(RuleCode::ReviewIssue);
    // Nothing failed, so what passes must still pass.
    let verification = match fix.verification.is_empty() && fixable.clone().all(is_review) {
        true => passing_checks(facts),
        false => fix.verification.clone(),
    };
    let issues = fixable.map(|finding| {
        let backing = match finding.code() {
            Some(RuleCode::ValidationFailed) => checks.next(),
            Some(RuleCode::TestsShrunk) => {
                tests.next().map(|gone| Backing { edit: tests_edit(gone), ..Backing::default() })
            }
            Some(RuleCode::ReviewIssue) => reviewed.next(),
            Some(_) => None,
            None => Some(Backing { edit: rule_edit(facts, finding), ..Backing::default() }),
        };
        let Backing { summary, severity, evidence_ref, edit, artifacts } = backing.unwrap_or_default();
        artifact_refs.extend(artifacts);
        RefinementIssue {
            id: &finding.item,
            summary: summary.unwrap_or(&finding.summary),
            severity: severity.unwrap_or(finding.severity),
            evidence_ref: evidence_ref.unwrap_or(&finding.evidence_ref),
            edit,
        }
    });
    Some(RefinementPackage {
        objective: &fix.objective,
        issues: issues.collect(),
        constraints: &fix.constraints,
        artifact_refs: order::without_repeats(artifact_refs, Ord::cmp),
        verification,
    })
}

/// The evidence behind an issue, beyond its finding.
#[derive(Default)]
struct Backing<'a> {
    summary: Option<&'a str>,
    severity: Option<Severity>,
    evidence_ref: Option<&'a str>,
    edit: Option<FixEdit<'a>>,
    artifacts: Vec<&'a str>,
}

/// The evidence behind each failing check.
fn checks<'a>(facts: &'a Facts<'a>) -> impl Iterator<Item = Backing<'a>> {
    let validators = facts.failing_validators().map(|validator| Backing {
        evidence_ref: validator.artifact,
        edit: Some(validator_edit(validator)),
        artifacts: validator.artifact.into_iter().collect(),
        ..Backing::default()
    });
    let listed = facts.failing_cases().filter_map(|failing| Some((failing, failing.case?)));
    let cases = listed.map(|(failing, case)| Backing {
        evidence_ref: case.artifacts.first().copied(),
        edit: case_edit(failing),
        artifacts: case.artifacts.clone(),
        ..Backing::default()
    });
    validators.chain(cases)
}

/// The evidence behind each review issue, except low ones.
fn reviewed<'a>(facts: &'a Facts<'a>) -> impl Iterator<Item = Backing<'a>> {
    let evidence = &facts.envelope().evidence;
    let artifacts = order::names(evidence.artifacts.iter().copied());
    let review = facts.results().review().map(|review| review.artifact_ref);
    facts.review_issues().into_iter().map(move |(_, issue, _)| {
        let evidence_ref = issue.evidence_ref.as_ref().copied();
        // A reference that begins with `/` is a pointer, unless an artifact has that name.
        let artifact = evidence_ref.filter(|name| !name.starts_with('/') || artifacts.contains(name));
        Backing {
            summary: Some(issue.summary),
            severity: Some(issue.severity),
            evidence_ref,
            edit: issue.edit.map(FixEdit::from),
            artifacts: [review, artifact].into_iter().flatten().collect(),
        }
    })
}
