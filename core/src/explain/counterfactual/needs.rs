//! The table of needs: the evidence to change for the findings of each rule, one row for each rule. Findings that depend on
//! others have no needs of their own.

use alloc::{borrow::Cow, vec, vec::Vec};

use adjudicate_lang::json::{OwnedValue, Pointer};

use super::{
    act::{Act, Acts, DiffAct},
    diff::SOME_FILE,
    levers::{Choice, Finder, Levers, MOST_CHOICES},
    ranges::{Ranges, SOME_VALIDATOR},
    tests::restored,
    trees::{judged_tree, renew, report},
};
use crate::{
    codes::{ResolutionKind, RuleCode},
    documents::{
        evaluation::Evaluation,
        evidence::Claim,
        finding::{Finding, Shown},
        rule::RuleMode,
    },
    evaluate::{Judged, undecided},
    explain::inputs::last_index,
    policy::is_of_inputs,
};

/// The ways to resolve one finding.
#[derive(Clone, Debug)]
pub(super) enum Need {
    /// At least one of these choices, the most natural first.
    OneOf(Vec<Choice>),
    /// Only a human can resolve it.
    Human,
    /// Nothing can resolve it, because it already happened.
    Terminal,
}

/// The needs of the findings that count, each with the index of its finding.
pub(super) fn needs(
    facts: &Judged<'_>,
    evaluation: &Evaluation<'_>,
    ranges: &Ranges<'_>,
    done: &Acts,
) -> Vec<(usize, Need)> {
    let mut finder = Finder::new(facts, ranges, done);
    let mut needs = Vec::new();
    for (at, finding) in evaluation.findings.iter().enumerate().filter(|(_, finding)| finding.counts()) {
        let of_finding = match (finding.code(), finding.place()) {
            (Some(code), _) => built_in(code, finding, facts, ranges, &mut finder),
            (None, Some(place)) => policy_rule(place, facts, &mut finder).into_iter().collect(),
            (None, None) => vec![Need::Terminal],
        };
        needs.extend(of_finding.into_iter().map(|need| (at, need)));
    }
    needs
}

fn built_in(
    code: RuleCode,
    finding: &Finding<'_>,
    facts: &Judged<'_>,
    ranges: &Ranges<'_>,
    finder: &mut Finder<'_, '_, '_>,
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
        RuleCode::MissingArtifact if finding.evidence_ref == "/evidence/review/artifact_ref" => {
            vec![Act::Artifact((*finding.item).into())]
        }
        RuleCode::MissingArtifact => ranges.artifacts(&finding.item).to_vec(),
        RuleCode::StaleEvidence => {
            let stale = facts.results().stale().iter().find(|stale| stale.pointer == finding.evidence_ref);
            stale.map(|stale| renew(facts, stale.source)).into_iter().collect()
        }
        RuleCode::UnsupportedClaim => {
            let report = report(facts);
            let others = [Act::Pass(SOME_VALIDATOR.into()), Act::Withdraw(Claim::TestsPassed)];
            others.into_iter().chain(report).collect()
        }
        RuleCode::TranscriptMismatch => {
            let change = Act::Diff(DiffAct::Add(SOME_FILE.into()));
            [change].into_iter().chain(withdrawn(facts)).collect()
        }
        RuleCode::EmptyDiff => {
            vec![Act::Diff(DiffAct::Add(SOME_FILE.into())), Act::Claim(Claim::NoChangeNeeded)]
        }
        RuleCode::CountMismatch => vec![Act::Count],
        RuleCode::TestsShrunk => {
            let gone = facts.shrunk_tests().iter().find(|tests| tests.item == finding.item);
            let Some(acts) = gone.and_then(|tests| restored(facts, tests)) else { return vec![Need::Human] };
            return vec![Need::OneOf(vec![acts])];
        }
        RuleCode::UnknownEvidence if finding.evidence_ref == "/evidence/baseline" => {
            return vec![Need::Human];
        }
        RuleCode::ReviewIssue => {
            let issue = last_index(&finding.evidence_ref).unwrap_or_default();
            finder.resolve(issue).into_iter().collect()
        }
        RuleCode::UnknownEvidence if finding.evidence_ref == TREE => {
            vec![Act::Set(TREE.into(), OwnedValue::text(judged_tree(facts)))]
        }
        RuleCode::UnknownEvidence if finding.evidence_ref.starts_with("/evidence/validation/trees/") => {
            vec![Act::Pass((*finding.item).into())]
        }
        RuleCode::UnknownEvidence if finding.evidence_ref.starts_with("/evidence/uncollected/") => {
            vec![Act::Collect((*finding.item).into())]
        }
        // Rules that read the value may call for another value, so none is proposed.
        RuleCode::UnknownEvidence if is_of_inputs(&finding.item) => return Vec::new(),
        RuleCode::UnknownEvidence => return unknown(facts, finder),
        RuleCode::Unchecked => [Act::Pass(SOME_VALIDATOR.into())].into_iter().chain(report(facts)).collect(),
        RuleCode::Unreviewed => vec![Act::Review],
        RuleCode::AmbiguousRoute => declarations(finding),
    };
    vec![one_of(acts)]
}

