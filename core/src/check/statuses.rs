//! Statuses that no evidence leads to under a policy.
//!
//! For each status there is an envelope that leads to it where no policy is given. If it does not under this one, it is
//! proven from the parameters and the rules that nothing does, or nothing is said.

use alloc::{format, string::String, vec::Vec};

use adjudicate_lang::{
    Steps,
    json::{OwnedValue, Pointer},
};

use super::{
    built_in::BUILT_IN,
    code::CheckCode,
    draft::clean,
    env::Env,
    finding::{CheckFinding, Findings},
    search::{Answer, search},
    verifier::Verifier,
    want::{Test, Want},
    world::World,
};
use crate::{
    codes::Status,
    policy::{OnUnknown, Parameter, Policy, Profile, Rule, RuleMode},
};

/// The budget for proving that a status cannot be reached.
const STEPS: u64 = 20_000_000;

const ALL: [Status; 5] =
    [Status::Success, Status::Partial, Status::Blocked, Status::NeedsHuman, Status::Unsafe];

/// Reports the statuses that cannot be reached.
pub(super) fn check<'p>(policy: &'p Policy, verifier: &mut Verifier<'p>, findings: &mut Findings) {
    for status in ALL {
        let Some(witness) = verifier.witness(usual(policy, status)) else { continue };
        if witness.status == Some(status) {
            continue;
        }
        let Some((path, why)) = by_parameters(policy, status).or_else(|| by_rules(policy, status)) else {
            continue;
        };
        let message = format!("nothing leads to `{}`: {why}", status.as_str());
        let finding = CheckFinding::new(CheckCode::UnreachableStatus, path, message);
        findings.push(finding.shown_by(Some(witness)));
    }
}

/// An envelope that usually leads to a status.
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
            let approvals = OwnedValue::of_json(r#"{"required":["release"],"granted":[]}"#);
            envelope.set(&["evidence", "approvals"], approvals);
        }
        Status::Unsafe => {
            envelope.add(&["evidence", "policy_events"], OwnedValue::text("forbidden_operation"))
        }
    }
    envelope
}

/// Where the parameters make every call for a fix a call for a person.
fn by_parameters(policy: &Policy, status: Status) -> Option<(String, String)> {
    if status != Status::Partial {
        return None;
    }
    if policy.partial_threshold() == 1 {
        let why = "with a threshold of 1, the first result that calls for a fix calls for a person".into();
        return Some(("/parameters/partial_threshold".into(), why));
    }
    if policy.profile() == Profile::Oa06_1 && policy.parameter(Parameter::RefinementCap) == 0 {
        let why = "with no refinement allowed, whatever calls for a fix calls for a person".into();
        return Some(("/parameters/refinement_cap".into(), why));
    }
    None
}

/// Where rules leave no evidence for it: more severe ones fire whatever the evidence is.
fn by_rules(policy: &Policy, status: Status) -> Option<(String, String)> {
    let mut steps = Steps::new(STEPS);
    let silent = |rule: &Rule| silence(rule, status).is_some();
    let rules = policy.rules().iter().enumerate().filter(|(_, rule)| silent(rule));
    let rules: Vec<(usize, &Rule)> = rules.collect();
    let mut is_impossible = |rules: &[(usize, &Rule)]| {
        let mut start = Env::new(World::Policy(policy));
        for built_in in BUILT_IN.iter().filter(|built_in| built_in.code.row().status > status) {
            (built_in.quiet)(&mut start);
        }
        let goals: Vec<Test<'_>> = rules
            .iter()
            .filter_map(|(_, rule)| Some((rule.condition().root(), silence(rule, status)?)))
            .collect();
        matches!(search(start, goals, &mut steps, &mut |_| true), Answer::Impossible(_))
    };
    if !is_impossible(&rules) {
        return None;
    }
    let alone = rules.iter().find(|rule| is_impossible(core::slice::from_ref(rule)));
    Some(match alone {
        Some((place, rule)) => {
            let path = Pointer::new("/rules").index(*place).key("when").into_string();
            (path, format!("`{}` stands in the way whatever the evidence is", rule.id()))
        }
        None => ("/rules".into(), "whatever the evidence is, some rule stands in the way".into()),
    })
}

/// What the condition of a rule has to come to for a status not to be made worse by it; `None` if it cannot be.
fn silence(rule: &Rule, status: Status) -> Option<Want> {
    if rule.mode() == RuleMode::Monitor {
        return None;
    }
    let unknown = match rule.on_unknown() {
        OnUnknown::Escalate => Status::NeedsHuman,
        OnUnknown::Fire => rule.status(),
        OnUnknown::Ignore => Status::Success,
    };
    match (rule.status() > status, unknown > status) {
        (true, true) => Some(Want::False),
        (true, false) => Some(Want::NotTrue),
        // That it is known cannot be asked for alone.
        (false, _) => None,
    }
}
