//! What would make findings go away: the table of which evidence is changed for which rule, one row per rule.
//!
//! | rules | what is changed |
//! | --- | --- |
//! | `policy_violation` | nothing: what was done was done |
//! | `goldens`, `approval`, `error_but_changed` | nothing: a person decides |
//! | `repeated_contradiction`, `repeated_partial`, `repeated_blocker`, `refinement_spent`, `no_fix_step` | nothing of their own: they go with what they count |
//! | `report_mismatch`, `validation_failed`, `no_fix_path` | the check passes: the validator exits 0 in time, the case passes and the counts with it, the step completes |
//! | `hard_failure` | the step completes; the required validator exits 0 |
//! | `interrupted` | the step completes |
//! | `missing_artifact` | an artifact is there that matches |
//! | `unsupported_claim` | a validator exits 0, or `tests_passed` is not claimed |
//! | `transcript_mismatch` | something changed, or the change is not claimed |
//! | `empty_diff` | something changed, or `no_change_needed` is claimed |
//! | `count_mismatch` | the counts agree with the cases |
//! | `review_issue` | a review does not find the issue any more |
//! | `unknown_evidence` | the diff names its files; what the undecided conditions ask for |
//! | rules of the policy | what their variables come from, by the table of `levers.rs` |

use alloc::{vec, vec::Vec};

use super::{
    act::{Act, Acts, DiffAct},
    diff::SOME_FILE,
    levers::{Levers, levers},
    ranges::Ranges,
};
use crate::{
    codes::{ResolutionKind, RuleCode},
    evaluate::{Claim, Evaluation, Facts, Finding},
    explain::inputs::last_index,
    policy::{OnUnknown, RuleMode},
};

/// What a validator is called that is not named anywhere.
const SOME_VALIDATOR: &str = "tests";

/// What one finding takes to go away.
#[derive(Clone, Debug)]
pub(super) enum Need {
    /// One of these acts at least, the most natural first.
    Acts(Vec<Act>),
    /// A person.
    Human,
    /// That something had not happened.
    Terminal,
}

/// What the findings that count take to go away, each with the place of its finding.
pub(super) fn needs(
    facts: &Facts<'_>,
    evaluation: &Evaluation<'_>,
    ranges: &Ranges,
    done: &Acts,
) -> Vec<(usize, Need)> {
    let mut needs = Vec::new();
    for (at, finding) in evaluation.findings.iter().enumerate().filter(|(_, finding)| finding.counts()) {
        let of_finding = match (finding.code(), finding.place()) {
            (Some(code), _) => built_in(code, finding, facts, ranges, done),
            (None, Some(place)) => policy_rule(place, facts, ranges, done).into_iter().collect(),
            (None, None) => vec![Need::Terminal],
        };
        needs.extend(of_finding.into_iter().map(|need| (at, need)));
    }
    needs
}

fn built_in(
    code: RuleCode,
    finding: &Finding<'_>,
    facts: &Facts<'_>,
    ranges: &Ranges,
    done: &Acts,
) -> Vec<Need> {
    let acts = match code {
        RuleCode::PolicyViolation => return vec![Need::Terminal],
        RuleCode::Goldens | RuleCode::Approval | RuleCode::ErrorButChanged => return vec![Need::Human],
        RuleCode::RepeatedContradiction
        | RuleCode::RepeatedPartial
        | RuleCode::RepeatedBlocker
        | RuleCode::RefinementSpent
        | RuleCode::NoFixStep => return Vec::new(),
        RuleCode::ReportMismatch | RuleCode::ValidationFailed | RuleCode::NoFixPath => {
            return check(finding, facts);
        }
        RuleCode::HardFailure if is_outcome(finding) => vec![Act::Complete],
        RuleCode::HardFailure => vec![Act::Pass((*finding.item).into())],
        RuleCode::Interrupted => vec![Act::Complete],
        RuleCode::MissingArtifact => ranges.artifacts(&finding.item),
        RuleCode::UnsupportedClaim => {
            vec![Act::Pass(SOME_VALIDATOR.into()), Act::Withdraw(Claim::TestsPassed)]
        }
        RuleCode::TranscriptMismatch => {
            let change = Act::Diff(DiffAct::Add(SOME_FILE.into()));
            let made = |claim: &Claim| facts.claims().is_some_and(|claims| claims.contains(claim));
            let withdrawn = [Claim::Implemented, Claim::Fixed].into_iter().filter(made).map(Act::Withdraw);
            [change].into_iter().chain(withdrawn).collect()
        }
        RuleCode::EmptyDiff => {
            vec![Act::Diff(DiffAct::Add(SOME_FILE.into())), Act::Claim(Claim::NoChangeNeeded)]
        }
        RuleCode::CountMismatch => vec![Act::Count],
        RuleCode::ReviewIssue => {
            let index = last_index(&finding.evidence_ref).unwrap_or_default();
            vec![Act::Resolve(original(index, done, |act| match act {
                Act::Resolve(index) => Some(*index),
                _ => None,
            }))]
        }
        RuleCode::UnknownEvidence => return unknown(facts, ranges, done),
    };
    vec![Need::Acts(acts)]
}

