//! Laws of `success`: no unchecked step, no guess, no counter that hides a refinement (docs/reference/rules.md).
//! Each is tested with the engine, with and without a policy, and in `baked` with modules.

use adjudicate_core::Operation;
use proptest::{
    collection::vec, prelude::*, sample::select, strategy::ValueTree as _, test_runner::TestRunner,
};

use crate::{
    json::Json,
    mutation::{config, edited_calls},
    policies::suite::Suite,
};

/// The number of random calls for each law and each judge.
const DRAWN: usize = 256;

/// The statuses, least severe first.
const STATUSES: [&str; 5] = ["success", "partial", "blocked", "needs_human", "unsafe"];

/// A judge of calls: returns an answer, or nothing if the call is refused.
pub(crate) type Judge<'j> = &'j dyn Fn(&str) -> Option<Json>;

/// Draws random calls, each with the other values that a law needs.
fn draw<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>) -> Vec<T> {
    let mut runner = TestRunner::new(config());
    let tree = |_| strategy.new_tree(&mut runner).expect("the strategy rejects nothing").current();
    (0..DRAWN).map(tree).collect()
}

/// Removes the policy of a call, because the judge has one.
fn bare(call: Json) -> Json {
    call.member("envelope").cloned().unwrap_or(call)
}

fn set(envelope: &mut Json, names: &[&str], value: Option<Json>) {
    let Some((last, parents)) = names.split_last() else { return };
    let mut here = envelope;
    for name in parents {
        match here.member_mut(name) {
            Some(inner) => here = inner,
            None => return,
        }
    }
    if let Json::Object(members) = here {
        members.retain(|(name, _)| name != last);
        members.extend(value.map(|value| ((*last).to_owned(), value)));
    }
}

fn text(text: &str) -> Json {
    Json::Text(text.to_owned())
}

fn status(answer: &Json) -> &str {
    answer.at(&["decision", "status"]).and_then(Json::as_text).expect("a decision has a status")
}

fn rank(answer: &Json) -> usize {
    let status = status(answer);
    STATUSES.iter().position(|known| *known == status).expect("a known status")
}

/// No envelope without a single result of a check, and without a list of required validators, is a success.
pub(crate) fn unchecked_evidence_is_no_success(judge: Judge<'_>) {
    let mut accepted = 0;
    for call in draw(edited_calls()) {
        let mut envelope = bare(call);
        set(&mut envelope, &["evidence", "validation", "exit_codes"], Some(Json::Object(Vec::new())));
        set(&mut envelope, &["evidence", "validation", "timeouts"], Some(Json::List(Vec::new())));
        set(&mut envelope, &["evidence", "harness_report"], None);
        set(&mut envelope, &["evidence", "required_validators"], None);
        let Some(answer) = judge(&envelope.to_text()) else { continue };
        accepted += 1;
        assert_ne!(status(&answer), "success", "{}", envelope.to_text());
    }
    assert!(accepted * 4 >= DRAWN, "only {accepted} are accepted");
}

/// Names of steps: some with a word of a role, some without.
const STEPS: &[&str] = &[
    "publish",
    "merge",
    "open_pr",
    "fix_it",
    "human_gate",
    "rollback",
    "STOP",
    "abort",
    "discard",
    "cancel_run",
    "approve_and_deploy",
    "finish_release",
    "review_fix",
];

/// The names of steps without a word of a role.
const UNCLASSIFIED: &[&str] =
    &["publish", "merge", "open_pr", "approve_and_deploy", "finish_release", "review_fix"];

/// A success leads to a step that is known to go forward, to the only possible step, or to the end of the run.
pub(crate) fn no_next_step_is_a_guess(judge: Judge<'_>, knows_routes: bool) {
    let mut guessed = 0;
    for (call, steps) in draw((edited_calls(), vec(select(STEPS), 0..5))) {
        let mut envelope = bare(call);
        let list = Json::List(steps.iter().map(|step| text(step)).collect());
        set(&mut envelope, &["allowed_next_steps"], Some(list));
        set(&mut envelope, &["steps"], None);
        let Some(answer) = judge(&envelope.to_text()) else { continue };
        let next = answer.at(&["decision", "next_step"]).and_then(Json::as_text);
        assert!(next.is_none_or(|next| steps.contains(&next)), "{next:?} of {steps:?}");
        let by = answer.at(&["loop", "route", "by"]).and_then(Json::as_text);
        if by == Some("unclassified") {
            guessed += 1;
            let mut open: Vec<&str> =
                steps.iter().copied().filter(|step| UNCLASSIFIED.contains(step)).collect();
            open.sort_unstable();
            open.dedup();
            assert_eq!(status(&answer), "success", "{steps:?}");
            assert!(open.contains(&next.expect("a route has a step")), "{next:?} of {steps:?}");
            // A policy may name some of the steps.
            assert!(knows_routes || open.len() == 1, "{steps:?}");
        }
    }
    assert!(knows_routes || guessed > 0, "no success among the drawn calls");
}

/// A cap in the envelope never leads to a less severe status, or to a refinement that an envelope without it does not
/// get.
pub(crate) fn no_cap_is_more_permissive_than_none(judge: Judge<'_>) {
    let is_requested =
        |answer: &Json| answer.at(&["loop", "refinement", "requested"]) == Some(&Json::Bool(true));
    let mut compared = 0;
    for (call, cap, spent) in draw((edited_calls(), 0..5_i64, 0..3_i64)) {
        let mut envelope = bare(call);
        let number = |value: i64| Json::Integer(value);
        let refinement = |cap: Option<i64>| {
            let cap = cap.map(|cap| ("cap".to_owned(), number(cap)));
            Json::Object(cap.into_iter().chain([("spent".to_owned(), number(spent))]).collect())
        };
        set(&mut envelope, &["refinement"], Some(refinement(None)));
        let without = judge(&envelope.to_text());
        set(&mut envelope, &["refinement"], Some(refinement(Some(cap))));
        let (Some(without), Some(with)) = (without, judge(&envelope.to_text())) else { continue };
        compared += 1;
        assert!(rank(&with) >= rank(&without), "cap {cap}: {}", envelope.to_text());
        assert!(is_requested(&without) || !is_requested(&with), "cap {cap}: {}", envelope.to_text());
    }
    assert!(compared * 4 >= DRAWN, "only {compared} are accepted");
}

fn parse(answer: String) -> Json {
    Json::parse(answer.as_bytes()).expect("an answer is JSON")
}

fn engine(call: &str) -> Option<Json> {
    Operation::Evaluate.call(call.as_bytes()).ok().map(parse)
}

#[test]
fn the_engine_keeps_the_laws_of_success() {
    unchecked_evidence_is_no_success(&engine);
    no_next_step_is_a_guess(&engine, false);
    no_cap_is_more_permissive_than_none(&engine);
}

#[test]
fn the_engine_keeps_the_laws_of_success_under_each_policy() {
    for suite in Suite::all() {
        let judge =
            |call: &str| Operation::Evaluate.call_with(call.as_bytes(), Some(&suite.policy)).ok().map(parse);
        if suite.document.member("required_validators").is_none() {
            unchecked_evidence_is_no_success(&judge);
        }
        no_next_step_is_a_guess(&judge, true);
        no_cap_is_more_permissive_than_none(&judge);
    }
}