/// The pointer to the tree that is judged.
const TREE: &str = "/evidence/tree";

fn one_of(acts: Vec<Act>) -> Need {
    Need::OneOf(acts.into_iter().map(|act| vec![act]).collect())
}

/// Acts that declare one of the unclassified steps as forward.
fn declarations(finding: &Finding<'_>) -> Vec<Act> {
    let Some(Shown::List(steps)) = &finding.actual else { return Vec::new() };
    let role = |step: &Cow<'_, str>| Pointer::new("/steps").key(step).key("role").into_string();
    let steps = steps.iter().take(MOST_CHOICES);
    steps.map(|step| Act::Set(role(step), OwnedValue::text("forward"))).collect()
}

fn is_outcome(finding: &Finding<'_>) -> bool {
    finding.evidence_ref == "/evidence/validation/mechanical_outcome"
}

/// A failed check passes.
fn check(finding: &Finding<'_>, facts: &Judged<'_>) -> Vec<Need> {
    if is_outcome(finding) {
        return vec![one_of(vec![Act::Complete])];
    }
    if !finding.evidence_ref.starts_with("/evidence/validation/") {
        // A failure that is only counted has the pointer of the count.
        let case = finding.evidence_ref.strip_prefix("/evidence/harness_report/cases/");
        let act = case.and_then(|index| index.parse().ok()).map_or(Act::Count, Act::PassCase);
        return vec![one_of(vec![act])];
    }
    let id = &*finding.item;
    let exit = facts.evidence().validation.exit_codes.get(id);
    let fails = exit.is_some_and(|exit| *exit != 0).then(|| Act::Pass(id.into()));
    let late = facts.timeouts().contains(id).then(|| Act::InTime(id.into()));
    fails.into_iter().chain(late).map(|act| one_of(vec![act])).collect()
}

/// A diff that names every changed file, if the policy uses paths, the agent claims a change or the two diffs differ, and the
/// evidence for undecided conditions.
fn unknown(facts: &Judged<'_>, finder: &mut Finder<'_, '_, '_>) -> Vec<Need> {
    let is_opaque = facts.changed().is_opaque() && facts.asks_for_paths();
    let is_unnamed = is_opaque || facts.hides_claimed_change() || !facts.undecided_files().is_empty();
    let act = match facts.lacking_files() {
        _ if is_unnamed => Some(DiffAct::Name),
        [] => None,
        _ => Some(DiffAct::Agree),
    };
    let mut choices = Vec::from_iter(act.map(|act| vec![Act::Diff(act)]));
    // Only the claim asks for the files.
    if facts.hides_claimed_change() && !is_opaque && facts.undecided_files().is_empty() {
        choices.push(withdrawn(facts).collect());
    }
    let mut needs = Vec::from_iter((!choices.is_empty()).then_some(Need::OneOf(choices)));
    needs.extend(escalated(facts).filter_map(|place| policy_rule(place, facts, finder)));
    needs
}

/// Acts that withdraw the claims of a change.
fn withdrawn(facts: &Judged<'_>) -> impl Iterator<Item = Act> {
    let made = |claim: &Claim| facts.claims().is_some_and(|claims| claims.contains(claim));
    [Claim::Implemented, Claim::Fixed].into_iter().filter(made).map(Act::Withdraw)
}

/// The indices of the enforced rules that ask for a human because they cannot be decided.
fn escalated<'a>(facts: &'a Judged<'a>) -> impl Iterator<Item = u32> {
    undecided(facts.policy(), facts.verdicts(), RuleMode::Enforce).map(|(verdict, _)| verdict.rule)
}

/// Changes to the evidence behind the condition of a rule.
fn policy_rule(place: u32, facts: &Judged<'_>, finder: &mut Finder<'_, '_, '_>) -> Option<Need> {
    let rule = facts.policy().rules().get(place as usize)?;
    let Levers { choices, asks_for_person, may_change } = finder.levers(place);
    Some(match choices.as_slice() {
        [] if asks_for_person || rule.resolution().0 == ResolutionKind::NeedsApproval => Need::Human,
        [] if !may_change => Need::Terminal,
        // No choice is known, but that does not mean that there is none.
        _ => Need::OneOf(choices),
    })
}

/// The indices of findings of rules whose conditions also depend on a statement of a human or an authority.
pub(super) fn ask_for_person(
    facts: &Judged<'_>,
    evaluation: &Evaluation<'_>,
    ranges: &Ranges<'_>,
) -> Vec<usize> {
    let nothing = Acts::new();
    let mut finder = Finder::new(facts, ranges, &nothing);
    let mut asks = |place: u32| finder.levers(place).asks_for_person;
    let mut places = Vec::new();
    for (at, finding) in evaluation.findings.iter().enumerate().filter(|(_, finding)| finding.counts()) {
        let is_asking = match finding.code() {
            Some(RuleCode::UnknownEvidence) => escalated(facts).any(&mut asks),
            _ => finding.place().is_some_and(&mut asks),
        };
        places.extend(is_asking.then_some(at));
    }
    places
}
