//! Problems of single rules: conditions that never or always hold, and parts without effect.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{Steps, order};

use super::{
    abstract_state::Conflict,
    expected_truth::ExpectedTruth,
    finding::CheckFindings,
    inputs::Checked,
    overruled,
    search::{Satisfiability, judge},
    subject::{Subject, share},
    text,
    verifier::Verifier,
};
use crate::{
    codes::Status,
    documents::{check_code::CheckCode, check_finding::CheckFinding, rule::OnUnknown},
    policy::Policy,
};

/// Reports problems of each rule, and rules that others overrule. For the rules in `explained`, an earlier finding already explains
/// why the condition never holds.
pub(super) fn check<'p>(
    checked: Checked<'p>,
    explained: &[usize],
    verifier: &mut Verifier<'p>,
    findings: &mut CheckFindings,
) {
    let policy = checked.policy;
    let firsts = firsts(policy);
    let mut live = Vec::new();
    for (place, rule) in policy.rules().iter().enumerate() {
        let subject = Subject::new(checked, place, rule);
        let mut steps = share(policy);
        match never(&subject, verifier, &mut steps) {
            Some(_) if explained.binary_search(&place).is_ok() => {}
            Some(found) => findings.push(found),
            None => {
                live.push(place);
                findings.extend(always(&subject, verifier, &mut steps));
            }
        }
        let first = firsts.get(place).and_then(|first| policy.rules().get(*first)).unwrap_or(rule).id();
        if first != rule.id() {
            let message = format!("the condition of `{}` is that of `{first}`", rule.id());
            let witness = subject.fired(verifier, &mut steps, &|witness| witness.has(first));
            let finding = subject.finding(CheckCode::DuplicateCondition, "/when", message);
            findings
                .push(finding.shown_by(witness).hint("leave out one of the two, or make one rule of them"));
        }
        let unused = match rule.status() {
            Status::Partial if rule.blocker().is_some() => Some((
                CheckCode::UnusedBlocker,
                "/then/blocker",
                "a rule that calls for more raises a blocker",
            )),
            Status::Partial => None,
            _ if rule.fix().is_none() => None,
            _ => Some((CheckCode::UnusedFix, "/then/fix", "a rule that calls for `partial` asks for a fix")),
        };
        if let Some((code, path, used)) = unused {
            let message = format!("`{}` calls for `{}`, and only {used}", rule.id(), rule.status());
            let witness = subject.fired(verifier, &mut steps, &|_| true);
            findings.push(subject.finding(code, path, message).shown_by(witness));
        }
    }
    overruled::check(checked, &live, verifier, findings);
}

/// For each rule, the first rule with an equivalent condition text.
fn firsts(policy: &Policy) -> Vec<usize> {
    let texts: Vec<String> =
        policy.rules().iter().map(|rule| text::condition_text(rule.condition().root())).collect();
    let mut firsts: Vec<usize> = (0..texts.len()).collect();
    let sorted =
        order::sorted_indices(texts.len(), &mut |left, right| texts.get(left).cmp(&texts.get(right)));
    let mut first = None;
    for place in sorted {
        // Of equal texts, the first rule comes first.
        let known = first.filter(|first: &usize| texts.get(*first) == texts.get(place)).unwrap_or(place);
        first = Some(known);
        if let Some(slot) = firsts.get_mut(place) {
            *slot = known;
        }
    }
    firsts
}

/// Returns a finding if the condition never holds.
fn never<'p>(subject: &Subject<'p>, verifier: &mut Verifier<'p>, steps: &mut Steps) -> Option<CheckFinding> {
    let root = subject.rule.condition().root();
    let Satisfiability::Never(why) = judge(subject.scope(), &[(root, ExpectedTruth::True)], steps) else {
        return None;
    };
    let id = subject.rule.id();
    let may_be_unknown = [(root, ExpectedTruth::NotFalse)];
    let is_false = judge(subject.scope(), &may_be_unknown, steps).is_never();
    let reports = subject.reports_type_errors();
    if is_false && !reports {
        let message = format!("the condition of `{id}` never holds, so the rule does nothing");
        return Some(subject.finding(CheckCode::DeadRule, "/when", message));
    }
    let does = match subject.rule.on_unknown() {
        OnUnknown::Escalate => "it only asks a human if evidence is missing",
        OnUnknown::Fire => "it only fires if evidence is missing",
        OnUnknown::Ignore if reports => "it only reports evidence of the wrong type",
        OnUnknown::Ignore => "it does nothing",
    };
    let (code, message) = match (why, subject.rule.on_unknown()) {
        (Conflict::Absent, _) => (
            CheckCode::ExcludedEvidence,
            format!("the condition of `{id}` excludes the evidence that it needs, so {does}"),
        ),
        (_, OnUnknown::Ignore) if !reports => {
            (CheckCode::DeadRule, format!("the condition of `{id}` never holds, so {does}"))
        }
        _ => (CheckCode::NeverHolds, format!("the condition of `{id}` never holds: {does}")),
    };
    let witness =
        subject.show(&may_be_unknown, verifier, steps, &|witness| witness.is_undecided(subject.place));
    Some(subject.finding(code, "/when", message).shown_by(witness))
}

/// Returns a finding if the rule always fires.
fn always<'p>(subject: &Subject<'p>, verifier: &mut Verifier<'p>, steps: &mut Steps) -> Option<CheckFinding> {
    if subject.reports_type_errors() || !judge(subject.scope(), &[subject.is_quiet()], steps).is_never() {
        return None;
    }
    let id = subject.rule.id();
    let message = format!("`{id}` fires for all evidence");
    let witness = subject.show(&[], verifier, steps, &|witness| witness.has(id));
    let finding = subject.finding(CheckCode::AlwaysFires, "/when", message).shown_by(witness);
    Some(finding.hint("say in `when` which evidence the rule is about"))
}