fn is_outcome(finding: &Finding<'_>) -> bool {
    finding.evidence_ref == "/evidence/validation/mechanical_outcome"
}

/// A check that failed, passes.
fn check(finding: &Finding<'_>, facts: &Facts<'_>) -> Vec<Need> {
    if is_outcome(finding) {
        return vec![Need::Acts(vec![Act::Complete])];
    }
    if !finding.evidence_ref.starts_with("/evidence/validation/") {
        // A failure that is only counted points at the count.
        let case = finding.evidence_ref.strip_prefix("/evidence/harness_report/cases/");
        let act = case.and_then(|index| index.parse().ok()).map_or(Act::Count, Act::PassCase);
        return vec![Need::Acts(vec![act])];
    }
    let id = &*finding.item;
    let exit = facts.evidence().validation.exit_codes.get(id);
    let fails = exit.is_some_and(|exit| *exit != 0).then(|| Act::Pass(id.into()));
    let late = facts.timeouts().contains(id).then(|| Act::InTime(id.into()));
    fails.into_iter().chain(late).map(|act| Need::Acts(vec![act])).collect()
}

/// A diff that names its files, where the policy asks for paths, and what undecided conditions ask for.
fn unknown(facts: &Facts<'_>, ranges: &Ranges, done: &Acts) -> Vec<Need> {
    let policy = facts.policy();
    let asks_for_paths = !policy.forbidden_paths().is_empty() || !policy.protected_paths().is_empty();
    let opaque = (asks_for_paths && facts.changed().is_opaque()).then(|| vec![Act::Diff(DiffAct::Name)]);
    let of_rules = escalated(facts).filter_map(|place| policy_rule(place, facts, ranges, done));
    opaque.map(Need::Acts).into_iter().chain(of_rules).collect()
}

/// The places of the rules that count and ask for a person because they cannot be decided.
fn escalated(facts: &Facts<'_>) -> impl Iterator<Item = u32> {
    let rules = facts.policy().rules();
    let undecided = facts.verdicts().iter().filter(|verdict| verdict.unknown.is_some());
    undecided.map(|verdict| verdict.rule).filter(|place| {
        let rule = rules.get(*place as usize);
        rule.is_some_and(|rule| rule.on_unknown() == OnUnknown::Escalate && rule.mode() == RuleMode::Enforce)
    })
}

/// What the condition of a rule is about, changed.
fn policy_rule(place: u32, facts: &Facts<'_>, ranges: &Ranges, done: &Acts) -> Option<Need> {
    let rule = facts.policy().rules().get(place as usize)?;
    let Levers { acts, asks_for_person, may_change } = levers(rule, facts, ranges, done);
    Some(match acts.as_slice() {
        [] if asks_for_person || rule.resolution().0 == ResolutionKind::NeedsApproval => Need::Human,
        [] if !may_change => Need::Terminal,
        // Nothing is known that could be tried, which does not mean that there is nothing.
        _ => Need::Acts(acts),
    })
}

/// The place that an item had before others were taken out of its list.
pub(super) fn original(index: usize, done: &Acts, removed: impl Fn(&Act) -> Option<usize>) -> usize {
    // The acts are in the order of the places.
    done.iter().filter_map(removed).fold(index, |index, gone| if gone <= index { index + 1 } else { index })
}

/// The places of the findings of rules whose conditions are also about what a person or an authority says.
pub(super) fn ask_for_person(facts: &Facts<'_>, evaluation: &Evaluation<'_>, ranges: &Ranges) -> Vec<usize> {
    let rules = facts.policy().rules();
    let asks = |place: u32| {
        let rule = rules.get(place as usize);
        rule.is_some_and(|rule| levers(rule, facts, ranges, &Acts::new()).asks_for_person)
    };
    let findings = evaluation.findings.iter().enumerate().filter(|(_, finding)| finding.counts());
    let asking = findings.filter(|(_, finding)| match finding.code() {
        Some(RuleCode::UnknownEvidence) => escalated(facts).any(asks),
        _ => finding.place().is_some_and(asks),
    });
    asking.map(|(at, _)| at).collect()
}
