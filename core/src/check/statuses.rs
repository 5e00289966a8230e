//! Statuses that no evidence can reach under a policy.
//!
//! Each status has an envelope that reaches it without a policy. If it does not under this policy, either the parameters and rules
//! prove that no envelope does, or nothing is claimed.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::{OwnedValue, Pointer},
};

use super::{
    abstract_state::AbstractState,
    built_in::BUILT_IN,
    envelope_model::clean,
    expected_truth::{ExpectedCondition, ExpectedTruth},
    finding::CheckFindings,
    inputs::Checked,
    scope::VariableScope,
    search::judge,
    verifier::Verifier,
};
use crate::{
    codes::Status,
    documents::{
        check_code::CheckCode,
        check_finding::CheckFinding,
        policy::Profile,
        rule::{OnUnknown, RuleMode},
    },
    policy::{Parameter, Policy, Rule},
};

/// The budget for a proof that a status is unreachable.
const STEPS: u64 = 20_000_000;

/// Reports the statuses that cannot be reached.
pub(super) fn check<'p>(checked: Checked<'p>, verifier: &mut Verifier<'p>, findings: &mut CheckFindings) {
    for status in Status::ALL.iter().copied() {
        let Some(witness) = verifier.witness(usual(checked.policy, status)) else { continue };
        if witness.status == Some(status) {
            continue;
        }
        let Some((path, why)) = by_parameters(checked.policy, status).or_else(|| by_rules(checked, status))
        else {
            continue;
        };
        let message = format!("nothing leads to `{status}`: {why}");
        let finding = CheckFinding::new(CheckCode::UnreachableStatus, path, message);
        findings.push(finding.shown_by(Some(witness)));
    }
}

/// An envelope with the least evidence for which the built-in rules decide this status. The policy can decide another one.
pub(super) fn usual(policy: &Policy, status: Status) -> OwnedValue {
    let mut envelope = clean(policy);
    match status {
        Status::Success => {}
        Status::Partial => {
            envelope.set(&["evidence", "validation", "exit_codes", "check"], OwnedValue::count(1));
            envelope.add(&["evidence", "artifacts"], OwnedValue::text("check.log"));
        }
        Status::Blocked => {
            envelope.set(&["evidence", "validation", "mechanical_outcome"], OwnedValue::text("error"));
        }
        Status::NeedsHuman => {
            let approvals = OwnedValue::from_json(r#"{"required":["release"],"granted":[]}"#);
            envelope.set(&["evidence", "approvals"], approvals);
        }
        Status::Unsafe => {
            envelope.add(&["evidence", "policy_events"], OwnedValue::text("forbidden_operation"))
        }
    }
    envelope
}

/// Returns the path and the reason if the policy's parameters turn every `partial` into `needs_human`.
fn by_parameters(policy: &Policy, status: Status) -> Option<(String, String)> {
    if status != Status::Partial {
        return None;
    }
    if policy.partial_threshold() == 1 {
        let why = "with a threshold of 1, the first result that needs a fix needs a human".into();
        return Some(("/parameters/partial_threshold".into(), why));
    }
    if policy.profile() == Profile::Oa06_1 && policy.parameter(Parameter::RefinementCap) == 0 {
        let why = "with no refinement allowed, each result that needs a fix needs a human".into();
        return Some(("/parameters/refinement_cap".into(), why));
    }
    None
}

/// Returns the path and the reason if rules of more severe statuses fire for every envelope.
fn by_rules(checked: Checked<'_>, status: Status) -> Option<(String, String)> {
    let mut steps = Steps::new(STEPS);
    let silent = |rule: &Rule| silence(rule, status).is_some();
    let rules = checked.policy.rules().iter().enumerate().filter(|(_, rule)| silent(rule));
    let rules: Vec<(usize, &Rule)> = rules.collect();
    let mut is_impossible = |rules: &[(usize, &Rule)]| {
        let mut start = AbstractState::new(VariableScope::Policy(checked));
        for built_in in BUILT_IN.iter().filter(|built_in| built_in.code.row().status > status) {
            (built_in.quiet)(&mut start);
        }
        let goals: Vec<ExpectedCondition<'_>> = rules
            .iter()
            .filter_map(|(_, rule)| Some((rule.condition().root(), silence(rule, status)?)))
            .collect();
        judge(start, &goals, &mut steps).is_never()
    };
    if !is_impossible(&rules) {
        return None;
    }
    let alone = rules.iter().find(|rule| is_impossible(core::slice::from_ref(rule)));
    Some(match alone {
        Some((place, rule)) => {
            let path = Pointer::new("/rules").index(*place).key("when").into_string();
            (path, format!("`{}` always prevents it", rule.id()))
        }
        None => ("/rules".into(), "for all evidence, some rule prevents it".into()),
    })
}

/// Returns the truth value that a rule's condition must have, so that the rule does not raise the decision above this status. `None` if the
/// rule's own status is not above it. Such a rule can still raise it when its condition is unknown, and no goal excludes that.
fn silence(rule: &Rule, status: Status) -> Option<ExpectedTruth> {
    if rule.mode() == RuleMode::Monitor {
        return None;
    }
    let unknown = match rule.on_unknown() {
        OnUnknown::Escalate => Status::NeedsHuman,
        OnUnknown::Fire => rule.status(),
        OnUnknown::Ignore => Status::Success,
    };
    match (rule.status() > status, unknown > status) {
        (true, true) => Some(ExpectedTruth::False),
        (true, false) => Some(ExpectedTruth::NotTrue),
        // Knownness alone cannot be a goal.
        (false, _) => None,
    }
}
